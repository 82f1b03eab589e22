"use strict";
(() => {
  const root = document.documentElement;
  const sources = [...document.querySelectorAll("script[data-figure]")];
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

  function draw(width) {
    const style = getComputedStyle(root);
    for (const source of sources) {
      const place = document.getElementById(source.dataset.figure);
      const { data, layout } = fitted(colored(source.textContent, style), width || place.clientWidth);
      Plotly.react(place, data, layout, config);
    }
  }

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
    draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());

  let waiting, seen = innerWidth;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (innerWidth !== seen) { seen = innerWidth; draw(); }
    }, 200);
  });
  let before = null;
  addEventListener("beforeprint", () => { before = root.dataset.theme; root.dataset.theme = "light"; draw(680); });
  addEventListener("afterprint", () => { root.dataset.theme = before; draw(); });
  draw();
})();
