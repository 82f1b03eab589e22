"""The run of a Chebyshev study on a tensor grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis import chebyshev
from uqmbd.analysis.chebyshev_expansions import TensorExpansion
from uqmbd.analysis.kinks import beyond
from uqmbd.analysis.nested_grid import Grid
from uqmbd.inputs import Input
from uqmbd.methods.intervals.chebyshev import node_count
from uqmbd.methods.intervals.chebyshev_grid import expansion, growth
from uqmbd.methods.intervals.inclusion_run import NODE, VALIDATION, InclusionRun
from uqmbd.outcomes import OutputInfo

if TYPE_CHECKING:
    from uqmbd.methods.intervals.chebyshev import Chebyshev

SURE = 0.1  # part of the tolerance below which validation runs alone say that a column is resolved


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
        while True:
            self._add_nodes()
            had = int(np.count_nonzero(self._roles == VALIDATION)) if self.settings.tolerance is not None else 0
            self._add_validation(self.settings.validation_runs(node_count(self._degrees)) - had)
            yield True
            if self.settings.tolerance is None or not self._grow():
                return

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
        """Raise the degrees if `tolerance` and `max_runs` want it.

        The last coefficients of an expansion that is exact need not be small, and those of one that sees nothing at its nodes are: there
        the validation runs decide.
        """
        self._assess()
        tolerance, scale = self.settings.tolerance, self._scale()
        tails = np.stack([chebyshev.tail(self._surrogate.c, axis) / scale for axis in range(len(self._degrees))])
        rows = np.flatnonzero((self._status == 0) & self._unfitted())
        error, more = super()._worst(rows) / scale, beyond(self._surrogate, len(self._inputs), len(rows)) / scale
        much = max(tolerance, self.settings.trust_tolerance)
        tails = np.where(error <= SURE * tolerance, 0.0, tails)
        tails = np.where((error > much) & (tails.max(axis=0) <= tolerance), error, tails)
        tails = np.maximum(tails, np.where(more > much, more, 0.0))
        new = growth(self._degrees, tails, self.settings.tolerance, self.settings.most_nodes())
        if new is None:
            return False
        self._degrees = new
        return True

    def _worst(self, rows: np.ndarray) -> np.ndarray:
        """Where the expansion is long and the runs are few, what it lacks by its coefficients counts as well."""
        return np.maximum(super()._worst(rows), beyond(self._surrogate, len(self._inputs), len(rows)).max(axis=0))

    def _facts(self) -> dict:
        return {"degrees": [int(degree) for degree in self._degrees]}
