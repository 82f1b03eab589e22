"""Verified ranges of polynomials over convex sets against closed forms, dense samples, and searches that stopped too early."""

import numpy as np
import pytest

from uqmbd.analysis.chaos.multi_index import index_set
from uqmbd.analysis.chebyshev.expansions import SparseExpansion
from uqmbd.analysis.sets.convex_body import Body
from uqmbd.analysis.sets.set_bounds import extremes
from uqmbd.analysis.sets.set_enclosure import enclosed
from uqmbd.inputs import ConvexSet, Interval, Space
from uqmbd.methods import ConvexBounds

from .loop import drive


def body(shape, d):
    names = [f"x{i}" for i in range(d)]
    pairs = [[names[i], names[i + 1], 0.5 * (-1) ** i] for i in range(d - 1)]
    made = ConvexSet(inputs=names, shape=shape, correlation=pairs)
    return Body(made.generators, ((tuple(range(d)), shape == "ellipsoid"),))


def random_columns(d, degree, count, seed):
    """Coefficients that fall as those of a smooth response do."""
    exponents = index_set([degree] * d)
    return exponents, np.random.default_rng(seed).normal(size=(len(exponents), count)) * np.exp(-1.5 * exponents.sum(axis=1))[:, None]


def test_product_over_the_ball():
    """|x y z| <= 3^(-3/2) on the unit ball, at (1, 1, 1) / √3."""
    exponents, c = index_set([3] * 3), None
    c = np.all(exponents == 1, axis=1).astype(float)[:, None]
    ball, u = Body(np.eye(3), (((0, 1, 2), True),)), np.random.default_rng(0).random((1024, 3))
    found, places, exact = extremes(exponents, c, ball, u)
    bounds = enclosed(exponents, c, ball, found, places, np.array([1e-7]))
    top = 3**-1.5
    assert not exact.any()
    assert np.all(bounds[:, 0] * [-1, 1] >= top - 1e-15) and bounds[:, 0] == pytest.approx([-top, top], abs=2e-7)


@pytest.mark.parametrize("shape", ["ellipsoid", "box"])
@pytest.mark.parametrize(("d", "degree"), [(2, 6), (3, 4), (4, 3)])
def test_bounds_meet_what_a_search_finds(shape, d, degree):
    """Both ends of nearly all columns are verified to a millionth of the width, so no search misses anything there."""
    exponents, c = random_columns(d, degree, 30, d)
    made = body(shape, d)
    found, places, _ = extremes(exponents, c, made, np.random.default_rng(1).random((2048, d)))
    width = found[1] - found[0]
    bounds = enclosed(exponents, c, made, found, places, 1e-6 * width)
    assert np.all(bounds[0] <= found[0]) and np.all(bounds[1] >= found[1])
    beyond = np.abs(bounds - found) / width
    assert np.mean(beyond <= 1.01e-6) >= 0.85


@pytest.mark.parametrize("shape", ["ellipsoid", "box"])
def test_bounds_hold_where_a_search_found_nothing(shape):
    """The centre in place of the extremes: all multipliers are 0, and parts of the box have to do it."""
    exponents, c = random_columns(3, 5, 20, 3)
    made, p = body(shape, 3), SparseExpansion(exponents, c)
    centre = p.evaluate(np.zeros((1, 3)))[0]
    width = np.ptp(p.evaluate(made.sample(np.random.default_rng(0).random((2000, 3)))), axis=0)
    bounds = enclosed(exponents, c, made, np.stack([centre, centre]), np.zeros((2, 20, 3)), 1e-3 * width)
    found, _, _ = extremes(exponents, c, made, np.random.default_rng(2).random((4096, 3)))
    assert np.all(bounds[0] <= found[0]) and np.all(bounds[1] >= found[1])
    box, _ = p.range("bernstein", 1e-6 * width)
    assert np.all(bounds[0] >= box[0] - 2e-3 * width) and np.all(bounds[1] <= box[1] + 2e-3 * width)


def test_bounds_of_a_valley_in_which_a_search_creeps():
    """Rosenbrock's function is least, 0, at (1, 1, 1, 1), which the set holds; a search stops at 7e-8 of the range above."""

    def rosenbrock(time, a, b, c, d):
        return {"y": sum(100 * (y - x**2) ** 2 + (1 - x) ** 2 for x, y in ((a, b), (b, c), (c, d)))}

    space = Space({name: Interval(-2, 2) for name in "abcd"}, sets={"s": {"inputs": ["a", "b"], "correlation": [["a", "b", -0.3]]}})
    result, _ = drive(ConvexBounds(degree=4, fallback_runs=0), space, rosenbrock)
    lower, upper = result.bounds["y"].values
    assert bool(result.trusted["y"]) and result.attrs["verified_share"] == 1 and result.attrs["exact_share"] == 0
    assert lower <= 1e-9 and lower == pytest.approx(0.0, abs=2e-6 * upper)


def test_validation_runs_of_a_sparse_grid_are_in_the_set():
    """Corners of the box, where a sparse grid is worst, are none of the set."""
    seen = []

    def model(time, a, b):
        seen.append(np.stack([a, b], axis=1))
        return {"y": a**2 + np.exp(a * b)}

    space = Space({name: Interval(-1, 1) for name in "ab"}, sets={"s": {"inputs": ["a", "b"], "correlation": [["a", "b", 0.9]]}})
    result, _ = drive(ConvexBounds(grid="sparse"), space, model)
    x = np.concatenate(seen[1:])[result.validation["check"].values]
    size = np.einsum("ni,ij,nj->n", x, np.linalg.inv([[1, 0.9], [0.9, 1]]), x)
    assert bool(result.trusted["y"]) and size.max() <= 1 + 1e-9
    assert np.count_nonzero(size >= 1 - 1e-9) >= 4  # towards all corners
