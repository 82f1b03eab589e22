"""A matrix of numbers times a vector as one node: values, derivatives, and the motion of bodies of given matrices against scipy."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import expm

import flexmbd as fm
from flexmbd.bodies.base import Point
from flexmbd.bodies.elastic_liner import ElasticLiner
from flexmbd.element import Element
from flexmbd.equations import index1, newton, newton_index2, newton_midpoint, newton_stabilised
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.language.arrays import Program
from flexmbd.language.graph import Graph
from flexmbd.language.kinds import FACTORS, PRODUCT
from flexmbd.language.ordering import ordered
from flexmbd.language.quadratic import Quadratic
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


class Held(Moved):
    """The same with points that amplitudes move along y: "P" by the first one."""

    def place(self, equations, point):
        return Quadratic(equations.graph, {(): point.at[0]}), self.variable(equations, point.at[1])


def held(M, D, K, mass=2.0, at=(0,)):
    """A body of given matrices; points of a mass are pinned to it at some of its amplitudes."""
    count = len(M)
    shapes = {"harmonic": np.arange(count) + 1, "sine": np.zeros(count, bool), "shape": np.zeros(count, int)}
    s, points = fm.System(), {}
    own = Held("body", SimpleNamespace(**shapes, stiffness=K, mass=M), damping=D, points=points)
    s.bodies.append(own)
    for k in at:
        points[f"P{k}"] = Point(own, f"P{k}", (1.0 + k, k))
        ball = s.point_mass(f"ball{k}", mass=mass, position=(1.0 + k, own.initial()[0][k]))
        s.add(fm.Revolute(f"pin{k}", own[f"P{k}"], ball.centre))
    return s


def written(system, few):
    """A system's equations, with products that are loops from so many entries on."""
    return NaturalCoordinates(system, tuning=Tuning(product=few)).problem()


def anywhere(problem, system, nodes):
    """Values of nodes at a state like any other."""
    rng, n, rows = np.random.default_rng(3), problem.n, len(problem.rows)
    q = np.array(system.initial()[0], float) + 0.01 * rng.normal(size=n)
    known = {"q": q, "o": q - 1e-3, "t": 0.0, "beta_h2": 1e-4, "gamma_beta_h": 150.0, "step_share": 1e-3, "s": [0.0] * 9, "p": [0.0] * 9}
    known |= {key: rng.normal(size=size) for key, size in (("v", n), ("a", n), ("l", rows), ("u", rows))}
    return np.array(problem.graph.evaluate(nodes, known, system.parameters()), float)


@pytest.mark.parametrize("correction", [newton, newton_index2, newton_midpoint, newton_stabilised])
@pytest.mark.parametrize("band", [99, 2], ids=["full", "banded"])
def test_newtons_matrix_of_tables_is_that_of_its_entries(correction, band):
    """Corrections of an implicit step at a state like any other, by loops over tables and with each entry written out."""
    found = []
    for few in (20, 10**6):
        system = held(*matrices(16, band))
        problem = written(system, few)
        step, _ = correction(problem)
        found.append(anywhere(problem, system, [*step]))
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-14 * np.abs(found[1]).max())


class Both(Element):
    """Forces on the first amplitudes of a body: a matrix times four of them and the rates of four others, in one vector."""

    def __init__(self, name, matrix):
        self.name, self.matrix = name, matrix

    def parameters(self):
        return {"matrix": Matrix(self.matrix)}

    def apply(self, equations):
        vector = [*equations.q[:4], *equations.v[4:8]]
        for i, force in enumerate(equations.graph.product(equations.number(self, "matrix"), vector)):
            equations.generalized[i] = equations.generalized[i] + force


@pytest.mark.parametrize("correction", [newton, newton_index2, newton_midpoint, newton_stabilised])
def test_newtons_matrix_knows_coordinates_from_rates_in_one_product(correction):
    found = []
    for few in (20, 10**6):
        system = held(*matrices(16, 99))
        system.add(Both("both", 100.0 * np.random.default_rng(5).normal(size=(6, 8))))
        problem = written(system, few)
        step, _ = correction(problem)
        found.append(anywhere(problem, system, [*step]))
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-14 * np.abs(found[1]).max())


@pytest.mark.parametrize("correction", [newton, newton_stabilised])
def test_newtons_matrix_has_no_nodes_by_entry(correction):
    """Nodes that a correction adds, for twice the coordinates: twice as many, not four times."""
    added = []
    for count in (20, 40):
        problem = written(held(*matrices(count, 99)), 200)
        before = len(problem.graph.nodes)
        step, _ = correction(problem)
        added.append(len(problem.graph.nodes) - before + 0 * len([*step]))
    assert added[1] < 2.3 * added[0]


@pytest.mark.parametrize("at", [(0,), (0, 3, 5)], ids=["a point", "three points"])
def test_constant_masses_in_rows_are_eliminated_by_their_inverse(at):
    """Accelerations and reactions are those of mass matrix and rows together, and no matrix is factorised at run time."""
    system = held(*matrices(16, 99), at=at)
    problem = written(system, 20)
    roots = [*problem.a, *problem.multipliers]
    assert not any(x.kind is FACTORS for x in ordered(problem.graph, roots))
    n, rows = problem.n, len(problem.rows)
    A, side = np.zeros((n + rows, n + rows)), np.zeros(n + rows)
    for (i, j), m in problem.inertia.entries.items():
        A[i, j] = A[j, i] = anywhere(problem, system, [m])[0]
    for k, row in enumerate(problem.rows):
        for i, x in row.polynomial.gradient(problem.q).items():
            A[n + k, i] = A[i, n + k] = anywhere(problem, system, [x])[0]
    side[:n] = anywhere(problem, system, list(problem.generalized))
    np.testing.assert_allclose(anywhere(problem, system, roots), np.linalg.solve(A, side), rtol=1e-11, atol=1e-11)
    dq, dv = index1.corrections(problem, problem.rows)
    places = anywhere(problem, system, [row.polynomial.value(problem.q) for row in problem.rows])
    np.testing.assert_allclose(anywhere(problem, system, dq), np.linalg.solve(A, [*np.zeros(n), *-places])[:n], rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("kind", HOW)
def test_a_mass_on_a_joint_moves_as_if_it_were_in_the_matrix(kind):
    """A mass pinned to the first amplitude of a body of 16: the matrix exponential of the body with that mass in its own."""
    (settings, error), (M, D, K) = HOW[kind], matrices(16, 99)
    settings = settings | {"tuning": Tuning(product=20), "lanes": 2}
    run = fm.run(
        lambda mass: held(M, D, K, mass), {"mass": [1.0, 3.0]}, end=0.5, points=6, outputs=["body.c1", "ball0.y"], settings=settings
    )
    start = np.array([*Moved.initial(SimpleNamespace(coordinates=16))[0], *np.zeros(16)])
    for i, mass in enumerate((1.0, 3.0)):
        whole = M + np.diag([mass, *[0.0] * 15])
        A = np.block([[np.zeros((16, 16)), np.eye(16)], [-np.linalg.solve(whole, K), -np.linalg.solve(whole, D)]])
        wanted = np.array([(expm(A * t) @ start)[0] for t in run.time])
        np.testing.assert_allclose(run["body.c1"][i], wanted, atol=error * 0.01)
        np.testing.assert_allclose(run["ball0.y"][i], run["body.c1"][i], atol=1e-9)


def test_tables_in_functions_in_units_give_the_same_to_the_last_bit():
    """An implicit motion with a joint, its functions in straight lines and in units."""
    found = []
    for units in (10**6, 1):
        tuning = Tuning(product=20, units=units, unit_function=1, unit_share=1e9)
        settings = HOW["implicit"][0] | {"tuning": tuning, "lanes": 2, "step": 1e-3}
        found.append(fm.run(held(*matrices(16, 99)), end=0.01, points=3, outputs=["body.c1", "body.c16"], settings=settings))
    assert np.array_equal(found[0]["body.c16"], found[1]["body.c16"]) and np.ptp(found[0]["body.c16"]) > 0.0
