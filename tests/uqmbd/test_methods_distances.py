"""Delta and PAWN against exact values, which no estimator made: the quadrature itself, and by how much the estimates are off."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

from uqmbd.inputs import Random
from uqmbd.methods import Sensitivity

from .exact_distances import DELTA, NORMAL_DELTA, NORMAL_PAWN, PAWN, PI, WEIGHTS, of_ishigami, sum_of_normals
from .exact_distances import ishigami as exact_of_ishigami
from .loop import drive
from .sensitivity_models import ANGLES, ishigami, pick

NORMALS = {name: Random({"type": "normal", "mean": 0.0, "std": 1.0}) for name in ANGLES}


def line(time, **x):
    return {"f": WEIGHTS @ np.array(list(x.values()))}


# the exact values -------------------------------------------------------------------------------------------------------------------------
def test_delta_of_a_sum_of_normals():
    """The densities of N(0, 1) and N(a z, s²), s² = 1 - a², cross at (z ± s √(z² - 2 ln s)) / a; between these is the total variation."""
    z, weight = np.polynomial.hermite_e.hermegauss(80)
    for a, exact, by_cells in zip(WEIGHTS, NORMAL_DELTA, sum_of_normals(WEIGHTS, 2000, 2000)[0], strict=True):
        s = np.sqrt(1 - a**2)
        low, high = ((z + sign * s * np.sqrt(z**2 - 2 * np.log(s))) / a for sign in (-1, 1))
        shift = ndtr((high - a * z) / s) - ndtr((low - a * z) / s) - (ndtr(high) - ndtr(low))
        found = weight @ shift / weight.sum()
        assert found == pytest.approx(exact, abs=5e-5) and by_cells == pytest.approx(found, abs=5e-5)


def test_pawn_of_a_sum_of_normals():
    """Given a slice of an input the output's distribution function is a difference of two of the bivariate normal distribution."""
    y, ends = np.linspace(-3, 3, 121), ndtri(np.linspace(0, 1, 11)).clip(-9, 9)
    for a, exact, by_cells in zip(WEIGHTS, NORMAL_PAWN, sum_of_normals(WEIGHTS, 2000, 2000)[1], strict=True):
        pairs = np.stack(np.meshgrid(y, ends), axis=-1)
        below = multivariate_normal([0, 0], [[1, a], [a, 1]]).cdf(pairs.reshape(-1, 2)).reshape(pairs.shape[:2])
        found = np.median(np.abs(10 * np.diff(below, axis=0) - ndtr(y)).max(axis=1))
        assert by_cells == pytest.approx(exact, abs=5e-5) and found == pytest.approx(exact, abs=3e-4)  # over a coarse grid


def test_distribution_functions_of_ishigami():
    """Each, given an input, against 200,000 random runs with that input held: closer than they scatter (Kolmogorov, 1 in 1,000)."""
    rng, n = np.random.default_rng(1), 40
    y, given = of_ishigami(n, 200, 200)
    for i, functions in enumerate(given):
        for row in (3, 11, 17):
            x = rng.uniform(-PI, PI, (3, 200_000))
            x[i] = -PI + (row + 0.5) * 2 * PI / n
            seen = np.searchsorted(np.sort(ishigami(0, *x)["f"]), y, side="right") / x.shape[1]
            assert np.abs(seen - functions[row]).max() < 1.95 / np.sqrt(x.shape[1]) + 5e-4  # 200 values of an inner mean


def test_exact_values_of_ishigami():
    """What `exact_distances` has as numbers is from a finer quadrature than this one."""
    assert exact_of_ishigami(200, 400, 1000) == pytest.approx(np.array([DELTA, PAWN]), abs=1e-3)


# the estimates ----------------------------------------------------------------------------------------------------------------------------
RUNS, MEASURED, SEEDS = 1500, 100, 6
# mean error and standard deviation of one estimate over `MEASURED` seeds (0 to 99) with `RUNS` runs, 10 resamples for delta
OFF = {
    ("delta", "ishigami"): ([-0.0624, -0.1289, -0.0664], [0.0107, 0.0090, 0.0084]),
    ("delta", "normals"): ([-0.0280, -0.0157, -0.0067], [0.0084, 0.0095, 0.0107]),
    ("pawn", "ishigami"): ([0.0094, -0.0035, 0.0193], [0.0129, 0.0130, 0.0056]),
    ("pawn", "normals"): ([0.0202, 0.0267, 0.0341], [0.0191, 0.0181, 0.0171]),
}
OF = {
    "ishigami": (ANGLES, ishigami, {"delta": DELTA, "pawn": PAWN}),
    "normals": (NORMALS, line, {"delta": NORMAL_DELTA, "pawn": NORMAL_PAWN}),
}


def errors(approach, name, seeds, samples=RUNS):
    inputs, model, exact = OF[name]
    given = Sensitivity(approach=approach, samples=samples, resamples=10)
    return np.array([pick(drive(given, inputs, model, seed=seed)[0], approach) for seed in seeds]) - exact[approach]


@pytest.mark.parametrize(("approach", "name"), OFF)
def test_estimates_are_off_by_what_is_said(approach, name):
    """By the mean error in docs/theory/sensitivity.md, within four standard deviations of the difference of two means, of other seeds."""
    off, scatter = np.array(OFF[approach, name])
    found = errors(approach, name, range(1000, 1000 + SEEDS))
    assert (np.abs(found.mean(axis=0) - off) < 4 * scatter * np.sqrt(1 / SEEDS + 1 / MEASURED)).all()
    assert (np.abs(found - off) < 5 * scatter).all()


@pytest.mark.parametrize(("approach", "name"), OFF)
def test_more_runs_are_closer(approach, name):
    """Four times as many take a part of the error away, of every input with an error that is more than scatter."""
    off, scatter = np.array(OFF[approach, name])
    found, clear = errors(approach, name, range(3), 4 * RUNS).mean(axis=0), np.abs(off) > scatter
    assert clear.any() and (np.abs(found) < np.abs(off))[clear].all()
