"""Multi-fidelity Monte Carlo: the mean of a dear model from few of its runs and many of cheaper ones that go along with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.statistics.control_variates import Estimate, Plan, best_plan, combined, regressed
from uqmbd.analysis.statistics.trust import horizons
from uqmbd.errors import StudyError
from uqmbd.groups import CONVERGENCE, INNER, STATISTICS, TRUST_HORIZON, TRUSTED, GroupSpec
from uqmbd.inputs import Input
from uqmbd.inputs.quantity import Level
from uqmbd.methods.accuracy import allowed, require_positive, trusted_means
from uqmbd.methods.base import Method, count_failures
from uqmbd.methods.failures import left_out
from uqmbd.methods.probabilistic.multifidelity_shown import CORRELATION, fidelity_figure, fidelity_table
from uqmbd.methods.settling import Estimated, Settling
from uqmbd.methods.staged import Conclusion, FixedSampler
from uqmbd.request import Progress, Request, measured_costs

GROWTH = 2.0  # a step of the plan makes the runs of the first model no more than so many times as many
LEAST_MORE = 1.1  # and at least
LEAST = 10  # runs of all models that tell a correlation


class Weighed(NamedTuple):
    """Runs of the models in use, (runs, columns) each, the plan, and of each cheaper model the correlation, (models - 1, columns)."""

    values: list[np.ndarray]
    plan: Plan
    squared: np.ndarray
    correlation: np.ndarray


class MultifidelityRun(FixedSampler):
    """Runs of all models on the same first samples; numbers of runs by correlations and what they cost."""

    def __init__(self, settings: Multifidelity, *study: Any) -> None:
        super().__init__(settings, *study)
        self.models = np.array(settings.fidelities, float)
        self._model: list[np.ndarray] = []  # of each run the number of its model, and that of its sample
        self._sample: list[np.ndarray] = []
        self._asked = np.zeros(len(self.models), np.int64)
        self._cost: Mapping[Any, Any] = {}
        self._short = False
        self._settled = Settling(self.columns)
        self._wanted(np.zeros(self.columns.count))  # an error in another unit than the outputs is said before there are runs

    def hear(self, progress: Progress) -> None:
        self._cost = progress.cost

    def _plan(self) -> Iterator[Any]:
        more = np.full(len(self.models), self.settings.pilot)
        while more.any():
            yield self._request(more)
            self._stop_if_too_many_failed()
            more = self._more()

    def _request(self, more: np.ndarray) -> Request:
        """So many further runs of each model, (models,)."""
        points = unit_points("random", int((self._asked + more).max()), len(self.inputs), generator(self.seed, 0))
        rows = [np.arange(begin, begin + count) for begin, count in zip(self._asked, more, strict=True)]
        model = np.repeat(np.arange(len(more)), more)
        self._model.append(model)
        self._sample.append(np.concatenate(rows))
        self._asked += more
        return Request(self.inputs.samples(points[self._sample[-1]]), {self.settings.control: self.models[model]})

    def _values(self) -> list[np.ndarray]:
        """Outcomes of each model by sample, (runs, columns), of samples of which all runs are ok."""
        model, sample = np.concatenate(self._model), np.concatenate(self._sample)
        ok = np.ones(int(self._asked.max()), bool)
        ok[sample[self.status != 0]] = False
        found = []
        for k in range(len(self.models)):
            at = np.flatnonzero(model == k)
            found.append(self.values[at[ok[sample[at]]]])
        if len(found[0]) < LEAST:
            text = f"{len(found[0])} samples of which all runs are ok do not tell how models go together"
            raise StudyError(text, key="method.pilot", value=self.settings.pilot, remedy="mend the models there, or raise pilot")
        return found

    def _costs(self) -> np.ndarray:
        """Of a run of each model, (models,)."""
        given = self.settings.costs
        return np.array(given, float) if given is not None else measured_costs(self._cost, self.settings.control, self.models)

    def _weighed(self) -> Weighed:
        """All runs, and what would be best from now on."""
        values = self._values()
        found, signs = [], []
        for more in values[1:]:
            n = min(len(values[0]), len(more))  # a model that was not worth it has fewer
            weight, squared = regressed(values[0][:n], more[:n])
            found.append(squared)
            signs.append(np.sign(weight))
        squared = np.stack(found)
        spread = values[0].var(axis=0, ddof=1)
        wanted = self._wanted(values[0].mean(axis=0))
        weight = np.divide(spread, wanted**2, out=np.zeros_like(spread), where=wanted > 0)
        plan = best_plan(squared @ (weight / (weight.sum() or 1.0)), self._costs())
        used = sorted((k for k in plan.models if len(values[k]) >= len(values[0])), key=lambda k: len(values[k]))
        return Weighed([values[0], *(values[k] for k in used)], plan, squared, np.stack(signs) * np.sqrt(squared))

    def _wanted(self, mean: np.ndarray) -> np.ndarray:
        return allowed(self.settings.error, self.columns, mean, "method.error")

    def _half(self, estimate: Estimate) -> np.ndarray:
        """Half the width of the limits of the mean, (columns,)."""
        from scipy.special import stdtrit

        return stdtrit(estimate.freedom, 0.975) * np.sqrt(estimate.variance)

    def _more(self) -> np.ndarray:
        """Further runs of each model, (models,); none where the error is reached, or cannot be."""
        from scipy.special import stdtrit

        more = np.zeros(len(self.models), np.int64)
        now, settings = self._weighed(), self.settings
        estimate = combined(now.values)
        wanted, half = self._wanted(estimate.mean), self._half(estimate)
        limits = Estimated(estimate.mean, estimate.mean - half, estimate.mean + half, wanted)
        self._settled.add(int(self.observed), {"mean": limits})
        self.settle()
        if (half <= wanted).all():
            return more
        left = np.ones_like(wanted)  # share of the variance of the first model with the numbers of the plan
        for k, before, ratio in zip(now.plan.models, now.plan.ratios, now.plan.ratios[1:], strict=False):
            left -= (1.0 / before - 1.0 / ratio) * now.squared[k - 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = now.values[0].var(axis=0, ddof=1) * left * (stdtrit(estimate.freedom, 0.975) / wanted) ** 2
        first = float(np.nan_to_num(needed, posinf=1e12).max()) * self._asked[0] / len(now.values[0])  # as many are to be ok
        first = np.clip(first, LEAST_MORE * self._asked[0], GROWTH * self._asked[0])
        for k, ratio in zip((0, *now.plan.models), now.plan.ratios, strict=True):
            more[k] = max(int(np.ceil(ratio * first)) - self._asked[k], 0)
        budget = settings.most - int(self.observed)
        self._short = bool(more.sum() > budget)
        return more * budget // more.sum() if self._short else more

    def _conclude(self) -> Conclusion:
        now, columns = self._weighed(), self.columns
        estimate = combined(now.values)
        second = combined([(one - estimate.mean) ** 2 for one in now.values]).mean
        half, wanted = self._half(estimate), self._wanted(estimate.mean)
        trusted = half <= wanted * (1 + 1e-9)  # rounding
        rows = {
            "mean": estimate.mean, "std": np.sqrt(np.where(second >= 0, second, np.nan)),
            "mean_lower": estimate.mean - half, "mean_upper": estimate.mean + half,
        }  # fmt: skip
        groups = {
            "inner": columns.dataset(self.envelope(self._first()), {"bound": ["lower", "upper"]}),
            "statistics": columns.dataset(np.stack(list(rows.values())), {"statistic": list(rows)}),
            "trusted": trusted_means(columns, trusted),
            "trust_horizon": horizons(trusted, columns),
            "correlation": columns.dataset(now.correlation, {"fidelity": self.models[1:].tolist()}, unit="1"),
            **self._settled.groups(),
        }
        failures = count_failures(self.status)
        notes = left_out(failures, ": samples of which a run fails are left out") + self._notes(now.plan, ~trusted)
        attrs = {
            "method": self.settings.name, "sampling": "random", "seed": self.seed, "confidence": 0.95, **failures,
            "fidelity_runs": self._asked.tolist(), "fidelity_cost": self._costs().tolist(), "fidelities": self.models.tolist(),
            "fidelity_control": self.settings.control,
            "scatter_of": {self.settings.control: float(self.models[0])}, "scatter_runs": int(self._first().sum()),
            "notes": notes,
        }  # fmt: skip
        return groups, attrs

    def _first(self) -> np.ndarray:
        """Runs of the first model that are ok, bool (runs,)."""
        return (np.concatenate(self._model) == 0) & (self.status == 0)

    def _notes(self, plan: Plan, beyond: np.ndarray) -> list[str]:
        """What cheaper models were worth, and what was not reached."""
        control, names = self.settings.control, ", ".join(f"{self.models[k]:g}" for k in plan.models)
        alone = f"no cheaper model is worth its runs: they go along with {control} {self.models[0]:g} too little, or cost too much"
        helped = f"with {control} {names} the same error costs {plan.cost:.2g} of what runs of {self.models[0]:g} alone cost"
        notes = [helped if plan.models else alone]
        if self._finished and (missed := self.columns.in_words(beyond)):
            why = f"needs more than most = {self.settings.most} runs" if self._short else "is not reached"
            notes.insert(0, f"the error that was asked for {why}: the limits of the mean of {missed} are wider")
        return notes


class Multifidelity(Method):
    """The mean of a dear model from few of its runs and many of cheaper ones (Peherstorfer and others 2016), with 95 % limits.

    Models are values of a control (docs/plugins.md), which the model takes as a parameter, a mechanism's `build` as an argument: flexible
    or rigid, say. Cheaper ones need not be close, they have to rise and fall with the first: their weights and numbers of runs follow from
    correlations and from the seconds that runs take. Those that are not worth it are left out. Limits do not rest on what cheaper ones say.

    Attributes
    ----------
    control : str
        Name of the parameter.
    fidelities : list of float
        Its values, first the model whose mean is asked for, then cheaper ones in any order.
    error : float or str
        Of the mean, half the width of its limits: a share of the largest mean of each output, ``"1 %"``, or a number in the output's unit.
    pilot : int
        Runs of each model that show correlations and cost.
    most : int
        Largest number of runs of all models.
    costs : list of float, optional
        Of a run of each model, instead of what is measured: numbers of runs then do not depend on the machine.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def swing(angle, fine=1):  # period of a pendulum of 1 m, s; coarse: for small angles, with one correction
    ...     period = 2.0061 * (1 + angle**2 / 16)
    ...     return {"T": period + 2.0061 * 11 / 3072 * angle**4 if fine else period}
    >>> method = uq.Multifidelity(control="fine", fidelities=[1, 0], error=0.004, costs=[100, 1])
    >>> study = uq.Study(model=swing, inputs={"angle": uq.Uniform(0.2, 1.2)}, outputs=["T"], method=method, name="swing")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> round(float(result.statistics["T"].sel(statistic="mean")), 2), bool(result["trusted"]["T"])  # exact: 2.0816
    (2.08, True)
    """

    name: ClassVar[str] = "multifidelity"
    accepts: ClassVar[frozenset[str]] = frozenset({"random", "integers", "choice"})
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "joint", "sampled"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (INNER, STATISTICS, TRUSTED, TRUST_HORIZON, CONVERGENCE, CORRELATION)
    figures: ClassVar[tuple[Any, ...]] = (fidelity_figure,)
    tables: ClassVar[tuple[Any, ...]] = (fidelity_table,)
    run: ClassVar[type] = MultifidelityRun

    control: str = Field(default="fidelity", min_length=1)
    fidelities: list[float] = Field(min_length=2, max_length=8)
    error: Level
    pilot: int = Field(default=32, ge=LEAST)
    most: int = Field(default=100_000, ge=1)
    costs: list[float] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len(set(self.fidelities)) < len(self.fidelities):
            raise StudyError("a model is there twice", key="fidelities", value=list(self.fidelities), remedy="name each once")
        require_positive(self.error, "error")
        if self.costs is not None and (len(self.costs) != len(self.fidelities) or min(self.costs) <= 0):
            text = f"costs are one positive number for each of the {len(self.fidelities)} models"
            raise StudyError(text, key="costs", value=list(self.costs), remedy="give as many, or leave them out: they are measured")
        if self.most < (first := self.pilot * len(self.fidelities)):
            raise StudyError(f"the first runs alone are {first}", key="most", value=self.most, remedy=f"give {first} or more")
        return self

    def controls(self) -> Mapping[str, float]:
        return {self.control: self.fidelities[0]}

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.pilot * len(self.fidelities), self.most
