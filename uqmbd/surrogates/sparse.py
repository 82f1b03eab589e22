"""Chebyshev expansions on a sparse grid that adapts to the inputs and their couplings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.chebyshev.expansions import SparseExpansion
from uqmbd.analysis.chebyshev.kinks import beyond
from uqmbd.analysis.chebyshev.sparse_grid import HIGHEST_LEVEL, Index, SparseGrid, new_nodes
from uqmbd.surrogates.base import CORNER, NODE, VALIDATION, Runs, Surrogate, note_of_failed

BATCH_SHARE = 0.5  # indices whose indicator is at least so much of the greatest are refined together
UNSEEN_SHARE = 0.25  # of the nodes, opened when the validation runs find more than the indicators did


class Sparse(Surrogate):
    """Starts from the centre, refines indices with the greatest surplus, and lets the validation runs say when that is enough.

    The next indices are those whose expected surplus lacks the most bits to the tolerance.
    """

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs)
        self._grid = SparseGrid(len(runs.inputs))

    def design(self) -> Iterator[bool]:
        d = len(self.runs.inputs)
        centre = (0,) * d
        self._open([centre, *(tuple(int(i == axis) for i in range(d)) for axis in range(d))])
        yield True
        while True:
            while chosen := self._worst_indices():
                self._open(chosen)
                yield True
            missing = self.runs.settings.validation_runs(len(self._grid)) - int(np.isin(self.runs.roles, (VALIDATION, CORNER)).sum())
            if missing > 0:
                self._validate(missing)
                yield True
            self.runs.assess()
            if self._content():
                yield from self.runs.run_extremes()
            if self._content() or not (chosen := self._unseen()):
                return
            self._open(chosen)
            yield True

    def _content(self) -> bool:
        return bool(np.all(self.runs.error <= self.runs.settings.target * self.runs.scale()))

    def _validate(self, count: int) -> None:
        """Half of them at corners that were not run yet, where a sparse grid is worst and extremes are; of a set, at its edge there."""
        runs = self.runs
        ways = generator(runs.seed, CORNER).choice([-1.0, 1.0], (4 * (len(runs.points) + count), len(runs.inputs)))
        ways = ways[np.sort(np.unique(ways, axis=0, return_index=True)[1])]
        edge = runs.not_run(runs.region.edge(ways))[: count // 2]
        runs.add(edge, CORNER)
        runs.add_validation(count - len(edge))

    def _open(self, indices: list[Index]) -> None:
        for index in indices:
            self.runs.add(self._grid.open(index, len(self.runs.points)), NODE)

    def _candidates(self) -> list[Index]:
        """Indices that can be opened."""
        return list(dict.fromkeys(above for index in self._grid.indices for above in self._grid.neighbours(index)))

    def _expected(self, index: Index, scale: np.ndarray) -> np.ndarray:
        """Surplus (columns,) that an index which is not open yet is expected to have, relative to the output's range `scale`.

        A step along one input is expected to change a surplus as it does one level lower in another input, and never to raise it. Of an
        index in one input alone, the surplus below; of one that couples two for the first time, the geometric mean of theirs.
        """
        surpluses, axes = self._grid.surpluses, [axis for axis, level in enumerate(index) if level]
        below = {axis: surpluses[_lower(index, axis)] for axis in axes}
        if len(axes) == 1:
            return below[axes[0]] / scale
        if len(axes) == sum(index) == 2:
            return np.sqrt(below[axes[0]] * below[axes[1]]) / scale
        guesses = [below[i] * _ratio(below[j], surpluses[_lower(_lower(index, i), j)]) for i, j in permutations(axes, 2)]
        return np.max(guesses, axis=0) / scale

    def _affordable(self, ranked: list[Index], enough: float = np.inf) -> list[Index]:
        """The first of the ranked indices that the budget of runs allows, up to `enough` nodes."""
        budget, spent, chosen = self.runs.settings.most_nodes() - len(self._grid), 0, {}
        for index in ranked:
            run = [index]
            if sum(map(bool, index)) == 1:  # along one input the next levels come with it: fewer, larger asks
                level = sum(index)
                ahead = range(level + 1, min(level + level // 4, HIGHEST_LEVEL) + 1)
                run += [tuple(more if k else 0 for k in index) for more in ahead]
            for each in run:
                if each not in chosen and spent + new_nodes(each) <= budget:
                    spent += new_nodes(each)
                    chosen[each] = None
            if spent >= enough:
                break
        return list(chosen)

    def _worst_indices(self) -> list[Index]:
        """Next indices to open, those that are expected to lack the most; empty when none lacks anything or the budget is spent."""
        self.runs.stop_early()
        self._grid.absorb(self.runs.values, self.runs.status == 0)
        scale = self.runs.scale()
        need = {index: bits for index in self._candidates() if (bits := self.bits(self._expected(index, scale))) > 0}
        least = BATCH_SHARE * max(need.values(), default=0.0)
        ranked = sorted(need, key=lambda index: -need[index])
        return self._affordable([index for index in ranked if need[index] >= least]) or self._affordable(ranked)

    def _unseen(self) -> list[Index]:
        """Indices to open when none lacks anything and the validation runs do: in turn that of the greatest surplus and the lowest."""
        scale = self.runs.scale()
        size = {index: round(self.weight(self._expected(index, scale)), 12) for index in self._candidates()}
        greatest = sorted(size, key=lambda index: (-size[index], sum(index)))
        lowest = sorted(size, key=lambda index: (sum(index), -size[index]))
        ranked = list(dict.fromkeys(index for pair in zip(greatest, lowest, strict=True) for index in pair))
        return self._affordable(ranked, UNSEEN_SHARE * len(self._grid))  # few, so that the validation runs are asked again soon

    def validation_error(self, expansion: SparseExpansion, rows: np.ndarray) -> np.ndarray:
        """Where an input has a high degree and the runs are few, what it lacks by its coefficients counts as well."""
        return np.maximum(super().validation_error(expansion, rows), beyond(expansion, len(rows)).max(axis=0))

    def fitted(self) -> np.ndarray:
        return self._grid.runs()

    def fit(self) -> SparseExpansion:
        self._grid.absorb(self.runs.values, self.runs.status == 0)
        then = "there the smoothest expansion through the others is taken, of which "
        then += f"{self._grid.filled} of {len(self._grid)} terms are not determined by runs"
        self.note = note_of_failed(self._grid.filled, len(self._grid), then)
        return self._grid.expansion()

    def facts(self) -> dict:
        levels = np.array(self._grid.indices)
        return {
            "grid": "sparse",
            "degrees": [2 * level for level in levels.max(axis=0).tolist()],
            "indices": len(levels),
            "coupled_inputs": int((levels > 0).sum(axis=1).max()),
        }


def _lower(index: Index, axis: int) -> Index:
    return (*index[:axis], index[axis] - 1, *index[axis + 1 :])


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """At most 1, and 1 where nothing is known."""
    return np.minimum(np.divide(above, below, out=np.ones_like(below), where=below > 0), 1.0)
