"""Exact delta and PAWN, by quadrature of distribution functions that are known in closed form; no run of any estimator is in them.

Delta of an input is the mean, over its values x, of the total variation between the output and the output given x; PAWN is the median,
over slices of equal probability, of the Kolmogorov-Smirnov distance between the output and the output given the slice. Both need only the
distribution function of the output given x: that of the output is its mean over x, that given a slice the mean over the slice. The total
variation is half the sum of the differences of probability in the cells of a partition: from below, and the better the finer it is.

    python -m tests.uqmbd.exact_distances       print what tests have as numbers, from two resolutions
"""

import numpy as np
from scipy.special import ndtr, ndtri

PI = np.pi
DELTA = np.array([0.2633, 0.4248, 0.2103])  # of Ishigami's function, like these below within 1e-4
PAWN = np.array([0.2380, 0.3913, 0.0807])  # of ten slices
WEIGHTS = np.sqrt([0.6, 0.3, 0.1])  # of a sum of standard normal variables
NORMAL_DELTA = np.array([0.36124, 0.20831, 0.10709])
NORMAL_PAWN = np.array([0.29708, 0.17328, 0.08986])


def distances(given, slices=10):
    """Delta and PAWN from ``given`` (n, cells + 1): distribution function at the edges of the cells, given n values of equal weight."""
    whole = given.mean(axis=0)
    shift = np.abs(np.diff(given, axis=1) - np.diff(whole)).sum(axis=1) / 2
    parts = given.reshape(slices, -1, len(whole)).mean(axis=1)
    return shift.mean(), np.median(np.abs(parts - whole).max(axis=1))


def middles(low, high, n):
    """Middles of n equal parts."""
    return low + (np.arange(n) + 0.5) * (high - low) / n


def arcsine(x):
    """P(sin of an angle that is uniform <= x)."""
    return 0.5 + np.arcsin(np.clip(x, -1, 1)) / PI


def of_ishigami(n, inner, cells):
    """Of ``sin x1 + 7 sin² x2 + 0.1 x3⁴ sin x1``, angles uniform over [-π, π]: edges of cells, and the functions ``given`` each input.

    ``7 sin² x2 = 3.5 - 3.5 cos 2 x2`` and ``sin x1`` are arcsine variables, so with an input given one mean over another is left: over
    x3 of the function of the second, over x3 of that of ``sin x1``, over x2 of that of ``sin x1``.

    Parameters
    ----------
    n : int
        Values of the input that is given; a multiple of the slices.
    inner : int
        Values of the one over which the mean is taken.
    cells : int
        Of the output; as many again about 0 and 7, where densities given x1 begin and end.
    """
    top, x = 1 + 0.1 * PI**4, middles(-PI, PI, n)
    y = np.unique(np.concatenate([np.linspace(*ends, cells + 1) for ends in ((-top, 7 + top), (-1.2, 1.2), (5.8, 8.2))]))
    steep, wave = 1 + 0.1 * middles(0, PI, inner) ** 4, 3.5 - 3.5 * np.cos(middles(0, PI, inner))
    first = means(np.sin(x), lambda v: (arcsine((y - v * b) / 3.5 - 1) for b in steep), inner)
    second = means(7 * np.sin(x) ** 2, lambda v: (arcsine((y - v) / b) for b in steep), inner)
    third = means(1 + 0.1 * x**4, lambda v: (arcsine((y - c) / v) for c in wave), inner)
    return y, (first, second, third)


def means(values, parts, count):
    """Means of the `count` parts of each of `values` (n,), made once for those that are the same."""
    different, at = np.unique(np.round(values, 12), return_inverse=True)
    return np.array([sum(parts(value)) / count for value in different])[at]


def ishigami(n, inner, cells):
    """Delta and PAWN (2, 3), as above."""
    return np.array([distances(given) for given in of_ishigami(n, inner, cells)[1]]).T


def sum_of_normals(weights, n, cells):
    """Delta and PAWN (2, d) of a sum of standard normal variables with these weights, whose squares add up to 1."""
    y, z = np.linspace(-9, 9, cells + 1), ndtri(middles(0, 1, n))
    return np.array([distances(ndtr((y - a * z[:, None]) / np.sqrt(1 - a**2))) for a in weights]).T


if __name__ == "__main__":
    for resolution in ((200, 800, 1000), (400, 3200, 2000)):  # the second takes minutes
        print(ishigami(*resolution), sum_of_normals(WEIGHTS, 2000, resolution[-1]))
