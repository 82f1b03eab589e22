"""The clearance joint with rough surfaces, and with oil that warms up: forces, books, regimes, Stribeck's curve, temperature, outputs."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import pytest
from scipy.optimize import brentq, root

import flexmbd as fm
from flexmbd.analysis.equations import Equations
from flexmbd.lanes import kernel
from flexmbd.lubrication.base import FilmKernels, FormulaFilm
from flexmbd.lubrication.film_map import FilmMap
from flexmbd.lubrication.map_film import MapFilm
from flexmbd.lubrication.reynolds import ReynoldsBearing
from flexmbd.lubrication.viscosity import CELSIUS

from .running import column, simulate
from .sentences import names, said
from .tangents import jacobian
from .test_lubricated_joint import LAW, C, L, R, journal_at

ROUGH = fm.GreenwoodTripp(density=2.5e10, tip_radius=2e-6, roughness=1e-6, modulus=1.15e11, length=L)  # sigma = c / 100
OIL = fm.Vogel.iso_vg(46.0)
SHORT = fm.ShortFilm(5e-3, L)


def pair(law=None, film=SHORT, friction=True, depth=0.0, **more):
    """Two free bodies, joined off their centres by rough surfaces, thrown at each other."""
    s = fm.System()
    a = s.body("a", mass=0.4, inertia=2e-3, position=(0.0, 0.0), rate=200.0, points={"P": (0.03, 0.01)})
    b = s.body("b", mass=0.7, inertia=3e-3, position=(0.08, 0.02), rate=-60.0, velocity=(0.0, 12.0 + depth), points={"P": (-0.05, -0.01)})
    friction = fm.MixedFriction(0.1, 0.1) if friction else None
    s.add(fm.ClearanceRevolute("J", a["P"], b["P"], C, law, friction, bearing_radius=R, film=film, asperities=ROUGH, **more))
    return s


def evaluate(equations, nodes, q, v, s=()):
    """Nodes at a state; `s` are the further states."""
    at = equations.at(q, v)
    return equations.program(list(nodes))(at | {"s": np.r_[at["s"][: len(at["s"]) - len(s)], s]} if len(s) else at)


VARIANTS = [(None, None), (None, SHORT), (LAW, SHORT)]
REGIMES = ((0.5, 0.0), (0.98, 1.0), (0.9925, 2.0), (1.0, 2.0), (1.035, 2.0), (1.07, 2.0))  # h = 50, 2, 0.75, 0, -3.5, -7 sigma


@pytest.mark.parametrize(("law", "film"), VARIANTS)
def test_forces_balance_their_power_is_in_the_books_and_tangents_are_derivatives(law, film):
    equations = Equations(pair(law, film))
    for eps, regime in REGIMES:
        q, v = journal_at(equations, eps, 0.05)
        out = partial(equations.output, q=q, v=v)
        assert out("J.lambda_ratio") == pytest.approx(100 * (1 - eps), abs=1e-3)
        assert (out("J.regime"), out("J.film"), out("J.mixed"), out("J.dry")) == (regime, regime == 0, regime == 1, regime == 2)
        force = equations.force(q, v)
        size = np.abs(force).max()
        np.testing.assert_allclose(force[[0, 1]] + force[[4, 5]], 0.0, atol=1e-12 * size)
        np.testing.assert_allclose(np.sum(q[::2] * force[1::2] - q[1::2] * force[::2]), 0.0, atol=1e-12 * size)
        step = 1e-8
        rate = (equations.output("J.eccentricity", q + step * v) - equations.output("J.eccentricity", q - step * v)) / (2 * step)
        lost = evaluate(equations, [sum(equations.problem.powers.values())], q, v)[0]
        assert force @ v == pytest.approx(-lost - out("J.asperity_force") * rate, rel=1e-6, abs=1e-9)
        if law is None:
            assert lost >= 0.0  # film and friction only
        for got, at, step in ((equations.stiffness(q, v), 0, 1e-9), (equations.damping(q, v), 1, 1e-3)):

            def moved(d, at=at, step=step, q=q, v=v):
                return -equations.force(q + (at == 0) * step * d, v + (at == 1) * step * d)

            if eps != 1.0 or law is None:  # the contact law begins there with an infinite curvature
                wanted = jacobian(moved, np.zeros(8), 1.0) / step
                np.testing.assert_allclose(got.toarray(), wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


def test_force_and_tangent_are_continuous():
    """Across the film's bend, the three regimes, the touch of the mean planes, the end of the film, and the linear pressure."""
    equations = Equations(pair())
    seams = np.array([0.97, 0.99, 1.0, 1.03, 1.05])
    sides = [[journal_at(equations, eps + d, 0.05) for eps in seams] for d in (-1e-11, 1e-11)]
    for change in (equations.force, lambda q, v: equations.stiffness(q, v).data, lambda q, v: equations.damping(q, v).data):
        below, above = (np.array([change(*state) for state in side]) for side in sides)
        assert np.all(np.abs(below - above) < 1e-6 * np.abs(below).max(axis=1, keepdims=True))


def rotor(spin=300.0, load=0.0, film=SHORT, law=None, clearance=C, x=0.0, mass=1.0, **more):
    """Journal that turns at constant speed in a bearing, loaded along -y."""
    s = fm.System()
    body = s.body("rotor", mass=mass, inertia=1e-3, position=(x, 0.0), rate=spin)
    s.add(fm.AngleDrive("drive", s.ground.at(0, 0), body.centre, fm.ConstantSpeed(spin)))
    s.add(fm.PointForce("load", body.centre, fy=-1.0 * load))
    s.add(fm.ClearanceRevolute("B", body.centre, s.ground.at(0, 0), clearance, law, bearing_radius=R, film=film, **more))
    return s


def test_the_curve_of_stribeck_comes_out_of_the_joint():
    """Friction torque by R W at the journal's equilibrium: sine of the friction angle at low speed, a minimum, and Petroff's line."""
    load, clearance, viscosity, length, mu = 200.0, 30e-6, 0.01, 0.02, 0.12
    surface = fm.GreenwoodTripp(2.5e10, 2e-6, 0.8e-6, 1.15e11, length)
    film, friction = fm.ShortFilm(viscosity, length), fm.MixedFriction(mu, 1e-5)
    system = rotor(load=load, clearance=clearance, film=film, asperities=surface, friction=friction)
    equations, place, curve = Equations(system), np.array([0.0, -1e-3]), []
    speeds = np.geomspace(1e6, 1e-2, 50)
    for spin in speeds:

        def force(place, spin=spin):
            return equations.force(np.r_[clearance * place, 1.0, 0.0], np.r_[0.0, 0.0, 0.0, spin])

        found = root(lambda place, force=force: force(place)[:2] / load, place, tol=1e-12)
        assert found.success
        place = found.x
        curve.append(-force(place)[3] / (R * load))
    speeds, curve = speeds[::-1], np.array(curve[::-1])
    lowest = np.argmin(curve)
    assert curve[0] == pytest.approx(mu / np.sqrt(1 + mu**2), rel=0.01) and curve[lowest] < 0.1 * mu
    assert np.all(np.diff(curve[2:lowest]) < 0) and np.all(np.diff(curve[lowest:]) > 0)
    assert curve[-1] == pytest.approx(2 * np.pi * viscosity * length * R**2 / clearance * speeds[-1] / load, rel=1e-3)


@pytest.mark.parametrize("law", [OIL, fm.Walther.through([313.15, 373.15], [46e-6, 6.8e-6])])
def test_viscosity_by_temperature_in_the_joint_is_that_of_the_law(law):
    """Film, shear and their power go with it, the state's rate is the balance, and derivatives by the state are exact."""
    heat = fm.FilmTemperature(law, start=40 + CELSIUS, ambient=30 + CELSIUS, heat_capacity=20.0, conductance=3.0, reference=50 + CELSIUS)
    equations = Equations(pair(temperature=heat))
    g, (state,) = equations.problem.graph, [s for s in equations.problem.states if s.name == "J.rise"]
    k = equations.problem.states.index(state)
    temperature, power, film = (equations.catalogue[f"J.{key}"][0]() for key in ("temperature", "film_power", "film_fx"))
    rubbed = equations.catalogue["J.friction"][0]() * equations.catalogue["J.slip"][0]()
    variable = g.var("s", k)
    nodes = [temperature, state.rate, power, rubbed, film, *(g.derivative(node, variable) for node in (state.rate, film))]
    q, v = journal_at(equations, 0.98)

    def at(rise):
        s = np.zeros(len(equations.problem.states))
        s[k] = rise
        return np.array(evaluate(equations, nodes, q, v, s))

    _t, _rate, power, _rubbed, force, *_ = at(10.0)  # at `reference` the film has its own viscosity
    for rise in (-5.0, 0.0, 10.0, 60.0):
        t, rate, lost, rubbed, fx, rate_slope, fx_slope = at(rise)
        factor = law.viscosity(t) / law.viscosity(50 + CELSIUS)
        assert t == pytest.approx(40 + CELSIUS + rise, rel=1e-15)
        assert (lost, fx) == pytest.approx((factor * power, factor * force), rel=1e-12)
        assert rubbed > 0 and rate == pytest.approx((lost + rubbed - 3.0 * (t - 30 - CELSIUS)) / 20.0, rel=1e-12)
        wanted = jacobian(lambda x: at(x[0])[[1, 4]], [rise], 0.1)[:, 0]
        assert (rate_slope, fx_slope) == pytest.approx(wanted, rel=1e-8)


@pytest.mark.slow
def test_oil_warms_up_as_its_balance_says():
    """A turning journal at the centre: in closed form for constant viscosity, and to the balance's root for a real oil."""
    capacity, conductance, start, ambient, own, end = 2e-3, 5e-3, 40 + CELSIUS, 30 + CELSIUS, 0.05, 4.0

    def warm(b):
        heat = fm.FilmTemperature(fm.Vogel(1e-4, b), start, ambient, capacity, conductance)
        return rotor(mass=100.0, film=fm.ShortFilm(own, L), temperature=heat)

    wanted = ["B.temperature", "B.film_power", "energy.dissipated", "energy.balance"]
    out = simulate(warm, wanted, end=end, points=41, samples={"b": [1e-300, 800.0]}, tolerance=1e-7).outputs
    power, time = 2 * np.pi * own * L * R**3 / C * 300.0**2, np.linspace(0.0, end, 41)
    decay = np.exp(-time * conductance / capacity)
    np.testing.assert_allclose(out["B.temperature"][0], ambient + power / conductance * (1 - decay) + 10.0 * decay, rtol=1e-6)
    oil = fm.Vogel(1e-4, 800.0)
    rest = brentq(lambda t: power * oil.viscosity(t) / oil.viscosity(start) - conductance * (t - ambient), ambient, 400.0, xtol=1e-10)
    assert out["B.temperature"][1, -1] == pytest.approx(rest, rel=1e-6) and rest > ambient + 50


RUN = [
    *(f"{body}.{key}" for body in "ab" for key in ("x", "y", "vx", "vy", "rate")), "J.temperature", "J.film", "J.dry", "J.mixed",
    "J.film:mean", "J.mixed:mean", "J.dry:mean", "J.lambda_ratio:min", "energy.balance", "energy.kinetic", "energy.dissipated",
]  # fmt: skip


@pytest.mark.slow
def test_momentum_and_energy_balance_and_what_is_lost_is_what_warms_the_oil():
    """Asperities alone hold the journal; with no heat lost the oil has all that is dissipated: nothing is counted twice or lost."""
    heat = fm.FilmTemperature(OIL, 313.15, 313.15, heat_capacity=0.05, conductance=0.0)
    trajectory = simulate(partial(pair, temperature=heat), RUN, end=4e-3, points=4001, samples={"depth": [0.0]}, tolerance=1e-10)
    got = column(trajectory)
    bodies = (("a", 0.4, 2e-3), ("b", 0.7, 3e-3))
    for axis in "xy":
        total = sum(m * got[f"{n}.v{axis}"] for n, m, _ in bodies)
        np.testing.assert_allclose(total, total[0], atol=1e-9 * 0.7 * 12.0)
    spin = sum(i * got[f"{n}.rate"] + m * (got[f"{n}.x"] * got[f"{n}.vy"] - got[f"{n}.y"] * got[f"{n}.vx"]) for n, m, i in bodies)
    np.testing.assert_allclose(spin, spin[0], atol=1e-9)
    assert np.ptp(got["energy.balance"]) < 1e-7 * got["energy.kinetic"][0]
    lost = got["energy.dissipated"] - got["energy.dissipated"][0]
    assert np.all(np.diff(lost) > -1e-9) and lost[-1] > 0.01 * got["energy.kinetic"][0]
    np.testing.assert_allclose(0.05 * (got["J.temperature"] - 313.15), lost, atol=1e-7 * lost[-1])
    shares = np.array([got[f"J.{key}:mean"] for key in ("film", "mixed", "dry")])
    assert got["J.lambda_ratio:min"] < 1 and np.all(shares > 0) and shares.sum() == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_allclose(shares, [got[f"J.{key}"][:-1].mean() for key in ("film", "mixed", "dry")], atol=5e-3)
    used = {key: trajectory.attributes[f"J.{key}"] for key in ("film", "asperities", "friction", "transition")}
    assert used == {"film": "short", "asperities": "greenwood_tripp", "friction": "mixed_friction", "transition": "smooth"}


@pytest.mark.parametrize("film", [fm.ShortFilm(0.02, L), fm.ShortFilm(0.02, L, "full"), fm.LongFilm(0.02, L)])
def test_the_largest_pressure_is_that_of_the_formula(film):
    """On a fine grid, for any direction of velocity: the narrow peak of an approach and the wide one behind a leaving journal."""
    rng = np.random.default_rng(1)
    turn, centre = np.tan(np.linspace(-np.pi, np.pi, 100001) / 2), np.arctan2(0.8, 0.6)
    for eps in (0.0, 0.4, 0.9, 0.99, 0.999):
        for toward in (0.0, np.pi, *rng.uniform(0, 2 * np.pi, 4)):
            e, u, w = eps * np.array([0.6, 0.8]), 0.3 * np.cos(toward + centre), 0.3 * np.sin(toward + centre)
            t = centre + 2 * np.arctan(np.sqrt((1 - eps) / (1 + eps)) * turn)
            h, n = C * (1 - eps * np.cos(t - centre)), np.array([np.cos(t), np.sin(t)])
            pressure = 1.5 * 0.02 * L**2 * (u * n[0] + w * n[1]) / h**3
            if film.name == "long":
                q = 2 * np.array([u, w]) + (e @ [u, w]) * e
                pressure = 6 * 0.02 * R**2 * (C + h) * (q @ n) / ((2 + e @ e) * C**2 * h**2)
            got = film.kernels().peak(C * e[0], C * e[1], u, w, C, R, *film.numbers().values())
            assert got == pytest.approx(pressure.max(), rel=1e-6)


def test_pressure_and_flow_of_a_journal_at_rest():
    """Half film of a short bearing: flow R L Omega e to the sides; nothing is said of flow or pressure where none is known."""
    equations = Equations(rotor(film=fm.ShortFilm(0.02, L)))
    q, v = np.array([0.0, -0.6 * C, 1.0, 0.0]), np.array([0.0, 0.0, 0.0, 300.0])
    assert equations.output("B.oil_flow", q, v) == pytest.approx(R * L * 300.0 * 0.6 * C, rel=1e-12)
    angle = np.linspace(0, 2 * np.pi, 100001)
    pressure = 0.02 * 300.0 * 0.75 * L**2 * 0.6 * np.sin(angle) / (C**2 * (1 + 0.6 * np.cos(angle)) ** 3)
    assert equations.output("B.max_pressure", q, v) == pytest.approx(pressure.max(), rel=1e-7)
    assert not {"B.max_pressure", "B.oil_flow"} & set(Equations(rotor(film=fm.PinkusSternlicht(0.02, L))).catalogue)


def test_pressure_and_flow_of_a_narrow_bearing_solved_on_a_grid():
    """Reynolds' equation with Gümbel's film, L = R/25, journal and gap in motion: they differ by the order of (L/R)^2."""
    length, x, y, vx, vy = 0.04 * R, 0.2 * C, 0.6 * C, 0.01, 0.03
    bearing = ReynoldsBearing(R, C, length, cavitation="gumbel", inlet="periodic", cells=(128, 8))
    film = bearing.solve(x, y, vx, vy, viscosity=0.02, journal_spin=300.0, warn=False)
    arguments = (x, y, vx + 150.0 * y, vy - 150.0 * x, C, R, 0.02, length)
    kernels = fm.ShortFilm(0.02, length).kernels()
    assert film.side_flow[0] == pytest.approx(kernels.flow(*arguments), rel=1e-3)
    assert film.pressure.max() == pytest.approx(kernels.peak(*arguments), rel=1e-2)


@pytest.mark.slow
def test_peak_and_viscosity_in_lanes_agree_with_numbers(in_lanes):
    rng = np.random.default_rng(2)
    angle, size, x = rng.uniform(0, 2 * np.pi, 12), C * rng.uniform(0, 0.99, 12), rng.uniform(-1, 1, (2, 12))
    film, law = fm.ShortFilm(0.02, L), fm.Walther.through([313.15, 373.15], [46e-6, 6.8e-6])
    peak = (size * np.cos(angle), size * np.sin(angle), *x, np.full(12, C), R, *film.numbers().values())
    slope = (300.0 + 40.0 * x[0], 320.0, *law.numbers().values())
    for function, arguments in ((film.kernels().peak, peak), (law.kernels().slope, slope)):
        one = [function(*row) for row in zip(*np.broadcast_arrays(*arguments), strict=True)]
        np.testing.assert_allclose(in_lanes(function, 8, *arguments), one, rtol=1e-11)


@kernel
def ribbed_force(x, y, u, w, c, R, viscosity, length):
    """A bearing that resists more across than along its own x axis."""
    return -viscosity * (u + 40.0 * x), -3.0 * viscosity * (w - 20.0 * x)


@kernel
def ribbed_tangent(x, y, u, w, c, R, viscosity, length):
    """Its derivatives."""
    k = viscosity + 0.0 * x
    return -40.0 * k, 0.0 * k, -k, 0.0 * k, 60.0 * k, 0.0 * k, 0.0 * k, -3.0 * k


@dataclass(frozen=True, eq=False)
class Ribbed(FormulaFilm):
    name: ClassVar[str] = "ribbed"
    body_axes: ClassVar[bool] = True

    def kernels(self):
        return FilmKernels(ribbed_force, ribbed_tangent)


def test_a_framed_film_turns_with_the_body_of_its_bearing():
    """Both bodies and their velocities turned by an angle: the forces turn along; and its tangent and power are right."""
    equations = Equations(pair(film=Ribbed(5.0, L)))
    q, v = journal_at(equations, 0.6)
    size = np.abs(equations.force(q, v)).max()
    turn = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    all_turned = np.kron(np.eye(4), turn)
    force = equations.force(q, v)
    np.testing.assert_allclose(equations.force(all_turned @ q, all_turned @ v), all_turned @ force, rtol=0, atol=1e-12 * size)
    alone = q.copy()
    alone[6:] = turn @ q[6:]  # the bearing's direction only
    alone[:2] += [equations.output(f"J.e{axis}", q) - equations.output(f"J.e{axis}", alone) for axis in "xy"]
    assert np.abs(equations.force(alone, v)[:2] - force[:2]).max() > 0.1 * np.abs(force[:2]).max()
    assert force @ v == pytest.approx(-equations.output("J.film_power", q, v), rel=1e-10)
    for got, at, step in ((equations.stiffness(q, v), 0, 1e-6), (equations.damping(q, v), 1, 1.0)):
        wanted = -jacobian(lambda d, at=at, s=step: equations.force(q + (at == 0) * s * d, v + (at == 1) * s * d), np.zeros(8), 1.0) / step
        np.testing.assert_allclose(got.toarray(), wanted, rtol=0, atol=1e-7 * np.abs(wanted).max())


def flat_map(**settings):
    return FilmMap(settings, 0.95, 0, True, 0.0, np.ones((1, 3)), np.ones((1, 3)))


HEAT = fm.FilmTemperature(OIL, 313.15, 313.15, 20.0, 1.0)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"asperities": "rough"}, ("clearance joint 'B': asperities is 'rough'; it must be a rough surface such as GreenwoodTripp",)),
        ({"asperities": fm.GreenwoodTripp}, ("it must be a rough surface such as GreenwoodTripp",)),
        ({"film": fm.ShortFilm}, ("film is <class", "it must be a film such as ShortFilm(viscosity, length)")),
        ({"film": fm.ShortFilm(5e-3, 0.5 * L)}, ("the asperities have the length", "both are the bearing's")),
        ({"bearing_radius": None, "film": None}, ("clearance joint 'B': asperities need bearing_radius (m)",)),
        ({"clearance": np.array([C, 5e-6])}, ("roughness is 1e-06 m at a clearance of 5e-06 m (sample 1)", "at least 8 times")),
        ({"friction": fm.LuGre(0.1, 0.05, 1e-2, 1e5)}, ("the friction law 'lugre' has a state", "such as MixedFriction")),
        ({"film": None, "transition": "smooth"}, ("clearance joint 'B': transition is for joints with a film",)),
        ({"asperities": None, "friction": fm.MixedFriction(0.1, 0.1)}, ("friction needs a contact law or asperities",)),
        ({"temperature": 300.0}, ("clearance joint 'B': temperature is 300.0; it must be a FilmTemperature(",)),
        ({"temperature": HEAT, "film": None}, ("clearance joint 'B': temperature is for joints with a film",)),
        ({"film": MapFilm(0.02, L, flat_map(length=0.01, radius=0.02))}, ("length is 0.5 radii, here it is 1", "build a map")),
        (
            {"film": MapFilm(0.02, np.array([L, 1.1 * L]), flat_map(length=0.02, radius=0.02)), "asperities": None},
            ("length is 1 radii, here it is 1.1 (sample 1)",),
        ),
    ],
)
def test_bad_joints_are_refused_in_one_sentence(numbers, words):
    s = fm.System()
    keys = {"clearance": C, "law": None, "film": SHORT, "bearing_radius": R, "asperities": ROUGH, **numbers}
    names(said(lambda: fm.ClearanceRevolute("B", s.ground.at(0, 0), s.ground.at(0, 0), **keys)), *words)


def test_maps_that_fit_or_say_nothing_are_taken():
    for settings in ({}, {"length": 3.0}, {"length": 0.03, "radius": 0.03 * R / L}):
        rotor(film=MapFilm(0.02, np.full(2, L), flat_map(**settings)))


def test_bad_temperatures_are_refused_in_one_sentence():
    good = {"law": OIL, "start": 313.15, "ambient": 300.0, "heat_capacity": 20.0, "conductance": 1.0}
    for key, value, words in (
        ("law", 0.02, "law is 0.02; it must be Vogel(...) or Walther(...)"),
        ("heat_capacity", 0.0, "heat_capacity is 0; it must be greater than zero"),
        ("conductance", np.array([1.0, -2.0]), "conductance is -2 W/K; it must be at least 0"),
        ("ambient", 25.0, "film_temperature: the law has no viscosity at ambient"),
        ("start", -1.0, "start is -1"),
    ):
        names(said(lambda key=key, value=value: fm.FilmTemperature(**good | {key: value})), words)
    names(said(lambda: fm.ShortFilm(-0.02, L)), "film 'short': viscosity is -0.02; it must be greater than zero")
