"""Extremes of polynomials over convex sets ``x = G w``, w in a product of unit balls and cubes, for many columns at once.

A polynomial is kept as terms: ``p(x) = Σ_t c[t] Π_i T_k(x_i)``, ``k = exponents[t, i]``, on the box [-1, 1]^d around the set.
In the coordinates w (whitened: the ellipsoid is a ball) a projection onto the set is a division or a clip.
"""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.chaos.multi_index import index_set
from uqmbd.analysis.chebyshev import sparse_chebyshev
from uqmbd.analysis.chebyshev.expansions import Expansion, SparseExpansion, TensorExpansion
from uqmbd.analysis.chebyshev.pointwise import Dense, Terms
from uqmbd.analysis.sets.convex_body import Body
from uqmbd.analysis.sets.ellipsoids import ball_range

NEGLIGIBLE = 1e-13  # of the sum of a column's coefficients
STARTS = 5  # searches for one end of one column
APART = 0.5  # distance of starts in w
STEPS = 300
_MEMORY = 1_000_000  # numbers held at a time


def extremes(exponents: np.ndarray, c: np.ndarray, body: Body, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Smallest and largest value of every column over the set.

    Linear columns have a closed form, quadratic ones over one ellipsoid the dual of the trust-region problem; both are exact. For all
    others projected gradients with Barzilai and Borwein's steps (Birgin, Martínez, Raydan, SIAM J. Optim. 10 (2000) 1196)
    begin at the best of many points: these find values that are taken, and may miss higher ones.

    Parameters
    ----------
    exponents : ndarray of int, shape (terms, d)
    c : ndarray, shape (terms, columns)
    u : ndarray, shape (n, d)
        Points of the unit cube, from which the points of the set come among which searches begin.

    Returns
    -------
    bounds : ndarray, shape (2, columns)
    places : ndarray, shape (2, columns, d)
        Where they are taken, in x.
    exact : ndarray of bool, shape (columns,)
    """
    columns, d = c.shape[1], exponents.shape[1]
    size = np.abs(c).sum(axis=0)
    small = np.abs(c) <= NEGLIGIBLE * size
    total = exponents.sum(axis=1)
    rank = np.array([total[~small[:, j]].max(initial=0) for j in range(columns)])
    bounds, places, exact = np.empty((2, columns)), np.zeros((2, columns, d)), np.zeros(columns, bool)
    one_ball = len(body.blocks) == 1 and body.blocks[0][1]
    for which, treat in ((rank <= 1, _linear), ((rank == 2) & one_ball, _quadratic)):
        if which.any():
            bounds[:, which], places[:, which] = treat(exponents, c[:, which], body)
            exact |= which
    rest = np.flatnonzero(~exact)
    if rest.size:
        kept = ~small[:, rest].all(axis=1)
        bounds[:, rest], places[:, rest] = _search(exponents[kept], c[np.ix_(kept, rest)], body, body.places(u))
    return bounds, places, exact


def _power_form(exponents: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``k + b·x + ½ xᵀ H x`` of terms up to total degree 2: k (columns,), b (d, columns), H (columns, d, d)."""
    d, columns = exponents.shape[1], c.shape[1]
    k, b, h = np.zeros(columns), np.zeros((d, columns)), np.zeros((columns, d, d))
    for degrees, row in zip(exponents, c, strict=True):
        at = np.flatnonzero(degrees)
        if degrees.sum() == 0:
            k += row
        elif degrees.sum() == 1:
            b[at[0]] += row
        elif degrees.sum() == 2 and len(at) == 1:
            k -= row
            h[:, at[0], at[0]] += 4 * row
        elif degrees.sum() == 2:
            h[:, at[0], at[1]] += row
            h[:, at[1], at[0]] += row
    return k, b, h


def _linear(exponents: np.ndarray, c: np.ndarray, body: Body) -> tuple[np.ndarray, np.ndarray]:
    k, b, _ = _power_form(exponents, c)
    x, radius = body.farthest(b), body.linear_radius(b)
    return np.stack([k - radius, k + radius]), np.stack([-x, x])


def _quadratic(exponents: np.ndarray, c: np.ndarray, body: Body) -> tuple[np.ndarray, np.ndarray]:
    k, b, h = _power_form(exponents, c)
    g = body.generators
    slope, bend = (g.T @ b).T, g.T @ h @ g
    low, at_low = ball_range(slope, bend)
    high, at_high = ball_range(-slope, -bend)
    return np.stack([k + low, k - high]), np.stack([at_low, at_high]) @ g.T


def _search(exponents: np.ndarray, c: np.ndarray, body: Body, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Projected gradients from the best candidates of each column that are apart from each other."""
    columns, d = c.shape[1], exponents.shape[1]
    begin = np.empty((2, columns, STARTS), int)
    terms = sparse_chebyshev.basis(exponents, candidates @ body.generators.T)
    for i in range(0, columns, chunk := max(1, _MEMORY // len(candidates))):
        values = terms @ c[:, i : i + chunk]
        for end, signed in enumerate((values, -values)):
            for k in range(STARTS):
                best = signed.argmin(axis=0)
                begin[end, i : i + chunk, k] = best
                if k + 1 < STARTS:
                    near = ((candidates[:, None] - candidates[best]) ** 2).sum(axis=2) < APART**2
                    signed = np.where(near, np.inf, signed)
    owner = np.tile(np.repeat(np.arange(columns), STARTS), 2)
    sign = np.repeat([1.0, -1.0], columns * STARTS)
    full = int(np.prod(exponents.max(axis=0) + 1))
    form = Dense(exponents, c) if full <= 2 * len(exponents) else Terms(exponents, c)
    w, value = _descend(form, owner, sign, candidates[begin.ravel()], body)
    value = value.reshape(2, columns, STARTS)
    first = value.argmin(axis=2)[..., None]
    x = (w @ body.generators.T).reshape(2, columns, STARTS, d)
    found = np.take_along_axis(value, first, axis=2)[..., 0]
    return found * np.array([[1.0], [-1.0]]), np.take_along_axis(x, first[..., None], axis=2)[:, :, 0]


def _descend(form: Dense | Terms, owner: np.ndarray, sign: np.ndarray, w: np.ndarray, body: Body) -> tuple[np.ndarray, np.ndarray]:
    """Local minima of ``sign * p`` of column `owner` (n,) from the points `w` (n, d): points and values."""

    def look(at: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value, slope = form.value_and_slope(owner[at], places @ body.generators.T)
        return sign[at] * value, sign[at, None] * (slope @ body.generators)

    w, active = w.copy(), np.arange(len(w))
    f, g = look(active, w)
    step = 1.0 / np.maximum(np.linalg.norm(g, axis=1), 1e-300)
    scale = np.maximum(form.size, 1e-300)[owner]
    for _ in range(STEPS):
        way = body.project(w[active] - step[active, None] * g[active]) - w[active]
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
        step[active] = np.where(bend > 1e-12 * square, square / np.where(bend > 0, bend, 1.0), 4 * step[active])
        at = active[better]
        w[at], f[at], g[at] = new[better], f_new[better], g_new[better]
        active = at
    return w, f


def terms_of(expansion: Expansion) -> tuple[np.ndarray, np.ndarray]:
    """Exponents (terms, d) and coefficients (terms, columns) of an expansion of any kind."""
    if isinstance(expansion, TensorExpansion):
        shape = expansion.c.shape[:-1]
        return np.indices(shape).reshape(len(shape), -1).T, expansion.c.reshape(-1, expansion.c.shape[-1])
    return expansion.exponents, expansion.c


def least_squares(points: np.ndarray, values: np.ndarray, degree: int) -> tuple[SparseExpansion, int]:
    """Polynomials of a total degree fitted to values (n, columns) at points (n, d) of the set, and how many terms these determine."""
    exponents = index_set([degree] * points.shape[1])
    basis = sparse_chebyshev.basis(exponents, points)
    c, _, rank, _ = np.linalg.lstsq(basis, values, rcond=None)
    return SparseExpansion(exponents, c), int(rank)
