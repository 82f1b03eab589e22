"""Stochastic time warping: the polynomial time map of each run under which it resembles a reference history.

``tau = phi + k t (+ q t²)``, after Mai and Sudret, SIAM/ASA J. Uncertain. Quantif. 5 (2017) 540. Runs of an oscillator with uncertain
frequency drift apart in phase until a fit at one time sees nothing but noise; at one warped time they differ by little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.base.threads import one_thread
from uqmbd.analysis.warping.warped_history import MARGIN, OVERSAMPLING, complete, extend, reached, read

FIRST_WINDOW = 3  # periods of the reference that are matched first, by trying; each further window is twice as long
SHIFTS = 12  # of a period, that are tried
RATIOS = np.geomspace(0.6, 1 / 0.6, 19)  # of the time scales that are tried; neighbours differ by a sixth of a period in the first window
STRIDES = 12  # in a period, of linear prediction beyond the ends
_PER_PERIOD = 32  # points with which histories are compared
_STEPS = 12  # of Gauss and Newton in each window
_PREFER = 0.02  # of the similarity, for each period of shift: the smallest of equal shifts is meant


def period(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Period of the strongest oscillation of each row (n, m), s: (n,); the whole time where there are no two periods.

    The largest peak of the spectrum under a Hann window, its place refined by a parabola through the logarithms.
    """
    n, m = values.shape
    whole = time[-1] - time[0]
    spectrum = np.abs(np.fft.rfft((values - values.mean(axis=1, keepdims=True)) * np.hanning(m), 4 * m, axis=1))
    frequency = np.fft.rfftfreq(4 * m, whole / (m - 1))
    i = np.clip(spectrum.argmax(axis=1), 1, spectrum.shape[1] - 2)
    near = np.log(np.stack([spectrum[np.arange(n), i + j] for j in (-1, 0, 1)]) + 1e-300)
    bend = near[0] - 2 * near[1] + near[2]
    shift = np.clip(np.divide(near[0] - near[2], 2 * bend, out=np.zeros(n), where=bend < 0), -1, 1)
    periods = 1 / (frequency[i] + shift * frequency[1])
    return np.where(periods * 2 <= whole, periods, whole)


@dataclass(frozen=True, eq=False)
class Alignment:
    """Time maps of some runs onto a reference."""

    numbers: np.ndarray  # (n, order + 1): ``phi`` (s), ``k``, and ``q`` (1/s) of the quadratic map
    similarity: np.ndarray  # (n,): correlation of each run with the warped reference, over the times that both have; 1 is a perfect match


@one_thread
def align(time: np.ndarray, values: np.ndarray, reference: np.ndarray, *, order: int = 1) -> Alignment:
    """The map ``tau(t)`` of each run with the largest correlation of ``values(t)`` and ``reference(tau(t))``.

    Of histories `values` (n, m) and `reference` (m,) at times `time` (m,), s, in equal steps from 0; `order` is 1, or 2 for a quadratic
    map. A correlation over many periods has many local optima. So scales and shifts are tried in a first window of three periods only, and
    the best is followed by Gauss-Newton steps as the window doubles: its phase error stays below a fraction of a period all the way.
    """
    from scipy.interpolate import CubicSpline

    if order not in (1, 2):
        raise ValueError(f"the order of a time map is 1 or 2, not {order}")
    if np.ptp(reference) == 0:
        raise ValueError("the reference history is constant, so there is nothing to align")
    t = time - time[0]
    spline = CubicSpline(t, reference)
    slope = spline.derivative()
    one = float(period(t, reference[None])[0])
    stride = max(1, int(one / (t[1] * _PER_PERIOD)))
    window = first = min(FIRST_WINDOW * one, t[-1])

    def match(numbers: np.ndarray, rows: np.ndarray, order: int) -> tuple[np.ndarray, np.ndarray]:
        return _match(t[::stride], rows[:, ::stride], spline, slope, numbers, window, order)

    scales = np.concatenate([np.tile(np.append(RATIOS, 1.0), (len(values), 1)), one / period(t, values)[:, None]], axis=1)
    best, numbers = np.full(len(values), -np.inf), np.zeros((len(values), 3))
    for k in scales.T:
        for phi in one * np.arange(-(SHIFTS // 2), SHIFTS // 2) / SHIFTS:
            tried = np.column_stack([np.full(len(k), phi), k, np.zeros(len(k))])
            likeness = match(tried, values, 0)[0] - _PREFER * abs(phi) / one
            better = likeness > best
            best[better], numbers[better] = likeness[better], tried[better]
    while True:
        last = window >= t[-1]
        small = one * (1e-10 if last else 1e-4)
        numbers, similarity = _climb(match, numbers, values, one / 8, small, window, order if last or window > first else 1)
        if last:
            return Alignment(numbers[:, : order + 1], similarity)
        window = min(2 * window, t[-1])


def _climb(
    match: Callable, numbers: np.ndarray, values: np.ndarray, limit: float, small: float, window: float, order: int
) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Newton steps in one window, none beyond `limit` (s) anywhere in it, shortened where they do not help, until `small` (s)."""
    powers = window ** np.arange(3)
    similarity, step = match(numbers, values, order)
    damping = np.ones(len(numbers))
    for _ in range(_STEPS):
        size = np.abs(step * powers).sum(axis=1)
        tried = numbers + (damping * np.minimum(1, limit / np.maximum(size, 1e-300)))[:, None] * step
        new_similarity, next_step = match(tried, values, order)
        ends = tried[:, 1] + np.outer([0.0, window], 2 * tried[:, 2])  # slope of the map where it is extreme
        better = (new_similarity >= similarity) & np.all(ends > 0, axis=0)
        similarity, damping = np.where(better, new_similarity, similarity), np.where(better, np.minimum(1, 2 * damping), damping / 4)
        numbers, step = np.where(better[:, None], tried, numbers), np.where(better[:, None], next_step, step)
        if np.all(damping * size < small):
            break
    return numbers, similarity


def _match(
    t: np.ndarray, values: np.ndarray, spline: Callable, slope: Callable, numbers: np.ndarray, window: float, order: int
) -> tuple[np.ndarray, np.ndarray]:
    """Correlation (n,), and the next step of the numbers (n, 3) if `order` is above 0."""
    at = t <= window * (1 + 1e-12)
    t, x = t[at], values[:, at]
    tau = numbers[:, :1] + numbers[:, 1:2] * t + numbers[:, 2:] * t**2
    inside = (tau >= spline.x[0]) & (tau <= spline.x[-1])
    r = np.where(inside, spline(np.clip(tau, spline.x[0], spline.x[-1])), 0.0)
    w = inside.astype(float)
    count = np.maximum(w.sum(axis=1, keepdims=True), 1)
    r0, x0 = w * (r - (w * r).sum(axis=1, keepdims=True) / count), w * (x - (w * x).sum(axis=1, keepdims=True) / count)
    rr, xx, rx = (r0 * r0).sum(axis=1), (x0 * x0).sum(axis=1), (r0 * x0).sum(axis=1)
    similarity = np.divide(rx, np.sqrt(rr * xx), out=np.zeros(len(x)), where=(rr > 0) & (xx > 0))
    similarity = np.where(count[:, 0] > 0.5 * len(t), similarity, -1.0)
    if not order:
        return similarity, np.zeros_like(numbers)
    s = np.where(inside, slope(np.clip(tau, spline.x[0], spline.x[-1])), 0.0)
    # value and slope of the reference are the columns of a linear fit: a r + a r' (dphi + dk t + dq t²)
    columns = np.stack([r0, *(s * (t / window) ** j for j in range(order + 1))], axis=1)
    columns[:, 1:] -= w[:, None] * (columns[:, 1:].sum(axis=2, keepdims=True) / count[:, None])
    size = np.sqrt((columns**2).sum(axis=2)) + 1e-300
    columns /= size[:, :, None]
    gram = columns @ columns.transpose(0, 2, 1) + 1e-12 * np.eye(order + 2)
    c = np.linalg.solve(gram, columns @ x0[:, :, None])[:, :, 0] / size
    step = np.zeros_like(numbers)
    sound = c[:, 0] > 1e-6 * np.sqrt(xx / np.maximum(rr, 1e-300))
    step[sound, : order + 1] = c[sound, 1:] / c[sound, :1] / window ** np.arange(order + 1)
    return similarity, step


@dataclass(frozen=True, eq=False)
class PolynomialMap:
    """``tau = phi + k t + q t²`` onto a warped grid of equal steps."""

    start: float  # of the grid, s
    step: float  # s
    nodes: int

    @classmethod
    def of(cls, time: np.ndarray, numbers: np.ndarray) -> PolynomialMap:
        """The grid that all runs together cover, with `OVERSAMPLING` nodes for each physical time."""
        ends = _tau(numbers, time[[0, -1]])
        step = (time[-1] - time[0]) / (len(time) - 1) / OVERSAMPLING
        return cls(float(ends.min()), step, max(8, int(np.ceil((ends.max() - ends.min()) / step)) + 1))

    def physical(self, numbers: np.ndarray) -> np.ndarray:
        """See `TimeMap`."""
        tau = self.start + self.step * np.arange(self.nodes)
        phi, k = numbers[:, :1], numbers[:, 1:2]
        if numbers.shape[1] == 2:
            return (tau - phi) / k
        root = np.sqrt(np.maximum(k**2 + 4 * numbers[:, 2:] * (tau - phi), 0.0))
        return 2 * (tau - phi) / (k + root)  # the branch that grows, without cancellation

    def position(self, numbers: np.ndarray, time: np.ndarray) -> tuple[np.ndarray, int, int]:
        """See `TimeMap`."""
        return (_tau(numbers, time) - self.start) / self.step, 0, self.nodes - 1


def _tau(numbers: np.ndarray, time: np.ndarray) -> np.ndarray:
    tau = numbers[:, -1:] * time
    for j in range(numbers.shape[1] - 2, 0, -1):
        tau = (tau + numbers[:, j : j + 1]) * time
    return tau + numbers[:, :1]


def warp(time: np.ndarray, values: np.ndarray, numbers: np.ndarray) -> tuple[PolynomialMap, np.ndarray]:
    """Histories (n, m) on the warped grid (n, nodes), completed where they end too early, and the map.

    Times begin at 0, as `align` takes them. The grid goes on beyond all runs at both ends, by a part of what the ends of runs differ.
    """
    seen = PolynomialMap.of(time, numbers)
    at = seen.physical(numbers)
    slack = 1e-9 * (time[-1] - time[0])
    known = (at >= time[0] - slack) & (at <= time[-1] + slack)
    # the ends that few runs reach are predicted, as what lies beyond
    inner = reached(known)
    warped = complete(read(time, values, at[:, inner]), known[:, inner])
    before, after = np.ceil(MARGIN * np.ptp(_tau(numbers, time[[0, -1]]), axis=0) / seen.step).astype(int) + 1
    central = warped[np.abs(numbers[:, 1] - np.median(numbers[:, 1])).argmin()]
    stride = int(period(seen.step * np.arange(len(central)), central[None])[0] / seen.step / STRIDES)
    warped = extend(warped, after + seen.nodes - inner.stop, stride)
    warped = extend(warped[:, ::-1], before + inner.start, stride)[:, ::-1]
    return PolynomialMap(seen.start - float(before) * seen.step, seen.step, warped.shape[1]), warped
