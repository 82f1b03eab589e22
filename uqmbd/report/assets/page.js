"use strict";
(() => {
  const root = document.documentElement;
  const sources = new Map([...document.querySelectorAll("script[data-figure]")].map((one) => [document.getElementById(one.dataset.figure), one]));
  const texts = new Map(); // the JSON of figures that were unpacked
  const drawn = new Map(); // figures that were drawn, and how wide
  const config = { responsive: false, displaylogo: false, modeBarButtonsToRemove: ["sendChartToCloud"] };
  const LETTER = 6.9, SYMBOL = 48, LINE = 21; // pixels of a legend's entry

  // The JSON of a figure names colours as var(--name) or var(--name@opacity): the CSS of the page says what they are now.
  function colored(text, style) {
    return JSON.parse(text.replace(/var\(--(\w+)(?:@([\d.]+))?\)/g, (_, name, opacity) => {
      const color = style.getPropertyValue("--" + name).trim();
      if (!opacity) return color;
      const parts = [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16));
      return `rgba(${parts.join(",")},${opacity})`;
    }));
  }

  // Room for a legend of several lines below the panels, and smaller letters on narrow screens.
  function fitted(figure, width) {
    const { data, layout } = figure;
    for (const trace of data) if (trace.x && "as" in trace.x) trace.x = data[trace.x.as].x;
    const narrow = width < 560;
    layout.width = width;
    if (narrow) {
      layout.font.size = 11;
      layout.margin.l = 58;
      layout.margin.r = 10;
      for (const trace of data) {
        if (trace.meta && trace.meta.textposition) Object.assign(trace, trace.meta); // fewer names, elsewhere
        if (trace.type === "heatmap" && trace.text && trace.text.length > 6) delete trace.texttemplate;
      }
    }
    if (data[0].type === "splom") layout.width = Math.max(width, 90 + 92 * data[0].dimensions.length); // it scrolls
    const names = data.filter((trace) => trace.showlegend !== false && trace.name).map((trace) => trace.name);
    if (layout.showlegend === false || names.length < 2) return figure;
    const widths = names.map((name) => LETTER * (narrow ? 0.9 : 1) * name.length + SYMBOL);
    const room = width - layout.margin.l - layout.margin.r;
    const total = widths.reduce((sum, one) => sum + one, 0);
    const lines = total <= room ? 1 : Math.ceil(names.length / Math.max(1, Math.floor(room / Math.max(...widths))));
    layout.margin.b += LINE * (lines - 1);
    layout.height += LINE * (lines - 1);
    layout.legend.maxheight = 0.9;
    return figure;
  }

  // Text that the page holds as gzip in base 85: four bytes are five letters, the largest first. Before them stands how many
  // bytes at the end are none of it.
  const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%.()*+-;,=/?@^_`{|}~";
  const DIGITS = new Uint8Array(128);
  for (let k = 0; k < 85; k++) DIGITS[LETTERS.charCodeAt(k)] = k;

  async function unpacked(source) {
    const text = source.textContent, groups = (text.length - 1) / 5, bytes = new DataView(new ArrayBuffer(4 * groups));
    for (let group = 0; group < groups; group++) {
      let number = 0;
      for (let k = 5 * group + 1; k <= 5 * group + 5; k++) number = number * 85 + DIGITS[text.charCodeAt(k)];
      bytes.setUint32(4 * group, number);
    }
    const blob = new Blob([bytes.buffer.slice(0, 4 * groups - Number(text[0]))]);
    return new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  let plotly; // a promise: the script is unpacked once
  function ready() {
    plotly ||= unpacked(document.getElementById("plotly")).then((text) => {
      const script = document.createElement("script");
      script.textContent = text;
      document.head.append(script);
    });
    return plotly;
  }

  function paint(place, width) {
    const { data, layout } = fitted(colored(texts.get(place), getComputedStyle(root)), width || place.clientWidth);
    Plotly.react(place, data, layout, config);
    place.style.minHeight = "";
    drawn.set(place, true);
    place.dispatchEvent(new CustomEvent("uqmbd:drawn", { bubbles: true }));
  }

  async function show(place) {
    await ready();
    if (!texts.has(place)) texts.set(place, await unpacked(sources.get(place)));
    if (!drawn.has(place) && place.clientWidth) paint(place);
  }

  // What is on the screen is drawn anew now, the rest when it is scrolled to.
  function again() {
    for (const place of [...drawn.keys()]) {
      const box = place.getBoundingClientRect();
      if (place.clientWidth && box.bottom > -innerHeight && box.top < 2 * innerHeight) paint(place);
      else { drawn.delete(place); watch.unobserve(place); watch.observe(place); }
    }
  }

  // A long table shows the rows in which every word of the search stands.
  for (const part of document.querySelectorAll(".search")) {
    const field = part.querySelector("input"), count = part.querySelector("output");
    const rows = [...part.nextElementSibling.querySelectorAll("tbody tr")];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    part.hidden = false;
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      rows.forEach((row, k) => { row.hidden = !words.every((word) => texts[k].includes(word)); found += !row.hidden; });
      count.textContent = words.length ? `${found} of ${rows.length} rows` : `${rows.length} rows`;
    });
  }

  const watch = new IntersectionObserver((seen) => {
    for (const one of seen) if (one.isIntersecting && !drawn.has(one.target)) show(one.target);
  }, { rootMargin: "400px" });

  const modes = ["auto", "light", "dark"];
  const button = document.getElementById("theme");
  const remembered = (value) => {
    try {
      if (value === undefined) return localStorage.getItem("uqmbd-theme");
      localStorage.setItem("uqmbd-theme", value);
    } catch { /* pages opened from a file may have no storage */ }
    return null;
  };
  function choose(mode) {
    root.dataset.theme = mode;
    button.textContent = `colours: ${mode}`;
  }
  choose(modes.includes(remembered()) ? remembered() : root.dataset.theme);
  button.hidden = false;
  button.addEventListener("click", () => {
    choose(modes[(modes.indexOf(root.dataset.theme) + 1) % modes.length]);
    remembered(root.dataset.theme);
    again();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);

  let waiting, seen = innerWidth;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (innerWidth !== seen) { seen = innerWidth; again(); }
    }, 200);
  });

  // A print shows every figure of every part, in light colours: what is unpacked is drawn as it begins (`unpackAll`).
  let before = null, closed = [];
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    root.dataset.theme = "light";
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const part of closed) part.open = true;
    if (window.Plotly) for (const place of texts.keys()) paint(place, 680);
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
    root.dataset.theme = before;
    again();
  });

  async function unpackAll(idle) {
    await ready();
    for (const [place, source] of sources) {
      if (!texts.has(place)) texts.set(place, await unpacked(source));
      if (idle) await new Promise(idle);
    }
  }

  if (typeof DecompressionStream === "undefined") {
    const text = document.createElement("p");
    text.className = "warning";
    text.textContent = "This browser cannot unpack the figures of this page (it is older than 2023); the folder figures has them as PNG files.";
    document.querySelector("main").prepend(text);
    return;
  }
  for (const place of sources.keys()) watch.observe(place);
  const idle = (done) => (window.requestIdleCallback || setTimeout)(done);
  if (/Headless/.test(navigator.userAgent)) { // who prints as soon as the page is loaded: it is when a document within it is closed
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    const within = frame.contentDocument;
    within?.open(); // in a sandbox it is not to be reached, nor printed from
    unpackAll().finally(() => { within?.close(); frame.remove(); });
  } else addEventListener("load", () => setTimeout(() => idle(() => unpackAll(idle)), 500));
  window.uqmbd = { unpacked, all: () => Promise.all([...sources.keys()].map(show)) }; // unpack and draw everything, for a print of the whole page
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "p") {
      event.preventDefault();
      for (const part of document.querySelectorAll("details")) part.open = true;
      window.uqmbd.all().then(() => print());
    }
  });
})();
