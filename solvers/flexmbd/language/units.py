"""Nodes of a function in units, runs of them that `Graph.mark` began: of units alike one is compiled, and run over a table.

Two units are alike if they do the same operations in the same order with operands from the same places of the unit, or from the same
arrays. The equations of a row of planar bodies are of some hundred structures, however long it is.

Linear equations in blocks or by a library, and sums over groups, are loops of their own (`LOOPS`). Before and after them a function is in
stages: units whose values the equations take store them among the equations' entries, and units that need an unknown read it there.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from flexmbd.language.kinds import LINEAR, LOOKUP, MUL, NEG, RESULT, SPAN, SUMS, VARIABLE
from flexmbd.language.ordering import groups_of, leaf, ordered, rows_of
from flexmbd.parameters import CONSTANT, RUNTIME, UNIFORM

AGAIN = (MUL, NEG)  # operations that every reader does itself, if it can: a value less in memory
HANDED = ("work", "truth")  # arrays of what units hand on
LOOPS = (*LINEAR, *SUMS)  # nodes that are loops
COPIED = 16  # numbers that a unit which only copies takes at once


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
        or one of `HANDED`; "W" has what loops leave.
    gives : list of (str, Node, int or None)
        What it stores: array, node, row; values for other units first, which have no row yet.
    key : tuple
        Units alike have the same.
    """

    __slots__ = ("gives", "key", "nodes", "number", "reads")

    def __init__(self, number):
        self.number, self.nodes, self.reads, self.gives, self.key = number, [], {}, [], None


@dataclass(frozen=True)
class Stages:
    """A function in units.

    Attributes
    ----------
    parts : list of (list of Unit, list of Node)
        Units in their order, and loops that follow them.
    rows : dict int -> int
        By id of a loop, its first row of W: entries of a matrix, unknowns (of a right-hand side at first), or the sum.
    top : int
        The row behind the last of these.
    """

    parts: list
    rows: dict
    top: int

    @property
    def units(self):
        """All units in their order."""
        return [unit for own, _ in self.parts for unit in own]

    def row(self, node):
        """Where a loop's result is."""
        return self.rows[node.id] if node.kind is not RESULT else self.rows[node.args[0].id] + node.value


def in_units(graph, stores, given=None):
    """Nodes that a function computes, if it is to be written in units: of a large model, without tables or guards of its own; else None.

    `given` are, by id, factors that are there already.
    """
    tuning, given = graph.tuning, given or {}
    if groups_of(stores) or not graph.marks or len(graph.nodes) < tuning.units:
        return None
    nodes = [x for x in ordered(graph, [node for _, node in stores], given) if not leaf(x) and x.id not in given]
    size = len(nodes) + len(stores) + sum(len(x.args) for x in nodes if x.kind in LINEAR)
    return None if size < tuning.unit_function or any(x.kind is LOOKUP for x in nodes) else nodes


def units(graph, nodes, stores, place, first):
    """`Stages` of a function.

    Parameters
    ----------
    nodes : list of Node
        From `in_units`.
    stores : list of ((str, int), Node)
        Those of factors are left to the loops.
    place : callable
        Array and row of a variable, by its name.
    first : int
        Row of W from which on there is room.
    """
    stage, (rows, top) = _stages(nodes), _laid(nodes, first)
    loops = [x for x in nodes if x.id in rows]
    computed = [x for x in nodes if x.id not in rows and not unknown(x)]
    of, made = {}, [[] for _ in range(max([0, *stage.values()]) + 2)]
    wanted = [(where, x) for where, x in stores if x.kind not in (*LINEAR, SPAN)]
    for x in (x for x in loops if x.kind not in SUMS):
        begin, places = rows[x.id], x.value[1]
        wanted += [(("W", begin + k), a) for k, a in zip(places, x.args[-len(places) :] if places else (), strict=True)]
    copies = [[] for _ in made]
    known = {x.id for x in computed}
    for where, x in (pair for pair in wanted if pair[1].id not in known):
        copies[stage.get(x.id, 0) + 1 + (x.kind in LOOPS)].append((where, x))  # behind the loop whose sum it is
    count = 0
    for k, own in enumerate(made):
        own += _cut(graph, [x for x in computed if stage[x.id] == k - 1], of, count)
        own += _copies(copies[k], place, count + len(own))
        count += len(own)
    found = Stages([(own, [x for x in loops if stage[x.id] == k - 1]) for k, own in enumerate(made)], rows, top)
    _join(found.units, computed, of, place)
    for (array, row), node in wanted:
        if node.id in of:
            of[node.id].gives.append((array, node, row))
    for unit in found.units:
        unit.key = _key(unit)
    return found


def _join(made, nodes, of, place):
    """What units read, and hand on to each other."""
    for unit, others in zip(made, _again(nodes, of, len(made)), strict=True):
        unit.nodes = [*others.values(), *unit.nodes]
    handed = {}
    for unit in made:
        own = {x.id for x in unit.nodes}
        for a in (a for x in unit.nodes for a in x.args):
            if a.level != CONSTANT and a.id not in own and a.id not in unit.reads:
                array = _array(a, of, place)
                unit.reads[a.id] = array, a
                if array in HANDED:
                    handed[a.id] = array, a
    for array, node in handed.values():
        of[node.id].gives.append((array, node, None))


def _stages(nodes):
    """By id, how many loops follow one another before a node is computed; sums need nothing, and come first."""
    stage = {}
    for x in nodes:
        needed = (stage[a.id] + (a.kind in LOOPS) for a in x.args if a.id in stage)
        stage[x.id] = -1 if x.kind in SUMS else max(needed, default=0)
    return stage


def _laid(nodes, first):
    """First row of W by id of a loop, and the row behind the last."""
    rows = {}
    for x in (x for x in nodes if x.kind in LOOPS):
        rows[x.id] = first
        first += rows_of(x)
    return rows, first


def unknown(node):
    """True for an unknown of linear equations, or a run of them, which is stored last."""
    return node.kind is SPAN or (node.kind is RESULT and node.args[0].kind in LINEAR)


def _copies(pairs, place, number):
    """Units that only move numbers, each so many of one array to another, of which none occurs twice."""
    groups, made = {}, []
    for (array, row), x in pairs:
        source = ("const", x.value) if x.level == CONSTANT else _array(x, (), place)
        parts = groups.setdefault((source, array), [{}])
        if (x.id, 0) in parts[-1] or len(parts[-1]) == COPIED:
            parts.append({})
        part = parts[-1]
        part[x.id, len(part) + 1 if x.level == CONSTANT else 0] = x, row
    for (source, array), parts in groups.items():
        for part in parts:
            for own in [[*part.values()]] if len(part) == COPIED else [[pair] for pair in part.values()]:
                unit = Unit(number + len(made))
                unit.reads = {} if isinstance(source, tuple) else {x.id: (source, x) for x, _ in own}
                unit.gives = [(array, x, row) for x, row in own]
                made.append(unit)
    return made


def _cut(graph, nodes, of, number):
    """Units of nodes, from a number on, of which `of` is told by id of a node; results of a call stay with it."""
    made, begun = [], None
    for x in nodes:
        if x.kind is RESULT:
            unit = of[x.args[0].id]
        else:
            k = bisect_right(graph.marks, x.id)
            if k != begun or len(made[-1].nodes) >= graph.tuning.piece:
                made.append(Unit(number + len(made)))
                begun = k
            unit = made[-1]
        of[x.id] = unit
        unit.nodes.append(x)
    return made


def _again(nodes, of, count):
    """By unit, nodes of others that it computes itself, by id: what these are made of is kept as long anyway."""
    last, again = {}, [{} for _ in range(count)]  # by id of what other units read: the last of them
    for x in nodes:
        unit = of[x.id]
        for a in x.args:
            if a.id in of and of[a.id] is not unit:
                last[a.id] = max(last.get(a.id, 0), unit.number)
    kept = {i: last[i] for i in last}
    for x in nodes:
        if x.id in last and x.kind in AGAIN and all(a.level < RUNTIME or kept.get(a.id, -1) >= last[x.id] for a in x.args):
            del kept[x.id]
    for x in nodes:
        unit = of[x.id]
        for a in x.args:
            if a.id in last and a.id not in kept and of[a.id] is not unit:
                again[unit.number][a.id] = a
    return again


def _array(node, of, place):
    """Where a unit reads a node."""
    if node.id in of:
        return "truth" if node.kind.truth else "work"
    if node.kind is VARIABLE:
        return place(node.value)[0]
    if node.level == RUNTIME:  # a loop's
        return "W"
    return "numbers" if node.level == UNIFORM else "P"


def _key(unit):
    number = {x.id: k for k, x in enumerate(unit.nodes)}
    reads = {i: (array, k) for k, (i, (array, _)) in enumerate(unit.reads.items())}

    def operand(a):
        return number[a.id] if a.id in number else reads[a.id] if a.id in reads else ("const", a.value)

    done = [(x.operation, *map(operand, x.args)) for x in unit.nodes]
    return tuple(done), tuple((array, operand(x)) for array, x, _ in unit.gives)
