"""The scene of a report in a browser, drawn by software: other runs are other pictures, and a click on a bound shows its run."""

import asyncio
import shutil

import numpy as np
import pytest

from uqmbd.report import write_report
from uqmbd.study import motions
from uqmbd.study.motions import keep_motion
from uqmbd.study.session import run_study

from .browser import Browser
from .moving_study import study_in

pytestmark = [
    pytest.mark.slow,
    pytest.mark.report,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="the browser test needs Debian's chromium: apt-get install chromium"),
]
LISTEN = """<head><script>
window.said = [];
for (const kind of ["error", "warn"]) console[kind] = (...words) => window.said.push(words.join(" "));
addEventListener("error", (event) => window.said.push(event.message));
addEventListener("securitypolicyviolation", (event) => window.said.push(event.violatedDirective));
addEventListener("unhandledrejection", (event) => window.said.push(String(event.reason)));
</script>"""
BLIND = "<head><script>HTMLCanvasElement.prototype.getContext = () => null;</script>"
READY = "!!window.flexmbd && !!flexmbd.cases && Number(document.getElementById('motion-page').dataset.frames) > 0"
SEEN = "(({ x, y, width, height }) => [x, y, width, height])(document.querySelector('.motion .seen').getBoundingClientRect())"
CENTRE = "document.querySelector('.motion .seen').scrollIntoView({ block: 'center', behavior: 'instant' })"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The report of a pendulum."""
    folder = tmp_path_factory.mktemp("swing")
    found = run_study(study_in(folder), out=folder / "r", progress=False)
    with pytest.MonkeyPatch.context() as patient:
        patient.setattr(motions, "SECONDS", 120.0)  # a machine that does much else
        keep_motion(found)
    return write_report(found.result, folder / "r", pictures=False)


def looked_at(page, tmp_path, look, *, width=1280, height=900, head=LISTEN, ready=READY):
    """What `look(browser)` returns of the page, which says nothing and asks for nothing."""
    own = tmp_path / "page.html"
    own.write_text(page.read_text(encoding="utf-8").replace("<head>", head, 1), encoding="utf-8")

    async def opened():
        async with Browser(tmp_path / "profile") as browser:
            await browser.open(own, ready, width=width, height=height)
            found = await look(browser)
            said = await browser.run("window.said || []")
            return found, said, await browser.run("performance.getEntriesByType('resource').map((one) => one.name)")

    found, said, asked = asyncio.run(opened())
    assert [line for line in said if "GPU stall" not in line] == [] and asked == []
    return found


async def scene(browser):
    """Pixels of the scene within its border, (height, width, 3)."""
    await browser.run(CENTRE)
    await browser.run("flexmbd.paint(); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))")
    x, y, width, height = (round(v) for v in await browser.run(SEEN))
    return (await browser.picture())[y + 2 : y + height - 2, x + 2 : x + width - 2]


def differ(a, b):
    """How many pixels are other ones."""
    return int((np.abs(a - b).sum(axis=2) > 40).sum())


def test_the_worst_run_is_another_picture_with_the_nominal_one_behind_and_the_region_is_drawn(page, tmp_path):
    async def look(browser):
        opened = await browser.run("[flexmbd.cases.chosen, document.getElementById('motion-case').value, flexmbd.player.playing]")
        assert opened == [1, "1", False], "the run of the key output's bound"
        await browser.run("flexmbd.cases.show(0, 0.3)")
        nominal = await scene(browser)
        words = [await browser.run("document.getElementById('motion-told').textContent")]
        choose = "const one = document.getElementById('motion-case'); one.value = 1; one.dispatchEvent(new Event('change'));"
        await browser.run(f"(() => {{ {choose} flexmbd.player.go(0.3); }})()")
        worst = await scene(browser)
        words.append(await browser.run("document.getElementById('motion-told').textContent"))
        await browser.run("document.getElementById('motion-envelope').click()")
        return nominal, worst, await scene(browser), words

    nominal, worst, bare, words = looked_at(page, tmp_path, look)
    assert differ(nominal, worst) > 500 and differ(worst, bare) > 2000
    assert words[0].startswith("The nominal run") and "reached the highest" in words[1]


async def pressed(browser, name, across, up, done):
    """What is said after a click in a figure, at shares of its width and height; time of the scene, and which run."""
    place = f"document.getElementById('{name}')"
    await browser.run(f"{place}.closest('details')?.setAttribute('open', '')")
    await browser.run(f"{place}.scrollIntoView({{ block: 'center', behavior: 'instant' }})")
    await browser.wait_for(f"{place}.on && !!{place}.querySelector('.nsewdrag')")
    await asyncio.sleep(0.3)
    box = f"{place}.querySelector('.nsewdrag').getBoundingClientRect()"
    x, y = await browser.run(f"(() => {{ const b = {box}; return [b.x + {across} * b.width, b.y + {up} * b.height]; }})()")
    held = {"button": "left", "clickCount": 1}
    await browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    await asyncio.sleep(0.2)
    await browser.ask("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, **held)
    await browser.ask("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, **held)
    await browser.wait_for(done)
    found = await browser.run("[document.getElementById('motion-told').textContent, flexmbd.player.time, flexmbd.cases.chosen]")
    await browser.run("flexmbd.cases.show(0, 0)")
    return found


CALM = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}  # nothing scrolls smoothly


def test_a_click_on_a_bound_of_a_history_shows_the_run_that_reached_it_at_its_time(page, tmp_path):
    async def look(browser):
        await browser.ask("Emulation.setEmulatedMedia", **CALM)
        return [await pressed(browser, "bob.angle", 0.5, up, "flexmbd.player.time > 0.2") for up in (0.05, 0.95)]

    (high, when, upper), (low, _, lower) = looked_at(page, tmp_path, look)
    assert high.startswith("You see the run of the highest bob.angle at 0.25 s. The run with ") and when == pytest.approx(0.25, abs=1e-6)
    assert low.startswith("You see the run of the lowest bob.angle at 0.25 s.") and upper != lower


def test_a_click_on_a_bound_of_a_number_shows_its_run(page, tmp_path):
    async def look(browser):
        await browser.ask("Emulation.setEmulatedMedia", **CALM)
        await browser.run("flexmbd.cases.show(0, 0)")
        return [await pressed(browser, "bob.angle_max.answer", across, 0.5, "flexmbd.cases.chosen > 0") for across in (0.1, 0.9)]

    (low, _, lower), (high, _, upper) = looked_at(page, tmp_path, look)
    assert "the lowest bob.angle:max" in low and "the highest bob.angle:max" in high and upper != lower


def test_a_button_in_the_table_of_bounds_does_so_by_the_keyboard(page, tmp_path):
    async def look(browser):
        await browser.run("flexmbd.cases.show(0); document.querySelector('button.see').focus()")
        for kind in ("keyDown", "keyUp"):
            await browser.ask("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")
        await browser.wait_for("flexmbd.cases.chosen > 0")
        label = await browser.run("document.querySelector('button.see').getAttribute('aria-label')")
        return label, await browser.run("document.getElementById('motion-told').textContent")

    label, told = looked_at(page, tmp_path, look)
    assert label == "see the run of the lowest bob.angle:max" and told.startswith("You see the run of the lowest bob.angle:max.")


def test_nothing_plays_by_itself_and_keys_of_the_page_stay_its_own(page, tmp_path):
    async def look(browser):
        press = "(to) => to.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true, cancelable: true }))"
        still = await browser.run("flexmbd.player.playing")
        free = await browser.run(f"({press})(document.body)")
        taken = await browser.run(f"({press})(document.getElementById('motion-view'))")
        await browser.run("flexmbd.player.go(0); document.getElementById('motion-play').click()")
        await browser.wait_for("flexmbd.player.time > 0.05")
        return still, free, taken

    assert looked_at(page, tmp_path, look) == (False, True, False)


def test_it_is_dark_with_the_page_and_fits_a_phone(page, tmp_path):
    async def look(browser):
        light = await scene(browser)
        await browser.run("for (const _ of [1, 2]) document.getElementById('theme').click()")
        dark = await scene(browser)
        return light, dark, await browser.run("document.documentElement.scrollWidth")

    light, dark, wide = looked_at(page, tmp_path, look, width=390, height=800)
    assert light[4, -5].min() > 240 and dark[4, -5].max() < 60 and wide <= 390


def test_paper_has_a_still_picture(page, tmp_path):
    async def look(browser):
        await browser.ask("Emulation.setEmulatedMedia", media="print")
        await browser.run(CENTRE)
        shown = await browser.run(
            "['.still svg', 'canvas', '.controls'].map((one) => document.querySelector('.motion ' + one).getClientRects().length)"
        )
        x, y, width, height = (round(v) for v in await browser.run(SEEN))
        picture = (await browser.picture())[y + 2 : y + height - 2, x + 2 : x + width - 2]
        data = (await browser.ask("Page.printToPDF"))["data"]
        return shown, picture, data

    shown, picture, data = looked_at(page, tmp_path, look)
    assert shown == [1, 0, 0] and len(data) > 10_000
    assert (np.abs(picture - (59, 125, 216)).sum(axis=2) < 60).sum() > 100, "the pendulum, in its colour"


def test_without_webgl_there_is_a_still_picture_and_a_sentence(page, tmp_path):
    async def look(browser):
        await asyncio.sleep(1.0)
        parts = "['.still svg', '.sorry', 'canvas']"
        return await browser.run(f"{parts}.map((one) => document.querySelector('.motion ' + one).getClientRects().length > 0)")

    found = looked_at(
        page, tmp_path, look, head=BLIND, ready="!!window.uqmbd && document.getElementById('motion-page').dataset.drawn === 'still'"
    )
    assert found == [True, True, False]
