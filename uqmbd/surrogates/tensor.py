"""Chebyshev expansions on a tensor grid of nodes, whose degrees may grow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

import numpy as np

from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.expansions import TensorExpansion
from uqmbd.analysis.chebyshev.kinks import beyond
from uqmbd.analysis.chebyshev.sparse_grid import Grid
from uqmbd.analysis.sets import evidence
from uqmbd.surrogates.base import COARSE, NODE, VALIDATION, Runs, Surrogate, note_of_failed, note_of_terms

SURE = 0.1  # part of the tolerance below which validation runs alone say that a column is resolved
HIGHEST_DEGREE = 128


class Tensor(Surrogate):
    """Asks for nodes (in several steps when the degree grows) and for validation runs."""

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs)
        self._degrees = runs.settings.first_degrees(runs.inputs)
        self._grid = Grid()

    def design(self) -> Iterator[bool]:
        runs, settings = self.runs, self.runs.settings
        while True:
            runs.add(self._grid.add(self._degrees, len(runs.points)), NODE)
            had = int(np.count_nonzero(runs.roles == VALIDATION)) if settings.tolerance is not None else 0
            runs.add_validation(settings.validation_runs(node_count(self._degrees)) - had)
            yield True
            if settings.tolerance is None or not self._grow():
                return

    def fitted(self) -> np.ndarray:
        return self._grid.runs(self._degrees)

    def fit(self) -> TensorExpansion:
        runs, nodes = self.runs, self.fitted()
        ok = runs.status[nodes] == 0
        self.note = ""
        if not ok.all():
            fitted, rank = chebyshev.determined(runs.points[nodes[ok]], self._degrees)
            then = f"the expansion is a least-squares fit to the others, and {note_of_terms(fitted, len(nodes), rank)}"
            self.note = note_of_failed(int(np.count_nonzero(~ok)), len(nodes), then)
        return TensorExpansion(coefficients(self._degrees, runs.points[nodes], runs.values[nodes], ok))

    def _grow(self) -> bool:
        """Raise the degrees if `tolerance` and `max_runs` want it."""
        runs, settings = self.runs, self.runs.settings
        runs.assess()
        tolerance, scale = settings.tolerance, runs.scale()
        tails = np.stack([chebyshev.tail(runs.expansion.c, axis) / scale for axis in range(len(self._degrees))])
        rows = np.flatnonzero((runs.status == 0) & self.held_out())
        error, more = super().validation_error(runs.expansion, rows) / scale, beyond(runs.expansion, len(rows)) / scale
        # the last coefficients of an exact expansion need not be small, and those of one that sees nothing at its nodes are: runs decide
        much = max(tolerance, settings.trust_tolerance)
        tails = np.where(error <= SURE * tolerance, 0.0, tails)
        tails = np.where((error > much) & (tails.max(axis=0) <= tolerance), error, tails)
        tails = np.maximum(tails, np.where(more > much, more, 0.0))
        new = growth(self._degrees, tails, tolerance, settings.most_nodes())
        if new is None:
            return False
        self._degrees = new
        return True

    def validation_error(self, expansion: TensorExpansion, rows: np.ndarray) -> np.ndarray:
        """Where the expansion is long and the runs are few, what it lacks by its coefficients counts as well."""
        return np.maximum(super().validation_error(expansion, rows), beyond(expansion, len(rows)).max(axis=0))

    def enclosed_on(self, boxes: np.ndarray, columns: np.ndarray, error: np.ndarray, trusted: np.ndarray) -> np.ndarray:
        """Boxes share the work on sides that they share."""
        runs, settings = self.runs, self.runs.settings
        width = np.ptp(runs.values[np.ix_(runs.status == 0, columns)], axis=0)
        gap = np.maximum(settings.gap * width, np.where(trusted, 0.0, COARSE * error))
        ranges = evidence.ranges(runs.expansion.c[..., columns], boxes, gap, settings.enclosure)
        return ranges + settings.safety * error * np.array([[[-1.0]], [[1.0]]])

    def facts(self) -> dict:
        return {"degrees": [int(degree) for degree in self._degrees]}


def node_count(degrees: Iterable[int]) -> int:
    """Number of nodes of a tensor grid."""
    return prod(degree + 1 for degree in degrees)


def coefficients(degrees: Sequence[int], points: np.ndarray, values: np.ndarray, ok: np.ndarray) -> np.ndarray:
    """Coefficients (n1+1, ..., nd+1, columns) through the runs at the nodes, `points` (nodes, d) and `values` (nodes, columns).

    When a few runs are not `ok` (nodes,), the lower terms are fitted to the others by least squares.
    """
    failed = int(np.count_nonzero(~ok))
    if failed == 0:
        return chebyshev.coefficients(values.reshape(*(degree + 1 for degree in degrees), -1), degrees)
    return chebyshev.least_squares(points[ok], values[ok], degrees)


def growth(degrees: Sequence[int], tails: np.ndarray, tolerance: float, budget: int) -> tuple[int, ...] | None:
    """Degrees of the next grid: doubled in the inputs that leave the most columns unresolved; None when nothing needs to grow or can.

    `tails` (d, columns) are sizes of the last coefficients in each input relative to the range of the response, `budget` the largest number
    of nodes. Counting columns, rather than taking the worst one, keeps the few times at which impacts spoil every expansion from claiming
    all runs.
    """
    unresolved = (tails > tolerance).mean(axis=1)
    new = list(degrees)
    for axis in np.lexsort((tails.max(axis=1), unresolved))[::-1]:
        wider = [*new[:axis], 2 * new[axis], *new[axis + 1 :]]
        wanted = unresolved[axis] > 0.5 * unresolved.max()
        if wanted and wider[axis] <= HIGHEST_DEGREE and node_count(wider) <= budget:
            new = wider
    return None if tuple(new) == tuple(degrees) else tuple(new)
