// Which run is looked at, beside the nominal one and what all runs cover.

// Differences of a run from the nominal one, drawn larger: a body's place and turn, a line's nodes, places.
function drawnLarger(run, nominal, larger) {
  const seek = run.seek.bind(run);
  run.seek = (time) => {
    seek(time);
    nominal.seek(time);
    run.bodies.forEach((body, k) => {
      const own = nominal.bodies[k], apart = (to, from) => { for (let i = 0; i < to.length; i++) to[i] = from[i] + larger * (to[i] - from[i]); };
      if (body.kind === "places") apart(body.points, own.points);
      else if (body.kind === "line") { apart(body.nodes, own.nodes); apart(body.slopes, own.slopes); }
      else {
        body.at = add(own.at, add(body.at, own.at, -1), larger);
        const back = [-own.turn[0], -own.turn[1], -own.turn[2], own.turn[3]], way = times(body.turn, back), s = way[3] < 0 ? -1 : 1;
        const sine = Math.hypot(way[0], way[1], way[2]), half = Math.atan2(sine, s * way[3]) * larger, size = sine > 1e-12 ? (s * Math.sin(half)) / sine : 0;
        body.turn = times([size * way[0], size * way[1], size * way[2], Math.cos(half)], own.turn);
      }
    });
  };
}

class Cases {
  constructor(scene, { player, picture }) {
    Object.assign(this, { scene, player, picture, all: picture.runs, chosen: 0 });
    [this.choice, this.box, this.told] = ["case", "envelope", "told"].map(find);
    if (scene.larger > 1) for (const run of this.all.slice(1)) drawnLarger(run, this.all[0], scene.larger);
    picture.envelope = new Envelope(picture, this.all[0]);
    this.choice.addEventListener("change", () => this.show(Number(this.choice.value), this.scene.cases[Number(this.choice.value)].time));
    this.box.addEventListener("change", () => { picture.envelope.shown = this.box.checked; player.changed(); });
    page.addEventListener("motion:show", (event) => this.show(event.detail.run, event.detail.time, event.detail.words));
    page.addEventListener("wheel", (event) => { if (page.ownerDocument.activeElement !== canvas) event.stopPropagation(); }, { capture: true });
    new MutationObserver(() => find("theme").click()).observe(page.ownerDocument.documentElement, { attributeFilter: ["data-theme"] });
    const first = scene.still_of || 0, own = scene.cases[first].time;
    this.show(first, own ?? scene.start + (scene.end - scene.start) / 3);
  }

  // A run solid, the nominal one behind it; at a time, if one is said, else the time stays.
  show(number, time, words = "") {
    const own = this.scene.cases[number];
    this.chosen = number;
    this.picture.runs = number ? [this.all[number], this.all[0]] : [this.all[0]];
    for (const run of this.all) run.ghost = run.number !== number;
    this.choice.value = number;
    this.told.textContent = [words, own.says].filter(Boolean).join(" ");
    if (time !== undefined && time !== null) { this.player.play(false); this.player.go(time); } else this.player.changed();
    page.dataset.run = number;
  }
}

if (able) flexmbd.cases = new Cases(scene, flexmbd);
