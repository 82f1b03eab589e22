"""Graph nodes straight to machine code: against numpy, against C's library, and kept on disk."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmbd as fm
from flexmbd import lanes
from flexmbd.codegen.functions import Functions
from flexmbd.codegen.machine import Code
from flexmbd.codegen.storage import Storage
from flexmbd.codegen.targets import Cuda, ptx
from flexmbd.codegen.values import Untraceable
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.integrators import INTEGRATORS
from flexmbd.lanes import kernel, select, sincos
from flexmbd.language.derived import Derived
from flexmbd.language.graph import Graph
from flexmbd.state import Layout
from flexmbd.stepping import names

from .generated import Flat, computed, functions

WIDTHS = pytest.mark.parametrize("width", [1, 4, 16])


def worst(found, exact):
    """Largest distance in units of the last place."""
    exact = np.asarray(exact, float)
    same = (found == exact) | (np.isnan(found) & np.isnan(exact))
    with np.errstate(invalid="ignore"):
        return float(np.max(np.where(same, 0.0, np.abs(found - exact) / np.spacing(np.abs(exact)))))


POINTS = np.concatenate([[-745.0, -3.0, -1e-3, -0.0, 0.0, 1e-300, 1e-3], np.linspace(0.1, 700.0, 9)])[None, :]


@WIDTHS
@pytest.mark.parametrize(
    "word, exact",
    [
        ("exp", math.exp),
        ("log", lambda x: math.log(x) if x > 0 else (-math.inf if x == 0 else math.nan)),
        ("tanh", math.tanh),
        ("sqrt", lambda x: math.sqrt(x) if x >= 0 else math.nan),
        ("floor", lambda x: float(math.floor(x))),
    ],
)
def test_words_of_one_argument(word, exact, width):
    g = Graph()
    node = g.call(getattr(lanes, word), (g.var("q", 0),))
    for points in np.array_split(POINTS, POINTS.shape[1] // width or 1, axis=1) if width == 1 else [POINTS]:
        (found,) = computed(g, [node], points[:, :width], width=width)
        assert worst(found, [exact(x) for x in points[0, :width]]) <= 2.0


@WIDTHS
def test_sine_cosine_power_and_angle(width):
    rng, g = np.random.default_rng(1), Graph()
    q = np.stack([rng.uniform(-100, 100, 16), rng.uniform(-3, 3, 16)])
    x, y = g.var("q", 0), g.var("q", 1)
    nodes = [*g.call(sincos, (x,), 2), g.call(lanes.atan2, (x, y)), g.call(lanes.power, (x, y))]
    found = computed(g, nodes, q[:, :width], width=width)
    exact = [np.sin(q[0]), np.cos(q[0]), np.arctan2(q[0], q[1]), np.where(q[0] > 0, np.abs(q[0]) ** q[1], 0.0)]
    for row, right in zip(found, exact, strict=True):
        assert worst(row, right[:width]) <= 3.0


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("+ - * / neg sqrt fabs select".split()), *[st.integers(0, 99)] * 3), min_size=3, max_size=25))
def test_any_expression_is_that_of_numpy(steps):
    g, q = Graph(), np.random.default_rng(2).uniform(0.5, 2.0, (3, 4))
    known = [g.var("q", k) for k in range(3)] + [g.const(0.75)]
    for op, *places in steps:
        a, b, c = (known[k % len(known)] for k in places)
        node = {
            "+": lambda a, b, c: g.add(a, b),
            "-": lambda a, b, c: g.sub(a, b),
            "*": lambda a, b, c: g.mul(a, b),
            "/": lambda a, b, c: g.div(a, 1.0 + g.fabs(b)),
            "neg": lambda a, b, c: g.neg(a),
            "sqrt": lambda a, b, c: g.sqrt(g.fabs(a)),
            "fabs": lambda a, b, c: g.fabs(a),
            "select": lambda a, b, c: g.select(g.greater(a, b), b, c),
        }[op](a, b, c)
        known.append(g.div(node, 1.0 + g.fabs(node)))  # none grows without end
    exact = [np.broadcast_to(x, 4) for x in g.evaluate(known, {"q": q})]
    assert computed(g, known, q, width=4) == pytest.approx(np.array(exact), rel=1e-9, abs=1e-12)


@kernel
def softened(x, y):
    total = 0.0
    for k in range(3):
        total = total + select(x > k, x, y) * y
    return total, x - y


def test_a_kernel_is_run_as_it_stands():
    g, q = Graph(), np.random.default_rng(3).uniform(0.0, 3.0, (2, 16))
    nodes = list(g.call(softened, (g.var("q", 0), g.var("q", 1)), 2))
    total = sum(np.where(q[0] > k, q[0], q[1]) * q[1] for k in range(3))
    assert computed(g, nodes, q, width=16) == pytest.approx(np.stack([total, q[0] - q[1]]), rel=1e-14)


def test_a_lane_has_its_own_bits_whatever_is_beside_it():
    g, q = Graph(), np.random.default_rng(4).uniform(0.1, 3.0, (2, 16))
    x, y = g.var("q", 0), g.var("q", 1)
    nodes = [g.call(lanes.power, (x, y)), *g.call(sincos, (x * y + x,), 2), g.sqrt(x * x + y * y)]
    together = computed(g, nodes, q, width=16)
    for lane in range(16):
        alone = computed(g, nodes, np.repeat(q[:, lane : lane + 1], 16, axis=1), width=16)
        assert np.array_equal(alone[:, 3], together[:, lane])


def test_machine_code_is_kept_by_its_content(tmp_path, monkeypatch):
    monkeypatch.setenv("FLEXMBD_CACHE_DIR", str(tmp_path))
    texts = [functions(g, [g.mul(g.var("q", 0), factor)], 4)[0].text() for g in [Graph()] for factor in (2.0, 3.0)]
    first, other, again = (Code(text) for text in (*texts, texts[0]))
    assert first.name == again.name != other.name and not first.on_disk()
    assert first.address("f") and first.on_disk() and not other.on_disk()
    written = first.path.stat().st_mtime_ns
    assert again.address("f") and first.path.stat().st_mtime_ns == written
    assert [x.name for x in tmp_path.iterdir()] == [first.path.name]


def test_a_kernel_cannot_look_at_all_lanes():
    g = Graph()
    with pytest.raises(Untraceable):
        functions(g, [g.call(lanes.any_lane, (g.greater(g.var("q", 0), 0.0),))], 4)


def test_the_same_nodes_become_a_kernel_of_a_graphics_processor():
    """One sample a thread; elementary functions are the lanes' polynomials, so that nothing is called from outside."""
    g = Graph()
    x, y = g.var("q", 0), g.var("q", 1)
    nodes = [g.sqrt(x) * y, g.call(lanes.power, (x, y)), *g.call(sincos, (x,), 2), *g.call(softened, (x, y), 2)]
    made = Functions(g, Storage(), Flat(1), (names.NUMBERS, names.TABLES), Cuda(1024))
    made.add("f", [(("y", k), node) for k, node in enumerate(nodes)])
    lines = ptx(made.text()).splitlines()
    assert [line.strip() for line in lines if ".entry" in line] == [".visible .entry f("]
    assert not any(".extern" in line for line in lines)
    assert any("fma.rn.f64" in line for line in lines) and any("%tid.x" in line for line in lines)


def test_a_model_becomes_kernels_of_a_graphics_processor():
    """Of a cable: its matrix is eliminated in blocks, its elements are a group."""
    s = fm.System(gravity=(0.0, -9.81))
    rope = s.cable("rope", length=1.0, elements=6, section=fm.Section(1e-3, 1e-6), material=fm.Material(1e5, 0.3, 1000.0))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rope.start))
    equations = NaturalCoordinates(s)
    layout, storage = Layout(equations, INTEGRATORS["dormand_prince"], 1), Storage()
    made = Functions(equations.graph, storage, layout, (names.NUMBERS, names.TABLES), Cuda(256))
    made.add("rhs", [(("y", k), x) for k, x in enumerate(equations.a)])
    text = ptx(made.text())
    assert ".visible .entry rhs(" in text and ".extern" not in text


def powers(graph, x, y):
    """Forty numbers: an argument, a constant, two that are the same, and more."""
    found = [x, 0.5, x * y, x * y]
    for k in range(36):
        found.append(found[-1] * x + k)
    return found


@WIDTHS
def test_many_results_of_a_kernel_go_through_memory(width):
    """Those of a second call lie elsewhere than those of the first."""
    g, q, law = Graph(), np.random.default_rng(5).uniform(0.5, 1.1, (2, 16)), Derived("powers", powers, 0.0, 0.0)
    first = g.call(law, (g.var("q", 0), g.var("q", 1)), 40)
    second = g.call(law, (first[7], first[4]), 40)
    nodes = [x + y for x, y in zip(first, second, strict=True)]
    exact = powers(None, *q)
    exact = [a + b for a, b in zip(exact, powers(None, exact[7], exact[4]), strict=True)]
    assert computed(g, nodes, q, width=width) == pytest.approx(np.array([np.broadcast_to(x, 16) for x in exact]), rel=1e-12)
    assert "insertvalue" not in functions(g, nodes, width)[0].text()


def test_straight_code_does_a_register_of_lanes_at_once():
    """Each part has the bits that it has alone."""
    g, q = Graph(), np.random.default_rng(6).uniform(0.1, 3.0, (2, 16))
    x, y = g.var("q", 0), g.var("q", 1)
    nodes = [g.call(lanes.power, (x, y)) + g.sqrt(x), *g.call(softened, (x, y), 2)]
    text, together = functions(g, nodes, 16)[0].text(), computed(g, nodes, q, width=16)
    assert "<8 x double>" in text and "<16 x double>" not in text
    assert np.array_equal(together[:, 8:], computed(g, nodes, np.ascontiguousarray(q[:, 8:]), width=8))
