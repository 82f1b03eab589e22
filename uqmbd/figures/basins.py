"""Basins of attraction: starts coloured by the attractor to which they come, and the share of each with its limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from uqmbd.figures.marks import COLORS, Dots, Figure, Panel, Points, Rows
from uqmbd.figures.tiles import Tiles, tiles_of
from uqmbd.method_facts import FromAttributes
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import label_of
from uqmbd.tables.scaling import input_unit, with_unit

COARSE = 4000  # starts: no more are drawn as symbols
FINE = 40_000  # cells: no more are drawn as areas
ALONE = COLORS - 2  # attractors that have a colour of their own; the others share the next one, which is grey
NONE = {-1: ("not told", "path"), -2: ("failed", ALONE + 1)}  # in words, and how they are drawn


@dataclass(frozen=True)
class BasinsFound(FromAttributes):
    """Of methods whose results are ``about`` basins: which inputs say where runs start, the attractors in words; of others empty."""

    coordinates: Sequence[str] = ()
    attractors: Sequence[str] = ()
    draws: int = 1  # of the other inputs
    edges: Mapping[str, Sequence[float]] = field(default_factory=dict)  # of the cells along two coordinates, SI; empty of other starts


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
    groups: list[tuple[np.ndarray, str, int | str]] = [
        (attractor == number, str(words), number) for number, words in enumerate(about.attractors[:ALONE])
    ]
    groups += [(attractor >= ALONE, "other attractors", ALONE)] + [(attractor == code, word, style) for code, (word, style) in NONE.items()]
    areas = 0 < len(x) <= FINE and len(about.edges) == 2
    edges = [np.asarray(units[name].of(np.array(values, float)), float) for name, values in about.edges.items()] if areas else []
    draw = partial(areas_of, *edges) if areas else partial(of, x, y)
    marks = [draw(*group) for group in groups if group[0].any()]
    starts = Panel(with_unit(first, units[first]), label, tuple(marks), height=4.0)
    what = "cells, each with a start at a random place in it," if areas else "starts, each"
    caption = [f"{len(x):,} {what} in the colour of the attractor to which its motion comes."]
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


def areas_of(x: np.ndarray, y: np.ndarray, which: np.ndarray, label: str, style: int | str) -> Tiles:
    """The cells of one attractor, of which those run so far are the first; the second coordinate is the fast one."""
    table = np.zeros((len(x) - 1, len(y) - 1), bool)
    table.ravel()[: len(which)] = which
    return tiles_of(table, x, y, label, style)


def of(x: np.ndarray, y: np.ndarray, which: np.ndarray, label: str, style: int | str) -> Points | Dots:
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
    return values[np.where(attractor >= 0, attractor, len(values) - 1)], f"section point, {label_of(result, str(name))}"
