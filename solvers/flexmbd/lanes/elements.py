"""Elements side by side: lanes that hold one value of several elements of a single sample, out of and into arrays of shape ``(n, 1)``."""

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from flexmbd.lanes.access import accessors
from flexmbd.lanes.vector import OPTIONS, Vec, splat

BATCH = 8  # elements
ld, _, st, _ = accessors(1)
ld_batch, _, st_batch, _ = accessors(BATCH)


@intrinsic
def gather(typing_context, a, tables, k):
    """Entries of ``a`` at ``tables[k]`` to ``tables[k + BATCH - 1]``."""

    def code(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        table = context.make_array(sig.args[1])(context, builder, args[1]).data
        first = builder.gep(table, [context.cast(builder, args[2], sig.args[2], types.intp)])
        value = ir.Constant(ir.VectorType(ir.DoubleType(), BATCH), ir.Undefined)
        for e in range(BATCH):
            index = builder.sext(builder.load(builder.gep(first, [ir.Constant(ir.IntType(64), e)])), ir.IntType(64))
            value = builder.insert_element(value, builder.load(builder.gep(data, [index])), ir.Constant(ir.IntType(32), e))
        return value

    return Vec(BATCH)(a, tables, k), code


@intrinsic
def put(typing_context, a, i, value):
    """Store a value of all elements in the entries of ``a`` from i on."""

    def code(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        where = builder.gep(data, [context.cast(builder, args[1], sig.args[1], types.intp)])
        pointer = builder.bitcast(where, ir.VectorType(ir.DoubleType(), BATCH).as_pointer())
        builder.store(splat(context, builder, args[2], sig.args[2], BATCH), pointer, align=8)
        return context.get_dummy_value()

    return types.void(a, i, value), code


@njit(**OPTIONS)
def spread(A, shares, tables, at, width):
    """Add values that were `put`, element by element: ``tables[at]`` elements, then `width` places in ``A`` for each."""
    for e in range(tables[at]):
        first = at + 1 + e * width
        for i in range(width):
            to = tables[first + i]
            st(A, to, ld(A, to) + ld(shares, BATCH * i + e))
