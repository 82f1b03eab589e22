"""The words of kernels, in one table: what each is of numbers, arrays, nodes of a graph, in machine code, and for Numba.

A word is a function of `flexmbd.lanes`. Kernels are read by `flexmbd.language.kernels` and run on whatever values a column is for;
`flexmbd.language.ops` is the like table of arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba.extending import overload

from flexmbd.lanes import functions, recurrences, vector, vectors
from flexmbd.lanes.bits import widen
from flexmbd.lanes.polynomials import vec_atan2, vec_exp, vec_log, vec_power, vec_sincos, vec_tanh
from flexmbd.lanes.vector import Vec


@dataclass(frozen=True)
class Word:
    """A word.

    Attributes
    ----------
    meaning : str
    plain : callable
        Of numbers, in Python: the function of `flexmbd.lanes`.
    numpy : callable
        Of arrays.
    node : callable or None
        ``node(w, *values)`` of nodes; `w` is `flexmbd.language.tracing.NodeWords`. None: not for models.
    write : callable or None
        ``write(w, *values)`` of values of machine code; `w` is their `Writer`, for one lane where there is a polynomial.
    compiled : callable
        Of Numba's types: the function of them that Numba compiles.
    polynomial : callable, optional
        Function of `lanes.polynomials` that it is in several lanes.
    results : int or None
        How many numbers it gives; None if that depends on its arguments.
    series : callable, optional
        Of a word that stays a call: ``series(s, node, k, result)`` is the coefficient of order k above 0 of its Taylor series
        (`flexmbd.language.series`).
    bends : bool
        That recurrence holds between jumps only.
    """

    meaning: str
    plain: Callable
    numpy: Callable
    node: Callable | None
    write: Callable | None
    compiled: Callable
    polynomial: Callable | None = None
    results: int | None = 1
    series: Callable | None = None
    bends: bool = False


def _one(polynomial, of_number):
    """Numba's function of one number or of lanes."""

    def compiled(x):
        return (lambda x: polynomial(x)) if isinstance(x, Vec) else (lambda x: of_number(x))

    return compiled


def _power(x, y):
    if isinstance(x, Vec) or isinstance(y, Vec):
        return lambda x, y: vec_power(widen(x, y), widen(y, x))
    return lambda x, y: float(x) ** float(y) if x > 0.0 else 0.0


def _atan2(y, x):
    if isinstance(x, Vec) or isinstance(y, Vec):
        return lambda y, x: vec_atan2(widen(y, x), widen(x, y))
    return lambda y, x: math.atan2(y, x)


def _sincos(x):
    return (lambda x: vec_sincos(x)) if isinstance(x, Vec) else (lambda x: (math.sin(x), math.cos(x)))


def _root(w, x):
    """Square root whose derivative at zero is taken for zero: of ``d sqrt(d)`` it is, and what is not finite would spoil that."""
    x = w.const(x)
    root = w.graph.sqrt(w.select(x > 0.0, x, 1.0))
    return w.select(x > 0.0, root, w.select(x < 0.0, np.nan, 0.0))


def _slope_of_exponent(w, x, y):
    return w.select(x > 0.0, w.power(x, y) * w.log(w.select(x > 0.0, x, 1.0)), 0.0)


def _sine_cosine(w, x):
    x = w.const(x)
    if x.constant:
        return w.const(np.sin(x.value)), w.const(np.cos(x.value))
    return w.call("sincos", (x,), (((0, 0), lambda x: w.sincos(x)[1]), ((1, 0), lambda x: -w.sincos(x)[0])))


def _angle(w, y, x):
    y, x = w.const(y), w.const(x)
    squared = x * x + y * y
    return w.call("atan2", (y, x), (((0, 0), lambda *_: x / squared), ((0, 1), lambda *_: -y / squared)))


def _vector(meaning, name, results=None):
    """Row of a word that is sums and products: one function is all columns."""
    plain, typed = getattr(vectors, name), getattr(vectors, f"typed_{name}")
    return Word(meaning, plain, plain, lambda w, *x: plain(*x), lambda w, *x: plain(*x), typed, results=results)


WORDS = {
    "select": Word(
        "second where the first holds, else third", vector.select, np.where, lambda w, c, a, b: w.select(c, a, b),
        lambda w, c, a, b: w.select(c, a, b), vector.typed_select,
    ),
    "maximum": Word(
        "larger one", vector.maximum, np.maximum, lambda w, a, b: w.select(w.const(a) > b, a, b),
        lambda w, a, b: w.select(w.value(a) > b, a, b), lambda a, b: lambda a, b: vector.select(a > b, a, b),
    ),
    "minimum": Word(
        "smaller one", vector.minimum, np.minimum, lambda w, a, b: w.select(w.const(a) < b, a, b),
        lambda w, a, b: w.select(w.value(a) < b, a, b), lambda a, b: lambda a, b: vector.select(a < b, a, b),
    ),
    "lnot": Word("negation", vector.lnot, np.logical_not, lambda w, c: w.opposite(c), lambda w, c: w.opposite(c), vector.typed_lnot),
    "any_lane": Word("true in any lane", vector.any_lane, np.any, None, None, vector.typed_any_lane),
    "sqrt": Word("square root", vector.sqrt, np.sqrt, _root, lambda w, x: w.intrinsic("sqrt", x), vector.typed_sqrt),
    "fabs": Word(
        "absolute value", vector.fabs, np.abs, lambda w, x: w.graph.fabs(x), lambda w, x: w.intrinsic("fabs", x), vector.typed_fabs,
    ),
    "floor": Word(
        "largest integer not above", vector.floor, np.floor, lambda w, x: w.call("floor", (x,), (((0, 0), lambda x: w.const(0.0)),)),
        lambda w, x: w.intrinsic("floor", x), vector.typed_floor, series=lambda s, x, k, _: 0.0, bends=True,
    ),
    "exp": Word(
        "exponential", functions.exp, np.exp, lambda w, x: w.call("exp", (x,), (((0, 0), lambda x: w.exp(x)),)),
        lambda w, x: w.call_library("exp", x), _one(vec_exp, math.exp), vec_exp, series=recurrences.exponential,
    ),
    "log": Word(
        "natural logarithm", functions.log, np.log, lambda w, x: w.call("log", (x,), (((0, 0), lambda x: 1.0 / x),)),
        lambda w, x: w.call_library("log", x), _one(vec_log, math.log), vec_log, series=recurrences.logarithm,
    ),
    "tanh": Word(
        "hyperbolic tangent", functions.tanh, np.tanh,
        lambda w, x: w.call("tanh", (x,), (((0, 0), lambda x: 1.0 - w.tanh(x) * w.tanh(x)),)),
        lambda w, x: w.call_library("tanh", x), _one(vec_tanh, math.tanh), vec_tanh, series=recurrences.hyperbolic_tangent,
    ),
    "power": Word(
        "first to the power of the second, 0 for a first one up to 0", functions.power,
        lambda x, y: np.where(x > 0.0, np.abs(x) ** y, 0.0),
        lambda w, x, y: w.call(
            "power", (x, y), (((0, 0), lambda x, y: y * w.power(x, y - 1.0)), ((0, 1), lambda x, y: _slope_of_exponent(w, x, y)))
        ),
        lambda w, x, y: w.select(w.value(x) > 0.0, w.call_library("pow", x, y), 0.0), _power, vec_power, series=recurrences.power,
    ),
    "sincos": Word(
        "sine and cosine", functions.sincos, lambda x: (np.sin(x), np.cos(x)), _sine_cosine,
        lambda w, x: (w.call_library("sin", x), w.call_library("cos", x)), _sincos, vec_sincos, 2, series=recurrences.sine_and_cosine,
    ),
    "atan2": Word(
        "angle of the vector (second, first)", functions.atan2, np.arctan2, _angle, lambda w, y, x: w.call_library("atan2", y, x), _atan2,
        vec_atan2, series=recurrences.angle,
    ),
    "dot": _vector("scalar product", "dot", 1),
    "cross": _vector("vector product", "cross"),
    "scale": _vector("number times vector", "scale"),
    "axpy": _vector("number times vector plus vector", "axpy"),
    "outer": _vector("matrix of products of components", "outer"),
    "matvec": _vector("matrix times vector", "matvec"),
    "norm": Word(
        "length of a vector", vectors.norm, lambda x: np.sqrt(vectors.dot(x, x)), lambda w, x: w.sqrt(vectors.dot(x, x)),
        lambda w, x: w.intrinsic("sqrt", vectors.dot(x, x)), vectors.typed_norm,
    ),
}  # fmt: skip

for _word in WORDS.values():
    overload(_word.plain)(_word.compiled)
