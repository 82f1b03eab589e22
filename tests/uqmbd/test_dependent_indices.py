"""Shapley effects and indices of inputs that depend on each other: against closed forms, brute force, and other orders of the inputs."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import ndtri

from uqmbd.analysis.chaos import dependent_indices, multi_index
from uqmbd.analysis.chaos.expansion import Expansion, basis
from uqmbd.analysis.chaos.families import hermite, legendre
from uqmbd.inputs import Random
from uqmbd.inputs.space import Space
from uqmbd.methods import PCE

from .loop import drive

NORMAL = {"type": "normal", "mean": 0.0, "std": 1.0}
GAMMA = np.array([[1.0, 0.6, -0.3], [0.6, 1.0, 0.2], [-0.3, 0.2, 1.0]])


def of_function(f, gamma, free=1, degree=4):
    """The expansion of ``f(x, u)``, a polynomial of correlated normal x (n, k) and uniform u (n, free), by exact least squares."""
    k, factor = len(gamma), np.linalg.cholesky(gamma)
    terms, families = multi_index.index_set((degree,) * (k + free), "total", 1.0), [hermite()] * k + [legendre()] * free
    u = np.random.default_rng(4).random((4 * len(terms), k + free))
    x = ndtri(u[:, :k]) @ factor.T
    c = np.linalg.lstsq(basis(families, terms, u), f(x, u[:, k:])[:, None], rcond=None)[0]
    return Expansion(terms, families, c), list(range(k)), factor


def mixed(x, u):
    """Not symmetric, with interactions of inputs that depend, of others, and of both."""
    return x[:, 0] + 2 * x[:, 0] * x[:, 1] - x[:, 2] ** 2 + x[:, 1] * u[:, 0] + 3 * u[:, 0] ** 2


def test_linear_sums():
    """Of two standard normal variables with the correlation r, and half of a third: by hand (Owen, Prieur 2017)."""
    r = 0.7
    found = dependent_indices.indices(
        *of_function(lambda x, u: x[:, 0] + x[:, 1] + 0.5 * np.sqrt(12) * u[:, 0], np.array([[1, r], [r, 1]]))
    )
    v = 2 + 2 * r + 0.25
    assert found["shapley"][:, 0] == pytest.approx([(1 + r) / v, (1 + r) / v, 0.25 / v])
    assert found["first_full"][:, 0] == pytest.approx([(1 + r) ** 2 / v, (1 + r) ** 2 / v, 0.25 / v])
    assert found["total_independent"][:, 0] == pytest.approx([(1 - r**2) / v, (1 - r**2) / v, 0.25 / v])


def test_any_order_of_the_inputs():
    """Of which the expansion knows one; and Shapley effects add up to 1."""
    one = dependent_indices.indices(*of_function(mixed, GAMMA))
    assert one["shapley"].sum() == pytest.approx(1.0)
    for order in permutations(range(3)):
        back = np.argsort(order)
        other = dependent_indices.indices(*of_function(lambda x, u, back=back: mixed(x[:, back], u), GAMMA[np.ix_(order, order)]))
        for kind in dependent_indices.KINDS:
            assert other[kind][[*back, 3]] == pytest.approx(one[kind], abs=1e-10)


def test_by_brute_force():
    """Means given some inputs, by runs in pairs that share these inputs and draw the others anew (the other two routes to the same)."""
    rng, n = np.random.default_rng(3), 200_000

    def value(known):
        """Var E[f | inputs known] of x1 x2 x3 u."""
        rows = [i for i in known if i < 3]
        rest = [i for i in range(3) if i not in rows]
        x = rng.standard_normal((n, 3)) @ np.linalg.cholesky(GAMMA).T
        u, y, w = rng.random((n, 1)), x.copy(), rng.random((n, 1))
        slope = GAMMA[np.ix_(rest, rows)] @ np.linalg.inv(GAMMA[np.ix_(rows, rows)]) if rows else np.zeros((len(rest), 0))
        left = GAMMA[np.ix_(rest, rest)] - slope @ GAMMA[np.ix_(rows, rest)]
        if rest:
            y[:, rest] = x[:, rows] @ slope.T + rng.standard_normal((n, len(rest))) @ np.linalg.cholesky(left).T
        return np.cov(mixed(x, u), mixed(y, u if 3 in known else w))[0, 1]

    whole = value((0, 1, 2, 3))
    found = dependent_indices.indices(*of_function(mixed, GAMMA))
    for i in range(4):
        assert found["first_full"][i, 0] == pytest.approx(value((i,)) / whole, abs=0.02)
        assert found["total_independent"][i, 0] == pytest.approx(1 - value([j for j in range(4) if j != i]) / whole, abs=0.02)
    known = {frozenset(s): value(s) / whole for s in [(), (0,), (1,), (2,), (3,)] + [p for p in permutations(range(4), 2) if p[0] < p[1]]}
    known |= {frozenset(range(4)) - {i}: value([j for j in range(4) if j != i]) / whole for i in range(4)} | {frozenset(range(4)): 1.0}
    effects = np.zeros(4)
    for order in permutations(range(4)):
        for at, i in enumerate(order):
            effects[i] += (known[frozenset(order[: at + 1])] - known[frozenset(order[:at])]) / 24
    assert found["shapley"][:, 0] == pytest.approx(effects, abs=0.02)


def test_many_inputs_that_depend():
    """Beyond `MOST` of them there are no Shapley effects; what is there is right: of a sum with the correlation r of each two."""
    d, r = dependent_indices.MOST + 1, 0.5
    gamma = np.full((d, d), r) + (1 - r) * np.eye(d)
    found = dependent_indices.indices(*of_function(lambda x, u: x.sum(axis=1), gamma, free=0, degree=1))
    assert set(found) == {"first_full", "total_independent"}
    v = d + d * (d - 1) * r
    assert found["first_full"][:, 0] == pytest.approx(np.full(d, (1 + (d - 1) * r) ** 2 / v))
    assert found["total_independent"][:, 0] == pytest.approx(1 / np.linalg.inv(gamma).diagonal() / v)


@pytest.mark.parametrize("unit", [1.0, 1e160])
def test_pce_in_any_order(unit):
    """Two inputs that are alike have the same indices, wherever they stand; a history has them at every time and over all times."""

    def model(time, a, b, c):
        y = unit * (a + b + 0.5 * c)
        return {"y": y, "h": np.stack([y, unit * (a * b)], axis=1)}

    found = {}
    for order in ("abc", "bca", "cba"):
        space = Space({k: Random(NORMAL) for k in order}, dependence={"rank_correlation": [["a", "b", 0.7]]})
        result, _ = drive(PCE(degree=2, samples=100), space, lambda time, **x: model(time, x["a"], x["b"], x["c"]), time=[0.0, 1.0])
        assert not result.interaction and "order" in result.facts.note
        found[order] = result
    one, r = found["abc"], 2 * np.sin(np.pi * 0.7 / 6)
    assert one.sensitivity["kind"].values.tolist() == list(dependent_indices.KINDS)
    share = (1 + r) / (2 + 2 * r + 0.25)
    assert one.sensitivity["y"].sel(kind="shapley").values == pytest.approx([share, share, 1 - 2 * share], abs=1e-6)
    assert one.sensitivity["h"].sel(kind="shapley").values[:, 1] == pytest.approx([0.5, 0.5, 0.0], abs=1e-6)
    for other in found.values():
        for name in ("y", "h"):
            assert other.sensitivity[name].sel(input=list("abc")).values == pytest.approx(one.sensitivity[name].values, abs=1e-6)
        assert other.aggregated["h"].sel(input=list("abc")).values == pytest.approx(one.aggregated["h"].values, abs=1e-6)
