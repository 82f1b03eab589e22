"""Polynomials, sets of terms and expansions against closed forms."""

import tracemalloc
import warnings
from math import comb, e, factorial

import chaospy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from uqmbd.analysis.chaos import families, stieltjes
from uqmbd.analysis.chaos.expansion import Expansion, basis, cube_sample
from uqmbd.analysis.chaos.multi_index import index_set, level
from uqmbd.inputs import Random

DEGREE = 12

STIELTJES = [chaospy.Bradford(1.5), chaospy.Triangle(0, 0.3, 1), chaospy.Kumaraswamy(2.0, 3.0), chaospy.TruncNormal(-1, 2, 0.5, 1)]


@pytest.mark.parametrize("distribution", STIELTJES, ids=repr)
def test_polynomials_of_a_variable_are_those_of_chaospys_stieltjes_procedure(distribution):
    """Which integrates a density over x, ours the quantiles over u."""
    degree = 6
    family = families.family(Random(distribution).ppf, degree=degree)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # chaospy's own
        (alpha, beta), _, _ = chaospy.stieltjes(degree, distribution)
    x, width = family.germ(np.array([0.25, 0.75])), np.ptp(distribution.inv([0.25, 0.75]))
    scale = width / np.ptp(x)  # the germ is standardised
    shift = distribution.inv([0.25])[0] - scale * x[0]
    assert scale * family.alpha[: degree + 1] + shift == pytest.approx(alpha.ravel()[: degree + 1], rel=1e-6)
    assert scale**2 * family.beta[1 : degree + 1] == pytest.approx(beta.ravel()[1 : degree + 1], rel=1e-6)


def as_set(indices):
    return set(map(tuple, indices))


@pytest.mark.parametrize(("d", "p"), [(1, 7), (2, 5), (3, 10), (10, 3)])
def test_numbers_of_terms(d, p):
    assert len(index_set([p] * d)) == comb(d + p, p)
    assert len(index_set([p] * d, "hyperbolic", 1.0)) == comb(d + p, p)
    assert d > 3 or len(index_set([p] * d, "tensor")) == (p + 1) ** d


def test_order_of_terms():
    assert index_set([2, 2]).tolist() == [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]]
    assert index_set([1, 2], "tensor").tolist() == [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [1, 2]]


@given(d=st.integers(1, 4), p=st.integers(1, 8), q=st.floats(0.3, 1.0))
@settings(max_examples=30, deadline=None)
def test_hyperbolic_is_part_of_total_and_grows_with_q(d, p, q):
    total, part = as_set(index_set([p] * d)), as_set(index_set([p] * d, "hyperbolic", q))
    assert as_set(index_set([p] * d, "hyperbolic", 0.9 * q)) <= part <= total
    assert all(tuple(p if i == j else 0 for j in range(d)) in part for i in range(d))


@pytest.mark.parametrize("truncation", ["total", "hyperbolic", "tensor"])
def test_lower_degrees_are_levels_of_higher_ones(truncation):
    large = index_set([6] * 3, truncation, 0.6)
    for p in range(1, 7):
        assert np.array_equal(large[level(large, truncation, 0.6) <= p], index_set([p] * 3, truncation, 0.6))


def test_degrees_by_input():
    found = as_set(index_set([4, 2, 0]))
    assert found == {(a, b, 0) for a in range(5) for b in range(3) if a / 4 + b / 2 <= 1}
    with pytest.raises(ValueError, match="more than 50 terms"):
        index_set([9, 9], "tensor", limit=50)


def off_identity(family, x, w, degree=DEGREE):
    """How far the polynomials are from orthonormal under the rule `w` at values `x` of the germ."""
    psi = family.polynomials(x, degree)
    return np.abs(psi.T @ (w[:, None] * psi) / w.sum() - np.eye(degree + 1)).max()


def test_legendre_and_hermite_are_orthonormal():
    assert off_identity(families.legendre(), *special.roots_legendre(DEGREE + 1)) < 1e-10
    assert off_identity(families.hermite(), *special.roots_hermitenorm(DEGREE + 1)) < 1e-10


@given(shape=st.floats(0.3, 8.0))
@settings(max_examples=20, deadline=None)
def test_laguerre_is_orthonormal(shape):
    assert off_identity(families.laguerre(shape), *special.roots_genlaguerre(DEGREE + 1, shape - 1)) < 1e-10


@given(a=st.floats(0.4, 8.0), b=st.floats(0.4, 8.0))
@settings(max_examples=20, deadline=None)
def test_jacobi_is_orthonormal(a, b):
    x, w = special.roots_jacobi(DEGREE + 1, b - 1, a - 1)
    assert off_identity(families.jacobi(a, b), x, w) < 1e-10


@given(mode=st.floats(0.05, 0.95), lower=st.floats(-5, 5), width=st.floats(0.1, 10))
@settings(max_examples=15, deadline=None)
def test_triangular_has_its_own_orthonormal_polynomials(mode, lower, width):
    """By Gauss rules on both sides of the mode, where the density is linear."""
    c = lower + mode * width
    item = Random({"type": "triangular", "lower": lower, "mode": c, "upper": lower + width})
    family = families.family(item.ppf, item.named, degree=DEGREE)
    t, w = special.roots_legendre(2 * DEGREE)
    x = np.concatenate([lower + (c - lower) * (t + 1) / 2, c + (lower + width - c) * (t + 1) / 2])
    density = stats.triang.pdf(x, mode, lower, width)
    weights = np.concatenate([w * (c - lower), w * (lower + width - c)]) / 2 * density
    middle, half = family.germ(np.array([0.25, 0.75])) @ [0.5, 0.5], np.diff(family.germ(np.array([0.25, 0.75])))[0]
    ends = item.ppf(np.array([0.25, 0.75]))
    germ = middle + (x - ends.mean()) * half / np.diff(ends)[0]
    # the variable is resolved to `RESOLVED`, and products of polynomials change by up to 2 * DEGREE times that
    assert family.name == "numerical" and off_identity(family, germ, weights) < 2 * DEGREE * stieltjes.RESOLVED


@pytest.mark.parametrize(
    ("distribution", "name"),
    [
        ({"type": "uniform", "lower": 2, "upper": 5}, "legendre"),
        ({"type": "normal", "mean": 3, "std": 0.1}, "hermite"),
        ({"type": "lognormal", "mean": 3, "std": 2}, "hermite of the logarithm"),
        ({"type": "gamma", "shape": 2.5, "scale": 3}, "laguerre"),
        ({"type": "exponential", "scale": 3}, "laguerre"),
        ({"type": "beta", "alpha": 2, "beta": 3.5, "lower": 1, "upper": 4}, "jacobi"),
        ({"type": "normal", "mean": 0, "std": 1, "truncate": [-1, 2]}, "numerical"),
        ({"type": "logistic"}, "hermite of the normal score"),
        ({"type": "cauchy"}, "legendre of the probability"),
        ({"type": "studentt", "df": 3}, "legendre of the probability"),
    ],
)
def test_family_of_a_distribution(distribution, name):
    """All are orthonormal in u, on panels that shrink towards its ends."""
    item = Random(distribution, unit="mm").to_si()
    family = families.family(item.ppf, item.named, degree=DEGREE)
    assert family.name == name
    if name != "hermite of the normal score" and name != "legendre of the probability":
        germ, x = family.germ(np.array([0.2, 0.5, 0.7])), item.ppf(np.array([0.2, 0.5, 0.7]))
        x = np.log(x) if "logarithm" in name else x
        assert np.diff(germ)[0] / np.diff(germ)[1] == pytest.approx(np.diff(x)[0] / np.diff(x)[1], rel=1e-9)
    x, w = family.gauss(DEGREE + 1)
    assert off_identity(family, x, w) < 1e-10
    assert family.germ(family.nodes(5)) == pytest.approx(family.gauss(5)[0], abs=1e-7)


@pytest.mark.parametrize(
    "distribution",
    [
        {"type": "normal", "mean": 0, "std": 1, "truncate": [0, float("inf")]},
        {"type": "weibull", "shape": 1.0},
        {"type": "weibull", "shape": 2.0},
        {"type": "gamma", "shape": 2.0, "truncate": [0.5, float("inf")]},
        {"type": "laplace"},
        {"type": "pareto1", "shape": 5.0},
    ],
)
def test_a_variable_is_expanded_by_its_own_family(distribution):
    """Degree 10 leaves less than 0.1 % of its variance, by a midpoint rule in the normal score."""
    item = Random(distribution)
    family = families.family(item.ppf, item.named, degree=10)
    z = (np.arange(4000) + 0.5) / 4000 * 16 - 8
    u, w = stats.norm.cdf(z), stats.norm.pdf(z) * 16 / 4000
    x = item.ppf(u) - w @ item.ppf(u)
    assert 1 - np.square(family.at(u, 10).T @ (w * x)).sum() / (w @ x**2) < 1e-3


def test_a_variable_with_few_values_has_few_polynomials():
    """Three whole numbers: orthonormal up to degree 2, and zero on all of them above."""
    item = Random({"type": "binomial", "size": 2, "prob": 0.3})
    family = families.family(item.ppf, item.named, degree=5)
    psi, w = family.at(np.array([0.2, 0.6, 0.95]), 5), np.array([0.49, 0.42, 0.09])
    assert psi[:, :3].T @ (w[:, None] * psi[:, :3]) == pytest.approx(np.eye(3), abs=1e-7)
    assert family.finite and not psi[:, 3:].any()


def decay(degree=24):
    """u' = -k u, u(0) = 1, k ~ N(0, 1) at t = 1, projected with Gauss points."""
    family, indices = families.hermite(), index_set([degree])
    x, w = family.gauss(degree + 8)
    psi = family.polynomials(x, degree)
    return Expansion(indices, [family], (psi.T @ (w * np.exp(-x)))[:, None])


def test_exponential_decay():
    """REFERENCES, section 6; in orthonormal polynomials the coefficients have a factor √i!."""
    found, i = decay(), np.arange(25)
    exact = np.exp(0.5) * (-1.0) ** i / np.array([factorial(k) for k in i]) * np.sqrt([float(factorial(k)) for k in i])
    assert found.c[:, 0] == pytest.approx(exact, abs=1e-9)
    assert found.mean() == pytest.approx(e**0.5, rel=1e-12) and found.deviation() ** 2 == pytest.approx(e**2 - e, rel=1e-12)
    assert found.skewness() == pytest.approx((e + 2) * np.sqrt(e - 1), rel=1e-5)  # of a lognormal variable


A, B = 7.0, 0.1
SECOND, FIRST, TOTAL = (
    0.24368366406214773,
    [0.31390519114781146, 0.4424111447900409, 0],
    [0.5575888552099592, 0.4424111447900409, 0.24368366406214773],
)


def ishigami(u):
    x, y, z = (2 * np.pi * u - np.pi).T
    return np.sin(x) + A * np.sin(y) ** 2 + B * z**4 * np.sin(x)


@pytest.fixture(scope="module")
def ishigami_expansion():
    family, degrees = families.legendre(), [17, 26, 4]
    grids = [family.nodes(k + 1) for k in degrees]
    weights = [family.gauss(k + 1)[1] for k in degrees]
    u = np.stack([g.ravel() for g in np.meshgrid(*grids, indexing="ij")], axis=1)
    w = np.einsum("i,j,k->ijk", *weights).ravel()
    indices = index_set(degrees, "tensor")
    return Expansion(indices, [family] * 3, basis([family] * 3, indices, u).T @ (w * ishigami(u))[:, None])


def test_ishigami_by_full_quadrature(ishigami_expansion):
    found = ishigami_expansion
    assert found.deviation() ** 2 == pytest.approx(13.844587940719254, rel=1e-8)
    first, total, second = found.shares()
    assert first[:, 0] == pytest.approx(FIRST, abs=1e-8)
    assert total[:, 0] == pytest.approx(TOTAL, abs=1e-8)
    assert second[:, 0] == pytest.approx([0, SECOND, 0], abs=1e-8)


def test_mean_and_variance_over_the_other_inputs(ishigami_expansion):
    """Of the Ishigami function, in closed form: over y and z for fixed x, and over y for fixed z and x."""
    u = np.linspace(0.02, 0.98, 7)[:, None]
    s = np.sin(2 * np.pi * u - np.pi)
    mean, variance = ishigami_expansion.conditional([0], u)
    assert mean == pytest.approx(A / 2 + s * (1 + B * np.pi**4 / 5), abs=1e-7)
    assert variance == pytest.approx(A**2 / 8 + s**2 * B**2 * np.pi**8 * (1 / 9 - 1 / 25), abs=1e-6)
    z = 2 * np.pi * u - np.pi
    mean, variance = ishigami_expansion.conditional([2, 0], np.hstack([u, u[::-1]]))
    assert mean == pytest.approx(A / 2 + s[::-1] * (1 + B * z**4), abs=1e-6)
    assert variance == pytest.approx(np.full((7, 1), A**2 / 8), abs=1e-6)


def test_skewness_from_triple_products():
    """E f³ of the same expansion by a Gauss rule that is exact for it."""
    fams = [families.legendre(), families.hermite(), families.laguerre(2.0)]
    indices = index_set([3, 3, 3])
    c = np.random.default_rng(1).normal(size=(len(indices), 4))
    rules = [family.gauss(6) for family in fams]
    tables = [family.polynomials(x, 3) for family, (x, _) in zip(fams, rules)]
    psi = np.einsum("ai,bi,ci->abci", *(table[:, indices[:, i]] for i, table in enumerate(tables))).reshape(-1, len(indices))
    w = np.einsum("a,b,c->abc", *(w for _, w in rules)).ravel()
    f = psi @ c
    f -= w @ f
    assert Expansion(indices, fams, c).skewness() == pytest.approx((w @ f**3) / (w @ f**2) ** 1.5, rel=1e-9)


def test_skewness_of_many_terms_is_taken_from_a_sample():
    family, indices = families.legendre(), index_set([5] * 4)
    few = Expansion(indices[:60], [family] * 4, np.random.default_rng(2).normal(size=(60, 2)))
    many = Expansion(indices, [family] * 4, np.pad(few.c, [(0, len(indices) - 60), (0, 0)]))
    assert len(indices) == 126
    larger = index_set([6] * 4)
    many = Expansion(larger, [family] * 4, np.pad(few.c, [(0, len(larger) - 60), (0, 0)]))
    assert many.skewness(cube_sample(4, 1)) == pytest.approx(few.skewness(), abs=0.02)
    with pytest.raises(ValueError, match="from a sample"):
        many.skewness()


def test_quantiles_of_a_normal_variable():
    found = Expansion(index_set([1]), [families.hermite()], np.array([[1.0, -3.0], [2.0, 0.5]]))
    sample, levels = cube_sample(1, 3), [0.05, 0.5, 0.95]
    exact = stats.norm.ppf(levels)[:, None] * [2.0, 0.5] + [1.0, -3.0]
    assert found.quantiles(levels, sample) == pytest.approx(exact, abs=1e-3)


def test_quantiles_of_midpoints_are_exact():
    """Of a uniform variable: the i-th of n midpoints is its quantile of (i + 1/2)/n."""
    found = Expansion(index_set([1]), [families.legendre()], np.array([[0.5], [0.5 / np.sqrt(3)]]))
    levels = [0.05, 0.25, 0.5, 0.95]
    assert found.quantiles(levels, (np.arange(32)[:, None] + 0.5) / 32)[:, 0] == pytest.approx(levels, abs=1e-12)


def test_indices_over_time():
    """f = a(t) x + b(t) y: the aggregated index of x is Σ a² / Σ (a² + b²) (Gamboa et al. 2014)."""
    a, b = np.random.default_rng(4).normal(size=(2, 9))
    found = Expansion(index_set([1, 1]), [families.legendre()] * 2, np.stack([0 * a, a, b]))
    assert found.aggregated(found.shares()[0]) == pytest.approx([a @ a, b @ b] / (a @ a + b @ b))


def test_a_constant_has_no_indices():
    found = Expansion(index_set([1, 1]), [families.legendre()] * 2, np.array([[5.0], [0.0], [1e-16]]))
    assert not any(share.any() for share in found.shares()) and not found.skewness().any()


def test_quantiles_of_a_long_history_in_little_memory():
    indices = index_set([3] * 10)
    found = Expansion(indices, [families.legendre()] * 10, np.random.default_rng(5).normal(size=(len(indices), 1000)))
    sample = cube_sample(10, 6)
    tracemalloc.start()
    try:
        found.quantiles([0.05, 0.95], sample)
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()
