"""How estimates settle with the number of runs: the group `convergence` of methods whose estimates have limits, and a goal for these."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.methods.accuracy import is_share

if TYPE_CHECKING:
    import xarray as xr

PARTS = ("", "_lower", "_upper", "_wanted")  # of a statistic, as they are called in the group


class Estimated(NamedTuple):
    """A statistic of all columns, (columns,) each: estimate, its limits, and half their width that is asked for, where something is."""

    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    wanted: np.ndarray | None = None


def of_shares(columns: Columns, shares: Mapping[str, np.ndarray], wanted: Any = None, of: Collection[str] | None = None) -> Estimated:
    """Probabilities of some outputs with their limits, `shares` (3,) each; NaN of the other columns.

    What is `wanted`, a share of the probability or a number, is the goal; `of` these outputs alone where they are named.
    """
    table = np.full((4, columns.count), np.nan)
    for name, share in shares.items():
        table[:3, columns.slices[name]] = np.asarray(share)[:, None]
        if wanted is not None and (of is None or name in of):
            table[3, columns.slices[name]] = float(wanted) * (share[0] if is_share(wanted) else 1.0)
    return Estimated(table[0], table[1], table[2], None if wanted is None else table[3])


class Settling:
    """Estimates at growing numbers of runs, one number of each output: of a history where the estimate is largest, and its size there."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._rows: dict[int, np.ndarray] = {}  # by number of runs, (statistics and their parts, outputs)
        self._names: list[str] = []

    def add(self, runs: int, found: Mapping[str, Estimated]) -> None:
        """What so many runs say, by statistic; always the same ones."""
        self._names = [f"{name}{part}" for name, one in found.items() for part in PARTS if part != "_wanted" or one.wanted is not None]
        table = np.empty((len(self._names), len(self._columns.slices)))
        for k, (name, at) in enumerate(self._columns.slices.items()):
            table[:, k] = np.concatenate([_largest(one, at, signed=name not in self._columns.axes) for one in found.values()])
        self._rows[runs] = table

    def groups(self) -> dict[str, xr.Dataset]:
        """The group `convergence`; none where nothing was added."""
        if not self._rows:
            return {}
        numbers = Columns({name: replace(info, axis=None) for name, info in self._columns.outputs.items()}, self._columns.time)
        counts = sorted(self._rows)
        table = np.stack([self._rows[count] for count in counts])
        return {"convergence": numbers.dataset(table, {"count": counts, "statistic": self._names})}


def _largest(one: Estimated, at: slice, *, signed: bool) -> list[float]:
    """Estimate, limits and goal of the column of an output whose estimate is largest; `signed`: as it is, else its size."""
    values = one.value[at]
    column = int(np.argmax(np.abs(np.nan_to_num(values))))
    value, lower, upper = (float(part[at][column]) for part in one[:3])
    if value < 0 and not signed:
        value, lower, upper = -value, -upper, -lower
    return [value, lower, upper, *([] if one.wanted is None else [float(one.wanted[at][column])])]
