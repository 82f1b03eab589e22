"""Flows ``x' = f(t, x, p)`` with stops, many at once; `returns` makes maps of them.

Steps of equal length by the method of eighth order of Dormand and Prince (Hairer, Nørsett, Wanner, Solving Ordinary Differential
Equations I, Springer 1993, section II.5), all samples at once. Derivatives are complex steps through the integration itself: they solve
the variational equations by the same formula, and at stops and sections they hold what a saltation matrix holds (Leine, Nijmeijer, Dynamics
and Bifurcations of Non-Smooth Mechanical Systems, Springer 2004, section 7.3), to rounding.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from uqmbd.analysis.dynamics.maps import Parameters, columns
from uqmbd.analysis.dynamics.surfaces import Stop, crossed

_IMPACTS = 30  # in one step, from which on they are said to come to rest


Step = tuple[np.ndarray, np.ndarray, np.ndarray]  # time (n,), state (n, d), length (n,)


@cache
def _tableau() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from scipy.integrate import DOP853

    return np.asarray(DOP853.A, float), np.asarray(DOP853.B, float), np.asarray(DOP853.C, float)


def _weighted(weights: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """The sum of stages, one after another, so that it is the same to the last bit whatever samples are beside."""
    total, part = np.zeros(rates.shape[1:], rates.dtype), np.empty(rates.shape[1:], rates.dtype)
    for weight, rate in zip(weights.tolist(), rates):
        if weight:
            total += np.multiply(rate, weight, out=part)
    return total


@dataclass(frozen=True, kw_only=True)
class Flow:
    """A motion by its rates, between stops.

    Parameters
    ----------
    function : callable
        ``function(t=..., x=..., v=..., w=...)`` returns the rates of the coordinates in the order of `names`, of arrays (n,) of each
        coordinate and parameter, and of the time, if it has `t` among its names. Formulas that complex numbers go through.
    names : tuple of str
        The coordinates.
    stops : tuple of Stop, optional
        Called like the function.

    Examples
    --------
    >>> import numpy as np, uqmbd as uq
    >>> ball = uq.Flow(function=lambda y, v: (v, 0 * y - 9.81), names=("y", "v"))
    >>> ball.moved(np.zeros(1), np.array([[1.0, 0.0]]), np.array([0.1]), {})[0].round(5).tolist()
    [[0.95095, -0.981]]
    """

    function: Callable[..., Any]
    names: tuple[str, ...]
    stops: tuple[Stop, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))

    def called(self, function: Callable[..., Any], t: np.ndarray, x: np.ndarray, parameters: Parameters) -> Any:
        """A function of the coordinates, the parameters and, if it names it, the time."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return function(**({"t": t} if names_time(function) else {}), **dict(zip(self.names, x.T)), **parameters)

    def smooth(self, t: np.ndarray, x: np.ndarray, h: np.ndarray, parameters: Parameters) -> np.ndarray:
        """States (n, d) after steps (n,) from `x` (n, d) at times (n,), without stops."""
        a, b, c = _tableau()
        rates = np.empty((len(b), *x.shape), np.result_type(t, x, h, *parameters.values()))
        for s in range(len(b)):
            at = x if s == 0 else x + h[:, None] * _weighted(a[s], rates)
            rates[s] = columns(self.called(self.function, t + c[s] * h, at, parameters), self.names, len(x))
        return x + h[:, None] * _weighted(b, rates)

    def moved(
        self, t: np.ndarray, x: np.ndarray, h: np.ndarray, parameters: Parameters, fresh: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """States (n, d) after steps (n,) with impacts, and which stop each has just left, (n, stops).

        NaN where the impacts within a step have no end, or a state begins behind a stop.
        """
        n, m = len(x), len(self.stops)
        on = np.zeros((n, m), bool) if fresh is None else fresh.copy()
        y = self.smooth(t, x, h, parameters)
        if not m:
            return y, on
        going = np.arange(n)
        y, left = y.astype(np.result_type(y, float)), np.zeros((n, m), bool)
        for _ in range(_IMPACTS):
            here = rows_of(parameters, going, n)
            start, end = (
                np.stack([np.real(self.called(stop.gap, s, z, here)) for stop in self.stops], axis=1)
                for s, z in ((t, x), (t + h, y[going]))
            )
            on |= start == 0.0
            behind = ((start < 0.0) & ~on).any(axis=1)
            y[going[behind]] = np.nan
            hit = (end < 0.0) & ((start > 0.0) | on) & ~behind[:, None]
            some = hit.any(axis=1)
            if not some.any():
                return y, left
            t, x, h, on, going, hit = t[some], x[some], h[some], on[some], going[some], hit[some]
            here = rows_of(parameters, going, n)
            share, which = self._first(t, x, h, here, on, hit)
            x = self.smooth(t, x, share * h, here)
            t, h = t + share * h, (1.0 - share) * h
            x = self._reset(t, x, which, here)
            on = which[:, None] == np.arange(m)
            y[going] = self.smooth(t, x, h, here)
            left[going] = on
        y[going] = np.nan
        return y, left

    def _first(
        self, t: np.ndarray, x: np.ndarray, h: np.ndarray, here: Parameters, fresh: np.ndarray, hit: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Shares of the steps to the first impact, and the stop it is on."""
        best, which = np.full(len(x), 2.0, np.result_type(t, x, h, *here.values())), np.zeros(len(x), int)
        for k, stop in enumerate(self.stops):
            rows = np.flatnonzero(hit[:, k])
            if rows.size:
                share = self.share(stop.gap, (t[rows], x[rows], h[rows]), rows_of(here, rows, len(x)), fresh[rows, k])
                sooner = np.real(share) < np.real(best[rows])
                best[rows[sooner]], which[rows[sooner]] = share[sooner], k
        return best, which

    def share(self, surface: Callable[..., Any], step: Step, parameters: Parameters, fresh: np.ndarray, sign: float = 1.0) -> np.ndarray:
        """Share of a smooth step (time, state, length) at which a function, times `sign`, falls through zero within it, (n,)."""
        real = (np.real(step[0]), np.real(step[1]), np.real(step[2]))
        plain = {name: np.real(value) for name, value in parameters.items()}

        def at(share: np.ndarray, step: Step, parameters: Parameters) -> np.ndarray:
            t, x, h = step
            return sign * np.asarray(self.called(surface, t + share * h, self.smooth(t, x, share * h, parameters), parameters))

        return crossed(lambda s: at(s, step, parameters), lambda s: at(s, real, plain), len(fresh), fresh)

    def _reset(self, t: np.ndarray, x: np.ndarray, which: np.ndarray, here: Parameters) -> np.ndarray:
        x = x.copy()
        for k, stop in enumerate(self.stops):
            rows = np.flatnonzero(which == k)
            if rows.size:
                x[rows] = columns(self.called(stop.reset, t[rows], x[rows], rows_of(here, rows, len(x))), self.names, len(rows))
        return x


@lru_cache(maxsize=256)
def names_time(function: Callable[..., Any]) -> bool:
    """Whether a function takes the time."""
    return "t" in inspect.signature(function).parameters


def rows_of(parameters: Parameters, rows: np.ndarray, n: int) -> dict[str, np.ndarray]:
    """The parameters of some of n samples."""
    return {name: np.broadcast_to(value, n)[rows] for name, value in parameters.items()}
