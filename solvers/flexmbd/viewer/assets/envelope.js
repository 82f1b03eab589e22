// What all runs cover: convex regions by support values, that move with the bodies of the nominal run.

const REGION = {
  vertex: `#version 300 es
in vec3 position; in vec3 a; in vec3 b; in vec3 c; in vec4 color; // position: shares of the corners
uniform mat4 viewMatrix; uniform mat4 projectionMatrix;
out vec4 paint;
void main() {
  paint = color;
  gl_Position = projectionMatrix * viewMatrix * vec4(position.x * a + position.y * b + position.z * c, 1.0);
}`,
  fragment: `#version 300 es
precision highp float;
in vec4 paint; out vec4 ink;
void main() { ink = paint; }`,
};
const CORNERS = { position: { size: 3, data: new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 1]) } };
const FILL = 0.2, EDGE = 0.55;

class Envelope {
  constructor(picture, nominal) {
    const { drawing, scene } = picture, { gl } = drawing;
    Object.assign(this, { picture, nominal, said: scene.envelope, shown: true });
    this.keys = this.said.keys && new Keys(this.said.keys);
    this.colors = scene.bodies.map((body) => colorOf(body.color, FILL));
    if (!scene.planar) return;
    const program = new OGL.Program(gl, { ...REGION, transparent: true, depthWrite: true, depthFunc: gl.LESS, cullFace: false }); // of a body each place once
    this.triangles = new Instances(gl, drawing.scene, CORNERS, { a: 3, b: 3, c: 3, color: 4 }, program, 0);
    drawing.all.push(this.triangles);
  }

  draw(time) {
    if (!this.shown || !this.keys) return;
    this.nominal.seek(time);
    this.keys.seek(time);
    this.said.pieces.forEach((piece, k) => {
      if (this.picture.hidden.has(piece.body)) return;
      const frame = this.frame(piece), support = this.support(piece, k);
      if (this.picture.scene.planar) this.region(piece, frame, support); else this.box(piece, frame, support);
    });
  }

  // How far it reaches in each direction, m.
  support(piece, k) {
    const count = piece.base ? piece.base.length : this.keys.tracks[k].length / 2;
    return Array.from({ length: count }, (_, i) => this.keys.value(k, i) + (piece.base ? piece.base[i] : this.keys.value(k, count + i)));
  }

  // Where directions are told from: a body, a place, or a chord of a line with axes along and across it.
  frame(piece) {
    const body = this.nominal.bodies[piece.body], part = (array, k) => [...array.subarray(3 * k, 3 * k + 3)];
    if (body.kind === "frame") return { at: body.at, axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => turned(body.turn, axis)) };
    if (body.kind === "places") return { at: part(body.points, piece.first), axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] };
    const at = part(body.nodes, piece.first), x = unit(add(part(body.nodes, piece.last), at, -1)), y = unit(cross(this.said.across[piece.body], x));
    return { at, axes: [x, y, cross(x, y)] };
  }

  // The corners of what its lines of support enclose, as a fan of triangles behind the mechanism.
  region(piece, { at, axes: [x, y] }, support) {
    const { scene, drawing } = this.picture, { angles } = piece, count = support.length;
    const behind = -scene.size * (0.6 + (0.3 * piece.body) / scene.bodies.length), color = this.colors[piece.body];
    const corners = support.map((h, k) => {
      const c = Math.cos(angles[k]), s = Math.sin(angles[k]), step = (angles[(k + 1) % count] - angles[k] + 2 * Math.PI) % (2 * Math.PI);
      const along = (support[(k + 1) % count] - h * Math.cos(step)) / Math.sin(step);
      const p = add(add(at, x, h * c - along * s), y, h * s + along * c);
      return [p[0], p[1], behind];
    });
    for (let k = 2; k < count; k++) this.triangles.push({ a: corners[0], b: corners[k - 1], c: corners[k], color });
    if (this.nominal.bodies[piece.body].kind !== "line") drawing.path([...corners, corners[0]], [color[0], color[1], color[2], EDGE], 1);
  }

  box(piece, { at, axes }, support) {
    const middle = axes.reduce((p, axis, k) => add(p, axis, 0.5 * (support[k] - support[k + 3])), at);
    const place = axes.flatMap((axis, k) => [...axis.map((x) => x * Math.max(support[k] + support[k + 3], 1e-9 * this.picture.scene.size)), 0]);
    this.picture.drawing.box[1].push({ place: [...place, ...middle, 1], color: this.colors[piece.body], slant: 0 });
  }
}
