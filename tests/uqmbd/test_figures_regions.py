"""Boundaries between kinds of runs: neighbours, the line that is fitted, and the pictures."""

import numpy as np
import pytest

from uqmbd.analysis.search.boundary import Boundary
from uqmbd.analysis.search.extremes import Extremes
from uqmbd.analysis.search.separating import surface_between
from uqmbd.figures.marks import Curve, Points
from uqmbd.figures.phase_maps import region_figures
from uqmbd.inputs import Interval
from uqmbd.methods import Chebyshev, Search
from uqmbd.result import Result

from .loop import drive

BOX = {"a": Interval(0.0, 1000.0, "mm"), "b": Interval(-1.0, 1.0)}


def sides(distance, count=400, width=1e-3, seed=2):
    """Pairs across the line where `distance` is 0, and points all over the box."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-1, 1, (count, 2))
    near = points[np.abs(distance(points)) < 0.5]
    for _ in range(60):
        step = 1e-6
        slope = np.stack([(distance(near + step * e) - distance(near)) / step for e in np.eye(2)], axis=1)
        near = near - (distance(near) / (slope**2).sum(axis=1))[:, None] * slope
    slope /= np.linalg.norm(slope, axis=1)[:, None]
    shift = width * rng.uniform(0.1, 1, (len(near), 1))
    return np.stack([near + shift * slope, near - shift * slope], axis=1), points


def test_each_run_knows_its_nearest_of_another_kind():
    points = np.array([[0.0, 0.0], [0.5, 0.0], [0.6, 0.0], [-1.0, 0.0], [0.55, 0.0]])
    boundary = Boundary(points, np.array([1.0, 1.0, 2.0, 1.0, np.nan]))
    assert boundary.partner.tolist() == [2, 2, 1, 2, -1]
    assert boundary.pairs().tolist() == [[1, 2]] and np.isinf(boundary.distance[4])
    assert Boundary(points, np.ones(5)).pairs().shape == (0, 2)


def test_an_open_end_grows_by_its_slope_up_to_the_next_kind():
    x = np.array([0.0, 0.1, 0.2, 0.3, 0.35])
    extremes = Extremes(1, 3)
    extremes.take(2 * x[:4, None], np.arange(4))  # rising by 2 towards the other kind
    low, high = Boundary(x[:, None], np.array([1.0, 1, 1, 1, 2])).open_ends(extremes)[:, 0]
    assert high == pytest.approx(2 * 0.05)
    assert low == 2 * 0.35  # its three best runs are spread by 0.2: four times that reaches the other kind


def test_an_end_far_from_the_next_kind_is_not_open():
    x = np.array([0.0, 0.001, 0.002, 0.9])
    extremes = Extremes(1, 3)
    extremes.take(x[:3, None], np.arange(3))
    assert not Boundary(x[:, None], np.array([1.0, 1, 1, 2])).open_ends(extremes).any()


@pytest.mark.parametrize(
    "degree, distance", [(1, lambda x: 0.6 * x[:, 0] + 0.8 * x[:, 1] - 0.1), (2, lambda x: x[:, 1] - 0.8 * x[:, 0] ** 2)]
)
def test_a_line_is_found_to_the_width_of_the_pairs(degree, distance):
    pairs, points = sides(distance)
    surface = surface_between(pairs, points, distance(points) > 0)
    assert surface.degree == degree and surface.wrong == 0
    assert np.abs(surface(pairs.mean(axis=1))).max() < 2e-3


def test_sorts_that_no_line_tells_apart():
    pairs, points = sides(lambda x: np.sin(9 * x[:, 0]) + x[:, 1])
    surface = surface_between(pairs, points, np.sin(9 * points[:, 0]) + points[:, 1] > 0)
    assert surface.wrong > 0.1


def test_too_few_pairs_have_no_line():
    assert surface_between(np.zeros((2, 2, 2)), np.zeros((2, 2)), np.array([True, False])) is None


def kinds_of(model, inputs=BOX, **settings):
    """A result with its runs, of which methods know nothing."""
    import xarray as xr

    told = []

    def kept(time, **samples):
        values = model(**samples)
        told.append(samples | values)
        return values

    result, count = drive(Search(max_runs=1200, fresh=300, sequence="kind"), inputs, kept)
    runs = {name: np.concatenate([part[name] for part in told[1:]]) for name in told[0]}
    named = {f"input:{name}" if name in inputs else name: ("run", values) for name, values in runs.items()}
    return Result(**dict(result.groups()), runs=xr.Dataset(named | {"status": ("run", np.zeros(count, np.int8))}), attrs=result.attrs)


@pytest.fixture(scope="module")
def two():
    return kinds_of(lambda a, b: {"y": a, "kind": np.where(a + 0.2 * b > 0.6, 2.0, 1.0)})


def test_the_picture_has_both_kinds_and_the_line_between_them(two):
    (figure,) = region_figures(two)
    (panel,) = figure.panels
    points, lines = ([mark for mark in panel.marks if isinstance(mark, kind)] for kind in (Points, Curve))
    assert [mark.label for mark in points] == ["1", "2"] and len(lines) == 1
    x, y = lines[0].x, lines[0].y
    known = np.isfinite(x)
    np.testing.assert_allclose(x[known] + 0.2 * y[known], 0.6, atol=2e-3)
    assert figure.caption[-1] == "No run lies on its wrong side."


def test_of_more_inputs_the_two_that_tell_kinds_apart_are_drawn():
    inputs = {name: Interval(0.0, 1.0) for name in "abcd"}
    result = kinds_of(lambda a, b, c, d: {"y": a, "kind": np.where(b + d > 1.0, 2.0, 1.0)}, inputs)
    (figure,) = region_figures(result)
    assert (figure.panels[0].x_label, figure.panels[0].y_label) == ("b", "d")
    assert not any(isinstance(mark, Curve) for mark in figure.panels[0].marks)


def test_leaves_are_drawn_with_two_inputs():
    settings = {"split": True, "max_runs": 600, "fallback_runs": 0}
    result, _ = drive(Chebyshev(**settings), BOX, lambda time, a, b: {"y": np.where(a > 0.3, 2.0, 0.0) * (b > 0) + a})
    (figure,) = region_figures(result)
    assert figure.key == "leaves.y" and [mark.label for mark in figure.panels[0].marks] == ["trusted", "not trusted"]
    assert f"{result.attrs['leaves']} parts of the box" in figure.caption[0]
