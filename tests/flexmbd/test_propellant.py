"""Bodies that lose mass: sleds, rockets and wheels by Tsiolkovsky's and Meshchersky's equations, against closed forms."""

import numpy as np
import pytest

import flexmbd as fm

from .running import column, simulate

G, DRY, FUEL, EXHAUST = 9.81, 2.0, np.array([3.0, 1.5]), 50.0  # m/s², kg, kg, m/s
BURN, SPEED, WAY, SPIN = 0.8, 4.0, 6.0, 7.0  # s, m/s, m, rad/s


def rockets(fuel=3.0):
    """Side by side: what is fired over time on a rail, upwards, and over its way on a rail, and what only loses mass."""
    s = fm.System(gravity=(0.0, -G))
    burning = fm.Polynomial((fuel, -fuel / BURN))

    def sled(name, height, speed=0.0):
        body = s.body(name, mass=DRY, inertia=0.1, position=(0.0, height), velocity=(speed, 0.0))
        s.add(fm.Translational(f"{name}_rail", s.ground.at(0.0, height), body.centre))
        return body

    s.add(fm.Propellant("fuel", sled("timed", 0.0).at(-0.3, 0.1), burning, EXHAUST))
    way = fm.PlaceOf(s.ground.at(0.0, 1.0), (placed := sled("placed", 1.0, SPEED)).centre)
    s.add(fm.Propellant("charges", placed.centre, fm.Polynomial((fuel, -fuel / WAY)), EXHAUST, along=way))
    s.add(fm.Propellant("sand", (leaking := sled("leaking", 2.0, SPEED)).centre, burning))
    s.add(fm.PointForce("pull", leaking.centre, fx=12.0))
    rocket = s.point_mass("rocket", mass=DRY, position=(0.0, 5.0))
    s.add(fm.Propellant("motor", rocket.centre, burning, EXHAUST, axis=(0.0, 1.0)))
    wheel = s.body("wheel", mass=1.0, inertia=0.2, position=(0.0, -3.0), rate=SPIN)
    s.add(fm.Revolute("hub", s.ground.at(0.0, -3.0), wheel.centre))
    for name, x in (("left", -0.4), ("right", 0.4)):
        s.add(fm.Propellant(name, wheel.at(x, 0.0), burning))
    return s


END = 0.7
OUTPUTS = [
    "timed.vx", "placed.x", "placed.vx", "leaking.vx", "rocket.vy", "wheel.rate", "fuel.mass", "fuel.thrust", "hub.fy", "timed_rail.fy",
    "energy.balance", "energy.kinetic",
]  # fmt: skip


def exact(t, fuel):
    """Velocities over time; that of the sled fired over its way is over its place."""
    start, now = DRY + fuel, DRY + fuel * (1.0 - t / BURN)
    return {
        "timed.vx": EXHAUST * np.log(start / now), "rocket.vy": EXHAUST * np.log(start / now) - G * t,
        "leaking.vx": SPEED + 12.0 * BURN / fuel * np.log(start / now), "wheel.rate": SPIN + 0.0 * t,
        "fuel.mass": now - DRY, "fuel.thrust": fuel / BURN * EXHAUST + 0.0 * t, "timed_rail.fy": now * G,
    }  # fmt: skip


@pytest.fixture(scope="module")
def run():
    return simulate(rockets, OUTPUTS, end=END, points=15, samples={"fuel": FUEL}, tolerance=1e-10)


@pytest.mark.parametrize("sample", [0, 1])
def test_velocities_are_tsiolkovskys(run, sample):
    """v = u ln(m0/m), upwards less g t; what leaves with the body's velocity changes none, and no turning of a wheel."""
    found = column(run, sample)
    for name, history in exact(run.time, FUEL[sample]).items():
        np.testing.assert_allclose(found[name], history, rtol=1e-7, atol=1e-7, err_msg=name)


@pytest.mark.parametrize("sample", [0, 1])
def test_a_sled_fired_over_its_way_has_the_same_velocity_at_the_same_mass(run, sample):
    found, fuel = column(run, sample), FUEL[sample]
    left = fuel * np.maximum(1.0 - found["placed.x"] / WAY, 0.0)
    assert np.sum(left == 0.0) > 2  # some of it after the last charge
    np.testing.assert_allclose(found["placed.vx"], SPEED + EXHAUST * np.log((DRY + fuel) / (DRY + left)), rtol=1e-7)


@pytest.mark.parametrize("sample", [0, 1])
def test_energy_that_leaves_is_in_the_books(run, sample):
    found = column(run, sample)
    assert np.ptp(found["energy.balance"]) < 1e-6 * np.ptp(found["energy.kinetic"])


def test_an_implicit_scheme_keeps_its_order():
    errors = []
    for step in (2e-3, 1e-3):
        settings = {"integrator": "generalized_alpha", "step": step, "fixed": True}
        found = column(simulate(rockets, ["timed.vx", "placed.x", "placed.vx"], end=0.25, samples={"fuel": FUEL}, **settings))
        left = FUEL[0] * (1.0 - found["placed.x"] / WAY)
        errors.append(abs(found["placed.vx"] - SPEED - EXHAUST * np.log((DRY + FUEL[0]) / (DRY + left)))[-1])
    assert errors[0] < 1e-2 and np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


def less(way, full):
    """Mass of what follows a coordinate and stays in the mechanism."""
    return full * (1.0 - 0.1 * way)


def test_mass_that_leaves_is_not_mass_that_is_geared_down():
    """The same function of the way: what leaves takes its momentum with it, a reduced mass gives its energy to what is left."""

    def pair():
        s = fm.System()
        bodies = [s.body(name, mass=1.0, inertia=1.0, position=(0.0, y), velocity=(SPEED, 0.0)) for name, y in (("a", 0.0), ("b", 1.0))]
        ways = [fm.PlaceOf(s.ground.at(0.0, 0.0), body.centre) for body in bodies]
        s.add(fm.Propellant("sand", bodies[0].centre, fm.Polynomial((2.0, -0.2)), along=ways[0]))
        s.add(fm.ReducedInertia("gear", ways[1], less, {"full": 2.0}))
        return s

    found = column(simulate(pair, ["a.vx", "b.x", "b.vx"], end=1.0, points=5, tolerance=1e-10))
    np.testing.assert_allclose(found["a.vx"], SPEED, rtol=1e-9)
    np.testing.assert_allclose(found["b.vx"], SPEED * np.sqrt(3.0 / (3.0 - 0.2 * found["b.x"])), rtol=1e-8)


def test_in_space_the_thrust_turns_with_the_body():
    def turning(speed=EXHAUST):
        s = fm.System(gravity=(0.0, 0.0, 0.0))
        body = s.body("body", mass=DRY, inertia=(0.1, 0.1, 0.1), angular_velocity=(0.0, 0.0, SPIN))
        s.add(fm.Propellant("motor", body.centre, fm.Polynomial((2.0, -0.5)), speed))
        return s

    got = column(simulate(turning, ["body.vx", "body.vy", "energy.balance"], end=1.0, points=2, tolerance=1e-9))
    t = np.linspace(0.0, 1.0, 20001)
    for name, turned in (("body.vx", np.cos(SPIN * t)), ("body.vy", np.sin(SPIN * t))):
        assert got[name][-1] == pytest.approx(np.trapezoid(0.5 * EXHAUST / (4.0 - 0.5 * t) * turned, t), abs=1e-6)


def test_what_it_needs_is_said():
    s = fm.System()
    body = s.body("body", mass=1.0, inertia=1.0)
    with pytest.raises(fm.ModelError, match="must be a point of a rigid body or a point mass"):
        fm.Propellant("fuel", s.ground.at(0.0, 0.0), 1.0)
    with pytest.raises(fm.ModelError, match="it must be an AngleOf or a PlaceOf"):
        fm.Propellant("fuel", body.centre, 1.0, along=body)
