"""What kept surrogates of all kinds share: inputs with their coordinates, how they are asked, and how an output's value is shaped."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.chaos import stieltjes
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs import Input
from uqmbd.outcomes import TIME, Axis

if TYPE_CHECKING:
    import xarray as xr

FORMAT = "uqmbd surrogate 1"
KNOTS = 513  # of the way from an input's value to its coordinate where that is no straight line
FARTHEST = 8.0  # normal scores of the outermost knots
SCORES = np.linspace(-FARTHEST, FARTHEST, KNOTS)
STRAIGHT = 1e-12  # relative: that way is one
OUTSIDE = 1e-9  # of an interval's width, by which a value may lie beyond it
_NUMBERS = {"value": "value", "place": "coordinate", "alpha": "alpha", "beta": "beta"}  # keys of files, and what they are here


@dataclass(frozen=True)
class InputAxis:
    """One input: its coordinate, and the polynomials of it.

    Between the knots and beyond them the coordinate follows a straight line if they are two, a smooth curve else.
    """

    name: str
    value: np.ndarray  # (knots,), SI
    coordinate: np.ndarray  # (knots,): there
    alpha: np.ndarray  # (degree + 1,): three-term recurrence of the polynomials, with `beta`; none of Chebyshev's
    beta: np.ndarray
    bounded: bool  # whether values outside the knots have no meaning

    def at(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of values (n,), and their slopes."""
        low, high = self.value[0], self.value[-1]
        beyond = OUTSIDE * (high - low)
        below, above = values < low - beyond, values > high + beyond
        if self.bounded and (below.any() or above.any()):
            raise StudyError(
                f"the surrogate knows '{self.name}' from {low:.6g} to {high:.6g} only (SI units)",
                key=self.name,
                value=float(values[below].min() if below.any() else values[above].max()),
                remedy="give a value in between, or run the study with a wider input",
            )
        if len(self.value) == 2:
            slope = (self.coordinate[1] - self.coordinate[0]) / (high - low)
            return self.coordinate[0] + slope * (values - low), np.full(len(values), slope)
        from scipy.interpolate import PchipInterpolator

        curve = PchipInterpolator(self.value, self.coordinate)
        slope = curve.derivative()
        inside = np.clip(values, low, high)
        return curve(inside) + slope(inside) * (values - inside), slope(inside)

    def polynomials(self, x: np.ndarray, degree: int) -> np.ndarray:
        """All up to a degree at coordinates `x` (n,), real or complex: (n, degree + 1)."""
        if self.alpha.size:
            return stieltjes.polynomials(x, self.alpha, self.beta, degree)
        return np.polynomial.chebyshev.chebvander(x, degree)

    def table(self) -> dict[str, Any]:
        """For JSON."""
        return {"name": self.name, "bounded": self.bounded, **{key: getattr(self, name).tolist() for key, name in _NUMBERS.items()}}

    @classmethod
    def of_table(cls, table: Mapping[str, Any]) -> InputAxis:
        """From what `table` gave."""
        numbers = {name: np.array(table[key], float) for key, name in _NUMBERS.items()}
        return cls(name=table["name"], bounded=bool(table["bounded"]), **numbers)


Head = tuple[str, str, tuple[InputAxis, ...], Axis | None, np.ndarray]  # what every kind has


@dataclass(frozen=True)
class KeptSurrogate:
    """The surrogate of one output: evaluated, differentiated, and written to a file of its own. A kind adds what it evaluates."""

    kind: ClassVar[str]  # in the attributes of a result's group
    key: ClassVar[str]  # what files of this kind have, and no others

    name: str
    unit: str
    axes: tuple[InputAxis, ...]  # inputs in order
    over: Axis | None  # what the output is over: time or an axis of its own; None for a number
    error: np.ndarray  # validated, a number or (points,); NaN where there is none

    def __repr__(self) -> str:
        kind = "a number" if self.over is None else "a history" if self.time is not None else f"over {self.over.label}"
        return f"<surrogate of {self.name} [{self.unit}], {kind}, of {', '.join(axis.name for axis in self.axes)}>"

    @property
    def time(self) -> np.ndarray | None:
        """Times of a history, s; None of other outputs."""
        return self.over.values if self.over is not None and self.over.name == TIME.name else None

    def __call__(self, /, **inputs: Any) -> np.ndarray:
        """Values of the output; numbers or arrays of one shape for each input, in SI: that shape [x points]. NaN where an input is."""
        points, _, shape = self._points(inputs)
        return self._at_known(self._values, points, shape)

    def gradient(self, /, **inputs: Any) -> dict[str, np.ndarray]:
        """Derivatives with respect to every input, in SI: shapes and NaN as of a call; exact to rounding."""
        points, slopes, shape = self._points(inputs)
        gradients = {}
        for i, axis in enumerate(self.axes):
            slope = self._at_known(partial(self._slope, i=i), points, shape)
            gradients[axis.name] = slope * slopes[:, i].reshape((*shape, *[1] * (slope.ndim - len(shape))))
        return gradients

    def bounds(self, /, **intervals: Any) -> np.ndarray:
        """Range (2,) or (2, points) over a box: ``(lower, upper)`` or a number for an input, the whole of the others.

        Of the surrogate: add the validated error for the model. Verified of polynomials, searched for of Kriging. Raises `StudyError`
        unless all inputs are intervals.
        """
        if any(axis.alpha.size or not axis.bounded for axis in self.axes):
            raise StudyError("only a surrogate of intervals has bounds", value=self.name, remedy="evaluate it at samples of the inputs")
        self._require(intervals)
        box = np.tile([-1.0, 1.0], (len(self.axes), 1))
        for i, axis in enumerate(self.axes):
            if axis.name in intervals:
                ends = np.atleast_1d(numbers_of(axis.name, intervals[axis.name]))
                box[i] = np.clip(axis.at(ends[[0, -1]])[0], -1, 1)
        fitted, gap = self._fitted()
        ranges = np.full((2, fitted.count), np.nan) if np.isnan(box).any() else fitted.restricted(box).range("bernstein", gap)[0]
        return ranges[:, 0] if self.over is None else ranges

    def save(self, path: str | Path) -> Path:
        """Write it as JSON, from which `uqmbd.open_surrogate` (or any program) evaluates it."""
        path = Path(path)
        time = None if self.time is None else self.time.tolist()
        error = None if np.isnan(self.error).all() else self.error.tolist()  # JSON has no NaN
        table = {"format": FORMAT, "name": self.name, "unit": self.unit, "axes": [axis.table() for axis in self.axes], **self._table()}
        if self.over is not None and time is None:
            table["over"] = {"name": self.over.name, "values": self.over.values.tolist(), "unit": self.over.unit}
        path.write_text(json.dumps({**table, "time": time, "error": error}), encoding="utf-8")
        return path

    def _values(self, points: np.ndarray) -> np.ndarray:
        """At coordinates (n, d): (n,) or (n, points)."""
        raise NotImplementedError

    def _slope(self, points: np.ndarray, i: int) -> np.ndarray:
        """Derivative by coordinate `i`, shape as `_values`."""
        raise NotImplementedError

    def _fitted(self) -> tuple[Fitted, np.ndarray]:
        """The surrogate over [-1, 1]^d, where all inputs are intervals, and the gap that its range may have, (columns,)."""
        raise NotImplementedError

    def _table(self) -> dict[str, Any]:
        """What only this kind has, for JSON."""
        raise NotImplementedError

    @classmethod
    def of_table(cls, table: Mapping[str, Any], head: Head) -> Self:
        """From what `save` wrote; `head` is what every kind has."""
        raise NotImplementedError

    @classmethod
    def of_group(cls, group: xr.Dataset, array: xr.DataArray, head: Head) -> Self:
        """From the group of a result: that of one output, `array`."""
        raise NotImplementedError

    def _require(self, inputs: Mapping[str, Any]) -> None:
        names = [axis.name for axis in self.axes]
        for name in inputs:
            if name not in names:
                raise StudyError(f"the surrogate has no input '{name}'", key=name, remedy=did_you_mean(name, names, noun="input"))

    def _points(self, inputs: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
        """Coordinates (n, d) and their slopes, and the shape of what was given."""
        self._require(inputs)
        if missing := [axis.name for axis in self.axes if axis.name not in inputs]:
            raise StudyError(f"the surrogate needs {', '.join(missing)}", key=missing[0], remedy="give a number or an array for each input")
        given = {axis.name: numbers_of(axis.name, inputs[axis.name]) for axis in self.axes}
        try:
            arrays = np.broadcast_arrays(*given.values())
        except ValueError:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in given.items())
            raise StudyError(
                f"the surrogate is asked with arrays of shapes that do not fit together: {shapes}",
                key=next(iter(given)),
                remedy="give a number or an array of one shape for each input",
            ) from None
        both = [axis.at(array.ravel()) for axis, array in zip(self.axes, arrays, strict=True)]
        return np.stack([x for x, _ in both], axis=1), np.stack([slope for _, slope in both], axis=1), arrays[0].shape

    @staticmethod
    def _at_known(at: Callable[[np.ndarray], np.ndarray], points: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """What `at` says of coordinates (n, d), in the shape of what was given; NaN where one of them is."""
        known = ~np.isnan(points).any(axis=1)
        values = at(points[known])
        out = np.full((len(points), *values.shape[1:]), np.nan)
        out[known] = values
        return out.reshape((*shape, *values.shape[1:]))


def numbers_of(name: str, value: Any) -> np.ndarray:
    """What is given for an input, as an array of float64; `StudyError` where these are no numbers."""
    try:
        array = np.asarray(value)
        if array.dtype.kind in "biufO":
            return array.astype(float)
    except (TypeError, ValueError):  # rows of unequal length, or objects
        pass
    remedy = "give a number or an array of numbers, in SI units"
    raise StudyError(f"the surrogate needs numbers for '{name}'", key=name, value=value, remedy=remedy)


def affine_axis(name: str, low: float, high: float) -> InputAxis:
    """An input between two values, whose coordinate goes from -1 to 1."""
    none = np.empty(0)
    return InputAxis(name, np.array([low, high]), np.array([-1.0, 1.0]), none, none, bounded=True)


def curved(name: str, item: Input, places: np.ndarray, alpha: Sequence[float] = (), beta: Sequence[float] = ()) -> InputAxis | None:
    """An input with a distribution, whose coordinate is `places` (KNOTS,) at the normal scores `SCORES`; of polynomials their recurrence.

    None where values are no coordinate (of a few values, say).
    """
    value, place = item.from_normal(SCORES), np.asarray(places, float)
    keep = np.r_[True, (np.diff(value) > 0) & (np.diff(place) > 0)] & np.isfinite(value) & np.isfinite(place)
    value, place = value[keep], place[keep]
    if len(value) < 2 or np.any(np.diff(value) <= 0) or np.any(np.diff(place) <= 0):
        return None
    line = place[0] + (place[-1] - place[0]) * (value - value[0]) / (value[-1] - value[0])
    if np.abs(line - place).max() <= STRAIGHT * np.abs(place).max():
        value, place = value[[0, -1]], place[[0, -1]]
    return InputAxis(name, value, place, np.asarray(alpha, float), np.asarray(beta, float), bounded=item.kind != "random")
