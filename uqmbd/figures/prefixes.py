"""Figures whose axes say outputs with the prefix that fits them: micrometres, as the tables do, instead of powers of ten of a metre."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from uqmbd.figures.marks import Band, Bars, Curve, Dots, Figure, Level, Mark, Panel, Points
from uqmbd.figures.tiles import Tiles
from uqmbd.tables.numbers import Scale, scale

LABEL = re.compile(r"(?P<words>.*) \[(?P<unit>[^\[\]]+)\]", re.DOTALL)
NUMBERS = {  # fields of the marks that have numbers along the horizontal axis, and along the vertical one
    Curve: (("x",), ("y",)),
    Points: (("x",), ("y",)),
    Dots: (("x",), ("y",)),
    Tiles: (("left", "right"), ("lower", "upper")),
    Band: (("x",), ("lower", "upper")),
    Bars: (("edges",), ()),
    Level: (("x",), ()),
}
OF_OUTPUTS = ("μ*",)  # horizontal axes in the unit of an output that have no output's name
NEAR = 2e3  # of two axes with the same unit: what is no further apart has the same prefix


def in_fitting_units(
    figure: Figure, outputs: Collection[str], inputs: Collection[str] = (), scales: Mapping[str, Scale] | None = None
) -> Figure:
    """The figure with a prefix before the units of its axes, so that their largest number lies between 1 and 1000.

    Its numbers are in the units in brackets at the end of its labels. A horizontal axis is changed where it is that of one of `outputs`
    (not time, which panels share); a vertical one unless it is in powers of ten, or that of one of `inputs`, which has the unit it was
    written with. The axes of outputs have their `scales`, as tables and sentences say them, where these are given.
    """
    known, scales = {*outputs, *OF_OUTPUTS}, scales or {}
    across = _scale(figure.panels[0].x_label, _along((mark for panel in figure.panels for mark in panel.marks), 0), known, scales)
    if any(panel.x_label != figure.panels[0].x_label for panel in figure.panels) or not all(map(_plain, figure.panels)):
        across = None
    named = LABEL.fullmatch(figure.panels[0].y_label)
    first = scales.get(named["words"]) if named else None
    return replace(figure, panels=tuple(_panel(panel, across, inputs, scales, first) for panel in figure.panels))


def _panel(panel: Panel, across: Scale | None, inputs: Collection[str], scales: Mapping[str, Scale], first: Scale | None) -> Panel:
    """One panel; `first` is the scale of the output of the first one, which powers of ten in the same unit have too."""
    if not _plain(panel):
        return panel
    up = None
    named = LABEL.fullmatch(panel.y_label)
    if named and not panel.log and named["words"] not in inputs:
        up = _scale(panel.y_label, _along(panel.marks, 1), None, scales)
        if across and up and across.unit[-len(named["unit"]) :] == named["unit"]:
            apart = max(across.factor / up.factor, up.factor / across.factor)
            up = across if panel.equal or apart <= NEAR else up
    if named and panel.log and first and first.factor != 1.0 and first.unit.endswith(named["unit"]):
        up = first
    x_label, y_label = _renamed(panel.x_label, across), _renamed(panel.y_label, up)
    marks = tuple(_in(mark, across.factor if across else 1.0, up.factor if up else 1.0) for mark in panel.marks)
    shades = tuple((a / across.factor, b / across.factor) for a, b in panel.shades) if across else panel.shades
    return replace(panel, x_label=x_label, y_label=y_label, marks=marks, shades=shades)


def _plain(panel: Panel) -> bool:
    """Whether the panel has nothing but what `_in` knows."""
    return all(type(mark) in NUMBERS for mark in panel.marks)


def _scale(label: str, values: list[np.ndarray], known: Collection[str] | None, scales: Mapping[str, Scale]) -> Scale | None:
    """The scale of an axis; None where it stays as it is."""
    named = LABEL.fullmatch(label)
    if named is None or not values or (known is not None and named["words"] not in known):
        return None
    own = scales.get(named["words"])
    if own is None or not own.unit.endswith(named["unit"]):
        own = scale(named["unit"], np.concatenate([np.ravel(np.asarray(part, float)) for part in values]))
    return None if own.factor == 1.0 else own


def _renamed(label: str, within: Scale | None) -> str:
    named = LABEL.fullmatch(label)
    return label if within is None or named is None else f"{named['words']} [{within.unit}]"


def _along(marks: Iterable[Mark], axis: int) -> list[np.ndarray]:
    """What these marks have along the horizontal (0) or vertical axis (1)."""
    return [np.atleast_1d(getattr(mark, name)) for mark in marks for name in NUMBERS.get(type(mark), ((), ()))[axis]]


def _in(mark: Mark, *factors: float) -> Mark:
    """A mark whose numbers along both axes are divided by these factors."""
    names = {name: factor for some, factor in zip(NUMBERS[type(mark)], factors, strict=True) for name in some if factor != 1.0}
    return replace(mark, **{name: getattr(mark, name) / factor for name, factor in names.items()})
