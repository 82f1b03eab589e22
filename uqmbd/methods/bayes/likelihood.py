"""How probable the readings are when a run, or what it lacks beside it, is the truth and they scatter about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.bayes.density import log_normal
from uqmbd.errors import StudyError
from uqmbd.inputs.random import Random
from uqmbd.inputs.units import to_si
from uqmbd.methods.bayes.discrepancy import Lacking, lacking
from uqmbd.methods.parameter_studies.calibrate_compare import Comparison
from uqmbd.methods.parameter_studies.calibrate_data import measured

Errors = Mapping[str, tuple[np.ndarray, np.ndarray]]  # by output: directions (readings, k) and variances along them (points, k)


class Likelihood:
    """Of Gaussian scatter, each reading by itself or bound to the one before.

    Parameters
    ----------
    settings : uqmbd.methods.bayes.posterior.Posterior
    columns : Columns
        Of the runs.

    Attributes
    ----------
    compare : Comparison
        Whose residuals are weighted by the standard deviations; by 1 in the unit of the readings where these are not known.
    noise, sizes : dict of str to Random
        Priors of the standard deviations that are not known, SI, by output: of readings, and of what the model lacks.

    Raises
    ------
    StudyError
        Where nothing is said of how a measurement scatters.
    """

    def __init__(self, settings: Any, columns: Columns) -> None:
        unknown = settings.noise
        readings = measured(settings.model_copy(update={"deviations": {**settings.deviations, **dict.fromkeys(unknown, 1.0)}}), columns)
        for entry in readings:
            if entry.deviation is None:
                raise StudyError(
                    f"a posterior needs to know how readings scatter, and '{entry.name}' has no standard deviation",
                    key="method.deviations",
                    remedy=f'write deviations = {{ "{entry.name}" = ... }}, that of one reading, or its prior under noise',
                )
        self.compare = Comparison(readings, columns)
        self.noise = {name: _in_unit_of(name, item, columns, f"noise.{name}") for name, item in unknown.items()}
        self._scale = {entry.name: 1.0 if entry.deviation is None else entry.deviation for entry in readings}
        self._bound = {}
        known = [entry.name for entry in readings]
        for name, memory in settings.correlation_time.items():
            time = next((entry.time for entry in readings if entry.name == name), None)
            if name not in known or time is None:
                fault = f"'{name}' is no measured history, so that its readings have no correlation over time"
                raise StudyError(fault, key=f"method.correlation_time.{name}", remedy="leave it out")
            order = np.argsort(time, kind="stable")
            if not (memory > 0 and np.diff(time[order]).min(initial=1.0) > 0):
                fault = "a correlation time is positive, and no two readings are at the same time"
                raise StudyError(fault, key=f"method.correlation_time.{name}", value=memory, remedy="leave one of them out")
            self._bound[name] = order, np.exp(-np.diff(time[order]) / memory)
        self._lacking: dict[str, Lacking] = {}
        self.sizes: dict[str, Random] = {}
        for name, said in settings.discrepancy.items():
            entry = next((entry for entry in readings if entry.name == name), None)
            whitened = np.eye(0) if entry is None else self._free(name, np.eye(len(entry.values)))
            self._lacking[name] = lacking(name, said, entry, whitened, self._scale.get(name, 1.0), columns)
            if self._lacking[name].size is None:
                self.sizes[name] = _in_unit_of(name, said.size, columns, f"discrepancy.{name}.size")
        constant = -0.5 * self.compare.count * np.log(2 * np.pi)
        constant -= sum(len(entry.values) * np.log(self._scale[entry.name]) for entry in readings)
        self._constant = float(constant - sum(0.5 * np.log1p(-(rho**2)).sum() for _, rho in self._bound.values()))

    def log(self, values: np.ndarray, scatter: np.ndarray) -> np.ndarray:
        """Logarithm of the density of the readings, in SI, (runs,).

        Parameters
        ----------
        values : ndarray, shape (runs, columns)
            Of runs, without NaN.
        scatter : ndarray, shape (runs, len(unknown))
            Standard deviations that are not known, SI.
        """
        return self.log_of(self.residuals(values), scatter)

    def residuals(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Of each output, (runs, readings), in units of their scatter and free of each other; of 1 where that is not known."""
        residuals = self.compare.residuals(values)
        free = {name: self._free(name, residuals[:, at]) for name, at in self.compare.rows.items()}
        return free | {name: free[name] @ part.rotation for name, part in self._lacking.items()}

    def log_of(self, residuals: Mapping[str, np.ndarray], scatter: np.ndarray, errors: Errors | None = None) -> np.ndarray:
        """Logarithm of the density of the readings where the `residuals` are those of a surrogate with normal `errors`, (points,)."""
        found = np.full(len(scatter), self._constant)
        for name, part in residuals.items():
            found += log_normal(part, self.variance(name, scatter), *(errors or {}).get(name, ()))
        return found

    def least(self, name: str) -> float:
        """The smallest standard deviation of an output's scatter that is likely, in units of its `residuals`."""
        return float(self.noise[name].ppf(np.array([0.01]))[0]) / self._scale[name] if name in self.noise else 1.0

    @property
    def unknown(self) -> list[Random]:
        """Priors of all standard deviations that are not known, SI."""
        return [*self.noise.values(), *self.sizes.values()]

    def variance(self, name: str, scatter: np.ndarray) -> np.ndarray:
        """Of the scatter, and of what the model lacks, in units of the residuals, (points, 1 or readings)."""
        variance = np.ones((len(scatter), 1))
        if name in self.noise:
            variance = (scatter[:, [list(self.noise).index(name)]] / self._scale[name]) ** 2
        if (part := self._lacking.get(name)) is None:
            return variance
        size = scatter[:, [len(self.noise) + list(self.sizes).index(name)]] if part.size is None else part.size
        return variance + size**2 * part.share

    def _free(self, name: str, residuals: np.ndarray) -> np.ndarray:
        """Residuals (runs, readings) less what the one before tells of each: their kernel is ``exp(-|t - t'| / correlation time)``."""
        if name not in self._bound:
            return residuals
        order, rho = self._bound[name]
        rising = residuals[:, order]
        return np.concatenate([rising[:, :1], (rising[:, 1:] - rho * rising[:, :-1]) / np.sqrt(1.0 - rho**2)], axis=1)


def _in_unit_of(name: str, item: Random, columns: Columns, key: str) -> Random:
    """The prior of a standard deviation in SI; raises `StudyError` for another dimension than the output's, and where it can be 0."""
    si = item.to_si()
    own = to_si(columns.outputs[name].unit).unit
    if own and si.unit and own != si.unit:
        text = f"the standard deviation of '{name}' is given in {item.unit}, and the output is in {own}"
        raise StudyError(text, key=f"method.{key}", remedy="mend the unit")
    if si.ppf(np.array([1e-6]))[0] <= 0:
        remedy = 'write { distribution = { type = "lognormal", mean = 0.1, std = 0.05 } }, say'
        raise StudyError("a standard deviation is positive, and its prior reaches 0 or below", key=f"method.{key}", remedy=remedy)
    return si
