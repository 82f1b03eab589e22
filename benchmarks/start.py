#!/usr/bin/env python
"""What a small study costs of its own: start and report of the template `python`, and whether `uqmbd check` foretells commands.

Wall seconds of `uqmbd run` in an empty directory less those of its runs, which the command itself says. Then of several templates and a
bundled study what `check` foretells (the middle of the least and the most), over what the command takes. All on a machine that does
nothing else; processor seconds of all processes are in the notes, which say the same on one that does.

Target: 4 s, and foretold within a factor of 2. Prediction: 2.5 s, 1.1 of them imports. `ratio` is the larger of seconds over 4, and of
the largest factor over 2; at most 1.

    python benchmarks/start.py [--quick]
"""

import argparse
import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from _common import ENVIRONMENT, ROOT, UQMBD, report, short

LIMIT, FACTOR = 4.0, 2.0
TEMPLATES = ["python", "four_bar", "slider_crank", "command"]
STUDY = ROOT / "studies" / "slider_crank_clearance" / "study.toml"


def timed(*words, folder):
    """What a command of uqmbd says, its wall seconds, and those of the processors."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([UQMBD, *map(str, words)], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def foretold(text):
    """The middle of the span of seconds that `check` says."""
    row = " ".join(text.partition("time of the command")[2].replace("│", " ").split())
    first, last = re.match(r"about ([\d.]+)(?: to ([\d.]+))? s", row).groups()
    return (float(first) + float(last or first)) / 2


def of_study(study, folder, repeats):
    """Foretold and real seconds of a study, the least of some repetitions, all code being compiled and cached."""
    timed("check", study, folder=folder)  # compiles
    found = []
    for number in range(repeats + 1):
        text, wall, cpu = timed("run", study, "--out", f"{folder}/{study.parent.name}_{number}", folder=folder)
        runs = float(re.search(r"failed, ([\d.]+) s", text)[1])
        found.append((wall, cpu, runs))
    said, *_ = timed("check", study, folder=folder)
    wall, cpu, runs = min(found[1:])
    return {"foretold": short(foretold(said)), "wall": short(wall), "cpu": short(cpu), "own": short(wall - runs)}


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="the first template alone, once")
    options = parser.parse_args()
    repeats = 1 if options.quick else options.repeats
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        studies = {}
        for name in TEMPLATES[:1] if options.quick else TEMPLATES:
            timed("new", name, "--mechanism", name, folder=folder)
            studies[name] = Path(folder) / name / "study.toml"
        if not options.quick:
            studies[STUDY.parent.name] = STUDY
        notes = {}
        for name, study in studies.items():
            notes[name] = of_study(study, folder, repeats)
            notes[name]["factor"] = short(notes[name]["foretold"] / notes[name]["wall"])
            print(name, notes[name], flush=True)
    own = notes["python"]["own"]
    worst = max(max(one["factor"], 1 / one["factor"]) for one in notes.values())
    notes["worst_factor"] = short(worst)
    report("start", max(own / LIMIT, worst / FACTOR), 1.0, own, LIMIT, "s, and the limit; the ratio is to stay below 1", notes)


if __name__ == "__main__":
    main()
