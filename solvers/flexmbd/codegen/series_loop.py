"""Series of higher orders in a loop over the order: of large models, whose straight instructions would take long to compile.

Factors of products keep their coefficients in rows of W. In the loop's turn for order K these have orders up to K - 1; what a product
needs of order K and above stands beside it, so that the loop over the others is the same before and after the unknowns are known.
"""

from __future__ import annotations

from flexmbd.codegen.loops import Loops
from flexmbd.codegen.text import DOUBLE, WORD, Instructions, pointer
from flexmbd.codegen.values import Value, Writer
from flexmbd.lanes.recurrences import Rate, plus, times
from flexmbd.parameters import RUNTIME

HEAD = 4  # orders before the loop: from there on the terms at both ends of a product are different ones


def _product(piece):
    """A function of two places in rows and a range of j: the sum of products of row j behind the first and row j before the second.

    Even and odd j are summed apart: no product waits for the one before.
    """
    module, kind, name = piece.functions.module, piece.writer.kind, "series.product"
    if name in module.functions:
        return module.functions[name]
    kinds = [pointer(DOUBLE), pointer(DOUBLE), WORD, WORD]
    function = module.function(name, kind, kinds, ("a", "b", "start", "end"), inside=True, attributes="noinline")
    writer = Writer(Instructions(function), piece.writer.width, piece.functions.target.stride)
    b, loops, (left, right, start, end) = writer.builder, Loops(writer), function.args
    before, head, body, rest, last, after = b.block, *(b.append() for _ in range(5))

    def more(total, j):
        x, y = loops.load(left, loops.index(j)), loops.load(right, loops.index(b.op("sub", WORD, 0, j)))
        return (Value(writer, total) + x * y).ir

    b.branch(head)
    b.block = head
    j, complete_j = b.phi(WORD)
    totals = [b.phi(kind) for _ in range(2)]
    following = b.op("add", WORD, j, 1)
    b.choose(b.op("icmp slt", WORD, following, end), body, rest)
    b.block, zero = body, writer.value(0.0).ir
    found = [more(total, at) for (total, _), at in zip(totals, (j, following), strict=True)]
    complete_j((start, before), (b.op("add", WORD, j, 2), body))
    for (_, complete), x in zip(totals, found, strict=True):
        complete((zero, before), (x, body))
    b.branch(head)
    b.block = rest
    b.choose(b.op("icmp slt", WORD, j, end), last, after)
    b.block = last
    one = more(totals[0][0], j)
    b.branch(after)
    b.block = after
    even, complete = b.phi(kind)
    complete((totals[0][0], rest), (one, last))
    b.give((Value(writer, even) + Value(writer, totals[1][0])).ir)
    return function


class Order:
    """The order of the loop's turn, or one that is so many more."""

    def __init__(self, series, more):
        self.series, self.more = series, more

    def __add__(self, other):
        return Order(self.series, self.more + other)

    def __sub__(self, other):
        return Order(self.series, self.more - other)

    def __rtruediv__(self, x):
        return times(x, self.series.number(self.more, over=True))


class Onward:
    """What `language.series.Series` is, for the order of a loop's turn.

    Parameters
    ----------
    head : Series
        Of orders before `HEAD`.
    piece : Piece
    length : int
        Coefficients of a factor.
    """

    def __init__(self, head, piece, length):
        self.head, self.piece, self.graph = head, piece, head.graph
        self.select, self.inverse, self.traced, self.rate = head.select, head.inverse, head.traced, head.rate
        self.given, self.open, self.turn = {}, None, None
        self._known, self._draft, self._guess, self._dots, self._numbers = {}, {}, {}, {}, {}
        self.rows = {x.id: (x, piece.rows.take(length + 1)) for x in head.factors.values()}
        for x, row in self.rows.values():
            for j in range(HEAD):
                piece.loops.store(piece.moved("W", row), j, head(x, j))

    def begun(self, turn):
        """The order of a turn of the loop, of whose instructions nothing is known yet."""
        self.turn = turn
        return Order(self, 0)

    def begin(self, k):
        """Nothing: products are begun when they are asked for."""

    def number(self, more, *, over=False):
        """The order and so many more, as a value, or one over it."""
        if (more, over) not in self._numbers:
            b, w = self.piece.builder, self.piece.writer
            x = b.cast("sitofp", WORD, (self.turn + more).ir, DOUBLE)
            x = b.op("fdiv", DOUBLE, "1.0", x) if over else x
            self._numbers[more, over] = Value(w, w.spread(x))
        return self._numbers[more, over]

    def __call__(self, node, k):
        """Coefficient of a node."""
        if type(k) is int:
            return self.head(node, k)
        if type(node) is Rate:
            return times(self(node.node, k + 1), self.number(k.more + 1))
        if node.id in self.given:
            own = self.given[node.id]
            return own[k.more] if k.more in own else self._guess.get(node.id, 0.0)
        if node.level < RUNTIME:
            return 0.0
        own = self._known if self._settled(node, k.more) else self._draft
        if (node.id, k.more) not in own:
            own[node.id, k.more] = self._coefficient(node, k)
        return own[node.id, k.more]

    def _coefficient(self, node, k):
        if node.id not in self.head.derived:
            return node.kind.series(self, node, k)
        of, count = self.head.derived[node.id]
        found = self(of, k + count)
        for more in range(k.more + 1, k.more + count + 1):
            found = times(found, self.number(more))
        return found

    def _settled(self, node, more):
        return self.open is None or more <= self.head.ahead(node)

    def draft(self, guess):
        """As of `Series`."""
        self._guess |= {x.id: value for x, value in guess.items()}
        self._draft = {}

    def settle(self):
        """As of `Series`."""
        self.open, self._draft, self._guess = None, {}, {}

    def sum(self, a, b, k, first=0, last=None):
        """As of `Series`."""
        behind, total = 0 if last is None else k.more - last.more, 0.0
        for j in range(first, k.more + 1):
            total = plus(total, times(self(a, j), self(b, k - j)))
        for j in range(behind, k.more + 1):
            total = plus(total, times(self(a, k - j), self(b, j)))
        return plus(total, self._dot(a, b, k.more, max(first, k.more + 1), 0 if k.more >= 0 else -behind))

    def _dot(self, a, b, more, start, stop):
        """Products of what is in rows: from j = `start` to before the order and `stop` more."""
        key = a.id, b.id, more, start, stop
        if key in self._dots:
            return self._dots[key]
        piece, builder = self.piece, self.piece.builder
        left, right = (piece.moved("W", self.rows[x.id][1]) for x in (a, b))
        last = piece.loops.moved(right, self.turn + more)
        self._dots[key] = Value(piece.writer, builder.call(_product(piece), [left, last, start, (self.turn + stop).ir]))
        return self._dots[key]

    def put(self, x, k, value):
        """Put a coefficient of a factor into its row."""
        self.piece.loops.store(self.piece.moved("W", self.rows[x.id][1]), k, value)

    def get(self, x):
        """The coefficient of a factor in the order of the turn."""
        return self.piece.loops.load(self.piece.moved("W", self.rows[x.id][1]), self.turn)

    def keep(self):
        """Put coefficients of the turn's order into rows."""
        k = Order(self, 0)
        for x, row in self.rows.values():
            self.piece.loops.store(self.piece.moved("W", row), self.turn, self(x, k))
