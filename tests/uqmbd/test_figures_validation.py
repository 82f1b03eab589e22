"""Surrogate against validation runs: the numbers in the marks, and what the caption says."""

import numpy as np
import pytest

from uqmbd import figures
from uqmbd.figures.alt import alternative
from uqmbd.figures.marks import Band, Curve, Points

from . import made_up_results as made_up


def figure_of(name: str, result=None):
    (figure,) = figures.validation_figures(result or made_up.checked(), [name])
    return figure


def test_scalars_have_the_surrogate_over_the_run_and_the_error_below():
    figure = figure_of("peak")
    above, below = figure.panels
    band, line, points = above.marks
    assert isinstance(band, Band) and np.allclose(band.upper - band.x, 2e-3) and np.allclose(band.x - band.lower, 2e-3)
    assert isinstance(line, Curve) and np.array_equal(line.x, line.y)
    assert isinstance(points, Points) and points.names[0] == "run 30" and np.allclose(points.x, np.linspace(0.1, 1.9, 12))
    tolerance, misses = below.marks
    assert np.allclose(misses.y, 1e-4 * np.arange(1, 13)) and np.allclose(misses.y, points.y - points.x)
    assert np.allclose((tolerance.lower, tolerance.upper), [[-2e-3] * 2, [2e-3] * 2])
    assert above.x_label == "peak of the run [m]" and above.y_label == "surrogate [m]"


def test_histories_have_the_worst_check_and_the_errors_of_all():
    result = made_up.checked(11)
    above, below = figure_of("slider.x", result).panels
    run, surrogate = above.marks
    assert run.label == "run 40, the worst" and np.allclose(run.y, np.sin(made_up.TIME))
    assert np.allclose(run.y - surrogate.y, 11e-4 * made_up.TIME)
    median, largest, tolerance = below.marks
    assert below.log and np.allclose(median.y[1:], 6e-4 * made_up.TIME[1:]) and median.y[0] == pytest.approx(2e-9)
    assert np.allclose(largest.y[1:], 11e-4 * made_up.TIME[1:]) and np.allclose(tolerance.y, 2e-3)


def test_the_largest_error_of_a_history_is_the_validated_one_where_the_result_has_it():
    result = made_up.checked()
    validated = result.inner["slider.x"].sel(bound="upper", drop=True) * 0 + 7e-3
    result.error["slider.x"] = validated
    figure = figure_of("slider.x", result)
    assert np.allclose(figure.panels[1].marks[1].y, 7e-3) and figure.panels[1].marks[1].label == "validated error"
    assert "The validated error is larger, 0.007 m" in figure.caption[0] and "larger" not in figure_of("peak", result).caption[0]


def test_the_caption_says_error_share_and_number():
    said = figure_of("peak").caption[0]
    assert said == "Largest error of 100 validation runs: 0.0012 m, 0.06 % of the range, in run 41; the tolerance is 0.1 %."
    assert "12 of 100 checks" in figure_of("slider.x").caption[1]
    assert "12 validation runs from 0.1001 to 1.901" in alternative(figure_of("peak"))


def test_a_result_without_tolerance_or_range_is_drawn_too():
    result = made_up.checked()
    del result.attrs["trust_tolerance"]
    result.inner = result.inner.drop_vars("peak")
    figure = figure_of("peak", result)
    assert not [mark for panel in figure.panels for mark in panel.marks if isinstance(mark, Band)]
    assert figure.caption[0] == "Largest error of 100 validation runs: 0.0012 m, in run 41."
    assert figures.validation_figures(made_up.rich(2), ["peak"]) == []
