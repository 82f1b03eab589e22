"""Functions in units (`language.units`): one function a structure, and a loop over a table of which is next and where its operands are.

Operations and their order are those of straight code, which is as fast in small models and slow to compile in large ones. What units hand
on to each other is in rows of W, each used again once its value is no longer needed.
"""

from __future__ import annotations

import numpy as np

from flexmbd.codegen.loops import Loops
from flexmbd.codegen.text import DOUBLE, INTEGER, VOID, WORD, Instructions, pointer, vector
from flexmbd.codegen.values import Value, Writer
from flexmbd.language.kinds import FACTORS, SPAN, VARIABLE
from flexmbd.language.units import HANDED, units


def write(functions, name, ids, stores, given=None):
    """The function of nodes, by id, in units, and how many rows of W it needs; None if too few are alike."""
    storage = functions.storage
    made = units(functions.graph, ids, stores, functions.layout.place, functions.layout.work)
    new = [unit for unit in made.examples if unit.key not in functions.units]
    if sum(len(unit.nodes) for unit in new) > functions.graph.tuning.unit_share * len(ids):
        return None
    for unit in new:
        functions.units[unit.key] = _written(functions, unit)
    rows, top = _rows(functions.graph.nodes, made)
    table, begins = _places(functions, rows, made)
    parts = []
    for own, loops in made.parts:
        kinds = {}
        table[begins[own]] = [kinds.setdefault(made.kinds[k], len(kinds)) for k in own]
        parts.append((begins[own], [made.examples[k].key for k in kinds], loops))
    first, _ = storage.lay(table)
    size = top

    def body(piece):
        nonlocal size
        piece.rows.top = piece.rows.size = top
        piece.rows.known = {i: ("W", row) for i, row in made.rows.items()} | {i: ("X", row) for i, row in (given or {}).items()}
        for node in (x for *_, loops in parts for x in loops):
            piece.linear.clear(node)
        for begins, kinds, loops in parts:
            if len(begins):
                _called(functions, piece, storage.lay(first + begins), kinds)
            for node in loops:
                piece.linear.go_on(node)
        for where, node in stores:
            if node.kind in (FACTORS, SPAN):
                piece.store(where, node)
        size = piece.rows.size

    return functions.written(name, 1, body, functions.target.width), size


def _called(functions, piece, begins, kinds):
    """A loop that calls units one after another, by a table of where their entries begin; `kinds` are their keys in order."""
    b, loops, tables = piece.builder, piece.loops, piece.pointer("tables")
    parts = _parts(functions, piece, {array for key in kinds for array in functions.units[key][1]})
    with loops.loop(*begins) as k:
        row = loops.table(tables, k)
        after, which = b.append(), [b.append() for _ in kinds]
        b.switch(b.load(INTEGER, b.gep(INTEGER, tables, row.ir)), which, after)
        own = loops.part(tables, row)
        for key, b.block in zip(kinds, which, strict=True):
            function, arrays, whole = functions.units[key]
            for part in parts[:1] if whole else parts:
                b.call(function, [*(part[array] for array in arrays), own])
            b.branch(after)
        b.block = after


def _parts(functions, piece, arrays):
    """Arrays as units take them, for each part of the lanes."""
    target, found = functions.target, [{array: piece.pointer(array) for array in sorted(arrays)}]
    with piece.builder.at_entry():
        for lane in range(target.part, target.width, target.part):
            found.append({x: at if x == "numbers" else piece.builder.gep(DOUBLE, at, lane) for x, at in found[0].items()})
    return found


def _rows(nodes, made):
    """Row of W of what units hand on, by id, and the row behind the last: a value takes that of an operand that is needed no longer."""
    handed, begun = made.reads.more[0] < len(HANDED), made.gives.more[1] < 0
    last = dict(zip(made.reads.node[handed].tolist(), made.reads.unit[handed].tolist(), strict=True))
    ending, given = ([[] for _ in made.kinds] for _ in range(2))
    for i, k in last.items():
        ending[k].append(i)
    for i, k in zip(made.gives.node[begun].tolist(), made.gives.unit[begun].tolist(), strict=True):
        given[k].append(nodes[i])
    rows, free, top = {}, [], made.top
    for own, ended in zip(given, ending, strict=True):
        over, rest = {rows[i] for i in ended}, []
        for node in own:
            for a in node.args if over else ():
                if (row := rows.get(a.id)) in over:
                    over.remove(row)
                    rows[node.id] = row
                    break
            else:
                rest.append(node)
        free += sorted(over)
        for node in rest:
            top += not free
            rows[node.id] = free.pop() if free else top - 1
    return rows, top


def _places(functions, rows, made):
    """Table of all units, and where each begins: first room for its kind, then where its operands are and its values go, from the array's
    beginning on."""
    scale, (reads, gives), nodes = functions.target.scale, (made.reads, made.gives), functions.graph.nodes
    storage, place, found = functions.storage, functions.layout.place, np.zeros(len(nodes), np.int64)
    handed = np.array([*rows], int)
    found[handed] = np.array([*rows.values()], int) * scale
    others, first = np.unique(reads.node[reads.more[0] >= len(HANDED)], return_index=True)
    arrays = reads.more[0][reads.more[0] >= len(HANDED)][first]
    for k in np.argsort(first).tolist():  # numbers have their places in the order of first use
        node, array = nodes[others[k]], made.arrays[arrays[k]]
        if array == "numbers":
            found[node.id] = storage.index(node)
        elif array == "W":
            found[node.id] = made.row(node) * scale
        else:
            found[node.id] = (place(node.value)[1] if node.kind is VARIABLE else storage.index(node)) * scale
    behind = 1 + np.diff(reads.begins)
    begins = np.concatenate([[0], np.cumsum(behind + np.diff(gives.begins))])
    table = np.zeros(begins[-1], np.int64)
    table[begins[reads.unit] + 1 + reads.place] = found[reads.node]
    table[begins[gives.unit] + behind[gives.unit] + gives.place] = np.where(gives.more[1] < 0, found[gives.node], gives.more[1] * scale)
    return table, begins[:-1]


def _written(functions, unit):
    """The function of units alike, written for one of them: all stores come last, so that a value may take an operand's row."""
    used = [array for array, *_ in (*unit.reads.values(), *unit.gives)]
    arrays = sorted({"W" if array in HANDED else array for array in used})
    kinds, name = [*(pointer(DOUBLE) for _ in arrays), pointer(INTEGER)], f"unit.{len(functions.units)}"
    function = functions.module.function(name, VOID, kinds, (*arrays, "own"), inside=True, attributes="noinline")
    whole = len(unit.nodes) < functions.graph.tuning.unit_lanes
    piece = functions.piece(function, functions.target.width if whole else functions.target.part)
    b, writer, rows = piece.builder, piece.writer, piece.arguments

    def call(kind, array, k, *value):
        return b.call(_access(functions, kind, writer.width), [rows["W" if array in HANDED else array], rows["own"], k + 1, *value])

    def read(k, array):
        found = Value(writer, call("number" if array == "numbers" else "load", array, k))
        return found > 0.5 if array == "truth" else found

    waiting = {i: (k, array) for k, (i, (array, _)) in enumerate(unit.reads.items())}
    for node in unit.nodes:
        for i in [a.id for a in node.args if a.id in waiting]:
            if i in waiting:
                piece.found[i] = read(*waiting.pop(i))
        piece.compute(node)
    for i, (k, array) in waiting.items():  # what is only moved
        piece.found[i] = read(k, array)
    for k, (array, node, _) in enumerate(unit.gives):
        value = piece.value(node)
        value = writer.select(value, 1.0, 0.0) if array == "truth" else writer.value(value)
        call("store", array, len(unit.reads) + k, value.ir)
    b.give()
    return function, arrays, whole


def _access(functions, kind, width):
    """A function that loads from where an entry of a table says, or stores there; LLVM puts it in wherever it is called.

    It is one line where its six would be: most lines of a unit are of that kind, and each costs time here and in LLVM's reader.
    """
    if found := functions.module.functions.get(f"unit.{kind}.{width}"):
        return found
    apart = 1 if kind == "number" else functions.target.apart
    several, given = vector(DOUBLE, width), [pointer(DOUBLE), pointer(INTEGER), WORD]
    result, given = (VOID, [*given, several]) if kind == "store" else (several, given)
    function = functions.module.function(f"unit.{kind}.{width}", result, given, inside=True, attributes="alwaysinline")
    writer = Writer(Instructions(function), width, functions.target.stride)
    b, loops, (rows, table, k, *value) = writer.builder, Loops(writer), function.args
    place = b.gep(DOUBLE, rows, (loops.table(table, loops.index(k)) * apart).ir)
    if kind == "number":
        b.give(writer.spread(b.load(DOUBLE, place)))
        return function
    if kind == "store":
        b.store(several, *value, place, 8)
        b.give()
    else:
        b.give(b.load(several, place, 8))
    return function


__all__ = ["write"]
