#!/usr/bin/env python
"""Cost of an oil film by a map: force and tangent of films in vector lanes, on one core.

The map is of Reynolds' equation on 128 x 16 cells (L = D/2, film ruptured where pressure ends, free ring) to a tolerance of 1e-3.

Target: 0.2 us for the force of a film.  Prediction: 64 coefficients of two series and three square roots are some 300 operations, of which
a core does 8 x 2 a cycle: 20 cycles, 0.01 us; the tangent three times that.

    python benchmarks/film_map.py [--lanes 8] [--films 512]
"""

import argparse
import ctypes
import sys
import time

from _common import ROOT, report, short

sys.path.insert(0, str(ROOT))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lanes", type=int, default=8)
    parser.add_argument("--films", type=int, default=512)
    arguments = parser.parse_args()

    import numpy as np

    from flexmbd.language.graph import Graph
    from flexmbd.lubrication.film_map import build_map
    from flexmbd.lubrication.map_film import MapFilm
    from flexmbd.lubrication.reynolds import ReynoldsBearing
    from flexmbd.stepping import names
    from tests.flexmbd.generated import functions

    bearing = ReynoldsBearing(radius=0.01, clearance=1e-4, length=0.01, cavitation="reynolds", inlet="periodic")
    start = time.perf_counter()
    map_ = build_map(bearing.impedance, settings={}, tolerance=1e-3)
    build = time.perf_counter() - start
    kernels = MapFilm(viscosity=0.1, length=0.01, map=map_).kernels()
    rows, random = arguments.films // arguments.lanes, np.random.default_rng(1)
    X = np.empty((8 * rows, arguments.lanes))
    X[0::8], X[1::8] = 1e-4 * random.uniform(-0.65, 0.65, (2, rows, arguments.lanes))
    X[2::8], X[3::8] = random.normal(size=(2, rows, arguments.lanes))
    for row, number in enumerate((1e-4, 0.01, 0.1, 0.01)):  # clearance, radius, viscosity, length
        X[4 + row :: 8] = number
    cost, P, at = {}, np.zeros((1, arguments.lanes)), np.zeros(names.ENTRIES, np.int64)
    for name, kernel, results in (("force", kernels.force, 2), ("tangent", kernels.tangent, 8)):
        g = Graph()
        nodes = [x for k in range(rows) for x in g.call(kernel, [g.var("q", 8 * k + i) for i in range(8)], results)]
        made, _ = functions(g, nodes, arguments.lanes)
        code = made.code()
        call = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4, ctypes.c_int64, ctypes.c_int64)(code.address("f"))
        given, W = np.vstack([X, np.zeros((len(nodes), arguments.lanes))]), np.zeros((max(1, made.rows), arguments.lanes))
        addresses, best = [x.ctypes.data for x in (given, P, W, at)], np.inf
        for _ in range(300):
            start = time.perf_counter()
            call(*addresses, 0, len(X))
            best = min(best, time.perf_counter() - start)
        assert np.all(np.isfinite(given)) and np.any(given[len(X) :])
        cost[name] = best / (rows * arguments.lanes) * 1e6
    notes = f"force; tangent {short(cost['tangent'])} us; {arguments.lanes} lanes; map of {map_.evaluations} films of 128 x 16 cells in "
    notes += f"{short(build, 2)} s, error stated {map_.error:.1e} of the largest force"
    report("film_map", short(cost["force"] / 0.2), 1.0, short(cost["force"]), 0.2, "us a film", notes)


if __name__ == "__main__":
    main()
