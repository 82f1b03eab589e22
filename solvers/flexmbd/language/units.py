"""Nodes of a function in units, runs of them that `Graph.mark` began: of units alike one is compiled, and run over a table.

Two units are alike if they do the same operations in the same order with operands from the same places of the unit, or from the same
arrays. The equations of a row of planar bodies are of some hundred structures, however long it is.

Linear equations in blocks or by a library, and sums over groups, are loops of their own (`LOOPS`). Before and after them a function is in
stages: units whose values the equations take store them among the equations' entries, and units that need an unknown read it there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbd.language.cutting import cut
from flexmbd.language.kinds import KINDS, LINEAR, LOOKUP, MUL, NEG, RESULT, SPAN, SUMS, VARIABLE
from flexmbd.language.ordering import groups_of, ordered, rows_of
from flexmbd.parameters import CONSTANT, RUNTIME, UNIFORM

AGAIN = (MUL, NEG)  # operations that every reader does itself, if it can: a value less in memory
HANDED = ("work", "truth")  # arrays of what units hand on
LOOPS = (*LINEAR, *SUMS)  # nodes that are loops
COPIED = 16  # numbers that a unit which only copies takes at once
TRUTHS = tuple(kind for kind in KINDS if kind.truth)
READ, FIXED = 1 << 32, 1 << 48  # from where on codes of operands are those of what a unit reads, by the array, and of constants


class Unit:
    """A run of nodes.

    Attributes
    ----------
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

    __slots__ = ("gives", "key", "nodes", "reads")

    def __init__(self, nodes, reads, gives):
        self.nodes, self.reads, self.gives = nodes, reads, gives
        self.key = _key(self)


@dataclass(frozen=True)
class Table:
    """What belongs to units, unit by unit: the number of the unit, ids of nodes, and further columns; ``begins`` has the first of each."""

    unit: np.ndarray
    node: np.ndarray
    more: tuple
    begins: np.ndarray

    @classmethod
    def of(cls, count, unit, node, *more):
        """That of `count` units from columns in any order, which is kept within a unit."""
        unit, node, *more = (np.asarray(x, np.int64) for x in (unit, node, *more))
        order = np.argsort(unit, kind="stable")
        unit = unit[order]
        return cls(unit, node[order], tuple(x[order] for x in more), np.searchsorted(unit, np.arange(count + 1)))

    @property
    def place(self):
        """By entry, its place in its unit."""
        return np.arange(len(self.unit)) - self.begins[self.unit]

    def rows(self, k):
        """Slice of unit k."""
        return slice(self.begins[k], self.begins[k + 1])


@dataclass(frozen=True)
class Stages:
    """A function in units.

    Attributes
    ----------
    parts : list of (range, list of Node)
        Numbers of units in their order, and loops that follow them.
    rows : dict int -> int
        By id of a loop, its first row of W: entries of a matrix, unknowns (of a right-hand side at first), or the sum.
    top : int
        The row behind the last of these.
    arrays : list of str
        Names of arrays by number, `HANDED` first.
    reads, gives : Table
        Of all units. Both have the number of the array; gives the row too, -1: not yet.
    kinds : list of int
        By unit, which of `examples` it is like.
    examples : list of Unit
        One of each structure, in the order in which they come.
    """

    parts: list
    rows: dict
    top: int
    arrays: list
    reads: Table
    gives: Table
    kinds: list
    examples: list

    def row(self, node):
        """Where a loop's result is."""
        return self.rows[node.id] if node.kind is not RESULT else self.rows[node.args[0].id] + node.value


def in_units(graph, stores, given=None):
    """Ids of what a function computes, if it is to be written in units: of a large model, without tables or guards of its own; else None.

    `given` are, by id, factors that are there already.
    """
    tuning, given = graph.tuning, given or {}
    if groups_of(stores) or not graph.marks or len(graph.nodes) < tuning.units:
        return None
    columns, roots = graph.columns.extended(graph.nodes), [node for _, node in stores]
    ids = np.array([x.id for x in ordered(graph, roots, given)], int) if given else columns.needed(roots)
    ids = ids[(columns.level[ids] == RUNTIME) & ~columns.are(ids, VARIABLE) & ~np.isin(ids, [*given])]
    of, _ = columns.arguments(ids[columns.are(ids, *LINEAR)])
    size = len(ids) + len(stores) + len(of)
    return None if not len(ids) or size < tuning.unit_function or columns.are(ids, LOOKUP).any() else ids


def units(graph, ids, stores, place, first):
    """`Stages` of a function.

    Parameters
    ----------
    ids : ndarray of int
        From `in_units`.
    stores : list of ((str, int), Node)
        Those of factors are left to the loops.
    place : callable
        Array and row of a variable, by its name.
    first : int
        Row of W from which on there is room.
    """
    columns, nodes = graph.columns, graph.nodes
    looped, results = columns.are(ids, *LOOPS), columns.are(ids, RESULT)
    results[results] = columns.are(columns.args[columns.start[ids[results]]], *LINEAR)
    loops = [nodes[i] for i in ids[looped].tolist()]
    stage = _stages([nodes[i] for i in ids.tolist()]) if loops else {}
    at, (rows, top) = np.array([*stage.values()] if loops else np.zeros(len(ids)), int), _laid(loops, first)
    wanted = [(where, x) for where, x in stores if x.kind not in (*LINEAR, SPAN)]
    for x in (x for x in loops if x.kind not in SUMS):
        begin, places = rows[x.id], x.value[1]
        wanted += [(("W", begin + k), a) for k, a in zip(places, x.args[-len(places) :] if places else (), strict=True)]
    own = ~(looped | results | columns.are(ids, SPAN))
    computed, at, of = ids[own], at[own], np.full(len(nodes), -1)
    copies, count, parts, copied = [[] for _ in range(max([0, *stage.values()]) + 2)], 0, [], []
    of[computed] = 0
    for where, x in (pair for pair in wanted if of[pair[1].id] < 0):
        copies[stage.get(x.id, 0) + 1 + (x.kind in LOOPS)].append((where, x))  # behind the loop whose sum it is
    for k, pairs in enumerate(copies):
        begin, here = count, computed[at == k - 1]
        of[here] = count + cut(graph, here)
        count = int(of[here].max(initial=count - 1)) + 1
        made = _copies(pairs, place)
        copied += enumerate(made, count)
        count += len(made)
        parts.append((range(begin, count), [x for x in loops if stage[x.id] == k - 1]))
    return Stages(parts, rows, top, *_joined(graph, computed, of, place, wanted, copied, count))


def _joined(graph, computed, of, place, wanted, copied, count):
    """What units compute, read, and hand on to each other, and which are alike: the rest of `Stages`."""
    columns, total = graph.columns, len(graph.nodes)
    again = Table.of(count, *_again(columns, computed, of))
    mine = Table.of(count, of[computed], computed)
    code = np.full(total, -1)  # place of a node in the unit that it is of
    code[mine.node] = np.diff(again.begins)[mine.unit] + mine.place
    own = Table.of(count, np.concatenate([again.unit, mine.unit]), np.concatenate([again.node, mine.node]))
    entry, a = columns.arguments(own.node)
    unit = own.unit[entry]
    key, repeated = unit * total + a, again.unit * total + again.node
    order = np.argsort(repeated)
    found = np.searchsorted(repeated, key, sorter=order)
    found = np.append(order, -1)[found]
    by_itself = np.append(repeated, -1)[found] == key
    operand = np.where(of[a] == unit, code[a], np.where(by_itself, np.append(again.place, -1)[found], FIXED + a))
    read = (columns.level[a] != CONSTANT) & (of[a] != unit) & ~by_itself
    pairs, begin, which = np.unique(key[read], return_index=True, return_inverse=True)
    in_turn = np.argsort(begin)
    reads, gives, arrays = _moved(graph, pairs[in_turn] // total, pairs[in_turn] % total, of, place, wanted, copied, count)
    rank = np.empty(len(pairs), int)
    rank[in_turn] = np.arange(len(pairs))
    at, taken = np.empty(len(reads.node), int), reads.place + READ * (1 + reads.more[0])
    at[reads.more[1]] = taken
    operand[read] = at[rank[which]]
    given = np.where(of[gives.node] >= 0, code[gives.node], FIXED + gives.node)
    only = (of[gives.node] < 0) & (columns.level[gives.node] != CONSTANT)  # what is moved: it is given in the order in which it is read
    given[only] = taken[reads.begins[gives.unit[only]] + gives.place[only]]
    kinds, first = _kinds(columns, own, entry, operand, gives, given)
    examples = [_unit(graph, k, own, reads, gives, arrays) for k in first]
    return arrays, reads, gives, kinds, examples


def _moved(graph, unit, node, of, place, wanted, copied, count):
    """Tables of what units read and give, and the arrays' names; `unit` and `node` are what is read, in the order of first use."""
    nodes, names = graph.nodes, {name: k for k, name in enumerate(HANDED)}
    array = np.zeros(len(nodes), int)
    array[graph.columns.are(np.arange(len(nodes)), *TRUTHS)] = HANDED.index("truth")
    moved = [(k, x) for k, (source, _, own) in copied for x, _ in own if source is not None]
    more = [k for k, _ in moved], [x.id for _, x in moved]
    unit, node = (np.concatenate([x, np.array(y, int)]) for x, y in zip((unit, node), more, strict=True))
    elsewhere = np.unique(node[of[node] < 0])
    for i in elsewhere.tolist():
        name = _array(nodes[i], place)
        array[i] = names.setdefault(name, len(names))
    reads = Table.of(count, unit, node, array[node], np.arange(len(node)))
    handed, begin = np.unique(reads.node[of[reads.node] >= 0], return_index=True)
    handed = handed[np.argsort(begin)]
    gives = [(names.setdefault(name, len(names)), x.id, row) for (name, row), x in wanted if of[x.id] >= 0]
    units = of[[i for _, i, _ in gives]].tolist() + [k for k, (*_, own) in copied for _ in own]
    gives += [(names.setdefault(name, len(names)), x.id, row) for _, (_, name, own) in copied for x, row in own]
    gives = np.array(gives, int).reshape(-1, 3).T
    own = of[handed], handed, array[handed], np.full(len(handed), -1)
    others = np.array(units, int), gives[1], gives[0], gives[2]
    return reads, Table.of(count, *map(np.concatenate, zip(own, others, strict=True))), list(names)


def _kinds(columns, own, entry, operand, gives, given):
    """By unit, of which structure it is, in the order in which these come, and the first unit of each."""
    begins = np.searchsorted(entry, np.arange(len(own.node) + 1))
    done = np.empty(len(own.node) + len(entry), np.int64)
    done[np.arange(len(own.node)) + begins[:-1]] = columns.operation[own.node] * READ + np.diff(begins)
    done[np.arange(len(entry)) + entry + 1] = operand
    given = np.stack([gives.more[0], given], axis=1).astype(np.int64)
    ends, last = (own.begins + begins[own.begins]).tolist(), gives.begins.tolist()
    known, kinds, first = {}, [], []
    for k in range(len(ends) - 1):
        key = done[ends[k] : ends[k + 1]].tobytes(), given[last[k] : last[k + 1]].tobytes()
        if key not in known:
            known[key] = len(first)
            first.append(k)
        kinds.append(known[key])
    return kinds, first


def _unit(graph, k, own, reads, gives, arrays):
    """The `Unit` of number k."""
    read, give, nodes = reads.rows(k), gives.rows(k), graph.nodes
    taken = zip(reads.node[read].tolist(), reads.more[0][read].tolist(), strict=True)
    given = zip(gives.node[give].tolist(), gives.more[0][give].tolist(), gives.more[1][give].tolist(), strict=True)
    return Unit(
        [nodes[i] for i in own.node[own.rows(k)].tolist()],
        {i: (arrays[array], nodes[i]) for i, array in taken},
        [(arrays[array], nodes[i], None if row < 0 else row) for i, array, row in given],
    )


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


def _copies(pairs, place):
    """Units that only move numbers, each so many of one array to another, of which none occurs twice, as (array or None,
    array, [(node, row)])."""
    groups, made = {}, []
    for (array, row), x in pairs:
        source = ("const", x.value) if x.level == CONSTANT else _array(x, place)
        parts = groups.setdefault((source, array), [{}])
        if (x.id, 0) in parts[-1] or len(parts[-1]) == COPIED:
            parts.append({})
        part = parts[-1]
        part[x.id, len(part) + 1 if x.level == CONSTANT else 0] = x, row
    for (source, array), parts in groups.items():
        for part in parts:
            for own in [[*part.values()]] if len(part) == COPIED else [[pair] for pair in part.values()]:
                made.append((None if isinstance(source, tuple) else source, array, own))
    return made


def _again(columns, computed, of):
    """Units, and ids of nodes of others that they compute themselves: what these are made of is kept as long anyway."""
    entry, a = columns.arguments(computed)
    unit = of[computed][entry]
    others = (of[a] >= 0) & (of[a] != unit)
    last = np.full(len(of), -1)  # by id of what other units read: the last of them
    np.maximum.at(last, a[others], unit[others])
    kept, able = last.tolist(), computed[(last[computed] >= 0) & columns.are(computed, *AGAIN)]
    reader, used = columns.arguments(able)
    reader, used = (x[columns.level[used] == RUNTIME] for x in (reader, used))
    ends, used = np.searchsorted(reader, np.arange(len(able) + 1)).tolist(), used.tolist()
    for k, i in enumerate(able.tolist()):
        if all(kept[x] >= kept[i] for x in used[ends[k] : ends[k + 1]]):
            kept[i] = -1
    dropped = others & (np.array(kept)[a] < 0)
    _, first = np.unique(unit[dropped] * len(of) + a[dropped], return_index=True)
    first = np.sort(first)
    return unit[dropped][first], a[dropped][first]


def _array(node, place):
    """Where a unit reads what no other computes."""
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
