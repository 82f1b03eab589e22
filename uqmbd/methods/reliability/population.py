"""Points of standard normal space in shells of ever smaller probability, so that a population of modest size sees rare events."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.reliability.sampling import CONFIDENCE, normal_half_width

DECADES = 15  # shells at most: the last one begins where 1e-15 is beyond
FEWEST = 5000  # points of a shell


@dataclass(frozen=True)
class Share:
    """A probability from the shells, and its standard deviation from the number of points."""

    value: float
    deviation: float

    @property
    def cov(self) -> float:
        """Coefficient of variation; infinite where no point counts."""
        return self.deviation / self.value if self.value else np.inf


class Population:
    """Stratified sample: shell k has the points beyond a radius with the probability 1e-k, up to that of the next; the last one is open.

    Every shell has as many points as another unless one matters more, and a point weighs the probability of its shell over their
    number, so that sums of weights are estimates without bias (Cochran, Sampling Techniques, 3rd ed. (1977), (5.6)).
    """

    def __init__(self, d: int, rng: np.random.Generator) -> None:
        self.d, self._rng = d, rng
        self.shells: list[np.ndarray] = [self._draw(0, FEWEST, last=False), self._draw(1, FEWEST, last=True)]

    @property
    def points(self) -> np.ndarray:
        """All of them, shell after shell, (n, d)."""
        return np.concatenate(self.shells)

    @property
    def masses(self) -> np.ndarray:
        """Probability of each shell."""
        beyond = 0.1 ** np.arange(len(self.shells))
        return beyond - np.append(beyond[1:], 0.0)

    @property
    def weights(self) -> np.ndarray:
        """Of each point, (n,); they add up to 1."""
        return np.concatenate([np.full(len(part), mass / len(part)) for part, mass in zip(self.shells, self.masses, strict=True)])

    @property
    def beyond(self) -> np.ndarray:
        """Probability to be farther out than where the shell of each point begins, (n,)."""
        return np.concatenate([np.full(len(part), 0.1**shell) for shell, part in enumerate(self.shells)])

    def deepen(self) -> bool:
        """Split the outermost shell; False where there are as many as there may be."""
        last = len(self.shells) - 1
        if last == DECADES:
            return False
        self.shells[last] = self._draw(last, FEWEST, last=False)
        self.shells.append(self._draw(last + 1, FEWEST, last=True))
        return True

    def enlarge(self, unsafe: np.ndarray, cov: float, most: int) -> bool:
        """More points for the shell that adds most to the variance, as many as `cov` needs; False where all such shells have `most`."""
        shares, share = self._shares(unsafe), self.share(unsafe)
        counts = np.array([len(part) for part in self.shells])
        parts = np.where(counts < most, self.masses**2 * shares * (1 - shares) / counts, 0.0)
        at = int(np.argmax(parts))
        if not parts[at] > 0:
            return False
        wanted = max((cov * share.value) ** 2 - share.deviation**2 + parts[at], 0.25 * parts[at])  # of its part
        more = min(int(counts[at] * (1.05 * parts[at] / wanted - 1)) + FEWEST, most - int(counts[at]))
        self.shells[at] = np.concatenate([self.shells[at], self._draw(at, more, last=at == len(self.shells) - 1)])
        return True

    def share(self, unsafe: np.ndarray) -> Share:
        """Probability of the points for which `unsafe` (n,) is true."""
        shares, masses = self._shares(unsafe), self.masses
        counts = np.array([len(part) for part in self.shells])
        return Share(float(masses @ shares), float(np.sqrt(masses**2 @ (shares * (1 - shares) / counts))))

    def nothing(self) -> float:
        """Upper confidence limit of the probability where no point is unsafe: the shell for which that says least."""
        counts = np.array([len(part) for part in self.shells])
        return float((self.masses * (1 - ((1 - CONFIDENCE) / 2) ** (1 / counts))).max())

    def outermost(self, unsafe: np.ndarray) -> float:
        """Share of the unsafe points in the open shell."""
        return float(self._shares(unsafe)[-1])

    def _shares(self, unsafe: np.ndarray) -> np.ndarray:
        ends = np.cumsum([len(part) for part in self.shells])[:-1]
        return np.array([part.mean() for part in np.split(unsafe, ends)])

    def _draw(self, shell: int, count: int, *, last: bool) -> np.ndarray:
        """Points (count, d) between two radii, all directions alike."""
        from scipy.special import gammainccinv

        beyond, inner = 0.1**shell, 0.0 if last else 0.1 ** (shell + 1)
        mix = 1.0 - self._rng.random(count)  # never 0
        radius = np.sqrt(2.0 * gammainccinv(self.d / 2, inner + (beyond - inner) * mix))
        way = self._rng.standard_normal((count, self.d))
        return radius[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)


def limits(least: Share, most: Share, population: Population) -> tuple[float, float]:
    """Confidence limits: the lower one of `least`, the upper one of `most`, each a lognormal estimate."""

    def factor(share: Share) -> float:
        return float(np.exp(normal_half_width() * np.sqrt(np.log1p(share.cov**2))))

    lower = least.value / factor(least) if least.value else 0.0
    upper = most.value * factor(most) if most.value else population.nothing()
    return lower, min(upper, 1.0)
