"""Elementary functions of the kernel vocabulary: ``exp, log, power, sincos, atan2, tanh`` on numbers and on lanes.

On numbers they are the C library's; on lane values they are polynomials within 2 units in the last place.
"""

import math


def exp(x):
    """Exponential function; 0 below -745.2, infinity above 709.8."""
    return math.exp(x) if x < 709.782712893384 else x * math.inf


def log(x):
    """Natural logarithm; -infinity at zero, NaN below."""
    return math.log(x) if x > 0.0 else (-math.inf if x == 0.0 else math.nan)


def power(x, y):
    """x**y for x > 0, and 0 for x <= 0 whatever y (a penetration that is not there has no force)."""
    if x <= 0.0:
        return 0.0
    try:
        return float(x) ** y
    except OverflowError:
        return math.inf


def sincos(x):
    """(sin x, cos x); on lanes NaN for |x| >= 1e9."""
    return math.sin(x), math.cos(x)


def atan2(y, x):
    """Angle of the vector (x, y) in [-pi, pi], signed zeros as in C; both finite."""
    return math.atan2(y, x)


def tanh(x):
    """Hyperbolic tangent."""
    return math.tanh(x)
