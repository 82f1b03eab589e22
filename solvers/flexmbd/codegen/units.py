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

FAR = 64  # numbers between rows up to which tables have places as numbers, not as rows


def write(functions, name, nodes, stores, given=None):
    """The function of `nodes` in units, and how many rows of W it needs; None if too few are alike."""
    place, storage = functions.layout.place, functions.storage
    made = units(functions.graph, nodes, stores, place, functions.layout.work)
    new = {unit.key: len(unit.nodes) for unit in made.units if unit.key not in functions.units}
    if sum(new.values()) > functions.graph.tuning.unit_share * len(nodes):
        return None
    rows, top = _rows(made.units, made.top)
    table, parts = [], []
    for own, loops in made.parts:
        begins, kinds = [], {}
        for unit in own:
            if unit.key not in functions.units:
                functions.units[unit.key] = _written(functions, unit)
            begins.append(len(table))
            table += [kinds.setdefault(unit.key, len(kinds)), *_places(functions, unit, rows, made)]
        parts.append((begins, kinds, loops))
    first, _ = storage.lay(np.array(table))
    size = top

    def body(piece):
        nonlocal size
        piece.rows.top = piece.rows.size = top
        piece.rows.known = {i: ("W", row) for i, row in made.rows.items()} | {i: ("X", row) for i, row in (given or {}).items()}
        for node in (x for *_, loops in parts for x in loops):
            piece.linear.clear(node)
        for begins, kinds, loops in parts:
            if begins:
                _called(functions, piece, storage.lay(first + np.array(begins)), kinds)
            for node in loops:
                piece.linear.go_on(node)
        for where, node in stores:
            if node.kind in (FACTORS, SPAN):
                piece.store(where, node)
        size = piece.rows.size

    return functions.written(name, 1, body, functions.target.width), size


def _called(functions, piece, begins, kinds):
    """A loop that calls units one after another, by a table of where their entries begin; `kinds` are their keys by number."""
    b, loops, tables = piece.builder, piece.loops, piece.pointer("tables")
    with loops.loop(*begins) as k:
        row = loops.table(tables, k)
        after, which = b.append(), [b.append() for _ in kinds]
        b.switch(b.load(INTEGER, b.gep(INTEGER, tables, row.ir)), which, after)
        given = [*(piece.arguments | {"row": row.ir}).values()]
        for key, b.block in zip(kinds, which, strict=True):
            b.call(functions.units[key], given)
            b.branch(after)
        b.block = after


def _rows(made, first):
    """Row of W of what units hand on, by id, and the row behind the last: a value takes that of an operand that is needed no longer."""
    last, ending = {}, [[] for _ in made]
    for unit in made:
        last |= {i: unit.number for i, (array, _) in unit.reads.items() if array in HANDED}
    for i, k in last.items():
        ending[k].append(i)
    rows, free, top = {}, [], first
    for unit, ended in zip(made, ending, strict=True):
        over, rest = {rows[i] for i in ended}, []
        for node in (node for _, node, row in unit.gives if row is None):
            row = next((rows[a.id] for a in node.args if rows.get(a.id) in over), None)
            if row is None:
                rest.append(node)
            else:
                over.remove(row)
                rows[node.id] = row
        free += sorted(over)
        for node in rest:
            top += not free
            rows[node.id] = free.pop() if free else top - 1
    return rows, top


def _scale(functions):
    """What places in tables are given in, numbers."""
    return functions.target.stride if functions.target.stride <= FAR else 1


def _places(functions, unit, rows, made):
    """Entries of a unit's table: where its operands are and its values go, from the array's beginning on."""
    storage, scale, found, place = functions.storage, _scale(functions), [], functions.layout.place
    for i, (array, node) in unit.reads.items():
        if array in HANDED:
            found.append(rows[i] * scale)
        elif array == "numbers":
            found.append(storage.index(node))
        elif array == "W":
            found.append(made.row(node) * scale)
        else:
            found.append((place(node.value)[1] if node.kind is VARIABLE else storage.index(node)) * scale)
    return found + [(rows[node.id] if row is None else row) * scale for _, node, row in unit.gives]


def _written(functions, unit):
    """The function of units alike, written for one of them: all stores come last, so that a value may take an operand's row."""
    piece = functions.piece(functions.declared(f"unit.{len(functions.units)}"), functions.target.width)
    b, writer, own = piece.builder, piece.writer, piece.pointer("own")

    def call(kind, array, k, *value):
        rows = piece.pointer("W" if array in HANDED else array)
        return b.call(_access(functions, kind), [rows, own, k + 1, *value])

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
    return piece.function


def _access(functions, kind):
    """A function that loads from where an entry of a table says, or stores there; LLVM puts it in wherever it is called.

    It is one line where its six would be: most lines of a unit are of that kind, and each costs time here and in LLVM's reader.
    """
    if found := functions.module.functions.get(f"unit.{kind}"):
        return found
    width, apart = functions.target.width, 1 if kind == "number" else functions.target.stride // _scale(functions)
    several, given = vector(DOUBLE, width), [pointer(DOUBLE), pointer(INTEGER), WORD]
    result, given = (VOID, [*given, several]) if kind == "store" else (several, given)
    function = functions.module.function(f"unit.{kind}", result, given, inside=True, attributes="alwaysinline")
    writer = Writer(Instructions(function), width, functions.target.stride)
    b, loops, (rows, table, k, *value) = writer.builder, Loops(writer), function.args
    place = b.gep(DOUBLE, rows, (loops.table(table, loops.index(k)) * apart).ir)
    if kind == "number":
        b.give(writer.spread(b.load(DOUBLE, place)))
        return function
    place = place if width == 1 else b.cast("bitcast", pointer(DOUBLE), place, pointer(several))
    if kind == "store":
        b.store(several, *value, place, 8)
        b.give()
    else:
        b.give(b.load(several, place, 8))
    return function


__all__ = ["write"]
