"""Dry friction in ideal joints in space: motions against equations written here, loads against statics."""

from functools import partial

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmbd as fm

from .running import column, simulate
from .sentences import names, said
from .test_joint_friction import ARM, INERTIA, MASS, MU, PIN, G, law, pendulum, shares

UNIT = (0.4, 0.4, 0.4)


def turned():
    """A rotation matrix of no special direction."""
    q = np.array([0.5, 0.3, -0.7, 0.4])
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    )  # fmt: skip


def swinging(mu=MU, angle=1.0, rate=0.0, offset=0.0, length=None, frame=None):
    """The pendulum of the plane about an axis that lies anywhere: x, y of the plane and the axis are columns of `frame`."""
    frame = np.eye(3) if frame is None else frame
    s = fm.System(gravity=tuple(-G * frame[:, 1]))
    place = frame @ np.array([ARM * np.sin(angle), -ARM * np.cos(angle), offset])
    velocity = frame @ np.array([ARM * rate * np.cos(angle), ARM * rate * np.sin(angle), 0.0])
    rod = s.body("rod", mass=MASS, inertia=(INERTIA,) * 3, position=tuple(place), velocity=tuple(velocity),
                 angular_velocity=tuple(frame @ np.array([0.0, 0.0, rate])))  # fmt: skip
    pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0, 0.0), rod.at(*(-place)), axis=tuple(frame[:, 2])))
    s.add(fm.JointFriction("rub", pin, law(mu), radius=PIN, length=length))
    return s


@pytest.mark.parametrize("frame", [np.eye(3), turned()], ids=["upright", "turned"])
def test_pendulum_with_a_thick_pin_about_any_axis(frame):
    outputs = ["rub.load", "rub.torque", "rub.slip", "energy.balance"]
    run = simulate(lambda mu: swinging(mu, 1.0, -3.0, frame=frame), outputs, end=0.5, points=26, samples={"mu": [MU]}, tolerance=1e-11)
    (_, rate), load = pendulum(MU, 1.0, -3.0, run.time)
    got = column(run, 0)
    assert got["rub.slip"] == pytest.approx(PIN * rate, abs=1e-8)
    assert got["rub.load"] == pytest.approx(load, rel=1e-7)
    assert got["rub.torque"] == pytest.approx(PIN * shares(PIN * rate, MU) * load, abs=1e-7)
    assert np.ptp(got["energy.balance"]) < 1e-7


@pytest.mark.parametrize(("offset", "length"), [(0.3, 0.2), (0.02, 0.2)])
def test_ends_of_a_bearing_carry_what_hangs_beside_it(offset, length):
    """Hanging at rest: the ends bear m g/2 ± m g d/l, by size the larger of m g and 2 m g d/l."""
    run = simulate(lambda mu: swinging(mu, 0.0, 0.0, offset, length), ["rub.load"], end=0.01, points=2, samples={"mu": [MU]})
    assert run.outputs["rub.load"][0] == pytest.approx(MASS * G * max(1.0, 2.0 * offset / length), rel=1e-9)


def test_a_collar_slows_a_wheel_on_an_upright_axle():
    """I w' = -mu m g r, with r the collar's mean radius, whatever the pin's."""
    collar, spin = 0.08, 60.0

    def wheel(mu):
        s = fm.System(gravity=(0.0, 0.0, -G))
        disc = s.body("disc", mass=MASS, inertia=UNIT, angular_velocity=(0.0, 0.0, spin))
        axle = s.add(fm.Revolute("axle", s.ground.at(0.0, 0.0, 0.0), disc.centre, axis=(0.0, 0.0, 1.0)))
        s.add(fm.JointFriction("rub", axle, law(mu), radius=PIN, collar=collar))
        return s

    run = simulate(wheel, ["rub.slip", "rub.load", "energy.balance"], end=2.0, points=5, samples={"mu": [MU]}, tolerance=1e-11)
    got = column(run, 0)
    assert got["rub.slip"] / PIN == pytest.approx(spin - MU * MASS * G * collar / UNIT[0] * run.time, abs=1e-8)
    assert got["rub.load"] * PIN == pytest.approx(MASS * G * collar + 0.0 * run.time, rel=1e-8)
    assert np.ptp(got["energy.balance"]) < 1e-6


def cart(mu, lift, twist, length, radius, frame):
    """A body pushed along a rail; the push acts `lift` above it, and a moment turns it about the rail."""
    s = fm.System(gravity=tuple(-G * frame[:, 1]))
    body = s.body("cart", mass=2.0, inertia=UNIT, velocity=tuple(3.0 * frame[:, 0]))
    rail = s.add(fm.Translational("rail", s.ground.at(0.0, 0.0, 0.0), body.centre, axis=tuple(frame[:, 0])))
    s.add(fm.JointFriction("rub", rail, law(mu), length=length, radius=radius))
    fx, fy, fz = 40.0 * frame[:, 0]
    s.add(fm.PointForce("push", body.at(*(lift * frame[:, 1])), fx=fx, fy=fy, fz=fz))
    s.add(fm.Torque("twist", s.ground, body, tuple(twist * frame[:, 0])))
    return s


@pytest.mark.parametrize("frame", [np.eye(3), turned()], ids=["upright", "turned"])
@pytest.mark.parametrize(("lift", "twist", "length", "radius"), [(0.0, 0.0, None, None), (0.3, 0.0, 0.2, None), (0.1, 5.0, 0.2, 0.04)])
def test_cart_on_a_rail_with_moments_across_and_about_it(frame, lift, twist, length, radius):
    """Statics of the guide: its ends bear N/2 ± M/l, its key T/r."""
    outputs = ["rub.load", "rub.slip", "rub.force", "energy.balance"]
    made = partial(cart, lift=lift, twist=twist, length=length, radius=radius, frame=frame)
    run = simulate(made, outputs, end=0.2, points=6, samples={"mu": [MU]}, tolerance=1e-11)
    weight = 2.0 * G
    load = weight if length is None else max(weight, 2.0 * lift * 40.0 / length)
    load += 0.0 if radius is None else twist / radius
    got = column(run, 0)
    assert got["rub.load"] == pytest.approx(load + 0.0 * run.time, rel=1e-8)

    def change(_, v):
        return (40.0 - shares(v, MU) * load) / 2.0

    found = solve_ivp(change, (0.0, run.time[-1]), [3.0], t_eval=run.time, method="DOP853", rtol=1e-11, atol=1e-12).y[0]
    assert got["rub.slip"] == pytest.approx(found, abs=1e-8)
    assert np.ptp(got["energy.balance"]) < 1e-6


def test_a_sleeve_that_turns_and_slides_is_slowed_by_one_force():
    """Friction has the direction of the surface's slip (R w, v): while it turns fast, a sleeve slides as if there were little friction."""

    def sleeve(mu):
        s = fm.System(gravity=(0.0, 0.0, -G))
        body = s.body("body", mass=MASS, inertia=UNIT, velocity=(1.0, 0.0, 0.0), angular_velocity=(30.0, 0.0, 0.0))
        rod = s.add(fm.Cylindrical("rod", s.ground.at(0.0, 0.0, 0.0), body.centre, axis=(1.0, 0.0, 0.0)))
        s.add(fm.JointFriction("rub", rod, law(mu), radius=PIN))
        return s

    outputs = ["body.vx", "rub.slip", "rub.load", "energy.balance"]
    run = simulate(sleeve, outputs, end=1.0, points=11, samples={"mu": [MU]}, tolerance=1e-11)

    def change(_, state):
        v, w = state
        size = np.hypot(v, PIN * w)
        force = shares(size, MU) * MASS * G
        return -force * v / size / MASS, -force * PIN * PIN * w / size / UNIT[0]

    found = solve_ivp(change, (0.0, 1.0), [1.0, 30.0], t_eval=run.time, method="DOP853", rtol=1e-11, atol=1e-13).y
    got = column(run, 0)
    assert got["body.vx"] == pytest.approx(found[0], abs=1e-8)
    assert got["rub.slip"] == pytest.approx(np.hypot(found[0], PIN * found[1]), abs=1e-8)
    assert got["rub.load"] == pytest.approx(MASS * G + 0.0 * run.time, rel=1e-8)
    assert np.ptp(got["energy.balance"]) < 1e-7


def test_a_ball_in_a_socket_is_slowed_about_the_axis_of_its_spin():
    """I w' = -mu m g R w/|w|: the axis stays, the spin falls at a constant rate."""
    spin, ball = np.array([20.0, -30.0, 12.0]), 0.1

    def hung(mu):
        s = fm.System(gravity=(0.0, -G, 0.0))
        body = s.body("body", mass=MASS, inertia=UNIT, angular_velocity=tuple(spin))
        socket = s.add(fm.Spherical("socket", s.ground.at(0.0, 0.0, 0.0), body.centre))
        s.add(fm.JointFriction("rub", socket, law(mu), radius=ball))
        return s

    rates = [f"body.omega_{axis}" for axis in "xyz"]
    run = simulate(hung, [*rates, "rub.torque", "energy.balance"], end=1.0, points=6, samples={"mu": [MU]}, tolerance=1e-11)
    size = np.linalg.norm(spin)
    right = np.outer(spin / size, size - MU * MASS * G * ball / UNIT[0] * run.time)
    got = column(run, 0)
    np.testing.assert_allclose([got[name] for name in rates], right, atol=2e-7)
    assert got["rub.torque"] == pytest.approx(MU * MASS * G * ball + 0.0 * run.time, rel=1e-8)
    assert np.ptp(got["energy.balance"]) < 1e-6


def test_sizes_that_a_joint_has_not_are_refused():
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    rod, zero = s.body("rod", mass=1.0, inertia=UNIT), s.ground.at(0.0, 0.0, 0.0)
    ball, slide = fm.Spherical("ball", zero, rod.centre), fm.Translational("slide", zero, rod.centre, axis=(1.0, 0.0, 0.0))
    names(said(lambda: fm.JointFriction("rub", ball, law(0.1))), "rub", "ball", "radius")
    long = said(lambda: fm.JointFriction("rub", ball, law(0.1), radius=0.1, length=0.1))
    names(long, "rub", "length", "Revolute", "Translational", "space")
    names(said(lambda: fm.JointFriction("rub", slide, law(0.1), collar=0.1)), "rub", "collar", "Revolute", "slide")
    weld = fm.Fixed("weld", zero, rod.centre)
    names(said(lambda: fm.JointFriction("rub", weld, law(0.1))), "weld", "Fixed", "Spherical")
