// The camera: in space it goes round what is seen, in the plane it looks at a drawing; by mouse, fingers and wheel.

const FIELD = 0.6; // rad, from the lower edge to the upper

class Eye {
  constructor(gl, canvas, scene, changed) {
    Object.assign(this, { canvas, scene, changed, planar: scene.planar });
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
    this.turn = -1.05;
    this.lift = 0.38;
    this.zoom = 1;
    this.far = size;
    if (this.width) this.fit();
    this.changed();
  }

  // From where everything is seen: by the height of a drawing, or the distance of the eye.
  fit() {
    const { low, high, size } = this.scene, { width, height } = this;
    if (this.planar) {
      const wide = Math.max(high[0] - low[0], 0.15 * size), tall = Math.max(high[1] - low[1], 0.15 * size);
      this.whole = 1.16 * Math.max(tall, (wide * height) / width);
      return;
    }
    const back = this.way(), right = unit(cross(this.up, back)), above = cross(back, right), field = Math.tan(0.5 * FIELD);
    this.distance = 0.3 * size;
    for (let k = 0; k < 8; k++) {
      const corner = add([0, 1, 2].map((i) => ((k >> i) & 1 ? high : low)[i]), this.target, -1);
      const aside = Math.max((Math.abs(dot(corner, right)) * height) / width, Math.abs(dot(corner, above)));
      this.distance = Math.max(this.distance, dot(corner, back) + (1.12 * aside) / field);
    }
  }

  // Unit vector from what is seen to the eye.
  way() {
    const c = Math.cos(this.lift);
    return add(add(this.up.map((x) => x * Math.sin(this.lift)), this.east, c * Math.cos(this.turn)), this.north, c * Math.sin(this.turn));
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
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
      camera.position.set(target[0], target[1], 2 * this.far + 5);
      camera.up.set(0, 1, 0);
    } else {
      const far = this.distance / this.zoom, way = this.way();
      camera.perspective({ fov: (FIELD * 180) / Math.PI, aspect: this.width / this.height, near: 0.01 * far, far: far + 3 * this.far });
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
    if (this.planar) this.target = add(add(this.target, this.right, (x - this.width / 2) * this.pixel * (1 - 1 / own)), this.above, (this.height / 2 - y) * this.pixel * (1 - 1 / own));
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
