"""Designs of the sensitivity approaches in the unit cube: SALib's where it has them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from uqmbd.analysis.pick_freeze import Layout


def problem(d: int) -> dict[str, Any]:
    """SALib's description of the unit cube. The names are its own: it refuses some that users may give."""
    return {"num_vars": d, "names": [f"x{i}" for i in range(d)], "bounds": [[0.0, 1.0]] * d}


def inside(points: np.ndarray) -> np.ndarray:
    """Points of the closed cube moved into the open one: a distribution may have no value at 0 and 1."""
    return np.clip(points, 2.0**-53, 1 - 2.0**-53)


def saltelli(samples: int, layout: Layout, rng: np.random.Generator) -> np.ndarray:
    """Pick-freeze blocks on scrambled Sobol' points: (samples * length, d)."""
    from SALib.sample import sobol

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The balance properties of Sobol' points")  # any number of samples is sound
        return inside(sobol.sample(problem(layout.d), samples, calc_second_order=layout.second, seed=rng))


def morris(samples: int, d: int, levels: int, rng: np.random.Generator) -> np.ndarray:
    """Trajectories of d + 1 points on a grid of `levels` from 0 to 1, each step in one input: (samples * (d + 1), d)."""
    from SALib.sample import morris

    return morris.sample(problem(d), samples, num_levels=levels, seed=rng)


def fast(samples: int, d: int, harmonics: int, rng: np.random.Generator) -> np.ndarray:
    """One curve for each input, along which it has the highest frequency: (samples * d, d)."""
    from SALib.sample import fast_sampler

    return inside(fast_sampler.sample(problem(d), samples, M=harmonics, seed=rng))


def stars(samples: int, d: int, step: float, rng: np.random.Generator) -> np.ndarray:
    """Points, each followed by d others one step away in one input, to the side where there is more room: (samples * (d + 1), d)."""
    from uqmbd.methods.design import unit_points

    base = unit_points("lhs", samples, d, rng)
    points = np.repeat(base[:, None], d + 1, axis=1)
    for i in range(d):
        points[:, i + 1, i] += np.where(base[:, i] < 0.5, step, -step)
    return points.reshape(-1, d)
