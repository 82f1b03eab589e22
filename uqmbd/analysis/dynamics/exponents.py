"""Lyapunov exponents of maps: the whole spectrum by tangents, the largest by two neighbouring orbits, with 95 % limits.

A map has ``names``, ``step(states, parameters)``, ``tangent(states, parameters)`` and ``period``. All samples go side by side.
Sources: Benettin, Galgani, Giorgilli, Strelcyn, Meccanica 15 (1980) 9 and 21; limits by batch means: Law, Kelton, Simulation Modeling and
Analysis, section 9.5; the dimension: Kaplan, Yorke, Lecture Notes in Mathematics 730 (1979) 204.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import StudyError

BLOCKS = 32  # parts of an orbit from whose means the limits follow, and
COARSE = 8  # longer ones, which tell when the short ones depend on each other: the wider limits hold
CONFIDENCE = 0.95
SMALL = 6  # coordinates up to which directions are made orthogonal over all matrices at once, whose sums do not depend on their number
CLOSE = 1e-3  # share of a column that is not in the span of those before it, below which Householder's reflections are taken
GROWN = 1000.0  # times: what a neighbour has to part by in all steps to be told from one that stays


@dataclass(frozen=True)
class Exponents:
    """Exponents of some orbits.

    Attributes
    ----------
    values : ndarray, shape (n, count)
        Mean growth in one step, over the time of a step where it has one [1 or 1/s], the largest first; NaN of orbits that were lost.
    error : ndarray, shape (n, count)
        Half width of their 95 % limits. Where the orbit is periodic it is about rounding; it says nothing of other attractors.
    sum_error : ndarray, shape (n,)
        The same of the sum of all.
    lost : ndarray of int, shape (n,)
        Step, counted from the start, at which the orbit left all bounds; -1 of those that stayed.
    end : ndarray, shape (n, d)
        Where the orbits have come to.
    steps : int
        That the means are of, without the first ones.
    least : float
        Exponent with which a neighbour is a thousand times as far away after all steps; a smaller one is not told from zero, which one
        exponent of a flow, and on a torus, is.
    """

    values: np.ndarray
    error: np.ndarray
    sum_error: np.ndarray
    lost: np.ndarray
    end: np.ndarray
    steps: int
    least: float

    @property
    def chaotic(self) -> np.ndarray:
        """1 where the limits of the largest exponent are above `least`, 0 where they are below, NaN where they hold it; (n,)."""
        return verdict(self.values[:, 0], self.error[:, 0], self.least)


def verdict(largest: np.ndarray, error: np.ndarray, least: float) -> np.ndarray:
    """Whether largest exponents (n,) with the half widths (n,) of their limits tell of chaos: 1, 0, or NaN where they do not tell."""
    with np.errstate(invalid="ignore"):
        return np.where(largest - error > least, 1.0, np.where(largest + error <= least, 0.0, np.nan))


def spectrum(
    step_map: Any, states: np.ndarray, parameters: Mapping[str, np.ndarray], *, steps: int = 4096, transient: int = 512
) -> Exponents:
    """All exponents, by the tangent of each step and a QR decomposition after it.

    Parameters
    ----------
    step_map : map
    states : ndarray, shape (n, d)
        Where the orbits start.
    parameters : dict of str to ndarray, shape (n,)
    steps, transient : int
        Steps that count, of which there are a multiple of 32, and those before them, in which orbit and directions settle.

    Raises
    ------
    StudyError
        When there are fewer than 64 steps.

    Examples
    --------
    >>> import numpy as np
    >>> class Doubling:  # x -> 3 x modulo 1
    ...     names, period = ("x",), None
    ...     def tangent(self, states, parameters, by=()):
    ...         return 3 * states % 1, np.full((len(states), 1, 1), 3.0), np.empty((len(states), 1, 0))
    >>> found = spectrum(Doubling(), np.array([[0.1]]), {}, steps=64, transient=0)
    >>> bool(np.isclose(found.values[0, 0], np.log(3)))
    True
    """
    states = np.array(states, np.float64)
    n, d = states.shape
    directions = np.broadcast_to(np.eye(d), (n, d, d)).copy()

    def grow(x: np.ndarray, alive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nonlocal directions
        x, by_state = step_map.tangent(x, parameters)[:2]
        fine = alive[:, None, None] & np.isfinite(by_state).all(axis=(1, 2), keepdims=True)
        directions, stretch = orthonormal(np.where(fine, by_state, np.eye(d)) @ directions)
        grown = np.log(stretch)
        return np.where(fine[:, :, 0], x, np.nan), grown

    return averaged(_blocks(states, grow, d, steps, transient), step_map.period, steps)


def orthonormal(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal directions (n, d, d) of the columns of many small matrices, and what each column adds to those before it (n, d).

    By the modified method of Gram and Schmidt over all matrices at once, which costs a fraction of as many decompositions; where a column
    is nearly in the span of those before it, by Householder's reflections, which keep directions orthogonal there.

    Examples
    --------
    >>> directions, added = orthonormal(np.array([[[3.0, 1.0], [4.0, 2.0]]]))
    >>> directions.round(9).tolist(), added.round(9).tolist()
    ([[[0.6, -0.8], [0.8, 0.6]]], [[5.0, 0.4]])
    """
    n, d, _ = columns.shape
    if d > SMALL:
        directions, upper = np.linalg.qr(columns)
        return directions, np.abs(np.diagonal(upper, axis1=1, axis2=2))
    rest, added, close = np.array(columns.transpose(2, 1, 0), order="C"), np.empty((d, n)), np.zeros(n, bool)
    for k in range(d):
        before = (columns[:, :, k] ** 2).sum(axis=1)
        square = (rest[k] ** 2).sum(axis=0)
        close |= ~(square > CLOSE**2 * before)
        added[k] = np.sqrt(square)
        rest[k] /= np.where(close, 1.0, added[k])
        for j in range(k + 1, d):
            rest[j] -= (rest[k] * rest[j]).sum(axis=0) * rest[k]
    directions, added = rest.transpose(2, 1, 0), added.T
    if close.any():
        directions = directions.copy()
        directions[close], upper = np.linalg.qr(columns[close])
        added[close] = np.abs(np.diagonal(upper, axis1=1, axis2=2))
    return directions, added


def largest(
    step_map: Any,
    states: np.ndarray,
    parameters: Mapping[str, np.ndarray],
    *,
    steps: int = 4096,
    transient: int = 512,
    distance: float = 1e-8,
    scale: np.ndarray | float = 1.0,
) -> Exponents:
    """The largest exponent, by a neighbour that is brought back to the same distance after each step: needs no tangent.

    Parameters
    ----------
    step_map, states, parameters, steps, transient
        As of `spectrum`; of the map `step` is called alone.
    distance : float
        Of the neighbour, in `scale`.
    scale : float or ndarray, shape (d,)
        Of each coordinate, where they have different units or sizes.
    """
    states = np.array(states, np.float64)
    n, d = states.shape
    away = np.full((n, d), distance / np.sqrt(d))
    twice = {name: np.concatenate([np.broadcast_to(value, n)] * 2) for name, value in parameters.items()}

    def grow(x: np.ndarray, alive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        nonlocal away
        both = step_map.step(np.concatenate([x, x + away * scale]), twice)
        x, gap = both[:n], (both[n:] - both[:n]) / scale
        size = np.linalg.norm(gap, axis=1, keepdims=True)
        fine = alive[:, None] & np.isfinite(size)
        away = np.where(fine & (size > 0), distance * gap / np.where(size > 0, size, 1.0), away)
        return np.where(fine, x, np.nan), np.log(size / distance)

    return averaged(_blocks(states, grow, 1, steps, transient), step_map.period, steps)


def _blocks(states: np.ndarray, grow: Any, count: int, steps: int, transient: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean growth in each block (blocks, n, count), the step at which orbits were lost (n,), and their ends (n, d)."""
    if steps < 2 * BLOCKS:
        text = f"exponents of {steps} steps have no limits"
        raise StudyError(text, key="steps", value=steps, remedy=f"take {2 * BLOCKS} or more, thousands for a chaotic orbit")
    length = -(-steps // BLOCKS)
    sums, lost = np.zeros((BLOCKS, len(states), count)), np.full(len(states), -1)
    x = states
    with np.errstate(all="ignore"):  # what leaves all bounds is said in `lost`
        for k, block in enumerate(_numbers(transient, length)):
            alive = lost < 0
            x, grown = grow(np.where(alive[:, None], x, states), alive)
            lost = np.where(alive & ~np.isfinite(x).all(axis=1), k, lost)
            if block >= 0:
                sums[block] += grown
            if (lost >= 0).all():
                break
    sums[:, lost >= 0] = np.nan
    return sums / length, lost, np.where((lost < 0)[:, None], x, np.nan)


def _numbers(transient: int, length: int) -> Iterator[int]:
    """The block of each step, -1 of those that do not count."""
    yield from [-1] * transient
    for block in range(BLOCKS):
        yield from [block] * length


def averaged(found: tuple[np.ndarray, np.ndarray, np.ndarray], period: float | None, steps: int) -> Exponents:
    """Exponents from the mean growth in blocks; a direction that vanishes in a step has the exponent -inf."""
    blocks, lost, end = found
    time = 1.0 if period is None else period
    blocks, taken = blocks / time, BLOCKS * -(-steps // BLOCKS)
    with np.errstate(invalid="ignore"):
        mean, whole = blocks.mean(axis=0), blocks.sum(axis=2)
        order = np.argsort(-mean, axis=1, kind="stable")
        values, error = (np.take_along_axis(each, order, axis=1) for each in (mean, half_width(blocks)))
        return Exponents(values, error, half_width(whole[:, :, None])[:, 0], lost, end, taken, np.log(GROWN) / (taken * time))


def half_width(blocks: np.ndarray) -> np.ndarray:
    """Half width (n, count) of 95 % limits of the mean of `blocks` (32, n, count), by Student's t; the wider of 32 blocks and 8."""
    from scipy.special import stdtrit

    wide = np.zeros(blocks.shape[1:])
    for parts in (BLOCKS, COARSE):
        with np.errstate(invalid="ignore"):
            means = blocks.reshape(parts, -1, *blocks.shape[1:]).mean(axis=1)
            width = stdtrit(parts - 1, 0.5 + CONFIDENCE / 2) * means.std(axis=0, ddof=1) / np.sqrt(parts)
        wide = np.fmax(wide, width)
    return np.where(np.isneginf(blocks.mean(axis=0)), 0.0, np.where(np.isnan(blocks).any(axis=0), np.nan, wide))


def kaplan_yorke(values: np.ndarray) -> np.ndarray:
    """Dimension of the attractor (n,) that exponents (n, d), the largest first, tell of; 0 of a fixed point, at most d.

    Examples
    --------
    >>> import numpy as np
    >>> float(kaplan_yorke(np.array([[0.5, 0.0, -1.0]]))[0])
    2.5
    """
    n, d = values.shape
    sums = np.cumsum(values, axis=1)
    whole = (sums >= 0).cumprod(axis=1).sum(axis=1)  # exponents whose sum is not negative
    rows, last = np.arange(n), np.minimum(whole, d - 1)
    before = np.where(whole > 0, sums[rows, np.maximum(whole - 1, 0)], 0.0)
    share = np.where(whole > 0, before / np.abs(values[rows, last]), 0.0)
    dimension = np.where(whole == d, float(d), whole + share)
    return np.where(np.isnan(values).any(axis=1), np.nan, dimension)
