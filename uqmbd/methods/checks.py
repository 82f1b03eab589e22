"""Runs that a surrogate was not made of, beside what it says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.columns import Columns

if TYPE_CHECKING:
    import xarray as xr

CHECKS = 50  # of a history, which has a number for each time; scalars keep all
TIMES = 200


def checks(columns: Columns, numbers: np.ndarray, runs: np.ndarray, surrogate: np.ndarray) -> xr.Dataset:
    """Group `validation` of a result.

    Scalars have the dims ``check, column`` and all checks. Histories and curves have ``history_check, column`` and their axis: at most
    `CHECKS` checks at `TIMES` points of it, both evenly chosen, and the check with the largest error of each. A check has the number of
    its run.

    Parameters
    ----------
    columns : Columns
    numbers : ndarray of int, shape (checks,)
        Of the runs, in the order of the campaign.
    runs, surrogate : ndarray, shape (checks, columns)
        What was run, and what the surrogate says; units of the outputs.
    """
    import xarray as xr

    misses = np.abs(surrogate - runs)
    worst = {name: int(np.argmax(misses[:, at].max(axis=1))) for name, at in columns.slices.items()}
    own = np.unique([worst[name] for name in columns.axes]).astype(int)
    kept = np.union1d(own, _evenly(len(numbers), max(CHECKS - len(own), 0)))
    variables, coords = {}, {"column": np.array(["run", "surrogate"], dtype=object)}
    for name, at in columns.slices.items():
        attrs = {
            "unit": columns.outputs[name].unit,
            "checks": len(numbers),
            "largest_error": float(misses[:, at].max()),
            "largest_error_run": int(numbers[worst[name]]),
        }
        if name in columns.axes:
            axis = columns.axes[name]
            points = _evenly(len(axis.values), TIMES)
            both = np.stack([some[:, at][np.ix_(kept, points)] for some in (runs, surrogate)], axis=1)
            if both.shape[0] < len(numbers) or both.shape[2] < len(axis.values):
                attrs["thinned"] = (
                    f"{len(kept)} of {len(numbers)} checks, among them that with the largest error, "
                    f"at {len(points)} of {len(axis.values)} {'times' if columns.outputs[name].over_time else 'points'}, evenly chosen"
                )
            variables[name] = (("history_check", "column", axis.name), both, attrs)
            coords |= {"history_check": numbers[kept], axis.name: (axis.name, axis.values[points], {"unit": axis.unit})}
        else:
            variables[name] = (("check", "column"), np.stack([runs[:, at.start], surrogate[:, at.start]], axis=1), attrs)
    if len(columns.axes) < len(variables):
        coords["check"] = numbers
    return xr.Dataset(variables, coords)


def _evenly(count: int, most: int) -> np.ndarray:
    """At most so many of `count` places, evenly spread, both ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))
