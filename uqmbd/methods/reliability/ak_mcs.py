"""Reliability by Kriging that learns where the limit is, and counts on a population: AK-MCS."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.base.threads import one_thread
from uqmbd.analysis.reliability import sampling
from uqmbd.analysis.reliability.form import NotFoundError
from uqmbd.inputs import Input
from uqmbd.inputs.checked import Number
from uqmbd.methods.reliability.population import Population, limits
from uqmbd.methods.reliability.run import SAMPLING, Points, ReliabilityRun
from uqmbd.methods.reliability.settings import Reliability
from uqmbd.methods.staged import Groups
from uqmbd.surrogates.kriging import Kriging

SURE = 2.0  # U from which the sign is taken for known: it is wrong with the probability Φ(-2) = 0.023
NEGLECTED = 0.02  # part of the probability that unsure points may weigh
CANDIDATES = 600  # unsure points among which a batch is chosen
AGREED = 3.0  # standard deviations of Kriging by which a run may differ
APART = 0.5  # standard deviations of the inputs between the runs that look whether it does
FIRST_RUNS, FIRST_SPREAD = 12, 1.5  # of the first design, and its spread in standard deviations
SEARCHED_AGAIN = 5  # batches after which the lengths are searched from new beginnings too
POPULATION = 5  # random numbers of the population


class LearningRun(ReliabilityRun):
    """Learns by the function U of Echard, Gayton and Lemaire, Struct. Saf. 33 (2011) 145, several runs at a time.

    ``U = |μ| / s`` of Kriging says how sure the sign of the margin is. The next runs are those points of the population where it is least;
    each counts as known, with its own prediction, when the next of the batch is chosen.
    """

    remedy = 'take approach = "subset", or a finer output'

    def _find(self) -> Points:
        from scipy.special import ndtri
        from scipy.stats import qmc

        d, settings, rng = len(self.inputs), self.settings, generator(self.seed, POPULATION)
        first = settings.first(d)
        z = FIRST_SPREAD * ndtri(qmc.LatinHypercube(d, rng=generator(self.seed, SAMPLING)).random(first))
        self._z, self._margin = z, (yield z)
        self._population, self._batches = Population(d, rng), 0
        self._fit(None)
        self._agreed = False
        self._counts: list[tuple[int, float, float]] = []
        yield from self._learn()
        while (yield from self._confirm()):
            grown = False
            while self._converged and self._refine():
                grown = True
                yield from self._learn()
            if not grown:
                break
        self._set_estimate()

    def _learn(self) -> Points:
        """Runs until the signs in the population are known."""
        while True:
            self._predict()
            left = self.settings.max_runs - len(self._z)
            if self._converged or left <= 0:
                return
            yield from self._run(self._choose(min(self.settings.batch, left)))

    def _run(self, points: np.ndarray) -> Points:
        margin = yield points
        self._z, self._margin = np.concatenate([self._z, points]), np.concatenate([self._margin, margin])
        self._batches += 1
        self._fit(self._kriging)

    def _confirm(self) -> Generator[np.ndarray, np.ndarray, bool]:
        """Runs where the signs are least sure and where Kriging knows least, until they are as it says; False where runs do not suffice.

        A first design that misses what the limit does may give a Kriging that is sure, and wrong.
        """
        while self._converged:
            left = self.settings.max_runs - len(self._z)
            count = min(self.settings.batch, left)
            if count <= 0:
                return self._agreed
            free = np.where(self._matters & ~self._fails, self._std, 0.0)
            at = [int(np.argmax(free))]
            far = np.where(free > 0, np.abs(self._mean) / np.maximum(free, 1e-300), np.inf)
            points, step = self._population.points, []
            for _ in range(count - 1):  # apart from each other, half by U and half by the spread of the prediction
                near = ((points - points[at[-1]]) ** 2).sum(axis=1) < APART**2
                far[near], free[near] = np.inf, 0.0
                step = int(np.argmin(far)) if len(at) % 2 else int(np.argmax(free))
                at.append(step)
            at = np.unique(at)
            mean, std = self._mean[at], self._std[at]
            yield from self._run(points[at])
            seen = self._margin[-len(at) :]
            ok = np.isfinite(seen)
            off = np.abs(seen - mean) > AGREED * std + 1e-6 * np.ptp(self._margin[np.isfinite(self._margin)])
            other_side = (off & ((seen < 0) != (mean < 0)))[ok].any()
            self._agreed = not other_side and int(np.count_nonzero(off[ok])) <= len(at) // 2
            yield from self._learn()
            if self._agreed and self._converged:
                return True
        return False

    def _fit(self, before: Kriging | None) -> None:
        ok = np.isfinite(self._margin)
        if ok.sum() < 3:
            raise NotFoundError("fewer than three runs of the first design were ok, too few to learn from")
        if np.ptp(self._margin[ok]) == 0:
            raise NotFoundError("the output has the same value in all runs of the first design")
        again = 0 if before and self._batches % SEARCHED_AGAIN else 2
        self._kriging = Kriging.fit(self._z[ok], self._margin[ok], restarts=again, seed=self._batches, start=before)

    def _predict(self) -> None:
        """Signs in the population, how sure they are, and where runs fail: nearer to a failed run than to any other."""
        points, failed = self._population.points, ~np.isfinite(self._margin)
        self._mean, self._std = self._kriging.evaluate(points)[:, 0], self._kriging.std(points)[:, 0]
        self._fails = np.zeros(len(points), bool)
        if failed.any():
            from scipy.spatial import KDTree

            self._fails = failed[KDTree(self._z).query(points)[1]]
        self._unsure = (np.abs(self._mean) < SURE * self._std) & ~self._fails
        self._negative = (self._mean < 0) & ~self._fails
        share = self._population.share(self._negative | self._fails)
        self._matters = self._population.beyond >= NEGLECTED * share.value
        self._doubtful = self._population.share(self._unsure).value
        self._converged = not self._unsure.any() or self._doubtful <= NEGLECTED * share.value
        self._counts.append((len(self._z), share.value, share.cov))

    @one_thread
    def _choose(self, count: int) -> np.ndarray:
        """The unsure points (count, d), or fewer, with least U, each given the ones before."""
        at = np.flatnonzero(self._unsure & self._matters)
        at = at[np.argsort(np.abs(self._mean[at]) / np.maximum(self._std[at], 1e-300), kind="stable")]
        at = at[:: max(1, len(at) // (2 * CANDIDATES))][:CANDIDATES]  # not all from one place
        points, mean = self._population.points[at], np.abs(self._mean[at])
        covariance, chosen = self._kriging.covariance(points), []
        for _ in range(min(count, len(at))):
            std = np.sqrt(np.maximum(np.diag(covariance), 0.0))
            u = np.where(std > 1e-6 * self._std[at], mean / np.maximum(std, 1e-300), np.inf)
            best = int(np.argmin(u))
            if not u[best] < SURE:
                break
            chosen.append(best)
            covariance = covariance - np.outer(covariance[:, best], covariance[best]) / covariance[best, best]
        return points[chosen or [0]]

    def _refine(self) -> bool:
        """Make the population deeper or larger until the probability is known well enough; True where there are points to learn at."""
        counted, population = self._negative | self._fails, self._population
        if population.share(counted).cov <= self.settings.cov:
            return False
        if population.outermost(counted) < 0.2 and population.deepen():
            return True
        return bool(counted.any()) and population.enlarge(counted, self.settings.cov, self.settings.population)

    def _set_estimate(self) -> None:
        """The estimate; unsure points count as safe in the lower limit and as unsafe in the upper one."""
        population, settings = self._population, self.settings
        safe, unsafe = population.share(self._negative), population.share(self._negative | self._fails)
        least, most = population.share(self._negative & ~self._unsure), population.share(self._negative | self._fails | self._unsure)
        lower, upper = limits(least, most, population)
        if not self._converged:
            self._say(
                f"learning did not converge in {settings.max_runs} runs: points with {self._doubtful:.2g} of the probability are "
                f"unsure, which the limits hold; raise max_runs"
            )
        if not unsafe.value:
            self._say(f"no point of the population is unsafe: the probability is below {upper:.2g} or so")
        elif unsafe.cov > settings.cov:
            wanted = f"the coefficient of variation is {unsafe.cov:.2g} where cov = {settings.cov:g} was asked for"
            self._say(wanted + (f", with {settings.population} points of a shell: raise population" if self._converged else ""))
        self._estimate = sampling.Probability(safe.value, unsafe.value, unsafe.cov, lower, upper)

    def _convergence(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        last = {count: (value, cov) for count, value, cov in self._counts}
        values, covs = np.array(list(last.values())).T
        return np.array(list(last)), {"probability": values, "cov": covs}

    def _kept(self) -> Groups:
        from uqmbd.surrogates.kept_kriging import kept, normal_axes

        name, axes, ok = self.settings.output, normal_axes(self.inputs), self.status == 0
        columns = Columns({name: self.columns.outputs[name]}, self.columns.time)
        if axes is None or self.settings.system:  # of a system it is of no output
            return {}
        return {"surrogates": kept(axes, columns, self.points[ok], self.values[ok, self._at, None], self._kriging)}

    def _facts(self) -> dict[str, Any]:
        return {
            "confidence": sampling.CONFIDENCE,
            "learning_converged": bool(self._converged),
            "unsure_probability": self._doubtful,
            "population": len(self._mean),
            "shells": len(self._population.shells),
            "batches": self._batches,
        }


class AkMcs(Reliability):
    """Kriging that learns where the limit is."""

    run: ClassVar[type] = LearningRun
    systems: ClassVar[bool] = True

    approach: Literal["ak_mcs"]
    batch: int = Field(default=6, ge=1, le=1000)
    max_runs: int = Field(default=300, ge=1)
    cov: Number = Field(default=0.01, ge=1e-3, lt=1)
    population: int = Field(default=500_000, ge=10_000, le=10_000_000)

    def first(self, d: int) -> int:
        """Runs of the first design."""
        return min(max(FIRST_RUNS, 2 * d + 2), self.max_runs)

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.first(len(inputs)), self.max_runs
