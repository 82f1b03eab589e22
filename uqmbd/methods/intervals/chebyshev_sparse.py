"""The run of a Chebyshev study on a sparse grid that adapts to the inputs and their couplings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.chebyshev_expansions import SparseExpansion
from uqmbd.analysis.sparse_grid import HIGHEST_LEVEL, Index, SparseGrid, new_nodes
from uqmbd.inputs import Input
from uqmbd.methods.base import generator
from uqmbd.methods.intervals.inclusion_run import CORNER, NODE, VALIDATION, InclusionRun
from uqmbd.simulators.base import OutputInfo

if TYPE_CHECKING:
    from uqmbd.methods.intervals.chebyshev import Chebyshev

BATCH_SHARE = 0.5  # indices whose indicator is at least so much of the greatest are refined together
UNSEEN_SHARE = 0.25  # of the nodes, opened when the validation runs find more than the indicators did


class SparseRun(InclusionRun):
    """Starts from the centre, refines indices with the greatest surplus, and lets the validation runs say when that is enough.

    An index is refined by opening its neighbours one level above. Its indicator is how many bits its surplus lacks to the tolerance.
    """

    settings: Chebyshev

    def __init__(
        self, settings: Chebyshev, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(settings, inputs, outputs, time, seed)
        self._grid = SparseGrid(len(self._inputs))
        self._refined: set[Index] = set()

    def _build(self) -> Iterator[bool]:
        d = len(self._inputs)
        centre = (0,) * d
        self._open([centre, *(tuple(int(i == axis) for i in range(d)) for axis in range(d))])
        self._refined.add(centre)
        yield True
        while True:
            while chosen := self._worst_indices():
                self._open(chosen)
                yield True
            lacking = self.settings.validation_runs(len(self._grid)) - int(np.isin(self._roles, (VALIDATION, CORNER)).sum())
            if lacking > 0:
                self._add_validation(lacking)
                yield True
            self._assess()
            if self._content():
                yield from self._run_extremes()
            if self._content() or not (chosen := self._unseen()):
                return
            self._open(chosen)
            yield True

    def _content(self) -> bool:
        return bool(np.all(self._error <= self.settings.target * self._scale()))

    def _add_validation(self, count: int) -> None:
        """Half of them at corners that were not run yet, where a sparse grid is worst and extremes are."""
        tries = 4 * (len(self._points) + count)
        corners = generator(self._seed, CORNER).choice([-1.0, 1.0], (tries, len(self._inputs)))
        corners = self._not_run(corners[np.sort(np.unique(corners, axis=0, return_index=True)[1])])[: count // 2]
        self._add(corners, CORNER)
        super()._add_validation(count - len(corners))

    def _open(self, indices: list[Index]) -> None:
        for index in indices:
            self._add(self._grid.open(index, len(self._points)), NODE)

    def _candidates(self, chosen: list[Index], spent: int = 0) -> list[Index]:
        """Neighbours of the chosen indices, in order, as many as the budget of runs allows.

        Along an input that is refined already to level l alone, the next l/4 levels come with it: fewer, larger asks.
        """
        budget = self.settings.most_nodes() - len(self._grid) - spent
        found: dict[Index, None] = {}
        self._refined.update(chosen)
        for index in chosen:
            for above in self._grid.neighbours(index):
                run = [above]
                if sum(map(bool, above)) == 1:
                    level = sum(above)
                    ahead = range(level + 1, min(level + level // 4, HIGHEST_LEVEL) + 1)
                    run += [tuple(more if k else 0 for k in above) for more in ahead]
                for each in run:
                    if each not in found and new_nodes(each) <= budget:
                        budget -= new_nodes(each)
                        found[each] = None
        self._refined.update(index for index in found if any((*index[:i], k + 1, *index[i + 1 :]) in found for i, k in enumerate(index)))
        return list(found)

    def _worst_indices(self) -> list[Index]:
        """Next indices to open, by their lower neighbours' surpluses; empty when all are below the target or the budget is spent."""
        self._stop_early()
        self._grid.absorb(self._values, self._status == 0)
        scale = self._scale()
        while True:
            need = {index: self._bits(self._grid.surpluses[index] / scale) for index in self._grid.indices if index not in self._refined}
            worst = max(need.values(), default=0.0)
            if worst <= 0:
                return []
            order = sorted((index for index in need if need[index] >= BATCH_SHARE * worst), key=lambda index: -need[index])
            if chosen := self._candidates(order):
                return chosen

    def _unseen(self) -> list[Index]:
        """Indices to open when the indicators are content and the validation runs are not: many small surpluses, or none where one looks.

        Those with the greatest surplus come first, then the lowest, and no more than a share of the nodes there are, so that the validation
        runs are asked again soon.
        """
        scale = self._scale()
        size = {index: float((self._grid.surpluses[index] / scale).max()) for index in self._grid.indices if index not in self._refined}
        order = sorted(size, key=lambda index: (-round(size[index], 12), sum(index)))
        enough, found = UNSEEN_SHARE * len(self._grid), {}
        for index in order:
            for above in self._candidates([index], sum(map(new_nodes, found))):
                found[above] = None
            if sum(map(new_nodes, found)) >= enough:
                break
        return list(found)

    def _node_runs(self) -> np.ndarray:
        return self._grid.runs()

    def _expand(self) -> SparseExpansion:
        self._grid.absorb(self._values, self._status == 0)
        lost = self._grid.filled
        self._note = (
            f"{lost} of {len(self._grid)} runs at nodes failed; there the smoothest expansion through the others is taken" if lost else ""
        )
        return self._grid.expansion()

    def _facts(self) -> dict:
        levels = np.array(self._grid.indices)
        return {
            "grid": "sparse",
            "degrees": [2 * level for level in levels.max(axis=0).tolist()],
            "indices": len(levels),
            "coupled_inputs": int((levels > 0).sum(axis=1).max()),
        }
