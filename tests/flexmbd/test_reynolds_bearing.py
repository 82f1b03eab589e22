"""Reynolds' equation on a journal bearing: closed forms of long and short bearings, tables of finite ones, balances, warm starts."""

import numpy as np
import pytest

from flexmbd.lubrication.reynolds import CAVITATION, AxialGroove, CircumferentialGroove, ElrodAdams, ReynoldsBearing, two_grids
from flexmbd.properties import published

MU, SPIN, R, C = 0.01, 100.0, 0.05, 5e-5
MASS = tuple(model.name for model in CAVITATION if model.conserves_mass)

# L/D, e/c: S and attitude (deg) of Raimondi and Boyd, and of a converged code
TABLE = {tuple(row[:2]): tuple(row[2:]) for row in np.stack(list(published("raimondi_boyd").values()), axis=1).tolist()}
# L/D = 1: e/c: friction variable (R/c) f, flow Q/(R c N L), share of it that leaves at the sides
# (Raimondi and Boyd 1958, part III, not in REFERENCES.md: friction as in mathworks.cn/matlabcentral/answers/707318, flows from memory)
FLOWS = {0.2: (12.8, 3.59, 0.280), 0.4: (5.79, 3.99, 0.497), 0.6: (3.22, 4.33, 0.680), 0.8: (1.70, 4.62, 0.842), 0.9: (1.05, 4.74, 0.919)}


def attitude(force):
    """Angle in deg from the line of centres (journal at angle 0) to the load."""
    return np.degrees(np.arctan2(force[..., 1], -force[..., 0]))


@pytest.mark.parametrize("case", TABLE, ids=str)
def test_sommerfeld_number_and_attitude_of_finite_bearings(case):
    (slenderness, ratio), (s_table, phi_table, s, phi) = case, TABLE[case]
    length = 2 * R * slenderness
    force, error = two_grids(ReynoldsBearing(R, C, length), ratio * C, 0.0, viscosity=MU, journal_spin=SPIN)
    found = MU * SPIN / (2 * np.pi) * length * 2 * R / np.linalg.norm(force) * (R / C) ** 2
    assert abs(found / s - 1) < 3e-3 and abs(attitude(force)[0] - phi) < 0.1
    assert abs(found / s_table - 1) < 0.02 and abs(attitude(force)[0] - phi_table) < 0.6
    assert error[0] < 2e-3


def test_friction_and_flow_of_a_square_bearing():
    ratios = np.array(list(FLOWS))
    film = ReynoldsBearing(R, C, 2 * R).solve(ratios * C, 0.0, viscosity=MU, journal_spin=SPIN, warn=False)
    load = np.linalg.norm(film.force, axis=1)
    friction = -film.journal_torque / (R * load) * R / C
    flow = film.seam_flow / (R * C * SPIN / (2 * np.pi) * 2 * R)
    found = np.stack((friction, flow, film.side_flow / film.seam_flow), axis=1)
    np.testing.assert_allclose(found, np.array(list(FLOWS.values())), rtol=5e-3)


@pytest.mark.parametrize(("ratio", "full", "half", "phi"), [
    (0.1, 1.8850265176, 0.9444405118, 86.33905), (0.4, 7.6172413427, 3.9528952551, 74.47239), (0.8, 19.0399554763, 12.4871708314, 49.67452),
])  # fmt: skip
def test_long_bearing_is_of_second_order(ratio, full, half, phi):
    errors = []
    for n in (100, 200, 400):
        made = {}
        for model in ("sommerfeld", "gumbel"):
            bearing = ReynoldsBearing(R, C, 1.0, cavitation=model, cells=(n, 1), sides="closed")
            made[model] = bearing.solve(ratio * C, 0.0, viscosity=MU, journal_spin=SPIN).force[0] / (MU * SPIN * R * (R / C) ** 2)
        assert attitude(made["sommerfeld"]) == pytest.approx(90.0, abs=1e-6)
        errors.append([abs(np.linalg.norm(made[m]) / w - 1) for m, w in (("sommerfeld", full), ("gumbel", half))])
    slopes = -np.diff(np.log2(errors), axis=0)
    assert np.all(np.abs(slopes - 2.0) < 0.2), slopes
    assert attitude(made["gumbel"]) == pytest.approx(phi, abs=0.01)
    assert np.max(errors[-1]) < 1e-4


@pytest.mark.parametrize(("ratio", "load", "phi"), [
    (0.1, 0.0803829807, 82.70775), (0.4, 0.4668374166, 60.93963), (0.8, 5.7313280693, 30.50015),
])  # fmt: skip
def test_short_bearing_is_of_second_order(ratio, load, phi):
    length = 2e-3 * R  # finite length adds about (L/D)^2 = 1e-6
    unit = MU * SPIN * R * length**3 / C**2
    errors = []
    for n, m in ((96, 3), (192, 6), (384, 12)):
        film = ReynoldsBearing(R, C, length, cavitation="gumbel", cells=(n, m)).solve(
            ratio * C, 0.0, viscosity=MU, journal_spin=SPIN, warn=False
        )
        errors.append(np.linalg.norm(film.force) / unit / load - 1)
    slopes = -np.diff(np.log2(np.abs(errors)))
    assert np.all(np.abs(slopes - 2.0) < 0.2), slopes
    assert attitude(film.force)[0] == pytest.approx(phi, abs=0.05)


@pytest.mark.parametrize("inlet", ["widest_gap", "periodic"])
@pytest.mark.parametrize("model", ["sommerfeld", "gumbel", "reynolds"])
def test_force_is_of_the_squeeze_seen_in_the_mean_frame(model, inlet):
    """One V = (vx + s y, vy - s x) gives one force, whatever spins and velocities make it; its power on V is not positive."""
    bearing = ReynoldsBearing(R, C, R, cavitation=model, inlet=inlet, cells=(128, 6))
    x, y, vx, vy = np.random.default_rng(1).uniform(-0.6, 0.6, (4, 6)) * np.array([C, C, 2e-3, 2e-3])[:, None]
    wj, wb = 70.0, 20.0
    u, w = vx + 0.5 * (wj + wb) * y, vy - 0.5 * (wj + wb) * x
    spun = bearing.solve(x, y, vx, vy, viscosity=MU, journal_spin=wj, bearing_spin=wb, warn=False).force
    squeezed = bearing.solve(x, y, u, w, viscosity=MU, warn=False).force
    assert np.max(np.linalg.norm(spun - squeezed, axis=1) / np.linalg.norm(squeezed, axis=1)) < 2e-3  # two second-order schemes
    assert np.all(squeezed[:, 0] * u + squeezed[:, 1] * w < 0.0)
    scaled = bearing.solve(x, y, 3 * u, 3 * w, viscosity=2 * MU, warn=False).force
    np.testing.assert_allclose(scaled, 6 * squeezed, rtol=1e-9)


def test_impedance_is_the_dimensionless_force_at_any_angle():
    bearing = ReynoldsBearing(R, C, R, cells=(64, 6))
    ratio, beta, turn, speed = np.array([0.3, 0.7]), np.array([0.8, -2.5]), np.array([1.1, -0.4]), 3e-3
    radial, tangential = bearing.impedance(ratio, beta, warn=False)
    film = bearing.solve(ratio * C * np.cos(turn), ratio * C * np.sin(turn), speed * np.cos(turn + beta), speed * np.sin(turn + beta),
                         viscosity=MU, warn=False)  # fmt: skip
    unit = MU * R * R**3 / C**3 * speed
    expected = unit * np.stack((radial * np.cos(turn) - tangential * np.sin(turn), radial * np.sin(turn) + tangential * np.cos(turn)), 1)
    np.testing.assert_allclose(film.force, expected, rtol=1e-9)
    mirrored = bearing.impedance(ratio, -beta, warn=False)
    np.testing.assert_allclose(mirrored, (radial, -tangential), rtol=1e-9)


@pytest.mark.parametrize("model", [m.name for m in CAVITATION])
def test_torques_balance_and_oil_is_conserved(model):
    groove = AxialGroove(angle=2.0, span=0.5, length=0.8 * R, pressure=1e5)
    bearing = ReynoldsBearing(R, C, R, cavitation=model, inlet="periodic", cells=(48, 6), grooves=(groove,), side_pressure=2e4)
    x, y = np.array([0.3, -0.5]) * C, np.array([0.1, 0.6]) * C
    film = bearing.solve(x, y, viscosity=MU, journal_spin=SPIN, bearing_spin=-20.0, warn=False)
    moment = x * film.force[:, 1] - y * film.force[:, 0]
    np.testing.assert_allclose(film.journal_torque + film.bearing_torque + moment, 0.0, atol=1e-12 * np.abs(film.journal_torque).max())
    assert np.all(film.pressure[:, bearing.supplied()[0]] == 1e5)
    if model in MASS:
        np.testing.assert_allclose(film.supply_flow, film.side_flow, rtol=0, atol=1e-11 * np.abs(film.seam_flow).max())
        assert np.all(film.imbalance < 1e-11)
    if model != "sommerfeld":
        assert film.pressure.min() >= 0.0
        assert film.fill.min() > 0.0 and np.all((film.fill <= 1.0 + 1e-11) | (film.pressure > 0.0))
    if model in ("elrod_adams", "giacopini"):
        assert np.all((film.pressure == 0.0) | (film.fill >= 1.0)) and film.fill.min() < 0.9


def test_conserving_oil_changes_nothing_where_no_film_forms_again():
    """With a flooded inlet at the widest gap Reynolds' rupture is the conserving one; Gümbel's film carries 9 % and 16 % less."""
    x = np.array([0.4, 0.8]) * C
    loads = {}
    for model in ("gumbel", "reynolds", "giacopini", "elrod_adams", ElrodAdams(1e15)):
        film = ReynoldsBearing(R, C, 2 * R, cavitation=model, cells=(64, 8)).solve(x, 0.0, viscosity=MU, journal_spin=SPIN)
        loads[model] = np.linalg.norm(film.force, axis=1)
    np.testing.assert_allclose(loads["giacopini"], loads["reynolds"], rtol=1e-10)
    np.testing.assert_allclose(loads[ElrodAdams(1e15)], loads["giacopini"], rtol=1e-7)
    np.testing.assert_allclose(loads["gumbel"] / loads["giacopini"] - 1, [-0.09, -0.155], atol=0.005)
    np.testing.assert_allclose(loads["gumbel"] / loads["elrod_adams"] - 1, [-0.09, -0.16], atol=0.005)


@pytest.mark.parametrize("model", ["elrod_adams", "giacopini"])
def test_oil_is_conserved_in_time_and_warm_starts_are_short(model):
    bearing = ReynoldsBearing(R, C, 2 * R, cavitation=model, inlet="periodic", cells=(48, 6), side_pressure=1e5)
    step, full, solves = 2e-4, None, []
    content = np.full((1, 48, 6), C)
    cell = 2 * bearing.grid.dx * bearing.grid.dz
    for k in range(60):
        ratio, angle = 0.5 + 0.35 * np.sin(60 * k * step), 80 * k * step
        film = bearing.solve(ratio * C * np.cos(angle), ratio * C * np.sin(angle), viscosity=MU, journal_spin=SPIN, step=step,
                             content=content, start=full, warn=False)  # fmt: skip
        gain = cell * (film.content.sum() - content.sum())
        assert abs(gain + film.side_flow[0] * step) < 1e-13 * cell * content.sum()
        content, full = film.content, film.full
        solves.append(film.solves[0])
    assert film.fill.min() < 0.95 and np.mean(solves[1:]) < 4


def test_opposite_spin_mirrors_the_film():
    bearing = ReynoldsBearing(R, C, R, cavitation="giacopini", cells=(32, 4))
    film = bearing.solve(0.5 * C, 0.0, viscosity=MU, journal_spin=np.array([SPIN, -SPIN]), warn=False)
    np.testing.assert_allclose(film.force[1], film.force[0] * [1, -1], rtol=1e-10)
    np.testing.assert_allclose(film.pressure[1], film.pressure[0][::-1], rtol=1e-9, atol=1e-6)


def test_a_film_does_not_depend_on_its_neighbours_or_its_start():
    bearing = ReynoldsBearing(R, C, R, cells=(48, 6))
    x = np.array([0.2, 0.6, 0.85]) * C
    together = bearing.solve(x, 0.0, viscosity=MU, journal_spin=SPIN, warn=False)
    for k in range(3):
        alone = bearing.solve(x[k], 0.0, viscosity=MU, journal_spin=SPIN, warn=False)
        assert np.array_equal(alone.pressure[0], together.pressure[k])
    again = bearing.solve(x, 0.0, viscosity=MU, journal_spin=SPIN, start=together.full, warn=False)
    assert np.all(again.solves == 1) and np.array_equal(again.pressure, together.pressure)


def test_circumferential_groove_feeds_two_bearings():
    """A groove that parts the bearing leaves two of the land's length, each with the groove as its other side."""
    groove = CircumferentialGroove(width=0.01, pressure=0.0)
    parted = ReynoldsBearing(R, C, 0.05, cavitation="reynolds", inlet="periodic", cells=(64, 20), grooves=(groove,))
    whole = ReynoldsBearing(R, C, 0.02, cavitation="reynolds", inlet="periodic", cells=(64, 8))
    loads = [b.solve(0.6 * C, 0.0, viscosity=MU, journal_spin=SPIN, warn=False).force[0] for b in (parted, whole)]
    # the groove's edge lies half a cell inside the cells that are at its pressure, which makes the land half a cell longer
    np.testing.assert_allclose(loads[0], 2 * loads[1] * (16.5 / 16) ** 3, rtol=0.02)


def test_viscosity_that_grows_with_pressure_without_iteration():
    """The reduced pressure of Barus' law against iteration with the viscosity as a field: both of second order, to one solution."""
    gaps = []
    for cells in ((64, 8), (128, 16)):
        straight = ReynoldsBearing(R, C, 2 * R, cells=cells, pressure_viscosity=2e-8)
        plain = ReynoldsBearing(R, C, 2 * R, cells=cells)
        at = dict(journal_spin=SPIN, warn=False)
        film = straight.solve(0.8 * C, 0.0, viscosity=MU, **at)
        other = plain.solve(0.8 * C, 0.0, viscosity=MU, **at)
        for _ in range(12):
            other = plain.solve(0.8 * C, 0.0, viscosity=MU * np.exp(2e-8 * other.pressure), start=other.full, **at)
        gaps.append(np.linalg.norm(film.force - other.force) / np.linalg.norm(film.force))
        assert abs(film.journal_torque[0] / other.journal_torque[0] - 1) < 2e-3
    base = plain.solve(0.8 * C, 0.0, viscosity=MU, **at)
    assert np.linalg.norm(film.force) > 1.05 * np.linalg.norm(base.force)
    assert gaps[1] < 1e-3 and gaps[1] < 0.4 * gaps[0]
