"""Proximal method of multipliers (ADMM; Carpentier, Le Lidec and Montaut 2024, arXiv 2405.17020): tight tolerances, redundant contacts."""

import numpy as np
from scipy import sparse

from flexmbd.linalg.direct import analyse
from flexmbd.nonsmooth.cones import project
from flexmbd.nonsmooth.problem import TINY

ITERATIONS = 20_000
RELAXED = 1.6  # over-relaxation
NEAR = 1e-6  # proximal weight, of a matrix whose diagonal is about 1
LOOK = 10  # iterations between two looks at the residual and at the weight
ROUNDING = 1e-16
UNEVEN = 5.0  # ratio of the two relative residuals from which the weight changes


def admm(problem, tolerance, iterations, start):
    """Percussions that fit the cones and others that fit the velocities are drawn together; an iteration is a solution with known factors.

    The weight between the two follows their residuals, and each change costs a factorisation.  The lift of sliding contacts is renewed in
    each iteration, so friction is Coulomb's.
    """
    most, mu = ITERATIONS if iterations is None else iterations, problem.friction
    scale = 1.0 / np.sqrt(problem.yields)
    starts, columns, blocks, diagonal = problem.blocks
    rows = np.repeat(np.arange(problem.count), np.diff(starts))
    even = blocks * (scale[rows] * scale[columns])[:, None, None]
    matrix = sparse.csc_array(sparse.bsr_array((even, columns, starts)))
    matrix.sort_indices()
    b = scale[:, None] * problem.wide
    own = np.flatnonzero(matrix.indices == np.repeat(np.arange(b.size), np.diff(matrix.indptr)))
    plain, symbolic = matrix.data.copy(), analyse(matrix, definite=True)

    def factors(weight):
        values = plain.copy()
        values[own] += weight + NEAR
        return symbolic.factorise(values)

    x = z = start / scale[:, None]
    y = -(matrix @ z.ravel()).reshape(z.shape) - b
    weight, size = 0.1, max(np.linalg.norm(b), TINY)
    solver, done = factors(weight), 0
    while done < most:
        done += 1
        lifted = b.copy()
        lifted[:, 0] += mu * np.hypot(y[:, 1], y[:, 2])
        x = solver.solve((NEAR * x + weight * z - y - lifted).ravel()).reshape(z.shape)
        ahead = RELAXED * x + (1.0 - RELAXED) * z
        new = project(ahead + y / weight, mu)
        y = y + weight * (ahead - new)
        moved, z = new - z, new
        if done % LOOK == 0 or done == most:
            if problem.residual(scale[:, None] * z[:, : problem.dimension]) <= tolerance:
                break
            apart = np.linalg.norm(x - z) / max(np.linalg.norm(z), size)
            late = weight * np.linalg.norm(moved) / max(np.linalg.norm(y), size)
            if apart > UNEVEN * late or late > UNEVEN * apart:
                weight *= float(np.clip(np.sqrt((apart + ROUNDING) / (late + ROUNDING)), 0.1, 10.0))
                weight = float(np.clip(weight, 1e-8, 1e4))
                solver = factors(weight)
    return scale[:, None] * z, done, ""


__all__ = ["admm"]
