"""Pages of motions in a browser, drawn by software: what is on the screen changes as the motion does, and nothing is said or asked."""

import shutil

import numpy as np
import pytest

import flexmbd as fm

from .shown_models import SHAPES, crank, rope, shapes
from .shown_pages import BLIND, PLACE, STILL, ink, looked_at

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="the browser test needs Debian's chromium: apt-get install chromium"),
]


@pytest.fixture(scope="module")
def cranked():
    """Two samples of a slider-crank with play."""
    return fm.run(crank, {"clearance": [1e-3, 2e-4]}, end=0.05, points=101, outputs=["B.fx", "B.fy"], poses=True)


@pytest.fixture(scope="module")
def hung():
    """A rope with a load, in space."""
    return fm.run(rope(), end=0.4, points=41, outputs=[], poses=True)


def test_a_crank_is_drawn_and_moves_with_the_slider(cranked, tmp_path):
    async def look(seen):
        first, later = await seen.at(0.0), await seen.at(0.02)
        move = "const s = document.getElementById('time'); s.value = 0.02; s.dispatchEvent(new Event('input')); flexmbd.paint(); null"
        await seen.at(0.0)
        await seen.run(f"(() => {{ {move} }})()")
        await seen.settled()
        return first, later, await seen.scene(), await seen.run("document.getElementById('clock').textContent")

    first, later, slid, clock = looked_at(cranked.to_html(samples=[0], title="crank"), tmp_path, look)
    assert 2000 < ink(first).sum() < 0.2 * ink(first).size
    moved = np.abs(first - later).sum(axis=2) > 60
    assert moved.sum() > 1500 and np.array_equal(slid, later) and clock.startswith("0.020")
    rows = np.flatnonzero(ink(first).any(axis=0))
    assert len(rows) > 400, "the mechanism fills the width"


def test_play_moves_it_and_keys_of_the_keyboard_too(cranked, tmp_path):
    press = "dispatchEvent(new KeyboardEvent('keydown', {key: KEY, bubbles: true}))"

    async def look(seen):
        before = await seen.at(0.0)
        await seen.run("document.getElementById('play').click()")
        await seen.browser.wait_for("flexmbd.player.time > 0.003")
        await seen.run("document.getElementById('play').click()")
        await seen.settled()
        times = []
        for key in ("End", "ArrowLeft", "Home", "ArrowRight", " "):
            await seen.run(f"document.body.{press.replace('KEY', repr(key))}")
            times.append(await seen.run("flexmbd.player.time"))
        return before, await seen.scene(), times, await seen.run("flexmbd.player.playing")

    before, after, times, playing = looked_at(cranked.to_html(), tmp_path, look)
    assert (np.abs(before - after).sum(axis=2) > 60).sum() > 500
    assert times == pytest.approx([0.05, 0.05 - 0.05 / 200, 0.0, 0.05 / 200, 0.05 / 200], rel=1e-6, abs=1e-9) and playing


def test_ghosts_are_fainter_and_samples_may_stand_beside_each_other(cranked, tmp_path):
    async def look(seen):
        return await seen.at(0.031)

    ways = {"samples": 0}, {"samples": [0, 1]}, {"samples": [0, 1], "beside": True}
    one, both, beside = (looked_at(cranked.to_html(**how), tmp_path, look) for how in ways)
    assert (np.abs(one - both).sum(axis=2) > 20).sum() > 50
    left, right = np.array_split(ink(beside), 2, axis=1)
    assert not np.array_equal(beside, one) and left.sum() > 500 < right.sum()


def test_a_rope_in_space_turns_with_the_mouse_and_nears_with_the_wheel(hung, tmp_path):
    async def look(seen):
        first = await seen.at(0.2)
        await seen.browser.drag((500, 300), (620, 330))
        await seen.settled()
        turned = await seen.scene()
        await seen.browser.ask("Input.dispatchMouseEvent", type="mouseWheel", x=500, y=300, deltaX=0, deltaY=-400)
        await seen.browser.wait_for("flexmbd.eye.zoom > 1.2")
        await seen.settled()
        return first, turned, await seen.scene(), await seen.run("flexmbd.eye.turn")

    first, turned, near, angle = looked_at(hung.to_html(), tmp_path, look)
    assert ink(first).sum() > 500 and (np.abs(first - turned).sum(axis=2) > 60).sum() > 300
    assert (np.abs(turned - near).sum(axis=2) > 60).sum() > 300 and angle == pytest.approx(-1.05 - 0.008 * 120, abs=1e-6)


@pytest.mark.parametrize("dimension", [2, 3])
def test_every_shape_is_drawn_in_its_colour(dimension, tmp_path):
    """Pixels of the direction of the colour: of each shape many, and none after its body is hidden."""

    async def look(seen):
        before = await seen.at(0.4)
        await seen.run("document.querySelector('#bodies input').click()")
        await seen.settled()
        return before, await seen.scene()

    seen, less = looked_at(shapes(dimension).to_html(), tmp_path, look)
    for k, color in enumerate(SHAPES):
        wanted = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], float)
        both = [alike(picture, wanted).sum() for picture in (seen, less)]
        assert both[0] > 150 and both[1] == (0 if k == 0 else both[0]), color


def alike(picture, color):
    """Where the picture has the hue of a colour: grey taken away, and the rest by its size."""
    away, own = (x - x.mean(axis=-1, keepdims=True) for x in (picture, color))
    size = np.linalg.norm(away, axis=-1)
    return (size > 25.0) & (away @ own > 0.985 * size * np.linalg.norm(own))


def test_it_is_dark_by_the_button(cranked, tmp_path):
    async def look(seen):
        light = await seen.at(0.01)
        await seen.run("for (const _ of [1, 2]) document.getElementById('theme').click()")
        await seen.settled()
        return light, await seen.scene(), await seen.run("document.getElementById('theme').textContent")

    light, dark, word = looked_at(cranked.to_html(), tmp_path, look)
    assert np.all(light[2, -3] == 255) and np.all(dark[2, -3] < 40) and word == "colours: dark"
    assert ink(dark).sum() > 2000


def test_it_is_dark_where_the_reader_s_system_is(cranked, tmp_path):
    async def look(seen):
        light = await seen.at(0.01)
        await seen.browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        await seen.settled()
        return light, await seen.scene()

    light, dark = looked_at(cranked.to_html(), tmp_path, look)
    assert np.all(light[2, -3] == 255) and np.all(dark[2, -3] < 40)


def test_two_fingers_bring_it_nearer_and_one_moves_a_drawing(cranked, tmp_path):
    async def touch(seen, kind, *places):
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        await seen.browser.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    async def look(seen):
        await seen.browser.ask("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        await touch(seen, "touchStart", (180, 300), (220, 300))
        for half in (30, 40, 60):
            await touch(seen, "touchMove", (200 - half, 300), (200 + half, 300))
        await touch(seen, "touchEnd")
        zoom, before = await seen.run("flexmbd.eye.zoom"), await seen.run("flexmbd.eye.target[0] / flexmbd.eye.pixel")
        await touch(seen, "touchStart", (200, 300))
        for x in (190, 170, 150):
            await touch(seen, "touchMove", (x, 300))
        await touch(seen, "touchEnd")
        return zoom, await seen.run("flexmbd.eye.target[0] / flexmbd.eye.pixel") - before

    zoom, moved = looked_at(cranked.to_html(), tmp_path, look, width=390, height=800)
    assert zoom == pytest.approx(3.0, rel=0.4) and moved == pytest.approx(50.0, abs=25.0)


def test_the_name_of_a_body_is_told_under_the_pointer(cranked, tmp_path):
    """At the middle of the rod, where the screen has it; nothing beside it."""
    rod = cranked.of_sample(0).poses("rod").position[40]

    async def look(seen):
        await seen.at(cranked.time[40])
        x, y = await seen.run(f"flexmbd.onScreen(flexmbd.eye, {rod.tolist()})")
        left, top, *_ = await seen.run(PLACE)
        words = []
        for place in ((left + x, top + y), (left + 300, top + 8)):
            await seen.browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
            await seen.settled()
            words.append(await seen.run("document.getElementById('name').hidden ? null : document.getElementById('name').textContent"))
        return words

    assert looked_at(cranked.to_html(samples=0), tmp_path, look) == ["rod", None]


@pytest.mark.parametrize("which", ["rod.B", "rope.end"])
def test_between_keys_points_are_where_the_run_has_them(which, cranked, hung, tmp_path):
    """What the page's own script makes of keys, at all times of the run, within two errors that are allowed (1/2500 of the size)."""
    run = cranked.of_sample(0) if which == "rod.B" else hung
    viewer = fm.Viewer(run, trails=[which])
    script = f"""(() => {{ const run = flexmbd.picture.runs[0], end = run.said.trails[0];
      return {run.time.tolist()}.map((time) => {{ run.seek(time); return run.place(end); }}); }})()"""

    async def look(seen):
        await seen.run("flexmbd.player.play(false)")
        return np.array(await seen.run(script))

    found = looked_at(viewer.to_html(), tmp_path, look)
    wanted = rod_end(run) if which == "rod.B" else run.centre_line("rope", 1).position[:, -1]
    assert np.abs(found - wanted).max() < 2.0 / 2500 * viewer.scene.size


def rod_end(run):
    """Places of the rod's end, (times, 3)."""
    rod = run.poses("rod")
    return rod.position + rod.rotation @ np.array(run.bodies["rod"].seats["B"] + (0.0,))


def test_a_phone_shows_all_of_it(cranked, tmp_path):
    async def look(seen):
        picture = await seen.at(0.01)
        seen_ones = "[...document.querySelectorAll('button, select')].filter((one) => one.checkVisibility())"
        boxes = f"{seen_ones}.map((one) => one.getBoundingClientRect())"
        right = await seen.run(f"[document.documentElement.scrollWidth, ...{boxes}.map((box) => box.right)]")
        return picture, right, await seen.run(f"Math.min(...{boxes}.map((box) => box.height))")

    picture, wide, high = looked_at(cranked.to_html(), tmp_path, look, width=390, height=800)
    assert max(wide) <= 390 and high >= 36
    columns = np.flatnonzero(ink(picture).any(axis=0))
    assert columns[-1] - columns[0] > 250 and columns[0] > 0 and columns[-1] < 389


def test_every_control_has_a_name(cranked, tmp_path):
    async def look(seen):
        return await seen.run(
            "[...document.querySelectorAll('button, input, select, canvas')].filter((one) => !(one.ariaLabel || one.textContent.trim()"
            " || one.closest('label')?.textContent)).map((one) => one.outerHTML)"
        )

    assert looked_at(cranked.to_html(), tmp_path, look) == []


def test_a_notebook_shows_it_below_the_cell(cranked, tmp_path):
    """Paused, and with the scene drawn in the frame."""
    cell = f"<!doctype html><html><head></head><body>{fm.show(cranked, tmp_path / 'x.html', browser=False)._repr_html_()}</body></html>"
    inner = "document.querySelector('iframe')?.contentDocument?.documentElement"

    async def look(seen):
        await seen.settled()
        return await seen.browser.picture(), await seen.run(f"{inner}.querySelector('#play').textContent")

    picture, word = looked_at(cell, tmp_path, look, ready=f"{inner}?.dataset.drawn === 'webgl'")
    assert ink(picture[100:400]).sum() > 1500 and word == "▶ play"


def test_a_browser_without_webgl_has_a_picture_and_a_sentence(cranked, tmp_path):
    async def look(seen):
        lines = await seen.run("document.querySelectorAll('.still svg polyline').length")
        play = await seen.run("document.getElementById('play').getBoundingClientRect().width")
        return await seen.scene(), lines, play, await seen.run("document.querySelector('.still p').innerText")

    picture, lines, play, told = looked_at(cranked.to_html(), tmp_path, look, head=BLIND, ready=STILL)
    assert told.startswith("This browser shows no WebGL 2") and lines > 4 and play == 0 and ink(picture).sum() > 1500
