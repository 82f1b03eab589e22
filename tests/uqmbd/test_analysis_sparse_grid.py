"""Sparse grids and sparse expansions: exactness, ranges that are known, enclosure of random ones, monotonicity."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.expansions import SparseExpansion, TensorExpansion
from uqmbd.analysis.chebyshev.monotonicity import extreme_corners, signs
from uqmbd.analysis.chebyshev.sparse_grid import SparseGrid, degree, fractions, new_nodes
from uqmbd.analysis.chebyshev.sparse_range import LARGEST_TENSOR, sparse_range


def range_of(expansion, *arguments, **options):
    """`sparse_range` of an expansion."""
    return sparse_range(expansion.exponents, expansion.c, *arguments, **options)


def simplex(d, level):
    """All indices of a sum up to `level`, lowest first."""
    return sorted((index for index in product(range(level + 1), repeat=d) if sum(index) <= level), key=sum)


def filled(indices, function, failed=()):
    """A grid of these indices with runs of `function`, and its points."""
    grid, points = SparseGrid(len(indices[0])), np.empty((0, len(indices[0])))
    for index in indices:
        new = grid.open(index, len(points))
        assert len(new) == new_nodes(index)
        points = np.concatenate([points, new])
    values = function(points)
    ok = ~np.isin(np.arange(len(points)), failed)
    values[~ok] = np.nan
    grid.absorb(values, ok)
    return grid, points


def random_sparse(seed, d, total, decay, columns=3):
    """Random expansion of total degree `total`."""
    rng = np.random.default_rng(seed)
    exponents = np.array([k for k in product(range(total + 1), repeat=d) if sum(k) <= total])
    return SparseExpansion(exponents, rng.standard_normal((len(exponents), columns)) * decay ** exponents.sum(axis=1)[:, None])


def test_nodes_are_nested_and_clenshaw_curtis_at_powers_of_two():
    for n in (2, 4, 8, 64, 128):
        assert np.sort(fractions(n)) == pytest.approx(chebyshev.fractions(n), abs=0)
    assert len(set(fractions(128))) == 129 and fractions(0) == [0.5]
    for level in range(65):
        nodes = np.cos(np.pi * np.array(fractions(degree(level))))
        assert np.sort(-nodes) == pytest.approx(np.sort(nodes), abs=1e-15)


def test_lebesgue_constant_between_powers_of_two():
    x = np.cos(np.linspace(0, np.pi, 3001))
    worst = 0.0
    for level in range(1, 65):
        n = degree(level)
        nodes = np.sin(np.pi * (0.5 - np.array(fractions(n))))
        at_nodes = np.linalg.inv(chebyshev.polynomials(nodes, n))
        worst = max(worst, np.abs(chebyshev.polynomials(x, n) @ at_nodes).sum(axis=1).max())
    assert worst < 70


@pytest.mark.parametrize(("d", "level"), [(1, 6), (2, 4), (3, 3), (5, 2)])
def test_polynomials_of_the_index_set_are_reproduced(d, level):
    rng = np.random.default_rng(d)
    indices = simplex(d, level)
    exponents = np.array(sorted({k for index in indices for k in product(*(range(degree(m) + 1) for m in index))}))
    exact = SparseExpansion(exponents, rng.standard_normal((len(exponents), 2)))
    grid, points = filled(indices, exact.evaluate)
    assert len(np.unique(points, axis=0)) == len(points) == len(grid) == len(exponents)  # no run twice
    fresh = rng.uniform(-1, 1, (50, d))
    assert grid.expansion().evaluate(fresh) == pytest.approx(exact.evaluate(fresh), abs=1e-9)


def test_surplus_falls_and_says_where():
    grid, _ = filled(simplex(2, 4), lambda x: np.stack([np.exp(2 * x[:, 0]), x[:, 0] * x[:, 1]], axis=1))
    exponential, coupled = np.array([grid.surpluses[index] for index in ((4, 0), (0, 1), (1, 1))]).T
    assert 0 < exponential[0] < 0.05 and exponential[1:] == pytest.approx(0, abs=1e-12)
    assert coupled == pytest.approx([0, 0, 1], abs=1e-12)


def test_order_of_opening_is_checked_and_neighbours_are_admissible():
    grid = SparseGrid(2)
    grid.open((0, 0), 0)
    assert grid.neighbours((0, 0)) == [(1, 0), (0, 1)]
    with pytest.raises(ValueError, match="not open"):
        grid.open((1, 1), 1)


def test_growth_in_eight_inputs_is_polynomial():
    """Runs of total level L in 8 inputs: 1, 17, 145, 833 (a tensor grid of the same degrees has 1, 6561, 390625, 5764801)."""
    assert [sum(new_nodes(index) for index in simplex(8, level)) for level in range(4)] == [1, 17, 145, 833]


@pytest.mark.parametrize("failed", [[0], [1, 2], [5, 11, 23, 40]])
def test_failed_nodes_leave_their_neighbours_alone(failed):
    def function(x):
        return np.exp(x @ [[0.3, 0.1], [0.2, -0.4], [0.5, 0.2]])

    fresh = np.random.default_rng(1).uniform(-1, 1, (500, 3))
    grid, _ = filled(simplex(3, 4), function, failed)
    assert grid.filled == len(failed)
    whole, _ = filled(simplex(3, 4), function)
    error = [np.abs(g.expansion().evaluate(fresh) - function(fresh)).max() for g in (whole, grid)]
    assert error[0] < 1e-4 and error[1] < 5 * error[0]


def test_derivative_and_main_effects_agree_with_the_tensor():
    sparse = random_sparse(0, 3, 5, 0.7)
    tensor = np.zeros((6, 6, 6, 3))
    tensor[tuple(sparse.exponents.T)] = sparse.c
    x = np.random.default_rng(2).uniform(-1, 1, (20, 3))
    for axis in range(3):
        assert sparse.derivative(axis).evaluate(x) == pytest.approx(TensorExpansion(tensor).derivative(axis).evaluate(x), abs=1e-11)
    assert sparse.main_effect_widths() == pytest.approx(TensorExpansion(tensor).main_effect_widths(), abs=1e-12)
    assert sparse.range("cosine", np.ones(3))[0] == pytest.approx(TensorExpansion(tensor).range("cosine", np.ones(3))[0])


KNOWN = {  # on [-1, 1]^8 unless said: function, range; all are polynomials of total degree 4 or less
    "linear": (8, 1, lambda x: x @ np.arange(1, 9.0), (-36, 36)),
    "sum of squares": (8, 2, lambda x: (x**2).sum(axis=1), (0, 8)),
    "separable cubic": (8, 2, lambda x: (x**3 - x / 4).sum(axis=1), (-6, 6)),
    "pairs": (8, 2, lambda x: x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3] - x[:, 4] * x[:, 5] + 2 * x[:, 6] * x[:, 7], (-5, 5)),
    "valley": (8, 2, lambda x: ((x[:, :4] - x[:, 4:]) ** 2).sum(axis=1), (0, 16)),
    "chain": (8, 2, lambda x: -((x - 0.25) ** 2).sum(axis=1) - ((x[:, 1:] - x[:, :-1]) ** 2).sum(axis=1), (-40.5, 0)),
    "triple": (6, 3, lambda x: x[:, 0] * x[:, 1] * x[:, 2] + x[:, 3] * x[:, 4] * x[:, 5] + x.sum(axis=1), (-8, 8)),
    "Rosenbrock": (4, 3, lambda x: (100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2 + (1 - x[:, :-1]) ** 2).sum(axis=1), (0, 3 * 404)),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_ranges_up_to_eight_inputs(name):
    """`chain`: the least value has x = -1 and 1 by turns, -(4 · 1.5625 + 4 · 0.5625) - 7 · 4 = -36.5, or fewer turns and less of it."""
    d, level, function, (low, high) = KNOWN[name]
    if name == "chain":
        corners = np.array(list(product((-1.0, 1.0), repeat=8)))
        low = function(corners).min()  # concave: least at a corner
    grid, points = filled(simplex(d, level), lambda x: function(x)[:, None])
    (lower, upper), met = range_of(grid.expansion(), np.array([1e-4 * (high - low)]))
    assert lower[0] <= low + 1e-9 and high - 1e-9 <= upper[0]
    assert met.all() and upper[0] - lower[0] <= (high - low) * (1 + 2.1e-4)
    assert len(points) <= 833


def test_large_coupled_expansion_goes_to_the_boxes_and_says_when_they_run_out():
    d = 8

    def function(x):
        return np.stack([np.exp(x @ np.linspace(0.1, 0.3, d)), 1 / (3 + x.sum(axis=1) / 4)], axis=1)

    grid, points = filled(simplex(d, 3), function)
    p = grid.expansion()
    assert np.prod(p.exponents.max(axis=0) + 1.0) > LARGEST_TENSOR
    ends = p.evaluate(np.array([[-1.0] * d, [1.0] * d]))
    bounds, met = range_of(p, 1e-6 * np.ptp(ends, axis=0))
    assert met.all() and bounds == pytest.approx(np.sort(ends, axis=0), rel=1e-5)
    hard = random_sparse(3, 8, 4, 0.8, columns=1)
    scan = hard.range("scan", np.ones(1))[0]
    loose, met = range_of(hard, 1e-9 * (scan[1] - scan[0]), max_boxes=20)
    assert not met.any() and loose[0] <= scan[0] and scan[1] <= loose[1]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), shape=st.sampled_from([(2, 6), (3, 5), (5, 3), (6, 3), (8, 2)]), decay=st.floats(0.3, 0.9))
def test_samples_never_leave_the_bounds(seed, shape, decay):
    p = random_sparse(seed, *shape, decay)
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.uniform(-1, 1, (2000, shape[0])), rng.choice([-1.0, 0.0, 1.0], (1000, shape[0]))])
    values = p.evaluate(x)
    for boxes in (5, 300):
        bounds, _ = range_of(p, 1e-3 * np.ptp(values, axis=0), max_boxes=boxes)
        assert np.all(bounds[0] <= values.min(axis=0)) and np.all(values.max(axis=0) <= bounds[1])
    assert np.all(p.range("cosine", np.ones(3))[0][1] >= bounds[1] - 1e-3 * np.ptp(values, axis=0))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.floats(0.01, 100))
def test_permuting_inputs_and_scaling(seed, scale):
    p = random_sparse(seed, 4, 4, 0.6)
    gap = 1e-5 * np.abs(p.c).sum(axis=0)
    bounds, met = range_of(p, gap)
    order = np.random.default_rng(seed).permutation(4)
    permuted, met_too = range_of(SparseExpansion(p.exponents[:, order], p.c), gap)
    scaled, _ = range_of(SparseExpansion(p.exponents, scale * p.c), scale * gap)
    assert met.all() and met_too.all()
    assert np.all(np.abs(permuted - bounds) <= 1.01 * gap) and np.all(np.abs(scaled - scale * bounds) <= 1.01 * scale * gap)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), shrink=st.floats(0.1, 0.95))
def test_widening_an_interval_never_narrows_the_bounds(seed, shrink):
    p = random_sparse(seed, 3, 4, 0.6)
    gap = 1e-6 * np.abs(p.c).sum(axis=0)
    grid, _ = filled(simplex(3, 4), lambda x: p.evaluate(shrink * x))  # the same polynomial on a smaller box
    inner, outer = range_of(grid.expansion(), gap)[0], range_of(p, gap)[0]
    assert np.all(outer[0] <= inner[0] + 2 * gap) and np.all(inner[1] - 2 * gap <= outer[1])


def test_monotonicity_is_found_where_it_is_and_only_there():
    """x + x² / 2 touches slope 0 at -1; 3 x + x² rises; x² does neither; the error of a surrogate takes back what it does not resolve."""
    functions = [
        lambda x, y: x + x**2 / 2 - y,
        lambda x, y: 3 * x + x**2 + x * y / 2 - 2 * y,
        lambda x, y: x**2 + y,
        lambda x, y: x - 0.1 * y,
    ]
    grid, _ = filled(simplex(2, 2), lambda p: np.stack([f(*p.T) for f in functions], axis=1))
    error = np.array([0.01, 0.01, 0.0, 0.2])
    for closely in (False, True):
        found = signs(grid.expansion(), error, 2, closely=closely)
        assert found.tolist() == [[0, 1, 0, 1], [-1, -1, 1, 0]]
    steep = SparseExpansion(np.array([[0], [1], [2], [3]]), np.array([[0.0], [1.0], [0.3], [0.1]]))  # slope 0.7 + 1.2 x + 1.2 x² > 0.4
    assert signs(steep, np.array([0.1]), 1, closely=False).item() == 0 and signs(steep, np.array([0.1]), 1).item() == 1
    assert extreme_corners(found).tolist() == [[-1.0, 1.0], [1.0, -1.0]]
    assert extreme_corners(np.zeros((2, 3))).shape == (0, 2)


def test_a_tensor_whose_inputs_nothing_couples_is_bounded_input_by_input():
    """x0² + ... + x7² - x0 x7: boxes of all eight inputs together do not get near it."""
    c = np.zeros((3,) * 8 + (1,))
    c[(0,) * 8] = 4.0
    for axis in range(8):
        c[tuple(2 * (i == axis) for i in range(8))] = 0.5
    c[(1, 0, 0, 0, 0, 0, 0, 1)] = -1.0
    bounds, met = TensorExpansion(c).range("bernstein", np.array([1e-6]))
    assert met.all() and bounds[:, 0] == pytest.approx([0.0, 9.0], abs=2e-6)


def test_one_end_alone_of_a_polynomial_too_large_for_a_tensor():
    expansion = random_sparse(3, 6, 5, 0.5)
    assert np.prod(expansion.exponents.max(axis=0) + 1.0) > LARGEST_TENSOR
    values = expansion.evaluate(2 * np.random.default_rng(0).random((5000, 6)) - 1)
    best = values.max(axis=0)
    bounds, _ = range_of(expansion, np.full(3, 1e-3), seen=(np.full(3, -np.inf), best), max_boxes=200)
    assert np.all(bounds[1] >= best) and np.isfinite(bounds[1]).all()
