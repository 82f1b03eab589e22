"""What the designs of several sensitivity approaches need, in the unit cube."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from uqmbd.analysis.sensitivity.pick_freeze import Layout


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


def radial(base: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Each point of `base` (samples, d), and it with one coordinate after another replaced by that of `other`."""
    samples, d = base.shape
    points = np.repeat(base[:, None], d + 1, axis=1)
    points[:, np.arange(1, d + 1), np.arange(d)] = other
    return points.reshape(-1, d)
