"""Positions in which constraint rows depend on each other: which rows do, at the end of runs that failed."""

import numpy as np

from flexmbd.stepping.names import START

FALLEN = 0.03  # of the smallest singular value at the start, below which a run has come to a singular position
SHARES = 0.04  # of the largest entry of the dependence, from which on a row is named


def jacobians(problem, parameters, q, t):
    """Gradients of the rows, scaled to 1, for several samples: an array (samples, rows, n).

    Parameters
    ----------
    problem : Problem
    parameters : Parameters
    q : ndarray (samples, n)
    t : ndarray (samples,)
    """
    entries = [(k, i, x) for k, row in enumerate(problem.rows) for i, x in row.polynomial.gradient(problem.q).items()]
    known = {"q": q.T, "t": t}
    found = np.zeros((len(q), len(problem.rows), problem.n))
    for (k, i, _), x in zip(entries, problem.graph.evaluate([x for *_, x in entries], known, parameters), strict=True):
        found[:, k, i] = x
    norms = np.linalg.norm(found, axis=2, keepdims=True)
    return found / np.where(norms > 0.0, norms, 1.0)


def singular(made, which, stopped):
    """Labels of the rows that depend on each other where runs ended, by sample; only of those that ended in a singular position.

    Parameters
    ----------
    made : Integration
    which : ndarray of int
        Samples to look at.
    stopped : ndarray (count,) of bool
        Samples of which that is known.
    """
    problem, n = made.model.problem, made.model.problem.n
    if made.model.dependent != "none" or not problem.rows or not len(which):
        return {}  # where rows always depend on others, or are too many, nothing is known
    q = made.column(START + 1, n)[which]
    which, q = which[np.isfinite(q).all(1)], q[np.isfinite(q).all(1)]
    if not len(which):
        return {}
    t = made.column(START)[which, 0]
    first = np.array([np.broadcast_to(x, made.count) for x in problem.initial(made.system)[0]], float).reshape(n, made.count).T[which]
    numbers = made.system.parameters().of_samples(which)
    with np.errstate(all="ignore"):
        u, now, _ = np.linalg.svd(jacobians(problem, numbers, q, t), full_matrices=False)
        before = np.linalg.svd(jacobians(problem, numbers, first, 0.0 * t), compute_uv=False)[:, -1]
    found = {}
    for k, i in enumerate(which):
        if stopped[i] or now[k, -1] < FALLEN * before[k]:
            share = np.abs(u[k, :, -1])
            found[int(i)] = [row.label for row, x in zip(problem.rows, share, strict=True) if x > SHARES * share.max()]
    return found
