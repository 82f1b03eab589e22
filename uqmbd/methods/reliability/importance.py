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
from uqmbd.methods.reliability.run import SAMPLING, estimated, in_role, index_to
from uqmbd.methods.reliability.search import Form, FormRun, Points
from uqmbd.methods.reliability.settings import FEWEST_OF_LEVELS

FALLING_BACK = 4  # random numbers of subset simulation
FEWEST, CONVERGENCE_STEPS = 20, 12  # of convergence: runs with which it begins, and numbers of runs
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
        beta = self._point.beta
        z, weights = sampling.around(self._point.z, self.settings.samples, generator(self._seed, SAMPLING))
        margin = yield z, SAMPLING
        self._sampled = margin, weights
        self._around = sampling.weighted(margin, weights, beta)
        self._say(self._around.note)
        doubts = self._doubts()
        self._refuted = bool(doubts)
        if doubts:
            yield from self._simulate("; ".join(doubts))

    def _doubts(self) -> list[str]:
        """Why the limits of importance sampling may not hold."""
        found, beta, doubts = self._around, self._point.beta, []
        if not found.effective >= EFFECTIVE:
            doubts.append(f"the runs around the design point count as {np.nan_to_num(found.effective):.2g} independent ones")
        elif found.even < EVEN:
            doubts.append(
                f"the runs around the design point have uneven weights: they count as {found.effective:.2g} independent ones, "
                f"{found.even:.0%} of what they would with a plane limit, and one of them has {found.largest:.0%} of all weight"
            )
        rare = 1 - found.upper if beta < 0 else found.lower
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
            simulation = reliability_subset.subset(len(self._inputs), samples, levels, generator(self._seed, FALLING_BACK))
            self._instead = yield from in_role(SAMPLING, simulation)
        except NotFoundError as error:
            self._say(f"{why}: the probability and its limits may be far off, and subset simulation found nothing: {error}")
            return
        self._say(f"{why}; so the probability and its limits are those of subset simulation")
        self._say(self._instead.note)

    @property
    def _estimate(self) -> sampling.Probability:
        return self._instead or self._around

    def _found(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        found = estimated(self._estimate) | {"beta_form": self._point.beta} | self._common()
        return found, {"importance": self._importance()} | self._unsafe(self._estimate)

    def _convergence(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        if self._instead:
            return super()._convergence()
        margin, weights = self._sampled
        counts = np.unique(np.geomspace(FEWEST, len(margin), CONVERGENCE_STEPS).astype(int))
        parts = [sampling.weighted(margin[:count], weights[:count], self._point.beta) for count in counts]
        return counts, {"probability": np.array([part.unsafe for part in parts]), "cov": np.array([part.cov for part in parts])}

    def _facts(self) -> dict[str, Any]:
        found = self._around
        return super()._facts() | {
            "confidence": sampling.CONFIDENCE,
            "estimated_by": "subset simulation" if self._instead else "importance sampling",
            "effective_unsafe_runs": found.effective,
            "largest_weight_share": found.largest,
            "evenness_of_weights": found.even,
            "around_design_point": [found.unsafe, found.lower, found.upper],
        }


class Importance(Form):
    """Sampling around the design point, and subset simulation where that cannot be trusted."""

    run: ClassVar[type] = ImportanceRun

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
