"""What the designs of several sensitivity approaches need, in the unit cube."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from uqmbd.analysis.sensitivity.pick_freeze import Layout


def problem(d: int) -> dict[str, Any]:
    """SALib's description of the unit cube. The names are its own: it refuses some that users may give."""
    return {"num_vars": d, "names": [f"x{i}" for i in range(d)], "bounds": [[0.0, 1.0]] * d}


def inside(points: np.ndarray) -> np.ndarray:
    """Points of the closed cube moved into the open one: a distribution may have no value at 0 and 1."""
    return np.clip(points, 2.0**-53, 1 - 2.0**-53)


def saltelli(samples: int, layout: Layout, rng: np.random.Generator, groups: Sequence[str] | None = None) -> np.ndarray:
    """Pick-freeze blocks on scrambled Sobol' points: (samples * length, d); inputs with the same of `groups` (d,) go together."""
    from SALib.sample import sobol

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The balance properties of Sobol' points")  # any number of samples is sound
        if groups is not None and len(groups) > len(set(groups)) == 1:  # SALib takes each input of a single group by itself
            points = inside(sobol.sample(problem(len(groups)), samples, calc_second_order=False, seed=rng))
            a, b = points.reshape(samples, -1, len(groups))[:, [0, -1]].swapaxes(0, 1)
            return np.stack([a, b, a, b] if layout.second else [a, b, b], axis=1).reshape(-1, len(groups))
        described = problem(layout.d) if groups is None else problem(len(groups)) | {"groups": list(groups)}
        return inside(sobol.sample(described, samples, calc_second_order=layout.second, seed=rng))


def radial(base: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Each point of `base` (samples, d), and it with one coordinate after another replaced by that of `other`."""
    samples, d = base.shape
    points = np.repeat(base[:, None], d + 1, axis=1)
    points[:, np.arange(1, d + 1), np.arange(d)] = other
    return points.reshape(-1, d)


def steps(base: np.ndarray, members: np.ndarray, least: float, rng: np.random.Generator) -> np.ndarray:
    """Points (samples, d) to go to from `base` by groups: all inputs of a group by a step of one size, `least` to a half, up or down.

    `members` (groups, d) says which inputs are in which group. Up or down by chance where there is room for both (Campolongo, Cariboni,
    Saltelli, Environ. Model. Softw. 22 (2007) 1509, section 3.3).
    """
    size = (least + (0.5 - least) * rng.random((len(base), len(members)))) @ members
    up = np.where(base < size, True, np.where(base > 1 - size, False, rng.random(base.shape) < 0.5))
    return base + np.where(up, size, -size)


def radial_of_groups(base: np.ndarray, other: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Each point of `base` (samples, d), and it with the coordinates of one group after another replaced by those of `other`."""
    moved = np.where(members, other[:, None], base[:, None])
    return np.concatenate([base[:, None], moved], axis=1).reshape(-1, base.shape[1])
