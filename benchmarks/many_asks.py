#!/usr/bin/env python
"""What many small asks cost: 5,000 asks of 32 runs of a formula (two inputs), against 1,000 of them, at 2 and at 100 outputs.

A method that looks at what it has been told before it asks for more (subset simulation, Markov chains, allocation) asks often. Each ask is
answered by a vectorised model in this process, stored, read back and told. The ratio is that of the seconds of both campaigns, their store
and their result, the worse one of 2 and 100 outputs; 5 is linear.

Prediction: 4.5 (what does not depend on the number of asks makes it less than 5), 10 s for 5,000 asks at 2 outputs, one file of runs in the
end and 129 at most before. Before that chunks had a file each and arrays were copied at each ask: 25 to 54 s and 5,011 files.

    python benchmarks/many_asks.py [--quick]
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import ClassVar

import numpy as np
from _common import ROOT, report

sys.path.insert(0, str(ROOT))
import uqmbd as uq
from uqmbd.methods.base import Method
from uqmbd.methods.staged import FixedSampler
from uqmbd.result import Result

RUNS = 32
ROOM = 200  # files at most


class ManyRun(FixedSampler):
    """The same number of random points again and again."""

    def _plan(self):
        rng = np.random.default_rng(0)
        for _ in range(self.settings.asks):
            yield rng.random((RUNS, len(self.inputs)))

    def result(self):
        return Result(attrs={"method": "many", "runs": len(self.status), "runs_ok": len(self.status)})


class Many(Method):
    """`asks` asks."""

    name: ClassVar[str] = "many"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval"})
    asks: int = 100

    def planned_runs(self, inputs):
        return RUNS * self.asks, RUNS * self.asks

    def _start(self, inputs, outputs, time, seed):
        return ManyRun(self, inputs, outputs, time, seed)


def seconds(asks, outputs):
    """Of one study, and its files."""
    folder = Path(f"results/{outputs}_{asks}")
    inputs = {"a": uq.Interval(0.0, 1.0), "b": uq.Interval(0.0, 1.0)}
    study = uq.Study(
        model="model.py:formula", vectorized=True, inputs=inputs, outputs=[f"y{k}" for k in range(outputs)], method=Many(asks=asks),
        campaign={"workers": 0}, name=folder.name,
    )  # fmt: skip
    began = time.perf_counter()
    study.run(progress=False, report=False)
    return time.perf_counter() - began, sum(file.is_file() for file in folder.rglob("*"))


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer asks, to see that it works")
    few, many = (100, 500) if parser.parse_args().quick else (1000, 5000)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("model.py").write_text("def formula(a, b):\n    return {f'y{k}': a + k * b for k in range(100)}\n")
        seconds(10, 2)  # what is loaded once
        found = {outputs: (seconds(few, outputs), seconds(many, outputs)) for outputs in (2, 100)}
        os.chdir(ROOT)
    ratios = {outputs: many_took[0] / few_took[0] for outputs, (few_took, many_took) in found.items()}
    notes = {
        f"{outputs}_outputs": f"{a[0]:.1f} s of {few} asks, {b[0]:.1f} s and {b[1]} files of {many}: {ratios[outputs]:.2f} times"
        for outputs, (a, b) in found.items()
    }
    assert max(files for pair in found.values() for _, files in pair) < ROOM
    unit = "s of 5,000 asks of 32 runs, and of 1,000, at 2 outputs"
    report("many_asks", max(ratios.values()), 5.5, found[2][1][0], found[2][0][0], unit, notes)


if __name__ == "__main__":
    main()
