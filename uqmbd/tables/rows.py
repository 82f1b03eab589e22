"""What tables say of an output, by column: one choice of numbers for tables of text, on pages and terminals, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.tables.outputs import picked

if TYPE_CHECKING:
    import xarray as xr

ENDS = ("lower", "upper")


def row(groups: Mapping[str, xr.Dataset], name: str) -> dict[str, np.ndarray]:
    """Columns of an output from its groups, each of the shape that is left: of a number (), of what has an axis (points,).

    Bounds with membership levels: ``lower`` and ``upper`` are those of the lowest level, ``lower_alpha_0.5`` those of another.
    Imprecise statistics: ``mean_lower_bound`` and ``mean_upper_bound``, and with levels ``mean_lower_bound_alpha_0.5``.
    """
    columns: dict[str, np.ndarray] = {}
    there = {key: group for key, group in groups.items() if name in group.variables}
    for key, prefix in (("bounds", ""), ("inner", "inner_")):
        for suffix, at in levels(there.get(key)):
            columns |= {f"{prefix}{end}{suffix}": picked(there[key], name, bound=end, **at) for end in ENDS}
    columns |= {key: picked(there[key], name) for key in ("error", "step_error", "trusted") if key in there}
    for suffix, at in levels(there.get("statistics")):
        table = there["statistics"]
        bounded, words = "bound" in table.variables[name].dims, list(map(str, table.variables["statistic"].values))
        axis = [dim for dim in table.variables[name].dims if dim not in ("alpha", "bound")].index("statistic")
        ends = {f"_{end}_bound{suffix}": {"bound": end, **at} for end in ENDS} if bounded else {suffix: at}
        every = {ending: np.moveaxis(picked(table, name, **labels), axis, 0) for ending, labels in ends.items()}  # all at once
        columns |= {word + ending: values[k] for k, word in enumerate(words) for ending, values in every.items()}
    return columns


def levels(group: xr.Dataset | None) -> Iterator[tuple[str, dict[str, float]]]:
    """Ending of the columns of each membership level, and its label: none for the lowest; a group without levels is one such."""
    if group is None:
        return
    alpha = np.sort(group.variables["alpha"].values) if "alpha" in group.dims else ()
    yield from ((f"_alpha_{level:.6g}" if rank else "", {"alpha": level}) for rank, level in enumerate(map(float, alpha)))
    if not len(alpha):
        yield "", {}


def both(columns: Mapping[str, np.ndarray], word: str) -> tuple[np.ndarray, ...]:
    """A statistic: one array, or its two bounds; empty where there is none."""
    names = [word] if word in columns else [f"{word}_{end}_bound" for end in ENDS]
    return tuple(columns[name] for name in names if name in columns)


def band(columns: Mapping[str, np.ndarray], *, imprecise: bool) -> tuple[np.ndarray, np.ndarray, str] | None:
    """Lower and upper end of what is said of an output, and of what: ``bounds``, ``quantiles`` (5 and 95 %) or ``runs``; None for nothing.

    `imprecise`: also from the least of the one quantile to the greatest of the other.
    """
    wide = [("q05_lower_bound", "q95_upper_bound", "quantiles")] if imprecise else []
    choices = [("lower", "upper", "bounds"), ("q05", "q95", "quantiles"), *wide, ("inner_lower", "inner_upper", "runs")]
    return next(((columns[low], columns[high], what) for low, high, what in choices if low in columns and high in columns), None)


def least(values: np.ndarray) -> float:
    """The smallest number that is one."""
    return float(np.nanmin(values)) if np.isfinite(values).any() else float("nan")


def greatest(values: np.ndarray) -> float:
    """The largest number that is one."""
    return float(np.nanmax(values)) if np.isfinite(values).any() else float("nan")
