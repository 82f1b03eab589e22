"""Tables of values: straight lines or a cubic spline between points, over time or over any other quantity.

The segments are one parameter, a `Matrix`: however long the table is, the code is the same. The segment that holds x is looked up by
bisection.
"""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PPoly

from flexmbd.errors import ModelError, check_number
from flexmbd.lanes import floor
from flexmbd.language.tracing import traced
from flexmbd.motion import Motion
from flexmbd.parameters import Matrix

KINDS = {"linear": None, "cubic": "not-a-knot", "natural": "natural", "periodic": "periodic"}
BEYOND = ("hold", "extrapolate", "repeat", "error")


@dataclass(frozen=True)
class Table(Motion):
    """Values `y` at the points `x`, and what lies between them; a `Motion`, so it serves wherever one is taken.

    Parameters
    ----------
    x : sequence of float
        At least two, ascending; in s over time, else in the unit of what it is a function of.
    y : sequence of float
    kind : str
        "linear"; or a cubic spline: "cubic" (not-a-knot), "natural" (no curvature at its ends), "periodic".
    beyond : str, optional
        What it is where x leaves the table: "hold" (the value of the end; so unless said), "extrapolate" (on along the slope of the end),
        "repeat" (the table is one period; so unless said where `kind` is "periodic"), "error" (not a number: the run ends there as
        diverged).
    scale : float or ndarray
        All values times this.

    Raises
    ------
    ModelError
        Where x is not ascending, the lengths differ, there are fewer than two points, or a number is not finite.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> crank = s.body("crank", mass=1.0, inertia=0.1)
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), crank.centre))
    >>> load = s.add(fm.Torque("load", s.ground, crank, fm.Table((0.0, 1.0, 2.0), (0.0, 5.0, 3.0))))
    >>> spring = s.add(fm.TorsionSpring("spring", s.ground, crank, stiffness=10.0))
    >>> fm.static(s, end=2.0, steps=4)["crank.angle"].round(6).tolist()  # rad, at five loads
    [0.0, 0.25, 0.5, 0.4, 0.3]
    """

    x: tuple
    y: tuple
    kind: str = "linear"
    beyond: str | None = None
    scale: object = 1.0

    def __post_init__(self):
        for key, known in (("kind", tuple(KINDS)), ("beyond", BEYOND)):
            value = getattr(self, key)
            if value not in known and (key, value) != ("beyond", None):
                raise ModelError(f"table: {key} is {value!r}; it must be one of {', '.join(map(repr, known))}")
        for key in "xy":
            object.__setattr__(self, key, _numbers(key, getattr(self, key)))
        x, y = np.array(self.x), np.array(self.y, float) if len(self.x) == len(self.y) else None
        if y is None:
            raise ModelError(f"table: x has {len(self.x)} numbers and y {len(self.y)}; they must be as many")
        if not np.all(np.diff(x) > 0.0):
            k = int(np.flatnonzero(np.diff(x) <= 0.0)[0])
            raise ModelError(f"table: x[{k + 1}] is {x[k + 1]:g} after {x[k]:g}; x must be ascending")
        if self.beyond is None:
            object.__setattr__(self, "beyond", "repeat" if self.kind == "periodic" else "hold")
        if "periodic" in (self.kind, "periodic" if self.beyond == "repeat" else "") and y[0] != y[-1]:
            raise ModelError(f"table: y ends with {y[-1]:g} and begins with {y[0]:g}; a period must end as it begins")
        object.__setattr__(self, "scale", check_number("table", "scale", self.scale))

    def _pieces(self):
        """The piecewise polynomial."""
        if self.kind == "linear":
            return PPoly(np.array([np.diff(self.y) / np.diff(self.x), self.y[:-1]]), self.x)
        if len(self.x) == 2:
            return Table(self.x, self.y)._pieces()
        return CubicSpline(self.x, self.y, bc_type=KINDS[self.kind])

    def parameters(self):
        """The segments (where each begins, the integral up to there, coefficients), both ends with slope and value, and the scale."""
        pieces = self._pieces()
        area = pieces.antiderivative()
        segments = np.column_stack([self.x[:-1], area(self.x[:-1]) - self._before_zero(pieces, area), pieces.c[::-1].T])
        out = {"segments": Matrix(segments), "first": self.x[0], "last": self.x[-1], "scale": self.scale}
        for end, x, y in (("low", self.x[0], self.y[0]), ("high", self.x[-1], self.y[-1])):
            out |= {f"{end}.slope": float(pieces.derivative()(x)), f"{end}.value": y}
        return out | {"period.integral": float(area(self.x[-1]) - area(self.x[0]))}

    def _before_zero(self, pieces, area):
        """Integral from the first point to zero."""
        first, last = self.x[0], self.x[-1]
        if self.beyond == "repeat":
            periods = np.floor(-first / (last - first))
            return area(-(last - first) * periods) + periods * area(last)
        end = min(max(0.0, first), last)
        slope = pieces.derivative()(end) if self.beyond == "extrapolate" else 0.0
        return area(end) - end * (pieces(end) - 0.5 * slope * end) if end else area(0.0)

    def topology_key(self):
        """Kind, and what lies beyond; how many points there are is the shape of a parameter."""
        return ("table", self.kind == "linear" or len(self.x) == 2, self.beyond)

    def node(self, equations, number):
        """The polynomial of the segment, and what lies beyond the ends."""
        g = equations.graph
        inside, below, above, _ = self._placed(equations, number, equations.time)
        start, _, *c = g.lookup(number("segments"), inside)
        total = _horner(g, inside - start, c)
        if self.beyond == "extrapolate":
            total = total + number("low.slope") * below + number("high.slope") * above
        return number("scale") * self._marked(g, total, below, above)

    def integral(self, equations, number):
        """Node of the integral from zero."""
        g = equations.graph
        inside, below, above, periods = self._placed(equations, number, equations.time)
        start, known, *c = g.lookup(number("segments"), inside)
        d = inside - start
        total = known + d * _horner(g, d, [a / (power + 1.0) for power, a in enumerate(c)])
        if self.beyond == "repeat":
            return number("scale") * (total + periods * number("period.integral"))
        for end, over in (("low", below), ("high", above)):
            slope = number(f"{end}.slope") if self.beyond == "extrapolate" else 0.0
            total = total + over * (number(f"{end}.value") + 0.5 * slope * over)
        return number("scale") * self._marked(g, total, below, above)

    def _placed(self, equations, number, x):
        """x within the table, how far it is below and above it, and how many periods it is away."""
        g, first, last, zero = equations.graph, number("first"), number("last"), equations.graph.const(0.0)
        if self.beyond == "repeat":
            periods = traced(g, _periods, (x, first, last))
            return x - (last - first) * periods, zero, zero, periods
        low, high = g.greater(first, x), g.greater(x, last)
        below, above = g.select(low, x - first, 0.0), g.select(high, x - last, 0.0)
        return g.select(low, first, g.select(high, last, x)), below, above, zero

    def _marked(self, g, value, below, above):
        """The value, with `beyond` = "error" no number outside."""
        if self.beyond != "error":
            return value
        return value * g.sqrt(g.select(g.greater(g.fabs(below) + above, 0.0), -1.0, 1.0))


def _numbers(key, values):
    """The x or y of a table as a tuple of numbers, checked."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.size > 1 and values.dtype.kind in "fi" and np.isfinite(values).all():
        return tuple(values.astype(float).tolist())
    numbers = tuple(check_number("table", f"{key}[{k}]", x) for k, x in enumerate(values if np.ndim(values) == 1 else ()))
    if len(numbers) < 2 or any(np.ndim(number) for number in numbers):
        raise ModelError(f"table: {key} is {values!r}; it must be a sequence of at least two numbers")
    return numbers


def segment(graph, x, rows):
    """Of rows of nodes, each headed by where its segment starts, the one whose segment holds the node x."""
    if len(rows) == 1:
        return rows[0]
    half = len(rows) // 2
    later = graph.greater(x, rows[half][0])
    return [graph.select(later, b, a) for a, b in zip(segment(graph, x, rows[:half]), segment(graph, x, rows[half:]), strict=True)]


def cornered(motion):
    """True if a motion or its slope jumps: straight lines of a table are part of it, or it is switched."""
    if hasattr(motion, "latch"):
        return True
    if isinstance(motion, Table):
        return motion.kind == "linear" and len(motion.x) > 2
    return any(cornered(part) for part in getattr(motion, "parts", ()))


def _horner(g, x, coefficients):
    """Polynomial by its coefficients from the constant one on."""
    total = g.const(0.0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


def _periods(x, first, last):
    """Whole periods from the table to x."""
    return floor((x - first) / (last - first))
