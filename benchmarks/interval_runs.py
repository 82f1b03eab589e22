#!/usr/bin/env python
"""Runs that interval bounds of a mechanism need: sparse grid against tensor grid against random runs.

A double pendulum of two point masses falls from (90 deg, 0) for 2 s: with two uncertain lengths, with its masses uncertain too, and, as a
mechanism of six inputs, with a torsional spring at the elbow and gravity as well.  Integrated by DOP853 at 1e-10, all samples of a batch as
one system.  The dense reference has 4^6 (33^2) runs and then searches the extreme of every output at every time by real runs, step by step
in all inputs, down to 1/1000 of the intervals.

An error is the largest distance of a bound from the reference over all outputs and times, relative to the output's range.  Targets: error
below 1e-3; at most half of the runs of the tensor grid that reaches the same error; less than a tenth of what 20,000 random runs miss.
Bounds are widened by twice the validated error, so the tolerance of the grid is a quarter of the error wanted.
Prediction: 6 inputs: 1,500 runs where the tensor grid needs 5,120; 2 inputs: three quarters of the tensor grid's runs, since half of a
square of terms is the best that a sparse grid can leave out.

    python benchmarks/interval_runs.py [--inputs 6] [--tolerance 2.5e-4] [--random 20000]
"""

import argparse

from _common import report, short

BOX = {"l1": (0.98, 1.02), "l2": (0.98, 1.02), "m1": (0.9, 1.1), "m2": (0.9, 1.1), "spring": (0.5, 1.5), "gravity": (9.76, 9.86)}
NOMINAL = {"m1": 1.0, "m2": 1.0, "spring": 0.0, "gravity": 9.81}
DEGREES = {2: range(1, 9), 4: range(1, 6), 6: (1, 2, 3, 4)}
BATCH = 4096


def pendulum(time, **inputs):
    """Angles from the vertical, {name: (n, times)}; lengths in m, masses in kg, spring in N m/rad, gravity in m/s²."""
    import numpy as np
    from scipy.integrate import solve_ivp

    n = len(inputs["l1"])
    l1, l2, m1, m2, k, g = (np.broadcast_to((NOMINAL | inputs)[name], n) for name in BOX)
    a11, a22 = (m1 + m2) * l1 * l1, m2 * l2 * l2

    def rates(_, y):
        a, b, p, q = y.reshape(4, n)
        s, c, torque = np.sin(a - b), np.cos(a - b), k * (b - a)
        a12 = m2 * l1 * l2 * c
        f1 = -m2 * l1 * l2 * q * q * s - (m1 + m2) * g * l1 * np.sin(a) + torque
        f2 = m2 * l1 * l2 * p * p * s - m2 * g * l2 * np.sin(b) - torque
        det = a11 * a22 - a12 * a12
        return np.concatenate([p, q, (a22 * f1 - a12 * f2) / det, (a11 * f2 - a12 * f1) / det])

    start = np.concatenate([np.full(n, np.pi / 2), np.zeros(3 * n)])
    y = solve_ivp(rates, (0, time[-1]), start, method="DOP853", rtol=1e-10, atol=1e-10, t_eval=time).y.reshape(4, n, -1)
    return {"theta1": y[0], "theta2": y[1]}


def values_at(points, names, time):
    """All columns (n, outputs * times) at points (n, d) of [-1, 1]^d."""
    import numpy as np

    low, high = np.array([BOX[name] for name in names]).T
    samples = low + (high - low) * (points + 1) / 2
    parts = [pendulum(time, **dict(zip(names, samples[i : i + BATCH].T))) for i in range(0, len(samples), BATCH)]
    return np.concatenate([np.concatenate(list(part.values()), axis=1) for part in parts])


def dense_reference(names, time):
    """Extremes (2, columns) by a compass search with real runs for every end of every column, from the best of a grid; number of runs."""
    from itertools import product

    import numpy as np

    axis = np.cos(np.linspace(np.pi, 0, 4 if len(names) > 2 else 33))
    points = np.array(list(product(axis, repeat=len(names))))
    values = values_at(points, names, time)
    columns = values.shape[1]
    which = np.tile(np.arange(columns), 2)
    sign = np.repeat([-1.0, 1.0], columns)
    at = np.concatenate([points[values.argmin(axis=0)], points[values.argmax(axis=0)]])
    best = np.concatenate([-values.min(axis=0), values.max(axis=0)])
    step = np.full(2 * columns, 0.25)
    ways = np.concatenate([np.eye(len(names)), -np.eye(len(names))])
    runs = len(points)
    while (left := np.flatnonzero(step > 1e-3)).size:
        tries = np.clip(at[left, None] + step[left, None, None] * ways, -1, 1)
        found = values_at(tries.reshape(-1, len(names)), names, time).reshape(len(left), len(ways), columns)
        runs += len(left) * len(ways)
        here = sign[left, None] * np.take_along_axis(found, which[left, None, None], axis=2)[:, :, 0]
        chosen = here.argmax(axis=1)
        better = here[np.arange(len(left)), chosen] > best[left] + 1e-12
        best[left] = np.where(better, here[np.arange(len(left)), chosen], best[left])
        at[left] = np.where(better[:, None], tries[np.arange(len(left)), chosen], at[left])
        step[left] = np.where(better, step[left], step[left] / 2)
    return (sign * best).reshape(2, columns), runs


def bounds_by(method, names, time):
    """Bounds (2, columns) of a method and its number of runs."""
    import numpy as np

    from uqmbd.inputs import Interval
    from uqmbd.outcomes import OutputInfo

    run = method.start({n: Interval(*BOX[n]) for n in names}, {n: OutputInfo("rad") for n in ("theta1", "theta2")}, time, 1)
    count = 0
    while (samples := run.ask()) is not None:
        size = len(samples["l1"])
        for i in range(0, size, BATCH):
            part = {name: value[i : i + BATCH] for name, value in samples.items()}
            run.tell(part, pendulum(time, **part), np.zeros(len(part["l1"]), np.int8))
        count += size
    result = run.result()
    return np.concatenate([result.bounds[name].values for name in ("theta1", "theta2")], axis=1), count, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, choices=sorted(DEGREES), default=6)
    parser.add_argument("--tolerance", type=float, default=2.5e-4)
    parser.add_argument("--random", type=int, default=20_000)
    parser.add_argument("--points", type=int, default=51)
    arguments = parser.parse_args()

    import numpy as np

    from uqmbd.methods import Chebyshev

    names, time = list(BOX)[: arguments.inputs], np.linspace(0, 2, arguments.points)
    reference, runs = dense_reference(names, time)
    scale = np.repeat([np.ptp(reference[:, : len(time)]), np.ptp(reference[:, len(time) :])], len(time))
    print(f"dense reference: {runs} runs", flush=True)

    def error(bounds):
        return float((np.abs(bounds - reference) / scale).max())

    sample = values_at(np.random.default_rng(1).uniform(-1, 1, (arguments.random, len(names))), names, time)
    missed = error(np.stack([sample.min(axis=0), sample.max(axis=0)]))
    print(f"{arguments.random} random runs miss {missed:.2e}", flush=True)
    settings = {"fallback_runs": 0, "trust_tolerance": 0.1, "gap": 1e-5}
    sparse = Chebyshev(grid="sparse", tolerance=arguments.tolerance, corner_runs=True, **settings)
    bounds, ours, result = bounds_by(sparse, names, time)
    reached = error(bounds)
    outside = float(np.maximum(bounds[0] - reference[0], reference[1] - bounds[1]).max() / scale.min())
    print(f"sparse grid: {ours} runs, error {reached:.2e}, degrees {result.attrs['degrees']}, reference outside by {max(outside, 0):.1e}; ")
    theirs = None
    for degree in DEGREES[arguments.inputs]:
        bounds, count, _ = bounds_by(Chebyshev(degree=degree, max_runs=10**6, **settings), names, time)
        print(f"tensor grid of degree {degree}: {count} runs, error {error(bounds):.2e}", flush=True)
        if theirs is None and error(bounds) <= reached:
            theirs = count
    more = theirs is None
    theirs = count if more else theirs
    notes = f"{len(names)} inputs; error {short(reached, 2)} of the range (target 1e-3), "
    notes += f"{arguments.random} random runs miss {short(missed, 2)}; "
    notes += f"the tensor grid needs {'more than ' if more else ''}{theirs} runs for it"
    report(f"interval_runs_{len(names)}", short(ours / theirs), 0.5, ours, theirs, "runs", notes)


if __name__ == "__main__":
    main()
