#!/usr/bin/env python
"""`kill -9` at random moments of a running study, then `uqmbd resume`: are the results identical with those of an uninterrupted run?

Compared: the bytes of all arrays, of the result and of the runs, after a kill and a resume, with those of the same study run without
interruption. Three studies take turns: the demo by expansions (`chebyshev`) and by a search, all histories stored, and its Monte
Carlo twin with streamed statistics (`store = "scalars"`), all on 2 workers and with fewer outputs, which shortens the report.
Moments are random: three of four a little after a random number of committed batches, the others at any time from the start to the end
of the report. Half of the kills take
the driver alone, as a user would, the rest the driver and its workers. A kill before the study is written down leaves nothing to resume,
and `uqmbd run` is given again; the notes count where the kills fell.

Target: 20 of 20 identical. Prediction (made before measuring): all, since what is committed and how it is cut does not depend on
time; three of four kills fall between two batches, the others before the first or after the last.

    python benchmarks/kill_resume.py [--kills 20] [--seed 1] [--quick]
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _common import ENVIRONMENT, ROOT, UQMBD, report, short, write_study

STUDIES = {
    "chebyshev": (
        "slider_crank_clearance",
        {"type": "chebyshev", "degree": {"clearance": 24, "restitution": 3, "friction": 3}, "fallback_runs": 800},
        "all",
    ),
    "search": ("slider_crank_clearance", {"max_runs": 4000, "fresh": 800}, "all"),
    "montecarlo": ("slider_crank_random", {"samples": 3000}, "scalars"),
}
OUTPUTS = ["slider.x", "slider.v", "B.force", "slider.v:max", "B.force:max", "B.force:rms"]
SMALL = (
    {"type": "chebyshev", "degree": {"clearance": 6, "restitution": 2, "friction": 2}, "fallback_runs": 64},
    {"max_runs": 600, "fresh": 100},
    {"samples": 256},
)


def start(*arguments):
    """Start `uqmbd` in a process group of its own."""
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen([UQMBD, *map(str, arguments)], **silent, env=ENVIRONMENT, start_new_session=True)


def finish(process):
    """Wait for the end, which has to be a good one."""
    _, errors = process.communicate(timeout=600)
    if process.returncode:
        raise RuntimeError(f"{' '.join(process.args)} ended with {process.returncode}:\n{errors.decode()}")


def kill(process, out, batches, moment, whole_group):
    """Kill `moment` seconds after so many batches are committed; False if it had ended by then."""
    try:
        while committed(out) < batches and process.poll() is None:
            time.sleep(0.002)
        if process.wait(timeout=moment):
            raise RuntimeError(f"{' '.join(process.args)} failed by itself:\n{process.stderr.read().decode()}")
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL) if whole_group else process.kill()
        process.wait()
        return True


def committed(out):
    """Files of runs; -1 without a store."""
    place = out / "runs"
    return len(list(place.glob("*.runs"))) if (place / "head.json").exists() else -1


def arrays(out):
    """All arrays of result and runs: name to (type, shape, bytes)."""
    from uqmbd.result import open_results

    result = open_results(out)
    found = {f"{group}/{name}": data[name].values for group, data in result.groups() for name in data.variables}
    found |= {f"runs/{name}": result.runs[name].values for name in result.runs.variables}
    return {name: (str(a.dtype), a.shape, repr(a.tolist()) if a.dtype.hasobject else a.tobytes()) for name, a in found.items()}


def main():
    """Run, kill, resume, compare, report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a kill of each of three tiny studies, to see that it works")
    options = parser.parse_args()
    chance, where, differences = random.Random(options.seed), {}, []
    kills = len(STUDIES) if options.quick else options.kills
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder, studies, whole, span, batches = Path(name), {}, {}, {}, {}
        for k, (kind, (source, method, store)) in enumerate(STUDIES.items()):
            path = ROOT / "studies" / source / "study.toml"
            method = SMALL[k] if options.quick else method
            sections = {"method": method, "outputs": {"include": OUTPUTS}, "campaign": {"store": store, "workers": 2}}
            studies[kind] = write_study(path, folder, f"{kind}.toml", **sections)
            finish(start("run", studies[kind], "--out", folder / "first"))  # compiles
            shutil.rmtree(folder / "first")
            began = time.time()
            finish(start("run", studies[kind], "--out", folder / kind))
            span[kind] = time.time() - began
            whole[kind], batches[kind] = arrays(folder / kind), committed(folder / kind)
            print(f"{kind}: {span[kind]:.1f} s uninterrupted, {batches[kind]} batches, {len(whole[kind])} arrays", flush=True)
        for number in range(kills):
            kind = list(STUDIES)[number % len(STUDIES)]
            out, group = folder / f"killed{number}", chance.random() < 0.5
            simulating = chance.random() < 0.75
            after = chance.randrange(batches[kind]) if simulating else -1
            moment = chance.uniform(0.0, 0.05 if simulating else span[kind])
            while not kill(start("run", studies[kind], "--out", out), out, after, moment, group):  # it was faster this time
                shutil.rmtree(out)
                moment *= 0.8
            there = committed(out)
            phase = "before the first batch" if there < 1 else "between batches" if there < batches[kind] else "after the last batch"
            where[phase] = where.get(phase, 0) + 1
            resume = (out / "study.toml").is_file()
            again = ("resume", out) if resume else ("run", studies[kind], "--out", out)
            if not resume:
                where["nothing to resume yet"] = where.get("nothing to resume yet", 0) + 1
            time.sleep(0.0 if group else 0.2)
            finish(start(*again))
            found = arrays(out)
            different = sorted(key for key in whole[kind].keys() | found.keys() if whole[kind].get(key) != found.get(key))
            differences += [{"kill": number, "study": kind, "different": different[:5]}] if different else []
            how = "driver and workers" if group else "driver"
            verdict = f"{len(different)} arrays differ" if different else "identical"
            print(f"kill {number + 1} of {kind} at {moment:.2f} s, {how}, {phase} ({max(there, 0)}): {verdict}", flush=True)
            shutil.rmtree(out)
    same = kills - len(differences)
    notes = {"where": where, "differences": differences, "uninterrupted_s": {kind: short(value) for kind, value in span.items()}}
    report("kill_resume", same / kills, 1.0, same, kills, "identical results of so many kills", notes)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
