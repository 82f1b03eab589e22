"""Basins of attraction: starts coloured by the attractor to which they come, and the share of each with its limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from uqmbd.figures.marks import COLORS, Dots, Figure, Panel, Points, Rows
from uqmbd.method_facts import FromAttributes
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import label_of
from uqmbd.tables.scaling import input_unit, with_unit

COARSE = 4000  # starts: no more are drawn as symbols
ALONE = COLORS - 1  # attractors that have a colour of their own; the others share the last one, which is grey
NONE = {-1: "not told", -2: "failed"}


@dataclass(frozen=True)
class BasinsFound(FromAttributes):
    """Of methods whose results are ``about`` basins: which inputs say where runs start, the attractors in words; of others empty."""

    coordinates: Sequence[str] = ()
    attractors: Sequence[str] = ()
    draws: int = 1  # of the other inputs


def basins_figures(result: ResultData) -> list[Figure]:
    """The starts, and the shares, of a result about basins; none of others."""
    about = result.facts_of(BasinsFound)
    if not about.coordinates:
        return []
    table, basins = result["attractors"]["shares"], result["basins"]
    attractor = basins["attractor"].values
    first = about.coordinates[0]
    units = {name: input_unit(result, name) for name in about.coordinates}
    x = np.asarray(units[first].of(basins[f"start:{first}"].values), float)
    if len(about.coordinates) > 1:
        second = about.coordinates[1]
        y, label = np.asarray(units[second].of(basins[f"start:{second}"].values), float), with_unit(second, units[second])
    else:
        y, label = levels(result, attractor)
    marks = []
    for number, words in enumerate(about.attractors[:ALONE]):
        marks.append(of(attractor == number, x, y, str(words), number))
    if len(about.attractors) > ALONE:
        marks.append(of(attractor >= ALONE, x, y, "other attractors", ALONE))
    marks += [of(attractor == code, x, y, word, ALONE) for code, word in NONE.items() if (attractor == code).any()]
    starts = Panel(with_unit(first, units[first]), label, tuple(mark for mark in marks if len(mark.x)), height=4.0)
    caption = [f"{len(x):,} starts, each in the colour of the attractor to which its motion comes."]
    if len(about.coordinates) > 2:
        caption.append(f"Of {len(about.coordinates)} coordinates the first two are drawn.")
    if about.draws > 1:
        caption.append(f"Over {about.draws} samples of the other inputs, in which borders of basins move.")
    share, lower, upper = (table.sel(of_attractor=word).values.astype(float) for word in ("share", "lower", "upper"))
    shown = min(len(share), ALONE + len(NONE))
    bars = Rows(share[:shown], "share, with 95 % limits", 0, lower[:shown], upper[:shown])
    names = tuple(str(word) for word in table["attractor"].values[:shown])
    shares = Panel("share of the starts", "", (bars,), names=names, height=0.4 + 0.3 * shown)
    title = f"Basins of attraction over {' and '.join(about.coordinates[:2])}"
    return [Figure("basins", title, (starts,), tuple(caption)), Figure("basins.shares", "Shares of the attractors", (shares,))]


def of(which: np.ndarray, x: np.ndarray, y: np.ndarray, label: str, style: int) -> Points | Dots:
    """The starts of one attractor."""
    if len(x) > COARSE:
        return Dots(x[which], y[which], label, style)
    names = tuple(f"run {run}" for run in np.flatnonzero(which))
    return Points(x[which], y[which], names, ("",) * len(names), label, style, small=True)


def levels(result: ResultData, attractor: np.ndarray) -> tuple[np.ndarray, str]:
    """Of one coordinate: a section point of the attractor of each run, and what it is."""
    if "attractor_points" not in result.specs:
        return np.zeros(len(attractor)), ""
    name = next(iter(result["attractor_points"].data_vars))
    values = np.append(result["attractor_points"][name].values[:, 0], np.nan)
    return values[np.where(attractor >= 0, attractor, len(values) - 1)], label_of(result, str(name))
