"""Multi-level Monte Carlo: the mean of a fine model from many runs of coarse ones and few of fine ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.statistics.telescoping import fineness, quantile_of_sum, samples_by_level
from uqmbd.analysis.statistics.trust import horizons
from uqmbd.errors import StudyError
from uqmbd.facts import WARNINGS
from uqmbd.groups import CONVERGENCE, INNER, STATISTICS, TRUST_HORIZON, TRUSTED, GroupSpec
from uqmbd.inputs import Input
from uqmbd.inputs.quantity import Level
from uqmbd.methods.accuracy import allowed, require_positive, trusted_means
from uqmbd.methods.base import Method, count_failures
from uqmbd.methods.failures import left_out
from uqmbd.methods.probabilistic.multilevel_shown import LEVELS, PARTS, level_table, levels_figure
from uqmbd.methods.probabilistic.multilevel_sums import Sums
from uqmbd.methods.settling import Estimated, Settling
from uqmbd.methods.staged import Conclusion, FixedSampler
from uqmbd.request import Progress, Request, measured_costs

GROWTH = 2.0  # a step of the plan makes the pairs of a level no more than so many times as many
UNSEEN = 0.1  # of the error that is asked for: whether levels converge matters where more than this may be left
MOST_BIAS = 0.75  # of the error: beyond it scatter that is small enough takes too many runs
FIRST = 3  # levels whose first runs show how fast they converge


class MultilevelRun(FixedSampler):
    """Pairs of a level and the one below it on the same inputs; numbers of pairs by their variance and what they cost."""

    def __init__(self, settings: Multilevel, *study: Any) -> None:
        super().__init__(settings, *study)
        self.levels = np.array(settings.levels, float)
        self.fine = fineness(self.levels)
        self.reached = min(FIRST, len(self.levels))  # levels that are in use
        self._level: list[np.ndarray] = []  # of each run the number of its pair's level, and whether it is the fine one
        self._is_fine: list[np.ndarray] = []
        self._cost: Mapping[Any, Any] = {}
        self._streams = [generator(self.seed, k) for k in range(len(self.levels))]
        self._pairs = np.zeros(len(self.levels), np.int64)  # asked for
        self._short = False  # whether it ended at its largest number of runs
        self._settled = Settling(self.columns)

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
        points, control = [], []
        for k, count in enumerate(more.tolist()):
            if not count:
                continue
            u = unit_points("random", count, len(self.inputs), self._streams[k])
            for below in (0, 1) if k else (0,):
                points.append(u)
                control.append(np.full(count, self.levels[k - below]))
                self._level.append(np.full(count, k))
                self._is_fine.append(np.full(count, not below))
        self._pairs += more
        return Request(self.inputs.samples(np.concatenate(points)), {self.settings.control: np.concatenate(control)})

    def _more(self) -> np.ndarray:
        """Further pairs, (levels,); none where the error is reached, or cannot be."""
        more = np.zeros(len(self.levels), np.int64)
        sums, settings = self._sums(), self.settings
        mean, error = sums.mean, self._error(sums)
        self._settled.add(int(self.observed), {"mean": Estimated(mean, mean - error, mean + error, self._wanted(sums))})
        self.settle()
        budget = settings.most - int(self.observed)
        wanted, bias = self._wanted(sums), sums.bias()
        if self.reached < len(self.levels) and (bias > wanted / 2).any():
            self._short = budget < 2 * settings.pilot
            if not self._short:
                self.reached += 1
                more[self.reached - 1] = settings.pilot
                return more
        left = np.where(bias <= MOST_BIAS * wanted, wanted - bias, wanted / 2)
        scatter = left / quantile_of_sum(sums.variance, sums.count)
        numbers = samples_by_level(sums.variance, sums.cost, scatter**2)
        asked = self._pairs[: self.reached]
        numbers = np.ceil(numbers * asked / sums.count).astype(np.int64)  # as many of them are to be ok
        more[: self.reached] = np.clip(numbers - asked, 0, np.ceil((GROWTH - 1) * asked).astype(np.int64))
        runs = int((more * np.where(np.arange(len(more)) > 0, 2, 1)).sum())
        if runs > budget:
            more = more * budget // runs
            self._short = True
        return more

    def _costs(self) -> np.ndarray:
        """Of a pair of each level in use, (levels,): what is given, what was measured, or the same for all where that is nothing."""
        levels, given = self.levels[: self.reached], self.settings.costs
        known = measured_costs(self._cost, self.settings.control, levels)
        each = known if given is None else np.array(given[: self.reached], float)
        return each + np.concatenate([[0.0], each[:-1]])

    def _sums(self) -> Sums:
        return Sums(self, np.concatenate(self._level), np.concatenate(self._is_fine), self._costs())

    def _wanted(self, sums: Sums) -> np.ndarray:
        return allowed(self.settings.error, self.columns, sums.mean, "method.error")

    def _error(self, sums: Sums) -> np.ndarray:
        """Half the width of the limits of the mean, (columns,): its scatter, and what the finest level is off."""
        return quantile_of_sum(sums.variance, sums.count) * np.sqrt(sums.scatter) + sums.bias()

    def _conclude(self) -> Conclusion:
        sums = self._sums()
        wanted, bias = self._wanted(sums), sums.bias()
        error = self._error(sums)
        matters = self.columns.named(bias > UNSEEN * wanted)
        stuck = [name for name, one in sums.rates.items() if name in matters and (not one.falls or one.slow)]
        trusted = error <= wanted * (1 + 1e-9)  # rounding
        for name in stuck:
            trusted[self.columns.slices[name]] = False
        rows = {"mean": sums.mean, "std": sums.std, "mean_lower": sums.mean - error, "mean_upper": sums.mean + error, "mean_bias": bias}
        dataset = self.columns.dataset
        parts = np.stack([sums.difference, np.sqrt(sums.variance), sums.fine_std], axis=1)
        groups = {
            "inner": dataset(self.envelope(self._rows()), {"bound": ["lower", "upper"]}),
            "statistics": dataset(np.stack(list(rows.values())), {"statistic": list(rows)}),
            "trusted": trusted_means(self.columns, trusted, dict.fromkeys(stuck, "levels do not converge")),
            "trust_horizon": horizons(trusted, self.columns),
            "levels": dataset(parts, {"level": self.levels[: self.reached].tolist(), "part": list(PARTS)}),
            **self._settled.groups(),
        }
        failures = count_failures(self.status)
        diverging = self._diverging(sums, stuck)
        notes = left_out(failures, ": pairs of which a run fails are left out") + diverging + self._notes(sums, error > wanted, stuck)
        attrs = {
            "method": self.settings.name, "sampling": "random", "seed": self.seed, "confidence": 0.95, **failures,
            "level_pairs": sums.count.tolist(), "level_cost": sums.cost.tolist(), "level_control": self.settings.control,
            "level_rates": {name: one.known() for name, one in sums.rates.items()}, "notes": notes,
        }  # fmt: skip
        return groups, attrs | ({WARNINGS: diverging} if diverging else {})

    def _diverging(self, sums: Sums, stuck: list[str]) -> list[str]:
        """Sentences on outputs whose levels do not come closer, or too slowly."""
        slow = [f"{name} (order {sums.rates[name].alpha:.2g})" for name in stuck if sums.rates[name].falls]
        none = [name for name in stuck if not sums.rates[name].falls]
        control = self.settings.control
        notes = [f"levels do not converge: {', '.join(none)} does not come closer from one {control} to the next; its mean is not trusted"]
        notes = notes if none else []
        if slow:
            notes.append(f"levels converge more slowly than the limits of the mean hold: {', '.join(slow)}; its mean is not trusted")
        return notes

    def _notes(self, sums: Sums, beyond: np.ndarray, stuck: list[str]) -> list[str]:
        """Sentences on what is not reached, `beyond` (columns,) bool, and on limits that cannot be relied upon."""
        notes, settings = [], self.settings
        missed = [name for name in self.columns.named(beyond) if name not in stuck] if self._finished else []
        if missed and self._short:
            text = f"the error that was asked for needs more than most = {settings.most} runs"
            notes.append(f"{text}: the limits of the mean of {', '.join(missed)} are wider")
        elif missed:
            finest = f"the finest {settings.control}, {self.levels[self.reached - 1]:g}"
            notes.append(f"{finest}, is too coarse for the error of {', '.join(missed)}: add finer ones")
        if self.reached < FIRST:
            notes.append("two levels do not show how fast they converge: order 1 is taken for what the finer one is off")
        if skewed := self.columns.in_words(sums.skewed):
            notes.append(f"the differences of {skewed} are so skewed that the limits of the mean are too narrow: raise pilot")
        return notes


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
    accepts: ClassVar[frozenset[str]] = frozenset({"random", "integers", "choice"})
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "joint", "sampled"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (INNER, STATISTICS, TRUSTED, TRUST_HORIZON, CONVERGENCE, LEVELS)
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
        first = self.pilot * (2 * min(FIRST, len(self.levels)) - 1)
        if self.most < first:
            raise StudyError(f"the first runs alone are {first}", key="most", value=self.most, remedy=f"give {first} or more")
        return self

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.pilot * (2 * min(FIRST, len(self.levels)) - 1), self.most
