"""The worst point at a given reliability index, of several limits at once: the performance measure approach.

Searches are coroutines, as those of `uqmbd.analysis.reliability.form`: they yield points of standard normal space (n, d) with the number of
the limit of each (n,), and are sent the margins there (n,), negative where that limit is passed, NaN where a run failed.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.reliability.form import NotFoundError

Asked = tuple[np.ndarray, np.ndarray]
EVALUATIONS = 2000  # of a design, after which the search for the best one is given up: that it goes round in circles


@dataclass(frozen=True, eq=False)
class Worst:
    """Where on spheres about the origin the margins are least."""

    z: np.ndarray  # (limits, d)
    margin: np.ndarray  # (limits,) there
    converged: np.ndarray  # bool (limits,)


def worst_points(
    beta: np.ndarray, begin: np.ndarray, *, step: float, tolerance: float, iterations: int
) -> Generator[Asked, np.ndarray, Worst]:
    """Least margins at the distances `beta` (limits,) by the hybrid mean value method (Youn, Choi, Park, J. Mech. Des. 125 (2003) 221).

    The next point is that of steepest descent from the last; where these turn back and forth it lies in the middle of the last three
    directions. All limits that have not settled are asked at once, ``2d + 1`` points each.

    Parameters
    ----------
    begin : ndarray, shape (limits, d)
        First points; the origin is one.
    step : float
        Of central differences.
    tolerance : float
        Distance of two points, over `beta` where that is above 1, with which the search is content.
    """
    k, d = begin.shape
    z, margin, settled = begin.astype(float).copy(), np.full(k, np.nan), np.zeros(k, bool)
    ways: list[list[np.ndarray]] = [[] for _ in range(k)]
    star = step * np.concatenate([np.zeros((1, d)), np.eye(d), -np.eye(d)])
    for _ in range(iterations):
        active = np.flatnonzero(~settled)
        if not active.size:
            break
        values = (yield (z[active, None] + star).reshape(-1, d), np.repeat(active, len(star))).reshape(-1, len(star))
        slopes = differences(values, step)
        for at, limit in enumerate(active):
            margin[limit] = values[at, 0]
            steep = float(np.linalg.norm(slopes[at]))
            if steep == 0.0 or beta[limit] == 0.0:
                settled[limit] = True
                continue
            ways[limit].append(-slopes[at] / steep)
            new = beta[limit] * _way(ways[limit])
            settled[limit] = np.linalg.norm(new - z[limit]) <= tolerance * max(1.0, beta[limit])
            if not settled[limit]:
                z[limit] = new
    return Worst(z, margin, settled)


def _way(ways: list[np.ndarray]) -> np.ndarray:
    """Unit vector to the next point."""
    new = ways[-1]
    if len(ways) > 2 and (ways[-1] - ways[-2]) @ (ways[-2] - ways[-3]) < 0:
        mean = ways[-1] + ways[-2] + ways[-3]
        new = mean / max(float(np.linalg.norm(mean)), 1e-300)
        ways[-1] = new  # the next one is compared with where it went
    return new


def differences(values: np.ndarray, step: float) -> np.ndarray:
    """Slopes (n, d) of stars (n, 2d + 1): centre, ahead, back; a side that failed is done without. Raises `NotFoundError`."""
    d = values.shape[1] // 2
    centre, ahead, back = values[:, :1], values[:, 1 : d + 1], values[:, d + 1 :]
    slopes = np.where(np.isnan(ahead), centre - back, np.where(np.isnan(back), ahead - centre, (ahead - back) / 2)) / step
    if np.isnan(centre).any() or np.isnan(slopes).any():
        raise NotFoundError("runs failed where the search for the best design needs slopes")
    return slopes


@dataclass(frozen=True, eq=False)
class Looked:
    """What there is of a design x (d,)."""

    objective: float
    slope: np.ndarray  # (d,)
    margins: np.ndarray  # (limits,): least ones, negative where a limit is passed
    slopes: np.ndarray  # (limits, d)


@dataclass(frozen=True, eq=False)
class Best:
    """The design that was found, and whether the search for it converged."""

    x: np.ndarray
    looked: Looked
    converged: bool
    steps: int


class _MissingError(Exception):
    def __init__(self, x: np.ndarray) -> None:
        super().__init__()
        self.x = x


def best_design(
    look: Callable[[np.ndarray], Generator[Asked, np.ndarray, Looked]], begin: np.ndarray, *, tolerance: float, steps: int
) -> Generator[Asked, np.ndarray, Best]:
    """Minimise an objective over [0, 1]^d within limits, by sequential quadratic programming (scipy's SLSQP; Kraft, DFVLR-FB 88-28, 1988).

    scipy calls its functions from inside. Here it is run from the beginning with what is known, until it asks for a design that is not;
    that is looked at, and it is run again: the way is the same each time, so that all follows from what was told.
    """
    from scipy.optimize import minimize

    known: dict[bytes, Looked] = {}
    first = yield from look(begin)
    known[begin.tobytes()] = first
    scale = float(np.linalg.norm(first.slope)) or 1.0
    sizes = np.maximum(np.linalg.norm(first.slopes, axis=1), 1e-300)

    def at(x: np.ndarray) -> Looked:
        x = np.clip(x, 0.0, 1.0)
        if x.tobytes() not in known:
            raise _MissingError(x)
        return known[x.tobytes()]

    limits = {"type": "ineq", "fun": lambda x: at(x).margins / sizes, "jac": lambda x: at(x).slopes / sizes[:, None]}
    for _ in range(EVALUATIONS):
        try:
            done = minimize(
                lambda x: (at(x).objective / scale, at(x).slope / scale), begin, jac=True, method="SLSQP", bounds=[(0.0, 1.0)] * len(begin),
                constraints=[limits] if len(first.margins) else [], options={"ftol": tolerance, "maxiter": steps},
            )  # fmt: skip
        except _MissingError as missing:
            known[missing.x.tobytes()] = yield from look(missing.x)
            continue
        x = np.clip(done.x, 0.0, 1.0)
        return Best(x, at(x), bool(done.success), int(done.nit))
    raise NotFoundError(f"the search for the best design did not settle in {EVALUATIONS} designs")
