"""Runs at the nodes of nested Chebyshev grids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from uqmbd.analysis.chebyshev import chebyshev


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
        lacking = [node for node in self._nodes(degrees) if node not in self._run_at]
        self._run_at.update({node: first_run + i for i, node in enumerate(lacking)})
        return np.sin(np.pi * (0.5 - np.array(lacking).reshape(-1, len(degrees))))

    def runs(self, degrees: Sequence[int]) -> np.ndarray:
        """Run at each node of the grid, row-major, shape (nodes,)."""
        return np.array([self._run_at[node] for node in self._nodes(degrees)])

    def all_runs(self) -> np.ndarray:
        """Runs at all nodes, in the order in which they were added, shape (nodes,)."""
        return np.array(list(self._run_at.values()), int)

    def _nodes(self, degrees: Sequence[int]) -> product:
        return product(*(self._fractions(degree) for degree in degrees))
