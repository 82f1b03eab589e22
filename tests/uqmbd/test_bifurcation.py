"""Bifurcation diagrams by brute force, against flips and windows that are known in closed form."""

import os

import numpy as np
import pytest

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.figures import sections
from uqmbd.figures.marks import Dots, Stack
from uqmbd.methods.dynamics.recurrence import DRIFTS, FEW, NONE, apart, periods_of
from uqmbd.methods.dynamics.sections import once_a_period
from uqmbd.report.answers import answer_of, question_of
from uqmbd.report.judged import judged
from uqmbd.report.terminal import terminal_table
from uqmbd.result import open_results

BOX = {"r": uq.Interval(2.8, 3.99)}
TRANSIENT, KEPT = 4000, 64


@uq.vectorized
def logistic(r):
    x, found = np.full(len(r), 0.4), np.empty((len(r), KEPT))
    for _ in range(TRANSIENT):
        x = r * x * (1 - x)
    for k in range(KEPT):
        x = found[:, k] = r * x * (1 - x)
    return {"x": uq.Curve(found, np.arange(float(KEPT)), "iterate")}


def hits(r, x0=0.4):
    """The same one by one, as events; none where it leaves the interval."""
    x, found = x0, []
    for _ in range(400):
        x = r * x * (1 - x)
        found.append(x)
    return {"x": uq.Events(found, "iterate", unit="mm")}


@pytest.fixture(scope="module", autouse=True)
def here(tmp_path_factory):
    """Results of all studies lie in a folder of their own."""
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("diagrams"))
    yield
    os.chdir(before)


def done(model, method, inputs=BOX, outputs=("x",), **more):
    study = uq.Study(model=model, inputs=inputs, outputs=list(outputs), method=method, name="diagram", **more)
    return study.run(workers=0, report=False, progress=False, overwrite=True)


@pytest.fixture(scope="module")
def diagram(here):
    return done(logistic, uq.Bifurcation(points=596, keep=KEPT, skip=0))


def window(result, period, least=0.0):
    """First and last value of the parameter of the first stretch with a period."""
    r, found = result.motion_period["value"].values, result.motion_period["x"].values.ravel()
    there = np.flatnonzero((found == period) & (r > least))
    end = there[np.flatnonzero(np.diff(there, append=len(r) + 2) > 1)[0]]
    return r[there[0]], r[end]


def test_flips_of_the_logistic_map(diagram):
    """Period 1 up to 3, period 2 up to 1 + sqrt 6, between two of the values, which are 0.002 apart."""
    assert window(diagram, 1) == (2.8, pytest.approx(3.0, abs=0.003))
    assert window(diagram, 2)[1] == pytest.approx(1 + np.sqrt(6), abs=0.003)


def test_window_of_period_three(diagram):
    """Born at 1 + sqrt 8; before it there is no period."""
    first, last = window(diagram, 3, least=3.8)
    assert 0 <= first - (1 + np.sqrt(8)) < 0.003 and 3.839 < last < 3.842  # its flip, at 3.8415
    before = diagram.motion_period["x"].sel(value=slice(3.8, 1 + np.sqrt(8) - 0.002)).values
    assert (before == NONE).mean() > 0.9


def test_section_points_are_those_of_the_fixed_points(diagram):
    r = diagram.branches["value"].values
    one = diagram.branches["x"].values[:, 0, 0, 0]
    at = r < 2.99
    np.testing.assert_allclose(one[at], np.broadcast_to((1 - 1 / r[at])[:, None], one[at].shape), rtol=1e-6)


def test_windows_stand_in_a_table_and_in_the_answer(diagram, tmp_path):
    again = open_results(diagram.save(tmp_path))
    table = next(frame.table for frame in again.tables() if frame.key == "windows_r")
    assert table.loc["period 2", "last"] == pytest.approx(1 + np.sqrt(6), abs=0.003)
    assert question_of(again, "x") == "How does the long-term motion of x change with r?"
    assert answer_of(again, "x")[0].startswith("Over r it has period 1 from 2.8 to ")
    assert judged(again, "x").state == "unsaid"
    assert terminal_table(again)


def test_the_figure_has_the_diagram_and_the_periods_and_stays_small(diagram):
    figure = sections(diagram)["Bifurcation diagrams"][0]
    points, periods = (panel.marks[0] for panel in figure.panels)
    assert isinstance(points, Dots) and 3000 < len(points.x) <= 40_000 and len(periods.x) == (diagram.motion_period["x"] >= 0).sum()
    assert points.y.max() == pytest.approx(np.nanmax(diagram.branches["x"]), rel=1e-6)


def test_events_curves_and_histories_have_the_same_periods():
    values, time = [2.9, 3.2, 3.5, 3.84], uq.TimeGrid(end=200.0, points=401)

    def over_time(r, time):
        found = hits(r)["x"].values
        return {"x": np.repeat([0.4, *found], 2)[: len(time)]}

    events = done(hits, uq.Bifurcation(values=values, keep=50))
    strobed = done(over_time, uq.Bifurcation(values=values, keep=50, period=1.0), time=time)
    for result in (events, strobed):
        assert result.motion_period["x"].values.ravel().tolist() == [1, 2, 4, 3]
    assert events.branches["x"].attrs["unit"] == "mm"
    assert events.inner["x"].values[1] == pytest.approx(np.nanmax(events.branches["x"]))


def test_starts_and_samples_are_diagrams_side_by_side():
    inputs = BOX | {"x0": uq.Interval(0.1, 0.9)}
    started = done(hits, uq.Bifurcation(parameter="r", values=[2.9, 3.5], keep=16, starts={"x0": [0.2, 0.7, 0.8]}), inputs)
    drawn = done(hits, uq.Bifurcation(parameter="r", values=[2.9, 3.5], keep=16, samples=5), inputs)
    assert started.branches["x"].shape == (2, 1, 3, 1, 16) and drawn.branches["x"].shape == (2, 1, 1, 5, 16)
    for result in (started, drawn):
        assert {tuple(row) for row in result.motion_period["x"].values.reshape(2, -1).T.tolist()} == {(1, 4)}


@pytest.mark.parametrize("shift", [uq.Interval(-0.05, 0.05), uq.Uniform(-0.05, 0.05)])
def test_the_share_of_samples_with_a_period(shift):
    """A shift of r moves the flip at 3, so period 1 at r has the share of shifts below 3 - r."""

    def shifted(r, shift):
        return hits(r + shift)

    values, draws = [2.9, 2.97, 3.0, 3.02, 3.1], 40
    method = uq.Bifurcation(parameter="r", values=values, keep=20, samples=draws, near=0.05)
    result = done(shifted, method, BOX | {"shift": shift})
    share = result.period_share["x"].sel(of_period=1).values.ravel()
    np.testing.assert_allclose(share, np.clip((3.05 - np.array(values)) / 0.1, 0, 1), atol=0.15)  # near 3 transients are long
    bounds = result.section_bounds["x"].values[0, 0]
    r = 2.9 + np.array([-0.05, 0.05])
    np.testing.assert_allclose(bounds, 1 - 1 / r, atol=0.1 / draws)
    assert (bounds[0] >= 1 - 1 / r[0]) and bounds[1] <= 1 - 1 / r[1]
    assert answer_of(result, "x")[1].endswith("the period depends on the other inputs.")
    figure = sections(result)["Bifurcation diagrams"][0]
    assert isinstance(figure.panels[1].marks[0], Stack) and "40 samples" in " ".join(figure.caption)


def test_runs_that_fail_are_counted_and_shown_as_gaps():
    def fails(r):
        return {"x": uq.Events([np.inf], "iterate")} if 3.1 < r < 3.2 else hits(r)

    result = done(fails, uq.Bifurcation(points=30, keep=16, max_failed=0.2))
    r, period = result.motion_period["value"].values, result.motion_period["x"].values.ravel()
    assert ((period == -3) == ((r > 3.1) & (r < 3.2))).all()
    assert any("failed" in note for note in result.facts.notes) and judged(result, "x").state == "partly"


def test_a_transient_that_is_not_over_is_said():
    """Near the flip at 3 the motion comes to its fixed point by a factor of 2 - r a step, which takes thousands of them."""
    result = done(hits, uq.Bifurcation(values=[2.8, 2.99, 3.2], keep=40))
    assert result.motion_period["x"].values.ravel().tolist() == [1, DRIFTS, 2]
    assert any("still drift" in note for note in result.facts.notes) and judged(result, "x").state == "partly"


@pytest.mark.parametrize("factor", [0.99, -0.99, 0.98 * np.exp(0.7j), 1.01])
def test_a_drift_is_told_from_a_motion_without_period(factor):
    """It comes to, or leaves, a fixed point straight, alternating or in a spiral; a quasi-periodic and a chaotic motion do not."""
    k = np.arange(100)
    drifting = 0.5 + 0.01 * (factor**k).real
    quasi, chaotic = 0.5 + 0.4 * np.sin(np.sqrt(2) * k), np.asarray(hits(3.9)["x"].values)[-100:]
    assert periods_of(np.array([drifting, quasi, chaotic]), 16, 1e-5, 1.0).tolist() == [DRIFTS, NONE, NONE]


def test_a_period_of_too_few_points_is_none():
    points = np.full((2, 12), np.nan)
    points[0, :3], points[1] = 0.5, np.tile([0.1, 0.4, 0.3], 4)
    assert periods_of(points, 16, 1e-4, 1.0).tolist() == [FEW, 3]


def test_distance_of_two_sets_of_points():
    assert apart(np.array([0.0, 1.0]), np.array([1.0, 0.25, np.nan])) == 0.25
    assert np.isnan(apart(np.array([np.nan]), np.array([1.0])))


@pytest.mark.parametrize(
    ("method", "inputs", "says"),
    [
        (dict(values=[3.2, 3.1]), BOX, "values of a diagram rise"),
        (dict(values=[3.2, 5.1]), BOX, "outside its interval"),
        (dict(parameter="q"), BOX, "there is no input 'q'"),
        (dict(), BOX | {"x0": uq.Interval(0.1, 0.9)}, "which of r, x0 is the diagram over"),
        (dict(parameter="x0"), BOX | {"x0": uq.Uniform(0.1, 0.9)}, "which is random"),
        (dict(starts={"r": [3.0]}, parameter="r"), BOX, "which has starts too"),
        (dict(starts={"r": [3.0]}), BOX, "all intervals have starts"),
        (dict(starts={"r": []}), BOX, "no starts of 'r'"),
        (dict(directions=["down"]), BOX, "these all start at time zero"),
        (dict(sections=["y"]), BOX, "there is no output 'y'"),
        (dict(period=0.3), BOX, "the time grid ends at 0 s"),
        (dict(skip=10**6), BOX, "has a section point of x after its transient"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(method, inputs, says):
    def model(r, x0=0.4):
        return {**hits(r, x0), "h": 1.0}

    if "period" in method:
        with pytest.raises(StudyError, match=says):
            once_a_period(np.zeros(1), 0.3, whole=False)
        return
    with pytest.raises(StudyError, match=says) as error:
        done(model, uq.Bifurcation(**{"points": 3, **method}), inputs)
    assert error.value.remedy


def test_the_grid_of_times_has_to_hold_the_periods():
    with pytest.raises(StudyError, match=r"no point at 0\.3 s") as error:
        once_a_period(np.linspace(0, 3, 7), 0.3, whole=False)
    assert "time.points" in error.value.remedy
    with pytest.raises(StudyError, match="no whole number of periods"):
        once_a_period(np.linspace(0, 3, 7), 2.0, whole=True)
