"""Elimination in dense blocks at run time, against numpy."""

import numpy as np
import pytest

from flexmbd.language.graph import Graph
from flexmbd.linalg import blocks, elimination
from flexmbd.linalg.elimination import elimination_order, factorise
from flexmbd.tuning import Tuning

from .generated import computed


def chain(nodes=7, joints=((0,), (6,), (2, 5))):
    """A chain of nodes of three coordinates with constraint rows on some of them: pattern and a matrix that needs no pivoting."""
    n, random = 3 * nodes, np.random.default_rng(1)
    matrix = np.zeros((n + len(joints), n + len(joints)))
    for k in range(nodes - 1):
        part = slice(3 * k, 3 * k + 6)
        matrix[part, part] += random.normal(size=(6, 6)) + 10.0 * np.eye(6)
    members = [{3 * i + a for i in joint for a in (0, 2)} for joint in joints]
    for k, row in enumerate(members):
        for i in row:
            matrix[n + k, i], matrix[i, n + k] = random.normal(size=2)
    return n, members, matrix


def equations(graph, matrix):
    size = len(matrix)
    entries = {(i, j): graph.var("m", size * i + j) for i in range(size) for j in range(size) if matrix[i, j]}
    return entries, {i: graph.var("m", size * size + i) for i in range(0, size, 2)}


@pytest.fixture
def solved():
    """Graph, unknowns and numbers of a chain, eliminated in blocks."""
    n, members, matrix = chain()
    graph = Graph(Tuning(blocks=0, dense=np.inf))
    entries, side = equations(graph, matrix)
    order = elimination_order(n, [{i, j} for i, j in entries if max(i, j) < n], members)
    factors = factorise(graph, entries, order, symmetric=False)
    assert isinstance(factors, blocks.BlockFactors)
    unknowns = factors.solve(side)
    numbers = np.concatenate([matrix.ravel(), np.random.default_rng(2).normal(size=len(matrix))])
    right = np.where(np.arange(len(matrix)) % 2, 0.0, numbers[matrix.size :])
    return graph, [unknowns[i] for i in range(len(matrix))], numbers, np.linalg.solve(matrix, right)


def test_evaluation_by_numpy(solved):
    graph, unknowns, numbers, exact = solved
    assert graph.evaluate(unknowns, {"m": numbers}) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("width", (1, 8))
def test_machine_code(solved, width):
    graph, unknowns, numbers, exact = solved
    scale = np.linspace(1.0, 2.0, width)
    given = np.ascontiguousarray(np.outer(numbers, np.ones(width)))
    given[len(exact) ** 2 :] *= scale
    assert computed(graph, unknowns, given, width=width) == pytest.approx(np.outer(exact, scale), rel=1e-11)


def test_pivots_coupled_alike_share_a_block():
    n, members, matrix = chain(joints=())
    entries, _ = equations(Graph(), matrix)
    order = elimination_order(n, [{i, j} for i, j in entries], members)
    place = {p: k for k, p in enumerate(order)}
    ahead = {p: {j for i, j in entries if i == p and place[j] > place[p]} for p in order}
    plan = blocks.Plan(order, elimination._fill(order, place, ahead)[0])
    assert len(plan.pivots) < n / 2
    assert plan.size < 1.5 * np.count_nonzero(matrix)
