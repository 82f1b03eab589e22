"""The words of `flexmbd.lanes` for values of LLVM's intermediate language, with the same instructions that Numba makes of them."""

from __future__ import annotations

import functools
from types import FunctionType

from flexmbd.codegen.values import Untraceable, Value
from flexmbd.lanes import bits, polynomials
from flexmbd.language.kernels import run_with
from flexmbd.language.nodes import nested

LIBRARY = ("exp", "log", "atan2", "tanh")  # of C, for one lane
ELEMENTARY = ("exp", "log", "power", "sincos", "atan2", "tanh")  # polynomials for several


def words(writer):
    """The words that kernels are written in, by name."""
    found = _plain(writer)
    if writer.polynomials:
        return found | {name: functools.partial(writer.apply, name, functools.partial(_elementary, name)) for name in ELEMENTARY}
    library = {name: functools.partial(writer.call_library, name) for name in LIBRARY}
    library["power"] = lambda x, y: writer.select(writer.value(x) > 0.0, writer.call_library("pow", x, y), 0.0)
    library["sincos"] = lambda x: (writer.call_library("sin", x), writer.call_library("cos", x))
    return found | library


def kernel_function(kernel, shape):
    """Body of a function that is a kernel of arguments of a shape: ``body(writer, *numbers)``."""
    return lambda writer, *x: run_with(kernel, words(writer), lambda plain: functools.partial(plain.write, writer))(*nested(x, shape))


def _plain(writer):
    """Words that are instructions."""
    return {
        "select": writer.select,
        "maximum": lambda a, b: writer.select(writer.value(a) > b, a, b),
        "minimum": lambda a, b: writer.select(writer.value(a) < b, a, b),
        "lnot": lambda c: Value(writer, writer.builder.not_(c.ir)) if isinstance(c, Value) else not c,
        "any_lane": _no_lanes,
        **{name: functools.partial(writer.intrinsic, name) for name in ("sqrt", "fabs", "floor", "fma")},
    }


def _no_lanes(condition):
    raise Untraceable("any_lane is for code that is compiled for lanes, not for kernels")


def _elementary(name, writer, *values):
    return _polynomials(writer)[f"vec_{name}"](*values)


def _polynomials(writer):
    """The polynomials of `lanes.polynomials`, for values of a writer."""
    builder, value, words = writer.builder, writer.value, _plain(writer)
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
    return space
