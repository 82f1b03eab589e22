"""How compiled models call solved films: by symbols, so that the solver is compiled once and not copied into every topology.

A film's room and the solver's entry are given to LLVM as symbols of this process. Generated code names them; machine code on disk
finds them again in the next process, in which the model's system made the same film before its code is loaded.
"""

import ctypes
import functools

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from flexmbd.lanes.freshness import c_function
from flexmbd.lanes.vector import Vec, splat
from flexmbd.lubrication.solved.sums import FORCE, PEAK, SHEAR, SHEAR_TANGENT, TANGENT, THINNEST, evaluate, size_of

ENTRY = "flexmbd_solved_film"
DOUBLES = types.CPointer(types.float64)
KINDS = {FORCE: "force", TANGENT: "tangent", PEAK: "peak", SHEAR: "shear", SHEAR_TANGENT: "shear_tangent", THINNEST: "thinnest"}
_films = {}


@functools.cache
def _link_entry():
    """Compile the entry, or take it from disk, and give it to LLVM; returned to be kept alive. Without compilation it calls Python."""
    if config.DISABLE_JIT:
        pointer = ctypes.POINTER(ctypes.c_double)
        function = ctypes.CFUNCTYPE(None, pointer, pointer, ctypes.c_int64, ctypes.c_int64, pointer)(evaluate)
        llvm.add_symbol(ENTRY, ctypes.cast(function, ctypes.c_void_p).value)
        return function
    function = c_function(types.void, DOUBLES, DOUBLES, types.int64, types.int64, DOUBLES)(evaluate)
    llvm.add_symbol(ENTRY, function.address)
    return function


def run(film, given, what):
    """Results (size,) of one film of a `GridFilm` for its numbers `given`, outside of compiled code."""
    results, given = np.empty(2 * film.count**2 + 2), np.ascontiguousarray(given, float)
    block, numbers, out = (x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in (film.block, given, results))
    (evaluate if config.DISABLE_JIT else _link_entry().ctypes)(block, numbers, 1, what, out)
    return results[: size_of(film.count, what)]


def register(film):
    """Give a `GridFilm` to compiled code; returns the one of its digest, whose memory it shares."""
    if film.digest not in _films:
        _films[film.digest] = film
        _link_entry()
        llvm.add_symbol(_symbol(film.digest), film.block.ctypes.data)
    return _films[film.digest]


def _symbol(digest):
    return f"flexmbd_film_{digest[:24]}"


@functools.cache
def film_function(digest, what):
    """Function of one tuple ``(s..., r..., c, R, viscosity, length, side, supplies...)`` of numbers or lanes, for use in kernels.

    Its results, as a tuple: the K forces (``FORCE``); their 2 K K derivatives, of each force by all s, then by all r (``TANGENT``); one of
    largest pressure (``PEAK``), smallest thickness (``THINNEST``), torque of the shear by spin (``SHEAR``), or the latter's K derivatives.
    It may be named in the kernels of any element: `write` says how generated code calls it.
    """
    film = _films[digest]
    size = size_of(film.count, what)

    def call(arguments):
        shape = np.broadcast_shapes(*(np.shape(x) for x in arguments))
        flat = np.stack([np.broadcast_to(np.asarray(x, float), shape).ravel() for x in arguments])
        found = np.stack([run(film, x, what) for x in flat.T], axis=1)
        return tuple(x.reshape(shape)[()] for x in found)

    call.__name__ = call.__qualname__ = f"film_{digest[:16]}_{KINDS[what]}"
    call.write = functools.partial(_written, _symbol(digest), what, size)
    if not config.DISABLE_JIT:
        lanes_call = _intrinsic(_symbol(digest), what, size)

        @overload(call)
        def _call(arguments):
            return lambda arguments: lanes_call(arguments)

    return call


def _written(symbol, what, size, writer, arguments):
    """Instructions that put a tuple of values on the stack, call the entry once for all lanes, and read the results."""
    b, module, kind = writer.builder, writer.module, writer.kind
    given, found = (b.alloca(kind, count) for count in (len(arguments), size))
    for k, x in enumerate(arguments):
        b.store(kind, writer.value(x).ir, b.gep(kind, given, k))
    entry = module.declared(ENTRY, "void", ["double*", "double*", "i64", "i64", "double*"])
    one, other = (b.cast("bitcast", f"{kind}*", x, "double*") for x in (given, found))
    b.call(entry, [module.symbol(symbol), one, writer.width, what, other])
    return tuple(writer.of(b.load(kind, b.gep(kind, found, k))) for k in range(size))


def _intrinsic(symbol, what, size):
    """Intrinsic that writes its tuple to the stack, calls the entry once for all lanes, and reads the results."""

    @intrinsic
    def lanes_call(typing_context, arguments):
        width = max((t.width for t in arguments.types if isinstance(t, Vec)), default=1)
        kind = Vec(width) if width > 1 else types.float64
        result = types.UniTuple(kind, size)

        def code(context, builder, sig, args):
            double, word = ir.DoubleType(), ir.IntType(64)
            value = ir.VectorType(double, width) if width > 1 else double
            given = cgutils.alloca_once(builder, value, len(sig.args[0].types))
            found = cgutils.alloca_once(builder, value, size)
            for k, (x, kind_of) in enumerate(zip(cgutils.unpack_tuple(builder, args[0]), sig.args[0].types, strict=True)):
                x = splat(context, builder, x, kind_of, width) if width > 1 else context.cast(builder, x, kind_of, types.float64)
                builder.store(x, builder.gep(given, [ir.Constant(word, k)]))
            pointer = double.as_pointer()
            entry = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(ir.VoidType(), [pointer, pointer, word, word, pointer]), ENTRY
            )
            try:
                block = builder.module.get_global(symbol)
            except KeyError:
                block = ir.GlobalVariable(builder.module, double, symbol)
            pointers = (builder.bitcast(x, pointer) for x in (given, found))
            builder.call(entry, [block, next(pointers), ir.Constant(word, width), ir.Constant(word, what), next(pointers)])
            values = [builder.load(builder.gep(found, [ir.Constant(word, k)])) for k in range(size)]
            return context.make_tuple(builder, sig.return_type, values)

        return result(arguments), code

    return lanes_call


__all__ = ["film_function", "register"]
