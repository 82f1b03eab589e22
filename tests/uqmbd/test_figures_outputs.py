"""What the figures of histories and scalars say: fans, levels of membership, probability boxes."""

from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pytest

from uqmbd import figures
from uqmbd.figures.alt import alternative
from uqmbd.figures.histories import fan, levels_shown
from uqmbd.figures.labels import places
from uqmbd.figures.marks import Band, Bars, Curve, Level
from uqmbd.tables.outputs import output_names

from . import made_up_results as made_up


def marks(figure, kind, label=None) -> list:
    return [mark for panel in figure.panels for mark in panel.marks if isinstance(mark, kind) and label in (None, mark.label)]


def by_key(found: list) -> dict:
    return {figure.key: figure for figure in found}


def test_levels_of_membership_are_nested_bands():
    figure = figures.history_figure(made_up.fuzzy(), "force")
    bands = marks(figure, Band)
    assert [band.label for band in bands] == ["α = 0", "α = 0.2", "α = 0.4", "α = 0.6", "α = 0.8", "α = 1"]
    wave = 1 + 0.5 * np.cos(3 * made_up.TIME)
    assert np.allclose(bands[2].lower, 0.4 * wave) and np.allclose(bands[2].upper, 2.2 * wave)
    for outside, inside in pairwise(bands):
        assert (outside.lower <= inside.lower).all() and (inside.upper <= outside.upper).all()
    assert "membership" in figure.caption[-1]


def test_few_levels_are_all_drawn_and_many_keep_their_ends():
    assert levels_shown(np.array([0.0, 0.5, 1.0])).tolist() == [0, 1, 2]
    assert levels_shown(np.linspace(0, 1, 101)).tolist() == [0, 20, 40, 60, 80, 100]


def test_membership_function_is_the_outline_of_the_levels():
    found = by_key(figures.scalar_figures(made_up.fuzzy(), "peak"))
    (outline,) = marks(found["peak.membership"], Curve, "membership")
    inside = np.array([0.25, 1.0, 2.0, 2.9])
    assert np.allclose(np.interp(inside, outline.x, outline.y), [0.25, 1.0, 0.5, 0.05])
    assert (outline.x[0], outline.y[0], outline.x[-1], outline.y[-1]) == (0, 0, 3, 0)
    assert found["peak.membership"].panels[0].y_label == "membership α"
    (inner,) = marks(found["peak.membership"], Curve, "reached by runs")
    assert inner.x.min() == pytest.approx(0.03) and inner.x.max() == pytest.approx(2.97)
    assert "peak" not in found  # without runs there is no histogram that it could add


def test_fan_has_every_pair_of_quantiles_widest_first():
    figure = figures.history_figure(made_up.rich(2), "slider.x")
    bands = marks(figure, Band)
    assert [band.label for band in bands] == ["1 % to 99 %", "5 % to 95 %", "25 % to 75 %"]
    weight = made_up.weights(2, True)
    middle, std = weight.sum(axis=0) / 2, np.sqrt((weight**2).sum(axis=0) / 12)
    assert np.allclose(bands[1].upper, middle + 1.645 * std) and np.allclose(bands[1].lower, middle - 1.645 * std)
    assert np.allclose(marks(figure, Curve, "mean")[0].y, middle)
    assert fan({"mean", "q05", "q95", "q02.5", "q97.5", "q50", "q10", "q95_lower"}) == [
        ("q02.5", "q97.5", "2.5 % to 97.5 %"), ("q05", "q95", "5 % to 95 %"),
    ]  # fmt: skip


def test_imprecise_statistics_are_bands():
    result = made_up.mixed()
    figure = figures.history_figure(result, "slider.x")
    (wide,) = marks(figure, Band, "5 % to 95 %, widest")
    (mean,) = marks(figure, Band, "mean, between its bounds")
    wave = np.sin(4 * made_up.TIME)
    assert np.allclose(wide.lower, wave - 1.645) and np.allclose(wide.upper, wave + 2.645)
    assert np.allclose(mean.lower, wave) and np.allclose(mean.upper, wave + 1) and "imprecise" in figure.caption[-1]
    levels = marks(figures.scalar_figure(result, "peak"), Level)
    assert sorted(level.x for level in levels) == pytest.approx([-1.645, -0.645, 0, 1, 1.645, 2.645])


def test_probability_box_lies_between_the_two_distribution_functions():
    (figure,) = figures.scalar_figures(made_up.mixed(), "peak")
    (box,) = marks(figure, Band)
    normal = NormalDist()
    at = np.array([-1.0, 0.0, 0.5, 2.0])
    assert np.allclose(np.interp(at, box.x, box.lower), [normal.cdf(x - 1) for x in at], atol=2e-4)
    assert np.allclose(np.interp(at, box.x, box.upper), [normal.cdf(x) for x in at], atol=2e-4)
    assert figure.key == "peak.cdf" and not marks(figure, Bars)


def test_imprecise_statistics_of_levels_are_nested_bands():
    figure = figures.history_figure(made_up.fuzzy_mixed(), "slider.x")
    quantiles, mean = figure.panels
    wave = 2 * np.sin(4 * made_up.TIME)
    labels = [f"α = {alpha:g}" for alpha in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    assert [band.label for band in quantiles.marks] == [band.label for band in mean.marks] == labels
    assert np.allclose(quantiles.marks[2].lower, wave + 0.2 - 1.645) and np.allclose(quantiles.marks[2].upper, wave + 0.8 + 1.645)
    assert np.allclose(mean.marks[2].lower, wave + 0.2) and np.allclose(mean.marks[2].upper, wave + 0.8)
    assert mean.y_label == "mean [m]" and any("membership" in text for text in figure.caption)


def test_a_narrow_mean_of_levels_is_drawn_from_its_middle():
    result = made_up.fuzzy_mixed()
    result.statistics["slider.x"] = result.statistics["slider.x"] + 100 * np.sin(4 * result.statistics["time"])
    mean = figures.history_figure(result, "slider.x").panels[-1]
    assert (
        mean.y_label.startswith("mean from its middle") and np.allclose(mean.marks[0].upper, 0.5) and np.allclose(mean.marks[-1].upper, 0)
    )


def test_probability_boxes_and_memberships_of_levels():
    found = by_key(figures.scalar_figures(made_up.fuzzy_mixed(), "peak"))
    boxes = marks(found["peak.cdf"], Band)
    assert [box.label for box in boxes] == ["α = 0", "α = 0.2", "α = 0.4", "α = 0.6", "α = 0.8", "α = 1"]
    normal = NormalDist()
    at = np.array([-1.0, 0.0, 0.5, 2.0])
    assert np.allclose(np.interp(at, boxes[1].x, boxes[1].lower), [normal.cdf(x - 0.9) for x in at], atol=2e-4)
    for outside, inside in pairwise(boxes):
        assert (outside.lower <= inside.lower).all() and (inside.upper <= outside.upper).all()
    outlines = marks(found["peak.membership"], Curve)
    assert [outline.label for outline in outlines] == ["mean", "5 % quantile", "95 % quantile"]
    assert np.allclose(np.interp([0.1, 0.5, 0.9], outlines[0].x, outlines[0].y), [0.2, 1, 0.2])
    levels = marks(figures.scalar_figure(made_up.fuzzy_mixed(), "peak"), Level)
    assert sorted(level.x for level in levels) == pytest.approx([-1.645, -0.645, 0, 1, 1.645, 2.645])


def test_density_is_the_slope_of_the_distribution_function():
    figure = by_key(figures.scalar_figures(made_up.rich(2), "peak"))["peak.cdf"]
    density, function = marks(figure, Bars)[0], marks(figure, Curve)[0]
    assert np.allclose(function.y, function.x**2)
    middle = 0.5 * (density.edges[1:] + density.edges[:-1])
    assert np.allclose(density.counts, 2 * middle, atol=5e-4)
    assert (density.counts * np.diff(density.edges)).sum() == pytest.approx(1)
    assert figure.panels[0].y_label == "density [1/m]"


def test_a_certain_output_has_no_density_and_gaps_are_left_out():
    result = made_up.rich(2)
    result.cdf["peak"] = made_up.cdf(np.full(201, 2.0), np.linspace(0, 1, 201))
    assert not marks(by_key(figures.scalar_figures(result, "peak"))["peak.cdf"], Bars)
    result.cdf["peak"] = made_up.cdf(np.r_[-np.inf, np.linspace(0, 1, 199), np.inf], np.linspace(0, 1, 201))
    (curve,) = marks(by_key(figures.scalar_figures(result, "peak"))["peak.cdf"], Curve)
    assert len(curve.x) == 199 and np.isfinite(curve.x).all()


def test_an_output_that_only_the_aggregated_group_knows_is_a_history():
    result = made_up.rich(2)
    result.statistics, result.sensitivity = result.statistics.drop_vars("slider.x"), result.sensitivity.drop_vars("slider.x")
    result.interaction = result.interaction.drop_vars("slider.x")
    assert output_names(result) == (["slider.x"], ["peak"])
    assert next(figures.history_figures(result, ["slider.x"])).panels[0].marks[0].label == "runs"
    assert figures.plot(result, "slider.x").axes


def test_alternative_text_says_ranges():
    text = alternative(figures.scalar_figure(made_up.mixed(), "peak"))
    assert text.startswith("peak. runs over peak [m]:") and "mean, bounds at 1" in text
    text = alternative(figures.history_figure(made_up.fuzzy(), "force"))
    assert "α = 0 from 0 to 4.5" in text


def test_calibrations_show_measured_and_fitted():
    measured, other = figures.history_figures(made_up.calibrated(), ["slider.x", "other"])
    curves = {curve.label: curve.y for curve in marks(measured, Curve)}
    assert np.allclose(curves["measured"], np.sin(made_up.TIME)) and np.allclose(curves["residual"], curves["fitted"] - curves["measured"])
    assert f"{10 * np.sqrt(np.mean(made_up.TIME**2)):.3g} mm" in measured.caption[0]
    assert len(other.panels) == 1 and "not measured" in other.caption[0]
    levels = marks(figures.scalar_figure(made_up.calibrated(), "peak"), Level)
    assert [(level.label, level.x) for level in levels] == [("measured", 2.0), ("fitted", 2.5)]


def test_few_runs_have_names_and_bars_say_whether_they_are_a_sample():
    result = made_up.rich(2, runs=4)
    (figure,) = figures.history_figures(result, ["slider.x"])
    named = [curve for curve in marks(figure, Curve) if curve.label.startswith("run ")]
    assert [curve.label for curve in named] == ["run 0", "run 1", "run 2", "run 3"]
    assert np.allclose(named[2].y, result.runs["slider.x"].values[2])
    said = "not a probability"
    assert said not in " ".join(figures.scalar_figure(result, "peak").caption)
    result.attrs |= {"method": "reliability", "settings": {"output": "peak", "above": 1.25}}
    figure = figures.scalar_figure(result, "peak")
    assert said in " ".join(figure.caption) and [level.x for level in marks(figure, Level, "limit")] == [1.25]


def test_a_point_on_the_axis_has_a_name():
    assert places(np.array([0.03, 0.2]), np.array([0.014, 0.0]), ["mass", "stiffness"]) == ("right", "left")
