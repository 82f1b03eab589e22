"""Multi-level Monte Carlo: the mean of a fine model from many runs of coarse ones and few of fine ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.statistics.telescoping import Rates, rates, refinement, remaining_bias, samples_by_level
from uqmbd.errors import StudyError
from uqmbd.groups import ERROR, INNER, STATISTICS, TRUSTED, GroupSpec
from uqmbd.inputs import Input
from uqmbd.inputs.quantity import Level
from uqmbd.methods.accuracy import allowed, require_positive
from uqmbd.methods.base import Method, count_failures
from uqmbd.methods.failures import left_out
from uqmbd.methods.probabilistic.multilevel_shown import LEVELS, level_table, levels_figure
from uqmbd.methods.staged import Conclusion, FixedSampler
from uqmbd.request import Progress, Request

Z = 1.959963984540054  # 97.5 % quantile of the normal distribution: limits of 95 %
PARTS = ("difference", "difference_std", "std")
GROWTH = 2.0  # a step of the plan makes the pairs of a level no more than so many times as many


class MultilevelRun(FixedSampler):
    """Pairs of a level and the one below it on the same inputs; numbers of pairs by their variance and what they cost."""

    def __init__(self, settings: Multilevel, *study: Any) -> None:
        super().__init__(settings, *study)
        self.levels = np.array(settings.levels, float)
        self.ratio = refinement(self.levels)
        self.reached = min(3, len(self.levels))  # levels that are in use
        self._level: list[np.ndarray] = []  # of each run the number of its pair's level, and whether it is the fine one
        self._fine: list[np.ndarray] = []
        self._cost: Mapping[Any, Any] = {}
        self._streams = [generator(self.seed, k) for k in range(len(self.levels))]
        self._pairs = np.zeros(len(self.levels), np.int64)  # asked for
        self.short = ""  # why it ended before its error was reached

    def hear(self, progress: Progress) -> None:
        self._cost = progress.cost

    def _plan(self) -> Iterator[Any]:
        more = np.zeros(len(self.levels), np.int64)
        more[: self.reached] = self.settings.pilot
        while more.any():
            yield self._request(more)
            self._stop_if_too_many_failed()
            more = self._more()

    def _request(self, more: np.ndarray) -> Request:
        """So many further pairs of each level, (levels,)."""
        points, control, level, fine = [], [], [], []
        for k, count in enumerate(more.tolist()):
            if not count:
                continue
            u = unit_points("random", count, len(self.inputs), self._streams[k])
            for below in (0, 1) if k else (0,):
                points.append(u)
                control.append(np.full(count, self.levels[k - below]))
                level.append(np.full(count, k))
                fine.append(np.full(count, not below))
        self._level.append(np.concatenate(level))
        self._fine.append(np.concatenate(fine))
        self._pairs += more
        return Request(self.inputs.samples(np.concatenate(points)), {self.settings.control: np.concatenate(control)})

    def _more(self) -> np.ndarray:
        """Further pairs, (levels,); none where the error is reached, or cannot be."""
        nothing = np.zeros(len(self.levels), np.int64)
        sums, settings = self._sums(), self.settings
        budget = settings.most - int(self.observed)
        wanted = self._wanted(sums)
        bias = self._bias(sums)
        if self.reached < len(self.levels) and (bias > wanted / 2).any() and budget >= 2 * settings.pilot:
            self.reached += 1
            nothing[self.reached - 1] = settings.pilot
            return nothing
        scatter = np.maximum(wanted / 2, wanted - bias)
        numbers = samples_by_level(sums.variance, self._costs()[: self.reached], (scatter / Z) ** 2)
        more = nothing.copy()
        more[: self.reached] = np.maximum(numbers - self._pairs[: self.reached], 0)
        more = np.minimum(more, np.ceil((GROWTH - 1) * self._pairs).astype(np.int64))
        runs = more * np.where(np.arange(len(more)) > 0, 2, 1)
        if runs.sum() > budget:
            more = np.floor(more * max(budget, 0) / runs.sum()).astype(np.int64)
            self.short = f"the error that was asked for needs more than most = {settings.most} runs"
        return more

    def _costs(self) -> np.ndarray:
        """Of a pair of each level, (levels,): what is given, what was measured, or the same for all where that is nothing."""
        given = self.settings.costs
        if given is not None:
            each = np.array(given, float)
        else:
            each = np.ones(len(self.levels))
            for k, value in enumerate(self.levels.tolist()):
                cost = self._cost.get(((self.settings.control, value),))
                each[k] = cost.seconds / cost.runs if cost is not None and cost.runs and cost.seconds > 0 else np.nan
            each = np.where(np.isnan(each[: self.reached]).any(), 1.0, each)
        return each + np.concatenate([[0.0], each[:-1]])

    def _sums(self) -> Sums:
        level, fine = np.concatenate(self._level), np.concatenate(self._fine)
        return Sums(self, level, fine)

    def _wanted(self, sums: Sums) -> np.ndarray:
        return allowed(self.settings.error, self.columns, sums.mean, "method.error")

    def _rates(self, sums: Sums) -> dict[str, Rates]:
        """Of each output, from the root mean square over its columns."""
        found = {}
        for name, at in self.columns.slices.items():
            size = np.sqrt((sums.difference[1:, at] ** 2).mean(axis=1))
            error = np.sqrt((sums.variance[1:, at] / sums.count[1:, None]).mean(axis=1))
            found[name] = rates(size, error, sums.variance[1:, at].mean(axis=1), self._costs()[1 : self.reached], self.ratio)
        return found

    def _bias(self, sums: Sums) -> np.ndarray:
        found = self._rates(sums)
        parts = [remaining_bias(sums.difference[1:, at], found[name].alpha, self.ratio) for name, at in self.columns.slices.items()]
        return np.concatenate(parts)

    def _conclude(self) -> Conclusion:
        sums = self._sums()
        wanted, bias, found = self._wanted(sums), self._bias(sums), self._rates(sums)
        error = Z * np.sqrt((sums.variance / sums.count[:, None]).sum(axis=0)) + bias
        stuck = {name: not one.falls and bool((error > wanted)[self.columns.slices[name]].any()) for name, one in found.items()}
        trusted = error <= wanted
        trusted &= ~np.concatenate([np.full(at.stop - at.start, stuck[name]) for name, at in self.columns.slices.items()])
        rows = {"mean": sums.mean, "std": sums.std, "mean_lower": sums.mean - error, "mean_upper": sums.mean + error, "mean_bias": bias}
        dataset = self.columns.dataset
        parts = np.stack([sums.difference, np.sqrt(sums.variance), sums.fine_std], axis=1)
        used = self.levels[: self.reached].tolist()
        groups = {
            "inner": dataset(self.envelope(self._rows()), {"bound": ["lower", "upper"]}),
            "statistics": dataset(np.stack(list(rows.values())), {"statistic": list(rows)}),
            "error": dataset(error),
            "trusted": dataset(trusted, unit=""),
            "levels": dataset(parts, {"level": used, "part": list(PARTS)}),
        }
        failures = count_failures(self.status)
        attrs = {
            "method": self.settings.name, "sampling": "levels", "seed": self.seed, "confidence": 0.95, **failures,
            "level_pairs": sums.count.tolist(), "level_cost": self._costs()[: self.reached].tolist(),
            "level_control": self.settings.control,
            "level_rates": {name: {"alpha": one.alpha, "beta": one.beta, "gamma": one.growth} for name, one in found.items()},
            "notes": left_out(failures, ": a pair of which one fails is left out") + self._notes(wanted, error, bias, stuck),
        }  # fmt: skip
        return groups, attrs

    def _notes(self, wanted: np.ndarray, error: np.ndarray, bias: np.ndarray, stuck: Mapping[str, bool]) -> list[str]:
        """Sentences on what is not reached."""
        said = "".join(f", {name}" for name, is_so in stuck.items() if is_so)[2:]
        control = self.settings.control
        notes = [f"levels do not converge: {said} does not come closer from one {control} to the next, and its mean is not to be trusted"]
        notes = notes if said else []
        missed = self.columns.in_words(error > wanted)
        if missed and self.short:
            notes.append(f"{self.short}: the limits of the mean of {missed} are wider")
        elif missed and not said:
            notes.append(
                f"the finest {control}, {self.levels[self.reached - 1]:g}, is too coarse for the error of {missed}: add finer ones"
            )
        if self.reached == 2:
            notes.append("two levels do not show how fast they converge: order 1 is taken for what the finer one is off")
        return notes


class Sums:
    """What the pairs so far say, of the levels in use.

    Attributes
    ----------
    count : ndarray, shape (levels,)
        Pairs of which both runs are ok.
    difference, variance : ndarray, shape (levels, columns)
        Mean and variance of fine minus coarse; of the first level of its runs.
    fine_std : ndarray, shape (levels, columns)
    mean, std : ndarray, shape (columns,)
        Telescoping sums; the deviation is NaN where that of the variance is negative.
    """

    def __init__(self, run: MultilevelRun, level: np.ndarray, fine: np.ndarray) -> None:
        shape = (run.reached, run.columns.count)
        self.count = np.zeros(run.reached, np.int64)
        self.difference, self.variance, self.fine_std = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        spread = np.zeros(run.columns.count)
        for k in range(run.reached):
            here, below = np.flatnonzero((level == k) & fine), np.flatnonzero((level == k) & ~fine)
            ok = run.status[here] == 0
            if k:
                ok &= run.status[below] == 0
            self.count[k] = np.count_nonzero(ok)
            if self.count[k] < 2:
                text = f"fewer than two pairs of the level {run.levels[k]:g} are ok"
                raise StudyError(text, key="method.pilot", value=run.settings.pilot, remedy="mend the model there, or raise pilot")
            values = run.values[here[ok]]
            coarse = run.values[below[ok]] if k else np.zeros_like(values)
            self.difference[k] = (values - coarse).mean(axis=0)
            self.variance[k] = (values - coarse).var(axis=0, ddof=1)
            self.fine_std[k] = values.std(axis=0, ddof=1)
            spread += values.var(axis=0, ddof=1) - coarse.var(axis=0, ddof=1)
        self.mean = self.difference.sum(axis=0)
        with np.errstate(invalid="ignore"):
            self.std = np.sqrt(spread)


class Multilevel(Method):
    """The mean at the finest of several levels, from many runs of coarse levels and few of fine ones (Giles 2015), with 95 % limits.

    Levels are values of a control: a step, a tolerance, a mesh (docs/plugins.md). Each further level is run in pairs with the one below it
    on the same inputs; the mean is the sum of their differences. How many pairs each level has follows from the variances and from the
    seconds that runs take. The limits hold the scatter and what the finest level is off, as the fall of the differences shows it. Levels
    that do not come closer are said, and their mean is not trusted.

    Attributes
    ----------
    control : str
        What levels are of: ``"step"``, ``"tolerance"``, ``"level"`` ...
    levels : list of float
        Its values, coarse to fine, two or more; three or more show how fast they converge. Fine ones are run only where they are needed.
    error : float or str
        Of the mean, half the width of its limits: a share of the largest mean of each output, ``"1 %"``, or a number in the output's unit.
    pilot : int
        Pairs of each level that show its variance and cost.
    most : int
        Largest number of runs.
    costs : list of float, optional
        Of a run of each level, instead of what is measured: numbers of runs then do not depend on the machine.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def decay(rate, steps=4):  # Euler's method for x' = -rate x
    ...     return {"x": (1.0 - rate / steps) ** steps}
    >>> method = uq.Multilevel(control="steps", levels=[4, 8, 16, 32, 64], error="1 %", costs=[4, 8, 16, 32, 64])
    >>> study = uq.Study(model=decay, inputs={"rate": uq.Uniform(0.5, 1.5)}, outputs=["x"], method=method, name="decay")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> round(float(result.statistics["x"].sel(statistic="mean")), 2), bool(result["trusted"]["x"])  # 0.383
    (0.38, True)
    """

    name: ClassVar[str] = "multilevel"
    accepts: ClassVar[frozenset[str]] = frozenset({"random"})
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "joint", "sampled"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (INNER, STATISTICS, ERROR, TRUSTED, LEVELS)
    figures: ClassVar[tuple[Any, ...]] = (levels_figure,)
    tables: ClassVar[tuple[Any, ...]] = (level_table,)
    run: ClassVar[type] = MultilevelRun

    control: str = Field(min_length=1)
    levels: list[float] = Field(min_length=2)
    error: Level
    pilot: int = Field(default=32, ge=4)
    most: int = Field(default=100_000, ge=1)
    costs: list[float] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        rise = np.diff(self.levels)
        if not ((rise > 0).all() or (rise < 0).all()):
            raise StudyError("levels go from coarse to fine", key="levels", value=list(self.levels), remedy="sort them, none twice")
        require_positive(self.error, "error")
        if self.costs is not None and (len(self.costs) != len(self.levels) or min(self.costs) <= 0):
            text = f"costs are one positive number for each of the {len(self.levels)} levels"
            raise StudyError(text, key="costs", value=list(self.costs), remedy="give as many, or leave them out: they are measured")
        first = self.pilot * (2 * min(3, len(self.levels)) - 1)
        if self.most < first:
            raise StudyError(f"the first runs alone are {first}", key="most", value=self.most, remedy=f"give {first} or more")
        return self

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.pilot * (2 * min(3, len(self.levels)) - 1), self.most
