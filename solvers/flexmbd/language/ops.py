"""Operations of graph nodes, in one table: what each means, in numpy, in machine code, and its derivative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


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
    """

    meaning: str
    numpy: Callable
    write: Callable
    make: str
    derivative: Callable | None = None
    arrays: Callable | None = None
    truth: bool = False


OPS = {
    "+": Op("sum", np.add, lambda w, a, b: w.value(a) + b, "add", lambda g, x, rate: rate(x.args[0]) + rate(x.args[1])),
    "-": Op("difference", np.subtract, lambda w, a, b: w.value(a) - b, "sub", lambda g, x, rate: rate(x.args[0]) - rate(x.args[1])),
    "*": Op(
        "product", np.multiply, lambda w, a, b: w.value(a) * b, "mul",
        lambda g, x, rate: rate(x.args[0]) * x.args[1] + x.args[0] * rate(x.args[1]),
    ),
    "/": Op(
        "quotient", np.divide, lambda w, a, b: w.value(a) / b, "div",
        lambda g, x, rate: (rate(x.args[0]) - x * rate(x.args[1])) / x.args[1],
    ),
    "neg": Op("negative", np.negative, lambda w, a: -w.value(a), "neg", lambda g, x, rate: -rate(x.args[0])),
    "sqrt": Op("square root", np.sqrt, lambda w, a: w.intrinsic("sqrt", a), "sqrt", lambda g, x, rate: 0.5 * rate(x.args[0]) / x),
    "fabs": Op(
        "absolute value", np.abs, lambda w, a: w.intrinsic("fabs", a), "fabs",
        lambda g, x, rate: g.select(g.greater(x.args[0], 0.0), rate(x.args[0]), -rate(x.args[0])),
    ),
    ">": Op("truth of greater", np.greater, lambda w, a, b: w.value(a) > b, "greater", truth=True),
    "&": Op("truth of both", np.logical_and, lambda w, a, b: a & b, "both", arrays=np.multiply, truth=True),
    "select": Op(
        "second where the first holds, else third", np.where, lambda w, c, a, b: w.select(c, a, b), "select",
        lambda g, x, rate: g.select(x.args[0], rate(x.args[1]), rate(x.args[2])),
        lambda condition, a, b: np.where(condition != 0.0, a, b),
    ),
}  # fmt: skip
