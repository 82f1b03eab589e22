"""Linear complementarity by Lemke's pivoting (Cottle, Pang and Stone 1992, ch. 4): exact for a few dozen contacts, none or in the plane."""

from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError, check_range

ROUNDING = 1e-12  # of the largest number of a column: less is zero


@dataclass(frozen=True)
class Complementary:
    """``w = M z + q >= 0``, ``z >= 0``, ``z . w = 0``.

    Attributes
    ----------
    z, w : ndarray (n,)
        NaN where Lemke's path ends on a ray.
    pivots : int
    message : str
        Why there is no solution; empty if there is.
    """

    z: object
    w: object
    pivots: int
    message: str = ""


def lcp(matrix, vector, *, pivots=None):
    """Solve a linear complementarity problem by Lemke's method, ties broken by the lexicographic rule.

    Parameters
    ----------
    matrix : array_like (n, n)
        M, any.  For copositive M (contacts with Coulomb's friction) a ray means that there is no solution, or none that this path finds.
    vector : array_like (n,)
        q.
    pivots : int, optional
        How many at most; left out, 50 n.

    Returns
    -------
    Complementary
    """
    matrix, q = np.array(matrix, dtype=float), np.array(vector, dtype=float)
    n = len(q)
    if matrix.shape != (n, n):
        raise ModelError(f"complementarity: the matrix has the shape {matrix.shape}; it must be {(n, n)}, as the vector has it")
    check_range("complementarity", "matrix", matrix)
    check_range("complementarity", "vector", q)
    if np.all(q >= 0.0):
        return Complementary(np.zeros(n), q, 0)
    cover = np.maximum(np.abs(matrix).max(axis=1), 1e-300)  # so that other units of a row change nothing
    # columns: w (n), z (n), cover, right-hand side; w - M z - cover z0 = q
    table = np.hstack([np.eye(n), -matrix, -cover[:, None], q[:, None]])
    size = np.maximum(np.abs(table[:, :-1]).max(axis=0), 1e-300)
    basis = np.arange(n)
    row = int(np.argmin(q / cover))
    entering = 2 * n
    most = 50 * n if pivots is None else pivots
    for done in range(1, most + 1):
        table[row] /= table[row, entering]
        others = np.arange(n) != row
        table[others] -= np.outer(table[others, entering], table[row])
        leaving, basis[row] = basis[row], entering
        if leaving == 2 * n:
            return _exact(matrix, q, basis, done)
        entering = leaving + n if leaving < n else leaving - n
        column = table[:, entering]
        may = np.flatnonzero(column > ROUNDING * max(np.abs(column).max(), ROUNDING * size[entering]))
        if len(may) == 0:
            none = np.full(n, np.nan)
            return Complementary(none, none, done, "Lemke's path ends on a ray: no solution was found")
        row = _least(table, column, may, basis, n)
    none = np.full(n, np.nan)
    return Complementary(none, none, most, f"Lemke's path is longer than {most} pivots")


def _least(table, column, may, basis, n):
    """Row of the least ratio; of equal ones that of the artificial variable, else the lexicographic least."""
    ratios = table[may, -1] / column[may]
    may = may[ratios <= ratios.min() + ROUNDING * max(abs(ratios.min()), np.abs(table[:, -1]).max() * ROUNDING)]
    last = np.flatnonzero(basis[may] == 2 * n)
    if len(last):
        return int(may[last[0]])
    for k in range(n):
        if len(may) == 1:
            break
        ratios = table[may, k] / column[may]
        may = may[ratios <= ratios.min() + ROUNDING * max(np.abs(ratios).max(), 1e-300)]
    return int(may[0])


def _exact(matrix, q, basis, done):
    """Solution of a basis, from the problem's own numbers rather than from a table that many pivots have rounded."""
    n = len(q)
    active = np.sort(basis[(basis >= n) & (basis < 2 * n)] - n)
    z = np.zeros(n)
    own = matrix[np.ix_(active, active)]
    z[active] = np.linalg.lstsq(own, -q[active], rcond=1e-15)[0] if len(active) else 0.0
    if len(active):
        z[active] -= np.linalg.lstsq(own, own @ z[active] + q[active], rcond=1e-15)[0]
    z = np.maximum(z, 0.0)
    w = matrix @ z + q
    w[active] = 0.0
    return Complementary(z, w, done)


def planar_friction(matrix, free, friction):
    """Matrix and vector of the complementarity problem of m contacts in the plane (Stewart and Trinkle 1996, for velocities).

    Unknown are normal percussions, tangential ones to either side, and sliding speeds l: ``0 <= u_n | p_n``, ``0 <= l +- u_t | p_t+-``,
    ``0 <= mu p_n - p_t+ - p_t- | l``.
    """
    m = len(free)
    w = np.asarray(matrix).reshape(m, 2, m, 2)
    nn, nt, tn, tt = w[:, 0, :, 0], w[:, 0, :, 1], w[:, 1, :, 0], w[:, 1, :, 1]
    none, one, mu = np.zeros((m, m)), np.eye(m), np.diag(friction)
    found = np.block([[nn, nt, -nt, none], [tn, tt, -tt, one], [-tn, -tt, tt, one], [mu, -one, -one, none]])
    return found, np.concatenate([free[:, 0], free[:, 1], -free[:, 1], np.zeros(m)])


def lemke(problem, tolerance, iterations, start):
    """Lemke's pivoting; an iteration is a pivot.  Exact: `tolerance` and `start` change nothing.

    For contacts without friction in any dimension, and with it in the plane.  A round cone in space is no linear problem.
    """
    if problem.dimension == 3 and np.any(problem.friction > 0.0):
        told = "the contact solver 'lemke' does not treat friction in space, whose cone is round"
        raise ModelError(told, remedy="take 'nsgs', 'apgd', 'newton' or 'admm'")
    m, p = problem.count, np.zeros((problem.count, 3))
    dense = problem.matrix.toarray()
    if problem.dimension == 2 and np.any(problem.friction > 0.0):
        # units in which all numbers are about 1
        mass, speed = 1.0 / problem.yields.mean(), max(np.abs(problem.free).max(), 1e-300)
        found = lcp(*planar_friction(mass * dense, problem.free / speed, problem.friction), pivots=iterations)
        z = mass * speed * found.z.reshape(4, m)
        p[:, 0], p[:, 1] = z[0], z[1] - z[2]
    else:
        d = problem.dimension
        found = lcp(dense[::d, ::d], problem.free[:, 0], pivots=iterations)
        p[:, 0] = found.z
    return p, found.pivots, found.message


__all__ = ["Complementary", "lcp", "lemke", "planar_friction"]
