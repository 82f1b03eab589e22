"""The run of an expansion in orthonormal polynomials: how far it is trusted, and what all results that follow from one have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columnwise import columnwise, std
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.statistics import trust
from uqmbd.methods.base import count_failures
from uqmbd.methods.checks import checks
from uqmbd.methods.failures import left_out
from uqmbd.methods.quantile_levels import levels_of, too_far_out
from uqmbd.methods.staged import FittedRun, Groups
from uqmbd.surrogates.base import NODE, VALIDATION
from uqmbd.surrogates.chaos import Chaos
from uqmbd.surrogates.warped import Warped

if TYPE_CHECKING:
    from uqmbd.methods.probabilistic.settings import Expanded

WORDS = {"sparse": "lars for scalars, omp for histories"}
CDF_LEVELS = 201
IN_TAIL = 16  # points of the expansion's sample beyond the outermost quantile


class ExpandedRun(FittedRun):
    """Runs that are fitted, and runs for validation; histories on a warped time line where the settings say so."""

    settings: Expanded
    surrogate: Chaos
    _alpha: Mapping[str, Sequence[float]] = {}  # levels of membership, where statistics have them

    def __init__(self, settings: Expanded, *study: Any) -> None:
        super().__init__(settings, Chaos if settings.warp is None else Warped, *study)

    def _plan(self) -> Any:
        """One step: all runs."""
        yield from self.surrogate.design()

    def add_random(self, count: int, role: int) -> None:
        self.add(2 * generator(self.seed, role).random((count, len(self.inputs))) - 1, role)

    def assess(self) -> None:
        """Expansion, validated error and trust of every column, and what the checks of it are."""
        fresh = self.fit()
        said = self.surrogate.predicted
        self._checks = checks(self.columns, fresh, lambda at: (self.values[fresh, at], said[:, at]))
        ok, slices = self._rows(), self.columns.slices.values()
        self._ends = self.envelope(ok)
        allowed = self.settings.trust_tolerance, self.settings.std_tolerance
        self.error, self.trusted = trust.assessed(self.validation_error, slices, self._ends, *allowed, columnwise(std, self.outcomes(ok)))
        self._holds = self.surrogate.holds(fresh, self._ends)
        self.trusted &= self._holds

    def _groups(self, inner: np.ndarray, error: np.ndarray, trusted: np.ndarray) -> Groups:
        return {**super()._groups(inner, error, trusted), "validation": self._checks, **self._cdf(), **self.surrogate.kept()}

    @property
    def _levels_of_quantiles(self) -> tuple[float, ...]:
        return levels_of(self.settings.quantiles)

    def _sample_points(self) -> int:
        """Points with which the expansion is sampled."""
        raise NotImplementedError

    def _about_quantiles(self) -> list[str]:
        """Sentences about quantiles that runs, or the sample of the expansion, do not reach."""
        runs, points, notes = len(self._rows()), self._sample_points(), []
        if far := too_far_out(self._levels_of_quantiles, runs):
            notes.append(f"{far} lie beyond all {runs} runs: they are what an expansion says that nothing has tried there")
        if far := too_far_out(self._levels_of_quantiles, points, IN_TAIL / 2):
            notes.append(f"{far} are those of a sample of {points} points of the expansion, which has too few so far out")
        return notes

    def _cdf(self) -> Groups:
        """Distribution functions of the scalars."""
        scalars = self.columns.scalars
        if not scalars.count:
            return {}
        tables = [self._distribution(self.columns.slices[name].start) for name in scalars.outputs]
        labels = dict(self._alpha) | {"level": range(CDF_LEVELS), "column": ["value", "lower", "upper"]}
        return {"cdf": scalars.dataset(np.stack(tables, axis=-1), labels)}

    def _distribution(self, column: int) -> np.ndarray:
        """Of one column: value, and limits of the probability to be at most that, ([alpha,] CDF_LEVELS, 3)."""
        raise NotImplementedError

    def _attributes(self) -> dict[str, Any]:
        settings, chaos, failures = self.settings, self.surrogate, count_failures(self.status)
        names, choices = list(self.columns.slices), chaos.last.choices
        fitted = len(self._rows(NODE))
        attrs = {
            "method": settings.name,
            "seed": self.seed,
            "design": settings.design,
            "sampling": settings.sampling,
            "truncation": settings.shape,
            "regression": "projection" if chaos.weights is not None else WORDS.get(settings.how, settings.how),
            "families": {name: item.name for name, item in zip(self.inputs, chaos.fitting.families, strict=True)},
            "degree": {name: choice.degree for name, choice in zip(names, choices, strict=True)},
            "terms": {name: len(choice.terms) for name, choice in zip(names, choices, strict=True)},
            "candidates": len(chaos.fitting.indices),
            "loo_error": {name: float(choice.loo) for name, choice in zip(names, choices, strict=True) if np.isfinite(choice.loo)},
            "components_left_out": {name: choice.left_out for name, choice in zip(names, choices, strict=True)},
            "trust_tolerance": settings.trust_tolerance,
            "std_tolerance": settings.std_tolerance,
            "trusted_share": float(self.trusted.mean()),
            "runs_fitted": fitted,
            "runs_validation": len(self._rows(VALIDATION)),
            **failures,
        }
        if chaos.last.chosen_by < fitted:
            attrs["runs_choosing_terms"] = chaos.last.chosen_by
        notes = left_out(failures, " of the fit")
        if chaos.weights is not None and fitted < len(chaos.weights):
            attrs["regression"] = "least_squares"
            notes.append("Gauss points are missing, so the expansion is a least-squares fit to the others")
        return attrs | chaos.facts() | {"notes": notes}
