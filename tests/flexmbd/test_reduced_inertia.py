"""Mass that depends on coordinates: a crank drive and a sliding mass against closed forms, and derivatives against differences."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

import flexmbd as fm
from flexmbd.bodies.base import Body
from flexmbd.equations.index3 import residual_and_jacobian
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.lanes import sincos, sqrt

from .running import column, simulate

WHEEL, RADIUS, ROD, RATE = 0.02, 0.1, 0.3, 8.0  # kg m², m, m, rad/s


def crank_drive(angle, piston):
    """Reduced moment of inertia of a piston (kg) on a rod without mass: m (dx/dangle)², x = r cos + sqrt(l² - r² sin²)."""
    s, c = sincos(angle)
    way = RADIUS * s * (1.0 + RADIUS * c / sqrt(ROD * ROD - RADIUS * RADIUS * s * s))
    return piston * way * way


def inertia(angle, piston):
    """The same in numbers, with the wheel."""
    s, c = np.sin(angle), np.cos(angle)
    way = RADIUS * s * (1.0 + RADIUS * c / np.sqrt(ROD**2 - (RADIUS * s) ** 2))
    return WHEEL + piston * way**2


def wheel(s):
    body = s.body("wheel", mass=1.0, inertia=WHEEL, rate=RATE, angle=0.3, points={"P": (RADIUS, 0.0)})
    s.add(fm.Revolute("hub", s.ground.at(0.0, 0.0), body.centre))
    return body


def reduced(piston=3.0):
    s = fm.System()
    along = fm.AngleOf(s.ground, wheel(s))
    s.add(fm.ReducedInertia("drive", along, crank_drive, {"piston": piston}))
    return s


def whole(piston=3.0):
    """The mechanism itself: the piston hangs on a rod without mass."""
    s = fm.System()
    body = wheel(s)
    pin = RADIUS * np.array([np.cos(0.3), np.sin(0.3)])
    mass = s.point_mass("piston", mass=piston, position=(pin[0] + np.sqrt(ROD**2 - pin[1] ** 2), 0.0))
    s.add(fm.RevoluteTranslational("guide", s.ground.at(0.0, 0.0), mass.centre))
    s.add(fm.Distance("rod", body["P"], mass.centre, length=ROD))
    slope = RADIUS * np.sin(0.3) * (1.0 + RADIUS * np.cos(0.3) / np.sqrt(ROD**2 - pin[1] ** 2))
    object.__setattr__(mass, "velocity", (-slope * RATE, 0.0))
    return s


OUTPUTS = ["wheel.angle", "wheel.rate", "energy.kinetic", "energy.balance"]
PISTONS = np.array([3.0, 1.0])


@pytest.fixture(scope="module")
def run():
    return simulate(reduced, [*OUTPUTS, "drive.inertia"], end=1.0, points=21, samples={"piston": PISTONS}, tolerance=1e-10)


@pytest.mark.parametrize("sample", [0, 1])
def test_a_crank_drive_turns_as_its_energy_says(run, sample):
    """rate = sqrt(2 E/J), and the time to an angle is the integral of 1/rate."""
    found, piston = column(run, sample), PISTONS[sample]
    angle, J = found["wheel.angle"], inertia(found["wheel.angle"], piston)
    energy = 0.5 * inertia(0.3, piston) * RATE**2
    assert np.ptp(J) > 0.5 * WHEEL and angle[-1] > 6.0
    np.testing.assert_allclose(found["drive.inertia"] + WHEEL, J, rtol=1e-12)
    np.testing.assert_allclose(found["wheel.rate"], np.sqrt(2.0 * energy / J), rtol=1e-8)
    np.testing.assert_allclose(found["energy.kinetic"], energy, rtol=1e-8)
    np.testing.assert_allclose(found["energy.balance"], energy, rtol=1e-8)
    time = quad(lambda x: np.sqrt(0.5 * inertia(x, piston) / energy), 0.3, angle[-1], epsabs=1e-12, limit=200)[0]
    assert time == pytest.approx(1.0, abs=1e-8)


def test_it_turns_as_the_mechanism_that_it_stands_for(run):
    got = simulate(whole, ["wheel.angle"], end=1.0, points=21, samples={"piston": PISTONS}, tolerance=1e-10)
    np.testing.assert_allclose(run.outputs["wheel.angle"], got.outputs["wheel.angle"], rtol=0.0, atol=1e-7)


@pytest.mark.parametrize(
    "scheme, steps, order", [("rk4", (4e-3, 2e-3), 4), ("generalized_alpha", (2e-3, 1e-3), 2), ("ggl", (2e-3, 1e-3), 2)]
)
def test_schemes_keep_their_order(scheme, steps, order):
    def rate(t, y):
        h = 1e-5
        slope = (inertia(y[0] + h, 3.0) - inertia(y[0] - h, 3.0)) / (2.0 * h)
        return y[1], -0.5 * slope * y[1] ** 2 / inertia(y[0], 3.0)

    right = solve_ivp(rate, (0.0, 0.5), (0.3, RATE), "DOP853", rtol=1e-12, atol=1e-12).y[0, -1]
    errors = []
    for step in steps:
        settings = {"integrator": scheme, "step": step, "fixed": True}
        got = simulate(reduced, ["wheel.angle"], end=0.5, samples={"piston": [3.0]}, **settings)
        errors.append(abs(column(got)["wheel.angle"][-1] - right))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.2)


# ---- two coordinates
ARM, SLIDE, PLACE, SPIN = 0.05, 0.4, 0.2, 5.0  # inertia of the rod in kg m², mass in kg, m, rad/s


def sliding_mass(angle, way, mass):
    """Of a mass at the distance `way` on a rod that turns: ``m (way**2 angle'**2 + way'**2)/2``."""
    return mass * way * way, 0.0 * way, mass


def arm(s):
    body = s.body("arm", mass=1.0, inertia=ARM, rate=SPIN)
    s.add(fm.Revolute("hub", s.ground.at(0.0, 0.0), body.centre))
    return body


def seen(mass=SLIDE):
    """The distance is that of a light slider beside the rod."""
    s = fm.System()
    body, slider = arm(s), s.point_mass("slider", mass=1e-9, position=(PLACE, 1.0))
    s.add(fm.RevoluteTranslational("way", s.ground.at(0.0, 1.0), slider.centre))
    along = fm.AngleOf(s.ground, body), fm.PlaceOf(s.ground.at(0.0, 1.0), slider.centre, (1.0, 0.0))
    s.add(fm.ReducedInertia("mass", along, sliding_mass, {"mass": mass}))
    return s


def test_a_mass_slides_outwards_on_a_turning_rod():
    """Angular momentum and energy give ``r'**2 = 2 E/m - L**2/(m (J + m r**2))``."""
    got = column(simulate(seen, ["arm.rate", "slider.x", "slider.vx", "energy.balance"], end=1.0, points=11, tolerance=1e-9))
    r = got["slider.x"]
    momentum, energy = (ARM + SLIDE * PLACE**2) * SPIN, 0.5 * (ARM + SLIDE * PLACE**2) * SPIN**2
    np.testing.assert_allclose((ARM + SLIDE * r**2) * got["arm.rate"], momentum, rtol=1e-7)
    np.testing.assert_allclose(got["slider.vx"] ** 2, 2.0 * energy / SLIDE - momentum**2 / (SLIDE * (ARM + SLIDE * r**2)), atol=1e-6)
    np.testing.assert_allclose(got["energy.balance"], energy, rtol=1e-7)
    assert r[-1] > 5.0 * PLACE


# ---- bodies whose own coordinates make the mass matrix depend on them
class Polar(Body):
    """A free particle by polar coordinates: ``T = m (r'**2 + r**2 angle'**2)/2``."""

    name, dimension, measures, points = "particle", 2, ("length", "angle"), {}

    def __init__(self, mass):
        self.mass = mass

    def parameters(self):
        return {"mass": self.mass}

    def initial(self):
        return (1.0, 0.0), (0.0, 2.0)

    def mass_matrix(self, equations):
        (r, _), m = self.part(equations, equations.q), equations.number(self, "mass")
        return {(0, 0): m, (1, 1): m * r * r}

    def outputs(self, equations):
        return {
            f"{self.name}.{key}": (lambda k=k: self.part(equations, equations.q)[k], unit)
            for k, (key, unit) in enumerate((("r", "m"), ("angle", "rad")))
        }


class Elastic(Polar):
    """The same as an element of a flexible body."""

    def mass_matrix(self, equations):
        return {}

    def apply(self, equations):
        equations.element(self, polar_element, (), (0, 1), [equations.number(self, "mass")])


def polar_element(element):
    element.mass = {(0, 0): element.numbers[0], (1, 1): element.numbers[0] * element.q[0] * element.q[0]}


def particle(kind, mass):
    s = fm.System()
    s.bodies.append(kind(mass))
    return s


@pytest.mark.parametrize("settings", [{"tolerance": 1e-10}, {"integrator": "generalized_alpha", "step": 2e-4, "fixed": True}])
def test_a_free_particle_in_polar_coordinates_flies_straight_on(settings):
    outputs = ["particle.r", "particle.angle", "energy.kinetic"]
    got = simulate(lambda mass: particle(Polar, mass), outputs, end=1.0, points=5, samples={"mass": [3.0, 4.0]}, **settings)
    found = column(got)
    np.testing.assert_allclose(found["particle.r"], np.sqrt(1.0 + 4.0 * got.time**2), atol=1e-7)
    np.testing.assert_allclose(found["particle.angle"], np.arctan(2.0 * got.time), atol=1e-7)
    np.testing.assert_allclose(found["energy.kinetic"], 6.0, rtol=1e-6)


def swarm(kind, mass):
    """Four particles, elements alike: one is written, and a table has the others."""
    s = fm.System()
    for k in range(4):
        s.bodies.append(body := kind(mass * (1.0 + k)))
        body.name = f"particle{k}"
    return s


def test_elements_in_pools_have_the_forces_of_their_masses():
    """Against the same bodies with entries of the whole mass matrix: M, (M a)_q, forces with their derivatives, Newton's matrices."""
    one, other = (fm.Equations(swarm(kind, 3.0)) for kind in (Elastic, Polar))
    assert one.problem.groups and not other.problem.groups and not one.problem.inertia.constant
    q, v, a = np.random.default_rng(4).normal(size=(3, one.n))
    for f in (
        lambda e: e.mass_at(q), lambda e: e.mass_stiffness(q, a), lambda e: e.stiffness(q, v), lambda e: e.damping(q, v),
    ):  # fmt: skip
        np.testing.assert_allclose(f(one).toarray(), f(other).toarray(), rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(one.force(q, v), other.force(q, v), rtol=1e-13)
    assert abs(other.force(q, v)).min() > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["dormand_prince", "generalized_alpha", "ggl"])
def test_elements_in_pools_fly_straight_on(scheme):
    settings = {"tolerance": 1e-10} if scheme == "dormand_prince" else {"integrator": scheme, "step": 2e-4, "fixed": True}
    outputs = [f"particle{k}.{key}" for k in (0, 3) for key in ("r", "angle")] + ["energy.kinetic"]
    got = simulate(lambda mass: swarm(Elastic, mass), outputs, end=1.0, points=5, samples={"mass": [3.0, 4.0]}, **settings)
    found = column(got)
    for k in (0, 3):
        np.testing.assert_allclose(found[f"particle{k}.r"], np.sqrt(1.0 + 4.0 * got.time**2), atol=1e-7)
        np.testing.assert_allclose(found[f"particle{k}.angle"], np.arctan(2.0 * got.time), atol=1e-7)
    np.testing.assert_allclose(found["energy.kinetic"], 60.0, rtol=1e-6)


# ---- derivatives
def coupled(angle, way, a, b):
    s, c = sincos(angle)
    return a * (2.0 + c) + way * way, b * s * way, b * (1.5 + s * s)


def system():
    s = fm.System()
    body, slider = arm(s), s.point_mass("slider", mass=0.3, position=(PLACE, 1.0))
    along = fm.AngleOf(s.ground, body), fm.PlaceOf(s.ground.at(0.0, 0.0), slider.centre, (0.6, 0.8))
    s.add(fm.ReducedInertia("mass", along, coupled, {"a": 0.7, "b": 0.4}))
    return s


def test_forces_and_tangents_are_those_of_differences():
    """F = dT/dq - (dM/dt) v with T = v.M v/2, and (M a)_q, from the mass matrix alone."""
    e, random = fm.Equations(system()), np.random.default_rng(1)
    q, v, a = np.array(e.system.initial()[0]) + 0.1 * random.normal(size=e.n), *random.normal(size=(2, e.n))
    h, one = 1e-6, np.eye(e.n)
    M = e.mass_at(q).toarray()
    slopes = np.array([(e.mass_at(q + h * x).toarray() - e.mass_at(q - h * x).toarray()) / (2.0 * h) for x in one])
    np.testing.assert_allclose(M, M.T, rtol=1e-14)
    force = 0.5 * np.einsum("kij,i,j->k", slopes, v, v) - np.einsum("kij,k,j->i", slopes, v, v)
    np.testing.assert_allclose(e.force(q, v), force, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(e.mass_stiffness(q, a).toarray(), np.einsum("kij,j->ik", slopes, a), rtol=1e-7, atol=1e-8)
    assert np.abs(e.force(q)).max() == 0.0 and np.abs(force).max() > 0.1


def test_newtons_matrix_is_the_derivative_of_its_residual():
    equations, random = NaturalCoordinates(system(), solved=False), np.random.default_rng(2)
    matrix, side, _ = residual_and_jacobian(equations)
    values = {space: random.normal(size=equations.n) for space in "qva"} | {"l": random.normal(size=len(equations.rows))}
    values |= {"t": 0.0, "beta_h2": 0.3, "gamma_beta_h": 1.7, "step_share": 0.1, "s": [0.2]}
    numbers = equations.system.parameters()
    keys = [(i, j) for i, j in matrix if max(i, j) < equations.n]
    M, h = np.zeros((equations.n, equations.n)), 1e-6
    M[tuple(np.transpose(keys))] = equations.graph.evaluate([matrix[key] for key in keys], values, numbers)

    def residual(j, h):
        moved = {space: values[space] + x * np.eye(equations.n)[j] for space, x in (("q", h), ("v", 1.7 * h), ("a", h / 0.3))}
        return np.array(equations.graph.evaluate([side[i] for i in range(equations.n)], values | moved, numbers))

    slopes = np.transpose([(residual(j, h) - residual(j, -h)) / (2.0 * h) for j in range(equations.n)])
    np.testing.assert_allclose(M, -slopes, rtol=1e-6, atol=1e-7)


# ---- analyses
def test_vibrations_are_those_with_the_mass_of_the_equilibrium():
    s = reduced()
    s.add(fm.TorsionSpring("spring", s.ground, s.bodies[0], stiffness=5.0, angle=1.1))
    found = fm.modes(s).frequencies
    assert found[0] == pytest.approx(np.sqrt(5.0 / inertia(1.1, 3.0)), rel=1e-9)


def test_derivatives_of_a_motion_are_those_of_differences():
    found = fm.sensitivities(reduced(), ["@drive.piston"], ["wheel.angle"], end=0.3, points=2)
    pair = simulate(reduced, ["wheel.angle"], end=0.3, samples={"piston": [3.001, 2.999]}, tolerance=1e-11).outputs["wheel.angle"][:, -1]
    assert np.ravel(found.derivatives["wheel.angle"])[-1] == pytest.approx((pair[0] - pair[1]) / 2e-3, rel=1e-5)


@pytest.mark.slow
def test_ida_agrees():
    pytest.importorskip("sksundae", reason="scikit-sundae is not installed")
    found = fm.reference(reduced, outputs=["wheel.angle"], end=0.5, points=3)
    got = simulate(reduced, ["wheel.angle"], end=0.5, points=3, samples={"piston": [3.0]}, tolerance=1e-10)
    np.testing.assert_allclose(np.ravel(found.outputs["wheel.angle"]), column(got)["wheel.angle"], atol=1e-6)


def test_what_needs_a_constant_mass_says_so():
    with pytest.raises(fm.ModelError, match="'energy_momentum' needs a constant mass matrix"):
        simulate(reduced, ["wheel.angle"], end=0.1, integrator="energy_momentum", step=1e-3)
    with pytest.raises(fm.ModelError, match="a turning frame needs a constant mass matrix"):
        fm.Equations(reduced(), spinning=1.0)


def twofold(angle):
    return angle, angle


def test_what_it_needs_is_said():
    s = fm.System()
    body = wheel(s)
    with pytest.raises(fm.ModelError, match="it must be an AngleOf, a PlaceOf, or a tuple of them"):
        fm.ReducedInertia("drive", body, crank_drive, {"piston": 1.0})
    with pytest.raises(fm.ModelError, match="has the arguments"):
        fm.ReducedInertia("drive", fm.AngleOf(s.ground, body), crank_drive, {"mass": 1.0})
    s.add(fm.ReducedInertia("drive", fm.AngleOf(s.ground, body), twofold))
    with pytest.raises(fm.ModelError, match="the function gives 2 numbers; the inertia of 1 coordinate is 1 number"):
        fm.Equations(s)


def test_the_start_is_that_of_run_where_mass_depends_on_coordinates():
    """From a guess that is far off: both assemblies change it by what costs the least kinetic energy where it has come to."""

    def build(m):
        s = fm.System()
        body = wheel(s)
        block = s.body("block", mass=1.0, inertia=1.0, position=(0.7, 0.2), velocity=(0.3, 0.0))
        s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), block.centre))
        s.add(fm.Distance("rod", body["P"], block.centre, length=0.5))
        s.add(fm.ReducedInertia("drive", fm.AngleOf(s.ground, body), crank_drive, {"piston": m}))
        return s

    state = fm.compile(build, {"m": [30.0]}, outputs=[], end=1.0).start({"m": [30.0]})
    q, v = fm.Equations(build(30.0)).initial()
    assert np.abs(q - np.array(build(30.0).initial()[0])).max() > 0.01
    assert state["coordinates"][0] == pytest.approx(q, abs=1e-9) and state["velocities"][0] == pytest.approx(v, abs=1e-8)
