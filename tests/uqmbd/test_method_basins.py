"""Basins of attraction as a method: shares against borders that are known in closed form."""

import os

import numpy as np
import pytest
from scipy.special import bdtr, bdtrc

import uqmbd as uq
from uqmbd.errors import StudyError
from uqmbd.figures import matplotlib_view, sections
from uqmbd.figures.alt import alternative
from uqmbd.figures.basins import areas_of
from uqmbd.figures.marks import Points
from uqmbd.figures.tiles import Tiles
from uqmbd.methods.dynamics.attractors import FAILED, UNTOLD, linked, motions
from uqmbd.report.answers import answer_of, question_of
from uqmbd.report.judged import judged
from uqmbd.report.plotly_view import draw
from uqmbd.report.terminal import terminal_table
from uqmbd.result import open_results

STEPS = 80
BOX = {"x": uq.Interval(-0.5, 1.5)}


@uq.vectorized
def cubic(x, a=0.5):
    """x' = (1 + a) x - a x^3: comes to 1 from above 0, to -1 from below, between -+ sqrt((2 + a)/a)."""
    found = np.empty((len(x), STEPS))
    for k in range(STEPS):
        x = found[:, k] = (1.0 + a) * x - a * x**3
    return {"x": uq.Curve(found, np.arange(float(STEPS)), "iterate")}


@uq.vectorized
def wells(x, v, d):
    """The double well x'' + d x' - x + x^3 = 0, by classical Runge-Kutta; odd, so that each well has half of a box around 0."""
    h, found = 0.1, []
    rates = [0.5 * h, 0.5 * h, h]

    def rate(x, v):
        return np.stack([v, x - x**3 - d * v])

    state = np.stack([x, v])
    for k in range(600):
        slopes = [rate(*state)]
        for part in rates:
            slopes.append(rate(*(state + part * slopes[-1])))
        state = state + h / 6.0 * (slopes[0] + 2.0 * slopes[1] + 2.0 * slopes[2] + slopes[3])
        if k % 10 == 9:
            found.append(state[0])
    return {"place": uq.Curve(np.array(found).T, np.arange(60.0), "strobe", unit="m")}


@pytest.fixture(scope="module", autouse=True)
def here(tmp_path_factory):
    """Results of all studies lie in a folder of their own."""
    before = os.getcwd()
    os.chdir(tmp_path_factory.mktemp("basins"))
    yield
    os.chdir(before)


def done(model, method, inputs=BOX, outputs=("x",), **more):
    study = uq.Study(model=model, inputs=inputs, outputs=list(outputs), method=method, name="basins", **more)
    return study.run(workers=0, report=False, progress=False, overwrite=True)


def column(result, word):
    return result.attractors["shares"].sel(of_attractor=word).values.tolist()


@pytest.fixture(scope="module")
def two(here):
    return done(cubic, uq.Basins(cells=40))


def test_shares_of_a_map_whose_border_is_an_edge_of_cells_are_exact(two):
    assert column(two, "share") == [0.75, 0.25] and column(two, "period") == [1.0, 1.0]
    assert two.attractor_points["x"].values[:, 0] == pytest.approx([1.0, -1.0], abs=1e-9)
    at, start = two.basins["attractor"].values, two.basins["start:x"].values
    assert ((start > 0) == (at == 0)).all()


def test_limits_of_independent_starts_are_those_of_clopper_and_pearson():
    result = done(cubic, uq.Basins(random=400))
    (share, _), (lower, _), (upper, _) = (column(result, word) for word in ("share", "lower", "upper"))
    hits = round(400 * share)  # at each limit the hits, and more or fewer, have a probability of 2.5 %
    assert bdtrc(hits - 1, 400, lower) == pytest.approx(0.025) and bdtr(hits, 400, upper) == pytest.approx(0.025)
    assert lower < 0.75 < upper


def test_wells_of_an_odd_oscillator_have_half_of_the_box_each():
    inputs = {"x": uq.Interval(-2.0, 2.0), "v": uq.Interval(-2.0, 2.0), "d": uq.Uniform(0.35, 0.5)}
    result = done(wells, uq.Basins(cells=12, samples=3), inputs, ["place"])
    assert len(column(result, "share")) == 2 and sorted(result.attractor_points["place"].values[:, 0].round(3).tolist()) == [-1.0, 1.0]
    assert all(low < 0.5 < high for low, high in zip(column(result, "lower"), column(result, "upper"), strict=True))
    assert all(0.4 < share < 0.6 for word in ("least", "greatest") for share in column(result, f"{word} of a sample"))


def test_an_attractor_that_moves_with_other_inputs_is_one():
    """x' = x - r (x - c): one fixed point, c, which moves by a third of the box."""

    @uq.vectorized
    def moving(x, c):
        points = c[:, None] + (x - c)[:, None] * 0.5 ** np.arange(1, STEPS + 1)
        return {"x": uq.Curve(points, np.arange(float(STEPS)), "iterate")}

    result = done(moving, uq.Basins(coordinates=["x"], cells=4, samples=200), {"x": uq.Interval(0.0, 3.0), "c": uq.Interval(1.0, 2.0)})
    assert column(result, "share") == [1.0] and result.basins["sample"].values[-1] == 199


def test_starts_that_leave_all_bounds_are_failed_runs_and_widen_the_upper_limits():
    """The map above leaves from beyond sqrt(5)."""

    def one(x):
        found = cubic(np.array([x]))["x"].values[0]
        if not np.isfinite(found).all():
            raise ValueError("it leaves")
        return {"x": uq.Events(found, "iterate")}

    with np.errstate(all="ignore"):
        result = done(one, uq.Basins(cells=50, max_failed=0.9), {"x": uq.Interval(-5.0, 5.0)})
    names = result.attractors["attractor"].values.tolist()
    share = dict(zip(names, column(result, "share"), strict=True))
    beyond = 2 * (5.0 - np.sqrt(5.0)) / 10.0
    assert names[-1] == "failed" and share["failed"] == pytest.approx(beyond, abs=0.04)
    assert column(result, "upper")[0] > 0.7 and column(result, "lower")[0] < 0.25
    assert judged(result, "x").state == "partly"


def test_tables_figure_and_words(two, tmp_path):
    again = open_results(two.save(tmp_path))
    table = next(frame.table for frame in again.tables() if frame.key == "attractors_shares")
    assert table.index.tolist() == ["1: period 1, x = 1", "2: period 1, x = -1"] and table.loc["1: period 1, x = 1", "runs"] == 30
    assert question_of(again, "x") == "To which attractor does the motion come, by x at its start?"
    assert answer_of(again, "x")[0].startswith("Of all starts come 75 % (")
    figure, shares = sections(again)["Basins of attraction"]
    assert [(type(mark), len(mark.x)) for mark in figure.panels[0].marks] == [(Points, 30), (Points, 10)]
    assert shares.panels[0].names == tuple(table.index)
    assert terminal_table(again)


def test_cells_of_two_coordinates_are_filled_and_starts_at_random_are_dots(tmp_path):
    """The second coordinate does nothing: areas of [-0.5, 1.5] x [0, 4] with a border at 0, and of cells of which a part has run."""

    @uq.vectorized
    def idle(x, v):
        return cubic(x)

    box = {**BOX, "v": uq.Interval(0.0, 4.0)}
    result = done(idle, uq.Basins(cells=8), box)
    marks = sections(result)["Basins of attraction"][0].panels[0].marks
    assert [type(mark) for mark in marks] == [Tiles, Tiles]
    assert [(mark.left.min(), mark.right.max(), mark.lower.min(), mark.upper.max()) for mark in marks] == [(0, 1.5, 0, 4), (-0.5, 0, 0, 4)]
    assert [((mark.right - mark.left) * (mark.upper - mark.lower)).sum() for mark in marks] == pytest.approx([6.0, 2.0])
    figure = sections(result)["Basins of attraction"][0]
    assert [trace["fill"] for trace in draw(figure)["data"]] == ["toself", "toself"] and "in 6 areas" in alternative(figure)
    assert matplotlib_view.save(figure, tmp_path / "basins.png").stat().st_size > 1000
    part = areas_of(np.arange(3.0), np.arange(3.0), np.arange(3) != 1, "", 0)
    assert (part.left.tolist(), part.lower.tolist()) == ([0.0, 1.0], [0.0, 0.0])
    marks = sections(done(idle, uq.Basins(random=30), box))["Basins of attraction"][0].panels[0].marks
    assert {type(mark) for mark in marks} == {Points}


def test_chaotic_motions_are_one_attractor_and_coexisting_ones_two():
    """The cubic map x' = c x - x^3 has two chaotic attractors below c = 3 sqrt(3)/2, and one above."""

    @uq.vectorized
    def odd(x, c):
        found = np.empty((len(x), 400))
        for k in range(400):
            x = found[:, k] = c * x - x**3
        return {"x": uq.Curve(found, np.arange(400.0), "iterate")}

    for c, count in ((2.5, 2), (2.9, 1)):
        inputs = {"x": uq.Interval(-1.2, 1.2), "c": uq.Fixed(c)}
        result = done(odd, uq.Basins(cells=40), inputs)
        assert len(column(result, "share")) == count and column(result, "period") == [0.0] * count
        assert column(result, "share")[0] == pytest.approx(1.0 / count, abs=0.3)


def test_drifting_and_failed_motions_have_no_attractor():
    slow = 1.0 + 0.04 * 0.98 ** np.arange(60)
    points = [np.stack([np.full(60, 1.0), slow + 0.0 * slow, np.full(60, np.nan)])]
    found = motions(points, [1.0], np.array([True, True, False]), 4, 1e-4)
    assert found.attractor.tolist() == [0, UNTOLD, FAILED]


def test_a_section_that_is_not_passed_tells_motions_apart():
    hit, free = np.tile([0.2, 0.4], 8), np.full(16, np.nan)
    found = motions([np.ones((3, 16)), np.stack([hit, free, free])], [1.0, 1.0], np.ones(3, bool), 4, 1e-3)
    assert found.attractor.tolist() == [1, 0, 0] and found.period.tolist() == [2, 1, 1]


def test_chains_of_near_places_are_linked():
    places = np.concatenate([np.linspace(0.0, 1.0, 40), np.linspace(1.2, 1.5, 20)])[:, None]
    number = linked(places, 0.05)
    assert len(set(number[:40])) == 1 and len(set(number[40:])) == 1 and number[0] != number[-1]


@pytest.mark.parametrize(
    ("method", "inputs", "says"),
    [
        (dict(), {name: uq.Interval(0.0, 1.0) for name in ("x", "a", "b")}, "which of x, a, b say where runs start"),
        (dict(), {"x": uq.Uniform(0.0, 1.0)}, "no input is an interval of starts"),
        (dict(coordinates=["y"]), BOX, "no input 'y' to have starts"),
        (dict(coordinates=["x", "x"]), BOX, "named twice"),
        (dict(cells=9000), {"x": uq.Interval(0.0, 1.0), "a": uq.Interval(0.0, 1.0)}, "81,000,000 runs are more than"),
        (dict(random=10, samples=10**6), BOX, r"method\.samples = 1000000: 10,000,000 runs are more"),
        (dict(sections=["x", "x"]), BOX, "'x' is named twice"),
        (dict(skip=1000), BOX, "has a section point of x after its transient"),
        (dict(sections=["y"]), BOX, "there is no output 'y'"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(method, inputs, says):
    with pytest.raises(StudyError, match=says) as error:
        done(cubic if inputs is BOX else (lambda x, a=0.5, b=0.0: {"x": x}), uq.Basins(**{"cells": 3, **method}), inputs)
    assert error.value.remedy
