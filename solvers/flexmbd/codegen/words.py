"""The words of `flexmbd.lanes` for values of LLVM's intermediate language, with the instructions that Numba makes of them."""

from __future__ import annotations

import functools
from types import FunctionType

from flexmbd.codegen.values import Untraceable, Value
from flexmbd.lanes import WORDS, bits, polynomials
from flexmbd.language.kernels import run_with
from flexmbd.language.nodes import nested


def words(writer):
    """The words that kernels are written in, by name."""
    found = {name: functools.partial(word.write or _no_lanes, writer) for name, word in WORDS.items()}
    if writer.polynomials:
        several = [name for name, word in WORDS.items() if word.polynomial is not None]
        found |= {name: functools.partial(writer.apply, name, functools.partial(_elementary, name)) for name in several}
    return found


def kernel_function(kernel, shape):
    """Body of a function that is a kernel of arguments of a shape: ``body(writer, *numbers)``."""
    return lambda writer, *x: run_with(kernel, words(writer), lambda plain: functools.partial(plain.write, writer))(*nested(x, shape))


def _no_lanes(*_):
    raise Untraceable("any_lane is for code that is compiled for lanes, not for kernels")


def _elementary(name, writer, *values):
    return _polynomials(writer)[WORDS[name].polynomial.__name__](*values)


def _polynomials(writer):
    """The polynomials of `lanes.polynomials`, for values of a writer."""
    builder, value = writer.builder, writer.value
    space = {name: x for name, x in vars(polynomials).items() if isinstance(x, float) or name == "math"}
    space |= {name: functools.partial(word.write or _no_lanes, writer) for name, word in WORDS.items() if word.polynomial is None}
    space |= {"fma": functools.partial(writer.intrinsic, "fma"), "widen": lambda x, like: value(x)}

    kind, words_of = writer.kind, writer.words

    def integers(x):
        return builder.cast("bitcast", kind, x.ir, words_of)

    def counted(x):
        return builder.op("sub", words_of, integers(x), writer.integer(bits.SQRT_HALF_BITS))

    def doubles(x):
        return Value(writer, builder.cast("bitcast", words_of, x, kind))

    def test(number):
        zero, bit = writer.integer(0), writer.integer(1 << number)
        return lambda x: Value(writer, builder.op("icmp ne", words_of, builder.op("and", words_of, integers(x), bit), zero))

    def shifted_exponent(x):
        k = builder.op("ashr", words_of, counted(x), writer.integer(52))
        return doubles(builder.op("add", words_of, k, writer.integer(bits.SHIFTER_BITS)))

    def mantissa(x):
        field = builder.op("and", words_of, counted(x), writer.integer(bits.EXPONENT_FIELD))
        return doubles(builder.op("sub", words_of, integers(x), field))

    space |= {"bit_0": test(0), "bit_1": test(1), "sign_bit": test(63), "mantissa": mantissa, "shifted_exponent": shifted_exponent}
    space["exponent_from_low_bits"] = lambda t: doubles(builder.op("shl", words_of, integers(t), writer.integer(52)))
    for name, function in vars(polynomials).items():
        plain = getattr(function, "py_func", None)
        if plain is not None and plain.__module__ == polynomials.__name__:
            space[name] = FunctionType(plain.__code__, space)
    return space
