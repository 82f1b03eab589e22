"""What a model lacks, as a Gaussian process over the time of readings.

Kennedy, O'Hagan, J. R. Stat. Soc. B 63 (2001) 425, section 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PlainSerializer, WithJsonSchema

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.statistics.gaussian_process import KERNELS, squares
from uqmbd.errors import StudyError
from uqmbd.inputs import read_input
from uqmbd.inputs.checked import Checked, Number
from uqmbd.inputs.quantity import Quantity, in_unit, level
from uqmbd.inputs.random import Random
from uqmbd.methods.bayes.noise import written
from uqmbd.methods.parameter_studies.calibrate_data import Measured

REMEDY = 'write size = "0.2 mm", or its prior, size = { distribution = { type = "lognormal", mean = 0.2, std = 0.2 }, unit = "mm" }'


def read_size(value: Any) -> Any:
    """A standard deviation: a number, one with its unit, or its prior."""
    made = read_input(value) if isinstance(value, Mapping) else value if isinstance(value, Random) else level(value)
    if isinstance(made, Random) and made.count == 1:
        return made
    if not isinstance(made, float) or not made > 0:
        raise StudyError("the size of a discrepancy is positive, or has a distribution", key="size", remedy=REMEDY)
    return made


def _written(size: Any) -> Any:
    return written({"": size})[""] if isinstance(size, Random) else size.written if isinstance(size, Quantity) else size


_SCHEMA = WithJsonSchema({"type": ["number", "string", "object"]})
Size = Annotated[Any, BeforeValidator(read_size), PlainSerializer(_written), _SCHEMA]


class Discrepancy(Checked):
    """What the model of one measured history lacks: a Gaussian process over time, beside the scatter of its readings."""

    size: Size
    time: Number = Field(gt=0)
    kernel: Literal["gauss", "matern52"] = "gauss"


@dataclass(frozen=True, eq=False)
class Lacking:
    """The discrepancy of one output, whose covariance over the readings is ``size² Q diag(share) Qᵀ``, in units of their scatter."""

    rotation: np.ndarray  # (readings, readings): Q
    share: np.ndarray  # (readings,), of a size of 1 in SI
    size: float | None  # SI; None where it is not known


def lacking(name: str, said: Discrepancy, entry: Measured | None, whitened: np.ndarray, scale: float, columns: Columns) -> Lacking:
    """That of an output; `whitened` (readings, readings) are unit residuals made free of each other, row by row."""
    key = f"method.discrepancy.{name}"
    if entry is None or entry.time is None:
        text = f"'{name}' is no measured history, over whose time a model could be wrong"
        raise StudyError(text, key=key, remedy="leave it out, or measure it over time")
    correlation = KERNELS[said.kernel](squares(entry.time[:, None] / said.time, entry.time[:, None] / said.time))[0]
    share, rotation = np.linalg.eigh(whitened.T @ (correlation / scale**2) @ whitened)
    known = None
    if not isinstance(said.size, Random):
        known = in_unit(said.size, columns.outputs[name].unit, of=name, key=f"{key}.size", difference=True)
    return Lacking(rotation, np.maximum(share, 0.0), known)
