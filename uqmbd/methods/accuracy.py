"""How exact an estimate is to be: an absolute error, or a share of the estimate, ``"1 %"``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema, model_validator

from uqmbd.analysis.base.columns import Columns
from uqmbd.errors import StudyError
from uqmbd.inputs.checked import Checked
from uqmbd.inputs.quantity import Level, Quantity, in_unit, level
from uqmbd.method_facts import STATISTIC, WHY

if TYPE_CHECKING:
    import xarray as xr


def is_share(wanted: Any) -> bool:
    """Whether it is written in per cent."""
    return isinstance(wanted, Quantity) and wanted.written.endswith("%")


def require_positive(wanted: Any, key: str) -> None:
    """Raise `StudyError` unless an error that is asked for is above zero."""
    if wanted is not None and not float(wanted) > 0:
        text = "an error that is asked for is above zero"
        raise StudyError(text, key=key, value=getattr(wanted, "written", wanted), remedy='write "1 %", say, or a number')


def require_pure(wanted: Any, key: str, noun: str) -> None:
    """Raise `StudyError` where the error of a pure number, `noun`, is written with a unit."""
    if isinstance(wanted, Quantity) and wanted.si.unit:
        raise StudyError(f"{noun} has no unit", key=key, value=wanted.written, remedy='write "10 %", of itself, or a number')


class Errors(Checked):
    """Half the width of limits that is asked for, by statistic.

    Attributes
    ----------
    mean, std, quantile : float or str, optional
        A share of the largest size of the statistic of an output, ``"1 %"``, or a number in the output's unit.
    probability : float or str, optional
        A share of the probability, or a number.
    """

    mean: Level = None
    std: Level = None
    quantile: Level = None
    probability: Level = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.asked:
            remedy = 'give one of mean, std, quantile, probability: error = { probability = "10 %" }'
            raise StudyError("nothing is asked for", key="error", remedy=remedy)
        for key, wanted in self.asked.items():
            require_positive(wanted, f"error.{key}")
        require_pure(self.probability, "error.probability", "a probability")
        return self

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked for, by statistic."""
        return {key: value for key in ("mean", "std", "quantile", "probability") if (value := getattr(self, key)) is not None}


def _errors(value: Any) -> Errors:
    if isinstance(value, Errors):
        return value
    if not isinstance(value, Mapping):
        require_positive(read := level(value), "error")
        return Errors(mean=read)
    try:
        return Errors(**value)
    except StudyError as error:
        key = error.key if error.key and error.key.startswith("error") else f"error.{error.key}"
        raise StudyError(error.message, key=key, value=error.value, remedy=error.remedy) from None


def _errors_written(errors: Errors) -> Any:
    """One of the mean alone as it was before there were others."""
    written = errors.model_dump(exclude_none=True)
    return written["mean"] if list(written) == ["mean"] else written


_LEVEL = {"type": ["number", "string"]}
_TABLE = {"type": "object", "additionalProperties": False, "properties": dict.fromkeys(("mean", "std", "quantile", "probability"), _LEVEL)}
Wanted = Annotated[
    Any, BeforeValidator(_errors), PlainSerializer(_errors_written), WithJsonSchema({"anyOf": [_LEVEL, _TABLE]})
]  # an error of the mean, or errors by statistic


def trusted_means(columns: Columns, trusted: np.ndarray, why: Mapping[str, str] | None = None, statistic: str = "mean") -> xr.Dataset:
    """Group `trusted` of a method that trusts means, or another `statistic`, whose limits are no wider than was asked for.

    Of which columns that holds, `trusted` (columns,) says; `why` says of outputs what else takes the trust away.
    """
    group = columns.dataset(trusted, unit="")
    for name, at in columns.slices.items():
        more = {} if trusted[at].all() else {WHY: (why or {}).get(name, "its limits are wider than the error asked for")}
        group[name].attrs |= {STATISTIC: statistic, **more}
    return group


def allowed(wanted: Any, columns: Columns, estimate: np.ndarray, key: str) -> np.ndarray:
    """Largest error of each column, (columns,): of a share that of the largest absolute `estimate` (columns,) of its output."""
    found = np.empty(columns.count)
    for name, at in columns.slices.items():
        if is_share(wanted):
            found[at] = float(wanted) * np.abs(estimate[at]).max()
        else:
            found[at] = in_unit(wanted, columns.outputs[name].unit, of=name, key=key, difference=True)
    return found
