"""Rows of lane values behind a pointer: what compiled functions of the time loop, and of a model, are handed.

The type of such a pointer says how many lanes a row has, so one source is compiled for every width. Without compilation
(``NUMBA_DISABLE_JIT=1``) rows are arrays of shape ``(n, 1)``.
"""

import ctypes

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic, models, register_model

from flexmbd.lanes.vector import Vec, splat

DOUBLE, WORD = ir.DoubleType(), ir.IntType(64)
DOUBLES, WORDS = types.CPointer(types.float64), types.CPointer(types.int64)


class Rows(types.Type):
    """Numba type of a pointer to rows of W doubles."""

    def __init__(self, width):
        self.width = width
        super().__init__(name=f"rows{width}")


@register_model(Rows)
class _RowsModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, DOUBLE.as_pointer())


def _index(context, builder, value, kind):
    return context.cast(builder, value, kind, types.int64)


def _row(context, builder, sig, args):
    """Pointer to the row that the first two arguments name."""
    width = sig.args[0].width
    k = builder.mul(_index(context, builder, args[1], sig.args[1]), ir.Constant(WORD, width))
    where = builder.gep(args[0], [k])
    return where if width == 1 else builder.bitcast(where, ir.VectorType(DOUBLE, width).as_pointer())


def _entry(context, builder, sig, args):
    """Pointer to the number of a lane that the first three arguments name."""
    k = builder.mul(_index(context, builder, args[1], sig.args[1]), ir.Constant(WORD, sig.args[0].width))
    return builder.gep(args[0], [builder.add(k, _index(context, builder, args[2], sig.args[2]))])


def _kind(rows):
    return Vec(rows.width) if rows.width > 1 else types.float64


@intrinsic
def ld(typing_context, a, i):
    """Lane value in row i."""
    return _kind(a)(a, i), lambda context, builder, sig, args: builder.load(_row(context, builder, sig, args), align=8)


@intrinsic
def st(typing_context, a, i, value):
    """Put a lane value, or a number in all lanes, into row i."""

    def code(context, builder, sig, args):
        x = args[2]
        if a.width > 1:
            x = splat(context, builder, x, sig.args[2], a.width)
        else:
            x = context.cast(builder, x, sig.args[2], types.float64)
        builder.store(x, _row(context, builder, sig, args), align=8)
        return context.get_dummy_value()

    return types.void(a, i, value), code


@intrinsic
def get(typing_context, a, i, lane):
    """Number of a lane in row i."""
    return types.float64(a, i, lane), lambda context, builder, sig, args: builder.load(_entry(context, builder, sig, args))


@intrinsic
def put(typing_context, a, i, lane, value):
    """Put a number into a lane of row i."""

    def code(context, builder, sig, args):
        builder.store(context.cast(builder, args[3], sig.args[3], types.float64), _entry(context, builder, sig, args))
        return context.get_dummy_value()

    return types.void(a, i, lane, value), code


@intrinsic
def width_of(typing_context, a):
    """Lanes of a row."""
    return types.int64(a), lambda context, builder, sig, args: ir.Constant(WORD, sig.args[0].width)


@intrinsic
def doubles(typing_context, address):
    """Numbers at an address."""
    return DOUBLES(types.int64), lambda context, builder, sig, args: builder.inttoptr(args[0], DOUBLE.as_pointer())


@intrinsic
def words(typing_context, address):
    """Integers at an address."""
    return WORDS(types.int64), lambda context, builder, sig, args: builder.inttoptr(args[0], WORD.as_pointer())


@intrinsic
def rows_at(typing_context, address, like):
    """Rows at an address, as wide as others."""
    return like(types.int64, like), lambda context, builder, sig, args: builder.inttoptr(args[0], DOUBLE.as_pointer())


@intrinsic
def call(typing_context, address, X, P, W, at):
    """Call ``void f(X, P, W, at)`` at an address."""

    def code(context, builder, sig, args):
        kind = ir.FunctionType(ir.VoidType(), [x.type for x in args[1:]]).as_pointer()
        builder.call(builder.inttoptr(args[0], kind), args[1:])
        return context.get_dummy_value()

    return types.void(types.int64, X, P, W, at), code


@intrinsic
def evaluate(typing_context, address, X, P, W, at, x, y):
    """Call ``void f(X, P, W, at, x, y)`` at an address: a function of a model, of the state in row x, with results from row y on."""

    def code(context, builder, sig, args):
        kind = ir.FunctionType(ir.VoidType(), [x.type for x in args[1:]]).as_pointer()
        builder.call(builder.inttoptr(args[0], kind), args[1:])
        return context.get_dummy_value()

    return types.void(types.int64, X, P, W, at, types.int64, types.int64), code


if config.DISABLE_JIT:
    _CALL = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4)
    _EVALUATE = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4, ctypes.c_int64, ctypes.c_int64)

    def ld(a, i):
        """Value in row i."""
        return a[i, 0]

    def st(a, i, value):
        """Put a value into row i."""
        a[i, 0] = value

    def get(a, i, lane):
        """Number of a lane in row i."""
        return a[i, lane]

    def put(a, i, lane, value):
        """Put a number into a lane of row i."""
        a[i, lane] = value

    def width_of(a):
        """Lanes of a row."""
        return a.shape[1]

    def doubles(address):
        """Numbers at an address."""
        return ctypes.cast(int(address), ctypes.POINTER(ctypes.c_double))

    def words(address):
        """Integers at an address."""
        return ctypes.cast(int(address), ctypes.POINTER(ctypes.c_int64))

    def rows_at(address, like):
        """Rows at an address, as wide as others."""
        return np.ctypeslib.as_array(doubles(address), (2**40, 1))

    FUNCTIONS = {}  # by the number that stands for its address: a function of the time loop that is not compiled

    def call(address, X, P, W, at):
        """Call a function at an address."""
        if address in FUNCTIONS:
            FUNCTIONS[address](X, P, W, at)
        else:
            _CALL(int(address))(*(a.ctypes.data for a in (X, P, W, at)))

    def evaluate(address, X, P, W, at, x, y):
        """Call a function of a model at an address."""
        _EVALUATE(int(address))(*(a.ctypes.data for a in (X, P, W, at)), int(x), int(y))


__all__ = ["Rows", "call", "doubles", "evaluate", "get", "ld", "put", "rows_at", "st", "width_of", "words"]
