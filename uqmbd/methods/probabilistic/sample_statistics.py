"""Statistics of the columns of a sample, with their limits; of values that runs may lack those of what is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from uqmbd.analysis.statistics.moment_limits import moment_limits
from uqmbd.analysis.statistics.order_statistics import quantiles


def present(values: np.ndarray) -> np.ndarray:
    """What of `values` (n,) is there, as a column; a NaN where nothing is."""
    there = values[~np.isnan(values)]
    return (there if len(there) else np.full(1, np.nan))[:, None]


def of_present(may_miss: np.ndarray, of: Callable[[Any], Statistics]) -> Statistics:
    """Statistics of all columns, those that may be missing one by one, since each has its own number of values."""
    if not may_miss.any():
        return of(slice(None))
    single = np.flatnonzero(may_miss).tolist()
    parts = [(np.flatnonzero(~may_miss), of(~may_miss)), *(([at], of(at)) for at in single)]
    joined: list[dict[str, np.ndarray]] = [{}, {}]
    for table, group in zip(joined, ("rows", "doubtful"), strict=True):
        for name, first in getattr(parts[0][1], group).items():
            table[name] = np.empty(len(may_miss), first.dtype)
            for at, part in parts:
                table[name][at] = getattr(part, group)[name]
    nothing = np.isnan(joined[0]["mean"])  # of which limits say nothing either
    for row in joined[0].values():
        row[nothing] = np.nan
    return Statistics(joined[0], joined[1])


def moved(rows: dict[str, np.ndarray]) -> np.ndarray:
    """The rows as one array, (rows, columns), taken out of the dict one by one: they are large."""
    table = np.empty((len(rows), len(next(iter(rows.values())))))
    for i, name in enumerate(list(rows)):
        table[i] = rows.pop(name)
    return table


class Statistics(NamedTuple):
    """Statistics by name, each (columns,), and which of their limits cannot be relied upon (`MomentLimits`)."""

    rows: dict[str, np.ndarray]
    doubtful: dict[str, np.ndarray]

    @classmethod
    def of(
        cls, moments: tuple[np.ndarray, ...], count: int, ranked: np.ndarray, levels: tuple[float, ...], confidence: float
    ) -> Statistics:
        """From mean, standard deviation, least and greatest value of `count` runs; quantiles, and the shape, are those of `ranked`."""
        mean, std, smallest, largest = moments
        by_name = quantiles(ranked, levels, confidence)
        names = [name for name in by_name if "_" not in name]
        limits = moment_limits(mean, std, smallest, largest, count, ranked, confidence)._asdict()
        doubtful = {key: limits.pop(key) for key in ("mean_doubtful", "std_doubtful", "constant")}
        rows = {"mean": mean, "std": std, "min": smallest, "max": largest, **{name: by_name[name] for name in names}, **limits}
        rows |= {f"{name}_{end}": by_name[f"{name}_{end}"] for name in names for end in ("lower", "upper")}
        return cls(rows, doubtful)
