"""Ranges of expansions: known polynomials, random ones, and the three enclosures against each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.chebyshev import chebyshev, enclosures
from uqmbd.analysis.chebyshev.bernstein import bernstein_range
from uqmbd.analysis.chebyshev.expansions import SparseExpansion, TensorExpansion
from uqmbd.analysis.sets.ranges import range_of

POINTS = {1: 2001, 2: 101, 3: 31}


def random_expansion(seed, degrees, decay, columns=5):
    rng = np.random.default_rng(seed)
    shape = tuple(degree + 1 for degree in degrees)
    return rng.standard_normal((*shape, columns)) * (decay ** np.indices(shape).sum(axis=0))[..., None]


def scanned(c):
    """Range on a grid, and what the range may exceed it by: half a step times the largest slope (Markov: n² Σ|c|)."""
    d = c.ndim - 1
    axes = [np.cos(np.linspace(np.pi, 0, POINTS[d]))] * d
    values = chebyshev.evaluate_grid(c, axes).reshape(-1, c.shape[-1])
    return np.stack([values.min(axis=0), values.max(axis=0)])


def polished(c, column, sign):
    """Extremum by a local search from the best grid point: an attained value, exact to 1e-10 or so."""
    from scipy.optimize import minimize

    d = c.ndim - 1
    axes = [np.cos(np.linspace(np.pi, 0, POINTS[d]))] * d
    one = c[..., column : column + 1]
    values = sign * chebyshev.evaluate_grid(one, axes)[..., 0]
    best = np.inf
    for start in np.argsort(values, axis=None)[:20]:
        at = np.array([axis[i] for axis, i in zip(axes, np.unravel_index(start, values.shape))])
        found = minimize(
            lambda x: sign * chebyshev.evaluate(one, x[None])[0, 0], at, bounds=[(-1, 1)] * d, method="L-BFGS-B", options={"ftol": 1e-15}
        )
        best = min(best, found.fun, values.min())
    return sign * best


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    degrees=st.sampled_from([(1,), (7,), (40,), (3, 5), (8, 8), (20, 3), (2, 3, 4), (6, 6, 6), (0, 4)]),
    decay=st.sampled_from([0.2, 0.5, 0.9]),
    gap=st.sampled_from([1e-2, 1e-5]),
)
def test_bernstein_encloses_and_keeps_its_gap(seed, degrees, decay, gap):
    c = random_expansion(seed, degrees, decay)
    scan = scanned(c)
    width = scan[1] - scan[0]
    bounds, met = bernstein_range(c, gap * width)
    rounding = 1e-13 * np.abs(c).reshape(-1, c.shape[-1]).sum(axis=0)
    assert np.all(bounds[0] <= scan[0] + rounding) and np.all(bounds[1] >= scan[1] - rounding)
    assert met.all()
    lower, upper = polished(c, 0, 1.0), polished(c, 0, -1.0)
    assert bounds[0, 0] <= lower + rounding[0] and bounds[1, 0] >= upper - rounding[0]
    assert lower - bounds[0, 0] <= 1.001 * gap * width[0] + 10 * rounding[0]
    assert bounds[1, 0] - upper <= 1.001 * gap * width[0] + 10 * rounding[0]


@pytest.mark.parametrize("degrees", [(3, 3), (5, 4, 3), (33,)])
def test_known_values_change_nothing_but_work(degrees):
    c = random_expansion(3, degrees, 0.6)
    nodes = chebyshev.evaluate_grid(c, [chebyshev.nodes(degree) for degree in degrees]).reshape(-1, c.shape[-1])
    gap = 1e-6 * np.ptp(nodes, axis=0)
    with_seen, met = bernstein_range(c, gap, seen=(nodes.min(axis=0), nodes.max(axis=0)))
    without, _ = bernstein_range(c, gap)
    assert met.all()
    assert np.all(np.abs(with_seen - without) <= 1.001 * gap)


def test_exact_ranges():
    """x², T_n, a saddle, a diagonal valley (the hardest for boxes), and a constant."""
    square = np.zeros((3, 1))
    square[[0, 2], 0] = 0.5
    assert bernstein_range(square, 1e-9)[0][:, 0] == pytest.approx([0, 1], abs=2e-9)
    for n in (1, 5, 16, 17, 64, 100):
        c = np.zeros((n + 1, 1))
        c[n] = 1
        bounds, met = bernstein_range(c, 1e-6)
        assert met.all() and bounds[:, 0] == pytest.approx([-1, 1], abs=2e-6)
        assert bounds[0, 0] <= -1 and bounds[1, 0] >= 1
    saddle = np.zeros((2, 2, 1))
    saddle[1, 1] = 3
    assert bernstein_range(saddle, 1e-9)[0][:, 0] == pytest.approx([-3, 3], abs=1e-12)
    valley = np.zeros((3, 3, 1))  # -(x - y)² = -1 - T2(x)/2 - T2(y)/2 + 2 x y
    valley[0, 0], valley[2, 0], valley[0, 2], valley[1, 1] = -1, -0.5, -0.5, 2
    bounds, met = bernstein_range(valley, 1e-4)
    assert met.all() and bounds[:, 0] == pytest.approx([-4, 0], abs=1e-4) and bounds[1, 0] >= 0
    constant = np.zeros((4, 4, 1))
    constant[0, 0] = 7
    assert bernstein_range(constant, 0.0)[0][:, 0] == pytest.approx([7, 7], abs=1e-11)


def test_bound_stays_valid_when_boxes_run_out():
    c = random_expansion(5, (8, 8), 0.9)
    few, met = bernstein_range(c, 1e-9, max_boxes=3)
    many, _ = bernstein_range(c, 1e-9)
    assert not met.all()
    assert np.all(few[0] <= many[0] + 1e-9) and np.all(few[1] >= many[1] - 1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), degrees=st.sampled_from([(6,), (4, 4), (3, 2, 4)]))
def test_scan_within_bernstein_within_cosine(seed, degrees):
    c = random_expansion(seed, degrees, 0.6)
    gap = np.full(c.shape[-1], 1e-6)
    scan, bernstein, cosine = (enclosures.ENCLOSURES[name](c, gap)[0] for name in ("scan", "bernstein", "cosine"))
    assert np.all(bernstein[0] <= scan[0]) and np.all(scan[1] <= bernstein[1])
    assert np.all(cosine[0] <= bernstein[0] + 1e-6) and np.all(bernstein[1] <= cosine[1] + 1e-6)
    flat = c.reshape(-1, c.shape[-1])
    assert cosine[1] - cosine[0] == pytest.approx(2 * np.abs(flat[1:]).sum(axis=0))


def test_many_numbers_together_have_the_ranges_of_each_alone_to_the_last_bit():
    """Numbers whose terms lead to the same steps are bounded in one call: no output changes another's."""
    rng, count = np.random.default_rng(0), 120
    degrees = np.add.outer(np.arange(4), np.arange(4))
    c = rng.normal(size=(4, 4, count)) * np.exp(-2.0 * degrees)[..., None]
    c[1:, 1:, ::2] = c[0, 1:, ::5] = c[1:, 0, ::7] = 0.0
    few = np.argwhere(degrees <= 3)
    for expansion in (TensorExpansion(c), SparseExpansion(few, c[tuple(few.T)])):
        gap, slices = 1e-3 * np.abs(c).sum(axis=(0, 1)), [slice(k, k + 1) for k in range(count)]
        bounds, met = range_of(expansion, slices, np.arange(count), gap, "bernstein")
        assert 1 < len(expansion.alike("bernstein", gap)) < count / 5
        for k in range(0, count, 3):
            one, one_met = range_of(expansion, slices, np.array([k]), gap[k : k + 1], "bernstein")
            assert np.array_equal(one[:, 0], bounds[:, k]) and one_met[0] == met[k]
        grid = np.linspace(-1.0, 1.0, 41)
        values = expansion.evaluate(np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2))
        assert (bounds[0] <= values.min(axis=0) + 1e-14).all() and (bounds[1] >= values.max(axis=0) - 1e-14).all()


class FromOutside(Fitted):
    """An expansion of a user, which does not say which columns are treated alike."""

    def __init__(self, c):
        self.mine = TensorExpansion(c)

    count = property(lambda self: self.mine.count)

    def select(self, columns):
        return FromOutside(self.mine.c[..., np.asarray(columns)])

    def range(self, how, gap, seen=None):
        return self.mine.range(how, gap, seen)


def test_numbers_of_an_expansion_from_outside_are_bounded_one_by_one():
    c = np.random.default_rng(0).normal(size=(3, 3, 7))
    slices, gap = [slice(k, k + 1) for k in range(7)], np.full(7, 1e-3)
    bounds, met = range_of(FromOutside(c), slices, np.arange(7), gap, "bernstein")
    ours, _ = range_of(TensorExpansion(c), slices, np.arange(7), gap, "bernstein")
    assert met.all() and np.allclose(bounds, ours, rtol=0, atol=2e-3)


@pytest.mark.parametrize("kind", ["random", "motion", "no gap"])
@pytest.mark.parametrize("shape", [(7, 7), (5,), (2, 2, 2), (1, 3, 2), (4, 3, 4), (17, 5)])
def test_arrays_bound_as_the_compiled_code_does_to_the_last_bit(shape, kind):
    """Small studies do not load the compiled code; which of them made the bounds must not show."""
    from uqmbd.analysis.chebyshev import bernstein, bernstein_arrays, bernstein_kernel

    degrees = tuple(size - 1 for size in shape)
    if kind == "random":
        c = random_expansion(3, degrees, 0.5, columns=40)
    else:
        axes = np.meshgrid(*(chebyshev.nodes(degree) for degree in degrees), indexing="ij")
        time = np.linspace(0.0, 10.0, 40)
        phase = (2 + 0.1 * sum(axes))[..., None] * time + 0.3 * axes[0][..., None]
        c = chebyshev.coefficients(np.exp(-0.1 * time) * np.cos(phase), degrees)
    flat = np.ascontiguousarray(c.reshape(-1, 40).T)
    magnitude = np.abs(flat).sum(axis=1)
    gap = bernstein.least_gap((0.0 if kind == "no gap" else 1e-6) * magnitude, magnitude)
    seen = np.stack([np.full(40, np.inf), np.full(40, -np.inf)])
    seen[:, ::2] = flat[::2, 0]
    how = (np.array(shape), seen, gap, *bernstein.conversions_of(max(shape)))
    for boxes in (4000, 3):  # which run out
        for mine, compiled in zip(bernstein_arrays.ranges(flat, *how, boxes), bernstein_kernel.ranges(flat, *how, boxes), strict=True):
            assert np.array_equal(mine, compiled)


def test_what_takes_many_boxes_goes_on_in_compiled_code(monkeypatch):
    from uqmbd.analysis.chebyshev import bernstein, bernstein_arrays, bernstein_kernel

    monkeypatch.setattr(bernstein_arrays, "ROUNDS", 2)
    flat = np.ascontiguousarray(random_expansion(5, (6, 6), 0.8, columns=9).reshape(-1, 9).T)
    how = (np.array((7, 7)), np.stack([np.full(9, np.inf), np.full(9, -np.inf)]), np.full(9, 1e-9), *bernstein.conversions_of(7), 4000)
    for mine, compiled in zip(bernstein_arrays.ranges(flat, *how), bernstein_kernel.ranges(flat, *how), strict=True):
        assert np.array_equal(mine, compiled)
