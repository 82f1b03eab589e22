"""By how much the bounds narrow when one interval is halved: what a designer gets for a tighter tolerance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from uqmbd.analysis import chebyshev, trust
from uqmbd.analysis.enclosures import ENCLOSURES
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.base import count_failures
from uqmbd.methods.failures import MEND
from uqmbd.methods.sensitivity.kept import SensitivityRun
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.sensitivity.settings import Sensitivity

NODE, VALIDATION = range(2)
MOST_NODES = 20_000
GAP = 1e-4  # of the bounds, as a share of the width


def validation_runs(nodes: int) -> int:
    """Number of runs that are never fitted."""
    return max(10, -(-nodes // 4))


def check_width(settings: Sensitivity, inputs: Mapping[str, Input]) -> None:
    """Raise `StudyError` for inputs that cannot be halved, or are too many for a tensor grid."""
    for name, item in inputs.items():
        if item.kind != "interval":
            raise StudyError(
                f"the input '{name}' is of kind {item.kind}, which has no width to be halved",
                key=f"inputs.{name}",
                remedy='give it as interval = [lower, upper], or take approach = "sobol"',
            )
    nodes = (settings.of("degree") + 1) ** len(inputs)
    if nodes > MOST_NODES:
        raise StudyError(
            f"degree {settings.of('degree')} in {len(inputs)} inputs needs {nodes} runs, more than {MOST_NODES}",
            key="method.degree",
            value=settings.of("degree"),
            remedy='lower the degree, take fewer inputs, or take approach = "derivative"',
        )


class WidthRun(SensitivityRun):
    """A tensor Chebyshev expansion, its range over the box, and over the box with each interval halved about its middle in turn.

    ``width_reduction`` is ``1 - (width with the input halved) / width``. The error of the expansion is validated by runs of its own.
    """

    @staticmethod
    def planned(settings: Sensitivity, d: int) -> int:
        """Number of runs."""
        nodes = (settings.of("degree") + 1) ** d
        return nodes + validation_runs(nodes)

    def _plan(self) -> Iterator[bool]:
        axis = chebyshev.nodes(self.settings.of("degree"))
        self._add(np.array(list(product(axis, repeat=len(self._inputs)))), NODE)
        self._add_random(validation_runs(len(self._points)), VALIDATION)
        yield True

    def result(self) -> Result:
        self._require_finished()
        self._stop_if_too_many_failed(self.settings)
        degrees = (self.settings.of("degree"),) * len(self._inputs)
        nodes, fresh = self._rows(NODE), self._rows(VALIDATION)
        if not fresh.size:
            raise StudyError(
                "all validation runs failed, so nothing is known about the error of the expansion", remedy=f"{MEND}, or give it more runs"
            )
        lost = int(np.count_nonzero(self._roles == NODE)) - len(nodes)
        if lost:
            c = chebyshev.least_squares(self._points[nodes], self._values[nodes], degrees)
        else:
            c = chebyshev.coefficients(self._values[nodes].reshape(*(n + 1 for n in degrees), -1), degrees)
        inner = self._envelope()
        error, trusted = self._trust(c, fresh)
        gap = GAP * (inner[1] - inner[0])
        whole = np.ptp(ENCLOSURES["bernstein"](c, gap)[0], axis=0)
        reduction = np.zeros((len(degrees), self._columns.count))
        rounding = 64 * np.finfo(float).eps * np.abs(inner).max(axis=0)
        for i, degree in enumerate(degrees):
            half = np.moveaxis(np.tensordot(chebyshev.restriction(degree, -0.5, 0.5), c, axes=(1, i)), 0, i)
            width = np.ptp(ENCLOSURES["bernstein"](half, gap)[0], axis=0)
            reduction[i] = np.where(whole > rounding, 1 - width / np.where(whole > rounding, whole, 1.0), 0.0)
        columns = self._columns
        histories = [name for name, info in columns.outputs.items() if info.history]
        horizons = {name: trust.horizon(trusted[columns.slices[name]], columns.time) for name in histories}
        attrs = {
            **self._named(),
            "degree": self.settings.of("degree"),
            "trust_tolerance": self.settings.of("trust_tolerance"),
            "trusted_share": float(trusted.mean()),
            **count_failures(self._status),
        }
        if lost:
            attrs["note"] = f"{lost} runs at nodes failed; the expansion is a least-squares fit to the others"
        return Result(
            inner=columns.dataset(inner, {"bound": ["lower", "upper"]}),
            error=columns.dataset(error),
            trusted=columns.dataset(trusted, unit=""),
            trust_horizon=xr.Dataset({name: ((), value, {"unit": "s"}) for name, value in horizons.items()}),
            sensitivity=columns.dataset(reduction[None], {"kind": ["width_reduction"], "input": list(self._inputs)}, unit=""),
            attrs=attrs,
        )

    def _trust(self, c: np.ndarray, fresh: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Validated error and trust of every column."""
        error = np.abs(chebyshev.evaluate(c, self._points[fresh]) - self._values[fresh]).max(axis=0)
        tolerance = self.settings.of("trust_tolerance")
        return trust.assessed(error, self._columns.slices.values(), self._envelope(), tolerance, trust.SHARE)
