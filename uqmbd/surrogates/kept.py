"""Kept polynomials of all kinds: evaluated, differentiated and bounded again without a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.chaos.expansion import Expansion as Chaos
from uqmbd.analysis.chaos.families import Family
from uqmbd.analysis.chebyshev.expansions import SparseExpansion
from uqmbd.analysis.chebyshev.pieces import PiecewiseExpansion
from uqmbd.analysis.sets.alpha_cuts import restricted
from uqmbd.analysis.sets.set_bounds import terms_of
from uqmbd.inputs import Input
from uqmbd.surrogates.asked import OUTSIDE, SCORES, InputAxis, KeptSurrogate, curved, numbers_of

if TYPE_CHECKING:
    import xarray as xr

ERROR = "error:"  # coordinates with the errors of histories; those of numbers are attributes
_STEP = 1e-30  # of complex differences


@dataclass(frozen=True)
class Piece:
    """Coefficients on a part of the cube of the coordinates."""

    box: np.ndarray  # (d, 2); infinite where there is one part
    c: np.ndarray  # (terms,) or (terms, points)


@dataclass(frozen=True)
class KeptPolynomial(KeptSurrogate):
    """An expansion in products of polynomials, in one piece or several."""

    exponents: np.ndarray  # int (terms, d)
    pieces: tuple[Piece, ...]

    __repr__ = KeptSurrogate.__repr__

    def bounds(self, /, **intervals: Any) -> np.ndarray:
        if any(axis.alpha.size or not axis.bounded for axis in self.axes):
            return super().bounds(**intervals)
        self._require(intervals)
        box = np.tile([-1.0, 1.0], (len(self.axes), 1))
        for i, axis in enumerate(self.axes):
            if axis.name in intervals:
                ends = np.atleast_1d(numbers_of(axis.name, intervals[axis.name]))
                box[i] = np.clip(axis.at(ends[[0, -1]])[0], -1, 1)
        if np.isnan(box).any():
            return np.full((2, *self.pieces[0].c.shape[1:]), np.nan)
        flat = self.exponents, [piece.c.reshape(len(self.exponents), -1) for piece in self.pieces]
        parts = tuple(SparseExpansion(flat[0], c) for c in flat[1])
        whole = parts[0] if len(parts) == 1 else PiecewiseExpansion(np.array([piece.box.T for piece in self.pieces]), parts)
        part = restricted(whole, box)
        gap = 1e-9 * np.maximum(np.abs(np.concatenate(flat[1])).sum(axis=0), 1e-300)
        found = part.range("bernstein", gap)[0]
        return found[:, 0] if self.over is None else found

    def _values(self, points: np.ndarray) -> np.ndarray:
        shape = self.pieces[0].c.shape[1:]
        out = np.zeros((len(points), *shape), points.dtype)
        left = np.ones(len(points), bool)
        places = np.clip(points.real, -1, 1)  # as far outside as `InputAxis.at` allows: the piece at the edge
        for piece in self.pieces:
            low, high = piece.box.T
            here = left & np.all((places >= low - OUTSIDE) & (places <= high + OUTSIDE), axis=1)
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

    def _slope(self, points: np.ndarray, i: int) -> np.ndarray:
        step = points.astype(complex)
        step[:, i] += 1j * _STEP
        return self._values(step).imag / _STEP

    def _table(self) -> dict[str, Any]:
        pieces = [{"box": None if np.isinf(piece.box).any() else piece.box.tolist(), "c": piece.c.tolist()} for piece in self.pieces]
        return {"exponents": self.exponents.tolist(), "pieces": pieces}


def of_table(table: Mapping[str, Any], head: Sequence) -> KeptPolynomial:
    """From what `KeptPolynomial.save` wrote; `head` is what every kind of `KeptSurrogate` has."""
    d = len(head[2])
    exponents, whole = np.array(table["exponents"], int).reshape(-1, d), np.tile([-np.inf, np.inf], (d, 1))
    pieces = tuple(Piece(whole if each["box"] is None else np.array(each["box"]), np.array(each["c"])) for each in table["pieces"])
    return KeptPolynomial(*head, exponents, pieces)


# with a result ----------------------------------------------------------------------------------------------------------------------------
def of_germ(name: str, item: Input, family: Family, degree: int) -> InputAxis | None:
    """An input with a distribution, and the polynomials of its germ; see `curved`."""
    from scipy.special import ndtr

    return curved(name, item, family.germ(ndtr(SCORES)), family.alpha[: degree + 2], family.beta[: degree + 2])


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
    import xarray as xr

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
        attrs = {"unit": columns.outputs[name].unit} | ({} if name in columns.axes else {"error": error[at].tolist()})
        if name in columns.axes:
            coords[ERROR + name] = (columns.dims(name), error[at])
        named[name] = ((*lead, *columns.dims(name)), c[..., at] if name in columns.axes else c[..., at.start], attrs)
    coords |= columns.coords()
    return xr.Dataset(named, coords, attrs={"axes": json.dumps([axis.table() for axis in axes])})


def of_group(group: xr.Dataset, array: xr.DataArray, head: Sequence) -> KeptPolynomial:
    """The surrogate of one output, `array`, from the group of a result that `kept` made; `head` as of `of_table`."""
    if "part" in array.dims:
        boxes = np.stack([group["part_lower"].values, group["part_upper"].values], axis=2)
        pieces = tuple(Piece(box, c) for box, c in zip(boxes, array.values, strict=True))
    else:
        pieces = (Piece(np.tile([-np.inf, np.inf], (len(head[2]), 1)), array.values),)
    return KeptPolynomial(*head, group["exponent"].values.astype(int), pieces)
