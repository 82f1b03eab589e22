"""A kind of node is one row of a table, and nobody tells kinds by text; a variable is a space and a number, and nobody parses its name."""

import ast
from pathlib import Path

import numpy as np
import pytest

import flexmbd
from flexmbd.language.arrays import Program
from flexmbd.language.graph import Graph
from flexmbd.language.kinds import KINDS, OPERATIONS, VARIABLE, Kind
from flexmbd.language.tracing import substitute
from flexmbd.language.variables import OF_SYSTEMS, OWN
from flexmbd.parameters import RUNTIME

from .generated import computed

ROOT = Path(flexmbd.__file__).parent
NAMES = {kind.name for kind in KINDS}
KEYS = ("motion.py", "analysis/varied_parameters.py")  # reads the power of a polynomial's coefficient, which users name


def larger(graph, a, b):
    """Node of a kind that nobody else knows."""
    return graph.make(LARGER, (graph.const(a), graph.const(b)), RUNTIME)


def written(piece, node):
    a, b = (piece.writer.value(piece.value(x)) for x in node.args)
    return piece.writer.select(a > b, a, b)


LARGER = Kind(
    "larger", "larger of two",
    numpy=lambda node, values, v, p: np.maximum(*values), write=written, arrays=lambda node, p: np.maximum,
    derivative=lambda g, node, x, k: g.select(g.greater(*node.args), *(g.derivative(a, x) for a in node.args)),
    rebuild=lambda g, node, args: larger(g, *args),
)  # fmt: skip


@pytest.mark.parametrize("width", [1, 4])
def test_a_kind_of_node_is_one_row(width):
    """Its values by numpy, by depth and by machine code, its derivative, and itself with other arguments, without a line elsewhere."""
    g, given = Graph(), np.random.default_rng(0).normal(size=(2, 4))
    x, y = g.space("q").first(2)
    node = larger(g, x * x, y) + 0.5 * x
    assert larger(g, x * x, y) is larger(g, x * x, y) and g.space("q").of(node) == [0, 1]
    nodes = [node, g.derivative(node, x), g.derivative(node, y), *substitute(g, [node], {x: y})]
    a, b = given
    exact = [np.maximum(a * a, b) + 0.5 * a, np.where(a * a > b, 2.0 * a, 0.0) + 0.5, np.where(a * a > b, 0.0, 1.0)]
    exact.append(np.maximum(b * b, b) + 0.5 * b)
    for found in (g.evaluate(nodes, {"q": given}), Program(g, nodes, [])({"q": given}), computed(g, nodes, given, width=width)):
        np.testing.assert_allclose(np.array(found), exact, rtol=1e-15)


def test_kinds_have_what_a_walk_asks_for():
    """What is computed at run time is written; what has no derivative, and what cannot be made again, are known."""
    read = {"const", "param", "table", "matrix", "inverse", "entry", "var"}
    assert len(NAMES) == len(KINDS) and {x.name for x in KINDS if x.write is None} == read
    assert {x.name for x in KINDS if x.derivative is None} - read == {">", "&"}
    assert {x.name for x in KINDS if x.rebuild is None} - read == {"factors", "substitution", "total", "largest", "span"}
    assert all(x.arrays for x in OPERATIONS.values()) and VARIABLE.numpy(Graph().var("q", 2), [], {"q": [1.0, 2.0, 3.0]}, None) == 3.0
    assert set(OWN) | set(OWN.values()) <= set(OF_SYSTEMS)


def texts(node):
    """Texts in an expression, also in a tuple, a list or a set of such."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return {x for part in node.elts for x in texts(part)}
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def of_kind(node):
    """Whether an expression is what says the kind of a node, or its name."""
    if not isinstance(node, ast.Attribute):
        return False
    return node.attr in ("op", "kind", "operation") or (node.attr == "name" and of_kind(node.value))


def told_by_text(tree):
    """Lines where the kind of a node is compared with a text, or a text made of it is taken apart."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(map(of_kind, sides)) and NAMES.intersection(*[set().union(*map(texts, sides))]):
                yield node.lineno
        elif isinstance(node, ast.Attribute) and node.attr in ("startswith", "removeprefix", "partition") and of_kind(node.value):
            yield node.lineno


def parsed(tree):
    """Lines where a number is read out of a name, or a name is made of a space and a number."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and ast.unparse(node.left).endswith(".value[0]") and texts(node.comparators[0]):
            yield node.lineno
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0] if node.args else None
        first = first.values[0] if isinstance(first, ast.BoolOp) else first
        if name in ("strip", "rstrip", "lstrip") and first is not None and any("0123" in x for x in texts(first)):
            yield node.lineno
        elif name == "int" and isinstance(first, ast.Subscript) and isinstance(first.slice, ast.Slice):
            yield node.lineno
        elif name in ("var", "place", "has") and isinstance(first, ast.JoinedStr):
            yield node.lineno


@pytest.mark.parametrize(("found", "count"), [(told_by_text, 5), (parsed, 6)])
def test_nobody_tells_kinds_by_text_or_parses_names(found, count):
    places = [(str(path.relative_to(ROOT)), line) for path in sorted(ROOT.rglob("*.py")) for line in found(ast.parse(path.read_text()))]
    assert [place for place in places if found is told_by_text or place[0] not in KEYS] == []
    what = """
x.op == "neg", x.op in ("+", "-"), x.kind == "out", node.kind.name == "call", x.op.startswith("total:")
name.rstrip("0123456789"), int(name[1:]), graph.var(f"q{i}"), variable.value[0] == "p", int(name[len(kind):] or 0), layout.place(f"{k}0")
"""
    assert len(list(found(ast.parse(what)))) == count
