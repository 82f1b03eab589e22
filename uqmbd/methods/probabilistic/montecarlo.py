"""Monte Carlo: sample the distributions, report moments and quantiles with confidence limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.columnwise import columnwise, sample_std
from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.statistics import moments
from uqmbd.analysis.statistics.moment_limits import LEAST
from uqmbd.errors import StudyError
from uqmbd.facts import WARNINGS
from uqmbd.groups import CONVERGENCE, OF_SAMPLE, GroupSpec
from uqmbd.inputs import Input
from uqmbd.methods.base import Method, count_failures
from uqmbd.methods.beyond import BEYOND, Beyond, beyond_group, beyond_table, drivers_table, passed
from uqmbd.methods.failures import left_out, stop_if_too_many
from uqmbd.methods.missing import Missing
from uqmbd.methods.probabilistic.montecarlo_reduce import reduce_batch
from uqmbd.methods.probabilistic.sample_statistics import Statistics, moved, of_present, present
from uqmbd.methods.probabilistic.until import MISSED, Until, confidence, estimated, next_count, sentences, settling
from uqmbd.methods.quantile_levels import Quantiles, levels_of
from uqmbd.methods.reduced import ReducedRun
from uqmbd.methods.settling import Settling
from uqmbd.methods.staged import Conclusion

NAMED = 6  # outputs in a sentence, the most doubtful ones


class MonteCarloRun(ReducedRun):
    """Asks once, or until limits are narrow enough. Keeps all scalars, moments of all histories, and the first `history_runs` histories.

    Sums are kept in double-double, so the result does not depend on how the runs were cut into batches.
    """

    def __init__(self, settings: MonteCarlo, *study: Any) -> None:
        super().__init__(settings, *study)
        self._count = 0  # runs asked for
        self._head = min(settings.history_runs, settings.most)
        self._samples = self._drawn(0, settings.samples if settings.until is None else max(settings.samples, self._head))
        self._values = np.empty((settings.samples, self.scalars.count))  # of the ok runs, `_good` so far
        self._looks: list[tuple[int, float]] = []  # runs, and the confidence of the limits
        every = {name: one.outputs[name] for one in (self.scalars, self.histories) for name in one.outputs}
        self._limits = passed(settings.beyond, every)
        if settings.until is not None:
            settings.until.check(every, self._limits)
        self._good = 0
        self._moments = moments.empty(self.histories.count)
        self._whole = 0
        self._kept = np.empty((self._head, self.histories.count))  # histories of the first ok runs, `_whole` so far
        head = np.column_stack([values[: self._head] for values in self._samples.values()])
        self._reduce = partial(reduce_batch, list(self.inputs), head, self.scalars, self.histories)
        self._along = {"scalars": self.scalars, "moments": self.histories, "histories": self.histories}
        if self.histories.may_miss.any():
            self._along["missing"] = self.histories
        self._gone = np.zeros(self.histories.count, np.int64)  # values of histories that ok runs lack
        self._settled = Settling(self.histories)  # at each look, where there are no scalars

    def ask(self) -> dict[str, np.ndarray] | None:
        """All samples, once; with `until` so many that limits may be narrow enough, until they are."""
        first, self._count = self._count, self._next_count()
        if self._count == first:
            return None
        drawn = len(next(iter(self._samples.values())))
        if self._count > drawn:
            more = self._drawn(drawn, self._count)
            self._samples = {name: np.concatenate([x, more[name]]) for name, x in self._samples.items()}
        if self._count > len(self._values):
            self._values = np.concatenate([self._values, np.empty((self._count - len(self._values), self.scalars.count))])
        return {name: x[first : self._count] for name, x in self._samples.items()}

    def _drawn(self, first: int, count: int) -> dict[str, np.ndarray]:
        """Samples from number `first` on of `count`, of which the first are those of fewer."""
        points = unit_points(self.settings.design, count, len(self.inputs), generator(self.seed, 0))
        return self.inputs.samples(points[first:])

    def _next_count(self) -> int:
        """Runs to be asked for so far; as many as before where they are enough."""
        settings = self.settings
        if not self._count:
            return settings.samples
        if settings.until is None or (self._looks and self._looks[-1][0] == self._count):
            return self._count
        status = np.concatenate(self._status)
        stop_if_too_many(settings, self.inputs, {name: x[: len(status)] for name, x in self._samples.items()}, status)
        last = self._count >= settings.most
        self._looks.append((self._count, confidence(len(self._looks) + 1, last)))
        scalars, histories = self._of_all(self.scalars, self._of_scalars), self._of_all(self.histories, self._of_histories)
        self._settled.add(self._good, estimated(settings.until, self.histories, histories.rows))
        width = max(self._widths(scalars, histories).values())
        return self._count if last or width <= 1.0 else next_count(self._count, width, len(self._looks), settings.most)

    @property
    def _confidence(self) -> float:
        """Of all limits."""
        return self._looks[-1][1] if self._looks else 1.0 - MISSED

    def _of_all(self, columns: Columns, of: Callable[[Any], Statistics]) -> Statistics:
        return of_present(columns.may_miss, of)

    def _widths(self, *parts: Statistics) -> dict[str, float]:
        """Half the width of limits over what `until` asks for, by output."""
        both, until = zip((self.scalars, self.histories), parts, strict=True), self.settings.until
        widths = {name: x for columns, part in both if columns.count for name, x in until.widths(columns, *part).items()}
        for name, x in until.widths_of_shares(self._shares()).items():
            widths[name] = max(widths[name], x)
        return widths

    def _shares(self, count: int | None = None) -> dict[str, np.ndarray]:
        """Probability of outputs to be beyond their limits, with its limits, (3,) each. Of the first `count` ok runs."""
        values, at = self._values[: self._good if count is None else count], self.scalars.slices
        return {one.output: one.share(values[:, at[one.output].start], self._confidence) for one in self._limits}

    def tell_reduced(self, partial: Mapping[str, np.ndarray]) -> None:
        self._status.append(partial["status"])
        good = len(partial["scalars"])
        self._values[self._good : self._good + good] = partial["scalars"]
        self._good += good
        if self.histories.count:
            self._moments = moments.merge(self._moments, partial["moments"])
            self._gone = self._gone + partial.get("missing", np.zeros((1, 1), np.int64))[0]
        whole = partial["histories"][: self._wanted(partial, self._observed)]
        self._kept[self._whole : self._whole + len(whole)] = whole
        self._whole += len(whole)
        self._observed += len(partial["status"])

    def suffices(self, partial: Mapping[str, np.ndarray], first: int) -> bool:
        """See `ReducedRun`: it has to hold the histories of all ok runs that quantiles are made of."""
        return len(partial["histories"]) >= self._wanted(partial, first)

    def _wanted(self, partial: Mapping[str, np.ndarray], first: int) -> int:
        """Histories that are kept of the runs from number `first` on: those of the ok ones among the first `history_runs`."""
        return int(np.count_nonzero(partial["status"][: max(self._head - first, 0)] == 0))

    def _conclude(self, status: np.ndarray) -> Conclusion:
        failures = count_failures(status)
        count = int(failures["runs_ok"])
        scalars, histories = self._of_all(self.scalars, self._of_scalars), self._of_all(self.histories, self._of_histories)
        attrs = {"method": self.settings.name, "sampling": "random", "design": self.settings.design, "seed": self.seed}
        attrs |= {"confidence": 0.95, **failures}
        if self.histories.count:
            attrs["history_quantile_runs"] = self._whole
        notes = left_out(failures, ": the statistics are those of runs that work")
        gone = [Missing.of(self.scalars, self._values[: self._good]), Missing(self.histories, self._gone, count)]
        if self._looks:
            beyond = self._widths(scalars, histories) if self._count >= self.settings.most else {}  # else more runs come
            missed = sentences(self.settings.until, beyond, self.settings.most)
            attrs |= {"looks": len(self._looks), "confidence_at_last_look": self._confidence} | ({WARNINGS: missed} if missed else {})
            notes = missed + notes
        attrs["notes"] = notes + self._doubts(scalars, histories, count) + [text for each in gone for text in each.notes()]
        names, converging = list(scalars.rows), self._converging(histories)
        rows = [part.rows for columns, part in ((self.scalars, scalars), (self.histories, histories)) if columns.count]
        inner = self._join({"bound": ["lower", "upper"]}, [np.array([each["min"], each["max"]]) for each in rows])
        statistics = self._join({"statistic": names}, [moved(each) for each in rows])
        groups = {"inner": inner, "statistics": statistics, "missing": gone[0].group().merge(gone[1].group()), **converging}
        if self._limits:
            groups["beyond"] = beyond_group(self._limits, self._shares(), self.scalars.outputs)
        return groups, attrs

    def _converging(self, histories: Statistics) -> dict[str, Any]:
        """The group `convergence`, of scalars by their runs as they came; of histories alone by looks, since their runs are not kept."""
        until = self.settings.until
        if self.scalars.count:
            return settling(self.scalars, self._good, self._of_first, until)
        if self._looks:
            self._settled.add(self._good, estimated(until, self.histories, histories.rows))
        return self._settled.groups()

    def _of_first(self, count: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Statistics of the scalars, and probabilities with their limits, of so many ok runs."""
        return self._of_all(self.scalars, partial(self._of_scalars, count=count)).rows, self._shares(count)

    def _of_scalars(self, at: Any, count: int | None = None) -> Statistics:
        """Statistics of some of the scalars, all of them there; or of one by number, of what is there. Of the first `count` ok runs."""
        values = self._values[: self._good if count is None else count]
        values = values[:, at] if isinstance(at, (slice, np.ndarray)) else present(values[:, at])
        found = values.mean(axis=0), columnwise(sample_std, values), values.min(axis=0), values.max(axis=0)
        return Statistics.of(found, len(values), values, levels_of(self.settings.quantiles), self._confidence)

    def _of_histories(self, at: Any) -> Statistics:
        """The same of columns of histories."""
        kept, count = self._kept[: self._whole], self._good
        if isinstance(at, (slice, np.ndarray)):
            state, kept = self._moments[:, at], kept[:, at]
        else:
            state, kept, count = self._moments[:, [at]], present(kept[:, at]), count - int(self._gone[at])
        least, most = (state[moments.MINIMUM], state[moments.MAXIMUM]) if count else (np.full(1, np.nan),) * 2
        found = moments.mean(state, count), moments.std(state, count), least, most
        return Statistics.of(found, count, kept, levels_of(self.settings.quantiles), self._confidence)

    def _doubts(self, scalars: Statistics, histories: Statistics, count: int) -> list[str]:
        """Sentences about limits that cannot be relied upon."""
        few = f"{count} run{'s are' if count != 1 else ' is'} too few for limits of mean and standard deviation, which need {LEAST}"
        notes = [] if count >= LEAST else [f"{few}; quantiles are read between so few values, and most of their limits are infinite"]
        parts = [(self.scalars, scalars), (self.histories, histories)]
        for word, key in (("mean", "mean_doubtful"), ("standard deviation", "std_doubtful")):
            shares = {name: part.doubtful[key][at].mean() for layout, part in parts for name, at in layout.slices.items()}
            of = {name: "times" if info.over_time else "points" for name, info in self.histories.outputs.items()}
            doubtful = sorted((name for name in self._order if shares[name]), key=lambda name: -shares[name])
            who = ", ".join(
                name if shares[name] == 1 else f"{name} (at {max(shares[name], 0.01):.0%} of the {of[name]})" for name in doubtful[:NAMED]
            ) + (f" and {len(doubtful) - NAMED} more" if len(doubtful) > NAMED else "")
            if who:
                notes.append(f"{count} runs of a skewed output are too few: the limits of the {word} of {who} are too narrow")
        if same := self.scalars.named(scalars.doubtful["constant"]):
            notes.append(f"all {count} runs have the same {', '.join(same)}, which says nothing of any rarer than 1 in {count // 4 or 1}")
        return notes


class MonteCarlo(Method):
    """Mean, standard deviation and quantiles of every output, with 95 % confidence limits.

    The limits of quantiles hold for every distribution; they are infinite where the runs are too few. Those of the mean (Student's t) and
    of the standard deviation (Bonett 2006) need 10 runs, and hold unless the output is very skewed or has rare values far out; the
    attribute ``note`` names the outputs of which they cannot be relied upon. Outputs of two values have exact limits. What no run has
    shown is in no limit.

    Attributes
    ----------
    samples : int
        Number of runs; with `until` that of the first look. With the designs random and sobol, more samples extend fewer; a Latin
        hypercube is new for each number.
    design : str
        ``random``, ``lhs`` (Latin hypercube) or ``sobol`` (scrambled Sobol' points; powers of two are balanced). The confidence
        limits assume independent runs and are on the wide side for the other two.
    history_runs : int
        Quantiles of histories use the first so many runs; scalars and moments use all.
    quantiles : list of float
        Probabilities of the quantiles, 5, 25, 50, 75 and 95 % where nothing is said.
    beyond : dict of str to str, optional
        Limits by output, ``{ "x:max" = "> 18 kN" }``: the probability to be beyond them, among runs that work, is reported with limits
        that hold for every distribution.
    until : table, optional
        Runs until limits are narrow enough: ``{ mean = "1 %" }``, half their width as a share of the largest mean of each output, or as a
        number in its unit; ``std``, ``quantile`` and ``probability`` (that of `beyond`) likewise, alone or together; ``outputs``, names of
        those that are looked at, all unless said; ``most``, the largest number of runs, 100000 unless said. Limits hold with 95 % at
        whatever look the runs end.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> scatter = {"load": uq.Normal(100.0, 5.0, unit="N"), "stiffness": uq.Uniform(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=scatter, outputs=["sag"], method=uq.MonteCarlo(samples=256, design="sobol"), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> round(1e3 * float(result.statistics["sag"].sel(statistic="mean")), 1)  # mm
    50.2
    """

    name: ClassVar[str] = "montecarlo"
    accepts: ClassVar[frozenset[str]] = frozenset({"random", "integers", "choice"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (*OF_SAMPLE, CONVERGENCE, BEYOND)
    tables: ClassVar[tuple[Any, ...]] = (beyond_table, drivers_table)
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "joint", "sampled"})
    worker_modules: ClassVar[tuple[str, ...]] = ("uqmbd.methods.probabilistic.montecarlo_reduce",)
    leaves_in_runs: ClassVar[bool] = True
    takes_missing: ClassVar[bool] = True
    run: ClassVar[type] = MonteCarloRun

    samples: int = Field(ge=1)
    design: Literal["random", "lhs", "sobol"] = "random"
    history_runs: int = Field(default=2000, ge=1)
    quantiles: Quantiles = None
    beyond: Beyond = None
    until: Until | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.until is not None and self.until.most < self.samples:
            remedy = "give no more samples than that: they are the first look"
            raise StudyError(f"most is below the {self.samples} samples", key="until.most", value=self.until.most, remedy=remedy)
        if self.until is not None and self.design == "lhs":
            text = "a Latin hypercube cannot be extended, as until does it"
            raise StudyError(text, key="design", value=self.design, remedy="take random or sobol")
        return self

    @property
    def most(self) -> int:
        """Largest number of runs."""
        return self.samples if self.until is None else self.until.most

    def reduce_key(self) -> dict[str, Any]:
        return {}  # how many histories a partial has to hold, `MonteCarloRun.suffices` knows

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.samples, self.most
