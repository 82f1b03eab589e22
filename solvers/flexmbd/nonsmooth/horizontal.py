"""Horizontal linear complementarity: joints that hold both ways with friction (Cottle, Pang and Stone 1992; Glocker and Studer 2005)."""

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from flexmbd.errors import ModelError, check_range
from flexmbd.nonsmooth.lemke import Complementary, lcp

SINGULAR = 1e-12  # of a column's length: what is left of it when it depends on others


def horizontal_lcp(first, second, vector, *, pivots=None):
    """Solve ``N w - M z = q`` with ``w, z >= 0`` and ``w . z = 0``.

    Of each pair one column is taken so that those taken are independent; by their inverse it is a plain problem, solved by `lcp`.

    Parameters
    ----------
    first, second : array_like (n, n)
        N and M.
    vector : array_like (n,)
        q.
    pivots : int, optional

    Returns
    -------
    Complementary

    Raises
    ------
    ModelError
        Wrong shapes, or no independent choice of columns was found.
    """
    n_, m_, q = (np.array(x, dtype=float) for x in (first, second, vector))
    count = len(q)
    for key, value in (("first", n_), ("second", m_)):
        if value.shape != (count, count):
            raise ModelError(f"horizontal complementarity: {key} has the shape {value.shape}; it must be {(count, count)}")
        check_range("horizontal complementarity", key, value)
    check_range("horizontal complementarity", "vector", q)
    swapped = _choice(n_, m_)
    taken, left = np.where(swapped, -m_, n_), np.where(swapped, n_, -m_)
    factors = lu_factor(taken)
    found = lcp(-lu_solve(factors, left), lu_solve(factors, q), pivots=pivots)
    return Complementary(np.where(swapped, found.w, found.z), np.where(swapped, found.z, found.w), found.pivots, found.message)


def _choice(first, second):
    """Which pairs give the column of z so that all columns are independent; w's is taken as long as it is."""
    count = len(first)
    swapped, rest = np.zeros(count, dtype=bool), [np.array(first), -np.array(second)]
    size = [np.maximum(np.linalg.norm(x, axis=0), 1e-300) for x in rest]
    left = list(range(count))
    while left:
        # the column with most left of it, of w first
        share = np.array([np.linalg.norm(x[:, left], axis=0) / s[left] for x, s in zip(rest, size, strict=True)])
        which = 0 if share[0].max() > SINGULAR else 1
        pair = left[int(np.argmax(share[which]))]
        if share[which].max() <= SINGULAR:
            raise ModelError(
                "horizontal complementarity: no independent choice of columns was found", remedy="check for a row that is zero"
            )
        swapped[pair] = which == 1
        unit = rest[which][:, pair] / np.linalg.norm(rest[which][:, pair])
        rest = [x - np.outer(unit, unit @ x) for x in rest]
        left.remove(pair)
    return swapped


def guide_friction(matrix, free, friction):
    """Percussions of contacts in the plane that hold both ways: ``u_n = 0`` and Coulomb's friction, at most ``mu |p_n|``.

    The normal percussion is ``p+ - p-`` with ``p+ p- = 0``, so that ``|p_n| = p+ + p-``; sliding velocities are split in the same way::

        0 = u_n,   s+ = mu |p_n| + p_t  |  u_t+,   s- = mu |p_n| - p_t  |  u_t-

    Parameters
    ----------
    matrix : array_like (2 m, 2 m)
        Delassus matrix, of each contact normal, tangent.
    free : array_like (m, 2)
        Velocities without percussions.
    friction : float or array_like (m,)

    Returns
    -------
    percussions : ndarray (m, 2)
        NaN without a solution.
    message : str
        Empty, or why there is none.
    """
    free = np.asarray(free, dtype=float)
    m = len(free)
    mu = np.diag(np.broadcast_to(np.asarray(friction, dtype=float), (m,)))
    w = np.asarray(matrix, dtype=float).reshape(m, 2, m, 2)
    nn, nt, tn, tt = w[:, 0, :, 0], w[:, 0, :, 1], w[:, 1, :, 0], w[:, 1, :, 1]
    one, none = np.eye(m), np.zeros((m, m))
    # p_t = s+ - mu |p_n|, so s- = 2 mu |p_n| - s+; pairs (p+, p-), (s+, u+), (s-, u-)
    rows_w = np.block([[nn - nt @ mu, nt, none], [tn - tt @ mu, tt, none], [2.0 * mu, -one, -one]])
    rows_z = np.block([[-nn - nt @ mu, none, none], [-tn - tt @ mu, -one, one], [2.0 * mu, none, none]])
    found = horizontal_lcp(rows_w, -rows_z, np.concatenate([-free[:, 0], -free[:, 1], np.zeros(m)]))
    (up, slack, _), (down, _, _) = found.w.reshape(3, m), found.z.reshape(3, m)
    return np.stack([up - down, slack - np.diag(mu) * (up + down)], axis=1), found.message


__all__ = ["guide_friction", "horizontal_lcp"]
