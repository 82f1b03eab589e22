#!/usr/bin/env python
"""Cost of an oil film by a map: force and tangent of films in vector lanes, on one core.

The map is of Reynolds' equation on 128 x 16 cells (L = D/2, film ruptured where pressure ends, free ring) to a tolerance of 1e-3.

Target: 0.2 us for the force of a film.  Prediction: 64 coefficients of two series and three square roots are some 300 operations, of which
a core does 8 x 2 a cycle: 20 cycles, 0.01 us; the tangent three times that.

    python benchmarks/film_map.py [--lanes 8] [--films 4000]
"""

import argparse
import sys
import time

from _common import ROOT, report, short

sys.path.insert(0, str(ROOT))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lanes", type=int, default=8)
    parser.add_argument("--films", type=int, default=4000)
    arguments = parser.parse_args()

    import numpy as np
    from numba import njit

    from flexmbd.lanes import OPTIONS
    from flexmbd.lubrication.film_map import build_map
    from flexmbd.lubrication.map_film import MapFilm
    from flexmbd.lubrication.reynolds import ReynoldsBearing
    from tests.flexmbd.lane_arrays import accessors

    bearing = ReynoldsBearing(radius=0.01, clearance=1e-4, length=0.01, cavitation="reynolds", inlet="periodic")
    start = time.perf_counter()
    map_ = build_map(bearing.impedance, settings={}, tolerance=1e-3)
    build = time.perf_counter() - start
    kernels = MapFilm(viscosity=0.1, length=0.01, map=map_).kernels()
    load, store = accessors(arguments.lanes)
    count = arguments.films // arguments.lanes
    random, places = np.random.default_rng(1), np.empty((8, count, arguments.lanes))
    places[:2] = 1e-4 * random.uniform(-0.65, 0.65, (2, *places.shape[1:]))
    places[2:4] = random.normal(size=(2, *places.shape[1:]))
    for row, number in enumerate((1e-4, 0.01, 0.1, 0.01)):  # clearance, radius, viscosity, length
        places[4 + row] = number
    cost = {}
    for name, kernel, results in (("force", kernels.force, 2), ("tangent", kernels.tangent, 8)):
        lines = ["def run(given, found):", "    for i in range(given.shape[1]):"]
        lines += [f"        r = kernel({', '.join(f'load(given, {row}, i)' for row in range(8))})"]
        lines += [f"        store(found, {row}, i, r[{row}])" for row in range(results)]
        space = {"kernel": kernel, "load": load, "store": store}
        exec("\n".join(lines), space)
        run, found = njit(**OPTIONS)(space["run"]), np.empty((results, *places.shape[1:]))
        run(places, found)  # compiles
        best = np.inf
        for _ in range(300):
            start = time.perf_counter()
            run(places, found)
            best = min(best, time.perf_counter() - start)
        cost[name] = best / (count * arguments.lanes) * 1e6
    notes = f"force; tangent {short(cost['tangent'])} us; {arguments.lanes} lanes; map of {map_.evaluations} films of 128 x 16 cells in "
    notes += f"{short(build, 2)} s, error stated {map_.error:.1e} of the largest force"
    report("film_map", short(cost["force"] / 0.2), 1.0, short(cost["force"]), 0.2, "us a film", notes)


if __name__ == "__main__":
    main()
