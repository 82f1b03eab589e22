"""Several impacts at once and one after another, and rods whose friction jams (Painlevé): against momentum by hand."""

from itertools import pairwise

import numpy as np
import pytest

import flexmbd as fm

from .impenetrable_models import TIP, G, moved, rod, row_of_discs, slopes


def speeds(count, **given):
    """Of all discs in the end."""
    run = moved(row_of_discs(count, **given), [f"disc{k}.vx" for k in range(count)], end=0.5, step=1e-4)
    return np.array([run[f"disc{k}.vx"][-1] for k in range(count)])


@pytest.mark.parametrize("count", [3, 5])
def test_newtons_cradle_in_touch_is_one_problem(count):
    """Newton's rule at all contacts at once, e = 1: the first contact opens as fast as it closed, the others, at rest before, stay closed.

    So the first disc meets the mass of all others: ``v (2 - n)/n`` and ``2 v/n``; momentum and energy are kept, but it is not the toy.
    """
    found = speeds(count)
    assert found == pytest.approx([(2.0 - count) / count, *[2.0 / count] * (count - 1)], abs=1e-9)
    assert (found**2).sum() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("count", [3, 5])
def test_newtons_cradle_with_gaps_is_the_toy(count):
    """Impacts one after another: the last disc takes all."""
    assert speeds(count, gap=1e-3) == pytest.approx([0.0] * (count - 1) + [1.0], abs=1e-12)


def test_discs_in_touch_that_stay_together_share_their_momentum():
    assert speeds(4, e=0.0) == pytest.approx(0.25, abs=1e-9)


def test_a_chain_of_impacts_of_unlike_discs():
    """Falling masses, each struck once: ``v' = (1 + e) m1/(m1 + m2) v``, and the striker keeps ``(m1 - e m2)/(m1 + m2) v``."""
    masses, e, wanted, speed = [1.0, 2.0, 4.0, 8.0], 0.5, [], 1.0
    for first, second in pairwise(masses):
        wanted.append((first - e * second) / (first + second) * speed)
        speed *= (1.0 + e) * first / (first + second)
    assert speeds(4, gap=1e-2, e=e, masses=masses) == pytest.approx([*wanted, speed], abs=1e-12)


def test_restitution_by_poissons_rule_is_newtons_without_friction():
    """One contact: the percussion of restitution is e times that of compression."""

    def drop(rule="newton"):
        s = fm.System()
        body = s.body("disc", mass=2.0, inertia=0.1, position=(0.0, 0.2), velocity=(0.0, -1.0))
        s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), 0.1, fm.Impenetrable(0.6, rule=rule)))
        return s

    for rule in ("newton", "poisson"):
        run = moved(drop(rule), ["disc.vy", "floor.impulse"], end=0.2, step=1e-3)
        assert run["disc.vy"][-1] == pytest.approx(0.6, rel=1e-12)
        assert run["floor.impulse"][-1] == pytest.approx(2.0 * 1.6, rel=1e-12)


# ---- Painlevé's rod: half length 0.5, 1 kg; under way its tip yields to forces by 1 + 3 c (c - mu s), c and s of its angle
TIP_OUTPUTS = ["rod.tip.vx", "rod.tip.y", "rod.rate", "floor.normal", "energy.total"]


def yields(angle, mu):
    """How fast the sliding tip yields to a normal force (1/kg), friction with it; below zero is Painlevé's paradox."""
    return 1.0 + 3.0 * np.cos(angle) * (np.cos(angle) - mu * np.sin(angle))


def test_a_rod_with_little_friction_slides():
    """The normal force of a consistent start at rest of rotation: ``g/(1/m + ...)``."""
    assert yields(1.0, 0.3) > 0.0
    run = moved(rod(mu=0.3, speed=-5.0), TIP_OUTPUTS, end=1e-3, step=1e-5, points=0)
    assert run["floor.normal"][1] == pytest.approx(G / yields(1.0, 0.3), rel=1e-3)
    assert np.all(run["rod.tip.vx"] < -4.9)


def test_a_rod_in_the_inconsistent_region_jams_in_no_time():
    """No force holds the tip there: a percussion stops it, though nothing approaches ("impact without collision").

    On the level of velocities a free rod has a solution always (Stewart 2000, SIAM Review 42, 3-39): the tip sticks, and angular momentum
    about it is kept: ``4/3 m l² w = m l s v``.
    """
    angle, mu, speed = 1.0, 2.0, 5.0
    assert yields(angle, mu) < 0.0
    steps, errors = np.array([1e-4, 5e-5, 2.5e-5]), []
    for step in steps:
        run = moved(rod(mu=mu, speed=-speed), TIP_OUTPUTS, end=step, step=step)
        assert abs(run["rod.tip.vx"][-1]) < 20.0 * step
        errors.append(abs(run["rod.rate"][-1] - 0.75 * np.sin(angle) * speed / 0.5))
        assert run["energy.total"][-1] < run["energy.total"][0]
    assert slopes(steps, errors) == pytest.approx(1.0, abs=0.2), errors


def test_the_same_rod_pulled_the_other_way_slides():
    """Friction then takes the load off the tip."""
    run = moved(rod(mu=2.0, speed=5.0), TIP_OUTPUTS, end=1e-3, step=1e-5, points=0)
    assert run["floor.normal"][1] == pytest.approx(G / yields(1.0, -2.0), rel=1e-3)
    assert np.all(run["rod.tip.vx"] > 4.9)


def guided(mu=0.5, e=0.5, speed=1.0):
    """A body on a guide that leads at 30° into the floor: friction jams it where ``mu > tan(30°)``."""
    s = fm.System()
    c, n = np.cos(np.pi / 6), np.sin(np.pi / 6)
    start = {"position": (0.0, 0.05), "velocity": (speed * c, -speed * n)}
    body = s.body("body", mass=1.0, inertia=1.0, **start)
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.05), body.centre, axis=(c, -n)))
    s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), TIP, fm.Impenetrable(e, friction=mu)))
    return s


def test_a_guided_body_comes_back_where_friction_lets_it():
    """One coordinate: Newton's rule gives the speed, whatever friction does."""
    assert moved(guided(), ["body.vx"], end=0.2, step=1e-3)["body.vx"][-1] == pytest.approx(-0.5 * np.cos(np.pi / 6), rel=1e-9)


def test_a_guided_body_that_friction_jams_has_no_restitution():
    """Pushed back, friction outweighs any normal percussion, so Newton's rule has no solution; e = 0 has one, and the body stays."""
    samples = {"mu": np.array([0.3, 2.5, 2.5]), "e": np.array([0.5, 0.5, 0.0])}
    run = fm.run(guided, samples, end=0.2, points=2, outputs=["body.vx"], settings={"integrator": "moreau", "step": 1e-3})
    assert list(run.status) == [0, 1, 0]
    assert "the contact problem has no solution at t = " in run.message[1] and "give less friction" in run.message[1]
    assert run["body.vx"][2, -1] == pytest.approx(0.0, abs=1e-9)
