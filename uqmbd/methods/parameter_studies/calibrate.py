"""Least squares: the inputs with which the model comes closest to what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.search.levenberg import held, step
from uqmbd.errors import StudyError
from uqmbd.groups import OF_SAMPLE, GroupSpec
from uqmbd.inputs import Input
from uqmbd.inputs.checked import Number
from uqmbd.methods.base import count_failures
from uqmbd.methods.parameter_studies.calibrate_compare import Comparison
from uqmbd.methods.parameter_studies.calibrate_data import Readings, data_files, measured
from uqmbd.methods.parameter_studies.calibrate_estimates import Best, estimates
from uqmbd.methods.staged import Conclusion, FixedSampler

TRIALS = ((0.0, 1.0), (0.0, 4.0), (0.1, 1.0), (1.0, 1.0), (10.0, 1.0))  # (times the damping, times the step): tried at once
UNKNOWN = np.empty((0, 0))
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING, UP = 1e-2, 1e-6, 1e12, 1e3


@dataclass
class Start:
    """Where one start is."""

    z: np.ndarray  # (d,): inputs as shares of their ranges from the median
    residual: np.ndarray = field(default_factory=lambda: np.empty(0))  # (readings,)
    cost: float = np.inf  # half the sum of squares; infinite before the first run and when that failed
    damping: float = FIRST_DAMPING
    jacobian: np.ndarray = field(default_factory=lambda: UNKNOWN)  # (readings, d)
    steps: int = 0
    run: int = -1
    end: str = ""  # why it ended; empty while it goes on

    def accept(self, run: int, residual: np.ndarray, z: np.ndarray) -> None:
        """Go to `z`."""
        self.z, self.run, self.residual, self.cost = z, run, residual, float(residual @ residual) / 2


class CalibrateRun(FixedSampler):
    """Asks for the starts, then in turns for Jacobians and trial steps of all starts that go on, then for the Jacobian at the best."""

    def __init__(self, settings: Calibrate, *study: Any) -> None:
        super().__init__(settings, *study)
        inputs = self.inputs
        self._readings = measured(settings, self.columns)
        self._compare = Comparison(self._readings, self.columns)
        if self._compare.count < len(inputs):
            remedy = "add readings, or move inputs into the model as known numbers"
            raise StudyError(f"{self._compare.count} readings cannot tell {len(inputs)} inputs", key="method.data", remedy=remedy)
        quantiles = np.array([item.ppf(np.array([0.0, 0.025, 0.5, 0.975, 1.0])) for item in inputs.values()]).T
        self._middle = quantiles[2]
        interval = np.array([item.kind == "interval" for item in inputs.values()])
        self._range = np.where(interval, quantiles[4] - quantiles[0], quantiles[3] - quantiles[1])
        self._least, self._most = quantiles[0], quantiles[4]
        self._low, self._high = ((end - self._middle) / self._range for end in (self._least, self._most))

    def _plan(self) -> Iterator[np.ndarray]:
        settings = self.settings
        first = [self._middle]
        if settings.starts > 1:
            others = unit_points("lhs", settings.starts, len(self.inputs), generator(self.seed, 0))[1:]
            first += list(np.array([item.ppf(others[:, i]) for i, item in enumerate(self.inputs.values())]).T)
        self._all = [Start((x - self._middle) / self._range) for x in first]
        yield self._x([start.z for start in self._all])
        for start, (run, residual) in zip(self._all, self._latest(len(self._all)), strict=True):
            if residual is None:
                start.end = "its first run failed"
            else:
                start.accept(run, residual, start.z)
        while going := [start for start in self._all if not start.end]:
            fresh = [start for start in going if not start.jacobian.size]
            if fresh:
                yield from self._differentiate(fresh, settings.differences)
            trials = [(start, z) for start in going if not start.end for z in self._trials(start)]
            if trials:
                yield self._x([z for _, z in trials])
                latest = self._latest(len(trials))
                for start in {id(start): start for start, _ in trials}.values():
                    self._choose(start, [(z, *latest[i]) for i, (other, z) in enumerate(trials) if other is start])
        self._best = min(self._all, key=lambda start: start.cost)
        if np.isfinite(self._best.cost):
            before = self._best.end
            yield from self._differentiate([self._best], "central")
            self._best.end = before

    def _x(self, z: list[np.ndarray]) -> np.ndarray:
        """Samples (n, d), SI, within the bounds."""
        return np.clip(self._middle + np.array(z) * self._range, self._least, self._most)

    def _latest(self, count: int) -> list[tuple[int, np.ndarray | None]]:
        """Number and residuals of the last `count` runs; None where they failed."""
        first = len(self.status) - count
        ok = np.flatnonzero(self.status[first:] == 0)
        residuals = dict(zip(ok.tolist(), self._compare.residuals(self.values[first + ok]), strict=True))
        return [(first + i, residuals.get(i)) for i in range(count)]

    def _differentiate(self, starts: list[Start], how: str) -> Iterator[np.ndarray]:
        """Ask for the runs of the Jacobians of some starts, and make them; a side that fails is done without."""
        d, h = len(self.inputs), self.settings.step
        sides = []
        for start in starts:
            for i in range(d):
                roomy = start.z[i] + h <= self._high[i]
                for sign in (1, -1) if how == "central" else ((1,) if roomy else (-1,)):
                    z = start.z.copy()
                    z[i] = np.clip(z[i] + sign * h, self._low[i], self._high[i])
                    sides.append((start, i, z))
        yield self._x([z for _, _, z in sides])
        latest = self._latest(len(sides))
        for start in starts:
            start.jacobian = np.zeros((self._compare.count, d))
            for i in range(d):
                ends = [(z[i], r) for (s, j, z), (_, r) in zip(sides, latest, strict=True) if s is start and j == i and r is not None]
                ends = [(at, r) for at, r in ends if at != start.z[i]]
                if len(ends) == 1:
                    ends.append((start.z[i], start.residual))
                if not ends:
                    start.end = f"runs on all sides of it in {list(self.inputs)[i]} failed"
                    continue
                start.jacobian[:, i] = (ends[0][1] - ends[1][1]) / (ends[0][0] - ends[1][0])

    def _free(self, start: Start) -> np.ndarray:
        return ~held(start.z, start.jacobian.T @ start.residual, self._low, self._high)

    def _trials(self, start: Start) -> list[np.ndarray]:
        """Points to try from a start; none, and its end, when it has arrived."""
        free = self._free(start)
        steps = [stretch * step(start.jacobian, start.residual, factor * start.damping, free) for factor, stretch in TRIALS]
        points = [np.clip(start.z + each, self._low, self._high) for each in steps]
        if max(np.abs(point - start.z).max() for point in points) <= self.settings.tolerance:
            start.end = "converged"
            return []
        return points

    def _choose(self, start: Start, tried: list[tuple[np.ndarray, int, np.ndarray | None]]) -> None:
        """Go to the best of the points tried, or damp more."""
        costs = [np.inf if residual is None else float(residual @ residual) / 2 for _, _, residual in tried]
        best = int(np.argmin(costs))
        start.steps += 1
        z, run, residual = tried[best]
        if residual is not None and costs[best] < start.cost:
            length = np.abs(z - start.z).max()
            start.damping = max(start.damping * max(TRIALS[best][0], 0.1), LEAST_DAMPING)
            start.accept(run, residual, z)
            start.jacobian = UNKNOWN
            if length <= self.settings.tolerance:
                start.end = "converged"
        else:
            start.damping *= UP
            if start.damping > MOST_DAMPING or np.abs(tried[-1][0] - start.z).max() <= self.settings.tolerance:
                start.end = "converged"  # no step within the rounding of the model goes down
        if not start.end and start.steps >= self.settings.max_steps:
            start.end = "max_steps reached"

    def _conclude(self) -> Conclusion:
        self._stop_if_too_many_failed()
        best = self._best
        columns, rows = self.columns, self._compare.fitted(self.values[best.run], best.residual)
        groups = {
            "inner": columns.dataset(self.envelope(self.status == 0), {"bound": ["lower", "upper"]}),
            "statistics": columns.dataset(rows, {"statistic": ["fitted", "measured", "residual"]}),
        }
        return groups, self._attributes(best)

    def _attributes(self, best: Start) -> dict:
        at_best = Best(
            names=list(self.inputs),
            x=self.points[best.run],
            scale=self._range,
            least=self._least,
            most=self._most,
            jacobian=best.jacobian,
            residual=best.residual,
            interpolation=self._compare.errors(self.values[best.run]),
            free=self._free(best),
            known=self._readings[0].deviation is not None,
        )
        estimated, notes = estimates(at_best, self._compare.fitting_points() if self._compare.interpolated else None)
        if best.end != "converged":
            notes.insert(0, f"the best start has not converged: {best.end}")
        return {
            "method": self.settings.name,
            "about": "estimates",
            "seed": self.seed,
            **estimated,
            "readings": self._compare.count,
            "interpolated": self._compare.interpolated,
            "rms_residual": self._compare.root_mean_squares(best.residual),
            "starts": [{"cost": float(s.cost), "steps": s.steps, "end": s.end, "at": self._x([s.z])[0].tolist()} for s in self._all],
            "notes": notes,
            **count_failures(self.status),
        }


class Calibrate(Readings):
    """Levenberg-Marquardt with bounds; each Jacobian, and the trial steps of all starts, are one batch of runs.

    Bounds are the ends of intervals and of the supports of distributions; a distribution tells nothing more.

    Attributes
    ----------
    starts : int
        Starts, the medians of the inputs first, then a Latin hypercube.
    max_steps : int
        Steps of each start.
    tolerance : float
        A step shorter than this share of the inputs' ranges ends a start.
    differences : str
        ``central`` (2 runs an input and Jacobian) or ``forward`` (1).
    step : float
        Of the differences, as a share of the inputs' ranges.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> unknown = {"load": uq.Fixed(100.0), "stiffness": uq.Interval(1000.0, 3000.0)}
    >>> study = uq.Study(model=sag, inputs=unknown, outputs=["sag"], method=uq.Calibrate(scalars={"sag": "40 mm"}), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> round(result.attrs["estimate"]["stiffness"], 1)  # N/m
    2500.0
    """

    name: ClassVar[str] = "calibrate"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random"})
    groups: ClassVar[tuple[GroupSpec, ...]] = OF_SAMPLE
    run: ClassVar[type] = CalibrateRun

    max_failed: float = Field(default=0.5, ge=0, le=1)  # trial steps may leave the region where the model works, and come back
    starts: int = Field(default=1, ge=1, le=1000)
    max_steps: int = Field(default=50, ge=1)
    tolerance: Number = Field(default=1e-8, gt=0, lt=1)
    differences: Literal["central", "forward"] = "central"
    step: Number = Field(default=1e-4, gt=0, le=0.1)

    def wanted_times(self, end: float) -> np.ndarray:
        return np.unique(np.concatenate([np.empty(0), *(file.times(self, end) for file in data_files(self))]))

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        jacobian = len(inputs) * (2 if self.differences == "central" else 1)
        least = self.starts + self.starts * (jacobian + len(TRIALS)) + 2 * len(inputs)
        return least, self.starts + self.starts * self.max_steps * (jacobian + len(TRIALS)) + 2 * len(inputs)
