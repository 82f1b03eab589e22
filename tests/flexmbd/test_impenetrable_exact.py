"""Contacts that cannot be penetrated against closed forms: a bouncing ball, a block on an incline, oscillators with dry friction."""

import numpy as np
import pytest

import flexmbd as fm

from .impenetrable_models import G, ball, belt, moved, oscillator, slope, slopes

STEPS = np.array([4e-3, 2e-3, 1e-3])


def impact_times(h0, e, count):
    """Of a ball dropped from h0, (count, ...): flights of ``2 v/g`` with v less by e each time."""
    first = np.sqrt(2.0 * h0 / G)
    return np.array([first * (1.0 + 2.0 * sum(e**j for j in range(1, n))) for n in range(1, count + 1)])


@pytest.fixture(scope="module")
def bounces():
    """Heights, restitutions, and runs of 64 balls by step; grids are the steps' ends."""
    rng = np.random.default_rng(17)
    samples = {"h0": rng.uniform(0.9, 1.1, 64), "e": rng.uniform(0.78, 0.82, 64)}
    outputs = ["ball.y", "floor.impacts", "floor.contact"]
    return samples, [moved(ball, outputs, end=6.0, step=h, points=0, samples=samples) for h in STEPS]


def test_impact_times_converge_with_order_one(bounces):
    """Each time is a multiple of the step; the mean over many heights takes that away."""
    samples, runs = bounces
    exact = impact_times(samples["h0"], samples["e"], 8)
    found = []
    for h, run in zip(STEPS, runs, strict=True):
        impacts = run["floor.impacts"]
        times = np.array([run.time[np.argmax(impacts >= n, axis=1)] - 0.5 * h for n in range(1, 9)])
        found.append(np.abs(times - exact).mean(axis=1))
    found = np.array(found)
    assert np.all(found[-1] < 4.0 * STEPS[-1]), found
    mean = slopes(STEPS[[0, -1]], found[[0, -1]].mean(axis=1))
    assert mean == pytest.approx(1.0, abs=0.2), (mean, found)


def test_the_ball_rests_from_the_accumulation_point_on(bounces):
    samples, runs = bounces
    exact = np.sqrt(2.0 * samples["h0"] / G) * (1.0 + samples["e"]) / (1.0 - samples["e"])
    found = []
    for run in runs:
        free = run["floor.contact"] < 0.5
        last = free.shape[1] - 1 - np.argmax(free[:, ::-1], axis=1)
        found.append(np.abs(run.time[last] - exact).mean())
        assert np.all(run["ball.y"][:, -1] == pytest.approx(0.1, abs=1e-8))
    mean = slopes(STEPS[[0, -1]], np.array(found)[[0, -1]])
    assert mean == pytest.approx(1.0, abs=0.2), (mean, found)


def test_the_published_ball():
    """REFERENCES, h0 = 1 m, e = 0.8: each impact adds at most a step to the error of its time; and the accumulation."""
    run = moved(ball, ["floor.impacts", "floor.contact"], end=5.0, step=1e-4, points=0, samples={"h0": [1.0], "e": [0.8]})
    exact = [0.4515236409857309, 1.1739614665629003, 1.7519117270246358, 2.214271935394024]
    for n, time in enumerate(exact, 1):
        assert run.time[np.argmax(run["floor.impacts"][0] >= n)] == pytest.approx(time, abs=n * 1e-4)
    rests = run.time[np.flatnonzero(run["floor.contact"][0] < 0.5)[-1]]
    assert rests == pytest.approx(4.063712768871579, abs=20e-4)


def test_lanes_give_the_bits_of_single_runs():
    rng = np.random.default_rng(3)
    samples = {"h0": rng.uniform(0.9, 1.1, 9), "e": rng.uniform(0.0, 1.0, 9)}
    outputs = ["ball.y", "ball.vy", "floor.normal", "energy.balance"]
    together = moved(ball, outputs, end=2.0, step=1e-3, points=41, samples=samples)
    for i in range(9):
        alone = moved(ball, outputs, end=2.0, step=1e-3, points=41, samples={k: x[i : i + 1] for k, x in samples.items()})
        for name in outputs:
            np.testing.assert_array_equal(alone[name][0], together[name][i])


def test_a_block_slides_down_where_friction_is_less_than_the_slope():
    """Each step has its friction: as exact as rounding, from the start."""
    run = moved(slope(speed=0.0), ["block.vx"], end=1.0, step=1e-3, points=11)
    steady = -G * (np.sin(np.pi / 6) - 0.3 * np.cos(np.pi / 6))
    assert steady == pytest.approx(-2.3562872366623964)
    assert run["block.vx"] == pytest.approx(steady * run.time, abs=1e-8)


def test_a_block_sticks_where_friction_is_more_than_the_slope():
    run = moved(slope(mu=0.6, speed=0.0), ["block.x", "block.vx", "floor.sticking", "floor.friction"], end=1.0, step=1e-3, points=11)
    assert run["block.x"] == pytest.approx(0.0, abs=1e-8)
    assert np.all(run["floor.sticking"][1:] == 1.0)
    assert np.abs(run["floor.friction"][1:]) == pytest.approx(0.5 * G, rel=1e-9)


def test_a_block_thrown_up_comes_to_rest_and_slides_back():
    """REFERENCES: at 2 m/s, mu = 0.3 it stops at t = x = 0.268322655232618."""
    stop = 0.268322655232618
    back = G * (0.5 - 0.3 * np.sqrt(0.75))
    errors = []
    for step in STEPS:
        run = moved(slope(), ["block.x"], end=1.0, step=step, points=0)
        k = np.argmax(run["block.x"])
        assert run.time[k] == pytest.approx(stop, abs=2.0 * step)
        errors.append(np.abs(run["block.x"] - np.where(run.time < stop, rise(run.time), stop - 0.5 * back * (run.time - stop) ** 2)).max())
    assert np.all(np.array(errors) < 2.0 * STEPS), errors


def rise(t):
    """Of the block thrown up."""
    return 2.0 * t - 0.5 * G * (0.5 + 0.3 * np.sqrt(0.75)) * t**2


def test_a_block_thrown_up_stays_where_friction_holds_it():
    run = moved(slope(mu=0.8), ["block.x", "floor.sticking"], end=1.0, step=1e-4, points=11)
    distance = 4.0 / (2.0 * G * (0.5 + 0.8 * np.sqrt(0.75)))
    assert run["block.x"][-1] == pytest.approx(distance, abs=1e-4)
    assert np.ptp(run["block.x"][5:]) < 1e-8 and run["floor.sticking"][-1] == 1.0


def test_the_coulomb_oscillator_turns_two_forces_lower_and_rests():
    """REFERENCES: turning points 5.3, -3.3, 1.3, 0.7, half a period apart, then rest within the band of friction."""
    for step in (1e-2, 1e-3):
        run = moved(oscillator(), ["block.x", "floor.sticking"], end=12.0, step=step, points=0)
        at = [np.argmin(abs(run.time - k * np.pi)) for k in range(4)]
        assert run["block.x"][at] == pytest.approx([5.3, -3.3, 1.3, 0.7], abs=0.1 * step)
        assert np.all(run["floor.sticking"][run.time > 3 * np.pi + 2 * step] == 1.0)


def riding(t, speed=0.5, mu=0.2, stiffness=4.0, mass=1.0):
    """Place of the block on the belt: it slips, sticks, and swings about the place at which the spring holds friction.

    Slip: ``x = d (1 - cos(w t))`` with ``d = mu m g/k`` until ``d w sin(w t)`` is the belt's speed V (friction is mu m g, as the belt is
    faster); stick: x grows with V until ``k x = mu m g``, x = d; from there ``x = d + (V/w) sin(w (t - t2))``, never faster than the belt.
    """
    w, d = np.sqrt(stiffness / mass), mu * mass * G / stiffness
    first = np.arcsin(speed / (d * w)) / w
    caught = d * (1.0 - np.cos(w * first))
    second = first + (d - caught) / speed
    swing = d + speed / w * np.sin(w * (t - second))
    return np.select([t < first, t < second], [d * (1.0 - np.cos(w * t)), caught + speed * (t - first)], swing), first, second


def test_a_block_on_a_belt_slips_sticks_and_swings():
    errors = []
    for step in STEPS:
        run = moved(belt(), ["block.x", "belt.x", "touch.sticking", "energy.balance", "energy.drive"], end=4.0, step=step, points=0)
        exact, first, second = riding(run.time)
        errors.append(np.abs(run["block.x"] - exact).max())
        sticks = (run.time > first + 2.0 * step) & (run.time < second - 2.0 * step)
        assert np.all(run["touch.sticking"][sticks] == 1.0)
        assert np.all(run["touch.sticking"][run.time < first - 2.0 * step] == 0.0)
    assert np.all(np.array(errors) < 0.01 * STEPS), errors
    assert run["belt.x"] == pytest.approx(0.5 * run.time, abs=1e-7)


def test_the_belts_drive_pays_for_friction():
    """Work of the drive is that of friction on the belt: mu m g V while it slips, and the spring's force times V while it sticks."""
    run = moved(belt(), ["block.x", "energy.balance", "energy.drive"], end=1.1, step=1e-4, points=12)
    _, first, second = riding(run.time)
    caught = riding(first)[0]
    friction = 0.2 * G
    spent = np.where(run.time < first, friction * 0.5 * run.time, friction * 0.5 * first + 2.0 * (run["block.x"] ** 2 - caught**2))
    assert second > run.time[-1]
    assert run["energy.drive"] == pytest.approx(spent, abs=2e-4)
    assert np.ptp(run["energy.balance"]) < 1e-8  # the spring's work and energy differ by the step squared


def pendulum():
    """A uniform rod of 1 m, released from the horizontal."""
    s = fm.System(gravity=(0.0, -G))
    rod = s.body("rod", mass=1.0, inertia=1.0 / 12.0, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    return s


def test_without_contact_the_scheme_is_of_order_two():
    """The largest error of two swings; with steps above 1 ms what is of order 3 (rows that close as places) outweighs the rest."""
    steps = np.array([5e-4, 2.5e-4, 1.25e-4])
    names, when = ["rod.x", "rod.y", "rod.vx", "rod.vy"], {"end": 3.0, "points": 76}
    exact = fm.run(pendulum(), outputs=names, settings={"tolerance": 1e-12}, **when)
    runs = [moved(pendulum(), names, step=h, **when) for h in steps]
    for name in names:
        errors = [np.abs(run[name] - exact[name]).max() for run in runs]
        assert slopes(steps, errors) == pytest.approx(2.0, abs=0.2), (name, errors)
