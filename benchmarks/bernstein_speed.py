#!/usr/bin/env python
"""Verified bounds of many histories: Bernstein ranges of 1,000 times x 10 outputs in 4 inputs, degree 6, on one core.

The expansions are those of oscillating histories whose frequencies, phases and damping depend on the inputs; the gap is 1e-6 of the range
that the nodes show, which is what the method `chebyshev` asks for.

Target: 5 s.  Prediction: 2,401 coefficients a column take 0.13 ms to convert (4 x 7 multiplications and additions each, 0.5 Gflop/s), twice
0.2 ms for the boxes of both ends; 10,000 columns in about 5 s.

    python benchmarks/bernstein_speed.py [--times 1000] [--outputs 10]
"""

import argparse
import time

from _common import report, short

INPUTS, DEGREE, GAP = 4, 6, 1e-6


def histories(points, times, outputs):
    """Damped oscillations (n, times * outputs) at `points` (n, 4) of [-1, 1]^4."""
    import numpy as np

    t = np.linspace(0, 10, times)
    columns = []
    for output in range(outputs):
        frequency = 1 + 0.2 * output + 0.02 * points[:, 0] + 0.01 * points[:, 1] * points[:, 2]
        damping = 0.05 + 0.02 * points[:, 2]
        phase = 0.3 * points[:, 3] + 0.1 * output
        columns.append((1 + 0.1 * points[:, 1])[:, None] * np.exp(-damping[:, None] * t) * np.sin(frequency[:, None] * t + phase[:, None]))
    return np.concatenate(columns, axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=1000)
    parser.add_argument("--outputs", type=int, default=10)
    arguments = parser.parse_args()

    import numpy as np

    from uqmbd.analysis.chebyshev import chebyshev
    from uqmbd.analysis.chebyshev.bernstein import bernstein_range

    degrees = (DEGREE,) * INPUTS
    axes = np.meshgrid(*[chebyshev.nodes(DEGREE)] * INPUTS, indexing="ij")
    values = histories(np.stack([axis.ravel() for axis in axes], axis=1), arguments.times, arguments.outputs)
    c = chebyshev.coefficients(values.reshape(*(n + 1 for n in degrees), -1), degrees)
    seen = values.min(axis=0), values.max(axis=0)
    gap = GAP * (seen[1] - seen[0])
    bernstein_range(c[..., :2], gap[:2], seen=(seen[0][:2], seen[1][:2]))  # compiles
    start = time.perf_counter()
    bounds, met = bernstein_range(c, gap, seen=seen)
    seconds = time.perf_counter() - start
    fresh = np.random.default_rng(1).uniform(-1, 1, (200, INPUTS))
    inside = chebyshev.evaluate(c, fresh)
    excess = max((bounds[0] - inside.min(axis=0)).max(), (inside.max(axis=0) - bounds[1]).max())
    notes = f"{values.shape[1]} columns of {len(values)} coefficients; gap {GAP:g} of the range reached in {met.mean():.2%}; "
    notes += f"200 random points per column stay inside by {short(-excess, 2)} at least; one core"
    report("bernstein_speed", short(seconds / 5), 1.0, short(seconds), 5.0, "s", notes)


if __name__ == "__main__":
    main()
