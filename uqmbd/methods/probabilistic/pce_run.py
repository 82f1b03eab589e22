"""The run of a polynomial chaos study: one design, a fit of all columns, and what follows from its coefficients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from uqmbd.analysis import regression, trust
from uqmbd.analysis.basis_change import chebyshev_of
from uqmbd.analysis.chaos_expansion import EXACT_SKEWNESS, SAMPLE, Expansion, cube_sample
from uqmbd.analysis.families import Family, family, hermite, legendre
from uqmbd.analysis.order_statistics import level_name
from uqmbd.analysis.streams import generator
from uqmbd.analysis.threads import one_thread
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.space import Space
from uqmbd.methods.base import count_failures
from uqmbd.methods.checks import checks
from uqmbd.methods.design import unit_points
from uqmbd.methods.failures import MEND
from uqmbd.methods.probabilistic.pce_design import d_optimal, tensor_gauss
from uqmbd.methods.probabilistic.pce_fit import Fit, Fitted
from uqmbd.methods.quantile_levels import levels_of, too_far_out
from uqmbd.methods.staged import StagedRun
from uqmbd.outcomes import OutputInfo
from uqmbd.questions import answers_of
from uqmbd.questions.base import Answer, Asked
from uqmbd.result import Result
from uqmbd.surrogates.kept import kept, of_germ

if TYPE_CHECKING:
    from uqmbd.methods.probabilistic.pce import PCE

FITTED, VALIDATION, SAMPLED = range(3)  # the last is no run: random numbers with which the expansion is sampled
WORDS = {"sparse": "lars for scalars, omp for histories"}
CDF_LEVELS = 201
FEW_CHECKS = 100  # validation runs; where there are fewer, fitted runs that are left out in turn count as well
_SIZES = 6  # of the nested subsets that show convergence
_SMALLEST = 10  # runs
_IN_TAIL = 16  # points of the expansion's sample beyond the outermost quantile
_LARGEST = 2**20  # points of that sample


def family_of(space: Space, name: str, degree: int) -> Family:
    """The polynomials of one input, as functions of the independent u that `Space.samples` takes.

    Inputs that depend on each other by a copula are smooth functions of normal variables, so they have Hermite polynomials.
    """
    item = space[name]
    if item.kind == "interval":
        return legendre()
    if space.dependence is not None and name in space.dependence.names:
        return hermite("hermite of the normal score")
    return family(item.ppf, getattr(item, "named", None), degree=degree)


class PCERun(StagedRun):
    """Asks once, for the runs that are fitted and those for validation."""

    def __init__(self, settings: PCE, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int) -> None:
        super().__init__(inputs, outputs, time, seed)
        self.settings = settings
        self._counts = settings.counts(self._inputs)
        self._degrees = settings.candidates(self._inputs, self._counts[0])
        self._indices = settings.terms(self._inputs, self._degrees[-1])
        self._families = [family_of(self._inputs, name, int(k)) for name, k in zip(self._inputs, self._indices.max(axis=0))]
        self._fitting = Fit(settings, self._families, self._indices, self._degrees, self._columns)
        self._weights: np.ndarray | None = None

    def _plan(self) -> Iterator[bool]:
        """One step: all runs."""
        settings, (fitted, kept), d = self.settings, self._counts, len(self._inputs)
        if settings.design == "quadrature":
            u, self._weights = tensor_gauss(self._families, settings.by_input(self._inputs))
        elif settings.design == "doptimal":
            u = d_optimal(self._families, self._indices, fitted, generator(self._seed, FITTED))
        else:
            u = unit_points(settings.design, fitted + kept, d, generator(self._seed, FITTED))
        self._add(2 * u[:fitted] - 1, FITTED)
        if len(u) > fitted:
            self._add(2 * u[fitted:] - 1, VALIDATION)
        else:
            self._add_random(kept, VALIDATION)
        yield True

    @property
    def _u(self) -> np.ndarray:
        return (self._points + 1) / 2

    def expansion(self) -> Expansion:
        """The expansion that is fitted to the runs told so far."""
        return self._fit(self._rows(FITTED)).expansion

    def _fit(self, rows: np.ndarray, degrees: list[int] | None = None, choices: list[regression.Choice] | None = None) -> Fitted:
        """What some runs say."""
        u, values = self._u[rows], self._values[rows]
        if self._weights is not None and len(rows) == len(self._weights):
            return self._fitting.project(u, values, self._weights)
        return self._fitting.regress(u, values, degrees, choices)

    def _assess(self) -> None:
        """Expansion, validated error and trust of every column, and what the checks of it are."""
        self._stop_if_too_many_failed(self.settings)
        rows, fresh = self._rows(FITTED), self._rows(VALIDATION)
        if not fresh.size:
            raise StudyError(
                "all validation runs failed, so nothing is known about the error of the expansion", remedy=f"{MEND}, or give it more runs"
            )
        if not rows.size:
            raise StudyError("all runs that would be fitted failed, so there is nothing to expand", remedy=f"{MEND}, or give it more runs")
        self._expansion, self._loo, missed, self._choices, self._chosen_by = self._fit(rows)
        values = self._values[self._rows()]
        said = self._expansion.evaluate(self._u[fresh])
        error = np.abs(said - self._values[fresh]).max(axis=0)
        if len(fresh) < FEW_CHECKS:
            error = np.fmax(error, missed)
        self._checks = checks(self._columns, fresh, self._values[fresh], said)
        slices, reached = self._columns.slices.values(), np.stack([values.min(axis=0), values.max(axis=0)])
        allowed = self.settings.trust_tolerance, self.settings.std_tolerance
        self._missed = error
        self._error, self._trusted = trust.assessed(error, slices, reached, *allowed, values.std(axis=0))

    @one_thread
    def result(self) -> Result:
        self._require_finished()
        self._assess()
        columns, expansion = self._columns, self._expansion
        values = self._values[self._rows()]
        self._sample = cube_sample(len(self._inputs), generator(self._seed, SAMPLED), self._sample_points())
        first, total = expansion.first(), expansion.total()
        inputs, pairs = list(self._inputs), ["*".join(pair) for pair in combinations(self._inputs, 2)]
        histories = list(columns.axes)
        kinds = {"kind": ["first", "total"], "input": inputs}
        answers = self._answers()
        kinds["kind"] += list(answers.sensitivity)
        return Result(
            **answers.groups,
            inner=columns.dataset(np.stack([values.min(axis=0), values.max(axis=0)]), {"bound": ["lower", "upper"]}),
            error=columns.dataset(self._error),
            trusted=columns.dataset(self._trusted, unit=""),
            trust_horizon=trust.horizons(self._trusted, columns),
            validation=self._checks,
            statistics=self._statistics(),
            sensitivity=columns.dataset(np.stack([first, total, *answers.sensitivity.values()]), kinds, unit=""),
            aggregated=self._aggregated(histories, np.stack([first, total]), kinds | {"kind": ["first", "total"]}),
            interaction=columns.dataset(expansion.second(), {"pair": pairs}, unit="") if pairs else xr.Dataset(),
            cdf=self._cdf(),
            convergence=self._convergence(),
            surrogates=self._kept(),
            attrs=self._attributes(),
        )

    def _answers(self) -> Answer:
        """To the questions besides the indices."""
        if set(self.settings.questions) <= {"indices"}:
            return Answer()
        values = self._values[self._rows()]
        reached = np.stack([values.min(axis=0), values.max(axis=0)])
        subject = Asked(self._inputs, self._columns, chebyshev_of(self._expansion), reached, self._error, self._trusted)
        found = answers_of(subject, self.settings.questions, but=("indices",))
        merged = {key: group for answer in found for key, group in answer.groups.items()}
        return Answer({kind: part for answer in found for kind, part in answer.sensitivity.items()}, merged)

    def _kept(self) -> xr.Dataset:
        """The expansion, to be asked again; not where inputs depend on each other, or have a few values only."""
        if not isinstance(self._expansion, Expansion) or self._inputs.dependence is not None:
            return xr.Dataset()
        degrees = self._expansion.indices.max(axis=0)
        items = zip(self._inputs.items(), self._families, degrees, strict=True)
        axes = [of_germ(name, item, family, int(degree)) for (name, item), family, degree in items]
        return xr.Dataset() if None in axes else kept(axes, self._expansion, self._columns, self._error)

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
            part = self._expansion.columns(trusted)
            out[:3, trusted] = part.mean(), part.std(), part.skewness(self._sample)
            out[3:, trusted] = part.quantiles(levels, self._sample)
        if trusted.size < out.shape[1]:
            runs = self._values[np.ix_(self._sample_rows(), np.flatnonzero(~self._trusted))]
            centred = runs - runs.mean(axis=0)
            spread = runs.std(axis=0)
            skewness = np.divide((centred**3).mean(axis=0), spread**3, out=np.zeros_like(spread), where=spread > 0)
            std = runs.std(axis=0, ddof=1) if len(runs) > 1 else np.full(runs.shape[1], np.nan)
            out[:, ~self._trusted] = np.stack([runs.mean(axis=0), std, skewness, *np.quantile(runs, levels, axis=0)])
        return self._columns.dataset(out, {"statistic": names})

    def _aggregated(self, histories: list[str], indices: np.ndarray, kinds: dict[str, list[str]]) -> xr.Dataset:
        """Indices of whole histories."""
        found = {}
        for name in histories:
            at = self._columns.slices[name]
            part = self._expansion.columns(at)
            found[name] = (tuple(kinds), np.stack([part.aggregated(each[:, at]) for each in indices]), {"unit": ""})
        return xr.Dataset(found, {dim: np.array(words, dtype=object) for dim, words in kinds.items()} if found else None)

    def _cdf(self) -> xr.Dataset:
        """Distribution functions of the scalars, at values of equal steps in probability."""
        levels, found = np.linspace(0, 1, CDF_LEVELS), {}
        for name, info in self._columns.outputs.items():
            at = self._columns.slices[name]
            if info.axis:
                continue
            if self._trusted[at.start]:
                value = self._expansion.columns(at).quantiles(levels, self._sample)[:, 0]
            else:
                value = np.quantile(self._values[self._sample_rows(), at.start], levels)
            found[name] = (("level", "column"), np.column_stack([value, levels, levels]), {"unit": info.unit})
        coords = {"level": np.arange(CDF_LEVELS), "column": np.array(["value", "lower", "upper"], dtype=object)}
        return xr.Dataset(found, coords if found else None)

    def _convergence(self) -> xr.Dataset:
        """Mean, standard deviation and leave-one-out error of fits to the first of the runs, of a history the largest over time."""
        rows, columns = self._rows(FITTED), self._columns
        if self._weights is not None or len(rows) < 2 * _SMALLEST:
            return xr.Dataset()
        counts = np.unique(np.geomspace(max(_SMALLEST, len(rows) // 8), len(rows), _SIZES).astype(int))
        degrees = sorted({choice.degree for choice in self._choices})
        found = np.full((len(counts), 3, len(columns.slices)), np.nan)
        for i, count in enumerate(counts):
            try:
                known = self._choices if count > self._chosen_by else None
                fit, loo = (self._expansion, self._loo) if count == len(rows) else self._fit(rows[:count], degrees, known)[:2]
            except StudyError:
                continue  # these runs are fewer than the terms
            variance = fit.variance()
            for j, at in enumerate(columns.slices.values()):
                weight = variance[at].sum()
                error = loo[at] @ variance[at] / weight if weight > 0 else 0.0
                found[i, :, j] = np.abs(fit.mean()[at]).max(), fit.std()[at].max(), error
        found_by_name = {
            name: (("count", "statistic"), found[:, :, j], {"unit": columns.outputs[name].unit}) for j, name in enumerate(columns.slices)
        }
        return xr.Dataset(found_by_name, {"count": counts, "statistic": np.array(["mean", "std", "loo"], dtype=object)})

    def _attributes(self) -> dict:
        settings, failures = self.settings, count_failures(self._status)
        names = list(self._columns.slices)
        attrs = {
            "method": settings.name,
            "seed": self._seed,
            "design": settings.design,
            "truncation": settings.shape,
            "regression": "projection" if self._weights is not None else WORDS.get(settings.how, settings.how),
            "families": {name: item.name for name, item in zip(self._inputs, self._families)},
            "degree": {name: choice.degree for name, choice in zip(names, self._choices)},
            "terms": {name: len(choice.terms) for name, choice in zip(names, self._choices)},
            "candidates": len(self._indices),
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
        notes = []
        if failures["runs_failed"]:
            notes.append(f"{failures['runs_failed']} of {failures['runs']} runs failed and are left out of the fit")
            if self._weights is not None and len(self._rows(FITTED)) < len(self._weights):
                attrs["regression"] = "least_squares"
                notes.append("Gauss points are missing, so the expansion is a least-squares fit to the others")
        if not self._trusted.all():
            notes.append(
                f"where the result is not trusted, statistics are those of {len(self._sample_rows())} runs; "
                "the Sobol' indices there are those of an expansion that does not hold"
            )
        attrs["notes"] = notes + self._about_quantiles()
        return attrs
