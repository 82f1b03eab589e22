"""Lane values out of and into arrays whose last axis is the lanes, for tests of what runs on lanes."""

import functools

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from flexmbd.lanes.vector import Vec, splat


def _pointer(context, builder, array_type, array, indices, width):
    data = context.make_array(array_type)(context, builder, array)
    shape = cgutils.unpack_tuple(builder, data.shape)
    offset = None
    for axis, i in enumerate(indices):
        offset = i if offset is None else builder.add(builder.mul(offset, shape[axis]), i)
    if width == 1:
        return builder.gep(data.data, [offset])
    offset = builder.mul(offset, ir.Constant(offset.type, width))
    return builder.bitcast(builder.gep(data.data, [offset]), ir.VectorType(ir.DoubleType(), width).as_pointer())


def _indices(context, builder, sig, args, stop):
    return [context.cast(builder, v, t, types.intp) for v, t in zip(args[1:stop], sig.args[1:stop], strict=True)]


def _ld2(a, i, j):
    return a[i, j, 0]


def _st2(a, i, j, value):
    a[i, j, 0] = value


@functools.cache
def accessors(width):
    """``(ld2, st2)`` for arrays of shape ``(n, m, W)``, which must be C-contiguous float64."""
    if config.DISABLE_JIT:
        return _ld2, _st2
    kind = Vec(width) if width > 1 else types.float64

    def load(context, builder, sig, args):
        where = _pointer(context, builder, sig.args[0], args[0], _indices(context, builder, sig, args, None), width)
        return builder.load(where, align=8)

    def store(context, builder, sig, args):
        where = _pointer(context, builder, sig.args[0], args[0], _indices(context, builder, sig, args, -1), width)
        value, given = args[-1], sig.args[-1]
        value = splat(context, builder, value, given, width) if width > 1 else context.cast(builder, value, given, kind)
        builder.store(value, where, align=8)
        return context.get_dummy_value()

    @intrinsic
    def ld2(typing_context, a, i, j):
        return kind(a, i, j), load

    @intrinsic
    def st2(typing_context, a, i, j, value):
        return types.void(a, i, j, value), store

    return ld2, st2
