"""Runs, costs, variances and differences by level: group, table and figure of multi-level studies."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqmbd.groups import GroupSpec
from uqmbd.method_facts import ReportFacts

PARTS = ("difference", "difference_std", "std")
WORDS = ("mean of the difference", "deviation of the difference", "deviation of the level")
LEVELS = GroupSpec(
    "levels",
    ("level", "part"),
    "by level: mean of its difference from the level below, standard deviation of that, and of the level itself",
    caption="{} by level: mean of the difference from the level below, deviation of that, and of the level itself",
)


def size(values: np.ndarray) -> np.ndarray:
    """Root mean square of each level, (levels,), over what the output is over."""
    return np.sqrt((values.reshape(len(values), -1) ** 2).mean(axis=1))


def level_table(result: Any) -> Any:
    """Pairs of each level, what one costs, and what share of all costs they have."""
    import pandas as pd

    from uqmbd.tables.frames import Frame

    attrs, level = result.attrs, result["levels"]["level"].values
    pairs, cost = np.array(attrs["level_pairs"]), np.array(attrs["level_cost"], float)
    share = pairs * cost / (pairs * cost).sum()
    index = pd.Index(level, name=attrs["level_control"])
    table = pd.DataFrame({"pairs": pairs, "cost of a pair": cost, "share of the cost": share}, index=index)
    given = result.facts.settings.get("costs") is not None
    return Frame("pairs_by_level", f"Pairs of runs by level, and what one costs ({'as given' if given else 'in s, as measured'})", table)


def levels_figure(result: Any) -> Any:
    """Deviation of each level, that of its differences and their mean, for one output; below it the pairs."""
    from uqmbd.figures.marks import Curve, Figure, Panel

    key = result.facts_of(ReportFacts).key
    name = key if key in result.outputs else result.outputs[0]
    group, rates = result["levels"], result.attrs["level_rates"].get(name, {})
    number = np.arange(len(group["level"]), dtype=float)
    unit = group[name].attrs.get("unit", "")
    curves = []
    for k, (part, words) in enumerate(zip(PARTS, WORDS, strict=True)):
        at = slice(0 if part == "std" else 1, None)
        values = size(group[name].sel(part=part).values)[at]
        curves.append(Curve(number[at], np.where(values > 0, values, np.nan), words, k))
    pairs = Curve(number, np.array(result.attrs["level_pairs"], float), "pairs", 3)
    values = ", ".join(f"{value:g}" for value in group["level"].values)
    label = f"level: {result.attrs['level_control']} {values}"
    panels = Panel(label, f"{name} [{unit or '1'}]", tuple(curves), log=True), Panel(label, "pairs", (pairs,), height=0.6, log=True)
    said = {"alpha": "means of the differences fall with the order {:.2g}", "beta": "their variances with {:.2g}"}
    fitted = ", ".join(text.format(rates[key]) for key, text in said.items() if key in rates)
    caption = (f"Of the fineness of the level, {fitted}.",) if fitted else ()
    return Figure("levels", "What neighbouring levels differ by", panels, caption)
