"""Values of LLVM's intermediate language that compute as numbers do: kernels called with them write code.

A value has W doubles, or W truth values, side by side; for one lane it is a double.
"""

from __future__ import annotations

from math import copysign

from llvmlite import ir

FAST = ("contract",)
DOUBLE, WORD = ir.DoubleType(), ir.IntType(64)


class Untraceable(Exception):
    """What a kernel does that cannot be written as instructions."""


class Writer:
    """Where instructions go.

    Parameters
    ----------
    builder : IRBuilder
    width : int
        Lanes.
    stride : int, optional
        Numbers from one row to the next, if not as many.
    polynomials : bool
        Whether elementary functions are polynomials also for one lane.
    """

    def __init__(self, builder, width, stride=None, polynomials=False):
        self.builder, self.width, self.module, self._constants = builder, width, builder.module, {}
        self.stride, self.polynomials = stride or width, polynomials or width > 1
        self.kind = ir.VectorType(DOUBLE, width) if width > 1 else DOUBLE
        self.words = ir.VectorType(WORD, width) if width > 1 else WORD

    def all(self, number, kind=None):
        """A constant in all lanes."""
        kind = self.kind if kind is None else kind
        return ir.Constant(kind, [number] * self.width if self.width > 1 else number)

    def value(self, x):
        """A `Value` of a number, or what is one already."""
        if isinstance(x, Value):
            return x
        x = float(x)
        key = x, copysign(1.0, x)
        if key not in self._constants:
            self._constants[key] = Value(self, self.all(x))
        return self._constants[key]

    def of(self, code):
        """A `Value` of an instruction."""
        return Value(self, code)

    def spread(self, number):
        """A number known at run time, in all lanes."""
        if self.width == 1:
            return number
        empty = ir.Constant(self.kind, ir.Undefined)
        first = self.builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width))

    def call(self, name, *values):
        """Call of an intrinsic of LLVM, or of C's library for one lane."""
        found = self.module.globals.get(name) or ir.Function(self.module, ir.FunctionType(self.kind, [self.kind] * len(values)), name)
        return Value(self, self.builder.call(found, [x.ir for x in values]))

    def apply(self, name, body, *args):
        """Call of a function of its own, written when it is first called: ``body(writer, *values)`` gives a value or a tuple of them."""
        name, args = f"{name}.{self.width}", [self.value(x).ir for x in args]
        function = self.module.globals.get(name) or self._written(name, body, len(args))
        result = self.builder.call(function, args)
        if not isinstance(result.type, ir.IdentifiedStructType):
            return Value(self, result)
        return tuple(Value(self, self.builder.extract_value(result, k)) for k in range(len(result.type.elements)))

    def _written(self, name, body, count):
        function = ir.Function(self.module, ir.FunctionType(ir.VoidType(), [self.kind] * count), name)
        function.linkage = "internal"
        writer = Writer(ir.IRBuilder(function.append_basic_block("entry")), self.width, self.stride, self.polynomials)
        found = body(writer, *(Value(writer, x) for x in function.args))
        kind = result = self.kind
        if isinstance(found, tuple):
            kind = self.module.context.get_identified_type(f"results.{len(found)}.{self.width}")
            if kind.is_opaque:
                kind.set_body(*[self.kind] * len(found))
            result = ir.Constant(kind, ir.Undefined)
            for k, x in enumerate(found):
                result = writer.builder.insert_value(result, writer.value(x).ir, k)
        else:
            result = writer.value(found).ir
        writer.builder.ret(result)
        function.ftype = ir.FunctionType(kind, [self.kind] * count)  # what it gives is known only now
        function.type, function.return_value = function.ftype.as_pointer(), ir.values.ReturnValue(function, kind)
        return function

    def intrinsic(self, name, *values):
        """Call of an intrinsic that is there for lanes too."""
        return self.call(f"llvm.{name}.{f'v{self.width}' if self.width > 1 else ''}f64", *map(self.value, values))

    def call_library(self, name, *values):
        """Call of a function of C's library, for one lane."""
        return self.call(name, *map(self.value, values))

    def select(self, condition, a, b):
        """a where the condition holds, else b; a condition that is known now decides now."""
        if not isinstance(condition, Value):
            return a if condition else b
        return Value(self, self.builder.select(condition.ir, self.value(a).ir, self.value(b).ir))

    def opposite(self, condition):
        """Where a condition does not hold."""
        return Value(self, self.builder.not_(condition.ir)) if isinstance(condition, Value) else not condition


class Value:
    """W doubles or truth values; arithmetic and comparisons write instructions."""

    __slots__ = ("ir", "writer")

    def __init__(self, writer, code):
        self.writer, self.ir = writer, code

    def _arithmetic(self, name, a, b):
        a, b = self.writer.value(a), self.writer.value(b)
        return Value(self.writer, getattr(self.writer.builder, name)(a.ir, b.ir, flags=FAST))

    def __add__(self, other):
        if isinstance(other, tuple):
            return NotImplemented
        return self._arithmetic("fadd", self, other)

    def __radd__(self, other):
        return self._arithmetic("fadd", other, self)

    def __sub__(self, other):
        return self._arithmetic("fsub", self, other)

    def __rsub__(self, other):
        return self._arithmetic("fsub", other, self)

    def __mul__(self, other):
        return self._arithmetic("fmul", self, other)

    def __rmul__(self, other):
        return self._arithmetic("fmul", other, self)

    def __truediv__(self, other):
        return self._arithmetic("fdiv", self, other)

    def __rtruediv__(self, other):
        return self._arithmetic("fdiv", other, self)

    def __neg__(self):
        return Value(self.writer, self.writer.builder.fneg(self.ir))

    def __pos__(self):
        return self

    def _compare(self, sign, other):
        return Value(self.writer, self.writer.builder.fcmp_ordered(sign, self.ir, self.writer.value(other).ir))

    def __gt__(self, other):
        return self._compare(">", other)

    def __ge__(self, other):
        return self._compare(">=", other)

    def __lt__(self, other):
        return self._compare("<", other)

    def __le__(self, other):
        return self._compare("<=", other)

    def __and__(self, other):
        if not isinstance(other, Value):
            return self if other else False
        return Value(self.writer, self.writer.builder.and_(self.ir, other.ir))

    def __or__(self, other):
        if not isinstance(other, Value):
            return True if other else self
        return Value(self.writer, self.writer.builder.or_(self.ir, other.ir))

    __rand__, __ror__ = __and__, __or__

    def __bool__(self):
        raise Untraceable("code that branches on a value")
