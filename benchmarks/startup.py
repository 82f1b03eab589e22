#!/usr/bin/env python
"""Seconds until the command line answers, and until the demo study has its first result when its compiled code is on disk.

Compared with a limit of time: `uqmbd --help`, the whole process; and `uqmbd run` of the demo study (2 workers) in an empty directory, from
the start of the process to the first batch of runs committed in the folder of its results, after which the run is stopped. Before
it, the same once with an empty cache of compiled code, which fills it; its time is in the notes. The median of several starts counts.

Target: --help in under 0.5 s, first result in under 5 s. Prediction (made before measuring): 0.25 s for --help, since typer and rich
are all that it imports; 3.5 s to the first result: 1.5 s of imports in the driver, 1.5 s to start two workers beside it, 0.5 s for
model, first batch and store. `ratio` is the larger one of time over limit, at most 1.

    python benchmarks/startup.py [--quick]
"""

import argparse
import os
import signal
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from _common import ENVIRONMENT, ROOT, UQMBD, report, short

LIMITS = {"help": 0.5, "first_result": 5.0}


def answer():
    """Seconds of `uqmbd --help`."""
    start = time.perf_counter()
    subprocess.run([UQMBD, "--help"], stdout=subprocess.DEVNULL, env=ENVIRONMENT, check=True)
    return time.perf_counter() - start


def first_result(study, out, cache, log, limit=300.0):
    """Seconds from the start of a run to its first committed batch."""
    start = time.perf_counter()
    command = [UQMBD, "run", str(study), "--out", str(out)]
    environment = ENVIRONMENT | {"FLEXMBD_CACHE_DIR": str(cache)}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, start_new_session=True)
    try:
        while not any((out / "runs").glob("*.runs")):
            if process.poll() is not None or time.perf_counter() - start > limit:
                log.seek(0)
                raise RuntimeError(f"no batch was committed: {log.read().decode()}")
            time.sleep(0.005)
        return time.perf_counter() - start
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def main():
    """Measure both and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--study", type=Path, default=ROOT / "studies" / "slider_crank_clearance" / "study.toml")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="one repetition, to see that it works")
    options = parser.parse_args()
    repeats = 1 if options.quick else options.repeats
    answer()
    found = {"help": [answer() for _ in range(3 * repeats)], "first_result": []}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, open(Path(folder) / "log", "w+b") as log:
        cache = Path(folder) / "cache"
        cold = first_result(options.study, Path(folder) / "cold", cache, log)
        print(f"first result, nothing compiled: {cold:.2f} s", flush=True)
        for number in range(repeats):
            found["first_result"].append(first_result(options.study, Path(folder) / f"warm{number}", cache, log))
            time.sleep(0.5)  # workers of the last run notice that it is gone
    medians = {key: statistics.median(values) for key, values in found.items()}
    notes = {key: {"median": short(medians[key]), "least": short(min(v)), "most": short(max(v))} for key, v in found.items()}
    notes |= {"limits": LIMITS, "first_result_nothing_compiled": short(cold)}
    print(notes)
    ratio, worst = max((medians[key] / limit, key) for key, limit in LIMITS.items())
    notes["case"] = worst
    report("startup", ratio, 1.0, medians[worst], LIMITS[worst], "s, and the limit; the ratio is to stay below 1", notes)


if __name__ == "__main__":
    main()
