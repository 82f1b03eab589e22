"""The front of cost against the width of an output: the cheapest tolerances for each width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.analysis.search.allocation import Allocation, Bounded, Cost, Extremes, Narrow, RootOfSquares, allocate

EVEN = 1e-9  # relative: widths nearer to each other are one


@dataclass(frozen=True, eq=False)
class Front:
    """Compromises between cost and width, the cheapest and widest first."""

    found: list[Allocation]
    width: np.ndarray  # (compromises,) by the surrogate, in the unit of the output
    ends: np.ndarray  # (compromises, 2, d): where the surrogate has its ends

    def dataset(self, output: str, unit: str, names: Sequence[str], half: np.ndarray, runs: np.ndarray) -> Any:
        """The group `uqmbd.groups.FRONT`; `runs` (compromises, 2) are the outputs of the runs at the ends, NaN where one failed."""
        import xarray as xr

        tolerances = np.array([each.s * half for each in self.found])
        along = ("compromise",)
        return xr.Dataset(
            {
                "cost": (along, np.array([each.cost for each in self.found])),
                "width": (along, self.width, {"unit": unit}),
                "width_runs": (along, runs[:, 1] - runs[:, 0], {"unit": unit}),
                "tolerance": (("compromise", "input"), tolerances),
            },
            {"compromise": np.arange(len(self.found)), "input": np.array(list(names), object)},
            {"output": output},
        )


def front(
    costs: Sequence[Cost],
    half: np.ndarray,
    limits: Sequence[Bounded | Narrow],
    least: np.ndarray,
    response: Extremes | RootOfSquares,
    cheapest: Allocation,
    points: int,
) -> Front:
    """From the cheapest tolerances that meet all limits to the narrowest, at widths that shrink by the same factor.

    Parameters
    ----------
    half, least : ndarray, shape (d,)
        Largest tolerances, and the smallest as shares of them.
    cheapest : Allocation
        That of these limits alone.
    points : int
        Number of compromises.
    """

    def width(s: np.ndarray) -> float:
        ends = response(s)[0]
        return float(ends[1] - ends[0])

    wide, narrow = width(cheapest.s), width(least)
    found = [cheapest]
    if 0 < narrow < wide * (1 - EVEN):
        for each in np.geomspace(wide, narrow, points)[1:]:
            one = allocate(costs, half, [*limits, Narrow(response, float(each) * (1 + EVEN))], least)
            found += [one] if one.feasible else []
    places = np.array([response.places(each.s)[1] * each.s for each in found])
    return Front(found, np.array([width(each.s) for each in found]), places)
