"""Bounds of what cannot be negative end at zero: norms, counts, reductions such as the root mean square, whatever the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from uqmbd.figures.outputs import listed
from uqmbd.methods.distrust import warn
from uqmbd.outcomes import NONNEGATIVE

if TYPE_CHECKING:
    from uqmbd.result import Result

SIZES = ("abs_max", "rms", "time_of_max", "time_of_min")  # reductions that are not negative, whatever they are of; times begin with zero
LIKE_THE_OUTPUT = ("mean", "std", "min", "max", "q")  # statistics that have the output's unit begin so


def cut_at_zero(result: Result, simulator: Mapping[str, Any]) -> None:
    """Cut bounds, and limits of statistics, at zero where an output cannot be negative; never above what runs have reached.

    Parameters
    ----------
    result : Result
        Changed in place.
    simulator : mapping
        What the simulator said of itself; see `uqmbd.outcomes.NONNEGATIVE`.
    """
    known = {name.strip() for name in str(simulator.get(NONNEGATIVE, "")).split(",")} - {""}
    names = [name for name in result.outputs if is_nonnegative(name, known)]
    if below := [name for name in names if _below(result, name)]:
        warn(result, f"{listed(below)}: said not to be negative, and negative in runs, so bounds do not end at zero")
    names = [name for name in names if name not in below]
    for key in ("bounds", "regions"):
        setattr(result, key, _changed(getattr(result, key), names, lambda values: values.clip(min=0.0)))
    result.leaves = _changed(
        result.leaves, names, lambda values: values.where(~values["part"].isin(["lower", "upper"]), values.clip(min=0))
    )
    result.statistics = _changed(result.statistics, names, _of_statistics)
    if result.bounds.data_vars or "bound" in result.statistics.dims:
        result.cdf = _changed(result.cdf, names, _of_distribution)


def is_nonnegative(name: str, known: set[str]) -> bool:
    """Whether an output cannot be negative, if those that are `known` cannot: every reduction of such is none either."""
    output, _, reduction = name.partition(":")
    return output in known or reduction.partition("@")[0] in SIZES


def _below(result: Result, name: str) -> bool:
    """Whether a run has shown the contrary."""
    return name in result.inner and bool((result.inner[name] < 0).any())


def _changed(group: xr.Dataset, names: list[str], change: Any) -> xr.Dataset:
    found = {name: change(group[name]).transpose(*group[name].dims).assign_attrs(group[name].attrs) for name in names if name in group}
    return group.assign(found) if found else group


def _of_statistics(values: xr.DataArray) -> xr.DataArray:
    alike = np.array([str(word).startswith(LIKE_THE_OUTPUT) for word in values["statistic"].values])
    return xr.where(xr.DataArray(alike, dims="statistic"), values.clip(min=0.0), values)


def _of_distribution(values: xr.DataArray) -> xr.DataArray:
    """The probability to be at most a negative number is none."""
    impossible = (values.sel(column="value", drop=True) < 0) & (values["column"] != "value")
    return values.where(~impossible, 0.0)
