#!/usr/bin/env python
"""Samples per second of the lubricated slider-crank, paired with the dry one, on one core.

Compared: the slider-crank of `tests/flexmbd/worn_crank.py` (two turns at 5000 rpm, dry friction 0.03), every sample with a clearance
from 0.1 to 0.3 mm, dry and with a bearing of 20 mm full of oil of 0.04 to 0.4 Pa s: by a map of Reynolds' equation on 128 x 16 cells, and
by the formula of the short bearing.  Dry by `dormand_prince`, with oil by `rosenbrock` (and by `dormand_prince` beside it), all at the
same tolerance.  The error is that of the slider's velocity over both turns by its largest value, against runs at a thousandth of the
tolerance: median over the batch.  Variants take turns, the least of several times counts; assembly and Python are in the time.

Target: with the map at least half of the dry one's samples per second, and no larger error.  Prediction, from a prototype in minimal
coordinates: a tenth of the steps of `dormand_prince`, each at two to three times the cost.

    python benchmarks/lubricated_crank.py [--samples 64] [--tolerance 1e-6] [--repeats 5] [--direct]

`--direct` adds the film that is solved at every evaluation (`ReynoldsFilm`), on eight of the samples.
"""

import argparse
import sys

from _common import ROOT, TURN, least, report, short

OUTPUTS = ["slider.vx", "energy.balance", "energy.kinetic:max"]
LENGTH = 0.02


def models(direct):
    """Models of the dry and the lubricated joint by name."""
    import flexmbd as fm
    from flexmbd.lubrication.film_map import build_map
    from flexmbd.lubrication.map_film import MapFilm
    from flexmbd.lubrication.reynolds import ReynoldsBearing
    from tests.flexmbd.worn_crank import worn_crank

    bearing = ReynoldsBearing(radius=0.01, clearance=1e-4, length=LENGTH, cavitation="reynolds", inlet="periodic")
    map_ = build_map(bearing.impedance, settings={}, tolerance=1e-3)

    def oiled(film):
        return lambda clearance, viscosity: worn_crank(clearance, mu=0.03, film=film(viscosity))

    found = {
        "dry": lambda clearance, viscosity: worn_crank(clearance, mu=0.03),
        "map": oiled(lambda viscosity: MapFilm(viscosity, LENGTH, map_)),
        "short": oiled(lambda viscosity: fm.ShortFilm(viscosity, LENGTH)),
    }
    if direct:
        found["direct"] = oiled(lambda viscosity: fm.ReynoldsFilm(viscosity, LENGTH, inlet="periodic"))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--tolerance", type=float, default=1e-6)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--direct", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))

    import numpy as np

    from flexmbd.running import simulate

    random = np.random.default_rng(1)
    samples = {
        "clearance": random.uniform(0.1e-3, 0.3e-3, options.samples),
        "viscosity": np.exp(random.uniform(np.log(0.04), np.log(0.4), options.samples)),
    }
    builds = models(options.direct)
    chosen = {name: {k: x[: 8 if name == "direct" else None] for k, x in samples.items()} for name in builds}

    def run(name, integrator, tolerance=options.tolerance):
        settings = {"integrator": integrator, "tolerance": tolerance}
        found = simulate.run(builds[name], chosen[name], end=2 * TURN, points=241, outputs=OUTPUTS, settings=settings)
        if found.status.any():
            raise RuntimeError(f"{name}: {[x for x in found.message if x][:3]}")
        return found

    pairs = [
        ("dry", "dormand_prince"),
        *((name, scheme) for name in builds if name != "dry" for scheme in ("rosenbrock", "dormand_prince")),
    ]
    told, errors = {}, {}
    for name, scheme in pairs:
        exact = run(name, "rosenbrock" if name != "dry" else scheme, 1e-3 * options.tolerance).outputs["slider.vx"]
        found = told[name, scheme] = run(name, scheme)
        errors[name, scheme] = np.median(np.abs(found.outputs["slider.vx"] - exact).max(1)) / np.abs(exact).max()
    seconds = least({pair: lambda pair=pair: run(*pair) and None for pair in pairs}, options.repeats)
    speed = {pair: len(chosen[pair[0]]["clearance"]) / seconds[pair] for pair in pairs}
    lines = []
    for name, scheme in pairs:
        found = told[name, scheme]
        steps, rejected = (found.statistics[key].mean() for key in ("steps", "rejected"))
        balance = (np.ptp(found.outputs["energy.balance"], axis=1) / found.outputs["energy.kinetic:max"]).max()
        line = f"{name} by {scheme}: {short(speed[name, scheme])} samples/s, {steps:.0f} steps and {rejected:.0f} rejected, "
        line += f"error {errors[name, scheme]:.1e}, energy within {balance:.1e}"
        print(line, flush=True)
        lines.append(line)
    ours, theirs = speed["map", "rosenbrock"], speed["dry", "dormand_prince"]
    report(
        "lubricated_crank",
        short(ours / theirs),
        0.5,
        short(ours),
        short(theirs),
        "samples/s",
        f"tolerance {options.tolerance:g}; {'; '.join(lines)}",
    )


if __name__ == "__main__":
    main()
