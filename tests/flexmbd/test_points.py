"""Points of elements: the tangent that loops make of the law's at one point is that of the element's force."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.codegen.group_loops import BATCH
from flexmbd.equations.index3 import newton_equations, newton_step
from flexmbd.equations.stabilised import equations_stabilised, newton_stabilised
from flexmbd.formulation.groups import Group
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.language.arrays import Program

from .beams import slender
from .generated import computed

CURVED = {"damping": 1e-2, "curvature": (0.2, 0.3, -0.4)}
KINDS = {"elastic": {}, "damped": {"damping": 1e-2}, "curved": CURVED, "rigid": CURVED | {"sections": "rigid"}}
STEP = {"beta_h2": 1e-2, "gamma_beta_h": 10.0, "step_share": 0.05}


def beam(kind):
    """The system, its numbers, and coordinates and velocities beside the start; elements of the second beam are of other numbers."""
    s, _ = slender(2, 10.0, **KINDS[kind])
    section, material = fm.Section.rectangle(0.1, 0.2), fm.Material(1e5, 0.2, 2.0)
    s.beam("other", length=0.7, elements=1, section=section, material=material, position=(0.0, 3.0, 0.0), **KINDS[kind])
    s.gravity = (1.0, -2.0, 3.0)
    rng, (q, v) = np.random.default_rng(0), s.initial()
    return s, s.parameters(), np.array(q) + 0.05 * rng.normal(size=len(q)), np.array(v) + rng.normal(size=len(v))


def written(part, matrix, given, values):
    """A part's own matrix, rates or further unknowns behind."""
    out = np.zeros((2 * part.size, 2 * part.size))
    for ij, x in zip(matrix[part], Program(part.graph, list(matrix[part].values()), given)(values), strict=True):
        out[ij] = x
    return out


def assembled(group, matrix, given, own):
    """Matrix of an element: entries of its own, and ``B' K B`` at each point."""
    total = written(group, matrix, given, own)
    for points in group.points:
        d, count = points.dimension, len(points.weights[0, 0])
        for weights, given in zip(points.weights, points.given, strict=True):
            B = np.zeros((points.size, group.size))
            for k, vector in enumerate(points.vectors):
                for n in range(count):
                    at = group.size // count * n + d * vector
                    B[d * k : d * k + d, at : at + d] = weights[k, n] * np.eye(d)
            values = dict(zip(given, Program(group.graph, list(given.values()), given)(own), strict=True))
            here = {kind: np.array([values.get((kind, k), 0.0) for k in range(points.size)]) for kind in "xy"}
            here["c"] = np.array([values.get(("c", k), 0.0) for k in range(50)])
            both = np.kron(np.eye(2), B)
            total += both.T @ written(points, matrix, given, own | here) @ both
    return total


@pytest.mark.parametrize("kind", KINDS)
def test_a_tangent_by_points_is_that_of_the_force(kind):
    """By complex steps; also with the shifts of Gear, Gupta and Leimkuhler's equations."""
    s, given, q, v = beam(kind)
    equations, h = NaturalCoordinates(s), 1e-30
    (group,) = equations.groups
    n, x, y = group.size, q[group.coordinates[1]], v[group.coordinates[1]]
    own = {"x": x, "y": y, "z": 0.0 * x, "b": x, "n": np.array(equations.graph.evaluate(group.varying[1], parameters=given))} | STEP
    force, steps = Program(equations.graph, group.element.force, given), 1j * h * np.eye(n)
    stiffness = -np.transpose([force(own | {"x": x + step, "y": y + 0j}).imag / h for step in steps])
    damping = -np.transpose([force(own | {"x": x + 0j, "y": y + step}).imag / h for step in steps])
    mass = written(group, {group: group.mass}, given, own)[:n, :n]
    for made in (newton_equations, equations_stabilised):
        found = assembled(group, made(equations)[0], given, own)
        exact = np.zeros_like(found)
        exact[:n, :n] = mass + STEP["beta_h2"] * (stiffness + STEP["gamma_beta_h"] * damping)
        if made is equations_stabilised:
            exact[:n, n:], exact[n:, n:] = -STEP["beta_h2"] * STEP["gamma_beta_h"] * damping, mass
        assert np.abs(found - exact).max() < 1e-12 * np.abs(exact).max()


class Kinds:
    """A layout in which variables of a kind are rows one after another."""

    work, kinds, room = 0, ("q", "v", "a", "o", "l", "u", "beta_h2", "gamma_beta_h", "step_share", "t"), 100

    def __init__(self, width):
        self.width = width

    def has(self, kind):
        """Whether there are variables of a kind."""
        return kind in self.kinds

    def place(self, variable):
        """Array and row."""
        return "x", self.room * self.kinds.index(variable.space) + (variable.number or 0)

    @classmethod
    def rows(cls, **values):
        """Rows of a point."""
        out = np.zeros((cls.room * len(cls.kinds), 1))
        for kind, x in values.items():
            first = cls.room * cls.kinds.index(kind)
            out[first : first + np.size(x), 0] = x
        return out


@pytest.mark.parametrize("stabilised", [False, True])
def test_corrections_are_those_of_entries_written_out(monkeypatch, stabilised):
    """In a few lanes, in more than a register holds, and one sample with elements side by side."""
    s, given, q, v = beam("curved")
    values, found = Kinds.rows(q=q, v=v, a=0.1 * v, o=q, l=np.arange(9.0), **STEP), []

    def correction(width, batch):
        equations = NaturalCoordinates(s)
        nodes, _ = newton_stabilised(equations) if stabilised else newton_step(equations, *newton_equations(equations))
        lanes = np.repeat(values, width, axis=1)
        found.append(computed(equations.graph, nodes, lanes, given, width=width, layout=Kinds, batch=batch))
        return bool(equations.groups[0].points)

    assert correction(2, 1) and correction(16, 1) and correction(1, BATCH)
    usual = Group.__init__

    def written_out(group, *arguments):
        usual(group, *arguments)
        group.points, group.force = [], group.element.force

    monkeypatch.setattr(Group, "__init__", written_out)
    assert not correction(2, 1)
    assert all(np.array_equal(found[0][:, 0], lane) for lane in (*found[0].T, *found[1].T))
    for other in found[2:]:
        assert np.abs(found[0][:, :1] - other).max() < 1e-10 * np.abs(other).max()


def test_numbers_of_a_point_do_not_depend_on_coordinates():
    def law(graph, values, rates, numbers):
        return [numbers[0] * x for x in values], {}

    def write(element):
        element.mass |= {(i, i): element.graph.const(1.0) for i in range(4)}
        element.point(law, [(0, (0.5, 0.5))], [element.q[0]])

    s = fm.System()
    equations = NaturalCoordinates(s)
    with pytest.raises(fm.ModelError, match="must not depend on its coordinates"):
        Group(equations, "pool0", write, (), [("rod", (0, 1, 2, 3), ())])


def test_a_point_at_a_place_that_has_one_is_that_point_unless_samples_differ():
    s = fm.System()
    first, other = s.ground.at(0.0, 1.0), s.ground.at(0.0, 2.0)
    assert s.ground.at(0, 1) is first and s.ground.at(-0.0, 2.0) is other and s.ground.at(0.0, 1.5) not in (first, other)
    apart = s.ground.at(np.zeros(2), 1.0)
    assert apart is not first and s.ground.at(0.0, 1.0) is first and s.ground.at(0.0, np.ones(2)) is not first
