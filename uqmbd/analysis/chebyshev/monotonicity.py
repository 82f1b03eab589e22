"""In which inputs a surrogate is monotonic over the whole cube, and where its extremes then are."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.base.fitted import Fitted

_GAP = 0.02  # of the derivative's range, relative to its value at the centre
_PROBES = 256
_ROWS = 64  # numbers a column that are worked on at once where no probes are taken


def signs(expansion: Fitted, error: np.ndarray, d: int, *, closely: bool = True) -> np.ndarray:
    """Sign (d, columns) of the derivative in each input, 1 rising or -1 falling, where the surrogate proves one, else 0.

    The derivative's range over the cube is an enclosure. One sign counts only if the derivative, per half width of the input, exceeds the
    surrogate's validated `error` (columns,) everywhere: what the surrogate does not resolve proves nothing, nor one whose ranges are not
    verified. The true response has no such proof; runs at the corners can contradict it. Where the sum of the absolute coefficients does
    not decide, the verified range is taken if `closely`, which takes as long as the bounds.
    """
    columns = len(error)
    proven = np.zeros((d, columns), np.int8)
    if not expansion.verified:
        return proven
    probes = np.random.default_rng(0).uniform(-1, 1, (_PROBES, d))
    for axis in range(d):

        def at_once(at: slice, axis: int = axis) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            derivative = expansion.part(at).derivative(axis)
            bounds, _ = derivative.range("cosine", error[at])
            sign = (bounds[0] > error[at]).astype(np.int8) - (bounds[1] < -error[at])
            if not closely:
                return sign, np.zeros(len(sign)), np.zeros(len(sign))
            values = derivative.evaluate(probes)
            least, most = values.min(axis=0), values.max(axis=0)
            return sign, np.where(most < 0, -most, least), np.maximum(np.abs(least), np.abs(most))

        proven[axis], least, largest = by_blocks(at_once, columns, _PROBES if closely else _ROWS)
        left = np.flatnonzero((proven[axis] == 0) & (least > error)) if closely else np.zeros(0, int)
        if left.size:
            derivative = expansion.select(left).derivative(axis).select(np.arange(left.size))
            bounds, _ = derivative.range("bernstein", _GAP * largest[left])
            proven[axis, left] = (bounds[0] > error[left]).astype(int) - (bounds[1] < -error[left])
    return proven


def extreme_corners(signs: np.ndarray) -> np.ndarray:
    """Corners (n, d) at which columns that are monotonic in every input have their extremes; those of the most columns come first."""
    whole = signs[:, np.all(signs != 0, axis=0)].T
    if not len(whole):
        return np.empty((0, len(signs)))
    both = np.concatenate([whole, -whole])
    corners, counts = np.unique(both, axis=0, return_counts=True)
    return corners[np.argsort(-counts, kind="stable")].astype(float)
