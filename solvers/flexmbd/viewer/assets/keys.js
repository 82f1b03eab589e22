// Motion in keys: 16-bit integers over time, read at any time between the keys.

function bytesOf(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

const floatsOf = (text) => new Float32Array(bytesOf(text).buffer);
const integersOf = (text) => new Uint32Array(bytesOf(text).buffer);

// A pack of channels as arrays over time; a channel that does not move is one number.
function unpacked(pack, count) {
  const levels = new Uint16Array(bytesOf(pack.data).buffer);
  let next = 0;
  return pack.low.map((low, k) => {
    const span = pack.span[k];
    if (!span) return low;
    const values = Float32Array.from(levels.subarray(next, next + count), (x) => low + (span * x) / 65535);
    next += count;
    return values;
  });
}

class Keys {
  constructor(said) {
    this.count = said.count;
    this.times = floatsOf(said.times);
    this.tracks = said.tracks.map((pack) => unpacked(pack, said.count));
    this.seek(this.times[0]);
  }

  // Between which keys a time is, and by what share.
  seek(time) {
    let low = 0, high = this.count - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle; else high = middle;
    }
    this.first = low;
    this.next = high;
    const length = this.times[high] - this.times[low];
    this.share = length > 0 ? Math.min(1, Math.max(0, (time - this.times[low]) / length)) : 0;
  }

  // One channel of a track on the straight line between its keys.
  value(track, channel) {
    const values = this.tracks[track][channel];
    if (typeof values === "number") return values;
    const a = values[this.first];
    return a + this.share * (values[this.next] - a);
  }

  // Channels from one on, into an array.
  read(track, from, into) {
    for (let k = 0; k < into.length; k++) into[k] = this.value(track, from + k);
  }

  // A unit quaternion at a constant rate between its keys.
  turn(track, from, into) {
    const own = this.tracks[track], at = (k, key) => (typeof own[from + k] === "number" ? own[from + k] : own[from + k][key]);
    const a = [0, 1, 2, 3].map((k) => at(k, this.first)), b = [0, 1, 2, 3].map((k) => at(k, this.next));
    let cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const sign = cosine < 0 ? -1 : 1;
    const angle = Math.acos(Math.min(1, Math.abs(cosine)));
    let f = 1 - this.share, g = this.share;
    if (angle > 1e-4) { f = Math.sin(f * angle) / Math.sin(angle); g = Math.sin(g * angle) / Math.sin(angle); }
    let size = 0;
    for (let k = 0; k < 4; k++) { into[k] = f * a[k] + sign * g * b[k]; size += into[k] * into[k]; }
    size = Math.sqrt(size) || 1;
    for (let k = 0; k < 4; k++) into[k] /= size;
  }
}
