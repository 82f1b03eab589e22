"""Coefficients of expansions from runs: least squares for all columns at once, and sparse sets of terms.

The error of a fit is that of leaving one run out, from the hat matrix (Allen 1974), times the correction for few runs of Chapelle,
Vapnik and Bengio, Mach. Learn. 48 (2002) 9; both as in Blatman and Sudret, J. Comput. Phys. 230 (2011) 2345. A fit that follows every
run is thereby seen as what it is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.base import columnwise, principal_components
from uqmbd.analysis.base.threads import one_thread

ENERGY, MOST_COMPONENTS = 1e-6, 12  # of the principal components on which terms are chosen
LARGEST_SHARE = 0.7  # terms by runs on a sparse path; beyond, the correction grows without limit
FIRST_STEPS = 48  # of a path, which is doubled while the error falls
PATIENCE = 3  # degrees in a row without a smaller error after which higher ones are not tried
_EXACT = 1e-24  # relative squared error that is rounding
_BETTER = 1 - 1e-6  # a smaller error is smaller by more than rounding
_ILL = 1e10  # condition of the normal matrix beyond which QR takes over
_SEEN = 0.1  # root mean square of a term below which the runs hardly see it; in orthonormal terms it is about 1


@dataclass(frozen=True, eq=False)
class Fit:
    """A least-squares fit of all columns."""

    c: np.ndarray  # (terms, columns)
    # (columns,): corrected mean squared leave-one-out error, unit of the column squared; infinite with as many terms as runs
    loo: np.ndarray
    # (columns,): largest error at a run of the fit to the others, not corrected, unit of the column; infinite if no run tells
    missed: np.ndarray


def least_squares(psi: np.ndarray, values: np.ndarray) -> Fit:
    """Fit `values` (n, columns) by the terms `psi` (n, terms), with one factorisation for all columns.

    Raises `ValueError` for fewer runs than terms, or terms that these runs cannot tell apart.
    """
    from scipy.linalg import cho_solve, solve_triangular

    n, terms = psi.shape
    if n < terms:
        raise ValueError(f"{terms} terms need at least {terms} runs, not {n}")
    gram = psi.T @ psi
    if (factored := _cholesky(gram)) is not None:
        factor, inverse = factored
        q = solve_triangular(factor, psi.T, lower=True).T
        trace = float((np.tril(inverse) ** 2).sum())
    else:
        q, r = _orthogonal(psi)
        size = np.abs(np.diag(r))
        if size.min() <= 1e-12 * size.max():
            raise ValueError(f"these {n} runs cannot tell the {terms} terms apart")
        trace = float((solve_triangular(r, np.eye(terms)) ** 2).sum())
    left = 1 - np.einsum("ij,ij->i", q, q)

    def of(at: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        some = values[:, at]
        c = solve_triangular(r, q.T @ some) if factored is None else cho_solve((factored[0], True), psi.T @ some)
        return c, *_left_out(left, some - psi @ c)

    c, squares, missed = columnwise.by_blocks(of, values.shape[1], 4 * n)
    return _fit(c, squares / n * correction(n, terms, trace), missed)


def by_blocks(psi: Callable[[slice], np.ndarray], values: np.ndarray, groups: Sequence[tuple[np.ndarray, slice]], rows: int) -> list[Fit]:
    """`least_squares` of groups of columns, each by terms of its own, with the terms of `rows` runs at a time in memory.

    ``psi(slice)`` gives all terms at some of the runs, (rows, terms); `values` are (n, columns); each of the `groups` is its terms, fewer
    than the runs, and its columns.
    """
    from scipy.linalg import cho_solve, solve_triangular

    n = len(values)
    blocks = [slice(at, min(at + rows, n)) for at in range(0, n, rows)]
    first = psi(blocks[0])
    gram, right = first.T @ first, first.T @ values[blocks[0]]
    for block in blocks[1:]:
        part = psi(block)
        gram += part.T @ part
        right += part.T @ values[block]
    factors = [each for terms, _ in groups if (each := _cholesky(gram[np.ix_(terms, terms)])) is not None]
    if len(factors) < len(groups):
        whole = np.concatenate([psi(block) for block in blocks])
        return [least_squares(whole[:, terms], values[:, at]) for terms, at in groups]
    coefficients = [cho_solve((factor, True), right[terms, at]) for (factor, _), (terms, at) in zip(factors, groups, strict=True)]
    sums: list[list[np.ndarray]] = [[] for _ in groups]
    for block in blocks:
        part = psi(block)
        for (factor, _), (terms, at), c, each in zip(factors, groups, coefficients, sums, strict=True):
            q = solve_triangular(factor, part[:, terms].T, lower=True)
            each.append(np.stack(_left_out(1 - np.einsum("ij,ij->j", q, q), values[block, at] - part[:, terms] @ c)))
    fits = []
    for (_, inverse), c, each in zip(factors, coefficients, sums, strict=True):
        squares, missed = np.stack(each, axis=1)
        trace = float((np.tril(inverse) ** 2).sum())
        fits.append(_fit(c, squares.sum(axis=0) / n * correction(n, len(c), trace), np.fmax.reduce(missed, axis=0)))
    return fits


def _left_out(left: np.ndarray, residuals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the squares, and the largest, of the errors at runs left out, from `left`, 1 less the leverage, and the residuals."""
    # at leverage 1 a run is met exactly, and nothing is known about its error
    residuals = residuals / np.where(left > 1e-12, left, np.nan)[:, None]
    return np.einsum("ij,ij->j", residuals, residuals), np.fmax(np.fmax.reduce(residuals, axis=0), -np.fmin.reduce(residuals, axis=0))


def _fit(c: np.ndarray, loo: np.ndarray, missed: np.ndarray) -> Fit:
    return Fit(c, np.where(np.isfinite(loo), loo, np.inf), np.where(np.isfinite(missed), missed, np.inf))


def _cholesky(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The Cholesky factor of a normal matrix and its inverse, lower triangles; None where it is ill-conditioned."""
    from scipy.linalg import get_lapack_funcs

    potrf, pocon, trtri = get_lapack_funcs(("potrf", "pocon", "trtri"), dtype=float)
    factor, fails = potrf(gram, lower=1)
    if fails or pocon(factor, np.abs(gram).sum(axis=0).max(), uplo="L")[0] <= 1 / _ILL:
        return None
    return factor, trtri(factor, lower=1)[0]


def _orthogonal(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q and R of a matrix (n, k), (n, m) and (m, k) with m the lesser of both, as LAPACK makes them."""
    from scipy.linalg import qr

    q, r = qr(matrix, mode="economic")  # pyright: ignore[reportAssignmentType]  how many it gives depends on its arguments
    return np.asarray(q), np.asarray(r)


def correction(n: int, terms: int | np.ndarray, trace: float | np.ndarray) -> float | np.ndarray:
    """``n / (n - P) (1 + tr (Ψ'Ψ)⁻¹)``: by how much the leave-one-out error of P terms and n runs is too small."""
    spare = np.maximum(n - np.asarray(terms, float), 0.0)
    return np.divide(n * (1 + trace), spare, out=np.full(np.shape(spare), np.inf), where=spare > 0)


def prefix_errors(psi: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Corrected leave-one-out error of the first 1, 2, ... columns of `psi` (n, k), summed over `values` (n, m): shape (k',).

    All from one QR; k' is less than k where a column depends on those before it.
    """
    from scipy.linalg import solve_triangular

    n = len(psi)
    q, r = _orthogonal(psi[:, : n - 1])
    size = np.abs(np.diag(r)) / np.linalg.norm(psi[:, : r.shape[1]], axis=0)
    stop = int(np.argmax(size < 1e-8)) if np.any(size < 1e-8) else len(size)
    q, r = q[:, :stop], r[:stop, :stop]
    left = 1 - np.cumsum(q**2, axis=1)
    left = np.where(left > 1e-12, left, np.nan)
    inverse = solve_triangular(r, np.eye(stop))
    factor = correction(n, np.arange(1, stop + 1), np.cumsum((inverse**2).sum(axis=0)))
    out = np.zeros(stop)
    for y in values.T:
        residuals = y[:, None] - np.cumsum(q * (q.T @ y), axis=1)
        out += ((residuals / left) ** 2).mean(axis=0)
    return np.where(np.isfinite(out), out * factor, np.inf)


def lars_order(psi: np.ndarray, values: np.ndarray, steps: int) -> np.ndarray:
    """The constant, which is the first column, and the terms that least-angle regression (Efron et al. 2004) takes up for one column."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import lars_path

    y = values[:, 0]
    x = psi[:, 1:] - psi[:, 1:].mean(axis=0)
    norm = np.linalg.norm(x, axis=0)
    usable = np.flatnonzero(norm > 1e-12 * max(norm.max(initial=0.0), 1e-300))
    size = np.abs(y - y.mean()).max(initial=0.0)
    if not usable.size or size == 0:
        return np.zeros(1, int)
    x = np.asfortranarray(x[:, usable] / np.maximum(norm[usable], _SEEN * np.sqrt(len(x))))
    gram = x.T @ x if x.shape[1] <= 2 * len(x) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # columns that depend on others are left out, as they should be
        _, active, _ = lars_path(x, (y - y.mean()) / size, Gram=gram, max_iter=steps, method="lar", return_path=False, copy_X=False)
    return np.concatenate([[0], usable[np.asarray(active, int)] + 1])


def omp_order(psi: np.ndarray, values: np.ndarray, steps: int) -> np.ndarray:
    """The constant, which is the first column, and the terms of orthogonal matching pursuit for all `values` (n, m) together.

    The next term is the one whose correlations with all residuals have the largest sum of squares (Tropp, Gilbert and Strauss,
    Signal Process. 86 (2006) 572); the residuals are then made orthogonal to it.
    """
    x = psi - np.where(np.arange(psi.shape[1]), psi.mean(axis=0), 0.0)
    norm = np.linalg.norm(x, axis=0)
    free = norm > 1e-12 * norm.max()
    free[0] = False
    x = x / np.maximum(norm, _SEEN * np.sqrt(len(x)))
    residuals = values - values.mean(axis=0)
    start = float((residuals**2).sum())
    chosen, q, gains = [0], np.empty((len(psi), 0)), x.T @ residuals
    while len(chosen) <= steps and free.any() and (residuals**2).sum() > _EXACT * start:
        best = int(np.argmax(np.where(free, (gains**2).sum(axis=1), -1.0)))
        free[best] = False
        new = x[:, best]
        for _ in range(2):  # twice is enough (Kahan)
            new = new - q @ (q.T @ new)
        size = np.linalg.norm(new)
        if size < 1e-8:
            continue
        new = new / size
        chosen.append(best)
        q = np.column_stack([q, new])
        step = new @ residuals
        residuals = residuals - np.outer(new, step)
        gains = gains - np.outer(new @ x, step)
    return np.array(chosen)


@dataclass(frozen=True, eq=False)
class Choice:
    """Terms that were chosen for a group of columns."""

    terms: np.ndarray  # int: columns of the basis, ascending; the constant is one
    loo: float  # corrected leave-one-out error over the variance, of all columns of the group together
    degree: int  # the degree of the basis they were chosen from
    left_out: float  # share of the variance that the principal components leave out on which terms were chosen


@one_thread
def choose(psi: np.ndarray, levels: np.ndarray, degrees: list[int], values: np.ndarray, how: str) -> Choice:
    """Choose degree and terms for the columns `values` (n, columns), which should be alike in scale.

    Parameters
    ----------
    psi : ndarray, shape (n, terms)
        The first column is the constant.
    levels : ndarray, shape (terms,)
        Smallest degree whose basis has the term.
    degrees : list of int
        Candidates, ascending. Higher ones are not tried after `PATIENCE` of them without a smaller error.
    how : str
        ``lars``, ``omp``, ``least_squares`` (all terms of the degree, if there are runs enough), ``sparse``: ``lars`` for one column
        and ``omp`` for several, which it takes together while ``lars`` follows a path for each principal component.
    """
    if how == "sparse":
        how = "lars" if values.shape[1] == 1 else "omp"
    components, left_out = principal_components.scores(values, energy=ENERGY, most=MOST_COMPONENTS)
    total = float((components**2).sum()) / len(values)
    if total <= 0:
        return Choice(np.zeros(1, int), 0.0, degrees[0], 0.0)
    best, since = Choice(np.zeros(1, int), np.inf, degrees[0], left_out), 0
    there = psi.any(axis=0)  # of a variable with few values, polynomials of high degree are zero
    for degree in degrees:
        at = np.flatnonzero((levels <= degree) & there)
        candidates = []
        if how != "least_squares":
            candidates.append(sparse(psi[:, at], components, how))
        if len(at) < len(psi):  # all terms, which may be the best choice too
            candidates.append((np.arange(len(at)), _full_error(psi[:, at], components)))
        for terms, error in candidates:
            if error / total < _BETTER * best.loo and not best.loo < _EXACT:
                best, since = Choice(np.sort(at[terms]), error / total, degree, left_out), -1
        since += 1
        if best.loo < _EXACT or since >= PATIENCE:
            break
    return best


def _full_error(psi: np.ndarray, components: np.ndarray) -> float:
    try:
        return float(least_squares(psi, components).loo.sum())
    except ValueError:
        return np.inf


def sparse(psi: np.ndarray, components: np.ndarray, how: str) -> tuple[np.ndarray, float]:
    """Terms for the scores `components` (n, m), and their corrected leave-one-out error (squared, sum of all components).

    Hybrid least-angle regression takes the order of the path and the coefficients of least squares. Several components each have
    their path; their terms are then ranked by the variance that they explain in all of them.
    """
    if how == "omp":
        order, errors = _path(omp_order, psi, components)
    elif components.shape[1] == 1:
        order, errors = _path(lars_order, psi, components)
    else:
        explained = np.zeros(psi.shape[1])
        for y in components.T:
            path, errors = _path(lars_order, psi, y[:, None])
            path = path[: int(np.argmin(errors)) + 1]
            explained[path] += np.linalg.lstsq(psi[:, path], y, rcond=None)[0] ** 2
        order = np.concatenate([[0], 1 + np.argsort(-explained[1:], kind="stable")])
        order = order[: 1 + min(np.count_nonzero(explained[1:]), int(LARGEST_SHARE * len(psi)))]
        errors = prefix_errors(psi[:, order], components)
    best = int(np.argmin(errors))
    return order[: best + 1], float(errors[best])


def _path(follow: Callable[..., np.ndarray], psi: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A path and its errors (see `prefix_errors`), followed at least until its smallest error lies in its first half."""
    most = max(1, min(int(LARGEST_SHARE * len(psi)), psi.shape[1] - 1))
    # least-angle regression starts anew when it goes further, which pays: its steps are dear and a long path is rare
    steps = most if follow is omp_order else min(FIRST_STEPS, most)
    exact = _EXACT * (values - values.mean(axis=0)).var(axis=0).sum()
    while True:
        path = follow(psi, values, steps)
        errors = prefix_errors(psi[:, path], values)
        best = int(np.argmin(errors))
        if steps == most or len(path) <= steps or 2 * (best + 1) <= len(errors) or errors[best] <= exact:
            return path, errors
        steps = min(2 * steps, most)
