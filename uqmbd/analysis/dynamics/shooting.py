"""Periodic orbits by shooting: fixed points of a map applied several times, by Newton's method from many starts at once.

Seydel, Practical Bifurcation and Stability Analysis (Springer 2010), section 7.4; Kuznetsov, Elements of Applied Bifurcation Theory
(Springer 2004), section 10.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.dynamics.maps import Map, Parameters, accuracy_of, composed, why_lost

TOLERANCE = 1e-11  # of a state, beside the larger of one and its size
STEPS = 40
SAME = 1e-6  # beside the larger of one and a state's size: an orbit that comes as near to itself before its end has fewer steps
_HALVINGS = 8
_ON_CIRCLE = 1e-9  # multipliers nearer to one in absolute value say nothing of stability


@dataclass(frozen=True)
class Orbits:
    """Periodic orbits of n starts, by a point of each.

    Attributes
    ----------
    states : ndarray, shape (n, d)
        A point of each orbit, NaN where none was found.
    multipliers : ndarray, shape (n, d), complex
        Of the map over the whole orbit, the largest first; NaN where none was found.
    residual : ndarray, shape (n,)
        Largest difference of a state and its image, beside the larger of one and the state's size.
    lost : list of str
        Why none was found, "" where one was.
    """

    states: np.ndarray
    multipliers: np.ndarray
    residual: np.ndarray
    lost: list[str]

    @property
    def found(self) -> np.ndarray:
        """Where there is an orbit, (n,) bool."""
        return np.array([not why for why in self.lost], bool)

    @property
    def stable(self) -> np.ndarray:
        """Where all multipliers lie within the unit circle, (n,) bool."""
        return stable(self.multipliers)


def stable(multipliers: np.ndarray) -> np.ndarray:
    """Where all of the last axis lie within the unit circle: (...,) bool."""
    return np.asarray(np.abs(multipliers).max(axis=-1) < 1.0 - _ON_CIRCLE)


def multipliers(jacobian: np.ndarray) -> np.ndarray:
    """Eigenvalues (n, d) of matrices (n, d, d), the largest first; NaN where a matrix is not finite."""
    bad = np.logical_not(np.isfinite(jacobian).all(axis=(1, 2)))
    values = np.linalg.eigvals(np.where(bad[:, None, None], 0.0, jacobian)).astype(complex)
    values = np.take_along_axis(values, np.argsort(-np.abs(values), axis=1, kind="stable"), axis=1)
    values[bad] = np.nan
    return values


def _size(x: np.ndarray) -> np.ndarray:
    return np.maximum(1.0, np.abs(x).max(axis=1))


def _residual(x: np.ndarray, image: np.ndarray) -> np.ndarray:
    away = np.abs(image - x).max(axis=1) / _size(x)
    return np.where(np.isfinite(away), away, np.inf)


def least_squares(matrices: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Shortest solutions (n, d) of ``A x = b``, each by itself; NaN where A or b is not finite."""
    good = np.asarray(np.isfinite(matrices).all(axis=(1, 2)) & np.isfinite(right).all(axis=1))
    inverse = np.linalg.pinv(np.where(good[:, None, None], matrices, 0.0), rcond=1e-15)
    return np.where(good[:, None], np.einsum("nij,nj->ni", inverse, right), np.nan)


def fewest_steps(base: Map, states: np.ndarray, parameters: Parameters, period: int, near: float | np.ndarray) -> np.ndarray:
    """Steps (n,), a divisor of `period`, after which orbits at `states` (n, d) are back within `near`, (n, d) or less."""
    fewest = np.full(len(states), period)
    for steps in range(period - 1, 0, -1):
        if period % steps == 0:
            image = composed(base, steps).step(states, parameters)
            fewest[(np.abs(image - states) < near).all(axis=1)] = steps
    return fewest


def shorter_orbit(fewest: int, period: int) -> str:
    """Words for an orbit of fewer steps than were asked for."""
    return f"an orbit of {fewest} step{'' if fewest == 1 else 's'}, not {period}"


def shoot(base: Map, starts: np.ndarray, parameters: Parameters, period: int = 1, tolerance: float = TOLERANCE) -> Orbits:
    """Orbits of `period` steps of `base` near `starts` (n, d), with numbers or arrays (n,) as parameters.

    A step of Newton's method that does not come nearer is halved; where none does, what a map's `accuracy` does not tell from an orbit is
    one. An orbit of a divisor of the period is one too.

    Examples
    --------
    >>> import numpy as np
    >>> from uqmbd.analysis.dynamics.maps import FunctionMap
    >>> logistic = FunctionMap(function=lambda x, r: r * x * (1 - x), names=("x",))
    >>> orbits = shoot(logistic, np.array([[0.6], [0.7]]), {"r": np.array([2.5, 3.2])})
    >>> orbits.states[:, 0].round(6).tolist(), orbits.multipliers.real[:, 0].round(6).tolist(), orbits.stable.tolist()
    ([0.6, 0.6875], [-0.5, -1.2], [True, False])
    """
    over, (n, d), known = composed(base, period), starts.shape, accuracy_of(base)
    parameters = {name: np.broadcast_to(value, n) for name, value in parameters.items()}
    x, lost = starts.astype(float).copy(), [""] * n
    slopes, residual, going = np.full((n, d, d), np.nan), np.full(n, np.inf), np.arange(n)
    for _ in range(STEPS):
        here = {name: value[going] for name, value in parameters.items()}
        image, slopes[going], _ = over.tangent(x[going], here)
        residual[going] = _residual(x[going], image)
        bad = ~np.isfinite(residual[going]) | ~np.isfinite(slopes[going]).all(axis=(1, 2))
        if bad.any():
            for k, why in zip(going[bad], why_lost(over, x[going[bad]], {name: value[bad] for name, value in here.items()})):
                lost[k] = f"the orbit is lost: {why}"
        step = least_squares(np.eye(d) - slopes[going], image - x[going])
        small = np.abs(step).max(axis=1) <= tolerance * _size(x[going])
        done = small & (residual[going] <= 1e3 * tolerance)
        x[going[done]] += step[done]
        going, step = going[~(bad | done)], step[~(bad | done)]
        if not going.size:
            break
        x[going], stuck = _shortened(over, x[going], step, {name: value[going] for name, value in parameters.items()}, residual[going])
        for k in going[stuck & (residual[going] > known)]:
            lost[k] = f"the orbit is lost: Newton's method comes no nearer than {residual[k]:.1e}"
        going = going[~stuck]
        if not going.size:
            break
    for k in going[residual[going] > known]:
        lost[k] = f"the orbit is lost: after {STEPS} steps of Newton's method it still moves, by {residual[k]:.1e}"
    gone = np.array([bool(why) for why in lost], bool)
    x[gone], slopes[gone] = np.nan, np.nan
    return Orbits(x, multipliers(slopes), residual, lost)


def _shortened(over: Map, x: np.ndarray, step: np.ndarray, parameters: Parameters, before: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The states after steps halved until they come nearer, and which do not."""
    length, open_ = np.ones(len(x)), np.arange(len(x))
    for _ in range(_HALVINGS):
        trial = x[open_] + length[open_, None] * step[open_]
        after = _residual(trial, over.step(trial, {name: value[open_] for name, value in parameters.items()}))
        open_ = open_[~((after < before[open_]) | (after < 1e-10))]
        if not open_.size:
            break
        length[open_] *= 0.5
    stuck = np.zeros(len(x), bool)
    stuck[open_] = True
    return x + length[:, None] * step, stuck
