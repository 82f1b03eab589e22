"""Axes in the units that the tables use: a figure of micrometres has no powers of ten of a metre."""

import numpy as np
import pytest

from uqmbd.figures.marks import Band, Bars, Curve, Figure, Level, Panel, Points, Rows
from uqmbd.figures.prefixes import in_fitting_units

TIME = np.linspace(0.0, 0.02, 5)


def of(*panels: Panel) -> tuple[Panel, ...]:
    return in_fitting_units(Figure("key", "title", panels), ["slider.x", "delay"], ["play"]).panels


def test_a_history_has_a_prefix_and_time_has_none():
    band = Band(TIME, np.full(5, -3e-5), np.full(5, 2e-5), "outer bounds", "outer")
    (panel,) = of(Panel("time [s]", "from the middle [m]", (band, Curve(TIME, TIME * 1e-3, "mean", "mean")), ((0.0, 0.01),)))
    assert (panel.x_label, panel.y_label, panel.shades) == ("time [s]", "from the middle [µm]", ((0.0, 0.01),))
    assert panel.marks[0].lower == pytest.approx(-30.0) and panel.marks[0].upper == pytest.approx(20.0)
    assert panel.marks[1].y[-1] == pytest.approx(20.0) and (panel.marks[1].x == TIME).all()


def test_a_distribution_is_scaled_along_with_its_limits_and_shades():
    marks = (Bars(np.array([1e3, 2e3, 5e3]), np.array([3, 4]), "runs"), Level(4e3, "limit", "limit"))
    (panel,) = in_fitting_units(Figure("k", "t", (Panel("B.force:max [N]", "runs", marks, ((1e3, 2e3),)),)), ["B.force:max"]).panels
    assert panel.x_label == "B.force:max [kN]" and panel.y_label == "runs"
    assert panel.marks[0].edges.tolist() == [1.0, 2.0, 5.0] and panel.marks[0].counts.tolist() == [3, 4]
    assert panel.marks[1].x == 4.0 and panel.shades == ((1.0, 2.0),)


@pytest.mark.parametrize(
    "panel",
    [
        Panel("time [s]", "play [m]", (Curve(TIME, TIME * 1e-3, "input", 1),)),  # an input: as it was written
        Panel("time [s]", "error [m]", (Curve(TIME, TIME * 1e-6, "error", "error"),), log=True),  # powers of ten
        Panel("time [s]", "x [kN/mm]", (Curve(TIME, TIME, "mean", "mean"),)),  # a unit that takes no prefix
        Panel("time [s]", "x [mm]", (Curve(TIME, TIME, "mean", "mean"),)),  # has one
        Panel("sensitivity [m]", "", (Rows(TIME, "sensitivity", 0),), names=tuple("abcde")),
        Panel("time [s]", "nothing [m]", (Curve(TIME, TIME * 0.0, "mean", "mean"),)),
        Panel("time [s]", "share", (Curve(TIME, TIME, "mean", "mean"),)),
    ],
)
def test_other_axes_stay(panel):
    (found,) = of(panel)
    assert found.y_label == panel.y_label and found.x_label == panel.x_label and found.marks == panel.marks


def test_axes_of_one_quantity_have_one_unit():
    """An orbit would be an ellipse, and the line of equal values another one, if 0.9 mm stood over 1.2 mm as 900 µm."""
    points = Points(np.array([1.2e-3, -1e-3]), np.array([0.9e-3, 0.2e-3]), ("", ""), ("", ""), "runs")
    for equal in (True, False):
        (panel,) = of(Panel("slider.x [m]", "surrogate [m]", (points,), equal=equal))
        assert (panel.x_label, panel.y_label) == ("slider.x [mm]", "surrogate [mm]")
        assert panel.marks[0].y.tolist() == pytest.approx([0.9, 0.2])
    first, second = of(  # the misses are a quarter of a million times smaller, and have a unit of their own
        Panel("slider.x [m]", "surrogate [m]", (points,)),
        Panel("slider.x [m]", "surrogate − run [m]", (Curve(points.x, points.y * 4e-6, "misses", 0),)),
    )
    assert second.x_label == first.x_label == "slider.x [mm]" and second.y_label == "surrogate − run [nm]"
