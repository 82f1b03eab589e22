#!/usr/bin/env python
"""A Monte Carlo study of 100,000 runs on 2 workers: wall time over pure solver time / 2, and memory of the driver.

Compared: `uqmbd run` on the study `slider_crank_random` (two turns, 7 histories at 481 times, 12 numbers a run) with 100,000 samples, the
whole process from start to report; and the solver alone, `flexmbd.run` in this process on samples of the same study with the same outputs
in one batch, scaled to as many runs and divided by 2; measured right before and right after each study, the mean of both counts, since
the machine's speed drifts by some 10 % a minute. Two modes: `scalars`
stores numbers and streams statistics of histories, `all` stores all histories too (float32, lz4).

The notes say what bounds it: the solver in two processes side by side against one alone (shared caches, clocks and hyperthreads, which no
campaign can avoid), seconds outside the campaign (start, statistics, report), share of the workers' time lost to handing over, size of
what is stored. The driver's memory is the peak of its own process, without children (VmHWM; `ru_maxrss` would carry over what the parent
had).

Target: ratio of at most 1.3 with `scalars` and 2.0 with `all`, driver below 1 GB. Prediction (made before measuring): 500 µs a run, so 25 s
for half of 50 s; 6 s more for start and report: ratio of 1.25 with `scalars`; with `all` 13.5 kB a run are encoded and written,
some 10 % more time of workers, ratio of 1.4; driver at 400 MB. `ratio` is that of the first mode named.

    python benchmarks/montecarlo_100k.py [--store scalars all] [--samples 100000] [--place DIR] [--quick]
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from _common import ENVIRONMENT, ROOT, crank_model, report, short, write_study

SOURCE = ROOT / "studies" / "slider_crank_random" / "study.toml"
TARGETS = {"scalars": 1.3, "all": 2.0}
MEMORY = 1000.0  # MB
WORKERS = 2
REPEATS = 3
DRIVER = """
import sys
from uqmbd.cli import main
peak = sys.argv.pop()
try:
    main()
finally:
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    open(peak, "w").write(lines["VmHWM"].split()[0])
"""


def pure(count, repeats=REPEATS):
    """Seconds a run that the solver alone takes on `count` runs of the study in one batch, mean of `repeats`."""
    import numpy as np

    import flexmbd as fm
    from uqmbd.study import Study

    study = Study.from_file(SOURCE)
    random = np.random.default_rng(1)
    samples = {name: np.asarray(item.to_si().ppf(random.random(count))) for name, item in study.inputs.items()}
    how = {"end": study.time.end, "points": study.time.points, "outputs": study.outputs, "settings": study.solver}
    build = crank_model().joint_in_service
    fm.run(build, {name: values[:16] for name, values in samples.items()}, **how)
    start = time.perf_counter()
    for _ in range(repeats):
        fm.run(build, samples, **how)
    return (time.perf_counter() - start) / (count * repeats)


def side_by_side(count):
    """Seconds a run of the solver in as many processes as the study has workers, at the same time."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        return max(pool.map(pure, [count] * WORKERS))


def campaign(store, runs, place):
    """Run the study; wall seconds of the process, of the campaign in it, peak MB of the driver, MB stored, what was not simulation."""
    with tempfile.TemporaryDirectory(dir=place, prefix="montecarlo_100k_") as folder:
        study = write_study(SOURCE, folder, method={"samples": runs}, campaign={"store": store, "workers": WORKERS, "precision": "float32"})
        out, peak = Path(folder) / "results", Path(folder) / "peak"
        command = [sys.executable, "-c", DRIVER, "run", str(study), "--out", str(out), str(peak)]
        start = time.perf_counter()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, env=ENVIRONMENT, capture_output=True, text=True)
        wall = time.perf_counter() - start
        if done.returncode:
            raise RuntimeError(f"the study failed:\n{done.stdout}{done.stderr}")
        told = re.search(r"([\d,]+) runs \(.*?\), ([\d,]+) failed, ([\d.]+) s", done.stdout)

        from uqmbd.result import open_results

        size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
        runs, failed = (int(text.replace(",", "")) for text in told.group(1, 2))
        seconds = {"wall_s": wall, "campaign_s": float(told[3]), "outside_campaign_s": wall - float(told[3])}
        sizes = {"driver_peak_MB": int(peak.read_text()) * 1024 / 1e6, "stored_MB": size / 1e6}
        return {"runs": runs, "failed": failed, **seconds, **sizes, "overhead": open_results(out).attrs["overhead"]}


def main():
    """Measure the modes asked for and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", nargs="+", choices=sorted(TARGETS), default=["scalars", "all"])
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--batch", type=int, default=4096, help="runs with which the solver alone is measured")
    parser.add_argument("--place", help="directory for the results, which are deleted; `all` needs about 2 GB")
    parser.add_argument("--quick", action="store_true", help="few runs, to see that it works")
    options = parser.parse_args()
    if options.quick:
        options.samples, options.batch = 512, 128
    alone, done = [pure(options.batch)], {}
    for store in options.store:
        done[store] = campaign(store, options.samples, options.place)
        alone.append(pure(options.batch))
        done[store]["solver_us_a_run"] = 1e6 * (alone[-2] + alone[-1]) / 2
    together = side_by_side(options.batch)
    notes = {"solver_us_a_run": {"alone": [short(1e6 * each) for each in alone], "side_by_side": short(1e6 * together)}}
    for store, found in done.items():
        found["ideal_s"] = ideal = 1e-6 * found["solver_us_a_run"] * options.samples / WORKERS
        found |= {"ratio": found["wall_s"] / ideal, "target": TARGETS[store]}
        found["ratio_of_campaign_alone"] = found["campaign_s"] / ideal
        found["ratio_to_side_by_side"] = found["wall_s"] / (together * options.samples / WORKERS)
        notes[store] = {key: short(value) if isinstance(value, float) else value for key, value in found.items()}
        print(store, notes[store], flush=True)
    notes["driver_memory_target_MB"] = MEMORY
    name = options.store[0]
    numbers = [done[name][key] for key in ("ratio", "target", "wall_s", "ideal_s")]
    report(f"montecarlo_100k_{name}", *numbers, "s; ratio at most target", notes)


if __name__ == "__main__":
    main()
