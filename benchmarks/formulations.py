#!/usr/bin/env python
"""Natural coordinates against those of joints: seconds of a processor until the first result of a new model, and, of 256 samples, 16 side
by side, for their starts and for a second of their motion.

What it finds is the rule of ``formulation = "auto"`` (`flexmbd.tuning.Tuning`). Systems: planar and spatial chains, free bodies on
springs, chains that both ends hold, arms with a cable, a slider-crank, rows of four-bars, a spatial four-bar. Each formulation is measured
in a process of its own, and they take turns; `differ` is how far their ends lie apart, in m.

Prediction, by unknowns (coordinates and rows) that are left: chains at least 2 times, loops about 1, free bodies less than 1, because what
has no joint gains nothing and pays for sines (in the plane).

    python benchmarks/formulations.py [--only NAME ...] [--repeats 3] [--settings '{"integrator": "moreau", "step": 1e-3}']
"""

import argparse
import json
import os
import shutil
import tempfile
from itertools import pairwise
from time import process_time

from _common import alone
from compile import linkage

import numpy as np  # isort: skip  # after _common, which sets one thread

END, SAMPLES, TOLERANCE, ENOUGH, SHORT = 1.0, 256, 1e-8, 0.3, 1e-6
MEASURED = "first", "begin", "run"


def chain(count, stiffness=None, dimension=3, joint="Revolute"):
    """Links on pins, in space with axes along z and across in turn, each with a spring to the one before; or on balls and springs."""
    import flexmbd as fm

    zero = (0.0,) * (dimension - 1)
    s = fm.System(gravity=(*zero, -9.81))
    before, body, inertia = s.ground.at(0.0, *zero), s.ground, 0.1 if dimension == 2 else (0.02, 0.1, 0.1)
    for k in range(count):
        ends = {"A": (-0.5, *zero), "B": (0.5, *zero)}
        link = s.body(f"link{k}", mass=1.0, inertia=inertia, position=(0.5 + k, *zero), points=ends)
        spring = {"stiffness": stiffness, "damping": 0.1}
        if joint == "Revolute":
            axis = {} if dimension == 2 else {"axis": (0.0, 0.0, 1.0) if k % 2 else (0.0, 1.0, 0.0)}
            s.add(fm.Revolute(f"pin{k}", before, link["A"], **axis))
            if stiffness is not None:
                s.add(fm.TorsionSpring(f"spring{k}", body, link, **spring, **axis))
        else:
            s.add(fm.Spherical(f"ball{k}", before, link["A"]))
            s.add(fm.Spring(f"spring{k}", s.ground.at(k + 1.0, 0.0, 1.0), link["B"], length=1.0, **spring))
        before, body = link["B"], link
    return s


def cabled(count, stiffness, elements=2):
    """A chain in space with a soft cable that hangs on its tip."""
    import flexmbd as fm

    s = chain(count, stiffness)
    soft, section = fm.Material(E=2e7, nu=0.3, density=1200.0), fm.Section.circle(0.01)
    how = {"position": (float(count), 0.0, 0.0), "direction": (0.0, 0.0, -1.0), "damping": 1e-3}
    cable = s.cable("cable", length=0.5, elements=elements, section=section, material=soft, **how)
    s.add(fm.Spherical("knot", s.bodies[count - 1].at(0.5, 0.0, 0.0), cable.start))
    return s


def free(count, stiffness, dimension):
    """Bodies without joints, on springs in a row."""
    import flexmbd as fm

    zero = (0.0,) * (dimension - 1)
    s = fm.System(gravity=(*zero, -9.81))
    before = s.ground.at(0.0, *zero)
    for k in range(count):
        inertia = 0.1 if dimension == 2 else (0.02, 0.1, 0.1)
        body = s.body(f"body{k}", mass=1.0, inertia=inertia, position=(1.0 + k, *zero), points={"A": (-0.2, *zero), "B": (0.2, *zero)})
        s.add(fm.Spring(f"spring{k}", before, body["A"], stiffness=stiffness, damping=0.1, length=0.5))
        before = body["B"]
    return s


def loops(windows, stiffness):
    """A row of four-bars that swings on springs."""
    import flexmbd as fm

    s = linkage(windows, 1.0)
    for i, rod in enumerate(s.bodies[: windows + 1]):
        s.add(fm.TorsionSpring(f"spring{i}", s.ground, rod, stiffness=stiffness, damping=0.1, angle=np.pi / 2))
    return s


def ring(count, stiffness, dimension):
    """A chain on an arc that both of its ends hold: one loop."""
    import flexmbd as fm

    zero, turn = (0.0,) * (dimension - 2), {2: lambda a: {"angle": a}, 3: lambda a: {"rotation": (0.0, 0.0, a)}}[dimension]
    s = fm.System(gravity=(0.0, -9.81, *zero))
    places = [np.array([0.9 * k, 0.3 * np.sin(np.pi * k / count)]) for k in range(count + 1)]
    before, body = s.ground.at(0.0, 0.0, *zero), s.ground
    for k, (p, q) in enumerate(pairwise(places)):
        half, inertia = 0.5 * np.linalg.norm(q - p), 0.1 if dimension == 2 else (0.02, 0.1, 0.1)
        how = {"points": {"A": (-half, 0.0, *zero), "B": (half, 0.0, *zero)}, **turn(np.arctan2(*(q - p)[::-1]))}
        link = s.body(f"link{k}", mass=1.0, inertia=inertia, position=(*(0.5 * (p + q)), *zero), **how)
        axis = {} if dimension == 2 else {"axis": (0.0, 1.0, 0.0) if k % 2 else (0.0, 0.0, 1.0)}
        s.add(fm.Revolute(f"pin{k}", before, link["A"], **axis))
        s.add(fm.TorsionSpring(f"spring{k}", body, link, stiffness=stiffness, damping=0.1, angle=0.1, **axis))
        before, body = link["B"], link
    s.add((fm.Revolute if dimension == 2 else fm.Spherical)("end", before, s.ground.at(*places[-1], *zero)))
    return s


def slider_crank(stiffness):
    """A crank that turns, and a spring at its slider."""
    import flexmbd as fm

    s = fm.System(gravity=(0.0, -9.81))
    crank = s.body("crank", mass=1.0, inertia=0.01, position=(0.0, 0.05), angle=np.pi / 2, rate=20.0, points={"O": (-0.05, 0.0)})
    x = np.sqrt(0.08)
    form = {"mass": 0.6, "inertia": 0.006, "points": {"A": (-0.15, 0.0), "B": (0.15, 0.0)}}
    rod = s.body("rod", position=(0.5 * x, 0.05), angle=-np.arctan2(0.1, x), **form)
    slider = s.body("slider", mass=2.0, inertia=0.01, position=(x, 0.0))
    s.add(fm.Revolute("O", s.ground.at(0.0, 0.0), crank["O"]))
    s.add(fm.Revolute("A", crank.at(0.05, 0.0), rod["A"]))
    s.add(fm.Revolute("B", rod["B"], slider.centre))
    s.add(fm.Translational("rail", s.ground.at(0.0, 0.0), slider.centre))
    s.add(fm.Spring("spring", s.ground.at(0.5, 0.0), slider.centre, stiffness=stiffness, damping=3.0, length=0.2))
    return s


def loop_space(stiffness):
    """A four-bar of a pin, a universal and a ball joint, and a cylindrical one (RUSC)."""
    import flexmbd as fm

    s = fm.System(gravity=(0.0, 0.0, -9.81))
    places = [np.array(p) for p in ((0.0, 0.0, 0.0), (0.0, 0.0, 0.2), (0.6, 0.3, 0.25), (0.6, 0.3, 0.0))]
    bars = []
    for k, (p, q) in enumerate(pairwise(places)):
        half = tuple(0.5 * (q - p))
        points = {"A": tuple(-x for x in half), "B": half}
        bars.append(s.body(f"bar{k}", mass=1.0, inertia=(0.02, 0.02, 0.02), position=tuple(0.5 * (p + q)), points=points))
    s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0, 0.0), bars[0]["A"], axis=(0.0, 1.0, 0.0)))
    s.add(fm.Universal("cross", bars[0]["B"], bars[1]["A"], axis=(0.0, 1.0, 0.0), axis_b=(0.0, 0.0, 1.0)))
    s.add(fm.Spherical("ball", bars[1]["B"], bars[2]["A"]))
    s.add(fm.Revolute("foot", s.ground.at(0.6, 0.3, 0.0), bars[2]["B"], axis=(0.0, 1.0, 0.0)))
    s.add(fm.TorsionSpring("spring", s.ground, bars[0], stiffness=stiffness, damping=0.1, axis=(0.0, 1.0, 0.0), angle=0.3))
    return s


SYSTEMS = {f"pins_{n}": (lambda n, k: chain(n, k, 2), n) for n in (1, 2, 5, 20, 60)}
SYSTEMS |= {f"arm_{n}": (chain, n) for n in (1, 3, 6, 12, 30)}
SYSTEMS |= {f"balls_{n}": (lambda n, k: chain(n, k, joint="Spherical"), n) for n in (1, 3, 6)}
SYSTEMS |= {f"free_plane_{n}": (lambda n, k: free(n, k, 2), n) for n in (1, 4)}
SYSTEMS |= {f"free_space_{n}": (lambda n, k: free(n, k, 3), n) for n in (1, 4)}
SYSTEMS |= {f"loops_{n}": (loops, n) for n in (1, 4, 12)}
SYSTEMS |= {f"ring_plane_{n}": (lambda n, k: ring(n, k, 2), n) for n in (5, 10, 15, 20, 30)}
SYSTEMS |= {f"ring_space_{n}": (lambda n, k: ring(n, k, 3), n) for n in (6, 12)}
SYSTEMS |= {f"cable_{n}": (cabled, n) for n in (1, 3)}
SYSTEMS |= {"slider_crank": (lambda _, k: slider_crank(k), 0), "loop_space": (lambda _, k: loop_space(k), 0)}


def build(name, stiffness):
    """A system by name."""
    make, count = SYSTEMS[name]
    return make(count, stiffness)


def measured(name, formulation, more="{}", samples=SAMPLES):
    """What a process of its own finds."""
    import flexmbd as fm
    from flexmbd.formulation import formulation_of

    def model(stiffness):
        return build(name, stiffness)

    how = {"integrator": "dormand_prince", "formulation": formulation, "tolerance": TOLERANCE, "lanes": 16, **json.loads(more)}
    fm.run(lambda stiffness: chain(1, stiffness, 2), {"stiffness": np.ones(1)}, end=0.01, points=2, outputs=["link0.x"], settings=how)
    last = next(body.name for body in reversed(build(name, 1.0).bodies) if not body.flexible)
    outputs = [f"{last}.x", f"{last}.vx"]
    stiffness, times, run = np.linspace(10.0, 40.0, samples), {}, None
    for end, some in ((SHORT, 1), (SHORT, samples), (END, samples)):
        own = times[end, some] = []
        while (some > 1 and (sum(own) < ENOUGH or len(own) < 2)) or not own:
            before = process_time()
            run = fm.run(model, {"stiffness": stiffness[:some]}, end=end, points=11, outputs=outputs, settings=how)
            own.append(process_time() - before)
    first, begin, whole = map(min, times.values())
    made = formulation_of(formulation)(build(name, 20.0), solved=False)
    known = {"n": made.n, "rows": len(made.rows), "bodies": len(made.system.bodies)}
    found = {"first": first, "begin": begin, "run": whole - begin, "steps": float(run.statistics["steps"].mean())}
    return known | found | {"failed": int((run.status != 0).sum()), "x": run[outputs[0]][::64, -1].tolist()}


def apart(name, formulation, more, generic):
    """What a process of its own finds, with the generic part compiled already."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(generic, folder, dirs_exist_ok=True)
        found = alone(__file__, "--one", name, formulation, more, cache=folder)
        if not any(os.scandir(generic)):
            shutil.copytree(folder, generic, dirs_exist_ok=True)
    return found


def main():
    """Measure, and print one line of JSON at the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS))
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--settings", default="{}", help="of the runs, as JSON")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measured(*given.one)))
        return
    found, generic = {}, tempfile.mkdtemp()
    for name in given.only:
        best = {}
        for _ in range(given.repeats):
            for formulation in ("natural", "tree"):
                one = apart(name, formulation, given.settings, generic)
                old = best.get(formulation, one)
                best[formulation] = one | {key: min(one[key], old[key]) for key in MEASURED}
        a, b = best["natural"], best["tree"]
        found[name] = {"unknowns": (b["n"] + b["rows"]) / (a["n"] + a["rows"]), **{key: b[key] / a[key] for key in MEASURED}}
        found[name] |= {"seconds": [a["run"], b["run"]], "differ": max(abs(p - q) for p, q in zip(a["x"], b["x"], strict=True))}
        print(name, json.dumps(found[name]), flush=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
