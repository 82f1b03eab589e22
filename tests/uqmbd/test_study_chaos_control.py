"""The bouncing ball of the study chaos_control: its map against published numbers, its control against a scalar equation."""

import numpy as np
import pytest
from scipy.optimize import brentq

from uqmbd.analysis.dynamics.derivatives import by_differences
from uqmbd.analysis.dynamics.shooting import shoot
from uqmbd.chaos_control import ChaosControl
from uqmbd.study import Study

from .test_studies_hybrid import STUDIES, model_of


@pytest.fixture(scope="module")
def ball():
    return model_of("chaos_control").ball


def orbit(acceleration, restitution):
    """Phase and speed of one impact a period."""
    return np.array([np.arccos(np.pi * (1 - restitution) / ((1 + restitution) * acceleration)), np.pi])


@pytest.mark.parametrize(("restitution", "flip"), [(0.5, 1.5268237005), (0.8, 1.0708364682), (0.9, 1.0163107123)])
def test_the_orbit_of_one_impact_a_period_flips_where_it_is_known_to(ball, restitution, flip):
    found = shoot(ball(), orbit(flip, restitution)[None], {"acceleration": flip, "restitution": restitution})
    assert found.multipliers[0].real == pytest.approx([-1.0, -(restitution**2)], abs=1e-8)


def test_slopes_of_the_map_are_those_of_differences(ball):
    x = np.random.default_rng(1).uniform([0.5, 3.0], [2.5, 5.0], (30, 2))
    values = {"acceleration": 1.3, "restitution": 0.9}
    assert ball().tangent(x, values)[1] == pytest.approx(by_differences(lambda at: ball().step(at, values), x, 1e-4)[1], abs=1e-8)


def test_a_ball_that_stays_leaves_the_table_where_it_falls_faster(ball):
    lift = np.arcsin(1 / 1.3)
    off = ball().step(np.array([[lift, 1.3 * np.cos(lift)]]), {"acceleration": 1.3, "restitution": 0.9})
    stays = ball().step(np.array([[0.2, 1.3 * np.cos(0.2)]]), {"acceleration": 1.3, "restitution": 0.9})
    assert stays == pytest.approx(off, abs=1e-12)


def test_ogy_holds_the_ball_where_a_scalar_equation_says(ball):
    study = Study.from_file(STUDIES / "chaos_control" / "study.toml")
    outputs = ["control.holds", "control.effort"]
    control = ChaosControl(ball, outputs, None, study.solver, None)
    gain, (phase, _) = control.controlled()[0].gain, orbit(1.3, 0.9)
    restitution = np.array([0.899, 0.9, 0.901])
    found = control.simulate({"restitution": restitution, "acceleration": np.full(3, 1.3)}).outputs

    def change(e):  # the speed of the orbit is pi whatever the acceleration is
        def turn(x):
            return (1.3 - gain[0] * (x - phase)) * np.cos(x) - np.pi * (1 - e) / (1 + e)

        return abs(gain[0] * (brentq(turn, phase - 0.015, phase + 0.015, xtol=1e-14) - phase))

    assert found["control.holds"].tolist() == [1, 1, 1]
    assert found["control.effort"] == pytest.approx([change(e) for e in restitution], abs=1e-4)


@pytest.mark.parametrize(("gain", "holds"), [(0.1, False), (0.4, True)])
def test_feedback_all_the_time_holds_duffings_oscillator_with_gain_enough(gain, holds):
    study = Study.from_file(STUDIES / "chaos_control" / "duffing.toml")
    outputs, solver = ["control.multiplier_abs"], {**study.solver, "gain": [0.0, gain]}
    control = ChaosControl(model_of("chaos_control", "duffing.py").duffing, outputs, None, solver, None)
    found = control.simulate({"damping": np.array([0.02]), "amplitude": np.array([2.5]), "x": np.zeros(1), "v": np.zeros(1)}).outputs
    assert (found["control.multiplier_abs"] < 1.0).tolist() == [holds]


@pytest.mark.slow
def test_delayed_feedback_stabilises_the_unstable_orbit_of_the_chaotic_crank():
    study = Study.from_file(STUDIES / "chaos_control" / "crank.toml")
    turn, values = model_of("slider_crank_bifurcation").turn(), {**study.solver["fixed"], **study.solver["at"]}
    free = shoot(turn, np.array([study.solver["near"]]), values, tolerance=1e-7)
    assert not free.lost[0] and free.multipliers[0, 0].real == pytest.approx(-1.931, abs=5e-3) and abs(free.multipliers[0, 1]) < 0.1
    control = ChaosControl(lambda: turn, ["control.multiplier_abs", "control.change"], None, study.solver, None)
    found = control.simulate({name: np.array([value]) for name, value in study.solver["at"].items()})
    # the change does nothing at the orbit; a double root has half of the digits
    assert found.outputs["control.change"] == pytest.approx([0.0], abs=1e-3)
    assert found.outputs["control.multiplier_abs"] == pytest.approx([np.sqrt(1 - free.multipliers[0, 0].real) - 1], abs=0.05)
