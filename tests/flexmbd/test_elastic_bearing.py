"""Elastic bearings: independent solutions of a compliant slider, decay of a squeezed liner, power, both couplings, load and time."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from flexmbd import ModelError
from flexmbd.lubrication.elastic import ElasticBearing, FilmEquations, Journal, RingLiner, Stencil, WinklerLiner, run_journal, solve_strong
from flexmbd.lubrication.reynolds import AxialGroove, Grid, ReynoldsBearing

R, C, L, MU, SPIN = 0.02, 20e-6, 0.02, 0.02, 300.0
OIL = dict(viscosity=MU, journal_spin=SPIN)
STIFF, SOFT = WinklerLiner(1e22, 0.4, 2e-3), WinklerLiner(2e9, 0.4, 2e-3)
RING = RingLiner(2e9, 0.4, 2e-3, layers=2)


def bearing(cells=(32, 4), **options):
    return ReynoldsBearing(R, C, L, inlet="periodic", cells=cells, **options)


def slider(gap, length, cells, compliance, speed=0.0, mass=False, **options):
    """Equations of a film of unit width along a line; `options` of `reynolds_problem`."""
    grid = Grid(cells, 1, length, 2.0, ring=False, sides="closed")
    h = gap(grid.x)[:, None]
    soft = WinklerLiner(1.0, 0.0, compliance).compliance(grid, 1.0)
    unit = 12 * MU * max(speed, 1e-3) * length / h.mean() ** 2
    scale = (unit, unit * h.mean() ** 3 / (12 * MU) * grid.dz / grid.dx, 1.0)
    still = Journal(np.zeros((0, cells, 1)), np.zeros(0))
    return FilmEquations(grid, h, dict(viscosity=MU, entrainment=speed, **options), soft, mass, 0.0, still, scale, Stencil.of(grid))


def solved(equations):
    return solve_strong(lambda fraction: equations, np.full(equations.gap.shape, 1.0), np.zeros(0), grows=False)[0]


@pytest.mark.parametrize("cavitation", ["reynolds", "giacopini"])
@pytest.mark.parametrize("liner", [SOFT, RING], ids=lambda x: x.name)
def test_step_is_newtons(liner, cavitation):
    """Against central differences, with all that enters: Barus' law, a groove, side pressure, a step of time, and the journal's mass."""
    made = bearing((16, 3), cavitation=cavitation, side_pressure=1e5, grooves=(AxialGroove(0.0, 1.0, 0.01, 2e5),), pressure_viscosity=2e-8)
    elastic = ElasticBearing(made, liner)
    options, p0 = elastic._film(MU, SPIN, 0.0, 0.0, 1e-4, np.full((16, 3), 0.9 * C))
    journal = Journal(elastic._directions, np.array([100.0, -500.0]), 1e8, np.array([0.2 * C, 0.0]))
    equations = elastic._equations(options, np.full((16, 3), C), journal, p0)
    w = np.random.default_rng(0).uniform(-1.0, 1.0, (16, 3)) * 1e6
    w[equations.supplied] = 0.0
    y = np.array([0.3 * C, 0.2 * C])
    state = equations.state(w, y)
    dw, dy = equations.step(state)
    ahead, behind = (equations.state(w + h * dw, y + h * dy).residual for h in (1e-6, -1e-6))
    np.testing.assert_allclose((ahead - behind) / 2e-6, -state.residual, rtol=0, atol=1e-8 * np.abs(state.residual).max())


@pytest.mark.parametrize("mass", [False, True])
def test_compliant_slider_with_rupture_is_of_second_order(mass):
    """Winkler slider of h = h0 (1 + x^2/a^2) + k p: dp/dx = 12 mu (U h - q)/h^3, from the end where p = dp/dx = 0 by shooting."""
    length, h0, width, soft, speed = 0.02, 20e-6, 0.01, 4e-11, 1.0
    middle = 0.012

    def gap(x):
        return h0 * (1.0 + ((x - middle) / width) ** 2)

    def back(end, **options):
        def slope(x, p):
            h = gap(x) + soft * p
            return 12 * MU * speed * (h - gap(end)) / h**3

        return solve_ivp(slope, (end, 0.0), [0.0], method="DOP853", rtol=1e-11, atol=1e-3, **options)

    end = brentq(lambda x: back(x).y[0, -1], 1.1 * middle, 1.9 * middle - 1e-9 * length, xtol=1e-13)
    exact = back(end, dense_output=True).sol
    assert soft * back(end).y.max() > 0.3 * h0  # far from rigid
    errors = []
    for n in (64, 128, 256, 512):
        found = solved(slider(gap, length, n, soft, speed, mass))
        x = found.problem.grid.x
        reference = np.where(x < end, exact(np.minimum(x, end))[0], 0.0)
        errors.append(np.abs(found.pressure[:, 0] - reference).mean() / reference.mean())
    # the place of rupture in its cell scatters the errors about the line
    assert abs(np.log2(errors[0] / errors[-1]) / 3.0 - 2.0) < 0.2 and errors[-1] < 2e-5, errors


@pytest.mark.parametrize("mass", [False, True])
def test_squeezed_liner_gives_its_oil_back(mass):
    """Small pressures diffuse, k dp/dt = h^3/(12 mu) d2p/dx2: a half wave dies with tau, an Euler step divides it by 1 + step/tau."""
    length, h, soft, n = 0.01, 10e-6, 1e-12, 64
    tau = 12 * MU * soft / h**3 * (length / np.pi) ** 2

    def decay(step, n=n):
        rigid = slider(lambda x: np.full_like(x, h), length, n, soft, mass=mass)
        wave = 10.0 * np.sin(np.pi * rigid.grid.x / length)[:, None]
        after = solved(replace(rigid, options=dict(rigid.options, step=step, content=(h + soft * wave)[None])))
        return after.pressure / wave

    one = decay(0.7 * tau)
    assert np.ptp(one) < 2e-3
    gaps = [abs(decay(0.7 * tau, n)[n // 2, 0] * 1.7 - 1) for n in (16, 32, 64)]
    assert np.all(np.abs(-np.diff(np.log2(gaps)) - 2.0) < 0.2), gaps


@pytest.mark.slow  # compiles the rigid film's solver
def test_a_liner_without_give_is_the_rigid_bearing():
    rigid = bearing().solve(0.3 * C, -0.5 * C, 1e-4, -2e-3, **OIL, warn=False)
    film = ElasticBearing(bearing(), STIFF).at(0.3 * C, -0.5 * C, 1e-4, -2e-3, **OIL)
    np.testing.assert_allclose(film.pressure, rigid.pressure[0], rtol=0, atol=1e-9 * rigid.pressure.max())
    np.testing.assert_allclose(film.force, rigid.force[0], rtol=1e-9)
    assert film.side_flow == pytest.approx(rigid.side_flow[0], rel=1e-9)


@pytest.mark.parametrize("liner", [SOFT, RING], ids=lambda x: x.name)
def test_a_liner_under_a_steady_film_takes_no_power(liner):
    """The liner's part of the wedge does no work round the bearing, so all the journal's power F.V is dissipated by the flow."""
    film = ElasticBearing(bearing(), liner).at(0.2 * C, -0.7 * C, **OIL)
    assert film.deflection.max() > 0.1 * C
    grid = bearing().grid
    face = 0.5 * (film.thickness + np.roll(film.thickness, 1, 0))
    lost = np.sum(face**3 * (film.pressure - np.roll(film.pressure, 1, 0)) ** 2) * grid.dz / grid.dx
    face = 0.5 * (film.thickness[:, 1:] + film.thickness[:, :-1])
    lost += np.sum(face**3 * np.diff(film.pressure, axis=1) ** 2) * grid.dx / grid.dz
    lost += 2.0 * np.sum(film.thickness[:, -1] ** 3 * film.pressure[:, -1] ** 2) * grid.dx / grid.dz
    x, y = film.place
    angle = 2 * np.pi / grid.along  # the wedge by the difference of faces, sin instead of the angle
    power = 0.5 * SPIN * (y * film.force[0] - x * film.force[1]) * np.sin(angle) / angle
    assert power == pytest.approx(-2.0 * lost / (12 * MU), rel=1e-10)


@pytest.mark.parametrize("liner", [SOFT, RING], ids=lambda x: x.name)
def test_yielding_lowers_the_peak_and_thickens_the_film_in_the_middle(liner):
    hard, soft = (ElasticBearing(bearing(), x).under((0.0, -1e4), **OIL) for x in (STIFF, liner))
    for film in (hard, soft):
        np.testing.assert_allclose(film.force, [0.0, 1e4], atol=1e-5)
    assert soft.largest_pressure < 0.55 * hard.largest_pressure
    assert soft.thickness[:, 0].min() > 1.4 * hard.thickness[:, 0].min()
    assert soft.smallest_thickness < hard.smallest_thickness  # at the sides, where a straight journal meets a liner without pressure
    assert np.hypot(*soft.place) > C > np.hypot(*hard.place)


def test_a_long_soft_bearing_has_the_thicker_film():
    long = bearing((64, 1), sides="closed", grooves=(AxialGroove(np.pi / 2, 0.2, L, 1e5),))
    liners = (STIFF, RingLiner(1e10, 0.4, 2e-3, ends="plane_strain"))
    hard, soft = (ElasticBearing(long, x).under((0.0, -5e4), **OIL) for x in liners)
    assert soft.largest_pressure < 0.75 * hard.largest_pressure
    assert soft.smallest_thickness > 1.3 * hard.smallest_thickness


@pytest.mark.parametrize(("cavitation", "liner"), [
    ("giacopini", WinklerLiner(1e10, 0.4, 2e-3)),
    ("reynolds", RingLiner(1e10, 0.4, 2e-3, layers=2)),
    pytest.param("giacopini", RingLiner(1e10, 0.4, 2e-3, layers=2), marks=pytest.mark.slow),
])  # fmt: skip
def test_both_couplings_meet_where_the_weak_one_converges(liner, cavitation):
    made = bearing(cavitation=cavitation, grooves=(AxialGroove(np.pi / 2, 0.5, 0.016, 1e5),))
    strong = ElasticBearing(made, liner).under((0.0, -5e3), **OIL)
    weak = ElasticBearing(made, liner, coupling="weak").under((0.0, -5e3), **OIL)
    for key in ("pressure", "thickness", "place", "fill"):
        a, b = getattr(strong, key), getattr(weak, key)
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-8 * np.abs(a).max())
    assert strong.steps < weak.steps and weak.history[-1] < 1e-9


def test_strong_coupling_converges_quadratically():
    film = ElasticBearing(bearing(), RING).under((0.0, -2e3), **OIL)
    again = ElasticBearing(bearing(), RING).under((0.0, -2.2e3), **OIL, start=film)
    sizes = np.array(again.history)
    assert again.steps <= 5
    last = sizes[sizes > 1e-13]
    assert last[-1] < 100.0 * last[-2] ** 2 < last[-2]
    assert last[-2] < 1e-2


@pytest.mark.parametrize("relaxation", [1.0, pytest.param(0.5, marks=pytest.mark.slow), pytest.param(0.25, marks=pytest.mark.slow)])
def test_weak_coupling_diverges_where_strong_does_not(relaxation):
    """A liner that yields by 0.64 of the clearance under 2.5 MPa of mean pressure."""
    softer = replace(SOFT, modulus=3e8)
    film = ElasticBearing(bearing(), softer).under((0.0, -2e3), **OIL)
    assert film.history[-1] < 1e-11 and film.steps < 15
    with pytest.raises(ModelError, match=rf"the weak coupling .*\(relaxation {relaxation:g}\); use another .* or coupling 'strong'"):
        ElasticBearing(bearing(), softer, coupling="weak", relaxation=relaxation, turns=60).under((0.0, -2e3), **OIL)


def test_small_steps_of_time_are_what_weak_coupling_cannot_do():
    """The squeeze by the liner's own rate grows as one over the step; it converges with a long step at relaxation 0.5."""
    runs = dict(force=lambda t: 2e3 * np.array([np.sin(400 * t), -np.cos(400 * t)]), count=2, mass=1.0, **OIL)
    weak, strong = (ElasticBearing(bearing(), SOFT, coupling=key, turns=40) for key in ("weak", "strong"))
    a, b = (run_journal(x, step=1e-3, **runs) for x in (weak, strong))
    np.testing.assert_allclose(a.place, b.place, rtol=0, atol=1e-8 * C)
    with pytest.raises(ModelError, match="at 1e-05 s: elastic bearing: the weak coupling"):
        run_journal(weak, step=1e-5, **runs)
    assert run_journal(strong, step=1e-5, **runs).steps.max() < 12
    assert b.film.deflection.max() > 0.05 * C


@pytest.mark.parametrize("liner", [SOFT, RING], ids=lambda x: x.name)
def test_oil_is_conserved_while_the_liner_breathes(liner):
    """What leaves at the sides in a step is what the gap, ruptured places included, holds less."""
    elastic = ElasticBearing(bearing((24, 3), cavitation="giacopini", side_pressure=1e5), liner)
    film, velocity, step = elastic.at(0.0, 0.0, **OIL), np.zeros(2), 2e-4
    cell = 2.0 * elastic.bearing.grid.dx * elastic.bearing.grid.dz
    for k in range(12):
        before = film
        film, velocity = elastic.advance(film, velocity, step, (0.0, -3e3 * (1 + k % 3)), mass=1.0, **OIL)
        held = cell * before.content.sum()
        assert abs(cell * film.content.sum() - held + film.side_flow * step) < 1e-11 * held
    assert film.fill.min() < 0.95 and film.deflection.max() > 0.1 * C


def test_a_loaded_journal_settles_at_its_steady_place():
    elastic = ElasticBearing(bearing((24, 3)), SOFT)
    run = run_journal(elastic, lambda t: np.array([0.0, -2e3]), step=2e-3, count=60, mass=1.0, **OIL)
    steady = elastic.under((0.0, -2e3), **OIL)
    np.testing.assert_allclose(run.place[-1], steady.place, atol=1e-6 * C)
    np.testing.assert_allclose(run.film.pressure, steady.pressure, atol=1e-5 * steady.largest_pressure)


@pytest.mark.slow
def test_time_steps_are_of_first_order_to_the_rigid_journal():
    """Without give: the motion by Dormand and Prince's method with the rigid film's force on the same grid."""
    made, mass, end = bearing((24, 3)), 5.0, 3e-3

    def load(t):
        return 500.0 * np.array([np.cos(200 * t), np.sin(200 * t)])

    def rates(t, u):
        return np.concatenate((u[2:], (load(t) + made.solve(*u[:2], *u[2:], **OIL, warn=False).force[0]) / mass))

    exact = solve_ivp(rates, (0.0, end), np.zeros(4), rtol=1e-9, atol=1e-12).y[:2, -1]
    errors = []
    for count in (30, 60, 120):
        run = run_journal(ElasticBearing(made, STIFF), load, step=end / count, count=count, mass=mass, **OIL)
        errors.append(np.linalg.norm(run.place[-1] - exact) / np.linalg.norm(exact))
    assert np.all(np.abs(-np.diff(np.log2(errors)) - 1.0) < 0.2) and errors[-1] < 0.01, errors


@pytest.mark.parametrize("liner", [SOFT, RING], ids=lambda x: x.name)
@pytest.mark.parametrize("grids", [[(16, 3), (32, 3), (64, 3)], [(16, 3), (16, 6), (16, 12)]], ids=["around", "across"])
def test_a_full_film_converges_at_second_order(grids, liner):
    """With side pressure, so that no place of rupture scatters the errors."""
    forces = []
    for cells in grids:
        film = ElasticBearing(bearing(cells, side_pressure=1e7), liner).at(0.3 * C, -0.4 * C, **OIL)
        assert film.pressure.min() > 0.0
        forces.append(film.force)
    change = np.linalg.norm(np.diff(forces, axis=0), axis=1)
    assert abs(np.log2(change[0] / change[1]) - 2.0) < 0.2, change


def test_a_liner_keeps_the_pressure_low_where_viscosity_grows_with_it():
    films = [ElasticBearing(bearing((48, 3), pressure_viscosity=a), x).under((0.0, -1e4), **OIL)
             for x, a in ((STIFF, 0.0), (STIFF, 4e-8), (SOFT, 0.0), (SOFT, 4e-8))]  # fmt: skip
    peaks = [film.largest_pressure for film in films]
    thick = [film.thickness[:, 0].min() for film in films]
    np.testing.assert_allclose([film.force for film in films], 4 * [[0.0, 1e4]], atol=1e-4)
    assert peaks[1] > 1.4 * peaks[0] and peaks[3] < 1.1 * peaks[2]
    assert thick[1] > 1.1 * thick[0] and thick[3] > 1.1 * thick[2]


def test_a_place_beyond_the_clearance_is_reached_by_steps():
    film = ElasticBearing(bearing(), SOFT).at(0.0, -1.2 * C, **OIL)
    assert film.smallest_thickness > 0 and film.deflection.max() > 0.2 * C
    back = ElasticBearing(bearing(), SOFT).under(-film.force, **OIL)
    np.testing.assert_allclose(back.place, film.place, atol=1e-8 * C)


@pytest.mark.parametrize(("change", "words"), [
    (dict(coupling="loose"), "coupling is 'loose'; it must be 'strong' or 'weak'"),
    (dict(relaxation=0.0), "relaxation is 0; it must be above 0 and at most 1"),
    (dict(turns=0), "turns is 0; give a whole number, at least 1"),
    (dict(bearing=bearing(cavitation="gumbel")), "cavitation is 'gumbel'; it must be 'reynolds' or 'giacopini'"),
    (dict(bearing=ReynoldsBearing(R, C, L)), "inlet is 'widest_gap'; use inlet 'periodic'"),
])  # fmt: skip
def test_what_cannot_be_an_elastic_bearing(change, words):
    with pytest.raises(ModelError) as told:
        ElasticBearing(**dict(dict(bearing=bearing(), liner=SOFT), **change))
    assert str(told.value).startswith(f"elastic bearing: {words}")


def test_what_cannot_be_solved():
    elastic = ElasticBearing(bearing(cavitation="giacopini"), SOFT)
    with pytest.raises(ModelError, match="a ring that loses oil to its sides"):
        elastic.under((0.0, -100.0), **OIL)
    with pytest.raises(ModelError, match=r"load has shape \(3,\); it must be two numbers"):
        elastic.under((0.0, 1.0, 2.0), **OIL)
    with pytest.raises(ModelError, match="viscosity is -1; it must be greater than zero"):
        elastic.under((0.0, 1.0), viscosity=-1.0)
    with pytest.raises(ModelError, match=r"the start has \(32, 4\) cells; it must have \(16, 4\), as the bearing"):
        film = ElasticBearing(bearing(), SOFT).at(0.0, 0.0, **OIL)
        ElasticBearing(bearing((16, 4)), SOFT).at(0.0, 0.0, **OIL, start=film)
    with pytest.raises(ModelError, match="count is 0; give a whole number of steps"):
        run_journal(elastic, lambda t: (0.0, 0.0), step=1e-3, count=0, mass=1.0, **OIL)
