"""Functions in units: what is alike is compiled once, and computes what straight code does."""

from pathlib import Path

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.codegen.functions import Functions
from flexmbd.codegen.storage import Storage
from flexmbd.equations.index1 import corrections, residuals
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.language.graph import Graph
from flexmbd.linalg.elimination import elimination_order, factorise
from flexmbd.outputs.energy_account import entries
from flexmbd.stepping import names
from flexmbd.tuning import Tuning

from .generated import Flat, computed

IN_UNITS, STRAIGHT = Tuning(units=0, unit_function=0, unit_share=1e9, blocks=10**9), Tuning(units=10**9, blocks=10**9)


class WorkRows(Flat):
    """A layout of a planar problem."""

    def __init__(self, problem):
        self.width, self.n = 4, problem.n

    def place(self, variable):
        """Array and row."""
        return "x", {"t": 0, "q": 1, "v": 1 + self.n}[variable.space] + (variable.number or 0)


def chain(count, seed, tuning, shift):
    """Masses in a chain of rows, two of which are the same: graph, nodes of the solution, matrix and side by numpy, values of variables."""
    rng, g, n = np.random.default_rng(seed), Graph(tuning), 3 * count
    members = [sorted(rng.choice(np.arange(3 * k, 3 * k + 6), 4, replace=False).tolist()) for k in range(count - 1)]
    members.append(members[0])
    values, matrix, entries = [], {}, {}
    for i in range(n):
        entries[i, i] = rng.uniform(1.0, 2.0)
    for k, row in enumerate(members):
        for i in row:
            entries[i, n + k] = entries.get((i, n), 0.0) if k == len(members) - 1 else rng.uniform(-1.0, 1.0)
        entries[n + k, n + k] = -shift
    dense = np.zeros((n + len(members), n + len(members)))
    for (i, j), x in entries.items():
        matrix[i, j] = g.var("q", len(values))
        values.append(x)
        dense[i, j] = dense[j, i] = x
    side = rng.uniform(-1.0, 1.0, len(dense))
    sides = {i: g.var("q", len(values) + i) for i in range(len(dense))}
    order = elimination_order(n, [{i} for i in range(n)], members, tuning)
    solution = factorise(g, matrix, order).solve(sides)
    return g, [solution[i] for i in range(len(dense))], dense, side, np.array([*values, *side])


@pytest.mark.parametrize("seed", range(4))
def test_elimination_in_units_solves_systems_with_rows_that_depend_on_each_other(seed):
    g, nodes, dense, side, values = chain(12, seed, IN_UNITS, 1e-3)
    lanes = values[:, None] * np.ones(8)
    found = computed(g, nodes, lanes, width=8)
    assert np.abs(found - np.linalg.solve(dense, side)[:, None]).max() < 1e-9 * np.abs(found).max()
    g, nodes, *_ = chain(12, seed, STRAIGHT, 1e-3)
    same = computed(g, nodes, lanes, width=8)
    assert np.abs(found - same).max() <= 1e-13 * np.abs(same).max()


def test_lanes_do_not_depend_on_their_neighbours():
    g, nodes, *_, values = chain(8, 3, IN_UNITS, 1e-3)
    lanes = values[:, None] * np.random.default_rng(1).uniform(0.9, 1.1, (len(values), 8))
    together = computed(g, nodes, lanes, width=8)
    one = computed(g, nodes, np.repeat(lanes[:, 2:3], 8, axis=1), width=8)
    assert np.array_equal(together[:, 2], one[:, 7])


def test_truths_constants_parameters_and_several_stores_of_units():
    g = Graph(IN_UNITS)
    x, y, total, nodes = g.var("q", 0), g.var("q", 1), g.const(0.0), []
    for k in range(30):
        g.mark()
        truth = g.greater(x + k, y)
        g.mark()
        nodes.append(g.select(truth, x * g.param(0, 1) - 3.0, -(y / g.param(1, 2))) + total)
        total = nodes[-1]
    nodes += [total, x, g.const(2.5), -total]
    lanes = np.random.default_rng(2).uniform(-40.0, 40.0, (2, 16))
    given = [2.0, np.linspace(1.0, 3.0, 16)]
    found = computed(g, nodes, lanes, given, width=8)
    said = g.evaluate(nodes, {"q": lanes}, given)
    assert np.allclose(found, [np.broadcast_to(v, 16) for v in said], rtol=1e-13)


def row(windows, mass):
    """A row of four-bars."""
    s, ends, before = fm.System(gravity=(0.0, -9.81)), {"A": (-0.5, 0.0), "B": (0.5, 0.0)}, None
    for i in range(windows + 1):
        rod = s.body(f"rod{i}", mass=mass, inertia=0.1, position=(i, 0.5), angle=np.pi / 2, points=ends, velocity=(-0.5, 0.0), rate=1.0)
        s.add(fm.Revolute(f"foot{i}", s.ground.at(float(i), 0.0), rod["A"]))
        if i:
            coupler = s.body(f"coupler{i}", mass=1.0, inertia=0.1, position=(i - 0.5, 1.0), points=ends, velocity=(-1.0, 0.0))
            s.add(fm.Revolute(f"left{i}", before["B"], coupler["A"]))
            s.add(fm.Revolute(f"right{i}", coupler["B"], rod["B"]))
        before = rod
    return s


def test_code_does_not_grow_with_what_is_alike():
    """Accelerations, corrections, residuals and the balance of energy: sums over all bodies too."""

    def written(windows):
        problem = NaturalCoordinates(row(windows, np.ones(4)), tuning=IN_UNITS).problem([])
        made = Functions(problem.graph, Storage(), WorkRows(problem), (names.NUMBERS, names.TABLES))
        dq, dv = corrections(problem, problem.rows)
        for name, nodes in (("a", problem.a), ("d", dq + dv), ("r", residuals(problem, problem.rows)), ("e", entries(problem))):
            made.add(name, [(("y", k), x) for k, x in enumerate(nodes)])
        return made

    small, large = written(6), written(18)
    assert len(large.graph.nodes) > 2.5 * len(small.graph.nodes)
    assert set(large.units) == set(small.units)
    assert large.text().count("\n") == small.text().count("\n")


def test_motion_in_units_is_that_of_straight_code():
    def motion(tuning):
        settings = {"tolerance": 1e-8, "tuning": tuning}
        mass = np.linspace(0.9, 1.1, 4)
        run = fm.run(lambda mass: row(3, mass), {"mass": mass}, end=0.5, points=5, outputs=["rod0.angle"], settings=settings)
        return run["rod0.angle"]

    assert np.abs(motion(Tuning(units=0)) - motion(Tuning(units=10**9))).max() < 1e-12


DOCS = Path(__file__).resolve().parents[2] / "docs"
KINDS = ("AngleDrive", "ClearanceRevolute_with_a_film", "DiscPlane", "GearMesh", "NonlinearSpring", "Bushing", "JointFriction")


@pytest.mark.parametrize("kind", KINDS)
def test_elements_of_all_kinds_are_in_units_what_they_are_in_straight_code(kind, monkeypatch):
    """Calls with several results, tables, matrices and groups among them, whatever their number."""
    monkeypatch.syspath_prepend(DOCS)
    from element_scenes import SCENES

    outputs = list(fm.output_units(SCENES[kind]()))

    def motion(tuning):
        return fm.run(SCENES[kind](), end=2e-3, points=2, outputs=outputs, settings={"tuning": tuning, "lanes": 1})

    straight, units = motion(Tuning(units=10**9)), motion(Tuning(units=0, unit_function=0, unit_share=1e9))
    for name in outputs:
        size = max(1.0, np.max(np.abs(straight[name])))
        np.testing.assert_allclose(units[name], straight[name], rtol=0, atol=1e-9 * size, err_msg=name)
