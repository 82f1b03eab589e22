"""Films solved in the time loop: the pressure of `ReynoldsBearing`, tangents, memory without consequence, lanes, a lubricated mechanism."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.lubrication.film_map import build_map
from flexmbd.lubrication.map_film import MapFilm
from flexmbd.lubrication.reynolds import ReynoldsBearing
from flexmbd.lubrication.reynolds.grooves import AxialGroove, CircumferentialGroove
from flexmbd.lubrication.solved import GridFilm
from flexmbd.lubrication.solved.reynolds_film import rigid_shapes

from .running import simulate
from .sentences import names, said
from .tangents import jacobian
from .worn_crank import RADIUS, worn_crank

R, C, L, MU = 0.05, 5e-5, 0.1, 0.01
SIZES = {"clearance": C, "radius": R, "viscosity": MU, "length": L}
GROOVES = (AxialGroove(1.0, 0.6, 0.08, 3e5), CircumferentialGroove(0.04, 2e5))
SUPPLIES = {"none": (0.0, ()), "sides": (2e5, ()), "grooves": (1e5, GROOVES)}


def journals(count, seed=0):
    """Places in m and velocities in m/s."""
    rng = np.random.default_rng(seed)
    eps, angle = rng.uniform(0.1, 0.95, count), rng.uniform(0.0, 2 * np.pi, count)
    return np.stack((C * eps * np.cos(angle), C * eps * np.sin(angle), *(1e-3 * rng.normal(size=(2, count)))), axis=1)


def joint_film(cavitation, supply, cells):
    side, grooves = SUPPLIES[supply]
    return fm.ReynoldsFilm(MU, L, cavitation=cavitation, cells=cells, side_pressure=side, grooves=grooves, inlet="periodic")


@pytest.mark.parametrize("supply", SUPPLIES)
@pytest.mark.parametrize("cavitation", ["sommerfeld", "gumbel", "reynolds"])
def test_it_is_the_film_of_the_bearing_on_the_grid(cavitation, supply):
    side, grooves = SUPPLIES[supply]
    for cells in ((24, 9), (40, 4)):
        bearing = ReynoldsBearing(R, C, L, cavitation, inlet="periodic", cells=cells, side_pressure=side, grooves=grooves)
        film = joint_film(cavitation, supply, cells).grid_film
        where = journals(5)
        wanted = bearing.solve(*where.T, viscosity=MU, warn=False)
        for k, (x, y, u, w) in enumerate(where):
            found = film.solve((x, y), (u, w), side=side, supply=[g.pressure for g in grooves], **SIZES)
            np.testing.assert_allclose(found.pressure, wanted.pressure[k], rtol=0, atol=1e-10 * wanted.pressure[k].max())
            np.testing.assert_allclose(found.force, wanted.force[k], rtol=0, atol=1e-10 * np.abs(wanted.force[k]).max())


@pytest.mark.parametrize("side", [0.0, 2e5])
@pytest.mark.parametrize("cavitation", ["sommerfeld", "gumbel", "reynolds"])
def test_the_inlet_at_the_widest_gap_is_that_of_the_bearing(cavitation, side):
    """Held in the cells there, and by the bearing on a face between cells: the difference falls about with the square of their size."""
    where, differences = journals(4, seed=3) * (0.8, 0.8, 1.0, 1.0), []
    for n in (48, 96):
        wanted = ReynoldsBearing(R, C, L, cavitation, cells=(n, 3), side_pressure=side).solve(*where.T, viscosity=MU, warn=False).force
        kernels = fm.ReynoldsFilm(MU, L, cavitation=cavitation, cells=(n, 3), side_pressure=side).kernels()
        found = np.array([kernels.force(*journal, C, R, MU, L, side) for journal in where])
        differences.append(np.linalg.norm(found - wanted, axis=1) / np.linalg.norm(wanted, axis=1))
    assert np.max(differences[0]) < 0.025 and np.max(differences[1]) < 0.4 * np.max(differences[0])
    scale = np.array((C, C, 1e-3, 1e-3))
    exact = np.reshape(kernels.tangent(*where[0], C, R, MU, L, side), (2, 4)) * scale
    steps = jacobian(lambda y: np.array(kernels.force(*(y * scale), C, R, MU, L, side)), where[0] / scale, 1e-6)
    np.testing.assert_allclose(exact, steps, rtol=0, atol=1e-7 * np.abs(exact).max())


@pytest.mark.parametrize("half", [True, False])
@pytest.mark.parametrize("cavitation", ["sommerfeld", "gumbel", "reynolds"])
def test_tangent_is_that_of_the_forces(cavitation, half):
    """Also by amplitudes of an oval bore and of a tilted journal, with side pressure."""
    n, m = 24, 4
    theta, z = GridFilm.angles(n)[:, None], GridFilm.places(m, half)
    more = np.stack([np.cos(2 * theta) * z**2, -z * np.cos(theta) if not half else np.sin(2 * theta) * np.ones(m)])
    film = GridFilm(np.concatenate((rigid_shapes(n, m), more)), cavitation=cavitation, half=half)
    y = np.array((0.5 * C, -0.3 * C, 0.1 * C, 0.05 * C, 1e-3, -2e-3, 4e-4, 5e-4))
    scale = np.repeat((C, 1e-3), 4)

    def force(y):
        return film.solve(y[:4] * scale[:4], y[4:] * scale[4:], side=1e5, **SIZES).force

    found = film.solve(y[:4], y[4:], side=1e5, **SIZES)
    exact = np.concatenate((found.by_place, found.by_rate), axis=1) * scale
    np.testing.assert_allclose(exact, jacobian(force, y / scale, 1e-7), rtol=0, atol=1e-6 * np.abs(exact).max())
    if cavitation != "gumbel":  # at fixed full cells the solution's operator is symmetric
        np.testing.assert_allclose(found.by_rate, found.by_rate.T, rtol=0, atol=1e-12 * np.abs(found.by_rate).max())


def test_whole_width_is_twice_the_half():
    whole = GridFilm(rigid_shapes(24, 8), half=False)
    half = GridFilm(rigid_shapes(24, 4))
    for x, y, u, w in journals(4, seed=1):
        np.testing.assert_allclose(whole.solve((x, y), (u, w), **SIZES).force, half.solve((x, y), (u, w), **SIZES).force, rtol=1e-10)


def test_power_is_lost_and_memory_leaves_no_trace():
    """The same films in another order, each from what the one before left or from nothing: the same bits."""
    film = joint_film("reynolds", "none", (32, 4)).grid_film
    where = journals(40, seed=2)
    film.forget()
    first = np.array([film.solve(j[:2], j[2:], **SIZES).force for j in where])
    assert np.all(np.sum(first * where[:, 2:], axis=1) < 0.0)
    again = np.array([film.solve(j[:2], j[2:], **SIZES).force for j in where[::-1]])[::-1]
    np.testing.assert_array_equal(again, first)
    for j, force in zip(where[:6], first, strict=False):
        film.forget()
        np.testing.assert_array_equal(film.solve(j[:2], j[2:], **SIZES).force, force)
        near = film.solve(j[:2] * (1 + 1e-6), j[2:], **SIZES)
        assert near.solves <= 2


def test_without_motion_there_is_no_pressure_and_a_tangent():
    film = joint_film("reynolds", "none", (32, 4)).grid_film
    for j in journals(3, seed=3):
        film.solve(j[:2], j[2:], **SIZES)  # leaves a memory that must not count
        still = film.solve(j[:2], (0.0, 0.0), **SIZES)
        assert not still.pressure.any()
        along = film.solve(j[:2], (1e-9, 0.0), **SIZES)
        assert still.by_rate[0, 0] < 0.0 and along.force[0] / 1e-9 < still.by_rate[0, 0] * (
            1 - 1e-12
        )  # without what rupture behind it adds


def test_kernels_in_lanes_are_those_of_numbers(in_lanes):
    film = joint_film("reynolds", "sides", (24, 4))
    where = journals(6, seed=4)
    given = (*where.T, C, R, MU, L, np.linspace(0.0, 2e5, 6))
    found = in_lanes(film.kernels().force, 4, *given, results=2)
    for k, (x, y, u, w) in enumerate(where):
        np.testing.assert_array_equal(found[:, k], film.grid_film.solve((x, y), (u, w), side=given[-1][k], **SIZES).force)


def test_wrong_films_are_told_in_one_sentence():
    names(said(lambda: fm.ReynoldsFilm(MU, L, cavitation="giacopini")), "'giacopini'", "'reynolds'", "the past")
    names(said(lambda: fm.ReynoldsFilm(MU, L, cells=(3, 4))), "along is 3", "at least 4")
    names(said(lambda: fm.ReynoldsFilm(-MU, L)), "film 'reynolds'", "viscosity")
    names(said(lambda: fm.ReynoldsFilm(MU, L, side_pressure=-1.0)), "side_pressure is -1", "at least 0")
    names(said(lambda: fm.ReynoldsFilm(MU, L, grooves=(AxialGroove(0.0, 0.5, 2 * L),), inlet="periodic")), "outside the bearing")
    names(said(lambda: fm.ReynoldsFilm(MU, np.array([L, 2 * L]), grooves=GROOVES, inlet="periodic")), "length varies", "grooves")
    names(said(lambda: fm.ReynoldsFilm(MU, L, grooves=GROOVES)), "grooves have their place in the bearing", "inlet 'periodic'")
    names(said(lambda: fm.ReynoldsFilm(MU, L, inlet="open")), "'open'", "'widest_gap' or 'periodic'")
    film = GridFilm(rigid_shapes(24, 4))
    names(said(lambda: film.solve((1.1 * C, 0.0), (1e-3, 0.0), **SIZES)), "no solution", "gap must be above zero")


def test_a_groove_goes_with_its_bearing_and_momentum_balances():
    """Journal and bearing free; turned as a whole, forces turn with them."""
    forces = []
    for turn in (0.0, 0.8):
        s, (cos, sin) = fm.System(), (np.cos(turn), np.sin(turn))

        def turned(x, y, cos=cos, sin=sin):
            return cos * x - sin * y, sin * x + cos * y

        place, velocity = turned(0.5 * C, -0.3 * C), turned(1e-3, 2e-3)
        journal = s.body("journal", mass=1.0, inertia=1e-3, position=place, velocity=velocity, rate=100.0)
        bearing = s.body("bearing", mass=1.0, inertia=1e-3, angle=turn, rate=-20.0)
        film = joint_film("reynolds", "grooves", (24, 4))
        s.add(fm.ClearanceRevolute("B", journal.centre, bearing.centre, C, None, bearing_radius=R, film=film))
        equations = fm.Equations(s)
        q, v = equations.initial()
        force = equations.force(q, v)
        turning = np.ravel([(-q[k + 1], q[k]) for k in (0, 2, 4, 6)])
        scale = np.hypot(*force[:2])
        assert np.abs(force[0:2] + force[4:6]).max() < 1e-12 * scale and abs(turning @ force) < 1e-10 * scale * C
        assert force @ v == pytest.approx(-equations.output("B.film_power", q, v), rel=1e-9)
        forces.append((cos * force[0] + sin * force[1], cos * force[1] - sin * force[0]))
    np.testing.assert_allclose(forces[1], forces[0], rtol=1e-10)


@pytest.mark.slow
def test_lubricated_slider_crank_moves_as_with_a_map_of_the_same_grid():
    """One turn; the journal's place differs by no more than the map's stated error of the force, by the clearance."""
    bearing = ReynoldsBearing(RADIUS, 0.5e-3, 0.02, inlet="periodic", cells=(48, 6))
    film_map = build_map(lambda e, b: bearing.impedance(e, b, warn=False), settings={}, tolerance=4e-3, eps_max=0.95, budget=4000)
    samples, outputs = {"viscosity": 2.0}, ["B.ex", "B.ey", "B.eccentricity", "energy.balance", "energy.kinetic"]

    def run(film):
        return simulate(lambda viscosity: worn_crank(film=film(viscosity)), outputs, end=0.012, points=61, samples=samples, lanes=1).outputs

    solved, mapped = run(lambda mu: fm.ReynoldsFilm(mu, 0.02, inlet="periodic")), run(lambda mu: MapFilm(mu, 0.02, film_map))
    assert 0.9 < solved["B.eccentricity"].max() / 0.5e-3 < 0.95
    for axis in ("B.ex", "B.ey"):
        assert 0.0 < np.abs(solved[axis] - mapped[axis]).max() < film_map.error * 0.5e-3
    assert np.ptp(solved["energy.balance"]) < 1e-7 * solved["energy.kinetic"].max()
