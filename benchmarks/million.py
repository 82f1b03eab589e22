#!/usr/bin/env python
"""10^6 runs of a mechanism in one study, and 10^7 of a formula: what the campaign and its store cost beside the solver.

Compared: `uqmbd run` of a Monte Carlo study of the slider-crank with clearance over a quarter turn (numbers only, a run of some hundred
microseconds), the campaign as the command says it took, and the solver alone, `flexmbd.run` on samples of the same study in as many
processes side by side as the study has workers. `ratio` is the campaign's rate over the solver's. Then, on the same results: the peak
memory of the driver (VmHWM of its process), the number of files of the runs, seconds to open the result and to read one column,
seconds of a second `uqmbd run` (the whole process, nothing to simulate), and what `uqmbd resume` needs after the driver was killed in
the middle of the study: seconds from its start to the first new file, less those of a study that begins. With `--formula` the same of
10^7 runs of a vectorised Python function, where there is nothing but the house.

Targets: ratio 0.95, driver below 500 MB, fewer than 2,000 files, opening and a second run below 2 s (10 s for 10^7), resuming below 5 s.
Prediction (made before measuring): a batch of 4,096 runs is a second of a worker and 5 ms of the driver: ratio of 0.97. 3 inputs and 8
numbers are 88 bytes a run, and Monte Carlo keeps the numbers: driver at 400 MB, most of it packages. 244 files. Opening reads their
heads, 50 ms; a second run is the start of Python and the table, 2 s. Resuming hashes half a million runs, 0.5 s.

    python benchmarks/million.py [--runs 1000000] [--workers 2] [--place DIR] [--formula] [--quick]
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from _common import ENVIRONMENT, ROOT, TURN, crank_model, report, short, write_study

SOURCE = ROOT / "studies" / "slider_crank_random" / "study.toml"
OUTPUTS = ["slider.x:final", "slider.v:max", "slider.v:min", "B.force:max", "B.force:rms", "B.penetration:max", "B.ex:final", "B.ey:final"]
TIME = {"end": TURN / 4, "points": 61}
TARGETS = {"ratio": 0.95, "driver_MB": 500.0, "files": 2000, "open_s": 2.0, "second_run_s": 2.0, "resume_s": 5.0}
FORMULA = """
import numpy as np

def oscillator(k, c):
    return {"x": np.exp(-c) * np.cos(np.sqrt(k)), "peak": np.sqrt(k) * np.exp(-c)}

oscillator.vectorized = True
"""
FORMULA_STUDY = """
[study]
name = "formula"
model = "model.py:oscillator"
[inputs.k]
distribution = { type = "uniform", lower = 9.0, upper = 11.0 }
[inputs.c]
distribution = { type = "uniform", lower = 0.1, upper = 0.2 }
[outputs]
include = ["x", "peak"]
[method]
type = "montecarlo"
samples = %d
[campaign]
workers = %d
"""
DRIVER = """
import sys
from uqmbd.cli import main
if __name__ == "__main__":
    peak = sys.argv.pop()
    try:
        main()
    finally:
        lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
        open(peak, "w").write(lines["VmHWM"].split()[0])
"""


def pure(count, seconds):
    """Runs a second of the solver alone, in one process, on batches of `count` runs for about so long."""
    import numpy as np

    import flexmbd as fm
    from uqmbd.study import Study

    study = Study.from_file(SOURCE)
    random = np.random.default_rng(1)
    samples = {name: np.asarray(item.to_si().ppf(random.random(count))) for name, item in study.inputs.items()}
    build, how = crank_model().joint_in_service, {**TIME, "outputs": OUTPUTS, "settings": study.solver}
    fm.run(build, {name: values[:16] for name, values in samples.items()}, **how)
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        fm.run(build, samples, **how)
        done += count
    return done / (time.perf_counter() - start)


def side_by_side(workers, count, seconds):
    """Runs a second of the solver in so many processes at once."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return sum(pool.map(pure, [count] * workers, [seconds] * workers))


def command(folder, *words):
    """Start `uqmbd` as a process whose peak memory is written to ``peak``."""
    (folder / "driver.py").write_text(DRIVER)
    given = [sys.executable, folder / "driver.py", *words, folder / "peak"]
    pipe = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen([str(word) for word in given], env=ENVIRONMENT, start_new_session=True, **pipe)


def finish(process):
    """What it printed; it has to end well."""
    output, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{' '.join(process.args)} ended with {process.returncode}:\n{output}")
    return output


def files(out):
    """Names of the files of runs."""
    return {file.name for file in (out / "runs").glob("*.runs")}


def first_file(process, out):
    """Seconds until a file of runs is there that was not, and how the process stands then."""
    there, start = files(out), time.perf_counter()
    while files(out) <= there and process.poll() is None:
        time.sleep(0.02)
    return time.perf_counter() - start


def measured(folder, study, runs):
    """Run, open, run again, kill, resume: the numbers."""
    out = folder / "results"
    told = re.search(r"([\d,]+) runs \(.*?\), ([\d,]+) failed, ([\d.]+) s", finish(command(folder, "run", study, "--out", out)))
    found = {"campaign_s": float(told[3]), "failed": int(told[2].replace(",", "")), "files": len(files(out))}
    found["driver_MB"] = int((folder / "peak").read_text()) * 1024 / 1e6
    found["stored_MB"] = sum(file.stat().st_size for file in (out / "runs").iterdir()) / 1e6
    found["report_MB"] = (out / "report.html").stat().st_size / 1e6
    from uqmbd.result import open_results

    start = time.perf_counter()
    result = open_results(out)
    found["open_s"] = time.perf_counter() - start
    name = next(name for name in result.runs.data_vars if name.startswith("input:"))
    assert result.runs[name].values.shape == (runs,)
    found["column_s"] = time.perf_counter() - start - found["open_s"]
    start = time.perf_counter()
    assert "nothing to simulate" in finish(command(folder, "run", study, "--out", out))
    found["second_run_s"] = time.perf_counter() - start
    killed = folder / "killed"
    process = command(folder, "run", study, "--out", killed)
    fresh = first_file(process, killed)
    while len(files(killed)) < found["files"] // 2 and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    found["resumed_with_files"] = len(files(killed))
    process = command(folder, "resume", killed)
    found["first_file_s"] = fresh
    found["resume_s"] = first_file(process, killed) - fresh
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    return found


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--place", help="directory for the results, which are deleted; 10^6 runs need some 200 MB")
    parser.add_argument("--formula", action="store_true", help="10^7 runs of a formula instead of a mechanism")
    parser.add_argument("--quick", action="store_true", help="few runs, to see that it works")
    options = parser.parse_args()
    runs = options.runs or (20_000 if options.quick else 10_000_000 if options.formula else 1_000_000)
    name, rate = "million", None
    with tempfile.TemporaryDirectory(dir=options.place, prefix="million_", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        if options.formula:
            name = "ten_million"
            (folder / "model.py").write_text(FORMULA)
            study = folder / "study.toml"
            study.write_text(FORMULA_STUDY % (runs, options.workers))
        else:
            rate = side_by_side(options.workers, 4096, 2.0 if options.quick else 30.0)
            sections = {"method": {"samples": runs}, "campaign": {"store": "scalars", "workers": options.workers}}
            study = write_study(SOURCE, folder, time=TIME, outputs={"include": OUTPUTS}, **sections)
            few = write_study(study, folder, "few.toml", method={"samples": 64})
            finish(command(folder, "run", few, "--out", folder / "few"))  # compiles
        found = measured(folder, study, runs)
    ours = runs / found["campaign_s"]
    if rate is not None:
        again = side_by_side(options.workers, 4096, 2.0 if options.quick else 30.0)  # the machine's speed drifts
        found["solver_alone_runs_per_s"] = [short(rate), short(again)]
        rate = (rate + again) / 2
    notes = {key: short(value) if isinstance(value, float) else value for key, value in found.items()} | {"runs": runs, "targets": TARGETS}
    rate = ours if rate is None else rate
    report(name, ours / rate, TARGETS["ratio"], ours, rate, "runs/s of the campaign; those of the solver alone", notes)


if __name__ == "__main__":
    main()
