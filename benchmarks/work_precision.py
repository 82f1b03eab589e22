#!/usr/bin/env python
"""Work and precision: error against time of a processor, for integrators, contact laws and oil films.

- **Smooth**: two rods from the horizontal, 2 s (`taylor_peers.py` compares them with heyoka); error of a place at the end, by tolerance
  or step.
- **Clearance**: the worn slider-crank, a quarter turn; median error of the slider's velocity at the end.
- **Laws**: a ball that drops 10 mm on a plane, 0.1 s with one impact; error of its velocity at the end, each law against itself at 1e-12,
  the impenetrable ball against its closed form.
- **Films**: Reynolds' equation on grids from 16 x 2 to 128 x 16 cells, e/c = 0.6, L = D; error of the force against 256 x 32 cells.

1,024 samples in 16 lanes, processor seconds a sample, the least of repetitions, start and outputs included, compilation apart; a solve of a
film by itself.

Target: at 1e-9 the best scheme of the smooth motion takes at most half of the time of `dormand_prince`. Prediction: there `dop853` takes
0.6 of it and `taylor` 0.35 (`taylor_peers.py`); `generalized_alpha`, of order 2, falls by one decade of error for three times the time and
does not come below 1e-7. With clearance errors fall with the tolerance until about 1e-9, `dormand_prince` takes half of what `rosenbrock`
takes and a tenth of `generalized_alpha`, because contacts last a hundredth of the step that these schemes are made for. Laws differ by less
than 1.5 at the same error; the impenetrable ball is exact to 1e-12 at a tenth of the time. A film's error falls with the square of the
cells' size for `sommerfeld`, less regularly for `reynolds` and `gumbel`, whose edge moves from cell to cell; its time grows with the number
of cells around times the square of those along the length.

    python benchmarks/work_precision.py [--parts smooth clearance laws films] [--repeats 3] [--quick] [--record]
"""

import argparse
import math
import time

from _common import TURN, crank_model, report, short, worn_samples
from taylor_peers import rods

LANES, SAMPLES = 16, 1024
DROP = 0.01  # m
SMOOTH = ("dormand_prince", "dop853", "taylor", "gauss_16", "rosenbrock", "generalized_alpha")
CLEARANCE = ("dormand_prince", "rosenbrock", "generalized_alpha")
GRIDS = ((16, 2), (32, 4), (64, 8), (128, 16))


def spent(build, samples, output, end, repeats, **settings):
    """Processor seconds a sample and the values of an output at the end; None of them where a run fails."""
    import numpy as np

    import flexmbd as fm

    best, count = math.inf, len(next(iter(samples.values())))
    settings = {"lanes": LANES, "max_steps": 20_000_000, **settings}
    for repeat in range(repeats + 1):  # the first one compiles
        began = time.process_time()
        found = fm.run(build, samples, end=end, points=2, outputs=[output], settings=settings)
        if found.status.any():
            return math.inf, None
        if repeat:
            best = min(best, time.process_time() - began)
    return best / count, np.asarray(found[output])


def curve(run, ways, exact):
    """(median error, seconds a sample) of each way to set a scheme that comes to the end."""
    import numpy as np

    found = []
    for way in ways:
        seconds, values = run(**way)
        if values is not None:
            found.append((float(np.median(np.abs(values - exact))), seconds))
    return found


def smooth(options):
    """Curves of two rods."""
    import numpy as np

    case = rods(2), {"mass": np.linspace(0.8, 1.2, SAMPLES)}, "rod1.E.x:final", 2.0, options.repeats
    _, exact = spent(*case[:-1], 0, integrator="dop853", tolerance=1e-14, formulation="tree")
    found = {}
    for scheme in SMOOTH:
        least = 8 if scheme in ("generalized_alpha", "rosenbrock") else 13
        ways = [{"integrator": scheme, "tolerance": 10.0**-k, "formulation": "tree"} for k in range(4, least + 1, options.stride)]
        found[scheme] = curve(lambda **way: spent(*case, **way), ways, exact)
    ways = [{"integrator": "rk4", "step": 0.04 / 2**k, "formulation": "tree"} for k in range(0, 8, options.stride)]
    found["rk4"] = curve(lambda **way: spent(*case, **way), ways, exact)
    return found


def clearance(options):
    """Curves of the worn slider-crank."""
    case = crank_model().slider_crank, worn_samples(SAMPLES), "slider.vx:final", 0.25 * TURN, options.repeats
    _, exact = spent(*case[:-1], 0, integrator="dormand_prince", tolerance=1e-12)
    found = {}
    for scheme in CLEARANCE:
        ways = [{"integrator": scheme, "tolerance": 10.0**-k} for k in range(4, 9 if scheme == "generalized_alpha" else 11, options.stride)]
        found[scheme] = curve(lambda **way: spent(*case, **way), ways, exact)
    return found


def ball(law):
    """Builder of a ball above a plane."""
    import flexmbd as fm

    def build(mass):
        s = fm.System(gravity=(0.0, -9.81))
        body = s.body("ball", mass=mass, inertia=0.01, position=(0.0, 0.1 + DROP))
        s.add(fm.DiscPlane("floor", body.centre, s.ground.at(0.0, 0.0), 0.1, law))
        return s

    return build


def laws(options):
    """Curves of a ball that bounces once, by law."""
    import numpy as np

    import flexmbd as fm

    kinds = ("Hertz", "HuntCrossley", "LankaraniNikravesh", "Flores", "Gonthier")
    built = {kind: getattr(fm, kind)(1e8, **({} if kind == "Hertz" else {"restitution": 0.8})) for kind in kinds}
    built["KelvinVoigt"] = fm.KelvinVoigt(1e6, 200.0)
    samples, found = {"mass": np.linspace(0.8, 1.2, SAMPLES)}, {}
    for name, law in built.items():
        case = ball(law), samples, "ball.vy:final", 0.1, options.repeats
        _, exact = spent(*case[:-1], 0, tolerance=1e-12, integrator="dormand_prince")
        ways = [{"integrator": "dormand_prince", "tolerance": 10.0**-k} for k in range(4, 11, options.stride)]
        found[name] = curve(lambda case=case, **way: spent(*case, **way), ways, exact)
    falls = math.sqrt(2.0 * DROP / 9.81)
    exact = 0.8 * 9.81 * falls - 9.81 * (0.1 - falls)
    case = ball(fm.Impenetrable(restitution=0.8)), samples, "ball.vy:final", 0.1, options.repeats
    found["Impenetrable"] = curve(lambda **way: spent(*case, **way), [{"integrator": "event_driven", "tolerance": 1e-9}], exact)
    return {name: [(max(error, 1e-16), seconds) for error, seconds in points] for name, points in found.items()}


def films(options):
    """Curves of the force of a journal's film, by what happens where pressure ends."""
    import numpy as np

    from flexmbd.lubrication.solved import ReynoldsFilm
    from flexmbd.lubrication.solved.link import run
    from flexmbd.lubrication.solved.sums import FORCE

    radius, gap, length, viscosity = 0.05, 5e-5, 0.1, 0.01
    given = np.array((0.6 * gap, 0.1 * gap, 5.0 * gap, -30.0 * gap, gap, radius, viscosity, length, 0.0))

    def force(cavitation, cells):
        film, best = ReynoldsFilm(viscosity, length, cavitation=cavitation, cells=cells, inlet="periodic").grid_film, math.inf
        for _ in range(20 * options.repeats):
            began = time.perf_counter()
            value = run(film, given, FORCE).copy()
            best = min(best, time.perf_counter() - began)
        return best, value

    found = {}
    for cavitation in ("sommerfeld", "gumbel", "reynolds"):
        _, exact = force(cavitation, (256, 32))
        rows = [force(cavitation, cells) for cells in GRIDS]
        found[cavitation] = [(float(np.abs(x - exact).max() / np.abs(exact).max()), s) for s, x in rows]
    return found


PARTS = {
    "smooth": (smooth, "Two rods, 2 s", "error of a place at the end, m", "processor seconds a sample"),
    "clearance": (
        clearance,
        "Worn slider-crank, a quarter turn",
        "median error of the slider's velocity, m/s",
        "processor seconds a sample",
    ),
    "laws": (laws, "A ball that bounces once, by contact law", "error of its velocity at the end, m/s", "processor seconds a sample"),
    "films": (films, "Force of an oil film on grids from 16 x 2 to 128 x 16 cells", "error over the force", "seconds a solve"),
}


def at_error(points, wanted):
    """Least seconds of the points whose error is at most as large."""
    return min((seconds for error, seconds in points if error <= wanted), default=math.nan)


def main():
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="*", default=[*PARTS], choices=[*PARTS])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="every second tolerance, once")
    options = parser.parse_args()
    options.stride = 2 if options.quick else 1
    options.repeats = 1 if options.quick else options.repeats
    found = {}
    for part in options.parts:
        work, title, across, up = PARTS[part]
        series = work(options)
        found[title] = {"series": {k: [(short(e, 3), short(s, 3)) for e, s in x] for k, x in series.items()}, "across": across, "up": up}
        for name, points in found[title]["series"].items():
            print(f"{title}: {name}: {points}", flush=True)
    series = found.get(PARTS["smooth"][1], {"series": {}})["series"]
    times = {name: at_error(points, 1e-9) for name, points in series.items()}
    best = min((x for x in times.values() if x == x), default=math.nan)
    own = times.get("dormand_prince", math.nan)
    report("work_precision", short(best / own), 0.5, best, own, "s a sample at 1e-9: the best scheme, dormand_prince", {"curves": found})


if __name__ == "__main__":
    main()
