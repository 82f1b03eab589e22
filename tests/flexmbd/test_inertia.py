"""Inertia as an operator: a recursion along a chain, and kinetic energies, against closed forms and natural coordinates."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.bodies.base import Body
from flexmbd.equations.inertia import Inertia
from flexmbd.formulation import FORMULATIONS
from flexmbd.formulation.natural import NaturalCoordinates

from .pendula import double_swing
from .running import column, simulate
from .test_extending import module  # noqa: F401

G, L1, C1, C2, M1, M2, I1, I2 = 9.81, 1.2, 0.5, 0.4, 1.5, 0.8, 0.2, 0.07


def pendulum(first=0.3, second=1.1):
    """Two rods, angles from the x axis and between them; masses, arms and inertias as above."""
    s = fm.System(gravity=(0.0, -G))
    total, x = first + second, lambda a, r: (r * np.cos(a), r * np.sin(a))
    rod = s.body("rod", mass=M1, inertia=I1, position=x(first, C1), angle=first, points={"O": (-C1, 0.0), "A": (L1 - C1, 0.0)})
    place = tuple(a + b for a, b in zip(x(first, L1), x(total, C2), strict=True))
    end = s.body("end", mass=M2, inertia=I2, position=place, angle=total, points={"A": (-C2, 0.0)})
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0), rod["O"]))
    s.add(fm.Revolute("A", rod["A"], end["A"]))
    return s


def spong(q, v):
    """M and the forces of gravity and gyroscopic terms of a two-link arm (Spong, Hutchinson and Vidyasagar 2006, Robot Modeling and
    Control, section 7.4)."""
    (a, b), (u, w) = q, v
    m22 = M2 * C2 * C2 + I2
    m12 = m22 + M2 * L1 * C2 * np.cos(b)
    m11 = M1 * C1 * C1 + I1 + M2 * (L1 * L1 + C2 * C2 + 2.0 * L1 * C2 * np.cos(b)) + I2
    h, g2 = -M2 * L1 * C2 * np.sin(b), M2 * C2 * G * np.cos(a + b)
    force = [-(2.0 * h * u * w + h * w * w) - (M1 * C1 + M2 * L1) * G * np.cos(a) - g2, h * u * u - g2]
    return np.array([[m11, m12], [m12, m22]]), np.array(force)


def evaluated(equations, nodes, q, v):
    known = {"q": q, "v": v, "t": 0.0, "s": [0.0] * len(equations.states)}
    numbers = equations.system.parameters()
    return np.array(equations.graph.evaluate([equations.graph.const(0.0) + x for x in nodes], known, numbers), float)


def test_an_operator_gives_entries_forces_energy_and_accelerations(module):  # noqa: F811
    """Against the closed form; forces that follow from the change of M are derived, none is written."""
    equations, (q, v) = module("JointAngles").Recursive(pendulum()), np.array([(0.3, 1.1), (2.0, -1.3)])
    M, force = spong(q, v)
    inertia = equations.inertia
    assert inertia.entries.keys() == {(0, 0), (0, 1), (1, 1)} and not inertia.constant and not inertia.massless()
    found = evaluated(equations, [inertia.entries[0, 0], inertia.entries[0, 1], inertia.entries[1, 1], *inertia.diagonal().values()], q, v)
    np.testing.assert_allclose(found, [M[0, 0], M[0, 1], M[1, 1], M[0, 0], M[1, 1]], rtol=1e-13)
    np.testing.assert_allclose(evaluated(equations, equations.generalized, q, v), force, rtol=1e-12)
    np.testing.assert_allclose(evaluated(equations, equations.a, q, v), np.linalg.solve(M, force), rtol=1e-12)
    assert evaluated(equations, [equations.kinetic_energy()], q, v)[0] == pytest.approx(0.5 * v @ M @ v, rel=1e-13)
    step, slopes = 1e-6, inertia.slopes([equations.graph.const(x) for x in v])
    by = [(spong(q + d, v)[0] - spong(q - d, v)[0]) @ v / (2.0 * step) for d in step * np.eye(2)]
    known = evaluated(equations, list(slopes.values()), q, v)
    wanted = [by[k][i] for i, k in slopes]
    np.testing.assert_allclose(known, wanted, atol=1e-8)
    assert {(0, 1), (1, 1)} <= slopes.keys() and np.abs(by[0]).max() == 0.0


def test_accelerations_are_those_in_natural_coordinates(module):  # noqa: F811
    q, v = np.array([0.3, 1.1]), np.array([2.0, -1.3])
    turns, rates = np.cumsum(q), np.cumsum(v)
    one, other = module("JointAngles").Recursive(pendulum()), NaturalCoordinates(pendulum())
    alpha = np.cumsum(evaluated(one, one.a, q, v))
    axes, speed = (np.cos(turns), np.sin(turns)), []
    places = np.array(pendulum().initial()[0], float)
    for k in range(2):
        centre = rates[k] * [C1, C2][k] * np.array([-axes[1][k], axes[0][k]])
        centre = centre + (k and rates[0] * L1 * np.array([-axes[1][0], axes[0][0]]))
        speed += [*centre, -rates[k] * axes[1][k], rates[k] * axes[0][k]]
    a = evaluated(other, other.a, places, speed)
    found = [axes[0][k] * a[4 * k + 3] - axes[1][k] * a[4 * k + 2] for k in range(2)]
    np.testing.assert_allclose(found, alpha, rtol=1e-10)


class Explicit(Inertia):
    """Two coordinates, with a way of its own to solve, which counts how often it is asked."""

    def __init__(self, equations):
        super().__init__(equations.graph, equations.q)
        self._of, self.asked = equations, 0

    def apply(self, x):
        m, c = self._of.number(self._of.system.bodies[0], "mass"), self._of.sincos(self.q[0] - self.q[1])[1]
        return [2.0 * m * x[0] + m * c * x[1], m * c * x[0] + m * x[1]]

    def solve(self, problem, rows, gradients, sides, *, multipliers=True):
        self.asked += 1
        assert not rows
        (a, b, d), zero = (self.entries[key] for key in ((0, 0), (0, 1), (1, 1))), self.graph.const(0.0)
        one, found = 1.0 / (a * d - b * b), []
        for side in sides:
            x, y = (side.get(i, zero) for i in range(2))
            found.append({0: one * (d * x - b * y), 1: one * (a * y - b * x)})
        return found


class Rods(Body):
    """A double pendulum of two equal point masses on massless rods of 1 m, by its angles from down."""

    name, dimension, measures, points, mass = "rods", 2, ("angle", "angle"), {}, 1.0

    def parameters(self):
        return {"mass": self.mass}

    def initial(self):
        return (1.5, 0.7), (0.0, 0.0)

    def outputs(self, equations):
        return {f"rods.{k}": (lambda k=k: self.part(equations, equations.q)[k], "rad") for k in range(2)}


class Angles(NaturalCoordinates):
    """Natural coordinates, but the inertia of `Rods` is an operator."""

    def bodies(self):
        self.own = Explicit(self)
        self.use_inertia(self.own)
        super().bodies()


class Weighed(Rods):
    def mass_matrix(self, equations):
        return {}

    def apply(self, equations):
        for weight, angle in zip((2.0, 1.0), equations.q, strict=True):
            height = -equations.sincos(angle)[1]
            equations.potential(weight * equations.number(self, "mass") * G * height)
            equations.force_on(height, -weight * equations.number(self, "mass") * G)


class Energetic(Weighed):
    """The same by its kinetic energy."""

    def apply(self, equations):
        super().apply(equations)
        (a, b), (u, w) = equations.q, equations.v
        c = equations.sincos(a - b)[1]
        equations.add_kinetic(equations.number(self, "mass") * (u * u + 0.5 * w * w + c * u * w))


def test_an_operators_own_way_to_solve_is_taken():
    s = fm.System()
    s.bodies.append(Weighed())
    equations, (a, b), (u, w) = Angles(s), (1.5, 0.7), (0.4, -0.9)
    c, sine = np.cos(a - b), np.sin(a - b)
    wanted = np.linalg.solve([[2.0, c], [c, 1.0]], [-sine * w * w - 2.0 * G * np.sin(a), sine * u * u - G * np.sin(b)])
    np.testing.assert_allclose(evaluated(equations, equations.a, (a, b), (u, w)), wanted, rtol=1e-12)
    assert equations.own.asked == 1


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["dormand_prince", "ggl"])
@pytest.mark.parametrize("kind", ["operator", "energy"])
def test_a_double_pendulum_swings_as_in_its_closed_equations(monkeypatch, scheme, kind):
    """With a way to solve of one's own, and by implicit steps, which read entries and slopes."""
    monkeypatch.setitem(FORMULATIONS, "angles", Angles)
    body = Weighed if kind == "operator" else Energetic

    def build(mass):
        s = fm.System()
        s.bodies.append(made := body())
        made.mass = mass
        return s

    settings = {"tolerance": 1e-10} if scheme == "dormand_prince" else {"step": 1e-3, "fixed": True}
    settings |= {"integrator": scheme, "formulation": "angles" if kind == "operator" else "natural"}
    got = simulate(build, ["rods.0", "rods.1", "energy.balance"], end=1.0, points=11, samples={"mass": [1.0, 2.0]}, **settings)
    found, near = column(got), 1e-7 if scheme == "dormand_prince" else 1e-4
    wanted = double_swing(1.5, 0.7, got.time)
    np.testing.assert_allclose([found["rods.0"], found["rods.1"]], wanted, atol=near)
    assert np.ptp(found["energy.balance"]) < 1e-3


class Hoop(Body):
    """A bead on a hoop of radius 1 m that turns about its upright diameter at a given rate: its energy has terms without velocities."""

    name, dimension, measures, points, mass = "bead", 2, ("angle",), {}, 1.0

    def parameters(self):
        return {"mass": self.mass, "rate": 5.0}

    def initial(self):
        return (0.4,), (0.3,)

    def mass_matrix(self, equations):
        return {}

    def outputs(self, equations):
        return {}

    def apply(self, equations):
        m, rate, (a,), (u,) = equations.number(self, "mass"), equations.number(self, "rate"), equations.q, equations.v
        sine, cosine = equations.sincos(a)
        equations.add_kinetic(0.5 * m * (u * u + rate * rate * sine * sine))
        equations.force_on(-cosine, -m * G)
        equations.potential(-m * G * cosine)


def test_a_kinetic_energy_gives_its_forces_and_refuses_what_is_none():
    """a'' = rate² sin a cos a - g sin a; the drive's power is what the energy of the motion along the hoop gains."""
    s = fm.System()
    s.bodies.append(Hoop())
    equations = NaturalCoordinates(s)
    q, v = (0.4,), (0.3,)
    pull = 25.0 * np.sin(0.4) * np.cos(0.4)
    assert evaluated(equations, equations.a, q, v)[0] == pytest.approx(pull - G * np.sin(0.4), rel=1e-13)
    assert evaluated(equations, [equations.power_of("external")], q, v)[0] == pytest.approx(0.3 * pull, rel=1e-13)

    class Cubic(Hoop):
        def apply(self, equations):
            equations.add_kinetic(equations.v[0] * equations.v[0] * equations.v[0])

    s = fm.System()
    s.bodies.append(Cubic())
    with pytest.raises(fm.ModelError, match="degree two at most in the velocities"):
        NaturalCoordinates(s)
