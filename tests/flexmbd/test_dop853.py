"""Dormand and Prince's method of order 8: its coefficients are the published ones, its dense output is of order 7, and it finds what
scipy's finds. Its order as a scheme is checked with that of all others (`test_integrator_family`)."""

import numpy as np
import pytest
from scipy.integrate._ivp import dop853_coefficients as published

import flexmbd as fm
from flexmbd.integrators import INTEGRATORS
from flexmbd.integrators.dop853 import EMBEDDED, ERROR_5, ROWS, STEP, D

from .pendula import double_swing, pendula, swing
from .test_integrator_family import END, PHASE, START, pendulum


def test_coefficients_are_the_published_ones():
    for j, row in enumerate(ROWS):
        assert row == published.A[j, :j].tolist()
    assert np.array_equal(ERROR_5, published.E5) and np.array_equal(D, published.D)
    rough = np.array(ROWS[STEP - 1])
    rough[list(EMBEDDED)] -= list(EMBEDDED.values())
    assert np.array_equal(rough, published.E3[: STEP - 1])


def between(steps, integrator="dop853", **settings):
    """Largest error of the pendulum's angle at 101 times of a run in so many steps."""
    settings = {"integrator": integrator, "lanes": 2, "fixed": True, "step": END / steps, **settings}
    run = fm.run(pendulum, end=END, points=101, outputs=["rod.angle", "rod.rate"], settings=settings)
    angle, rate = swing(START, PHASE + run.time)
    return np.abs(run["rod.angle"] + np.pi / 2 - angle).max(), np.abs(run["rod.rate"] - rate).max()


@pytest.mark.parametrize("formulation", ("tree", "natural"))
def test_dense_output_is_of_order_7(formulation):
    found = np.array([between(steps, formulation=formulation) for steps in (10, 20)])
    slopes = np.log2(found[0] / found[1])
    assert np.all(slopes > 6.8) and found[1].max() < 2e-8


@pytest.mark.parametrize("integrator", ("dop853", "gauss_8", "gauss_16"))
@pytest.mark.parametrize("formulation", ("tree", "natural"))
def test_errors_follow_the_tolerance_between_steps_too(integrator, formulation):
    """All 51 times of a double pendulum against scipy; errors shrink with the tolerance, whatever a scheme's dense output is worth."""
    largest = []
    for tolerance in (1e-6, 1e-9):
        settings = {"integrator": integrator, "formulation": formulation, "tolerance": tolerance, "lanes": 2}
        run = fm.run(pendula, end=2.0, points=51, outputs=["upper.angle", "lower.angle"], settings=settings)
        exact = double_swing(np.pi / 2, np.pi / 2, run.time)
        largest.append(max(np.abs(run[f"{body}.angle"] + np.pi / 2 - x).max() for body, x in zip(("upper", "lower"), exact, strict=True)))
    assert largest[0] < 1e-3 and largest[1] < 1e-6 and largest[1] < 0.02 * largest[0], largest


@pytest.mark.parametrize("integrator", ("dop853", "gauss_8", "gauss_16"))
def test_lanes_are_alone(integrator):
    """Bits of a sample are the same beside other samples."""
    settings = {"integrator": integrator, "lanes": 4, "tolerance": 1e-8, "formulation": "tree"}
    starts, outputs = np.array([0.5, 1.5, 2.5, 1.0, 0.2]), ["rod.angle", "lower.angle", "rod.angle:max"]
    together = fm.run(pendula, {"start": starts}, end=1.0, points=11, outputs=outputs, settings=settings)
    for k in (1, 4):
        alone = fm.run(pendula, {"start": starts[k : k + 1]}, end=1.0, points=11, outputs=outputs, settings=settings)
        for name in outputs:
            assert np.array_equal(together[name][k], alone[name][0])


@pytest.mark.parametrize("integrator", ("dop853", "gauss_8", "gauss_16"))
def test_extremes_and_means_are_not_those_of_long_parabolas(integrator):
    """Some ten steps a second: the largest rate of a pendulum, at the bottom, its mean square, and its mean over a window."""
    settings = {"integrator": integrator, "formulation": "tree", "tolerance": 1e-9, "lanes": 2}
    outputs = ["rod.rate:max", "rod.rate:rms", "rod.rate:mean@0.3..1.1", "rod.angle"]
    run = fm.run(pendulum, end=2.0, points=2, outputs=outputs, settings=settings)
    assert run.statistics["steps"][0] < 60
    highest = np.sqrt(2 * 9.81 * (1.0 - np.cos(START)))
    assert run["rod.rate:max"][0] == pytest.approx(highest, rel=1e-5)
    times = np.linspace(0.0, 2.0, 20_001)
    assert run["rod.rate:rms"][0] == pytest.approx(np.sqrt(np.mean(swing(START, PHASE + times)[1][:-1] ** 2)), rel=1e-4)
    first, last = (swing(START, PHASE + t)[0] for t in (0.3, 1.1))
    assert run["rod.rate:mean@0.3..1.1"][0] == pytest.approx((last - first) / 0.8, rel=1e-5)


def test_it_takes_fewer_evaluations_than_order_5_at_tight_tolerances():
    counts = {}
    for name, stages in (("dormand_prince", 6), ("dop853", 12)):
        settings = {"integrator": name, "formulation": "tree", "tolerance": 1e-12, "lanes": 1}
        run = fm.run(pendula, end=2.0, points=2, outputs=["rod.angle:final"], settings=settings)
        counts[name] = stages * (run.statistics["steps"][0] + run.statistics["rejected"][0])
    assert counts["dop853"] < 0.5 * counts["dormand_prince"], counts
    assert INTEGRATORS["dop853"].order == 8
