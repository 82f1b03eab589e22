"""Pairs of members that are near each other: one function in a loop over those that a search finds as it runs."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext

import numpy as np

from flexmbd.codegen.group_loops import gathered, put
from flexmbd.codegen.loops import Index
from flexmbd.codegen.text import DOUBLE, INTEGER, TRUTH, WORD, pointer
from flexmbd.language.variables import OWN, Variable
from flexmbd.stepping.names import NEIGHBOURS, SEARCH
from flexmbd.stepping.neighbours import COUNT, LIST, MORE


def pairs(piece, group, nodes, kept, rows, A):
    """Add nodes of one pair to rows of A, for all pairs that may touch, in their order.

    Parameters
    ----------
    piece : functions.Piece
        Where the loop is written.
    group : Pairs
    nodes : list of Node
    kept : list of int
        Coordinates of the pair that they belong to.
    rows : ndarray (members, own coordinates) or None
        Rows of A; without them all go to row 0.
    """
    functions, storage, loops, b = piece.functions, piece.storage, piece.loops, piece.builder
    numbers = [[storage.index(x, per_sample=True) for x in own] for own in group.varying_members]
    numbers = np.array(numbers, np.int32).reshape(len(group.members), -1)
    table = np.hstack([group.members, numbers] if rows is None else [group.members, numbers, rows])
    one = _One(functions.layout, group, storage.lay(table)[0], table.shape[1], numbers.shape[1], storage.batch)
    key = (group.name, one.first, *kept, *(x.id for x in nodes))
    if key not in functions.elements:
        stores = [(put(n) if one.batch > 1 else one.added(k, rows), x) for n, (k, x) in enumerate(zip(kept, nodes, strict=True))]
        functions.elements[key] = functions.function(f"{group.name}.{len(functions.elements)}", stores, one.place, one.batch)
    function, size = functions.elements[key]
    shares = piece.moved("W", piece.rows.take(one.batch * len(nodes))) if one.batch > 1 else A
    piece.rows.beyond(size * one.batch)
    work = piece.moved("W", piece.rows.top)
    with _found(piece, group, work) as (begin, count):
        width, part = functions.target.width, functions.target.part
        with loops.loop(0, count, one.batch) as k:
            with loops.loop(0, width, part) if width > part else nullcontext(loops.index(0)) as lane:
                given = (b.gep(DOUBLE, x, lane.ir) for x in (piece.arguments["X"], piece.arguments["P"], work, shares))
                X, P, W, to = given
                row = begin + k * 2
                b.call(function, [X, P, W, *(piece.arguments[name] for name in ("at", "x", "y")), row.ir, to])
            if one.batch > 1:
                end = k + one.batch
                last = b.op("icmp slt", WORD, end.ir, count.ir)
                with loops.loop(0, Index(b, b.select(TRUTH, last, WORD, end.ir, count.ir)) - k) as e:
                    own = loops.part(piece.pointer("tables"), begin + (k + e) * 2)
                    for n, place in enumerate(kept):
                        loops.add(A, 0 if rows is None else one.row(piece, own, place), loops.load(shares, e + n * one.batch))


@contextmanager
def _found(piece, group, work):
    """The instructions within run for each part of the list: the first entry of its table, and how many pairs it has."""
    b, kinds = piece.builder, (pointer(DOUBLE), pointer(DOUBLE), pointer(DOUBLE), pointer(WORD))
    block = b.load(WORD, b.gep(WORD, b.cast("inttoptr", WORD, _entry(piece, NEIGHBOURS), pointer(WORD)), group.number))
    words = b.cast("inttoptr", WORD, block, pointer(WORD))
    search = b.cast("inttoptr", WORD, _entry(piece, SEARCH), f"void ({', '.join(kinds)})*")
    places = piece.moved(*piece.functions.layout.place(Variable("q", 0)))
    given = ", ".join(f"{kind} {x}" for kind, x in zip(kinds, (places, piece.arguments["P"], work, words), strict=True))
    tables = b.cast("ptrtoint", pointer(INTEGER), piece.pointer("tables"), WORD)
    again, after = b.append(), b.append()
    b.branch(again)
    b.block = again
    b.line(f"call void {search}({given})")
    begin = b.op("sdiv", WORD, b.op("sub", WORD, b.load(WORD, b.gep(WORD, words, LIST)), tables), 4)
    yield Index(b, begin), Index(b, b.load(WORD, b.gep(WORD, words, COUNT)))
    more = b.op("icmp ne", WORD, b.load(WORD, b.gep(WORD, words, MORE)), 0)
    b.choose(more, again, after)
    b.block = after


def _entry(piece, entry):
    """Entry of the table of the run."""
    return piece.builder.load(WORD, piece.builder.gep(WORD, piece.arguments["at"], entry))


class _One:
    """Where the one pair finds its own: two numbers of members, of which each has a row of a table; or pairs side by side find theirs."""

    def __init__(self, layout, group, first, width, numbers, batch):
        self.layout, self.own, self.first, self.width = layout, group.members.shape[1], first, width
        self.numbers, self.batch = numbers, batch

    def _at(self, piece, pair, which, column):
        """Entry of the table's row of a pair's first or second member."""
        return piece.loops.table(piece.pointer("tables"), piece.loops.table(pair, which) * self.width + (self.first + column))

    def place(self, x):
        """Where a variable is: the pair's own by the table, others as everywhere."""
        if x.space == "n":
            (which, column), array, row = divmod(x.number, self.numbers), "P", 0
            column += self.own
        elif x.space in OWN:
            (which, column), (array, row) = divmod(x.number, self.own), self.layout.place(Variable(OWN[x.space], 0))
        else:
            return self.layout.place(x)
        return lambda piece: self._read(piece, array, row, which, column)

    def _read(self, piece, array, row, which, column):
        """A value of the one pair, or those of pairs side by side."""
        if self.batch == 1:
            return piece.load(array, self._at(piece, piece.pointer("own"), which, column) + row)
        return gathered(piece, array, (self._at(piece, piece.pointer("own"), 2 * e + which, column) + row for e in range(self.batch)))

    def row(self, piece, pair, k):
        """Row of A of a pair's coordinate k."""
        which, column = divmod(k, self.own)
        return self._at(piece, pair, which, self.own + self.numbers + column)

    def added(self, k, rows):
        """Store that adds to the row of A of the pair's coordinate k, or to row 0."""

        def store(piece, value):
            piece.loops.add(piece.arguments["A"], 0 if rows is None else self.row(piece, piece.pointer("own"), k), value)

        return store
