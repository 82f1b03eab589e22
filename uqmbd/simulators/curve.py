"""Outputs over an axis of their own: how a model returns them, which axes there can be, and what an output is reduced to over its axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.groups import DIMENSIONS
from uqmbd.outcomes import TIME, Axis, OutputInfo
from uqmbd.simulators.events import Events, axes_of_field

REDUCTIONS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {  # of values (..., points) at (points,)
    "max": lambda y, t: y.max(axis=-1),
    "min": lambda y, t: y.min(axis=-1),
    "abs_max": lambda y, t: np.abs(y).max(axis=-1),
    "mean": lambda y, t: np.trapezoid(y, t, axis=-1) / (t[-1] - t[0]),
    "rms": lambda y, t: np.sqrt(np.trapezoid(y * y, t, axis=-1) / (t[-1] - t[0])),
    "final": lambda y, t: y[..., -1],
    "time_of_max": lambda y, t: t[np.argmax(y, axis=-1)],
    "time_of_min": lambda y, t: t[np.argmin(y, axis=-1)],
}
RESERVED = DIMENSIONS | {"status", "message"}


@dataclass(frozen=True, eq=False)
class Curve:
    """What a model returns for an output over an axis of its own: a frequency response, a pressure over an angle.

    Every run has to have the same grid; of what each run has its own number see `Events`. Outputs may share an axis. Over several axes it
    is a field, which is kept with the runs: then `grid`, `axis` and `axis_unit` have an entry for each, ``("time", "place")``, and the
    grid of time is None.

    Attributes
    ----------
    values : array of shape (points,), of a field (points, points)
        Of a function of arrays: (runs, points).
    grid : array of shape (points,)
        Values of the axis, rising.
    axis : str
        Name of the axis: ``"frequency"``.
    unit, axis_unit : str
        Units of the values and of the grid; words for reports, as they are.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> def model(stiffness):
    ...     f = np.linspace(1.0, 20.0, 39)
    ...     return {"compliance": uq.Curve(1 / np.abs(stiffness - (2 * np.pi * f) ** 2), f, "frequency", unit="m/N", axis_unit="Hz")}
    """

    values: Any
    grid: Any
    axis: str | tuple[str, ...]
    unit: str = ""
    axis_unit: str | tuple[str, ...] = ""


def taken(value: Any) -> tuple[Any, str, Any]:
    """What a model returned for an output: its values, their unit, and the axis if it has one of its own, or the axes of a field.

    Raises
    ------
    ValueError
        If the grid is no array of numbers.
    """
    if isinstance(value, Events):
        return value.values, value.unit, Axis(str(value.axis), np.empty(0))
    if isinstance(value, Curve) and isinstance(value.axis, (tuple, list)):
        return value.values, value.unit, axes_of_field(value.axis, value.grid, value.axis_unit)
    if isinstance(value, Curve):
        return value.values, value.unit, Axis(str(value.axis), value.grid, str(value.axis_unit))
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], str):
        return value[0], value[1], None
    return value, "", None


def reductions_over(axis: Axis | None) -> dict[str, str]:
    """Reductions over an axis of its own by name, each with that of a history that does the same; over time for None.

    ``final`` is of time alone; ``frequency_of_max`` is where a curve over ``frequency`` is greatest.
    """
    if axis is None:
        return {name: name for name in REDUCTIONS}
    return {name.replace("time_of_", f"{axis.name}_of_"): name for name in REDUCTIONS if name != "final"}


def check_axis(name: str, axis: Axis, outputs: Iterable[str]) -> None:
    """Raise `StudyError` for an axis that the output `name` cannot have among these outputs."""
    if axis.name == TIME.name:
        text, remedy = "an axis of its own cannot be called time", "return an array over the study's times, or name the axis otherwise"
        raise StudyError(text, key="outputs.include", value=name, remedy=remedy)
    if axis.name in RESERVED or axis.name in outputs or not axis.name.isidentifier():
        text = f"the axis of '{name}' cannot be called '{axis.name}'"
        raise StudyError(text, key="outputs.include", value=name, remedy="choose another name, of letters, digits and _")
    x = axis.values
    if axis.varying:
        return
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all() or (np.diff(x) <= 0).any():
        text = f"the grid of '{name}' over {axis.name} is not two or more rising finite numbers"
        raise StudyError(text, key="outputs.include", value=name, remedy="sort it, and leave out what is there twice")


def check_axes(info: Mapping[str, OutputInfo]) -> None:
    """Raise `StudyError` for an axis that cannot be one, and for two that differ and have one name."""
    known: dict[str, tuple[str, Axis]] = {}
    for name, each in info.items():
        for axis in each.axes:
            if axis == TIME:
                continue
            check_axis(name, axis, info)
            other, first = known.setdefault(axis.name, (name, axis))
            if not alike(axis, first):
                text = f"'{other}' and '{name}' are both over {first.name}, at other values or in another unit"
                raise StudyError(text, key="outputs.include", value=name, remedy="name one of the two axes otherwise")


def alike(one: Any, other: Any) -> bool:
    """Whether two outputs are over the same: an axis, several, or none."""
    if isinstance(one, tuple) or isinstance(other, tuple):
        both = isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other)
        return both and all(alike(*pair) for pair in zip(one, other, strict=True))
    if one is None or other is None:
        return one is other
    return one.name == other.name and one.unit == other.unit and one.fits(other.values)
