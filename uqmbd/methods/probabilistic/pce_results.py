"""What follows from an expansion of all columns: statistics, Sobol' indices, distribution functions, convergence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import xarray as xr

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.columnwise import sample_std, std
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.base.threads import one_thread
from uqmbd.analysis.chaos import dependent_indices
from uqmbd.analysis.chaos.expansion import EXACT_SKEWNESS, SAMPLE, cube_sample
from uqmbd.analysis.statistics.order_statistics import level_name
from uqmbd.errors import StudyError
from uqmbd.methods.probabilistic.expanded import CDF_LEVELS, IN_TAIL, ExpandedRun
from uqmbd.methods.staged import Conclusion
from uqmbd.questions import answers_of
from uqmbd.questions.base import Answer, SurrogateContext
from uqmbd.surrogates.base import NODE, VALIDATION
from uqmbd.surrogates.chaos_fit import SAMPLED
from uqmbd.surrogates.warped import POINTS

_SIZES = 6  # of the nested subsets that show convergence
_SMALLEST = 10  # runs
_LARGEST = 2**20  # points of the expansion's sample


class StatisticsRun(ExpandedRun):
    """The statistics of an expansion, and its Sobol' indices."""

    @one_thread
    def _conclude(self) -> Conclusion:
        self.assess()
        columns, inputs = self.columns, list(self.inputs)
        self._sample = cube_sample(len(self.inputs), generator(self.seed, SAMPLED), self._sample_points())
        answers, bound = self._answers(), self.inputs.dependence
        indices, second = self._indices()
        kinds, pairs = indices | answers.sensitivity, [] if bound else ["*".join(pair) for pair in combinations(inputs, 2)]
        groups: dict[str, Any] = answers.groups | {
            "sensitivity": columns.dataset(np.stack(list(kinds.values())), {"kind": list(kinds), "input": inputs}, unit=""),
            "statistics": self._statistics(),
            **self._aggregated(indices),
            **({"interaction": columns.dataset(second, {"pair": pairs}, unit="")} if pairs and second is not None else {}),
            **self._convergence(),
        }
        return self._groups(self._ends, self.error, self.trusted) | groups, self._attributes()

    def _indices(self) -> tuple[dict[str, np.ndarray], np.ndarray | None]:
        """By kind, (d, columns): Sobol' indices, or where inputs depend on each other what does not depend on their order; and pairs."""
        bound = self.inputs.dependence
        if bound is None:
            first, total, second = self.expansion.shares()
            return {"first": first, "total": total}, second
        at = [i for i, name in enumerate(self.inputs) if name in bound.names]
        factor = np.linalg.cholesky(bound.gaussian([name for name in self.inputs if name in bound.names]))
        by_kind = dependent_indices.indices(self.surrogate.polynomials, at, factor)
        return {kind: np.where(self.surrogate.warped, np.nan, array) for kind, array in by_kind.items()}, None

    def _about_indices(self) -> list[str]:
        """Sentences about indices of inputs that depend on each other."""
        bound, notes = self.inputs.dependence, []
        if joint := self.inputs.joint:
            notes.append(
                f"the expansion is in the independent variables of Rosenblatt's transformation of {', '.join(joint)}, each given those "
                "before it: the indices of these inputs are those of these variables, and depend on their order"
            )
        if bound is None:
            return notes
        notes += [
            f"{', '.join(bound.names)} depend on each other, so there are no Sobol' indices; those given do not depend on the order of the "
            "inputs: Shapley effects, which add up to 1; what an input explains with all that it says of others (first_full); what the "
            "others do not explain (total_independent)"
        ]
        if len(bound.names) > dependent_indices.MOST:
            notes.append(
                f"Shapley effects are given of up to {dependent_indices.MOST} inputs that depend on each other, not of {len(bound.names)}"
            )
        if (warped := self.surrogate.warped).any():
            warped = self.columns.in_words(warped)
            notes.append(f"of {warped}, whose time line is warped, there are no indices where inputs depend on each other")
        return notes

    def _answers(self) -> Answer:
        """To the questions besides the indices, of which a sample has few points where each is asked many times."""
        answer, asked = Answer(), {*self.settings.questions, *self.surrogate.always_asked()}
        for name, points in (("bounds", self._sample), ("width", self._sample[:POINTS])):
            if name in asked:
                over = self.surrogate.over_box(points)
                subject = SurrogateContext(self.inputs, self.columns, over, self._ends, self.error, self.trusted)
                answer = answer.joined(answers_of(subject, [name], but=()))
        return answer

    def _sample_points(self) -> int:
        """Enough beyond the outermost quantile."""
        tail = min(min(p, 1 - p) for p in self._levels_of_quantiles)
        return int(min(max(SAMPLE, 2 ** np.ceil(np.log2(IN_TAIL / tail))), _LARGEST))

    def _sample_rows(self) -> np.ndarray:
        """Runs that are a sample of the inputs' distribution."""
        return self._rows() if self.settings.sampling else self._rows(VALIDATION)

    def _statistics(self) -> xr.Dataset:
        """Statistics of the expansion; those of the runs where it is not trusted."""
        levels = self._levels_of_quantiles
        names = ["mean", "std", "skewness", *map(level_name, levels)]
        out = np.empty((len(names), self.columns.count))
        trusted = np.flatnonzero(self.trusted)
        if trusted.size:
            part = self.expansion.select(trusted)
            out[:3, trusted] = part.moments(self._sample)
            out[3:, trusted] = part.quantiles(levels, self._sample)
        if trusted.size < out.shape[1]:
            runs = self.values[np.ix_(self._sample_rows(), np.flatnonzero(~self.trusted))]
            spread = std(runs)
            standard = np.divide(runs - runs.mean(axis=0), spread, out=np.zeros_like(runs), where=spread > 0)
            skewness = (standard**3).mean(axis=0)
            out[:, ~self.trusted] = np.stack([runs.mean(axis=0), sample_std(runs), skewness, *np.quantile(runs, levels, axis=0)])
        return self.columns.dataset(out, {"statistic": names})

    def _numbers(self, names: Iterable[str]) -> Columns:
        """One number of each of these outputs."""
        return Columns({name: replace(self.columns.outputs[name], axis=None) for name in names}, self.columns.time)

    def _aggregated(self, indices: dict[str, np.ndarray]) -> dict[str, xr.Dataset]:
        """Indices of whole histories, by kind."""
        numbers = self._numbers(self.columns.axes)
        if not numbers.count:
            return {}
        aggregated = np.empty((len(indices), len(self.inputs), numbers.count))
        for j, name in enumerate(numbers.outputs):
            at = self.columns.slices[name]
            aggregated[..., j] = [self.expansion.select(at).aggregated(each[:, at]) for each in indices.values()]
        return {"aggregated": numbers.dataset(aggregated, {"kind": list(indices), "input": list(self.inputs)}, unit="")}

    def _distribution(self, column: int) -> np.ndarray:
        """Of one column: value, and limits of the probability to be at most that, at equal steps in probability, (CDF_LEVELS, 3)."""
        levels = np.linspace(0, 1, CDF_LEVELS)
        if self.trusted[column]:
            value = self.expansion.select(slice(column, column + 1)).quantiles(levels, self._sample)[:, 0]
        else:
            value = np.quantile(self.values[self._sample_rows(), column], levels)
        return np.column_stack([value, levels, levels])

    def _convergence(self) -> dict[str, xr.Dataset]:
        """Mean, standard deviation and leave-one-out error of fits to the first of the runs, of a history the largest over time."""
        rows, columns, found_by = self._rows(NODE), self.columns, self.surrogate.last
        if self.surrogate.weights is not None or self.settings.warp is not None or len(rows) < 2 * _SMALLEST:
            return {}  # fits to a part of the runs have warped time lines of their own
        counts = np.unique(np.geomspace(max(_SMALLEST, len(rows) // 8), len(rows), _SIZES).astype(int))
        degrees = sorted({choice.degree for choice in found_by.choices})
        table = np.full((len(counts), 3, len(columns.slices)), np.nan)
        for i, count in enumerate(counts):
            try:
                known = found_by.choices if count > found_by.chosen_by else None
                fit, loo = (self.expansion, found_by.loo) if count == len(rows) else self.surrogate.fit_to(rows[:count], degrees, known)[:2]
            except StudyError:
                continue  # these runs are fewer than the terms
            variance = fit.weights()
            for j, at in enumerate(columns.slices.values()):
                weight = variance[at].sum()
                error = loo[at] @ variance[at] / weight if weight > 0 else 0.0
                table[i, :, j] = np.abs(fit.mean()[at]).max(), fit.deviation()[at].max(), error
        labels = {"count": counts, "statistic": ["mean", "std", "loo"]}
        return {"convergence": self._numbers(columns.slices).dataset(table, labels)}

    def _attributes(self) -> dict[str, Any]:
        attrs = super()._attributes()
        attrs["expansion_sample"] = self._sample_points()
        attrs["skewness"] = "exact" if len(self.expansion.indices) <= EXACT_SKEWNESS else "from the sample of the expansion"
        if not self.trusted.all():
            doubted = self.columns.in_words(~self.trusted)
            attrs["notes"].append(
                f"where the expansion is not trusted (of {doubted}), statistics are those of {len(self._sample_rows())} runs, "
                "and the sensitivity indices are those of an expansion that does not hold"
            )
        attrs["notes"] += self._about_indices() + self._about_quantiles() + self.surrogate.notes(self.trusted)
        return attrs
