"""Bayesian calibration: the distribution of the inputs after readings, by ensembles of walkers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.bayes.moves import MOVES, NEEDED, propose
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import OF_SAMPLE, GroupSpec
from uqmbd.inputs import Input
from uqmbd.inputs.checked import Number
from uqmbd.methods.bayes.chains import Chains
from uqmbd.methods.bayes.conclusion import CHAINS, POSTERIOR, concluded
from uqmbd.methods.bayes.likelihood import Likelihood
from uqmbd.methods.bayes.noise import Noise
from uqmbd.methods.bayes.shown import posterior_figures
from uqmbd.methods.parameter_studies.calibrate_data import Readings, data_files
from uqmbd.methods.staged import AdaptiveSampler, Conclusion
from uqmbd.runs.growing import Growing

FIRST, MOVED = range(2)  # roles: from the prior, and where walkers wanted to go
STARTS, WALKS = range(2)  # random numbers
FARTHEST = 8.0  # standard deviations: no walker leaves 1 - 1e-15 of the prior
PRUNED = (6, 12, 18, 24)  # steps after which walkers that are hopelessly far go where others of their ensemble are; they are left out
FIRST_LOOK, LATER = 48, 1.25  # steps at which it is looked first whether the chains suffice, and how much later each time


class PosteriorRun(AdaptiveSampler):
    """Asks for points from the prior, then for where half of the walkers of all ensembles want to go.

    Walkers go in the independent standard normal variables of the inputs: the prior is the same whatever the inputs' distributions are.
    """

    chosen = (MOVED,)

    def __init__(self, settings: Posterior, *study: Any) -> None:
        super().__init__(settings, *study)
        self.likelihood = Likelihood(settings, self.columns)
        self._scatter = Growing(np.empty((0, len(self.likelihood.noise))))  # of all runs, SI

    def samples(self, points: np.ndarray) -> dict[str, np.ndarray]:
        return self.inputs.from_normal(points)

    def _plan(self) -> Iterator[bool]:
        settings, d = self.settings, len(self.inputs) + len(self.likelihood.noise)
        walkers = settings.walkers_of(len(self.inputs))
        first = self._first_points(settings.ensembles, walkers, d)
        self._run(first, FIRST)
        yield True
        self._stop_if_too_many_failed()
        runs = np.arange(settings.ensembles * walkers).reshape(settings.ensembles, walkers)
        failed = np.flatnonzero(self.status != 0)
        if failed.size:  # these walkers begin where others do
            ok = np.flatnonzero(self.status == 0)
            runs.flat[failed] = ok[generator(self.seed, STARTS).integers(len(ok), size=len(failed))]
        self.chains = Chains(first[runs], self._log_likelihood(0)[runs], runs)
        rng, look = generator(self.seed, WALKS), min(FIRST_LOOK, settings.max_steps)
        for step in range(1, settings.max_steps + 1):
            for half in (slice(None, walkers // 2), slice(walkers // 2, None)):
                yield from self._move(half, rng)
            self.chains.record()
            if step in PRUNED and 2 * step <= settings.max_steps:
                self.chains.prune(rng)
            if step == look:
                if self._suffices():
                    return
                look = min(int(np.ceil(LATER * look)), settings.max_steps)

    def _first_points(self, ensembles: int, walkers: int, d: int) -> np.ndarray:
        """A Latin hypercube of the prior for each ensemble, (ensembles * walkers, d)."""
        from scipy.special import ndtri

        rng = generator(self.seed, STARTS)
        return ndtri(np.concatenate([unit_points("lhs", walkers, d, rng) for _ in range(ensembles)]))

    def _move(self, half: slice, rng: np.random.Generator) -> Iterator[bool]:
        """Ask for where half of the walkers want to go, and let those go there that may."""
        chains, first = self.chains, len(self.points)
        rest = np.ones(chains.walkers, bool)
        rest[half] = False
        points, log_factor = propose(rng, chains.z[:, half], chains.z[:, rest], self.settings.moves)
        threshold = np.log(rng.random(log_factor.shape)) - log_factor
        near = (np.abs(points) < FARTHEST).all(axis=-1) & (threshold < np.inf)
        log_likelihood, runs = np.full(near.shape, -np.inf), np.full(near.shape, -1)
        if near.any():
            self._run(points[near], MOVED)
            yield True
            log_likelihood[near], runs[near] = self._log_likelihood(first), np.arange(first, len(self.points))
        chains.go(half, points, log_likelihood, runs, threshold)

    def _run(self, z: np.ndarray, role: int) -> None:
        """Ask for points (n, inputs and what is not known of the scatter)."""
        self.add(z[:, : len(self.inputs)], role)
        self._scatter.add(self.scatter(z))

    def scatter(self, z: np.ndarray) -> np.ndarray:
        """Standard deviations that are not known at points (n, d), (n, number of them), SI."""
        items = list(self.likelihood.noise.values())
        rest = z[:, len(self.inputs) :]
        return np.column_stack([item.from_normal(rest[:, k]) for k, item in enumerate(items)]) if items else rest

    def _log_likelihood(self, first: int) -> np.ndarray:
        """Of the runs from number `first` on; minus infinite where they failed."""
        found = np.full(len(self.status) - first, -np.inf)
        ok = np.flatnonzero(self.status[first:] == 0)
        if ok.size:
            found[ok] = self.likelihood.log(self.values[first + ok], self._scatter.rows[first + ok])
        return found

    def coordinate(self, z: np.ndarray) -> np.ndarray:
        """The standard normal variable of each input by itself at points (..., d): that of its prior's probability."""
        bound, d = self.inputs.dependence, len(self.inputs)
        if bound is None:
            return z
        return np.concatenate([bound.bend(z[..., :d].reshape(-1, d), list(self.inputs)).reshape(*z.shape[:-1], d), z[..., d:]], axis=-1)

    def _suffices(self) -> bool:
        judged = self.chains.judged(self.settings.discard, self.coordinate)
        enough = bool((judged.effective >= self.settings.effective).all())
        return judged.agree(self.settings.rhat) and enough and judged.long_enough

    def _conclude(self) -> Conclusion:
        return concluded(self)


class Posterior(Readings):
    """What readings leave of the distributions of the inputs: draws from the posterior, by ensembles of walkers.

    The inputs' distributions are the prior. Each reading is the run plus Gaussian scatter of its standard deviation, which `deviations`
    says. The walkers of an ensemble move by each other (`moves`); ensembles know nothing of each other, so that their agreement (R-hat)
    says whether the chains have found the whole posterior.

    Attributes
    ----------
    walkers : int, optional
        Of each ensemble, an even number; unless said 4 for each input, at least 16. Half of them, of all ensembles, is one batch of runs.
    ensembles : int
        Independent ones.
    max_steps : int
        Steps of each walker at most; fewer where the chains suffice before.
    discard : float
        Share of the steps, from the first on, that are left out: walkers come from the prior.
    effective : int
        Independent draws that the chains have to be worth, of each input.
    rhat : float
        R-hat at which ensembles are taken to agree.
    noise : dict of str to dict
        Measurements whose standard deviation is not known, with its prior as an input has it: ``{ x = { distribution = { type =
        "lognormal", mean = 0.1, std = 0.1 }, unit = "mm" } }``. It is estimated beside the inputs.
    correlation_time : dict of str to float
        Of the scatter of measured histories, s: readings so far apart have a correlation of 1/e. Without it each scatters by itself.
    moves : dict of str to float
        How often each move is made: ``stretch`` (Goodman and Weare), ``differential`` (differential evolution, ter Braak), ``snooker``.
    draws : int
        Draws that the group `posterior` of the result has at most.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> prior = {"load": uq.Fixed(100.0), "stiffness": uq.Uniform(1000.0, 5000.0)}
    >>> method = uq.Posterior(scalars={"sag": "40 mm"}, deviations={"sag": "1 mm"})
    >>> study = uq.Study(model=sag, inputs=prior, outputs=["sag"], method=method, name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> abs(result.attrs["estimate"]["stiffness"] - 2500) < 25, 50 < result.attrs["estimate_std"]["stiffness"] < 75
    (True, True)
    """

    name: ClassVar[str] = "posterior"
    accepts: ClassVar[frozenset[str]] = frozenset({"random"})
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "joint"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (*OF_SAMPLE, POSTERIOR, CHAINS)
    figures: ClassVar[tuple[Any, ...]] = (posterior_figures,)
    run: ClassVar[type] = PosteriorRun

    walkers: int | None = Field(default=None, ge=8, le=10_000)
    ensembles: int = Field(default=2, ge=2, le=100)
    max_steps: int = Field(default=2000, ge=20)
    discard: Number = Field(default=0.5, gt=0, lt=1)
    effective: int = Field(default=400, ge=1)
    rhat: Number = Field(default=1.02, gt=1)
    noise: Noise = Field(default_factory=dict)
    correlation_time: dict[str, Number] = Field(default_factory=dict)
    moves: dict[str, Number] = Field(default_factory=lambda: {"stretch": 0.1, "differential": 0.7, "snooker": 0.2})
    draws: int = Field(default=2000, ge=10)

    @model_validator(mode="after")
    def _walking(self) -> Self:
        if self.walkers is not None and self.walkers % 2:
            remedy = f"write {self.walkers + 1}"
            raise StudyError("the walkers move in halves, so their number is even", key="walkers", value=self.walkers, remedy=remedy)
        for name in self.noise:
            if name in self.deviations:
                remedy = "leave one of them out"
                raise StudyError("the standard deviation is known or it is not", key=f"noise.{name}", remedy=remedy)
        for name, weight in self.moves.items():
            if name not in MOVES:
                raise StudyError("there is no such move", key=f"moves.{name}", remedy=did_you_mean(name, MOVES, noun="move"))
            if weight < 0:
                raise StudyError("a move is made with a share of 0 or more", key=f"moves.{name}", value=weight, remedy="leave it out")
        if not sum(self.moves.values()) > 0:
            raise StudyError("no move is made", key="moves", remedy="write moves = { stretch = 1 }, say")
        return self

    def walkers_of(self, inputs: int) -> int:
        """Walkers of an ensemble."""
        return max(16, 4 * inputs) if self.walkers is None else self.walkers

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        least = 2 * max(NEEDED, len(inputs) + 1)
        if self.walkers is not None and self.walkers < least:
            text = f"{self.walkers} walkers cannot move in all directions of {len(inputs)} inputs"
            raise StudyError(text, key="method.walkers", value=self.walkers, remedy=f"take {least} at least")

    def wanted_times(self, end: float) -> np.ndarray:
        return np.unique(np.concatenate([np.empty(0), *(file.times(self, end) for file in data_files(self))]))

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        at_once = self.ensembles * self.walkers_of(len(inputs))
        return at_once, at_once * (1 + self.max_steps)
