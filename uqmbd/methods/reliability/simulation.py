"""Reliability by simulation: plain Monte Carlo, whose unsafe runs are counted with exact limits, and subset simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.reliability import sampling
from uqmbd.analysis.reliability import subset as reliability_subset
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.checked import Checked
from uqmbd.inputs.quantity import Level
from uqmbd.methods.accuracy import require_positive, require_pure
from uqmbd.methods.probabilistic.until import confidence, runs_for
from uqmbd.methods.reliability.run import SAMPLING, Points, ReliabilityRun, converging
from uqmbd.methods.reliability.settings import FEWEST_OF_LEVELS, Reliability

ENOUGH = 10  # unsafe runs, below which the probability is known to little more than its order


class UntilKnown(Checked):
    """How well a probability is to be known before no more runs are asked for.

    Attributes
    ----------
    cov : float or str
        Coefficient of variation of the estimate: its standard deviation over itself, 0.1 or ``"10 %"``.
    most : int
        Largest number of runs.
    """

    cov: Level
    most: int = Field(default=100_000, ge=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        require_positive(self.cov, "until.cov")
        require_pure(self.cov, "until.cov", "a coefficient of variation")
        return self


class CountingRun(ReliabilityRun):
    """Asks for independent runs, once or until enough of them are unsafe. Nothing is assumed of the output, and one that has a few values
    only is no worse.
    """

    _looks: int = 0
    _confidence: float = sampling.CONFIDENCE

    def _find(self) -> Points:
        until, count, rng = self.settings.until, self.settings.samples, generator(self.seed, SAMPLING)
        z, self._margin = np.empty((0, len(self.inputs))), np.empty(0)
        while True:
            more = rng.standard_normal((count - len(z), len(self.inputs)))  # the same numbers in however many steps
            z, self._margin = np.concatenate([z, more]), np.concatenate([self._margin, (yield more)])
            if until is None:
                break
            self._looks += 1
            self._confidence = confidence(self._looks, last=count >= until.most)
            ratio = sampling.counted(self._margin).cov / float(until.cov)
            if count >= until.most or ratio <= 1.0:
                break
            count = runs_for(count, ratio**2, until.most)
        self._settle(z)

    def _counted(self, count: int | None = None) -> sampling.Probability:
        """What all runs say, or the first `count`."""
        return sampling.counted(self._margin[:count], one_sided=True, confidence=self._confidence)

    def _settle(self, z: np.ndarray) -> None:
        """The estimate of runs at `z` (n, d), and what is to be said of it."""
        counted, until = self._counted(), self.settings.until
        self._estimate = replace(counted, places=z[self._margin < 0])
        n, few = len(self._margin), round(counted.unsafe * len(self._margin))
        if until is not None and not counted.cov <= float(until.cov):
            known = "no run is safely unsafe" if np.isinf(counted.cov) else f"it is {counted.cov:.2g}"
            text = f"the coefficient of variation that until asks for is not reached with most = {until.most} runs: {known}"
            self._say(text)
            self._warnings.append(text)
        level = f"{100 * self._confidence:.4g} % confidence"
        if not few:
            self._say(f"none of {n} runs is unsafe: with {level} the probability is below {counted.upper:.2g}, a one-sided limit")
        elif counted.safe == 1.0:
            self._say(f"all {n} runs are unsafe: with {level} the probability is above {counted.lower:.4g}, a one-sided limit")
        elif few < ENOUGH:
            said = "1 of them is" if few == 1 else f"{few} of them are"
            raised = "samples" if until is None else "until.most"
            self._say(f"{n} runs are few for so rare an event ({said} unsafe): raise {raised}, or take approach = 'subset'")

    def _convergence(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        kinds = {"probability": "unsafe", "probability_lower": "lower", "probability_upper": "upper"}
        return converging(len(self._margin), self._counted, kinds)

    def _facts(self) -> dict[str, Any]:
        looks = {"looks": self._looks, "confidence_at_last_look": self._confidence} if self._looks else {}
        return {"confidence": sampling.CONFIDENCE, **looks}


class MonteCarloCount(Reliability):
    """Independent runs of which the unsafe ones are counted, with exact limits (Clopper and Pearson)."""

    run: ClassVar[type] = CountingRun
    systems: ClassVar[bool] = True
    tails: ClassVar[bool] = False
    treats: ClassVar[frozenset[str]] = Reliability.treats | {"sampled"}

    approach: Literal["montecarlo"]
    samples: int = Field(default=1000, ge=1)
    until: UntilKnown | None = None

    @model_validator(mode="after")
    def _first_look(self) -> Self:
        if self.until is not None and self.until.most < self.samples:
            remedy = "give no more samples than that: they are the first look"
            raise StudyError(f"most is below the {self.samples} samples", key="until.most", value=self.until.most, remedy=remedy)
        return self

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.samples, self.samples if self.until is None else self.until.most


class SubsetRun(ReliabilityRun):
    """Asks for the first level at once, and for each further one in steps of all its chains."""

    remedy = "take a finer output, or an approach with a design point"

    def _find(self) -> Points:
        settings, rng = self.settings, generator(self.seed, SAMPLING)
        self._estimate = yield from reliability_subset.subset(len(self.inputs), settings.samples, settings.levels, rng)
        self._say(self._estimate.note)

    def _facts(self) -> dict[str, Any]:
        return {"levels": self._estimate.levels, "confidence": sampling.CONFIDENCE}


class Subset(Reliability):
    """Simulation by ever rarer events: each level is about a tenth as probable as the one before."""

    run: ClassVar[type] = SubsetRun
    systems: ClassVar[bool] = True

    approach: Literal["subset"]
    samples: int = Field(default=1000, ge=50)
    levels: int = Field(default=10, ge=1, le=50)

    @model_validator(mode="after")
    def _whole_tenths(self) -> Self:
        least, advised = FEWEST_OF_LEVELS, f"{FEWEST_OF_LEVELS}, or better 1000"
        wrong = f"fewer than {least} points of a level are too few to say how far off the result may be" if self.samples < least else ""
        if self.samples % 10:
            wrong = "a tenth of the samples begins the next level: take a multiple of 10"
            advised = max(least, round(self.samples, -1))
        if wrong:
            raise StudyError(wrong, key="samples", value=self.samples, remedy=f"write samples = {advised}")
        return self

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        first = self.samples
        return first, first + (self.levels - 1) * (first - round(first * reliability_subset.SEED_SHARE))
