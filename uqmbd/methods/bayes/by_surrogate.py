"""Chains that walk on a surrogate, whose error is in the likelihood, and are checked by fresh runs where they were."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from uqmbd.analysis.base.streams import generator
from uqmbd.errors import StudyError
from uqmbd.methods.bayes.chains import Chains
from uqmbd.methods.bayes.learned import Learned, predicted
from uqmbd.methods.bayes.walking import FIRST, STARTS, PosteriorRun

FRESH = 2  # role: at draws of the posterior by the surrogate
LEARNS = 2  # random numbers of the first runs; those of the rounds, for walkers and for fresh runs, are from ROUNDS on
ROUNDS = 10
UNSEEN = 1e-3  # of the scatter: differences between runs that are nothing
RELATIVE = 1e-7  # of the largest difference between runs: of outputs that are not compared
SOME, MOST = 100, 150  # effective size and steps of chains that only say where fresh runs are
PRIOR, SPREAD = 1000, 4  # points of the prior among which walkers of an ensemble begin; effective ones for each walker
CANDIDATES = 400  # draws among which fresh runs are chosen


class BySurrogate(PosteriorRun):
    """Asks for points from the prior, then for draws of the posterior as Kriging of all runs so far has it, until these are as it says."""

    chosen = (*PosteriorRun.chosen, FRESH)

    def _plan(self) -> Iterator[bool]:
        settings, d = self.settings, len(self.inputs)
        self.error = np.inf
        self._learned: dict[str, Learned] = {}
        self._run(self._first_points(1, settings.first_runs(d), d + len(self.likelihood.unknown), LEARNS), FIRST)
        yield True
        self._stop_if_too_many_failed()
        rounds = 0
        while True:
            rounds += 1
            self._learn()
            rng = generator(self.seed, ROUNDS + 3 * rounds + 2)
            self._begin(rounds)
            yield from self._walk(rng, min(SOME, settings.effective), min(MOST, settings.max_steps))
            count = min(settings.batch, settings.max_runs - len(self.points))
            if count > 0:
                z = self._fresh(count, rounds)
                said = self._log_at(z)
                first = len(self.points)
                self._run(z, FRESH)
                yield True
                self._compare(said, self._log_likelihood(first))
                self._show()
            if count <= 0 or self.error <= settings.surrogate_tolerance:
                yield from self._walk(rng, settings.effective, settings.max_steps)
                return

    # surrogate ------------------------------------------------------------------------------------------------------------------------
    def _learn(self) -> None:
        """Kriging of the residuals of all runs that were ok."""
        ok = self._rows()
        residuals = self.likelihood.residuals(self.values[ok])
        least = {name: UNSEEN * self.likelihood.least(name) for name in residuals}
        before, z = self._learned, self.points[ok]
        self._learned = {name: Learned.fit(z, values, least[name], before.get(name)) for name, values in residuals.items()}

    def _fails(self, z: np.ndarray) -> np.ndarray:
        """Whether the nearest run failed, (n,)."""
        failed = self.status != 0
        if not failed.any():
            return np.zeros(len(z), bool)
        from scipy.spatial import KDTree

        return failed[KDTree(self.points).query(z[:, : len(self.inputs)])[1]]

    def _log_at(self, z: np.ndarray) -> np.ndarray:
        """Logarithm of the density of the readings at points (n, d), with the error of the surrogate."""
        values, errors = predicted(self._learned, z[:, : len(self.inputs)])
        return np.where(self._fails(z), -np.inf, self.likelihood.log_of(values, self.scatter(z), errors))

    def _density_at(self, z: np.ndarray) -> Generator[bool, None, tuple[np.ndarray, np.ndarray]]:
        yield from ()
        return self._log_at(z), np.full(len(z), -1)

    # rounds ---------------------------------------------------------------------------------------------------------------------------
    def _begin(self, rounds: int) -> None:
        """Walkers at points of the prior, those preferred that have some weight: far valleys would hold them for good."""
        settings, walkers = self.settings, self.settings.walkers_of(len(self.inputs))
        many, d = max(PRIOR, 4 * walkers), len(self.inputs) + len(self.likelihood.unknown)
        z = self._first_points(settings.ensembles, many, d, STARTS).reshape(settings.ensembles, many, d)
        log = self._log_at(z.reshape(-1, d)).reshape(z.shape[:2])
        if not np.isfinite(log).any():
            raise StudyError("the readings are impossible at all points of the prior", remedy="look whether runs and readings are alike")
        chance = generator(self.seed, ROUNDS + 3 * rounds).gumbel(size=log.shape)  # the greatest of sums are draws without replacement
        keys = np.where(np.isfinite(log), _tempered(log, SPREAD * walkers * settings.ensembles) + chance, -1e300)
        at = np.argsort(-keys, axis=1, kind="stable")[:, :walkers]
        rows = np.arange(settings.ensembles)[:, None]
        self.chains = Chains(z[rows, at], log[rows, at], np.full(at.shape, -1))

    def _fresh(self, count: int, rounds: int) -> np.ndarray:
        """The most probable draw, random ones, and as many again that are far from all of these, (count, d)."""
        z, log, _ = self.chains.past(self.chains.kept(self.settings.discard))
        draws, place = np.unique(z.reshape(-1, z.shape[-1]), axis=0, return_index=True)
        best = int(np.argmax(log.ravel()[place] - 0.5 * (draws**2).sum(axis=1)))
        rng = generator(self.seed, ROUNDS + 3 * rounds + 1)
        at = [best, *(i for i in rng.permutation(len(draws)) if i != best)][: max(CANDIDATES, count)]
        points, spread = draws[at], draws.std(axis=0)
        scaled = points / np.where(spread > 0, spread, 1.0)
        taken = list(range(min(len(at), (count + 1) // 2)))
        apart = np.min([((scaled - scaled[i]) ** 2).sum(axis=1) for i in taken], axis=0)
        while len(taken) < min(count, len(at)):
            taken.append(int(np.argmax(apart)))
            apart = np.minimum(apart, ((scaled - scaled[taken[-1]]) ** 2).sum(axis=1))
        return points[taken]

    def _compare(self, said: np.ndarray, found: np.ndarray) -> None:
        """What the logarithm of the density is off at fresh runs, root mean square; not known where half of them failed."""
        off = (found - said)[np.isfinite(found) & np.isfinite(said)]
        self.error = float(np.sqrt(np.mean(off**2))) if 2 * len(off) > len(said) else np.inf

    def settle(self, conclude: Any = None) -> None:
        """Not while chains walk, which ask for no runs."""

    def _show(self) -> None:
        """The chains of a round, once fresh runs say how far their surrogate can be believed."""
        super().settle()
        self.__dict__.pop("_outcomes", None)  # is of all runs

    # result ---------------------------------------------------------------------------------------------------------------------------
    def best_run(self) -> int:
        log = self._log_likelihood(0) - 0.5 * (self.points**2).sum(axis=1)
        return int(np.argmax(log))

    @cached_property
    def _outcomes(self) -> dict[str, Learned]:
        """Kriging of all outputs."""
        ok, columns = self._rows(), self.columns
        found = {}
        for name, at in columns.slices.items():
            values = self.outcomes(ok, at)
            found[name] = Learned.fit(self.points[ok], values, RELATIVE * float(np.ptp(values)))
        return found

    def values_at(self, z: np.ndarray, runs: np.ndarray, at: slice) -> np.ndarray:
        out = np.empty((len(z), at.stop - at.start))
        for name, each in self._coefficients(z).items():
            own = self.columns.slices[name]
            first, last = max(own.start, at.start), min(own.stop, at.stop)
            if first < last:
                here = slice(first - own.start, last - own.start)
                out[:, first - at.start : last - at.start] = self._outcomes[name].values(each, here)
        return out

    def _coefficients(self, z: np.ndarray) -> dict[str, np.ndarray]:
        return {name: each.at(z[:, : len(self.inputs)])[0] for name, each in self._outcomes.items()}

    def about(self) -> tuple[dict[str, Any], list[str]]:
        settings, error = self.settings, self.error
        converged = error <= settings.surrogate_tolerance
        facts = {
            "surrogate": settings.surrogate,
            "surrogate_converged": bool(converged),
            "surrogate_error": error if np.isfinite(error) else 1e300,
            "runs_fresh": int(np.count_nonzero(self.roles == FRESH)),
        }
        if converged:
            return facts, []
        off = f"the logarithm of the density is off by {error:.2g} at the last fresh runs" if np.isfinite(error) else "half of them failed"
        return facts, [
            f"the surrogate has not converged after {len(self.points)} runs: {off}, where surrogate_tolerance = "
            f"{settings.surrogate_tolerance:g} was asked for; the posterior is wider for it, or wrong" + "; raise max_runs" * self.ended
        ]


def _tempered(log: np.ndarray, wanted: float) -> np.ndarray:
    """The share of logarithms of weights with which so many of the points have an effective weight."""
    finite = log[np.isfinite(log)] - log.max()
    share = 1.0
    while share > 1e-12:
        weight = np.exp(share * finite)
        if weight.sum() ** 2 >= min(wanted, len(finite) / 2) * (weight**2).sum():
            break
        share /= 1.5
    return share * (log - log.max())
