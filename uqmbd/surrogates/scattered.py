"""Polynomials of a total degree, fitted by least squares to random runs of a region."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from uqmbd.analysis.chebyshev.expansions import SparseExpansion
from uqmbd.analysis.sets.set_bounds import least_squares
from uqmbd.surrogates.base import NODE, VALIDATION, Surrogate


class Scattered(Surrogate):
    """For models that work only where their inputs belong together: all runs are in the region."""

    def design(self) -> Iterator[bool]:
        runs = self.runs
        count = runs.settings.fitted_runs(len(runs.inputs))
        runs.add_random(count, NODE)
        runs.add_random(runs.settings.validation_runs(count), VALIDATION)
        yield True

    def fit(self) -> SparseExpansion:
        runs, fitted = self.runs, self.fitted()
        ok = fitted[runs.status[fitted] == 0]
        lost = len(fitted) - len(ok)
        expansion, rank = least_squares(runs.points[ok], runs.values[ok], runs.settings.total_degree)
        terms = len(expansion.exponents)
        rest = f": of {terms} terms the others determine {rank}, and the rest is not determined" if rank < terms else f" (rank {rank})"
        self.note = f"{lost} of {len(fitted)} runs for the fit failed and are left out{rest}" if lost else ""
        return expansion

    def seen(self, columns: np.ndarray) -> None:
        """None: it does not meet its runs."""

    def notes(self, trusted: np.ndarray) -> list[str]:
        return super().notes(trusted) or ["the expansion is fitted to runs in the set, and nothing is said about the rest of the box"]

    def facts(self) -> dict:
        return {"total_degree": self.runs.settings.total_degree}
