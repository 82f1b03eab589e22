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
    loops, writer, b = piece.loops, piece.writer, piece.builder
    (rows, columns), first = matrix.shape, piece.storage.block(matrix.table)
    vector = loops.moved(A, rows)

    def entry(i, j):
        k = first + i * columns + j
        if matrix.table.level != UNIFORM:
            return piece.load("P", k)
        return Value(writer, writer.spread(b.load(DOUBLE, b.gep(DOUBLE, piece.pointer("numbers"), k.ir))))

    def several(i, count, start, stop, column):
        cells = [Cell(writer, writer.value(0.0)) for _ in range(count)]
        with loops.loop(start, stop) as k:
            j = column(k)
            x = loops.load(vector, j)
            for r, total in enumerate(cells):
                total.set(total.get() + entry(i + r, j) * x)
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
