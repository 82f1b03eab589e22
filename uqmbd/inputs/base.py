"""What every kind of uncertain input can do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import Field

from uqmbd.inputs.checked import Checked
from uqmbd.inputs.units import ToSI, to_si

FARTHEST = 37.0  # standard deviations; the probability beyond 38 is no double


class Input(Checked):
    """One uncertain number of a model, frozen.

    A kind is one file with one subclass, plus its entry in `uqmbd.inputs.INPUTS`.

    Attributes
    ----------
    kind : str
        Name of the kind, which methods accept or refuse.
    key : str
        The key of a study file that chooses this kind.
    unit : str
        Unit of the numbers below; what pint reads. Empty: they are used as they are.
    written : Input or None
        The input as the user wrote it, on the copy that `to_si` makes.
    canonical : Input or None
        That copy, on the one that `as_before` makes.
    """

    kind: ClassVar[str]
    key: ClassVar[str]

    unit: str = ""
    written: Any = Field(default=None, repr=False, exclude=True)
    canonical: Any = Field(default=None, repr=False, exclude=True)

    if TYPE_CHECKING:  # type checkers make one of the fields of this class alone

        def __init__(self, /, **values: Any) -> None: ...

    @property
    def count(self) -> int:
        """Number of variables: more than one only for a joint distribution, which a space takes apart."""
        return 1

    @classmethod
    @abstractmethod
    def from_value(cls, value: Any, unit: str) -> Self:
        """From the value of `key` in a study file."""

    @abstractmethod
    def ppf(self, u: np.ndarray) -> np.ndarray:
        """Values at the points `u` of the unit interval, any shape: the inverse of the distribution function."""

    def isf(self, q: np.ndarray) -> np.ndarray:
        """Values at ``1 - q``, any shape. A kind with a long upper tail keeps digits of small `q` here that ``1 - q`` does not have."""
        return self.ppf(1.0 - np.asarray(q, float))

    def from_normal(self, z: np.ndarray) -> np.ndarray:
        """Values at the points `z` of a standard normal variable, any shape: ``F⁻¹(Φ(z))`` with all digits in both tails."""
        from scipy.special import ndtr

        z = np.clip(np.asarray(z, float), -FARTHEST, FARTHEST)
        values, low = np.empty(z.shape), z <= 0
        values[low], values[~low] = self.ppf(ndtr(z[low])), self.isf(ndtr(-z[~low]))
        return values

    @property
    def alike(self) -> Hashable:
        """Equal for inputs that have the same values at the same points, so that one call finds them for all; None: nothing is known."""
        return None

    @abstractmethod
    def converted(self, si: ToSI) -> Mapping[str, Any]:
        """The fields that change when the unit becomes SI."""

    @abstractmethod
    def notation(self) -> str:
        """The numbers in the notation of the field, without the unit."""

    def to_si(self) -> Self:
        """The same input in SI units; itself when it already is."""
        if self.written is not None:
            return self
        si = to_si(self.unit)
        if si.identity and si.unit == self.unit:
            return self
        return self.remade(**self.converted(si), unit=si.unit, written=self)

    def as_before(self) -> Self:
        """The copy in SI units as earlier versions made it, whose values may have other last bits: stored runs may be of these."""
        shown, si = self.written or self, to_si((self.written or self).unit)
        if shown.to_si() is shown:
            return shown
        return shown.remade(**shown.converted_before(si), unit=si.unit, written=shown, canonical=shown.to_si())

    def converted_before(self, si: ToSI) -> Mapping[str, Any]:
        """`converted` as earlier versions did it."""
        return self.converted(replace(si, exact=False))

    def content(self) -> dict[str, Any]:
        """What fingerprints see: the numbers in SI units, wherever they come from."""
        return (self.canonical or self.to_si()).model_dump()

    def content_before(self) -> dict[str, Any]:
        """What fingerprints of earlier versions saw of what `as_before` makes."""
        return self.model_dump()

    def written_unit(self) -> dict[str, str | float]:
        """The unit as the user wrote it, and its factor and offset to SI; empty for numbers without a unit."""
        unit = (self.written or self).unit
        if not unit:
            return {}
        si = to_si(unit)
        return {"unit": unit, "factor": si.factor, "offset": si.offset}

    def remark(self, name: str) -> str:
        """What a reader of a result has to know of the input `name`; empty where that is nothing."""
        return ""

    def describe(self) -> str:
        """As the user wrote it, for reports: ``[0.02, 0.05] mm``."""
        shown = self.written or self
        return f"{shown.notation()} {shown.unit}".rstrip()
