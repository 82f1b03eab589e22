"""Ensembles of walkers that ask for runs where they want to go."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.bayes.moves import propose
from uqmbd.inputs.base import FARTHEST
from uqmbd.methods.bayes.chains import Chains
from uqmbd.methods.bayes.conclusion import concluded
from uqmbd.methods.bayes.likelihood import Likelihood
from uqmbd.methods.staged import AdaptiveSampler, Conclusion
from uqmbd.runs.growing import Growing

FIRST, MOVED = range(2)  # roles: from the prior, and where walkers wanted to go
STARTS, WALKS = range(2)  # random numbers
OF_JOINTS = 8.0  # standard deviations: of joint distributions that are found by probabilities, 1 - 1e-15 is the last below 1
PRUNED = (6, 12, 18, 24)  # steps after which walkers that are hopelessly far go where others of their ensemble are; they are left out
SHOWN = (12, 24, 36)  # steps that are shown to who looks on, before it is looked first whether they suffice
FIRST_LOOK, LATER = 48, 1.25  # steps at which it is looked first whether the chains suffice, and how much later each time


class PosteriorRun(AdaptiveSampler):
    """Asks for points from the prior, then for where half of the walkers of all ensembles want to go.

    Walkers go in the independent standard normal variables of the inputs: the prior is the same whatever the inputs' distributions are.
    """

    chosen = (MOVED,)

    def __init__(self, settings: Any, *study: Any) -> None:
        super().__init__(settings, *study)
        self.likelihood = Likelihood(settings, self.columns)
        self._scatter = Growing(np.empty((0, len(self.likelihood.unknown))))  # of all runs, SI
        self._farthest = OF_JOINTS if any(joint.is_bound for joint in self.inputs.joints.values()) else FARTHEST

    def samples(self, points: np.ndarray) -> dict[str, np.ndarray]:
        return self.inputs.from_normal(points)

    def _plan(self) -> Iterator[bool]:
        settings, d = self.settings, len(self.inputs) + len(self.likelihood.unknown)
        walkers = settings.walkers_of(len(self.inputs))
        first = self._first_points(settings.ensembles, walkers, d)
        self._run(first, FIRST)
        yield True
        self._stop_if_too_many_failed()
        runs = np.arange(settings.ensembles * walkers).reshape(settings.ensembles, walkers)
        failed = np.flatnonzero(self.status[: runs.size] != 0)
        if failed.size:  # these walkers begin where others do
            ok = np.flatnonzero(self.status[: runs.size] == 0)
            runs.flat[failed] = ok[generator(self.seed, STARTS).integers(len(ok), size=len(failed))]
        self.chains = Chains(first[runs], self._log_likelihood(0)[runs], runs)
        yield from self._walk(generator(self.seed, WALKS), settings.effective, settings.max_steps)

    def _walk(self, rng: np.random.Generator, effective: int, most: int) -> Iterator[bool]:
        """Steps until the chains suffice, as said by the settings but for the effective size, or are `most` in all."""
        chains = self.chains
        half, look = chains.walkers // 2, min(max(FIRST_LOOK, chains.steps), most)
        while True:
            if chains.steps >= look:
                if self._suffices(effective) or look >= most:
                    return
                look = min(int(np.ceil(LATER * look)), most)
                self.settle()
            elif chains.steps in SHOWN:
                self.settle()
            for moving in (slice(None, half), slice(half, None)):
                yield from self._move(moving, rng)
            chains.record()
            if chains.steps in PRUNED and 2 * chains.steps <= most:
                chains.prune(rng)

    def _first_points(self, ensembles: int, walkers: int, d: int, stream: int = STARTS) -> np.ndarray:
        """A Latin hypercube of the prior for each ensemble, (ensembles * walkers, d)."""
        from scipy.special import ndtri

        rng = generator(self.seed, stream)
        return ndtri(np.concatenate([unit_points("lhs", walkers, d, rng) for _ in range(ensembles)]))

    def _move(self, half: slice, rng: np.random.Generator) -> Iterator[bool]:
        """Ask for where half of the walkers want to go, and let those go there that may."""
        chains = self.chains
        rest = np.ones(chains.walkers, bool)
        rest[half] = False
        points, log_factor = self._proposed(rng, half, rest)
        threshold = np.log(rng.random(log_factor.shape)) - log_factor
        near = (np.abs(points) < self._farthest).all(axis=-1) & (threshold < np.inf)
        log_likelihood, runs = np.full(near.shape, -np.inf), np.full(near.shape, -1)
        if near.any():
            log_likelihood[near], runs[near] = yield from self._density_at(points[near])
        chains.go(half, points, log_likelihood, runs, threshold - self._back(half, points, log_likelihood, runs))

    def _proposed(self, rng: np.random.Generator, half: slice, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where half of the walkers might go, (ensembles, n, d), and the logarithms of the factors of these moves, (ensembles, n)."""
        return propose(rng, self.chains.z[:, half], self.chains.z[:, rest], self.settings.moves)

    def _back(self, half: slice, points: np.ndarray, log_likelihood: np.ndarray, runs: np.ndarray) -> np.ndarray | float:
        """What runs at the `points` say of these factors besides."""
        return 0.0

    def _density_at(self, z: np.ndarray) -> Generator[bool, None, tuple[np.ndarray, np.ndarray]]:
        """Logarithm of the density of the readings at points (n, d), and the runs that were made there."""
        first = len(self.points)
        self._run(z, MOVED)
        yield True
        runs = np.arange(first, first + len(z))
        return self._log_likelihood(first)[: len(z)], runs

    def _run(self, z: np.ndarray, role: int) -> None:
        """Ask for points (n, inputs and what is not known of the scatter)."""
        self.add(z[:, : len(self.inputs)], role)
        self._scatter.add(self.scatter(z))

    def scatter(self, z: np.ndarray) -> np.ndarray:
        """Standard deviations that are not known at points (n, d), (n, number of them), SI."""
        items = self.likelihood.unknown
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

    def _suffices(self, effective: int) -> bool:
        judged = self.chains.judged(self.settings.discard, self.coordinate)
        self.chains.looks.append((self.chains.steps, float(judged.rhat.max()), float(judged.effective.min())))
        enough = bool((judged.effective >= effective).all())
        return judged.agree(self.settings.rhat) and enough and judged.long_enough

    def best_run(self) -> int:
        """The run of greatest density."""
        z, log, runs = self.chains.past()
        return int(runs.flat[np.argmax(log - 0.5 * (z**2).sum(axis=-1))])

    def values_at(self, z: np.ndarray, runs: np.ndarray, at: slice) -> np.ndarray:
        """Outcomes at draws (n, d), which are the `runs` (n,): (n, some of the columns)."""
        return self.outcomes(runs, at)

    def about(self) -> tuple[dict[str, Any], list[str]]:
        """Attributes of the result besides, and sentences on what is not to be trusted."""
        return {}, []

    def _conclude(self) -> Conclusion:
        return concluded(self)
