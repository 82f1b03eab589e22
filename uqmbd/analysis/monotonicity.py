"""In which inputs a surrogate is monotonic over the whole cube, and where its extremes then are."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.chebyshev_expansions import Expansion

_GAP = 0.02  # of the derivative's range, relative to its value at the centre
_PROBES = 256


def signs(expansion: Expansion, error: np.ndarray, d: int, *, closely: bool = True) -> np.ndarray:
    """Sign of the derivative in each input where the surrogate proves one, else 0.

    The derivative's range over the cube is an enclosure. One sign counts only if the derivative, per half width of the input, exceeds the
    surrogate's validated error everywhere: what the surrogate does not resolve proves nothing. The true response has no such proof;
    runs at the corners can contradict it.

    Parameters
    ----------
    expansion : Expansion
    error : ndarray, shape (columns,)
        Validated error, unit of the columns.
    closely : bool
        Whether to take the verified range where the sum of the absolute coefficients does not decide. It takes as long as the bounds.

    Returns
    -------
    ndarray of int, shape (d, columns)
        1 rising, -1 falling.
    """
    found = np.zeros((d, len(error)), int)
    probes = np.random.default_rng(0).uniform(-1, 1, (_PROBES, d))
    for axis in range(d):
        derivative = expansion.derivative(axis)
        bounds, _ = derivative.range("cosine", error)
        found[axis] = (bounds[0] > error).astype(int) - (bounds[1] < -error)
        if not closely:
            continue
        values = derivative.evaluate(probes)
        least = np.where(values.max(axis=0) < 0, -values.max(axis=0), values.min(axis=0))
        left = np.flatnonzero((found[axis] == 0) & (least > error))
        if left.size:
            bounds, _ = derivative.select(left).range("bernstein", _GAP * np.abs(values[:, left]).max(axis=0))
            found[axis, left] = (bounds[0] > error[left]).astype(int) - (bounds[1] < -error[left])
    return found


def extreme_corners(signs: np.ndarray) -> np.ndarray:
    """Corners (n, d) at which columns that are monotonic in every input have their extremes; those of the most columns come first."""
    whole = signs[:, np.all(signs != 0, axis=0)].T
    if not len(whole):
        return np.empty((0, len(signs)))
    both = np.concatenate([whole, -whole])
    corners, counts = np.unique(both, axis=0, return_counts=True)
    return corners[np.argsort(-counts, kind="stable")].astype(float)
