"""Rigid bodies and joints in space, against closed forms and independent integration."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import flexmbd as fm

GRAVITY = (0.3, -0.7, -9.81)
TIMES = np.linspace(0.0, 0.4, 5)


def heavy_top(spin=150.0):
    """REFERENCES.md, section 1: a flat body, so the mass matrix alone is singular."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    place, omega = (0.0, 1.0, 0.0), (0.0, spin, -4.61538)
    inertia = (0.234375, 0.46875, 0.234375)
    speed = tuple(np.cross(np.array([0.0, 0.0, -4.61538]), place))
    options = {"position": place, "velocity": speed, "angular_velocity": omega, "points": {"O": (0.0, -1.0, 0.0)}}
    top = system.body("top", mass=15.0, inertia=inertia, **options)
    system.add(fm.Spherical("O", system.ground.at(0.0, 0.0, 0.0), top["O"]))
    return system


INERTIA = (0.04, 0.06, 0.09, 0.004, -0.006, 0.008)
SPIN = (3.0, -7.0, 2.0)
TILT = (0.4, -0.3, 0.5)
AXIS = np.array([1.0, 2.0, 2.0]) / 3.0


def gallery():
    """Bodies side by side, each on another joint with the ground, so that one topology is compiled for all."""
    system = fm.System(gravity=GRAVITY)
    ground = system.ground
    system.body("free", mass=2.0, inertia=INERTIA, position=(1.0, 0.0, 0.0), rotation=TILT, velocity=(0.5, 0.0, 2.0), angular_velocity=SPIN)
    arm = system.body("arm", mass=2.0, inertia=INERTIA, position=(0.5, 0.0, 0.0), points={"O": (-0.5, 0.0, 0.0)})
    system.add(fm.Revolute("hinge", ground.at(0.0, 0.0, 0.0), arm["O"], axis=(0.0, 1.0, 0.0)))
    spin = tuple(4.0 * AXIS)
    for name, joint in (("sleeve", fm.Cylindrical), ("puck", fm.Planar), ("sled", fm.Translational)):
        body = system.body(name, mass=1.5, inertia=INERTIA, rotation=TILT, angular_velocity=(0.0,) * 3 if name == "sled" else spin)
        system.add(joint(f"{name}_joint", ground.at(0.0, 0.0, 0.0), body.centre, axis=tuple(AXIS)))
    held = system.body("held", mass=1.5, inertia=INERTIA, position=(0.0, 0.2, 0.0), rotation=TILT, points={"P": (0.0, 0.1, 0.0)})
    where = np.array([0.0, 0.2, 0.0]) + Rotation.from_rotvec(TILT).apply([0.0, 0.1, 0.0])
    system.add(fm.Fixed("weld", ground.at(*where), held["P"]))
    return system


@pytest.fixture(scope="module")
def found():
    turns = [f"{kind}_{axis}" for kind in ("rotation", "cardan", "omega") for axis in "xyz"]
    kinds = [f"free.{key}" for key in (*"xyz", *(f"quaternion_{k}" for k in range(4)), *turns)]
    kinds += ["free.omega_1", "free.omega_2", "free.omega_3", "arm.d1x", "arm.d1z", "arm.omega_y"]
    kinds += [f"{body}.{key}" for body in ("sleeve", "puck", "sled") for key in (*"xyz", *(f"omega_{a}" for a in "xyz"))]
    kinds += [f"weld.{key}" for key in ("fx", "fy", "fz", "mx", "my", "mz")] + ["held.x", "held.d1x"]
    outputs = fm.run(gallery, {}, end=0.4, points=5, outputs=kinds, settings={"tolerance": 1e-11, "lanes": 1}).outputs
    return {name: x[0] for name, x in outputs.items()}


def vector(found, name, keys):
    return np.stack([found[f"{name}{key}"] for key in keys], -1)


@pytest.fixture(scope="module")
def euler():
    """Torque-free rotation by Euler's equations with quaternions, scipy."""
    xx, yy, zz, xy, xz, yz = INERTIA
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    start = Rotation.from_rotvec(TILT)

    def rate(_, state):
        (w, x, y, z), omega = state[:4], state[4:]
        a, b, c = omega
        turn = 0.5 * np.array([-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a])
        return [*turn, *np.linalg.solve(tensor, -np.cross(omega, tensor @ omega))]

    begin = [*np.roll(start.as_quat(), 1), *start.inv().apply(SPIN)]
    return solve_ivp(rate, (0.0, 0.4), begin, t_eval=TIMES, method="DOP853", rtol=1e-13, atol=1e-13).y.T


def test_free_body_turns_by_eulers_equations(found, euler):
    assert vector(found, "free.omega_", "123") == pytest.approx(euler[:, 4:], abs=1e-8)
    turned = Rotation.from_quat(np.roll(euler[:, :4], -1, axis=1))
    assert vector(found, "free.omega_", "xyz") == pytest.approx(turned.apply(euler[:, 4:]), abs=1e-8)
    sign = np.sign(euler[:, :1])
    assert vector(found, "free.quaternion_", "0123") == pytest.approx(sign * euler[:, :4], abs=1e-9)
    assert vector(found, "free.rotation_", "xyz") == pytest.approx(turned.as_rotvec(), abs=1e-8)
    assert vector(found, "free.cardan_", "xyz") == pytest.approx(turned.as_euler("XYZ"), abs=1e-8)


def test_free_body_falls(found):
    fall = np.array([1.0, 0.0, 0.0]) + np.outer(TIMES, [0.5, 0.0, 2.0]) + 0.5 * np.outer(TIMES**2, GRAVITY)
    assert vector(found, "free.", "xyz") == pytest.approx(fall, abs=1e-9)


def test_revolute_joint_is_a_compound_pendulum(found):
    inertia = INERTIA[1] + 2.0 * 0.25

    def rate(_, state):
        angle, speed = state  # of the arm about y, from x
        return speed, 2.0 * 0.5 * (-GRAVITY[0] * np.sin(angle) - GRAVITY[2] * np.cos(angle)) / inertia

    exact = solve_ivp(rate, (0.0, 0.4), [0.0, 0.0], t_eval=TIMES, method="DOP853", rtol=1e-13, atol=1e-13).y
    assert found["arm.omega_y"] == pytest.approx(exact[1], abs=1e-8)
    assert vector(found, "arm.d1", "xz") == pytest.approx(np.stack([np.cos(exact[0]), -np.sin(exact[0])], -1), abs=1e-9)


def test_cylindrical_joint_slides_and_spins(found):
    along = 0.5 * TIMES**2 * (AXIS @ GRAVITY)
    assert vector(found, "sleeve.", "xyz") == pytest.approx(np.outer(along, AXIS), abs=1e-9)
    assert vector(found, "sleeve.omega_", "xyz") == pytest.approx(np.tile(4.0 * AXIS, (5, 1)), abs=1e-9)


def test_planar_joint_stays_in_its_plane(found):
    inside = GRAVITY - AXIS * (AXIS @ GRAVITY)
    assert vector(found, "puck.", "xyz") == pytest.approx(0.5 * np.outer(TIMES**2, inside), abs=1e-9)
    assert vector(found, "puck.omega_", "xyz") == pytest.approx(np.tile(4.0 * AXIS, (5, 1)), abs=1e-9)


def test_prismatic_joint_slides_without_turning(found):
    along = 0.5 * TIMES**2 * (AXIS @ GRAVITY)
    assert vector(found, "sled.", "xyz") == pytest.approx(np.outer(along, AXIS), abs=1e-9)
    assert vector(found, "sled.omega_", "xyz") == pytest.approx(0.0, abs=1e-9)


def test_fixed_joint_carries_weight_and_moment(found):
    weight = 1.5 * np.array(GRAVITY)
    arm = Rotation.from_rotvec(TILT).apply([0.0, 0.1, 0.0])
    assert vector(found, "weld.f", "xyz") == pytest.approx(np.tile(-weight, (5, 1)), abs=1e-8)
    assert vector(found, "weld.m", "xyz") == pytest.approx(np.tile(np.cross(arm, weight), (5, 1)), abs=1e-8)
    assert found["held.x"] == pytest.approx(0.0, abs=1e-10)


# ---- a heavy top, two universal joints and a spring, in one system
def cardan_shaft(system, bend=0.5):
    """Two universal joints in Z arrangement: no degree of freedom is left."""
    ground, inertia = system.ground, (0.02, 0.03, 0.03)
    c, s = np.cos(bend), np.sin(bend)
    into = system.body("into", mass=1.0, inertia=inertia, position=(-0.5, 0.0, 0.0), points={"A": (0.0, 0.0, 0.0), "U": (0.5, 0.0, 0.0)})
    where = {"position": (0.5 * c, 0.5 * s, 0.0), "rotation": (0.0, 0.0, bend)}
    middle = system.body("middle", mass=1.0, inertia=inertia, points={"U": (-0.5, 0.0, 0.0), "V": (0.5, 0.0, 0.0)}, **where)
    out = system.body("out", mass=1.0, inertia=inertia, position=(c + 0.5, s, 0.0), points={"V": (-0.5, 0.0, 0.0)})
    system.add(fm.Revolute("bearing", ground.at(-0.5, 0.0, 0.0), into["A"], axis=(1.0, 0.0, 0.0)))
    system.add(fm.AngleDrive("motor", ground.at(-0.5, 0.0, 0.0), into["A"], fm.ConstantSpeed(10.0), axis=(1.0, 0.0, 0.0)))
    system.add(fm.Universal("first", into["U"], middle["U"], axis=(0.0, 0.0, 1.0), axis_b=(0.0, 1.0, 0.0)))
    system.add(fm.Universal("second", middle["V"], out["V"], axis=(0.0, 1.0, 0.0), axis_b=(0.0, 0.0, 1.0)))
    system.add(fm.Cylindrical("slide", ground.at(c + 0.5, s, 0.0), out.centre, axis=(1.0, 0.0, 0.0)))


def ball_on_a_spring(system):
    """Its weight is carried; the spring pulls it along its line, and a torque turns it."""
    ball = system.body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 2.0, 2.0))
    system.add(fm.Spring("spring", system.ground.at(0.0, 0.0, 0.0), ball.centre, stiffness=50.0, length=2.0))
    system.add(fm.Torque("spin", system.ground, ball, (0.0, 0.3, 0.0)))
    system.add(fm.PointForce("push", ball.centre, 2.0 / 3.0, 4.0 / 3.0, 4.0 / 3.0 + 2.0 * 9.81))


@pytest.fixture(scope="module")
def three():
    def build():
        system = heavy_top()
        cardan_shaft(system)
        ball_on_a_spring(system)
        return system

    outputs = ["top.x", "top.y", "top.z", "top.omega_2", "O.mx", "O.my", "O.mz", "energy.balance"]
    outputs += ["into.omega_x", "out.omega_x", "middle.d2x", "middle.d2y", "middle.d2z", "ball.x", "ball.omega_y"]
    run = fm.run(build, {}, end=0.5, points=26, outputs=outputs, settings={"tolerance": 1e-11, "lanes": 1})
    assert not run.status.any(), run.message
    return {name: x[0] for name, x in run.outputs.items()}


def test_heavy_top(three):
    place = [three[f"top.{axis}"][10] for axis in "xyz"]
    assert place == pytest.approx([0.6055505613771232, 0.5989576817950312, -0.5239830274298661], abs=1e-9)
    assert three["top.omega_2"] == pytest.approx(150.0, rel=1e-9)
    assert np.ptp(three["energy.balance"]) < 1e-9 * np.abs(three["energy.balance"][0])
    assert max(np.abs(three[f"O.m{axis}"]).max() for axis in "xyz") < 1e-9  # a spherical joint bears no moment


def test_cardan_shaft(three):
    assert three["out.omega_x"] == pytest.approx(three["into.omega_x"], abs=1e-6)  # the two joints make up for each other
    turn = 10.0 * np.linspace(0.0, 0.5, 26)
    pin = np.stack([0.0 * turn, -np.sin(turn), np.cos(turn)], -1)
    fork = np.cross([np.cos(0.5), np.sin(0.5), 0.0], pin)
    fork /= -np.linalg.norm(fork, axis=1, keepdims=True)
    middle = vector(three, "middle.d2", "xyz")
    assert middle == pytest.approx(fork * np.sign((fork * middle).sum(1))[:, None], abs=1e-8)


def test_spring_in_space_and_a_torque(three):
    time = np.linspace(0.0, 0.5, 26)
    stretch = 0.04 + 0.96 * np.cos(5.0 * time)  # from 2.0 by 2 N / 50 N/m
    assert three["ball.x"] == pytest.approx((2.0 + stretch) / 3.0, abs=1e-9)
    assert three["ball.omega_y"] == pytest.approx(3.0 * time, abs=1e-8)


def wrong(build):
    with pytest.raises(fm.ModelError) as error:
        build(fm.System(gravity=(0.0, 0.0, -9.81)))
    return str(error.value)


def test_what_no_body_can_be():
    body = {"name": "block", "mass": 1.0}
    assert "exceed the sum" in wrong(lambda s: s.body(**body, inertia=(0.1, 0.1, 0.3)))
    assert "principal moment" in wrong(lambda s: s.body(**body, inertia=(0.1, 0.1, 0.1, 0.2, 0.0, 0.0)))
    assert "three or six" in wrong(lambda s: s.body(**body, inertia=0.1))
    assert "not a rotation matrix" in wrong(lambda s: s.body(**body, inertia=(0.1, 0.1, 0.1), rotation=np.diag([1.0, 1.0, -1.0])))
    assert "rotation and angular_velocity" in wrong(lambda s: s.body(**body, inertia=(0.1, 0.1, 0.1), angle=0.3))
    assert "2 coordinates; this system needs 3" in wrong(lambda s: s.body(**body, inertia=(0.1,) * 3, points={"A": (0.0, 1.0)}))


def test_joints_that_do_not_fit_the_space():
    def ends(s):
        return s.ground.at(0.0, 0.0, 0.0), s.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1)).centre

    assert "needs an axis" in wrong(lambda s: fm.Revolute("pin", *ends(s)))
    assert "three numbers" in wrong(lambda s: fm.Revolute("pin", *ends(s), axis=(1.0, 0.0)))
    assert "not for spatial systems" in wrong(lambda s: s.add(fm.RevoluteTranslational("slot", *ends(s))))
    planar = fm.System()
    with pytest.raises(fm.ModelError, match="not for planar systems"):
        planar.add(fm.Spherical("ball", planar.ground.at(0.0, 0.0), planar.body("rod", mass=1.0, inertia=1.0).centre))


def test_redundant_revolute_joints_are_named():
    def build():
        system = fm.System(gravity=(0.0, 0.0, -9.81))
        door = system.body("door", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0))
        for name, height in (("upper", 0.5), ("lower", -0.5)):
            system.add(fm.Revolute(name, system.ground.at(0.0, 0.0, height), door.at(-0.5, 0.0, height), axis=(0.0, 0.0, 1.0)))
        return system

    with pytest.raises(fm.ModelError, match=r"5 of the rows .*upper.*lower"):
        fm.run(build, {}, end=0.1, points=2, outputs=["door.x"])
