"""Alignment of histories by events: a piecewise-linear time map brings the k-th event of every run to the same warped time.

Impacts leave kinks and jumps at times that differ from run to run, and a fit at one physical time mixes what was before with what was
after. Between two events every run is smooth, and on the warped time line the k-th piece of one run is compared with the k-th of others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.warping.warped_history import MARGIN, OVERSAMPLING, complete, extend, reached, read

SIDE = 4  # samples on either side of a kink that decide whether it is one
_ROUGH = 4.0  # times the third differences beside it, a smooth history stays below one of them
_LEAST = 0.02  # of the steepest step of the history: kinks below are not events
_FEWEST = 8  # nodes of a piece
_SAMPLES = 4  # that a last piece must have


def crossings(time: np.ndarray, values: np.ndarray, level: float = 0.0) -> np.ndarray:
    """Times at which each row of `values` (n, m) crosses `level`, upwards or downwards, s: (n, most), NaN where a run has fewer.

    The crossing is that of the cubic through the four samples about it.
    """
    y = values - level
    above = y >= 0
    row, i = np.nonzero(above[:, 1:] != above[:, :-1])
    start = np.clip(i - 1, 0, y.shape[1] - 4)
    near = y[row[:, None], start[:, None] + np.arange(4)]
    low, high = (i - start).astype(float), (i - start + 1).astype(float)
    rising = above[row, i + 1]
    for _ in range(50):
        middle = (low + high) / 2
        after = (_cubic(near, middle) >= 0) == rising
        low, high = np.where(after, low, middle), np.where(after, middle, high)
    return _table(time, row, start + (low + high) / 2, len(values))


def kinks(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Times of kinks and jumps of each row of `values` (n, m), s: (n, most), NaN where a run has fewer.

    In each step the parabolas through the three samples before and after it are compared. In a smooth history they differ by less
    than the third differences beside them. A kink lies where the two parabolas meet; a jump is found to within a step. Kinks that are
    fewer than `SIDE` samples apart from each other or the ends are not told apart.
    """
    n, m = values.shape
    if m < 2 * SIDE:
        return np.full((n, 0), np.nan)
    windows = np.lib.stride_tricks.sliding_window_view(values, 2 * SIDE, axis=1)  # the step in question is the one in the middle
    left = _parabola(windows[..., SIDE - 3 : SIDE], np.array([-2.0, -1.0, 0.0]))
    right = _parabola(windows[..., SIDE : SIDE + 3], np.array([1.0, 2.0, 3.0]))
    apart = left - right  # (n, steps, 3), coefficients of 1, z, z², z from 0 to 1 in the step
    third = np.array([-1.0, 3.0, -3.0, 1.0])
    rough = np.abs(windows[..., :SIDE] @ third) + np.abs(windows[..., SIDE:] @ third)
    size = np.abs(apart @ [0.0, 1.0, 1.0]) + np.abs(apart @ [1.0, 0.5, 0.25])
    steepest = np.abs(np.diff(values, axis=1)).max(axis=1, keepdims=True)
    flagged = (size > _ROUGH * rough) & (size > _LEAST * steepest) & (size > 1e-9 * np.abs(values).max(axis=1, keepdims=True))
    row, step = np.nonzero(flagged)
    if not row.size:
        return np.full((n, 0), np.nan)
    # neighbours see the same kink in their parabolas; the step that has it is the one between the smoothest sides
    new = np.r_[True, (np.diff(row) != 0) | (np.diff(step) >= SIDE)]
    group = np.cumsum(new) - 1
    order = np.lexsort([rough[row, step], group])
    first = order[np.r_[True, np.diff(group[order]) != 0]]
    row, step = row[first], step[first]
    return _table(time, row, step + SIDE - 1 + _meeting(apart[row, step]), n)


def _parabola(three: np.ndarray, z: np.ndarray) -> np.ndarray:
    return three @ np.linalg.inv(np.vander(z, 3, increasing=True)).T


def _meeting(apart: np.ndarray) -> np.ndarray:
    """Where in the step the two parabolas meet, one half if they do not."""
    c, b, a = apart.T
    root = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
    q = -(b + np.where(b >= 0, root, -root)) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        both = np.stack([c / q, q / a])
    inside = (both > -0.05) & (both < 1.05) & (b * b >= 4 * a * c)
    return np.clip(np.where(inside[0], both[0], np.where(inside[1], both[1], 0.5)), 0, 1)


def _cubic(near: np.ndarray, z: np.ndarray) -> np.ndarray:
    weights = [-(z - 1) * (z - 2) * (z - 3) / 6, z * (z - 2) * (z - 3) / 2, -z * (z - 1) * (z - 3) / 2, z * (z - 1) * (z - 2) / 6]
    return sum((weight * near[:, j] for j, weight in enumerate(weights)), np.zeros(len(near)))


def _table(time: np.ndarray, row: np.ndarray, at: np.ndarray, n: int) -> np.ndarray:
    """Events at fractional columns `at` as a table, ascending in each row."""
    order = np.lexsort([at, row])
    row, at = row[order], at[order]
    counts = np.bincount(row, minlength=n)
    out = np.full((n, counts.max(initial=0)), np.nan)
    out[row, np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)] = np.interp(at, np.arange(len(time)), time)
    return out


@dataclass(frozen=True, eq=False)
class Common:
    """Events that all runs have."""

    events: np.ndarray  # (n, count), s
    ends: np.ndarray  # (n,): time of the first event of each run beyond these, s; infinite if there is none
    differ: float  # time from which the numbers of events differ, s; infinite if they do not


def common(events: np.ndarray) -> Common:
    """The first events of all runs, as many as the run with the fewest has; `events` (n, most), NaN where there are no more.

    Raises `ValueError` where some run has no event; the message says how many.
    """
    counts = np.isfinite(events).sum(axis=1)
    if events.shape[1] == 0 or counts.min() == 0:
        none = np.count_nonzero(counts == 0) if events.shape[1] else len(events)
        raise ValueError(f"{none} of {len(events)} runs have no event, so the runs cannot be aligned by events")
    count = int(counts.min())
    ends = np.where(np.isfinite(events[:, count]), events[:, count], np.inf) if events.shape[1] > count else np.full(len(events), np.inf)
    return Common(events[:, :count], ends, float(ends.min()))


@dataclass(frozen=True, eq=False)
class EventMap:
    """Pieces between events, each with nodes of equal steps from one event to the next; the last is in seconds after the last event.

    The numbers of a run are the logarithms of its intervals, so that any prediction of them is in order.
    """

    origin: float  # start of the first piece, s
    sizes: tuple[int, ...]  # nodes of the pieces but the last
    step: float  # of the last piece, s
    tail: int  # nodes of the last piece

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return sum(self.sizes) + self.tail

    def events(self, numbers: np.ndarray) -> np.ndarray:
        """Event times (n, count) of the numbers (n, count), s."""
        return self.origin + np.cumsum(np.exp(numbers), axis=1)

    def numbers(self, events: np.ndarray) -> np.ndarray:
        """Numbers (n, count) of event times (n, count), s."""
        return np.log(np.diff(events, axis=1, prepend=self.origin))

    def physical(self, numbers: np.ndarray) -> np.ndarray:
        """See `TimeMap`."""
        knots = np.column_stack([np.full(len(numbers), self.origin), self.events(numbers)])
        parts = [
            knots[:, j : j + 1] + np.linspace(0, 1, size) * (knots[:, j + 1 : j + 2] - knots[:, j : j + 1])
            for j, size in enumerate(self.sizes)
        ]
        return np.concatenate([*parts, knots[:, -1:] + self.step * np.arange(self.tail)], axis=1)

    def position(self, numbers: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See `TimeMap`."""
        events = self.events(numbers)
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        lasts = np.append(starts[1:], self.nodes) - 1
        piece = np.zeros((len(numbers), len(time)), int)
        for event in events.T:
            piece += time >= event[:, None]
        knots = np.column_stack([np.full(len(numbers), self.origin), events])
        lengths = np.column_stack([np.diff(knots, axis=1), np.full(len(numbers), self.step)])
        per = np.append(np.array(self.sizes) - 1.0, 1.0)[piece] / np.take_along_axis(lengths, piece, axis=1)
        first = starts[piece]
        return first + (time - np.take_along_axis(knots, piece, axis=1)) * per, first, lasts[piece]


def warp(time: np.ndarray, values: np.ndarray, shared: Common) -> tuple[EventMap, np.ndarray, np.ndarray]:
    """Map, its numbers (n, count), and the histories (n, m) on the warped grid (n, nodes).

    Nothing is read beyond a run's own next event; where the last piece of another run is longer it is completed.
    """
    step = (time[-1] - time[0]) / (len(time) - 1) / OVERSAMPLING
    if np.any(np.diff(shared.events, axis=1, prepend=time[0]) <= 0):
        raise ValueError("two events of a run are at the same time")
    ends = np.minimum(shared.ends, time[-1])
    lengths = np.median(np.diff(shared.events, axis=1, prepend=time[0]), axis=0)
    sizes = tuple(max(_FEWEST, int(np.ceil(length / step)) + 1) for length in lengths)
    lasts = np.maximum(ends - shared.events[:, -1], 0.0)
    tail = max(_FEWEST, int(np.ceil(lasts.max() / step)) + 1)
    grid = EventMap(float(time[0]), sizes, step, tail)
    numbers = grid.numbers(shared.events)
    at = grid.physical(numbers)
    knots = np.column_stack([np.full(len(values), time[0]), shared.events, ends])
    piece = np.repeat(np.arange(len(sizes) + 1), [*sizes, tail])
    warped = read(time, values, at, (knots[:, piece], knots[:, piece + 1]))
    # a last piece with too few samples for its polynomials is unknown
    enough = lasts >= _SAMPLES * (time[-1] - time[0]) / (len(time) - 1)
    known = (piece < len(sizes)) | ((at <= ends[:, None] + 1e-9 * step) & enough[:, None])
    stop = sum(sizes) + reached(known[:, sum(sizes) :]).stop
    warped = complete(warped[:, :stop], known[:, :stop])
    more = grid.nodes - stop + int(np.ceil(MARGIN * np.ptp(lasts) / step)) + 1
    last = extend(warped[:, sum(sizes) :], more, tail)
    return EventMap(float(time[0]), sizes, step, last.shape[1]), numbers, np.hstack([warped[:, : sum(sizes)], last])
