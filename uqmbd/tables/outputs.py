"""The outputs of a result: which there are, their units, and how their groups look without the dimensions that few methods have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.method_facts import Limit, ReportFacts, Words
from uqmbd.outcomes import TIME
from uqmbd.tables.numbers import bracketed

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.result_data import ResultData

QUANTILE = re.compile(r"q(\d+(?:\.\d+)?)")
DRAWN = 24  # histories, and as many numbers, of which figures are drawn
GROUPS = ("bounds", "statistics", "inner", "error", "sensitivity", "cdf", "validation")


def output_names(result: ResultData) -> tuple[list[str], list[str]]:
    """Names of the outputs over time or another axis, and of the scalars, that a result speaks of, in its own order."""
    names = result.outputs
    over_axis = set()
    for key, group in result.groups():
        axes = cache(result.specs[key].axes)  # of thousands of outputs the dimensions are few
        over_axis |= {name for name in group.data_vars if axes(group.variables[name].dims)}
    over_axis |= {*result.aggregated.data_vars, *result.trust_horizon.data_vars}
    return [name for name in names if name in over_axis], [name for name in names if name not in over_axis]


def chosen(result: ResultData, names: list[str]) -> list[str]:
    """Outputs of which figures are drawn, in their order: all unless these are very many, then the key output and the first."""
    if len(names) <= DRAWN:
        return names
    wanted = [name for name in (key_said(result),) if name in names]
    first = [name for name in names if name not in wanted][: DRAWN - len(wanted)]
    shown = {*wanted, *first}
    return [name for name in names if name in shown]


def key_said(result: ResultData) -> str | None:
    """The output that the study says it is about: `[report] key`, or that of a reliability study."""
    known = set(result.outputs)
    said = (result.facts_of(ReportFacts).key, result.facts_of(Limit).output)
    return next((name for name in said if name in known), None)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, of very many the first."""
    more = len(names) - DRAWN
    return ", ".join(names) if more <= 0 else f"{', '.join(names[:DRAWN])} and {more:,} more"


def picked(group: xr.Dataset, name: str, **labels: str | float) -> np.ndarray:
    """Values of one output at labels of its dimensions, and at the lowest membership level where it has levels.

    The same as ``widest(group[name]).sel(labels).values``; of thousands of outputs that would take minutes.
    """
    variable = group.variables[name]
    values, dims = variable.values, list(variable.dims)
    if "alpha" in dims and "alpha" not in labels:
        values = values.take(int(np.argmin(group.variables["alpha"].values)), axis=dims.index("alpha"))
        dims.remove("alpha")
    for dim, label in labels.items():
        values = values.take(group.variables[dim].values.tolist().index(label), axis=dims.index(dim))
        dims.remove(dim)
    return np.asarray(values)


def unit_said(group, name: str) -> str:
    """Unit of one output as its group has it; empty where it says none."""
    return Words.of(group.variables[name].attrs).unit if name in group.variables else ""


def unit_of(result: ResultData, name: str) -> str:
    """Unit of an output; empty when it has none."""
    for group in (*GROUPS, "runs"):
        if unit := unit_said(getattr(result, group), name):
            return pretty(unit)
    return ""


def pretty(unit: str | None) -> str:
    """A unit as it is printed: ``m/s^2 -> m/s²``, ``N m -> N·m``; nothing for pure numbers."""
    unit = unit or ""
    for plain, printed in (("**", "^"), ("^2", "²"), ("^3", "³"), ("*", "·"), (" ", "·")):
        unit = unit.replace(plain, printed)
    return "" if unit in ("1", "dimensionless") else unit


def in_unit(result: ResultData, name: str) -> str:
    """`` [unit]`` of an output, to stand after a word; empty when it has none."""
    return bracketed(unit_of(result, name))


def label_of(result: ResultData, name: str) -> str:
    """Axis label of an output: its name, and its unit in brackets."""
    return name + in_unit(result, name)


def words_over(result: ResultData, names: Iterable[str]) -> tuple[str, str]:
    """What some outputs are, and over what: ``history`` and ``time``, ``curve`` and ``its axis``, or both."""
    axes = {result.axis_of(name) for name in names}
    if not axes - {None, TIME.name}:
        return "history", "time"
    return ("history or a curve", "time or its axis") if TIME.name in axes else ("curve", "its axis")


def axis_label(array: xr.DataArray, axis: str | None) -> str:
    """The axis of an array as a figure says it: ``time [s]``, ``frequency [Hz]``."""
    return f"{axis}{bracketed(axis_unit(array, axis).strip())}"


def axis_unit(array: xr.DataArray, axis: str | None) -> str:
    """Unit of an axis of an array, to stand after a number: `` Hz``; empty when it has none."""
    unit = pretty(Words.of(array[axis].attrs).unit or (TIME.unit if axis == TIME.name else ""))
    return f" {unit}" if unit else ""


def point_of(axis: str | None) -> str:
    """A word for one value of an axis: ``time``, or ``point`` of another one."""
    return "time" if axis == TIME.name else "point"


def widest(array):
    """Bounds without their membership levels: those of the lowest, which hold all others."""
    return array.isel(alpha=int(np.argmin(array["alpha"].values)), drop=True) if "alpha" in array.dims else array


def statistics_in(result: ResultData, name: str | None = None) -> list[str]:
    """Names of the statistics that a result has; of one output, if it has any."""
    there = "statistic" in result.statistics.coords and (name is None or name in result.statistics)
    return list(map(str, result.statistics["statistic"].values)) if there else []


def has_probability(result: ResultData, name: str) -> bool:
    """Whether one probability is what was asked of an output."""
    return "probability" in statistics_in(result, name) and result.axis_of(name, "statistics") is None


def percents(known: Iterable[str]) -> dict[str, float]:
    """Which of the names of statistics are quantiles, in ascending order, and of how many per cent."""
    quantiles = {str(key): float(match[1]) for key in known if (match := QUANTILE.fullmatch(str(key)))}
    return dict(sorted(quantiles.items(), key=lambda item: item[1]))


def shown_quantiles(result: ResultData) -> dict[str, str]:
    """Quantiles that stand in tables, and their words: all that the study asks for, otherwise 5 and 95 %."""
    asked = result.facts.settings.get("quantiles") is not None
    return {key: f"{percent:.10g} %" for key, percent in percents(statistics_in(result)).items() if asked or key in ("q05", "q95")}


def outer_quantiles(known: Iterable[str]) -> dict[str, str]:
    """The lowest and the highest quantile, and their words: 5 and 95 % if they are there."""
    quantiles = percents(known)
    if not {"q05", "q95"} <= set(quantiles):
        return {key: f"{quantiles[key]:.10g} % quantile" for key in dict.fromkeys([*list(quantiles)[:1], *list(quantiles)[-1:]])}
    return {"q05": "5 % quantile", "q95": "95 % quantile"}
