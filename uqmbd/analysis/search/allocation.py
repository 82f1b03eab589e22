"""The cheapest tolerances with which limits are met: costs, responses of a surrogate over boxes that shrink, and the optimum.

Tolerances are shares ``s`` (d,) of the half widths of the whole box, [-1, 1]^d in the coordinate of the surrogate, about its middle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from uqmbd.analysis.base.design import sobol_sequence
from uqmbd.analysis.base.fitted import Fitted

MOST_CORNERS = 10  # inputs up to which a search for extremes begins at all corners too
CANDIDATES = 256
HALVINGS = 24
STEPS = 500
BALANCED = 1e-14  # of the cost at the start, when the optimisation is content
NEIGHBOURS = 0.1  # of the points beyond a quantile: so many on either side of it are averaged
SLACK = 1e-9  # of a limit's size: what rounding of the optimisation may leave

Value = tuple[float, np.ndarray]  # and its slope in s, (d,)
Response = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # of s: lower and upper end (2,), and their slopes (2, d)


@dataclass(frozen=True)
class Reciprocal:
    """``cost * at / t``: Chase, Greenwood, Manuf. Rev. 1 (1988) 49."""

    cost: float
    at: float

    def of(self, t: float) -> tuple[float, float]:
        """Cost of the tolerance t, and its slope."""
        return self.cost * self.at / t, -self.cost * self.at / t**2


@dataclass(frozen=True)
class Exponential:
    """``cost * exp(-t / per)``: Speckhart, J. Eng. Ind. 94 (1972) 175."""

    cost: float
    per: float

    def of(self, t: float) -> tuple[float, float]:
        """Cost of the tolerance t, and its slope."""
        value = self.cost * float(np.exp(-t / self.per))
        return value, -value / self.per


@dataclass(frozen=True)
class Tabulated:
    """Costs (n,) at tolerances (n,) that rise; between them the monotonic cubic of Fritsch and Butland, beyond them the ends."""

    t: tuple[float, ...]
    cost: tuple[float, ...]

    def of(self, t: float) -> tuple[float, float]:
        """Cost of the tolerance t, and its slope."""
        from scipy.interpolate import PchipInterpolator

        curve, inside = PchipInterpolator(self.t, self.cost), float(np.clip(t, self.t[0], self.t[-1]))
        return float(curve(inside)), float(curve(inside, 1)) if inside == t else 0.0


@cache
def candidates(d: int) -> np.ndarray:
    """Middle, corners where they are few, and Sobol' points of [-1, 1]^d, (n, d)."""
    corners = np.array(list(product((-1.0, 1.0), repeat=d))) if d <= MOST_CORNERS else np.empty((0, d))
    return np.concatenate([np.zeros((1, d)), corners, 2 * sobol_sequence(CANDIDATES, d) - 1])


Cost = Reciprocal | Exponential | Tabulated


@dataclass(frozen=True, eq=False)
class Extremes:
    """Smallest and largest value of one column over the box of tolerances, where they are, and their slopes (envelope theorem).

    Of a response that is monotonic in all inputs the signs of its slopes (d,) say where. Else points all over the box are looked at, and
    from the best the way goes on downhill, or uphill, to the nearest extreme (scipy's L-BFGS-B).
    """

    surrogate: Fitted
    rises: np.ndarray | None = None

    def places(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The two values (2,), and where in the box of tolerances, in [-1, 1]^d again, (2, d)."""
        if self.rises is not None:
            where = np.stack([-self.rises, self.rises]).astype(float)
            return self.surrogate.evaluate(where * s)[:, 0], where
        looked = candidates(len(s))
        values = self.surrogate.evaluate(looked * s)[:, 0]
        size = float(np.abs(values).max()) or 1.0
        found = [self._extreme(looked[at], s, sign / size) for at, sign in ((values.argmin(), 1.0), (values.argmax(), -1.0))]
        where = np.array(found)
        return self.surrogate.evaluate(where * s)[:, 0], where

    def _extreme(self, begin: np.ndarray, s: np.ndarray, factor: float) -> np.ndarray:
        """Where `factor` times the response is least, downhill from a point (d,) of [-1, 1]^d."""
        from scipy.optimize import minimize

        def look(w: np.ndarray) -> tuple[float, np.ndarray]:
            point = (w * s)[None]
            return factor * float(self.surrogate.evaluate(point)[0, 0]), factor * self.surrogate.gradient(point)[0, :, 0] * s

        value, slope = look(begin)
        if (np.abs(begin) == 1).all() and (slope * begin <= 0).all():  # a corner that it falls towards from all sides
            return begin
        options = {"ftol": 1e-16, "gtol": 1e-13}
        done = minimize(look, begin, jac=True, method="L-BFGS-B", bounds=[(-1.0, 1.0)] * len(begin), options=options)
        return done.x if done.fun <= value else begin

    def __call__(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ends, where = self.places(s)
        slopes = self.surrogate.gradient(where * s)[:, :, 0] * where
        return ends, np.where(np.abs(where) == 1, slopes, 0.0)  # inside it is 0, but for how far the search went


@dataclass(frozen=True, eq=False)
class RootOfSquares:
    """Value at the middle, less and more the root of the sum of squares of slope times tolerance."""

    surrogate: Fitted

    def places(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The two values (2,), and where in the box of tolerances, in [-1, 1]^d again, a linear response has them, (2, d).

        They are its ends over the ellipsoid whose half axes the tolerances are.
        """
        value, slope, width = self._linear(s)
        where = slope * s / max(width, 1e-300)
        return np.array([value - width, value + width]), np.stack([-where, where])

    def __call__(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope, width = self._linear(s)
        along = slope**2 * s / max(width, 1e-300)
        return np.array([value - width, value + width]), np.stack([-along, along])

    def _linear(self, s: np.ndarray) -> tuple[float, np.ndarray, float]:
        """Value and slope (d,) at the middle, and the root of the sum of squares."""
        middle = np.zeros((1, len(s)))
        value, slope = float(self.surrogate.evaluate(middle)[0, 0]), self.surrogate.gradient(middle)[0, :, 0]
        return value, slope, float(np.sqrt(((slope * s) ** 2).sum()))


@dataclass(frozen=True, eq=False)
class Quantiles:
    """Values below and above which a share `p` of the points (n, d), in tolerances about the middle, lies; the same points each time.

    Each is the mean of some neighbours in order, which makes its slope smooth: that of a quantile is the mean of the slopes there.
    """

    surrogate: Fitted
    points: np.ndarray
    p: float

    def _neighbours(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values of all points, and which are averaged for either end, (2, some)."""
        values = self.surrogate.evaluate(self.points * s)[:, 0]
        order, beyond = np.argsort(values, kind="stable"), int(np.floor(self.p * len(values)))  # so many may be beyond
        near = np.arange(-int(NEIGHBOURS * beyond), int(NEIGHBOURS * beyond) + 1)
        return values, order[np.stack([beyond + near, len(order) - 1 - beyond - near])]

    def places(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The two values (2,), and a point that has about each, (2, d)."""
        values, at = self._neighbours(s)
        return values[at].mean(axis=1), self.points[at[:, at.shape[1] // 2]]

    def __call__(self, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, at = self._neighbours(s)
        where = self.points[at.ravel()]
        slopes = self.surrogate.gradient(where * s)[:, :, 0] * where
        return values[at].mean(axis=1), slopes.reshape(*at.shape, -1).mean(axis=1)


@dataclass(frozen=True, eq=False)
class Bounded:
    """A limit of one end of a response; `shift` is by how much it is tightened for what the surrogate does not see."""

    response: Response
    limit: float
    upper: bool
    size: float  # of the response, for scaling
    shift: float = 0.0

    def margin(self, s: np.ndarray) -> Value:
        """Distance from the limit over the size, negative where it is not met."""
        ends, slopes = self.response(s)
        at, sign = (1, 1.0) if self.upper else (0, -1.0)
        return float(sign * (self.limit - ends[at]) - self.shift) / self.size, -sign * slopes[at] / self.size


@dataclass(frozen=True, eq=False)
class Narrow:
    """A limit of the width of a response; `size` and `shift` as of `Bounded`, the size is the limit unless said."""

    response: Response
    width: float
    size: float | None = None
    shift: float = 0.0

    def margin(self, s: np.ndarray) -> Value:
        """Distance from the limit over the size, negative where it is not met."""
        ends, slopes = self.response(s)
        size = self.width if self.size is None else self.size
        return float(self.width - self.shift - (ends[1] - ends[0])) / size, -(slopes[1] - slopes[0]) / size


@dataclass(frozen=True, eq=False)
class Allocation:
    """The cheapest tolerances."""

    s: np.ndarray  # (d,)
    cost: float
    margins: np.ndarray  # (limits,)
    feasible: bool  # whether the smallest tolerances meet all limits
    converged: bool

    @property
    def least_violated(self) -> int:
        """The limit that is nearest to being met among those that are not."""
        return int(np.argmin(np.where(self.margins < 0, -self.margins, np.inf)))


def total(costs: Sequence[Cost], s: np.ndarray, half: np.ndarray) -> Value:
    """Costs of tolerances together, and the slope in s."""
    each = [cost.of(share * width) for cost, share, width in zip(costs, s, half, strict=True)]
    return sum(value for value, _ in each), np.array([slope for _, slope in each]) * half


def allocate(
    costs: Sequence[Cost], half: np.ndarray, limits: Sequence[Bounded | Narrow], lower: np.ndarray, upper: np.ndarray | None = None
) -> Allocation:
    """Minimise the costs by sequential quadratic programming (scipy's SLSQP) over the logarithms of the tolerances.

    It begins where tolerances that shrink together, from the largest to the smallest, first meet all limits.

    Parameters
    ----------
    half : ndarray, shape (d,)
        Half widths of the whole box, in the unit of the costs.
    lower, upper : ndarray, shape (d,)
        Smallest and largest tolerances, as shares of them; 1 where nothing is said.
    """
    from scipy.optimize import minimize

    upper = np.ones(len(half)) if upper is None else upper

    known: dict[bytes, list[Value]] = {}  # of the last point, whose margins and slopes are asked for one by one

    def looked(s: np.ndarray) -> list[Value]:
        if s.tobytes() not in known:
            known.clear()
            known[s.tobytes()] = [limit.margin(s) for limit in limits]
        return known[s.tobytes()]

    def margins(s: np.ndarray) -> np.ndarray:
        return np.array([value for value, _ in looked(s)])

    def shrunk(share: float) -> np.ndarray:
        return np.exp(np.log(lower) + share * (np.log(upper) - np.log(lower)))

    def found(s: np.ndarray, *, feasible: bool = True, converged: bool = True) -> Allocation:
        return Allocation(s, total(costs, s, half)[0], margins(s), feasible, converged)

    if not (margins(lower) >= 0).all():
        return found(lower, feasible=False)
    low, high = 0.0, 1.0
    if not (margins(upper) >= 0).all():
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if (margins(shrunk(middle)) >= 0).all() else (low, middle)
        high = low
    start = shrunk(high)
    scale = abs(total(costs, start, half)[0]) or 1.0

    def cost(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = total(costs, np.exp(x), half)
        return value / scale, slope * np.exp(x) / scale

    constraints = [
        {
            "type": "ineq",
            "fun": lambda x, k=k: looked(np.exp(x))[k][0],
            "jac": lambda x, k=k: looked(np.exp(x))[k][1] * np.exp(x),
        }
        for k in range(len(limits))
    ]
    bounds = np.stack([np.log(lower), np.log(upper)], axis=1)
    options = {"ftol": BALANCED, "maxiter": STEPS}
    done = minimize(cost, np.log(start), jac=True, method="SLSQP", bounds=bounds, constraints=constraints, options=options)
    s = np.clip(np.exp(done.x), lower, upper)
    met = bool((margins(s) >= -SLACK).all())
    if not met or total(costs, s, half)[0] > total(costs, start, half)[0]:
        return found(start, converged=False)
    return found(s, converged=bool(done.success))
