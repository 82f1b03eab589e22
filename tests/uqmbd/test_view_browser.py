"""`uqmbd view` in a browser: a study is started, watched, stopped and gone on with, two are compared, and a report is opened."""

import asyncio
import shutil
import subprocess
import sys
from contextlib import suppress

import pytest

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")

from .browser import Browser
from .web_pages import CHANGES, SLOW

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="the browser test needs Debian's chromium: apt-get install chromium"),
]
LISTEN = """(() => {
  const added = (said, text) => (said || "") + text + "\\n";
  const keep = (text) => {
    try { sessionStorage.said = added(sessionStorage.said, text); } catch { window.said = added(window.said, text); }
  };
  for (const kind of ["error", "warn"]) console[kind] = (...words) => keep(words.join(" "));
  addEventListener("error", (event) => keep(event.message || "a file could not be loaded"), true);
  addEventListener("unhandledrejection", (event) => keep(String(event.reason)));
  addEventListener("securitypolicyviolation", (event) => keep("policy: " + event.violatedDirective));
})()"""
TEXT = "document.getElementById('main')?.innerText || ''"
CONTRASTS = """(() => {
  const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => numbers(color).slice(0, 3).reduce((sum, v, k) => sum + [0.2126, 0.7152, 0.0722][k] * channel(v), 0);
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (!(numbers(color)[3] === 0)) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const own = (one) => one.getClientRects().length && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...document.body.querySelectorAll("*")].filter(own).map((one) => {
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x);
    return [one.tagName, one.className, one.textContent.slice(0, 30), (a + 0.05) / (b + 0.05)];
  });
})()"""
NUMBER = "Number((document.getElementById('runs')?.textContent || '0').replaceAll(',', ''))"


@pytest.fixture
def server(write_study, tmp_path, monkeypatch):
    """The command, with two studies that can be started, whose runs are slow until there is a file ``quick``; its address."""
    monkeypatch.setenv("QUICK", str(tmp_path / "quick"))
    monkeypatch.setenv("SECONDS_OF_A_RUN", "0.3")
    few = (*CHANGES, ("workers = 0", "workers = 0\nbatch = 2"))
    write_study(*few, ("samples = 40", "samples = 12"), ('name = "osc"', 'name = "short"'), model=SLOW, name="short.toml")
    write_study(*few, ("samples = 40", "samples = 160"), model=SLOW)
    command = [sys.executable, "-P", "-m", "uqmbd.cli", "view", "--studies", "."]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    yield process.stdout.readline().split()[-1]
    process.terminate()
    said = process.communicate(timeout=30)[1]
    assert said == "", said


class Page:
    """What a reader does."""

    def __init__(self, browser, address):
        self.browser, self.place = browser, address.partition("/?")[0]

    async def go(self, path):
        await self.browser.ask("Page.navigate", url=path if path.startswith("http") else f"{self.place}{path}")

    async def shows(self, *words):
        for word in words:
            await self.until(f"({TEXT}).includes({word!r})")

    async def until(self, script):
        """As `Browser.wait_for`, and longer: a command starts, runs and writes its report."""
        for _ in range(3):
            with suppress(AssertionError):
                return await self.browser.wait_for(script)
        await self.browser.wait_for(script)

    async def press(self, name):
        place = f"document.getElementById({name!r})"
        await self.browser.wait_for(f"!!{place}")
        await self.browser.run(f"{place}.click()")

    async def beyond(self, number):
        await self.until(f"{NUMBER} > {number}")
        return await self.browser.run(NUMBER)


async def started_watched_stopped_and_resumed(page, quick):
    await page.go("/studies")
    await page.press("start-study.toml")
    first = await page.beyond(0)
    picture = await page.browser.run("document.querySelector('figure img').currentSrc")
    later = await page.beyond(first + 4)
    await page.browser.wait_for(f"document.querySelector('figure img').currentSrc !== {picture!r}")
    await page.shows("of 160 runs", "So far", "Last seen at")
    await page.press("stop")
    await page.shows("interrupted", "It does not run.")
    stopped = await page.browser.run(NUMBER)
    assert first < later <= stopped < 160
    quick.touch()
    await page.press("resume")
    await page.shows("finished")
    assert await page.browser.run(NUMBER) == 160


async def compared(page):
    await page.go("/studies")
    await page.press("start-short.toml")
    await page.shows("finished")
    await page.go("/")
    await page.press("of-osc")
    await page.press("of-short")
    await page.press("compare")
    await page.shows("method.samples: 12 -> 160", "numbers differ", "study.name: short -> osc")


async def opened(page):
    await page.go("/of/osc")
    await page.press("report")
    await page.until("document.querySelectorAll('.js-plotly-plot .main-svg').length > 0")
    said = await page.browser.run("window.said || ''")
    assert [line for line in said.splitlines() if "WebGL" not in line] == []  # drawn by software here
    assert await page.browser.run("self.origin") == "null"
    tried = "(async () => { try { await fetch('/'); return 'read'; } catch { return 'refused'; } })()"
    assert await page.browser.run(tried) == "refused"
    assert await page.browser.run("(() => { try { return document.cookie; } catch { return 'refused'; } })()") == "refused"
    await page.browser.run("history.back()")
    await page.shows("finished")


def test_a_study_from_its_start_to_its_report(server, tmp_path):
    async def seen():
        async with Browser(tmp_path / "profile") as browser:
            page = Page(browser, server)
            await browser.ask("Page.enable")
            await browser.ask("Page.addScriptToEvaluateOnNewDocument", source=LISTEN)
            await browser.ask("Emulation.setDeviceMetricsOverride", width=1280, height=900, deviceScaleFactor=1, mobile=False)
            await page.go(server)
            await page.shows("There are no results here yet")
            assert await browser.run("location.search") == "", "the token does not stay in the address"
            await started_watched_stopped_and_resumed(page, tmp_path / "quick")
            await compared(page)
            said = await browser.run("sessionStorage.said || ''")
            await opened(page)
            return said

    assert asyncio.run(seen()) == ""


def test_the_list_is_read_by_keyboard_and_fits_a_telephone(server, uqmbd, tmp_path):
    """The first Tab leads to the content, nothing is wider than the screen, and text has the contrast of WCAG 2.1 AA."""
    (tmp_path / "quick").touch()
    assert uqmbd("run", tmp_path / "short.toml")[0] == 0

    async def seen():
        async with Browser(tmp_path / "profile") as browser:
            page = Page(browser, server)
            await browser.ask("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=False)
            await page.go(server)
            wide, found = [], []
            for path in ("/", "/studies", "/of/short", "/compare?of=short&of=short"):
                await page.go(path)
                await browser.wait_for("document.readyState === 'complete'")
                wide.append(await browser.run("document.documentElement.scrollWidth"))
                for theme in ("light", "dark"):
                    await browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
                    found += await browser.run(CONTRASTS)
                await browser.ask("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
                assert await browser.run("document.activeElement.className") == "skip"
            return wide, found

    wide, found = asyncio.run(seen())
    assert max(wide) <= 390 and len(found) > 100 and [one for one in found if one[3] < 4.5] == []
