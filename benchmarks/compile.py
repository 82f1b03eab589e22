#!/usr/bin/env python
"""Seconds until the first result of a new model, the generic part being compiled already, and what a model holds in memory.

Each model is built, compiled and run for a thousandth of its usual time, 16 samples side by side, in a process of its own that has run
something else with the same integrator before. Beside the clock are the seconds of the processor, which other work on the machine
changes less. A fresh installation's first run ever, which compiles the generic part (time loop, events, schemes), is measured too.
`linkage`: a row of four-bars (2, 4, 10, 40, 121 windows); `manipulator`: six driven revolute joints in space; `beam`: ANCF beams of
2, 4, 6 elements, damped; `points`: impenetrable points over a plane, `modes`: a body of full matrices; `outputs`: the slider-crank again,
other outputs.

Targets: slider-crank in service 0.5 s, linkages of 5, 9, 21, 81 and 243 bodies 0.5, 0.6, 1, 1.5 and 2 s, manipulator 2 s, beams 2 s each,
points 1 and 2 s, modes 1 s, other outputs 0.3 s, first run ever 5 s more than any later one, memory of a model 5 MB.
Prediction for functions in units, by operations that are not alike (2,000 of 81 bodies'
34,000, 7,800 of the manipulator's 47,000; before them 5.4 and 5.9 s), and a second for each 50,000 nodes in Python: 81 bodies 1.2 s, 243
2.7 s, the manipulator 2.2 s. `ratio` is the largest of value over target. `--record` adds a line to `compile_history.jsonl`,
which later work is held against.

    python benchmarks/compile.py [--only NAME ...] [--record]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from _common import ROOT, alone, report, short

HISTORY = Path(__file__).with_name("compile_history.jsonl")
TARGETS = {
    "slider_crank": 0.5, "outputs": 0.3, "linkage_5": 0.5, "linkage_9": 0.6, "linkage_21": 1.0, "linkage_81": 1.5, "linkage_243": 2.0,
    "manipulator": 2.0, "beam_2": 2.0, "beam_4": 2.0, "beam_6": 2.0, "points_40": 1.0, "points_100": 2.0, "modes_60": 1.0,
    "first_run_ever": 5.0, "memory_MB": 5.0,
}  # fmt: skip


def linkage(windows, mass):
    """A row of four-bars: rods upright, couplers between their tops."""
    import numpy as np

    import flexmbd as fm

    s = fm.System(gravity=(0.0, -9.81))
    ends = {"A": (-0.5, 0.0), "B": (0.5, 0.0)}
    rods = [
        s.body(f"rod{i}", mass=mass, inertia=1 / 12, position=(i, 0.5), angle=np.pi / 2, points=ends, velocity=(-0.5, 0.0), rate=1.0)
        for i in range(windows + 1)
    ]
    for i, rod in enumerate(rods):
        s.add(fm.Revolute(f"foot{i}", s.ground.at(float(i), 0.0), rod["A"]))
    for i in range(windows):
        coupler = s.body(f"coupler{i}", mass=1.0, inertia=1 / 12, position=(i + 0.5, 1.0), points=ends, velocity=(-1.0, 0.0))
        s.add(fm.Revolute(f"left{i}", rods[i]["B"], coupler["A"]))
        s.add(fm.Revolute(f"right{i}", coupler["B"], rods[i + 1]["B"]))
    return s


def manipulator(mass):
    """Six links in a row, every other joint turned by a right angle, each driven."""
    import flexmbd as fm

    s = fm.System(gravity=(0.0, 0.0, -9.81))
    before, foot = s.ground, s.ground.at(0.0, 0.0, 0.0)
    for k in range(6):
        axis = (0.0, 0.0, 1.0) if k % 2 == 0 else (0.0, 1.0, 0.0)
        ends = {"A": (-0.25, 0.0, 0.0), "B": (0.25, 0.0, 0.0)}
        link = s.body(f"link{k}", mass=mass, inertia=(0.01, 0.05, 0.05), position=(0.5 * k + 0.25, 0.0, 0.0), points=ends)
        s.add(fm.Revolute(f"joint{k}", foot, link["A"], axis=axis))
        s.add(fm.Torque(f"motor{k}", before, link, tuple(0.2 * x for x in axis)))
        before, foot = link, link["B"]
    return s


def beam(elements, E):
    """A damped beam that falls from a ball joint."""
    import flexmbd as fm

    s = fm.System(gravity=(0.0, 0.0, -9.81))
    form = {"section": fm.Section.rectangle(0.02, 0.01), "material": fm.Material(E=E, nu=0.3, density=7800.0), "damping": 1e-3}
    rod = s.beam("rod", length=1.0, elements=elements, **form)
    s.add(fm.Spherical("pin", s.ground.at(0.0, 0.0, 0.0), rod.start))
    return s


def points(count, mass):
    """Points over a plane that they cannot pass."""
    import flexmbd as fm

    s = fm.System(gravity=(0.0, -9.81))
    for k in range(count):
        point = s.point_mass(f"p{k}", mass=mass, position=(float(k), 0.01 + 0.001 * k))
        s.add(fm.PointPlane(f"c{k}", point.centre, s.ground.at(0.0, 0.0), law=fm.Impenetrable(0.5)))
    return s


def modes(count, stiffness):
    """A body of full matrices of mass and stiffness."""
    from types import SimpleNamespace

    import numpy as np

    import flexmbd as fm

    rng, numbers = np.random.default_rng(1), np.arange(count)
    mass, stiff = (x @ x.T + count * np.eye(count) for x in rng.normal(size=(2, count, count)))
    shapes = {"harmonic": numbers + 1, "sine": np.zeros(count, bool), "shape": np.zeros(count, int)}
    s = fm.System(gravity=(0.0, -9.81))
    s.bush("body", SimpleNamespace(**shapes, stiffness=stiff, mass=mass), stiffness=stiffness, damping=1e-3)
    return s


def measured(name):
    """What one process says: seconds by the clock and of the processor, or MB twice."""
    import resource
    import time

    import numpy as np

    import flexmbd as fm

    sys.path.insert(0, str(ROOT / "studies" / "slider_crank_clearance"))
    import model as crank

    ones = np.ones(16)
    service = {"clearance": 3e-5 * ones, "restitution": 0.5 * ones, "friction": 0.05 * ones}
    outputs = ["slider.x", "slider.v", "B.force", "B.ex", "B.ey", "crank.moment", "B.force:max", "crank.moment:abs_max"]

    def first(build, samples, outputs, end=1e-3, **settings):
        start = time.perf_counter(), time.process_time()
        run = fm.run(build, samples, end=end, points=3, outputs=outputs, settings=settings)
        assert not run.status.any(), run.message
        return time.perf_counter() - start[0], time.process_time() - start[1]

    def ball(mass, **settings):
        s = fm.System(gravity=(0.0, -9.81))
        s.body("ball", mass=mass, inertia=1.0)
        return s

    flexible = name.startswith("beam")
    fixed = {"integrator": "moreau", "step": 1e-4}
    how = fixed if name.startswith("points") else {"integrator": "generalized_alpha" if flexible else "dormand_prince"}
    ever = first(ball, {"mass": ones}, ["ball.y"], **how)
    if name == "first_run_ever":
        return ever
    if name in ("slider_crank", "outputs"):
        once = first(crank.joint_in_service, service, outputs, end=1e-5)
        return once if name == "slider_crank" else first(crank.joint_in_service, service, outputs[::-1][:5], end=1e-5)
    if name == "manipulator":
        return first(manipulator, {"mass": ones}, [f"link{k}.{axis}" for k in (2, 5) for axis in "xyz"])
    if name == "memory_MB":  # of twenty models that a process keeps
        from flexmbd.running import models

        models.MODELS = 100

        def rods(count, mass):
            s = fm.System(gravity=(0.0, -9.81))
            for k in range(count):
                rod = s.body(f"rod{k}", mass=mass, inertia=0.1, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
                s.add(fm.Revolute(f"pin{k}", s.ground.at(0.0, 0.0), rod["O"]))
            return s

        def used():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

        sizes = {}
        for count in range(1, 21):  # twenty topologies, ten rods on average
            first(lambda mass, count=count: rods(count, mass), {"mass": ones}, ["rod0.angle"])
            sizes[count] = used()
        return ((sizes[20] - sizes[4]) / 16,) * 2
    kind, size = name.split("_")
    if kind == "linkage":
        return first(lambda mass: linkage((int(size) - 1) // 2, mass), {"mass": ones}, ["rod0.angle", "coupler0.x"])
    if kind == "points":
        return first(lambda mass: points(int(size), mass), {"mass": ones}, ["p0.y"], **fixed)
    if kind == "modes":
        return first(lambda stiffness: modes(int(size), stiffness), {"stiffness": ones}, ["body.c1"])
    return first(lambda E: beam(int(size), E), {"E": 1e8 * ones}, ["rod.end.z"], end=1e-4)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=list(TARGETS))
    parser.add_argument("--measure")
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measured(arguments.measure)))
        return
    found, processor = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        generic = "first_run_ever", "beam_2"  # compile the generic part of both integrators
        ever, _ = (alone(__file__, "--measure", name, cache=cache) for name in generic)
        for name in arguments.only:
            for model in cache.glob("*.o"):
                model.unlink()
            found[name], processor[name] = ever if name == "first_run_ever" else alone(__file__, "--measure", name, cache=cache)
            print(f"{name:15} {found[name]:7.2f}  (target {TARGETS[name]:g}; of the processor {processor[name]:.2f})", flush=True)
    if arguments.record:
        machine = {"cpu": platform.processor() or platform.machine(), "cores": os.cpu_count()}
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        with open(HISTORY, "a") as stream:
            line = {"commit": commit, **machine, **{k: round(x, 3) for k, x in found.items()}}
            stream.write(json.dumps(line | {"processor": {k: round(x, 3) for k, x in processor.items()}}) + "\n")
    worst = max(found, key=lambda name: found[name] / TARGETS[name])
    notes = "; ".join(f"{name} {short(x)}" for name, x in found.items())
    report("compile", short(found[worst] / TARGETS[worst]), 1.0, short(found[worst]), TARGETS[worst], worst, notes)


if __name__ == "__main__":
    main()
