"""Least and greatest values so far of many columns at once, where they were reached, and the few next to them."""

from __future__ import annotations

import numpy as np

HALF = 2  # of the runs kept
BLOCK = 256  # columns looked at together: as many as stay in the cache
ENOUGH = 20  # runs whose ends are taken for a range: on average they miss 2/(n + 1) of the probability
SIGNS = (-1.0, 1.0)  # of the two sides: what is sought is the greatest of sign times value


class Extremes:
    """The best few runs of every column on either side, `keep` of each, of runs that come batch by batch.

    `values` (2, columns, keep) are sign times value, the best first, -inf where there are fewer runs; `runs` (2, columns, keep) their
    numbers, -1 where there are fewer.
    """

    def __init__(self, columns: int, keep: int) -> None:
        self.values = np.full((2, columns, keep), -np.inf)
        self.runs = np.full((2, columns, keep), -1)

    @property
    def bounds(self) -> np.ndarray:
        """Least and greatest values, (2, columns)."""
        return self.values[..., 0] * np.array(SIGNS)[:, None]

    @property
    def places(self) -> np.ndarray:
        """Number of the run that reached each of them, (2, columns)."""
        return self.runs[..., 0]

    def part(self, columns: slice) -> Extremes:
        """The extremes of some columns; what a part takes is taken here."""
        part = object.__new__(Extremes)
        part.values, part.runs = self.values[:, columns], self.runs[:, columns]
        return part

    def resolution(self) -> np.ndarray:
        """By how much the last of the better half of those kept stays short of the best, (2, columns); 0 where there are fewer.

        At an end that no run can reach, such as a kink or the limit at a jump, the true extreme lies about so much beyond the best.
        """
        with np.errstate(invalid="ignore"):
            distance = self.values[..., 0] - self.values[..., self.values.shape[2] // HALF]
        return np.where(np.isfinite(distance), distance, 0.0)

    def take(self, values: np.ndarray, numbers: np.ndarray) -> None:
        """Runs of these ascending `numbers` with values (runs, columns); NaN counts for nothing, of equal values the earlier run stays."""
        for side, sign in enumerate(SIGNS):
            self._merge(side, sign, values, numbers)

    def _merge(self, side: int, sign: float, values: np.ndarray, numbers: np.ndarray) -> None:
        kept, runs = self.values[side], self.runs[side]
        keep, least = kept.shape[1], kept[:, -1].copy()
        if len(values) > keep and np.isneginf(least).any():  # the first runs: most are none of the best few
            better = np.empty(values.shape, bool)
            for begin in range(0, values.shape[1], BLOCK):
                part = slice(begin, begin + BLOCK)
                known = sign * values[:, part]
                known[np.isnan(known)] = -np.inf
                better[:, part] = (known >= np.partition(known, -keep, axis=0)[-keep]) & (known > least[part])
        else:  # a pass over all values is most of the work
            better = values > least if sign > 0 else values < -least
        at = np.flatnonzero(better)
        if not at.size:
            return
        row, column = np.divmod(at, values.shape[1])
        signed, numbers = sign * values[row, column], numbers[row]
        small = column.astype(np.uint16) if values.shape[1] <= 2**16 else column  # is sorted much faster
        order, rank, most = _by_column(small)
        if most > keep:  # only the best of them, of equal values the earlier run
            order = np.lexsort((-signed, column))
            order, most = order[rank < keep], keep
            rank = rank[rank < keep]
        column, signed, numbers = column[order], signed[order], numbers[order]
        line = np.cumsum(rank == 0) - 1
        who = column[rank == 0]
        both, names = np.full((len(who), keep + most), np.inf), np.full((len(who), keep + most), -1)
        both[:, :keep], names[:, :keep] = -kept[who], runs[who]
        both[line, keep + rank], names[line, keep + rank] = -signed, numbers
        best = both.argsort(axis=1, kind="stable")[:, :keep]  # of equal values the earlier run
        line = np.arange(len(who))[:, None]
        kept[who], runs[who] = -both[line, best], names[line, best]


def _by_column(column: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """An order by column that leaves the runs of a column in theirs; which of its column's each is, in this order; the most of a column."""
    order = np.argsort(column, kind="stable")
    sort = column[order]
    begin = np.flatnonzero(np.concatenate([[True], sort[1:] != sort[:-1]]))
    count = np.diff(np.append(begin, len(sort)))
    return order, np.arange(len(sort)) - np.repeat(begin, count), int(count.max())


def ends(values: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """Least and greatest value of each column over the runs in a region, (2, columns).

    Of `values` (runs, columns) whose `distance` (runs,) from the region is 0 inside. Where fewer than `ENOUGH` runs are inside, the region
    is widened until so many are: all count that are no farther than the last of them. So a range never rests on a few runs.
    """
    reach = np.partition(distance, ENOUGH - 1)[ENOUGH - 1] if len(distance) >= ENOUGH else np.inf
    some = values[distance <= reach]
    return np.stack([some.min(axis=0), some.max(axis=0)])


def distance_from(points: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Largest coordinate by which points (n, d) lie outside a box (d, 2), (n,); 0 inside."""
    outside = np.maximum(box[:, 0] - points, points - box[:, 1]).max(axis=1)
    return np.where(outside > 1e-9, outside, 0.0)
