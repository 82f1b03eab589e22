"""The ensemble value type ``f64xW``: W doubles in vector registers, one polymorphic source for scalars and lanes.

A kernel written with this vocabulary and compiled with ``float64`` is the one-run solver; compiled with ``Vec(W)`` it is
the lane solver.  In plain Python (``NUMBA_DISABLE_JIT=1``) the same functions work on floats.
"""

import math
import operator

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, models, register_model

from flexmbd.lanes.freshness import stamped

FAST = ("contract",)
OPTIONS = {"fastmath": {"contract"}, "error_model": "numpy", "boundscheck": False}


inner = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **OPTIONS)  # called by compiled code only: quicker to compile
# a part of one function, compiled with it only: each `inner` function is optimised on its own, and again in those that call it
part = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, inline="always", **OPTIONS)


def kernel(function):
    """Compile a kernel with the project's options (the only place where they stand)."""
    return stamped(njit(cache=True, **OPTIONS)(function), function)


class Vec(types.Type):
    """Numba type of W doubles, one per lane."""

    def __init__(self, width):
        self.width = width
        super().__init__(name=f"f64x{width}")

    def can_convert_from(self, context, other):
        """Numbers are promoted to all lanes."""
        return Conversion.promote if isinstance(other, types.Float | types.Integer) else None

    def unify(self, context, other):
        """A lane value stays a lane value when mixed with numbers."""
        return self if isinstance(other, types.Float | types.Integer) else None


class Mask(types.Type):
    """Numba type of W truth values, one per lane."""

    def __init__(self, width):
        self.width = width
        super().__init__(name=f"maskx{width}")


@register_model(Vec)
class _VecModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, ir.VectorType(ir.DoubleType(), fe_type.width))


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, ir.VectorType(ir.IntType(1), fe_type.width))


def splat(context, builder, value, from_type, width):
    """Broadcast a number to all lanes (code generation helper for intrinsics)."""
    if isinstance(from_type, Vec):
        return value
    number = context.cast(builder, value, from_type, types.float64)
    empty = ir.Constant(ir.VectorType(ir.DoubleType(), width), ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(ir.IntType(32), width), [0] * width))


@lower_cast(types.Float, Vec)
@lower_cast(types.Integer, Vec)
def _cast(context, builder, from_type, to_type, value):
    return splat(context, builder, value, from_type, to_type.width)


def _width(args):
    width = None
    for a in args:
        if isinstance(a, Vec):
            width = a.width
        elif not isinstance(a, types.Float | types.Integer):
            return None
    return width


_PAIRS = ((Vec, Vec), (Vec, types.Float), (types.Float, Vec), (Vec, types.Integer), (types.Integer, Vec))


def _binary(op, result, lower):
    @infer_global(op)
    class _Typing(AbstractTemplate):
        def generic(self, args, kws):
            width = _width(args) if len(args) == 2 and not kws else None
            return signature(result(width), *args) if width else None

    def lowering(context, builder, sig, args):
        width = sig.return_type.width
        a, b = (splat(context, builder, v, t, width) for v, t in zip(args, sig.args, strict=True))
        return lower(builder, a, b)

    for pair in _PAIRS:
        lower_builtin(op, *pair)(lowering)


for _op, _name in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
    (operator.iadd, "fadd"),
    (operator.isub, "fsub"),
    (operator.imul, "fmul"),
    (operator.itruediv, "fdiv"),
):
    _binary(_op, Vec, lambda builder, a, b, name=_name: getattr(builder, name)(a, b, flags=FAST))
for _op, _sign in ((operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">=")):
    _binary(_op, Mask, lambda builder, a, b, sign=_sign: builder.fcmp_ordered(sign, a, b))


@infer_global(operator.neg)
class _Neg(AbstractTemplate):
    def generic(self, args, kws):
        return signature(args[0], args[0]) if isinstance(args[0], Vec) else None


@lower_builtin(operator.neg, Vec)
def _neg(context, builder, sig, args):
    return builder.fneg(args[0])


def _mask_binary(op, name):
    @infer_global(op)
    class _Typing(AbstractTemplate):
        def generic(self, args, kws):
            both = len(args) == 2 and isinstance(args[0], Mask) and isinstance(args[1], Mask)
            return signature(args[0], *args) if both else None

    lower_builtin(op, Mask, Mask)(lambda context, builder, sig, args: getattr(builder, name)(*args))


_mask_binary(operator.and_, "and_")
_mask_binary(operator.or_, "or_")


def _llvm_unary(name):
    @intrinsic
    def call(typing_context, x):
        def codegen(context, builder, sig, args):
            vector = args[0].type
            callee = cgutils.get_or_insert_function(builder.module, ir.FunctionType(vector, [vector]), f"{name}.v{vector.count}f64")
            return builder.call(callee, args)

        return (x(x), codegen) if isinstance(x, Vec) else None

    return call


_vec_sqrt, _vec_fabs, _vec_floor = (_llvm_unary(f"llvm.{n}") for n in ("sqrt", "fabs", "floor"))


def sqrt(x):
    """Square root of a number or of every lane."""
    return math.sqrt(x) if x >= 0.0 else math.nan


def typed_sqrt(x):
    """`sqrt` for Numba."""
    if isinstance(x, Vec):
        return lambda x: _vec_sqrt(x)
    return lambda x: math.sqrt(x)


def fabs(x):
    """Absolute value."""
    return abs(x)


def typed_fabs(x):
    """`fabs` for Numba."""
    if isinstance(x, Vec):
        return lambda x: _vec_fabs(x)
    return lambda x: abs(x)


def floor(x):
    """Largest integer not above x, as a float."""
    return float(math.floor(x))


def typed_floor(x):
    """`floor` for Numba."""
    if isinstance(x, Vec):
        return lambda x: _vec_floor(x)
    return lambda x: float(math.floor(x))


@intrinsic
def _vec_select(typing_context, c, a, b):
    if not isinstance(c, Mask):
        return None
    width = c.width

    def codegen(context, builder, sig, args):
        x, y = (splat(context, builder, args[k], sig.args[k], width) for k in (1, 2))
        return builder.select(args[0], x, y)

    return Vec(width)(c, a, b), codegen


def select(c, a, b):
    """``a`` where ``c`` holds, else ``b``; both are evaluated, so guard divisions and roots."""
    return a if c else b


def typed_select(c, a, b):
    """`select` for Numba."""
    if isinstance(c, Mask):
        return lambda c, a, b: _vec_select(c, a, b)
    return lambda c, a, b: a if c else b


def maximum(a, b):
    """Larger of two values, lane by lane (``b`` where ``a`` is NaN)."""
    return a if a > b else b


def minimum(a, b):
    """Smaller of two values, lane by lane (``b`` where ``a`` is NaN)."""
    return a if a < b else b


@intrinsic
def _mask_not(typing_context, c):
    return (c(c), lambda context, builder, sig, args: builder.not_(args[0])) if isinstance(c, Mask) else None


def lnot(c):
    """Negation of a truth value or mask (``~`` means something else on Python's bool)."""
    return not c


def typed_lnot(c):
    """`lnot` for Numba."""
    if isinstance(c, Mask):
        return lambda c: _mask_not(c)
    return lambda c: not c


@intrinsic
def _mask_any(typing_context, c):
    def codegen(context, builder, sig, args):
        bits = ir.IntType(args[0].type.count)
        return builder.icmp_unsigned("!=", builder.bitcast(args[0], bits), ir.Constant(bits, 0))

    return types.boolean(c), codegen


def any_lane(c):
    """True if the condition holds in any lane."""
    return c


def typed_any_lane(c):
    """`any_lane` for Numba."""
    if isinstance(c, Mask):
        return lambda c: _mask_any(c)
    return lambda c: c
