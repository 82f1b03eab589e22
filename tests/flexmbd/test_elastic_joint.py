"""Clearance joint with an elastic liner: journal, film, cavitation and liner in one set of equations."""

from dataclasses import replace

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.analysis.equations import Equations
from flexmbd.lubrication.elastic.bearing import ElasticBearing
from flexmbd.lubrication.elastic.ring import RingLiner
from flexmbd.lubrication.elastic.winkler import WinklerLiner
from flexmbd.lubrication.reynolds import ReynoldsBearing
from flexmbd.lubrication.reynolds.grooves import AxialGroove
from flexmbd.lubrication.solved import GridFilm
from flexmbd.lubrication.solved.reynolds_film import rigid_shapes

from .running import simulate
from .sentences import names, said
from .tangents import jacobian

MU, L, C, R, SPIN = 0.02, 0.01, 1e-4, 0.01, 300.0
LINER = WinklerLiner(1e8, 0.3, 1e-3, 1200.0)
SHAPES = (lambda z: 1.0 + 0.0 * z, lambda z: (2.0 * z / L) ** 2)


def modes(harmonics=3, across=1):
    return LINER.modes(R, L, range(harmonics + 1), SHAPES[:across])


def rotor(load=60.0, stiffness=1.0, x=0.0, y=0.0, shapes=None, bearing="ground", turn=0.0, damping=2e-5, mass=0.05, viscosity=MU, **film):
    """Journal driven at constant speed, loaded along -y; with another `bearing` both bodies are free, and turned."""
    s = fm.System()
    cos, sin = np.cos(turn), np.sin(turn)
    place = (cos * x - sin * y, sin * x + cos * y)
    body = s.body("rotor", mass=mass, inertia=1e-6, position=place, rate=SPIN)
    seat = s.ground.at(0.0, 0.0)
    if bearing == "ground":
        s.add(fm.AngleDrive("drive", seat, body.centre, fm.ConstantSpeed(SPIN)))
        s.add(fm.PointForce("load", body.centre, fy=-1.0 * load))
    else:
        seat = s.body("housing", mass=0.2, inertia=1e-4, angle=turn, rate=0.2 * SPIN).centre
    liner = s.bush("liner", modes() if shapes is None else shapes, stiffness=stiffness, damping=damping)
    oil = fm.ReynoldsFilm(viscosity, L, cells=(32, 3), inlet="periodic", **film)
    s.add(fm.ClearanceRevolute("B", body.centre, seat, C, None, bearing_radius=R, film=oil, liner=liner))
    return s


def moved(system, seed=0):
    """Equations, coordinates and velocities with a liner that is deflected and moves."""
    equations = Equations(system)
    q, v = equations.initial()
    places = [k for k, name in enumerate(equations.coordinates) if name.startswith("liner")]
    rng = np.random.default_rng(seed)
    q[places], v[places] = 0.05 * C * rng.normal(size=len(places)), 1e-3 * rng.normal(size=len(places))
    v[:2] = (1e-3, -2e-3)
    return equations, q, v


@pytest.mark.parametrize("bearing", ["ground", "free"])
def test_tangent_is_that_of_all_forces(bearing):
    ring = RingLiner(1e8, 0.45, 1e-3, 1200.0).modes(R, L, range(3), SHAPES)
    shapes = modes(2, across=2) if bearing == "ground" else ring
    equations, q, v = moved(rotor(x=0.5 * C, y=-0.3 * C, bearing=bearing, shapes=shapes, side_pressure=1e5))
    stiffness, damping = (matrix(q, v).toarray() for matrix in (equations.stiffness, equations.damping))
    lengths = np.array([measure == "length" for measure in equations.measures])
    by_place = -jacobian(lambda x: equations.force(x, v), q, 1e-9)
    assert np.abs(stiffness - by_place)[:, lengths].max() < 1e-7 * np.abs(stiffness[:, lengths]).max()
    assert np.abs(stiffness - by_place)[:, ~lengths].max(initial=0.0) < 1e-4 * np.abs(stiffness[:, ~lengths]).max(initial=1.0)
    by_rate = -jacobian(lambda x: equations.force(q, x), v, 1e-6)
    assert np.abs(damping - by_rate).max() < 1e-8 * np.abs(damping).max()


def test_momentum_and_power_balance_and_all_turns_with_the_bearing():
    """Free journal and free bearing with a groove: forces and moments of all cancel, and what they lose is the film's power."""
    groove = AxialGroove(1.0, 0.5, 0.008, 2e5)
    forces = []
    for turn in (0.0, 0.7):
        equations, q, v = moved(rotor(x=0.4 * C, y=-0.5 * C, bearing="free", turn=turn, damping=0.0, grooves=(groove,), side_pressure=1e5))
        cos, sin = np.cos(turn), np.sin(turn)
        v[:2] = (cos * v[0] - sin * v[1], sin * v[0] + cos * v[1])
        force = equations.force(q, v)
        scale = np.abs(force[:2]).max()
        assert np.abs(force[0:2] + force[4:6]).max() < 1e-12 * scale
        turning = np.zeros_like(q)
        for first in (0, 2, 4, 6):
            turning[first : first + 2] = -q[first + 1], q[first]
        assert abs(turning @ force) < 1e-12 * scale * R
        power = equations.output("B.film_power", q, v)
        stored = equations.system.bodies[-1].modes.stiffness @ q[8:]
        assert force @ v == pytest.approx(-power - stored @ v[8:], rel=1e-10)
        assert equations.output("B.friction_power", q, v) > 0.0
        forces.append((cos * force[0] + sin * force[1], cos * force[1] - sin * force[0], *force[8:]))
    np.testing.assert_allclose(forces[1], forces[0], rtol=1e-9)


def coupled(film, stiffness, place, velocity):
    """`SolvedFilm` whose pressure and deflection are in balance, by Newton's method."""
    a, rates = np.zeros(len(stiffness)), np.concatenate((velocity, np.zeros(len(stiffness))))
    for _ in range(20):
        found = film.solve(np.concatenate((place, a)), rates, clearance=C, radius=R, viscosity=MU, length=L)
        off = stiffness @ a - found.force[2:]
        a = a - np.linalg.solve(stiffness - found.by_place[2:, 2:], off)
    assert np.abs(off).max() < 1e-9 * np.abs(found.force).max()
    return found


def test_shapes_of_all_cells_give_the_film_of_the_elastic_bearing():
    """Pressure and deflection together, by the amplitudes' Newton iteration here and by a semismooth one over cells there."""
    n, m, place, velocity = 17, 2, np.array((0.75 * C, -0.3 * C)), np.array((1e-2, 2.5e-2))
    bearing = ReynoldsBearing(R, C, L, inlet="periodic", cells=(n, m))
    wanted = ElasticBearing(bearing, LINER).at(*place, *velocity, viscosity=MU)
    theta, z = GridFilm.angles(n), 0.5 * L * GridFilm.places(m)
    errors = []
    for harmonics in (2, 4, 6, 8):
        values = modes(harmonics, across=2).values(theta, z)
        film, flat = GridFilm(np.concatenate((rigid_shapes(n, m), values))), values.reshape(len(values), -1)
        stiffness = 2.0 * np.pi * R * L / (n * m) / LINER.per_pressure * flat @ flat.T
        found = coupled(film, stiffness, place, velocity)
        errors.append(np.abs(found.pressure - wanted.pressure).max() / wanted.pressure.max())
    rigid = bearing.solve(*place, *velocity, viscosity=MU, warn=False).pressure[0]
    assert wanted.pressure.max() < 0.9 * rigid.max()
    stiff = coupled(film, 1e8 * stiffness, place, velocity)
    assert np.abs(stiff.pressure - rigid).max() < 1e-6 * rigid.max()
    assert errors[3] < 1e-9 and errors[2] < 0.5 * errors[1] < 0.25 * errors[0] < 0.02


def test_wrong_liners_are_told_in_one_sentence():
    s = fm.System()
    journal = s.body("rotor", mass=1.0, inertia=1e-6)
    seat, liner = s.ground.at(0.0, 0.0), s.bush("liner", modes())

    def joint(**more):
        more = {"film": fm.ReynoldsFilm(MU, L, inlet="periodic"), "law": None, "liner": liner} | more
        return fm.ClearanceRevolute("B", journal.centre, seat, C, bearing_radius=R, **more)

    names(said(lambda: joint(film=fm.ShortFilm(MU, L))), "joint 'B'", "liner", "'short'", "ReynoldsFilm")
    names(said(lambda: joint(law=fm.LankaraniNikravesh(1e9, restitution=0.9))), "law is for rigid bearings")
    names(said(lambda: joint(liner=journal)), "System.bush")
    names(said(lambda: fm.System().bush("x", replace(LINER, density=0.0).modes(R, L, range(2), SHAPES[:1]))), "mass matrix", "density")
    names(said(lambda: fm.System().bush("x", modes(), damping=-1.0)), "damping is -1", "at least 0")
    names(said(lambda: fm.System().bush("x", modes(), damping=np.eye(3))), "damping matrix of 7 shapes has shape (3, 3)")
    other = fm.System()
    body = other.body("rotor", mass=1.0, inertia=1e-6)
    oil = fm.ReynoldsFilm(MU, L, inlet="periodic")
    foreign = fm.ClearanceRevolute("B", body.centre, other.ground.at(0.0, 0.0), C, None, bearing_radius=R, film=oil, liner=liner)
    names(said(lambda: other.add(foreign)), "'liner'", "another system")


def loaded(stiffness=1.0, load=2.0):
    """Light oil and a heavy, soft layer, so that explicit steps can follow the liner."""
    soft = WinklerLiner(1e7, 0.3, 3e-3, 1200.0).modes(R, L, range(3), SHAPES[:1])
    return rotor(load, stiffness, shapes=soft, damping=1e-5, mass=0.005, viscosity=0.004)


OUTPUTS = ["rotor.x", "rotor.y", "B.film_thickness", "B.max_pressure", "energy.balance", "B.film_power", "liner.c0", "liner.c1"]


@pytest.mark.slow
def test_a_suddenly_loaded_journal_in_a_soft_bush():
    """Peak pressure falls and the smallest film thickens, the softer the liner; energy balances."""
    samples = {"stiffness": np.array([0.5, 4.0]), "load": np.full(2, 5.0)}
    out = simulate(loaded, OUTPUTS, end=0.01, points=51, samples=samples, lanes=1, tolerance=1e-7).outputs
    pressure, thickness = out["B.max_pressure"].max(1), out["B.film_thickness"].min(1)
    assert thickness[0] > 1.03 * thickness[1] and pressure[0] < 0.97 * pressure[1]
    dissipated = 0.01 * out["B.film_power"].mean(1)
    assert np.all(np.ptp(out["energy.balance"], axis=1) < 1e-8 * dissipated)


@pytest.mark.slow
def test_implicit_and_explicit_steps_agree():
    samples = {"stiffness": 1.0, "load": 2.0}
    one = simulate(loaded, OUTPUTS, end=0.01, points=51, samples=samples, lanes=1, tolerance=1e-7).outputs
    settings = {"integrator": "generalized_alpha", "tolerance": 1e-9, "max_steps": 20_000}
    two = simulate(loaded, OUTPUTS, end=0.01, points=51, samples=samples, lanes=1, **settings).outputs
    for key in OUTPUTS:
        np.testing.assert_allclose(two[key], one[key], rtol=0, atol=2e-5 * np.abs(one[key]).max(), err_msg=key)
