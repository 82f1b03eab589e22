"""Pairs of members that are near each other: one function in a loop over those that a search finds as it runs."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from flexmbd.codegen.loops import Index
from flexmbd.codegen.text import DOUBLE, INTEGER, WORD, pointer
from flexmbd.language.space import OWN, Variable
from flexmbd.stepping.names import NEIGHBOURS, SEARCH
from flexmbd.stepping.neighbours import COUNT, LIST, MORE


def pairs(piece, pool, nodes, kept, rows, A):
    """Add nodes of one pair to rows of A, for all pairs that may touch.

    Parameters
    ----------
    piece : functions.Piece
        Where the loop is written.
    pool : Pairs
    nodes : list of Node
    kept : list of int
        Coordinates of the pair that they belong to.
    rows : ndarray (members, own coordinates) or None
        Rows of A; without them all go to row 0.
    """
    functions, storage, loops, b = piece.functions, piece.storage, piece.loops, piece.builder
    numbers = [[storage.index(x, per_sample=True) for x in own] for own in pool.varying_members]
    numbers = np.array(numbers, np.int32).reshape(len(pool.members), -1)
    table = np.hstack([pool.members, numbers] if rows is None else [pool.members, numbers, rows])
    one = _One(functions.layout, pool, storage.lay(table)[0], table.shape[1], numbers.shape[1])
    key = (pool.name, one.first, *kept, *(x.id for x in nodes))
    if key not in functions.elements:
        stores = [(one.summed if rows is None else one.added(k), x) for k, x in zip(kept, nodes, strict=True)]
        functions.elements[key] = functions.function(f"{pool.name}.{len(functions.elements)}", stores, one.place, 1)
    function, size = functions.elements[key]
    piece.rows.beyond(size)
    block = b.load(WORD, b.gep(WORD, b.cast("inttoptr", WORD, _entry(piece, NEIGHBOURS), pointer(WORD)), pool.number))
    words = b.cast("inttoptr", WORD, block, pointer(WORD))
    kinds = pointer(DOUBLE), pointer(DOUBLE), pointer(DOUBLE), pointer(WORD)
    search = b.cast("inttoptr", WORD, _entry(piece, SEARCH), f"void ({', '.join(kinds)})*")
    places, work = piece.moved(*functions.layout.place(Variable("q", 0))), piece.moved("W", piece.rows.top)
    given = ", ".join(f"{kind} {x}" for kind, x in zip(kinds, (places, piece.arguments["P"], work, words), strict=True))
    tables = b.cast("ptrtoint", pointer(INTEGER), piece.pointer("tables"), WORD)
    again, after = b.append(), b.append()
    b.branch(again)
    b.block = again
    b.line(f"call void {search}({given})")
    begin = b.op("sdiv", WORD, b.op("sub", WORD, b.load(WORD, b.gep(WORD, words, LIST)), tables), 4)
    with loops.loop(0, Index(b, b.load(WORD, b.gep(WORD, words, COUNT)))) as k:
        row = Index(b, begin) + k * 2
        width, part = functions.target.width, functions.target.part
        with loops.loop(0, width, part) if width > part else nullcontext(loops.index(0)) as lane:
            X, P, W, to = (b.gep(DOUBLE, x, lane.ir) for x in (piece.arguments["X"], piece.arguments["P"], work, A))
            b.call(function, [X, P, W, *(piece.arguments[name] for name in ("at", "x", "y")), row.ir, to])
    more = b.op("icmp ne", WORD, b.load(WORD, b.gep(WORD, words, MORE)), 0)
    b.choose(more, again, after)
    b.block = after


def _entry(piece, entry):
    """Entry of the table of the run."""
    return piece.builder.load(WORD, piece.builder.gep(WORD, piece.arguments["at"], entry))


class _One:
    """Where the one pair finds its own: two numbers of members, of which each has a row of a table."""

    def __init__(self, layout, pool, first, width, numbers):
        self.layout, self.own, self.first, self.width, self.numbers = layout, pool.members.shape[1], first, width, numbers

    def _at(self, piece, which, column):
        """Entry of the table's row of the pair's first or second member."""
        member = piece.loops.table(piece.pointer("own"), which)
        return piece.loops.table(piece.pointer("tables"), member * self.width + (self.first + column))

    def place(self, x):
        """Where a variable is: the pair's own by the table, others as everywhere."""
        if x.space == "n":
            which, column = divmod(x.number, self.numbers)
            return lambda piece: piece.load("P", self._at(piece, which, self.own + column))
        if x.space not in OWN:
            return self.layout.place(x)
        (which, column), (array, row) = divmod(x.number, self.own), self.layout.place(Variable(OWN[x.space], 0))
        return lambda piece: piece.load(array, self._at(piece, which, column) + row)

    def added(self, k):
        """Store that adds to the row of A of the pair's coordinate k."""
        which, column = divmod(k, self.own)
        column += self.own + self.numbers
        return lambda piece, value: piece.loops.add(piece.arguments["A"], self._at(piece, which, column), value)

    @staticmethod
    def summed(piece, value):
        """Store that adds to the first row of A."""
        piece.loops.add(piece.arguments["A"], 0, value)
