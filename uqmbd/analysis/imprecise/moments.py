"""Mean and variance of an expansion in random and interval inputs: their bounds over regions of the intervals.

For fixed intervals an expansion in both is one in the random inputs, whose coefficients are polynomials of the intervals. So are its mean
and its variance. They are expanded once, on the box of all intervals; every region has these polynomials in its own coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from uqmbd.analysis.base.design import sobol_sequence
from uqmbd.analysis.chaos.expansion import Expansion
from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.bernstein import bernstein_range
from uqmbd.analysis.chebyshev.expansions import TensorExpansion
from uqmbd.analysis.sets.alpha_cuts import nested
from uqmbd.analysis.sets.regions import Region
from uqmbd.analysis.sets.set_bounds import extremes_of

MOST_NODES = 20_000  # of the tensor grid on which mean and variance are expanded
SCANNED = 4096  # points in place of more
GAP = 1e-9  # by which an end may exceed the range
_STARTS = 1024  # points of a set among which searches begin
_MEMORY = 4_000_000  # numbers of one array held at a time


@dataclass(frozen=True, eq=False)
class MomentBounds:
    """Bounds of every column in every region."""

    mean: np.ndarray  # (regions, 2, columns)
    variance: np.ndarray  # (regions, 2, columns)
    verified: bool  # whether they are verified ranges; over sets they are searched for, in verified ranges over the boxes
    exact: float = 1.0  # share of those searches that have a closed form; 1 without sets
    # width of the mean's bounds over the first region over that of its box, averaged; None where there is no set or no verified range
    narrower: float | None = None


def moment_bounds(expansion: Expansion, intervals: Sequence[int], regions: Sequence[Region]) -> MomentBounds:
    """Bounds of mean and variance over `regions`, each inside the one before, of inputs `intervals` with coordinates x in [-1, 1].

    The mean has the degrees of the expansion, the variance twice these. They are interpolated on a tensor grid, which is exact, and their
    Bernstein ranges are taken, to `GAP` of the spread of the values at the nodes. Where the grid would have more than
    `MOST_NODES` nodes, a scan of candidates takes its place.
    """
    degrees = [int(k) for k in expansion.indices[:, list(intervals)].max(axis=0)]
    doubled = [2 * degree for degree in degrees]
    if np.prod([degree + 1.0 for degree in doubled]) > MOST_NODES:
        return _scanned(expansion, intervals, regions)
    x = np.array(list(product(*map(chebyshev.nodes, doubled))))
    columns, bound = expansion.c.shape[1], regions[0].bound
    out, boxes = np.empty((2, len(regions), 2, columns)), np.empty((2, len(regions), 2, columns))
    exact = np.ones((2, len(regions), columns), bool)
    step = max(1, _MEMORY // len(x))
    u = sobol_sequence(_STARTS, len(degrees)) + 0.5 / _STARTS if bound else None
    for i in range(0, columns, step):
        at = slice(i, i + step)
        moments = Expansion(expansion.indices, expansion.families, expansion.c[:, at]).conditional(intervals, (x + 1) / 2)
        for which, (values, kept) in enumerate(zip(moments, (degrees, doubled), strict=True)):
            c = chebyshev.coefficients(values.reshape(*(degree + 1 for degree in doubled), -1), doubled)
            c = c[tuple(slice(degree + 1) for degree in kept)]
            slack = GAP * np.ptp(values, axis=0)
            for k, region in enumerate(regions):
                part = TensorExpansion(c).restricted(region.box).c[tuple(slice(None if wide else 1) for wide in region.wide)]
                boxes[which, k, :, at] = bernstein_range(part, slack)[0]
                if u is not None:
                    ends, _, exact[which, k, at] = extremes_of(TensorExpansion(part), region.body, u)
                    out[which, k, :, at] = np.clip(ends, *boxes[which, k, :, at])
    if not bound:
        return MomentBounds(nested(boxes[0]), np.maximum(nested(boxes[1]), 0.0), verified=True)
    out = np.stack([grown(values) for values in out])
    wide = np.ptp(boxes[0, 0], axis=0)
    shares = np.divide(np.ptp(out[0, 0], axis=0), wide, out=np.ones_like(wide), where=wide > 1e-12 * np.abs(boxes[0, 0]).max(axis=0))
    return MomentBounds(out[0], np.maximum(out[1], 0.0), verified=False, exact=float(exact.mean()), narrower=float(shares.mean()))


def _scanned(expansion: Expansion, intervals: Sequence[int], regions: Sequence[Region]) -> MomentBounds:
    """Bounds that candidates reach."""
    columns = expansion.c.shape[1]
    out = np.empty((2, len(regions), 2, columns))
    for k, region in enumerate(regions):
        u = (region.points(region.candidates(SCANNED)) + 1) / 2
        step = max(1, _MEMORY // len(u))
        for i in range(0, columns, step):
            at = slice(i, i + step)
            moments = Expansion(expansion.indices, expansion.families, expansion.c[:, at]).conditional(intervals, u)
            for which, values in enumerate(moments):
                out[which, k, :, at] = values.min(axis=0), values.max(axis=0)
    closed = 0.0 if regions[0].bound else 1.0
    return MomentBounds(grown(out[0]), np.maximum(grown(out[1]), 0.0), verified=False, exact=closed)


def grown(bounds: np.ndarray) -> np.ndarray:
    """Bounds (regions, 2, ...) of values that are taken: each region has what those after it reach, which are inside it."""
    out = bounds.copy()
    out[:, 0] = np.minimum.accumulate(bounds[::-1, 0], axis=0)[::-1]
    out[:, 1] = np.maximum.accumulate(bounds[::-1, 1], axis=0)[::-1]
    return out
