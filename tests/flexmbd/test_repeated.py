"""Functions of nodes that are recorded once and repeated: the nodes are those of the function itself."""

import numpy as np
import pytest

from flexmbd.language.graph import Graph
from flexmbd.language.repeated import repeated


def mixed(a, b):
    """Sums, products, quotients, negatives, roots of two vectors."""
    (x, y), (z, w) = a, b
    return [x * z - y * w, [-(x + w) / z, (y * y, 2.0)], x - x, -z, 3.0 * (x - w)]


def made(vectors, *, direct):
    """What each call gives, and the graph: nodes by kind, arguments and value."""
    g = Graph()
    g.watched = direct
    x = [g.var("x", k) for k in range(6)]
    found = [repeated(mixed, args, *args) for args in vectors(g, x)]
    told = [(node.kind.name, tuple(a.id for a in node.args), node.value, node.level) for node in g.nodes]
    return g, told, found


def flat(found):
    return [y for x in found for y in (flat(x) if isinstance(x, (list, tuple)) else (getattr(x, "id", x),))]


@pytest.mark.parametrize(
    "vectors",
    [
        lambda g, x: [((x[k], x[k + 1]), (x[k + 2], x[k + 3])) for k in range(3)],
        lambda g, x: [((x[k + 3], x[k + 1]), (x[k + 2], x[k])) for k in range(3)],
        lambda g, x: [((x[k], 0.0), (x[k + 2], g.const(1.0))) for k in range(4)],
        lambda g, x: [((x[k], -x[k + 1]), (-x[k], x[k])) for k in range(4)],
        lambda g, x: [((x[k], x[k] * x[k + 1]), (-x[k + 1], -x[k])) for k in range(4)],
        lambda g, x: [((x[0], x[1]), (x[1], x[2])), ((x[0], x[0]), (x[1], x[2])), ((x[0], x[1]), (x[1], 2.0)), ((x[0], x[1]), (x[1], 3.0))],
    ],
)
def test_nodes_are_those_of_the_function(vectors):
    (_, one, a), (graph, other, b) = (made(vectors, direct=direct) for direct in (True, False))
    assert one == other
    assert flat(a) == flat(b)
    assert len(graph.tapes) < 4 or len(b) == len(graph.tapes)


def test_what_is_equal_by_chance_is_not_repeated():
    """A difference that is zero because a number happens to be the product that the function makes."""
    g = Graph()
    x = [g.var("x", k) for k in range(4)]

    def function(a, b, c):
        return a * b - c

    chance = x[0] * x[1]
    assert repeated(function, (x[0], x[1], chance), x[0], x[1], chance).zero
    assert not repeated(function, (x[1], x[2], x[3]), x[1], x[2], x[3]).zero


def test_numbers_and_arrays_are_left_to_the_function():
    assert repeated(mixed, ((1.0, 2.0), (3.0, 4.0)), (1.0, 2.0), (3.0, 4.0))[0] == -5.0
    g, array = Graph(), np.arange(3.0)
    args = (g.var("x"), 1.0), (array, 1.0)
    assert repeated(lambda a, b: b[0], args, *args) is array
    assert not g.tapes


def test_functions_that_make_other_nodes_are_called_again():
    g = Graph()

    def function(x):
        return g.select(g.greater(x, 0.0), x, -x)

    for k in range(3):
        x = g.var("x", k)
        assert repeated(function, (x,), x).args[1] is x
    assert set(g.tapes.values()) == {None}
