// A plane that cuts what is seen in space, across an axis or across the eye's way: what is before it is not drawn.

const WAYS = ["x", "y", "z", "view"], WHOLE = [0, 0, 0, 1];

class Section {
  constructor(scene, eye, changed) {
    Object.assign(this, { scene, eye, changed, way: "", share: 0.5 });
    [this.box, this.choice, this.slider, this.told] = ["cutting", "section", "cut", "cutat"].map((id) => document.getElementById(id));
    if (!this.box || scene.planar) return;
    this.box.hidden = false;
    this.choice.addEventListener("change", () => this.across(this.choice.value));
    this.slider.addEventListener("input", () => this.at(Number(this.slider.value)));
    addEventListener("keydown", (event) => this.key(event));
    const { section } = scene.view || {}, k = section ? WAYS.indexOf(section[0]) : 0;
    this.across(section ? section[0] : "");
    if (section) this.at((section[1] - scene.low[k]) / (scene.high[k] - scene.low[k] || 1));
  }

  across(way) {
    this.way = this.choice.value = way;
    this.slider.disabled = !way;
    if (way) this.box.open = true;
    this.changed();
  }

  at(share) {
    this.share = this.slider.value = Math.min(1, Math.max(0, share));
    this.changed();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input[type=checkbox]")) return;
    const does = {
      x: () => this.across(this.way === "x" ? "" : "x"), y: () => this.across(this.way === "y" ? "" : "y"),
      z: () => this.across(this.way === "z" ? "" : "z"), "[": () => this.at(this.share - 0.02), "]": () => this.at(this.share + 0.02),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }

  // Normal towards the eye, and how far along it the plane is, m: [x, y, z, w]; says where that is.
  plane() {
    if (!this.way) { if (this.told) this.told.textContent = ""; return WHOLE; }
    const { low, high } = this.scene, { back } = this.eye, axis = WAYS.indexOf(this.way);
    const normal = axis < 3 ? [0, 1, 2].map((k) => Number(k === axis)) : back;
    const reach = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => dot(normal, [0, 1, 2].map((i) => ((k >> i) & 1 ? high : low)[i])));
    const least = Math.min(...reach), place = least + this.share * (Math.max(...reach) - least), sign = dot(normal, back) < 0 ? -1 : 1;
    this.told.textContent = axis < 3 ? `${this.way} = ${Number(place.toPrecision(3))} m` : "";
    return [...normal.map((x) => sign * x), sign * place];
  }
}
