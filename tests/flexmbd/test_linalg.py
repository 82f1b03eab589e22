"""Expression graphs, quadratic rows, symbolic elimination, and machine code of nodes."""

import numpy as np
import pytest

from flexmbd import lanes
from flexmbd.errors import ModelError
from flexmbd.lanes import kernel, select
from flexmbd.language.arrays import Program
from flexmbd.language.graph import Graph
from flexmbd.language.kernels import KernelError
from flexmbd.language.ordering import operations
from flexmbd.language.quadratic import Quadratic, cross, dot
from flexmbd.language.tracing import derived_tangent, substitute, traced
from flexmbd.linalg.elimination import elimination_order, solve
from flexmbd.parameters import LANE, UNIFORM
from flexmbd.tuning import Tuning

from .generated import computed, functions


@kernel
def bent(x, y):
    """(x^2 y where x > 0, x + y)"""
    return select(x > 0.0, x * x * y, 0.0 * x), x + y


@kernel
def bent_tangent(x, y):
    """Derivatives of the first result of ``bent``."""
    return select(x > 0.0, 2.0 * x * y, 0.0 * x), select(x > 0.0, x * x, 0.0 * x)


def bent_partial(graph):
    def partial(arguments):
        dx, dy = graph.call(bent_tangent, arguments, 2)
        return {(0, 0): dx, (0, 1): dy, (1, 0): graph.const(1.0), (1, 1): graph.const(1.0)}

    return partial


def sincos(graph, x):
    return graph.call(lanes.sincos, (x,), 2, lambda args: {(0, 0): sincos(graph, args[0])[1], (1, 0): -sincos(graph, args[0])[0]})


def scene(graph):
    """Expressions with every operation, calls of calls, and a result that is an input."""
    x, y, z = (graph.var("q", i) for i in range(3))
    k, m = graph.param(0, UNIFORM), graph.param(1, LANE)
    s, c = sincos(graph, x * k + 0.5)
    a, b = graph.call(bent, (s * y + m, c - z), 2, bent_partial(graph))
    angle = graph.call(lanes.atan2, (a + 3.0, b * b + 1.0), None, lambda p: {(0, 0): p[1] / dot(p, p), (0, 1): -(p[0] / dot(p, p))})
    length = graph.sqrt(x * x + y * y + 1.0)
    picked = graph.select(graph.both(graph.greater(x, 0.0), graph.greater(m, y)), length / (1.0 + z * z), -(y * x))
    return [a, b * length - y * z, angle + picked, graph.fabs(z - x) * k - s, x, graph.const(2.5) + 0.0 * y, m * k * y]


VALUES = np.random.default_rng(3).normal(size=(3, 16))
NUMBERS = [1.7, np.linspace(-1.0, 1.0, 16)]


def evaluate(graph, nodes, shift=0.0, which=0):
    values = VALUES.copy()
    values[which] += shift
    return np.array([np.broadcast_to(x, 16) for x in graph.evaluate(nodes, {"q": values}, NUMBERS)])


# ---- graph
def test_equal_expressions_are_one_node():
    g = Graph()
    x, y = g.var("x"), g.var("y")
    assert x + y is y + x and x * y is y * x and (x + 0.0) is x and 1.0 * x is x and (0.0 * x).zero and 0.0 - (-x) is x
    assert x - x is g.const(0.0) and (-x) * (-y) is x * y and (x + -y) is x - y and (g.const(2.0) * 3.0).value == 6.0


@pytest.mark.parametrize("which", range(3))
def test_derivatives_are_those_of_differences(which):
    g = Graph()
    nodes = scene(g)
    exact = evaluate(g, [g.derivative(x, g.var("q", which)) for x in nodes])
    step = 1e-6
    assert np.allclose(exact, (evaluate(g, nodes, step, which) - evaluate(g, nodes, -step, which)) / (2 * step), rtol=2e-7, atol=2e-8)


def test_a_call_without_tangent_has_no_derivative():
    g = Graph()
    x = g.var("x")
    with pytest.raises(ModelError, match="bent"):
        g.derivative(g.call(bent, (x, 1.0), 2)[0], x)
    assert g.derivative(g.call(bent, (g.var("y"), 1.0), 2)[0], x).zero


def test_variables_of_an_expression():
    g = Graph()
    assert sorted(g.variables(g.var("b") * 2.0 + g.sqrt(g.var("a")))) == [("a", None), ("b", None)]
    assert g.variables(g.param(0, LANE) * 2.0) == []


# ---- quadratic rows
def rows(graph):
    t = graph.var("t")
    s, c = sincos(graph, 2.0 * t)
    q = [Quadratic(graph, {(i,): 1.0}) for i in range(4)]
    turned = (q[0] * c - q[1] * s, q[0] * s + q[1] * c)
    return [(q[0] * q[0] + q[1] * q[1] - 1.0) * 0.5, cross(turned, (q[2], q[3])), q[2] * 3.0 - q[1] * q[2] + t * t]


def test_rows_differentiate_along_a_motion():
    """Values, rates and accelerations of rows along q(t) = sum of powers, against differences in t."""
    g, coefficients = Graph(), np.random.default_rng(1).normal(size=(3, 4))

    def state(t):
        q = coefficients.T @ [1.0, t, t * t]
        v, a = coefficients.T @ [0.0, 1.0, 2 * t], 2 * coefficients[2]
        return {"t": t, "q": q, "v": v, "a": a}

    q, v, a = (g.space(name).first(4) for name in "qva")
    step = 1e-4
    for row in rows(g):
        nodes = [row.value(q), row.rate(q, v, g.var("t")), row.acceleration(q, v, a, g.var("t"))]
        before, now, after = (np.array(g.evaluate(nodes, state(0.3 + k * step)), float) for k in (-1, 0, 1))
        assert np.allclose((after - before)[:2] / (2 * step), now[1:], rtol=1e-6)


def test_gradient_and_hessian():
    g = Graph()
    q, point = [g.var("q", i) for i in range(4)], {"t": 0.4, "q": [0.3 * i - 0.5 for i in range(4)]}
    for row in rows(g):
        gradient, hessian = row.gradient(q), row.hessian()
        assert set(gradient) == row.indices
        for i in range(4):
            exact = g.derivative(row.value(q), q[i])
            assert np.allclose(*g.evaluate([exact, gradient.get(i, g.const(0.0))], point))
            for j in range(i, 4):
                assert np.allclose(*g.evaluate([g.derivative(exact, q[j]), hessian.get((i, j), g.const(0.0))], point))


def test_a_row_is_at_most_quadratic():
    q = Quadratic(Graph(), {(0,): 1.0})
    with pytest.raises(ValueError, match="quadratic"):
        q * q * q


# ---- elimination
def saddle(seed, symmetric):
    """Random sparse matrix of a chain with constraints: entries by (i, j), coordinates and rows."""
    rng, n = np.random.default_rng(seed), 9
    members = [{0, 1}, {2, 3, 4}, {4, 5}, {6, 7, 8}, {1, 8}]
    entries = {(i, i): 3.0 + rng.random() for i in range(n)}
    for i, j in ((0, 3), (3, 6), (2, 7)):
        entries[i, j] = rng.normal()
        entries[j, i] = entries[i, j] if symmetric else rng.normal()
    for k, row in enumerate(members):
        for i in row:
            entries[i, n + k] = entries[n + k, i] = rng.normal()
    return entries, n, members


@pytest.mark.parametrize("symmetric", (True, False))
@pytest.mark.parametrize("seed", range(5))
def test_elimination_solves(seed, symmetric):
    g = Graph()
    entries, n, members = saddle(seed, symmetric)
    size = n + len(members)
    full, names, numbers = np.zeros((size, size)), {}, {}
    for (i, j), x in entries.items():
        full[i, j] = x
        names[i, j] = g.var(f"m{i}_{j}" if not symmetric or i <= j else f"m{j}_{i}")
        numbers[names[i, j].value.space] = x
    given = {ij: x for ij, x in names.items() if not symmetric or ij[0] <= ij[1]}
    order = elimination_order(n, [{i, j} for i, j in entries if max(i, j) < n], members)
    right = np.random.default_rng(seed).normal(size=(2, size))
    sides = [{i: g.const(x) for i, x in enumerate(b)} for b in right]
    for solution, b in zip(solve(g, given, sides, order, symmetric=symmetric), right, strict=True):
        x = np.array(g.evaluate([solution[i] for i in range(size)], numbers), float)
        assert np.allclose(full @ x, b, rtol=1e-9, atol=1e-9)


def test_multipliers_wait_for_their_coordinates():
    _, n, members = saddle(0, True)
    order = elimination_order(n, [], members)
    assert sorted(order) == list(range(n + len(members)))
    for k, row in enumerate(members):
        assert order.index(n + k) > max(order.index(i) for i in row)


def test_elimination_without_symmetry_shares_what_is_symmetric():
    counts = []
    for symmetric in (True, False):
        g = Graph()
        entries, n, members = saddle(0, True)
        nodes = {(i, j): g.var(f"m{min(i, j)}_{max(i, j)}") for i, j in entries}
        given = {ij: x for ij, x in nodes.items() if not symmetric or ij[0] <= ij[1]}
        order = elimination_order(n, [{i, j} for i, j in entries if max(i, j) < n], members)
        (x,) = solve(g, given, [{i: g.var("b", i) for i in range(n)}], order, symmetric=symmetric)
        counts.append(operations(list(x.values()), g))
    assert counts[0] == counts[1]


# ---- machine code
@pytest.mark.parametrize("width", (1, 8))
@pytest.mark.parametrize("piece", (3000, 40))
def test_generated_code_agrees_with_numpy(piece, width):
    """In one piece, and in many."""
    g = Graph(Tuning(piece=piece))
    nodes = scene(g)
    nodes += [g.derivative(x, g.var("q", i)) for x in nodes for i in range(3)]
    assert np.allclose(computed(g, nodes, VALUES, NUMBERS, width=width), evaluate(g, nodes), rtol=1e-12, atol=1e-13)


def test_parameters_are_packed_by_level():
    g = Graph()
    x = g.var("q", 0)
    one, many = g.param(0, UNIFORM) * 2.0, g.param(1, LANE) * g.param(0, UNIFORM)
    _, storage = functions(g, [one * x + many], 2)
    uniform, lane = storage.pack(g, [3.0, np.array([1.0, 2.0])], 2)
    assert np.array_equal(uniform, [6.0]) and np.array_equal(lane, [[3.0], [6.0]])


def test_a_long_function_is_cut_into_pieces():
    g = Graph(Tuning(piece=100))
    x = total = g.var("q", 0)
    for k in range(500):
        total = g.sqrt(total * x + float(k + 1))
    made, _ = functions(g, [total], 1)
    text = made.text()
    assert 15 <= text.count("define internal void") <= 20
    (found,) = computed(g, [total], np.array([[0.5]]), width=1)
    assert found == pytest.approx(g.evaluate([total], {"q": [0.5]})[0], rel=1e-14)


@kernel
def turned(x, about, scale):
    """Sum of scale times the products of x with both vectors of a pair."""
    a, b = about
    return scale * (x[0] * a[0] + x[1] * a[1]), scale * (x[0] * b[1] - x[1] * b[0] * x[0])


def test_a_kernel_takes_vectors():
    """By numpy, in machine code, traced, with derivatives of its own and derived ones."""
    g, q = Graph(), np.random.default_rng(6).normal(size=(7, 4))
    x = [g.var("q", k) for k in range(7)]
    arguments = (x[0], x[1]), ((x[2], x[3]), (x[4], x[5])), x[6]
    results = g.call(turned, arguments, 2, derived_tangent(g, turned, 6))
    exact = turned.py_func((q[0], q[1]), ((q[2], q[3]), (q[4], q[5])), q[6])
    values = {"q": q}
    slopes, written = ([g.derivative(f, one) for f in of for one in x[:6]] for of in (results, traced(g, turned, arguments)))
    moved = substitute(g, list(results), {x[0]: x[0] + x[1]})
    for found in (np.array(g.evaluate(results, values)), Program(g, results, [])({"q": q}), computed(g, results, q, width=4)):
        assert found == pytest.approx(np.array(exact), rel=1e-14)
    assert computed(g, slopes, q, width=4) == pytest.approx(Program(g, written, [])({"q": q}), rel=1e-13)
    shifted = turned.py_func((q[0] + q[1], q[1]), ((q[2], q[3]), (q[4], q[5])), q[6])
    assert computed(g, moved, q, width=4) == pytest.approx(np.array(shifted), rel=1e-13)
    with pytest.raises(KernelError, match="has 3 arguments, but 7 are needed"):
        g.call(turned, x, 2)
