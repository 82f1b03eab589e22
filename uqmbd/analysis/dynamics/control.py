"""Control of chaos: small changes of a parameter, once a step, that keep a map at an unstable fixed point.

``ogy_gain`` and ``Fed`` feed the distance from the point back, ``delayed_gain`` and ``Delayed`` that from the step before, which needs
no knowledge of the point. Both give maps again, so that shooting finds their multipliers and `exponents` whether chaos is left. An
orbit of k steps is a fixed point of ``maps.composed(base, k)``, with one change of the parameter for all its steps.

Sources: Ott, Grebogi, Yorke, Phys. Rev. Lett. 64 (1990) 1196; pole placement: Romeiras, Grebogi, Ott, Dayawansa, Physica D 58 (1992)
165; delayed feedback: Pyragas, Phys. Lett. A 170 (1992) 421; its limits for maps: Ushio, IEEE Trans. Circuits Syst. I 43 (1996) 815.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.dynamics.maps import Map, Parameters, accuracy_of
from uqmbd.errors import StudyError

if TYPE_CHECKING:
    from uqmbd.analysis.dynamics.delays import Continuous

_SMALL = 1e-9  # of the size of the derivatives: a parameter that moves the unstable directions by less does not move them


def unstable_directions(by_state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates z = W x along which a Jacobian A (d, d) does not contract: W (m, d), orthonormal rows, and T (m, m) with W A = T W."""
    from scipy.linalg import schur

    found: Any = schur(by_state.T, sort="ouc")
    form, vectors, count = found
    return vectors[:, :count].T, form[:count, :count].T


def ogy_gain(by_state: np.ndarray, by_parameter: np.ndarray) -> np.ndarray:
    """Gain k (d,) of the change ``-k (x - x*)`` of a parameter: multipliers outside the unit circle become zero, the others stay.

    Parameters
    ----------
    by_state : ndarray, shape (d, d)
        Derivatives A of the map at its fixed point.
    by_parameter : ndarray, shape (d,)
        The same b by the parameter.

    Raises
    ------
    StudyError
        The point is stable, or the parameter does not move all its unstable directions.

    Examples
    --------
    >>> import numpy as np
    >>> gain = ogy_gain(np.array([[-1.9]]), np.array([0.2]))  # -k b = 1.9
    >>> gain.round(9).tolist()
    [-9.5]
    """
    directions, growth = unstable_directions(by_state)
    count = len(growth)
    if count == 0:
        raise StudyError("the orbit is stable, and needs no control", remedy="take another orbit, or inputs at which it is unstable")
    push = directions @ by_parameter
    reached = np.column_stack([np.linalg.matrix_power(growth, k) @ push for k in range(count)])
    size = np.abs(growth).max() ** np.arange(count) * np.abs(by_parameter).max()
    if size[0] == 0 or np.linalg.cond(reached / size) > 1 / _SMALL:
        raise StudyError("the parameter does not move the unstable directions of the orbit", remedy="control by another parameter")
    last = np.linalg.solve(reached.T, np.eye(count)[-1])  # the last row of the inverse (Ackermann's formula, all poles zero)
    return last @ np.linalg.matrix_power(growth, count) @ directions


def ogy_range(multiplier: float) -> tuple[float, float]:
    """Factors of `ogy_gain` that still stabilise one unstable multiplier m: it becomes ``m (1 - factor)``.

    Examples
    --------
    >>> ogy_range(-2.0)
    (0.5, 1.5)
    """
    return 1.0 - 1.0 / abs(multiplier), 1.0 + 1.0 / abs(multiplier)


def delayed_range(multiplier: float) -> tuple[float, float]:
    """Gains K of the change ``-K (z - z before)`` that stabilise z -> m z: roots of s^2 - (m - K) s - K lie within the unit circle.

    Empty, as (nan, nan), from m = 1 on and for m <= -3: no delayed feedback of one step stabilises these.

    Examples
    --------
    >>> tuple(round(end, 9) for end in delayed_range(-1.9))
    (-1.0, -0.45)
    """
    least, most = -1.0, (1.0 + multiplier) / 2.0
    return (least, most) if least < most and multiplier < 1.0 else (np.nan, np.nan)


def delayed_best(multiplier: float) -> tuple[float, float]:
    """The gain K of `delayed_range` with which deviations die out fastest, and by what factor a step: both roots are 1 - sqrt(1 - m).

    Examples
    --------
    >>> tuple(round(number, 6) for number in delayed_best(-1.25))
    (-0.25, 0.5)
    """
    root = np.sqrt(1.0 - multiplier)
    return float(multiplier - 2.0 + 2.0 * root), float(abs(1.0 - root))


def delayed_gain(by_state: np.ndarray, by_parameter: np.ndarray) -> np.ndarray:
    """Gain k (d,) of the change ``-k (x - x before)``: of a point with one unstable multiplier, which it moves alone, by `delayed_best`.

    Raises
    ------
    StudyError
        The point is stable, has more unstable multipliers or one that delayed feedback cannot move into the unit circle.
    """
    directions, growth = unstable_directions(by_state)
    if len(growth) > 1:
        remedy = 'take by = "ogy", or give a gain'
        raise StudyError(f"delayed feedback is found for one unstable multiplier, and the orbit has {len(growth)}", remedy=remedy)
    along = ogy_gain(by_state, by_parameter)  # the multiplier over what the parameter does, along the unstable direction
    multiplier = float(growth[0, 0])
    if np.isnan(delayed_range(multiplier)[0]):
        remedy = 'take by = "ogy"'
        raise StudyError(f"no delayed feedback stabilises a multiplier of {multiplier:.4g}, only those from -3 to 1", remedy=remedy)
    return along * (delayed_best(multiplier)[0] / multiplier)


@dataclass(frozen=True, kw_only=True)
class _Fed:
    """A map whose parameter is changed once a step.

    Parameters
    ----------
    base : map
    parameter : str
        By which it is controlled; its value is that of the parameters plus the change.
    gain : ndarray, shape (d,)
        The change is the gain times what is fed back, with a minus.
    limit : float
        Of the change's absolute value.
    clipped : bool
        Whether a change beyond the limit is the limit, or none.
    """

    base: Map
    parameter: str
    gain: np.ndarray
    limit: float = np.inf
    clipped: bool = False

    @property
    def period(self) -> float | None:
        """Time of a step in s, None where it has none."""
        return self.base.period

    @property
    def derivatives(self) -> str:
        """Where those of `base` come from."""
        return self.base.derivatives

    @property
    def accuracy(self) -> float:
        """How far off the points of `base` are."""
        return accuracy_of(self.base)

    def _limited(self, fed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The change of the parameter by what is fed back (n, d): (n,), and where it follows it, (n,) bool."""
        wanted = -fed @ self.gain
        within = np.abs(wanted) <= self.limit
        return np.where(within, wanted, np.clip(wanted, -self.limit, self.limit) if self.clipped else 0.0), within

    def _moved(self, parameters: Parameters, change: np.ndarray) -> dict[str, np.ndarray]:
        return {**parameters, self.parameter: np.asarray(parameters[self.parameter]) + change}


@dataclass(frozen=True, kw_only=True)
class Fed(_Fed):
    """A map under ``p - k (x - target)``, see `ogy_gain`; without control where that leaves its limit, unless `clipped`.

    Examples
    --------
    >>> import numpy as np
    >>> from uqmbd.analysis.dynamics.maps import FunctionMap
    >>> logistic = FunctionMap(function=lambda x, r: r * x * (1 - x), names=("x",))
    >>> fed = Fed(base=logistic, parameter="r", gain=np.array([-9.5]), limit=0.1, target=np.array([0.75]))
    >>> fed.step(np.array([[0.751], [0.3]]), {"r": 4.0}).round(6).tolist()
    [[0.749772], [0.84]]
    """

    target: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return self.base.names

    def change(self, states: np.ndarray) -> np.ndarray:
        """Of the parameter, (n,)."""
        return self._limited(states - self.target)[0]

    def step(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """The next states (n, d)."""
        return self.base.step(states, self._moved(parameters, self.change(states)))

    def tangent(self, states: np.ndarray, parameters: Parameters, by: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The next states (n, d), their derivatives by states (n, d, d) and by the parameters named (n, d, len(by))."""
        change, within = self._limited(states - self.target)
        points, by_state, explicit = self.base.tangent(states, self._moved(parameters, change), (self.parameter, *by))
        return points, by_state - explicit[:, :, :1] * (within[:, None] * self.gain)[:, None, :], explicit[:, :, 1:]


@dataclass(frozen=True, kw_only=True)
class Delayed(_Fed):
    """A map under ``p - k (x - x before)``, see `delayed_gain`: its states are x and the one before, 2 d numbers."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates, those of the step before behind."""
        return (*self.base.names, *(f"{name} before" for name in self.base.names))

    def change(self, states: np.ndarray) -> np.ndarray:
        """Of the parameter, (n,)."""
        d = len(self.base.names)
        return self._limited(states[:, :d] - states[:, d:])[0]

    def step(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """The next states (n, 2 d)."""
        now = states[:, : len(self.base.names)]
        return np.concatenate([self.base.step(now, self._moved(parameters, self.change(states))), now], axis=1)

    def tangent(self, states: np.ndarray, parameters: Parameters, by: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The next states (n, 2 d), their derivatives by states (n, 2 d, 2 d) and by the parameters named (n, 2 d, len(by))."""
        n, d = len(states), len(self.base.names)
        change, within = self._limited(states[:, :d] - states[:, d:])
        points, by_state, explicit = self.base.tangent(states[:, :d], self._moved(parameters, change), (self.parameter, *by))
        fed = explicit[:, :, :1] * (within[:, None] * self.gain)[:, None, :]
        slopes = np.zeros((n, 2 * d, 2 * d))
        slopes[:, :d, :d], slopes[:, :d, d:], slopes[:, d:, :d] = by_state - fed, fed, np.eye(d)
        by_parameter = np.concatenate([explicit[:, :, 1:], np.zeros((n, d, len(by)))], axis=1)
        return np.concatenate([points, states[:, :d]], axis=1), slopes, by_parameter


@dataclass(frozen=True)
class Held:
    """What became of orbits under control.

    Attributes
    ----------
    holds : ndarray of bool, shape (n,)
        Whether the last steps, `still` of them, move by no more than the tolerance.
    steps : ndarray of int, shape (n,)
        From when on that is so; -1 where it is not.
    states : ndarray, shape (n, d)
        Where they are at the end; NaN of what left all bounds.
    effort : ndarray, shape (n,)
        Change of the parameter there.
    """

    holds: np.ndarray
    steps: np.ndarray
    states: np.ndarray
    effort: np.ndarray


STILL = 100


def held(
    fed: Fed | Delayed | Continuous,
    starts: np.ndarray,
    parameters: Parameters,
    *,
    steps: int = 5000,
    still: int = STILL,
    tolerance: float = 1e-6,
) -> Held:
    """Follow orbits under control for `steps` steps from `starts` (n, d), and see whether they come to rest at a fixed point.

    Raises
    ------
    StudyError
        There are no more steps than those in which they have to rest.
    """
    if steps <= still:
        text = f"{steps} steps do not tell whether a control holds"
        raise StudyError(text, key="steps", value=steps, remedy=f"take {still + 1} or more")
    x, since = np.array(starts, float), np.zeros(len(starts), int)
    with np.errstate(all="ignore"):
        for k in range(steps):
            after = fed.step(x, parameters)
            moves = ~(np.abs(after - x).max(axis=1) <= tolerance * np.maximum(1.0, np.abs(x).max(axis=1)))
            since[moves] = k + 1
            x = after
        holds = (since <= steps - still) & np.isfinite(x).all(axis=1)
        return Held(holds, np.where(holds, since, -1), np.where(np.isfinite(x), x, np.nan), fed.change(x))
