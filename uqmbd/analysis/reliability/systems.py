"""Systems of limits from their planes: probabilities of pairs exactly, Ditlevsen's bounds, the multinormal integral; where to sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.analysis.reliability.form import REACH, NotFoundError

NODES = 64  # of the quadrature over the correlation
LEAST = 0.1  # of the runs about several points, the share that these have evenly, however improbable they are
COUNTED = 50_000  # points in which it is counted how even weights are where limits are planes


def pair(beta: tuple[float, float], rho: float) -> float:
    """Probability that both of two standard normal margins with a correlation are below ``-beta``.

    ``Φ(-β₁) Φ(-β₂) + ∫ φ₂(β₁, β₂; r) dr`` from 0 to the correlation, by Gauss's rule over ``asin r`` (Drezner, Wesolowsky, J. Stat. Comput.
    Simul. 35 (1990) 101).
    """
    from scipy.special import ndtr

    a, b = beta
    if rho >= 1.0:
        return float(ndtr(-max(a, b)))
    if rho <= -1.0:
        return float(max(0.0, ndtr(-a) - ndtr(b)))
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    end = np.arcsin(rho)
    angle = end * (nodes + 1) / 2
    rest = np.exp(-(a * a + b * b - 2 * a * b * np.sin(angle)) / (2 * np.cos(angle) ** 2))
    return float(ndtr(-a) * ndtr(-b) + end / 2 * (weights @ rest) / (2 * np.pi))


def ditlevsen(beta: np.ndarray, rho: np.ndarray) -> tuple[float, float]:
    """Bounds of the probability that any of the limits is passed (Ditlevsen, J. Struct. Mech. 7 (1979) 453), most probable ones first."""
    from scipy.special import ndtr

    order = np.argsort(beta, kind="stable")
    beta, rho = beta[order], rho[np.ix_(order, order)]
    each = ndtr(-beta)
    lower = upper = float(each[0])
    for i in range(1, len(beta)):
        both = [pair((float(beta[i]), float(beta[j])), float(rho[i, j])) for j in range(i)]
        lower += max(0.0, float(each[i]) - sum(both))
        upper += float(each[i]) - max(both)
    return lower, min(upper, 1.0)


def together(beta: np.ndarray, rho: np.ndarray, system: str, seed: int) -> float:
    """Probability that any (``series``) or all (``parallel``) of the planes at distances `beta` (k,) are passed; `rho` (k, k)."""
    from scipy.special import ndtr

    if len(beta) == 1:
        return float(ndtr(-beta[0]))
    if len(beta) == 2:
        both = pair((float(beta[0]), float(beta[1])), float(rho[0, 1]))
        return both if system == "parallel" else float(ndtr(-beta).sum()) - both
    from scipy.stats import multivariate_normal

    end = -beta if system == "parallel" else beta
    keys: dict[str, Any] = {"cov": rho, "allow_singular": True, "abseps": 1e-9, "releps": 1e-6, "maxpts": 200_000}
    inside = float(multivariate_normal.cdf(end, rng=np.random.default_rng(seed), **keys))
    return inside if system == "parallel" else 1 - inside


def slopes_of(beta: np.ndarray, rho: np.ndarray, system: str, seed: int) -> np.ndarray:
    """Slopes (k,) of `together` in the distances, exact: by the probability of the others where one margin is at its limit."""
    slopes = np.empty(len(beta))
    for i, (own, row) in enumerate(zip(beta, rho, strict=True)):
        others = np.arange(len(beta)) != i
        near = row[others]
        spread = np.sqrt(np.maximum(1 - near**2, 1e-12))
        left = rho[np.ix_(others, others)] - np.outer(near, near)
        matrix = np.clip(left / np.outer(spread, spread), -1.0, 1.0)
        np.fill_diagonal(matrix, 1.0)
        passed = together((beta[others] - near * own) / spread, matrix, system, seed)
        slopes[i] = -np.exp(-own * own / 2) / np.sqrt(2 * np.pi) * (passed if system == "parallel" else 1 - passed)
    return slopes


@dataclass(frozen=True, eq=False)
class Mixture:
    """Normal distributions about points of standard normal space, from which a system of limits is sampled.

    The rare side of the system is the one that the medians are not on. Where any limit takes a point there, each limit has its design
    point (Melchers, Struct. Saf. 6 (1989) 3); where all must, there is one point, the nearest that is beyond all planes.
    """

    centres: np.ndarray  # (k, d)
    shares: np.ndarray  # (k,): of the runs
    beta: float  # distance of the nearest of the centres, negative where the medians are unsafe
    ways: np.ndarray  # (limits, d): towards the rare side of each plane
    away: np.ndarray  # (limits,): their distances
    any: bool  # whether one limit is enough

    @classmethod
    def of(cls, beta: np.ndarray, alpha: np.ndarray, system: str) -> Mixture:
        """Of planes at the distances `beta` (limits,) in the directions `alpha` (limits, d); raises `NotFoundError`."""
        from scipy.special import ndtr

        series = system == "series"
        side = 1.0 if ((beta > 0).all() if series else (beta > 0).any()) else -1.0
        ways, away, any_limit = side * alpha, side * beta, series == (side > 0)
        if any_limit:
            centres = away[:, None] * ways
            shares = (1 - LEAST) * ndtr(-away) / ndtr(-away).sum() + LEAST / len(away)
        else:
            centres, shares = _nearest(ways, away)[None], np.ones(1)
        return cls(centres, shares, side * float(np.linalg.norm(centres, axis=1).min()), ways, away, any_limit)

    def draw(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Points (count, d) and their weights (count,): the standard normal density over that of the mixture."""
        z = rng.standard_normal((count, self.centres.shape[1]))
        z += self.centres[rng.choice(len(self.centres), count, p=self.shares)]
        higher = z @ self.centres.T - 0.5 * (self.centres**2).sum(axis=1)
        most = higher.max(axis=1)
        return z, np.exp(-most) / (np.exp(higher - most[:, None]) @ self.shares)

    def evenness(self, rng: np.random.Generator) -> float:
        """How even the weights of points on the rare side are where limits are planes, ``E[w]² / E[w²]``; 1 where none is met."""
        z, weights = self.draw(COUNTED, rng)
        beyond = z @ self.ways.T >= self.away
        w = weights[beyond.any(axis=1) if self.any else beyond.all(axis=1)]
        return float(w.mean() ** 2 / (w @ w) * len(w)) if len(w) else 1.0


def _nearest(ways: np.ndarray, away: np.ndarray) -> np.ndarray:
    """The point (d,) nearest to the origin with ``ways z >= away`` (Lawson, Hanson, Solving Least Squares Problems, 1974, section 23.4)."""
    from scipy.optimize import nnls

    aim = np.append(np.zeros(ways.shape[1]), 1.0)
    rows = np.concatenate([ways.T, away[None]])
    rest = rows @ nnls(rows, aim)[0] - aim
    if not -rest[-1] > 1e-12 or (reach := float(np.linalg.norm(rest[:-1] / rest[-1]))) > REACH:
        raise NotFoundError(f"the planes of the limits have no point together within {REACH:g} standard deviations of the medians")
    return -rest[:-1] / rest[-1] if reach else np.zeros(ways.shape[1])
