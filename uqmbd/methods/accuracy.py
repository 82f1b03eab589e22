"""How exact an estimate is to be: an absolute error, or a share of the estimate, ``"1 %"``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.errors import StudyError
from uqmbd.inputs.quantity import Quantity, in_unit
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


def trusted_means(columns: Columns, trusted: np.ndarray, why: Mapping[str, str] | None = None) -> xr.Dataset:
    """Group `trusted` of a method that trusts means whose limits, `trusted` (columns,), are no wider than was asked for.

    `why` says of outputs what else takes the trust away.
    """
    group = columns.dataset(trusted, unit="")
    for name, at in columns.slices.items():
        more = {} if trusted[at].all() else {WHY: (why or {}).get(name, "its limits are wider than the error asked for")}
        group[name].attrs |= {STATISTIC: "mean", **more}
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
