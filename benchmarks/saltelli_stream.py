#!/usr/bin/env python
"""Sobol' indices at 1,000 times from 100,000 stored histories, read batch by batch: peak memory of the process, and time.

A store of 100,000 runs x 1,000 times (float32, 400 MB, one file) is made first by another process, from the Ishigami function times waves,
8 inputs of which 3 count. Then a fresh process starts the method `sensitivity` (approach sobol, 10,000 blocks of 10 runs), reads the store
in batches of a size that no block divides, and feeds them through `reduce` and `tell_reduced`, as a campaign does; the result has first and
total indices with confidence limits at every time. Its peak is VmHWM of that process, imports included. The indices at time 0 are compared
with the exact ones.

Target: below 1 GB. Prediction (made before measuring): 32 groups x 28 rows x 1,000 times x 8 bytes are 7 MB, a batch of 2,000 runs 16 MB
as float64 and about four times that while its sums are made, imports of scipy, xarray and SALib 200 MB, the resampling of the limits
100 MB: a peak of 400 MB. Time: 100,000 x 1,000 numbers through 26 products are 2.6e9 multiplications and additions, memory bound: 10 s;
limits 2 s. `ratio` is peak over 1 GB, at most 1.

    python benchmarks/saltelli_stream.py [--place DIR] [--quick]
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _common import ENVIRONMENT, report, short

D = 8
BATCH = 1999
LIMIT = 1000.0  # MB
WORK = """
import json, sys
sys.path.insert(0, sys.argv[1])
import saltelli_stream
print(json.dumps(getattr(saltelli_stream, sys.argv[2])(sys.argv[3], *map(int, sys.argv[4:]))))
"""


def method(blocks, points):
    """The run, its samples and the times."""
    import numpy as np

    from uqmbd.inputs import Interval
    from uqmbd.methods import Sensitivity
    from uqmbd.outcomes import OutputInfo

    inputs = {f"x{i}": Interval(-np.pi, np.pi) for i in range(1, D + 1)}
    times = np.linspace(0, 10, points)
    run = Sensitivity(approach="sobol", samples=blocks).start(inputs, {"h": OutputInfo("m")}, times, 1)
    return run, run.ask(), times


def make(path, blocks, points):
    """Write the store: float32 histories of all runs."""
    import numpy as np

    _, samples, times = method(blocks, points)
    x = np.column_stack(list(samples.values()))
    f = np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])
    with open(path, "wb") as file:
        for start in range(0, len(x), BATCH):
            at = slice(start, start + BATCH)
            waves = f[at, None] * np.cos(times) + (x[at, :1] + 2 * x[at, 1:2]) * np.sin(times)
            waves.astype(np.float32).tofile(file)
    return len(x)


def peak():
    """Most memory this process had, MB."""
    return int(dict(line.split(":", 1) for line in open("/proc/self/status"))["VmHWM"].split()[0]) * 1024 / 1e6


def stream(path, blocks, points):
    """Feed the store to the method; peaks in MB and seconds."""
    import numpy as np

    began = time.perf_counter()
    run, samples, _ = method(blocks, points)
    runs = len(samples["x1"])
    started, before = time.perf_counter(), peak()
    with open(path, "rb") as file:
        for start in range(0, runs, BATCH):
            part = {name: values[start : start + BATCH] for name, values in samples.items()}
            count = len(part["x1"])
            histories = np.fromfile(file, np.float32, count * points).reshape(count, points).astype(float)
            run.tell_reduced(run.reduce(part, {"h": histories}, np.zeros(count, np.int8)))
    fed = time.perf_counter()
    result = run.result()
    exact = [0.31390519114781146, 0.4424111447900409, 0.0]
    first = result.sensitivity["h"].sel(kind="first").values[:3, 0]
    return {
        "runs": runs,
        "peak_MB": peak(),
        "before_MB": before,
        "start_s": started - began,
        "feed_s": fed - started,
        "result_s": time.perf_counter() - fed,
        "error_at_time_0": float(abs(first - exact).max()),
    }


def main():
    """Make the store, stream it, report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--place", help="directory for the store of 400 MB, which is deleted")
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs and times, to see that it works")
    options = parser.parse_args()
    blocks, points = (1000, 100) if options.quick else (10_000, 1000)
    with tempfile.TemporaryDirectory(dir=options.place, prefix="saltelli_stream_") as folder:
        path = str(Path(folder) / "histories")
        here = str(Path(__file__).resolve().parent)
        told = {}
        for what in ("make", "stream"):
            command = [sys.executable, "-c", WORK, here, what, path, str(blocks), str(points)]
            done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
            if done.returncode:
                raise RuntimeError(f"{what} failed:\n{done.stderr}")
            told[what] = json.loads(done.stdout.splitlines()[-1])
        stored = Path(path).stat().st_size / 1e6
    found = {key: short(value) if isinstance(value, float) else value for key, value in told["stream"].items()}
    notes = {**found, "stored_MB": short(stored), "times": points, "batch": BATCH, "blocks": blocks}
    print(notes, flush=True)
    report(
        "saltelli_stream", found["peak_MB"] / LIMIT, 1.0, found["peak_MB"], LIMIT, "MB, and the limit; the ratio is to stay below 1", notes
    )


if __name__ == "__main__":
    main()
