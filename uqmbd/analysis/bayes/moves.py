"""Moves of ensembles of walkers: half of an ensemble moves by where the other half stands, all at once.

A move of a walker at ``x`` proposes ``y`` and has a factor ``f``: ``y`` is taken with the probability ``min(1, f p(y) / p(x))``, which
leaves the density ``p`` as it is. Distances are those of the ensemble itself, so that scales and correlations of ``p`` matter little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

WIDEST = 2.0  # a of the stretch: the factor is in [1/a, a]
JUMPS = 0.1  # share of the differential moves that are as long as a distance between walkers: from one mode to another
SCATTER = 1e-5  # of the differential move, relative to its length
SNOOKER = 1.7  # length of the snooker move in projected distances
Proposal = tuple[np.ndarray, np.ndarray]  # points (ensembles, n, d), logarithms of the factors (ensembles, n)


def stretch(rng: np.random.Generator, x: np.ndarray, others: np.ndarray) -> Proposal:
    """On the line through another walker: Goodman, Weare, Comm. App. Math. Comp. Sci. 5 (2010) 65, eq. 7 and 9.

    Parameters
    ----------
    rng : Generator
    x : ndarray, shape (ensembles, n, d)
        Walkers that move.
    others : ndarray, shape (ensembles, m, d)
        Walkers of the same ensembles that do not.
    """
    z = ((WIDEST - 1.0) * rng.random(x.shape[:2]) + 1.0) ** 2 / WIDEST
    (anchor,) = _picked(rng, x, others, 1)
    return anchor + z[..., None] * (x - anchor), (x.shape[2] - 1.0) * np.log(z)


def differential(rng: np.random.Generator, x: np.ndarray, others: np.ndarray) -> Proposal:
    """By the distance of two other walkers: ter Braak, Stat. Comput. 16 (2006) 239, eq. 2; parameters as of `stretch`."""
    a, b = _picked(rng, x, others, 2)
    length = np.where(rng.random(x.shape[:2]) < JUMPS, 1.0, 2.38 / np.sqrt(2.0 * x.shape[2]))
    scattered = length * (1.0 + SCATTER * rng.standard_normal(x.shape[:2]))
    return x + scattered[..., None] * (a - b), np.zeros(x.shape[:2])


def snooker(rng: np.random.Generator, x: np.ndarray, others: np.ndarray) -> Proposal:
    """On the line through another walker, by the projected distance of two more: ter Braak, Vrugt, Stat. Comput. 18 (2008) 435, eq. 3.

    Parameters as of `stretch`.
    """
    anchor, a, b = _picked(rng, x, others, 3)
    line = x - anchor
    length = np.linalg.norm(line, axis=-1)
    direction = line / np.where(length > 0, length, 1.0)[..., None]
    along = ((a - b) * direction).sum(axis=-1, keepdims=True)
    points = x + SNOOKER * along * direction
    after = np.linalg.norm(points - anchor, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = (x.shape[2] - 1.0) * (np.log(after) - np.log(length))
    return points, np.where((length > 0) & (after > 0), factor, -np.inf if x.shape[2] > 1 else 0.0)


MOVES: dict[str, Callable[[np.random.Generator, np.ndarray, np.ndarray], Proposal]] = {
    "stretch": stretch,
    "differential": differential,
    "snooker": snooker,
}
NEEDED = 3  # walkers that do not move


def propose(rng: np.random.Generator, x: np.ndarray, others: np.ndarray, weights: Mapping[str, float]) -> Proposal:
    """Where walkers might go, each by a move drawn with the `weights`.

    Parameters
    ----------
    rng : Generator
    x : ndarray, shape (ensembles, n, d)
        Walkers that move.
    others : ndarray, shape (ensembles, m, d)
        The other walkers of the same ensembles, `NEEDED` at least.
    weights : dict of str to float
        Names of `MOVES`, and how often each is made.

    Returns
    -------
    points : ndarray, shape (ensembles, n, d)
    log_factor : ndarray, shape (ensembles, n)
        Logarithm of the factor of the ratio of densities.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> points, log_factor = propose(rng, np.zeros((2, 4, 3)), rng.random((2, 4, 3)), {"differential": 1.0})
    >>> points.shape, float(abs(log_factor).max())
    ((2, 4, 3), 0.0)
    """
    names = [name for name, weight in weights.items() if weight > 0]
    shares = np.cumsum([weights[name] for name in names])
    which = np.searchsorted(shares / shares[-1], rng.random(x.shape[:2]), side="right")
    points, log_factor = np.array(x), np.zeros(x.shape[:2])
    for k, name in enumerate(names):
        moved, factor = MOVES[name](rng, x, others)
        here = which == k
        points[here], log_factor[here] = moved[here], factor[here]
    return points, log_factor


def _picked(rng: np.random.Generator, x: np.ndarray, others: np.ndarray, count: int) -> list[np.ndarray]:
    """So many different ones of the others for each of the walkers, (ensembles, n, d) each."""
    ensembles, n, _ = x.shape
    order = rng.random((ensembles, n, others.shape[1])).argpartition(range(count), axis=-1)[..., :count]
    return [others[np.arange(ensembles)[:, None], order[..., k]] for k in range(count)]
