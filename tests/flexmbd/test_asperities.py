"""Rough contact: the height integrals, the pressure from single asperities, the force on a journal, friction of the mixed regime."""

import inspect
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.optimize import brentq

import flexmbd as fm
from flexmbd.forces.loads import Force
from flexmbd.lanes import VOCABULARY
from flexmbd.lubrication.asperities import GreenwoodTripp, height_functions, height_integral
from flexmbd.lubrication.stribeck import MixedFriction

from .running import simulate
from .sentences import names, said
from .tangents import jacobian

SURFACE = GreenwoodTripp(density=2.5e10, tip_radius=2e-6, roughness=0.8e-6, modulus=1.15e11, length=0.02)
CLEARANCE, RADIUS = 30e-6, 0.01
SIGMA = SURFACE.roughness
PLACES = [(0.7 * CLEARANCE, 0.6 * CLEARANCE), (-CLEARANCE, 0.0), (0.3 * CLEARANCE, -0.97 * CLEARANCE), (0.5 * CLEARANCE, 0.75 * CLEARANCE)]


def at(kernel, surface=SURFACE, clearance=CLEARANCE):
    numbers = tuple(surface.numbers().values())
    return lambda x, y: kernel(x, y, clearance, RADIUS, *numbers)


def test_height_integral_is_its_quadrature():
    for n in (1.5, 2.5, 3.5):
        for u in (-4.0, -1.0, 0.0, 1.7, 4.0):
            exact, _ = quad(lambda s, n=n, u=u: s**n * np.exp(-0.5 * (s + u) ** 2), 0, 14, epsabs=0, epsrel=1e-12, limit=200)
            assert height_integral(n, u) == pytest.approx(exact / np.sqrt(2 * np.pi), rel=1e-11)
    gaps = np.array([0.0, 0.5, 1.0, 1.5, 2.0])  # the usual power law, 4.4086e-5 (4 - u)^6.804, is within 11 %
    np.testing.assert_allclose(4.4086e-5 * (4 - gaps) ** 6.804, height_integral(2.5, gaps), rtol=0.11)


def test_kernel_functions_have_the_stated_errors():
    u = np.linspace(-3, 6, 301)
    values = np.array([height_functions(v) for v in u]).T
    for got, exact, error in zip(
        values, (height_integral(3.5, u), height_integral(2.5, u), -2.5 * height_integral(1.5, u)), (3.3e-8, 2.4e-7, 2.7e-6), strict=True
    ):
        assert np.max(np.abs(got / exact - 1)) < error
    for u in (-3.0, 6.0):  # continued with a continuous slope of the pressure
        left, right = (np.array(height_functions(u * (1 + s * 1e-12))) for s in (-1, 1))
        np.testing.assert_allclose(left, right, rtol=1e-9)
    assert height_functions(50.0)[1] == 0.0 and height_functions(-9.0)[1] > height_functions(-8.0)[1]
    assert np.all(np.diff([height_functions(v)[1] for v in np.linspace(6, 12, 50)]) < 0)


def test_pressure_is_the_sum_of_hertz_contacts_of_pairs():
    eta, beta, sigma, gap = SURFACE.density, SURFACE.tip_radius, SURFACE.roughness, 0.9 * SURFACE.roughness

    def pair(r, z):  # both tips of radius beta, r apart sideways, heights' sum z: Hertz with the relative radius beta / 2
        depth = max(z - gap - r * r / (4 * beta), 0.0)
        density = np.exp(-0.5 * (z / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma)
        return 4 / 3 * SURFACE.modulus * np.sqrt(beta / 2) * depth**1.5 * density * 2 * np.pi * r

    total, _ = dblquad(pair, gap, 8 * sigma, 0.0, lambda z: np.sqrt(4 * beta * (z - gap)), epsabs=0, epsrel=1e-8)
    assert SURFACE.pressure(gap) == pytest.approx(eta**2 * total, rel=1e-7)


@pytest.mark.parametrize("ratio", [8.0, 40.0, 300.0])
def test_force_and_load_are_the_pressure_over_the_circumference(ratio):
    clearance, kernels = ratio * SIGMA, SURFACE.kernels()
    for h_min in (3.5, 2.0, 0.5, -1.0, -3.0):
        r = clearance - h_min * SIGMA

        def part(t, power, r=r):
            return SURFACE.pressure(clearance - r * np.cos(t)) * np.cos(t) ** power

        wide = min(np.pi, 2 * np.arcsin(min(1.0, np.sqrt(6.0 / ratio))))
        exact = [2 * RADIUS * SURFACE.length * quad(part, 0, wide, (k,), epsabs=0, epsrel=1e-10, limit=200)[0] for k in (0, 1)]
        fx, fy = at(kernels.force, clearance=clearance)(0.6 * r, 0.8 * r)
        assert (fx, fy) == pytest.approx((-0.6 * exact[1], -0.8 * exact[1]), rel=1e-5)
        assert at(kernels.load, clearance=clearance)(0.6 * r, 0.8 * r)[0] == pytest.approx(exact[0], rel=1e-5)


def test_force_is_the_gradient_of_the_energy_and_tangents_are_derivatives():
    kernels = SURFACE.kernels()
    for x, y in PLACES:
        force, tangent, load = (np.array(at(k)(x, y)) for k in (kernels.force, kernels.tangent, kernels.load))
        step = 1e-2 * SIGMA
        gradient = jacobian(lambda z: [at(kernels.energy)(*z), at(kernels.load)(*z)[0]], (x, y), step)
        np.testing.assert_allclose(force, -gradient[0], rtol=1e-8, atol=1e-9 * np.abs(force).max())
        np.testing.assert_allclose(load[1:], gradient[1], rtol=1e-7, atol=1e-8 * np.abs(load[1:]).max())
        differences = jacobian(lambda z: at(kernels.force)(*z), (x, y), step)
        np.testing.assert_allclose(tangent.reshape(2, 2), differences, rtol=1e-7, atol=1e-8 * np.abs(tangent).max())


def test_regular_at_the_centre_and_a_closed_orbit_takes_no_work():
    kernels = SURFACE.kernels()
    assert at(kernels.force)(0.0, 0.0) == (0.0, 0.0)
    assert np.all(np.isfinite(at(kernels.tangent)(0.0, 0.0))) and at(kernels.load)(0.0, 0.0)[1:] == (0.0, 0.0)
    t = 2 * np.pi * np.arange(400) / 400  # an ellipse off the centre, in and out of contact
    x, y = CLEARANCE * (0.2 + 0.8 * np.cos(t)), CLEARANCE * (0.1 + 0.7 * np.sin(t))
    vx, vy = -0.8 * CLEARANCE * np.sin(t), 0.7 * CLEARANCE * np.cos(t)
    power = [fx * u + fy * v for (fx, fy), u, v in zip(map(at(kernels.force), x, y), vx, vy, strict=True)]
    assert abs(np.mean(power)) < 1e-9 * np.max(np.abs(power)) and np.max(np.abs(power)) > 0


def test_lanes_agree_with_numbers(in_lanes):
    rng = np.random.default_rng(3)
    x, y = 1.05 * CLEARANCE * rng.uniform(-0.75, 0.75, (2, 24))
    args = (x, y, CLEARANCE, RADIUS, *(v * rng.uniform(0.9, 1.1, 24) for v in SURFACE.numbers().values()))
    kernels = SURFACE.kernels()
    for function, results in ((kernels.force, 2), (kernels.tangent, 4), (kernels.energy, 0), (kernels.load, 3)):
        many = in_lanes(function, 8, *args, results=results)
        one = np.array([function(*row) for row in zip(*np.broadcast_arrays(*args), strict=True)]).T
        np.testing.assert_allclose(many, one, rtol=1e-12, atol=1e-14 * np.abs(one).max())


@dataclass(frozen=True, eq=False)
class Rough(Force):
    """Asperities between a journal's centre a and a bearing's centre b, and nothing else."""

    name: str
    a: object
    b: object
    surface: object

    def parameters(self):
        return self.surface.numbers()

    def apply(self, equations):
        g, kernels = equations.graph, self.surface.kernels()
        equations.use(kernels)
        place = equations.values(equations.between(self.b, self.a))
        arguments = (*place, g.const(CLEARANCE), g.const(RADIUS), *(equations.number(self, key) for key in self.parameters()))
        fx, fy = g.call(kernels.force, arguments, 2)
        equations.force(self.a, fx, fy)
        equations.force(self.b, -fx, -fy)
        equations.potential(g.call(kernels.energy, arguments))


@pytest.mark.slow
def test_a_journal_dropped_on_its_asperities_bounces_back_to_where_it_was():
    def ring(roughness):
        s = fm.System(gravity=(0, -9.81))
        journal = s.body("journal", mass=2.0, inertia=1e-3)
        s.add(Rough("rough", journal.centre, s.ground.at(0, 0), GreenwoodTripp(2.5e10, 2e-6, roughness, 1.15e11, 0.02)))
        return s

    roughness = np.array([0.6e-6, 0.8e-6, 1e-6])
    run = simulate(ring, ["journal.y", "journal.vy", "energy.balance"], end=0.05, points=2001, samples={"roughness": roughness})
    weight, angle = 2.0 * 9.81, np.linspace(-0.9, 0.9, 601)
    assert np.max(np.abs(run.outputs["energy.balance"])) < 1e-6 * weight * CLEARANCE
    for sigma, y, vy in zip(roughness, run.outputs["journal.y"], run.outputs["journal.vy"], strict=True):
        surface = GreenwoodTripp(2.5e10, 2e-6, sigma, 1.15e11, 0.02)
        gap = (CLEARANCE + y[:, None] * np.cos(angle)) / sigma
        stored = surface.scale * sigma / 3.5 * surface.length * RADIUS * np.trapezoid(height_integral(3.5, gap), angle)
        assert np.max(np.abs(stored + weight * y + vy**2)) < 1e-5 * weight * CLEARANCE and np.max(stored) > 0.9 * weight * CLEARANCE
        assert np.sum((y[1:-1] > y[:-2]) & (y[1:-1] > y[2:]) & (y[1:-1] > -0.01 * CLEARANCE)) >= 5


def test_mixed_friction_is_smooth_odd_and_its_tangent_is_the_derivative():
    law = MixedFriction(mu=0.12, tolerance_velocity=1e-3)
    kernels, numbers = law.kernels(), tuple(law.numbers().values())
    for v in (0.0, 3e-4, -2e-3, 0.5):
        assert kernels.force(-v, 80.0, 2.0, *numbers)[0] == -kernels.force(v, 80.0, 2.0, *numbers)[0]
        numeric = jacobian(lambda z: kernels.force(*z, *numbers)[:1], (v, 80.0, 2.0), 1e-5)
        assert kernels.tangent(v, 80.0, 2.0, *numbers) == pytest.approx(numeric[0], rel=1e-8)


def test_the_curve_of_stribeck_comes_out():
    """Load W carried by asperities and Ocvirk's half film: mu at low speed, a minimum, Petroff's line at high speed."""
    kernels, length, viscosity, load = SURFACE.kernels(), SURFACE.length, 0.01, 200.0
    friction = MixedFriction(mu=0.12, tolerance_velocity=1e-5)

    def film(e, speed):  # radial and tangential force on the journal
        scale = viscosity * speed * length**3 / CLEARANCE**2
        return scale * e**2 / (1 - e * e) ** 2, scale * np.pi * e / (4 * (1 - e * e) ** 1.5)

    def carried(e, speed):
        radial, tangential = film(e, speed)
        return np.hypot(radial - at(kernels.force)(e * CLEARANCE, 0.0)[0], tangential)

    def coefficient(speed):
        e = brentq(lambda e: carried(e, speed) - load, 1e-6, 1 - 1e-9, xtol=1e-14)
        drag = 2 * np.pi * viscosity * length * RADIUS / (CLEARANCE * np.sqrt(1 - e * e))
        touching = at(kernels.load)(e * CLEARANCE, 0.0)[0]
        return friction.kernels().force(speed, touching, drag, *friction.numbers().values())[0] / load

    speeds = np.geomspace(1e-4, 1e3, 80)
    curve = np.array([coefficient(v) for v in speeds])
    lowest = np.argmin(curve)
    assert curve[0] == pytest.approx(0.12, rel=0.03) and curve[lowest] < 0.012
    assert np.all(np.diff(curve[2:lowest]) < 1e-5) and np.all(np.diff(curve[lowest:]) > 0)
    assert curve[-1] == pytest.approx(2 * np.pi * viscosity * length * RADIUS / CLEARANCE * speeds[-1] / load, rel=1e-3)


def test_bad_numbers_are_refused_in_one_sentence():
    good = {"density": 1e10, "tip_radius": 1e-6, "roughness": 1e-6, "modulus": 1e11, "length": 0.02}
    names(said(lambda: GreenwoodTripp(**good | {"roughness": -1e-6})), "greenwood_tripp", "roughness is -1e-06")
    names(said(lambda: GreenwoodTripp(**good | {"modulus": "steel"})), "modulus is 'steel'", "number")
    names(said(lambda: GreenwoodTripp(**good).check_clearance(5e-6)), "roughness is 1e-06 m", "8 times")
    GreenwoodTripp(**good | {"roughness": np.array([1e-6, 2e-6])}).check_clearance(2e-5)
    names(said(lambda: MixedFriction(-0.1, 1e-3)), "mu is -0.1", "at least 0")
    names(said(lambda: MixedFriction(0.1, 0.0)), "tolerance_velocity is 0")


def test_kernel_sources_stand_alone():
    for law in (SURFACE, MixedFriction(0.1, 1e-3)):
        kernels = law.kernels()
        allowed = {"kernel", *VOCABULARY} | {getattr(h, "py_func", h).__name__ for h in kernels.helpers}
        for item in (*kernels[:-1], *kernels.helpers):
            function = getattr(item, "py_func", item)
            assert inspect.getsource(function).startswith("@kernel\ndef " + function.__name__)
            assert set(function.__code__.co_names) <= allowed and function.__closure__ is None
