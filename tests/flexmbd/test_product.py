"""A matrix of numbers times a vector as one node: values, derivatives, and the motion of bodies of given matrices against scipy."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import expm

import flexmbd as fm
from flexmbd.bodies.elastic_liner import ElasticLiner
from flexmbd.language.arrays import Program
from flexmbd.language.graph import Graph
from flexmbd.language.kinds import PRODUCT
from flexmbd.language.ordering import ordered
from flexmbd.parameters import LANE, UNIFORM, Matrix
from flexmbd.tuning import Tuning

RNG = np.random.default_rng(7)
FULL = RNG.normal(size=(5, 7))
SPARSE = np.where(RNG.random((5, 7)) < 0.3, FULL, 0.0)


def products(matrix, tuning, level=UNIFORM):
    """Graph, and nodes of ``A (q0, q1, ..., q0 q1)``, of seven numbers."""
    graph = Graph(tuning)
    q = graph.space("q").first(6)
    table = graph.table("A", level, matrix.shape[-2:])
    entries = None if np.all(matrix) else [(int(i), int(j)) for i, j in np.argwhere(matrix)]
    return graph, q, graph.product(table, [*q, q[0] * q[1]], entries)


def vector(q):
    return np.array([*q, q[0] * q[1]])


@pytest.mark.parametrize("matrix", [FULL, SPARSE], ids=["full", "sparse"])
@pytest.mark.parametrize("few", [0, 1000], ids=["loop", "written out"])
def test_values_and_derivatives_are_those_of_the_matrix(matrix, few):
    graph, q, rows = products(matrix, Tuning(product=few))
    assert any(x.kind is PRODUCT for x in ordered(graph, rows)) == (few == 0)
    at, given = RNG.normal(size=6), {"A": Matrix(matrix)}
    np.testing.assert_allclose(graph.evaluate(rows, {"q": at}, given), matrix @ vector(at), rtol=1e-13)
    for k in range(6):
        change = np.zeros(6, complex)
        change[k] = 1e-30j
        wanted = (matrix @ vector(at + change)).imag / 1e-30
        slopes = [graph.derivative(row, q[k]) for row in rows]
        np.testing.assert_allclose(graph.evaluate(slopes, {"q": at}, given), wanted, rtol=1e-13, atol=1e-13)
    single = graph.derivative(rows[0], q[3])
    assert single.zero if matrix[0, 3] == 0.0 else single.value == (0, 3)  # a number of the matrix itself
    many = RNG.normal(size=(6, 3))
    np.testing.assert_allclose(Program(graph, rows, given)({"q": many}), matrix @ vector(many), rtol=1e-13)


def test_each_sample_may_have_its_own_matrix():
    graph, _, rows = products(FULL, Tuning(product=0), LANE)
    own, at = RNG.normal(size=(3, 5, 7)), RNG.normal(size=(6, 3))
    wanted = np.einsum("sij,js->is", own, vector(at))
    np.testing.assert_allclose(graph.evaluate(rows, {"q": list(at)}, {"A": Matrix(own)}), wanted, rtol=1e-13)


class Moved(ElasticLiner):
    """A liner that is out of place at the start."""

    def initial(self):
        return tuple(0.01 * np.cos(np.arange(self.coordinates))), (0.0,) * self.coordinates


def matrices(count, band):
    """Mass, damping and stiffness: full, or of so many diagonals beside the middle one."""
    rng = np.random.default_rng(count)
    near = np.abs(np.subtract.outer(np.arange(count), np.arange(count))) <= band
    made = (near * (x + x.T) + 8.0 * min(count, band) * np.eye(count) for x in rng.uniform(-1.0, 1.0, size=(3, count, count)))
    return [scale * x for scale, x in zip((1.0, 0.5, 100.0), made, strict=True)]


def body(M, D, K, stiffness):
    count = len(M)
    shapes = {"harmonic": np.arange(count) + 1, "sine": np.zeros(count, bool), "shape": np.zeros(count, int)}
    s = fm.System()
    s.bodies.append(Moved("body", SimpleNamespace(**shapes, stiffness=K, mass=M), stiffness=stiffness, damping=D))
    return s


HOW = {
    "explicit": ({"integrator": "dormand_prince", "tolerance": 1e-9}, 1e-8),
    "implicit": ({"integrator": "generalized_alpha", "step": 2e-4}, 1e-5),
}


@pytest.mark.parametrize("kind", HOW)
@pytest.mark.parametrize("band", [99, 2], ids=["full", "banded"])
def test_motion_is_that_of_the_matrix_exponential(kind, band):
    """Three samples of 16 degrees of freedom in loops; each moves as it does alone, to the last bit."""
    (settings, error), (M, D, K) = HOW[kind], matrices(16, band)
    settings = settings | {"tuning": Tuning(product=20), "lanes": 2}
    factors = np.array([0.5, 1.0, 2.0])
    run = fm.run(lambda stiffness: body(M, D, K, stiffness), {"stiffness": factors}, end=0.5, points=6, outputs=["body.c1", "body.c16"],
                 settings=settings)  # fmt: skip
    start = np.array([*Moved.initial(SimpleNamespace(coordinates=16))[0], *np.zeros(16)])
    for i, factor in enumerate(factors):
        A = np.block([[np.zeros((16, 16)), np.eye(16)], [-np.linalg.solve(M, factor * K), -np.linalg.solve(M, D)]])
        wanted = np.array([expm(A * t) @ start for t in run.time])
        np.testing.assert_allclose(run["body.c1"][i], wanted[:, 0], atol=error * 0.01)
        np.testing.assert_allclose(run["body.c16"][i], wanted[:, 15], atol=error * 0.01)
        alone = fm.run(body(M, D, K, np.array([factor])), end=0.5, points=6, outputs=["body.c1", "body.c16"], settings=settings)
        assert np.array_equal(alone["body.c16"][0], run["body.c16"][i])


def test_matrices_that_differ_between_samples():
    """Systems of a matrix each, side by side: what each does alone."""
    (settings, _), made = HOW["explicit"], [matrices(16, 99), matrices(16, 50)]
    settings = settings | {"tuning": Tuning(product=20), "lanes": 2}

    def build(which):
        return body(*made[int(which)], stiffness=1.0)

    ask = {"end": 0.2, "points": 3, "outputs": ["body.c1"], "settings": settings}
    both = fm.run(build, {"which": [0.0, 1.0]}, **ask)
    for i in range(2):
        np.testing.assert_allclose(both["body.c1"][i], fm.run(build(i), **ask)["body.c1"], rtol=1e-12)


def test_matrices_may_change_during_a_motion():
    """Mass and stiffness of two samples become others half way: what is made of the mass is made anew."""
    M, D, K = matrices(16, 99)
    settings = HOW["explicit"][0] | {"tuning": Tuning(product=20), "lanes": 2}
    simulation = fm.compile(lambda f: body((1.0 + float(f)) * M, D, float(f) * K, 1.0), {"f": [1.0, 2.0]}, end=0.4, settings=settings)
    state = simulation.step(simulation.start({"f": [1.0, 2.0]}), 0.2)
    found = simulation.step(state, 0.4, inputs={"f": [3.0, 0.5]})["coordinates"]
    for i, factors in enumerate(((1.0, 3.0), (2.0, 0.5))):
        x = np.array([*Moved.initial(SimpleNamespace(coordinates=16))[0], *np.zeros(16)])
        for f in factors:
            parts = -np.linalg.solve((1.0 + f) * M, np.hstack([f * K, D]))
            x = expm(0.2 * np.vstack([np.hstack([np.zeros((16, 16)), np.eye(16)]), parts])) @ x
        np.testing.assert_allclose(found[i], x[:16], atol=1e-10)
