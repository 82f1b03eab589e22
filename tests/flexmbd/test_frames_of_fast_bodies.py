"""Bodies that turn far within a step keep their frames, and the lever arm of a contact is its radius, however deep a step has led it."""

import numpy as np
import pytest

import flexmbd as fm

G = 9.81


def spinning(rate=20.0, inertia=3e-4, ratio=1.0, walls=True):
    """A free body in space that turns about an axis across its own; a floor far below, where the scheme is for contacts."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    moments = (inertia, 0.5 * inertia * (1.0 + ratio), inertia * ratio)
    b = s.body("b", mass=0.3, inertia=moments, position=(0.0, 0.0, 2.0), angular_velocity=(0.0, 0.6 * rate, 0.8 * rate))
    if walls:
        s.add(fm.SpherePlane("floor", b.centre, s.ground.at(0.0, 0.0, 0.0), 0.04, fm.Impenetrable(0.0, friction=0.2)))
    return s


def off(found):
    """Largest departure of the directors from unit length and from right angles."""
    d = [np.array([found[f"b.d{k}{axis}"] for axis in "xyz"]) for k in (1, 2, 3)]
    unit = [np.abs((x * x).sum(0) - 1.0).max() for x in d]
    return max(*unit, *(np.abs((d[i] * d[k]).sum(0)).max() for i, k in ((0, 1), (0, 2), (1, 2))))


FRAME = [f"b.d{k}{axis}" for k in (1, 2, 3) for axis in "xyz"]


@pytest.mark.parametrize("scheme", ["moreau", "nonsmooth_generalized_alpha", "rk4"])
def test_a_body_that_spins_keeps_its_frame_in_long_steps(scheme):
    """A fifth and a half of a radian a step, at the ends of steps and between them, and for many turns."""
    walls = scheme != "rk4"
    for step, ratio in ((1e-2, 1.0), (2.5e-2, 1.3)):
        settings = {"integrator": scheme, "step": step}
        found = fm.run(spinning(ratio=ratio, walls=walls), end=6.0, points=701, outputs=[*FRAME, "energy.kinetic"], settings=settings)
        assert not found.status and off(found) < 1e-4, found.message
        assert np.all(found["energy.kinetic"] < 1.02 * found["energy.kinetic"][0])


def test_time_stepping_keeps_the_energy_of_a_free_spin():
    """To rounding where all axes are alike, at the ends of steps of 0.16 to 0.6 rad."""
    for step in (8e-3, 1.6e-2, 3e-2):
        found = fm.run(spinning(), end=60 * step, points=61, outputs=["energy.kinetic"], settings={"integrator": "moreau", "step": step})
        assert np.ptp(found["energy.kinetic"]) < 1e-10 * found["energy.kinetic"][0]


def test_a_ball_on_a_turntable_runs_on_its_circle():
    """It rolls without slipping: its centre runs on a circle at 2/7 of the table's rate, whatever its size and mass (Weltner 1979)."""
    radius, rate = 0.04, 4.0
    place, speed = np.array([0.3, -0.2, 0.0]), np.array([0.1, 0.25, 0.0])
    up = np.array([0.0, 0.0, 1.0])
    spin = np.cross(up, -(rate * np.cross(up, place) - speed) / radius)
    s = fm.System(gravity=(0.0, 0.0, -G))
    table = s.body("table", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, rate))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0, 0.0), table.centre, axis=(0.0, 0.0, 1.0)))
    s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0, 0.0), table.centre, fm.ConstantSpeed(rate), axis=(0.0, 0.0, 1.0)))
    start = {"position": (place[0], place[1], radius), "velocity": tuple(speed), "angular_velocity": tuple(spin)}
    ball = s.body("b", mass=0.5, inertia=(0.4 * 0.5 * radius**2,) * 3, **start)
    s.add(fm.SpherePlane("touch", ball.centre, table.centre, radius, fm.Impenetrable(friction=0.5)))
    found = fm.run(s, end=2.5, points=126, outputs=["b.x", "b.y", *FRAME], settings={"integrator": "moreau", "step": 1e-2})
    assert not found.status and off(found) < 1e-6, found.message
    turn = 2.0 / 7.0 * rate
    centre = place + np.cross(up, speed) / turn
    away = np.hypot(found["b.x"] - centre[0], found["b.y"] - centre[1])
    assert away == pytest.approx(np.linalg.norm(speed) / turn, rel=2e-2)


# ---- lever arms
LAW, RADIUS, INERTIA, GAP = fm.Impenetrable(0.5, friction=0.4), 0.1, 0.004, 0.0043


def struck(kind):
    """A disc or ball of 1 kg that comes down spinning, and is 0.057 of its radius inside in the middle of the step of its impact."""
    if kind in ("disc", "journal"):
        s, height = fm.System(), -0.3 + GAP if kind == "journal" else RADIUS + GAP
        b = s.body("b", mass=1.0, inertia=INERTIA, position=(0.0, height), velocity=(0.0, -20.0), rate=12.0)
        if kind == "disc":
            s.add(fm.DiscPlane("touch", b.centre, s.ground.at(0.0, 0.0), RADIUS, LAW))
        else:
            s.add(fm.ClearanceRevolute("touch", b.centre, s.ground.at(0.0, 0.0), 0.3, LAW, bearing_radius=0.4))
        return s, "b.rate"
    s, height = fm.System(gravity=(0.0, 0.0, 0.0)), RADIUS + GAP if kind == "sphere" else -0.3 + GAP
    start = {"position": (0.0, 0.0, height), "velocity": (0.0, 0.0, -20.0), "angular_velocity": (0.0, 12.0, 0.0)}
    b, ground = s.body("b", mass=1.0, inertia=(INERTIA,) * 3, **start), s.ground.at(0.0, 0.0, 0.0)
    if kind == "sphere":
        s.add(fm.SpherePlane("touch", b.centre, ground, RADIUS, LAW))
    elif kind == "tube":
        s.add(fm.SphereCylinder("touch", b.centre, ground, RADIUS, 0.4, LAW, axis=(0.0, 1.0, 0.0), inside=True))
    else:
        s.add(fm.ClearanceSpherical("touch", b.centre, ground, law=LAW, clearance=0.3, bearing_radius=0.4))
    return s, "b.omega_y"


@pytest.mark.parametrize("kind", ["disc", "journal", "sphere", "tube", "socket"])
def test_the_lever_arm_of_an_impact_is_the_radius(kind):
    """What friction takes of the spin, ``J dw``, is what it gives to the centre, ``m dv``, times the radius (to a turn squared)."""
    s, rate = struck(kind)
    found = fm.run(s, end=1e-3, points=2, outputs=["b.vx", rate, "touch.impacts"], settings={"integrator": "moreau", "step": 1e-3})
    assert found["touch.impacts"][-1] == 1 and abs(found["b.vx"][-1]) > 0.1
    assert INERTIA * abs(found[rate][-1] - 12.0) == pytest.approx(RADIUS * abs(found["b.vx"][-1]), rel=1e-4)
