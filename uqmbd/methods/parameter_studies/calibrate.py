"""Least squares: the inputs with which the model comes closest to what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.checked import Number
from uqmbd.methods.base import MethodRun
from uqmbd.methods.parameter_studies.from_file import FromFile
from uqmbd.outcomes import OutputInfo


class Calibrate(FromFile):
    """Levenberg-Marquardt with bounds; each Jacobian, and the trial steps of all starts, are one batch of runs.

    Bounds are the ends of intervals and of the supports of distributions; a distribution tells nothing more.

    Attributes
    ----------
    data : str
        CSV file of measured histories: a column ``time`` and one for each measured output, headed by its name and maybe its unit, as in
        ``slider.x [mm]``. Its path is relative to the study file (in Python: to the current directory).
    scalars : dict of str to float
        Measured scalars: ``scalars = { "B.force:max" = 12.3 }``.
    units : dict of str to str
        Units of columns and scalars that name none; SI where nothing is said.
    deviations : dict of str to float
        Standard deviation of each measurement, in its unit. With them the covariance is absolute; without them outputs are weighted by
        their range, and the scatter of the residuals scales the covariance.
    starts : int
        Starts, the medians of the inputs first, then a Latin hypercube.
    max_steps : int
        Steps of each start.
    tolerance : float
        A step shorter than this share of the inputs' ranges ends a start.
    differences : str
        ``central`` (2 runs an input and Jacobian) or ``forward`` (1).
    step : float
        Of the differences, as a share of the inputs' ranges.
    """

    name: ClassVar[str] = "calibrate"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random"})

    max_failed: float = Field(default=0.5, ge=0, le=1)  # trial steps may leave the region where the model works, and come back
    scalars: dict[str, Number] = Field(default_factory=dict)
    units: dict[str, str] = Field(default_factory=dict)
    deviations: dict[str, Number] = Field(default_factory=dict)
    starts: int = Field(default=1, ge=1, le=1000)
    max_steps: int = Field(default=50, ge=1)
    tolerance: Number = Field(default=1e-8, gt=0, lt=1)
    differences: Literal["central", "forward"] = "central"
    step: Number = Field(default=1e-4, gt=0, le=0.1)

    @model_validator(mode="after")
    def _measured(self) -> Self:
        if self.data is None and not self.scalars:
            raise ValueError('a calibration needs data (a CSV file of histories) or scalars: data = "measured.csv", say')
        for name, value in self.deviations.items():
            if value <= 0:
                raise StudyError(
                    "a standard deviation is positive", key=f"deviations.{name}", value=value, remedy="give that of one reading"
                )
        return self

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        from uqmbd.methods.parameter_studies.calibrate_run import TRIALS

        jacobian = len(inputs) * (2 if self.differences == "central" else 1)
        least = self.starts + self.starts * (jacobian + len(TRIALS)) + 2 * len(inputs)
        return least, self.starts + self.starts * self.max_steps * (jacobian + len(TRIALS)) + 2 * len(inputs)

    def _start(self, inputs: Mapping[str, Input], outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        from uqmbd.methods.parameter_studies.calibrate_run import CalibrateRun

        return CalibrateRun(self, inputs, outputs, time, seed)
