"""Evidence theory: belief and plausibility of the outputs from intervals with masses."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.space import Space
from uqmbd.methods.base import MethodRun
from uqmbd.methods.intervals.chebyshev import Chebyshev
from uqmbd.outcomes import OutputInfo


class Evidence(Chebyshev):
    """Belief and plausibility that an output is at most a value, from its ranges on all products of focal elements.

    The inputs are independent; an interval is one focal element. One Chebyshev expansion over the hull of the elements serves all
    of them, so more elements cost no runs. Where it is not trusted, the range in a focal box is that of the expansion there, widened by
    its error, joined with what the runs there reached; with fewer than 20 runs in the box, also with what those next to it reached.

    The settings of `Chebyshev` (tensor grid only) and that below.

    Attributes
    ----------
    max_boxes : int
        Limit of the number of focal boxes.
    """

    name: ClassVar[str] = "evidence"
    accepts: ClassVar[frozenset[str]] = frozenset({"focal", "interval"})

    grid: Literal["tensor"] = "tensor"
    max_boxes: int = Field(default=10_000, ge=1)

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        items = Space.of(inputs).values()
        if not any(item.kind == "focal" for item in items):
            raise StudyError(
                "the method evidence needs focal elements of at least one input",
                key="inputs",
                remedy="give focal = { intervals = [...], masses = [...] }, or use the method chebyshev for intervals alone",
            )
        count = prod(len(elements_of(item)[1]) for item in items)
        if count > self.max_boxes:
            raise StudyError(
                f"the focal elements make {count} boxes, more than max_boxes = {self.max_boxes}",
                key="method.max_boxes",
                value=self.max_boxes,
                remedy="join elements of small mass, or raise max_boxes",
            )

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        from uqmbd.methods.imprecise.evidence_run import EvidenceRun

        return EvidenceRun(self, inputs, outputs, time, seed)


def elements_of(item: Input) -> tuple[np.ndarray, np.ndarray]:
    """Focal elements of an input in the coordinate that is [-1, 1] over its hull: ends (n, 2) and masses (n,)."""
    if item.kind == "interval":
        return np.array([[-1.0, 1.0]]), np.ones(1)
    ends, masses = item.elements
    lower, upper = item.hull
    return np.clip((2 * ends - lower - upper) / (upper - lower), -1, 1), masses
