"""Walkers that move by derivatives of the model: its outputs, or differences of runs close by."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqmbd.analysis.bayes.langevin import Near
from uqmbd.analysis.bayes.moves import propose
from uqmbd.methods.bayes.chains import ALWAYS_OUT
from uqmbd.methods.bayes.slopes import Slopes
from uqmbd.methods.bayes.walking import PosteriorRun
from uqmbd.runs.growing import Growing

BESIDE = 3  # role: close to another run, for differences
DOWNHILL = 12  # first steps, which are left out: walkers come down from the prior, though they would hardly come back
WANTED = 0.6  # share of moves that are taken: Roberts, Rosenthal, J. R. Stat. Soc. B 60 (1998) 255 have 0.574
GAIN, SLOWER = 6.0, 3.0  # by which the step follows what is taken, less each time
LEAST = 1e-3  # step


class ByGradient(PosteriorRun):
    """Asks for what `PosteriorRun` does; a share of the moves are those of `uqmbd.analysis.bayes.langevin`."""

    chosen = (*PosteriorRun.chosen, BESIDE)

    def __init__(self, settings: Any, *study: Any) -> None:
        super().__init__(settings, *study)
        self.slopes = Slopes(settings, self.inputs, self.columns, self.likelihood)
        self._beside = Growing(np.empty(0, np.int64))  # of each run, the first of those close to it; -1 of these
        self.share, self._tuned = 1.0, 0
        self._until = min(ALWAYS_OUT, settings.max_steps - 4)  # steps with which the share may change: those that are always left out

    def _run(self, z: np.ndarray, role: int) -> None:
        super()._run(z, role)
        n, d, count = len(z), len(self.inputs), len(self.points)
        if self.slopes.of_outputs:
            self._beside.fill(n, -1)
            return
        self._beside.add(count + d * np.arange(n))
        near = np.repeat(z, d, axis=0)
        near[:, :d] += self.slopes.beside(z[:, :d]).reshape(-1, d)
        super()._run(near, BESIDE)
        self._beside.fill(n * d, -1)

    def _near(self, z: np.ndarray, runs: np.ndarray) -> Near:
        """What the runs (n,) tell of the density near the points (n, d) that they were made at."""
        d = len(self.inputs)
        close = None if self.slopes.of_outputs else self._beside.rows[runs][:, None] + np.arange(d)
        slopes = self.slopes.of_runs(z[:, :d], self.values, self.status, runs, close)
        return Near(z, *self.slopes.log_posterior(z, slopes, self.scatter))

    def _proposed(self, rng: np.random.Generator, half: slice, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        z, moves = self.chains.z[:, half], self.settings.moves
        others = {name: weight for name, weight in moves.items() if name != "langevin"}
        self._langevin = rng.random(z.shape[:2]) * sum(moves.values()) < moves["langevin"]
        points, log_factor = z.copy(), np.zeros(z.shape[:2])
        if sum(others.values()) > 0:
            points, log_factor = propose(rng, z, self.chains.z[:, rest], others)
        log_factor[self._langevin] = 0.0
        self._here = self._near(z[self._langevin], self.chains.runs[:, half][self._langevin])
        points[self._langevin] = self._here.draw(rng.standard_normal(self._here.z.shape), self.share)
        return points, log_factor

    def _back(self, half: slice, points: np.ndarray, log_likelihood: np.ndarray, runs: np.ndarray) -> np.ndarray:
        """The way back over the way there."""
        log_factor, steps = np.zeros(runs.shape), self.chains.steps
        made = self._langevin & np.isfinite(log_likelihood)
        z, here = self.chains.z[:, half], made[self._langevin]
        there = self._near(points[made], runs[made])
        way = Near(*(part[here] for part in (self._here.z, self._here.gradient, self._here.metric))).log_density(points[made], self.share)
        log_factor[made] = there.log_density(z[made], self.share) - way
        if steps < min(DOWNHILL, self._until):
            return np.maximum(log_factor, 0.0)
        if steps < self._until and self._langevin.any():
            rise = log_likelihood[made] - self.chains.log_likelihood[:, half][made]
            rise -= 0.5 * ((points[made] ** 2).sum(axis=-1) - (z[made] ** 2).sum(axis=-1))
            taken = np.exp(np.minimum(rise + log_factor[made], 0.0)).sum() / np.count_nonzero(self._langevin)
            self._tuned += 1
            self.share = float(np.clip(self.share * np.exp(GAIN / (self._tuned + SLOWER) * (taken - WANTED)), LEAST, 1.0))
        return log_factor

    def about(self) -> tuple[dict[str, Any], list[str]]:
        made = "outputs" if self.slopes.of_outputs else "differences"
        return {"derivatives": made, "langevin_step": self.share}, []
