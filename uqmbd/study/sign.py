"""Bounds end at what an output cannot pass: zero of norms, counts and root mean squares, one of shares, whatever the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from uqmbd.facts import CUT
from uqmbd.methods.distrust import warn
from uqmbd.outcomes import AT_MOST_ONE, NONNEGATIVE
from uqmbd.result import Result
from uqmbd.tables.outputs import listed

TIMES = ("time_of_max", "time_of_min")
SIZES = ("abs_max", "rms", *TIMES)  # reductions that are not negative, whatever they are of; times begin with zero
SQUARES, CHANCES = ("std", "variance"), ("probability",)  # statistics that begin so are not negative, and not above one either
LIKE_THE_OUTPUT = ("mean", "std", "min", "max", "q")  # statistics that have the output's unit begin so


def cut_at_limits(result: Result, simulator: Mapping[str, Any]) -> None:
    """Cut bounds, and limits of statistics, where an output cannot pass; never within what runs have reached.

    Zero is the limit of norms, counts and some reductions, one that of shares and of what says yes or no; zero and one are those of every
    probability, zero that of every standard deviation. What was cut stands in the attribute `uqmbd.facts.CUT`. The simulator says of itself
    which outputs are such; see `uqmbd.outcomes.NONNEGATIVE` and `AT_MOST_ONE`.
    """
    positive, small = (_named(simulator, key) for key in (NONNEGATIVE, AT_MOST_ONE))
    lowest = [name for name in result.outputs if is_nonnegative(name, positive)]
    highest = [name for name in result.outputs if is_at_most_one(name, small)]
    if below := [name for name in lowest if name in result.inner and bool((result.inner[name] < 0).any())]:
        warn(result, f"{listed(below)}: said not to be negative, and negative in runs, so bounds do not end at zero")
    if above := [name for name in highest if name in result.inner and bool((result.inner[name] > 1).any())]:
        warn(result, f"{listed(above)}: said not to exceed one, and above one in runs, so bounds do not end at one")
    before = {key: getattr(result, key) for key in ("bounds", "statistics", "cdf")}
    _cut(result, [name for name in lowest if name not in below], lambda values: values.clip(min=0.0), _of_distribution)
    _cut(result, [name for name in highest if name not in above], lambda values: values.clip(max=1.0), None)
    wrong = [str(name) for name in result.statistics.data_vars if _impossible(result.statistics, str(name))]
    result.statistics = _changed(result.statistics, wrong, _limited)
    changed = (name for name in result.outputs if any(_differ(group, getattr(result, key), name) for key, group in before.items()))
    if cut := list(changed):
        result.attrs[CUT] = cut


def _named(simulator: Mapping[str, Any], key: str) -> set[str]:
    return {name.strip() for name in str(simulator.get(key, "")).split(",")} - {""}


def _cut(result: Result, names: list[str], clip: Any, distribution: Any) -> None:
    """Bounds, those of kinds and of leaves, and statistics with the unit of their output, of some outputs."""
    for key in ("bounds", "regions"):
        setattr(result, key, _changed(getattr(result, key), names, clip))
    result.leaves = _changed(result.leaves, names, lambda values: values.where(~values["part"].isin(["lower", "upper"]), clip(values)))
    result.statistics = _changed(result.statistics, names, lambda values: _where_word(values, LIKE_THE_OUTPUT, clip))
    if distribution and (result.bounds.data_vars or "bound" in result.statistics.dims):
        result.cdf = _changed(result.cdf, names, distribution)


def is_nonnegative(name: str, known: set[str]) -> bool:
    """Whether an output cannot be negative, if those that are `known` cannot: every reduction of such is none either."""
    output, _, reduction = name.partition(":")
    return output in known or reduction.partition("@")[0] in SIZES


def is_at_most_one(name: str, known: set[str]) -> bool:
    """Whether an output cannot exceed one, if those that are `known` cannot: reductions are none either, but for times."""
    output, _, reduction = name.partition(":")
    return output in known and not reduction.startswith(TIMES)


def _changed(group: xr.Dataset, names: list[str], change: Any) -> xr.Dataset:
    changed = {name: change(group[name]).transpose(*group[name].dims).assign_attrs(group[name].attrs) for name in names if name in group}
    return group.assign(changed) if changed else group


def _of_distribution(values: xr.DataArray) -> xr.DataArray:
    """The probability to be at most a negative number is none."""
    impossible = (values.sel(column="value", drop=True) < 0) & (values["column"] != "value")
    return values.where(~impossible, 0.0)


def _differ(before: xr.Dataset, after: xr.Dataset, name: str) -> bool:
    return name in before and not np.array_equal(before.variables[name].values, after.variables[name].values, equal_nan=True)


def _where_word(values: xr.DataArray, words: tuple[str, ...], change: Any) -> xr.DataArray:
    """Statistics changed whose names begin with one of some words."""
    alike = np.array([str(word).startswith(words) for word in values["statistic"].values])
    return xr.where(xr.DataArray(alike, dims="statistic"), change(values), values).transpose(*values.dims)


def _impossible(group: xr.Dataset, name: str) -> bool:
    """Whether a standard deviation or a probability is what none can be; of thousands of outputs asked without xarray."""
    words, variable = list(map(str, group.variables["statistic"].values)), group.variables[name]
    values = np.moveaxis(variable.values, variable.dims.index("statistic"), 0)
    low, high = (np.array([word.startswith(some) for word in words]) for some in ((*SQUARES, *CHANCES), CHANCES))
    return bool((values[low] < 0).any() or (values[high] > 1).any())


def _limited(values: xr.DataArray) -> xr.DataArray:
    """Standard deviations and variances from zero on, probabilities between zero and one."""
    limited = _where_word(values, (*SQUARES, *CHANCES), lambda known: known.clip(min=0.0))
    return _where_word(limited, CHANCES, lambda known: known.clip(max=1.0))
