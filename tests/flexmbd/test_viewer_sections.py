"""Sections, drawings and contacts on the page, by pixels."""

import shutil

import numpy as np
import pytest

import flexmbd as fm

from .shown_models import at_start, cut_ball, long_rope, made_up, many, tilting, turning_grains
from .shown_pages import PLACE, ink, looked_at

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("chromium") is None, reason="the browser test needs Debian's chromium: apt-get install chromium"),
]
PRESS = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: KEY, bubbles: true}))"

BOX = "(() => { const { x, y, width, height } = document.getElementById('cut').getBoundingClientRect(); return [x, y, width, height]; })()"
CHOOSE = "(() => { const s = document.getElementById('section'); s.value = 'view'; s.dispatchEvent(new Event('change')); })()"


def blue(picture):
    """Pixels of the ball, cut or not: those that are more blue than red."""
    return (picture[..., 2] - picture[..., 0] > 40.0).sum()


def test_a_section_cuts_a_ball_and_shows_its_hatched_inside(tmp_path):
    """Across the view through the middle it leaves a disc as large as the ball was, evenly lit and hatched; at the ball's back nothing."""

    async def look(seen):
        await seen.run("document.getElementById('cutting').open = true")
        await seen.settled()
        whole = await seen.at(1.0)
        await seen.run(CHOOSE)
        pictures = [whole]
        for share in (1.0, 0.5, 0.0):
            slide = f"const s = document.getElementById('cut'); s.value = {share}; s.dispatchEvent(new Event('input'))"
            await seen.run(f"(() => {{ {slide} }})()")
            await seen.settled()
            pictures.append(await seen.scene())
        return pictures

    whole, before, middle, behind = looked_at(cut_ball().to_html(), tmp_path, look)
    assert blue(whole) > 5000 and blue(behind) == 0
    assert (np.abs(whole - before).sum(axis=2) > 60).sum() < 0.01 * blue(whole)  # at its outline, where its back shows through
    assert blue(middle) == pytest.approx(blue(whole), rel=0.05)
    high, wide = (int(np.median(x)) for x in np.nonzero(np.abs(whole - whole[2, -3]).sum(axis=2) > 60))
    shades = middle[high - 20 : high + 20, wide - 20 : wide + 20].sum(axis=2)
    assert np.ptp(shades) > 100 and np.ptp(whole[high - 3 : high + 3, wide - 3 : wide + 3].sum(axis=2)) < 60


def test_a_section_is_moved_by_keys_and_says_where_it_is(tmp_path):
    async def look(seen):
        await seen.at(1.0)
        told = []
        for key in ("x", "]", "z", "z"):
            await seen.run(PRESS.replace("KEY", repr(key)))
            await seen.settled()
            told.append(await seen.run("[flexmbd.section.way, flexmbd.section.share, document.getElementById('cutat').textContent]"))
        return told, await seen.run("document.getElementById('cutting').open")

    told, opened = looked_at(cut_ball().to_html(), tmp_path, look)
    assert [one[0] for one in told] == ["x", "x", "z", ""] and opened
    assert [one[1] for one in told] == pytest.approx([0.5, 0.52, 0.52, 0.52])
    assert [one[2] for one in told] == ["x = 0 m", "x = 0.02 m", "z = 0.028 m", ""]


def test_on_a_phone_a_section_is_cut_by_a_finger(tmp_path):
    """The list is as high as a finger wants it, and the slider is taken to its end by a touch."""

    async def look(seen):
        await seen.browser.ask("Emulation.setTouchEmulationEnabled", enabled=True)
        await seen.run(PRESS.replace("KEY", "'y'"))
        await seen.settled()
        left, top, width, height = await seen.run(BOX)
        for kind, points in (("touchStart", [{"x": left + 0.9 * width, "y": top + height / 2}]), ("touchEnd", [])):
            await seen.browser.ask("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        await seen.settled()
        return await seen.run("[flexmbd.section.share, document.documentElement.scrollWidth]"), height

    (share, wide), height = looked_at(cut_ball().to_html(), tmp_path, look, width=390, height=800)
    assert share == pytest.approx(0.9, abs=0.06) and wide <= 390 and height >= 36


def test_a_page_begins_from_where_it_is_told_to(tmp_path):
    async def look(seen):
        return await seen.run(
            "[flexmbd.eye.turn, flexmbd.eye.lift, flexmbd.eye.zoom, flexmbd.section.way, document.getElementById('cutat').textContent]"
        )

    view = {"azimuth": 0.5, "elevation": 0.1, "zoom": 1.5, "section": ("y", 0.25)}
    assert looked_at(cut_ball().to_html(view=view), tmp_path, look) == [0.5, 0.1, 1.5, "y", "y = 0.25 m"]


def test_a_drawing_has_no_sections(tmp_path):
    async def look(seen):
        await seen.run(PRESS.replace("KEY", "'x'"))
        return await seen.run("[document.getElementById('cutting').hidden, flexmbd.section.way]")

    assert looked_at(turning_grains().to_html(), tmp_path, look) == [True, ""]


def test_ground_is_hatched_in_a_drawing(tmp_path):
    """Along a line through its box as many stripes as lines 7 pixels apart at 45 degrees."""
    s = fm.System()
    s.body("wheel", mass=1.0, inertia=0.1, position=(0.0, 1.0)).show(fm.Cylinder(radius=0.3, length=0.1))
    s.ground.show(fm.Box(size=(2.0, 0.4, 0.1)))

    async def look(seen):
        picture = await seen.at(0.0)
        return picture, [await seen.run(f"flexmbd.onScreen(flexmbd.eye, [{x}, 0, 0])") for x in (-0.9, 0.9)]

    picture, ((left, y), (right, _)) = looked_at(at_start(s).to_html(), tmp_path, look)
    row = picture[round(y) - 2, round(left) : round(right)].sum(axis=1)
    dark = row < 0.5 * (row.min() + row.max())
    assert (np.diff(dark.astype(int)) == 1).sum() == pytest.approx((right - left) / 9.9, abs=2)


def test_grains_turn_on_the_page(tmp_path):
    """Lying bars stand up by a quarter turn."""

    async def look(seen):
        return await seen.at(0.0), await seen.at(1.0)

    high = [
        np.ptp(np.flatnonzero((picture[..., 0] - picture[..., 1] > 40.0).any(axis=1)))
        for picture in looked_at(turning_grains().to_html(), tmp_path, look)
    ]
    assert high[1] > 5 * high[0] > 0


def test_discs_show_by_a_spoke_how_they_roll(tmp_path):
    """Pixels of the disc's own colour within it: to the right of its centre at first, above it after a quarter turn."""
    s, turn = fm.System(), 0.5 * np.pi * np.linspace(0.0, 1.0, 11)
    s.grains("grains", positions=[(0.0, 0.0)], radius=0.5, mass=1.0)
    rolling = made_up(s, {"grains": np.stack([0.0 * turn, 0.0 * turn, turn], axis=1)}, np.linspace(0.0, 1.0, 11))

    async def look(seen):
        x, y = await seen.run("flexmbd.onScreen(flexmbd.eye, [0, 0, 0])")
        right = (await seen.run("flexmbd.onScreen(flexmbd.eye, [0.25, 0, 0])"))[0] - x
        return [(await seen.at(time)).sum(axis=2) for time in (0.0, 1.0)], round(x), round(y) - 2, round(right)

    (first, later), x, y, half = looked_at(rolling.to_html(), tmp_path, look)
    for picture, spoke, bare in ((first, (y, x + half), (y - half, x)), (later, (y - half, x), (y, x + half))):
        near = [picture[i - 2 : i + 3, j - 2 : j + 3].min() for i, j in (spoke, bare)]
        assert near[0] < near[1] - 100


def test_a_journal_in_space_is_drawn_aslant_in_its_bearing(tmp_path):
    """Its red is seen, and by the factor of 10 it is off the upright by 40 mrad: over its height by as many pixels."""

    async def look(seen):
        await seen.run("Object.assign(flexmbd.eye, { lift: 0, turn: -Math.PI / 2 }); flexmbd.eye.fit()")
        return await seen.at(0.0)

    picture = looked_at(at_start(tilting()).to_html(play=10.0), tmp_path, look)
    red = (picture[..., 0] - picture[..., 2] > 40.0) & (picture[..., 0] - picture[..., 1] > 40.0)
    rows = np.flatnonzero(red.sum(axis=1) > 20)
    top, low = (np.flatnonzero(red[row]).mean() for row in (rows[20], rows[-20]))
    assert len(rows) > 200 and (top - low) / (rows[-20] - rows[20]) == pytest.approx(0.04, abs=0.015)


def test_without_webgl_a_real_browser_shows_the_still_picture(tmp_path):
    async def look(seen):
        return await seen.scene(), await seen.run("document.querySelector('.still p').innerText")

    blind = "--disable-3d-apis", "--disable-gpu"
    ready = "document.documentElement?.dataset.drawn === 'still'"
    picture, told = looked_at(cut_ball().to_html(), tmp_path, look, ready=ready, switches=blind)
    assert told.startswith("This browser shows no WebGL 2") and ink(picture).sum() > 300


def test_names_that_would_be_script_are_shown_as_text(tmp_path):
    """In the list of bodies, in the notes, as the label under the pointer and as the title; none of it is run."""
    evil, heading = '<img\tsrc=x\tonerror="window.hit=1">', "</script></title><script>window.hit = 1</script>"
    s = fm.System(gravity=(0.0, -9.81))
    s.body(evil, mass=1.0, inertia=0.1).show(fm.Box(size=(0.2, 0.1, 0.1)))

    async def look(seen):
        left, top, wide, high = await seen.run(PLACE)
        x, y = await seen.run("flexmbd.onScreen(flexmbd.eye, [0, 0, 0])")
        await seen.browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=left + x, y=top + y)
        await seen.settled()
        words = "[window.hit, document.title, document.getElementById('name').textContent, document.querySelectorAll('img').length]"
        return await seen.run(words), await seen.run("[...document.querySelectorAll('#bodies label')].map((one) => one.textContent)")

    (hit, title, name, images), labels = looked_at(at_start(s).to_html(title=heading), tmp_path, look)
    assert hit is None and images == 0 and title == heading and name == evil and evil in labels


@pytest.mark.parametrize("make, size", [(many, 2.0), (long_rope, 1.0)])
def test_a_mechanism_of_five_thousand_is_drawn_and_says_what_is_left_out(make, size, tmp_path):
    """5,000 bodies and 5,000 elements of a cable; the page stays below so many MB."""
    text = make(5000).to_html()

    async def look(seen):
        return await seen.at(0.5), await seen.run("document.querySelector('footer ul').textContent")

    picture, notes = looked_at(text, tmp_path, look)
    assert ink(picture).sum() > 1000 and " are drawn" in notes and len(text) < 1e6 * size


def film_of(path):
    """Pictures (height, width, 3) of a film, and how long each is seen, ms."""
    from PIL import Image

    with Image.open(path) as film:
        found = []
        for k in range(film.n_frames):
            film.seek(k)
            found.append((np.asarray(film.convert("RGB"), float), film.info["duration"]))
    return found


def test_a_film_shows_what_the_page_shows(tmp_path):
    """Of the falling ball the middle of its red moves as the ball does, and the picture of a time is that of the film."""
    falling = cut_ball()
    fm.show(falling, tmp_path / "ball.gif", seconds=1.0, fps=10, size=(320, 240))
    fm.show(falling, tmp_path / "ball.png", time=1.0, size=(320, 240))
    film = film_of(tmp_path / "ball.gif")
    assert [time for _, time in film] == [100] * 10 and film[0][0].shape == (240, 320, 3)
    heights = [np.nonzero(picture[..., 2] - picture[..., 0] > 40.0)[0].mean() for picture, _ in film]
    assert np.all(np.diff(heights) > 1.0) and np.allclose(np.diff(heights), np.mean(np.diff(heights)), atol=1.5)
    still = picture_of(tmp_path / "ball.png")
    height = np.nonzero(still[..., 2] - still[..., 0] > 40.0)[0].mean()
    assert height == pytest.approx(0.5 * (heights[4] + heights[5]), abs=2.0)


def picture_of(path):
    """A picture, (height, width, 3)."""
    from PIL import Image

    return np.asarray(Image.open(path).convert("RGB"), float)


def test_a_picture_for_print_has_twice_the_pixels(tmp_path):
    """Of the same scene, lines twice as wide: what has ink is four times as much."""
    plain, fine = (picture_of(fm.show(turning_grains(), tmp_path / "a.png", scale=scale, size=(320, 240)).path) for scale in (1, 2))
    assert plain.shape == (240, 320, 3) and fine.shape == (480, 640, 3)
    assert ink(fine).sum() == pytest.approx(4 * ink(plain).sum(), rel=0.05)


def test_a_picture_may_be_dark(tmp_path):
    pictures = []
    for dark in (False, True):
        viewer = fm.show(cut_ball(), tmp_path / "ball.png", dark=dark, size=(320, 240))
        pictures.append(picture_of(viewer.path))
    assert np.all(pictures[0][2, -3] == 255) and np.all(pictures[1][2, -3] < 40)
