"""Loops over rows and tables, as instructions."""

from __future__ import annotations

from contextlib import contextmanager

from flexmbd.codegen.text import DOUBLE, INTEGER, ONCE, WORD
from flexmbd.codegen.values import Value


class Index:
    """A whole number that is known when code is written, or when it runs: an operand."""

    __slots__ = ("builder", "known")

    def __init__(self, builder, known):
        self.builder, self.known = builder, known

    @property
    def ir(self):
        """As an operand."""
        return str(self.known)

    def _with(self, other, number, instruction):
        other = other.known if isinstance(other, Index) else other
        if isinstance(self.known, int) and isinstance(other, int):
            return Index(self.builder, number(self.known, other))
        return Index(self.builder, self.builder.op(instruction, WORD, self.known, other))

    def __add__(self, other):
        return self if other == 0 else self._with(other, lambda a, b: a + b, "add")

    def __sub__(self, other):
        return self._with(other, lambda a, b: a - b, "sub")

    def __mul__(self, other):
        return self if other == 1 else self._with(other, lambda a, b: a * b, "mul")

    __radd__, __rmul__ = __add__, __mul__


class Cell:
    """A value that changes in a loop."""

    def __init__(self, writer, value):
        self.writer = writer
        self.place = writer.builder.alloca(writer.kind)
        self.set(value)

    def get(self):
        """The value."""
        return Value(self.writer, self.writer.builder.load(self.writer.kind, self.place))

    def set(self, value):
        """Change it."""
        self.writer.builder.store(self.writer.kind, value.ir, self.place)


class Loops:
    """Rows of values, tables of integers, and loops.

    Parameters
    ----------
    writer : Writer
    """

    def __init__(self, writer):
        self.writer, self.builder = writer, writer.builder

    def index(self, x):
        """An `Index`."""
        return x if isinstance(x, Index) else Index(self.builder, x)

    @contextmanager
    def loop(self, start, stop, step=1, *, down=False):
        """The instructions within run for every index from `start` to before `stop`; `down`: from before `stop` to `start`."""
        b, start, stop = self.builder, self.index(start), self.index(stop)
        before, head, body, after = b.block, b.append(), b.append(), b.append()
        b.branch(head)
        b.block = head
        k, complete = b.phi(WORD)
        b.choose(b.op("icmp sgt" if down else "icmp slt", WORD, k, (start if down else stop).ir), body, after)
        b.block = body
        if down:  # k is one more than the index
            here = b.op("sub", WORD, k, 1)
            yield Index(b, here)
            following = here
        else:
            yield Index(b, k)
            following = b.op("add", WORD, k, self.index(step).ir)
        complete(((stop if down else start).ir, before), (following, b.block))
        known = isinstance(start.known, int) and isinstance(stop.known, int)
        b.branch(head, "" if known or self.writer.width == 1 else ONCE)
        b.block = after

    def moved(self, rows, index):
        """Rows from an index on."""
        return self.builder.gep(DOUBLE, rows, (self.index(index) * self.writer.stride).ir)

    def load(self, rows, index):
        """Value in a row."""
        return Value(self.writer, self.builder.load(self.writer.kind, self.moved(rows, index), 8))

    def store(self, rows, index, value):
        """Put a value into a row."""
        self.builder.store(self.writer.kind, self.writer.value(value).ir, self.moved(rows, index), 8)

    def add(self, rows, index, value):
        """Add a value to a row."""
        self.add_at(self.moved(rows, index), value)

    def add_at(self, where, value):
        """Add a value to a row at a place."""
        kind = self.writer.kind
        total = Value(self.writer, self.builder.load(kind, where, 8)) + value
        self.builder.store(kind, total.ir, where, 8)

    def table(self, table, index):
        """Entry of a table."""
        b = self.builder
        return Index(b, b.cast("sext", INTEGER, b.load(INTEGER, b.gep(INTEGER, table, self.index(index).ir)), WORD))

    def part(self, table, index):
        """A table from an entry on."""
        return self.builder.gep(INTEGER, table, self.index(index).ir)

    def clear(self, rows, count):
        """Set rows to zero."""
        with self.loop(0, count) as k:
            self.store(rows, k, 0.0)
