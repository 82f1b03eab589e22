"""Which inputs drive failed runs, and runs beyond a limit: how far their distributions there are from those of the other runs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqmbd.result_data import ResultData
from uqmbd.tables.scaling import input_unit

FEWEST = 10  # runs on either side below which nothing is said
MOST = 20_000  # runs of either side that are looked at, evenly spread
TOLD = 4  # inputs in a sentence


@dataclass(frozen=True, eq=False)
class Drivers:
    """Distances of inputs, the largest first.

    Attributes
    ----------
    distance : dict of str to float
        By input, from 0 to 1.
    chance : float
        What one input in a hundred without influence exceeds.
    """

    distance: dict[str, float]
    chance: float

    def sentence(self, runs: str) -> str:
        """Which inputs differ more than by chance between `runs` and the others; empty where none does."""
        told = [f"{name} ({value:.2f})" for name, value in self.distance.items() if value > self.chance][:TOLD]
        if not told:
            return ""
        scale = f"distance of their distributions, 0 to 1; above {self.chance:.2f} once in 100 by chance"
        return f"The inputs in which {runs} differ from the others are {', '.join(told)} ({scale})."


def drivers(result: ResultData, inside: np.ndarray, among: np.ndarray) -> Drivers | None:
    """Of the stored runs `inside` (run,) against the others `among` (run,) them; None where either are too few."""
    names = [str(name).removeprefix("input:") for name in result.runs.data_vars if str(name).startswith("input:")]
    names = [name for name in names if name not in result.facts.inputs or result.facts.inputs[name].kind != "fixed"]
    sides = [np.flatnonzero(inside & among), np.flatnonzero(~inside & among)]
    if min(map(len, sides)) < FEWEST or not names:
        return None
    from uqmbd.analysis.sensitivity import regional

    rows = np.concatenate([side[np.unique(np.linspace(0, len(side) - 1, min(MOST, len(side))).astype(int))] for side in sides])
    points = np.column_stack([result.runs[f"input:{name}"].values[rows] for name in names]).astype(float)
    where = inside[rows]
    found = regional.distances(points, where, [i for i, name in enumerate(names) if input_unit(result, name).labels])
    order = np.argsort(-found, kind="stable")
    return Drivers({names[i]: float(found[i]) for i in order}, regional.by_chance(where))
