#!/usr/bin/env python
"""The first result of a chain of links in joint coordinates: building, machine code and start, in a process of its own.

Chains of 10, 100 and 1,000 links on pins, in the plane and in space (axes in turn across each other), stretched out and at rest. A run of
1 ms with `dormand_prince` from the system to its outputs, with an empty cache of machine code but for the time loop, which is compiled once
for all models, as imports are made, by a pendulum before; processor seconds, the least of some repetitions, and in the notes those of a
second run and of the pendulum.

Target: 5 s for 1,000 links, in space too. Prediction: 214 nodes a link in the plane and 790 in space, nearly all repeated, at 1.5 µs: 0.3 s
and 1.2 s; as much again for units of code; a second for numbers, bodies one by one and the start; machine code 0.5 s whatever the length.

    python benchmarks/trees_chain.py [--quick]
"""

import argparse
import json
import tempfile
import time

from _common import alone, report, short
from formulations import chain

LIMIT = 5.0
SIZES = (10, 100, 1000)


def measured(links, dimension):
    """Processor seconds of a pendulum, and of two runs of a chain, in this process."""
    import flexmbd as fm

    found = []
    for system in (chain(1, dimension=2), *[chain(links, dimension=dimension)] * 2):
        began = time.process_time()
        settings = {"integrator": "dormand_prince", "tolerance": 1e-6, "lanes": 1, "formulation": "tree"}
        run = fm.run(system, end=1e-3, points=2, outputs=["link0.B.x"], settings=settings)
        found.append(time.process_time() - began)
        if run.status:
            raise RuntimeError(run.message)
    return found


def apart(links, dimension, repeats):
    """The least of processes of their own, each with an empty cache."""
    found = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            found.append(alone(__file__, "--one", links, dimension, cache=folder))
    return min(found, key=lambda one: one[1])


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--one", nargs=2, type=int, metavar=("LINKS", "DIMENSION"), help="measure in this process")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(*given.one)))
        return
    rows, repeats = {}, 1 if given.quick else given.repeats
    for dimension in (2, 3):
        for links in SIZES[:2] if given.quick else SIZES:
            pendulum, first, second = apart(links, dimension, repeats)
            rows[f"{links} links in {'the plane' if dimension == 2 else 'space'}"] = {
                "first": short(first),
                "second": short(second),
                "pendulum": short(pendulum),
            }
            print(links, dimension, rows, flush=True)
    ours = rows[f"{(SIZES[:2] if given.quick else SIZES)[-1]} links in space"]["first"]
    report("trees_chain", ours / LIMIT, 1.0, ours, LIMIT, "s, and the limit; the ratio is to stay below 1", rows)


if __name__ == "__main__":
    main()
