"""Lanes: many samples side by side in vector registers."""

from flexmbd.lanes.functions import atan2, exp, log, power, sincos, tanh
from flexmbd.lanes.vector import OPTIONS, Mask, Vec, any_lane, fabs, floor, kernel, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.vectors import axpy, cross, dot, matvec, norm, outer, scale
from flexmbd.lanes.words import WORDS

VOCABULARY = tuple(sorted(WORDS))

__all__ = [
    "OPTIONS", "VOCABULARY", "WORDS", "Mask", "Vec", "any_lane", "atan2", "axpy", "cross", "dot", "exp", "fabs", "floor", "kernel", "lnot",
    "log", "matvec", "maximum", "minimum", "norm", "outer", "power", "scale", "select", "sincos", "sqrt", "tanh",
]  # fmt: skip
