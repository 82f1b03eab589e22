"""Screening by Morris' effects: nothing that matters is hidden by a step, and nothing that does not matter is shown."""

import numpy as np
import pytest

from uqmbd.inputs import Interval, Random
from uqmbd.methods import Sensitivity
from uqmbd.methods.sensitivity.estimates import LEAST_STEP

from .loop import drive
from .sensitivity_models import ANGLES, PI, PROBLEM, ishigami, pick

UNIFORM = {name: Random({"type": "uniform", "lower": -PI, "upper": PI}) for name in ANGLES}
STAR = np.array([7.443, 6.857, 4.599])  # of Ishigami's function over all places and steps: 100,000 stars, to 0.5 %
RNG = np.random.default_rng


def screen(inputs, model, seed=1, **keys):
    return drive(Sensitivity(approach="morris", **keys), inputs, model, seed=seed)[0]


@pytest.mark.parametrize("inputs", [UNIFORM, ANGLES], ids=["distributions", "intervals"])
@pytest.mark.parametrize("levels", [2, 4, 6, 8])
def test_no_level_count_hides_an_input(inputs, levels):
    """A grid with a step of half of the range gave 0, with limits 0 to 0, for x2, which is two thirds of the variance."""
    result = screen(inputs, ishigami, samples=30, levels=levels)
    assert pick(result, "mu_star")[1] > 4 and pick(result, "mu_star_lower")[1] > 2


@pytest.mark.parametrize("waves", [1, 2, 3, 4, 6, 8, 12, 7.3])
def test_no_period_is_hidden(waves):
    """Whole waves and other numbers of them over the range: effects are far from 0 at any."""
    inputs = {"a": Random({"type": "uniform", "lower": 0, "upper": 1}), "b": Interval(0, 1)}
    result = screen(inputs, lambda time, a, b: {"f": np.cos(2 * PI * waves * a) + np.cos(2 * PI * waves * b)}, samples=40)
    assert pick(result, "mu_star_lower").min() > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("samples", [10, 30, 100])
def test_limits_hold(samples):
    held = np.zeros(3)
    for seed in range(200):
        result = screen(UNIFORM, ishigami, seed=seed, samples=samples, levels=4 + 2 * (seed % 3))
        held += (pick(result, "mu_star_lower") <= STAR) & (STAR <= pick(result, "mu_star_upper"))
    assert held.min() >= (172 if samples == 10 else 180)


def test_fifteen_of_twenty_inputs_that_do_nothing_have_exactly_zero():
    inputs = {f"x{i}": Random({"type": "normal", "mean": i, "std": 1}) if i % 2 else Interval(-1, 1) for i in range(20)}
    active = [0, 3, 7, 12, 19]

    def model(time, **x):
        return {"f": sum(np.sin(3 * x[f"x{i}"]) + x[f"x{i}"] for i in active) + x["x0"] * x["x19"]}

    result = screen(inputs, model, samples=10)
    idle = np.setdiff1d(np.arange(20), active)
    for kind in ("mu_star", "mu_star_lower", "mu_star_upper", "mu", "sigma"):
        assert np.all(pick(result, kind)[idle] == 0)
    assert pick(result, "mu_star")[active].min() > 0.5 and pick(result, "mu_star_lower")[active].min() > 0


def test_monotone_functions_as_salib():
    """Its trajectories and ours: the same mean effects of functions that rise or fall, and the same spread."""
    from SALib.analyze import morris
    from SALib.sample import morris as trajectories

    def f(a, b, c):
        return np.exp(a) + 3 * b - c**2 * (1 + b)

    result = screen({name: Interval(0, 1) for name in "abc"}, lambda time, a, b, c: {"f": f(a, b, c)}, samples=2000)
    x = trajectories.sample(PROBLEM, 2000, num_levels=8, seed=3)
    theirs = morris.analyze(PROBLEM, x, f(*x.T), num_levels=8, num_resamples=2, seed=1)
    assert pick(result, "mu_star") == pytest.approx(np.asarray(theirs["mu_star"], float), rel=0.03)
    assert pick(result, "mu") == pytest.approx(np.asarray(theirs["mu"], float), rel=0.03)
    assert (pick(result, "sigma") > 0.5 * np.asarray(theirs["sigma"], float)).all()


@pytest.mark.parametrize(("samples", "levels"), [(7, 4), (24, 4), (30, 6), (5, 2)])
def test_design(samples, levels):
    """Each other point differs in one input by a quarter or more; classes are met alike."""
    points = Sensitivity(approach="morris", samples=samples, levels=levels).design(3, RNG(0)).reshape(samples, 4, 3)
    steps = points[:, 1:] - points[:, :1]
    assert np.all((points > 0) & (points < 1)) and np.all(steps[:, ~np.eye(3, dtype=bool)] == 0)
    assert np.all(np.abs(steps[:, np.eye(3, dtype=bool)]) >= LEAST_STEP - 1e-12)
    met = [np.bincount((points[:, 0, i] * levels).astype(int), minlength=levels) for i in range(3)]
    assert np.ptp(met) <= 1
