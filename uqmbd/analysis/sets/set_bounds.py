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
from uqmbd.analysis.chebyshev.sparse_chebyshev import Dense, Terms
from uqmbd.analysis.sets.convex_body import Body

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


def ball_range(slope: np.ndarray, bend: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least value (columns,) of ``b·w + ½ wᵀ H w`` over ``|w| <= 1`` for many b and H at once, and where it is taken, (columns, d).

    Of b, `slope` (columns, d), and symmetric H, `bend` (columns, d, d). The trust-region problem has no gap to its dual,
    ``max_λ -½ Σ β_i² / (h_i + λ) - λ/2`` over ``λ >= max(0, -h_1)``, with H's eigenvalues h and β = b in its eigenvectors (Conn, Gould,
    Toint, Trust-Region Methods (2000), ch. 7). Bisection on its slope finds λ; the value is as accurate as λ squared, also in the hard
    case.
    """
    h, vectors = np.linalg.eigh(bend)
    beta = np.einsum("cij,ci->cj", vectors, slope)
    size = np.maximum(np.abs(h).max(axis=1), np.linalg.norm(beta, axis=1))
    size = np.where(size > 0, size, 1.0)
    h, beta = h / size[:, None], beta / size[:, None]
    floor = np.maximum(0.0, -h[:, 0])
    base = h + floor[:, None]  # not negative; the multiplier is counted from the floor, so that it is accurate near the pole

    def shares(above: np.ndarray) -> np.ndarray:
        distance = base + above[:, None]
        return np.divide(beta, distance, out=np.zeros_like(beta), where=(np.abs(beta) > 1e-15) & (distance > 0))

    low, high = np.zeros(len(h)), np.linalg.norm(beta, axis=1) + 1e-300
    for _ in range(200):
        middle = 0.5 * (low + high)
        outside = (shares(middle) ** 2).sum(axis=1) > 1
        low, high = np.where(outside, middle, low), np.where(outside, high, middle)
    pole = ((np.abs(beta) > 1e-15) & (base <= 0)).any(axis=1)
    above = np.where(((shares(np.zeros(len(h))) ** 2).sum(axis=1) <= 1) & ~pole, 0.0, high)
    multiplier = floor + above
    part = -shares(above)
    value = 0.5 * (beta * part).sum(axis=1) - 0.5 * multiplier
    # on the sphere; in the hard case the lowest axis leads there
    lowest = np.sqrt(np.maximum(0.0, 1 - (part[:, 1:] ** 2).sum(axis=1)))
    part[:, 0] = np.where(multiplier > 0, np.where(part[:, 0] < 0, -lowest, lowest), part[:, 0])
    return value * size, np.einsum("cij,cj->ci", vectors, part)


def _search(exponents: np.ndarray, c: np.ndarray, body: Body, candidates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Projected gradients from the best candidates of each column that are apart from each other."""
    terms = sparse_chebyshev.basis(exponents, candidates @ body.generators.T)
    full = int(np.prod(exponents.max(axis=0) + 1))
    form = Dense(exponents, c) if full <= 2 * len(exponents) else Terms(exponents, c)
    return searched(form.value_and_slope, lambda at: terms @ c[:, at], c.shape[1], candidates, body.project, body.generators, form.size)


def extremes_of(surrogate: Fitted, body: Body, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`extremes` of a surrogate of any kind; of one that jumps they are those of the points from `u`."""
    if is_polynomial(surrogate):
        exponents, c = surrogate.terms()
        return extremes(exponents, c, body, u)
    w, unproven = body.places(u), np.zeros(surrogate.count, bool)
    points = w @ body.generators.T
    if surrogate.smooth:
        sloped, values = surrogate.value_and_slope, lambda at: surrogate.part(at).evaluate(points)
        return *searched(sloped, values, surrogate.count, w, body.project, body.generators), unproven
    values = surrogate.evaluate(points)
    bounds = np.stack([values.min(axis=0), values.max(axis=0)])
    return bounds, points[np.stack([values.argmin(axis=0), values.argmax(axis=0)])], unproven


def least_squares(points: np.ndarray, values: np.ndarray, degree: int) -> tuple[SparseExpansion, int]:
    """Polynomials of a total degree fitted to values (n, columns) at points (n, d) of the set, and how many terms these determine."""
    exponents = index_set([degree] * points.shape[1])
    basis = sparse_chebyshev.basis(exponents, points)
    c, _, rank, _ = np.linalg.lstsq(basis, values, rcond=None)
    return SparseExpansion(exponents, c), int(rank)
