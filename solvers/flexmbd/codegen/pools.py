"""Elements of pools: one function in a loop over a table of which coordinates and numbers are an element's.

Lanes that are samples do one element after another; with a single sample the lanes hold `BATCH` elements instead, whose values are
gathered, computed side by side, and added element by element, in the same order.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir

from flexmbd.codegen.loops import Loops
from flexmbd.codegen.values import Value

BATCH = 8  # elements side by side


def element(piece, pool, nodes, places, A, start=0, stop=None):
    """Add nodes of one element to rows of A, for all elements of a pool, or some.

    Parameters
    ----------
    piece : functions.Piece
        Where the loop is written.
    places : ndarray (elements, nodes) or None
        Rows of A; without them all go to row 0.
    """
    functions, storage, loops = piece.functions, piece.storage, piece.loops
    batch = 1 if places is None else storage.batch
    numbers = np.array([[storage.index(x, per_sample=True) for x in own] for own in pool.varying], np.int32)
    read = np.hstack([pool.coordinates, numbers.reshape(len(pool.coordinates), -1)])
    width = len(nodes)
    rows = _table(read, places, batch)[start // batch : stop]
    begin, end = storage.lay(rows)
    key = (pool.name, places is None, *(x.id for x in nodes))
    if key not in functions.elements:
        store = _summed if places is None else _put if batch > 1 else _added
        stores = [(store(k, read.shape[1]), x) for k, x in enumerate(nodes)]
        place = _place(functions.layout, pool, batch)
        functions.elements[key] = functions.function(f"{pool.name}.{len(functions.elements)}", stores, place, batch)
    function, size = functions.elements[key]
    to = A
    if batch > 1:
        to = piece.moved("W", piece.rows.take(batch * width))
    piece.rows.beyond(size * batch)
    W = piece.moved("W", piece.rows.top)
    with loops.loop(begin, end, rows.shape[1]) as row:
        given = [piece.arguments[name] for name in ("X", "P")]
        rest = [piece.arguments[name] for name in ("at", "x", "y")]
        piece.builder.call(function, [*given, W, *rest, row.ir, to])
        if batch > 1:
            _spread(loops, piece.pointer("tables"), row + batch * read.shape[1], A, to, width)


def _spread(loops, tables, at, A, shares, width):
    """Add values of elements side by side, element by element: ``tables[at]`` elements, then `width` places in A for each."""
    with loops.loop(0, loops.table(tables, at)) as e:
        first = at + 1 + e * width
        with loops.loop(0, width) as i:
            to = loops.table(tables, first + i)
            loops.store(A, to, loops.load(A, to) + loops.load(shares, i * BATCH + e))


def _added(k, read):
    """Store that adds to the row of A that the element's table names."""

    def store(piece, value):
        to = piece.loops.table(piece.pointer("tables"), piece.loops.index(piece.arguments["row"]) + (read + k))
        A = piece.arguments["A"]
        piece.loops.store(A, to, piece.loops.load(A, to) + value)

    return store


def _summed(k, read):
    """Store that adds to the first row of A."""

    def store(piece, value):
        piece.loops.store(piece.arguments["A"], 0, piece.loops.load(piece.arguments["A"], 0) + value)

    return store


def _put(k, read):
    """Store of the values of elements side by side."""
    return lambda piece, value: Loops(piece.writer).store(piece.arguments["A"], k, value)


def _place(layout, pool, batch):
    """Where variables of the one element are: those of its own by its table, others as everywhere."""
    own = {"x": layout.place("q0"), "y": layout.place("v0"), "n": ("P", 0)}
    own |= {kind: layout.place(f"{all_}0") for kind, all_ in (("z", "a"), ("b", "o")) if layout.has(all_)}

    def place(name):
        kind = name.rstrip("0123456789")
        if kind not in own:
            return layout.place(name)
        (array, first), column = own[kind], int(name[len(kind) :]) + pool.size * (kind == "n")
        return lambda piece: _gathered(piece, array, first, column, batch)

    return place


def _gathered(piece, array, first, column, batch):
    """Value of the element's own row, or those of elements side by side."""
    tables, row = piece.pointer("tables"), piece.loops.index(piece.arguments["row"])
    if batch == 1:
        return piece.load(array, piece.loops.table(tables, row + column) + first)
    b, value = piece.builder, ir.Constant(piece.writer.kind, ir.Undefined)
    for e in range(batch):
        where = piece.moved(array, piece.loops.table(tables, row + (batch * column + e)) + first)
        value = b.insert_element(value, b.load(where), ir.Constant(ir.IntType(32), e))
    return Value(piece.writer, value)


def _table(read, places, batch):
    """Table of the function of one element: what it reads, then places; of a batch: what it reads side by side, how many elements, places.

    The last batch is filled up with its last element, which has no places.
    """
    if places is None:
        return read
    if batch == 1:
        return np.hstack([read, places])
    count = len(read)
    which = np.minimum(np.arange(-(-count // batch) * batch), count - 1).reshape(-1, batch)
    real = np.minimum(count - which[:, :1], batch)
    return np.hstack([read[which].transpose(0, 2, 1).reshape(len(which), -1), real, places[which].reshape(len(which), -1)])


__all__ = ["BATCH", "element"]
