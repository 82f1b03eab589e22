"""Text of LLVM's intermediate language: it is read, and every operation gives numpy's bits in every width."""

import llvmlite.binding as llvm
import numpy as np
import pytest

from flexmbd.caching import machine as machine_of
from flexmbd.codegen.text import Instructions, Module, number
from flexmbd.equations import index1, saddle
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.language.graph import Graph
from flexmbd.language.kinds import OPERATIONS
from flexmbd.language.ops import OPS
from flexmbd.linalg.elimination import factorise
from flexmbd.tuning import Tuning

from .generated import computed, functions
from .test_units import chain, row

SAMPLES = 16
GIVEN = np.array([
    [0.0, -0.0, 1.0, -2.5, 3e-310, 1e300, -1e300, 7.0, 0.1, -0.3, 2.0, -2.0, 1e-5, 5e5, 0.7, -1e-9],
    [-0.0, 0.0, 3.0, -2.5, 4.0, 1e10, 0.3, -7.0, 0.2, 0.9, -2.0, 2.0, 1e5, 3e-3, 0.7, 1e9],
    [1.0, 2.0, -0.0, 4.5, 1e-3, -6.0, 0.25, 8.0, 9.0, 0.0, 11.0, -12.0, 13.0, 0.5, -0.5, 16.0],
])  # fmt: skip


def operation(graph, op, *args):
    """Node of an operation, without what `Graph` folds; a truth as 1 or 0."""
    if op == "&":
        args = graph.greater(args[0], args[1]), graph.greater(args[0], args[2])
    if op == "select":
        args = graph.greater(args[0], args[1]), args[1], args[2]
    count = {"neg": 1, "sqrt": 1, "fabs": 1, "select": 3}.get(op, 2)
    node = getattr(graph, OPS[op].make)(*args[:count])
    assert node.kind is OPERATIONS[op], "the graph makes what the table says"
    return graph.select(node, 1.0, 0.0) if op in (">", "&") else node


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("op", OPS)
def test_an_operation_has_the_bits_of_numpy(op, width):
    g = Graph()
    x, y, z = (g.var("q", k) for k in range(3))
    nodes = [operation(g, op, x, y, z), operation(g, op, x, g.const(0.75), g.const(-0.0)), operation(g, op, g.param(0, 1), x, y)]
    nodes.append(operation(g, op, g.param(1, 2), z, x))
    given = [-1.5, np.linspace(-2.0, 3.0, SAMPLES)]
    with np.errstate(all="ignore"):
        exact = g.evaluate(nodes, {"q": GIVEN}, given)
        found = computed(g, nodes, GIVEN, given, width=width)
    exact = np.array([np.broadcast_to(np.asarray(v, float), SAMPLES) for v in exact])
    same = (found.view(np.int64) == exact.view(np.int64)) | (np.isnan(found) & np.isnan(exact))
    assert same.all(), f"{op}: {found[~same]} against {exact[~same]}"


def test_each_operation_is_one_instruction():
    """What comes beside it is where arguments are and the result goes; the condition of a choice is one more."""
    aside = ("getelementptr", "bitcast", "load", "mul i64")
    for op in set(OPS) - {">", "&"}:
        g = Graph()
        made, _ = functions(g, [operation(g, op, *(g.var("q", k) for k in range(3)))], 4)
        llvm.parse_assembly(made.text(), llvm.create_context()).verify()
        lines = [line for line in made.text().splitlines() if line.startswith("%") and not any(x in line for x in aside)]
        assert len(lines) == (2 if op == "select" else 1), lines


def test_numbers_keep_their_bits():
    for x, bits in ((0.0, "0" * 16), (-0.0, "8" + "0" * 15), (1.0, "3ff" + "0" * 13), (float("inf"), "7ff" + "0" * 13)):
        assert number(x) == "0x" + bits


def test_blocks_functions_and_constants_are_read():
    """All that the writer has and a small model may not need: a choice of cases, a table, a symbol, what joins two ways."""
    module = Module()
    table, kind = module.numbers("table", [1.0, -0.0, np.pi])
    f = module.function("f", "i64", ["i32", "double*"], ("which", "rows"))
    f.apart("rows")
    b = Instructions(f)
    cases, after = [b.append() for _ in range(3)], b.append()
    b.switch("%which", cases, after)
    entry, came = b.block, []
    for k, b.block in enumerate(cases):
        place = b.new(f"getelementptr {kind}, {kind}* {table}, i64 0, i64 {k}")
        b.store("double", b.load("double", place), "%rows")
        came.append((10 * k, b.block))
        b.branch(after)
    b.block = after
    found, complete = b.phi("i64")
    complete((-1, entry), *came)
    assert b.alloca("double", 3) and entry.end, "a place is made where the function begins, however late"
    b.give(found)
    assert module.declared("f", "i64", []) is f
    module.symbol("elsewhere")
    text = module.text()
    llvm.parse_assembly(text, llvm.create_context()).verify()
    assert "noalias %rows" in text and text.count("declare") == 0 and "external global double" in text


def test_code_without_loops_is_the_same_with_fewer_passes():
    """What `Code` takes for granted: of straight code and of units LLVM's usual passes make no more."""
    for tuning in (Tuning(units=10**9, blocks=10**9), Tuning(units=0, unit_function=0, unit_share=1e9, blocks=10**9)):
        g, nodes, *_ = chain(10, 1, tuning, 1e-3)
        made, _ = functions(g, nodes, 16)
        assert not made.loops
        objects = []
        for level in (1, 2):
            machine = machine_of(2)
            module = llvm.parse_assembly(made.text(), llvm.create_context())
            module.triple = machine.triple
            builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=level))
            builder.getModulePassManager().run(module, builder)
            objects.append(machine.emit_object(module))
        assert objects[0] == objects[1]


def test_factors_of_one_matrix_are_found_once(monkeypatch):
    """Accelerations, nearness to singular positions and corrections of them have the same."""
    found = []
    monkeypatch.setattr(saddle, "factorise", lambda *a, **k: found.append(a) or factorise(*a, **k))
    problem = NaturalCoordinates(row(3, 1.0)).problem([])
    dq, dv = index1.corrections(problem, problem.rows)
    index1.nearness(problem)
    assert len(found) == 1
    problem.graph.factors_of.clear()
    assert index1.corrections(problem, problem.rows) == (dq, dv) and len(found) == 2, "the nodes are the same without"
