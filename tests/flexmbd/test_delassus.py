"""Delassus matrix of contacts that cannot be penetrated: closed forms, and numpy with the rows as equations."""

from dataclasses import dataclass

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.element import Element
from flexmbd.equations.delassus import delassus, directions
from flexmbd.equations.determined import blocks
from flexmbd.equations.index1 import solved
from flexmbd.formulation.natural import NaturalCoordinates

from .sentences import names, said

MASS, INERTIA, RADIUS = 2.0, 0.3, 0.5


@dataclass(frozen=True, eq=False)
class Corner(Element):
    """A point of a body over the line y = 0, which it may not pass, with friction."""

    name: str
    a: object

    def parameters(self):
        """Coefficients."""
        return {"friction": 0.3, "restitution": 0.5}

    def apply(self, equations):
        """Gap, its rate and the velocity along the line."""
        (_, y), (vx, vy), none = equations.values(equations.place(self.a)), equations.velocity(self.a), equations.graph.const(0.0)
        friction = equations.number(self, "friction")
        given = equations.number(self, "restitution"), none, friction, friction, none, none
        equations.unilateral(self, "", y, (vy, vx), numbers=given, groups=(1, 0, 0))


def box():
    """A rectangular body, two of its corners over the floor."""
    s = fm.System(gravity=(0.0, -9.81))
    body = s.body("box", mass=MASS, inertia=INERTIA, position=(0.0, RADIUS), points={"L": (-0.4, -RADIUS), "R": (0.3, -RADIUS)})
    s.add(Corner("left", body["L"]))
    s.add(Corner("right", body["R"]))
    return s


def numbers(equations, nodes, q):
    return np.array(equations.graph.evaluate(nodes, {"q": q, "t": 0.0}, equations.system.parameters()), float)


def test_of_a_free_body_it_is_that_of_its_masses():
    """1/m along a direction, and lever times lever over the inertia for each pair."""
    equations = NaturalCoordinates(box())
    q = [0.0, RADIUS, 1.0, 0.0]
    found = numbers(equations, [x for row in delassus(equations) for x in row], q).reshape(4, 4)
    levers = np.array([-0.4, RADIUS, 0.3, RADIUS])  # of the normal and of the tangent, for each corner
    along = np.array([[1.0, 0.0], [0.0, 1.0]] * 2)
    assert found == pytest.approx(along @ along.T / MASS + np.outer(levers, levers) / INERTIA, abs=1e-12)


def test_rows_take_away_what_they_hold():
    """A slider-crank whose coupler may touch the floor, at any position, against elimination by numpy."""
    s = fm.System()
    crank = s.body("crank", mass=1.0, inertia=0.1, position=(0.25, 0.0), points={"O": (-0.25, 0.0), "A": (0.25, 0.0)})
    rod = s.body("rod", mass=1.5, inertia=0.2, position=(1.0, 0.0), points={"A": (-0.5, 0.0), "B": (0.5, 0.0), "C": (0.1, -0.2)})
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0), crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(Corner("touch", rod["C"]))
    build, e = NaturalCoordinates(s), fm.Equations(s)
    a, b = 0.7, -0.4
    at = [0.25 * np.cos(a), 0.25 * np.sin(a), np.cos(a), np.sin(a)]
    q = np.array([*at, 2 * at[0] + 0.5 * np.cos(b), 2 * at[1] + 0.5 * np.sin(b), np.cos(b), np.sin(b)])
    D = np.zeros((2, 8))
    for k, column in enumerate(directions(build)):
        D[k, list(column)] = numbers(build, list(column.values()), q)
    G, M = e.jacobian(q).toarray(), e.mass.toarray()
    big = np.block([[M, G.T], [G, np.zeros((len(G), len(G)))]])
    yields = np.linalg.solve(big, np.vstack([D.T, np.zeros((len(G), 2))]))[:8]
    assert numbers(build, [x for row in delassus(build) for x in row], q).reshape(2, 2) == pytest.approx(D @ yields, rel=1e-10)


def test_what_rows_alone_determine_is_found():
    """A driven crank (turn first, then its place), a guide; not the bodies that are free to move."""
    drive = [{2, 3}, {2, 3}, {0, 2}, {1, 3}, {0, 2, 4, 6}, {1, 3, 5, 7}, {6, 7}, {9}, {11}, {10, 11}]
    found = blocks(12, drive)
    assert [own for _, own in found if len(own) > 1] == [[2, 3]]
    assert {tuple(own) for _, own in found} == {(2, 3), (0,), (1,), (9,), (11,), (10,)}
    assert [own for _, own in found].index([2, 3]) < min(found.index(one) for one in found if one[1] in ([0], [1]))
    assert {tuple(own) for _, own in blocks(12, drive, apart={2})} == {(9,), (11,), (10,)}
    assert blocks(2, [{0}, {0}]) == [] == blocks(3, [])


def driven():
    """A slider-crank whose crank is driven, its rod free at the slider's end, and a load on the floor."""
    s = fm.System(gravity=(0.0, -9.81))
    crank = s.body("crank", mass=1.0, inertia=0.1, position=(0.25, 0.0), points={"O": (-0.25, 0.0), "A": (0.25, 0.0)})
    rod = s.body("rod", mass=1.5, inertia=0.2, position=(1.0, 0.0), points={"A": (-0.5, 0.0), "C": (0.1, -0.2)})
    slider = s.body("slider", mass=0.7, inertia=0.1, position=(1.5, 0.0))
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0), crank["O"]))
    s.add(fm.Revolute("A", crank["A"], rod["A"]))
    s.add(fm.Translational("guide", s.ground.at(0.0, 0.0), slider.centre))
    s.add(fm.AngleDrive("drive", s.ground.at(0.0, 0.0), crank["O"], fm.ConstantSpeed(3.0)))
    s.add(Corner("touch", rod["C"]))
    return s


def test_beside_what_rows_determine_the_others_follow_from_their_masses():
    """Velocities by forces on all coordinates and by all rows, against numpy."""
    equations, e = NaturalCoordinates(driven()), fm.Equations(driven())
    a, b = 0.7, -0.4
    at = [0.25 * np.cos(a), 0.25 * np.sin(a), np.cos(a), np.sin(a)]
    q = np.array([*at, 2 * at[0] + 0.5 * np.cos(b), 2 * at[1] + 0.5 * np.sin(b), np.cos(b), np.sin(b), 1.5, 0.0, 1.0, 0.0])
    G, M, rng = e.jacobian(q).toarray(), e.mass.toarray(), np.random.default_rng(3)
    n, rows = len(M), len(G)
    side = rng.normal(size=n + rows)
    found = solved(equations, [dict(enumerate(equations.graph.const(x) for x in side)), {4: equations.graph.const(1.0)}])
    expected = np.linalg.solve(np.block([[M, G.T], [G, np.zeros((rows, rows))]]), np.column_stack([side, np.eye(n + rows)[4]]))[:n]
    np.testing.assert_allclose(numbers(equations, found[0], q), expected[:, 0], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(numbers(equations, found[1], q), expected[:, 1], atol=1e-12)
    assert all(found[1][i].zero for i in (0, 1, 2, 3, 9, 10, 11))


def test_a_scheme_that_makes_forces_of_contacts_refuses_them():
    told = said(lambda: fm.run(box(), end=0.1, outputs=["box.y"], settings={"integrator": "dormand_prince"}))
    names(told, "contact 'left'", "dormand_prince", "give the contact a law")
