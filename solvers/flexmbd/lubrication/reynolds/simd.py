"""Eight neighbours of a flat array of float64 as one value in vector registers: load anywhere, store, and their sum."""

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

from flexmbd.lanes.vector import OPTIONS, Vec, inner, splat

EIGHT = 8
inlined = njit(inline="always", **OPTIONS)  # of one caller, of which it becomes a part: nothing is optimised twice


@intrinsic
def load(typing_context, a, i):
    """``a[i : i + 8]``."""

    def code(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        where = builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.intp)])
        return builder.load(builder.bitcast(where, ir.VectorType(ir.DoubleType(), EIGHT).as_pointer()), align=8)

    return Vec(EIGHT)(a, i), code


@intrinsic
def store(typing_context, a, i, value):
    """Write eight neighbours."""

    def code(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        where = builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.intp)])
        pointer = builder.bitcast(where, ir.VectorType(ir.DoubleType(), EIGHT).as_pointer())
        builder.store(splat(context, builder, args[2], sig.args[2], EIGHT), pointer, align=8)
        return context.get_dummy_value()

    return types.void(a, i, value), code


@intrinsic
def total(typing_context, x):
    """Sum of the eight."""

    def code(context, builder, sig, args):
        parts = [builder.extract_element(args[0], ir.Constant(ir.IntType(32), k)) for k in range(EIGHT)]
        while len(parts) > 1:
            parts = [builder.fadd(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        return parts[0]

    return types.float64(x), code


if config.DISABLE_JIT:

    def load(a, i):
        """``a[i : i + 8]``."""
        return a[i : i + EIGHT].copy()

    def store(a, i, value):
        """Write eight neighbours."""
        a[i : i + EIGHT] = value

    total = np.sum

__all__ = ["EIGHT", "inlined", "inner", "load", "store", "total"]
