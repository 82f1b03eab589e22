"""Motions through singular positions: passed where they are determined, on their branch; else the run ends with words."""

import numpy as np
import pytest

import flexmbd as fm

from . import change_points as cp
from .running import simulate

SCHEMES = {
    "rk4": {"step": 2e-3}, "baumgarte": {"step": 2e-3}, "partitioning": {}, "rosenbrock": {}, "generalized_alpha": {"tolerance": 1e-6},
    "hht": {"tolerance": 1e-6}, "newmark": {"tolerance": 1e-6}, "ggl": {"tolerance": 1e-6}, "energy_momentum": {"step": 2e-3},
    "moreau": {"step": 1e-3}, "nonsmooth_generalized_alpha": {"step": 1e-3}, "nonsmooth_ggl": {"step": 1e-3}, "event_driven": {},
}  # fmt: skip


def test_the_driving_moment_of_a_parallelogram_through_its_change_points():
    """All masses move on circles at constant speed, so the drive's power is that of the weights."""
    random = np.random.default_rng(3)
    samples = {"phi": random.uniform(0.3, 2.8, 96), "speed": random.uniform(0.5, 8.0, 96)}
    outputs = ["drive.moment:abs_max", "bar1.angle:abs_max", "energy.balance:max", "energy.balance:min"]
    run = simulate(lambda phi, speed: cp.driven(phi, fm.ConstantSpeed(speed, phi)), outputs, end=7.0, samples=samples, points=21)
    arm = cp.G * 0.6 * (1.2 / 2 + 2.0 + 0.8 / 2)
    turned = samples["speed"] * 7.0 > np.pi
    np.testing.assert_allclose(run["drive.moment:abs_max"][turned], arm, rtol=2e-3)
    assert run["bar1.angle:abs_max"].max() < 1e-6
    assert (run["energy.balance:max"] - run["energy.balance:min"]).max() < 1e-5 * arm


def test_outputs_at_a_change_point_are_those_on_either_side():
    """Points of time of the history fall on the folded positions, where the equations do not determine the moment."""
    run = fm.run(cp.driven(np.pi / 3, fm.ConstantSpeed(2.0, np.pi / 3)), end=np.pi, points=61, outputs=["drive.moment", "bar2.alpha"])
    arm = cp.G * 0.6 * (1.2 / 2 + 2.0 + 0.8 / 2)
    exact = arm * np.cos(np.pi / 3 + 2.0 * run.time)
    assert np.abs(np.abs(exact[[20, 50]]) - arm).max() < 1e-9  # the history is there
    np.testing.assert_allclose(run["drive.moment"], exact, rtol=0, atol=1e-5 * arm)
    np.testing.assert_allclose(run["bar2.alpha"], 0.0, rtol=0, atol=1e-4)


def test_a_free_parallelogram_keeps_its_branch_and_its_energy():
    """The coupler does not turn: the linkage is a pendulum of one angle."""
    random = np.random.default_rng(4)
    samples = {"phi": random.uniform(0.5, 2.8, 96), "speed": random.uniform(0.0, 12.0, 96)}
    outputs = ["bar1.angle:abs_max", "energy.total:max", "energy.total:min", "energy.kinetic:max"]
    run = simulate(cp.parallelogram, outputs, end=3.0, samples=samples)
    assert run["bar1.angle:abs_max"].max() < 1e-6
    assert ((run["energy.total:max"] - run["energy.total:min"]) / run["energy.kinetic:max"]).max() < 1e-5


def test_lanes_beside_do_not_matter_at_a_change_point_nor_where_a_motion_is_cut():
    samples = {"phi": np.array([2.0, 1.1, 2.6]), "speed": np.array([7.0, 1.0, 9.0])}
    made = fm.compile(cp.parallelogram, samples, outputs=["bar0.angle"], end=1.0)
    whole = made.step(made.start(samples), 1.0)
    for i in range(3):
        one = {name: x[i : i + 1] for name, x in samples.items()}
        assert np.array_equal(made.step(made.start(one), 1.0).values[0], whole.values[i])
    half = made.step(made.step(made.start(samples), 0.37), 1.0)
    np.testing.assert_allclose(half["coordinates"], whole["coordinates"], rtol=0, atol=1e-6)


def test_equal_crank_and_rod_pass_the_position_in_which_they_lie_on_each_other():
    samples = {"theta": np.linspace(0.4, 1.3, 32)}
    run = simulate(cp.equal_slider_crank, ["energy.balance:max", "energy.balance:min", "energy.kinetic:max"], end=2.0, samples=samples)
    assert ((run["energy.balance:max"] - run["energy.balance:min"]) / run["energy.kinetic:max"]).max() < 1e-5


@pytest.mark.parametrize("integrator", [x if x in ("rk4", "moreau") else pytest.param(x, marks=pytest.mark.slow) for x in SCHEMES])
def test_other_schemes_pass_too_or_say_singular_position(integrator):
    samples = {"phi": np.array([1.9, 2.05, 2.2, 0.7]), "speed": np.array([6.0, 7.1, 9.3, 8.0])}
    outputs, settings = ["bar1.angle:abs_max"], {"lanes": 4, "integrator": integrator} | SCHEMES[integrator]
    run = fm.run(cp.parallelogram, samples, end=1.5, points=2, outputs=outputs, settings=settings)
    for status, words, angle in zip(run.status, run.message, run["bar1.angle:abs_max"], strict=True):
        assert (status == 0 and angle < 1e-4) or "singular position" in words


@pytest.mark.parametrize("integrator", ["dormand_prince", *(pytest.param(x, marks=pytest.mark.slow) for x in SCHEMES)])
def test_a_crank_that_cannot_go_on_ends_the_run_where_it_is(integrator):
    system, when = cp.beyond_reach()
    settings = {"integrator": integrator, "max_steps": 100_000} | SCHEMES.get(integrator, {})
    run = fm.run(system, end=2.0, points=2, outputs=["drive.moment:abs_max"], settings=settings)
    assert run.status == 1 and "singular position" in run.message and "drive" in run.message
    told = float(run.message.split("t = ")[1].split(" s")[0])
    assert told == pytest.approx(when, abs=1e-5 if not settings.get("step") else 5 * settings["step"])


def test_a_spatial_linkage_that_cannot_go_on_is_told_too():
    run = fm.run(cp.spatial_beyond_reach(), end=2.0, points=2, outputs=["drive.mz:abs_max"])
    assert run.status == 1 and "singular position" in run.message and "rod" in run.message


def test_coming_to_rest_in_a_change_point_the_motion_is_not_determined():
    turn = np.pi - 1.0
    motion = fm.Polynomial((1.0, 0.0, 3 * turn, -2 * turn))  # at rest at pi, after a second
    run = fm.run(cp.driven(1.0, motion), end=2.0, points=2, outputs=["drive.moment:abs_max"])
    assert run.status == 1 and "singular position" in run.message
    assert float(run.message.split("t = ")[1].split(" s")[0]) == pytest.approx(1.0, abs=5e-3)


def test_a_dead_centre_whose_rows_stay_independent_is_no_singular_position():
    """A crank that drives its slider through both dead centres."""
    a, b = (0.2 * np.cos(0.5), 0.2 * np.sin(0.5)), (0.2 * np.cos(0.5) + np.sqrt(0.5**2 - (0.2 * np.sin(0.5)) ** 2), 0.0)
    system = fm.System(gravity=(0.0, -cp.G))
    crank, rod = cp.bar(system, "crank", (0.0, 0.0), a, 1.0), cp.bar(system, "rod", a, b, 1.0)
    slider = system.body("slider", mass=1.0, inertia=0.01, position=b)
    for name, one, other in (("O", system.ground.at(0.0, 0.0), crank["p"]), ("A", crank["q"], rod["p"]), ("B", rod["q"], slider.centre)):
        system.add(fm.Revolute(name, one, other))
    system.add(fm.Translational("guide", system.ground.at(0.0, 0.0), slider.centre))
    system.add(fm.AngleDrive("drive", system.ground.at(0.0, 0.0), crank["p"], fm.ConstantSpeed(10.0, 0.5)))
    run = fm.run(system, end=2.0, points=5, outputs=["slider.x:max", "slider.x:min"])
    assert run.status == 0
    np.testing.assert_allclose([run["slider.x:max"], run["slider.x:min"]], [0.7, 0.3], rtol=0, atol=1e-5)


def test_a_start_in_a_singular_position_is_refused():
    with pytest.raises(fm.ModelError, match="singular position"):
        fm.run(cp.parallelogram(0.0, 1.0), end=1.0, points=2, outputs=["bar0.angle"])
    samples = {"phi": np.array([1.0, np.pi]), "speed": np.array([1.0, 1.0])}
    run = fm.run(cp.parallelogram, samples, end=0.1, points=2, outputs=["bar0.angle"])
    assert run.status.tolist() == [0, 3] and "singular position" in run.message[1]
