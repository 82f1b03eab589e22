"""Torsion springs about an axis in space, and bushings: closed forms, momenta, energy, derivatives by differences."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbd as fm
from flexmbd.forces.bushing import rotation_vector
from flexmbd.language.graph import Graph

from .running import column, simulate
from .tangents import jacobian

rng = np.random.default_rng(3)
HALF = rng.standard_normal((6, 6))
FULL = 200.0 * (HALF @ HALF.T + np.eye(6)) * np.outer([3, 3, 3, 1, 1, 1], [3, 3, 3, 1, 1, 1]) / 9.0
DIAGONAL = (300.0, 400.0, 500.0, 6.0, 7.0, 8.0)
INERTIA = (0.03, 0.04, 0.05)
TILT = (0.0, 0.6, 0.8)


def hung(stiffness=DIAGONAL, damping=(0.0,) * 6, **start):
    """A body on a bushing to ground."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    body = s.body("body", mass=2.0, inertia=INERTIA, **start)
    s.add(fm.Bushing("bush", s.ground.at(0.0, 0.0, 0.0), body.centre, stiffness, damping))
    return s


def coupled(factor=1.0):
    """Two free bodies on a full bushing, strained by their velocities; a wheel on a tilted axis with a torsion spring."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    a = s.body("a", mass=2.0, inertia=INERTIA, rotation=(0.3, -0.5, 0.2), velocity=(0.4, 0.0, 0.0), angular_velocity=(3.0, 1.0, -4.0))
    b = s.body(
        "b", mass=1.0, inertia=(0.02, 0.02, 0.03), position=(0.3, 0.1, 0.0), rotation=(0.0, 0.7, 0.0), angular_velocity=(-9.0, 6.0, 5.0)
    )
    axes = ((1.0, 1.0, 0.0), (0.0, 1.0, 1.0))
    s.add(fm.Bushing("bush", a.at(0.1, 0.0, 0.0), b.at(-0.1, 0.05, 0.0), factor * FULL, (0.0,) * 6, axes))
    wheel = s.body(
        "wheel",
        mass=1.0,
        inertia=(0.1, 0.2, 0.3),
        rotation=(-np.arctan2(0.6, 0.8), 0.0, 0.0),
        angular_velocity=tuple(60.0 * np.array(TILT)),
    )
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0, 0.0), wheel.centre, axis=TILT))
    s.add(fm.TorsionSpring("coil", s.ground, wheel, 0.3, 0.02, angle=1.0, axis=TILT))
    return s


# ---- what needs no motion
def test_rotation_vectors_are_those_of_scipy_with_their_derivatives():
    g = Graph()
    entries = [g.var("q", i) for i in range(9)]
    nodes = rotation_vector(g, [entries[3 * i : 3 * i + 3] for i in range(3)])
    slopes = [g.derivative(x, q) for x in nodes for q in entries]
    for size in (1e-12, 1e-5, 0.02, 0.0316, 0.5, 1.6, 3.1):
        p = size * np.array([0.48, -0.6, 0.64])
        q = Rotation.from_rotvec(p).as_matrix().ravel()

        def at(q, wanted=nodes):
            return np.array(g.evaluate(wanted, {"q": q}), float)

        np.testing.assert_allclose(at(q), p, rtol=1e-12, atol=1e-15)
        if size not in (0.0316, 3.1):  # differences would straddle the change to the series, or come near half a turn
            np.testing.assert_allclose(at(q, slopes).reshape(3, 9), jacobian(at, q, 1e-4), atol=1e-8)


def test_a_load_finds_the_deflection_of_its_stiffness():
    s = hung()
    s.add(fm.PointForce("pull", s.bodies[0].centre, fx=3.0, fy=-2.0, fz=5.0))
    found = fm.static(s)
    for axis, force, k in zip("xyz", (3.0, -2.0, 5.0), DIAGONAL, strict=False):
        assert found[f"body.{axis}"][-1] == pytest.approx(force / k, rel=1e-9)
        assert found[f"bush.f{axis}"][-1] == pytest.approx(force, rel=1e-9)


def test_a_large_turn_about_one_axis_needs_the_moment_of_its_stiffness():
    s = hung()
    s.add(fm.Torque("twist", s.ground, s.bodies[0], (0.0, 0.0, fm.Polynomial((0.0, 16.0)))))
    path = fm.static(s)
    np.testing.assert_allclose(path["bush.rotation_z"], 16.0 * path.t / 8.0, atol=1e-9)
    assert path["bush.rotation_z"][-1] == pytest.approx(2.0, abs=1e-9)


def test_its_small_vibrations_are_those_of_mass_and_stiffness():
    found = fm.modes(hung())
    right = [*np.sqrt(np.divide(DIAGONAL[:3], 2.0)), *np.sqrt(np.divide(DIAGONAL[3:], INERTIA))]
    assert np.sort(found.frequencies) == pytest.approx(np.sort(right), rel=1e-9)


def test_damping_is_that_of_its_matrix():
    found = fm.modes(hung(damping=tuple(0.01 * x for x in DIAGONAL)), damped=True)
    natural = np.sqrt(np.divide(DIAGONAL[:3], 2.0))
    for w in natural:
        assert np.abs(found.poles - (-0.005 * w**2 + 1j * w * np.sqrt(1 - (0.005 * w) ** 2))).min() < 1e-6 * w


@pytest.mark.parametrize("system", [coupled, lambda: hung(FULL, 0.01 * FULL, rotation=(0.4, 0.0, 0.1))], ids=["free", "ground"])
def test_derivatives_are_those_of_differences(system):
    e = fm.Equations(system())
    q, v = e.initial()
    q = q + 0.02 * np.random.default_rng(5).standard_normal(e.n)
    size = np.abs(e.stiffness(q, v).toarray()).max()
    np.testing.assert_allclose(e.stiffness(q, v).toarray(), -jacobian(lambda x: e.force(x, v), q, 1e-4), atol=1e-8 * size)
    np.testing.assert_allclose(e.damping(q, v).toarray(), -jacobian(lambda x: e.force(q, x), v, 1e-2), atol=1e-8 * size)


# ---- motion
@pytest.fixture(scope="module")
def run():
    names = [f"{b}.{k}" for b in "ab" for k in ("x", "y", "z", "vx", "vy", "vz", "omega_x", "omega_y", "omega_z")]
    names += [f"{b}.d{k}{axis}" for b in "ab" for k in (1, 2, 3) for axis in "xyz"]
    names += [
        "wheel.omega_1",
        "wheel.omega_2",
        "wheel.omega_3",
        "coil.angle",
        "coil.moment",
        "energy.balance",
        "bush.rotation_x",
        "bush.rotation_y",
        "bush.rotation_z",
    ]
    return simulate(coupled, names, end=1.0, points=41, samples={"factor": [0.1, 0.03]}, tolerance=1e-10)


def momenta(got):
    """Linear and angular momentum of both bodies, (points, 3)."""
    total, turning = 0.0, 0.0
    for name, mass, inertia in (("a", 2.0, INERTIA), ("b", 1.0, (0.02, 0.02, 0.03))):
        r, v, w = (np.stack([got[f"{name}.{key}{axis}"] for axis in "xyz"], -1) for key in ("", "v", "omega_"))
        total = total + mass * v
        turning = turning + mass * np.cross(r, v)
        for k in (1, 2, 3):
            d = np.stack([got[f"{name}.d{k}{axis}"] for axis in "xyz"], -1)
            turning = turning + inertia[k - 1] * np.sum(d * w, -1)[:, None] * d
    return total, turning


@pytest.mark.slow
@pytest.mark.parametrize("sample", [0, 1])
def test_a_bushing_keeps_momenta_and_energy_at_large_rotations(run, sample):
    got = column(run, sample)
    turn = np.sqrt(sum(got[f"bush.rotation_{axis}"] ** 2 for axis in "xyz"))
    assert 0.5 < turn.max() < 3.0
    for momentum in momenta(got):
        np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=2e-8)
    assert np.ptp(got["energy.balance"]) < 1e-6


@pytest.mark.slow
def test_a_torsion_spring_in_space_counts_turns(run):
    """A damped oscillator about its free angle, with the moment of inertia about the axis, over many turns."""
    got, t = column(run), run.time
    decay, natural = 0.02 / 0.6, np.sqrt(0.3 / 0.3 - (0.02 / 0.6) ** 2)
    twist = np.exp(-decay * t) * (-np.cos(natural * t) + (60.0 - decay) / natural * np.sin(natural * t))
    assert twist.max() > 6 * 2 * np.pi
    np.testing.assert_allclose(got["coil.angle"], twist, atol=2e-6)


# ---- what is refused
@pytest.mark.parametrize(
    "stiffness, words",
    [
        ((1.0, 2.0), "stiffness is .* it must be six numbers or a symmetric 6 x 6 matrix"),
        (np.arange(36.0).reshape(6, 6), "the matrix must be symmetric"),
        ((1.0, 1.0, 1.0, 1.0, 1.0, np.nan), "must be a finite number"),
    ],
)
def test_a_matrix_that_cannot_be_is_refused(stiffness, words):
    with pytest.raises(fm.ModelError, match=words):
        hung(stiffness)


def test_a_torsion_spring_in_space_needs_an_axis():
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    with pytest.raises(fm.ModelError, match="needs an axis in space"):
        fm.TorsionSpring("coil", s.ground, s.body("wheel", mass=1.0, inertia=INERTIA), 1.0)
