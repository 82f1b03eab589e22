"""Film of a tilted journal: the straight bearing, the narrow one by quadrature, reciprocity, balances, and a rotor that hangs askew."""

import functools

import numpy as np
import pytest
from scipy.optimize import root

import flexmbd as fm
from flexmbd.analysis.equations import Equations
from flexmbd.lubrication.reynolds import ReynoldsBearing
from flexmbd.lubrication.tilted import TiltedFilm

from .running import column, simulate
from .sentences import names, said
from .space_momenta import keeps_momenta, outputs
from .tangents import jacobian

MU, C, R, L = 0.05, 1e-4, 0.01, 0.015
SIZE = {"clearance": C, "radius": R, "viscosity": MU, "length": L}


@functools.cache
def coarse(model="reynolds"):
    """Film on 24 x 6 cells; not made when the module is read, as it compiles its solver."""
    return TiltedFilm(MU, model, cells=(24, 6))


def solved(film, s, r, **more):
    return film.grid_film.solve(C * np.asarray(s), np.asarray(r), **{**SIZE, **more})


@pytest.mark.parametrize("model", ["sommerfeld", "gumbel", "reynolds"])
def test_without_tilt_it_is_the_straight_bearing(model):
    found = solved(coarse(model), (0.4, -0.3, 0.0, 0.0), (0.1, 0.2, 0.0, 0.0)).force
    bearing = ReynoldsBearing(R, C, L, model, inlet="periodic", cells=(24, 3))
    wanted = bearing.solve(0.4 * C, -0.3 * C, 0.1, 0.2, viscosity=MU, warn=False).force[0]
    np.testing.assert_allclose(found, [*wanted, 0.0, 0.0], rtol=0, atol=1e-9 * np.abs(wanted).max())


def narrow(s, r, length):
    """Forces on a tilted journal in a narrow bearing, by quadrature of ``d/dz(h^3 dp/dz) = -12 mu (v0 + v1 z)`` with p = 0 at both ends.

    ``h^3 p' = K - 12 mu (v0 z + v1 z^2/2)``; int p dz = -int z p' dz and int z p dz = -1/2 int z^2 p' dz.
    """
    half = 0.5 * length
    theta = np.arange(200) * np.pi / 100
    n = np.array([np.cos(theta), np.sin(theta)])
    nodes, weights = np.polynomial.legendre.leggauss(60)
    z, weights = half * nodes[:, None], half * weights[:, None]
    h = C * (1 - s[:2] @ n - nodes[:, None] * (s[2:] @ n))
    v0, v1 = r[:2] @ n, r[2:] @ n / half
    flow = 12 * MU * (v0 * z + 0.5 * v1 * z**2)
    K = np.sum(weights * flow / h**3, axis=0) / np.sum(weights / h**3, axis=0)
    slope = (K - flow) / h**3
    force, moment = (-np.sum(weights * g * slope, axis=0) for g in (z, 0.5 * z**2))
    return -R * np.pi / 100 * np.concatenate([n @ force, n @ moment / half])


def test_a_narrow_bearing_meets_the_quadrature_at_second_order():
    """Length a fiftieth of the radius; the pressure's gradient along the circumference changes it by 2e-4."""
    s, r, length = np.array([0.3, -0.2, 0.25, 0.3]), np.array([0.1, 0.2, -0.3, 0.25]), R / 50
    wanted, errors = narrow(s, r, length), []
    for cells in ((24, 6), (48, 12), (96, 24)):
        errors.append(np.abs(solved(TiltedFilm(MU, "sommerfeld", cells=cells), s, r, length=length).force - wanted) / np.abs(wanted).max())
    orders = np.log2(np.max(errors[:-1], axis=1) / np.max(errors[1:], axis=1))
    assert np.all(orders > 1.8) and np.max(errors[-1]) < 4e-3, (orders, errors)


def test_forces_are_reciprocal_dissipate_and_turn_with_the_tilt():
    s, r = np.array([0.3, -0.2, 0.25, 0.3]), np.array([0.1, 0.2, -0.3, 0.25])
    resistance = -solved(coarse("sommerfeld"), s, r).by_rate
    np.testing.assert_allclose(resistance, resistance.T, rtol=0, atol=1e-10 * np.abs(resistance).max())
    assert np.linalg.eigvalsh(resistance).min() > 0
    for film in (coarse("sommerfeld"), coarse()):
        one, other = (solved(film, *(np.array([1, 1, k, k]) * x for x in (s, r))).force for k in (1, -1))
        np.testing.assert_allclose(other, one * [1, 1, -1, -1], rtol=1e-9)
        assert one @ r < 0


WAYS = np.random.default_rng(2).uniform(-1, 1, (24, 2))  # two directions in which all coordinates change
LAW = fm.LankaraniNikravesh(1e9, restitution=0.5)


BODIES = (("a", 0.4, (2e-3, 3e-3, 4e-3)), ("b", 0.7, (3e-3, 4e-3, 2e-3)))


def pair(film=None, law=LAW, lift=0.0, viscosity=None):
    """A ring and a shaft askew in it, both free."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    shaft = s.body(
        "a", mass=0.4, inertia=(2e-3, 3e-3, 4e-3), position=(0.01 + lift, 2e-5, 1e-3), rotation=(3e-3, -2e-3, 0.3),
        velocity=(0.1, 0.0, 0.3), angular_velocity=(2.0, -5.0, 100.0),
    )  # fmt: skip
    ring = s.body(
        "b",
        mass=0.7,
        inertia=(3e-3, 4e-3, 2e-3),
        points={"P": (0.01, 0.0, 0.0)},
        velocity=(0.0, 0.3, 0.1),
        angular_velocity=(-1.0, 3.0, -60.0),
    )
    film = film or (coarse() if viscosity is None else TiltedFilm(viscosity, cells=(24, 6)))
    s.add(fm.ClearanceCylindrical("J", shaft.centre, ring["P"], C, R, L, law, film=film))
    return s


def test_forces_balance_their_power_is_in_the_books_and_tangents_are_derivatives():
    """At any state: no resultant force or moment about the origin, power ``-film_power``; with contact the derivatives only."""
    for lift, law in ((0.0, None), (6.5e-5, None), (9e-5, LAW)):
        equations = Equations(pair(law=law, lift=lift))
        q, v = equations.initial()
        force = equations.force(q, v)
        size, (points, forces) = np.abs(force).max(), (np.reshape(x, (-1, 3)) for x in (q, force))
        np.testing.assert_allclose(force[0:3] + force[12:15], 0.0, atol=1e-12 * size)
        np.testing.assert_allclose(np.cross(points, forces).sum(axis=0), 0.0, atol=1e-12 * size)
        lost = equations.output("J.film_power", q, v)
        assert lost > 0
        if law is None:
            assert force @ v == pytest.approx(-lost, rel=1e-10)
            np.testing.assert_allclose([equations.output(f"J.film_f{axis}", q, v) for axis in "xyz"], force[:3], atol=1e-12 * size)
        for got, at, step in ((equations.stiffness(q, v), 0, 1e-11), (equations.damping(q, v), 1, 1e-7)):

            def moved(d, at=at, step=step, equations=equations, q=q, v=v):
                way = step * (WAYS @ d)
                return -equations.force(q + (at == 0) * way, v + (at == 1) * way)

            wanted = jacobian(moved, np.zeros(2), 1.0) / step
            np.testing.assert_allclose(got @ WAYS, wanted, rtol=0, atol=2e-6 * np.abs(wanted).max())


def test_force_of_the_joint_is_that_of_the_film_with_both_turning():
    """Ring at rest in the axes; half of the relative spin turns the film, half of the relative slide carries it along."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    tilt, spin, slide = np.array([2e-3, -1.5e-3]), 80.0, 0.4
    axis = np.array([*tilt, np.sqrt(1 - tilt @ tilt)])
    turn = np.cross([0.0, 0.0, 1.0], axis)  # the rotation vector of that tilt
    turn *= np.arcsin(np.linalg.norm(turn)) / np.linalg.norm(turn)
    speed = np.array([0.03, -0.02, 0.0]) + slide * axis
    shaft = s.body(
        "a", mass=0.4, inertia=(2e-3, 2e-3, 2e-3), position=(3e-5, -2e-5, 0.0), rotation=tuple(turn), velocity=tuple(speed),
        angular_velocity=tuple(spin * axis),
    )  # fmt: skip
    s.add(fm.ClearanceCylindrical("J", shaft.centre, s.ground.at(0.0, 0.0, 0.0), C, R, L, None, film=coarse()))
    equations = Equations(s)
    q, v = equations.initial()
    got = np.array([equations.output(f"J.film_f{axis}", q, v) for axis in "xyz"])
    place = np.array([3e-5, -2e-5, *(0.5 * L * tilt / axis[2])])
    along = spin * axis[2]
    rates = np.array([0.03, -0.02, 0.0, 0.0]) + 0.5 * along * np.array([place[1], -place[0], place[3], -place[2]])
    rates[:2] += 0.5 * slide * axis[2] * place[2:] / (0.5 * L)
    n1, n2, _ = np.eye(3)
    j = s.elements[-1]
    frame = np.array([[j.sizes()[f"{key}.{a}"] for a in "xyz"] for key in ("n1", "n2")])[:, :2]  # the joint's own axes across
    turned = np.kron(np.eye(2), frame)
    wanted = coarse().grid_film.solve(turned @ place, turned @ rates, **SIZE).force
    np.testing.assert_allclose(got[:2], frame.T @ wanted[:2], rtol=1e-9)
    moment = np.array([equations.output(f"J.film_torque_{axis}", q, v) for axis in "xy"])
    tipped = 0.5 * L * (frame.T @ wanted[2:])
    np.testing.assert_allclose(moment, [-tipped[1], tipped[0]], rtol=1e-9)


@pytest.mark.slow
def test_momentum_and_energy_balance_from_film_to_contact_and_back():
    keys = [*outputs(BODIES), "J.regime", "J.film_power", "energy.balance", "energy.kinetic", "energy.dissipated"]
    got = column(simulate(pair, keys, end=1e-2, points=401, lanes=1, samples={"viscosity": [5e-3]}, tolerance=1e-10))
    assert set(np.unique(got["J.regime"])) >= {0.0, 1.0}
    keeps_momenta(got, BODIES)
    assert np.ptp(got["energy.balance"]) < 1e-6 * got["energy.kinetic"][0]
    assert np.all(got["J.film_power"] >= 0) and got["energy.dissipated"][-1] > 1e-3 * got["energy.kinetic"][0]


MASS, OFF, SPIN = 2.0, 1.5e-3, 200.0


def hanging(moment=0.0117):
    """A rotor whose weight hangs beside the middle of its bearing; a torque keeps its spin, a long spring its place along the axis."""
    s = fm.System(gravity=(0.0, -9.81, 0.0))
    rotor = s.body(
        "rotor", mass=MASS, inertia=(1.2e-4, 1.2e-4, 2e-4), position=(3e-5, -5e-5, OFF), angular_velocity=(0.0, 0.0, SPIN)
    )  # fmt: skip
    s.add(fm.ClearanceCylindrical("J", rotor.centre, s.ground.at(0.0, 0.0, 0.0), C, R, L, LAW, film=coarse()))
    s.add(fm.Spring("stay", s.ground.at(0.0, 0.0, OFF - 10.0), rotor.centre, stiffness=1e5, damping=600.0, length=10.0))  # along the axis
    s.add(fm.Torque("motor", s.ground, rotor, (0.0, 0.0, moment)))
    return s


@pytest.mark.slow
def test_a_rotor_hangs_askew_as_the_balance_of_forces_and_moments_says():
    """Settled: the film carries weight and moment there, found by root finding on single solves."""
    keys = [
        "rotor.z",
        "rotor.omega_z",
        "rotor.d3x",
        "rotor.d3y",
        "J.ex",
        "J.ey",
        "energy.balance",
        "J.film_power",
        "J.regime",
        "J.film_thickness",
    ]
    got = column(simulate(hanging, keys, end=0.15, points=31, lanes=1, tolerance=1e-9))
    z, spin = got["rotor.z"][-1], got["rotor.omega_z"][-1]
    weight = MASS * 9.81

    def open_(s):
        rates = 0.5 * spin * C * np.array([s[1], -s[0], s[3], -s[2]])
        return solved(coarse(), s, rates).force / weight - [0.0, 1.0, 0.0, z / (0.5 * L)]

    found = root(open_, [0.3, -0.4, 0.0, 0.0], tol=1e-12)
    assert found.success
    tilt = np.array([got["rotor.d3x"][-1], got["rotor.d3y"][-1]])
    middle = np.array([got["J.ex"][-1], got["J.ey"][-1]]) - z * tilt
    np.testing.assert_allclose([*middle, *(0.5 * L * tilt)], C * found.x, rtol=0, atol=1e-4 * C)
    assert np.hypot(*found.x[2:]) > 0.1  # askew indeed
    assert got["J.film_thickness"][-1] == pytest.approx(
        C * (1 - max(np.hypot(*(found.x[:2] + k * found.x[2:])) for k in (-1, 1))), abs=1e-4 * C
    )
    assert np.ptp(got["energy.balance"]) < 1e-7 * 0.5 * 2e-4 * SPIN**2 and np.all(got["J.regime"] == 0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: TiltedFilm(-MU), ("film 'tilted': viscosity is -0.05; it must be greater than zero",)),
        (lambda: TiltedFilm(MU, side_pressure=-1.0), ("film 'tilted': side_pressure is -1",)),
        (lambda: TiltedFilm(MU, "giacopini"), ("cavitation is 'giacopini'",)),
        (lambda: TiltedFilm(MU, cells=(2, 2)), ("along is 2",)),
        (lambda: pair(law=None, lift=9e-5), ("'J': the guess of positions puts the journal 1.134 times", "give law")),
        (lambda: pair(fm.ShortFilm(MU, L)), ("'J': film is 'short', which is for planar joints; this one is cylindrical",)),
    ],
)
def test_bad_numbers_are_refused_in_one_sentence(make, words):
    names(said(make), *words)
