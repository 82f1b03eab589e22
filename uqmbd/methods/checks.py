"""Runs that a surrogate was not made of, beside what it says of them."""

from __future__ import annotations

import numpy as np
import xarray as xr

from uqmbd.analysis.columns import Columns

CHECKS = 50  # of a history, which has a number for each time; scalars keep all
TIMES = 200


def checks(columns: Columns, numbers: np.ndarray, runs: np.ndarray, surrogate: np.ndarray) -> xr.Dataset:
    """Group `validation` of a result.

    Scalars have the dims ``check, column`` and all checks. Histories have ``history_check, column, time``: at most `CHECKS` checks at
    `TIMES` times, both evenly chosen, and the check with the largest error of each history. A check has the number of its run.

    Parameters
    ----------
    columns : Columns
    numbers : ndarray of int, shape (checks,)
        Of the runs, in the order of the campaign.
    runs, surrogate : ndarray, shape (checks, columns)
        What was run, and what the surrogate says; units of the outputs.
    """
    misses = np.abs(surrogate - runs)
    histories = [name for name, info in columns.outputs.items() if info.history]
    worst = {name: int(np.argmax(misses[:, at].max(axis=1))) for name, at in columns.slices.items()}
    own = np.unique([worst[name] for name in histories]).astype(int)
    kept = np.union1d(own, _evenly(len(numbers), max(CHECKS - len(own), 0)))
    times = _evenly(len(columns.time), TIMES)
    variables = {}
    for name, at in columns.slices.items():
        attrs = {
            "unit": columns.outputs[name].unit,
            "checks": len(numbers),
            "largest_error": float(misses[:, at].max()),
            "largest_error_run": int(numbers[worst[name]]),
        }
        if name in histories:
            both = np.stack([some[:, at][np.ix_(kept, times)] for some in (runs, surrogate)], axis=1)
            if both.shape[0] < len(numbers) or both.shape[2] < len(columns.time):
                attrs["thinned"] = (
                    f"{len(kept)} of {len(numbers)} checks, among them that with the largest error, "
                    f"at {len(times)} of {len(columns.time)} times, evenly chosen"
                )
            variables[name] = (("history_check", "column", "time"), both, attrs)
        else:
            variables[name] = (("check", "column"), np.stack([runs[:, at.start], surrogate[:, at.start]], axis=1), attrs)
    coords: dict = {"column": np.array(["run", "surrogate"], dtype=object)}
    if histories:
        coords |= {"history_check": numbers[kept], "time": ("time", columns.time[times], {"unit": "s"})}
    if len(histories) < len(variables):
        coords["check"] = numbers
    return xr.Dataset(variables, coords)


def _evenly(count: int, most: int) -> np.ndarray:
    """At most so many of `count` places, evenly spread, both ends among them."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))
