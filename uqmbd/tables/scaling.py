"""In which unit, with which prefix, an output is said: one rule for sentences, tables, figures and their files."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from uqmbd.tables.numbers import Scale, scale
from uqmbd.tables.outputs import percents, picked, shown_quantiles, unit_of

USUAL = ("mean", "std", "q05", "q95")
MEASURED = ("fitted", "measured", "residual")  # of calibrations
OWN_SHOWN = 8  # statistics that only some methods have
QUIET = re.compile(
    r"min|max|variance|design:.*|q\d.*|(?!probability).*_(lower|upper)|.*_inner"
)  # statistics that have no column of their own


def scale_of(result, name: str, shown: Mapping[str, str] | None = None) -> Scale:
    """The unit in which an output is said, with the prefix that fits its bounds, or else its statistics.

    `shown` are the quantiles with their words, if these are known.
    """
    ends = [ends_of(group, name) for group in (result.bounds, result.inner) if name in group]
    if not ends and name in result.statistics:
        found = statistics(result, name, shown_quantiles(result) if shown is None else shown)
        usual = [values for key, values in found.items() if has_unit(key)]
        ends = usual or [(0.0,)]
    return scale(unit_of(result, name), (value for pair in ends for value in pair))


def statistics(result, name: str, quantiles: Mapping[str, str]) -> dict[str, tuple[float, ...]]:
    """Statistics of one output by the column they stand in, one number or both bounds; of the lowest membership.

    Of a history the extremes over time, where these say something. `quantiles` are those that are shown, with their words.
    """
    group, axis = result.statistics, result.axis_of(name, "statistics")
    known, dims = group.variables["statistic"].values.tolist(), group.variables[name].dims
    far = {key: percent for key, percent in percents(quantiles).items() if percent != 50 or axis is None}
    extremes = {"std": ("std", greatest)} | {quantiles[key]: (key, least if far[key] < 50 else greatest) for key in far}
    if axis is None:
        extremes = {"mean": ("mean", least)} | extremes | {word.replace("_", " "): (word, least) for word in own(known)}
    found = {}
    for column, (key, extreme) in extremes.items():
        if key not in known:
            continue
        if "bound" not in dims:
            found[column] = (extreme(picked(group, name, statistic=key)),)
            continue
        lower, upper = (picked(group, name, statistic=key, bound=bound) for bound in ("lower", "upper"))
        found[column] = (least(lower) if extreme is least else greatest(lower), extreme(upper))
    return found


def own(known: list[str]) -> list[str]:
    """Statistics beyond the usual ones, such as a probability of failure."""
    return [word for word in known if word not in USUAL and not QUIET.fullmatch(word)][:OWN_SHOWN]


def has_unit(column: str) -> bool:
    """Whether a statistic is in the unit of its output: mean, standard deviation, quantiles, and what was measured and fitted."""
    return column in ("mean", "std", *MEASURED) or column.endswith(" %")


def ends_of(group, name: str) -> tuple[float, float]:
    """Lower and upper bound of one output in a group of bounds, of a history the widest; of the lowest membership."""
    return least(picked(group, name, bound="lower")), greatest(picked(group, name, bound="upper"))


def least(values: np.ndarray) -> float:
    """The smallest number that is one."""
    return float(np.nanmin(values)) if np.isfinite(values).any() else float("nan")


def greatest(values: np.ndarray) -> float:
    """The largest number that is one."""
    return float(np.nanmax(values)) if np.isfinite(values).any() else float("nan")
