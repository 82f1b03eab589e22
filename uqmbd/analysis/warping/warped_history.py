"""Histories on a warped time line: runs are brought onto it, expanded there, and predictions are brought back to physical time.

A run's history is read at the physical times that belong to the nodes of a warped grid, on which the runs resemble each other; what is
expanded is the numbers of each run's time map and its scores on the principal components of the warped histories (Mai and Sudret,
SIAM/ASA J. Uncertain. Quantif. 5 (2017) 540). The time maps themselves are those of `time_warping` and `event_alignment`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Protocol

import numpy as np

from uqmbd.analysis.base import principal_components
from uqmbd.analysis.base.fitted import Fitted

OVERSAMPLING = 2  # nodes of the warped grid for each physical time, so that four of them interpolate well
MARGIN = 0.25  # of the spread of the runs' ends, by which the warped grid goes on beyond all of them
FEW, FEW_SHARE = 5, 0.05  # runs that must reach a node for the others to be completed from them
ENERGY, MOST_COMPONENTS = 1e-8, 16
_READ, _WRITE = 6, 4  # points of local polynomials through runs, and through warped histories
_MEMORY = 100_000  # numbers of one array held at a time, few enough for a cache
_PART = 8_000_000  # numbers of a part of the sampled values
_PREDICTORS, _WEAK = 16, 1e-4  # of linear prediction; relative size of what it does not use
_GROWTH = 1.02  # largest, of predicted histories from one stride to the next
_RIDGE = 1e-7  # of the completion, relative to the squares of the leading scores


class TimeMap(Protocol):
    """A family of monotone maps between physical and warped time, with some numbers for each run."""

    nodes: int

    def physical(self, numbers: np.ndarray) -> np.ndarray:
        """Physical time of every node, s, for the numbers (n, p) of n runs: shape (n, nodes)."""
        ...

    def position(self, numbers: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the physical times (m,) lie among the nodes, and the first and last node of their piece: 3 x (n, m), or scalars."""
        ...


def interpolate(values: np.ndarray, at: np.ndarray, first: np.ndarray | int, last: np.ndarray | int, *, points: int) -> np.ndarray:
    """Rows of `values` (n, m) at fractional columns `at` (n, k), by the polynomial through the nearest `points` columns: (n, k).

    Only columns from `first` to `last` ((n, k) or whole numbers) are used, so that nothing is smoothed across their ends; outside them the
    end value is kept. Where there are too few of them, neighbours beyond help out.
    """
    return _through(values, np.clip(at, first, last), first, last, min(points, values.shape[1]))


def _through(values: np.ndarray, at: np.ndarray, first: np.ndarray | int, last: np.ndarray | int, points: int) -> np.ndarray:
    """As `interpolate`, but going on beyond `first` and `last` with the polynomials at the ends."""
    highest = values.shape[1] - points
    start = np.floor(at).astype(np.int64) - (points // 2 - 1)
    start = np.maximum(np.minimum(start, np.subtract(last, points - 1)), first)
    start = np.minimum(np.maximum(start, 0), highest)
    z = at - start
    start += values.shape[1] * np.arange(len(values))[:, None]
    flat = np.ascontiguousarray(values).ravel()
    out = np.zeros(at.shape)
    factors = [z - j for j in range(points)]
    for j in range(points):
        weight = np.full(at.shape, 1 / prod(j - other for other in range(points) if other != j))
        for other in range(points):
            if other != j:
                weight *= factors[other]
        weight *= flat[start + j]
        out += weight
    return out


def reached(known: np.ndarray) -> slice:
    """From the first to the last column of `known` (n, m) that enough runs reach for the others to be completed; `ValueError` if none."""
    enough = np.flatnonzero(known.sum(axis=0) >= min(len(known), max(FEW, FEW_SHARE * len(known))))
    if not enough.size:
        raise ValueError("the time maps leave no warped time that enough runs reach")
    return slice(int(enough[0]), int(enough[-1]) + 1)


def complete(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """`values` (n, m) with the entries filled in that are not `known` (n, m): each from the same column of the other runs.

    A fast run ends later on the warped time line than a slow one. Where a run is missing, it is predicted by ridge regression of the runs
    that are there on the principal components of the columns that all have; the leading components count most. The run itself is never read
    there, as its physical time ends before; its entries keep the fit of the others from breaking off. Raises `ValueError` where fewer than
    half of the columns are known of some run.
    """
    share = known.mean(axis=1).min()
    if share < 0.5:
        raise ValueError(f"the time maps leave only {100 * share:.0f} % of the warped time line to some run")
    whole = known.all(axis=0)
    scores, _ = principal_components.scores(values[:, whole], energy=ENERGY, most=min(MOST_COMPONENTS, max(1, len(values) // 4)))
    out = values.copy()
    patterns, which = np.unique(known[:, ~whole], axis=1, return_inverse=True)
    columns = np.flatnonzero(~whole)
    for g, there in enumerate(patterns.T):
        at = columns[np.ravel(which) == g]
        if not there.any():
            out[:, at] = 0.0
            continue
        few = scores[:, : max(1, there.sum() // 2)]
        basis = np.column_stack([np.ones(there.sum()), few[there]])
        gram = basis.T @ basis
        gram[np.diag_indices_from(gram)] += _RIDGE * np.r_[0.0, np.full(few.shape[1], np.square(few).sum(axis=0).max() + 1e-300)]
        c = np.linalg.lstsq(gram, basis.T @ values[np.ix_(there, at)], rcond=None)[0]
        out[np.ix_(~there, at)] = c[0] + few[~there] @ c[1:]
    return out


def extend(values: np.ndarray, more: int, stride: int) -> np.ndarray:
    """`values` (n, m) with `more` columns at the end, by linear prediction: each from those 1, 2, ... 16 strides before it.

    The coefficients are those that predict the last columns of all rows best; oscillations, exponentials and polynomials obey them.
    Unseen runs may reach a little further on the warped time line than those that were fitted.
    """
    m = values.shape[1]
    stride = max(1, min(stride, m // (3 * _PREDICTORS)))
    count = min(_PREDICTORS, m // (3 * stride))
    back = stride * np.arange(1, count + 1)
    targets = np.arange(max(back[-1], m - 4 * back[-1]), m)
    basis = values[:, targets[:, None] - back].reshape(-1, count)
    # the shortest coefficients that predict well: others would amplify what is left of rounding and interpolation
    square, vectors = np.linalg.eigh(basis.T @ basis)
    strong = square > _WEAK**2 * max(square[-1], 1e-300)
    c = vectors[:, strong] @ ((vectors[:, strong].T @ (basis.T @ values[:, targets].ravel())) / square[strong])
    growth = np.abs(np.roots(np.r_[1.0, -c])).max(initial=0.0)
    if growth > _GROWTH:
        c *= (_GROWTH / growth) ** np.arange(1, count + 1)
    out = np.concatenate([values, np.empty((len(values), more))], axis=1)
    for j in range(m, m + more):
        out[:, j] = out[:, j - back] @ c
    return out


def read(time: np.ndarray, values: np.ndarray, at: np.ndarray, pieces: tuple[np.ndarray, np.ndarray] | None = None) -> np.ndarray:
    """Histories `values` (n, m) at the physical times `at` (n, k), s: shape (n, k); `time` (m,), s, has equal steps.

    `pieces` are start and end (n, k) of the smooth piece in which each time lies, s; samples beyond are not used.
    """
    step = (time[-1] - time[0]) / (len(time) - 1)
    x = (at - time[0]) / step
    first, last = (0, len(time) - 1)
    if pieces is not None:
        first = np.clip(np.ceil((pieces[0] - time[0]) / step - 1e-9), 0, last).astype(int)
        last = np.clip(np.floor((pieces[1] - time[0]) / step + 1e-9), 0, last).astype(int)
        few = last - first < _WRITE - 1
        first, last = np.where(few, 0, first), np.where(few, len(time) - 1, last)
        # on by at most one step beyond the piece, to the event at its end
        return _through(values, np.clip(x, first - 1, last + 1), first, last, _WRITE)
    return interpolate(values, x, first, last, points=_READ)


@dataclass(frozen=True, eq=False)
class Components:
    """Warped histories as a mean and a few components."""

    mean: np.ndarray  # (nodes,)
    vectors: np.ndarray  # (components, nodes)
    scores: np.ndarray  # (n, components): of the runs they were made of
    left_out: float  # share of the variance that they leave out


def components(warped: np.ndarray) -> Components:
    """Principal components of the warped histories (n, nodes)."""
    mean = warped.mean(axis=0)
    scores, left_out = principal_components.scores(warped, energy=ENERGY, most=MOST_COMPONENTS)
    squares = np.square(scores).sum(axis=0)
    scores = scores[:, squares > 1e-24 * max(squares.max(), 1e-300)]
    vectors = scores.T @ (warped - mean) / np.maximum(np.square(scores).sum(axis=0), 1e-300)[:, None]
    return Components(mean, vectors, scores, left_out)


def limits_of(numbers: np.ndarray) -> np.ndarray:
    """The range of the numbers (n, columns) of runs, three times as wide: (2, columns). A prediction beyond is none, and may overflow."""
    low, high = numbers.min(axis=0), numbers.max(axis=0)
    return np.stack([low - (high - low), high + (high - low)])


@dataclass(frozen=True, eq=False)
class WarpedHistory:
    """A surrogate of one history."""

    time: np.ndarray  # (m,), s
    map: TimeMap
    count: int  # how many of the numbers belong to the map; the others are scores
    numbers: Fitted  # surrogate of the map's numbers and the scores, in this order
    parts: Components
    limits: np.ndarray  # (2, numbers): between which predicted numbers are kept, see `limits_of`

    def evaluate(self, u: np.ndarray, at: slice | np.ndarray | None = None) -> np.ndarray:
        """Values at points `u` (n, d) of the unit cube and the times ``time[at]``: shape (n, times)."""
        time = self.time if at is None else self.time[at]
        numbers = np.clip(self.numbers.evaluate(u), *self.limits)
        out = np.empty((len(u), len(time)))
        rows = max(1, _MEMORY // max(self.map.nodes, len(time)))
        for i in range(0, len(u), rows):
            some = numbers[i : i + rows]
            x, first, last = self.map.position(some[:, : self.count], time)
            # only the nodes in reach of these times
            low, high = max(int(x.min()) - _WRITE, 0), min(int(x.max()) + _WRITE + 1, self.map.nodes)
            low, high = max(min(low, high - _WRITE), 0), min(max(high, low + _WRITE), self.map.nodes)
            warped = self.parts.mean[low:high] + some[:, self.count :] @ self.parts.vectors[:, low:high]
            ends = np.clip(np.subtract(first, low), 0, high - low - 1), np.clip(np.subtract(last, low), 0, high - low - 1)
            out[i : i + rows] = interpolate(warped, x - low, *ends, points=_WRITE)
        return out

    def sampled(self, u: np.ndarray, at: Sequence[int] | np.ndarray) -> Iterator[np.ndarray]:
        """Values at the points `u`, a part of the times `at` (indices) at a time: (part, n)."""
        at = np.asarray(at, int)
        part = max(1, _PART // len(u))
        for start in range(0, len(at), part):
            yield np.ascontiguousarray(self.evaluate(u, at[start : start + part]).T)
