"""Reliability by subset simulation."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.reliability import sampling
from uqmbd.analysis.reliability import subset as reliability_subset
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.reliability.run import SAMPLING, ReliabilityRun, estimated, in_role
from uqmbd.methods.reliability.settings import FEWEST_OF_LEVELS, Reliability


class SubsetRun(ReliabilityRun):
    """Asks for the first level at once, and for each further one in steps of all its chains."""

    remedy = "take a finer output, or an approach with a design point"
    _estimate: sampling.Probability

    def _find(self) -> Generator[tuple[np.ndarray, int], np.ndarray, None]:
        settings = self.settings
        simulation = reliability_subset.subset(len(self._inputs), settings.samples, settings.levels, generator(self._seed, SAMPLING))
        self._estimate = yield from in_role(SAMPLING, simulation)
        self._say(self._estimate.note)

    def _found(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        return estimated(self._estimate) | {"runs": float(len(self._status))}, self._unsafe(self._estimate)

    def _facts(self) -> dict[str, Any]:
        return {"levels": self._estimate.levels, "confidence": sampling.CONFIDENCE}


class Subset(Reliability):
    """Simulation by ever rarer events: each level is about a tenth as probable as the one before."""

    run: ClassVar[type] = SubsetRun

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
