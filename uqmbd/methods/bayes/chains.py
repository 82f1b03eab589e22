"""Where the walkers of all ensembles are and were."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.bayes.diagnostics import effective_size, nested_rhat
from uqmbd.runs.growing import Growing

ALWAYS_OUT = 24  # first steps that are left out, whatever is said: walkers are moved by hand there
HOPELESS = 30.0  # of the logarithm of the density below the best walker of the ensemble
STUCK = 1.2  # R-hat of single walkers: above it they stay where they are, and ensembles agree by chance at best
MEMORIES = 20  # of their time of memory, that chains have to be long: what shorter ones say of it is too good


@dataclass(frozen=True)
class Judged:
    """How far chains can be believed; arrays have one number for each coordinate, (d,)."""

    rhat: np.ndarray
    effective: np.ndarray  # how many independent draws they are worth
    time: np.ndarray  # for how many steps walkers remember where they were
    alone: np.ndarray  # R-hat of single walkers
    steps: int  # of which all this is

    @property
    def stuck(self) -> bool:
        """Whether walkers stay each in a part of the posterior."""
        return bool(self.alone.max() > STUCK)

    def agree(self, rhat: float) -> bool:
        """Whether the ensembles have found the same, up to `rhat`."""
        return bool((self.rhat <= rhat).all()) and not self.stuck

    @property
    def long_enough(self) -> bool:
        """Whether the chains are so long that their effective size is known."""
        return bool(self.steps >= MEMORIES * self.time.max())


class Chains:
    """Walkers in standard normal space, the prior.

    Attributes
    ----------
    z : ndarray, shape (ensembles, walkers, d)
        Where they are.
    log_likelihood : ndarray, shape (ensembles, walkers)
    runs : ndarray, shape (ensembles, walkers)
        Numbers of the runs that were there.
    looks : list of (int, float, float)
        Steps at which it was looked whether they suffice, the largest R-hat and the least effective size then.
    """

    def __init__(self, z: np.ndarray, log_likelihood: np.ndarray, runs: np.ndarray) -> None:
        self.z, self.log_likelihood, self.runs = z.copy(), log_likelihood.copy(), runs.copy()
        self.ensembles, self.walkers, self.d = z.shape
        self._past = [Growing(np.empty((0, *part.shape), part.dtype)) for part in (self.z, self.log_likelihood, self.runs)]
        self.tried = self.taken = 0
        self.looks: list[tuple[int, float, float]] = []

    @property
    def steps(self) -> int:
        """Steps that were made."""
        return self._past[0].count

    def go(self, half: slice, points: np.ndarray, log_likelihood: np.ndarray, runs: np.ndarray, threshold: np.ndarray) -> None:
        """Let the walkers `half` go to `points` where the rise of the logarithm of the density is above `threshold`, (ensembles, n)."""
        z, known = self.z[:, half], self.log_likelihood[:, half]
        rise = log_likelihood - known - 0.5 * ((points**2).sum(axis=-1) - (z**2).sum(axis=-1))
        taken = rise > threshold
        z[taken], known[taken], self.runs[:, half][taken] = points[taken], log_likelihood[taken], runs[taken]
        self.tried, self.taken = self.tried + taken.size, self.taken + int(np.count_nonzero(taken))

    def record(self) -> None:
        """Keep where they are as a step."""
        for past, part in zip(self._past, (self.z, self.log_likelihood, self.runs), strict=True):
            past.add(part[None])

    def prune(self, rng: np.random.Generator) -> None:
        """Let walkers whose density is hopelessly low go where another one of their ensemble is: they would stay in a valley for good.

        What is lost has less than ``exp(-HOPELESS)`` of the weight of what is kept; Hou et al., Astrophys. J. 745 (2012) 198, section 3.1.
        """
        log_density = self.log_likelihood - 0.5 * (self.z**2).sum(axis=-1)
        for k in range(self.ensembles):
            good = log_density[k] > log_density[k].max() - HOPELESS - self.d
            good[np.argsort(-log_density[k], kind="stable")[: max(self.walkers // 4, self.d + 2)]] = True  # fewer span no directions
            instead = rng.choice(np.flatnonzero(good), size=int(np.count_nonzero(~good)))
            for part in (self.z, self.log_likelihood, self.runs):
                part[k, ~good] = part[k, instead]

    def kept(self, discard: float) -> int:
        """Number of the first step that is not left out."""
        return min(max(int(discard * self.steps), ALWAYS_OUT), self.steps - 4)

    def past(self, first: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`z`, `log_likelihood` and `runs` of the steps from number `first` on, (steps, ...) each."""
        z, log_likelihood, runs = (past.rows[first:] for past in self._past)
        return z, log_likelihood, runs

    def judged(self, discard: float, coordinate: Callable[[np.ndarray], np.ndarray]) -> Judged:
        """Of the steps that are not left out."""
        draws = np.moveaxis(coordinate(self.past(self.kept(discard))[0]), 0, 2)
        alone = nested_rhat(draws.reshape(-1, 1, *draws.shape[2:]))
        return Judged(nested_rhat(draws), *effective_size(draws), alone, draws.shape[2])
