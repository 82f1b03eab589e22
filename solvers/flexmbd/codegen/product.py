"""A matrix of numbers times a vector, as instructions."""

from __future__ import annotations

import numpy as np

from flexmbd.codegen.loops import Cell
from flexmbd.codegen.text import DOUBLE
from flexmbd.codegen.values import Value
from flexmbd.parameters import UNIFORM

ROWS = 4  # at once: each number of the vector is then loaded once for four


def product(piece, matrix, A):
    """Put a matrix (`language.product.Multiplier`) times the vector that is behind the result's rows of A into these."""
    loops, writer = piece.loops, piece.writer
    (rows, columns), number = matrix.shape, _numbers(piece, matrix.table)
    vector = loops.moved(A, rows)

    def several(i, count, start, stop, column):
        cells = [Cell(writer, writer.value(0.0)) for _ in range(count)]
        with loops.loop(start, stop) as k:
            j = column(k)
            x = loops.load(vector, j)
            for r, total in enumerate(cells):
                total.set(total.get() + number((i + r) * columns + j) * x)
        for r, total in enumerate(cells):
            loops.store(A, i + r, total.get())

    if matrix.entries is not None:
        tables = piece.pointer("tables")
        begins, places = (piece.storage.lay(np.array(x))[0] for x in (matrix.begins, [j for _, j in matrix.entries]))
        with loops.loop(0, rows) as i:
            start, stop = (loops.table(tables, i + begins + k) for k in range(2))
            several(i, 1, start, stop, lambda k: loops.table(tables, k + places))
        return
    whole = rows - rows % ROWS
    with loops.loop(0, whole, ROWS) as i:
        several(i, ROWS, 0, columns, lambda k: k)
    if rows % ROWS:
        several(loops.index(whole), rows % ROWS, 0, columns, lambda k: k)


def added(piece, placed, plan, scale, A):
    """Add a matrix of numbers (`language.product.Placed`), times a value, to the rows of A where a plan keeps the larger matrix."""
    rows, columns, own = placed.places
    places, number, loops, tables = plan.places(rows, columns), _numbers(piece, placed.matrix.table), piece.loops, piece.pointer("tables")
    at, which = piece.storage.lay(places)[0], None if np.array_equal(own, np.arange(len(own))) else piece.storage.lay(own)[0]
    with loops.loop(0, len(own)) as k:
        loops.add(A, loops.table(tables, k + at), scale * number(k if which is None else loops.table(tables, k + which)))


def _numbers(piece, table):
    """Value of a number of a table, by its place there."""
    first, b, writer = piece.storage.block(table), piece.builder, piece.writer

    def number(k):
        if table.level != UNIFORM:
            return piece.load("P", k + first)
        return Value(writer, writer.spread(b.load(DOUBLE, b.gep(DOUBLE, piece.pointer("numbers"), (k + first).ir))))

    return number
