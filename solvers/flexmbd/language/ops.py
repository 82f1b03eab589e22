"""Operations of graph nodes, in one table: what each means, in numpy, in machine code, its derivative and its series."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flexmbd.lanes.recurrences import minus, plus, times, zero
from flexmbd.parameters import RUNTIME


@dataclass(frozen=True)
class Op:
    """An operation.

    Attributes
    ----------
    meaning : str
    numpy : callable
        Of arrays.
    write : callable
        ``write(words, *values)`` of values that compute as numbers do; `words` has ``value``, ``intrinsic`` and ``select``.
    make : str
        Method of `Graph` that makes such a node, with what it folds.
    derivative : callable, optional
        ``derivative(graph, node, rate)`` from the derivatives `rate` of arguments.
    arrays : callable, optional
        What numpy does where truths are the numbers 0 and 1, if that differs.
    truth : bool
        Whether it is true or false, no number.
    series : callable, optional
        ``series(s, node, k)`` is the coefficient of order k above 0 of its Taylor series, by a `language.series.Series`.
    bends : bool
        That recurrence holds between places where a condition changes only.
    """

    meaning: str
    numpy: Callable
    write: Callable
    make: str
    derivative: Callable | None = None
    arrays: Callable | None = None
    truth: bool = False
    series: Callable | None = None
    bends: bool = False


def _root(s, x, k):
    """``2 x0 xk = ak - sum of xj x(k-j)``, from ``x x = a``."""
    return times(minus(s(x.args[0], k), s.sum(x, x, k, 1, k - 1)), 0.5 * s.inverse(x))


def _quotient(s, x, k):
    """``b0 xk = ak - sum of bj x(k-j)``, from ``b x = a``."""
    a, b = x.args
    return times(minus(s(a, k), s.sum(b, x, k, 1)) if b.level == RUNTIME else s(a, k), s.inverse(b))


def _product(s, x, k):
    a, b = x.args
    if RUNTIME > min(a.level, b.level):
        a, b = (a, b) if a.level < RUNTIME else (b, a)
        return times(s(a, 0), s(b, k))
    return s.sum(a, b, k)


def _chosen(s, x, k):
    condition, a, b = x.args
    a, b = s(a, k), s(b, k)
    return 0.0 if zero(a) and zero(b) else s.select(s(condition, 0), a, b)


def _absolute(s, x, k):
    a = s(x.args[0], k)
    return a if zero(a) else s.select(s(x.args[0], 0) > 0.0, a, -a)


OPS = {
    "+": Op(
        "sum", np.add, lambda w, a, b: w.value(a) + b, "add", lambda g, x, rate: rate(x.args[0]) + rate(x.args[1]),
        series=lambda s, x, k: plus(s(x.args[0], k), s(x.args[1], k)),
    ),
    "-": Op(
        "difference", np.subtract, lambda w, a, b: w.value(a) - b, "sub", lambda g, x, rate: rate(x.args[0]) - rate(x.args[1]),
        series=lambda s, x, k: minus(s(x.args[0], k), s(x.args[1], k)),
    ),
    "*": Op(
        "product", np.multiply, lambda w, a, b: w.value(a) * b, "mul",
        lambda g, x, rate: rate(x.args[0]) * x.args[1] + x.args[0] * rate(x.args[1]), series=_product,
    ),
    "/": Op(
        "quotient", np.divide, lambda w, a, b: w.value(a) / b, "div",
        lambda g, x, rate: (rate(x.args[0]) - x * rate(x.args[1])) / x.args[1], series=_quotient,
    ),
    "neg": Op(
        "negative", np.negative, lambda w, a: -w.value(a), "neg", lambda g, x, rate: -rate(x.args[0]),
        series=lambda s, x, k: minus(0.0, s(x.args[0], k)),
    ),
    "sqrt": Op(
        "square root", np.sqrt, lambda w, a: w.intrinsic("sqrt", a), "sqrt", lambda g, x, rate: 0.5 * rate(x.args[0]) / x, series=_root,
    ),
    "fabs": Op(
        "absolute value", np.abs, lambda w, a: w.intrinsic("fabs", a), "fabs",
        lambda g, x, rate: g.select(g.greater(x.args[0], 0.0), rate(x.args[0]), -rate(x.args[0])), series=_absolute, bends=True,
    ),
    ">": Op("truth of greater", np.greater, lambda w, a, b: w.value(a) > b, "greater", truth=True),
    "&": Op("truth of both", np.logical_and, lambda w, a, b: a & b, "both", arrays=np.multiply, truth=True),
    "select": Op(
        "second where the first holds, else third", np.where, lambda w, c, a, b: w.select(c, a, b), "select",
        lambda g, x, rate: g.select(x.args[0], rate(x.args[1]), rate(x.args[2])),
        lambda condition, a, b: np.where(condition != 0.0, a, b), series=_chosen, bends=True,
    ),
}  # fmt: skip
