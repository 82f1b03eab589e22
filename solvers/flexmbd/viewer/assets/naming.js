// Which body of the first run is under the pointer.

const NEAR = 10; // pixels

// A place on the screen, in pixels from the upper left corner.
function onScreen(eye, p) {
  const m = eye.camera.projectionViewMatrix, at = [0, 1, 3].map((k) => m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k]);
  return [(0.5 + (0.5 * at[0]) / at[2]) * eye.width, (0.5 - (0.5 * at[1]) / at[2]) * eye.height];
}

function toSegment(x, y, a, b) {
  const d = [b[0] - a[0], b[1] - a[1]], size = d[0] * d[0] + d[1] * d[1];
  const share = size ? Math.min(1, Math.max(0, ((x - a[0]) * d[0] + (y - a[1]) * d[1]) / size)) : 0;
  return Math.hypot(x - a[0] - share * d[0], y - a[1] - share * d[1]);
}

// Paths of places in space that a body is seen by, each with half its thickness in metres.
function outlines(picture, run, k) {
  const body = run.bodies[k], found = [];
  if (body.kind === "line") found.push([Array.from({ length: body.nodes.length / 3 }, (_, i) => [...body.nodes.subarray(3 * i, 3 * i + 3)]), 0]);
  if (body.kind === "places") for (let i = 0; i < body.points.length; i += 3) found.push([[[...body.points.subarray(i, i + 3)]], 0]);
  if (body.kind !== "frame") return found;
  for (const line of [...run.said.lines, ...picture.polylines])
    if (line.body === k && line.color) found.push([line.points.map((p) => add(body.at, turned(body.turn, p))), 0]);
  for (const one of picture.scene.looks)
    if (one.body === k && one.size) found.push([[add(body.at, turned(body.turn, one.at))], 0.5 * Math.min(...one.size) * (one.kind === "box" ? 1 : 2)]);
  if (!found.length) found.push([[body.at], 0]);
  return found;
}

function bodyAt(picture, x, y) {
  const { eye, scene, hidden } = picture, run = picture.runs[0];
  let best = null, least = NEAR;
  scene.bodies.forEach((body, k) => {
    if (body.name === "ground" || hidden.has(k)) return;
    for (const [points, thick] of outlines(picture, run, k)) {
      const seen = points.filter((p) => picture.drawing.before(p) <= 0).map((p) => onScreen(eye, p));
      for (let i = 0; i < seen.length; i++) {
        const off = toSegment(x, y, seen[Math.max(i - 1, 0)], seen[i]) - thick / eye.pixel;
        if (off < least) { least = off; best = body.name; }
      }
    }
  });
  return best;
}

// A label beside the pointer with the body's name.
function naming(picture, canvas, label) {
  canvas.addEventListener("pointermove", (event) => {
    const name = event.buttons || event.pointerType === "touch" ? null : bodyAt(picture, event.offsetX, event.offsetY);
    label.hidden = name === null;
    if (name === null) return;
    label.textContent = name;
    label.style.transform = `translate(${Math.min(event.offsetX + 12, picture.eye.width - label.offsetWidth - 4)}px, ${event.offsetY + 14}px)`;
  });
  canvas.addEventListener("pointerleave", () => { label.hidden = true; });
}
