"""Elements of groups: one function in a loop over a table of which coordinates and numbers are an element's.

Lanes that are samples do one element after another, a register's lanes (`Cpu.part`) at once; with a single sample the lanes hold `BATCH`
elements instead, whose values are gathered, computed side by side, and added element by element, in the same order.
"""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from flexmbd.codegen.loops import Loops
from flexmbd.codegen.text import DOUBLE, UNDEFINED
from flexmbd.codegen.values import Value
from flexmbd.language.ordering import Guarded
from flexmbd.language.variables import OWN, Variable

BATCH = 8  # elements side by side


def element(piece, group, nodes, places, A, start=0, stop=None, *, largest=False):
    """Add nodes of one element to rows of A, for all elements of a group, or some; or keep the `largest` there.

    Parameters
    ----------
    piece : functions.Piece
        Where the loop is written.
    places : ndarray (elements, nodes) or None
        Rows of A; without them all go to row 0.
    """
    batch = 1 if places is None else piece.storage.batch

    def made(functions, name, read):
        store = _largest if largest else _summed if places is None else put if batch > 1 else _added
        stores = [(store(k, read), x) for k, x in enumerate(nodes)]
        stores, first = (stores, 0) if largest else where_it_acts(group, stores, batch)
        return functions.function(name, stores, placed(functions.layout, group, batch), batch, first=first)

    each(piece, group, (group.name, places is None, largest, *(x.id for x in nodes)), made, places, A, start, stop)


def where_it_acts(group, stores, batch):
    """Stores of one element that are done where it adds something in some lane, and how many rows of W this takes."""
    acts = getattr(getattr(group, "element", None), "acts", None)
    if acts is None:
        return stores, 0
    zero = group.graph.const(0.0)
    none = [(put(k), zero) for k in range(len(stores))] if batch > 1 else []
    return Guarded([(_told, acts), *none], [(0, stores)]), 1


def _told(piece, value):
    """Store in the first row of W."""
    Loops(piece.writer).store(piece.pointer("W"), 0, value)


def each(piece, group, key, made, places, A, start=0, stop=None):
    """Call of a function for all elements of a group, or some.

    ``made(functions, name, read)`` writes the function known by `key`, which adds what one element has to the rows of A that its table
    names after `read` entries, or puts it there for elements side by side; it gives the function and how many rows it works in.
    """
    functions, storage, loops = piece.functions, piece.storage, piece.loops
    batch = 1 if places is None else storage.batch
    read, scale = _read(functions, group), functions.target.scale
    rows = _table(read * scale, places if places is None else places * scale, batch)[start // batch : stop]
    begin, end = storage.lay(rows)
    if key not in functions.elements:
        functions.elements[key] = made(functions, f"{group.name}.{len(functions.elements)}", read.shape[1])
    function, size = functions.elements[key]
    to, count = A, 0 if places is None else places.shape[1]
    if batch > 1:
        to = piece.moved("W", piece.rows.take(batch * count))
    piece.rows.beyond(size * batch)
    W = piece.moved("W", piece.rows.top)
    with loops.loop(begin, end, rows.shape[1]) as row:
        given = [piece.arguments[name] for name in ("X", "P")]
        rest = [piece.arguments[name] for name in ("at", "x", "y")]
        width, part = functions.target.width, functions.target.part
        with loops.loop(0, width, part) if width > part else nullcontext(loops.index(0)) as lane:
            X, P, work, added = (piece.builder.gep(DOUBLE, rows, lane.ir) for rows in (*given, W, to))
            piece.builder.call(function, [X, P, work, *rest, row.ir, added])
        if batch > 1:
            _spread(loops, piece.pointer("tables"), row + batch * read.shape[1], A, to, count)


def _read(functions, group):
    """Coordinates and rows of numbers of a group's elements, found once."""
    if group.name not in functions.reads:
        numbers = np.array([[functions.storage.index(x, per_sample=True) for x in own] for own in group.varying], np.int32)
        functions.reads[group.name] = np.hstack([group.coordinates, numbers.reshape(len(group.coordinates), -1), *group.further])
    return functions.reads[group.name]


def _spread(loops, tables, at, A, shares, width):
    """Add values of elements side by side, element by element: ``tables[at]`` elements, then `width` places in A for each."""
    with loops.loop(0, loops.table(tables, at)) as e:
        first = at + 1 + e * width
        with loops.loop(0, width) as i:
            to = loops.table(tables, first + i)
            loops.add(A, to, loops.load(shares, i * BATCH + e))


def placed_at(piece, rows, table, k):
    """Place of the row that an entry of an element's table names."""
    return piece.builder.gep(DOUBLE, rows, (piece.loops.table(table, k) * piece.functions.target.apart).ir)


def _added(k, read):
    """Store that adds to the row of A that the element's table names."""

    def store(piece, value):
        piece.loops.add_at(placed_at(piece, piece.arguments["A"], piece.pointer("own"), read + k), value)

    return store


def _summed(k, read):
    """Store that adds to the first row of A."""

    def store(piece, value):
        piece.loops.add(piece.arguments["A"], 0, value)

    return store


def _largest(k, read):
    """Store that keeps the larger one in the first row of A; what is no number stays."""

    def store(piece, value):
        A = piece.arguments["A"]
        old = piece.loops.load(A, 0)
        piece.loops.store(A, 0, piece.writer.select(value > old, value, old + (value - value)))

    return store


def put(k, read=0):
    """Store of the values of elements side by side."""
    return lambda piece, value: Loops(piece.writer).store(piece.arguments["A"], k, value)


def placed(layout, group, batch):
    """Where variables of the one element are: those of its own by its table, others as everywhere."""
    own = {"x": layout.place(Variable("q", 0)), "y": layout.place(Variable("v", 0)), "n": ("P", 0)}
    own |= {one: layout.place(Variable(of, 0)) for one, of in (OWN | {"k": "l"}).items() if one not in own and layout.has(of)}
    columns = {"n": group.size, "k": group.size + len(group.varying[0] if group.varying else ())}

    def place(x):
        if x.space not in own:
            return layout.place(x)
        (array, first), column = own[x.space], x.number + columns.get(x.space, 0)
        return lambda piece: _gathered(piece, array, first, column, batch)

    return place


def _gathered(piece, array, first, column, batch):
    """Value of the element's own row, or those of elements side by side."""
    own = piece.pointer("own")
    if batch == 1:
        return piece.load_at(placed_at(piece, piece.behind(array, first), own, column))
    return gathered(piece, array, (piece.loops.table(own, batch * column + e) + first for e in range(batch)))


def gathered(piece, array, rows):
    """Numbers in rows of an array as one value, side by side."""
    b, value = piece.builder, UNDEFINED
    for e, row in enumerate(rows):
        value = b.insert(piece.writer.kind, value, DOUBLE, b.load(DOUBLE, piece.moved(array, row)), e)
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


__all__ = ["BATCH", "each", "element", "gathered", "placed", "placed_at", "put"]
