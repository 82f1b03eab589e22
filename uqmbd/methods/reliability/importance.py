"""Reliability by importance sampling around the design point, and by subset simulation where that cannot be trusted."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.reliability import form, sampling, systems
from uqmbd.analysis.reliability import subset as reliability_subset
from uqmbd.analysis.reliability.form import DesignPoint, NotFoundError
from uqmbd.inputs import Input
from uqmbd.methods.reliability.run import SAMPLING, Points, converging, estimated, index_to
from uqmbd.methods.reliability.search import Form, FormRun
from uqmbd.methods.reliability.settings import FEWEST_OF_LEVELS

FALLING_BACK, COUNTING, LOOKING = 4, 5, 200  # random numbers of subset simulation, of evenness, and of directions, those of a system
EVEN, EFFECTIVE = 0.75, 5.0  # importance sampling below which subset simulation takes over, see docs/theory/reliability.md
FARTHER = 1.5  # as is it where its lower limit is so many times the probability of the plane


class ImportanceRun(FormRun):
    """Importance sampling: independent runs from the standard normal distribution moved to the design point.

    Where they cannot be trusted, because their weights are uneven, the limit is far from plane or has other parts, subset simulation
    takes over.
    """

    astray = "runs around one design point say nothing of the others"
    _instead: sampling.Probability | None = None
    _by: str = "subset simulation"  # where the estimate comes from then
    _elsewhere: tuple[int, int] = (0, 0)  # of a system: points that other parts of a limit were seen at, and how many were looked at
    _even: float | None = None  # how even weights are where limits are planes

    def _judge(self) -> None:
        """The weights will tell."""

    _judge_system = _judge

    def _find(self) -> Points:
        yield from super()._find()
        self._role, rng, count = SAMPLING, generator(self.seed, SAMPLING), self.settings.samples
        if self.settings.system:
            self._against, self._looked = self._elsewhere
            try:
                mixed = self._mixture()
            except NotFoundError as error:
                yield from self._count(str(error), rng)
                return
            z, weights = self._around_points(mixed, count, rng)
        else:
            self._near, self._rare = self._point.beta, index_to(abs(self._point.beta))
            z, weights = sampling.around(self._point.z, count, rng)
        margin = yield z
        self._sampled = margin, weights
        self._around = sampling.weighted(margin, weights, self._near, self._even)
        self._say(self._around.note)
        doubts = self._doubts()
        self._refuted = bool(doubts)
        if doubts:
            yield from self._simulate("; ".join(doubts))

    def _index(self, point: DesignPoint) -> Generator[np.ndarray, np.ndarray, float]:
        """Beside the index, whether there are other parts of this limit."""
        against, looked = yield from form.elsewhere(point, generator(self.seed, LOOKING + len(self._points)))
        before = self._elsewhere
        self._elsewhere = before[0] + against, before[1] + looked
        return point.beta

    def _mixture(self) -> systems.Mixture:
        """What a system is sampled from; raises `NotFoundError`."""
        if not 0 < self._system < 1 or not self._points:
            raise NotFoundError(f"by the planes of its limits the system is {'always' if self._system else 'never'} unsafe")
        beta, alpha = np.array([point.beta for point in self._points]), np.array([point.alpha for point in self._points])
        return systems.Mixture.of(beta, alpha, self.settings.system or "series")

    def _count(self, why: str, rng: np.random.Generator) -> Points:
        """Independent runs, where there is no point to sample about."""
        margin = yield rng.standard_normal((self.settings.samples, len(self.inputs)))
        self._around = self._instead = sampling.counted(margin, one_sided=True)
        self._by = "counting independent runs"
        self._say(f"{why}: there is no point to sample about, and independent runs were counted")

    def _around_points(self, mixed: systems.Mixture, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Points (count, d) about the design points of a system, and their weights (count,)."""
        if self._against:
            seen = f"at {self._against} of {self._looked} points an output is on another side of its limit than the plane has it"
            self._say(f"{seen}: there are other design points, or a limit is far from plane, and {self.astray}")
        self._near, self._rare = mixed.beta, self._system if mixed.beta > 0 else 1 - self._system
        self._even = mixed.evenness(generator(self.seed, COUNTING))
        return mixed.draw(count, rng)

    def _doubts(self) -> list[str]:
        """Why the limits of importance sampling may not hold."""
        around, doubts = self._around, []
        if not around.effective >= EFFECTIVE:
            doubts.append(f"the runs around the design point count as {np.nan_to_num(around.effective):.2g} independent ones")
        elif around.even < EVEN:
            doubts.append(
                f"the runs around the design point have uneven weights: they count as {around.effective:.2g} independent ones, "
                f"{around.even:.0%} of what they would with a plane limit, and one of them has {around.largest:.0%} of all weight"
            )
        rare = 1 - around.upper if self._near < 0 else around.lower
        if rare > FARTHER * self._rare:
            bent = "a limit bends" if self.settings.system else self._bent()
            doubts.append(f"they say {max(rare, 0.0):.2g} or more where the plane (FORM) says {self._rare:.2g}; {bent}")
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
        if self.settings.system:
            planes = self._of_system()
            return planes | {"beta_form": planes["beta"]} | estimated(self._estimate), self._unsafe(self._estimate)
        statistics = estimated(self._estimate) | {"beta_form": self._point.beta} | self._common()
        return statistics, {"importance": self._importance()} | self._unsafe(self._estimate)

    def _convergence(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        if self._instead:
            return super()._convergence()
        margin, weights = self._sampled
        kinds = {"probability": "unsafe", "cov": "cov"}
        return converging(len(margin), lambda count: sampling.weighted(margin[:count], weights[:count], self._near, self._even), kinds)

    def _facts(self) -> dict[str, Any]:
        around = self._around
        return super()._facts() | {
            "confidence": sampling.CONFIDENCE,
            "estimated_by": self._by if self._instead else "importance sampling",
            "effective_unsafe_runs": around.effective,
            "largest_weight_share": around.largest,
            "evenness_of_weights": around.even,
            "around_design_point": [around.unsafe, around.lower, around.upper],
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

    def further_of_system(self, d: int, limits: int) -> int:
        return self.samples + limits * (5 * d + 4)

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least, most = super().planned_runs(inputs)
        return least, most + self.fallback()[2]
