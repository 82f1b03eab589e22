"""What follows from any table of inputs and outputs by the ranks of the inputs alone: first-order indices, and what a region is due to.

Gamboa, Gremaud, Klein, Lagnoux, Bernoulli 28 (2022) 2345 (first order, after Chatterjee, J. Am. Stat. Assoc. 116 (2021) 2009); Hornberger,
Spear, J. Environ. Manag. 12 (1981) 7 (regional sensitivity, Monte Carlo filtering).
"""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.sensitivity.elementary import shares, variance


def unit_ranks(points: np.ndarray) -> np.ndarray:
    """Ranks of each column of `points` (n, d) among its own, between 0 and 1; ties share the middle of theirs."""
    from scipy.stats import rankdata

    return (rankdata(points, axis=0) - 0.5) / len(points)


def first_order(points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """First-order indices (d, columns) of `values` (n, columns) at `points` (n, d), drawn in whatever way.

    ``Cov(y, y')/V`` with y' the output of the row that comes next in the order of the input, the first one after the last. Equal values
    of an input have no order: they are taken as the rows come.
    """
    away, whole = values - values.mean(axis=0), variance(values)
    first = np.empty((points.shape[1], values.shape[1]))
    for i, column in enumerate(points.T):
        ordered = away[np.argsort(column, kind="stable")]
        first[i] = shares((ordered * np.roll(ordered, -1, axis=0)).mean(axis=0), whole)
    return first


def largest_rank_correlation(points: np.ndarray) -> tuple[float, int, int]:
    """Spearman's largest in size of two columns of `points` (n, d), and which they are."""
    ranks = unit_ranks(points)
    varies = np.ptp(ranks, axis=0) > 0
    rho = np.zeros((points.shape[1],) * 2)
    if varies.sum() > 1:
        rho[np.ix_(varies, varies)] = np.corrcoef(ranks[:, varies], rowvar=False)
    np.fill_diagonal(rho, 0.0)
    i, j = np.unravel_index(int(np.argmax(np.abs(rho))), rho.shape)
    return float(rho[i, j]), int(i), int(j)
