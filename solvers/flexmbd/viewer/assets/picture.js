// One picture: every run's bodies, marks, bearings, forces and trails at the present time.

const CIRCLE = Array.from({ length: 41 }, (_, k) => [Math.cos((k * Math.PI) / 20), Math.sin((k * Math.PI) / 20)]);
const ARROW = 0.2; // of the size of all, for the force that is told

function colorOf(text, alpha = 1) { return [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255).concat(alpha); }

class Picture {
  constructor(gl, scene, root, eye, hidden) {
    Object.assign(this, { scene, eye, hidden });
    this.drawing = new Drawing(gl, root, scene.planar);
    this.meshes = new Map(scene.looks.filter((one) => one.kind === "mesh").map((one) => [one, this.drawing.mesh(one)]));
    this.polylines = scene.looks.filter((one) => one.kind === "polyline").map((one) => ({ ...one, width: 3, points: one.points.map((p) => add(one.at, turned(one.turn, p))) }));
    this.runs = scene.runs.map((said, k) => new Run(said, scene, k));
  }

  theme(style) {
    const read = (name) => style.getPropertyValue(name).trim();
    this.paper = colorOf(read("--paper"));
    this.ink = colorOf(read("--ink"));
    this.soft = colorOf(read("--soft"));
    this.force = colorOf(read("--force"));
    this.drawing.uniforms.paper.value.splice(0, 3, ...this.paper.slice(0, 3));
  }

  // A colour as faint as the run that is drawn.
  faint(color, alpha = this.alpha) { return [color[0], color[1], color[2], alpha]; }

  draw(time, section = [0, 0, 0, 1]) {
    const { drawing } = this;
    drawing.uniforms.section.value.splice(0, 4, ...section);
    drawing.clear();
    this.grid();
    this.envelope?.draw(time); // of a study: what all runs cover
    for (const run of [...this.runs].reverse()) {
      run.seek(time);
      this.alpha = run.ghost ? 0.28 : run.over ? 0.45 : 1;
      this.solids(run);
      this.lines(run);
      this.marks(run);
      this.bearings(run);
      this.guides(run);
      this.trails(run, time);
      this.arrows(run);
    }
    drawing.send();
  }

  // In space a grid below everything.
  grid() {
    const floor = floorOf(this.scene), color = this.faint(this.soft, 0.22);
    if (!floor) return;
    const { step, at, ends: [[left, right], [front, back]] } = floor;
    for (let x = left; x <= right + 0.5 * step; x += step) this.drawing.line(at(x, front), at(x, back), color, 1, "whole");
    for (let y = front; y <= back + 0.5 * step; y += step) this.drawing.line(at(left, y), at(right, y), color, 1, "whole");
  }

  // A drawing has a layer for each body; in space there are none.
  layer(at, body) { return this.scene.planar ? [at[0], at[1], -0.5 * this.scene.size * (1 - (body + 1) / (this.scene.bodies.length + 1))] : at; }

  solids(run) {
    const which = run.ghost ? 1 : 0;
    for (const one of this.scene.looks) {
      if (this.hidden.has(one.body) || one.kind === "polyline") continue;
      const body = run.bodies[one.body], color = colorOf(one.color, this.alpha), slant = this.slant(one.body);
      if (one.kind === "swept") { this.swept(run, body, one, { color, slant }, which); continue; }
      const target = one.kind === "mesh" ? this.meshes.get(one) : this.drawing[one.kind], size = one.size || [1, 1, 1];
      run.frames(body).forEach((frame, k) => {
        const r = one.radii ? one.radii[k] : 1, at = this.layer(add(frame.at, turned(frame.turn, one.at)), one.body);
        target[which].push({ place: placed(at, times(frame.turn, one.turn), size.map((x) => r * x)), color, slant });
        if (one.radii && body.turns) this.drawing.line(frame.at, add(frame.at, turned(frame.turn, [r, 0, 0])), color, 1.5); // how a disc rolls
      });
    }
  }

  // Hatching: in a drawing of ground; in space, where a section cuts, from body to body the other way.
  slant(body) { return this.scene.planar ? Number(this.scene.bodies[body].name === "ground") : 1 - 2 * (body % 2); }

  swept(run, body, look, own, which) {
    if (body.kind !== "line") return;
    const part = (array, k) => array.subarray(3 * k, 3 * k + 3), pieces = this.drawing[look.round ? "round" : "square"][which];
    for (const k of [0, body.nodes.length / 3 - 1]) this.lid(part(body.nodes, k), part(body.slopes, k), part(body.across, k), look, own, which);
    for (let k = 0; k < body.nodes.length / 3 - 1; k++) {
      pieces.push({
        p0: part(body.nodes, k), m0: part(body.slopes, k), y0: part(body.across, k),
        p1: part(body.nodes, k + 1), m1: part(body.slopes, k + 1), y1: part(body.across, k + 1), half_: look.half, ...own,
      });
      if (this.scene.planar || Math.min(...look.half) < this.eye.pixel) { // what is thinner than two pixels is seen too
        const points = [0, 0.25, 0.5, 0.75, 1].map((x) => run.along(body, k, x));
        this.drawing.path(points, own.color, this.scene.planar ? 3 : 2);
      }
    }
  }

  // The end of a swept section, so that it is closed: as thin as a section that is seen as a line.
  lid(at, slope, across, look, own, which) {
    if (this.scene.planar) return;
    const [y, z] = look.half, t = unit(slope), a = unit(add(across, t, -dot(across, t))), b = cross(t, a), thin = 1e-3 * Math.min(y, z);
    const columns = look.round ? [[a, y], [b, z], [t, thin]] : [[t, thin], [a, 2 * y], [b, 2 * z]];
    this.drawing[look.round ? "cylinder" : "box"][which].push({ place: [...columns.flatMap(([way, size]) => [...way.map((x) => size * x), 0]), ...at, 1], ...own });
  }

  lines(run) {
    for (const line of [...run.said.lines, ...this.polylines]) {
      if (this.hidden.has(line.body)) continue;
      const body = run.bodies[line.body], color = line.color ? colorOf(line.color, this.alpha) : this.faint(this.soft);
      for (const { at, turn } of run.frames(body)) this.drawing.path(line.points.map((p) => add(at, turned(turn, p))), color, line.width);
    }
  }

  marks(run) {
    const ink = this.faint(this.ink), paper = this.faint(this.paper);
    for (const link of run.said.links) this.drawing.path(this.coiled(run.place(link.a), run.place(link.b), link.coils), ink, 2);
    for (const one of run.said.dots) {
      if (this.hidden.has(one.body)) continue;
      const at = run.place(one);
      if (one.kind === "mass") this.drawing.dot(at, colorOf(one.color, this.alpha), 14);
      else {
        this.drawing.dot(at, ink, one.kind === "pin" ? 10 : 8);
        if (one.kind === "pin") this.drawing.dot(at, paper, 5);
      }
    }
  }

  // A line from a to b with coils: those of a spring, across the line as the eye sees it.
  coiled(a, b, coils) {
    if (!coils) return [a, b];
    const along = add(b, a, -1), across = unit(cross(unit(along), this.eye.back)), wide = 0.018 * this.scene.size;
    const points = [a, add(a, along, 0.15)];
    for (let k = 0; k < 2 * coils; k++) points.push(add(add(a, along, 0.15 + (0.7 * (k + 0.5)) / (2 * coils)), across, k % 2 ? wide : -wide));
    return [...points, add(a, along, 0.85), b];
  }

  ring(at, radius, color, width) {
    const { right, above } = this.eye;
    this.drawing.path(CIRCLE.map(([x, y]) => add(add(at, right, radius * x), above, radius * y)), color, width);
  }

  // The journal in its bearing, its way from the bearing's centre drawn larger as the clearance is.
  bearings(run) {
    const ink = this.faint(this.ink), { play } = this.scene, away = [0, 0, 0];
    run.said.bearings.forEach((one, k) => {
      const at = run.place(one.at), inner = Math.max(0.15 * one.radius, one.radius - play * one.clearance);
      if (one.along) return this.sleeve(run, one, k, inner);
      run.apart.read(k, 0, away);
      const centre = add(at, away, play);
      this.ring(at, one.radius, ink, 3);
      if (this.scene.planar) {
        this.ring(centre, inner, this.faint(this.force), 2);
        this.drawing.dot(centre, this.faint(this.force), 4);
      } else this.drawing.sphere[run.ghost ? 1 : 0].push({ place: placed(centre, [0, 0, 0, 1], [inner, inner, inner]), color: this.faint(this.force), slant: 1 });
    });
  }

  // A bearing that has a length, as its rims and lines between them, and the journal by where it is in both end sections.
  sleeve(run, one, k, inner) {
    const at = run.place(one.at), axis = turned(run.bodies[one.at.body].turn, one.along), away = new Float32Array(6), { play } = this.scene;
    run.apart.read(k, 0, away);
    const rims = [-0.5, 0.5].map((part) => add(at, axis, part * one.length)), turn = upright(axis);
    const [first, last] = rims.map((rim, i) => add(rim, away.subarray(3 * i, 3 * i + 3), play)), ink = this.faint(this.ink);
    const round = CIRCLE.map(([x, y]) => turned(turn, [one.radius * x, one.radius * y, 0]));
    for (const rim of rims) this.drawing.path(round.map((p) => add(rim, p)), ink, 2.5);
    for (const p of [0, 10, 20, 30].map((i) => round[i])) this.drawing.line(add(rims[0], p), add(rims[1], p), ink, 1.5);
    const along = add(last, first, -1), size = [inner, inner, 1.25 * Math.hypot(...along)], middle = add(first, along, 0.5);
    this.drawing.cylinder[1].push({ place: placed(middle, upright(unit(along)), size), color: this.faint(this.force, 0.6 * this.alpha), slant: 1 });
  }

  // The slider between its walls, its way across and its tilt drawn larger as the clearance is.
  guides(run) {
    const ink = this.faint(this.ink), { play } = this.scene, away = [0, 0, 0], from = run.said.bearings.length;
    run.said.guides.forEach((one, k) => {
      run.apart.read(from + k, 0, away);
      const base = run.bodies[one.at.body], at = run.place(one.at), half = 0.5 * one.length, wall = 0.5 * one.width + play * one.clearance;
      const put = (x, y) => add(at, turned(base.turn, [Math.cos(one.axis) * x - Math.sin(one.axis) * y, Math.sin(one.axis) * x + Math.cos(one.axis) * y, 0]));
      for (const side of [-wall, wall]) this.drawing.path([put(away[0] - 2.5 * half, side), put(away[0] + 2.5 * half, side)], ink, 3);
      const c = Math.cos(play * away[2]), s = Math.sin(play * away[2]), w = 0.5 * one.width;
      const corners = [[-half, -w], [half, -w], [half, w], [-half, w], [-half, -w]].map(([x, y]) => put(away[0] + c * x - s * y, play * away[1] + s * x + c * y));
      this.drawing.path(corners, this.faint(this.force), 2);
    });
  }

  arrow(from, way, color, width) {
    const tip = add(from, way), size = Math.hypot(...way), head = Math.min(0.3 * size, 0.03 * this.scene.size);
    if (size < 2 * this.eye.pixel) return;
    const along = way.map((x) => x / size), across = unit(cross(along, this.eye.back));
    this.drawing.path([from, tip], color, width, "over");
    for (const side of [-0.45, 0.45]) this.drawing.line(tip, add(add(tip, along, -head), across, side * head), color, width, "over");
  }

  arrows(run) {
    if (!run.forces || this.hidden.has("forces")) return;
    const color = this.faint(this.force), force = [0, 0, 0], scale = (ARROW * this.scene.size) / this.scene.force;
    run.said.arrows.forEach((one, k) => {
      run.forces.read(k, 0, force);
      const size = scale * Math.hypot(...force), most = 2 * ARROW * this.scene.size;
      this.arrow(run.place(one.at), force.map((x) => x * scale * Math.min(1, most / (size || 1))), color, 2.5);
    });
  }

  // Where points were at the keys until now.
  trails(run, time) {
    if (!run.said.trails.length || this.hidden.has("trails")) return;
    run.paths ||= this.paths(run);
    run.said.trails.forEach((one, k) => {
      const color = colorOf(this.scene.bodies[one.body].color, 0.7 * this.alpha), now = run.place(one);
      let last = null;
      for (const [when, at] of run.paths[k]) {
        if (when > time) break;
        if (last) this.drawing.line(last, at, color, 1.5, "whole");
        last = at;
      }
      if (last) this.drawing.line(last, now, color, 1.5, "whole");
    });
    run.seek(time);
  }

  paths(run) {
    const found = run.said.trails.map(() => []), { times: keys } = run.keys, now = this.scene.now;
    for (let i = 0; i < keys.length; i++) for (let j = 0; j < (i + 1 < keys.length ? 4 : 1); j++) {
      const when = keys[i] + (j / 4) * ((keys[i + 1] ?? keys[i]) - keys[i]);
      run.seek(when);
      run.said.trails.forEach((one, k) => found[k].push([when, run.place(one)]));
    }
    run.seek(now);
    return found;
  }
}
