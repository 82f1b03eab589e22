// Time: play, slider, speed, keys of the keyboard.

const RATES = [-4, -3, -2, -1, 0, 1].flatMap((power) => [1, 2, 5].map((x) => x * 10 ** power));

class Player {
  constructor(scene, changed) {
    Object.assign(this, { scene, changed, time: scene.start, playing: false });
    const find = (id) => document.getElementById(id);
    [this.slider, this.button, this.rate, this.clock] = ["time", "play", "rate", "clock"].map(find);
    this.length = scene.end - scene.start;
    Object.assign(this.slider, { min: scene.start, max: scene.end, step: this.length / 2000 || 1, value: scene.start });
    const usual = RATES.reduce((best, x) => (Math.abs(Math.log((this.length || 1) / x / 6)) < Math.abs(Math.log((this.length || 1) / best / 6)) ? x : best));
    this.speed = this.length >= 2 && this.length <= 20 ? 1 : usual;
    for (const x of RATES) {
      const option = document.createElement("option");
      option.value = x;
      option.textContent = x < 1 ? `1/${Math.round(1 / x)} of real time` : x === 1 ? "real time" : `${x} × real time`;
      option.selected = x === this.speed;
      this.rate.append(option);
    }
    this.rate.addEventListener("change", () => { this.speed = Number(this.rate.value); });
    this.button.addEventListener("click", () => this.play(!this.playing));
    this.slider.addEventListener("input", () => { this.play(false); this.go(Number(this.slider.value)); });
    addEventListener("keydown", (event) => this.key(event));
    this.tell();
  }

  go(time) {
    this.time = Math.min(this.scene.end, Math.max(this.scene.start, time));
    this.tell();
    this.changed();
  }

  tell() {
    const digits = Math.min(6, Math.max(0, Math.ceil(2.5 - Math.log10(this.length || 1))));
    const words = `${this.time.toFixed(digits)} s`;
    this.clock.textContent = words;
    this.slider.value = this.time;
    this.slider.setAttribute("aria-valuetext", words);
  }

  play(on) {
    this.playing = on;
    this.button.textContent = on ? "❚❚ pause" : "▶ play";
    this.button.setAttribute("aria-pressed", String(on));
    if (on && this.time >= this.scene.end) this.time = this.scene.start;
    this.last = undefined;
    this.changed();
  }

  // A picture later.
  tick(now) {
    if (!this.playing) return;
    if (this.last !== undefined) {
      let time = this.time + (Math.min(now - this.last, 200) / 1000) * this.speed;
      if (time > this.scene.end) time = this.time < this.scene.end ? this.scene.end : this.scene.start;
      this.go(time);
    }
    this.last = now;
    this.changed();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, summary, input[type=checkbox]")) return;
    const step = this.length / (event.shiftKey ? 20 : 200);
    const does = {
      " ": () => this.play(!this.playing), ArrowRight: () => this.go(this.time + step), ArrowLeft: () => this.go(this.time - step),
      Home: () => this.go(this.scene.start), End: () => this.go(this.scene.end),
    }[event.key];
    if (!does || (event.key === " " && event.target.matches("button") && event.target !== this.button)) return;
    event.preventDefault();
    if (event.key !== " ") this.play(false);
    does();
  }
}
