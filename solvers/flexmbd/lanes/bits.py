"""Instructions on lane values that the arithmetic operators do not offer: fused multiply-add and bit tricks on doubles."""

from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

from flexmbd.lanes.vector import Mask, Vec, splat

SHIFTER = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to the nearest integer and leaves that integer in the low bits
SHIFTER_BITS = 0x4338000000000000
SQRT_HALF_BITS = 0x3FE6A09E00000000  # upper half of sqrt(1/2): splits x into m * 2**k with m in about [0.707, 1.414)
EXPONENT_FIELD = 0xFFF << 52


def _integers(vector):
    return ir.VectorType(ir.IntType(64), vector.type.count)


def _all_lanes(kind, number):
    return ir.Constant(kind, [number] * kind.count)


def _split(builder, x):
    """Bits of x, and those bits counted from sqrt(1/2)."""
    kind = _integers(x)
    bits = builder.bitcast(x, kind)
    return kind, bits, builder.sub(bits, _all_lanes(kind, SQRT_HALF_BITS))


@intrinsic
def widen(typing_context, x, like):
    """``x`` as a lane value; ``like`` says how wide if ``x`` is a number."""
    width = x.width if isinstance(x, Vec) else like.width

    def codegen(context, builder, sig, args):
        return splat(context, builder, args[0], sig.args[0], width)

    return Vec(width)(x, like), codegen


@intrinsic
def fma(typing_context, a, b, c):
    """``a * b + c`` rounded once."""

    def codegen(context, builder, sig, args):
        vector = args[0].type
        name = f"llvm.fma.v{vector.count}f64"
        return builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector] * 3), name), args)

    return a(a, a, a), codegen


@intrinsic
def exponent_from_low_bits(typing_context, t):
    """The double whose sign and exponent field are the lowest 12 bits of ``t`` (mantissa zero)."""

    def codegen(context, builder, sig, args):
        kind = _integers(args[0])
        shifted = builder.shl(builder.bitcast(args[0], kind), _all_lanes(kind, 52))
        return builder.bitcast(shifted, args[0].type)

    return t(t), codegen


@intrinsic
def mantissa(typing_context, x):
    """m of x = m * 2**k, m in about [0.707, 1.414), for positive normal x."""

    def codegen(context, builder, sig, args):
        kind, bits, counted = _split(builder, args[0])
        field = builder.and_(counted, _all_lanes(kind, EXPONENT_FIELD))
        return builder.bitcast(builder.sub(bits, field), args[0].type)

    return x(x), codegen


@intrinsic
def shifted_exponent(typing_context, x):
    """k + SHIFTER of x = m * 2**k (see ``mantissa``)."""

    def codegen(context, builder, sig, args):
        kind, _, counted = _split(builder, args[0])
        k = builder.ashr(counted, _all_lanes(kind, 52))
        return builder.bitcast(builder.add(k, _all_lanes(kind, SHIFTER_BITS)), args[0].type)

    return x(x), codegen


def _bit_test(number):
    @intrinsic
    def test(typing_context, x):
        def codegen(context, builder, sig, args):
            kind = _integers(args[0])
            bit = builder.and_(builder.bitcast(args[0], kind), _all_lanes(kind, 1 << number))
            return builder.icmp_signed("!=", bit, _all_lanes(kind, 0))

        return Mask(x.width)(x), codegen

    return test


bit_0, bit_1, sign_bit = _bit_test(0), _bit_test(1), _bit_test(63)
