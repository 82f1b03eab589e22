"""The run of a Chebyshev study on a tensor grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis import chebyshev
from uqmbd.analysis.chebyshev_expansions import TensorExpansion
from uqmbd.analysis.nested_grid import Grid
from uqmbd.inputs import Input
from uqmbd.methods.intervals.chebyshev import node_count
from uqmbd.methods.intervals.chebyshev_grid import expansion, growth
from uqmbd.methods.intervals.inclusion_run import NODE, VALIDATION, InclusionRun
from uqmbd.simulators.base import OutputInfo

if TYPE_CHECKING:
    from uqmbd.methods.intervals.chebyshev import Chebyshev


class ChebyshevRun(InclusionRun):
    """Asks for nodes (in several steps when the degree grows), for validation runs, and for fallback runs if trust is missing."""

    settings: Chebyshev

    def __init__(
        self, settings: Chebyshev, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(settings, inputs, outputs, time, seed)
        self._degrees = settings.first_degrees(inputs)
        self._grid = Grid()

    def _build(self) -> Iterator[bool]:
        self._add_nodes()
        if self.settings.tolerance is not None:
            yield True
            while self._grow():
                self._add_nodes()
                yield True
        self._add_random(self.settings.validation_runs(node_count(self._degrees)), VALIDATION)
        yield True

    def _add_nodes(self) -> None:
        self._add(self._grid.add(self._degrees, len(self._points)), NODE)

    def _node_runs(self) -> np.ndarray:
        return self._grid.runs(self._degrees)

    def _expand(self) -> TensorExpansion:
        runs = self._node_runs()
        lost = int(np.count_nonzero(self._status[runs]))
        self._note = f"{lost} of {len(runs)} runs at nodes failed; the expansion is a least-squares fit to the others" if lost else ""
        return TensorExpansion(expansion(self._degrees, self._points[runs], self._values[runs], self._status[runs] == 0))

    def _grow(self) -> bool:
        """Raise the degrees if `tolerance` and `max_runs` want it."""
        self._stop_if_too_many_failed(self.settings)
        c, scale = self._expand().c, self._scale()
        tails = np.stack([chebyshev.tail(c, axis) / scale for axis in range(len(self._degrees))])
        new = growth(self._degrees, tails, self.settings.tolerance, self.settings.most_nodes())
        if new is None:
            return False
        self._degrees = new
        return True

    def _facts(self) -> dict:
        return {"degrees": [int(degree) for degree in self._degrees]}
