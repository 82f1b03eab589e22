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
from uqmbd.methods.reliability.run import SAMPLING, Points, ReliabilityRun, converging
from uqmbd.methods.reliability.settings import FEWEST_OF_LEVELS, Reliability

ENOUGH = 10  # unsafe runs, below which the probability is known to little more than its order


class CountingRun(ReliabilityRun):
    """Asks once, for independent runs. Nothing is assumed of the output, and one that has a few values only is no worse."""

    def _find(self) -> Points:
        z = generator(self.seed, SAMPLING).standard_normal((self.settings.samples, len(self.inputs)))
        self._margin = yield z
        counted = sampling.counted(self._margin, one_sided=True)
        self._estimate = replace(counted, places=z[self._margin < 0])
        n, few = len(self._margin), round(counted.unsafe * len(self._margin))
        level = f"{100 * sampling.CONFIDENCE:.0f} % confidence"
        if not few:
            self._say(f"none of {n} runs is unsafe: with {level} the probability is below {counted.upper:.2g}, a one-sided limit")
        elif counted.safe == 1.0:
            self._say(f"all {n} runs are unsafe: with {level} the probability is above {counted.lower:.4g}, a one-sided limit")
        elif few < ENOUGH:
            said = "1 of them is" if few == 1 else f"{few} of them are"
            self._say(f"{n} runs are few for so rare an event ({said} unsafe): raise samples, or take approach = 'subset'")

    def _convergence(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        kinds = {"probability": "unsafe", "probability_lower": "lower", "probability_upper": "upper"}
        return converging(len(self._margin), lambda count: sampling.counted(self._margin[:count], one_sided=True), kinds)

    def _facts(self) -> dict[str, Any]:
        return {"confidence": sampling.CONFIDENCE}


class MonteCarloCount(Reliability):
    """Independent runs of which the unsafe ones are counted, with exact limits (Clopper and Pearson)."""

    run: ClassVar[type] = CountingRun
    systems: ClassVar[bool] = True
    tails: ClassVar[bool] = False
    treats: ClassVar[frozenset[str]] = Reliability.treats | {"sampled"}

    approach: Literal["montecarlo"]
    samples: int = Field(default=1000, ge=1)

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.samples, self.samples


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
