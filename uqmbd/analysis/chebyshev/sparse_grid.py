"""Dimension-adaptive sparse grids of nested Chebyshev nodes, for many columns at once.

Gerstner and Griebel, Computing 71 (2003) 65. An index ``(l1, ..., ld)`` stands for the tensor grid of degree ``2 li`` in each input.
A level adds two nodes that mirror each other: Clenshaw and Curtis' nodes of degree n are filled up to those of degree 2n pair by pair, in
the order of Leja (the pair next that is farthest, in the product of distances, from those there are). At degrees 2, 4, 8, 16 ... the nodes
are Clenshaw and Curtis'; between, Lebesgue's constant stays below 70 up to degree 128, and runs are not spent by doubling.

The interpolant is the sum over a downward closed set of indices of the differences ``⊗ (U_li - U_(li - 1))``; each is a tensor of
Chebyshev coefficients, and they add up to one sparse expansion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

import numpy as np

from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.expansions import SparseExpansion

HIGHEST_LEVEL = 64  # degree 128

Index = tuple[int, ...]


def degree(level: int) -> int:
    """Degree of the one-dimensional grid of a level."""
    return 2 * level


def new_nodes(index: Index) -> int:
    """Number of nodes that an index has and none of those below it."""
    return 2 ** sum(level > 0 for level in index)


def fractions(degree: int) -> list[float]:
    """Angles over π of the nodes of an even degree, the centre first, in [0, 1]; those of lower degrees come first."""
    return _sequence()[: degree + 1]


class Grid:
    """Which run is at which node. A node is known by its angles over π, so that grids of degree n and 2n share runs.

    ``fractions(degree)`` are these angles.
    """

    def __init__(self, fractions: Callable[[int], list[float]] = chebyshev.fractions) -> None:
        self._fractions = fractions
        self._run_at: dict[tuple[float, ...], int] = {}

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self._run_at)

    def add(self, degrees: Sequence[int], first_run: int) -> np.ndarray:
        """Points (n, d) in [-1, 1]^d that the grid of these degrees lacks; they are taken to be runs `first_run` and following."""
        missing = [node for node in self._nodes(degrees) if node not in self._run_at]
        self._run_at.update({node: first_run + i for i, node in enumerate(missing)})
        return np.sin(np.pi * (0.5 - np.array(missing).reshape(-1, len(degrees))))

    def runs(self, degrees: Sequence[int]) -> np.ndarray:
        """Run at each node of the grid, row-major, shape (nodes,)."""
        return np.array([self._run_at[node] for node in self._nodes(degrees)])

    def all_runs(self) -> np.ndarray:
        """Runs at all nodes, in the order in which they were added, shape (nodes,)."""
        return np.array(list(self._run_at.values()), int)

    def _nodes(self, degrees: Sequence[int]) -> product:
        return product(*(self._fractions(degree) for degree in degrees))


class SparseGrid:
    """Indices, their nodes, and the expansion through the runs at these.

    `surpluses` are, by index, the largest absolute values (columns,) at its nodes of what it added. `filled` nodes are those whose runs
    failed: they take the values that make the expansion smoothest, so that they leave their neighbours alone.
    """

    def __init__(self, d: int) -> None:
        self.d = d
        self.surpluses: dict[Index, np.ndarray] = {}
        self.filled = 0
        self._grid = Grid(fractions)
        self._indices: dict[Index, None] = {}  # in order of opening
        self._rows: dict[Index, int] = {}  # term of each exponent
        self._c = np.empty((0, 0))

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self._grid)

    @property
    def indices(self) -> list[Index]:
        """All opened indices."""
        return list(self._indices)

    def neighbours(self, index: Index) -> list[Index]:
        """Indices one level above `index` that are not open and all of whose lower neighbours are."""
        candidates = []
        for axis in range(self.d):
            above = (*index[:axis], index[axis] + 1, *index[axis + 1 :])
            if above[axis] <= HIGHEST_LEVEL and above not in self._indices and self._admissible(above):
                candidates.append(above)
        return candidates

    def open(self, index: Index, first_run: int) -> np.ndarray:
        """Take in an index; the points (n, d) in [-1, 1]^d that it needs are to be runs `first_run` and following."""
        if not self._admissible(index):
            raise ValueError(f"the index {index} has lower neighbours that are not open")
        self._indices[index] = None
        return self._grid.add([degree(level) for level in index], first_run)

    def runs(self) -> np.ndarray:
        """Run at each node, shape (nodes,)."""
        return self._grid.all_runs()

    def absorb(self, values: np.ndarray, ok: np.ndarray) -> None:
        """Work out the surpluses of indices opened since the last time from `values` (runs, columns); rows not `ok` are not read."""
        nodes = self.runs()
        failed = nodes[~ok[nodes]]
        new = [index for index in self._indices if index not in self.surpluses]
        if failed.size and (new or self.filled != failed.size):
            values, new = self._fill(values, failed), self.indices
            self._rows, self._c = {}, np.empty((0, values.shape[1]))
        self.filled = failed.size
        for index in new:
            self.surpluses[index] = self._add(index, values)

    def expansion(self) -> SparseExpansion:
        """The interpolant; lower terms come first."""
        exponents = np.array(list(self._rows), int).reshape(-1, self.d)
        order = np.argsort(exponents.sum(axis=1), kind="stable")
        return SparseExpansion(exponents[order], self._c[order])

    def _admissible(self, index: Index) -> bool:
        return all((*index[:i], level - 1, *index[i + 1 :]) in self._indices for i, level in enumerate(index) if level)

    def _add(self, index: Index, values: np.ndarray) -> np.ndarray:
        """Add the difference of `index` to the coefficients; its largest absolute value at the nodes."""
        degrees = [degree(level) for level in index]
        part = values[self._grid.runs(degrees)].reshape(*(n + 1 for n in degrees), -1)
        c = _along_axes(part, [_differences(level)[0] for level in index])
        at_nodes = _along_axes(part, [_differences(level)[1] for level in index])
        rows = [self._rows.setdefault(term, len(self._rows)) for term in product(*(range(n + 1) for n in degrees))]
        more = len(self._rows) - len(self._c)
        if more:
            self._c = np.concatenate([self._c.reshape(-1, values.shape[1]), np.zeros((more, values.shape[1]))])
        self._c[rows] += c.reshape(len(rows), -1)
        return np.abs(at_nodes).reshape(len(rows), -1).max(axis=0)

    def _fill(self, values: np.ndarray, failed: np.ndarray) -> np.ndarray:
        """`values` with those of failed nodes such that the expansion is smoothest: least ``Σ (w_k c_k)²``, w growing with the degree."""
        known = values.copy()
        known[failed] = 0.0
        units = np.zeros((len(values), failed.size))
        units[failed, np.arange(failed.size)] = 1.0
        both = SparseGrid(self.d)
        both._indices, both._grid = self._indices, self._grid
        for index in self._indices:
            both._add(index, np.concatenate([known, units], axis=1))
        # coefficients of a smooth function fall as these weights grow
        weight = 4.0 ** np.minimum([sum(term) for term in both._rows], 12)[:, None]
        base, per_unit = both._c[:, : known.shape[1]], both._c[:, known.shape[1] :]
        known[failed] = np.linalg.lstsq(weight * per_unit, -weight * base, rcond=None)[0]
        return known


def _along_axes(values: np.ndarray, matrices: list[np.ndarray]) -> np.ndarray:
    out = values
    for axis, matrix in enumerate(matrices):
        if len(matrix) > 1:
            out = np.moveaxis(np.tensordot(matrix, out, axes=(1, axis)), 0, axis)
    return out


@cache
def _sequence() -> list[float]:
    order, degree = [0.5, 0.0, 1.0], 2
    while degree < 2 * HIGHEST_LEVEL:
        new = [k / (2 * degree) for k in range(1, degree, 2)]
        degree *= 2
        while new:
            x = np.cos(np.pi * np.array(new))[:, None]
            far = np.log(np.abs(x - np.cos(np.pi * np.array(order)))).sum(axis=1)
            chosen = new.pop(int(np.argmax(np.round(far, 9))))
            order += [chosen, 1.0 - chosen]
    return order


@cache
def _differences(level: int) -> tuple[np.ndarray, np.ndarray]:
    """``U_l - U_(l-1)`` in one input, as matrices from values at the nodes to coefficients and to values at the nodes."""
    n = degree(level)
    at_nodes = chebyshev.polynomials(np.sin(np.pi * (0.5 - np.array(fractions(n)))), n)
    c = np.linalg.inv(at_nodes)
    if level:
        lower = degree(level - 1) + 1
        c[:lower, :lower] -= np.linalg.inv(at_nodes[:lower, :lower])
    return c, at_nodes @ c
