"""Sparse chaos expansion of the Ishigami function in OpenTURNS, as its users would write it; prints one JSON object, for `pce_sparse.py`.

Least-angle regression with the corrected leave-one-out error (its default criterion), a fixed basis of total degree 10, the runs read
from a file. The benchmark takes the error from the Sobol' indices of first and total order and from the variance.
"""

import argparse
import json
import time

import numpy as np
import openturns as ot

DEGREE = 10


def main():
    """Fit as often as asked; least seconds of fit and indices, coefficients that count, indices, variance."""
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", help="a file with the inputs in 3 columns and the output in the last (npy)")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    table = np.load(options.runs)
    x, y = ot.Sample(table[:, :3]), ot.Sample(table[:, 3:])
    distribution = ot.JointDistribution([ot.Uniform(-np.pi, np.pi)] * 3)
    seconds = []
    for _ in range(options.repeats):
        start = time.perf_counter()
        enumeration = ot.LinearEnumerateFunction(3)
        basis = ot.OrthogonalProductPolynomialFactory([ot.LegendreFactory()] * 3, enumeration)
        strategy = ot.FixedStrategy(basis, enumeration.getStrataCumulatedCardinal(DEGREE))
        selection = ot.LeastSquaresMetaModelSelectionFactory(ot.LARS(), ot.CorrectedLeaveOneOut())
        algorithm = ot.FunctionalChaosAlgorithm(x, y, distribution, strategy, ot.LeastSquaresStrategy(selection))
        algorithm.run()
        found = algorithm.getResult()
        indices = ot.FunctionalChaosSobolIndices(found)
        first = [indices.getSobolIndex(i) for i in range(3)]
        total = [indices.getSobolTotalIndex(i) for i in range(3)]
        c = np.array(found.getCoefficients())[:, 0]
        variance = float((c[1:] ** 2).sum())
        seconds.append(time.perf_counter() - start)
    told = {"seconds": min(seconds), "terms": len(c), "first": first, "total": total, "variance": variance}
    print(json.dumps(told | {"version": ot.__version__}))


if __name__ == "__main__":
    main()
