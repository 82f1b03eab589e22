#!/usr/bin/env python
"""Sobol' indices and a polynomial chaos expansion of 10^6 stored runs: seconds, and memory beside that of the runs' numbers.

A vectorised formula of three inputs with eight numbers (the Ishigami function, whose indices are known, with eight weights) is run once by
each method. Then its result is deleted and the study resumed, which simulates nothing and makes the result anew from the stored runs.
Reported, for each method: seconds of the whole command, peak memory of its process (VmHWM), and the largest error of the first-order
indices. Compared is the time in which numpy reads the columns of those runs from a file and sums them: what no method can do without.

Target: both in under 60 s and 700 MB (346 MB are packages and what a study starts with; 10^6 runs of 3 inputs and 8 numbers are 88 MB).
Prediction (made before measuring): Sobol' keeps its numbers, samples and sums of blocks: 600 MB, 10 s. The expansion's matrix of 286
terms and 9 10^5 runs is 2 GB, of which its paths hold three: it is killed, or takes minutes, as long as it is held as a whole.

    python benchmarks/million_indices.py [--runs 1000000] [--place DIR] [--methods sobol pce] [--quick]
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

from _common import report, short
from million import command, finish

TARGET = {"seconds": 60.0, "driver_MB": 700.0}
MODEL = """
import numpy as np

def ishigami(a, b, c):
    value = np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)
    return {f"y{k}": value + 0.1 * k * a for k in range(8)}

ishigami.vectorized = True
"""
STUDY = """
[study]
name = "indices"
model = "model.py:ishigami"
[inputs]
a = { distribution = { type = "uniform", lower = -3.141592653589793, upper = 3.141592653589793 } }
b = { distribution = { type = "uniform", lower = -3.141592653589793, upper = 3.141592653589793 } }
c = { distribution = { type = "uniform", lower = -3.141592653589793, upper = 3.141592653589793 } }
[outputs]
include = ["y0", "y1", "y2", "y3", "y4", "y5", "y6", "y7"]
[method]
%s
[campaign]
workers = 2
"""
METHODS = {
    "sobol": lambda runs: f'type = "sensitivity"\napproach = "sobol"\nsamples = {runs // 5}\nresamples = 200',
    "pce": lambda runs: f'type = "pce"\nsamples = {runs}',
}
EXACT = (0.3139, 0.4424, 0.0)  # Ishigami and Homma 1990, with a = 7, b = 0.1: first order of y0


def again(folder, method, runs):
    """Seconds, MB and error of a result that is made anew from stored runs, and seconds of numpy on the same numbers."""
    import numpy as np

    from uqmbd.result import open_results

    (folder / "model.py").write_text(MODEL)
    study = folder / "study.toml"
    study.write_text(STUDY % METHODS[method](runs))
    out = folder / "results"
    finish(command(folder, "run", study, "--out", out))
    shutil.rmtree(out / "result.zarr")
    (out / "done.json").unlink(missing_ok=True)
    start = time.perf_counter()
    told = finish(command(folder, "resume", out))
    seconds = time.perf_counter() - start
    assert "0 simulated" in told or "nothing to simulate" in told, told
    peak = int((folder / "peak").read_text()) * 1024 / 1e6
    result = open_results(out)
    first = result.sensitivity["y0"].sel(kind="first").values
    numbers = np.column_stack([result.runs[name].values for name in ("input:a", "input:b", "input:c", *(f"y{k}" for k in range(8)))])
    np.save(folder / "numbers.npy", numbers)
    start = time.perf_counter()
    np.load(folder / "numbers.npy").sum(axis=0)
    return seconds, peak, float(np.abs(first - EXACT).max()), time.perf_counter() - start


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--place", help="directory for the results, which are deleted")
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    parser.add_argument("--quick", action="store_true", help="few runs, to see that it works")
    options = parser.parse_args()
    runs = 20_000 if options.quick else options.runs
    found, floors = {}, []
    for method in options.methods:
        with tempfile.TemporaryDirectory(dir=options.place, prefix="indices_", ignore_cleanup_errors=True) as place:
            seconds, peak, error, floor = again(Path(place), method, runs)
        floors.append(floor)
        found |= {f"{method}_s": short(seconds), f"{method}_MB": round(peak), f"{method}_error": short(error)}
    worst = max(found[f"{method}_s"] for method in options.methods)
    notes = found | {"runs": runs, "targets": TARGET, "cores": os.cpu_count()}
    report("million_indices", TARGET["seconds"] / worst, 1.0, worst, min(floors), "s of the slowest method; numpy to read and sum", notes)


if __name__ == "__main__":
    main()
