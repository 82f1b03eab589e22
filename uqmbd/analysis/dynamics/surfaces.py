"""Where a motion meets a surface within a step: a stop, from which it leaves by a reset, or a section."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Place = Callable[[np.ndarray], np.ndarray]  # shares (n,) of a step to a function (n,) there

_BRACKETING = 60
_NEWTON = 3  # steps behind the bracketing: they bring the derivatives of the share, which complex steps carry
_DELTA = 1e-6  # share of a step by which the slope is found: it only steers


@dataclass(frozen=True, kw_only=True)
class Stop:
    """A surface that the motion does not pass: where `gap` comes to zero from above the state is reset.

    Parameters
    ----------
    gap : callable
        Called as the flow is, with each coordinate and parameter by name: positive where the motion is free.
    reset : callable
        The coordinates behind the impact, from those before it, as a flow returns its rates. They must leave the surface.

    Examples
    --------
    >>> import uqmbd as uq
    >>> floor = uq.Stop(gap=lambda y, v, e: y, reset=lambda y, v, e: (0.0 * y, -e * v))
    >>> floor.reset(y=0.0, v=-2.0, e=0.5)
    (0.0, 1.0)
    """

    gap: Callable[..., Any]
    reset: Callable[..., Any]


def crossed(value: Place, guide: Place, length: int, fresh: np.ndarray) -> np.ndarray:
    """Shares (length,) of a step at which a function that is positive at its beginning and negative at its end is zero.

    Parameters
    ----------
    value : callable
        Shares (n,) to the function (n,); complex numbers in it are derivatives, and go on into the shares.
    guide : callable
        The same without them.
    length : int
    fresh : ndarray of bool, shape (length,)
        Where the step begins on the surface, and the zero is the next one.

    Returns
    -------
    ndarray, shape (length,)
        NaN where the function is not positive at, or just behind, the beginning.
    """

    def over(share: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = guide(share)
            return np.where(fresh, found / share, found)  # without the zero at the beginning

    low, high = np.zeros(length), np.ones(length)
    at_low, at_high = over(np.where(fresh, _DELTA, 0.0)), over(high)
    side, share, begun, done = np.zeros(length), high, at_low > 0.0, np.zeros(length, bool)
    for _ in range(_BRACKETING):  # Illinois
        with np.errstate(divide="ignore", invalid="ignore"):
            straight = low + (high - low) * at_low / (at_low - at_high)
        last, share = share, np.where(done, share, np.where((straight > low) & (straight < high), straight, 0.5 * (low + high)))
        found = over(share)
        above = found > 0.0
        at_high = np.where(above & (side > 0), 0.5 * at_high, np.where(above, at_high, found))
        at_low = np.where(~above & (side < 0), 0.5 * at_low, np.where(above, found, at_low))
        low, high = np.where(above, share, low), np.where(above, high, share)
        side = np.where(above, 1.0, -1.0)
        done |= (np.abs(share - last) < 1e-6) | ~np.isfinite(found)
        if done.all():
            break
    slope = (guide(share + _DELTA) - guide(share - _DELTA)) / (2.0 * _DELTA)
    for _ in range(_NEWTON):
        share = share - value(share) / slope
    return np.where(begun, share, np.nan)
