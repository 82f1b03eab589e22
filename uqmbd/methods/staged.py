"""Runs that are asked for in steps, each with a role; what all methods that keep their runs share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from uqmbd.analysis.base.columns import Columns, finite_rows
from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.statistics.trust import horizons
from uqmbd.inputs import Input
from uqmbd.inputs.space import Space
from uqmbd.methods.base import from_unit_cube
from uqmbd.methods.failures import stop_if_too_many
from uqmbd.outcomes import OutputInfo
from uqmbd.request import Request, Sampler, samples_of
from uqmbd.runs.growing import Growing

if TYPE_CHECKING:
    import xarray as xr


EVERY = slice(None)


class SamplingState(Sampler):
    """Outcomes and status of all runs, and the steps of a plan.

    Its parameters are the settings, and those of `uqmbd.methods.base.Method.start`, in SI units.
    """

    def __init__(self, settings: Any, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int) -> None:
        self.settings = settings
        self._inputs = Space.of(inputs)
        self._columns = Columns(outputs, time)
        self._seed = seed
        self._kept_values = Growing(np.empty((0, self._columns.count)))
        self._kept_status = Growing(np.empty(0, np.int8))
        self._told = 0
        self._steps = self._plan()
        self._finished = False

    @property
    def _values(self) -> np.ndarray:
        """Outcomes of all runs asked for, (runs, columns)."""
        return self._kept_values.rows

    @property
    def _status(self) -> np.ndarray:
        """Status of all runs asked for, (runs,)."""
        return self._kept_status.rows

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        """Outcomes in run order, see `uqmbd.request.Sampler`."""
        matrix = self._columns.pack(outputs, len(status))
        finite_rows(matrix, status, self._columns, self._told)
        at = slice(self._told, self._told + len(status))
        self._status[at] = status
        self._keep(at, matrix)
        self._told = at.stop

    def _keep(self, at: slice, matrix: np.ndarray) -> None:
        """What is kept of the outcomes (runs, columns) of the runs `at`, whose status is kept already."""
        self._values[at] = matrix

    def _plan(self) -> Iterator[Any]:
        """One step for each ask."""
        raise NotImplementedError

    def _next(self) -> Any:
        """The plan's next step; None when there is none."""
        if self._told < len(self._status):
            raise RuntimeError(f"{len(self._status) - self._told} runs were asked for and not told yet")
        step = None if self._finished else next(self._steps, None)
        self._finished = step is None
        return step

    def _await(self, more: int) -> None:
        """Make room for so many further runs."""
        self._kept_values.fill(more, np.nan)
        self._kept_status.fill(more, 0)

    def _require_finished(self) -> None:
        if not self._finished:
            raise RuntimeError("the method still wants runs: ask until it returns None")

    def outcomes(self, runs: np.ndarray, columns: slice = EVERY) -> np.ndarray:
        """Outcomes of these runs, numbers or a mask, (runs, columns); to be read only: no copy where the runs follow each other."""
        runs = np.flatnonzero(runs) if runs.dtype == bool else runs
        follow = len(runs) > 0 and runs[-1] - runs[0] == len(runs) - 1 and bool((np.diff(runs) == 1).all())
        return self._values[runs[0] : runs[-1] + 1, columns] if follow else self._values[runs, columns]

    def envelope(self, runs: np.ndarray) -> np.ndarray:
        """What these runs reached, (2, columns), of what is not missing."""
        least, most = (np.fmin, np.fmax) if self._columns.may_miss.any() else (np.minimum, np.maximum)
        runs = np.flatnonzero(runs) if runs.dtype == bool else runs

        def of(at: slice) -> np.ndarray:
            values = self.outcomes(runs, at)
            return np.stack([least.reduce(values, axis=0), most.reduce(values, axis=0)])

        return by_blocks(of, self._columns.count, len(runs))

    def _groups(self, inner: np.ndarray, error: np.ndarray, trusted: np.ndarray) -> dict[str, xr.Dataset]:
        """Groups of the result: what runs reached, (2, columns), and the error and trust of every column, (columns,)."""
        columns = self._columns
        return {
            "inner": columns.dataset(inner, {"bound": ["lower", "upper"]}),
            "error": columns.dataset(error),
            "trusted": columns.dataset(trusted, unit=""),
            "trust_horizon": horizons(trusted, columns),
        }


class FixedSampler(SamplingState):
    """Keeps samples, outcomes and status of all runs.

    A method writes `_plan`, one step of which is the samples (n, d) of one ask, SI, or a `uqmbd.request.Request`.
    """

    def __init__(self, *study: Any) -> None:
        super().__init__(*study)
        self._asked = Growing(np.empty((0, len(self._inputs))))
        self._controls: dict[str, np.ndarray] = {}

    @property
    def _samples(self) -> np.ndarray:
        """Samples of all runs asked for, (runs, d), SI."""
        return self._asked.rows

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        """Outcomes in run order, see `uqmbd.request.Sampler`; controls are kept beside them."""
        at = self._told
        super().tell(samples, outputs, status)
        for name, values in samples_of(samples).control.items():
            kept = self._controls.get(name, np.empty(0))
            self._controls[name] = np.concatenate([kept, np.full(at - len(kept), np.nan), values])

    def _control(self, name: str) -> np.ndarray:
        """A control of all runs that were told, (runs,); NaN of those without it."""
        kept = self._controls.get(name, np.empty(0))
        return np.concatenate([kept, np.full(self._told - len(kept), np.nan)])

    def ask(self) -> Request | dict[str, np.ndarray] | None:
        """Samples of the next step, see `uqmbd.request.Sampler`."""
        more = self._next()
        if more is None:
            return None
        if isinstance(more, Request):
            samples = np.column_stack([more.samples[name] for name in self._inputs])
            self._asked.add(samples)
            self._await(len(samples))
            return more
        self._asked.add(more)
        self._await(len(more))
        return dict(zip(self._inputs, more.T.copy(), strict=True))

    def _ok(self) -> np.ndarray:
        """Whether each run was ok, when all are made; raises `StudyError` when too few were."""
        self._require_finished()
        stop_if_too_many(self.settings, self._inputs, dict(zip(self._inputs, self._samples.T, strict=True)), self._status)
        return self._status == 0


class AdaptiveSampler(SamplingState):
    """Keeps points, roles, outcomes and status of all runs. A method writes `_plan`, one step of which adds the points of one ask.

    Attributes
    ----------
    chosen : tuple of int
        Roles of runs that went where outcomes sent them: whether they fail says nothing of how much of the box does.
    """

    chosen: ClassVar[tuple[int, ...]] = ()

    def __init__(self, *study: Any) -> None:
        super().__init__(*study)
        self._kept_points = Growing(np.empty((0, len(self._inputs))))
        self._kept_roles = Growing(np.empty(0, np.int8))

    @property
    def _points(self) -> np.ndarray:
        """All runs asked for, in the coordinate of `_samples`: [-1, 1]^d unless said, 2u - 1 where u is the distribution function."""
        return self._kept_points.rows

    @property
    def _roles(self) -> np.ndarray:
        """Why each of them was asked for."""
        return self._kept_roles.rows

    def ask(self) -> dict[str, np.ndarray] | None:
        """Samples of the next step, see `uqmbd.request.Sampler`."""
        start = self._told
        if self._next() is None:
            return None
        self._await(len(self._points) - start)
        return self._samples(self._points[start:])

    def _samples(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """Samples at points (n, d) of the coordinate in which the run keeps them: here [-1, 1]^d, a run may have its own."""
        return from_unit_cube(self._inputs, (points + 1) / 2)

    def _plan(self) -> Iterator[bool]:
        """One step for each ask; a step adds points."""
        raise NotImplementedError

    def _add(self, points: np.ndarray, role: int | np.ndarray) -> None:
        """Points (n, d) in the run's coordinate for the next ask, with one role or one each."""
        self._kept_points.add(points)
        self._kept_roles.fill(len(points), role)

    def _add_random(self, count: int, role: int) -> None:
        """Independent random points; each role has random numbers of its own."""
        self._add(2 * generator(self._seed, role).random((count, len(self._inputs))) - 1, role)

    def _at_runs(self, runs: np.ndarray) -> xr.Dataset:
        """Inputs, in SI, of the runs (2, columns) that reached the bounds, -1 where none did: ``bound`` x ``input`` [x time]."""
        samples = self._samples(self._points)
        found = np.stack([np.where(runs >= 0, samples[name][runs], np.nan) for name in self._inputs], axis=1)
        return self._columns.dataset(found, {"bound": ["lower", "upper"], "input": list(self._inputs)}, unit="")

    def _rows(self, *roles: int) -> np.ndarray:
        """Indices of the runs of these roles that were ok; of all roles when none is named."""
        ok = self._status == 0
        return np.flatnonzero(ok & np.isin(self._roles, roles) if roles else ok)

    def _stop_if_too_many_failed(self) -> None:
        """Raise `StudyError` when more of the runs failed than the method goes on with; those of `chosen` roles do not count."""
        counted = np.flatnonzero(~np.isin(self._roles[: self._told], self.chosen))
        stop_if_too_many(self.settings, self._inputs, self._samples(self._points[counted]), self._status[counted])
