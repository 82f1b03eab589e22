"""Ball in a socket with oil: balances, tangents, sinking as the closed form says, film to contact and back, a slider-crank."""

from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import flexmbd as fm
from flexmbd.analysis.equations import Equations
from flexmbd.lubrication.spherical import SphericalFilm

from .running import column, simulate
from .sentences import names, said
from .sockets import FILMS, MU, SIZE, C, R, film_called, force, in_plane
from .space_momenta import keeps_momenta, outputs
from .tangents import jacobian

WAYS = np.random.default_rng(2).uniform(-1, 1, (24, 2))  # two directions in which all coordinates change
LAW = fm.LankaraniNikravesh(1e9, restitution=0.5)
BODIES = (("a", 0.4, (2e-3, 3e-3, 4e-3)), ("b", 0.7, (3e-3, 4e-3, 2e-3)))
UNEVEN = np.array([2.0, 3.0, 6.0]) / 7


def pair(film=FILMS[1], law=LAW, friction=None, transition=None, speed=1.0, viscosity=None):
    """Two free bodies, joined off their centres, thrown at each other."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    ends = ((0.03, 0.01, -0.02), (-0.02, -0.01, 0.0))
    starts = (
        {"rotation": (0.1, 0.2, 0.3), "angular_velocity": (20.0, -50.0, 100.0)},
        {"rotation": (-0.3, 0.1, 0.2), "angular_velocity": (-10.0, 30.0, -60.0), "velocity": (0.0, 3.0 * speed, 1.0)},
    )
    places = ((0.0, 0.0, 0.0), (0.038441049493225464, 0.032922763475905975, -0.029027003834719884))  # both points P at one place
    a, b = (
        s.body(name, mass=mass, inertia=inertia, position=place, points={"P": end}, **start)
        for (name, mass, inertia), end, start, place in zip(BODIES, ends, starts, places, strict=True)
    )
    film = film if viscosity is None else SphericalFilm(viscosity)
    s.add(fm.ClearanceSpherical("J", a["P"], b["P"], C, R, law, friction, film=film, transition=transition))
    return s


def ball_at(equations, eps, speed=1.0, way=UNEVEN):
    """Coordinates and velocities of `pair` with the ball moved to an eccentricity ratio."""
    q, v = equations.initial()
    q[:3] += C * eps * way - [equations.output(f"J.e{axis}", q, v) for axis in "xyz"]
    return q, speed * v


def turning_moment(q, force):
    """Moment about the origin of generalized forces on points and directors."""
    return np.cross(np.reshape(q, (-1, 3)), np.reshape(force, (-1, 3))).sum(axis=0)


@pytest.mark.parametrize("name", ["full", "half", "map", "cap"])
def test_forces_balance_and_their_power_is_in_the_books(name):
    """At any state, centred, along V and at rest too: no resultant force or moment, power ``-film_power``, same in all directions."""
    equations = Equations(pair(film_called(name), law=None))
    for eps in (0.0, 0.3, 0.9, 0.97):
        q, v = ball_at(equations, eps)
        got = equations.force(q, v)
        size = np.abs(got).max()
        np.testing.assert_allclose(got[0:3] + got[12:15], 0.0, atol=1e-12 * size)
        np.testing.assert_allclose(turning_moment(q, got), 0.0, atol=1e-12 * size)
        lost = equations.output("J.film_power", q, v)
        assert lost > 0 and got @ v == pytest.approx(-lost, rel=1e-10)
        assert equations.output("J.film_thickness", q, v) == pytest.approx((1 - eps) * C, abs=2e-12)
        turned, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))
        turned *= np.linalg.det(turned)
        there = equations.force(*((np.reshape(x, (-1, 3)) @ turned.T).ravel() for x in (q, v)))
        np.testing.assert_allclose(there, (np.reshape(got, (-1, 3)) @ turned.T).ravel(), rtol=0, atol=1e-9 * size)
        np.testing.assert_allclose(equations.force(q, 0.0 * v), 0.0, atol=1e-9 * size)


def test_force_of_the_joint_is_that_of_the_film():
    """With V by the mean of both spins; and where e lies along V."""
    equations = Equations(pair())
    for along in (False, True):
        q, v = ball_at(equations, 0.6)
        spin = [np.array([equations.output(f"{body}.omega_{axis}", q, v) for axis in "xyz"]) for body in "ab"]
        e = 0.6 * C * UNEVEN
        if along:  # both bodies keep their spins, the first is given the speed that the film is to see
            v[:3] += 0.2 * UNEVEN
        rate = np.array([equations.output(f"J.e{axis}", q + 1e-7 * v, v) - equations.output(f"J.e{axis}", q, v) for axis in "xyz"]) / 1e-7
        squeeze = rate - np.cross(0.5 * (spin[0] + spin[1]), e)
        got = [equations.output(f"J.film_f{axis}", q, v) for axis in "xyz"]
        wanted = force(FILMS[1], e, squeeze)
        np.testing.assert_allclose(got, wanted, rtol=0, atol=2e-6 * np.linalg.norm(wanted))


@pytest.mark.parametrize("name", ["half", "map", "cap"])
def test_stiffness_and_damping_are_derivatives_in_all_regimes(name):
    equations = Equations(pair(film_called(name)))
    for eps, regime in ((0.0, 0.0), (0.5, 0.0), (0.983, 0.0), (0.9995, 0.0), (1.02, 1.0), (1.07, 2.0)):
        q, v = ball_at(equations, eps, 0.05)
        assert equations.output("J.regime", q, v) == regime
        for got, at, step in ((equations.stiffness(q, v), 0, 1e-9), (equations.damping(q, v), 1, 1e-3)):

            def moved(d, at=at, step=step, q=q, v=v):
                way = step * (WAYS @ d)
                return -equations.force(q + (at == 0) * way, v + (at == 1) * way)

            wanted = jacobian(moved, np.zeros(2), 1.0) / step
            np.testing.assert_allclose(got @ WAYS, wanted, rtol=0, atol=1e-5 * np.abs(wanted).max())


def sinking(mass=3.0, weight=3.0, speed=0.0):
    """A ball, pushed down into its socket's bottom through the oil."""
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    ball = s.body("ball", mass=mass, inertia=(1e-5, 1e-5, 1e-5), velocity=(0.0, 0.0, -1.0 * speed))
    s.add(fm.PointForce("load", ball.centre, fz=-1.0 * weight))
    s.add(fm.ClearanceSpherical("J", ball.centre, s.ground.at(0.0, 0.0, 0.0), C, R, None, film=FILMS[1]))
    return s


def spent(eps):
    """Integral of the bracket of Pinkus and Sternlicht from the centre: the half film's force times 1/(6 pi SIZE), over place by c."""
    return quad(lambda x: np.log1p(-x) / x**3 + 1 / (x**2 * (1 - x)) - 0.5 / x if x > 1e-3 else 2 / 3 + 0.75 * x, 0, eps, epsrel=1e-12)[0]


@pytest.mark.slow
def test_a_light_ball_creeps_by_the_implicit_integrator():
    """Its time constant is 0.2 us: the load's impulse is spent in the film at any time."""
    samples = {"mass": [1e-3], "weight": [30.0], "speed": [0.0]}
    settings = {"integrator": "generalized_alpha", "tolerance": 1e-12, "lanes": 1}
    run = simulate(sinking, ["ball.z"], end=0.1, points=6, samples=samples, **settings)
    impulse = 6 * np.pi * SIZE * C * np.array([spent(-z / C) for z in run.outputs["ball.z"][0]])
    assert -run.outputs["ball.z"][0, -1] > 0.97 * C
    np.testing.assert_allclose(impulse, 30.0 * run.time, rtol=2e-5)


@pytest.mark.slow
def test_a_ball_sinks_into_its_socket_as_the_closed_form_says():
    """Its momentum is the load's impulse less the integral of the squeeze force, by the place alone; and another integrator."""
    mass, weight, speed = np.array([1.0, 30.0, 3.0]), np.array([3.0, 30.0, 1.0]), np.array([0.0, 0.0, 0.02])
    samples = {"mass": mass, "weight": weight, "speed": speed}
    run = simulate(
        sinking, ["ball.z", "ball.vz", "J.film_force", "energy.balance"], end=0.1, points=6, samples=samples, lanes=1, tolerance=1e-10
    )
    drag = 6 * np.pi * SIZE
    for k in range(3):
        eps, momentum = -run.outputs["ball.z"][k] / C, -mass[k] * run.outputs["ball.vz"][k]
        assert eps[-1] > 0.1 and np.all(np.diff(eps) > 0)
        wanted = mass[k] * speed[k] + weight[k] * run.time - drag * C * np.array([spent(x) for x in eps])
        np.testing.assert_allclose(momentum, wanted, rtol=0, atol=1e-7 * weight[k] * run.time[-1])
        other = solve_ivp(
            lambda t, s, k=k: [s[1] / C, (weight[k] + in_plane(FILMS[1], C * s[0], 0.0, s[1], 0.0)[0]) / mass[k]],
            (0, 0.1), [0.0, speed[k]], method="LSODA", rtol=1e-10, atol=1e-13, t_eval=run.time,
        )  # fmt: skip
        np.testing.assert_allclose(eps, other.y[0], rtol=0, atol=1e-7)


@pytest.mark.slow
def test_momentum_and_energy_balance_from_film_to_contact_and_back():
    keys = [*outputs(BODIES), "J.regime", "J.film_power", "energy.balance", "energy.kinetic", "energy.dissipated"]
    build = partial(pair, friction=fm.Ambrosio(0.1, v0=1e-3, v1=1e-2), law=fm.LankaraniNikravesh(1e11, restitution=0.5))
    got = column(simulate(build, keys, end=5e-3, points=401, lanes=1, samples={"viscosity": [1e-3]}, tolerance=1e-10))
    assert set(np.unique(got["J.regime"])) >= {0.0, 1.0}
    keeps_momenta(got, BODIES)
    assert np.ptp(got["energy.balance"]) < 1e-6 * got["energy.kinetic"][0]
    assert np.all(got["J.film_power"] >= 0) and got["energy.dissipated"][-1] > 0.01 * got["energy.kinetic"][0]


CRANK, ROD, TURN = 0.05, 0.2, 100.0


def space_crank(viscosity=0.4):
    """Crank about x, rod, and a slider along y beside the crank's plane; the rod's far end is a ball in the slider's socket."""
    s = fm.System(gravity=(0.0, 0.0, -9.81))
    ground, along = s.ground, np.sqrt(ROD**2 - 0.04**2)
    crank = s.body("crank", mass=0.5, inertia=(1e-3, 1e-3, 1e-3), position=(0.0, 0.0, 0.0), angular_velocity=(TURN, 0.0, 0.0))
    s.add(fm.AngleDrive("motor", ground.at(0.0, 0.0, 0.0), crank.centre, fm.ConstantSpeed(TURN), axis=(1.0, 0.0, 0.0)))
    s.add(fm.Revolute("O", ground.at(0.0, 0.0, 0.0), crank.centre, axis=(1.0, 0.0, 0.0)))
    way = np.array([0.04, along, 0.0]) / ROD
    turn = np.arctan2(way[1], way[0])
    middle = np.array([0.0, CRANK, 0.0]) + 0.5 * ROD * way
    rod = s.body(
        "rod", mass=0.4, inertia=(2e-5, 1.4e-3, 1.4e-3), position=tuple(middle), rotation=(0.0, 0.0, turn),
        points={"A": (-0.5 * ROD, 0.0, 0.0), "B": (0.5 * ROD, 0.0, 0.0)},
    )  # fmt: skip
    s.add(fm.Spherical("A", crank.at(0.0, CRANK, 0.0), rod["A"]))
    slider = s.body("slider", mass=0.6, inertia=(1e-3, 1e-3, 1e-3), position=(0.04, CRANK + along, 0.0))
    s.add(fm.Translational("guide", ground.at(0.04, 0.0, 0.0), slider.centre, axis=(0.0, 1.0, 0.0)))
    s.add(fm.ClearanceSpherical("B", rod["B"], slider.centre, C, R, LAW, film=SphericalFilm(viscosity), start="centred"))
    return s


@pytest.mark.slow
def test_oil_in_the_ball_joint_of_a_slider_crank_in_space():
    """Two turns: the books close, steps do not matter, the rod's length says where the slider is, and thin oil lets the ball touch."""
    end = 4 * np.pi / TURN
    wanted = ["slider.y", "slider.ay", "B.film_force", "B.film_thickness", "B.regime", "energy.balance", "energy.kinetic:max"]
    run = partial(simulate, space_crank, wanted, end=end, points=201, samples={"viscosity": [0.4, 0.05]}, lanes=1)
    found, finer = (run(tolerance=tolerance) for tolerance in (1e-8, 1e-10))
    out = found.outputs
    assert np.all(np.ptp(out["energy.balance"], axis=1) < 1e-6 * out["energy.kinetic:max"])
    for ours, best in zip(out["slider.ay"], finer.outputs["slider.ay"], strict=True):
        np.testing.assert_allclose(ours, best, rtol=0, atol=1e-4 * np.abs(best).max())
    pin = CRANK * np.array([np.cos(TURN * found.time), np.sin(TURN * found.time)])
    ideal = pin[0] + np.sqrt(ROD**2 - 0.04**2 - pin[1] ** 2)
    assert np.all(np.abs(out["slider.y"] - ideal) < 1.1 * C)
    assert np.all(out["B.regime"][0] == 0) and set(out["B.regime"][1]) == {0.0, 1.0}


def joint(**numbers):
    s = fm.System(gravity=(0.0, 0.0, 0.0))
    ball = s.body(
        "ball", mass=1.0, inertia=(0.1, 0.1, 0.1), rotation=(0.0, 0.0, 0.5 * np.pi), points={"P": (numbers.pop("off", 0.0), 0.0, 0.0)}
    )
    ends = ball["P"], s.ground.at(0.0, 0.0, 0.0)
    return fm.ClearanceSpherical("B", *ends, **{"clearance": C, "bearing_radius": R, "law": LAW, "film": FILMS[0], **numbers})


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: joint(film=fm.ShortFilm(MU, R)), ("'B': film is 'short', which is for planar joints; this one is spherical",)),
        (lambda: joint(law=None, film=None), ("clearance joint 'B': it has neither a contact law nor a film",)),
        (lambda: joint(law=None, off=1.2 * C), ("'B': the guess of positions puts the journal 1.2 times the clearance", "give law")),
        (lambda: joint(law=None, off=np.array([0.5, 1.3]) * C), ("'B': the guess of positions puts the journal 1.3 times",)),
        (lambda: joint(film=None, transition="smooth"), ("clearance joint 'B': transition is for joints with a film",)),
    ],
)
def test_bad_joints_are_refused_in_one_sentence(make, words):
    names(said(make), *words)
