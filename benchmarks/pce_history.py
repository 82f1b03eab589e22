#!/usr/bin/env python
"""Chaos expansion of a history: fit and all first and total Sobol' indices at every time, against plain numpy's least squares.

10 uniform inputs, total degree 3 (286 terms), 1,000 times, 1,000 runs (Sobol' points), as in `shared/peers/uq/b_timehist_pce.py`: the
same oscillator, the same basis, and for numpy the same few lines (a Vandermonde matrix, `numpy.linalg.lstsq`, sums of squares). Ours is
`uqmbd.analysis`: basis, `least_squares` (which also gives the corrected leave-one-out error of every time), `first`, `total`, mean
and standard deviation. Both in this process, one thread, taking turns; the least of the repetitions counts.

Target: ratio ours/numpy of at most 1.0. Prediction (made before measuring): numpy solves by singular values, which costs some 4 times
the normal equations; ours adds a product for the residuals and a triangular solution for the leverages, about as much as the fit.
So a ratio of 0.5, with coefficients that agree to 1e-12.

    python benchmarks/pce_history.py [--repeats 7] [--quick]
"""

import argparse
import itertools
import math

from _common import least, report, short

D, DEGREE, RUNS, TIMES = 10, 3, 1000, 1000


LOWER = (0.9, 9.0, 0.10, 0.8, 0.9, 1.8, 0.0, -0.1, 0.05, 1.0)
UPPER = (1.1, 11.0, 0.30, 1.2, 1.1, 2.2, 0.3, 0.1, 0.15, 2.0)


def problem(runs, times):
    """Points u (runs, 10) of the unit cube, and histories (runs, times): free and forced motion of m x'' + c x' + k x = F cos(w t + p)."""
    import numpy as np
    from scipy.stats import qmc

    u = qmc.Sobol(D, seed=1).random_base2(10)[:runs]
    m, k, c, x0, v0, force, phase, offset, drift, om = (np.array(LOWER) + (np.array(UPPER) - LOWER) * u).T[:, :, None]
    t = np.linspace(0, 10, times)
    w, z = np.sqrt(k / m), c / (2 * np.sqrt(k * m))
    wd, far = w * np.sqrt(1 - z * z), (k - m * om**2) ** 2 + (c * om) ** 2
    a, b = force * (k - m * om**2) / far, force * c * om / far
    rest = x0 - a * np.cos(phase) - b * np.sin(phase)
    rate = (v0 - om * (b * np.cos(phase) - a * np.sin(phase)) + z * w * rest) / wd
    free = np.exp(-z * w * t) * (rest * np.cos(wd * t) + rate * np.sin(wd * t))
    return u, free + a * np.cos(om * t + phase) + b * np.sin(om * t + phase) + offset + drift * t


def plain(u, values):
    """The peer: numpy only. Coefficients, first and total indices."""
    import numpy as np

    x = 2 * u - 1

    def compositions(d, total):
        if d == 1:
            yield (total,)
            return
        for i in range(total, -1, -1):
            for rest in compositions(d - 1, total - i):
                yield (i, *rest)

    k = np.array(list(itertools.chain.from_iterable(compositions(D, total) for total in range(DEGREE + 1))))
    legendre = np.stack([np.polynomial.legendre.Legendre.basis(n)(x) * math.sqrt(2 * n + 1) for n in range(DEGREE + 1)])
    psi = np.ones((len(x), len(k)))
    for j in range(D):
        psi *= legendre[k[:, j], :, j].T
    c = np.linalg.lstsq(psi, values, rcond=None)[0]
    variance, on = (c[1:] ** 2).sum(0), k > 0
    one = on.sum(1) == 1
    first = np.array([(c[one & on[:, j]] ** 2).sum(0) for j in range(D)]) / variance
    total = np.array([(c[on[:, j]] ** 2).sum(0) for j in range(D)]) / variance
    return c, first, total, c[0], np.sqrt(variance)


def ours(u, values):
    """The same from `uqmbd.analysis`."""
    from uqmbd.analysis.chaos.expansion import Expansion, basis
    from uqmbd.analysis.chaos.families import legendre
    from uqmbd.analysis.chaos.multi_index import index_set
    from uqmbd.analysis.chaos.regression import least_squares

    indices, families = index_set([DEGREE] * D), [legendre()] * D
    fit = least_squares(basis(families, indices, u), values)
    found = Expansion(indices, families, fit.c)
    return fit.c, *found.shares()[:2], found.mean(), found.deviation()


def main():
    """Measure and report."""
    import numpy as np

    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="few times, to see that it works")
    options = parser.parse_args()
    times, repeats = (50, 1) if options.quick else (TIMES, options.repeats)
    u, values = problem(RUNS, times)
    names = ("coefficients", "first", "total", "mean", "std")
    apart = {name: float(np.abs(a - b).max()) for name, a, b in zip(names, ours(u, values), plain(u, values))}
    seconds = least({"ours": lambda: ours(u, values) and None, "numpy": lambda: plain(u, values) and None}, repeats)
    notes = {"times": times, "terms": 286, "runs": RUNS, "largest_difference": {name: short(value, 2) for name, value in apart.items()}}
    numbers = [short(seconds[key]) for key in ("ours", "numpy")]
    report("pce_history", short(seconds["ours"] / seconds["numpy"]), 1.0, *numbers, "s; ratio at most target", notes)


if __name__ == "__main__":
    main()
