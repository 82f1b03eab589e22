"""Statistics of an expansion in random and interval inputs: their bounds over the box of the intervals.

For fixed intervals an expansion in both is one in the random inputs, whose coefficients are polynomials of the intervals. So are its mean
and its variance, and their ranges can be verified. Quantiles and distribution functions have no such form: they are searched for with one
sample of the random inputs, common to all points of the box, so that the search sees a continuous function.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from uqmbd.analysis import chebyshev
from uqmbd.analysis.bernstein import bernstein_range
from uqmbd.analysis.chaos_expansion import Expansion, basis

MOST_NODES = 20_000  # of the tensor grid on which mean and variance are expanded
CORNERS = 6  # intervals up to which all corners are candidates
ROUNDS = 5  # of the search for quantiles, each with half the step of the one before
_MEMORY = 4_000_000  # numbers of one array held at a time


class Conditional:
    """An expansion seen as one in the random inputs, for each point of the intervals.

    Parameters
    ----------
    expansion : Expansion
    intervals : sequence of int
        Inputs that are intervals, with coordinates x in [-1, 1].
    u : ndarray, shape (n, d - len(intervals))
        Points of the unit cube: the sample of the random inputs.
    """

    def __init__(self, expansion: Expansion, intervals: Sequence[int], u: np.ndarray) -> None:
        self.intervals = list(intervals)
        others = [i for i in range(expansion.indices.shape[1]) if i not in self.intervals]
        rests, group = np.unique(expansion.indices[:, others], axis=0, return_inverse=True)
        self._gather = (np.arange(len(rests))[:, None] == np.ravel(group)).astype(float)
        self._families = [expansion.families[i] for i in self.intervals]
        self._indices = expansion.indices[:, self.intervals]
        self._c = expansion.c
        self._psi = basis([expansion.families[i] for i in others], rests, u)

    def sample(self, x: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Values of `columns` at the point `x` (intervals,) of the box: shape (columns, n)."""
        weights = basis(self._families, self._indices, (x[None] + 1) / 2)[0]
        return (self._gather @ (weights[:, None] * self._c[:, columns])).T @ self._psi.T

    def quantiles(self, x: np.ndarray, levels: Sequence[float], columns: np.ndarray) -> np.ndarray:
        """Quantiles at the point `x`: shape (levels, columns)."""
        out = np.empty((len(levels), len(columns)))
        step = max(1, _MEMORY // len(self._psi))
        for i in range(0, len(columns), step):
            at = slice(i, i + step)
            # of Sobol' points the i-th value stands for the probability (i + ½)/n: Hazen's rule
            out[:, at] = np.quantile(self.sample(x, columns[at]), levels, axis=1, overwrite_input=True, method="hazen")
        return out


def moment_bounds(expansion: Expansion, intervals: Sequence[int], gap: float = 1e-9) -> tuple[np.ndarray, np.ndarray, bool]:
    """Bounds of mean and variance over the box: 2 x (2, columns), and whether they are verified.

    Both are polynomials of the intervals; the variance has twice the degree. They are interpolated on a tensor grid, which is exact,
    and their Bernstein ranges are taken. Where the grid would have more than `MOST_NODES` nodes, a scan of candidates takes its place.

    Parameters
    ----------
    gap : float
        By how much an end may exceed the range, as a fraction of the spread of the values at the nodes.
    """
    degrees = [2 * int(k) for k in expansion.indices[:, list(intervals)].max(axis=0)]
    count = int(np.prod([degree + 1.0 for degree in degrees]))
    verified = count <= MOST_NODES
    x = np.array(list(product(*map(chebyshev.nodes, degrees)))) if verified else candidates(len(degrees), 4096)
    columns = expansion.c.shape[1]
    out, step = np.empty((2, 2, columns)), max(1, _MEMORY // len(x))
    for i in range(0, columns, step):
        at = slice(i, i + step)
        found = Expansion(expansion.indices, expansion.families, expansion.c[:, at]).conditional(intervals, (x + 1) / 2)
        for which, values in enumerate(found):
            seen = (values.min(axis=0), values.max(axis=0))
            out[which, :, at] = seen
            if verified:
                c = chebyshev.coefficients(values.reshape(*(degree + 1 for degree in degrees), -1), degrees)
                out[which, :, at] = bernstein_range(c, gap * (seen[1] - seen[0]), seen=seen)[0]
    return out[0], np.maximum(out[1], 0.0), verified


def candidates(d: int, count: int) -> np.ndarray:
    """Points of the box [-1, 1]^d: centre, corners (of up to `CORNERS` inputs), centres of faces, and at least `count` Sobol' points."""
    from scipy.stats import qmc

    faces = np.concatenate([np.eye(d), -np.eye(d)])
    corners = np.array(list(product((-1.0, 1.0), repeat=d))) if d <= CORNERS else np.array([np.full(d, -1.0), np.ones(d)])
    filling = -np.cos(np.pi * qmc.Sobol(d, scramble=False).random_base2(max(count - 1, 1).bit_length()))
    return np.unique(np.concatenate([np.zeros((1, d)), faces, corners, filling]), axis=0)


def quantile_bounds(
    expansion: Expansion, intervals: Sequence[int], levels: Sequence[float], u: np.ndarray, *, count: int = 16
) -> np.ndarray:
    """Least and greatest quantiles that were found over the box: shape (levels, 2, columns).

    Candidates first; from the best of each column a pattern search with halved steps. Not verified.

    Parameters
    ----------
    u : ndarray, shape (n, random inputs)
        Sample of the unit cube for the random inputs.
    count : int
        Candidates besides corners and faces.
    """
    split, all_columns = Conditional(expansion, intervals, u), np.arange(expansion.c.shape[1])
    points = candidates(len(intervals), count)
    first = np.stack([split.quantiles(x, levels, all_columns) for x in points])
    best = np.stack([first.min(axis=0), -first.max(axis=0)], axis=1)  # (levels, 2, columns), to be lowered
    place = points[np.stack([first.argmin(axis=0), first.argmax(axis=0)], axis=1)]  # (levels, 2, columns, intervals)
    active, step = np.ones(best.shape, bool), 0.5
    for _ in range(ROUNDS):
        moved = np.zeros(best.shape, bool)
        for x in np.unique(place[active], axis=0):
            columns = np.flatnonzero((active & (place == x).all(axis=-1)).any(axis=(0, 1)))
            for way in np.concatenate([np.eye(len(x)), -np.eye(len(x))]):
                trial = np.clip(x + step * way, -1, 1)
                if np.array_equal(trial, x):
                    continue
                values = split.quantiles(trial, levels, columns)
                for end, found in enumerate((values, -values)):
                    here = best[:, end, columns]
                    better = found < here - 1e-12 * np.abs(here)
                    best[:, end, columns] = np.where(better, found, here)
                    place[:, end, columns] = np.where(better[..., None], trial, place[:, end, columns])
                    moved[:, end, columns] |= better
        active = moved | (np.abs(place) < 1).any(axis=-1)  # a corner that its neighbours do not beat is done
        if not active.any():
            break
        step /= 2
    return best * np.array([[1.0], [-1.0]])


def box(
    expansion: Expansion, intervals: Sequence[int], u: np.ndarray, margin: float = 0.0, *, count: int = 256, rows: int = 201
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probability box of the only column: values, lower and upper distribution function there, (rows,) each.

    The envelope of the distribution functions at candidates of the box, moved outwards by `margin`. Not verified.
    """
    split = Conditional(expansion, intervals, u)
    sorted_ = [np.sort(split.sample(x, np.array([0]))[0]) for x in candidates(len(intervals), count)]
    ends = np.quantile(np.concatenate(sorted_), np.linspace(0, 1, rows))
    ends[[0, -1]] += [-margin, margin]
    lower, upper = np.ones(rows), np.zeros(rows)
    for sample in sorted_:
        lower = np.minimum(lower, np.searchsorted(sample, ends - margin, side="right") / len(sample))
        upper = np.maximum(upper, np.searchsorted(sample, ends + margin, side="right") / len(sample))
    return ends, lower, upper
