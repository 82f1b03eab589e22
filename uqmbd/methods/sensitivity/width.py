"""By how much the bounds narrow when one interval is halved: the question `width` to a Chebyshev expansion on a tensor grid."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.intervals.chebyshev import Chebyshev
from uqmbd.methods.surrogate_run import SurrogateRun
from uqmbd.outcomes import OutputInfo
from uqmbd.regions.base import Box
from uqmbd.result import Result
from uqmbd.surrogates.tensor import Tensor

if TYPE_CHECKING:
    from uqmbd.methods.sensitivity.settings import Sensitivity

MOST_NODES = 20_000
MOST_RUNS = 2 * MOST_NODES  # with those for validation


def expansion_of(settings: Sensitivity) -> Chebyshev:
    """The method that makes the expansion; where it is not trusted nothing takes its place."""
    return Chebyshev(
        degree=settings.of("degree"),
        trust_tolerance=settings.of("trust_tolerance"),
        max_failed=settings.max_failed,
        max_runs=MOST_RUNS,
        fallback_runs=0,
        questions=["width"],
    )


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


class WidthRun(SurrogateRun):
    """``width_reduction`` is ``1 - (width with the input halved) / width``. The error of the expansion is validated by runs of its own."""

    def __init__(
        self, settings: Sensitivity, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(expansion_of(settings), Tensor, Box, inputs, outputs, time, seed)
        self._wanted = settings

    @staticmethod
    def planned(settings: Sensitivity, d: int) -> int:
        """Number of runs."""
        return expansion_of(settings).total_runs((settings.of("degree") + 1) ** d)

    def result(self) -> Result:
        whole, wanted = super().result(), self._wanted
        named = {"method": wanted.name, "approach": wanted.approach, "degree": wanted.of("degree")}
        return dataclasses.replace(whole, sensitivity=whole.sensitivity.sel(kind=["width_reduction"]), attrs=whole.attrs | named)
