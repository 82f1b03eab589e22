"""The first screen in a browser: on a telephone, with the keyboard alone, and printed."""

import asyncio
import base64
import re
import shutil

import pytest

from uqmbd.report import write_overview, write_report
from uqmbd.report.pages import unpacked
from uqmbd.results import Results

from . import made_up_mechanism, pdf
from .browser import Browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="the browser test needs Debian's chromium: apt-get install chromium"),
]
DRAWN = "document.readyState === 'complete' && !!document.querySelector('header .main-svg')"


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setattr("uqmbd.figures.matplotlib_view.save", lambda *_: None)
    result = made_up_mechanism.bounded()
    result.attrs |= {"title": "A crank", "report": {"key": "B.force:max"}}
    return write_report(result, tmp_path)


def seen(page, work, width=1280, height=900, ready=DRAWN):
    async def wait():
        async with Browser(page.parent / "profile") as browser:
            await browser.open(page, ready, width=width, height=height)
            return await work(browser)

    return asyncio.run(wait())


async def press(browser, key, code):
    text = {"text": "\r"} if key == "Enter" else {}
    for kind in ("keyDown", "keyUp"):
        await browser.ask(
            "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **(text if kind == "keyDown" else {})
        )


@pytest.mark.parametrize(("width", "height"), [(1280, 900), (390, 844)])
def test_question_answer_trust_and_figure_are_on_the_first_screen(page, width, height):
    async def work(browser):
        places = "['.question', '.answer', '.judged', 'header .main-svg'].map((one) => document.querySelector(one).getBoundingClientRect())"
        boxes = await browser.run(f"{places}.map((box) => [box.left, box.right, box.top, box.bottom])")
        return boxes, await browser.run("document.documentElement.scrollWidth")

    boxes, wide = seen(page, work, width, height)
    assert wide <= width, "nothing makes the page wider than the window"
    assert all(0 <= left and right <= width for left, right, _, _ in boxes)
    assert boxes[-1][3] <= height, "the whole figure is seen before anything is scrolled"


def test_the_keyboard_reaches_everything(page):
    async def work(browser):
        await press(browser, "Tab", 9)
        first = await browser.run("[document.activeElement.textContent, document.activeElement.getBoundingClientRect().left]")
        outline = await browser.run("getComputedStyle(document.activeElement).outlineStyle")
        for _ in range(14):  # past the buttons of the figure
            if await browser.run("document.activeElement.tagName") == "SUMMARY":
                break
            await press(browser, "Tab", 9)
        await press(browser, "Enter", 13)
        opened = await browser.run("document.querySelector('header details').open")
        await browser.run("document.querySelector('.skip').focus()")
        await press(browser, "Enter", 13)
        await browser.wait_for("location.hash === '#Results'")
        return first, outline, opened

    (text, left), outline, opened = seen(page, work)
    assert text == "To the results" and left >= 0 and outline == "solid" and opened


def test_a_print_has_every_figure_and_what_is_folded(page):
    async def work(browser):
        return base64.b64decode((await browser.ask("Page.printToPDF", printBackground=True))["data"])

    printed = pdf.read(seen(page, work))
    text = page.read_text()
    assert "seenbetween" in printed.words and "walltime" in printed.words, "the small print"
    sources = re.findall(r'<script type="text/plain" data-figure="([^"]+)">(.*?)</script>', text, re.S)
    assert len(sources) == 10 and printed.paths > 40 * len(sources)
    for key, source in sources:
        for label in re.findall(r'"title":\{"text":"([^"]+)"', unpacked(source)):
            assert label.replace(" ", "") in printed.words, (key, label)


def test_the_page_of_several_methods_prints_what_is_folded_without_a_script(tmp_path):
    results = Results({"bounds": made_up_mechanism.bounded(), "counts": made_up_mechanism.counted()})

    async def work(browser):
        return base64.b64decode((await browser.ask("Page.printToPDF", printBackground=True))["data"])

    printed = pdf.read(seen(write_overview(results, tmp_path), work, ready="document.readyState === 'complete'"))
    assert printed.words.count("Alldigits,limitsandevidence") == 2 and "chebyshev,80runs,2failed" in printed.words
