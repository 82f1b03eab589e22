"use strict";
// The scene of the page, and the ways to it: a click on a bound in a figure, a button in the table of bounds.
addEventListener("DOMContentLoaded", async () => {
  const host = document.getElementById("motion-page"), source = document.getElementById("motion-packed");
  if (!host || !window.uqmbd) return; // an old browser, which unpacks nothing: the still picture stays
  const { library, script, scene, near, ends, figures, reached, inputs } = JSON.parse(await window.uqmbd.unpacked(source));
  for (const text of [library, script]) {
    const one = document.createElement("script");
    one.textContent = text;
    document.head.append(one);
  }
  window.flexmbdCases(document, scene);
  if (host.dataset.drawn !== "webgl") return;

  const runOf = (name, bound) => (ends.find(([output, end]) => output === name && end === bound) || [])[2];
  const word = { upper: "highest", lower: "lowest" };

  function show(run, time, words) {
    host.dispatchEvent(new CustomEvent("motion:show", { detail: { run, time, words } }));
    host.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth" });
  }

  // The run that reached a bound of a number, or is nearest to that of a history at a time.
  function answer(name, bound, time) {
    if (!near[name] || time === undefined) {
      const run = runOf(name, bound);
      if (run !== undefined) show(run, undefined, `You see the run of the ${word[bound]} ${name}.`);
      return;
    }
    const { times, [bound]: runs } = near[name];
    let k = 0;
    times.forEach((one, i) => { if (Math.abs(one - time) < Math.abs(times[k] - time)) k = i; });
    const own = runs[k] >= 0, when = `${word[bound]} ${name} at ${Number(time.toPrecision(4))} s`, values = reached[name] && reached[name][bound][k];
    const at = values && values.every((x) => x !== null) ? ` was reached with ${values.map((x, i) => `${inputs[i][0]} = ${x} ${inputs[i][1]}`.trim()).join(", ")}` : "";
    if (own) show(runs[k], time, `You see the run of the ${when}.`);
    else show(-1 - runs[k], time, `The ${when}${at}${at ? "; you" : ": you"} see the run nearest to it of those that are kept here.`);
  }

  // Where in the axes of a panel a click was: [name of the vertical axis, x, y].
  function placeOf(place, event) {
    for (const part of place.querySelectorAll(".nsewdrag")) {
      const box = part.getBoundingClientRect(), { clientX: x, clientY: y } = event;
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
      const [, across, up] = part.dataset.subplot.match(/^(x\d*)(y\d*)$/), axis = (id) => place.layout[`${id[0]}axis${id.slice(1)}`].range;
      const along = ([from, to], share) => from + share * (to - from);
      return [up, along(axis(across), (x - box.left) / box.width), along(axis(up), (box.bottom - y) / box.height)];
    }
    return null;
  }

  const bounds = /bound|reached|α/; // names of traces in legends
  function clicked(place, [name, over], event) {
    const at = placeOf(place, event.event);
    if (!at) return;
    const [up, x, y] = at;
    if (!over) {
      const levels = place.data.filter((one) => one.x && one.x.length === 2 && one.x[0] === one.x[1]).map((one) => one.x[0]);
      const [from, to] = levels.length > 1 ? [Math.min(...levels), Math.max(...levels)] : place.layout.xaxis.range;
      answer(name, x >= 0.5 * (from + to) ? "upper" : "lower");
      return;
    }
    const own = event.points.filter((one) => (one.data.yaxis || "y") === up && (!one.data.name || bounds.test(one.data.name)) && Number.isFinite(one.y));
    const seen = own.map((one) => one.y);
    if (seen.length) answer(name, y >= 0.5 * (Math.min(...seen) + Math.max(...seen)) ? "upper" : "lower", own[0].x);
  }

  const known = new Set();
  function listen(place) {
    if (known.has(place) || !figures[place.id] || !place.on) return;
    known.add(place);
    place.on("plotly_click", (event) => clicked(place, figures[place.id], event));
  }
  document.querySelectorAll(".js-plotly-plot").forEach(listen);
  document.addEventListener("uqmbd:drawn", (event) => listen(event.target));

  // The table of where bounds were reached has the lower bound of an output first, then the upper.
  for (const table of document.querySelectorAll("table")) {
    const seen = new Set();
    if (!table.querySelector('td[data-of="reached"]')) continue;
    for (const cell of table.querySelectorAll("tbody td:first-child")) {
      const name = cell.textContent, bound = seen.has(name) ? "upper" : "lower", run = runOf(name, bound), button = document.createElement("button");
      seen.add(name);
      if (run === undefined) continue;
      Object.assign(button, { type: "button", className: "see", textContent: "see this run" });
      button.setAttribute("aria-label", `see the run of the ${word[bound]} ${name}`);
      button.addEventListener("click", () => answer(name, bound));
      cell.append(" ", button);
    }
  }
});
