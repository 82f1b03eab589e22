"""What the figures of sensitivities say: shares, bars, Morris' plot, pairs."""

import numpy as np
import pytest

from uqmbd import figures
from uqmbd.figures.labels import places, short, shortened
from uqmbd.figures.marks import Band, Cells, Curve, Points, Rows, Stack
from uqmbd.figures.sensitivities import INPUT_COLORS, kinds, leading

from . import made_up_results as made_up


def found(inputs: int, **more) -> dict:
    result = made_up.rich(inputs, **more)
    return {figure.key: figure for figure in figures.sensitivity_figures(result, ["slider.x", "peak"])}


def the(figure, kind):
    return next(mark for panel in figure.panels for mark in panel.marks if isinstance(mark, kind))


def test_shares_are_stacked_and_leave_the_rest_to_the_inputs_together():
    stack = the(found(3)["slider.x.sensitivity"], Stack)
    assert stack.labels == ("clearance", "friction", "stiffness", "inputs together") and stack.rest == 3
    assert np.allclose(stack.shares[:3], 0.9 * made_up.shares(3, True)) and np.allclose(stack.shares[3], 0.1)


def test_of_many_inputs_seven_are_stacked_and_the_others_are_one_area():
    figure = found(20)["slider.x.sensitivity"]
    stack = the(figure, Stack)
    assert len(stack.labels) == 9 and stack.labels[7] == "13 other inputs" and np.allclose(stack.shares.sum(axis=0), 1)
    order = np.argsort(-made_up.shares(20, True).mean(axis=1))[:7]
    assert np.allclose(stack.shares[:7], 0.9 * made_up.shares(20, True)[order])
    total = [mark for mark in figure.panels[1].marks if isinstance(mark, Curve)]
    assert [mark.label for mark in total] == list(stack.labels[:7]) and [mark.style for mark in total] == list(INPUT_COLORS[:7])


def test_many_times_are_thinned_and_the_caption_says_so(monkeypatch):
    monkeypatch.setattr(made_up, "TIME", np.linspace(0, 2, 1001))
    figure = found(2)["slider.x.sensitivity"]
    assert the(figure, Stack).x.size == 201 and "One of 5 times is drawn." in figure.caption


def test_estimates_below_zero_are_drawn_as_zero_and_the_caption_says_so():
    result = made_up.rich(2)
    result.sensitivity["slider.x"].loc[{"kind": "first", "input": "friction"}] = -0.05
    (figure,) = [f for f in figures.sensitivity_figures(result, ["slider.x"]) if f.key == "slider.x.sensitivity"]
    assert the(figure, Stack).shares.min() == 0 and "below zero" in " ".join(figure.caption)


def test_confidence_limits_of_few_inputs_are_bands():
    panel = found(2)["slider.x.sensitivity"].panels[1]
    band = next(mark for mark in panel.marks if isinstance(mark, Band))
    assert np.allclose(band.upper, 1.1 * made_up.shares(2, True)[0]) and band.style == INPUT_COLORS[0]
    assert not any(isinstance(mark, Band) for mark in found(8)["slider.x.sensitivity"].panels[1].marks)


def test_bars_stand_side_by_side_with_whiskers_greatest_first():
    figure = found(3)["peak.sensitivity.first"]
    first, total = figure.panels[0].marks
    share = made_up.shares(3, False)
    assert figure.panels[0].names == ("clearance", "friction", "stiffness")
    assert np.allclose(first.values, 0.9 * share) and np.allclose(total.values, share)
    assert np.allclose(first.lower, 0.85 * share) and np.allclose(total.upper, 1.1 * share)
    (a, height), (b, _) = figure.panels[0].places_of(first), figure.panels[0].places_of(total)
    assert np.allclose(b - a, 0.4) and height < 0.4 and np.allclose(0.5 * (a + b), [0, 1, 2])


def test_bars_of_a_kind_of_its_own_and_of_all_times():
    every = found(3)
    assert {"peak.sensitivity.delta", "peak.sensitivity.width_reduction", "slider.x.aggregated.first"} <= set(every)
    rows = the(every["peak.sensitivity.width_reduction"], Rows)
    weight = made_up.weights(3, False)
    assert np.allclose(rows.values, 0.5 * weight / weight.sum()) and rows.lower is None
    result = made_up.rich(2)
    result.sensitivity = result.sensitivity.assign_coords(kind=["new" if k == "delta" else k for k in result.sensitivity["kind"].values])
    assert "peak.sensitivity.new" in {figure.key for figure in figures.sensitivity_figures(result, ["peak"])}


def test_permuted_inputs_give_the_same_bars():
    result = made_up.rich(8)
    before = figures.sensitivity_figures(result, ["peak"])[0].panels[0]
    result.sensitivity = result.sensitivity.isel(input=[3, 1, 0, 2, 7, 6, 5, 4])
    after = figures.sensitivity_figures(result, ["peak"])[0].panels[0]
    assert before.names == after.names and np.allclose(before.marks[0].values, after.marks[0].values)


def test_morris_plot_has_its_numbers_and_names():
    figure = found(8)["peak.sensitivity.morris"]
    points = the(figure, Points)
    weight = made_up.weights(8, False)
    assert np.allclose(points.x, weight) and np.allclose(points.y, 0.5 * weight[::-1])
    assert points.names == tuple(made_up.input_names(8)) and all(points.sides)
    assert (figure.panels[0].x_label, figure.panels[0].y_label) == ("μ* [m]", "σ [m]")


def test_pairs_are_curves_over_time_a_matrix_or_bars():
    every = found(8)
    assert len(every["slider.x.interaction"].panels[0].marks) == 6
    cells = the(every["peak.interaction"], Cells)
    share = made_up.shares(8, False)
    assert cells.values.shape == (8, 8) and np.isfinite(cells.values).sum() == 28
    assert cells.values[5, 2] == pytest.approx(0.1 * share[2] / 8) and np.isnan(cells.values[2, 5])
    bars = found(2)["peak.interaction"]
    assert bars.panels[0].names == ("clearance × friction",) and the(bars, Rows).values[0] == pytest.approx(0.05 * 0.8)
    assert the(found(20)["peak.interaction"], Cells).values.shape == (12, 12)


def test_kinds_leave_out_limits_and_what_has_no_numbers():
    table = made_up.sensitivity_table(["a", "b"], False)
    table.loc[{"kind": "delta"}] = np.nan
    assert kinds(table) == ["first", "total", "mu", "mu_star", "sigma", "width_reduction"]
    assert leading(np.array([1.0, np.nan, 3.0]), 2).tolist() == [2, 0] and leading(np.array([1.0, 3.0]), 2).tolist() == [0, 1]


def test_main_effects_stay_below_their_history():
    result = made_up.rich(2)
    table = result.sensitivity.sel(kind=["total"]).assign_coords(kind=["main_effect"])
    result.sensitivity = table
    panel = figures.history_figure(result, "slider.x").panels[-1]
    assert panel.y_label == "sensitivity" and [mark.label for mark in panel.marks] == ["clearance (main effect)", "friction (main effect)"]
    assert [f.key for f in figures.sensitivity_figures(result, ["slider.x"])] == ["slider.x.aggregated.first", "slider.x.interaction"]


def test_long_names_are_short_and_stay_different():
    names = made_up.input_names(20, long=True)
    shown = shortened(names)
    assert len(set(shown.values())) == 20 and max(map(len, shown.values())) <= 26
    assert shown[names[0]] == "…joint_1.clearance…"
    assert short("abcdefghij", 7) == "abc…hij" and shortened(["same", "short"]) == {"same": "same", "short": "short"}
    alike = [f"{'x' * 30}{k}{'y' * 30}" for k in range(12)]
    assert len(set(shortened(alike).values())) == 12


def test_names_beside_points_do_not_overlap():
    x = np.r_[1.0, 0.98, 0.5, np.full(8, 0.1)]
    sides = places(x, np.r_[0.5, 0.5, 1.0, np.linspace(0.1, 0.101, 8)], ["a long name"] * 11)
    assert sides[0] == "left" or sides[1] == "left"
    assert "" in sides[3:] and sides[2] in ("right", "left")
    assert places(np.zeros(1), np.zeros(1), ["a"]) == ("top",) and places(np.full(2, np.nan), np.ones(2), ["a", "b"])
