"""Runs, costs, variances and differences by level: group, table and figure of multi-level studies."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqmbd.groups import GroupSpec

LEVELS = GroupSpec(
    "levels",
    ("level", "part"),
    "by level: mean of its difference from the level below, standard deviation of that, and of the level itself",
    caption="Levels of {}",
)


def size(values: np.ndarray) -> np.ndarray:
    """Root mean square of each level, (levels,), over what the output is over."""
    return np.sqrt((values.reshape(len(values), -1) ** 2).mean(axis=1))


def level_table(result: Any) -> Any:
    """Pairs and the seconds of a pair by level."""
    import pandas as pd

    from uqmbd.tables.frames import Frame

    attrs, level = result.attrs, result["levels"]["level"].values
    index = pd.Index(level, name=attrs["level_control"])
    table = pd.DataFrame({"pairs": attrs["level_pairs"], "cost of a pair": attrs["level_cost"]}, index=index)
    return Frame("levels_of_runs", "Pairs of runs by level, and what one costs (measured: s)", table)


def levels_figure(result: Any) -> Any:
    """Deviation of each level, that of its differences and their mean, for one output; below it the pairs."""
    from uqmbd.figures.marks import Curve, Figure, Panel

    name = result.outputs[0]
    group = result["levels"]
    number = np.arange(len(group["level"]), dtype=float)
    unit = group[name].attrs.get("unit", "")
    parts = {word: size(group[name].sel(part=word).values) for word in ("std", "difference_std", "difference")}
    words = {"std": "deviation of the level", "difference_std": "deviation of the difference", "difference": "mean of the difference"}
    curves = []
    for k, (word, values) in enumerate(parts.items()):
        at = slice(0 if word == "std" else 1, None)
        with np.errstate(divide="ignore"):
            curves.append(Curve(number[at], np.log10(values[at]), words[word], k))
    pairs = Curve(number, np.log10(np.array(result.attrs["level_pairs"], float)), "pairs", 3)
    label = "number of the level, coarse to fine"
    panels = Panel(label, f"log10 of {name} [{unit}]", tuple(curves)), Panel(label, "log10 of pairs", (pairs,), height=0.6)
    return Figure("levels", "What neighbouring levels differ by", panels)
