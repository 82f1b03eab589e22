"""Nodes of a function in units, runs of them that `Graph.mark` began: of units alike one is compiled, and run over a table.

Two units are alike if they do the same operations in the same order with operands from the same places of the unit, or from the same
arrays. The equations of a row of planar bodies are of some hundred structures, however long it is.
"""

from __future__ import annotations

from bisect import bisect_right

from flexmbd.language.kinds import MUL, NEG, RESULT, VARIABLE
from flexmbd.language.nodes import Node
from flexmbd.language.ordering import groups_of, leaf, ordered
from flexmbd.parameters import CONSTANT, RUNTIME, UNIFORM

AGAIN = (MUL, NEG)  # operations that every reader does itself, if it can: a value less in memory
HANDED = ("work", "truth")  # arrays of what units hand on


class Unit:
    """A run of nodes.

    Attributes
    ----------
    number : int
        Its place in the order.
    nodes : list of Node
        What it computes; first what another unit has computed too.
    reads : dict int -> (str, Node)
        By id of what it reads, in the order of first use: the array that it is in, and the node. Arrays are those of `codegen.functions`,
        or one of `HANDED`.
    gives : list of (str, Node, int or None)
        What it stores: array, node, row; values for other units first, which have no row yet.
    key : tuple
        Units alike have the same.
    """

    __slots__ = ("gives", "key", "nodes", "number", "reads")

    def __init__(self, number):
        self.number, self.nodes, self.reads, self.gives, self.key = number, [], {}, [], None


def in_units(graph, stores, given=None):
    """Nodes that a function computes, if it is to be written in units: of a large model, without loops or guards of its own; else None."""
    tuning = graph.tuning
    if given or groups_of(stores) or not graph.marks or len(graph.nodes) < tuning.units:
        return None
    nodes = [x for x in ordered(graph, [node for _, node in stores]) if not leaf(x)]
    return None if len(nodes) < tuning.unit_function or any(x.kind.loops for x in nodes) else nodes


def units(graph, nodes, stores, place):
    """Units of a function in their order.

    Parameters
    ----------
    nodes : list of Node
        From `in_units`.
    stores : list of ((str, int), Node)
    place : callable
        Array and row of a variable, by its name.
    """
    of, made = _cut(graph, nodes)
    for unit, others in zip(made, _again(nodes, of, len(made)), strict=True):
        unit.nodes = [*others.values(), *unit.nodes]
    handed = {}
    for unit in made:
        own = {x.id for x in unit.nodes}
        for a in (a for x in unit.nodes for a in arguments(x)):
            if a.level != CONSTANT and a.id not in own and a.id not in unit.reads:
                array = _array(a, of, place)
                unit.reads[a.id] = array, a
                if array in HANDED:
                    handed[a.id] = array, a
    for array, node in handed.values():
        of[node.id].gives.append((array, node, None))
    for (array, row), node in stores:
        if node.id in of:
            of[node.id].gives.append((array, node, row))
    for unit in made:
        unit.key = _key(unit)
    return made


def arguments(node):
    """Nodes among a node's arguments; others are numbers of a result, or places in a table."""
    return [a for a in node.args if isinstance(a, Node)]


def _cut(graph, nodes):
    """Unit by id of a node, and all units; results of a call stay with it."""
    of, made, begun = {}, [], None
    for x in nodes:
        if x.kind is RESULT:
            unit = of[x.args[0].id]
        else:
            k = bisect_right(graph.marks, x.id)
            if k != begun or len(made[-1].nodes) >= graph.tuning.piece:
                made.append(Unit(len(made)))
                begun = k
            unit = made[-1]
        of[x.id] = unit
        unit.nodes.append(x)
    return of, made


def _again(nodes, of, count):
    """By unit, nodes of others that it computes itself, by id: what these are made of is kept as long anyway."""
    last, again = {}, [{} for _ in range(count)]  # by id of what other units read: the last of them
    for x in nodes:
        unit = of[x.id]
        for a in arguments(x):
            if a.id in of and of[a.id] is not unit:
                last[a.id] = max(last.get(a.id, 0), unit.number)
    kept = {i: last[i] for i in last}
    for x in nodes:
        if x.id in last and x.kind in AGAIN and all(a.level < RUNTIME or kept.get(a.id, -1) >= last[x.id] for a in x.args):
            del kept[x.id]
    for x in nodes:
        unit = of[x.id]
        for a in arguments(x):
            if a.id in last and a.id not in kept and of[a.id] is not unit:
                again[unit.number][a.id] = a
    return again


def _array(node, of, place):
    """Where a unit reads a node."""
    if node.id in of:
        return "truth" if node.kind.truth else "work"
    if node.kind is VARIABLE:
        return place(node.value)[0]
    return "numbers" if node.level == UNIFORM else "P"


def _key(unit):
    number = {x.id: k for k, x in enumerate(unit.nodes)}
    reads = {i: (array, k) for k, (i, (array, _)) in enumerate(unit.reads.items())}

    def operand(a):
        if not isinstance(a, Node):
            return ("place", a)  # of a call's result, or in a table
        return number[a.id] if a.id in number else reads[a.id] if a.id in reads else ("const", a.value)

    done = [(x.operation, *map(operand, x.args)) for x in unit.nodes]
    return tuple(done), tuple((array, number[x.id]) for array, x, _ in unit.gives)
