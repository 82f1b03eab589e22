"""Projected Gauss-Seidel with exact contacts (NSGS; Jean 1999, CMAME 177, 235-257): robust, quick at moderate tolerances."""

import math

import numpy as np

from flexmbd.lanes import kernel
from flexmbd.lanes.vector import inner
from flexmbd.nonsmooth.cones import natural_map, row_times, rows_times
from flexmbd.nonsmooth.one_contact import planar, spatial
from flexmbd.nonsmooth.problem import TINY

ITERATIONS = 20_000
LOOK = 10  # sweeps between two looks at the residual
SLOW, FARTHEST = 0.5, 1e4  # ratio of two changes from which sweeps leap ahead (Aitken), and how many changes at most


@inner
def renewed(flat, w, mu, n, x, y, pn, px, py):
    """Percussions of one contact that has the velocities n, x, y with its present ones; whether there are none."""
    bn = n - w[0, 0] * pn - w[0, 1] * px - w[0, 2] * py
    if bn >= 0.0 and pn == 0.0:
        return 0.0, 0.0, 0.0, False
    if mu == 0.0:
        return max(-bn / w[0, 0], 0.0), 0.0, 0.0, False
    bx = x - w[1, 0] * pn - w[1, 1] * px - w[1, 2] * py
    if flat:
        n, x, none = planar(0.0, mu, w[0, 0], w[0, 1], w[1, 1], bn, bx)
        return n, x, 0.0, none
    by = y - w[2, 0] * pn - w[2, 1] * px - w[2, 2] * py
    return spatial(0.0, mu, w[0, 0], w[0, 1], w[0, 2], w[1, 1], w[1, 2], w[2, 2], bn, bx, by)


@kernel
def sweeps(many, flat, starts, columns, blocks, diagonal, b, mu, p):
    """Renew all contacts in turn, `many` times; the first contact that has no solution, else -1."""
    for _ in range(many):
        for i in range(len(mu)):
            n, x, y = row_times(i, starts, columns, blocks, p, b)
            n, x, y, none = renewed(flat, blocks[diagonal[i]], mu[i], n, x, y, p[i, 0], p[i, 1], p[i, 2])
            if none:
                return i
            p[i, 0], p[i, 1], p[i, 2] = n, x, y
    return -1


@kernel
def swept(flat, starts, columns, blocks, diagonal, b, mu, p, scales, wanted, most):
    """Sweep until the natural map is at most `wanted`: sweeps, natural map, contact without a solution or -1."""
    done, error = 0, math.inf
    while done < most:
        many = min(LOOK if done else 1, most - done)
        lost = sweeps(many, flat, starts, columns, blocks, diagonal, b, mu, p)
        done += many
        if lost >= 0:
            return done, error, lost
        error = natural_map(p, rows_times(starts, columns, blocks, p, b), mu, scales, True)
        if error <= wanted:
            break
        if most - done < 2:
            continue
        first = p.copy()
        lost = sweeps(1, flat, starts, columns, blocks, diagonal, b, mu, p)
        second = p.copy()
        lost = max(lost, sweeps(1, flat, starts, columns, blocks, diagonal, b, mu, p))
        done += 2
        if lost >= 0:
            return done, error, lost
        ratio = math.sqrt(((p - second) ** 2).sum() / max(((second - first) ** 2).sum(), 1e-300))
        if SLOW < ratio < 1.001:
            ahead = p + ratio / max(1.0 - ratio, 1.0 / FARTHEST) * (p - second)
            for i in range(len(mu)):
                n = max(ahead[i, 0], 0.0)
                size = math.sqrt(ahead[i, 1] ** 2 + ahead[i, 2] ** 2)
                share = min(mu[i] * n / max(size, 1e-300), 1.0)
                ahead[i, 0], ahead[i, 1], ahead[i, 2] = n, share * ahead[i, 1], share * ahead[i, 2]
            plain = natural_map(p, rows_times(starts, columns, blocks, p, b), mu, scales, True)
            error = natural_map(ahead, rows_times(starts, columns, blocks, ahead, b), mu, scales, True)
            if error < plain:
                p[:] = ahead
    return done, error, -1


def nsgs(problem, tolerance, iterations, start):
    """Sweeps over the contacts, each solved exactly with what the others have; an iteration is a sweep.

    It needs no factors, and its first sweeps gain most.  Where contacts brace each other, sweeps creep by changes in a steady ratio; the
    way left is estimated from it (Aitken) and gone where that makes the residual less.
    """
    p, most = start, ITERATIONS if iterations is None else iterations
    wanted = tolerance * max(problem.speed, TINY)
    flat, scales = problem.dimension == 2, 1.0 / problem.yields
    done, _, lost = swept(flat, *problem.blocks, problem.wide, problem.friction, p, scales, wanted, most)
    if lost >= 0:
        return np.full_like(p, np.nan), done, painleve(problem, lost)
    return p, done, ""


def painleve(problem, contact):
    """Sentence on a contact that no percussion can hold apart."""
    _, _, blocks, diagonal = problem.blocks
    w = blocks[diagonal[contact]]
    side = problem.friction[contact] * float(np.hypot(w[0, 1], w[0, 2]))
    return (
        f"contact {contact} has no solution: friction presses it together more than its normal percussion opens it"
        f" (W_nn = {w[0, 0]:.3g}, mu |W_nt| = {side:.3g} 1/kg; Painlevé)"
    )


__all__ = ["nsgs", "painleve", "swept"]
