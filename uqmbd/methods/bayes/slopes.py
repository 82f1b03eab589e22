"""How the logarithm of a posterior's density rises at runs, and its metric, from derivatives of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs import Space
from uqmbd.inputs.units import to_si
from uqmbd.methods.bayes.likelihood import Likelihood

SMALL = 1e-5  # of a standard normal variable: differences of what is no run
OF_RUNS = tuple[dict[str, np.ndarray], dict[str, np.ndarray]]  # by output: residuals (n, readings), slopes (n, d, readings)


class Slopes:
    """Of residuals by the standard normal variables of the inputs.

    Parameters
    ----------
    settings : uqmbd.methods.bayes.posterior.Posterior
    inputs : Space
        Random ones.
    columns : Columns
        Of the runs.
    likelihood : Likelihood

    Attributes
    ----------
    of_outputs : bool
        Whether runs have the derivatives among their outputs; else they are differences of runs.

    Raises
    ------
    StudyError
        Where an output that is to be a derivative is not there, is not over what its output is over, or has another unit; and where
        some derivatives are named and others are not.
    """

    def __init__(self, settings: Any, inputs: Space, columns: Columns, likelihood: Likelihood) -> None:
        self._inputs, self._columns, self._likelihood, self._step = inputs, columns, likelihood, settings.step
        named: Mapping[str, Mapping[str, str]] = settings.derivatives
        self.of_outputs = bool(named)
        self._slices = {}
        for name in likelihood.compare.rows if named else ():
            if name not in named:
                text = f"the derivatives of '{name}', which is measured, are not named, and those of others are"
                raise StudyError(
                    text, key="method.derivatives", remedy="name them too, or leave derivatives out: they are then differences"
                )
            self._slices[name] = [self._checked(name, item, named[name].get(item)) for item in inputs]
        for name, each in named.items():
            if name not in likelihood.compare.rows:
                remedy = did_you_mean(name, likelihood.compare.rows, noun="measurement")
                raise StudyError(f"'{name}' is not measured", key=f"method.derivatives.{name}", remedy=remedy)
            for item in each:
                if item not in inputs:
                    remedy = did_you_mean(item, inputs, noun="input")
                    raise StudyError(f"there is no random input '{item}'", key=f"method.derivatives.{name}.{item}", remedy=remedy)

    def _checked(self, name: str, item: str, slope: str | None) -> slice:
        """Columns of the derivative of an output by an input."""
        key, columns = f"method.derivatives.{name}", self._columns
        if slope is None:
            remedy = "name the output that it is, or leave derivatives out: they are then differences"
            raise StudyError(f"the derivative of '{name}' by '{item}' is not named", key=key, remedy=remedy)
        if slope not in columns.outputs:
            remedy = did_you_mean(slope, columns.outputs, noun="output")
            raise StudyError(f"the study has no output '{slope}'", key=f"{key}.{item}", value=slope, remedy=remedy)
        at, own = columns.slices[slope], columns.slices[name]
        if at.stop - at.start != own.stop - own.start:
            text = f"'{slope}' has {at.stop - at.start} numbers and '{name}' has {own.stop - own.start}, so it is not its derivative"
            raise StudyError(text, key=f"{key}.{item}", value=slope, remedy="let the model return the derivative at the same times")
        units = [columns.outputs[name].unit, self._inputs[item].unit, columns.outputs[slope].unit]
        if all(units) and to_si(f"({units[0]}) / ({units[1]})").unit != to_si(units[2]).unit:
            text = f"the derivative of '{name}' by '{item}' is in ({units[0]}) / ({units[1]}), and '{slope}' is in {units[2]}"
            raise StudyError(text, key=f"{key}.{item}", value=slope, remedy="mend the unit")
        return at

    def beside(self, z: np.ndarray) -> np.ndarray:
        """Where runs close to those at `z` (n, d) are, one for each input, toward its median: differences of points, (n, d, d)."""
        return self._step * np.where(z > 0, -1.0, 1.0)[:, :, None] * np.eye(z.shape[1])

    def of_runs(self, z: np.ndarray, values: np.ndarray, status: np.ndarray, runs: np.ndarray, close: np.ndarray | None) -> OF_RUNS:
        """Residuals of runs (n,) at `z` (n, d) and their slopes, from outputs or from the runs `close` (n, d) to them.

        What failed beside a run is taken to be as it is there.
        """
        residuals = self._likelihood.residuals(values[runs])
        if close is None:
            return residuals, self._of_outputs(z, values[runs])
        ok, d = status[close] == 0, z.shape[1]
        near = self._likelihood.residuals(values[np.where(ok, close, runs[:, None]).ravel()])
        step = np.diagonal(self.beside(z), axis1=1, axis2=2)[:, :, None]
        return residuals, {name: (near[name].reshape(len(runs), d, -1) - part[:, None]) / step for name, part in residuals.items()}

    def _of_outputs(self, z: np.ndarray, values: np.ndarray) -> dict[str, np.ndarray]:
        """Residuals are linear in the columns: those of derivatives by `z`, less those of nothing."""
        n, d = z.shape
        nothing = self._likelihood.residuals(np.zeros((1, values.shape[1])))
        slopes = np.zeros((n, d, values.shape[1]))
        inputs = self._slopes_of_inputs(z)
        for name, parts in self._slices.items():
            by_input = np.stack([values[:, at] for at in parts], axis=1)  # (n, inputs, points)
            slopes[:, :, self._columns.slices[name]] = np.einsum("nip,nki->nkp", by_input, inputs)
        found = self._likelihood.residuals(slopes.reshape(n * d, -1))
        return {name: (part - nothing[name]).reshape(n, d, -1) for name, part in found.items()}

    def _slopes_of_inputs(self, z: np.ndarray) -> np.ndarray:
        """Of all inputs by all variables at `z` (n, d), (n, variables, inputs)."""
        n, d = z.shape
        steps = SMALL * np.eye(d)
        there, back = (self._inputs.from_normal((z[:, None] + sign * steps).reshape(-1, d)) for sign in (1, -1))
        return np.stack([(there[name] - back[name]).reshape(n, d) for name in self._inputs], axis=2) / (2 * SMALL)

    def log_posterior(self, z: np.ndarray, of_runs: OF_RUNS, scatter: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Gradient (n, all) of the logarithm of the density at points (n, all), and its metric (n, all, all).

        The metric is Fisher's information of the readings plus that of the prior, which is 1: ``JᵀC⁻¹J + 1`` for the inputs, and for
        what is not known of the scatter half the squares of the slopes of the logarithms of variances.
        """
        residuals, slopes = of_runs
        n, count = z.shape
        d = count - len(self._likelihood.unknown)
        gradient, metric = -z, np.broadcast_to(np.eye(count), (n, count, count)).copy()
        steps = SMALL * np.eye(count)[d:]
        for name, r in residuals.items():
            variance = np.broadcast_to(self._likelihood.variance(name, scatter(z)), r.shape)
            weighted = slopes[name] / variance[:, None]
            gradient[:, :d] -= np.einsum("nkm,nm->nk", weighted, r)
            metric[:, :d, :d] += weighted @ slopes[name].swapaxes(1, 2)
            if count > d:
                logs = [[np.log(self._likelihood.variance(name, scatter(z + sign * step))) for step in steps] for sign in (1, -1)]
                rise = (np.stack(logs[0], axis=1) - np.stack(logs[1], axis=1)) / (2 * SMALL)  # (n, unknown, 1 or readings)
                rise = np.broadcast_to(rise, (n, count - d, r.shape[1]))
                gradient[:, d:] += 0.5 * np.einsum("nkm,nm->nk", rise, r**2 / variance - 1.0)
                metric[:, d:, d:] += 0.5 * rise @ rise.swapaxes(1, 2)
        return gradient, metric
