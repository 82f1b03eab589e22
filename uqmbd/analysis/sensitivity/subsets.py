"""How much of the variance sets of inputs explain, of inputs that may depend on each other; and what follows for each input.

``v(S) = Var E[y | x_S] / Var y`` is estimated from pairs of runs that share x_S, the other inputs of each drawn given x_S (Kucherenko,
Tarantola, Annoni, Comput. Phys. Commun. 183 (2012) 937), as ``1 - E[(y - y_S)²] / 2V`` with V of both runs together, which is their
correlation (Janon, Klein, Lagnoux, Nodet, Prieur, ESAIM Probab. Stat. 18 (2014) 342). From v follow

- ``shapley``: what an input adds to v, the mean over orders in which inputs become known; they add up to 1 (Owen, SIAM/ASA J. Uncertain.
  Quantif. 2 (2014) 245; Song, Nelson, Staum, ibid. 4 (2016) 1060),
- ``first_full``: ``v({i})``; ``total_independent``: ``1 - v(all but i)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

ALL = 6  # inputs up to which all orders are gone through: 62 sets
KINDS = ("shapley", "first_full", "total_independent")


@dataclass(frozen=True)
class Subsets:
    """Sets of inputs that are needed, as the bits of a number.

    Attributes
    ----------
    d : int
        Inputs.
    sets : tuple of int
        Sets but the empty and the whole one, ascending.
    orders : ndarray, shape (orders, d), optional
        In which inputs become known; None stands for all of them.
    """

    d: int
    sets: tuple[int, ...]
    orders: np.ndarray | None

    @classmethod
    def of(cls, d: int, orders: int | None, rng: np.random.Generator) -> Subsets:
        """Of all orders, or of so many random ones; each input alone and all but it are always there."""
        if orders is None:
            return cls(d, tuple(range(1, (1 << d) - 1)), None)
        whole, drawn = (1 << d) - 1, np.array([rng.permutation(d) for _ in range(orders)])
        before = np.cumsum(1 << drawn, axis=1)[:, :-1]
        each = [1 << i for i in range(d)]
        sets = {int(known) for known in before.ravel()} | set(each) | {whole - one for one in each}
        return cls(d, tuple(sorted(sets - {0, whole})), drawn)

    def members(self, known: int) -> np.ndarray:
        """Which inputs are in a set, (d,)."""
        return np.array([bool(known >> i & 1) for i in range(self.d)])

    def weights(self) -> np.ndarray:
        """What a Shapley effect is of v, (orders, d, sets + 2): the empty set and the whole one are the last two columns.

        One row of all orders together, where all are gone through.
        """
        at = {known: k for k, known in enumerate((*self.sets, 0, (1 << self.d) - 1))}
        if self.orders is not None:
            weights = np.zeros((len(self.orders), self.d, len(at)))
            for row, order in zip(weights, self.orders, strict=True):
                known = 0
                for i in order:
                    row[i, at[known]] -= 1.0
                    known += 1 << int(i)
                    row[i, at[known]] += 1.0
            return weights
        weights = np.zeros((1, self.d, len(at)))
        for known, k in at.items():
            size = known.bit_count()
            for i in range(self.d):
                if known >> i & 1:
                    weights[0, i, k] += 1 / (self.d * comb(self.d - 1, size - 1))
                else:
                    weights[0, i, k] -= 1 / (self.d * comb(self.d - 1, size))
        return weights


def design(subsets: Subsets, correlation: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Blocks of runs in the unit cube of independent points, (samples * (sets + 1), d): one run, and for each set one that shares it.

    Parameters
    ----------
    correlation : ndarray, shape (d, d)
        Of the normal variables behind the inputs; independent points become theirs by its Cholesky factor.
    u : ndarray, shape (samples, 2 d)
        Independent points: of the first run, and of what is drawn anew.
    """
    from scipy.linalg import solve_triangular
    from scipy.special import ndtr, ndtri

    d, factor = subsets.d, np.linalg.cholesky(correlation)
    first, fresh = ndtri(u[:, :d]), ndtri(u[:, d:])
    z = first @ factor.T
    blocks = np.empty((len(u), len(subsets.sets) + 1, d))
    blocks[:, 0] = u[:, :d]
    for k, known in enumerate(subsets.sets, 1):
        inside = subsets.members(known)
        order, count = np.concatenate([np.flatnonzero(inside), np.flatnonzero(~inside)]), int(inside.sum())
        permuted = np.linalg.cholesky(correlation[np.ix_(order, order)])
        behind = np.empty_like(z)
        behind[:, :count] = solve_triangular(permuted[:count, :count], z[:, order[:count]].T, lower=True).T
        behind[:, count:] = fresh[:, order[count:]]
        drawn = np.empty_like(z)
        drawn[:, order] = behind @ permuted.T
        drawn[:, inside] = z[:, inside]
        blocks[:, k] = ndtr(solve_triangular(factor, drawn.T, lower=True).T)
    return np.clip(blocks.reshape(-1, d), 2.0**-53, 1 - 2.0**-53)


def explained(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """v of every set, and of the empty and the whole one, (resamples, sets + 2, columns); 0 where nothing varies.

    Of `values` (samples, sets + 1, columns); `weights` (resamples, samples) say how often each block is drawn.
    """
    away = values - values.mean(axis=(0, 1))
    first, other, n = away[:, :1], away[:, 1:], weights.sum(axis=1)[:, None, None]

    def mean(x: np.ndarray) -> np.ndarray:
        return np.tensordot(weights, x, axes=(1, 0)) / n

    whole = mean((first**2 + other**2) / 2) - mean((first + other) / 2) ** 2
    rounding = (16 * np.finfo(float).eps * np.abs(values).max(axis=(0, 1))) ** 2
    varies = whole > rounding
    v = np.where(varies, 1 - mean((first - other) ** 2) / 2 / np.where(varies, whole, 1.0), 0.0)
    ends = np.stack([np.zeros_like(v[:, 0]), varies.any(axis=1).astype(float)], axis=1)
    return np.concatenate([v, ends], axis=1)


def by_input(subsets: Subsets, v: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Kinds of `KINDS`, (resamples, d, columns) each, and Shapley effects by order, (orders, resamples, d, columns), of `explained`."""
    effects = np.einsum("ois,rsc->oric", subsets.weights(), v)
    at = {known: k for k, known in enumerate(subsets.sets)}
    whole, each = (1 << subsets.d) - 1, [1 << i for i in range(subsets.d)]
    alone = v[:, [at.get(one, -1) for one in each]]  # of a single input: the whole
    others = v[:, [at.get(whole - one, -2) for one in each]]
    return {"shapley": effects.mean(axis=0), "first_full": alone, "total_independent": v[:, -1:] - others}, effects
