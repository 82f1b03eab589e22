"""How probable the readings are when a run is the truth and they scatter about it."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.errors import StudyError
from uqmbd.methods.parameter_studies.calibrate_compare import Comparison
from uqmbd.methods.parameter_studies.calibrate_data import Measured


class Likelihood:
    """Of Gaussian scatter with known standard deviations, each reading by itself.

    Parameters
    ----------
    readings : list of Measured
    columns : Columns
        Of the runs.

    Raises
    ------
    StudyError
        Where the standard deviation of a measurement is not known.
    """

    def __init__(self, readings: list[Measured], columns: Columns) -> None:
        for entry in readings:
            if entry.deviation is None:
                raise StudyError(
                    f"a posterior needs to know how readings scatter, and '{entry.name}' has no standard deviation",
                    key="method.deviations",
                    remedy=f'write deviations = {{ "{entry.name}" = ... }}, that of one reading',
                )
        self.compare = Comparison(readings, columns)
        scatter = np.concatenate([np.full(len(entry.values), entry.deviation) for entry in readings])
        self.constant = -float(np.log(scatter).sum()) - 0.5 * self.compare.count * np.log(2 * np.pi)

    def log(self, values: np.ndarray) -> np.ndarray:
        """Logarithm of the density of the readings, in SI, for runs (runs, columns) without NaN: (runs,)."""
        residuals = self.compare.residuals(values)
        return self.constant - 0.5 * np.einsum("ij,ij->i", residuals, residuals)
