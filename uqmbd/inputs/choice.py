"""One of several things: a contact law, an integrator, the file with a road."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator, model_validator

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.checked import plain, plain_number
from uqmbd.inputs.units import ToSI
from uqmbd.inputs.weighted import Weighted, require_weights

REMEDY = 'write choice = ["hertz", "lankarani_nikravesh"], or choice = { values = [...], weights = [3, 1] }'
MOST = 1000


def as_values(value: Any) -> list[Any]:
    """Texts, numbers, or true and false; ValueError for other things, for one alone, and for two that are written alike."""
    value = plain(value)
    if not isinstance(value, list) or not 2 <= len(value) <= MOST:
        raise ValueError(f"a choice is a list of two values or more ({MOST} at most), not {value!r}")
    for entry in value:
        if isinstance(entry, str):
            if not entry.strip() or not entry.isprintable():
                raise ValueError(f"a value of a choice is a text of printable characters, not {entry!r}")
        elif not isinstance(entry, bool):
            plain_number(entry)
    labels = [label_of(entry) for entry in value]
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise ValueError(f"'{twice[0]}' is there twice; write each value once, and give it a weight")
    return value


def label_of(value: Any) -> str:
    """A value as it is written in tables and figures."""
    return str(value).lower() if isinstance(value, bool) else f"{value:.10g}" if isinstance(value, float) else str(value)


class Choice(Weighted):
    """One of several values that have no order: ``Choice(["hertz", "lankarani_nikravesh"])``. The model gets the value itself.

    Runs are stored with the place of the value in the list, from 0; reports, tables and figures show the value.

    Attributes
    ----------
    values : list
        Texts, numbers, or true and false.
    weights : list of float, optional
        In proportion to their probabilities; equal unless given.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> law = uq.Choice(["hertz", "lankarani_nikravesh"], weights=[3, 1])
    >>> law.describe()
    'hertz (75 %) or lankarani_nikravesh (25 %)'
    >>> [law.labels[int(code)] for code in law.ppf(np.array([0.5, 0.9]))]
    ['hertz', 'lankarani_nikravesh']
    """

    kind: ClassVar[str] = "choice"
    key: ClassVar[str] = "choice"

    values: Annotated[list[Any], BeforeValidator(as_values)]

    def __init__(self, values: Sequence[Any], weights: Sequence[float] | None = None, **fields: Any) -> None:
        super().__init__(values=values, weights=weights, **fields)

    @model_validator(mode="after")
    def _known(self) -> Self:
        if self.unit:
            raise StudyError("a choice has no unit", key="unit", value=self.unit, remedy="write numbers in the unit of the model")
        require_weights(self.weights, len(self.values), "values")
        return self

    @classmethod
    def from_value(cls, value: Any, unit: str) -> Self:
        try:
            if isinstance(value, Mapping):
                return cls(**{"values": None, **value}, unit=unit)
            return cls(value, unit=unit)
        except StudyError as error:
            remedy = error.remedy or REMEDY
            raise StudyError(error.message, key=error.key if error.key == "unit" else cls.key, value=value, remedy=remedy) from None

    @property
    def choice(self) -> list[Any] | dict[str, Any]:
        """As a study file has it."""
        return list(self.values) if self.weights is None else {"values": list(self.values), "weights": list(self.weights)}

    @property
    def labels(self) -> list[str]:
        """The values as they are written, by their places."""
        return [label_of(value) for value in self.values]

    def place(self, value: Any) -> float:
        """Where a value is in the list, also as it is written in tables; `StudyError` for one that is not there."""
        label = value.strip() if isinstance(value, str) else label_of(plain(value))
        if label not in self.labels:
            raise StudyError(f"'{label}' is no value of the choice", value=value, remedy=did_you_mean(label, self.labels, noun="value"))
        return float(self.labels.index(label))

    @property
    def numbers(self) -> np.ndarray:
        return np.arange(float(len(self.values)))

    def converted(self, si: ToSI) -> Mapping[str, Any]:
        return {}

    def notation(self) -> str:
        shares = [f" ({100 * p:.4g} %)" if self.weights is not None else "" for p in self.probabilities]
        *others, last = [label + share for label, share in zip(self.labels, shares, strict=True)]
        return f"{', '.join(others)} or {last}"
