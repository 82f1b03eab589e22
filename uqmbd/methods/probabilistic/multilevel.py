"""Multi-level Monte Carlo: means, quantiles and probabilities of a fine model from many runs of coarse ones and few of fine ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.columns import SAID
from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.statistics.telescoping import Rates, fineness, quantile_of_sum, samples_by_level
from uqmbd.analysis.statistics.trust import horizons
from uqmbd.errors import StudyError
from uqmbd.facts import WARNINGS
from uqmbd.groups import CONVERGENCE, INNER, STATISTICS, TRUST_HORIZON, TRUSTED, GroupSpec
from uqmbd.inputs import Input
from uqmbd.methods.accuracy import Wanted, allowed, trusted_means
from uqmbd.methods.base import Method, count_failures
from uqmbd.methods.beyond import BEYOND, Beyond, beyond_group, beyond_table, passed
from uqmbd.methods.failures import left_out
from uqmbd.methods.probabilistic.multilevel_shown import LEVELS, PARTS, level_table, levels_figure
from uqmbd.methods.probabilistic.multilevel_stated import NOUNS, probabilities, settled, statistics_rows, wanted_of
from uqmbd.methods.probabilistic.multilevel_sums import Sums
from uqmbd.methods.quantile_levels import Quantiles
from uqmbd.methods.settling import Settling
from uqmbd.methods.staged import Conclusion, FixedSampler
from uqmbd.request import Progress, Request, measured_costs

GROWTH = 2.0  # a step of the plan makes the pairs of a level no more than so many times as many
UNSEEN = 0.1  # of the error that is asked for: whether levels converge matters where more than this may be left
DOUBT = 2.0  # deviations of what shares of neighbouring levels differ by, within which a difference may be nothing
MOST_BIAS = 0.75  # of the error: beyond it scatter that is small enough takes too many runs
FIRST = 3  # levels whose first runs show how fast they converge
FLAT = 0.1  # an order of variances below it is none


class MultilevelRun(FixedSampler):
    """Pairs of a level and the one below it on the same inputs; numbers of pairs by their variance and what they cost."""

    def __init__(self, settings: Multilevel, *study: Any) -> None:
        super().__init__(settings, *study)
        self.levels = np.array(settings.levels, float)
        self.fine = fineness(self.levels)
        self.errors: dict[str, Any] = settings.error.asked  # half the width of limits, by statistic
        self.quantiles = () if settings.quantiles is None else settings.quantiles
        self.limits = passed(settings.beyond, self.columns.outputs)
        self._require_numbers()
        self.reached = min(FIRST, len(self.levels))  # levels that are in use
        self._level: list[np.ndarray] = []  # of each run the number of its pair's level, and whether it is the fine one
        self._is_fine: list[np.ndarray] = []
        self._cost: Mapping[Any, Any] = {}
        self._streams = [generator(self.seed, k) for k in range(len(self.levels))]
        self._pairs = np.zeros(len(self.levels), np.int64)  # asked for
        self._short = False  # whether it ended at its largest number of runs
        self._settled = Settling(self.columns)
        for what in {"mean", "std"} & self.errors.keys():  # an error in another unit than the outputs is said before there are runs
            key = "method.error" if what == "mean" else f"method.error.{what}"
            allowed(self.errors[what], self.columns, np.zeros(self.columns.count), key)

    def _require_numbers(self) -> None:
        if "quantile" in self.errors and not self.columns.scalars.count:
            remedy = "ask for a number too, x:max, say; or for an error of the mean"
            raise StudyError("no output is a number, whose quantiles are looked at", key="method.error.quantile", remedy=remedy)

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
        """Further pairs, (levels,); none where the errors are reached, or cannot be."""
        more = np.zeros(len(self.levels), np.int64)
        sums, settings = self._sums(), self.settings
        self._settled.add(int(self.observed), settled(sums, self.errors, self.limits, self.columns))
        self.settle()
        budget = settings.most - int(self.observed)
        parts, wanted = [sums.part(what) for what in self.errors], self._wanted(sums)
        doubts = [0.0 if what == "mean" else DOUBT for what in self.errors]  # of shares bias is mostly scatter at first
        sure = np.concatenate([part.bias(doubt) for part, doubt in zip(parts, doubts, strict=True)])
        if self.reached < len(self.levels) and (sure > wanted / 2).any():
            return self._finer(more, budget)
        bias, variance = np.concatenate([part.bias() for part in parts]), np.concatenate([part.variance for part in parts], axis=1)
        off = np.concatenate([part.off for part in parts])
        left = np.where(off <= MOST_BIAS * wanted, wanted - off, wanted / 2)
        scatter = left / quantile_of_sum(variance, sums.count)
        numbers = samples_by_level(variance, sums.cost, scatter**2)
        asked = self._pairs[: self.reached]
        numbers = np.ceil(numbers * asked / sums.count).astype(np.int64)  # as many of them are to be ok
        more[: self.reached] = np.clip(numbers - asked, 0, np.ceil((GROWTH - 1) * asked).astype(np.int64))
        if self.reached < len(self.levels) and not more.any() and (bias > wanted / 2).any():
            return self._finer(more, budget)
        runs = int((more * np.where(np.arange(len(more)) > 0, 2, 1)).sum())
        if runs > budget:
            more = more * budget // runs
            self._short = True
        return more

    def _finer(self, more: np.ndarray, budget: int) -> np.ndarray:
        """First pairs of the next level, where the `budget` has runs for them."""
        self._short = budget < 2 * self.settings.pilot
        if not self._short:
            self.reached += 1
            more[self.reached - 1] = self.settings.pilot
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
        """Largest error of all columns of what is asked for."""
        return np.concatenate([wanted_of(what, error, sums, self.columns) for what, error in self.errors.items()])

    def _conclude(self) -> Conclusion:
        sums = self._sums()
        trusted, stuck, missed = np.ones(self.columns.count, bool), {}, []
        for what, asked in self.errors.items():
            part, wanted = sums.part(what), wanted_of(what, asked, sums, self.columns)
            matters = part.named(part.bias() > UNSEEN * wanted)
            held = part.half <= wanted * (1 + 1e-9)  # rounding
            none = {name: one for name, one in part.rates.items() if name in matters and (not one.falls or one.slow)}
            stuck |= none
            missed += [name for name in part.named(~held) if name not in none]
            for (name, at), output in zip(part.slices.items(), part.outputs, strict=True):
                trusted[self.columns.slices[output]] &= held[at] & (name not in none)
        owners = {
            name: output for what in self.errors for name, output in zip(sums.part(what).slices, sums.part(what).outputs, strict=True)
        }
        why = dict.fromkeys((owners[name] for name in stuck), "levels do not converge")
        statistic = NOUNS[next(iter(self.errors))] if len(self.errors) == 1 else "estimate"
        mean, dataset = sums.part("mean"), self.columns.dataset
        finest = (np.concatenate(self._level) == self.reached - 1) & np.concatenate(self._is_fine) & (self.status == 0)
        rows = statistics_rows(sums, self.quantiles, self.columns)
        parts = np.stack([mean.difference, np.sqrt(mean.variance), sums.fine_std], axis=1)
        groups = {
            "inner": dataset(self.envelope(finest), {"bound": ["lower", "upper"]}),
            "statistics": dataset(np.stack(list(rows.values())), {"statistic": list(rows)}),
            "trusted": trusted_means(self.columns, trusted, why, statistic).drop_vars(set(self.columns.outputs) - set(owners.values())),
            "trust_horizon": horizons(trusted, self.columns),
            "levels": dataset(parts, {"level": self.levels[: self.reached].tolist(), "part": list(PARTS)}),
            **self._settled.groups(),
        }
        if self.limits:
            groups["beyond"] = beyond_group(self.limits, probabilities(sums, self.limits), self.columns.outputs)
        failures = count_failures(self.status)
        diverging = self._diverging(stuck)
        notes = (
            left_out(failures, ": pairs of which a run fails are left out")
            + diverging
            + self._notes(sums, missed if self._finished else [])
        )
        known = [sums.part(what).rates.items() for what in dict.fromkeys(("mean", *self.errors)) if what != "std"]
        attrs = {
            "method": self.settings.name, "sampling": "random", "seed": self.seed, "confidence": 0.95, **failures,
            "level_pairs": sums.count.tolist(), "level_cost": sums.cost.tolist(), "level_control": self.settings.control,
            **({"level_smoothing": {name: one.width for name, one in sums.smoothing.items()}} if sums.smoothing else {}),
            "scatter_of": {self.settings.control: float(self.levels[self.reached - 1])}, "scatter_runs": int(finest.sum()),
            "level_rates": {name: one.known() for found in known for name, one in found}, "notes": notes,
        }  # fmt: skip
        return groups, attrs | ({WARNINGS: diverging} if diverging else {})

    def _diverging(self, stuck: Mapping[str, Rates]) -> list[str]:
        """Sentences on what does not come closer from level to level, or too slowly."""
        slow = [f"{name} (order {one.alpha:.2g})" for name, one in stuck.items() if one.falls]
        none = [name for name, one in stuck.items() if not one.falls]
        control, own = self.settings.control, "mean" if list(self.errors) == ["mean"] else "estimate"
        notes = [f"levels do not converge: {', '.join(none)} does not come closer from one {control} to the next; its {own} is not trusted"]
        notes = notes if none else []
        if slow:
            notes.append(f"levels converge more slowly than the limits of the {own} hold: {', '.join(slow)}; its {own} is not trusted")
        return notes

    def _notes(self, sums: Sums, missed: list[str]) -> list[str]:
        """Sentences on what is not reached, and on limits that cannot be relied upon."""
        notes, settings, missed = [], self.settings, missed if self._finished else []
        own = "mean" if list(self.errors) == ["mean"] else "estimate"
        if missed and self._short:
            text = f"the error that was asked for needs more than most = {settings.most} runs"
            notes.append(f"{text}: the limits of the {own} of {', '.join(missed)} are wider")
            notes += self._no_worth(sums)
        elif missed:
            finest = f"the finest {settings.control}, {self.levels[self.reached - 1]:g}"
            notes.append(f"{finest}, is too coarse for the error of {', '.join(missed)}: add finer ones")
        if self.reached < FIRST:
            notes.append("two levels do not show how fast they converge: order 1 is taken for what the finer one is off")
        if plain := ", ".join([name for name, one in sums.smoothing.items() if not one.width] if self._finished else ()):
            notes.append(
                f"indicators of {plain} are not smoothed: each width changes the share of the coarsest runs, or few lie about the limit"
            )
        for what in dict.fromkeys(("mean", *self.errors)):
            part = sums.part(what)
            if skewed := ", ".join(part.named(part.skewed)[:SAID]):
                notes.append(f"the differences of {skewed} are so skewed that the limits of the {NOUNS[what]} are too narrow: raise pilot")
        return notes

    def _no_worth(self, sums: Sums) -> list[str]:
        """Sentences on levels that save nothing: differences vary as before with finer ones, or their costs grow faster than that falls."""
        found = {name: one for what in self.errors for name, one in sums.part(what).rates.items() if np.isfinite(one.beta)}
        flat = ", ".join(list(name for name, one in found.items() if one.beta < FLAT)[:SAID])
        dear = ", ".join([f"{name} ({one.beta:.2g})" for name, one in found.items() if FLAT <= one.beta < one.gamma - FLAT][:SAID])
        control, notes = self.settings.control, []
        if flat:
            notes.append(
                f"differences of {flat} vary no less from one {control} to the next, so that levels save nothing: montecarlo says as much"
            )
        if dear:
            gamma = next(iter(found.values())).gamma
            notes.append(
                f"costs of a pair grow with order {gamma:.2g}, faster than variances fall ({dear}): most is spent on the finest {control}"
            )
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
    error : float, str or table
        Of the mean, half the width of its limits: a share of the largest mean of each output, ``"1 %"``, or a number in the output's unit.
        Of others too, or instead: ``{ mean = "1 %", std = "5 %", quantile = "2 %", probability = 0.01 }``.
    pilot : int
        Pairs of each level that show its variance and cost.
    most : int
        Largest number of runs.
    costs : list of float, optional
        Of a run of each level, instead of what is measured: numbers of runs then do not depend on the machine.
    quantiles : list of float, optional
        Probabilities of the quantiles that are reported; of histories at each of their times. An error of theirs is one of numbers.
    beyond : dict of str to str, optional
        Limits by output, ``{ "x:max" = "> 18 kN" }``, of which the probability to be beyond them is reported.
    smooth : bool
        Whether levels of these probabilities differ by indicators that rise over a width, of which far fewer fine runs are needed where
        the output has a density there. The width follows from the coarsest runs; what it may add is within the limits.

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
    groups: ClassVar[tuple[GroupSpec, ...]] = (INNER, STATISTICS, TRUSTED, TRUST_HORIZON, CONVERGENCE, LEVELS, BEYOND)
    figures: ClassVar[tuple[Any, ...]] = (levels_figure,)
    tables: ClassVar[tuple[Any, ...]] = (level_table, beyond_table)
    run: ClassVar[type] = MultilevelRun

    control: str = Field(min_length=1)
    levels: list[float] = Field(min_length=2)
    error: Wanted
    pilot: int = Field(default=32, ge=4)
    most: int = Field(default=100_000, ge=1)
    costs: list[float] | None = None
    quantiles: Quantiles = None
    beyond: Beyond = None
    smooth: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        rise = np.diff(self.levels)
        if not ((rise > 0).all() or (rise < 0).all()):
            raise StudyError("levels go from coarse to fine", key="levels", value=list(self.levels), remedy="sort them, none twice")
        for what, key, wanted in (("quantile", "quantiles", self.quantiles), ("probability", "beyond", self.beyond)):
            if what in self.error.asked and not wanted:
                remedy = "quantiles = [0.05, 0.95]" if what == "quantile" else 'beyond = { "x:max" = "> 18 kN" }'
                raise StudyError(f"{key} say of which {what} it is", key=f"error.{what}", remedy=f"write {remedy} in [method]")
        if self.smooth and not self.beyond:
            raise StudyError(
                "no probability is there to be smoothed", key="smooth", remedy='write beyond = { "x:max" = "> 18 kN" } in [method]'
            )
        if self.costs is not None and (len(self.costs) != len(self.levels) or min(self.costs) <= 0):
            text = f"costs are one positive number for each of the {len(self.levels)} levels"
            raise StudyError(text, key="costs", value=list(self.costs), remedy="give as many, or leave them out: they are measured")
        first = self.pilot * (2 * min(FIRST, len(self.levels)) - 1)
        if self.most < first:
            raise StudyError(f"the first runs alone are {first}", key="most", value=self.most, remedy=f"give {first} or more")
        return self

    def controls(self) -> Mapping[str, float]:
        return {self.control: self.levels[0]}

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.pilot * (2 * min(FIRST, len(self.levels)) - 1), self.most
