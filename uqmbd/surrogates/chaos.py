"""Polynomial chaos at work: where it wants runs, and what it makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.fitted import Fitted
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.chaos import regression
from uqmbd.analysis.chaos.design import d_optimal
from uqmbd.analysis.chaos.expansion import Expansion
from uqmbd.analysis.sets.basis_change import chebyshev_of
from uqmbd.errors import StudyError
from uqmbd.outcomes import MEND
from uqmbd.surrogates.base import NODE, VALIDATION, Runs, Surrogate
from uqmbd.surrogates.chaos_fit import Fit, FitResult, family_of
from uqmbd.surrogates.kept_polynomial import kept, of_germ
from uqmbd.surrogates.kept_surrogate import InputAxis

FEW_CHECKS = 100  # validation runs; where there are fewer, fitted runs that are left out in turn count as well


class Chaos(Surrogate):
    """One ask: the runs that are fitted, and those for validation. Its points are those of the unit cube."""

    last: FitResult  # of the last fit
    predicted: np.ndarray  # (checks, columns): what it says of the validation runs

    def __init__(self, runs: Runs) -> None:
        super().__init__(runs)
        settings, inputs = runs.settings, runs.inputs
        self.weights: np.ndarray | None = None  # (nodes,): of a quadrature
        self._counts = settings.counts(inputs)
        degrees = settings.candidates(inputs, self._counts[0])
        indices = settings.terms(inputs, degrees[-1])
        families = [family_of(inputs, name, int(k)) for name, k in zip(inputs, indices.max(axis=0), strict=True)]
        self.fitting = Fit(settings, families, indices, degrees, runs.columns)

    def design(self) -> Iterator[bool]:
        runs, settings, fitting, (fitted, validated) = self.runs, self.runs.settings, self.fitting, self._counts
        if settings.design == "quadrature":
            u, self.weights = settings.gauss_points(runs.inputs, fitting.families)
        elif settings.design == "doptimal":
            u = d_optimal(fitting.families, fitting.indices, fitted, generator(runs.seed, NODE))
        else:
            u = unit_points(settings.design, fitted + validated, len(runs.inputs), generator(runs.seed, NODE))
        runs.add(2 * u[:fitted] - 1, NODE)
        if len(u) > fitted:
            runs.add(2 * u[fitted:] - 1, VALIDATION)
        else:
            runs.add_random(validated, VALIDATION)
        yield True

    @property
    def u(self) -> np.ndarray:
        """Points of all runs in the unit cube, (runs, d)."""
        return (self.runs.points + 1) / 2

    def rows(self) -> np.ndarray:
        """Runs that are fitted, indices."""
        return np.flatnonzero((self.runs.roles == NODE) & (self.runs.status == 0))

    def held_out(self) -> np.ndarray:
        return self.runs.roles == VALIDATION

    def fit(self) -> Fitted:
        rows = self.rows()
        if not rows.size:
            raise StudyError("all runs that would be fitted failed, so there is nothing to expand", remedy=f"{MEND}, or give it more runs")
        self.last = self.fit_to(rows)
        return self.last.expansion

    def fit_to(self, rows: np.ndarray, degrees: list[int] | None = None, choices: list[regression.Choice] | None = None) -> FitResult:
        """What some runs say; `choices` of terms where they are made already."""
        u, values = self.u[rows], self.runs.outcomes(rows)
        if self.weights is not None and len(rows) == len(self.weights):
            return self.fitting.project(u, values, self.weights)
        return self.fitting.regress(u, values, degrees, choices)

    def validation_error(self, expansion: Fitted, rows: np.ndarray) -> np.ndarray:
        self.predicted = expansion.evaluate(self.u[rows])
        error = np.abs(self.predicted - self.runs.values[rows]).max(axis=0)
        return np.fmax(error, self.last.missed) if len(rows) < FEW_CHECKS else error

    def holds(self, rows: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """Where the fit means anything at all, as runs `rows` say that were not fitted; `reached` (2, columns) by runs: bool (columns,)."""
        return np.ones(self.runs.columns.count, bool)

    # what follows ---------------------------------------------------------------------------------------------------------------------
    @property
    def polynomials(self) -> Expansion:
        """The expansion of all columns."""
        return self.last.expansion

    @property
    def warped(self) -> np.ndarray:
        """Which columns are more than that expansion, bool (columns,)."""
        return np.zeros(self.runs.columns.count, bool)

    def over_box(self, points: np.ndarray) -> Fitted:
        """The same over [-1, 1]^d, where all inputs are intervals; what is bounded by samples takes those at `points` of the unit cube."""
        return chebyshev_of(self.polynomials)

    def always_asked(self) -> tuple[str, ...]:
        """Questions that are answered without being asked."""
        return ()

    def axes(self) -> list[InputAxis | None]:
        items = zip(self.runs.inputs.items(), self.fitting.families, self.polynomials.indices.max(axis=0), strict=True)
        return [of_germ(name, item, family, int(degree)) for (name, item), family, degree in items]

    def kept(self) -> dict[str, Any]:
        """Not where inputs depend on each other, or have a few values only."""
        axes = [axis for axis in self.axes() if axis is not None]
        if self.runs.inputs.dependence is not None or self.runs.inputs.joint or len(axes) < len(self.runs.inputs):
            return {}
        return {"surrogates": kept(axes, self.last.expansion, self.runs.columns, self.runs.error)}
