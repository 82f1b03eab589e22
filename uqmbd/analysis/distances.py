"""Sensitivities that compare whole distributions: PAWN for many columns at once, Borgonovo's delta for one column.

Pianosi, Wagener, Environ. Model. Softw. 67 (2015) 1 and 108 (2018) 197; Borgonovo, Reliab. Eng. Syst. Saf. 92 (2007) 771; Plischke,
Borgonovo, Smith, Eur. J. Oper. Res. 226 (2013) 536.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from uqmbd.analysis.elementary import variance

DENSITY_POINTS = 100  # at which densities are compared


def pawn(points: np.ndarray, values: np.ndarray, slices: int) -> np.ndarray:
    """Median over the slices of an input of the Kolmogorov-Smirnov distance between outputs there and everywhere, (d, columns).

    Slices hold equal numbers of runs; as in SALib, the last one lacks the run with the greatest input.

    Parameters
    ----------
    points : ndarray, shape (n, d)
    values : ndarray, shape (n, columns)
    """
    n, d = points.shape
    order = np.argsort(values, axis=0, kind="stable")
    ranked = np.take_along_axis(values, order, axis=0)
    last_of_ties = np.concatenate([ranked[1:] > ranked[:-1], np.ones((1, values.shape[1]), bool)])
    everywhere = np.arange(1, n + 1)[:, None] / n
    found = np.zeros((d, values.shape[1]))
    for i in range(d):
        edges = np.quantile(points[:, i], np.arange(0, 1 + 1 / slices, 1 / slices)[: slices + 1])
        distances = []
        for low, high in pairwise(edges):
            member = (points[:, i] >= low) & (points[:, i] < high)
            if member.any():
                below = np.cumsum(member[order], axis=0) / np.count_nonzero(member)
                distances.append(np.where(last_of_ties, np.abs(below - everywhere), 0.0).max(axis=0))
        found[i] = np.median(distances, axis=0)
    return found


def delta(points: np.ndarray, values: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """Delta of each input for one output, bias-reduced by the bootstrap (Plischke et al., eq. 30), (d,).

    Parameters
    ----------
    points : ndarray, shape (n, d)
    values : ndarray, shape (n,)
    """
    n, d = points.shape
    if variance(values[:, None])[0] == 0:
        return np.zeros(d)
    exponent = 2 / (7 + np.tanh((1500 - n) / 500))
    edges = np.linspace(0, n, round(min(np.ceil(n**exponent), 48)) + 1)
    grid = np.linspace(values.min(), values.max(), DENSITY_POINTS)
    draws = rng.integers(n, size=(resamples, n))
    whole = shift_of_density(points, values, edges, grid)
    drawn = np.array([shift_of_density(points[rows], values[rows], edges, grid) for rows in draws])
    return 2 * whole - drawn.mean(axis=0)


def shift_of_density(points: np.ndarray, values: np.ndarray, edges: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Plischke's estimate of delta (eq. 26), (d,): half the mean area between the density of the output and that in classes of the input.

    Parameters
    ----------
    edges : ndarray, shape (classes + 1,)
        Ranks of the input between which the classes lie.
    grid : ndarray
        Values of the output at which the densities are compared.
    """
    n, d = points.shape
    everywhere = density(values, grid)
    found = np.zeros(d)
    for i in range(d):
        ranked = values[np.argsort(points[:, i], kind="stable")]
        for low, high in zip(np.floor(edges[:-1]).astype(int), np.floor(edges[1:]).astype(int), strict=True):
            part = ranked[low:high]
            if len(part) > 1 and np.ptp(part) > 0:
                found[i] += len(part) / (2 * n) * np.trapezoid(np.abs(everywhere - density(part, grid)), grid)
    return found


def density(values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Gaussian kernel estimate on the grid, with Silverman's width."""
    width = values.std(ddof=1) * (0.75 * len(values)) ** -0.2
    return np.exp(-0.5 * ((grid[:, None] - values) / width) ** 2).sum(axis=1) / (len(values) * width * np.sqrt(2 * np.pi))
