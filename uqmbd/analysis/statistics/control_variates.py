"""A mean from runs of models of different fidelity: weights, numbers of runs, and what the estimate scatters.

Peherstorfer, Willcox and Gunzburger, Optimal model management for multifidelity Monte Carlo estimation, SIAM Journal on Scientific
Computing 38 (2016) A3163.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

CLOSEST = 1.0 - 1e-6  # squared correlation: a model that is as close is taken for no closer


@dataclass(frozen=True)
class Plan:
    """Which models are worth it.

    Attributes
    ----------
    models : tuple of int
        Numbers of the cheaper models, from 1 on, closest first.
    ratios : ndarray, shape (len(models) + 1,)
        Runs of each over those of model 0, which is the first; they do not fall.
    cost : float
        Of all runs, over that of runs of model 0 alone with the same variance.
    """

    models: tuple[int, ...]
    ratios: np.ndarray
    cost: float


def best_plan(squared: np.ndarray, cost: np.ndarray) -> Plan:
    """The cheapest choice of models and numbers of runs (theorem 3.4 and algorithm 1 of the paper).

    Parameters
    ----------
    squared : ndarray, shape (models - 1,)
        Squared correlation of each cheaper model with model 0.
    cost : ndarray, shape (models,)
        Of a run.
    """
    squared = np.minimum(squared, CLOSEST)
    best = Plan((), np.ones(1), 1.0)
    for size in range(1, len(squared) + 1):
        for chosen in combinations(np.argsort(-squared, kind="stable").tolist(), size):
            rho = np.concatenate([[1.0], squared[list(chosen)], [0.0]])
            price = cost[[0, *(k + 1 for k in chosen)]]
            gain = -np.diff(rho)
            if (gain <= 0).any():
                continue
            ratios = np.sqrt(price[0] * gain / (price * gain[0]))
            total = float(np.sqrt(price * gain).sum() ** 2 / price[0])
            if (np.diff(ratios) > 0).all() and total < best.cost:
                best = Plan(tuple(k + 1 for k in chosen), ratios, total)
    return best


@dataclass(frozen=True)
class Estimate:
    """A mean, its variance, and the degrees of freedom of that; all (columns,) but the last, an int."""

    mean: np.ndarray
    variance: np.ndarray
    freedom: int


def combined(values: Sequence[np.ndarray]) -> Estimate:
    """The mean of the first model, corrected by what cheaper ones say of more runs.

    Their weights are regressed on the runs that all share; for normal outputs the variance counts that too (Lavenberg and Welch, Management
    Science 27 (1981) 322, with means that are estimated: Pasupathy and others, IIE Transactions 44 (2012) 381).

    Parameters
    ----------
    values : list of ndarray, shape (runs, columns)
        Of each model; the first runs of each have the inputs of those of the model before.
    """
    first, count, k = values[0], len(values[0]), len(values) - 1
    mean, spread = first.mean(axis=0), first.var(axis=0, ddof=1)
    variance, close, before = spread / count, np.zeros(first.shape[1]), count
    for number, more in enumerate(values[1:]):
        shared = more[:count]
        weight, squared = regressed(first, shared)
        mean = mean + weight * (more.mean(axis=0) - more[:before].mean(axis=0))
        variance = variance - (1.0 / before - 1.0 / len(more)) * squared * spread
        close, before = (squared if number == 0 else close), len(more)
    left = spread * (1.0 - close) / count if k else np.zeros_like(mean)
    more = (count - 1) * (count - 2) / ((count - 1 - k) * (count - 2 - k)) - 1.0
    return Estimate(mean, np.maximum(variance, left) + more * left, count - 1 - k)


def regressed(y: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slope of `y` (n, columns) over `x` (n, columns), and the squared correlation; 0 where `x` does not vary."""
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    both, of_x, of_y = (x * y).sum(axis=0), (x * x).sum(axis=0), (y * y).sum(axis=0)
    weight = np.divide(both, of_x, out=np.zeros_like(both), where=of_x > 0)
    return weight, np.divide(weight * both, of_y, out=np.zeros_like(both), where=of_y > 0)
