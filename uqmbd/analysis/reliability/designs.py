"""Optimisers of a design behind one door: they yield designs (n, d), shares of their ranges, and are sent what there is of each.

A further one is an entry of `OPTIMISERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

import numpy as np

from uqmbd.analysis.reliability.form import NotFoundError

EVALUATIONS = 2000  # of a design, after which the search for the best one is given up: that it goes round in circles
POPULATIONS = 200  # at most, where nothing is said
LARGER = 2  # times as many as the usual number: outputs are rough, and optima several
SPREAD = 0.25  # of the first population, a share of the ranges, unless something is known
HARDER, SOFTER = 1.3, 0.95  # factors of the penalty of a population: where its best passes a limit, and where it does not
REACHED = 1e-5  # of the size of a margin, or of the ranges: a limit with less is reached
CORNER, EXACT, NEWTON = 1e-6, 1e-10, 5  # of the slope of the objective; of the size of a margin; steps
STALLED = 1e-8  # of the ranges: smaller steps follow the rounding of differences
ROUGH = 1e-4  # of the ranges: searches without slopes are content with it
REFUSED = 1e30  # in place of an objective that is not known


@dataclass(frozen=True, eq=False)
class Looked:
    """What there is of a design x (d,); slopes are empty where the optimiser wants none. NaN where runs failed."""

    objective: float
    margins: np.ndarray  # (limits,): least ones, negative where a limit is passed
    slope: np.ndarray = field(default_factory=lambda: np.empty(0))  # (d,)
    slopes: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))  # (limits, d)


@dataclass(frozen=True, eq=False)
class Sought:
    """Where a search begins, and with what it is content."""

    begin: np.ndarray  # (d,)
    tolerance: float  # of the objective, as a share of how much it changes over the ranges
    steps: int | None  # largest number of steps
    seed: int
    spread: float = SPREAD  # of the first population, a share of the ranges


@dataclass(frozen=True, eq=False)
class Ended:
    """The design that a search ended at, whether it converged, and after how many steps."""

    x: np.ndarray
    converged: bool
    steps: int


Search = Generator[np.ndarray, Sequence[Looked], Ended]


@dataclass(frozen=True)
class Optimiser:
    """One entry of the door: the search, whether it wants slopes, and the package that it needs, if it is not always there."""

    search: Callable[[Sought], Search]
    slopes: bool
    package: str = ""


class _MissingError(Exception):
    """A design is asked for that is not known."""

    def __init__(self, x: np.ndarray) -> None:
        super().__init__()
        self.x = x


class _StalledError(Exception):
    """A design is asked for beside one that is known: steps have become smaller than what runs can tell apart."""

    def __init__(self, x: np.ndarray) -> None:
        super().__init__()
        self.x = x


class _Known:
    """What is known of designs; asks for what is not. `near`: distance, of the ranges, within which no other design is asked for."""

    def __init__(self, near: float = 0.0) -> None:
        self._of: dict[bytes, Looked] = {}
        self._near = near

    def add(self, x: np.ndarray, looked: Looked) -> None:
        self._of[x.tobytes()] = looked

    def __call__(self, x: np.ndarray) -> Looked:
        x = np.clip(x, 0.0, 1.0)
        if x.tobytes() in self._of:
            return self._of[x.tobytes()]
        every = np.frombuffer(b"".join(self._of)).reshape(len(self._of), -1)
        away = np.abs(every - x).max(axis=1)
        if away.min() < self._near:
            raise _StalledError(every[np.argmin(away)].copy())
        raise _MissingError(x)


def _replayed(known: _Known, minimised: Callable[[], Ended]) -> Search:
    """Run an optimiser that calls its functions from inside from the beginning, with what is known, until it asks for what is not; again.

    Its way is the same each time, so that all follows from what was told. Near a design that limits alone determine Newton's method ends.
    """
    for count in range(EVALUATIONS):
        try:
            return minimised()
        except _StalledError as stalled:
            return Ended(stalled.x, False, count)
        except _MissingError as missing:
            looked = (yield missing.x[None])[0]
            known.add(missing.x, looked)
            if looked.slopes.size and _determined(missing.x, looked):
                return (yield from _newton(missing.x, looked, count))
    raise NotFoundError(f"the search for the best design did not settle in {EVALUATIONS} designs")


def _determined(x: np.ndarray, looked: Looked) -> bool:
    """Whether limits that are reached, and ends of ranges, leave no way to a lesser objective near a design (d,)."""
    reached, walls = _reached(x, looked)
    free = looked.slopes[reached][:, ~walls]
    return len(free) > 0 and np.linalg.matrix_rank(free) == np.count_nonzero(~walls) and stationary(x, looked) <= CORNER


def _newton(x: np.ndarray, looked: Looked, count: int) -> Search:
    """To where the limits that a design reaches are met exactly."""
    reached, walls = _reached(x, looked)
    for _ in range(NEWTON):
        size = sizes_of(looked)[reached]
        if np.abs(looked.margins[reached] / size).max() <= EXACT:
            break
        step = np.zeros(len(x))
        step[~walls] = np.linalg.lstsq(looked.slopes[reached][:, ~walls], -looked.margins[reached], rcond=None)[0]
        x = np.clip(x + step, 0.0, 1.0)
        looked = (yield x[None])[0]
    return Ended(x, stationary(x, looked) <= CORNER, count)


def _reached(x: np.ndarray, looked: Looked) -> tuple[np.ndarray, np.ndarray]:
    """Which limits (limits,) and which ranges (d,) are at their ends."""
    size = sizes_of(looked)
    return np.abs(looked.margins) <= REACHED * np.where(size > 0, size, 1.0), (x <= REACHED) | (x >= 1 - REACHED)


def slsqp(sought: Sought) -> Search:
    """Sequential quadratic programming by scipy (Kraft, DFVLR-FB 88-28, 1988)."""
    from scipy.optimize import minimize

    at = _Known(STALLED)
    first = (yield sought.begin[None])[0]
    at.add(sought.begin, first)
    scale = float(np.linalg.norm(first.slope)) or 1.0
    sizes = np.maximum(np.linalg.norm(first.slopes, axis=1), 1e-300)
    limits = {"type": "ineq", "fun": lambda x: at(x).margins / sizes, "jac": lambda x: at(x).slopes / sizes[:, None]}

    def minimised() -> Ended:
        done = minimize(
            lambda x: (at(x).objective / scale, at(x).slope / scale), sought.begin, jac=True, method="SLSQP",
            bounds=[(0.0, 1.0)] * len(sought.begin), constraints=[limits] if len(first.margins) else [],
            options={"ftol": sought.tolerance, "maxiter": sought.steps or 50},
        )  # fmt: skip
        return Ended(np.clip(done.x, 0.0, 1.0), bool(done.success), int(done.nit))

    return (yield from _replayed(at, minimised))


def cobyqa(sought: Sought) -> Search:
    """Trust regions of quadratic models without slopes by scipy (Ragonneau, Zhang, COBYQA, 2024)."""
    from scipy.optimize import NonlinearConstraint, minimize

    at, d = _Known(), len(sought.begin)
    first = yield (star := _star(sought.begin))
    for x, looked in zip(star, first, strict=True):
        at.add(x, looked)
    scale, sizes = _scales(first)
    limits = NonlinearConstraint(lambda x: _finite(at(x).margins / sizes, -REFUSED), 0.0, np.inf)

    def minimised() -> Ended:
        done = minimize(
            lambda x: float(_finite(at(x).objective / scale, REFUSED)), sought.begin, method="COBYQA", bounds=[(0.0, 1.0)] * d,
            constraints=[limits] if len(sizes) else [],
            options={"final_tr_radius": max(sought.tolerance, ROUGH), "initial_tr_radius": SPREAD, "maxfev": sought.steps or 100 * (d + 1)},
        )  # fmt: skip
        return Ended(np.clip(done.x, 0.0, 1.0), bool(done.success), int(done.nfev))

    return (yield from _replayed(at, minimised))


def cma_es(sought: Sought) -> Search:
    """Populations whose covariance adapts (Hansen, Ostermeier, Evol. Comput. 9 (2001) 159), by the package cmaes.

    Limits are penalties of the first power, exact from some factor on: it grows while the best of a population passes one.
    """
    from cmaes import CMA

    d = len(sought.begin)
    wide = max(d, 2)  # the package has no populations of one number
    begin = np.pad(sought.begin, (0, wide - d), constant_values=0.5)
    most, size = sought.steps or POPULATIONS, LARGER * (4 + int(3 * np.log(wide)))
    population = CMA(begin, sought.spread, bounds=np.tile([0.0, 1.0], (wide, 1)), seed=sought.seed % 2**32, population_size=size)
    scale, sizes, penalty, best = 1.0, np.empty(0), 1.0, (np.inf, np.inf, sought.begin)
    for count in range(most):
        asked = np.array([population.ask() for _ in range(population.population_size)])
        looked = yield asked[:, :d]
        if not count:
            scale, sizes = _scales(looked)
        objective = np.array([_finite(one.objective / scale, REFUSED) for one in looked])
        passed = np.array([_finite(np.maximum(-one.margins / sizes, 0.0), REFUSED).sum() for one in looked])
        worth = objective + penalty * passed
        first = int(np.argmin(worth))
        penalty *= HARDER if passed[first] > 0 else SOFTER
        for x, f, p in zip(asked, objective, passed, strict=True):
            best = min(best, (float(p), float(f), x[:d]), key=lambda one: one[:2])
        population.tell([(x, float(value)) for x, value in zip(asked, worth, strict=True)])
        if np.ptp(asked[:, :d], axis=0).max() < max(sought.tolerance, ROUGH):
            return Ended(best[2], True, count + 1)
    return Ended(best[2], False, most)


def _star(begin: np.ndarray) -> np.ndarray:
    """The first design and some about it, by which scales are found."""
    return np.clip(np.concatenate([begin[None], begin + SPREAD * np.eye(len(begin))]), 0.0, 1.0)


def _scales(looked: Sequence[Looked]) -> tuple[float, np.ndarray]:
    """How much the objective and each margin change among designs; 1 where they do not."""
    objective, margins = np.array([one.objective for one in looked]), np.array([one.margins for one in looked])

    def spread(values: np.ndarray) -> np.ndarray:
        known = np.isfinite(values)
        wide = np.max(values, 0, where=known, initial=-np.inf) - np.min(values, 0, where=known, initial=np.inf)
        return np.where(np.isfinite(wide) & (wide > 0), wide, 1.0)

    return float(spread(objective)), spread(margins)


def _finite(values: np.ndarray | float, instead: float) -> np.ndarray:
    return np.where(np.isfinite(values), values, instead)


OPTIMISERS = {
    "slsqp": Optimiser(slsqp, slopes=True),
    "cobyqa": Optimiser(cobyqa, slopes=False),
    "cma-es": Optimiser(cma_es, slopes=False, package="cmaes"),
}


def judged(looked: Looked, tolerance: float) -> np.ndarray:
    """Which limits (limits,) a design meets: their margins may be short by a share of their size, that of their slopes or of themselves."""
    size = sizes_of(looked)
    return looked.margins >= -tolerance * np.where(size > 0, size, 1.0)


def sizes_of(looked: Looked) -> np.ndarray:
    """Size of each margin (limits,)."""
    steep = np.linalg.norm(looked.slopes, axis=1) if looked.slopes.size else np.zeros(len(looked.margins))
    return np.maximum(steep, np.abs(looked.margins))


def stationary(x: np.ndarray, looked: Looked) -> float:
    """What is left of the slope of the objective, as a share of it, where limits that are reached, and ends of ranges, push against it.

    That is the distance from the first-order conditions of Karush, Kuhn and Tucker, by non-negative multipliers.
    """
    from scipy.optimize import nnls

    steep = float(np.linalg.norm(looked.slope))
    if steep == 0.0:
        return 0.0
    reached, _ = _reached(x, looked)
    walls = np.concatenate([np.eye(len(x))[x <= REACHED], -np.eye(len(x))[x >= 1 - REACHED]])
    normals = np.concatenate([looked.slopes[reached], walls])
    if not len(normals):
        return 1.0
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return float(nnls(normals.T, looked.slope / steep)[1])
