"""Nodes of kernels keep their tangents and the shape of their arguments; variables of a system have kinds that it knows."""

import numpy as np
import pytest

import flexmbd as fm
from flexmbd.formulation.natural import NaturalCoordinates
from flexmbd.lanes import kernel
from flexmbd.language.graph import Graph

from .generated import computed


@kernel
def area(x, y):
    return x * y


@kernel
def shape_sum(a, b):
    return a[0] + 10.0 * b[0]


def by(*which):
    """A tangent of `area` by some of its arguments."""
    return lambda args: {(0, j): args[1 - j] for j in which}


def test_a_second_call_takes_no_tangent_away():
    g = Graph()
    x, y = g.var("q", 0), g.var("q", 1)
    first = g.call(area, (x, y), tangent=by(0, 1))
    assert g.call(area, (x, y)) is first
    assert g.derivative(first, x) is y


@pytest.mark.parametrize("orders", [((0,), (1,)), ((1,), (0,)), ((), (0, 1))])
def test_tangents_of_several_calls_are_one(orders):
    """Derivatives that were asked for before are those of what was known then; afterwards all are there."""
    g = Graph()
    x, y = g.var("q", 0), g.var("q", 1)
    node = g.call(area, (x, y), tangent=by(*orders[0]) if orders[0] else None)
    if orders[0]:
        g.derivative(node, x)
    g.call(area, (x, y), tangent=by(*orders[1]))
    assert (g.derivative(node, x), g.derivative(node, y)) == (y, x)


def test_systems_know_the_kinds_of_their_variables():
    s = fm.System()
    s.body("b", mass=1.0, inertia=1.0)
    equations = NaturalCoordinates(s)
    for space, number in (("qq", 7), ("speed", None), ("q", None), ("t", 3), ("least_impact_velocity", None), ("x_", 1)):
        with pytest.raises(fm.ModelError, match=f"'{space}{'' if number is None else number}' is no variable"):
            equations.graph.var(space, number)
    assert equations.graph.var("q", 1) is equations.q[1] and equations.graph.var("t") is equations.time
    assert Graph().var("anything").value == ("anything", None)
    asked = ("least_impact_velocity", 0), ("q", 12), ("t",), ("law", 3)
    assert [str(equations.graph.var(*x).value) for x in asked] == ["least_impact_velocity0", "q12", "t", "law3"]


def test_only_states_are_given_rates():
    s = fm.System()
    s.body("b", mass=1.0, inertia=1.0)
    equations = NaturalCoordinates(s)
    for node in (equations.q[0], equations.graph.var("least_impact_velocity", 0), 2.0 * equations.q[0]):
        with pytest.raises(fm.ModelError, match="no further state"):
            equations.state_rate(node, equations.graph.const(1.0))
    state = equations.state(s.bodies[0], "own")
    equations.state_rate(state, equations.q[0])
    assert equations.states[state.value.number].rate is equations.q[0]


def test_numbers_alike_in_another_nesting_are_another_call():
    """One kernel called with ((x, y), z) and (x, (y, z)) in one function."""
    g = Graph()
    x, y, z = (g.var("q", k) for k in range(3))
    nodes = [g.call(shape_sum, ((x, y), (z,))), g.call(shape_sum, ((x,), (y, z)))]
    assert nodes[0] is not nodes[1]
    points = np.array([[1.0], [2.0], [5.0]])
    values = {"q": points[:3, 0].tolist()}
    assert g.evaluate(nodes, values, []) == [1.0 + 10.0 * 5.0, 1.0 + 10.0 * 2.0]
    assert [float(v[0]) for v in computed(g, nodes, points, width=1)] == [51.0, 21.0]
