"""The clearance joint with an oil film: rotor in a short bearing, balance of momentum and energy, transition to contact, slider-crank."""

from functools import partial

import numpy as np
import pytest
from scipy.linalg import expm

import flexmbd as fm
from flexmbd.analysis.equations import Equations
from flexmbd.contact.transition import TRANSITIONS

from .reference_crank import CRANK, M3, ROD, SPEED, STIFFNESS
from .running import column, simulate
from .sentences import names, said
from .tangents import jacobian
from .worn_crank import worn_crank

MU, L, C, R, SPIN = 0.02, 0.01, 1e-4, 0.01, 300.0
LAW = fm.LankaraniNikravesh(STIFFNESS, restitution=0.7)


def short_load(eps):
    """Load in N and attitude in rad of Ocvirk's half film at rest."""
    k = 1 - eps**2
    load = eps / (4 * k**2) * np.sqrt(16 * eps**2 + np.pi**2 * k)
    return load * MU * SPIN * R * L**3 / C**2, np.arctan2(np.pi * np.sqrt(k), 4 * eps)


def equilibrium(eps):
    """Place of a journal that turns to the left under a load along -y."""
    attitude = short_load(eps)[1]
    return C * eps * np.sin(attitude), -C * eps * np.cos(attitude)


def rotor(mass=1.0, load=1.0, x=0.0, y=0.0, law=None):
    """Journal that turns at constant speed in a short bearing, loaded along -y."""
    s = fm.System()
    body = s.body("rotor", mass=mass, inertia=1e-3, position=(x, y), rate=SPIN)
    s.add(fm.AngleDrive("drive", s.ground.at(0, 0), body.centre, fm.ConstantSpeed(SPIN)))
    s.add(fm.PointForce("load", body.centre, fy=-1.0 * load))
    s.add(fm.ClearanceRevolute("B", body.centre, s.ground.at(0, 0), C, law, bearing_radius=R, film=fm.ShortFilm(MU, L)))
    return s


ROTOR_OUTPUTS = ["rotor.x", "rotor.y", "B.eccentricity", "B.film_force", "B.film_power", "B.friction_power", "B.regime", "energy.balance"]


@pytest.mark.slow
def test_journal_comes_to_rest_where_the_short_bearing_chart_says():
    eps = np.array([0.1, 0.4, 0.7, 0.9])
    load = np.array([short_load(e)[0] for e in eps])
    mass = 0.3 * load / (C * SPIN**2)
    out = simulate(
        rotor, ROTOR_OUTPUTS, end=0.6, points=2, samples={"mass": mass, "load": load, "x": 0 * load, "y": 0 * load}, tolerance=1e-9
    ).outputs
    for k, e in enumerate(eps):
        x, y = equilibrium(e)
        assert out["B.eccentricity"][k, -1] == pytest.approx(e * C, rel=1e-6)
        assert (out["rotor.x"][k, -1], out["rotor.y"][k, -1]) == pytest.approx((x, y), abs=1e-6 * C)
        assert out["B.film_force"][k, -1] == pytest.approx(load[k], rel=1e-6)
        shear = 2 * np.pi * MU * L * R**3 / (C * np.sqrt(1 - e**2)) * SPIN**2
        wanted = shear + 0.5 * SPIN * load[k] * x  # the load turns with half the speed round the bearing's centre
        assert out["B.film_power"][k, -1] == pytest.approx(wanted, rel=1e-5)
        assert out["B.friction_power"][k, -1] == pytest.approx(wanted, rel=1e-5)
    assert np.all(out["B.regime"] == 0)


def published_coefficients(eps):
    """Stiffness by W/c and damping by W/(c Omega), axes across the load and along it (Friswell et al. 2010, Dynamics of Rotating Machines,
    after Smith 1969 and Lund)."""
    n, p = eps**2, np.pi**2
    k = 1 - n
    h = 1 / (p * k + 16 * n) ** 1.5
    root = np.sqrt(k)
    stiffness = h * np.array(
        [
            [4 * (p * (2 - n) + 16 * n), np.pi * (p * k**2 - 16 * n**2) / (eps * root)],
            [-np.pi * (p * k * (1 + 2 * n) + 32 * n * (1 + n)) / (eps * root), 4 * (p * (1 + 2 * n) + 32 * n * (1 + n) / k)],
        ]
    )
    cross = -8 * (p * (1 + 2 * n) - 16 * n)
    damping = h * np.array(
        [
            [2 * np.pi * root * (p * (1 + 2 * n) - 16 * n) / eps, cross],
            [cross, 2 * np.pi * (p * k**2 + 48 * n) / (eps * root)],
        ]
    )
    return stiffness, damping


def critical_mass(eps):
    """M c Omega^2 / W at which the rotor begins to whirl (Routh)."""
    (kxx, kxy), (kyx, kyy) = published_coefficients(eps)[0]
    (cxx, cxy), (cyx, cyy) = published_coefficients(eps)[1]
    common = (kxx * cyy + kyy * cxx - kxy * cyx - kyx * cxy) / (cxx + cyy)
    whirl = ((kxx - common) * (kyy - common) - kxy * kyx) / (cxx * cyy - cxy * cyx)
    return common / whirl


@pytest.mark.parametrize("eps", [0.05, 0.3, 0.6, 0.9])
def test_stiffness_and_damping_are_the_published_ones(eps):
    """By the model's own derivatives; the published frame is turned with the journal, so signs of the cross terms go with it."""
    load, (x, y) = short_load(eps)[0], equilibrium(eps)
    equations = Equations(rotor(load=load, x=x, y=y))
    q, v = equations.initial()
    np.testing.assert_allclose(equations.force(q, v)[:2], 0.0, atol=1e-12 * load)
    stiffness, damping = published_coefficients(eps)
    for ours, wanted in ((equations.stiffness(q, v), stiffness * load / C), (equations.damping(q, v), damping * load / (C * SPIN))):
        np.testing.assert_allclose(ours.toarray()[:2, :2], wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.slow
def test_whirl_begins_at_the_published_threshold():
    """Small motions about the equilibrium follow the linear rotor; 5 % below the threshold they decay, 5 % above they grow."""
    eps, share, end = 0.3, np.array([0.95, 1.05]), 0.8
    load, (x, y) = short_load(eps)[0], equilibrium(eps)
    mass = share * critical_mass(eps) * load / (C * SPIN**2)
    samples = {"mass": mass, "load": np.full(2, load), "x": np.full(2, x + 1e-4 * C), "y": np.full(2, y)}
    out = simulate(rotor, ROTOR_OUTPUTS, end=end, points=201, samples=samples, tolerance=1e-10).outputs
    stiffness, damping = published_coefficients(eps)
    for k in range(2):
        rates = np.block([[np.zeros((2, 2)), np.eye(2)], [-stiffness * load / (C * mass[k]), -damping * load / (C * SPIN * mass[k])]])
        step, state, wanted = expm(rates * end / 200), np.array([1e-4, 0.0, 0.0, 0.0]), []
        for _ in range(201):
            wanted.append(state[:2])
            state = step @ state
        got = np.array([out["rotor.x"][k] - x, out["rotor.y"][k] - y]).T / C
        np.testing.assert_allclose(got, wanted, atol=2e-3 * np.abs(wanted).max())
        size = np.hypot(*got.T)
        assert (size[-40:].max() < 0.95 * size[20:60].max()) if k == 0 else (size[-40:].max() > 1.05 * size[20:60].max())


def test_without_a_contact_law_a_journal_beyond_the_clearance_is_refused():
    """As one sample of a batch, by its own sentence."""
    names(
        said(lambda: rotor(x=1.1 * C)), "clearance joint 'B': the guess of positions puts the journal 1.1 times the clearance", "give law"
    )
    rotor(x=0.99 * C)
    rotor(x=1.1 * C, law=LAW)


@pytest.mark.slow
def test_without_a_contact_law_a_run_ends_at_the_bearing():
    """Refused at the start, pressed to the surface, and an ordinary one: each ends in its own way."""
    samples = {"mass": np.array([1.0, 0.1, 1.0]), "load": np.array([1.0, 1e5, 1.0]), "x": np.array([1.1 * C, 0.0, 0.0]), "y": np.zeros(3)}
    trajectory = fm.run(rotor, samples, end=1e-2, points=2, outputs=ROTOR_OUTPUTS, settings={"lanes": 4, "max_steps": 5000})
    assert list(trajectory.status) == [3, 2, 0]
    assert "1.1 times the clearance" in trajectory.message[0] and "stopped at t = 0.000" in trajectory.message[1]
    names(trajectory.message[1], "clearance joint 'B': the journal was pressed to 0.98", "neither a contact law nor asperities")


def pair(transition="smooth", film=fm.LongFilm, depth=0.0, **more):
    """Two free bodies, joined off their centres, thrown at each other."""
    s = fm.System()
    a = s.body("a", mass=0.4, inertia=2e-3, position=(0.0, 0.0), rate=200.0, points={"P": (0.03, 0.01)})
    b = s.body("b", mass=0.7, inertia=3e-3, position=(0.08, 0.02), rate=-60.0, velocity=(0.0, 12.0), points={"P": (-0.05, -0.01)})
    friction = fm.Ambrosio(0.1, v0=1e-3, v1=1e-2)
    chosen = {"smooth": "smooth", "flores": fm.FloresTransition(2e-6, 4e-6)}[transition]
    s.add(
        fm.ClearanceRevolute("J", a["P"], b["P"], C, LAW, friction, bearing_radius=R, film=film(5e-3 + depth, L), transition=chosen, **more)
    )
    return s


PAIR_OUTPUTS = [
    *(f"{body}.{key}" for body in "ab" for key in ("x", "y", "vx", "vy", "rate")), "J.regime", "J.force", "J.film_power",
    "J.film_thickness", "energy.balance", "energy.kinetic", "energy.dissipated",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("transition", [t.name for t in TRANSITIONS])
def test_momentum_and_energy_balance_through_all_regimes(transition):
    got = column(simulate(partial(pair, transition), PAIR_OUTPUTS, end=2e-2, points=401, samples={"depth": [0.0]}, tolerance=1e-10))
    assert set(np.unique(got["J.regime"])) >= ({0.0, 1.0, 2.0} if transition == "flores" else {0.0, 1.0})
    bodies = (("a", 0.4, 2e-3), ("b", 0.7, 3e-3))
    for axis in "xy":
        total = sum(m * got[f"{n}.v{axis}"] for n, m, _ in bodies)
        np.testing.assert_allclose(total, total[0], atol=1e-9)
    spin = sum(i * got[f"{n}.rate"] + m * (got[f"{n}.x"] * got[f"{n}.vy"] - got[f"{n}.y"] * got[f"{n}.vx"]) for n, m, i in bodies)
    np.testing.assert_allclose(spin, spin[0], atol=1e-9)
    assert np.ptp(got["energy.balance"]) < 1e-7 * got["energy.kinetic"][0]
    assert np.all(got["J.film_power"] >= 0) and got["energy.dissipated"][-1] > 0.01 * got["energy.kinetic"][0]


FILMS = [fm.LongFilm, fm.ShortFilm, fm.PinkusSternlicht]


def journal_at(equations, eps, speed=1.0):
    """Coordinates and velocities of `pair` with the journal moved to an eccentricity ratio."""
    q, v = equations.initial()
    q[:2] += C * eps * np.array([0.6, 0.8]) - [equations.output(f"J.e{axis}", q, v) for axis in "xy"]
    return q, speed * v


@pytest.mark.parametrize("film", FILMS)
def test_film_forces_balance_and_their_power_is_in_the_books(film):
    """At any state: no resultant force, no resultant moment about the origin, and power ``-film_power``."""
    equations = Equations(pair(film=film))
    for eps in (0.0, 0.3, 0.9, 0.97, 0.9999):
        q, v = journal_at(equations, eps)
        force = equations.force(q, v)
        size = np.abs(force).max()
        np.testing.assert_allclose(force[[0, 1]] + force[[4, 5]], 0.0, atol=1e-12 * size)
        np.testing.assert_allclose(np.sum(q[::2] * force[1::2] - q[1::2] * force[::2]), 0.0, atol=1e-12 * size)
        lost = equations.output("J.film_power", q, v)
        assert lost > 0 and force @ v == pytest.approx(-lost, rel=1e-10)
        assert equations.output("J.film_thickness", q, v) == pytest.approx((1 - eps) * C, abs=2e-12)


@pytest.mark.parametrize("film", FILMS)
def test_stiffness_and_damping_are_derivatives_in_all_regimes(film):
    equations = Equations(pair(film=film))
    for eps, regime in ((0.5, 0.0), (0.983, 0.0), (0.9995, 0.0), (1.02, 1.0), (1.07, 2.0)):
        q, v = journal_at(equations, eps, 0.05)
        assert equations.output("J.regime", q, v) == regime
        for got, at, step in ((equations.stiffness(q, v), 0, 1e-9), (equations.damping(q, v), 1, 1e-2)):

            def moved(d, at=at, step=step, q=q, v=v):
                return -equations.force(q + (at == 0) * step * d, v + (at == 1) * step * d)

            wanted = jacobian(moved, np.zeros(8), 1.0) / step
            np.testing.assert_allclose(got.toarray(), wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


@pytest.mark.parametrize(("transition", "smooth"), [("smooth", True), ("flores", False)])
@pytest.mark.parametrize("film", FILMS)
def test_force_is_continuous_from_film_to_dry(film, transition, smooth):
    """Across the bend of the eccentricity, the clearance, and the end of the film; with the smooth transition the tangent too."""
    equations = Equations(pair(transition, film=film))
    seams = np.array([0.98, 1.0, 1.02, 1.04, 1.05])  # 2 and 4 um are the tolerances of the other transition
    sides = [[journal_at(equations, eps + d, 0.05) for eps in seams] for d in (-1e-11, 1e-11)]
    for change in (equations.force, lambda q, v: equations.stiffness(q, v).data)[: 1 + smooth]:
        below, above = (np.array([change(*state) for state in side]) for side in sides)
        assert np.all(np.abs(below - above) < 2e-2 * np.abs(below).max(axis=1, keepdims=True))  # the dry law's stiffness grows by a root


def wet_crank(clearance=0.5e-3, viscosity=0.4, film=fm.ShortFilm):
    """The slider-crank of `worn_crank` with oil, bearing of 20 mm."""
    return worn_crank(clearance, mu=0.03, film=film(viscosity, 20e-3))


WET_OUTPUTS = [
    "slider.ax", "B.force", "B.regime", "B.film_thickness", "energy.balance", "energy.kinetic:max", "energy.dissipated",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("film", [fm.ShortFilm, pytest.param(fm.PinkusSternlicht, marks=pytest.mark.slow)])
def test_oil_takes_the_peaks_from_the_slider_crank(film):
    """Two turns at 5000 /min: books close to 1e-5, steps do not matter, after the start the force is little more than the ideal joint's."""
    end, samples = 2 * 2 * np.pi / SPEED, {"viscosity": [0.4, 0.04, 1e-12]}  # the last is dry
    run = partial(simulate, partial(wet_crank, film=film), WET_OUTPUTS, end=end, points=401, samples=samples)
    wet, finer = (run(**settings).outputs for settings in ({"tolerance": 1e-9}, {"tolerance": 1e-11, "step": 2e-5}))
    error = np.ptp(wet["energy.balance"], axis=1) / wet["energy.kinetic:max"]
    assert np.all(error < 1e-5), error
    for ours, best in zip(wet["slider.ax"][:2], finer["slider.ax"][:2], strict=True):
        np.testing.assert_allclose(ours, best, atol=1e-4 * np.abs(best).max())
    assert np.all(np.diff(wet["energy.dissipated"][0]) > 0)
    ideal = M3 * CRANK * SPEED**2 * (1 + CRANK / ROD)  # at the outer dead position
    peaks = wet["B.force"][:, 200:].max(axis=1) / ideal
    assert peaks[0] < 1.01 and peaks[1] < 1.5 and peaks[2] > 4, peaks
    assert np.all(wet["B.regime"][0] == 0) and wet["B.regime"][2].max() == 2
    assert set(wet["B.regime"][1]) == ({0.0, 1.0} if film is fm.PinkusSternlicht else {0.0})  # no film, no pull back


def joint(**numbers):
    s = fm.System()
    body = s.body("rotor", mass=1.0, inertia=1e-3)
    keys = {"law": LAW, "film": fm.ShortFilm(MU, L), "bearing_radius": R, **numbers}
    return fm.ClearanceRevolute("B", body.centre, s.ground.at(0, 0), C, **keys)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"bearing_radius": None}, "clearance joint 'B': a film needs bearing_radius (m)"),
        ({"transition": "abrupt"}, "clearance joint 'B': transition is 'abrupt'; it must be 'smooth'"),
        ({"law": None, "film": None}, "clearance joint 'B': it has neither a contact law nor a film"),
        ({"law": None, "transition": "smooth"}, "clearance joint 'B': transition needs a contact law"),
        ({"law": None, "friction": fm.Ambrosio(0.1, 1e-3, 1e-2)}, "clearance joint 'B': friction needs a contact law"),
        ({"film": "short"}, "clearance joint 'B': film is 'short'; it must be a film such as ShortFilm(viscosity, length)"),
        ({"film": None, "transition": "smooth"}, "clearance joint 'B': transition is for joints with a film"),
    ],
)
def test_bad_joints_are_refused_in_one_sentence(numbers, words):
    names(said(lambda: joint(**numbers)), words)


def test_bad_transitions_are_refused_in_one_sentence():
    names(said(lambda: fm.FloresTransition(0.0, 1e-6)), "transition 'flores': film_tolerance is 0; it must be greater than zero")
    names(said(lambda: fm.SmoothTransition(largest=1.0)), "transition 'smooth': largest is 1", "below 1")
