"""The curve of periodic orbits over one parameter: its points, what is special between two of them, the way along it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from uqmbd.analysis.dynamics import located
from uqmbd.analysis.dynamics.maps import Map, Parameters, accuracy_of, composed
from uqmbd.analysis.dynamics.shooting import fewest_steps

BRANCH_POINT = "branch_point"
CLOSED = "it is closed"
_TOLERANCE = 1e-10  # of a corrected point, in the scales
_NEWTON = 8  # steps of the corrector: a predicted point that needs more is too far
_TURN, _STRAIGHT = 0.97, 0.995  # cosines of angles between neighbouring tangents: with more a step is halved, with less the next is longer
_SHORTER = 1e-5  # of the scales: how near an orbit comes to itself before its end, where it is one of fewer steps
_MERGED = 1e-3  # the same where a branch ends at orbits of fewer steps, of whose crossing the state is known to a root only
_SAME = 1e-4  # of the scales: points that two tests find as near as this are one
_PAIR = 1e-6  # of an imaginary part, from which multipliers are a pair


@dataclass(frozen=True, kw_only=True)
class Steps:
    """How a branch is followed.

    Parameters
    ----------
    largest, smallest : float
        Lengths of a step, beside the range of the parameter and the scale of the state.
    points : int
        At most so many to each side of the start.
    scale : float or ndarray, shape (d,)
        Size of the coordinates.
    """

    largest: float = 0.02
    smallest: float = 1e-7
    points: int = 1000
    scale: Any = 1.0


@dataclass(frozen=True)
class Point:
    """On the branch: `y` (d + 1,) in the scales, `tangent` (d + 1,), the slopes of the orbits' equation (d, d + 1), the map's Jacobian."""

    y: np.ndarray
    tangent: np.ndarray
    slope: np.ndarray
    by_state: np.ndarray
    kind: str = ""
    steps: int = 0  # of the orbits that those of the branch become here, 0 where they stay what they are

    @property
    def outside(self) -> int:
        """How many multipliers lie outside of the unit circle."""
        return int((np.abs(np.linalg.eigvals(self.by_state)) > 1.0).sum())


@dataclass(frozen=True)
class Curve:
    """Orbits of `period` steps over `parameter`, in scales (d + 1,)."""

    base: Map
    period: int
    parameter: str
    parameters: Parameters
    scale: np.ndarray

    def equation(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Image less state in the scales (d,), its slopes (d, d + 1), and the map's Jacobian (d, d)."""
        u, d = y * self.scale, len(y) - 1
        over = composed(self.base, self.period)
        image, by_state, by_parameter = over.tangent(u[None, :d], {**self.parameters, self.parameter: u[d:]}, (self.parameter,))
        slope = np.concatenate([by_state[0] - np.eye(d), by_parameter[0]], axis=1) * self.scale / self.scale[:d, None]
        return (image[0] - u[:d]) / self.scale[:d], slope, by_state[0]

    def corrected(self, start: np.ndarray, across: np.ndarray, along: np.ndarray) -> Point | None:
        """The orbit in the plane through `start` with the normal `across`, its tangent to the side of `along`; None where there is none."""
        y = start
        for left in reversed(range(_NEWTON)):
            residual, slope, by_state = self.equation(y)
            matrix = np.concatenate([slope, across[None]])
            if not np.isfinite(matrix).all() or not np.isfinite(residual).all():
                return None
            step = np.linalg.lstsq(matrix, np.append(-residual, across @ (start - y)))[0]
            y = y + step
            if np.abs(step).max() <= _TOLERANCE * max(1.0, np.abs(y).max()) or (not left and self._untold(y, step)):
                return _oriented(y, slope, by_state, along)  # slopes of the step before: they are as near as that step is short
            if np.abs(step).max() > 1.0:
                return None
        return None

    def _untold(self, y: np.ndarray, step: np.ndarray) -> bool:
        """Whether a step is within what the map says that its points are off."""
        return bool(np.abs(step * self.scale).max() <= accuracy_of(self.base) * max(1.0, np.abs(y * self.scale).max()))

    def point(self, y: np.ndarray, along: np.ndarray) -> Point | None:
        """What there is to know of the orbit at `y`."""
        _, slope, by_state = self.equation(y)
        return _oriented(y, slope, by_state, along) if np.isfinite(slope).all() else None

    def shorter(self, y: np.ndarray, near: float = _SHORTER) -> int:
        """Fewest steps, which divide the period, after which the orbit at `y` is back."""
        u, d = y * self.scale, len(y) - 1
        here = {**self.parameters, self.parameter: u[d:]}
        return int(fewest_steps(self.base, u[None, :d], here, self.period, near * self.scale[:d])[0])


def _oriented(y: np.ndarray, slope: np.ndarray, by_state: np.ndarray, along: np.ndarray) -> Point:
    tangent = np.linalg.svd(slope)[2][-1]
    return Point(y, tangent if tangent @ along >= 0.0 else -tangent, slope, by_state)


def tests(point: Point) -> dict[str, float]:
    """Numbers that change sign where the branch is special (Kuznetsov, section 10.3)."""
    a = point.by_state[None]
    tests = {kind: float(located.test_function(kind, a)[0]) for kind in ("flip", "neimark_sacker")[: len(point.y) - 1]}
    return {
        BRANCH_POINT: float(np.linalg.det(np.concatenate([point.slope, point.tangent[None]]))),
        "fold": float(point.tangent[-1]),
        **tests,
    }


def walked(curve: Curve, start: Point, between: tuple[float, float], steps: Steps) -> tuple[list[Point], str]:
    """The points behind `start`, special ones among them, while the parameter stays between two values, and why there are no more."""
    points: list[Point] = []
    here, length, (low, high) = start, steps.largest, np.array(between) / curve.scale[-1]
    while len(points) < steps.points:
        there = curve.corrected(here.y + length * here.tangent, here.tangent, here.tangent)
        turn = -1.0 if there is None else float(here.tangent @ there.tangent)
        crossed = [] if there is None or turn < _TURN else _between(curve, here, there, length)
        told = there is not None and (bool(crossed) or here.outside == there.outside or length < 1e-3 * steps.largest)
        if there is None or turn < _TURN or not told:
            length /= 2.0
            if length < steps.smallest:
                return points, f"it is lost: no orbit follows that at {curve.parameter} = {here.y[-1] * curve.scale[-1]:.6g}"
            continue
        inside = [point for point in crossed if low <= point.y[-1] <= high]
        points += inside
        if any(point.steps for point in inside):
            return points, f"it ends at the flip of orbits of {inside[-1].steps} steps" if inside[
                -1
            ].steps > 1 else "it ends at the flip of fixed points"
        if not low <= there.y[-1] <= high:
            return [
                *points,
                *_last(curve, here, there, low if there.y[-1] < low else high),
            ], f"{curve.parameter} has come to an end of its range"
        if len(points) > 3 and _back(start, here, length):
            return [*points, start], CLOSED
        points.append(there)
        here, length = there, min(steps.largest, length * (1.5 if turn > _STRAIGHT else 1.0))
    return points, f"{steps.points} points are all that it was to have"


def _last(curve: Curve, here: Point, there: Point, limit: float) -> list[Point]:
    """The orbit at the end of the parameter's range."""
    across = np.zeros(len(here.y))
    across[-1] = 1.0
    share = (limit - here.y[-1]) / (there.y[-1] - here.y[-1])
    last = curve.corrected(here.y + share * (there.y - here.y), across, here.tangent)
    return [] if last is None or share == 0.0 else [last]


def _back(start: Point, here: Point, length: float) -> bool:
    """Whether the next step comes to the first point again."""
    way = start.y - here.y
    return bool(0.0 <= way @ here.tangent <= length and np.linalg.norm(way) <= 1.1 * length and start.tangent @ here.tangent > _TURN)


def _between(curve: Curve, here: Point, there: Point, length: float) -> list[Point]:
    """Special points between two neighbours, in their order; none behind one at which the orbits become those of fewer steps."""
    before, after = tests(here), tests(there)
    zeros = {
        kind: _zero(curve, here, length, kind) for kind in before if before[kind] * after[kind] < 0.0 or after[kind] == 0.0 != before[kind]
    }
    found: list[tuple[float, Point]] = []
    for kind, (along, point) in zeros.items():
        if kind in (BRANCH_POINT, "fold") and (fewer := curve.shorter(point.y, _MERGED)) < curve.period:
            ended = _polished(replace(curve, period=fewer), "flip", point)
            if np.abs(np.linalg.eigvals(ended.by_state) + 1.0).min() < _MERGED:
                before_it = [one for at, one in sorted(found, key=lambda each: each[0]) if at < along]
                return [*before_it, replace(ended, steps=fewer, by_state=ended.by_state @ ended.by_state)]
        if kind == "fold" and BRANCH_POINT in zeros and abs(along - zeros[BRANCH_POINT][0]) < _SAME:
            continue
        if kind == "neimark_sacker" and not _pair(point):
            continue
        found.append((along, replace(point, kind=kind) if kind == BRANCH_POINT else _polished(curve, kind, point)))
    return [point for _, point in sorted(found, key=lambda each: each[0])]


def _pair(point: Point) -> bool:
    """Whether it is a pair whose product is one, and not two real multipliers."""
    values = np.linalg.eigvals(point.by_state)
    return bool(((np.abs(values.imag) > _PAIR) & (np.abs(np.abs(values) - 1.0) < 1e-3)).any())


def _polished(curve: Curve, kind: str, point: Point) -> Point:
    """The point by the Newton system of its kind, where that stays near."""
    u = point.y * curve.scale
    at = located.locate(curve.base, kind, curve.parameter, u[:-1], {**curve.parameters, curve.parameter: u[-1]}, curve.period)
    if not at.lost:
        y = np.append(at.state, at.parameter) / curve.scale
        better = curve.point(y, point.tangent)
        if better is not None and np.abs(y - point.y).max() < 1e-3:
            return replace(better, kind=kind)
    return replace(point, kind=kind)


def _zero(curve: Curve, here: Point, length: float, kind: str) -> tuple[float, Point]:
    """Where a test is zero between `here` and the point after a step of this length: the way to it and the point (Illinois method)."""
    ends = [0.0, length]
    values = [tests(here)[kind], np.nan]
    best = here
    middle, side = length, 0
    for _ in range(60):
        point = curve.corrected(here.y + middle * here.tangent, here.tangent, here.tangent)
        if point is None:
            break
        best, value = point, tests(point)[kind]
        new = 0 if value * values[0] > 0.0 else 1
        ends[new], values[new] = middle, value
        if side == new + 1:
            values[1 - new] /= 2.0
        side = new + 1
        if value == 0.0 or abs(ends[1] - ends[0]) < 1e-13 * max(1.0, length):
            break
        middle = ends[0] - values[0] * (ends[1] - ends[0]) / (values[1] - values[0])
        if abs(middle - ends[new]) < 1e-15:
            break
    return middle, best
