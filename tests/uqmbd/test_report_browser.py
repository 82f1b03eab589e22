"""The page in a browser: it draws, follows the theme, and a drag marks runs."""

import asyncio
import shutil

import numpy as np
import pytest
import xarray as xr

from uqmbd.figures.colors import DARK, LIGHT, rgb
from uqmbd.report import write_report

from . import made_up_journal, made_up_results
from .browser import Browser

IN_A_BROWSER = pytest.mark.skipif(
    shutil.which("chromium") is None, reason="the browser test needs Debian's chromium: apt-get install chromium"
)


LISTEN = """<head><script>
window.said = [];
for (const kind of ["error", "warn"]) console[kind] = (...words) => window.said.push(words.join(" "));
addEventListener("error", (event) => window.said.push(event.message));
addEventListener("unhandledrejection", (event) => window.said.push(String(event.reason)));
</script>"""


@pytest.mark.slow
@IN_A_BROWSER
@pytest.mark.parametrize("case", ["bounded", "counted"])
def test_page_in_a_browser(case, request, tmp_path):
    page = write_report(request.getfixturevalue(case), tmp_path)
    figures = len(list((tmp_path / "figures").glob("*.png")))
    text = page.read_text().replace("<head>", LISTEN, 1)
    page.write_text(text.replace("</body>", "<script>window.uqmbd.all()</script></body>"))

    async def seen():
        async with Browser(tmp_path / "profile") as browser:
            await browser.open(page, f"document.querySelectorAll('.plotly-graph-div.js-plotly-plot .main-svg').length >= {figures}")
            await browser.wait_for(f"document.querySelectorAll('.plotly-graph-div.js-plotly-plot').length == {figures}")
            await browser.wait_for(f"document.querySelectorAll('.scatterlayer').length >= {figures}")
            await browser.wait_for("!!document.querySelector('.barlayer')")
            return await browser.run("window.said")

    said = [line for line in asyncio.run(seen()) if "WebGL" not in line]  # drawn by software here
    assert figures == {"bounded": 10, "counted": 9}[case] and not said, said


@pytest.mark.slow
@IN_A_BROWSER
def test_figures_are_drawn_when_they_are_scrolled_to(tmp_path, monkeypatch):
    monkeypatch.setattr("uqmbd.figures.matplotlib_view.save", lambda *_: None)
    page = write_report(made_up_results.rich(3, tuple(f"body_{k}.x" for k in range(12)), runs=30), tmp_path)
    drawn = "[...document.querySelectorAll('.js-plotly-plot')].map((one) => one.id)"
    last = "[...document.querySelectorAll('.plotly-graph-div')].pop()"

    async def seen():
        async with Browser(tmp_path / "profile") as browser:
            await browser.open(page, "!!document.querySelector('.main-svg')")
            await asyncio.sleep(0.5)
            at_first = await browser.run(drawn)
            high = await browser.run("document.documentElement.scrollHeight")
            await browser.run(f"{last}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
            await browser.wait_for(f"{last}.classList.contains('js-plotly-plot')")
            return at_first, await browser.run(drawn), high, await browser.run("document.documentElement.scrollHeight")

    at_first, later, before, after = asyncio.run(seen())
    assert 1 <= len(at_first) <= 4 < 20 < page.read_text().count("data-figure=") and len(later) > len(at_first)
    assert abs(after - before) < 0.2 * before, "the page keeps the room of what it has not drawn"


@pytest.mark.slow
@IN_A_BROWSER
def test_ctrl_p_draws_every_figure_before_it_prints(tmp_path, monkeypatch):
    monkeypatch.setattr("uqmbd.figures.matplotlib_view.save", lambda *_: None)
    page = write_report(made_up_results.rich(3, tuple(f"body_{k}.x" for k in range(4)), runs=30), tmp_path)
    count = "document.querySelectorAll('.js-plotly-plot').length"
    press = f"window.print = () => {{ window.printed = {count}; }}; "
    press += "dispatchEvent(new KeyboardEvent('keydown', {key: 'p', ctrlKey: true, cancelable: true}))"

    async def printed():
        async with Browser(tmp_path / "profile") as browser:
            await browser.open(page, "!!document.querySelector('.main-svg')")
            before = await browser.run(count)
            await browser.run(press)
            await browser.wait_for("window.printed !== undefined")
            return before, await browser.run("window.printed")

    before, after = asyncio.run(printed())
    assert before < after == page.read_text().count("data-figure=")


@pytest.mark.slow
@IN_A_BROWSER
def test_a_print_from_the_menu_or_without_a_window_draws_every_figure(tmp_path, monkeypatch):
    monkeypatch.setattr("uqmbd.figures.matplotlib_view.save", lambda *_: None)
    page = write_report(made_up_results.rich(3, tuple(f"body_{k}.x" for k in range(4)), runs=30), tmp_path)
    count = "document.querySelectorAll('.js-plotly-plot').length"

    async def printed():
        async with Browser(tmp_path / "profile") as browser:
            await browser.open(page, "document.readyState === 'complete'")
            before = await browser.run(count)
            await browser.run("dispatchEvent(new Event('beforeprint'))")
            return before, await browser.run(count)

    before, after = asyncio.run(printed())
    assert before < after == page.read_text().count("data-figure=")


@pytest.mark.slow
@IN_A_BROWSER
def test_the_button_changes_the_colours_of_figures(tmp_path):
    page = write_report(made_up_results.fuzzy(3), tmp_path)
    papers = "[...new Set([...document.querySelectorAll('.main-svg')].map((one) => one.style.background).filter((one) => one))]"
    dark = f"rgb{rgb(DARK['paper'])}"

    async def seen():
        async with Browser(tmp_path / "profile") as browser:
            await browser.open(page, "!!document.querySelector('.main-svg')")
            await browser.run("for (const _ of [1, 2]) document.getElementById('theme').click()")
            await browser.wait_for(f"{papers}.join() == '{dark}'")
            return await browser.run("document.documentElement.outerHTML")

    text = asyncio.run(seen())
    assert 'data-theme="dark"' in text and ">colours: dark<" in text
    assert "rgb" + str(rgb(DARK["ink"])) in text and "rgb" + str(rgb(LIGHT["ink"])) not in text


PLACES = """(() => {
  const plot = document.getElementById("relations"), box = plot.getBoundingClientRect(), size = plot._fullLayout;
  const values = plot._fullData[0].dimensions.map((one) => one.values);
  const fields = [];
  for (let i = 1; i < values.length; i++) for (let j = 0; j < i; j++) {
    const [x, y] = [size["xaxis" + (j ? j + 1 : "")], size["yaxis" + (i ? i + 1 : "")]];
    fields.push(Array.from(values[j], (_, k) => [box.x + x._offset + x.d2p(values[j][k]), box.y + y._offset + y.d2p(values[i][k])]));
  }
  return fields;
})()"""


@pytest.mark.slow
@IN_A_BROWSER
def test_a_drag_over_points_marks_the_same_runs_in_all_fields(tmp_path, monkeypatch):
    monkeypatch.setattr("uqmbd.figures.matplotlib_view.save", lambda *_: None)
    result = made_up_results.rich(2, (), runs=40)
    result.sensitivity = result.interaction = result.convergence = xr.Dataset()
    page = write_report(result, tmp_path)

    async def dragged():
        async with Browser(tmp_path / "profile") as browser:
            place = "document.getElementById('relations')"
            await browser.open(page, f"!!{place}")
            await browser.run(f"{place}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
            await browser.wait_for(f"!!{place}._fullLayout")
            await browser.run(f"{place}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
            fields = np.array(await browser.run(PLACES))
            first = fields[0]
            middle = np.median(first, axis=0)
            before = await browser.picture()
            await browser.drag(tuple(first.min(axis=0) - 3), tuple(middle))
            await browser.wait_for("!!document.getElementById('relations').data[0].selectedpoints")
            await asyncio.sleep(0.3)
            marked = await browser.run("document.getElementById('relations').data[0].selectedpoints")
            return fields, middle, marked, before, await browser.picture()

    fields, middle, marked, before, after = asyncio.run(dragged())
    inside = np.flatnonzero((fields[0] < middle).all(axis=1))
    assert sorted(marked) == inside.tolist() and 3 < len(inside) < 37
    paper = np.array(rgb(LIGHT["paper"]), float)
    others = np.setdiff1d(np.arange(len(fields[0])), inside)
    for field in fields:
        x, y = np.round(field).astype(int).T
        ink = [np.abs(picture[y, x] - paper).sum(axis=1) for picture in (before, after)]
        assert np.median(ink[0][inside]) < 1.5 * np.median(ink[0][others]), "nothing is marked yet"
        assert np.median(ink[1][inside]) > 3 * np.median(ink[1][others]), "runs that are marked are not told from the others"


@pytest.mark.slow
@IN_A_BROWSER
def test_pictures_have_the_colours_of_the_theme(tmp_path, monkeypatch):
    """Where the field is largest, smallest, and zero, light and dark: both ends of the scale, and the paper between them.

    The first two are at the last time, the third is at the first, of which the line of the grid is left out.
    """
    monkeypatch.setattr("uqmbd.figures.matplotlib_view.save", lambda *_: None)
    result = made_up_journal.journal(4)
    result.fields = result.fields[["B.shear"]]
    page, values = write_report(result, tmp_path), result.fields["B.shear"].values
    at = [*(np.unravel_index(found, values.shape) for found in (values.argmax(), values.argmin())), (31, 0)]
    assert values[31, 0] == 0.0
    place = """(() => {
      const plot = document.getElementById("B.shear.field"), box = plot.getBoundingClientRect(), {xaxis, yaxis} = plot._fullLayout;
      return ROWS.map(([y, x]) => [box.x + xaxis._offset + xaxis.d2p(x), box.y + yaxis._offset + yaxis.d2p(y)]);
    })()"""
    rows = [[float(result.fields["angle"][i]), float(result.fields["time"][j])] for i, j in at]

    async def seen():
        async with Browser(tmp_path / "profile") as browser:
            await browser.open(page, "!!window.uqmbd")
            await browser.run("window.uqmbd.all()")
            colors = []
            for theme in ("light", "dark"):
                await browser.run(f"while (document.documentElement.dataset.theme !== '{theme}') document.getElementById('theme').click()")
                await browser.run("document.getElementById('B.shear.field').scrollIntoView({block: 'center', behavior: 'instant'})")
                await asyncio.sleep(0.5)
                picture = await browser.picture()
                x, y = np.array(await browser.run(place.replace("ROWS", str(rows)))).astype(int).T
                colors.append(picture[y, x + [-1, -1, 2]])
            return colors

    for colors, theme in zip(asyncio.run(seen()), (LIGHT, DARK), strict=True):
        wanted = np.array([rgb(theme[name]) for name in ("outer", "inner", "paper")], float)
        assert np.abs(colors - wanted).max() < 3, (colors, wanted)
