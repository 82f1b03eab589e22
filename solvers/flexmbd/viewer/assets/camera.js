// The camera: in space it goes round what is seen, in the plane it looks at a drawing; by mouse, fingers and wheel.

const FIELD = 0.6; // rad, from the lower edge to the upper

// In space the grid below everything: its steps, ends along two axes, and places; null where up is no axis.
function floorOf({ low, high, up, size, planar }) {
  const axis = up.findIndex((x) => Math.abs(x) > 0.999), step = round(size / 6);
  if (planar || axis < 0) return null;
  const [a, b] = [0, 1, 2].filter((k) => k !== axis), ends = [a, b].map((k) => [Math.floor(low[k] / step - 0.1) * step, Math.ceil(high[k] / step + 0.1) * step]);
  const at = (x, y) => { const p = [0, 0, 0]; p[axis] = up[axis] > 0 ? low[axis] : high[axis]; p[a] = x; p[b] = y; return p; };
  return { step, ends, at };
}

class Eye {
  constructor(gl, canvas, scene, changed) {
    Object.assign(this, { canvas, scene, changed, planar: scene.planar, inset: [0, 0], drop: 0 });
    this.camera = new OGL.Camera(gl);
    this.up = scene.up;
    const aside = Math.abs(this.up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    this.east = unit(add(aside, this.up, -dot(aside, this.up)));
    this.north = cross(this.up, this.east);
    this.reset();
    this.listen();
  }

  reset() {
    const { low, high, size } = this.scene;
    this.target = low.map((x, k) => 0.5 * (x + high[k]));
    const { azimuth = -1.05, elevation = 0.38, zoom = 1 } = this.scene.view || {};
    Object.assign(this, { turn: azimuth, lift: elevation, zoom });
    this.far = size;
    if (this.width) this.fit();
    this.changed();
  }

  // From where everything is seen, between what is written above and below: the height of a drawing, or the distance of the eye; and how far
  // below the middle the target is, pixels.
  fit() {
    const { low, high, size } = this.scene, { width, height } = this, [top, bottom] = this.inset, free = Math.max(0.5 * height, height - top - bottom);
    this.drop = free < height ? 0.5 * (top - bottom) : 0;
    if (this.planar) {
      const wide = Math.max(high[0] - low[0], 0.15 * size), tall = Math.max(high[1] - low[1], 0.15 * size);
      this.whole = Math.max((1.14 * tall * height) / free, (1.16 * wide * height) / width);
      return;
    }
    const back = this.way(), right = unit(cross(this.up, back)), above = cross(back, right), field = Math.tan(0.5 * FIELD);
    const corners = this.corners().map((p) => { const d = add(p, this.target, -1); return [dot(d, right), dot(d, above), dot(d, back)]; });
    const seen = (far) => {
      const up = corners.map(([, y, z]) => y / (far - z)), side = Math.max(...corners.map(([x, , z]) => Math.abs(x) / (far - z)));
      return { side, tall: 0.5 * (Math.max(...up) - Math.min(...up)), middle: 0.5 * (Math.max(...up) + Math.min(...up)) };
    };
    let near = Math.max(0.3 * size, 1e-3 * size + Math.max(...corners.map(([, , z]) => z))), far = 100 * size;
    for (let k = 0; k < 40; k++) {
      const tried = Math.sqrt(near * far), { side, tall } = seen(tried);
      if (1.06 * side < (field * width) / height && 1.06 * tall < (field * free) / height) far = tried; else near = tried;
    }
    this.distance = far;
    this.drop += (0.5 * height * seen(far).middle) / field;
  }

  // Of all that is seen, the grid below it too.
  corners() {
    const { low, high } = this.scene, floor = floorOf(this.scene);
    const box = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [0, 1, 2].map((i) => ((k >> i) & 1 ? high : low)[i]));
    return floor ? box.concat(floor.ends[0].flatMap((x) => floor.ends[1].map((y) => floor.at(x, y)))) : box;
  }

  // Unit vector from what is seen to the eye.
  way() {
    const c = Math.cos(this.lift);
    return add(add(this.up.map((x) => x * Math.sin(this.lift)), this.east, c * Math.cos(this.turn)), this.north, c * Math.sin(this.turn));
  }

  // A picture of so many pixels, of which those at the upper and the lower edge are written on.
  resize(width, height, inset = [0, 0]) {
    Object.assign(this, { width, height, inset });
    this.fit();
    this.changed();
  }

  // Metres that a pixel is, in the plane through the target.
  get pixel() {
    return this.planar ? this.whole / this.zoom / this.height : (2 * (this.distance / this.zoom) * Math.tan(0.5 * FIELD)) / this.height;
  }

  look() {
    const { camera, target } = this;
    if (this.planar) {
      const y = (0.5 * this.whole) / this.zoom, x = (y * this.width) / this.height;
      camera.orthographic({ left: -x, right: x, bottom: -y, top: y, near: 0.1, far: 4 * this.far + 10 });
      camera.projectionMatrix[13] -= (2 * this.drop) / this.height;
      camera.position.set(target[0], target[1], 2 * this.far + 5);
      camera.up.set(0, 1, 0);
    } else {
      const far = this.distance / this.zoom, way = this.way();
      camera.perspective({ fov: (FIELD * 180) / Math.PI, aspect: this.width / this.height, near: 0.01 * far, far: far + 3 * this.far });
      camera.projectionMatrix[9] += (2 * this.drop) / this.height;
      camera.position.set(...add(target, way, far));
      camera.up.set(...this.up);
    }
    camera.lookAt(target);
    const m = camera.matrix;
    this.right = [m[0], m[1], m[2]];
    this.above = [m[4], m[5], m[6]];
    this.back = [m[8], m[9], m[10]];
  }

  pan(dx, dy) {
    this.target = add(add(this.target, this.right, -dx * this.pixel), this.above, dy * this.pixel);
    this.changed();
  }

  orbit(dx, dy) {
    this.turn -= 0.008 * dx;
    this.lift = Math.min(1.55, Math.max(-1.55, this.lift + 0.008 * dy));
    this.changed();
  }

  // Nearer by a factor; in the plane the place under the pointer stays.
  closer(factor, x = this.width / 2, y = this.height / 2) {
    const zoom = Math.min(2000, Math.max(0.05, this.zoom * factor)), own = zoom / this.zoom;
    if (this.planar) this.target = add(add(this.target, this.right, (x - this.width / 2) * this.pixel * (1 - 1 / own)), this.above, (this.height / 2 + this.drop - y) * this.pixel * (1 - 1 / own));
    this.zoom = zoom;
    this.changed();
  }

  listen() {
    const held = new Map(), { canvas } = this;
    const spread = () => { const [a, b] = [...held.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); held.set(event.pointerId, { x: event.clientX, y: event.clientY }); });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => held.delete(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before.x, dy = event.clientY - before.y, apart = held.size > 1 ? spread() : 0;
      held.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (held.size > 1) { this.pan(dx / 2, dy / 2); if (apart > 0) this.closer(spread() / apart); }
      else if (this.planar || event.shiftKey || event.buttons & 6) this.pan(dx, dy);
      else this.orbit(dx, dy);
    });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", () => this.reset());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      this.closer(Math.exp(-0.0015 * event.deltaY), event.clientX - box.x, event.clientY - box.y);
    }, { passive: false });
  }
}
