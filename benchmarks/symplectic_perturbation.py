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

    python benchmarks/symplectic_perturbation.py [--modes 3 8] [--ends 2 10] [--samples 64] [--figure FILE.svg] [--quick]
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
SAME = {"generalized_alpha": {"fixed": True}, "newmark": {"fixed": True}, "rk4": {}, "variational": {}}  # at the same step, side by side


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


def runner(example, modes, samples, end):
    """A function of scheme and settings: histories (samples, times, outputs), None where a run fails, and processor seconds a sample."""
    import numpy as np

    import flexmbd as fm

    build, nodes, rod, EI, step = example
    outputs = [f"{node}.{axis}" for node in nodes for axis in "xy"] + [f"{rod}.a{k + 1}" for k in range(modes)]
    stiffness, points = EI * np.linspace(1.0, 1.1, samples), round(end / step) + 1

    def run(scheme, repeats=3, **settings):
        settings, spent = {"integrator": scheme, "lanes": LANES, "max_steps": 10**9, "patience": 60.0, **settings}, []
        patience = settings.pop("patience")
        for _ in range(repeats + 1):  # the first one compiles
            found = fm.run(build, {"EI": stiffness}, end=end, points=points, outputs=outputs, settings=settings, patience=patience)
            if found.status.any():
                return None, np.inf
            start = time.process_time()
            fm.run(build, {"EI": stiffness}, end=end, points=2, outputs=outputs[:1], settings=settings)
            spent.append(time.process_time() - start)
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


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--modes", type=int, nargs="+", default=[3, 8])
    parser.add_argument("--ends", type=float, nargs="+", default=[2.0, 10.0])
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--figure")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.figure:
        draw(options.figure)
    notes = {}
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
