"""Mass matrices of trees as operators, with quaternions and closed loops, against dense equations."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.analysis.equations import SINGLE
from flexmbd.formulation.trees.linking import table_of
from flexmbd.formulation.trees.links import GROUND, Table
from flexmbd.formulation.trees.operators import ALGORITHMS, Ball, TreeInertia
from flexmbd.formulation.trees.tree import TreeCoordinates
from flexmbd.language.graph import Graph
from flexmbd.language.quadratic import Quadratic, Row
from flexmbd.parameters import RUNTIME
from flexmbd.tuning import Tuning

from .link_tables import link
from .random_trees import plane, space, told
from .sentences import names, said
from .test_trees import equal, slider_crank

KINDS = ["free", "spherical", "revolute", "universal", "spherical", "cylindrical", "planar", "prismatic"]


def made(algorithm, loops, parents=(GROUND, 0, 1, 1, 3, 0, 5, 5), kinds=KINDS, *, shift=0.0):
    """A problem with rows of lengths and `loops` more, its numbers, and the operator."""
    rng = np.random.default_rng(12)
    graph = Graph()
    table = Table([link(rng, parent, kind) for parent, kind in zip(parents, kinds, strict=True)], graph.mark)
    balls = [table.first[i] + (3 if kind == "planar" else 0) for i, kind in enumerate(kinds) if kind in ("free", "spherical")]
    n = table.n + len(balls)
    q, numbers, found, rows = graph.space("q").first(n), rng.normal(size=n), {}, []
    for count, k in enumerate(balls):
        i = k + count
        w, x, y, z = q[i : i + 4]
        numbers[i : i + 4] /= np.linalg.norm(numbers[i : i + 4])
        rates = [[2.0 * part for part in row] for row in ([-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w])]
        row = Row(Quadratic(graph, {(j, j): 0.5 for j in range(i, i + 4)} | {(): -0.5}), "angle", f"unit {i}", penalty=graph.const(1.0))
        found[k] = Ball(rates, row)
        rows.append(row)
    for loop in range(loops):
        chosen = rng.choice(n, 5, replace=False)
        rows.append(
            Row(Quadratic(graph, {(int(i),): float(x) for i, x in zip(chosen, rng.normal(size=5), strict=True)}), "length", f"loop {loop}")
        )
    inertia = TreeInertia(graph, q, table, algorithm=algorithm, balls=found)
    more = {
        "system": SimpleNamespace(bodies=[], dimension=3),
        "first": {"tree": 0},
        "initial_rows": [],
        "row_groups": [],
        "groups": [],
        "direct": False,
    }
    return SimpleNamespace(graph=graph, q=q, n=n, rows=rows, inertia=inertia, shift=shift, **more), numbers


def valued(problem, nodes, numbers):
    return np.array(problem.graph.evaluate([problem.graph.const(x) for x in nodes], {"q": numbers}, {}), float)


def dense(problem, numbers):
    """M and G in numbers."""
    matrix, rows = np.zeros((problem.n, problem.n)), np.zeros((len(problem.rows), problem.n))
    for (i, j), x in zip(problem.inertia.entries, valued(problem, problem.inertia.entries.values(), numbers), strict=True):
        matrix[i, j] = matrix[j, i] = x
    for k, row in enumerate(problem.rows):
        slopes = row.polynomial.gradient(problem.q)
        rows[k, [*slopes]] = valued(problem, slopes.values(), numbers)
    return matrix, rows


def test_product_entries_and_energy():
    problem, numbers = made("articulated", 0)
    matrix, rows = dense(problem, numbers)
    assert min(np.linalg.eigvalsh(matrix + rows.T @ rows)) > 0.0
    assert np.sum(np.linalg.eigvalsh(matrix) < 1e-12) == len(rows) == 3  # along the quaternions
    x = np.random.default_rng(3).normal(size=problem.n)
    np.testing.assert_allclose(valued(problem, problem.inertia.apply(x.tolist()), numbers), matrix @ x, rtol=1e-12, atol=1e-12)
    assert valued(problem, [problem.inertia.kinetic(x.tolist())], numbers)[0] == pytest.approx(0.5 * x @ matrix @ x, rel=1e-13)


@pytest.mark.parametrize("loops", [0, 1, 4])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_solutions_with_rows_are_those_of_the_dense_equations(algorithm, loops):
    problem, numbers = made(algorithm, loops)
    matrix, rows = dense(problem, numbers)
    n, m, rng = problem.n, len(rows), np.random.default_rng(4)
    gradients = {(i, n + k): x for k, row in enumerate(problem.rows) for i, x in row.polynomial.gradient(problem.q).items()}
    whole, sides = np.block([[matrix, rows.T], [rows, np.zeros((m, m))]]), rng.normal(size=(2, n + m))
    sides[1, 3:] = 0.0
    given = [{i: problem.graph.const(float(x)) for i, x in enumerate(side) if x or i >= n} for side in sides]
    for side, found in zip(sides, problem.inertia.solve(problem, problem.rows, gradients, given), strict=True):
        wanted = np.linalg.solve(whole, side)
        np.testing.assert_allclose(valued(problem, [found[i] for i in range(n + m)], numbers), wanted, rtol=1e-9, atol=1e-9)


def test_dependent_rows_are_kept():
    """The same row twice, with a shift: accelerations are those of one."""
    problem, numbers = made("articulated", 2, shift=1e-8)
    problem.rows.append(problem.rows[-1])
    matrix, rows = dense(problem, numbers)
    n, m = problem.n, len(rows)
    gradients = {(i, n + k): x for k, row in enumerate(problem.rows) for i, x in row.polynomial.gradient(problem.q).items()}
    side = np.concatenate([np.random.default_rng(4).normal(size=n), np.zeros(m)])
    given = {i: problem.graph.const(float(x)) for i, x in enumerate(side)}
    (found,) = problem.inertia.solve(problem, problem.rows, gradients, [given])
    wanted = np.linalg.lstsq(np.block([[matrix, rows.T], [rows, np.zeros((m, m))]]), side, rcond=1e-10)[0][:n]
    np.testing.assert_allclose(valued(problem, [found[i] for i in range(n)], numbers), wanted, rtol=1e-7, atol=1e-7)


# ---- in a formulation
def chain(count):
    """Bodies in space on revolute joints about axes in turn."""
    system, rng = fm.System(gravity=(0.0, 0.0, -9.81)), np.random.default_rng(0)
    before = system.ground.at(0.0, 0.0, 0.0)
    for i in range(count):
        mass, place = float(rng.uniform(1.0, 2.0)), (0.3 * i + 0.15, -0.03 * i - 0.01, -0.01 * i - 0.02)
        points = {"A": (-0.15, 0.01, 0.02), "B": (0.15, -0.02, 0.01)}
        body = system.body(f"body{i}", mass=mass, inertia=(0.01, 0.02, 0.03), position=place, points=points)
        system.add(fm.Revolute(f"joint{i}", before, body["A"], axis=np.eye(3)[i % 3].tolist()))
        before = body["B"]
    return system


def test_accelerations_of_a_chain_take_operations_by_its_links():
    """Places, velocities and what they ask of forces included; by the entries of M a chain of 30 takes 1,584 a link."""
    counts = {}
    for count in (8, 16, 32):
        equations = TreeCoordinates(chain(count))
        counts[count] = sum(1 for x in equations.graph.needed(equations.a) if x.level == RUNTIME and x.args)
    assert counts[32] - counts[16] < 16 * 750 and counts[32] < 2.2 * counts[16]


def test_a_body_on_a_point_mass_on_what_turns():
    system = fm.System(gravity=(0.0, -9.81))
    rod = system.body(
        "rod", mass=1.0, inertia=0.1, position=(0.5, 0.0), points={"O": (-0.5, 0.0), "A": (0.5, 0.0)}, velocity=(0.0, 0.5), rate=1.0
    )
    bob = system.point_mass("bob", mass=0.7, position=(1.0, 0.0), velocity=(0.0, 1.0))
    last = system.body("last", mass=0.4, inertia=0.05, position=(1.0, -0.3), velocity=(-0.6, 1.0), points={"A": (0.0, 0.3)}, rate=-2.0)
    system.add(fm.Revolute("O", system.ground.at(0.0, 0.0), rod["O"]))
    system.add(fm.Revolute("A", rod["A"], bob.centre))
    system.add(fm.Revolute("B", bob.centre, last["A"]))
    equal(system)


def test_the_algorithm_that_takes_fewer_operations():
    """Composite bodies for paths of up to eight velocities, articulated ones for longer."""
    graph, rng = Graph(), np.random.default_rng(1)
    for count, wanted in ((8, "composite"), (9, "articulated")):
        table = Table([link(rng, i - 1, "revolute") for i in range(count)])
        assert table.depth == count and TreeInertia(graph, graph.space("q").first(count), table).algorithm == wanted


def test_all_algorithms_take_the_links_of_a_formulation():
    system = chain(7)
    equations = TreeCoordinates(system)
    table, balls = table_of(equations, {})
    forces = np.random.default_rng(2).normal(size=7).tolist()
    nodes = [x for algorithm in ALGORITHMS.values() for x in algorithm(table).solve(forces)]
    known = {"q": np.linspace(0.3, 1.5, 7), "v": np.zeros(7)}
    found = np.array(equations.graph.evaluate(nodes, known, system.parameters()), float).reshape(3, 7)
    assert not balls and np.abs(found).max() > 1.0
    np.testing.assert_allclose(found[1:], found[[0, 0]], rtol=1e-10, atol=1e-10 * np.abs(found).max())


# ---- chosen
@pytest.mark.parametrize("make", [plane, space])
@pytest.mark.parametrize("seed", range(6))
def test_an_algorithm_may_be_chosen(make, seed):
    """All joints, also those that slide along what turns, with and against the tree: all outputs at the start."""
    system = make(np.random.default_rng(100 + seed), 1 + seed)
    found = {name: told(system, "tree", tuning=replace(SINGLE, tree_algorithm=name)) for name in ALGORITHMS}
    size = max([1.0, *map(abs, found["articulated"].values())])
    for own in found.values():
        assert own == pytest.approx(found["articulated"], rel=0.0, abs=1e-13 * size)


def test_a_chosen_algorithm_runs_and_is_in_the_code():
    """A loop, closed by rows: the same motion to the tolerance, and not the same bits."""
    outputs, runs = ["slider.x", "B.fx", "energy.total"], {}
    for name in ALGORITHMS:
        how = {"formulation": "tree", "tolerance": 1e-11, "lanes": 2, "tuning": Tuning(tree_algorithm=name)}
        runs[name] = fm.run(slider_crank, {"speed": np.array([6.0, -9.0])}, end=0.2, points=11, outputs=outputs, settings=how)
        assert not runs[name].status.any(), runs[name].message
    for output in outputs:
        first, *others = (run[output] for run in runs.values())
        for other in others:
            np.testing.assert_allclose(other, first, rtol=0.0, atol=1e-9 * np.abs(first).max())
    assert any(not np.array_equal(runs["articulated"][output], runs["constraint_forces"][output]) for output in outputs)


def test_algorithms_that_cannot_be():
    system = fm.System(gravity=(0.0, -9.81))
    system.point_mass("bob", mass=0.7, position=(1.0, 0.0))
    words = said(lambda: TreeCoordinates(system, tuning=Tuning(tree_algorithm="constraint_forces")).a)
    names(words, "tree_algorithm", "constraint_forces", "without mass, or moments of inertia", "articulated")
    words = said(lambda: TreeCoordinates(system, tuning=Tuning(tree_algorithm="composit")))
    names(words, "composit", "composite")
