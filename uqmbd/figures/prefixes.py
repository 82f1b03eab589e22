"""Figures whose axes say outputs with the prefix that fits them: micrometres, as the tables do, instead of powers of ten of a metre."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from uqmbd.figures.marks import Band, Bars, Curve, Figure, Level, Mark, Panel, Points
from uqmbd.tables.numbers import Scale, scale

LABEL = re.compile(r"(?P<words>.*) \[(?P<unit>[^\[\]]+)\]", re.DOTALL)
OF_OUTPUTS = ("μ*",)  # horizontal axes in the unit of an output that have no output's name
NEAR = 2e3  # of two axes with the same unit: what is no further apart has the same prefix


def in_fitting_units(
    figure: Figure, outputs: Collection[str], inputs: Collection[str] = (), scales: Mapping[str, Scale] | None = None
) -> Figure:
    """The figure with a prefix before the units of its axes, so that their largest number lies between 1 and 1000.

    Parameters
    ----------
    figure : Figure
        With numbers in the units that stand in brackets at the end of its labels.
    outputs, inputs : collection of str
        Names of the result. A horizontal axis is changed where it is that of an output (not time, which panels share); a vertical one
        unless it is that of an input, which has the unit it was written with, or in powers of ten.
    scales : dict of str to Scale, optional
        Of outputs, as tables and sentences say them; the axes of these have the same.
    """
    known, scales = {*outputs, *OF_OUTPUTS}, scales or {}
    across = _scale(figure.panels[0].x_label, [x for panel in figure.panels for mark in panel.marks for x in _x(mark)], known, scales)
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
        up = _scale(panel.y_label, [y for mark in panel.marks for y in _y(mark)], None, scales)
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
    return all(isinstance(mark, (Curve, Band, Bars, Points, Level)) for mark in panel.marks)


def _scale(label: str, values: list[np.ndarray], known: Collection[str] | None, scales: Mapping[str, Scale]) -> Scale | None:
    """The scale of an axis; None where it stays as it is."""
    named = LABEL.fullmatch(label)
    if named is None or not values or (known is not None and named["words"] not in known):
        return None
    found = scales.get(named["words"])
    if found is None or not found.unit.endswith(named["unit"]):
        found = scale(named["unit"], np.concatenate([np.ravel(np.asarray(part, float)) for part in values]))
    return None if found.factor == 1.0 else found


def _renamed(label: str, found: Scale | None) -> str:
    named = LABEL.fullmatch(label)
    return label if found is None or named is None else f"{named['words']} [{found.unit}]"


def _x(mark: Mark) -> list[np.ndarray]:
    if isinstance(mark, Bars):
        return [mark.edges]
    return [np.atleast_1d(mark.x)] if isinstance(mark, (Curve, Band, Points, Level)) else []


def _y(mark: Mark) -> list[np.ndarray]:
    if isinstance(mark, Band):
        return [mark.lower, mark.upper]
    return [mark.y] if isinstance(mark, (Curve, Points)) else []


def _in(mark: Mark, x: float, y: float) -> Mark:
    """A mark whose numbers are divided by these factors."""
    if x == y == 1.0:
        return mark
    if isinstance(mark, Bars):
        return replace(mark, edges=mark.edges / x)
    if isinstance(mark, Level):
        return replace(mark, x=mark.x / x)
    if isinstance(mark, Band):
        return replace(mark, x=mark.x if x == 1.0 else mark.x / x, lower=mark.lower / y, upper=mark.upper / y)
    if isinstance(mark, (Curve, Points)):
        return replace(mark, x=mark.x if x == 1.0 else mark.x / x, y=mark.y / y)
    return mark
