"""Sensitivities that compare whole distributions: PAWN for many columns at once, Borgonovo's delta for one column.

Pianosi, Wagener, Environ. Model. Softw. 67 (2015) 1 and 108 (2018) 197; Borgonovo, Reliab. Eng. Syst. Saf. 92 (2007) 771; Plischke,
Borgonovo, Smith, Eur. J. Oper. Res. 226 (2013) 536. Both measures are those of any increasing function of the output as well (Borgonovo,
Tarantola, Plischke, Morris, J. R. Stat. Soc. B 76 (2014) 925), and so are these estimates: they know an output by its ranks alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

_ROUNDING = 16 * np.finfo(float).eps  # relative
_ATOM = 0.01  # share of the runs above which a value has a probability of its own and no density
_SCORES = np.linspace(-4.5, 4.5, 181)  # at which densities of normal scores are compared
_NARROWEST = 0.05  # kernel, in normal scores: the trapezoidal rule still sees it
_MOST_CLASSES = 48


def pawn(points: np.ndarray, values: np.ndarray, slices: int) -> np.ndarray:
    """Median over the slices of an input of the Kolmogorov-Smirnov distance between outputs there and everywhere, (d, columns).

    Of `points` (n, d) and `values` (n, columns). Slices hold equal numbers of runs; as in SALib, the last one lacks the run with the
    greatest input.
    """
    n, d = points.shape
    order = np.argsort(values, axis=0, kind="stable")
    ranked = np.take_along_axis(values, order, axis=0)
    last_of_ties = np.concatenate([ranked[1:] > ranked[:-1], np.ones((1, values.shape[1]), bool)])
    everywhere = np.arange(1, n + 1)[:, None] / n
    medians = np.zeros((d, values.shape[1]))
    for i in range(d):
        edges = np.quantile(points[:, i], np.arange(0, 1 + 1 / slices, 1 / slices)[: slices + 1])
        distances = []
        for low, high in pairwise(edges):
            member = (points[:, i] >= low) & (points[:, i] < high)
            if member.any():
                below = np.cumsum(member[order], axis=0) / np.count_nonzero(member)
                distances.append(np.where(last_of_ties, np.abs(below - everywhere), 0.0).max(axis=0))
        medians[i] = np.median(distances, axis=0)
    return medians


def delta(points: np.ndarray, values: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Delta (d,), from 0 to 1, of each input at `points` (n, d) for one output `values` (n,), bias-reduced by the bootstrap (eq. 30)."""
    n, d = points.shape
    output = Ranked.of(values)
    if output.constant:
        return np.zeros(d)
    exponent = 2 / (7 + np.tanh((1500 - n) / 500))
    edges = np.floor(np.linspace(0, n, round(min(np.ceil(n**exponent), _MOST_CLASSES)) + 1)).astype(int)
    draws = rng.integers(n, size=(resamples, n))
    whole = shift_of_distribution(points, output, edges)
    drawn = []
    for rows in draws:  # ranks and shares stay those of all runs
        drawn.append(shift_of_distribution(points[rows], Ranked(output.atom[rows], output.score[rows], output.shares), edges))
    return np.clip(2 * whole - np.mean(drawn, axis=0), 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Ranked:
    """An output by its ranks: the values that many runs share, and normal scores of the others."""

    atom: np.ndarray  # int (n,): number of the value that a run shares with many others, -1 of a run that does not
    score: np.ndarray  # (n,): ``Φ⁻¹`` of the rank, from 0 to 1, among the runs that do not; NaN of those that do
    shares: np.ndarray  # (atoms,): share of the runs with each of the shared values

    @classmethod
    def of(cls, values: np.ndarray) -> Ranked:
        """Of the output `values` (n,). What differs by rounding alone is the same, and ties have the middle of their ranks."""
        from scipy.special import ndtri

        n, group = len(values), alike(values)
        counts = np.bincount(group)
        shared = counts > max(1.0, _ATOM * n)
        others = np.where(shared, 0, counts)
        middle = (np.cumsum(others) - others / 2) / max(others.sum(), 1)
        atom = np.where(shared, np.cumsum(shared) - 1, -1)[group]
        return cls(atom, np.where(atom < 0, ndtri(middle)[group], np.nan), counts[shared] / n)

    @property
    def constant(self) -> bool:
        """Whether all runs have one value."""
        return len(self.shares) == 1 and self.shares[0] == 1.0


def alike(values: np.ndarray) -> np.ndarray:
    """Number of the value of each run, ascending, (n,): values that differ by rounding have one number."""
    order = np.argsort(values, kind="stable")
    ranked = values[order] / max(np.abs(values).max(), np.finfo(float).tiny)  # differences of the largest numbers would overflow
    near = np.diff(ranked) <= _ROUNDING * np.maximum(np.abs(ranked[1:]), np.abs(ranked[:-1]))
    chain = np.concatenate([[0], np.cumsum(~near)])
    first, last = np.searchsorted(chain, chain), np.searchsorted(chain, chain, side="right") - 1
    # many values in a small range may form a chain that is longer than rounding
    short = ranked[last] - ranked[first] <= 2 * _ROUNDING * np.maximum(np.abs(ranked[first]), np.abs(ranked[last]))
    same = np.where(short[1:], near, ranked[1:] == ranked[:-1])
    numbers = np.empty(len(values), int)
    numbers[order] = np.concatenate([[0], np.cumsum(~same)])
    return numbers


def shift_of_distribution(points: np.ndarray, output: Ranked, edges: np.ndarray) -> np.ndarray:
    """Plischke's estimate of delta (eq. 26), (d,): the mean total variation between the output and the output in classes of the input.

    Classes lie between the ranks `edges` (classes + 1,) of the input. Shared values differ by their probabilities, others by the density of
    their normal scores, smoothed in the class and everywhere (where it is the normal density) by the same kernel.
    """
    n, d = points.shape
    smooth = 1 - output.shares.sum()
    shifts = np.zeros(d)
    for i in range(d):
        order = np.argsort(points[:, i], kind="stable")
        for low, high in pairwise(edges):
            rows, count = order[low:high], high - low
            atom, score = output.atom[rows], output.score[rows]
            here = np.bincount(atom[atom >= 0], minlength=len(output.shares)) / count
            shift = np.abs(here - output.shares).sum()
            scores = score[atom < 0]
            if len(scores):
                spread = scores.std(ddof=1) if len(scores) > 1 else 0.0
                width = max(min(float(spread), 1.0) * (0.75 * len(scores)) ** -0.2, _NARROWEST)  # Silverman's
                part = normal_densities(_SCORES[:, None], scores, width).sum(axis=1) / count
                shift += np.trapezoid(np.abs(part - smooth * normal_densities(_SCORES, 0.0, np.hypot(1.0, width))), _SCORES)
            else:
                shift += smooth
            shifts[i] += count / (2 * n) * shift
    return shifts


def normal_densities(at: np.ndarray, mean: np.ndarray | float, std: float) -> np.ndarray:
    """Densities of normal variables."""
    return np.exp(-0.5 * ((at - mean) / std) ** 2) / (std * np.sqrt(2 * np.pi))
