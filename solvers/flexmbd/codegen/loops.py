"""Loops over rows and tables, as instructions."""

from __future__ import annotations

from contextlib import contextmanager

from llvmlite import ir

from flexmbd.codegen.values import WORD, Value

INTEGER = ir.IntType(32)


class Index:
    """A whole number that is known when code is written, or when it runs."""

    __slots__ = ("builder", "known")

    def __init__(self, builder, known):
        self.builder, self.known = builder, known

    @property
    def ir(self):
        """As an operand."""
        return ir.Constant(WORD, self.known) if isinstance(self.known, int) else self.known

    def _with(self, other, number, instruction):
        other = other.known if isinstance(other, Index) else other
        if isinstance(self.known, int) and isinstance(other, int):
            return Index(self.builder, number(self.known, other))
        return Index(self.builder, getattr(self.builder, instruction)(self.ir, Index(self.builder, other).ir))

    def __add__(self, other):
        return self._with(other, lambda a, b: a + b, "add")

    def __sub__(self, other):
        return self._with(other, lambda a, b: a - b, "sub")

    def __mul__(self, other):
        return self._with(other, lambda a, b: a * b, "mul")

    __radd__, __rmul__ = __add__, __mul__


class Cell:
    """A value that changes in a loop."""

    def __init__(self, writer, value):
        self.writer = writer
        with writer.builder.goto_entry_block():
            self.place = writer.builder.alloca(value.ir.type)
        self.set(value)

    def get(self):
        """The value."""
        return Value(self.writer, self.writer.builder.load(self.place))

    def set(self, value):
        """Change it."""
        self.writer.builder.store(value.ir, self.place)


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
        before, head = b.block, b.append_basic_block("loop")
        body, after = b.append_basic_block("body"), b.append_basic_block("after")
        b.branch(head)
        b.position_at_end(head)
        k = b.phi(WORD)
        b.cbranch(b.icmp_signed(">" if down else "<", k, (start if down else stop).ir), body, after)
        b.position_at_end(body)
        if down:  # k is one more than the index
            here = b.sub(k, ir.Constant(WORD, 1))
            yield Index(b, here)
            following = here
        else:
            yield Index(b, k)
            following = b.add(k, self.index(step).ir)
        k.add_incoming((stop if down else start).ir, before)
        k.add_incoming(following, b.block)
        b.branch(head)
        b.position_at_end(after)

    def moved(self, rows, index):
        """Rows from an index on."""
        return self.builder.gep(rows, [(self.index(index) * self.writer.stride).ir])

    def _row(self, rows, index):
        where = self.moved(rows, index)
        return where if self.writer.width == 1 else self.builder.bitcast(where, self.writer.kind.as_pointer())

    def load(self, rows, index):
        """Value in a row."""
        return Value(self.writer, self.builder.load(self._row(rows, index), align=8))

    def store(self, rows, index, value):
        """Put a value into a row."""
        self.builder.store(self.writer.value(value).ir, self._row(rows, index), align=8)

    def add(self, rows, index, value):
        """Add a value to a row."""
        where = self._row(rows, index)
        total = Value(self.writer, self.builder.load(where, align=8)) + value
        self.builder.store(total.ir, where, align=8)

    def table(self, table, index):
        """Entry of a table."""
        b = self.builder
        return Index(b, b.sext(b.load(b.gep(table, [self.index(index).ir])), WORD))

    def part(self, table, index):
        """A table from an entry on."""
        return self.builder.gep(table, [self.index(index).ir])

    def clear(self, rows, count):
        """Set rows to zero."""
        with self.loop(0, count) as k:
            self.store(rows, k, 0.0)
