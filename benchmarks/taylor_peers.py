#!/usr/bin/env python
"""Smooth motion, error against time: all smooth schemes in lanes, and heyoka's batches of Taylor series.

Samples are masses, 8,192 of them, side by side; what is compared is the median error of one place at the end, of every 32nd sample, against
heyoka's scalar integrator in extended precision (without heyoka: against `dop853` at 1e-14).

- **double pendulum**: two uniform rods of 1 m and 1 kg, the second one's mass 0.8 to 1.2, from the horizontal, 5 s.
- **chain of six** such rods, the last one's mass 0.8 to 1.2, 2 s.
- **rigid top** of Géradin and Cardona, on a spherical joint, 150 rad/s, mass 14 to 16, 0.5 s.

All start with a small velocity: from rest heyoka's batch takes steps of infinite length at some tolerances. Ours is `fm.run`, models,
start and outputs included, in tree and in natural coordinates; theirs is `propagate_until` alone, in batches as wide as registers, without
Python in between but for three lines that set a batch. Processor seconds of one core, the least of some repetitions, compilation apart.
Samples a second at an error are read between the two tolerances whose errors lie on both sides of it, in logarithms; a curve that is
better than asked at its loosest tolerance counts with that.

Targets: ``auto`` 1.5 times as many samples a second as heyoka at 1e-6, 1.2 at 1e-9, 1.0 at 1e-12; the last line has the least of the
ratios over their targets for the double pendulum. Prediction, from evaluations that scipy's schemes count on it (orders 5 and 8: 2,400 and
2,300 at 1e-6, 7,500 and 4,400 at 1e-9, 28,000 and 9,000 at 1e-12) and 8 ns for one in a lane: `dop853` overtakes `dormand_prince` between
1e-6 and 1e-7, and is 1.6 and 3 times as fast at 1e-9 and 1e-12; Gauss's schemes take as many evaluations as `dop853` and twice the sums,
and come to half of its speed; natural coordinates to two thirds of the tree's. heyoka makes 60,000, 38,000 and 24,000 samples a second,
so `auto` without series comes to 0.9, 0.9 and 0.8 of it; for the chain, whose elimination heyoka carries through each order of its series
and the tree does in a recursion, to 2 or more.

    python benchmarks/taylor_peers.py [--peer-python PYTHON] [--figure docs/images/work_precision.svg] [--quick]
"""

import argparse
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from _common import peer, report, short

SCHEMES = ("dormand_prince", "dop853", "taylor", "gauss_8", "gauss_16")
ASKED = {1e-6: 1.5, 1e-9: 1.2, 1e-12: 1.0}
G = (0.0, -9.81)


def rods(count):
    """Builder of a chain of uniform rods from the horizontal, each at 0.1 rad/s."""
    import flexmbd as fm

    def build(mass=1.0):
        s = fm.System(gravity=G)
        before = s.ground.at(0.0, 0.0)
        for k in range(count):
            m = mass if k == count - 1 else 1.0
            motion = {"rate": 0.1, "velocity": (0.0, 0.1 * (k + 0.5)), "points": {"O": (-0.5, 0.0), "E": (0.5, 0.0)}}
            rod = s.body(f"rod{k}", mass=m, inertia=m / 12.0, position=(k + 0.5, 0.0), **motion)
            s.add(fm.Revolute(f"pin{k}", before, rod["O"]))
            before = rod["E"]
        return s

    return build


def top(mass=15.0):
    """The heavy top; its inertia is about its centre."""
    import flexmbd as fm

    s = fm.System(gravity=(0.0, 0.0, -9.81))
    motion = {"position": (0.0, 1.0, 0.0), "velocity": (4.61538, 0.0, 0.0), "angular_velocity": (0.0, 150.0, -4.61538)}
    body = s.body("top", mass=mass, inertia=(0.234375, 0.46875, 0.234375), points={"O": (0.0, -1.0, 0.0)}, **motion)
    s.add(fm.Spherical("O", s.ground.at(0.0, 0.0, 0.0), body["O"]))
    return s


@dataclass(frozen=True)
class Case:
    """A mechanism: builder, output, end in s, least and largest mass in kg."""

    build: object
    output: str
    end: float
    masses: tuple


CASES = {
    "double pendulum": Case(rods(2), "rod1.E.x:final", 5.0, (0.8, 1.2)),
    "chain of six": Case(rods(6), "rod5.E.x:final", 2.0, (0.8, 1.2)),
    "rigid top": Case(top, "top.x:final", 0.5, (14.0, 16.0)),
}


def ours(case, count, repeats, **settings):
    """Processor seconds of all samples, their values at the end, and the scheme and coordinates that they were computed in."""
    import numpy as np

    import flexmbd as fm

    masses, best = np.linspace(*case.masses, count), math.inf
    for repeat in range(repeats + 1):  # the first one compiles
        began = time.process_time()
        run = fm.run(case.build, {"mass": masses}, end=case.end, points=2, outputs=[case.output], settings=settings)
        if repeat:
            best = min(best, time.process_time() - began)
    ended = not run.status.any()
    return best, run[case.output] if ended else None, (run.attributes["solver.integrator"], run.attributes["solver.formulation"])


def at_error(curve, wanted):
    """Samples a second at an error, between points of a curve of (error, samples a second); NaN where it does not come to that."""
    points = sorted((error, rate) for error, rate in curve if error > 0.0)
    below = [p for p in points if p[0] <= wanted]
    above = [p for p in points if p[0] > wanted]
    if not below:
        return math.nan
    if not above:
        return max(rate for _, rate in below)
    (e0, r0), (e1, r1) = max(below, key=lambda p: p[1]), min(above)
    share = math.log(wanted / e0) / math.log(e1 / e0)
    return max(r0, math.exp(math.log(r0) + share * math.log(max(r1, r0) / r0)))


def measured(name, options, notes):
    """Curves of a mechanism: (error, samples a second) by tolerance, of each scheme and coordinates, and of heyoka."""
    import numpy as np

    from flexmbd.integrators import INTEGRATORS

    case, every = CASES[name], max(1, options.samples // 256)
    given = name, case.end, "--masses", *case.masses, options.samples, "--every", every
    theirs = peer(options.peer_python, "heyoka_smooth.py", *given, "--reference", "--tolerances", *options.tolerances)
    if theirs:
        exact, notes["heyoka"] = np.array(theirs["reference"]), theirs["version"]
    else:
        exact = ours(case, options.samples, 0, integrator="dop853", tolerance=1e-14, formulation="tree")[1][::every]
    curves = {}
    if theirs:
        errors = [float(np.median(np.abs(np.array(x) - exact))) for x in theirs["values"].values()]
        curves["heyoka"] = [(e, options.samples / s) for e, s in zip(errors, theirs["seconds"].values(), strict=True)]
    ways = [(s, form) for s in SCHEMES if s in INTEGRATORS for form in ("tree", "natural")] + [("auto", "auto")]
    for scheme, form in ways:
        found, taken = [], set()
        for tolerance in options.tolerances:
            settings = {"integrator": scheme, "formulation": form, "tolerance": tolerance, "lanes": options.lanes}
            try:
                seconds, values, how = ours(case, options.samples, options.repeats, **settings)
            except ValueError as error:  # a scheme that does not treat it
                print(f"{name}, {scheme}, {form}: {error}", flush=True)
                break
            if values is None:
                continue
            taken.add("/".join(how))
            found.append((float(np.median(np.abs(values[::every] - exact))), options.samples / seconds))
        curves[scheme if scheme == "auto" else f"{scheme}, {form}"] = found
        if scheme == "auto":
            notes[f"{name}: auto"] = sorted(taken)
        print(name, scheme, form, [(short(e, 2), round(r)) for e, r in found], flush=True)
    return curves


def draw(curves, path):
    """Samples a second by error."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.0, 4.6), layout="constrained")
    axes = figure.subplots(1, len(curves))
    colours = dict(zip(("heyoka", *SCHEMES), ("black", "tab:blue", "tab:red", "tab:green", "tab:orange", "tab:purple"), strict=True))
    for one, (name, found) in zip(axes, curves.items(), strict=True):
        for label, points in found.items():
            scheme, _, form = label.partition(", ")
            points = sorted(p for p in points if p[0] > 0.0)
            if not points or scheme == "auto":
                continue
            style = {"marker": "s", "linewidth": 2.0} if scheme == "heyoka" else {"marker": "o" if form == "tree" else "x"}
            line = "--" if form == "natural" else "-"
            one.loglog(*zip(*points, strict=True), line, color=colours[scheme], markersize=4, label=label, **style)
        one.set(title=name, xlabel="median error at the end (m)")
        one.invert_xaxis()
        one.grid(True, which="major", alpha=0.3)
    axes[0].set_ylabel("samples a second and core")
    axes[-1].legend(fontsize="small", loc="center left", bbox_to_anchor=(1.02, 0.5))
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peer-python", default=sys.executable, help="Python that has heyoka")
    parser.add_argument("--samples", type=int, default=8192)
    parser.add_argument("--lanes", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tolerances", nargs="*", type=float, default=[10.0**-k for k in range(3, 15)])
    parser.add_argument("--systems", nargs="*", default=[*CASES], choices=[*CASES])
    parser.add_argument("--figure", type=Path, help="SVG or PNG of samples a second by error")
    parser.add_argument("--quick", action="store_true", help="few samples and tolerances, to see that it works")
    options = parser.parse_args()
    if options.quick:
        options.samples, options.repeats, options.tolerances = 512, 1, [1e-4, 1e-7, 1e-10, 1e-13]
    notes, curves = {"samples": options.samples, "lanes": options.lanes}, {}
    for name in options.systems:
        curves[name] = measured(name, options, notes)
        table = {label: [short(at_error(points, x), 3) for x in ASKED] for label, points in curves[name].items()}
        notes[f"{name}: samples/s at {', '.join(f'{x:g}' for x in ASKED)}"] = table
        for label, row in table.items():
            print(f"{name}: {label}: {row}", flush=True)
        if "heyoka" in table:
            notes[f"{name}: auto by heyoka"] = [short(a / b, 3) for a, b in zip(table["auto"], table["heyoka"], strict=True)]
    if options.figure:
        draw(curves, options.figure)
    first = curves[options.systems[0]]
    pairs = [(at_error(first["auto"], x), at_error(first.get("heyoka", []), x), share) for x, share in ASKED.items()]
    worst = min(pairs, key=lambda p: p[0] / p[1] / p[2] if p[1] == p[1] else math.inf)
    share = worst[0] / worst[1] / worst[2]
    report("taylor_peers", share, 1.0, worst[0], worst[1], "samples/s and core at the worst of three errors", notes)


if __name__ == "__main__":
    main()
