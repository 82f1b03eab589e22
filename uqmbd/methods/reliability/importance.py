"""Reliability by importance sampling around the design point, and by subset simulation where that cannot be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.reliability import sampling
from uqmbd.analysis.reliability import subset as reliability_subset
from uqmbd.analysis.reliability.form import NotFoundError
from uqmbd.inputs import Input
from uqmbd.methods.reliability.run import SAMPLING, Points, converging, estimated, index_to
from uqmbd.methods.reliability.search import Form, FormRun
from uqmbd.methods.reliability.settings import FEWEST_OF_LEVELS

FALLING_BACK = 4  # random numbers of subset simulation
EVEN, EFFECTIVE = 0.75, 5.0  # importance sampling below which subset simulation takes over, see docs/theory/reliability.md
FARTHER = 1.5  # as is it where its lower limit is so many times the probability of the plane


class ImportanceRun(FormRun):
    """Importance sampling: independent runs from the standard normal distribution moved to the design point.

    Where they cannot be trusted, because their weights are uneven, the limit is far from plane or has other parts, subset simulation
    takes over.
    """

    astray = "runs around one design point say nothing of the others"
    _instead: sampling.Probability | None = None

    def _judge(self) -> None:
        """The weights will tell."""

    def _find(self) -> Points:
        yield from super()._find()
        self._role, beta = SAMPLING, self._point.beta
        z, weights = sampling.around(self._point.z, self.settings.samples, generator(self.seed, SAMPLING))
        margin = yield z
        self._sampled = margin, weights
        self._around = sampling.weighted(margin, weights, beta)
        self._say(self._around.note)
        doubts = self._doubts()
        self._refuted = bool(doubts)
        if doubts:
            yield from self._simulate("; ".join(doubts))

    def _doubts(self) -> list[str]:
        """Why the limits of importance sampling may not hold."""
        around, beta, doubts = self._around, self._point.beta, []
        if not around.effective >= EFFECTIVE:
            doubts.append(f"the runs around the design point count as {np.nan_to_num(around.effective):.2g} independent ones")
        elif around.even < EVEN:
            doubts.append(
                f"the runs around the design point have uneven weights: they count as {around.effective:.2g} independent ones, "
                f"{around.even:.0%} of what they would with a plane limit, and one of them has {around.largest:.0%} of all weight"
            )
        rare = 1 - around.upper if beta < 0 else around.lower
        if rare > FARTHER * index_to(abs(beta)):
            doubts.append(f"they say {max(rare, 0.0):.2g} or more where the plane (FORM) says {index_to(abs(beta)):.2g}; {self._bent()}")
        if self._against and not doubts:
            doubts.append("these are not sampled")
        return doubts

    def _simulate(self, why: str) -> Points:
        """Subset simulation, if the settings have runs for it."""
        samples, levels, most = self.settings.fallback()
        if not most:
            self._say(f'{why}: the probability and its limits may be far off; raise fallback_runs, or take approach = "subset"')
            return
        try:
            rng = generator(self.seed, FALLING_BACK)
            self._instead = yield from reliability_subset.subset(len(self.inputs), samples, levels, rng)
        except NotFoundError as error:
            self._say(f"{why}: the probability and its limits may be far off, and subset simulation found nothing: {error}")
            return
        self._say(f"{why}; so the probability and its limits are those of subset simulation")
        self._say(self._instead.note)

    @property
    def _estimate(self) -> sampling.Probability:
        return self._instead or self._around

    def _statistics(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        statistics = estimated(self._estimate) | {"beta_form": self._point.beta} | self._common()
        return statistics, {"importance": self._importance()} | self._unsafe(self._estimate)

    def _convergence(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        if self._instead:
            return super()._convergence()
        margin, weights = self._sampled
        kinds = {"probability": "unsafe", "cov": "cov"}
        return converging(len(margin), lambda count: sampling.weighted(margin[:count], weights[:count], self._point.beta), kinds)

    def _facts(self) -> dict[str, Any]:
        around = self._around
        return super()._facts() | {
            "confidence": sampling.CONFIDENCE,
            "estimated_by": "subset simulation" if self._instead else "importance sampling",
            "effective_unsafe_runs": around.effective,
            "largest_weight_share": around.largest,
            "evenness_of_weights": around.even,
            "around_design_point": [around.unsafe, around.lower, around.upper],
        }


class Importance(Form):
    """Sampling around the design point, and subset simulation where that cannot be trusted."""

    run: ClassVar[type] = ImportanceRun
    systems: ClassVar[bool] = False

    approach: Literal["importance"]
    samples: int = Field(default=1000, ge=50)
    fallback_runs: int | None = Field(default=None, ge=0)

    def fallback(self) -> tuple[int, int, int]:
        """Points of a level of subset simulation, levels, and runs at most; no runs where it may not be taken."""
        samples = max(FEWEST_OF_LEVELS, 10 * round(self.samples / 10))
        runs = 10 * self.samples if self.fallback_runs is None else self.fallback_runs
        levels = 1 + (runs - samples) // (samples - samples // 10)
        return samples, levels, samples + (levels - 1) * (samples - samples // 10) if levels > 0 else 0

    def further(self, d: int) -> int:
        return self.samples

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least, most = super().planned_runs(inputs)
        return least, most + self.fallback()[2]
