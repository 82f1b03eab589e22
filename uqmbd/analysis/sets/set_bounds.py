"""Extremes of polynomials over convex sets ``x = G w``, w in a product of unit balls and cubes, for many columns at once.

A polynomial is kept as terms: ``p(x) = Σ_t c[t] Π_i T_k(x_i)``, ``k = exponents[t, i]``, on the box [-1, 1]^d around the set.
In the coordinates w (whitened: the ellipsoid is a ball) a projection onto the set is a division or a clip.
"""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.base.descent import searched
from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.chaos.multi_index import index_set
from uqmbd.analysis.chebyshev import sparse_chebyshev
from uqmbd.analysis.chebyshev.expansions import SparseExpansion, is_polynomial
from uqmbd.analysis.chebyshev.pointwise import Dense, Terms
from uqmbd.analysis.sets.convex_body import Body
from uqmbd.analysis.sets.ellipsoids import ball_range

NEGLIGIBLE = 1e-13  # of the sum of a column's coefficients


def extremes(exponents: np.ndarray, c: np.ndarray, body: Body, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Smallest and largest value of every column over the set, (2, columns), where, (2, columns, d) in x, and which are exact, (columns,).

    Of terms `exponents` (terms, d) with coefficients `c` (terms, columns). Linear columns have a closed form, quadratic ones over one
    ellipsoid the dual of the trust-region problem; both are exact. For all others projected gradients with Barzilai and Borwein's steps
    (Birgin, Martínez, Raydan, SIAM J. Optim. 10 (2000) 1196) begin at the best of many points, those of `u` (n, d) in the unit cube: these
    find values that are taken, and may miss higher ones.
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
    terms = sparse_chebyshev.basis(exponents, candidates @ body.generators.T)
    full = int(np.prod(exponents.max(axis=0) + 1))
    form = Dense(exponents, c) if full <= 2 * len(exponents) else Terms(exponents, c)
    return searched(form, lambda at: terms @ c[:, at], c.shape[1], candidates, body.project, body.generators, form.size)


def extremes_of(surrogate: Fitted, body: Body, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`extremes` of a surrogate of any kind; of one that jumps they are those of the points from `u`."""
    if is_polynomial(surrogate):
        exponents, c = surrogate.terms()
        return extremes(exponents, c, body, u)
    w, unproven = body.places(u), np.zeros(surrogate.count, bool)
    points = w @ body.generators.T
    if surrogate.smooth:
        found = searched(surrogate, lambda at: surrogate.part(at).evaluate(points), surrogate.count, w, body.project, body.generators)
        return *found, unproven
    values = surrogate.evaluate(points)
    bounds = np.stack([values.min(axis=0), values.max(axis=0)])
    return bounds, points[np.stack([values.argmin(axis=0), values.argmax(axis=0)])], unproven


def least_squares(points: np.ndarray, values: np.ndarray, degree: int) -> tuple[SparseExpansion, int]:
    """Polynomials of a total degree fitted to values (n, columns) at points (n, d) of the set, and how many terms these determine."""
    exponents = index_set([degree] * points.shape[1])
    basis = sparse_chebyshev.basis(exponents, points)
    c, _, rank, _ = np.linalg.lstsq(basis, values, rcond=None)
    return SparseExpansion(exponents, c), int(rank)
