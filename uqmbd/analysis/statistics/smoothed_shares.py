"""Shares by levels with indicators that rise over a width: their differences between levels are small where values are close.

Giles, Nagapetyan, Ritter, Multilevel Monte Carlo approximation of distribution functions and densities, SIAM/ASA J. Uncertainty
Quantification 3 (2015) 267.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WIDTHS = 2.0 ** (-np.arange(15) / 2)  # that are tried, of the deviation of the values
ASIDE = np.linspace(-1.0, 1.0, 9)  # places at which a width is judged, of the width
SHARE = 0.1  # of the error that is asked for, which smoothing may add
NOISE = 2.0  # deviations within which what it adds may be nothing
FEWEST = 10  # pairs that differ, below which their variance says little


class Smoothing(NamedTuple):
    """Width over which an indicator rises, zero where none is narrow enough, and what it may add to the share."""

    width: float
    off: float


def rise(place: np.ndarray) -> np.ndarray:
    """From 0 at -1 to 1 at 1, the integral of a kernel of the fourth order; same shape.

    Where a density has three derivatives, its mean at (x - X) / w is off the share at most x by w^4 / 504 times the third.
    """
    s = np.clip(place, -1.0, 1.0)
    return 0.5 + 15.0 / 32.0 * s * (3.0 + s**2 * (-10.0 / 3.0 + 1.4 * s**2))


def smoothing(values: np.ndarray, place: float, wanted: float) -> Smoothing:
    """The largest width that changes the share of `values` (n,) at most `place` by nothing that scatter does not explain, or by little.

    What it changes is the largest of all places within the width, so that it is not small by chance of the place. Of an output that jumps
    there, or whose density does, the change is seen and no width is taken.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Of the coarsest level.
    place : float
    wanted : float
        Error of the share that is asked for; zero where none is.
    """
    spread = float(values.std())
    for width in spread * WIDTHS if spread > 0 else ():
        places = place + width * ASIDE
        change = np.stack([rise((at - values) / width) - (values <= at) for at in places])
        off, noise = np.abs(change.mean(axis=1)).max(), change.std(axis=1).max() / np.sqrt(len(values))
        if np.count_nonzero(change[len(ASIDE) // 2]) >= FEWEST and off <= max(SHARE * wanted, NOISE * noise):
            return Smoothing(float(width), float(off))
    return Smoothing(0.0, 0.0)


def smoothed(pair: tuple[np.ndarray, np.ndarray], place: float, width: float) -> tuple[float, float, float] | None:
    """Mean, variance of one pair and skewness of what smoothed shares at most `place` of two levels, (n,) each, differ by.

    None where few pairs differ.
    """
    fine, coarse = pair
    difference = rise((place - fine) / width) - rise((place - coarse) / width)
    if np.count_nonzero(difference) < FEWEST:
        return None
    mean, variance = difference.mean(), difference.var(ddof=1)
    return float(mean), float(variance), float(((difference - mean) ** 3).mean() / variance**1.5)
