"""Which outputs cannot be negative: by how their nodes are computed, held against values at random arguments."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.language.graph import Graph
from flexmbd.language.signs import at_most_one, nonnegative

from .test_contact_laws import VARIANTS


@pytest.fixture
def graph():
    return Graph()


def test_what_is_never_negative(graph):
    x, y, count = graph.var("x"), graph.var("y"), graph.var("impacts", 3)
    size = graph.sqrt(x * x + y * y)
    for node in (
        size,
        x * x,
        graph.fabs(x),
        count,
        size * count,
        size / graph.const(2.0),
        size + 3.0,
        graph.const(0.0),
        graph.length((x, y)),
    ):
        assert nonnegative(node)
    assert nonnegative((x > 0.0).select(x, 0.0)) and nonnegative((x < 0.0).select(-x, x)) and nonnegative((x > 2.0).select(x, size))


def test_what_may_be_negative(graph):
    x, y = graph.var("x"), graph.var("y")
    size = graph.sqrt(x * x + y * y)
    for node in (x, x * y, size - 1.0, -size, graph.const(-1.0), size + x, size * x, (x > -1.0).select(x, 0.0), (x > 0.0).select(y, 0.0)):
        assert not nonnegative(node)
    assert not nonnegative(graph.param(0, 1)) and nonnegative(graph.param(0, 1), {0})


def test_what_lies_between_zero_and_one(graph):
    x, touch = graph.var("x"), (graph.var("x") > 0.0).select(1.0, 0.0)
    for node in (touch, (x > 2.0).select(0.0, touch), touch * touch, graph.const(1.0), (x > 1.0).select(touch * 0.5, 0.25)):
        assert at_most_one(node)
    for node in (x, touch + touch, (x > 0.0).select(2.0, 0.0), (x > 0.0).select(x, 0.0), graph.const(-0.1), graph.sqrt(x)):
        assert not at_most_one(node)


@pytest.mark.parametrize("law", VARIANTS)
def test_what_is_said_of_laws_holds(law):
    """At random penetrations and rates, of which some leave faster than a law's damping pulls."""
    graph, kernel, names = Graph(), law.kernels().force, list(law.numbers())
    own = [graph.var(name) for name in ("x", "y", "z")] + [graph.param(k, 1) for k in range(len(names))]
    said = nonnegative(graph.call(kernel, own, 2)[0], {k for k, name in enumerate(names) if name == "K"})
    rng = np.random.default_rng(0)
    seen = [kernel(d, r, v, *law.numbers().values())[0] for d, r, v in rng.uniform((0.0, -9.0, 0.1), (3e-6, 9.0, 1.0), (300, 3))]
    assert not said or min(seen) >= 0.0
    assert said or law.name not in ("hunt_crossley", "flores", "hertz")  # of a power of what may be negative nothing is said


def test_a_system_names_them():
    system = fm.System(gravity=(0.0, -9.81))
    ball = system.body("ball", mass=1.0, inertia=0.1, position=(0.0, 0.05))
    system.add(fm.DiscPlane("floor", ball.centre, system.ground.at(0.0, 0.0), 0.04, fm.HuntCrossley(stiffness=1e6, restitution=0.5)))
    wanted = ["floor.force", "floor.normal", "floor.impacts", "floor.penetration", "floor.contact", "ball.y", "ball.vy", "floor.force:max"]
    found = fm.run(system, end=0.3, points=20, outputs=wanted)
    said = found.attributes["outputs.nonnegative"].split(", ")
    assert set(said) == {"floor.force", "floor.normal", "floor.impacts", "floor.contact"}
    assert found.attributes["outputs.at_most_one"] == "floor.contact"
    assert all((found.outputs[name] >= 0).all() for name in said)
