"use strict";
// The page as it is on the server, again and again as long as something moves there. Parts that are the same stay as they are, and so
// does what has the focus; pictures are there before they are shown.
(() => {
  const main = document.getElementById("main"), lost = document.getElementById("lost");
  const parts = (root) => [...root.querySelectorAll("[data-part]")];
  const seconds = () => Number(main.querySelector("[data-again]")?.dataset.again || 0);

  async function take(text) {
    const fresh = document.createElement("div");
    fresh.innerHTML = text;
    await Promise.all([...fresh.querySelectorAll("img")].map((image) => image.decode().catch(() => null)));
    const focus = document.activeElement?.id, marked = [...main.querySelectorAll("input:checked")].map((one) => one.id);
    const old = parts(main), now = parts(fresh);
    if (old.map((one) => one.dataset.part).join() !== now.map((one) => one.dataset.part).join()) main.replaceChildren(...fresh.childNodes);
    else now.forEach((one, k) => { if (one.outerHTML !== old[k].outerHTML) old[k].replaceWith(one); });
    for (const id of marked) { const box = document.getElementById(id); if (box) box.checked = true; }
    if (focus && document.activeElement?.id !== focus) document.getElementById(focus)?.focus({ preventScroll: true });
  }

  async function look() {
    if (document.hidden) { document.addEventListener("visibilitychange", look, { once: true }); return; }
    const address = new URL(location.href);
    address.searchParams.set("part", "1");
    address.hash = "";
    try {
      const answer = await fetch(address, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.status);
      await take(await answer.text());
      lost.hidden = true;
    } catch { lost.hidden = false; }
    again();
  }

  function again() {
    if (seconds()) setTimeout(look, 1000 * seconds());
  }

  again();
})();
