"""Surrogates kept with a result: evaluated, differentiated and bounded again without a run, and written to a file of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtr

from uqmbd.analysis import stieltjes
from uqmbd.analysis.alpha_cuts import restricted
from uqmbd.analysis.chaos_expansion import Expansion as Chaos
from uqmbd.analysis.chebyshev_expansions import SparseExpansion
from uqmbd.analysis.columns import Columns
from uqmbd.analysis.families import Family
from uqmbd.analysis.pieces import PiecewiseExpansion
from uqmbd.analysis.set_bounds import terms_of
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs import Input
from uqmbd.outcomes import TIME, Axis, axis_of

FORMAT = "uqmbd surrogate 1"
KNOTS = 513  # of the way from an input's value to its coordinate where that is no straight line
FARTHEST = 8.0  # normal scores of the outermost knots
STRAIGHT = 1e-12  # relative: that way is one
OUTSIDE = 1e-9  # of an interval's width, by which a value may lie beyond it
_STEP = 1e-30  # of complex differences


@dataclass(frozen=True)
class InputAxis:
    """One input: its coordinate, and the polynomials of it.

    Attributes
    ----------
    name : str
    value, place : ndarray, shape (knots,)
        Values, in SI, and coordinates there; between them and beyond them straight lines if they are two, a smooth curve else.
    alpha, beta : ndarray, shape (degree + 1,)
        Three-term recurrence of the polynomials; none of Chebyshev's.
    bounded : bool
        Whether values outside the knots have no meaning.
    """

    name: str
    value: np.ndarray
    place: np.ndarray
    alpha: np.ndarray
    beta: np.ndarray
    bounded: bool

    def at(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates of values (n,), and their slopes."""
        low, high = self.value[0], self.value[-1]
        beyond = OUTSIDE * (high - low)
        if self.bounded and values.size and (values.min() < low - beyond or values.max() > high + beyond):
            worst = values.min() if values.min() < low - beyond else values.max()
            raise StudyError(
                f"the surrogate knows '{self.name}' from {low:.6g} to {high:.6g} only (SI units)",
                key=self.name,
                value=float(worst),
                remedy="give a value in between, or run the study with a wider input",
            )
        if len(self.value) == 2:
            slope = (self.place[1] - self.place[0]) / (high - low)
            return self.place[0] + slope * (values - low), np.full(len(values), slope)
        from scipy.interpolate import PchipInterpolator

        curve = PchipInterpolator(self.value, self.place)
        slope = curve.derivative()
        inside = np.clip(values, low, high)
        return curve(inside) + slope(inside) * (values - inside), slope(inside)

    def polynomials(self, x: np.ndarray, degree: int) -> np.ndarray:
        """All up to a degree at coordinates `x` (n,), real or complex: (n, degree + 1)."""
        if self.alpha.size:
            return stieltjes.polynomials(x, self.alpha, self.beta, degree)
        out = np.ones((len(x), degree + 1), x.dtype)
        for k in range(1, degree + 1):
            out[:, k] = x if k == 1 else 2 * x * out[:, k - 1] - out[:, k - 2]
        return out


@dataclass(frozen=True)
class Piece:
    """Coefficients on a part of the cube of the coordinates."""

    box: np.ndarray  # (d, 2); infinite where there is one part
    c: np.ndarray  # (terms,) or (terms, points)


@dataclass(frozen=True)
class KeptSurrogate:
    """The surrogate of one output.

    Attributes
    ----------
    name, unit : str
    axes : tuple of InputAxis
        Inputs in order.
    exponents : ndarray of int, shape (terms, d)
    pieces : tuple of Piece
    over : Axis or None
        What the output is over: time or an axis of its own; None for a number.
    error : ndarray
        Validated error, a number or (points,).
    """

    name: str
    unit: str
    axes: tuple[InputAxis, ...]
    exponents: np.ndarray
    pieces: tuple[Piece, ...]
    over: Axis | None
    error: np.ndarray

    def __repr__(self) -> str:
        kind = "a number" if self.over is None else "a history" if self.time is not None else f"over {self.over.label}"
        return f"<surrogate of {self.name} [{self.unit}], {kind}, of {', '.join(axis.name for axis in self.axes)}>"

    @property
    def time(self) -> np.ndarray | None:
        """Times of a history, s; None of other outputs."""
        return self.over.values if self.over is not None and self.over.name == TIME.name else None

    def __call__(self, **inputs: Any) -> np.ndarray:
        """Values of the output; numbers or arrays of one shape for each input, in SI: that shape [x points]."""
        points, _, shape = self._points(inputs)
        return self._shaped(self._values(points, real=True), shape)

    def gradient(self, **inputs: Any) -> dict[str, np.ndarray]:
        """Derivatives with respect to every input, in SI: shapes as of a call. By complex steps, so to rounding."""
        points, slopes, shape = self._points(inputs)
        found = {}
        for i, axis in enumerate(self.axes):
            step = points.astype(complex)
            step[:, i] += 1j * _STEP
            slope = self._values(step).imag / _STEP
            found[axis.name] = self._shaped(slope * slopes[:, i].reshape((-1, *[1] * (slope.ndim - 1))), shape)
        return found

    def bounds(self, **intervals: Any) -> np.ndarray:
        """Verified range (2,) or (2, points) over a box: ``(lower, upper)`` or a number for an input, the whole of the others.

        Of the surrogate: add the validated error for the model.
        """
        if any(axis.alpha.size or not axis.bounded for axis in self.axes):
            raise StudyError("only a surrogate of intervals has bounds", value=self.name, remedy="evaluate it at samples of the inputs")
        self._require(intervals)
        box = np.tile([-1.0, 1.0], (len(self.axes), 1))
        for i, axis in enumerate(self.axes):
            if axis.name in intervals:
                ends = np.atleast_1d(np.asarray(intervals[axis.name], float))
                box[i] = np.clip(axis.at(ends[[0, -1]])[0], -1, 1)
        flat = self.exponents, [piece.c.reshape(len(self.exponents), -1) for piece in self.pieces]
        parts = tuple(SparseExpansion(flat[0], c) for c in flat[1])
        whole = parts[0] if len(parts) == 1 else PiecewiseExpansion(np.array([piece.box.T for piece in self.pieces]), parts)
        part = restricted(whole, box)
        gap = 1e-9 * np.maximum(np.abs(np.concatenate(flat[1])).sum(axis=0), 1e-300)
        found = part.range("bernstein", gap)[0]
        return found[:, 0] if self.over is None else found

    def save(self, path: str | Path) -> Path:
        """Write it as JSON, from which `open_surrogate` (or any program) evaluates it."""
        path = Path(path)
        axes = [{**{key: np.asarray(getattr(axis, key)).tolist() for key in _AXIS}, "name": axis.name} for axis in self.axes]
        pieces = [{"box": _finite(piece.box), "c": piece.c.tolist()} for piece in self.pieces]
        time = None if self.time is None else self.time.tolist()
        table = {"format": FORMAT, "name": self.name, "unit": self.unit, "axes": axes, "exponents": self.exponents.tolist()}
        if self.over is not None and time is None:
            table["over"] = {"name": self.over.name, "values": self.over.values.tolist(), "unit": self.over.unit}
        path.write_text(json.dumps({**table, "pieces": pieces, "time": time, "error": self.error.tolist()}), encoding="utf-8")
        return path

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
        arrays = np.broadcast_arrays(*(np.asarray(inputs[axis.name], float) for axis in self.axes))
        both = [axis.at(array.ravel()) for axis, array in zip(self.axes, arrays, strict=True)]
        return np.stack([x for x, _ in both], axis=1), np.stack([slope for _, slope in both], axis=1), arrays[0].shape

    def _values(self, points: np.ndarray, *, real: bool = False) -> np.ndarray:
        """At coordinates (n, d): (n,) or (n, points)."""
        shape = self.pieces[0].c.shape[1:]
        out = np.zeros((len(points), *shape), float if real else complex)
        left = np.ones(len(points), bool)
        for piece in self.pieces:
            low, high = piece.box.T
            here = left & np.all((points.real >= low - OUTSIDE) & (points.real <= high + OUTSIDE), axis=1)
            if here.any():
                local = points[here] if np.isinf(low).any() else (2 * points[here] - low - high) / (high - low)
                out[here] = self._basis(local) @ piece.c
                left &= ~here
        return out

    def _basis(self, x: np.ndarray) -> np.ndarray:
        out = np.ones((len(x), len(self.exponents)), x.dtype)
        for i, axis in enumerate(self.axes):
            degrees = self.exponents[:, i]
            out *= axis.polynomials(x[:, i], int(degrees.max(initial=0)))[:, degrees]
        return out

    def _shaped(self, values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        return values.reshape((*shape, *values.shape[1:]))


_AXIS = ("value", "place", "alpha", "beta", "bounded")


def _finite(box: np.ndarray) -> list | None:
    return None if np.isinf(box).any() else box.tolist()


def open_surrogate(path: str | Path) -> KeptSurrogate:
    """The surrogate in a file that `KeptSurrogate.save` wrote."""
    path = Path(path)
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StudyError("there is no such file", file=path, remedy="give a file that `save` of a surrogate wrote") from None
    except ValueError:
        table = None
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        raise StudyError("is no surrogate of uqmbd", file=path, remedy="give a file that `save` of a surrogate wrote")
    axes = tuple(
        InputAxis(each["name"], *(np.array(each[key], float) for key in _AXIS[:4]), bool(each["bounded"])) for each in table["axes"]
    )
    exponents = np.array(table["exponents"], int).reshape(-1, len(axes))
    whole = np.tile([-np.inf, np.inf], (len(axes), 1))
    pieces = tuple(Piece(whole if each["box"] is None else np.array(each["box"]), np.array(each["c"])) for each in table["pieces"])
    over = Axis(**table["over"]) if "over" in table else None if table["time"] is None else Axis(TIME.name, table["time"], TIME.unit)
    return KeptSurrogate(table["name"], table["unit"], axes, exponents, pieces, over, np.array(table["error"]))


# with a result ----------------------------------------------------------------------------------------------------------------------------
def straight(name: str, low: float, high: float) -> InputAxis:
    """An input between two values, with Chebyshev polynomials."""
    none = np.empty(0)
    return InputAxis(name, np.array([low, high]), np.array([-1.0, 1.0]), none, none, bounded=True)


def curved(name: str, item: Input, family: Family, degree: int) -> InputAxis | None:
    """An input with a distribution, and the polynomials of its germ; None where values are no coordinate (of a few values, say)."""
    z = np.linspace(-FARTHEST, FARTHEST, KNOTS)
    value, place = item.from_normal(z), family.germ(ndtr(z))
    keep = np.r_[True, (np.diff(value) > 0) & (np.diff(place) > 0)] & np.isfinite(value) & np.isfinite(place)
    value, place = value[keep], place[keep]
    if len(value) < 2 or np.any(np.diff(value) <= 0) or np.any(np.diff(place) <= 0):
        return None
    line = place[0] + (place[-1] - place[0]) * (value - value[0]) / (value[-1] - value[0])
    if np.abs(line - place).max() <= STRAIGHT * np.abs(place).max():
        value, place = value[[0, -1]], place[[0, -1]]
    count = degree + 2
    return InputAxis(name, value, place, family.alpha[:count], family.beta[:count], bounded=item.kind != "random")


def kept(axes: Sequence[InputAxis], expansion: Any, columns: Columns, error: np.ndarray) -> xr.Dataset:
    """The group `surrogates` of a result: coefficients of every output, ``[part x] term [x axis]``.

    Parameters
    ----------
    expansion : Expansion
        Of all columns: Chebyshev's in one piece or several, or chaos.
    columns : Columns
    error : ndarray, shape (columns,)
        Validated.
    """
    coords: dict[str, Any] = {"input": np.array([axis.name for axis in axes], object)}
    if isinstance(expansion, PiecewiseExpansion):
        tables = [terms_of(part) for part in expansion.parts]
        exponents, c = tables[0][0], np.stack([table for _, table in tables])
        lead: tuple[str, ...] = ("part", "term")
        coords |= {"part_lower": (("part", "input"), expansion.boxes[:, 0]), "part_upper": (("part", "input"), expansion.boxes[:, 1])}
    else:
        exponents, c = (expansion.indices, expansion.c) if isinstance(expansion, Chaos) else terms_of(expansion)
        lead = ("term",)
    coords["exponent"] = (("term", "input"), exponents)
    named = {}
    for name, at in columns.slices.items():
        attrs = {"unit": columns.outputs[name].unit, "error": np.atleast_1d(error[at]).tolist()}
        named[name] = ((*lead, *columns.dims(name)), c[..., at] if name in columns.axes else c[..., at.start], attrs)
    coords |= columns.coords()
    table = [{**{key: np.asarray(getattr(axis, key)).tolist() for key in _AXIS}, "name": axis.name} for axis in axes]
    return xr.Dataset(named, coords, attrs={"axes": json.dumps(table)})


def of_output(group: xr.Dataset, name: str) -> KeptSurrogate:
    """The surrogate of one output from the group of a result."""
    axes = tuple(
        InputAxis(each["name"], *(np.array(each[key], float) for key in _AXIS[:4]), bool(each["bounded"]))
        for each in json.loads(group.attrs["axes"])
    )
    array = group[name]
    axis = axis_of(array.dims)
    over = None if axis is None else Axis(axis, array[axis].values, array[axis].attrs.get("unit", ""))
    if "part" in array.dims:
        boxes = np.stack([group["part_lower"].values, group["part_upper"].values], axis=2)
        pieces = tuple(Piece(box, c) for box, c in zip(boxes, array.values, strict=True))
    else:
        pieces = (Piece(np.tile([-np.inf, np.inf], (len(axes), 1)), array.values),)
    error = np.array(array.attrs["error"])
    error = error[0] if over is None else error
    return KeptSurrogate(name, array.attrs.get("unit", ""), axes, group["exponent"].values.astype(int), pieces, over, np.asarray(error))
