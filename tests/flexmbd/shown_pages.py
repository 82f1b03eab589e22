"""A page of a motion, open in a browser that draws by software, to be looked at."""

import asyncio

import numpy as np

from ..uqmbd.browser import Browser

LISTEN = """<head><script>
window.said = [];
for (const kind of ["error", "warn"]) console[kind] = (...words) => window.said.push(words.join(" "));
addEventListener("error", (event) => window.said.push(event.message));
addEventListener("securitypolicyviolation", (event) => window.said.push(event.violatedDirective));
</script>"""
BLIND = "<head><script>HTMLCanvasElement.prototype.getContext = () => null;</script>"
DRAWN = "document.documentElement?.dataset.drawn === 'webgl' && Number(document.documentElement.dataset.frames) > 1"
STILL = "document.documentElement?.dataset.drawn === 'still'"
PLACE = "(() => { const box = document.querySelector('main').getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; })()"


class Seen:
    """A page that is open: a still picture at a time, and what the page said."""

    def __init__(self, browser):
        self.browser = browser

    async def at(self, time):
        await self.run(f"flexmbd.player.play(false); flexmbd.player.go({time}); flexmbd.paint(); null")
        return await self.scene()

    async def settled(self):
        """Two pictures of the browser later: what was asked for is drawn."""
        await self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))")

    async def scene(self):
        """Pixels of the scene within its border, (height, width, 3)."""
        await self.settled()
        x, y, width, height = (round(v) for v in await self.run(PLACE))
        return (await self.browser.picture())[y + 2 : y + height - 2, x : x + width]

    async def run(self, script):
        return await self.browser.run(script)


def looked_at(text, tmp_path, look, *, width=1000, height=700, head=LISTEN, ready=DRAWN, switches=()):
    """What `look(seen)` returns of a page, which says nothing and asks for nothing; the browser is started with more switches."""
    page = tmp_path / "page.html"
    page.write_text(text.replace("<head>", head, 1), encoding="utf-8")

    async def opened():
        async with Browser(tmp_path / f"profile{len(list(tmp_path.iterdir()))}", *switches) as browser:
            await browser.open(page, ready, width=width, height=height)
            found = await look(Seen(browser))
            said = await browser.run("window.said || []")
            asked = await browser.run("performance.getEntriesByType('resource').map((one) => one.name)")
            return found, said, asked

    found, said, asked = asyncio.run(opened())
    assert said == [] and asked == []
    return found


def ink(picture):
    """Where it differs from its corner's colour, by more than the eye overlooks."""
    return np.abs(picture - picture[2, -3]).sum(axis=2) > 60
