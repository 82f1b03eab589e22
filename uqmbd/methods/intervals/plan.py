"""What a search may spend, and how it is judged."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_ROUND = 64  # runs of one round of the search


@dataclass(frozen=True)
class Plan:
    """What a search may spend, and how it is judged; see `uqmbd.methods.intervals.search.Search`.

    Attributes
    ----------
    first, runs, fresh : int
        Sobol' points at the beginning, runs of the search with them at most, and fresh runs.
    settled, tolerance, margin : float
        Shares of the band's width.
    safety : float
    """

    first: int
    runs: int
    fresh: int
    settled: float
    tolerance: float
    safety: float
    margin: float
