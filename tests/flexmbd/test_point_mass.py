"""Point masses and rods without mass: pendula in space, a four-bar without a coupler, and what they refuse."""

import numpy as np
import pytest
from scipy.special import ellipk

import flexmbd as fm

from .running import column, simulate
from .sentences import names, said

G, LENGTH, HALF_ANGLE, SWING = 9.81, 0.7, 0.5, 1.2
SPIN = np.sqrt(G / (LENGTH * np.cos(HALF_ANGLE)))  # of the conical pendulum, rad/s
PERIOD = 4.0 * np.sqrt(LENGTH / G) * ellipk(np.sin(0.5 * SWING) ** 2)


def pendula():
    """A conical pendulum; one that swings in a plane, on an axle of its own; two masses that circle about each other as they fly."""
    s = fm.System(gravity=(0.0, 0.0, -G))
    r, h = LENGTH * np.sin(HALF_ANGLE), LENGTH * np.cos(HALF_ANGLE)
    cone = s.point_mass("cone", mass=0.4, position=(r, 0.0, -h), velocity=(0.0, r * SPIN, 0.0))
    s.add(fm.Distance("string", s.ground.at(0.0, 0.0, 0.0), cone.centre))
    plane = np.array([0.6, 0.8, 0.0])
    bob = s.point_mass("bob", mass=0.9, position=tuple(LENGTH * np.sin(SWING) * plane - [0.0, 0.0, LENGTH * np.cos(SWING)]))
    s.add(fm.Distance("rod", s.ground.at(0.0, 0.0, 0.0), bob.centre))
    left = s.point_mass("left", mass=1.0, position=(5.0, 0.0, 0.0), velocity=(0.0, 1.0, 2.0))
    right = s.point_mass("right", mass=2.0, position=(5.0, 0.5, 0.0), velocity=(0.7, 1.0, 3.0))
    s.add(fm.Distance("link", left.centre, right.centre))
    return s


@pytest.fixture(scope="module")
def swung():
    states = [f"{body}.{v}{axis}" for body in ("cone", "bob", "left", "right") for v in ("", "v") for axis in "xyz"]
    outputs = [*states, "string.tension", "rod.tension", "rod.force", "link.tension", "energy.total", "energy.balance"]
    run = simulate(pendula, outputs, end=PERIOD, points=9, lanes=1, tolerance=1e-12)
    return run.time, column(run)


def test_conical_pendulum_keeps_its_height(swung):
    t, got = swung
    r = LENGTH * np.sin(HALF_ANGLE)
    assert got["cone.x"] == pytest.approx(r * np.cos(SPIN * t), abs=1e-9)
    assert got["cone.z"] == pytest.approx(-LENGTH * np.cos(HALF_ANGLE) + 0 * t, abs=1e-9)
    assert got["string.tension"] == pytest.approx(0.4 * G / np.cos(HALF_ANGLE) + 0 * t, abs=1e-8)


def test_spatial_pendulum_has_the_period_of_the_elliptic_integral(swung):
    t, got = swung
    start = LENGTH * np.sin(SWING) * np.array([0.6, 0.8])
    assert [got[f"bob.{k}"][-1] for k in "xy"] == pytest.approx(start, abs=1e-8)
    assert [got[f"bob.{k}"][4] for k in "xy"] == pytest.approx(-start, abs=1e-8)  # half a period
    speed = G * 2.0 * LENGTH * (1.0 - np.cos(SWING))  # squared, at the bottom
    assert got["rod.tension"][2] == pytest.approx(0.9 * (G + speed / LENGTH), abs=1e-7)
    assert got["rod.tension"][0] == pytest.approx(0.9 * G * np.cos(SWING), abs=1e-9)
    assert got["rod.force"] == pytest.approx(np.abs(got["rod.tension"]), abs=1e-9)


def test_momenta_and_energy_of_a_flying_pair(swung):
    t, got = swung
    place, speed = (
        {body: np.stack([got[f"{body}.{v}{k}"] for k in "xyz"], -1) for body in ("left", "right")} for v in ("", "v")
    )  # fmt: skip
    momentum = speed["left"] + 2.0 * speed["right"]
    assert momentum == pytest.approx(momentum[0] - np.outer(3.0 * G * t, [0.0, 0.0, 1.0]), abs=1e-8)
    apart, across = place["right"] - place["left"], speed["right"] - speed["left"]
    spin = np.cross(apart, across)
    assert spin == pytest.approx(np.tile(spin[0], (len(t), 1)), abs=1e-9)
    assert np.linalg.norm(apart, axis=1) == pytest.approx(0.5 + 0 * t, abs=1e-10)
    # the speed at the start is made consistent: its part along the rod goes
    assert got["link.tension"] == pytest.approx(2.0 / 3.0 * 0.5 * (spin[0] @ spin[0]) / 0.5**4 + 0 * t, abs=1e-8)
    assert got["energy.total"] == pytest.approx(got["energy.total"][0] + 0 * t, abs=1e-8)
    assert got["energy.balance"] == pytest.approx(got["energy.balance"][0] + 0 * t, abs=1e-8)


CRANK, COUPLER, ROCKER, BASE, RATE = 0.3, 1.0, 0.8, 1.0, 2.0


def four_bar():
    """Crank and rocker joined by a rod without mass instead of a coupler."""
    s = fm.System(gravity=(0.0, -G))
    crank = s.body("crank", mass=1.0, inertia=0.1, points={"A": (0.0, 0.0), "B": (CRANK, 0.0)}, angle=0.4)
    rocker = s.body("rocker", mass=1.0, inertia=0.2, position=(BASE, 0.0), angle=1.7, points={"C": (ROCKER, 0.0)})
    s.add(fm.Revolute("P", s.ground.at(0.0, 0.0), crank["A"]))
    s.add(fm.Revolute("S", s.ground.at(BASE, 0.0), rocker.centre))
    s.add(fm.Distance("coupler", crank["B"], rocker["C"], length=COUPLER))
    s.add(fm.AngleDrive("motor", s.ground.at(0.0, 0.0), crank["A"], fm.ConstantSpeed(RATE, 0.4)))
    return s


def test_four_bar_with_a_rod_as_coupler_follows_its_closed_kinematics():
    run = simulate(four_bar, ["rocker.angle", "rocker.alpha", "coupler.tension", "energy.balance"], end=3.0, points=61, tolerance=1e-11)
    got, crank = column(run), 0.4 + RATE * run.time
    x, y = CRANK * np.cos(crank) - BASE, CRANK * np.sin(crank)  # Freudenstein: where the circles about both ends meet
    apart = np.hypot(x, y)
    rocker = np.arctan2(y, x) - np.arccos((apart**2 + ROCKER**2 - COUPLER**2) / (2.0 * apart * ROCKER))
    assert got["rocker.angle"] == pytest.approx(np.unwrap(rocker), abs=1e-8)
    tip = np.array([BASE + ROCKER * np.cos(rocker), ROCKER * np.sin(rocker)]) - CRANK * np.array([np.cos(crank), np.sin(crank)])
    arm = (-np.sin(rocker) * tip[0] + np.cos(rocker) * tip[1]) * ROCKER / COUPLER  # of the rod's force about the rocker's pin
    assert -got["coupler.tension"] * arm == pytest.approx(0.2 * got["rocker.alpha"], abs=1e-7)
    assert np.ptp(got["energy.balance"]) < 1e-6


def test_length_is_that_of_the_start_for_points_of_all_bodies():
    steel = fm.Material(2e11, 0.3, 7800.0)
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    turned = dict(rotation=(0.0, 0.0, np.pi / 2), offset=(0.3, 0.0, 0.0))
    rigid = s.body("rigid", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0), **turned)
    cable = s.cable("cable", length=2.0, elements=3, section=fm.Section.circle(0.01), material=steel, direction=(0.0, 0.0, 1.0))
    beam = s.beam("beam", length=2.0, elements=2, section=fm.Section.circle(0.01), material=steel, position=(0.0, 3.0, 0.0))
    bob = s.point_mass("bob", mass=1.0, position=(0.0, 0.0, np.array([4.0, 5.0])))
    where = {rigid.at(2.0, 0.0, 0.0): (1.0, 2.0, 0.0), cable.at(1.7): (0.0, 0.0, 1.7), beam.section(0.7).at(0.1, 0.2): None}
    for k, (point, place) in enumerate(where.items()):
        rod = s.add(fm.Distance(f"rod{k}", s.ground.at(0.0, 0.0, 7.0), point))
        if place is None:
            up, along = np.array(beam.up), np.array([1.0, 0.0, 0.0])
            place = [0.7, 3.0, 0.0] + 0.1 * up + 0.2 * np.cross(along, up)
        assert rod.length == pytest.approx(np.linalg.norm(np.subtract(place, [0.0, 0.0, 7.0])), abs=1e-12)
    assert s.add(fm.Distance("thread", s.ground.at(0.0, 0.0, 7.0), bob.centre)).length == pytest.approx([3.0, 2.0])


def test_point_mass_and_rod_refuse_what_they_cannot_be():
    s = fm.System()
    names(said(lambda: s.point_mass("bob", mass=0.0)), "bob", "mass")
    names(said(lambda: s.point_mass("bob", mass=1.0, position=(0.0, 0.0, 1.0))), "bob", "position", "2 numbers")
    bob = s.point_mass("bob", mass=1.0)
    names(said(lambda: bob.at(0.1, 0.0)), "bob", "bob.centre")
    names(said(lambda: fm.Distance("rod", s.ground.at(0.0, 0.0), bob.centre)), "rod", "no length")
    names(said(lambda: fm.Distance("rod", s.ground.at(0.0, 0.0), bob.centre, length=-1.0)), "rod", "length", "greater than zero")
    names(said(lambda: s.add(fm.Distance("rod", s.ground, bob.centre, length=1.0))), "rod", "a point")


@pytest.mark.parametrize("needs", [
    lambda s, bob: fm.Translational("rail", s.ground.at(0.0, 0.0), bob.centre),
    lambda s, bob: fm.Fixed("rail", bob.centre, s.ground.at(0.0, 0.0)),
    lambda s, bob: fm.Torque("rail", s.ground, bob, 1.0),
    lambda s, bob: fm.TorsionSpring("rail", s.ground, bob, 1.0),
    lambda s, bob: fm.PointForce("rail", bob.centre, fx=1.0, follower=True),
], ids=["translational", "fixed", "torque", "torsion spring", "follower"])  # fmt: skip
def test_what_needs_an_orientation_refuses_a_point_mass(needs):
    s = fm.System()
    s.add(needs(s, s.point_mass("bob", mass=1.0)))
    names(said(lambda: fm.run(lambda: s, {}, end=1.0, points=2, outputs=["bob.x"])), "rail", "'bob' is a point mass", "orientation")
