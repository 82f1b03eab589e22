"""Basins of attraction: to which periodic orbit each of many starts comes, with the shares of all starts and their limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.dynamics.maps import Map, Parameters
from uqmbd.analysis.dynamics.shooting import shoot
from uqmbd.analysis.statistics.moment_limits import proportion_limits
from uqmbd.errors import StudyError

LOST, OTHER = -2, -1  # labels of starts that leave all bounds, and of those that come to no periodic orbit
_SETTLED = 1e-4  # beside the larger of one and a state's size: a motion that returns as near as this is taken to Newton's method
_SAME = 1e-6  # the same of two orbits that are one


@dataclass(frozen=True)
class Attractor:
    """A stable orbit of `period` steps: its points (period, d), from the least first coordinate on, and its multipliers (d,)."""

    period: int
    states: np.ndarray
    multipliers: np.ndarray


@dataclass(frozen=True)
class Basins:
    """Where starts come to.

    Attributes
    ----------
    labels : ndarray of int, shape (n,)
        Number of the attractor; -1 of starts that come to no orbit of at most `most` steps in time (chaos, a torus, a slow approach),
        -2 of those that leave all bounds.
    attractors : list of Attractor
        The one with the most starts first.
    shares, lower, upper : dict of int to float
        Share of the starts of each label, and its limits with a confidence of 95 %, each by itself (Clopper, Pearson, Biometrika 26 (1934)
        404). They are those of the box's share where the starts are independent and uniform in it, as by `random_starts`.
    """

    labels: np.ndarray
    attractors: list[Attractor]
    shares: dict[int, float]
    lower: dict[int, float]
    upper: dict[int, float]


def random_starts(box: Mapping[str, tuple[float, float]], count: int, seed: int) -> np.ndarray:
    """Independent uniform starts (count, d) in a box, whose shares have limits.

    Examples
    --------
    >>> random_starts({"x": (0.0, 1.0), "v": (2.0, 3.0)}, 5, seed=1).shape
    (5, 2)
    """
    low, high = np.array(list(box.values()), float).T
    return low + (high - low) * np.random.default_rng(seed).random((count, len(box)))


def grid_starts(box: Mapping[str, tuple[float, float]], counts: int) -> np.ndarray:
    """Centres (counts^d, d) of equal cells of a box, for a figure; the last coordinate runs fastest."""
    sides = [low + (high - low) * (np.arange(counts) + 0.5) / counts for low, high in box.values()]
    return np.stack([each.ravel() for each in np.meshgrid(*sides, indexing="ij")], axis=1)


def basins(base: Map, starts: np.ndarray, parameters: Parameters, *, steps: int = 500, most: int = 12) -> Basins:
    """Go `steps` steps from each of `starts` (n, d), all at once, and tell the orbits that they come to.

    A motion that returns after at most `most` steps is taken to the orbit by Newton's method, which gives its multipliers: what is not
    stable, or lies elsewhere, is no attractor.

    Raises
    ------
    StudyError
        There are no starts, or not one coordinate for each of the map's.

    Examples
    --------
    >>> import numpy as np
    >>> from uqmbd.analysis.dynamics.maps import FunctionMap
    >>> cubic = FunctionMap(function=lambda x: x + 0.5 * x * (1 - x**2), names=("x",))
    >>> found = basins(cubic, grid_starts({"x": (-0.5, 1.5)}, 40), {})
    >>> [attractor.states.round(6).tolist() for attractor in found.attractors], found.shares[0]
    ([[[1.0]], [[-1.0]]], 0.75)
    """
    starts = np.asarray(starts, float)
    if starts.ndim != 2 or starts.shape[1] != len(base.names) or not len(starts):
        raise StudyError(f"basins need starts with a number for each of {', '.join(base.names)}", value=starts.shape)
    n = len(starts)
    last, finite = _gone(base, starts, parameters, steps)
    labels = np.where(finite, OTHER, LOST)
    period = _periods(base, last, parameters, most)
    found: list[Attractor] = []
    for own in sorted(set(period[period > 0].tolist())):
        rows = np.flatnonzero(period == own)
        orbits = shoot(base, last[rows], {name: np.broadcast_to(value, n)[rows] for name, value in parameters.items()}, own)
        near = np.abs(orbits.states - last[rows]).max(axis=1) < 1e2 * _SETTLED * _size(last[rows])
        for k in np.flatnonzero(orbits.stable & near):
            labels[rows[k]] = _number(base, orbits.states[k], orbits.multipliers[k], parameters, own, found)
    order = sorted(range(len(found)), key=lambda k: (-int((labels == k).sum()), k))
    labels = np.array([*(order.index(k) for k in range(len(found))), LOST, OTHER])[labels]
    return _shared(labels, [found[k] for k in order])


def _gone(base: Map, x: np.ndarray, parameters: Parameters, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """States (n, d) after all steps, and which stayed within all bounds (n,)."""
    n, out, going = len(x), x.copy(), np.arange(len(x))
    for _ in range(steps):
        out[going] = base.step(out[going], {name: np.broadcast_to(value, n)[going] for name, value in parameters.items()})
        going = going[(np.abs(out[going]) < 1e100).all(axis=1)]
        if not going.size:
            break
    finite = np.zeros(n, bool)
    finite[going] = True
    return out, finite


def _periods(base: Map, last: np.ndarray, parameters: Parameters, most: int) -> np.ndarray:
    """Steps (n,) after which each state is nearly back, 0 where it is not after `most`."""
    period, x = np.zeros(len(last), int), last
    with np.errstate(invalid="ignore"):
        for k in range(1, most + 1):
            x = base.step(x, parameters)
            back = np.abs(x - last).max(axis=1) < _SETTLED * _size(last)
            period = np.where(back & (period == 0), k, period)
    return period


def _size(x: np.ndarray) -> np.ndarray:
    return np.maximum(1.0, np.abs(x).max(axis=1))


def _number(base: Map, state: np.ndarray, multipliers: np.ndarray, parameters: Parameters, period: int, found: list[Attractor]) -> int:
    """Number of an orbit among those that are known, to which it is added where it is new."""
    for k, one in enumerate(found):
        if one.period == period and (np.abs(one.states - state).max(axis=1) < _SAME * max(1.0, np.abs(state).max())).any():
            return k
    states = [state]
    for _ in range(period - 1):
        states.append(base.step(states[-1][None], parameters)[0])
    first = int(np.argmin([one[0] for one in states]))
    found.append(Attractor(period, np.array([*states[first:], *states[:first]]), multipliers))
    return len(found) - 1


def _shared(labels: np.ndarray, attractors: list[Attractor]) -> Basins:
    n, names = len(labels), [*range(len(attractors)), *sorted({OTHER, LOST} & set(labels.tolist()), reverse=True)]
    hits = np.array([(labels == name).sum() for name in names])
    lower, upper = proportion_limits(hits, n)
    by_name = [dict(zip(names, map(float, values))) for values in (hits / n, lower, upper)]
    return Basins(labels, attractors, *by_name)
