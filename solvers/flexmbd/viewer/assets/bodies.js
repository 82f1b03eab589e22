// Where the bodies of a run are at a time: frames, lines with nodes and slopes, places.

const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const size = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / size, a[1] / size, a[2] / size]; };

// A vector turned by a unit quaternion (x, y, z, w).
function turned(q, v) {
  const t = cross(q, v).map((x) => 2 * x), u = cross(q, t);
  return [v[0] + q[3] * t[0] + u[0], v[1] + q[3] * t[1] + u[1], v[2] + q[3] * t[2] + u[2]];
}

function times(a, b) { // first b, then a
  return [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
}

// The turn of the z axis to a direction.
function upright(way) {
  if (way[2] < -0.999999) return [1, 0, 0, 0];
  const size = Math.sqrt(2 + 2 * way[2]);
  return [-way[1] / size, way[0] / size, 0, 0.5 * size];
}

class Run {
  constructor(said, scene, number) {
    this.said = said;
    this.number = number;
    this.ghost = number > 0 && !scene.beside;
    this.shift = said.shift;
    this.keys = new Keys(said.keys);
    this.apart = said.apart && new Keys(said.apart);
    this.forces = said.forces && new Keys(said.forces);
    this.bodies = said.bodies.map((own, k) => {
      const kind = scene.bodies[k].kind;
      if (kind === "frame") return { kind, at: [0, 0, 0], turn: [0, 0, 0, 1] };
      if (kind === "places") return { kind, points: new Float32Array(3 * own.count), turns: own.turns ? new Float32Array(3 * own.count) : null };
      const size = 3 * own.nodes;
      return { kind, nodes: new Float32Array(size), slopes: new Float32Array(size), across: new Float32Array(size), given: own.across };
    });
  }

  seek(time) {
    this.over = time > this.said.end * (1 + 1e-6) + 1e-12;
    for (const keys of [this.keys, this.apart, this.forces]) if (keys) keys.seek(time);
    this.bodies.forEach((body, k) => {
      if (body.kind === "frame") {
        this.keys.read(k, 0, body.at);
        this.keys.turn(k, 3, body.turn);
        body.at = add(body.at, this.shift);
      } else if (body.kind === "places") {
        this.moved(k, 0, body.points);
        if (body.turns) this.keys.read(k, body.points.length, body.turns);
      } else {
        const size = body.nodes.length;
        this.moved(k, 0, body.nodes);
        this.keys.read(k, size, body.slopes);
        if (body.given) this.keys.read(k, 2 * size, body.across); else this.square(body);
      }
    });
  }

  moved(track, from, into) {
    this.keys.read(track, from, into);
    for (let k = 0; k < into.length; k++) into[k] += this.shift[k % 3];
  }

  // Frames of a body: its own, or one at each place, which in the plane may have turned by an angle.
  frames(body) {
    if (body.kind !== "places") return body.kind === "frame" ? [body] : [];
    return Array.from({ length: body.points.length / 3 }, (_, k) => {
      const half = body.turns ? 0.5 * body.turns[3 * k] : 0;
      return { at: [...body.points.subarray(3 * k, 3 * k + 3)], turn: [0, 0, Math.sin(half), Math.cos(half)] };
    });
  }

  // Of a cable some direction across it, carried along from node to node.
  square(body) {
    let across = null;
    for (let k = 0; k < body.nodes.length; k += 3) {
      const along = unit([...body.slopes.subarray(k, k + 3)]);
      if (!across) across = Math.abs(along[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
      across = unit(add(across, along, -dot(across, along)));
      body.across.set(across, k);
    }
  }

  // Where the end of an element is.
  place(end) {
    const body = this.bodies[end.body], seat = end.seat;
    if (body.kind === "frame") return add(body.at, turned(body.turn, [seat[0], seat[1], seat[2] || 0]));
    if (body.kind === "places") return [...body.points.subarray(3 * seat[0], 3 * seat[0] + 3)];
    const count = body.nodes.length / 3 - 1, k = Math.min(Math.floor(seat[0] * count), count - 1);
    const at = this.along(body, k, seat[0] * count - k);
    if (seat.length < 3) return at;
    const y = unit([...body.across.subarray(3 * k, 3 * k + 3)]), z = cross(unit([...body.slopes.subarray(3 * k, 3 * k + 3)]), y);
    return add(add(at, y, seat[1]), z, seat[2]);
  }

  // A place of a line between node k and the next: cubic shape functions.
  along(body, k, x) {
    const y = 1 - x, f = [y * y * (1 + 2 * x), x * y * y, x * x * (3 - 2 * x), -x * x * y], i = 3 * k, out = [0, 0, 0];
    for (let c = 0; c < 3; c++)
      out[c] = f[0] * body.nodes[i + c] + f[1] * body.slopes[i + c] + f[2] * body.nodes[i + 3 + c] + f[3] * body.slopes[i + 3 + c];
    return out;
  }
}
