"""Kept polynomials of all kinds: evaluated, differentiated and bounded again without a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.chaos.families import Family
from uqmbd.analysis.chebyshev.expansions import SparseExpansion
from uqmbd.analysis.chebyshev.pieces import PiecewiseExpansion
from uqmbd.inputs import Input
from uqmbd.surrogates.kept_surrogate import OUTSIDE, SCORES, Head, InputAxis, KeptSurrogate, curved

if TYPE_CHECKING:
    import xarray as xr

ERROR = "error:"  # coordinates with the errors of histories; those of numbers are attributes
_STEP = 1e-30  # of complex differences


@dataclass(frozen=True)
class Part:
    """Coefficients on a part of the cube of the coordinates."""

    box: np.ndarray  # (d, 2); infinite where there is one part
    c: np.ndarray  # (terms,) or (terms, points)


@dataclass(frozen=True, repr=False)
class KeptPolynomial(KeptSurrogate):
    """An expansion in products of polynomials, in one piece or several."""

    kind: ClassVar[str] = "polynomial"
    key: ClassVar[str] = "exponents"

    exponents: np.ndarray  # int (terms, d)
    pieces: tuple[Part, ...]

    @classmethod
    def of_table(cls, table: Mapping[str, Any], head: Head) -> KeptPolynomial:
        d = len(head[2])
        exponents, whole = np.array(table["exponents"], int).reshape(-1, d), np.tile([-np.inf, np.inf], (d, 1))
        pieces = tuple(Part(whole if each["box"] is None else np.array(each["box"]), np.array(each["c"])) for each in table["pieces"])
        return cls(*head, exponents, pieces)

    @classmethod
    def of_group(cls, group: xr.Dataset, array: xr.DataArray, head: Head) -> KeptPolynomial:
        if "part" in array.dims:
            boxes = np.stack([group["part_lower"].values, group["part_upper"].values], axis=2)
            pieces = tuple(Part(box, c) for box, c in zip(boxes, array.values, strict=True))
        else:
            pieces = (Part(np.tile([-np.inf, np.inf], (len(head[2]), 1)), array.values),)
        return cls(*head, group["exponent"].values.astype(int), pieces)

    def _fitted(self) -> tuple[Fitted, np.ndarray]:
        flat = [part.c.reshape(len(self.exponents), -1) for part in self.pieces]
        parts = tuple(SparseExpansion(self.exponents, c) for c in flat)
        whole = parts[0] if len(parts) == 1 else PiecewiseExpansion(np.array([part.box.T for part in self.pieces]), parts)
        return whole, 1e-9 * np.maximum(np.abs(np.concatenate(flat)).sum(axis=0), 1e-300)

    def _values(self, points: np.ndarray) -> np.ndarray:
        shape = self.pieces[0].c.shape[1:]
        out = np.zeros((len(points), *shape), points.dtype)
        left = np.ones(len(points), bool)
        places = np.clip(np.real(points), -1, 1)  # as far outside as `InputAxis.at` allows: the piece at the edge
        for part in self.pieces:
            low, high = part.box.T
            here = left & np.all((places >= low - OUTSIDE) & (places <= high + OUTSIDE), axis=1)
            if here.any():
                local = points[here] if np.isinf(low).any() else (2 * points[here] - low - high) / (high - low)
                out[here] = self._basis(local) @ part.c
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
        return np.imag(self._values(step)) / _STEP

    def _table(self) -> dict[str, Any]:
        pieces = [{"box": None if np.isinf(part.box).any() else part.box.tolist(), "c": part.c.tolist()} for part in self.pieces]
        return {"exponents": self.exponents.tolist(), "pieces": pieces}


# with a result ----------------------------------------------------------------------------------------------------------------------------
def of_germ(name: str, item: Input, family: Family, degree: int) -> InputAxis | None:
    """An input with a distribution, and the polynomials of its germ; see `curved`."""
    from scipy.special import ndtr

    return curved(name, item, family.germ(ndtr(SCORES)), family.alpha[: degree + 2].tolist(), family.beta[: degree + 2].tolist())


def kept(axes: Sequence[InputAxis], expansion: Any, columns: Columns, error: np.ndarray) -> xr.Dataset:
    """The group `surrogates` of a result: coefficients of every output, ``[part x] term [x axis]``.

    Of what has `terms` of all columns, in one part or several, with its validated `error` (columns,).
    """
    (exponents, c), boxes = expansion.terms(), expansion.pieces
    coords: dict[str, Any] = {"exponent": (("term", "input"), exponents)}
    if boxes is not None:
        coords |= {"part_lower": (("part", "input"), boxes[:, 0]), "part_upper": (("part", "input"), boxes[:, 1])}
    return group_of(axes, columns, c, ("term",) if boxes is None else ("part", "term"), coords, error)


def group_of(
    axes: Sequence[InputAxis], columns: Columns, array: np.ndarray, dims: tuple[str, ...], coords: dict[str, Any], error: np.ndarray | None
) -> xr.Dataset:
    """The array (..., columns) of all outputs, each with its unit and its error (columns,), if there is one, and `coords`."""
    import xarray as xr

    named, coords = {}, {"input": np.array([axis.name for axis in axes], object)} | coords | columns.coords()
    for name, at in columns.slices.items():
        attrs, several = {"unit": columns.outputs[name].unit}, name in columns.axes
        if error is not None and several:
            coords[ERROR + name] = (columns.dims(name), error[at])
        elif error is not None:
            attrs["error"] = error[at].tolist()
        named[name] = ((*dims, *columns.dims(name)), array[..., at] if several else array[..., at.start], attrs)
    return xr.Dataset(named, coords, attrs={"axes": json.dumps([axis.table() for axis in axes])})
