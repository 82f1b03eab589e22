#!/usr/bin/env python
"""Lyapunov spectra of many runs: by the simulator of exponents, compiled and by arrays, and by pynamicalsys.

Equal work: the same runs one by one of pynamicalsys, and as one batch of ours, as many steps after as many before them, the same start;
Lorenz's equations with the same step of the classical scheme of Runge and Kutta, directions made orthogonal after each step. Hénon's map
with 256 values of a from 1.2 to 1.4, the standard map with 256 values of k from 5 to 8, both 4,096 steps after 512; Lorenz's with 8 values
of rho from 28 to 40, 100 s by 0.01 s after 20 s. Ours have derivatives by complex steps; theirs are written by hand. Seconds of CPU of one
core, the least of some repetitions; compilation apart, ours is in the notes. Spectra are compared: sums with the exact ones, ln 0.3, 0 and
-41/3, and how many of the largest exponents lie within the limits of ours of theirs, whose own error is as large: within 1.5 times.

pynamicalsys is under GPL-3: it runs in an interpreter of its own that ``--peer-python`` names, and is nothing that this project needs.

Target: as fast, the least of the three ratios at least 1. Prediction, after Hénon's by ours took 0.2 µs a step compiled and 2 µs by arrays
on a loaded machine: theirs takes 0.1 to 0.2 µs a step, so the compiled one comes to 0.5 to 1 of it and arrays to a tenth; of Lorenz's, four
evaluations with as many products of its Jacobian against three complex steps of the same four, to 0.5.

    python benchmarks/exponents_peer.py [--peer-python PYTHON] [--quick]
"""

import argparse
import json
import sys
import time

from _common import peer, report, short

BEFORE, STEPS, DT = 512, 4096, 0.01


def henon(x, y, a, b):
    """Of two numbers."""
    return 1.0 - a * x * x + y, b * x


def standard_map():
    """The standard map, in turns, of which whole ones are taken away."""
    import numpy as np

    def standard(x, y, k):
        y = y + k / (2.0 * np.pi) * np.sin(2.0 * np.pi * x)
        x = x + y
        return x - np.floor(np.real(x)), y - np.floor(np.real(y))

    return standard


def lorenz(x, y, z, sigma, rho, beta):
    """A step of the classical scheme of Runge and Kutta."""
    a0, b0, c0 = sigma * (y - x), x * (rho - z) - y, x * y - beta * z
    p, q, r = x + 0.005 * a0, y + 0.005 * b0, z + 0.005 * c0
    a1, b1, c1 = sigma * (q - p), p * (rho - r) - q, p * q - beta * r
    p, q, r = x + 0.005 * a1, y + 0.005 * b1, z + 0.005 * c1
    a2, b2, c2 = sigma * (q - p), p * (rho - r) - q, p * q - beta * r
    p, q, r = x + 0.01 * a2, y + 0.01 * b2, z + 0.01 * c2
    a3, b3, c3 = sigma * (q - p), p * (rho - r) - q, p * q - beta * r
    return (
        x + 0.01 / 6.0 * (a0 + 2.0 * a1 + 2.0 * a2 + a3),
        y + 0.01 / 6.0 * (b0 + 2.0 * b1 + 2.0 * b2 + b3),
        z + 0.01 / 6.0 * (c0 + 2.0 * c1 + 2.0 * c2 + c3),
    )


def cases(quick):
    """Of each: the map, its coordinates, start, parameters by name (runs,), steps, those before them, and the sum of its exponents."""
    import numpy as np

    few = 16 if quick else 256
    a, k, rho = np.linspace(1.2, 1.4, few), np.linspace(5.0, 8.0, few), np.linspace(28.0, 40.0, 2 if quick else 8)
    same = np.ones(len(rho))
    flow = {"sigma": 10.0 * same, "rho": rho, "beta": 8.0 / 3.0 * same}
    return {
        "henon": (henon, ["x", "y"], [0.1, 0.1], {"a": a, "b": np.full(few, 0.3)}, STEPS, BEFORE, np.log(0.3)),
        "standard": (standard_map(), ["x", "y"], [0.31, 0.17], {"k": k}, STEPS, BEFORE, 0.0),
        "lorenz": (lorenz, ["x", "y", "z"], [1.0, 1.0, 20.0], flow, 2016 if quick else 9984, 2000, -41.0 / 3.0),
    }


def ours(case, repeats, compiled, **more):
    """Seconds of CPU of all runs, spectra (runs, d), half widths of the largest exponents' limits, and seconds before the first run."""
    import numpy as np

    from uqmbd.lyapunov import Lyapunov

    function, names, start, parameters, steps, before, _ = case
    settings = {"states": names, "start": start, "steps": steps, "transient": before, "compiled": compiled, **more}
    outputs = [f"exponent.{k}" for k in range(1, len(names) + 1)] + ["exponent.1.upper"]
    simulator = Lyapunov(function, outputs, None, settings, None)
    began = time.process_time()
    simulator.check(parameters)
    simulator.simulate({name: values[:1] for name, values in parameters.items()})
    first, best = time.process_time() - began, float("inf")
    for _ in range(repeats):
        began = time.process_time()
        found = simulator.simulate(parameters).outputs
        best = min(best, time.process_time() - began)
    values = np.column_stack([found[name] for name in outputs])
    return best, values[:, :-1], values[:, -1] - values[:, 0], first


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer-python", default=sys.executable, help="Python that has pynamicalsys")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="few runs, to see that it works")
    options = parser.parse_args()

    import numpy as np

    asked = {}
    for name, (_, _, start, parameters, steps, before, _) in cases(options.quick).items():
        rows = np.column_stack(list(parameters.values())).tolist()
        asked[name] = {"start": start, "parameters": rows, "steps": steps, "transient": before, "repeats": options.repeats}
        asked[name] |= {"dt": DT, "time": steps * DT, "before": before * DT}
    theirs = peer(options.peer_python, "pynamicalsys_exponents.py", "--cases", json.dumps(asked))
    notes, ratios = {"pynamicalsys": theirs["version"] if theirs else "not there"}, {}
    for name, case in cases(options.quick).items():
        more = {"step_time": DT} if name == "lorenz" else {}
        seconds, values, error, first = ours(case, options.repeats, compiled=True, **more)
        arrays, by_arrays, _, _ = ours(case, 1, compiled=False, **more)
        runs = len(values) * (case[4] + case[5])
        notes[name] = {
            "compiled, µs a step": short(1e6 * seconds / runs), "arrays, µs a step": short(1e6 * arrays / runs),
            "compiling, s": short(first),
            "sum, largest error": short(float(np.abs(values.sum(axis=1) - case[6]).max()), 2),
            "compiled against arrays, mean of the largest": short(float(np.mean(values[:, 0] - by_arrays[:, 0])), 2),
        }  # fmt: skip
        if theirs:
            other = theirs["cases"][name]
            found = np.array(other["values"])
            ratios[name] = other["seconds"] / seconds
            notes[name] |= {
                "theirs, µs a step": short(1e6 * other["seconds"] / runs),
                "theirs: sum, largest error": short(float(np.abs(found.sum(axis=1) - case[6]).max()), 2),
                "largest within 1.5 limits": f"{int((np.abs(found[:, 0] - values[:, 0]) <= 1.5 * error).sum())} of {len(values)}",
                "mean of the largest, ours and theirs": [short(float(each[:, 0].mean()), 5) for each in (values, found)],
            }
        print(name, notes[name], flush=True)
    if not ratios:
        return
    notes["ratios"] = {name: short(ratio, 3) for name, ratio in ratios.items()}
    least = min(ratios, key=lambda name: ratios[name])
    notes["least ratio of"] = least
    mine, other = notes[least]["compiled, µs a step"], notes[least]["theirs, µs a step"]
    report("exponents_peer", short(ratios[least], 3), 1.0, mine, other, "µs a step", notes)


if __name__ == "__main__":
    main()
