"""Runs that a surrogate was not made of, beside what it says of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.columnwise import blocks

if TYPE_CHECKING:
    import xarray as xr

CHECKS = 50  # of a history, which has a number for each time; scalars keep all
TIMES = 200


def checks(columns: Columns, numbers: np.ndarray, both: Callable[[slice], tuple[np.ndarray, np.ndarray]]) -> xr.Dataset:
    """Group `validation` of a result.

    Scalars have the dims ``check, column`` and all checks. Histories and curves have ``history_check, column`` and their axis: at most
    `CHECKS` checks at `TIMES` points of it, both evenly chosen, and the check with the largest error of each. A check has the number of
    its run, `numbers` (checks,); `both` makes of some columns what was run and what the surrogate says, 2 x (checks, columns).
    """
    import xarray as xr

    points = {name: _evenly(len(columns.axes[name].values), TIMES) if name in columns.axes else np.zeros(1, int) for name in columns.slices}
    largest, shown = _compared(columns, points, len(numbers), both)
    worst = {name: int(np.argmax(largest[name])) for name in columns.slices}
    own = np.unique([worst[name] for name in columns.axes]).astype(int)
    kept = np.union1d(own, _evenly(len(numbers), max(CHECKS - len(own), 0)))
    variables, coords = {}, {"column": np.array(["run", "surrogate"], dtype=object)}
    for name in columns.slices:
        attrs = {
            "unit": columns.outputs[name].unit,
            "checks": len(numbers),
            "largest_error": float(largest[name].max()),
            "largest_error_run": int(numbers[worst[name]]),
        }
        if name in columns.axes:
            axis = columns.axes[name]
            part = shown[name][kept]
            if part.shape[0] < len(numbers) or part.shape[2] < len(axis.values):
                attrs["thinned"] = (
                    f"{len(kept)} of {len(numbers)} checks, among them that with the largest error, "
                    f"at {part.shape[2]} of {len(axis.values)} {'times' if columns.outputs[name].over_time else 'points'}, evenly chosen"
                )
            variables[name] = (("history_check", "column", axis.name), part, attrs)
            coords |= {"history_check": numbers[kept], axis.name: (axis.name, axis.values[points[name]], {"unit": axis.unit})}
        else:
            variables[name] = (("check", "column"), shown[name][:, :, 0], attrs)
    if len(columns.axes) < len(variables):
        coords["check"] = numbers
    return xr.Dataset(variables, coords)


def _compared(
    columns: Columns, points: dict[str, np.ndarray], count: int, both: Callable[[slice], tuple[np.ndarray, np.ndarray]]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Of each output the largest error of every check, (checks,), and run and surrogate at its `points`, (checks, 2, points)."""
    largest = {name: np.zeros(count) for name in points}
    shown = {name: np.empty((count, 2, len(some))) for name, some in points.items()}
    for block in blocks(columns.count, 4 * count):
        runs, surrogate = both(block)
        for name, at in columns.slices.items():
            begin, end = max(at.start, block.start), min(at.stop, block.stop)
            if begin >= end:
                continue
            here = slice(begin - block.start, end - block.start)
            largest[name] = np.maximum(largest[name], np.abs(surrogate[:, here] - runs[:, here]).max(axis=1))
            places = at.start + points[name]
            some = np.flatnonzero((places >= begin) & (places < end))
            for side, values in enumerate((runs, surrogate)):
                shown[name][:, side, some] = values[:, places[some] - block.start]
    return largest, shown


def _evenly(count: int, most: int) -> np.ndarray:
    """At most so many of `count` places, evenly spread, both ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))
