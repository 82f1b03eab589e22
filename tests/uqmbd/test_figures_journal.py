"""Orbits, regimes and fields of a made-up journal whose places and shares are known."""

import json

import numpy as np
import pytest

from flexmbd_uq.orbits import orbit_figures
from flexmbd_uq.regimes import regime_figures, regimes_of
from flexmbd_uq.shares import regimes_table
from uqmbd import figures
from uqmbd.figures import matplotlib_view
from uqmbd.figures.alt import alternative
from uqmbd.figures.marks import Image, Points
from uqmbd.report import plotly_view
from uqmbd.result import open_results

from .made_up_journal import TIME, journal

NAMES = ["B.ex", "B.ey", "B.regime"]


def marks(figure) -> dict:
    return {mark.label: mark for panel in figure.panels for mark in panel.marks}


def test_orbit_is_in_units_of_each_runs_own_clearance():
    (figure,) = orbit_figures(journal(), NAMES)
    found = marks(figure)
    assert [panel.x_label for panel in figure.panels] == ["B.ex / clearance"] and np.hypot(
        found["clearance"].x, found["clearance"].y
    ).max() == 1
    radius = np.hypot(found["outermost place of the runs"].x, found["outermost place of the runs"].y)
    assert 0.95 < np.nanmin(radius) and np.nanmax(radius) == pytest.approx(1), "from 1.6 s on all go round on the clearance"


def test_points_of_the_middle_run_have_the_colours_of_their_regimes():
    """The median place is that of the run in the middle, 19 or 20 of 40: mixed from 0.8 s + 0.4 s k/40 on."""
    (figure,) = orbit_figures(journal(), NAMES)
    points = {label: mark for label, mark in marks(figure).items() if isinstance(mark, Points)}
    run = int(next(iter(points)).split(":")[0].removeprefix("run "))
    assert run in (19, 20) and list(points) == [f"run {run}: {word}" for word in ("film", "mixed", "dry")]
    start = 0.8 + 0.4 * run / 40
    wanted = [np.sum(TIME < start), np.sum((TIME >= start) & (TIME < 1.6)), np.sum(TIME >= 1.6)]
    assert [len(mark.x) for mark in points.values()] == wanted
    assert np.hypot(points[f"run {run}: dry"].x, points[f"run {run}: dry"].y) == pytest.approx(1)
    stack = regime_figures(journal(), NAMES)[0].panels[0].marks[0]
    assert [look.color for look in stack.looks()] == [f"c{mark.style}" for mark in points.values()], "one colour scheme"


def test_orbits_that_the_study_names():
    result = journal(4)
    result.attrs["report"] = {"orbits": [["B.ey", "B.ex", 2e-3]], "regime_labels": ["oil"]}
    (figure,) = orbit_figures(result, [])
    assert figure.panels[0].x_label == "B.ey / 0.002 m" and "run 2: oil" in marks(figure)
    assert marks(figure)["run 3"].y[0] == pytest.approx(0.2 * 1.75 / 2 * np.cos(0.3 * 0.25))
    result.attrs["report"] = {"orbits": []}
    assert orbit_figures(result, NAMES) == []
    result.attrs["report"] = {}
    result.runs = result.runs.drop_vars("input:clearance")
    (figure,) = orbit_figures(result, NAMES)
    assert figure.panels[0].x_label == "B.ex [m]" and "clearance" not in marks(figure)


def test_shares_of_regimes_over_time_and_over_runs():
    """At 1 s run k of 40 is in mixed lubrication if 0.4 k/40 <= 0.2; the shares of the time are 1.2 s, 0.4 s to 0.8 s and 0.4 s of 2 s."""
    found = regimes_of(journal(), "B.regime")
    at = found.over_time()[:, 100]
    assert at == pytest.approx([19 / 40, 21 / 40, 0.0]) and np.allclose(found.over_time().sum(axis=0), 1)
    shares = found.over_runs()
    step = 0.01 / 2
    assert np.allclose(shares.sum(axis=0), 1) and np.allclose(shares[2], 0.2 + step / 2)
    assert np.allclose(shares[0], 0.4 + 0.2 * np.arange(40) / 40, atol=step)
    table = regimes_table(journal())
    assert [row[:2] for row in table.rows] == [("B.regime", word) for word in ("film", "mixed", "dry")]
    assert table.rows[2][2:] == ("20.2 %", "20.2 %", "20.2 %", "0 %") and "not probabilities" not in table.note
    assert "not probabilities" in regimes_table(journal(method="mixed")).note
    result = journal()
    result.attrs["report"] = {"regimes": []}
    assert not regimes_table(result).rows and not regime_figures(result, NAMES)
    result.runs["status"][:] = 1
    result.attrs["report"] = {"regimes": ["B.regime"]}
    assert not regimes_table(result).rows and not regime_figures(result, NAMES) and not orbit_figures(result, NAMES)


def test_fields_are_pictures_and_curves():
    pressure, shear, flow = figures.field_figures(journal())
    (image,) = pressure.panels[0].marks
    assert isinstance(image, Image) and image.values.shape == (60, 201) and image.ends() == (0.0, pytest.approx(2e6, rel=1e-3))
    assert pressure.title == "Pressure in the bearing" and pressure.panels[0].y_label == "angle [rad]" and image.label == "B.pressure [Pa]"
    assert (
        pressure.caption[0] == "The largest value, 2e+06 Pa, is at time 2 s and angle 0 rad." and "clearance 0.0015" in pressure.caption[1]
    )
    (image,) = shear.panels[0].marks
    assert image.ends() == (-1.0, 1.0) and [at for at, *_ in image.ramp()] == [0, 0.25, 0.5, 0.5, 0.75, 1]
    assert flow.panels[0].marks[0].y[-1] == 3e-6 and flow.panels[0].y_label == "B.flow [m³/s]"
    assert "B.pressure [Pa] from 0 to 2e+06, the largest at 2, 0" in alternative(pressure)


def test_a_spike_does_not_hide_the_rest_of_a_field():
    """One value of 60 x 201 is a hundred times the others: the colours reach to what 99 of 100 values are below."""
    result = journal()
    result.fields["B.pressure"][0, 0] = 2e8
    (figure, *_) = figures.field_figures(result)
    values = result.fields["B.pressure"].values
    top = np.quantile(values[values > 0], 0.99)
    assert figure.panels[0].marks[0].ends() == (0.0, top) and top < 2e6
    assert "2e+08 Pa" in figure.caption[0] and f"reach to {top:.4g} Pa" in figure.caption[0]
    assert plotly_view.draw(figure)["data"][0]["zmax"] == top
    scale = matplotlib_view.draw(figure).axes[0].child_axes[0]
    assert scale.get_ylim()[1] == top


def test_a_large_field_is_thinned_for_the_page():
    result = journal()
    fine = result.fields[["B.pressure"]].interp(time=np.linspace(0, 2, 3000), angle=np.linspace(0, 2 * np.pi, 700))
    result.fields = fine.assign_attrs(inputs={})
    (figure,) = figures.field_figures(result)
    rows, columns = figure.panels[0].marks[0].values.shape
    assert 120 < rows <= 240 and 120 < columns <= 240
    drawn = json.loads(plotly_view.script(figure))["data"][0]
    assert drawn["type"] == "heatmap" and drawn["colorscale"][0] == [0, "var(--outer@0)"] and drawn["colorbar"]["title"]["text"]


def test_words_beside_a_picture_stay_in_it():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    for figure in figures.field_figures(journal())[:2]:
        canvas = matplotlib_view.draw(figure)
        painter = FigureCanvasAgg(canvas).get_renderer()
        canvas.draw_without_rendering()
        width, height = canvas.get_size_inches() * canvas.dpi
        scale = canvas.axes[0].child_axes[0]
        for text in (scale.yaxis.label, *scale.get_yticklabels()):
            box = text.get_window_extent(painter)
            assert box.x1 < width and box.y0 > 0 and box.y1 < height, text.get_text()


def test_fields_are_saved_and_opened(tmp_path):
    result = journal()
    again = open_results(result.save(tmp_path))
    assert again.fields.equals(result.fields) and again.fields.attrs == result.fields.attrs
    assert again.fields["B.pressure"].attrs == result.fields["B.pressure"].attrs and again.outputs == NAMES


def test_reports_find_them_by_entry_points():
    """They stand where they always stood; `pip install -e .` again, if a checkout of before knows no such entry points."""
    from uqmbd.figures.plugin_sections import plugin_tables

    titles = list(figures.sections(journal()))
    at = titles.index("Orbits")
    assert titles[at : at + 2] == ["Orbits", "Regimes"]
    assert set(titles[:at]) <= {"Histories", "Where bounds were reached", "Regions"}
    (table,) = plugin_tables(journal())
    assert table.title == "Share of the time in each regime" and table.rows
