"""Shapley effects and Kucherenko's indices of inputs that depend on each other: Gaussian linear models, Ishigami, limits, orders."""

import numpy as np
import pytest

from uqmbd.analysis.sensitivity.subsets import Subsets, by_input, explained
from uqmbd.errors import StudyError
from uqmbd.inputs import Random
from uqmbd.inputs.space import Space
from uqmbd.methods import Sensitivity

from .loop import drive
from .sensitivity_models import ANGLES, FIRST, TOTAL, ishigami, pick

GAUSSIAN = {  # REFERENCES, section 13: Shapley, first, total
    0.5: [[0.125, 0.296875, 0.578125], [0.125, 0.5, 0.78125], [0.125, 0.09375, 0.375]],
    -0.5: [[0.25, 0.09375, 0.65625], [0.25, 0.0, 0.5625], [0.25, 0.1875, 0.75]],
}
KINDS = ("shapley", "first_full", "total_independent")


def total(time, x1, x2, x3):
    return {"f": x1 + x2 + x3, "h": np.stack([x1 + x2 + x3, 2 * x1], axis=1)}


def bound(rho):
    """Normal inputs, standard deviations 1, 1, 2, the last two with the correlation `rho`."""
    inputs = {f"x{i}": Random({"type": "normal", "mean": 3.0, "std": std}) for i, std in enumerate((1.0, 1.0, 2.0), 1)}
    return Space(inputs, dependence={"rank_correlation": [["x2", "x3", 6 / np.pi * np.arcsin(rho / 2)]]})


def shapley(samples, **more):
    return Sensitivity(approach="shapley", samples=samples, **more)


@pytest.mark.parametrize("rho", GAUSSIAN)
def test_gaussian_linear_models(rho):
    result, runs = drive(shapley(4096, resamples=20), bound(rho), total, time=[0, 1])
    assert runs == 4096 * 7
    for kind, exact in zip(KINDS, GAUSSIAN[rho], strict=True):
        assert pick(result, kind) == pytest.approx(exact, abs=0.02)
        assert pick(result, kind, "h")[:, 0] == pytest.approx(exact, abs=0.02)
        assert pick(result, kind, "h")[:, 1] == pytest.approx([1, 0, 0], abs=1e-3)
    assert pick(result, "shapley").sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("rho", GAUSSIAN)
def test_limits_hold_the_exact_indices(rho):
    """At 95 %; points of Sobol's sequence scatter less than independent ones, so they are on the wide side."""
    held = np.zeros((3, 3))
    for seed in range(40):
        result, _ = drive(shapley(64, resamples=40), bound(rho), total, time=[0, 1], seed=seed)
        for row, kind, exact in zip(held, KINDS, GAUSSIAN[rho], strict=True):
            row += (pick(result, f"{kind}_lower") <= exact) & (exact <= pick(result, f"{kind}_upper"))
    assert held.min() >= 36


def test_independent_inputs_have_the_indices_of_sobol():
    """Of Ishigami's function; the effect of an input lies between its first and its total index."""
    result, _ = drive(shapley(4096, resamples=10), ANGLES, ishigami, seed=1)
    first, effect, whole = (pick(result, kind) for kind in ("first_full", "shapley", "total_independent"))
    assert first == pytest.approx(FIRST, abs=0.02) and whole == pytest.approx(TOTAL, abs=0.02)
    assert effect == pytest.approx((FIRST + TOTAL) / 2, abs=0.02)  # interactions of two inputs are halved


def test_random_orders_come_to_what_all_orders_say():
    """Their scatter is in the limits."""
    exact = GAUSSIAN[0.5][0]
    result, runs = drive(shapley(1024, orders=3, resamples=20), bound(0.5), total, time=[0, 1])
    assert runs <= 1024 * 7
    assert np.all(pick(result, "shapley_lower") <= exact) and np.all(exact <= pick(result, "shapley_upper"))
    names = [f"x{i}" for i in range(1, 9)]
    many = {name: Random({"type": "uniform", "lower": 0, "upper": 1}) for name in names}
    result, _ = drive(shapley(256, resamples=10), many, lambda time, **x: {"f": x["x1"] + 2 * x["x2"]})
    assert pick(result, "shapley") == pytest.approx([0.2, 0.8, *[0] * 6], abs=0.05)


def test_effects_of_known_explained_variances():
    """Of two inputs, v = .3 and .6 alone: each adds the mean of what it adds first and last."""
    subsets = Subsets.of(2, None, np.random.default_rng(0))
    found, _ = by_input(subsets, np.array([0.3, 0.6, 0.0, 1.0]).reshape(1, 4, 1))
    assert found["shapley"].ravel() == pytest.approx([(0.3 + 0.4) / 2, (0.6 + 0.7) / 2], abs=1e-15)
    assert found["first_full"].ravel() == pytest.approx([0.3, 0.6]) and found["total_independent"].ravel() == pytest.approx([0.4, 0.7])


def test_a_constant_output_explains_nothing():
    values = np.full((8, 4, 1), 1e9)
    assert not explained(values, np.ones((1, 8))).any()


def test_which_approach_takes_dependent_inputs_is_said():
    with pytest.raises(StudyError, match=r'sensitivity \(approach = "shapley"\)'):
        drive(Sensitivity(approach="sobol", samples=16), bound(0.5), total, time=[0, 1])
