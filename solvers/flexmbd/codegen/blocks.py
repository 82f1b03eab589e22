"""Elimination in dense blocks (`linalg.blocks.Plan`) as functions of LLVM's intermediate language; they do not pivot.

Arguments are rows of the matrix, tables of supernodes (pivots) and of their couplings (columns), and how many supernodes; for supernodes
that are all of one size, as are those they are coupled to, that size is known when the code is written.
"""

from __future__ import annotations

from flexmbd.codegen.loops import Cell, Loops
from flexmbd.codegen.text import DOUBLE, INTEGER, VOID, WORD, Instructions, pointer
from flexmbd.codegen.values import Writer

ROWS, TABLE = pointer(DOUBLE), pointer(INTEGER)


class _Supernode:
    """Entries of a supernode: diagonal block, its size, first row, range of columns, begin in the targets."""

    def __init__(self, loops, pivots, k, size):
        t = [loops.table(pivots, k * 6 + i) for i in range(6)]
        self.block, self.row, self.first, self.last, self.targets = t[0], t[2], t[3], t[4], t[5]
        self.size = t[1] if size is None else loops.index(size)


class _Coupling:
    """Entries of a coupling: block below (stored transposed) and right of the diagonal one, size of the other supernode, its first row."""

    def __init__(self, loops, columns, k, size):
        t = [loops.table(columns, k * 4 + i) for i in range(4)]
        self.below, self.right, self.row = t[0], t[1], t[3]
        self.size = t[2] if size is None else loops.index(size)


def _factorise(b, A, pivots, columns, targets, count, size):
    """``L U`` in place; the diagonal is stored inverted, blocks of L transposed."""
    with b.loop(0, count) as k:
        s = _Supernode(b, pivots, k, size)
        d, n = s.block, s.size
        with b.loop(0, n) as r:
            inverse = 1.0 / b.load(A, d + r * n + r)
            b.store(A, d + r * n + r, inverse)
            with b.loop(r + 1, n) as i:
                f = b.load(A, d + i * n + r) * inverse
                b.store(A, d + i * n + r, f)
                with b.loop(r + 1, n) as j:
                    b.store(A, d + i * n + j, b.load(A, d + i * n + j) - f * b.load(A, d + r * n + j))
        with b.loop(s.first, s.last) as c:
            to = _Coupling(b, columns, c, size)
            low, up, m = to.below, to.right, to.size
            with b.loop(0, n) as i:
                inverse = b.load(A, d + i * n + i)
                with b.loop(0, m) as j:
                    x, y = Cell(b.writer, b.load(A, low + i * m + j)), Cell(b.writer, b.load(A, up + i * m + j))
                    with b.loop(0, i) as r:
                        x.set(x.get() - b.load(A, d + r * n + i) * b.load(A, low + r * m + j))
                        y.set(y.get() - b.load(A, d + i * n + r) * b.load(A, up + r * m + j))
                    b.store(A, low + i * m + j, x.get() * inverse)
                    b.store(A, up + i * m + j, y.get())
        with b.loop(s.first, s.last) as a:
            one = _Coupling(b, columns, a, size)
            here = s.targets + (a - s.first) * (s.last - s.first) - s.first
            with b.loop(s.first, a) as c:
                other = _Coupling(b, columns, c, size)
                _update(b, A, b.table(targets, here + c), other.right, one.below, n, other.size, one.size)
            with b.loop(a, s.last) as c:
                other = _Coupling(b, columns, c, size)
                _update(b, A, b.table(targets, here + c), one.below, other.right, n, one.size, other.size)


def _update(b, A, to, left, right, n, rows, width):
    """``C -= L' R`` for blocks L (n, rows) and R (n, width), four columns at once."""
    whole = b.index(width)
    four = b.index(whole.known // 4 * 4) if isinstance(whole.known, int) else _fours(b, whole)
    with b.loop(0, four, 4) as j, b.loop(0, rows) as i:
        at = to + i * width + j
        cells = [Cell(b.writer, b.load(A, at + e)) for e in range(4)]
        with b.loop(0, n) as r:
            f, k = b.load(A, left + r * rows + i), right + r * width + j
            for e, x in enumerate(cells):
                x.set(x.get() - f * b.load(A, k + e))
        for e, x in enumerate(cells):
            b.store(A, at + e, x.get())
    with b.loop(four, width) as k, b.loop(0, rows) as i:
        x = Cell(b.writer, b.load(A, to + i * width + k))
        with b.loop(0, n) as r:
            x.set(x.get() - b.load(A, left + r * rows + i) * b.load(A, right + r * width + k))
        b.store(A, to + i * width + k, x.get())


def _fours(b, whole):
    return type(whole)(b.builder, b.builder.op("and", WORD, whole.ir, -4))


def _forward(b, A, pivots, columns, x, count, size):
    """First half of the solution, in place of the right-hand side, both in the order of the pivots."""
    with b.loop(0, count) as k:
        s = _Supernode(b, pivots, k, size)
        d, n, at = s.block, s.size, s.row
        with b.loop(1, n) as i:
            y = Cell(b.writer, b.load(x, at + i))
            with b.loop(0, i) as r:
                y.set(y.get() - b.load(A, d + i * n + r) * b.load(x, at + r))
            b.store(x, at + i, y.get())
        with b.loop(s.first, s.last) as c:
            to = _Coupling(b, columns, c, size)
            m = to.size
            four = b.index(m.known // 4 * 4) if isinstance(m.known, int) else _fours(b, m)
            with b.loop(0, four, 4) as i:
                cells = [Cell(b.writer, b.load(x, to.row + i + e)) for e in range(4)]
                with b.loop(0, n) as r:
                    f, p = b.load(x, at + r), to.below + r * m + i
                    for e, y in enumerate(cells):
                        y.set(y.get() - b.load(A, p + e) * f)
                for e, y in enumerate(cells):
                    b.store(x, to.row + i + e, y.get())
            with b.loop(four, m) as j:
                y = Cell(b.writer, b.load(x, to.row + j))
                with b.loop(0, n) as r:
                    y.set(y.get() - b.load(A, to.below + r * m + j) * b.load(x, at + r))
                b.store(x, to.row + j, y.get())


def _backward(b, A, pivots, columns, x, count, size):
    """Second half of the solution."""
    with b.loop(0, count, down=True) as k:
        s = _Supernode(b, pivots, k, size)
        d, n, at = s.block, s.size, s.row
        with b.loop(s.first, s.last) as c:
            to = _Coupling(b, columns, c, size)
            with b.loop(0, n) as i:
                y = Cell(b.writer, b.load(x, at + i))
                with b.loop(0, to.size) as r:
                    y.set(y.get() - b.load(A, to.right + i * to.size + r) * b.load(x, to.row + r))
                b.store(x, at + i, y.get())
        with b.loop(0, n, down=True) as i:
            y = Cell(b.writer, b.load(x, at + i))
            with b.loop(i + 1, n) as r:
                y.set(y.get() - b.load(A, d + i * n + r) * b.load(x, at + r))
            b.store(x, at + i, y.get() * b.load(A, d + i * n + i))


KINDS = {"factorise": _factorise, "forward": _forward, "backward": _backward}


def elimination(writer, kind, size, A, pivots, columns, more, count):
    """Call of one of `KINDS` for `count` supernodes; `more` are the targets, or rows of the right-hand side."""
    name = f"{kind}.{'any' if size is None else size}.{writer.width}"
    function = writer.module.functions.get(name)
    if function is None:
        last = TABLE if kind == "factorise" else ROWS
        # Four functions of a beam had copies of their own: an eighth of its time to compile.
        function = writer.module.function(name, VOID, [ROWS, TABLE, TABLE, last, WORD], inside=True, attributes="noinline")
        own = Writer(Instructions(function), writer.width, writer.stride)
        loops = Loops(own)
        *arguments, number = function.args
        KINDS[kind](loops, *arguments, loops.index(number), size)
        own.builder.give()
    writer.builder.call(function, [A, pivots, columns, more, count])
