#!/usr/bin/env python
"""Lanes of W = 16 samples against W = 1, the same source, the same workload, one core.

Compared: `flexmbd.run` on random samples of the harsh slider-crank study (all three parameters vary), output `slider.v:final`, once
with `lanes = 16`, where every number of the generated code is a vector of 16 samples with their own times and step sizes, and once with
`lanes = 1`, where the same source is compiled for single numbers. Both take turns; the least of several times counts. Two workloads, a
quarter turn and two turns; `ratio` is the smaller one. The notes say how far final velocities differ (median over samples; they are not
the same to the last bit, since compilers contract products and sums differently, and the long motion is chaotic).

Target: 4.5 times. Prediction (after a single run on a loaded machine, which gave 14 for the quarter turn): 16 numbers are two AVX-512
registers, so 16 times the work in twice the instructions; memory traffic of the state (some 20 kB at W = 16, near the size of the
first cache) and idle lanes at the end of a batch cost some of it, and W = 1 pays the bookkeeping of a loop made for lanes: 12.

    python benchmarks/lanes.py [--quick]
"""

import argparse
from functools import partial

from _common import TURN, crank_model, least, report, short, worn_samples

WIDTHS = (16, 1)


def main():
    """Measure both widths and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=1024, help="of the quarter turn; two turns take a quarter of them")
    parser.add_argument("--tolerance", type=float, default=1e-7)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="few samples, to see that it works")
    options = parser.parse_args()
    if options.quick:
        options.samples, options.repeats = 64, 1

    import numpy as np

    import flexmbd as fm

    build, notes, cases = crank_model().slider_crank, {"tolerance": options.tolerance}, []

    def run(samples, turns, lanes):
        settings = {"tolerance": options.tolerance, "lanes": lanes}
        return fm.run(build, samples, end=turns * TURN, points=2, outputs=["slider.v:final"], settings=settings)

    for turns, count in ((0.25, options.samples), (2.0, options.samples // 4)):
        samples = worn_samples(count)
        found = {width: run(samples, turns, width) for width in WIDTHS}  # also compiles
        seconds = least({width: partial(run, samples, turns, width) for width in WIDTHS}, options.repeats)
        rates = [count / seconds[width] for width in WIDTHS]
        a, b = (found[width].outputs["slider.v:final"] for width in WIDTHS)
        notes[f"{turns} turns"] = {
            "samples": count,
            "samples/s": [short(rate) for rate in rates],
            "ratio": short(rates[0] / rates[1]),
            "steps": [short(found[width].statistics["steps"].mean()) for width in WIDTHS],
            "median_difference": short(np.median(np.abs(a / b - 1)), 2),
        }
        print(turns, "turns", notes[f"{turns} turns"], flush=True)
        cases.append((rates[0] / rates[1], *rates))
    report("lanes", min(cases)[0], 4.5, *min(cases)[1:], "samples/s, W = 16 and W = 1", notes)


if __name__ == "__main__":
    main()
