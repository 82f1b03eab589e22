"""Verified ranges of polynomials over convex sets ``x = G w``, w in a product of unit balls and cubes.

In the set every ``1 - |w_b|²`` of a ball b and every ``1 - w_i²`` of a cube is at least 0, and so is its product with ``λ s``, λ >= 0 and s
a square. So ``p + Σ λ s (1 - |w|²)`` is nowhere in the set below p, and its verified range over the box around the set bounds p over the
set (weak duality; Lasserre, SIAM J. Optim. 11 (2001) 796, with multipliers of the lowest degrees). With the multipliers of Karush, Kuhn and
Tucker at the greatest value that a search found the bound meets that value, unless the sum is greater elsewhere. There the box is halved,
parts outside the set are dropped, and in each part the lower one of the ranges of p and of the sum counts.
"""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.expansions import Expansion, SparseExpansion, TensorExpansion
from uqmbd.analysis.chebyshev.sparse_chebyshev import Terms
from uqmbd.analysis.sets.convex_body import Body

ACTIVE = 1e-6  # distance in w at which a place counts as being on the boundary
QUARTIC = 5  # inputs: larger balls have constant multipliers
PARTS = 32  # of the box
WORK = 1e9  # coefficients that all halvings together may touch, some seconds
FEWEST, MOST = 100, 4000  # halvings for one end of one column
SLACK = 64 * np.finfo(float).eps  # of the sum of the coefficients, for the rounding of what is added and restricted


def enclosed(exponents: np.ndarray, c: np.ndarray, body: Body, extremes: np.ndarray, places: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Bounds of every column over the set, verified: (2, columns).

    Of terms `exponents` (terms, d), downward closed, with coefficients `c` (terms, columns); `extremes` (2, columns) are the smallest and
    largest value of a search, at `places` (2, columns, d) in x. At a distance `gap` (columns,) of these, positive, nothing more is done.
    Where the work that is allowed runs out a bound is farther off; it holds all the same.
    """
    columns, d = c.shape[1], exponents.shape[1]
    both, best = np.concatenate([-c, c], axis=1), np.concatenate([-extremes[0], extremes[1]])
    allowed = np.concatenate([gap, gap])
    at = places.reshape(-1, d)
    plain, bent = _expansions(exponents, both, *_penalty(exponents, both, body, at))
    top = np.maximum(_upper(bent, best, allowed, _halvings(bent, len(best))), best)
    left = np.flatnonzero(top > best + allowed)
    if left.size:
        top[left] = _in_parts(plain.select(left), bent.select(left), body, best[left], allowed[left], top[left])
    return np.stack([-top[:columns], top[columns:]])


def _penalty(exponents: np.ndarray, c: np.ndarray, body: Body, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Terms and coefficients of ``Σ λ s (1 - |w|²)`` for each column, λ of its own place `at` (columns, d)."""
    d, inverse = len(body.generators), np.linalg.inv(body.generators)
    w = at @ inverse.T
    slope = Terms(exponents, c).value_and_slope(np.arange(c.shape[1]), at)[1] @ body.generators
    terms: dict[tuple[int, ...], np.ndarray] = {}
    for inputs, rows, weights in _constraints(body, w, slope):
        if not weights.any():
            continue
        part = inverse[np.ix_(rows, inputs)]
        degree = 4 if len(inputs) <= QUARTIC else 2
        for local, value in zip(*_square(part, degree), strict=True):
            term = np.zeros(d, int)
            term[inputs] = local
            terms[tuple(term.tolist())] = terms.get(tuple(term.tolist()), 0.0) + value * weights
    if not terms:
        return np.zeros((0, d), int), np.zeros((0, c.shape[1]))
    return np.array(list(terms)), np.array(list(terms.values()))


def _constraints(body: Body, w: np.ndarray, slope: np.ndarray):
    """Inputs and coordinates of w of each ball and of each pair of faces, with the multiplier of every column."""
    for block, ball in body.blocks:
        rows = list(block)
        if ball:
            length = np.linalg.norm(w[:, rows], axis=1)
            weight = np.einsum("ij,ij->i", w[:, rows], slope[:, rows]) / 2
            yield rows, rows, np.where(length >= 1 - ACTIVE, np.maximum(weight, 0.0), 0.0)
        elif not np.array_equal(body.generators[np.ix_(rows, rows)], np.eye(len(rows))):  # else these faces are the box's
            for i in rows:
                yield rows, [i], np.where(np.abs(w[:, i]) >= 1 - ACTIVE, np.maximum(w[:, i] * slope[:, i] / 2, 0.0), 0.0)


def _square(part: np.ndarray, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """``q (1 - q)`` of degree 4, or ``1 - q`` of degree 2, ``q = |part x|²``, as Chebyshev terms: exponents and coefficients."""
    m = part.shape[1]
    grid = np.stack(np.meshgrid(*[chebyshev.nodes(degree)] * m, indexing="ij"), axis=-1)
    q = ((grid @ part.T) ** 2).sum(axis=-1)
    values = q * (1 - q) if degree == 4 else 1 - q
    c = chebyshev.coefficients(values[..., None], (degree,) * m)[..., 0]
    exponents = np.indices(c.shape).reshape(m, -1).T
    kept = exponents.sum(axis=1) <= degree
    return exponents[kept], c.reshape(-1)[kept]


def _expansions(exponents: np.ndarray, c: np.ndarray, extra: np.ndarray, more: np.ndarray) -> tuple[Expansion, Expansion]:
    """The polynomials without and with the further terms, over the same terms."""
    row_of = {tuple(row): t for t, row in enumerate(exponents.tolist())}
    for row in extra.tolist():
        row_of.setdefault(tuple(row), len(row_of))
    every = np.array(list(row_of))
    plain = np.zeros((len(every), c.shape[1]))
    plain[: len(c)] = c
    bent = plain.copy()
    bent[[row_of[tuple(row)] for row in extra.tolist()]] += more
    shape = every.max(axis=0) + 1
    if np.prod(shape.astype(float)) > 2 * len(every):
        return SparseExpansion(every, plain), SparseExpansion(every, bent)
    out = []
    for coefficients in (plain, bent):
        tensor = np.zeros((*shape, c.shape[1]))
        tensor[tuple(every.T)] = coefficients
        out.append(TensorExpansion(tensor))
    return out[0], out[1]


def _halvings(p: Expansion, ends: int) -> int:
    """How many each of so many ends may take."""
    return int(np.clip(WORK / (p.c.size / p.c.shape[-1] * ends), FEWEST, MOST))


def _upper(p: Expansion, best: np.ndarray, gap: np.ndarray, halvings: int) -> np.ndarray:
    """Bound from above over the cube, (columns,); what is below `best` is not looked at, nor is the other end."""
    seen = (np.full(len(best), -np.inf), best)
    slack = SLACK * np.abs(p.c).reshape(-1, len(best)).sum(axis=0)
    return p.bernstein(gap, seen, halvings)[1] + slack


def _in_parts(plain: Expansion, bent: Expansion, body: Body, best: np.ndarray, gap: np.ndarray, top: np.ndarray) -> np.ndarray:
    """The same bound from parts of the box, (columns,): the part with the highest bound is halved next across its longest side."""
    halvings = _halvings(bent, 4 * PARTS * len(best))  # two expansions in about two parts for each that is left
    d, count = len(body.generators), len(best)
    boxes = [np.tile([-1.0, 1.0], (d, 1))]
    tops = [top]
    while len(boxes) < PARTS:
        excess = np.array([np.max((each - best) / gap, initial=-np.inf) for each in tops])
        at = int(excess.argmax())
        if excess[at] <= 1:
            break
        box, above = boxes.pop(at), tops.pop(at)
        axis = int(np.ptp(box, axis=1).argmax())
        for half in (0, 1):
            child = box.copy()
            child[axis, 1 - half] = box[axis].mean()
            boxes.append(child)
            tops.append(np.full(count, -np.inf) if outside(child, body) else _lower_of((bent, plain), child, best, gap, above, halvings))
    return np.maximum(np.max(tops, axis=0), best)


def _lower_of(
    both: tuple[Expansion, Expansion], box: np.ndarray, best: np.ndarray, gap: np.ndarray, above: np.ndarray, halvings: int
) -> np.ndarray:
    """Bound on a part of the box, (columns,): the lower one of both, and no higher than that on a larger part, `above`."""
    top = above.copy()
    for p in both:
        left = np.flatnonzero(top > best + gap)
        if left.size:
            top[left] = np.fmin(top[left], _upper(p.select(left).restricted(box), best[left], gap[left], halvings))
    return top


def outside(box: np.ndarray, body: Body) -> bool:
    """Whether a box (d, 2) has certainly no point of the set."""
    inverse = np.linalg.inv(body.generators)
    least = np.maximum(np.abs(inverse @ box.mean(axis=1)) - np.abs(inverse) @ np.ptp(box, axis=1) / 2, 0.0)
    return any(np.sum(least[list(at)] ** 2) > 1 + ACTIVE if ball else np.max(least[list(at)]) > 1 + ACTIVE for at, ball in body.blocks)
