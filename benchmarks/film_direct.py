#!/usr/bin/env python
"""Cost of an oil film by Reynolds' equation on 128 x 16 cells with a warm start, on one core, as the time loop solves it.

A journal (L = D, film ruptured where pressure ends) goes back and forth between two places 0.1 % of the clearance apart, as time steps find
it; each film starts from the full cells of the one before. The whole call is timed: coefficients, full cells, pressure, force.

Target: 0.2 ms a solve.  Prediction: 85 of 128 rows are eliminated, 1360 unknowns of half band 16 at 16^2 multiply-adds, 0.35 M: 0.04 ms at
8 a nanosecond, twice that with substitution and all around it; a second solve where a cell changes sides.

    python benchmarks/film_direct.py [--eccentricity 0.6] [--cavitation reynolds]
"""

import argparse
import time

from _common import report, short


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--eccentricity", type=float, default=0.6)
    parser.add_argument("--cavitation", choices=("sommerfeld", "gumbel", "reynolds"), default="reynolds")
    arguments = parser.parse_args()

    import numpy as np

    from flexmbd.lubrication.reynolds import ReynoldsBearing
    from flexmbd.lubrication.solved import ReynoldsFilm
    from flexmbd.lubrication.solved.link import run
    from flexmbd.lubrication.solved.sums import FORCE, TANGENT

    radius, clearance, length, viscosity, eps = 0.05, 5e-5, 0.1, 0.01, arguments.eccentricity
    film = ReynoldsFilm(viscosity, length, cavitation=arguments.cavitation, cells=(128, 16), inlet="periodic").grid_film
    places = [((eps + d) * clearance, 0.1 * clearance) for d in (0.0, 0.001)]
    velocities = [(50.0 * y, -50.0 * x) for x, y in places]
    numbers = [np.array((*e, *v, clearance, radius, viscosity, length, 0.0)) for e, v in zip(places, velocities, strict=True)]

    def cost(what, rounds=300):
        best = np.inf
        for _ in range(rounds):
            start = time.perf_counter()
            for given in numbers:
                run(film, given, what)
            best = min(best, 0.5 * (time.perf_counter() - start))
        return best * 1e3

    ours, tangent = cost(FORCE), cost(TANGENT)
    solves = [run(film, given, FORCE) is not None and int(film.block[6]) for given in numbers]
    bearing = ReynoldsBearing(radius, clearance, length, cavitation=arguments.cavitation, inlet="periodic", cells=(128, 16))
    wanted = bearing.solve(*places[1], *velocities[1], viscosity=viscosity, warn=False).force[0]
    error = np.abs(run(film, numbers[1], FORCE) - wanted).max() / np.abs(wanted).max()
    notes = f"{arguments.cavitation}, e/c = {eps:g}, linear solves {solves}, with tangent instead of force {tangent:.3g} ms, "
    report("film_direct", short(ours / 0.2), 1.0, short(ours), 0.2, "ms a solve", notes + f"off ReynoldsBearing by {error:.1e}")


if __name__ == "__main__":
    main()
