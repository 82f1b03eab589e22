"""What follows from an expansion of all columns: how far it is trusted, statistics, distribution functions, convergence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.columnwise import columnwise, sample_std, std
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.base.threads import one_thread
from uqmbd.analysis.chaos import dependent_indices, regression
from uqmbd.analysis.chaos.expansion import EXACT_SKEWNESS, SAMPLE, cube_sample
from uqmbd.analysis.sets.basis_change import chebyshev_of
from uqmbd.analysis.statistics import trust
from uqmbd.analysis.statistics.order_statistics import level_name
from uqmbd.errors import StudyError
from uqmbd.methods.base import count_failures
from uqmbd.methods.checks import checks
from uqmbd.methods.distrust import without_trust_where_runs_failed
from uqmbd.methods.failures import left_out, require_validation
from uqmbd.methods.probabilistic.pce_fit import FITTED, SAMPLED, VALIDATION, Fit, Fitted
from uqmbd.methods.quantile_levels import levels_of, too_far_out
from uqmbd.methods.staged import StagedRun
from uqmbd.outcomes import MEND
from uqmbd.questions import answers_of
from uqmbd.questions.base import Answer, Asked
from uqmbd.surrogates.kept import kept, of_germ

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.methods.probabilistic.pce import PCE
    from uqmbd.methods.probabilistic.warping import Warping
    from uqmbd.result import Result

WORDS = {"sparse": "lars for scalars, omp for histories"}
CDF_LEVELS = 201
FEW_CHECKS = 100  # validation runs; where there are fewer, fitted runs that are left out in turn count as well
_SIZES = 6  # of the nested subsets that show convergence
_SMALLEST = 10  # runs
_IN_TAIL = 16  # points of the expansion's sample beyond the outermost quantile
_LARGEST = 2**20  # points of that sample


class ExpandedRun(StagedRun):
    """Runs that are fitted, and runs for validation. A method writes `_plan` and `_fit`."""

    settings: PCE
    _fitting: Fit
    _warping: Warping | None
    _weights: np.ndarray | None  # of a quadrature
    _alpha: Mapping[str, Sequence[float]] = {}  # levels of membership, where statistics have them

    def _fit(self, rows: np.ndarray, degrees: list[int] | None = None, choices: list[regression.Choice] | None = None) -> Fitted:
        """What some runs say."""
        raise NotImplementedError

    @property
    def _u(self) -> np.ndarray:
        return (self._points + 1) / 2

    def _assess(self) -> None:
        """Expansion, validated error and trust of every column, and what the checks of it are."""
        self._stop_if_too_many_failed()
        rows, fresh = self._rows(FITTED), self._rows(VALIDATION)
        require_validation(fresh >= 0)
        if not rows.size:
            raise StudyError("all runs that would be fitted failed, so there is nothing to expand", remedy=f"{MEND}, or give it more runs")
        self._expansion, self._loo, missed, self._choices, self._chosen_by = self._fit(rows)
        said = self._expansion.evaluate(self._u[fresh])
        error = np.abs(said - self._values[fresh]).max(axis=0)
        if len(fresh) < FEW_CHECKS:
            error = np.fmax(error, missed)
        self._checks = checks(self._columns, fresh, lambda at: (self._values[fresh, at], said[:, at]))
        ok, slices = self._rows(), self._columns.slices.values()
        self._ends, self._missed = self.envelope(ok), error
        allowed = self.settings.trust_tolerance, self.settings.std_tolerance
        spread = columnwise(std, self.outcomes(ok))
        self._error, self._trusted = trust.assessed(error, slices, self._ends, *allowed, spread)
        if self._warping is not None:
            self._trusted &= self._warping.compared(self._u[fresh], self._values[fresh], self._ends)

    @one_thread
    def result(self) -> Result:
        from uqmbd.result import Result

        self._require_finished()
        self._assess()
        columns, expansion = self._columns, self._expansion
        self._sample = cube_sample(len(self._inputs), generator(self._seed, SAMPLED), self._sample_points())
        answers, inputs = self._answers(), list(self._inputs)
        indices, bound = self._indices(), self._inputs.dependence
        kinds, pairs = indices | answers.sensitivity, [] if bound else ["*".join(pair) for pair in combinations(inputs, 2)]
        groups = answers.groups | {
            "sensitivity": columns.dataset(np.stack(list(kinds.values())), {"kind": list(kinds), "input": inputs}, unit=""),
            "statistics": self._statistics(),
            **self._aggregated(indices),
            **({"interaction": columns.dataset(expansion.second(), {"pair": pairs}, unit="")} if pairs else {}),
            **self._convergence(),
        }
        result = Result(**self._groups(self._ends, self._error, self._trusted), **groups, attrs=self._attributes())
        return without_trust_where_runs_failed(result, self._inputs, self._samples(self._points), self._status != 0)

    def _indices(self) -> dict[str, np.ndarray]:
        """By kind, (d, columns): Sobol' indices, or where inputs depend on each other what does not depend on their order."""
        bound, expansion = self._inputs.dependence, self._expansion
        if bound is None:
            return {"first": expansion.first(), "total": expansion.total()}
        at = [i for i, name in enumerate(self._inputs) if name in bound.names]
        factor = np.linalg.cholesky(bound.gaussian([name for name in self._inputs if name in bound.names]))
        if self._warping is None:
            return dependent_indices.indices(expansion, at, factor)
        found = dependent_indices.indices(expansion.plain, at, factor)
        return {kind: np.where(self._warping.warped, np.nan, array) for kind, array in found.items()}

    def _about_indices(self) -> list[str]:
        """Sentences about indices of inputs that depend on each other."""
        bound = self._inputs.dependence
        if bound is None:
            return []
        notes = [
            f"{', '.join(bound.names)} depend on each other, so there are no Sobol' indices; those given do not depend on the order of the "
            "inputs: Shapley effects, which add up to 1; what an input explains with all that it says of others (first_full); what the "
            "others do not explain (total_independent)"
        ]
        if len(bound.names) > dependent_indices.MOST:
            notes.append(
                f"Shapley effects are given of up to {dependent_indices.MOST} inputs that depend on each other, not of {len(bound.names)}"
            )
        if self._warping is not None and self._warping.warped.any():
            warped = self._columns.in_words(self._warping.warped)
            notes.append(f"of {warped}, whose time line is warped, there are no indices where inputs depend on each other")
        return notes

    def _groups(self, inner: np.ndarray, error: np.ndarray, trusted: np.ndarray) -> dict[str, xr.Dataset]:
        return {**super()._groups(inner, error, trusted), "validation": self._checks, **self._cdf(), **self._kept()}

    def _answers(self) -> Answer:
        """To the questions besides the indices."""
        if self._warping is not None:
            return self._warping.answers(self._sample, self._ends, self._error)
        if set(self.settings.questions) <= {"indices"}:
            return Answer()
        subject = Asked(self._inputs, self._columns, chebyshev_of(self._expansion), self._ends, self._error, self._trusted)
        return answers_of(subject, self.settings.questions, but=("indices",))

    def _kept(self) -> dict[str, xr.Dataset]:
        """The expansion, to be asked again; not where inputs depend on each other, or have a few values only."""
        if self._warping is not None or self._inputs.dependence is not None:
            return {}
        degrees = self._expansion.indices.max(axis=0)
        items = zip(self._inputs.items(), self._fitting.families, degrees, strict=True)
        axes = [of_germ(name, item, family, int(degree)) for (name, item), family, degree in items]
        return {} if None in axes else {"surrogates": kept(axes, self._expansion, self._columns, self._error)}

    @property
    def _levels_of_quantiles(self) -> tuple[float, ...]:
        return levels_of(self.settings.quantiles)

    def _sample_points(self) -> int:
        """Points with which the expansion is sampled: enough beyond the outermost quantile."""
        tail = min(min(p, 1 - p) for p in self._levels_of_quantiles)
        return int(min(max(SAMPLE, 2 ** np.ceil(np.log2(_IN_TAIL / tail))), _LARGEST))

    def _about_quantiles(self) -> list[str]:
        """Sentences about quantiles that runs, or the sample of the expansion, do not reach."""
        runs, points, notes = len(self._rows()), self._sample_points(), []
        if far := too_far_out(self._levels_of_quantiles, runs):
            notes.append(f"{far} lie beyond all {runs} runs: they are what an expansion says that nothing has tried there")
        if far := too_far_out(self._levels_of_quantiles, points, _IN_TAIL / 2):
            notes.append(f"{far} are those of a sample of {points} points of the expansion, which has too few so far out")
        return notes

    def _sample_rows(self) -> np.ndarray:
        """Runs that are a sample of the inputs' distribution."""
        return self._rows(VALIDATION) if self.settings.design in ("doptimal", "quadrature") else self._rows()

    def _statistics(self) -> xr.Dataset:
        """Statistics of the expansion; those of the runs where it is not trusted."""
        levels = self._levels_of_quantiles
        names = ["mean", "std", "skewness", *map(level_name, levels)]
        out = np.empty((len(names), self._columns.count))
        trusted = np.flatnonzero(self._trusted)
        if trusted.size:
            part = self._expansion.select(trusted)
            out[:3, trusted] = part.moments(self._sample)
            out[3:, trusted] = part.quantiles(levels, self._sample)
        if trusted.size < out.shape[1]:
            runs = self._values[np.ix_(self._sample_rows(), np.flatnonzero(~self._trusted))]
            spread = std(runs)
            standard = np.divide(runs - runs.mean(axis=0), spread, out=np.zeros_like(runs), where=spread > 0)
            skewness = (standard**3).mean(axis=0)
            out[:, ~self._trusted] = np.stack([runs.mean(axis=0), sample_std(runs), skewness, *np.quantile(runs, levels, axis=0)])
        return self._columns.dataset(out, {"statistic": names})

    def _numbers(self, names: Iterable[str]) -> Columns:
        """One number of each of these outputs."""
        return Columns({name: replace(self._columns.outputs[name], axis=None) for name in names}, self._columns.time)

    def _aggregated(self, indices: dict[str, np.ndarray]) -> dict[str, xr.Dataset]:
        """Indices of whole histories, by kind."""
        numbers = self._numbers(self._columns.axes)
        if not numbers.count:
            return {}
        found = np.empty((len(indices), len(self._inputs), numbers.count))
        for j, name in enumerate(numbers.outputs):
            at = self._columns.slices[name]
            found[..., j] = [self._expansion.select(at).aggregated(each[:, at]) for each in indices.values()]
        return {"aggregated": numbers.dataset(found, {"kind": list(indices), "input": list(self._inputs)}, unit="")}

    def _cdf(self) -> dict[str, xr.Dataset]:
        """Distribution functions of the scalars."""
        scalars = self._columns.scalars
        if not scalars.count:
            return {}
        tables = [self._distribution(self._columns.slices[name].start) for name in scalars.outputs]
        labels = self._alpha | {"level": range(CDF_LEVELS), "column": ["value", "lower", "upper"]}
        return {"cdf": scalars.dataset(np.stack(tables, axis=-1), labels)}

    def _distribution(self, column: int) -> np.ndarray:
        """Of one column: value, and limits of the probability to be at most that, at equal steps in probability, (CDF_LEVELS, 3)."""
        levels = np.linspace(0, 1, CDF_LEVELS)
        if self._trusted[column]:
            value = self._expansion.select(slice(column, column + 1)).quantiles(levels, self._sample)[:, 0]
        else:
            value = np.quantile(self._values[self._sample_rows(), column], levels)
        return np.column_stack([value, levels, levels])

    def _convergence(self) -> dict[str, xr.Dataset]:
        """Mean, standard deviation and leave-one-out error of fits to the first of the runs, of a history the largest over time."""
        rows, columns = self._rows(FITTED), self._columns
        if self._weights is not None or self._warping is not None or len(rows) < 2 * _SMALLEST:
            return {}  # fits to a part of the runs have warped time lines of their own
        counts = np.unique(np.geomspace(max(_SMALLEST, len(rows) // 8), len(rows), _SIZES).astype(int))
        degrees = sorted({choice.degree for choice in self._choices})
        found = np.full((len(counts), 3, len(columns.slices)), np.nan)
        for i, count in enumerate(counts):
            try:
                known = self._choices if count > self._chosen_by else None
                fit, loo = (self._expansion, self._loo) if count == len(rows) else self._fit(rows[:count], degrees, known)[:2]
            except StudyError:
                continue  # these runs are fewer than the terms
            variance = fit.weights()
            for j, at in enumerate(columns.slices.values()):
                weight = variance[at].sum()
                error = loo[at] @ variance[at] / weight if weight > 0 else 0.0
                found[i, :, j] = np.abs(fit.mean()[at]).max(), fit.std()[at].max(), error
        labels = {"count": counts, "statistic": ["mean", "std", "loo"]}
        return {"convergence": self._numbers(columns.slices).dataset(found, labels)}

    def _attributes(self) -> dict:
        settings, failures = self.settings, count_failures(self._status)
        names = list(self._columns.slices)
        attrs = {
            "method": settings.name,
            "seed": self._seed,
            "design": settings.design,
            "truncation": settings.shape,
            "regression": "projection" if self._weights is not None else WORDS.get(settings.how, settings.how),
            "families": {name: item.name for name, item in zip(self._inputs, self._fitting.families)},
            "degree": {name: choice.degree for name, choice in zip(names, self._choices)},
            "terms": {name: len(choice.terms) for name, choice in zip(names, self._choices)},
            "candidates": len(self._fitting.indices),
            "loo_error": {name: float(choice.loo) for name, choice in zip(names, self._choices) if np.isfinite(choice.loo)},
            "components_left_out": {name: choice.left_out for name, choice in zip(names, self._choices)},
            "trust_tolerance": settings.trust_tolerance,
            "std_tolerance": settings.std_tolerance,
            "trusted_share": float(self._trusted.mean()),
            "expansion_sample": self._sample_points(),
            "skewness": "exact" if len(self._expansion.indices) <= EXACT_SKEWNESS else "from the sample of the expansion",
            "runs_fitted": len(self._rows(FITTED)),
            "runs_validation": len(self._rows(VALIDATION)),
            **failures,
        }
        if self._chosen_by < attrs["runs_fitted"]:
            attrs["runs_choosing_terms"] = self._chosen_by
        notes = left_out(failures, " of the fit")
        if self._weights is not None and len(self._rows(FITTED)) < len(self._weights):
            attrs["regression"] = "least_squares"
            notes.append("Gauss points are missing, so the expansion is a least-squares fit to the others")
        if not self._trusted.all():
            doubted = self._columns.in_words(~self._trusted)
            notes.append(
                f"where the expansion is not trusted (of {doubted}), statistics are those of {len(self._sample_rows())} runs, "
                "and the sensitivity indices are those of an expansion that does not hold"
            )
        attrs["notes"] = notes + self._about_indices() + self._about_quantiles()
        if self._warping is not None:
            attrs |= self._warping.facts()
            attrs["notes"] += self._warping.notes()
        return attrs
