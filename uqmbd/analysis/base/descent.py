"""Extremes of smooth functions over convex sets, of many columns at once: projected gradients from many beginnings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

STARTS = 5  # searches for one end of one column
APART = 0.5  # distance of starts in w
STEPS = 300
COARSE = 1e4  # of the values, where slopes have fewer digits than those of polynomials
LONGEST = 1e100  # step
_MEMORY = 1_000_000  # numbers held at a time


Sloped = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]  # column (n,) and x (n, d) to values (n,) and slopes (n, d)


def searched(
    value_and_slope: Sloped,
    values: Callable[[slice], np.ndarray],
    columns: int,
    candidates: np.ndarray,
    project: Callable[[np.ndarray], np.ndarray] = lambda w: np.clip(w, -1, 1),
    generators: np.ndarray | None = None,
    size: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of every column, (2, columns), and where, (2, columns, d), from the best candidates apart from each other.

    Barzilai and Borwein's steps (Birgin, Martínez, Raydan, SIAM J. Optim. 10 (2000) 1196). Values that are taken; there may be higher ones.

    Parameters
    ----------
    values : callable
        Of some of the columns at the candidates, (n, some).
    candidates : ndarray, shape (n, d)
        Points w of the set, ``x = G w``.
    project : callable
        To the nearest points of the set in w, by default [-1, 1]^d.
    generators : ndarray, shape (d, d), optional
        G; the unit matrix if None.
    size : ndarray, shape (columns,), optional
        Of the values; descents of 1e-14 of it are none. `COARSE` times the largest candidate's where nothing is said.
    """
    d, largest = candidates.shape[1], np.zeros(columns)
    generators = np.eye(d) if generators is None else generators
    begin = np.empty((2, columns, STARTS), int)
    for i in range(0, columns, chunk := max(1, _MEMORY // len(candidates))):
        some = values(slice(i, min(i + chunk, columns)))
        largest[i : i + chunk] = np.abs(some).max(axis=0)
        for end, signed in enumerate((some, -some)):
            for k in range(STARTS):
                best = signed.argmin(axis=0)
                begin[end, i : i + chunk, k] = best
                if k + 1 < STARTS:
                    near = ((candidates[:, None] - candidates[best]) ** 2).sum(axis=2) < APART**2
                    signed = np.where(near, np.inf, signed)
    owner = np.tile(np.repeat(np.arange(columns), STARTS), 2)
    sign = np.repeat([1.0, -1.0], columns * STARTS)
    scale = np.maximum(COARSE * largest if size is None else size, 1e-300)[owner]
    w, value = _descend(value_and_slope, owner, sign, candidates[begin.ravel()], project, generators, scale)
    value = value.reshape(2, columns, STARTS)
    first = value.argmin(axis=2)[..., None]
    x = (w @ generators.T).reshape(2, columns, STARTS, d)
    least = np.take_along_axis(value, first, axis=2)[..., 0]
    return least * np.array([[1.0], [-1.0]]), np.take_along_axis(x, first[..., None], axis=2)[:, :, 0]


def _descend(
    value_and_slope: Sloped,
    owner: np.ndarray,
    sign: np.ndarray,
    w: np.ndarray,
    project: Callable[[np.ndarray], np.ndarray],
    generators: np.ndarray,
    scale: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Local minima of ``sign * p`` of column `owner` (n,) from the points `w` (n, d): points and values."""

    def look(at: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = value_and_slope(owner[at], places @ generators.T)
        return sign[at] * value, sign[at, None] * (slope @ generators)

    w, active = w.copy(), np.arange(len(w))
    f, g = look(active, w)
    step = 1.0 / np.maximum(np.linalg.norm(g, axis=1), 1e-300)
    for _ in range(STEPS):
        way = project(w[active] - step[active, None] * g[active]) - w[active]
        slope = np.einsum("ij,ij->i", way, g[active])
        going = -slope > 1e-14 * scale[active]
        active, way, slope = active[going], way[going], slope[going]
        if not active.size:
            break
        length, high = np.ones(len(active)), np.arange(len(active))
        new, f_new, g_new = np.empty_like(way), np.empty(len(active)), np.empty_like(way)
        for _ in range(30):
            new[high] = w[active[high]] + length[high, None] * way[high]
            f_new[high], g_new[high] = look(active[high], new[high])
            high = high[f_new[high] > f[active[high]] + 1e-4 * length[high] * slope[high]]
            if not high.size:
                break
            length[high] *= 0.5
        better = f_new < f[active]
        s, y = new - w[active], g_new - g[active]
        bend, square = np.einsum("ij,ij->i", s, y), np.einsum("ij,ij->i", s, s)
        step[active] = np.where(bend > 1e-12 * square, square / np.where(bend > 0, bend, 1.0), np.minimum(4 * step[active], LONGEST))
        at = active[better]
        w[at], f[at], g[at] = new[better], f_new[better], g_new[better]
        active = at
    return w, f
