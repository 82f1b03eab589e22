"""In which unit, with which prefix, an input or an output is said: one rule for sentences, tables, figures and their files."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from uqmbd.facts import InputFacts
from uqmbd.method_facts import Words
from uqmbd.result_data import ResultData
from uqmbd.tables.numbers import Scale, bracketed, scale
from uqmbd.tables.outputs import percents, picked, pretty, shown_quantiles, unit_of
from uqmbd.tables.rows import both, greatest, least, row

USUAL = ("mean", "std", "q05", "q95")
MEASURED = ("fitted", "measured", "residual")  # of calibrations
OWN_SHOWN = 8  # statistics that only some methods have
QUIET = re.compile(
    r"min|max|variance|design:.*|q\d.*|(?!probability).*_(lower|upper)|.*_inner"
)  # statistics that have no column of their own


def input_unit(result: ResultData, name: str) -> InputFacts:
    """How the user wrote the input `name`; in SI where a result (of an older version) does not say."""
    entry = result.facts.inputs.get(name)
    if entry is not None and entry.unit is not None:
        return entry
    stored = Words.of(result.runs[f"input:{name}"].attrs).unit if f"input:{name}" in result.runs else ""
    return InputFacts("", "", str(stored), labels=entry.labels if entry is not None else ())


def with_unit(name: str, unit: InputFacts) -> str:
    """An input's name, and its unit in brackets if it has one."""
    return name + bracketed(pretty(unit.unit))


def scale_of(result: ResultData, name: str, shown: Mapping[str, str] | None = None) -> Scale:
    """The unit in which an output is said, with the prefix that fits its bounds, or else its statistics.

    `shown` are the quantiles with their words, if these are known.
    """
    ends = [ends_of(group, name) for group in (result.bounds, result.inner) if name in group]
    if not ends and name in result.statistics:
        known = statistics(result, name, shown_quantiles(result) if shown is None else shown)
        usual = [values for key, values in known.items() if has_unit(key)]
        ends = usual or [(0.0,)]
    return scale(unit_of(result, name), (value for pair in ends for value in pair))


def statistics(
    result: ResultData, name: str, quantiles: Mapping[str, str], columns: Mapping[str, np.ndarray] | None = None
) -> dict[str, tuple[float, ...]]:
    """Statistics of one output by the column they stand in, one number or both bounds; of the lowest membership.

    Of a history the extremes over time, where these say something. `quantiles` are those that are shown, with their words; `columns` is
    its row, if that is known.
    """
    columns = row({"statistics": result.statistics}, name) if columns is None else columns
    axis = result.axis_of(name, "statistics")
    known = result.statistics.variables["statistic"].values.tolist()
    far = {key: percent for key, percent in percents(quantiles).items() if percent != 50 or axis is None}
    extremes = {"std": ("std", greatest)} | {quantiles[key]: (key, least if far[key] < 50 else greatest) for key in far}
    if axis is None:
        extremes = {"mean": ("mean", least)} | extremes | {word.replace("_", " "): (word, least) for word in own(known)}
    values = {}
    for column, (key, extreme) in extremes.items():
        ends = both(columns, key)
        if len(ends) == 1:
            values[column] = (extreme(ends[0]),)
        elif ends:
            values[column] = (least(ends[0]) if extreme is least else greatest(ends[0]), extreme(ends[1]))
    return values


def own(known: list[str]) -> list[str]:
    """Statistics beyond the usual ones, such as a probability of failure."""
    return [word for word in known if word not in USUAL and not QUIET.fullmatch(word)][:OWN_SHOWN]


def has_unit(column: str) -> bool:
    """Whether a statistic is in the unit of its output: mean, its bias, standard deviation, quantiles, and what was measured and fitted."""
    return column in ("mean", "std", "mean bias", *MEASURED) or column.endswith(" %")


def ends_of(group, name: str) -> tuple[float, float]:
    """Lower and upper bound of one output in a group of bounds, of a history the widest; of the lowest membership."""
    return least(picked(group, name, bound="lower")), greatest(picked(group, name, bound="upper"))
