// The page: it draws when something has changed, and says what is drawn.

const scene = JSON.parse(document.getElementById("scene").textContent), page = document.documentElement;
const find = (id) => document.getElementById(id);
const canvas = find("view"), hidden = new Set();

// A length or force with few digits, 1, 2 or 5 at the front, and its unit.
function round(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * (x >= 5 * power ? 5 : x >= 2 * power ? 2 : 1);
}

function told(x, unit) {
  const [size, name] = { m: [[1e3, "km"], [1, "m"], [1e-3, "mm"], [1e-6, "µm"]], N: [[1e6, "MN"], [1e3, "kN"], [1, "N"], [1e-3, "mN"]] }[unit].find(([s]) => x >= 0.999 * s) || [1, unit];
  return `${Number((x / size).toPrecision(3))} ${name}`;
}

function themes(changed) {
  const modes = ["auto", "light", "dark"], button = find("theme");
  button.addEventListener("click", () => {
    page.dataset.theme = modes[(modes.indexOf(page.dataset.theme) + 1) % 3];
    button.textContent = `colours: ${page.dataset.theme}`;
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

function legend(changed) {
  const list = find("bodies"), entries = scene.bodies.map((body, k) => [k, body.name, body.color]);
  if (scene.runs.some((run) => run.arrows.length)) entries.push(["forces", "forces", "var(--force)"]);
  if (scene.runs[0].trails.length) entries.push(["trails", "trails", "var(--soft)"]);
  for (const [key, name, color] of entries.slice(0, 200)) {
    const label = document.createElement("label"), box = document.createElement("input"), swatch = document.createElement("i");
    Object.assign(box, { type: "checkbox", checked: true });
    box.addEventListener("change", () => { if (box.checked) hidden.delete(key); else hidden.add(key); changed(); });
    swatch.style.background = color;
    label.append(box, swatch, name);
    list.append(label);
  }
}

function start() {
  const renderer = new OGL.Renderer({ canvas, antialias: true, alpha: false, dpr: Math.min(devicePixelRatio || 1, 2), webgl: 2 });
  const { gl } = renderer, root = new OGL.Transform();
  let waiting = false, player = null, section = null;
  const changed = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(frame);
  };
  const eye = new Eye(gl, canvas, scene, changed), picture = new Picture(gl, scene, root, eye, hidden);

  function paint() {
    eye.look();
    scene.now = player.time;
    picture.draw(player.time, section.plane());
    renderer.render({ scene: root, camera: eye.camera });
    const length = round(175 * eye.pixel);
    find("scale").style.width = `${length / eye.pixel}px`;
    find("scale").textContent = told(length, "m");
    if (scene.force) {
      const force = round((140 * eye.pixel * scene.force) / (ARROW * scene.size));
      find("force").style.width = `${(force * ARROW * scene.size) / (scene.force * eye.pixel)}px`;
      find("force").firstChild.data = told(force, "N");
    }
  }

  function frame(now) {
    waiting = false;
    player.tick(now);
    paint();
    page.dataset.frames = String(Number(page.dataset.frames || 0) + 1);
  }

  function theme() {
    picture.theme(getComputedStyle(page));
    gl.clearColor(...picture.paper.slice(0, 3), 1);
    changed();
  }

  function resize() {
    const width = canvas.parentElement.clientWidth, height = canvas.parentElement.clientHeight;
    if (!width || !height) return;
    renderer.setSize(width, height);
    picture.drawing.uniforms.dense.value = renderer.dpr;
    picture.drawing.uniforms.pixels.value.splice(0, 2, width, height);
    const written = (which) => { const own = canvas.parentElement.querySelector(which); return own && own.offsetHeight ? own.offsetHeight + 16 : 0; };
    eye.resize(width, height, [written(".says"), written(".over")]);
  }

  // The picture alone, at a time: one of a film, which says what is told.
  function film(time, told) {
    if (!("film" in page.dataset)) { page.dataset.film = ""; resize(); }
    player.play(false);
    player.go(time);
    find("stamp").textContent = [player.clock.textContent, told].filter(Boolean).join(" · ");
    return new Promise((done) => requestAnimationFrame(() => { paint(); requestAnimationFrame(() => done(null)); }));
  }

  player = new Player(scene, changed);
  section = new Section(scene, eye, changed);
  themes(theme);
  legend(changed);
  naming(picture, canvas, find("name"));
  find("reset").addEventListener("click", () => eye.reset());
  new ResizeObserver(resize).observe(canvas.parentElement);
  find("force").hidden = !scene.force;
  resize();
  theme();
  page.dataset.drawn = "webgl";
  if (scene.playing && !matchMedia("(prefers-reduced-motion: reduce)").matches) player.play(true);
  window.flexmbd = { player, eye, picture, section, paint, onScreen, film };
}

let able = false;
try { able = !!document.createElement("canvas").getContext("webgl2"); } catch { /* it says so below */ }
if (able) start();
else {
  page.dataset.drawn = "still";
  themes(() => {});
}
