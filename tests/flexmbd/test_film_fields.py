"""Film fields from a run's histories: force of the formulas and of the joint, balance of the oil, turning axes, sentences."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.lubrication.fields import film_fields, kept_inside
from flexmbd.lubrication.formula_bearing import FormulaBearing
from flexmbd.lubrication.reynolds import AxialGroove, ReynoldsBearing

from .running import column, simulate
from .sentences import names, said

MU, SPIN, R, C, L = 0.02, 300.0, 0.01, 1e-4, 0.01
TIME = np.linspace(0.0, 0.01, 41)
GROOVE = AxialGroove(angle=0.5 * np.pi, span=0.4, length=0.8 * L, pressure=2e5)
GROOVED = ReynoldsBearing(R, C, L, "giacopini", "periodic", cells=(48, 6), grooves=(GROOVE,))
BARE = ReynoldsBearing(R, C, L, "giacopini", "periodic", cells=(48, 6))


def orbit(ratio=0.5, whirl=200.0, swing=0.3, start=0.4):
    """Places and velocities of a whirl whose radius swings."""
    angle, radius = start + whirl * TIME, ratio * C * (1 + swing * np.sin(700 * TIME))
    rate = ratio * C * swing * 700 * np.cos(700 * TIME)
    cos, sin = np.cos(angle), np.sin(angle)
    return (radius * cos, radius * sin), (rate * cos - radius * whirl * sin, rate * sin + radius * whirl * cos)


def fields(bearing=GROOVED, motion=None, **options):
    """Fields of the orbit, without warnings of the grid."""
    place, velocity = motion or orbit()
    return film_fields(bearing, TIME, place, velocity, **{"spins": (SPIN, 0.0), "viscosity": MU, "warn": False, **options})


@pytest.mark.parametrize("extent", ["full", "half"])
@pytest.mark.parametrize("film", [fm.ShortFilm, fm.LongFilm])
def test_pressures_of_the_formulas_are_their_forces(film, extent):
    """The formula's own force, which other tests compare with tables; the kinks at the ends of a half film cost an order."""
    (x, y), (vx, vy) = motion = orbit()
    formula = film(MU, L, extent=extent)
    kernel, numbers = formula.kernels().force, formula.numbers().values()
    wanted = np.array([
        kernel(a, b, u + 0.5 * SPIN * b, w - 0.5 * SPIN * a, C, R, *numbers) for a, b, u, w in zip(x, y, vx, vy, strict=True)
    ])  # fmt: skip
    errors = []
    for cells in (32, 128):
        found = fields(FormulaBearing(formula, R, C, (cells, 3)), motion, viscosity=None)
        errors.append(np.abs(found.force - wanted).max() / np.abs(wanted).max())
    assert errors[1] < (1e-12 if extent == "full" else 5e-4) and (extent == "full" or errors[0] / errors[1] > 8)
    np.testing.assert_allclose(found.min_thickness, C - np.hypot(x, y), rtol=1e-12)
    if film is fm.ShortFilm:  # int L V.n R dtheta over the half circumference is 2 L R |V|, over the whole nothing
        speed = np.hypot(vx + 0.5 * SPIN * y, vy - 0.5 * SPIN * x)
        np.testing.assert_allclose(found.side_flow, 2 * L * R * speed * (extent == "half"), atol=1e-3 * 2 * L * R * speed.max())


def test_a_place_at_rest_has_the_film_of_the_bearing():
    """Carried on until it is steady, the history's film is that of the steady equations."""
    place = (np.full(41, 0.5 * C), np.full(41, -0.3 * C))
    found = film_fields(GROOVED, 20 * TIME, place, np.zeros((2, 41)), spins=(SPIN, 0.0), viscosity=MU, history=True, substeps=4, warn=False)
    steady = GROOVED.solve(0.5 * C, -0.3 * C, viscosity=MU, journal_spin=SPIN, warn=False)
    assert np.abs(found.pressure[0] - steady.pressure[0]).max() > 0.01 * steady.pressure.max()
    np.testing.assert_allclose(found.pressure[-1], steady.pressure[0], atol=1e-4 * steady.pressure.max())
    np.testing.assert_allclose(found.force[-1], steady.force[0], rtol=1e-4)
    assert found.supply_flow[-1] == pytest.approx(found.side_flow[-1], rel=1e-3)
    assert found.friction_power[-1] == pytest.approx(-SPIN * steady.journal_torque[0], rel=1e-4)


@pytest.mark.parametrize("bearing", [GROOVED, BARE], ids=["grooved", "starved"])
def test_oil_is_neither_made_nor_lost(bearing):
    found = fields(bearing, history=True, substeps=2)
    book = found.volume - found.supplied + found.lost
    full = np.pi * C * L * (2 * R)  # mean gap times circumference times length
    np.testing.assert_allclose(book, full, rtol=1e-12)
    assert found.lost[-1] > 0.02 * full and len(found.time) == 40
    if bearing is BARE:
        assert not found.supplied.any() and found.fill[-1].min() < 0.9
    again = film_fields(
        bearing, TIME, *orbit(), spins=(SPIN, 0.0), viscosity=MU, at=TIME[20:], history=True, substeps=2, warn=False,
        content=fields(bearing, history=True, at=TIME[:21], substeps=2).content,
    )  # fmt: skip
    np.testing.assert_allclose(again.pressure[-1], found.pressure[-1], atol=1e-6 * found.max_pressure.max())


def test_carrying_the_oil_on_is_of_first_order():
    fine = fields(history=True, at=TIME[::4], substeps=48).force
    error = [np.abs(fields(history=True, at=TIME[::4], substeps=n).force - fine).max() for n in (4, 8)]
    assert 0.8 < np.log2(error[0] / error[1]) < 1.2


def test_half_full_gaps_round_a_centred_journal_stay_as_they_are():
    """A ring of even thickness carries its oil round: no pressure, nothing lost, half of Petroff's torque."""
    still = (np.zeros((2, 41)), np.zeros((2, 41)))
    found = fields(BARE, still, history=True, content=np.full((48, 6), 0.5 * C))
    assert not found.max_pressure.any() and not found.lost.any()
    np.testing.assert_allclose(found.fill, 0.5, rtol=1e-12)
    np.testing.assert_allclose(found.friction_power, 0.5 * 2 * np.pi * MU * R**3 * L / C * SPIN**2, rtol=1e-12)


@pytest.mark.parametrize("history", [False, True])
def test_fields_turn_with_the_bearing(history):
    """The same motion seen from axes that turn: equal pressures on the bearing, forces turned, equal powers but for the drive's."""
    bearing = GROOVED if history else ReynoldsBearing(R, C, L, "reynolds", "periodic", cells=(48, 6), grooves=(GROOVE,))
    (x, y), (vx, vy) = orbit()
    turn, rate = 0.3 + 150.0 * TIME, 150.0
    cos, sin = np.cos(turn), np.sin(turn)
    place = (cos * x - sin * y, sin * x + cos * y)
    velocity = (cos * vx - sin * vy - rate * place[1], sin * vx + cos * vy + rate * place[0])
    options = {"history": history, "at": None if history else TIME[::5]}
    seen, whole = fields(bearing, **options), fields(bearing, (place, velocity), spins=(SPIN + rate, rate), angle=turn, **options)
    peak = seen.max_pressure.max()
    np.testing.assert_allclose(whole.pressure, seen.pressure, atol=1e-8 * peak)
    angle = np.interp(seen.time, TIME, turn)
    turned = np.array([np.cos(angle) * seen.force[:, 0] - np.sin(angle) * seen.force[:, 1],
                       np.sin(angle) * seen.force[:, 0] + np.cos(angle) * seen.force[:, 1]]).T  # fmt: skip
    np.testing.assert_allclose(whole.force, turned, atol=1e-8 * np.abs(turned).max())
    np.testing.assert_allclose(whole.film_power, seen.film_power, rtol=1e-7)


def test_a_field_is_read_at_other_angles():
    found = fields(FormulaBearing(fm.ShortFilm(MU, L, extent="full"), R, C, (256, 2)), viscosity=None, at=TIME[:2])
    angles = np.array([-1.0, 0.0, 2.0, 7.0])
    gap = C - orbit()[0][0][:2, None] * np.cos(angles) - orbit()[0][1][:2, None] * np.sin(angles)
    np.testing.assert_allclose(found.around(found.thickness, angles), gap, rtol=2e-4)
    assert found.around(found.pressure, angles).shape == (2, 4, 2)
    widest = fields(ReynoldsBearing(R, C, L, cells=(64, 4)), at=TIME[:2])
    np.testing.assert_allclose(widest.around(widest.thickness, angles), gap, rtol=3e-3)


def test_bad_input_is_refused():
    formula = FormulaBearing(fm.ShortFilm(MU, L), R, C)
    (x, y), velocity = orbit()
    names(said(lambda: fields(motion=((x[1:], y), velocity))), "film fields: place has shape (40,), the times have (41,)")
    names(said(lambda: fields(motion=((x + np.nan, y), velocity))), "place has points without a value", "ended well")
    names(said(lambda: fields(motion=((4 * x, y), velocity))), "eccentricity ratio", "below 1")
    assert fields(formula, ((4 * x, y), velocity), largest=0.99).min_thickness.min() > 0.0
    names(said(lambda: fields(largest=1.2)), "largest is 1.2", "above 0.5 and below 1")
    names(said(lambda: fields(viscosity=None)), "viscosity (Pa s) is missing")
    names(said(lambda: fields(at=[0.0, 0.02])), "at is 0.02", "at most 0.01")
    names(said(lambda: fields(at=TIME[::-1])), "at must be an increasing array")
    names(said(lambda: fields(spins=(SPIN, 10.0))), "the grooves turn with the bearing", "give angle")
    names(said(lambda: fields(formula, history=True)), "a film by formula keeps no account of its oil", "giacopini")
    names(said(lambda: fields(ReynoldsBearing(R, C, L, "reynolds", "periodic"), history=True)), "'reynolds' keeps no account")
    names(said(lambda: fields(ReynoldsBearing(R, C, L, "giacopini"), history=True)), "places of their own", "inlet 'periodic'")
    names(said(lambda: fields(history=True, content=np.ones(3))), "content has shape (3,), the grid has (48, 6)")
    names(said(lambda: fields(content=np.ones((48, 6)))), "content is for fields with a history", "history=True")
    names(said(lambda: fields(history=True, at=TIME[:1])), "at least two times")
    names(said(lambda: FormulaBearing(fm.PinkusSternlicht(MU, L), R, C)), "'pinkus_sternlicht' has a force but no pressure field")
    names(said(lambda: FormulaBearing(fm.ShortFilm(np.array([MU, MU]), L), R, C)), "single numbers", "one sample")
    names(said(lambda: FormulaBearing(fm.ShortFilm(MU, L), -R, C)), "radius is -0.01")


def thrown_rotor(speed=3.0):
    """Journal at constant spin, thrown at its bearing: the film stops it before it touches, where its place is brought inside."""
    s = fm.System()
    body = s.body("rotor", mass=1.0, inertia=1e-3, rate=SPIN, velocity=(speed, 0.0))
    s.add(fm.AngleDrive("drive", s.ground.at(0, 0), body.centre, fm.ConstantSpeed(SPIN)))
    s.add(fm.PointForce("load", body.centre, fy=-60.0))
    law, film = fm.LankaraniNikravesh(1e9, restitution=0.7), fm.ShortFilm(0.1 * MU, L, extent="full")
    s.add(fm.ClearanceRevolute("B", body.centre, s.ground.at(0, 0), C, law, bearing_radius=R, film=film))
    return s


@pytest.mark.slow
def test_fields_of_a_run_are_the_joints_forces():
    """A full film's pressure is summed to round-off; powers and thinnest gap are the joint's too."""
    outputs = ["B.ex", "B.ey", "rotor.vx", "rotor.vy", "rotor.rate", "B.film_fx", "B.film_fy", "B.film_power", "B.friction_power",
               "B.film_thickness", "B.regime"]  # fmt: skip
    trajectory = simulate(thrown_rotor, outputs, end=0.004, points=201, samples={"speed": 3.0})
    out = column(trajectory)
    ratio = np.hypot(out["B.ex"], out["B.ey"]) / C
    assert not out["B.regime"].any() and ratio.max() > 0.999
    found = film_fields(
        FormulaBearing(fm.ShortFilm(0.1 * MU, L, extent="full"), R, C, (512, 2)), trajectory.time, (out["B.ex"], out["B.ey"]),
        (out["rotor.vx"], out["rotor.vy"]), spins=(out["rotor.rate"], 0.0), largest=0.99,
    )  # fmt: skip
    force = np.array([out["B.film_fx"], out["B.film_fy"]]).T
    np.testing.assert_allclose(found.force, force, rtol=0, atol=1e-9 * np.abs(force).max())
    np.testing.assert_allclose(found.film_power, out["B.film_power"], rtol=1e-9)
    calm = ratio < 0.98  # a place of zero size is 1e-12 m to the joint
    np.testing.assert_allclose(found.friction_power[calm], out["B.friction_power"][calm], rtol=1e-9)
    np.testing.assert_allclose(found.min_thickness[calm], out["B.film_thickness"][calm], rtol=1e-9, atol=1.1e-12)
    np.testing.assert_allclose(kept_inside(np.array([0.98, 1.0, 1e9]), 0.99) * [0.98, 1.0, 1e9], [0.98, 0.99 - 1e-4 / 0.03, 0.99])
