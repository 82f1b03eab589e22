// Instances on the graphics card: solids, swept sections and lines, each as many as there are in one call.

const DYNAMIC = 0x88e8;

// A mesh whose instances are pushed anew for every picture.
class Instances {
  constructor(gl, scene, base, sizes, program, order) {
    Object.assign(this, { gl, scene, base, sizes, program, order, count: 0 });
    this.grow(64);
  }

  grow(room) {
    const before = this.data;
    this.room = room;
    this.data = {};
    const attributes = {};
    for (const [name, array] of Object.entries(this.base)) attributes[name] = { ...array };
    for (const [name, size] of Object.entries(this.sizes)) {
      const data = (this.data[name] = new Float32Array(size * room));
      if (before) data.set(before[name]);
      attributes[name] = { size, data, instanced: 1, usage: DYNAMIC };
    }
    if (this.mesh) { this.mesh.setParent(null); this.mesh.geometry.remove(); }
    this.mesh = new OGL.Mesh(this.gl, { geometry: new OGL.Geometry(this.gl, attributes), program: this.program, frustumCulled: false, renderOrder: this.order });
    this.mesh.setParent(this.scene);
  }

  clear() { this.count = 0; }

  push(values) {
    if (this.count === this.room) this.grow(2 * this.room);
    for (const [name, size] of Object.entries(this.sizes)) {
      const data = this.data[name], from = size * this.count, own = values[name];
      if (size === 1) data[from] = own; else for (let k = 0; k < size; k++) data[from + k] = own[k];
    }
    this.count++;
  }

  send() {
    this.mesh.visible = this.count > 0;
    for (const name of Object.keys(this.sizes)) this.mesh.geometry.attributes[name].needsUpdate = true;
    this.mesh.geometry.setInstancedCount(this.count);
  }
}

// Base meshes: positions and normals of a unit box, cylinder along z, sphere, and of a tube along x.
function plain(geometry, upright) {
  const out = {};
  for (const name of ["position", "normal"]) {
    const data = Float32Array.from(geometry.attributes[name].data);
    if (upright) for (let k = 0; k < data.length; k += 3) [data[k + 1], data[k + 2]] = [-data[k + 2], data[k + 1]];
    out[name] = { size: 3, data };
  }
  return { ...out, index: { data: geometry.attributes.index.data } };
}

function tube(corners, smooth, pieces = 6) {
  const position = [], normal = [], index = [], count = corners.length;
  for (let side = 0; side < count; side++) {
    const ends = [corners[side], corners[(side + 1) % count]];
    const middle = [0.5 * (ends[0][0] + ends[1][0]), 0.5 * (ends[0][1] + ends[1][1])];
    for (let k = 0; k <= pieces; k++) for (const end of ends) {
      position.push(k / pieces, ...end);
      normal.push(0, ...(smooth ? end : middle));
    }
    const first = side * 2 * (pieces + 1);
    for (let k = first; k < first + 2 * pieces; k += 2) index.push(k, k + 1, k + 2, k + 1, k + 3, k + 2);
  }
  return { position: { size: 3, data: new Float32Array(position) }, normal: { size: 3, data: new Float32Array(normal) }, index: { data: new Uint16Array(index) } };
}

// A mesh of triangles with a normal for each.
function faceted(said) {
  const [x, y, z] = unpacked(said.vertices, said.count), faces = integersOf(said.faces);
  const at = (k) => [x, y, z].map((values) => (typeof values === "number" ? values : values[k]));
  const position = new Float32Array(3 * faces.length), normal = new Float32Array(3 * faces.length);
  for (let k = 0; k < faces.length; k += 3) {
    const corners = [at(faces[k]), at(faces[k + 1]), at(faces[k + 2])];
    const n = unit(cross(add(corners[1], corners[0], -1), add(corners[2], corners[0], -1)));
    corners.forEach((corner, i) => { position.set(corner, 3 * (k + i)); normal.set(n, 3 * (k + i)); });
  }
  return { position: { size: 3, data: position }, normal: { size: 3, data: normal } };
}

const ROUND = Array.from({ length: 14 }, (_, k) => [Math.cos((k * Math.PI) / 7), Math.sin((k * Math.PI) / 7)]);
const SQUARE = [[1, -1], [1, 1], [-1, 1], [-1, -1]];
const QUAD = { position: { size: 2, data: new Float32Array([-1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, 1]) } };

// All that can be drawn, solid and as ghosts.
class Drawing {
  constructor(gl, scene, planar) {
    this.uniforms = { planar: { value: planar ? 1 : 0 }, paper: { value: [1, 1, 1] }, pixels: { value: [1, 1] }, dense: { value: 1 }, section: { value: [0, 0, 0, 1] } };
    this.gl = gl;
    this.scene = scene;
    this.all = [];
    const solid = { place: 16, color: 4, slant: 1 }, swept = { p0: 3, m0: 3, y0: 3, p1: 3, m1: 3, y1: 3, half_: 2, color: 4, slant: 1 };
    this.box = this.pair(plain(new OGL.Box(gl)), solid, SOLID);
    this.cylinder = this.pair(plain(new OGL.Cylinder(gl, { radiusTop: 1, radiusBottom: 1, height: 1, radialSegments: 32 }), true), solid, SOLID);
    this.sphere = this.pair(plain(new OGL.Sphere(gl, { radius: 1, widthSegments: 24, heightSegments: 16 })), solid, SOLID, 1);
    this.round = this.pair(tube(ROUND, true), swept, SWEPT);
    this.square = this.pair(tube(SQUARE, false), swept, SWEPT);
    this.solid = solid;
    const line = this.program(LINE, true, 0, !planar);
    this.lines = new Instances(gl, scene, QUAD, { start: 3, end: 3, color: 4, width: 1 }, line, 3);
    this.over = new Instances(gl, scene, QUAD, this.lines.sizes, this.program(LINE, true, 0, false), 4);
    this.all.push(this.lines, this.over);
  }

  program(shader, see, rim = 0, deep = true) {
    const uniforms = { ...this.uniforms, rim: { value: rim } };
    return new OGL.Program(this.gl, { ...shader, uniforms, transparent: see, depthWrite: !see, depthTest: deep, cullFace: false });
  }

  // The same mesh twice: [solid, ghost].
  pair(base, sizes, shader, rim) {
    const both = [false, true].map((see, k) => new Instances(this.gl, this.scene, base, sizes, this.program(shader, see, rim), k + 1));
    this.all.push(...both);
    return both;
  }

  mesh(said) { return this.pair(faceted(said), this.solid, SOLID); }
  clear() { for (const one of this.all) one.clear(); }
  send() { for (const one of this.all) one.send(); }

  // How far a place is before the section, m: it is cut away above zero.
  before(p) { const s = this.uniforms.section.value; return dot(s, p) - s[3]; }

  // A line of a body, as far as it is not cut away; "whole" of what is none, "over" of what is seen through bodies too.
  line(start, end, color, width, how = "") {
    const a = how ? -1 : this.before(start), b = how ? -1 : this.before(end);
    if (a > 0 && b > 0) return;
    const cut = a > 0 || b > 0 ? add(start, add(end, start, -1), a / (a - b)) : null;
    (how === "over" ? this.over : this.lines).push({ start: a > 0 ? cut : start, end: b > 0 ? cut : end, color, width });
  }

  path(points, color, width, how) { for (let k = 1; k < points.length; k++) this.line(points[k - 1], points[k], color, width, how); }
  dot(at, color, width) { this.line(at, at, color, width); }
}

// The matrix of a place, a turn and sizes along three axes, column by column.
function placed(at, turn, size) {
  const x = turned(turn, [size[0], 0, 0]), y = turned(turn, [0, size[1], 0]), z = turned(turn, [0, 0, size[2]]);
  return [...x, 0, ...y, 0, ...z, 0, ...at, 1];
}
