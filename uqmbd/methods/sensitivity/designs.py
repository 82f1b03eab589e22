"""Designs of the sensitivity approaches in the unit cube: SALib's where it has them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from uqmbd.analysis.pick_freeze import Layout

LEAST_STEP = 0.25  # of Morris' design, share of the range: shorter ones would show noise and jumps before anything else


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
    """Points, each followed by d others that differ from it in one input: (samples * (d + 1), d).

    The radial design of Campolongo, Saltelli and Cariboni (Comput. Phys. Commun. 182 (2011) 978) with values at random: of the points
    from all of `levels` equal classes alike, of the others at least `LEAST_STEP` away. Since both the places and the steps are random, no
    response can have a period that hides it.
    """
    classes = rng.permuted(np.tile(np.arange(samples) % levels, (d, 1)), axis=1).T
    base = (classes + rng.random((samples, d))) / levels
    below, above = np.maximum(base - LEAST_STEP, 0.0), np.maximum(1 - LEAST_STEP - base, 0.0)  # room on either side
    other = rng.random((samples, d)) * (below + above)
    other = np.where(other < below, other, other - below + base + LEAST_STEP)
    return inside(_radial(base, other))


def _radial(base: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Each point of `base` (samples, d), and it with one coordinate after another replaced by that of `other`."""
    samples, d = base.shape
    points = np.repeat(base[:, None], d + 1, axis=1)
    points[:, np.arange(1, d + 1), np.arange(d)] = other
    return points.reshape(-1, d)


def fast(samples: int, d: int, harmonics: int, rng: np.random.Generator) -> np.ndarray:
    """One curve for each input, along which it has the highest frequency: (samples * d, d)."""
    from SALib.sample import fast_sampler

    return inside(fast_sampler.sample(problem(d), samples, M=harmonics, seed=rng))


def stars(samples: int, d: int, step: float, rng: np.random.Generator) -> np.ndarray:
    """Points, each followed by d others one step away in one input, to the side where there is more room: (samples * (d + 1), d)."""
    from uqmbd.methods.design import unit_points

    base = unit_points("lhs", samples, d, rng)
    return _radial(base, base + np.where(base < 0.5, step, -step))
