"""Recurrences of Taylor coefficients of elementary functions (Moore 1966, Interval Analysis; Jorba and Zou 2005, Exp. Math. 14, 99-117).

Each is ``f(s, x, k, result)`` for the node x of a call: coefficient of order k above 0 of a result, from those of lower order and those of
the arguments.  `s` is a `flexmbd.language.series.Series`.  Coefficients are numbers, arrays or values of machine code; known zeros are
Python's ``0.0``, and cost nothing.
"""

from flexmbd.lanes.functions import exp, log


def zero(x):
    """Whether a coefficient is known to be zero."""
    return type(x) is float and x == 0.0


def plus(a, b):
    """a + b"""
    return b if zero(a) else a if zero(b) else a + b


def minus(a, b):
    """a - b"""
    return a if zero(b) else -b if zero(a) else a - b


def times(a, b):
    """a b"""
    return 0.0 if zero(a) or zero(b) else a * b


class Rate:
    """The time derivative of a node, as a series."""

    def __init__(self, node):
        self.node, self.id = node, -1 - node.id


def exponential(s, x, k, _):
    """``k xk = sum of a'j x(k-1-j)``, from ``x' = a' x``."""
    return times(s.sum(s.rate(x.args[0]), x, k - 1), 1.0 / k)


def logarithm(s, x, k, _):
    """From ``a x' = a'``."""
    (a,) = x.args
    rest = s.sum(Rate(x), a, k - 1, 0, k - 2)
    return times(minus(s(Rate(a), k - 1), rest), s.inverse(a) * (1.0 / k))


def hyperbolic_tangent(s, x, k, _):
    """From ``x' = a' (1 - x x)``."""
    return times(s.sum(s.rate(x.args[0]), s.graph.sub(1.0, x * x), k - 1), 1.0 / k)


def by_logarithm(a, y):
    """Kernel: a to the power of y, for an a above zero."""
    return exp(y * log(a))


def power(s, x, k, _):
    """``x' a = y x a'``, or ``exp(y log a)`` where y moves; zero where a is not above zero."""
    a, y = x.args
    if s.moves(y):
        (same,) = s.nodes_of(by_logarithm, (a, y))
        return s.select(s(a, 0) > 0.0, s(same, k), 0.0)
    rest = s.sum(Rate(x), a, k - 1, 0, k - 2)
    found = minus(times(s(y, 0), s.sum(s.rate(a), x, k - 1)), rest)
    return found if zero(found) else s.select(s(a, 0) > 0.0, found * s.inverse(a) * (1.0 / k), 0.0)


def sine_and_cosine(s, x, k, result):
    """Each is the other's sum with the rate of the angle."""
    other = s.graph.results(x, 2)[1 - result]
    found = times(s.sum(s.rate(x.args[0]), other, k - 1), 1.0 / k)
    return minus(0.0, found) if result else found


def angle(s, x, k, _):
    """From ``(b b + a a) x' = b a' - a b'`` for the angle of (b, a)."""
    a, b = x.args
    squared = a * a + b * b
    rest = s.sum(Rate(x), squared, k - 1, 0, k - 2)
    found = minus(minus(s.sum(s.rate(a), b, k - 1), s.sum(s.rate(b), a, k - 1)), rest)
    return times(found, s.inverse(squared) * (1.0 / k))
