"""Lanes: many samples side by side in vector registers."""

from flexmbd.lanes.functions import atan2, exp, log, power, sincos, tanh
from flexmbd.lanes.vector import (
    OPTIONS,
    Mask,
    Vec,
    any_lane,
    fabs,
    floor,
    kernel,
    lnot,
    maximum,
    minimum,
    select,
    sqrt,
)

VOCABULARY = (
    "any_lane", "atan2", "exp", "fabs", "floor", "lnot", "log", "maximum", "minimum", "power", "select", "sincos", "sqrt", "tanh",
)  # fmt: skip

__all__ = [
    "OPTIONS", "VOCABULARY", "Mask", "Vec", "any_lane", "atan2", "exp", "fabs", "floor", "kernel", "lnot", "log", "maximum",
    "minimum", "power", "select", "sincos", "sqrt", "tanh",
]  # fmt: skip
