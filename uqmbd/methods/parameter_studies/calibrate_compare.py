"""How the columns of a run are compared with readings: at the times of the runs as they are, between them by cubic splines.

The times of the readings are among those of the runs where the model can have them (`uqmbd.simulators.times`).
"""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.time_grids import nearest, off_grid
from uqmbd.methods.parameter_studies.calibrate_data import Measured

FEWEST = 13  # times of which every second and every fourth still make cubic splines
LEAST_RATIO, MOST_RATIO = 2.0, 16.0  # by which errors fall when the times are twice as dense; 16: a smooth history
MOST_POINTS = 20_000  # of a grid that is proposed


class Comparison:
    """Weighted residuals of runs.

    A reading between two of the study's times is compared with the cubic spline (not-a-knot) through the whole history: straight lines
    would take something off every crest, which estimates of damping and stiffness take for their own.
    """

    def __init__(self, readings: list[Measured], columns: Columns) -> None:
        self.readings = readings
        self._columns = columns
        self._time = columns.time
        self._slices = [columns.slices[entry.name] for entry in readings]
        self._parts = [_Interpolation(entry.time, columns.time) for entry in readings]
        self._target = np.concatenate([entry.values for entry in readings])
        self._weight = np.concatenate([np.full(len(entry.values), entry.weight) for entry in readings])
        self.count = len(self._target)  # of readings; `rows` are those of each output
        ends = np.cumsum([0, *(len(entry.values) for entry in readings)])
        self.rows = {entry.name: slice(first, last) for entry, first, last in zip(readings, ends, ends[1:], strict=False)}

    @property
    def interpolated(self) -> int:
        """How many readings are between the times of the runs."""
        return sum(len(part.between) for part in self._parts)

    def residuals(self, values: np.ndarray) -> np.ndarray:
        """Weighted (runs, readings) of the runs `values` (runs, columns), which have no NaN."""
        read = [part.read(values[:, at], self._time) for part, at in zip(self._parts, self._slices, strict=True)]
        return self._weight * (np.concatenate(read, axis=1) - self._target)

    def errors(self, values: np.ndarray) -> np.ndarray:
        """Of the splines, weighted as residuals, (readings,), of one run (columns,): what leaving out every second time changes tells."""
        errors = [part.errors(values[at], self._time) for part, at in zip(self._parts, self._slices, strict=True)]
        return self._weight * np.concatenate(errors)

    def unweighted(self, entry: Measured, residual: np.ndarray) -> np.ndarray:
        """Model less reading of one output, SI, from the weighted residuals (readings,) of a run."""
        return residual[self.rows[entry.name]] / entry.weight

    def fitted(self, values: np.ndarray, residual: np.ndarray) -> np.ndarray:
        """A run (columns,), what was measured at its times, and their difference, (3, columns); NaN where nothing was measured."""
        rows = np.full((3, self._columns.count), np.nan)
        rows[0] = values
        for entry in self.readings:
            rows[2, self._columns.slices[entry.name]] = self._differences(entry, residual)
        rows[1] = rows[0] - rows[2]
        return rows

    def _differences(self, entry: Measured, residual: np.ndarray) -> np.ndarray:
        """Model less reading at the study's times, from those at the readings; NaN before the first and after the last."""
        difference = self.unweighted(entry, residual)
        if entry.time is None:
            return difference
        time, which = np.unique(entry.time, return_inverse=True)
        mean = np.bincount(which, difference) / np.bincount(which)
        return np.interp(self._time, time, mean, left=np.nan, right=np.nan)

    def root_mean_squares(self, residual: np.ndarray) -> dict[str, float]:
        """Of model less reading of each output, SI."""
        return {entry.name: float(np.sqrt(np.mean(self.unweighted(entry, residual) ** 2))) for entry in self.readings}

    def fitting_points(self) -> int | None:
        """Fewest points of a grid that has all readings at its times, if there is one."""
        between = np.unique(np.concatenate([part.time[part.between] for part in self._parts])) / self._time[-1]
        for count in range(len(self._time), MOST_POINTS):
            at = between * count
            if np.abs(at - np.round(at)).max() < 1e-6:
                return count + 1
        return None


class _Interpolation:
    """Between the study's times `grid` to the readings of one output, at times (readings,), or of a number (None)."""

    def __init__(self, time: np.ndarray | None, grid: np.ndarray) -> None:
        self.time, self.nearest, self.between = np.zeros(1), np.zeros(1, int), np.zeros(0, int)
        if time is not None:
            self._low = np.clip(np.searchsorted(grid, time, side="right") - 1, 0, len(grid) - 2)
            self.share = (time - grid[self._low]) / (grid[self._low + 1] - grid[self._low])
            self.time, self.nearest, self.between = time, nearest(grid, time), np.flatnonzero(np.isin(time, off_grid(grid, time)))

    def read(self, values: np.ndarray, grid: np.ndarray) -> np.ndarray:
        """Histories (runs, points) at the readings, (runs, readings)."""
        read = values[:, self.nearest]
        if len(self.between) and len(values):
            read[:, self.between] = _spline(grid, values)(self.time[self.between]).T
        return read

    def errors(self, values: np.ndarray, grid: np.ndarray) -> np.ndarray:
        """Of the spline of a history (points,) at the readings: spline less history, (readings,).

        Of the order of the history's fourth derivative where it is smooth, less where it bends or jumps: how what the halved times
        change compares with what they change when they are halved again says which.
        """
        out = np.zeros(len(self.time))
        if not len(self.between):
            return out
        at = self.time[self.between]
        fine, half, quarter = (_spline(grid[kept], values[None, kept])(at)[:, 0] for kept in _thinned(len(grid)))
        change = half - fine
        size = np.linalg.norm(change)
        ratio = np.linalg.norm(quarter - half) / size if len(grid) >= FEWEST and size > 0 else LEAST_RATIO
        share = self.share[self.between]
        wide = (share + self._low[self.between] % 2) / 2  # the place between the times that are left
        shape = np.minimum((share * (1 - share)) ** 2 / np.maximum((wide * (1 - wide)) ** 2, 1e-300), 4.0)
        out[self.between] = change * shape / (np.clip(ratio, LEAST_RATIO, MOST_RATIO) - 1)
        return out


def _thinned(points: int) -> list[np.ndarray]:
    """All times, every second, every fourth, each with the last one."""
    return [np.unique(np.append(np.arange(0, points, step), points - 1)) for step in (1, 2, 4)]


def _spline(grid: np.ndarray, values: np.ndarray):
    """Of histories (runs, points), to be called with times."""
    from scipy.interpolate import CubicSpline

    return CubicSpline(grid, values.T)
