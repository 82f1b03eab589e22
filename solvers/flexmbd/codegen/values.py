"""Values of LLVM's intermediate language that compute as numbers do: kernels called with them write code.

A value has W doubles, or W truth values, side by side; for one lane it is a double. The words of `flexmbd.lanes` are here for such values,
with the same instructions that Numba makes of them.
"""

from __future__ import annotations

import functools
from types import FunctionType

from llvmlite import ir

from flexmbd.lanes import bits, polynomials

FAST = ("contract",)
DOUBLE, WORD = ir.DoubleType(), ir.IntType(64)
LIBRARY = ("exp", "log", "atan2", "tanh", "sin", "cos", "pow")  # of C, for one lane
ELEMENTARY = ("exp", "log", "power", "sincos", "atan2", "tanh")  # polynomials for several


class Untraceable(Exception):
    """What cannot be written without Numba."""


class Writer:
    """Where instructions go.

    Parameters
    ----------
    builder : IRBuilder
    width : int
        Lanes.
    """

    def __init__(self, builder, width):
        self.builder, self.width = builder, width
        self.kind = ir.VectorType(DOUBLE, width) if width > 1 else DOUBLE
        self.words = ir.VectorType(WORD, width) if width > 1 else WORD

    def all(self, number, kind=None):
        """A constant in all lanes."""
        kind = self.kind if kind is None else kind
        return ir.Constant(kind, [number] * self.width if self.width > 1 else number)

    def value(self, x):
        """A `Value` of a number, or what is one already."""
        return x if isinstance(x, Value) else Value(self, self.all(float(x)))

    def spread(self, number):
        """A number known at run time, in all lanes."""
        if self.width == 1:
            return number
        empty = ir.Constant(self.kind, ir.Undefined)
        first = self.builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
        return self.builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width))

    def call(self, name, *values):
        """Call of an intrinsic of LLVM, or of C's library for one lane."""
        module = self.builder.module
        found = module.globals.get(name) or ir.Function(module, ir.FunctionType(self.kind, [self.kind] * len(values)), name)
        return Value(self, self.builder.call(found, [x.ir for x in values]))

    def intrinsic(self, name, *values):
        """Call of an intrinsic that is there for lanes too."""
        return self.call(f"llvm.{name}.{f'v{self.width}' if self.width > 1 else ''}f64", *map(self.value, values))

    @functools.cached_property
    def words_of_kernels(self):
        """The words that kernels are written in, by name."""
        found = {
            "select": self.select,
            "maximum": lambda a, b: self.select(self.value(a) > b, a, b),
            "minimum": lambda a, b: self.select(self.value(a) < b, a, b),
            "lnot": lambda c: Value(self, self.builder.not_(c.ir)),
            **{name: functools.partial(self.intrinsic, name) for name in ("sqrt", "fabs", "floor", "fma")},
        }
        if self.width > 1:
            return found | _elementary(self, found)
        library = {name: lambda *x, name=name: self.call(name, *map(self.value, x)) for name in LIBRARY}
        return (
            found
            | library
            | {
                "power": lambda x, y: self.select(self.value(x) > 0.0, library["pow"](x, y), 0.0),
                "sincos": lambda x: (library["sin"](x), library["cos"](x)),
            }
        )

    def select(self, condition, a, b):
        """a where the condition holds, else b; a condition that is known now decides now."""
        if not isinstance(condition, Value):
            return a if condition else b
        return Value(self, self.builder.select(condition.ir, self.value(a).ir, self.value(b).ir))


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
        return Value(self.writer, self.writer.builder.and_(self.ir, other.ir))

    def __or__(self, other):
        return Value(self.writer, self.writer.builder.or_(self.ir, other.ir))

    def __bool__(self):
        raise Untraceable("code that branches on a value")


def _elementary(writer, words):
    """The polynomials of `lanes.polynomials`, for values of a writer, under the names of the words."""
    builder, value = writer.builder, writer.value
    space = {name: x for name, x in vars(polynomials).items() if isinstance(x, float) or name == "math"}
    space |= words | {"widen": lambda x, like: value(x)}

    def integers(x):
        return builder.bitcast(x.ir, writer.words)

    def counted(x):
        return builder.sub(integers(x), writer.all(bits.SQRT_HALF_BITS, writer.words))

    def doubles(x):
        return Value(writer, builder.bitcast(x, writer.kind))

    def test(number):
        zero, bit = writer.all(0, writer.words), writer.all(1 << number, writer.words)
        return lambda x: Value(writer, builder.icmp_signed("!=", builder.and_(integers(x), bit), zero))

    def shifted_exponent(x):
        k = builder.ashr(counted(x), writer.all(52, writer.words))
        return doubles(builder.add(k, writer.all(bits.SHIFTER_BITS, writer.words)))

    def mantissa(x):
        field = builder.and_(counted(x), writer.all(bits.EXPONENT_FIELD, writer.words))
        return doubles(builder.sub(integers(x), field))

    space |= {"bit_0": test(0), "bit_1": test(1), "sign_bit": test(63), "mantissa": mantissa, "shifted_exponent": shifted_exponent}
    space["exponent_from_low_bits"] = lambda t: doubles(builder.shl(integers(t), writer.all(52, writer.words)))
    for name, function in vars(polynomials).items():
        plain = getattr(function, "py_func", None)
        if plain is not None and plain.__module__ == polynomials.__name__:
            space[name] = FunctionType(plain.__code__, space)
    return {name: lambda *x, f=space[f"vec_{name}"]: f(*map(value, x)) for name in ELEMENTARY}
