"""The point of the limit surface that is nearest to the origin of standard normal space, and what follows from it.

A limit state ``g(z)`` of independent standard normal variables is negative where the output is unsafe. Searches are coroutines: they
yield points (n, d), all of which may be run at once, are sent ``g`` there (n,), NaN where a run failed, and return what they found.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

REACH = 10.0  # largest distance from the origin that is searched: probabilities down to 1e-23
TRIALS = 0.5 ** np.arange(1, 5)  # step lengths that are run along with the full one
CURVATURE_STEP = 10.0  # differences of second order, in those of first order
_ARMIJO, _PENALTY, _KICKS = 0.1, 2.0, 5
_NEAR = 0.1  # distance from the surface, in standard deviations
BENDS = 5  # directions in which the bend of the limit is looked at
# by how much farther out than the design point other parts of the limit are looked for, and what is clearly on another side
_BEYOND, _CLEAR = 1.0, 0.75  # standard deviations

Search = Generator[np.ndarray, np.ndarray, "DesignPoint"]


class NotFoundError(Exception):
    """There is no design point, or the search did not find it; the message says why."""


class OneSidedError(NotFoundError):
    """All that the search saw is on one side of the limit, which it did not meet within `REACH`.

    Attributes
    ----------
    safe : bool
        Whether that is the safe side.
    """

    def __init__(self, message: str, *, safe: bool) -> None:
        super().__init__(message)
        self.safe = safe


@dataclass(frozen=True, eq=False)
class DesignPoint:
    """Where the linearised limit surface is nearest to the origin."""

    beta: float  # its distance from the origin, negative where the origin is unsafe (Hasofer and Lind, J. Eng. Mech. Div. 100 (1974) 111)
    alpha: np.ndarray  # (d,): unit vector towards the unsafe side
    slope: float  # ``|grad g|`` there
    iterations: int

    @property
    def z(self) -> np.ndarray:
        """The point, (d,)."""
        return self.beta * self.alpha


def design_point(d: int, rng: np.random.Generator, *, step: float = 0.01, tolerance: float = 3e-4, iterations: int = 50) -> Search:
    """Search by the improved HL-RF method (Zhang, Der Kiureghian, Reliability and Optimization of Structural Systems '94 (1995) 297).

    Each step is run at full length, with the differences there, and at the lengths `TRIALS` in one batch of ``2d + 5`` points; the longest
    that reduces the merit function ``½|z|² + c|g|`` is taken. Where the slope vanishes the search begins again at a random point of the
    unit sphere. The search is content when the point is within `tolerance` of the surface and, relative to its distance if that is above 1,
    of the normal through the origin; differences are central, with `step` standard deviations. Raises `NotFoundError`.
    """
    z, kicks = np.zeros(d), 0
    values = yield _star(z, step)
    safe = not values[0] < 0
    same = True
    for count in range(iterations):
        g, slope = _slope(values, step)
        steep = float(np.linalg.norm(slope))
        if steep == 0.0:
            same &= (g >= 0) == safe
            if kicks == _KICKS:
                text = "the output does not change with the inputs anywhere the search began"
                raise OneSidedError(text, safe=safe) if same else NotFoundError(text)
            kicks += 1
            kick = rng.standard_normal(d)
            z = kick / np.linalg.norm(kick)
            values = yield _star(z, step)
            continue
        alpha = -slope / steep
        beta = (g - slope @ z) / steep
        off = np.linalg.norm(z - (alpha @ z) * alpha)
        if abs(g) <= tolerance * steep and off <= tolerance * max(1.0, np.linalg.norm(z)):
            return DesignPoint(float(beta), alpha, steep, count)
        target = beta * alpha
        way = target * min(1.0, REACH / max(abs(beta), 1e-300)) - z
        if np.linalg.norm(way) <= tolerance:
            text = f"the limit is not reached within {REACH:g} standard deviations of the medians, which are {'safe' if safe else 'unsafe'}"
            raise OneSidedError(text, safe=safe)
        z, values = yield from _line_search(z, g, slope, way, step)
    raise NotFoundError(f"the search for the nearest point of the limit did not settle in {iterations} iterations")


def _line_search(
    z: np.ndarray, g: float, slope: np.ndarray, way: np.ndarray, step: float
) -> Generator[np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The next point, and the values of its star."""
    steep, full = np.linalg.norm(slope), z + way
    weight = np.linalg.norm(z) / steep
    if abs(g) > _NEAR * steep:  # on the surface the second part would forbid every step along it
        weight = max(weight, 0.5 * (full @ full) / abs(g))
    weight *= _PENALTY
    lengths = np.concatenate([[1.0], TRIALS])
    points = z + lengths[:, None] * way
    star = _star(full, step)
    values = yield np.concatenate([star, points[1:]])
    tried = np.concatenate([values[:1], values[len(star) :]])
    merit = 0.5 * (points**2).sum(axis=1) + weight * np.abs(tried)
    descent = z @ way + weight * np.sign(g) * (slope @ way)
    good = merit <= 0.5 * (z @ z) + weight * abs(g) + _ARMIJO * lengths * descent  # never where NaN
    if not np.isfinite(tried).any():
        raise NotFoundError("all runs along a step of the search failed")
    at = int(np.flatnonzero(good)[0]) if good.any() else int(np.nanargmin(merit))
    if at == 0:
        return full, values[: len(star)]
    values = yield _star(points[at], step)
    return points[at], values


def _star(z: np.ndarray, step: float) -> np.ndarray:
    """The point, one step ahead in each coordinate, one step back in each: (2d + 1, d)."""
    steps = step * np.eye(len(z))
    return np.concatenate([z[None], z + steps, z - steps])


def _slope(values: np.ndarray, step: float) -> tuple[float, np.ndarray]:
    """Value and gradient of a star; a side that failed is done without."""
    d = len(values) // 2
    centre, ahead, back = values[0], values[1 : d + 1], values[d + 1 :]
    slope = np.where(np.isnan(ahead), centre - back, np.where(np.isnan(back), ahead - centre, (ahead - back) / 2)) / step
    if np.isnan(centre) or np.isnan(slope).any():
        raise NotFoundError("runs failed where the search needs the slope of the output")
    return float(centre), slope


def elsewhere(point: DesignPoint, rng: np.random.Generator) -> Generator[np.ndarray, np.ndarray, tuple[int, int]]:
    """How many points are clearly on another side of the limit than the plane through the design point has them, and of how many.

    Looked at are, a little farther out than the design point, its mirror images in each coordinate and in the origin, both ends of each
    axis, and 2d random directions; and three points straight beyond it; those whose runs failed do not count. Any such point shows another
    design point, or a surface far from plane; none proves nothing.
    """
    d, beta, side = len(point.alpha), abs(point.beta), 1.0 if point.beta >= 0 else -1.0
    way = side * point.alpha
    ways = np.concatenate([way * (1 - 2 * np.eye(d)), -way[None], np.eye(d), -np.eye(d), rng.standard_normal((2 * d, d))])
    around = (beta + _BEYOND) * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    z = np.concatenate([around, (beta + np.array([[0.5], [1.0], [2.0]])) * way])
    g = side * (yield z)
    before, beyond = z @ way < beta - _CLEAR, z @ way > beta + 0.25
    return int(((before & (g < 0)) | (beyond & (g > 0))).sum()), int(np.isfinite(g).sum())


def bend(point: DesignPoint, rng: np.random.Generator) -> Generator[np.ndarray, np.ndarray, tuple[float, int]]:
    """By what factor the bend of the limit changes the probability of a plane, to second order, and in how many directions it was seen.

    In at most `BENDS` random directions across the normal, one standard deviation to either side, so ``1 + 2 BENDS`` points; the others are
    taken to bend like these on average. Infinite where the limit bends towards the medians more than a sphere around them does. The
    probability is that of the side that the medians are not on; the factor is 1 where no direction is left by failed runs.
    """
    d, beta = len(point.alpha), abs(point.beta)
    if d == 1:
        return 1.0, 0
    ways = np.linalg.qr(np.column_stack([point.alpha, rng.standard_normal((d, min(BENDS, d - 1)))]))[0][:, 1:].T
    values = yield point.z + np.concatenate([np.zeros((1, d)), ways, -ways])
    ahead, back = np.split(values[1:], 2)
    bends = (ahead + back - 2 * values[0]) / point.slope * (1.0 if point.beta >= 0 else -1.0)
    bends = bends[np.isfinite(bends)]
    if not len(bends):
        return 1.0, 0
    with np.errstate(divide="ignore", over="ignore"):
        return float(np.maximum(1 + beta * bends.mean(), 0.0) ** (-(d - 1) / 2)), len(bends)


def curvatures(point: DesignPoint, *, step: float = 0.01) -> Generator[np.ndarray, np.ndarray, np.ndarray]:
    """Main curvatures (d - 1,) of the limit surface at the design point; with a positive beta, positive ones bend away from the origin.

    By differences with ``CURVATURE_STEP * step`` in the tangent plane, ``1 + (d - 1) d`` points in one batch. Raises `NotFoundError` when
    runs failed.
    """
    d = len(point.alpha)
    if d == 1:
        return np.empty(0)
    h = CURVATURE_STEP * step
    basis = np.linalg.qr(np.column_stack([point.alpha, np.eye(d)]))[0][:, 1:d].T  # (d - 1, d) tangential
    first, second = np.triu_indices(d - 1, 1)
    pairs = basis[first] + basis[second]
    ways = np.concatenate([basis, -basis, pairs, -pairs]) * h
    values = yield point.z + np.concatenate([np.zeros((1, d)), ways])
    if np.isnan(values).any():
        raise NotFoundError("runs failed around the design point, where the curvatures of the limit are taken")
    centre, rest = values[0], values[1:]
    ahead, back = rest[: d - 1], rest[d - 1 : 2 * (d - 1)]
    both, neither = np.split(rest[2 * (d - 1) :], 2)
    bend = np.diag(ahead + back - 2 * centre)
    bend[first, second] = bend[second, first] = (both + neither - (ahead + back)[first] - (ahead + back)[second] + 2 * centre) / 2
    return np.linalg.eigvalsh(bend / (h * h * point.slope))


def breitung(beta: float, curvatures: np.ndarray) -> float:
    """``Φ(-β) Π (1 + β κ)^-½``, asymptotically exact for large β (Breitung, J. Eng. Mech. 110 (1984) 357)."""
    return _second_order(beta, curvatures, lambda b: b)


def hohenbichler(beta: float, curvatures: np.ndarray) -> float:
    """``Φ(-β) Π (1 + ψ κ)^-½``, ``ψ = φ(β)/Φ(-β)``, better at small β (Hohenbichler, Rackwitz, J. Eng. Mech. 114 (1988) 2195)."""
    from scipy.special import log_ndtr

    return _second_order(beta, curvatures, lambda b: float(np.exp(-0.5 * b * b - 0.5 * np.log(2 * np.pi) - log_ndtr(-b))))


def _second_order(beta: float, curvatures: np.ndarray, weight: Callable[[float], float]) -> float:
    """Seen from the safe side; an unsafe origin has the probability of the complement."""
    from scipy.special import ndtr

    factors = 1 + weight(abs(beta)) * (curvatures if beta >= 0 else -curvatures)
    if np.any(factors <= 0):
        raise NotFoundError(
            "the limit bends towards the medians more than a sphere around them does: what was found is not the nearest point"
        )
    part = float(ndtr(-abs(beta)) / np.sqrt(factors.prod()))
    return part if beta >= 0 else 1 - part
