"""Scatter matrix, convergence, and that both views draw every figure in the colours of the theme."""

import json
import re
import warnings

import numpy as np
import plotly.graph_objects as go
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from uqmbd import figures
from uqmbd.figures import matplotlib_view
from uqmbd.figures.colors import DARK, LIGHT, rgb
from uqmbd.figures.marks import Band, Curve, Pairs
from uqmbd.report import plotly_view

from . import made_up_results as made_up
from .made_up_journal import journal

CASES = {
    "two": lambda: made_up.rich(2, ()),
    "many": lambda: made_up.rich(20, long=True, runs=60, failed=4),
    "fuzzy": made_up.fuzzy,
    "mixed": made_up.mixed,
    "fuzzy mixed": made_up.fuzzy_mixed,
    "checked": made_up.checked,
    "calibrated": made_up.calibrated,
    "journal": journal,
}


def every(result) -> list:
    return [figure for group in figures.sections(result).values() for figure in group]


def test_scatter_matrix_has_the_numbers_of_good_runs():
    result = made_up.rich(3, failed=5)
    (figure,) = figures.scatter_figures(result, ["peak"])
    (pairs,) = figure.panels[0].marks
    assert isinstance(pairs, Pairs) and pairs.values.shape == (4, 55) and figure.panels[0].names[-1] == "peak"
    assert np.allclose(made_up.weights(3, False) @ pairs.values[:3] / 1000, pairs.values[3])  # inputs in mm, as they were written
    assert not figures.scatter_figures(made_up.rich(2, runs=8), ["peak"]) and not figures.scatter_figures(result, [])


def test_scatter_matrix_is_thinned_and_keeps_the_leading_inputs():
    result = made_up.rich(20, runs=900)
    for group in (result.sensitivity, result.aggregated):
        for name in group:
            group[name] = group[name].copy(data=np.flip(group[name].values, axis=group[name].dims.index("input")))
    (figure,) = figures.scatter_figures(result, ["peak"])
    assert figure.panels[0].marks[0].values.shape == (8, 400)
    assert {f"{name} [mm]" for name in made_up.input_names(20)[-3:]} <= set(figure.panels[0].names[:7])
    assert "400 of 900 runs" in figure.caption[0]


def test_convergence_has_one_panel_for_each_statistic():
    figure = {f.key: f for f in figures.convergence_figures(made_up.rich(2), ["slider.x", "peak"])}["peak.convergence"]
    assert [panel.y_label for panel in figure.panels] == ["mean [m]", "std [m]"]
    band, curve, points = figure.panels[0].marks  # the points where there are few
    assert isinstance(band, Band) and isinstance(curve, Curve) and curve.x.tolist() == points.x.tolist() == [20, 40, 80, 160]
    assert np.allclose(curve.y, 0.75 * (1 + 1 / curve.x)) and np.allclose(band.upper - band.lower, 2 / curve.x)


def test_convergence_hides_rounding_and_keeps_gaps():
    result = made_up.rich(2)
    result.convergence["peak"].loc[{"statistic": "mean"}] = [np.nan, 2 + 1e-14, 2 - 1e-14, 2.0]
    (figure,) = figures.convergence_figures(result, ["peak"])
    curve = figure.panels[0].marks[-1]
    assert np.isnan(curve.y[0]) and curve.y[1:].tolist() == [2, 2, 2]


@pytest.mark.parametrize("case", CASES)
def test_every_figure_is_drawn_by_both_views(case, tmp_path):
    found = every(CASES[case]())
    assert len({figure.key for figure in found}) == len(found) > 1
    used = set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number, figure in enumerate(found):
            matplotlib_view.save(figure, tmp_path / "figure.png", (LIGHT, DARK)[number % 2])
            text = plotly_view.script(figure)
            assert "<" not in text and json.loads(text)["data"]
            go.Figure(plotly_view.draw(figure))  # has no keys but those that plotly knows
            assert not re.search(r'#[0-9a-fA-F]{6}"|rgba?\(', text), "a colour that does not follow the theme"
            used |= set(re.findall(r"var\(--(\w+)(?:@[\d.]+)?\)", text))
    assert {"ink", "paper", "grid"} <= used <= set(LIGHT)


def test_pictures_take_the_colours_of_the_theme_and_say_what_they_show(tmp_path):
    from PIL import Image

    figure = figures.history_figure(made_up.fuzzy(), "force")
    for theme in (LIGHT, DARK):
        with Image.open(matplotlib_view.save(figure, tmp_path / "figure.png", theme)) as picture:
            assert picture.convert("RGB").getpixel((2, 2)) == rgb(theme["paper"])
            assert picture.info["Description"].startswith("force.") and picture.size[0] > 1000


def test_plotly_draws_the_numbers_of_the_marks():
    result = made_up.rich(3)
    drawn = {figure.key: go.Figure(plotly_view.draw(figure)) for figure in every(result)}
    bars = drawn["peak.sensitivity.first"].data
    assert np.allclose(bars[1].x, made_up.shares(3, False)) and np.allclose(bars[1].error_x.array, 0.1 * made_up.shares(3, False))
    assert list(drawn["peak.sensitivity.first"].layout.yaxis.ticktext) == ["clearance", "friction", "stiffness"]
    stack = [trace for trace in drawn["slider.x.sensitivity"].data if trace.stackgroup]
    assert len(stack) == 4 and np.allclose(sum(np.asarray(trace.y) for trace in stack), 1, atol=1e-6)
    (splom,) = drawn["relations"].data
    assert splom.type == "splom"
    assert [one.label for one in splom.dimensions] == ["clearance [mm]", "friction [mm]", "stiffness [mm]", "peak"]
    assert drawn["relations"].layout.dragmode == "select"


def test_a_legend_says_each_label_once():
    for figure in every(made_up.rich(3)):
        names = [trace["name"] for trace in plotly_view.draw(figure)["data"] if trace.get("showlegend")]
        assert len(names) == len(set(names)), figure.key


def test_labels_of_pictures_do_not_leave_the_picture():
    kept = ("relations", "peak.interaction", "peak.sensitivity.first", "slider.x.sensitivity", "peak.sensitivity.morris")
    for figure in every(made_up.rich(20, long=True, runs=40)):
        if figure.key not in kept:
            continue
        canvas = matplotlib_view.draw(figure)
        painter = FigureCanvasAgg(canvas).get_renderer()
        canvas.draw_without_rendering()
        width, height = canvas.get_size_inches() * canvas.dpi
        for axes in canvas.axes:
            seen = [axes.xaxis.label, axes.yaxis.label]
            for ticks, (low, high) in ((axes.xaxis, sorted(axes.get_xlim())), (axes.yaxis, sorted(axes.get_ylim()))):
                seen += [tick.label1 for tick in ticks.get_major_ticks() if low <= tick.get_loc() <= high and tick.label1.get_visible()]
            for text in seen:
                if not text.get_text():
                    continue
                box = text.get_window_extent(painter)
                assert box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1, (figure.key, text.get_text())
