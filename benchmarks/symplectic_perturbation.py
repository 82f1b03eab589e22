#!/usr/bin/env python
"""Rods of two rates: symplectic perturbation at the steps of Wu, Gao and Zhong (2014) against direct solutions at the same error.

Both examples of the paper (`studies/rods_double_pendulum`, `studies/rods_three`) with as many sines as `--modes` says, 2 and 10 s,
samples of different stiffness side by side. Errors are the largest of the nodes' places and of the sines' amplitudes at the ends of the
paper's steps (4 and 10 ms), the latter by the largest of all, against `dormand_prince` at 1e-12. Every direct scheme is tried from its
coarsest setting on until both errors are no larger than ours, and the cheapest such setting counts: explicit ones by tolerance, or by the
longest step that stays (`rk4`), implicit ones by tolerance or fixed step. Processor seconds a sample, the least of repetitions.
With `--figure` it draws how the energy goes in 100 s, the nodes' ways and the deflection.

Target: 20 times less than the best direct solution. Prediction: explicit steps end at 3 rad of the highest sine, whatever the tolerance:
with three sines 0.5 ms of seven evaluations (`dormand_prince`), and of four with `rk4`, which wastes none. Ours takes three iterations of
what three evaluations cost: 10 to 20 times less than `dormand_prince`, 2 to 6 times less than `rk4`. Frequencies go with the square of the
number of sines, the cost of a step here with less than its cube: with eight sines above 20 for `dormand_prince` and `rk4` at 10. Implicit
direct schemes have to resolve the first sine: above 20.

With `--levels` the same at errors that are given: the cheapest settings of our schemes, of order 2, 4 and 6 and the exponential one, and
of direct ones with which places are right to e m and amplitudes to 10 e of the largest, at the ends of two of the paper's steps. Each
scheme is tried from coarse to fine settings until all errors are met; the time of the start, the same for all, is taken off
(take ends of 10 s: of 2 s with three sines little is left).

Prediction: a step of order 4 costs five of order 2 with two to three iterations each, so it pays from 1e-4 m on, that of order 6 from 1e-6
on; explicit direct schemes are held by stability down to 1e-5 (`rk4`) and 1e-7 (`dop853`), and pay nothing for better places till then. So
our best is 2 to 4 times cheaper than the best direct one at 1e-3, falls to 1 to 2 at 1e-5, and is beaten at 1e-7; with eight sines five
times more, above 20 at 1e-3 in example 2 only. The exponential scheme has half the evaluations of order 2 and no iteration: cheaper by two
at 1e-2, and not symplectic: amplitudes keep it from tighter errors.

    python benchmarks/symplectic_perturbation.py [--modes 3 8] [--ends 2 10] [--samples 64] [--figure FILE.svg] [--quick]
        [--levels 1e-2 1e-3 1e-4 1e-5 1e-6]
"""

import argparse
import sys
import time
from itertools import product

from _common import ROOT, report, short
from _rods_figure import draw

sys.path.insert(0, str(ROOT))

LANES = 8
SCAN = {  # settings from the coarsest on
    "dormand_prince": [{"tolerance": 10.0**-k} for k in (4, 6, 8)],
    "rk4": [{"step": 4e-3 / 2.0 ** (k / 2)} for k in range(2, 20)],
    "generalized_alpha": [{"tolerance": 10.0**-k} for k in (4, 5, 6, 7, 8)],
    "newmark": [{"step": 1e-3 / 2.0**k, "fixed": True} for k in range(8)],
    "gauss_8": [{"step": 4e-3}],
    "variational": [{"step": 1e-3 / 2.0**k} for k in range(5)],
}
OURS = ("symplectic_perturbation", "symplectic_perturbation_4", "symplectic_perturbation_6", "exponential")
STEPS = [2.0 ** (1 - k) for k in range(8)]  # by that of the paper
FINER = {  # of direct schemes, from the coarsest on
    "dormand_prince": [{"tolerance": 10.0**-k} for k in (4, 6, 8)],
    "dop853": [{"tolerance": 10.0**-k} for k in (4, 6, 8, 9, 10)],
    "rk4": [{"step": 1e-3 / 2.0 ** (k / 2)} for k in range(12)],
    "generalized_alpha": [{"tolerance": 10.0**-k} for k in (4, 5, 6, 7)],
    "newmark": [{"step": 1e-3 / 2.0**k, "fixed": True} for k in range(5)],
}
SAME = {
    "exponential": {},
    "generalized_alpha": {"fixed": True},
    "newmark": {"fixed": True},
    "rk4": {},
    "variational": {},
}  # at the same step, side by side


def examples(modes):
    """By name: model, nodes, rod, stiffness, step."""
    from tests.flexmbd.rods import EI_1, EI_2, double_pendulum, three_rods

    def double(EI):
        return double_pendulum(EI, modes=modes)

    def three(EI):
        return three_rods(EI, modes=modes)

    return {
        "double pendulum": (double, ("joint", "bob"), "lower", EI_1, 4e-3),
        "three rods": (three, ("first", "second"), "coupler", EI_2, 1e-2),
    }


def runner(example, modes, samples, end, every=1, net=False):
    """A function of scheme and settings: histories (samples, times, outputs), None where a run fails, and processor seconds a sample.

    Histories are those at the ends of `every` of the paper's steps.  With `net` the time of a run of one such time is taken off: the start.
    """
    import numpy as np

    import flexmbd as fm

    build, nodes, rod, EI, step = example
    outputs = [f"{node}.{axis}" for node in nodes for axis in "xy"] + [f"{rod}.a{k + 1}" for k in range(modes)]
    stiffness, points = EI * np.linspace(1.0, 1.1, samples), round(end / (every * step)) + 1

    def run(scheme, repeats=3, **settings):
        settings, spent = {"integrator": scheme, "lanes": LANES, "max_steps": 10**9, "patience": 60.0, **settings}, []
        patience = settings.pop("patience")
        for _ in range(repeats + 1):  # the first one compiles
            found = fm.run(build, {"EI": stiffness}, end=end, points=points, outputs=outputs, settings=settings, patience=patience)
            if found.status.any():
                return None, np.inf
            times = []
            for until in (end, every * step)[: 1 + net]:
                start = time.process_time()
                fm.run(build, {"EI": stiffness}, end=until, points=2, outputs=outputs[:1], settings=settings)
                times.append(time.process_time() - start)
            spent.append(times[0] - sum(times[1:]))
        return np.stack([found[name] for name in outputs], axis=2), min(spent[1:] or spent) / samples

    return run


def errors(found, exact):
    """Largest of places, m, and of amplitudes, by the largest of all."""
    import numpy as np

    off = np.abs(found - exact)
    return off[:, :, :4].max(), off[:, :, 4:].max() / np.abs(exact[:, :, 4:]).max()


def compared(example, modes, samples, end, repeats):
    """Ours and, by scheme, the cheapest direct solution that is no worse; and what schemes do at the same step."""
    run = runner(example, modes, samples, end)
    exact, _ = run("dormand_prince", 1, tolerance=1e-12)
    ours, own = run("symplectic_perturbation", repeats, step=example[-1])
    wanted, found = errors(ours, exact), {}
    print(f"{example[0].__name__}, {modes} sines, {end} s: {own:.3g} s, errors {wanted[0]:.2g} m and {wanted[1]:.2g}", flush=True)
    for scheme, settings in SCAN.items():
        for one in settings:
            other, spent = run(scheme, 1, **one)
            if other is None or any(a > b for a, b in zip(errors(other, exact), wanted, strict=True)):
                continue
            _, spent = run(scheme, repeats, **one)
            found[scheme] = {"s": short(spent), "times": short(spent / own), **one}
            print(f"  {scheme} {one}: {spent:.3g} s, {spent / own:.1f} times", flush=True)
            break
    same = {}
    for scheme, one in SAME.items():
        other, spent = run(scheme, 1, step=example[-1], **one)
        same[scheme] = "fails" if other is None else [short(x, 2) for x in errors(other, exact)]
    return {"s": short(own), "errors": [short(x, 2) for x in wanted], "direct": found, "same step": same}


def at_errors(example, modes, samples, end, levels):
    """By error: the cheapest setting of each scheme, with processor seconds a sample; and the best direct one over our best."""
    run, found = runner(example, modes, samples, end, 2, net=True), {level: {} for level in levels}
    exact, _ = run("dormand_prince", 1, tolerance=1e-12)
    scan = {scheme: [{"step": example[-1] * share} for share in STEPS] for scheme in OURS} | FINER
    for scheme, settings in scan.items():
        for one in settings:
            other, spent = run(scheme, 2, **one)
            if other is None:
                continue
            places, bending = errors(other, exact)
            met = max(places, 0.1 * bending)
            print(f"  {scheme} {one}: {places:.2g} m, {bending:.2g}, {spent:.3g} s", flush=True)
            for level in levels:
                if met <= level and spent < found[level].get(scheme, {"s": float("inf")})["s"]:
                    found[level][scheme] = {"s": short(spent), **one}
            if met <= min(levels):
                break
    for level, by in found.items():
        ours, direct = ({key: x for key, x in by.items() if (key in OURS) == own} for own in (True, False))
        best, other = (min(side, key=lambda key: side[key]["s"], default="") for side in (ours, direct))
        times = short(direct[other]["s"] / ours[best]["s"]) if best and other else None
        print(f"{example[0].__name__}, {modes} sines, {end} s, {level:g} m: {best} against {other}: {times}", flush=True)
        by |= {"ours": best, "direct": other, "times": times}
    return {f"{level:g}": by for level, by in found.items()}


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--modes", type=int, nargs="+", default=[3, 8])
    parser.add_argument("--ends", type=float, nargs="+", default=[2.0, 10.0])
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--figure")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--levels", type=float, nargs="+")
    options = parser.parse_args()
    if options.figure:
        draw(options.figure)
    notes = {}
    if options.levels:
        for modes, end in product(options.modes, options.ends):
            for name, example in examples(modes).items():
                notes[f"{name}, {modes} sines, {end:g} s"] = at_errors(example, modes, options.samples, end, options.levels)
        times = [by["times"] for one in notes.values() for by in one.values() if by["times"]]
        report("symplectic_perturbation_levels", max(times, default=0.0), 20.0, 1.0, 1.0, "times", notes)
        return 0
    for modes, end in product(options.modes, options.ends):
        for name, example in examples(modes).items():
            notes[f"{name}, {modes} sines, {end:g} s"] = compared(example, modes, options.samples, end, 1 if options.quick else 4)
    best = {key: min(one["times"] for one in x["direct"].values()) for key, x in notes.items()}
    least = min(best, key=best.get)
    theirs = min(one["s"] for one in notes[least]["direct"].values())
    report(
        "symplectic_perturbation",
        short(best[least]),
        20.0,
        notes[least]["s"],
        theirs,
        "s a sample",
        {"least": least, "best": best, **notes},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
