#!/usr/bin/env python
"""A bifurcation diagram of the slider-crank with clearance: section points of 1,000 clearances over 200 periods, in two processes.

Measured: `flexmbd.run` on Flores' slider-crank at 5000 rpm (impacts with restitution 0.9, friction 0.03), clearances from 0.1 to 0.5 mm
in equal steps, every second one in each of two processes, 16 lanes, tolerance 1e-6; a stroboscopic section once a turn takes the slider's
velocity and where the journal is in its bearing, from turn 100 on. Nothing else is kept. `ours` is the time on the clock from the first
call to the last point, start of the processes and all, with the machine code on disk; the notes have the CPU time of the runs, steps,
points, and what one section costs beside the same motions without it.

Without options a smaller whole is run and reported as what it is, 64 clearances over 40 periods; the target is that of the large one,
which `--whole` runs.

Target: a minute on two cores. Prediction (after 640 turns that took 0.27 CPU s on a loaded machine: 2,350 turns a second and core): 200,000
turns take 85 CPU s, so 45 s on two cores; the section, one more evaluation of the outputs a turn beside 900 steps, less than 2 % of it.

    python benchmarks/bifurcation.py [--whole] [--tolerance 1e-6]
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from _common import TURN, crank_model, report, short

OUTPUTS = ["slider.vx", "B.ex", "B.ey"]
CLEARANCE = (0.1e-3, 0.5e-3)  # m
PROCESSES = 2


def motions(clearances, periods, tolerance, sectioned=True):
    """Section points (clearances, points, outputs), steps, runs that failed, and CPU seconds of the runs alone."""
    import numpy as np

    import flexmbd as fm

    section = fm.PoincareSection(OUTPUTS, every=TURN, after=periods // 2 * TURN)
    how = {"end": periods * TURN, "points": 2, "outputs": [] if sectioned else OUTPUTS, "settings": {"tolerance": tolerance}}
    how |= {"sections": {"turn": section} if sectioned else None}
    fm.run(crank_model().slider_crank, {"clearance": clearances}, **how | {"end": 1e-6 * TURN})  # reads the machine code
    began = time.process_time()
    found = fm.run(crank_model().slider_crank, {"clearance": clearances}, **how)
    seconds = time.process_time() - began
    steps, failed = float(found.statistics["steps"].sum()), int(np.count_nonzero(found.status))
    if not sectioned:
        return np.empty(0), steps, failed, seconds
    return np.stack([found.sections["turn"][name] for name in OUTPUTS], axis=-1), steps, failed, seconds


def timed(clearances, periods, tolerance, sectioned=True):
    """Seconds on the clock, start of both processes and all, and what each of them found."""
    start = time.perf_counter()
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        parts = [pool.submit(motions, clearances[k::PROCESSES], periods, tolerance, sectioned) for k in range(PROCESSES)]
        found = [part.result() for part in parts]
        return time.perf_counter() - start, found


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--whole", action="store_true", help="1,000 clearances over 200 periods")
    parser.add_argument("--quick", action="store_true", help="the smaller whole, as without options")
    parser.add_argument("--tolerance", type=float, default=1e-6)
    options = parser.parse_args()

    import numpy as np

    count, periods = (1000, 200) if options.whole else (64, 40)
    clearances = np.linspace(*CLEARANCE, count)
    motions(clearances[:16], 1, options.tolerance)  # compiles
    motions(clearances[:16], 1, options.tolerance, sectioned=False)
    clock, found = timed(clearances, periods, options.tolerance)
    cpu, few = sum(part[3] for part in found), clearances[:: max(1, count // 64)]
    with_one, without = (motions(few, min(periods, 40), options.tolerance, sectioned)[3] for sectioned in (True, False))
    points = np.concatenate([part[0] for part in found])
    notes = {
        "clearances": count,
        "periods": periods,
        "tolerance": options.tolerance,
        "cpu_s": short(cpu),
        "turns a CPU second": short(count * periods / cpu),
        "steps a turn": short(sum(part[1] for part in found) / (count * periods)),
        "points": int(np.isfinite(points[..., 0]).sum()),
        "failed": sum(part[2] for part in found),
        "cost of the section": short(with_one / without - 1.0, 2),
        "in the bearing": bool(np.nanmax(np.hypot(points[..., 1], points[..., 2])) < 1.2 * CLEARANCE[1]),
    }
    report("bifurcation", clock, 60.0, clock, 60.0, f"s for {count} clearances over {periods} periods", notes)


if __name__ == "__main__":
    main()
