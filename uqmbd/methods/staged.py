"""Runs that are asked for in steps, each with a role; what all methods that keep their runs share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from uqmbd.analysis.base.columns import Columns, finite_rows
from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.statistics.trust import horizons
from uqmbd.errors import StudyError
from uqmbd.inputs import Input, Space
from uqmbd.methods.distrust import without_trust_where_runs_failed
from uqmbd.methods.failures import MEND, stop_if_too_many
from uqmbd.outcomes import OutputInfo
from uqmbd.request import Request, Sampler, samples_of
from uqmbd.runs.growing import Growing
from uqmbd.surrogates.base import Runs, Surrogate

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.groups import GroupSpec
    from uqmbd.result import Result

Groups = dict[str, Any]  # of a result, each a Dataset
Conclusion = tuple[Groups, dict[str, Any]]  # and its attributes
EVERY = slice(None)
FEW_FAILED = 3


class AdaptiveSampler(Sampler):
    """Keeps points, roles, outcomes and status of all runs. A method writes `_plan`, one step of which adds the points of one ask.

    Its parameters are the settings, and those of `uqmbd.methods.base.Method.start`, in SI units.
    """

    # roles of runs that went where outcomes sent them: whether they fail says nothing of how much of the box does
    chosen: ClassVar[tuple[int, ...]] = ()

    def __init__(self, settings: Any, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int) -> None:
        self.settings = settings
        self.inputs = Space.of(inputs)
        self.columns = Columns(outputs, time)
        self.seed = seed
        self._kept_points = Growing(np.empty((0, len(self.inputs))))
        self._kept_roles = Growing(np.empty(0, np.int8))
        self._kept_values = Growing(np.empty((0, self.columns.count)))
        self._kept_status = Growing(np.empty(0, np.int8))
        self.observed = 0
        self._steps = self._plan()
        self._finished = False
        self._watched, self._part = False, None

    @property
    def points(self) -> np.ndarray:
        """All runs asked for, in the coordinate of `samples`: [-1, 1]^d unless said, 2u - 1 where u is the distribution function."""
        return self._kept_points.rows

    @property
    def roles(self) -> np.ndarray:
        """Why each of them was asked for."""
        return self._kept_roles.rows

    @property
    def values(self) -> np.ndarray:
        """Outcomes of all runs asked for, (runs, columns)."""
        return self._kept_values.rows

    @property
    def status(self) -> np.ndarray:
        """Status of all runs asked for, (runs,)."""
        return self._kept_status.rows

    def ask(self) -> Request | dict[str, np.ndarray] | None:
        start = self.observed
        if self._next() is None:
            return None
        self._await(len(self.points) - start)
        return self.samples(self.points[start:])

    def samples(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """Samples at points (n, d) of the coordinate in which the run keeps them: here [-1, 1]^d, a run may have its own."""
        return self.inputs.samples((points + 1) / 2)

    def add(self, points: np.ndarray, role: int | np.ndarray) -> None:
        """Points (n, d) in the run's coordinate for the next ask, with one role or one each."""
        self._kept_points.add(points)
        self._kept_roles.fill(len(points), role)

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        matrix = self.columns.pack(outputs, len(status))
        finite_rows(matrix, status, self.columns, self.observed)
        at = slice(self.observed, self.observed + len(status))
        self.status[at] = status
        self._keep(at, matrix)
        self.observed = at.stop

    def _keep(self, at: slice, matrix: np.ndarray) -> None:
        """What is kept of the outcomes (runs, columns) of the runs `at`, whose status is kept already."""
        self.values[at] = matrix

    def _plan(self) -> Iterator[Any]:
        """One step for each ask."""
        raise NotImplementedError

    @property
    def ended(self) -> bool:
        """Whether it asks for no more runs."""
        return self._finished

    def watch(self) -> None:
        """Results of a part of the runs will be asked for."""
        self._watched = True

    def settle(self, conclude: Callable[[], Conclusion] | None = None) -> None:
        """For plans: here what there is makes a result of a part, by `_conclude` unless said, which is made where somebody looks on.

        Nothing that the plan goes on with may change by it.
        """
        if self._watched:
            self._part = (conclude or self._conclude)()

    def so_far(self) -> Result | None:
        """What followed when the plan settled last; the result once all runs are there, None before there is anything."""
        from uqmbd.result import Result

        if self._finished:
            return self.result()
        return None if self._part is None else Result(self._part[0], specs=self._specs(self._part[0]), attrs=self._part[1])

    def _specs(self, groups: Groups) -> list[GroupSpec]:
        """Those of the method's that there are: an opened result has no others either."""
        return [spec for spec in self.settings.groups if spec.name in groups]

    def _next(self) -> Any:
        """The plan's next step; None when there is none."""
        if self.observed < len(self.status):
            raise RuntimeError(f"{len(self.status) - self.observed} runs were asked for and not told yet")
        step = None if self._finished else next(self._steps, None)
        self._finished = step is None
        return step

    def _await(self, more: int) -> None:
        """Make room for so many further runs."""
        self._kept_values.fill(more, np.nan)
        self._kept_status.fill(more, 0)

    def result(self) -> Result:
        """What follows from all runs; its trust is lost where runs failed among those of which it speaks."""
        from uqmbd.result import Result

        if not self._finished:
            raise RuntimeError("the method still wants runs: ask until it returns None")
        groups, attrs = self._conclude()
        result = Result(groups, specs=self._specs(groups), attrs=attrs)
        self._extend(result)
        here = self._spoken_of()
        failed = self.status[here] != 0
        if failed.any():
            without_trust_where_runs_failed(result, self.inputs, self.samples(self.points[here]), failed)
        return result

    def _conclude(self) -> Conclusion:
        """When all runs are made."""
        raise NotImplementedError

    def _extend(self, result: Result) -> None:
        """Add to a result what is made of it."""

    def _spoken_of(self) -> np.ndarray:
        """Runs in the region of which the result speaks, bool (runs,)."""
        return np.ones(len(self.points), bool)

    def outcomes(self, runs: np.ndarray, columns: slice = EVERY) -> np.ndarray:
        """Outcomes of these runs, numbers or a mask, (runs, columns); to be read only: no copy where the runs follow each other."""
        runs = np.flatnonzero(runs) if runs.dtype == bool else runs
        follow = len(runs) > 0 and runs[-1] - runs[0] == len(runs) - 1 and bool((np.diff(runs) == 1).all())
        return self.values[runs[0] : runs[-1] + 1, columns] if follow else self.values[runs, columns]

    def envelope(self, runs: np.ndarray, low: Callable[..., np.ndarray] = np.min, high: Callable[..., np.ndarray] = np.max) -> np.ndarray:
        """What these runs, numbers or a mask, reached, (2, columns); or what `low` and `high` make of each column."""
        runs = np.flatnonzero(runs) if runs.dtype == bool else runs

        def of(at: slice) -> np.ndarray:
            values = self.outcomes(runs, at)
            return np.stack([low(values, axis=0), high(values, axis=0)])

        return by_blocks(of, self.columns.count, len(runs))

    def _groups(self, inner: np.ndarray, error: np.ndarray, trusted: np.ndarray) -> Groups:
        """Groups of the result: what runs reached, (2, columns), and the error and trust of every column, (columns,)."""
        columns = self.columns
        return {
            "inner": columns.dataset(inner, {"bound": ["lower", "upper"]}),
            "error": columns.dataset(error),
            "trusted": columns.dataset(trusted, unit=""),
            "trust_horizon": horizons(trusted, columns),
        }

    def _at_runs(self, runs: np.ndarray) -> xr.Dataset:
        """Inputs, in SI, of the runs (2, columns) that reached the bounds, -1 where none did: ``bound`` x ``input`` [x time]."""
        samples = self.samples(self.points)
        reached = np.stack([np.where(runs >= 0, samples[name][runs], np.nan) for name in self.inputs], axis=1)
        return self.columns.dataset(reached, {"bound": ["lower", "upper"], "input": list(self.inputs)}, unit="")

    def _rows(self, *roles: int) -> np.ndarray:
        """Indices of the runs of these roles that were ok; of all roles when none is named."""
        ok = self.status == 0
        return np.flatnonzero(ok & np.isin(self.roles, roles) if roles else ok)

    def controls(self) -> dict[str, np.ndarray]:
        """Controls of all runs that were told, (runs,) each; see `FixedSampler`."""
        return {}

    def _stop_if_too_many_failed(self) -> None:
        """Raise `StudyError` when more of the runs failed than the method goes on with; those of `chosen` roles do not count."""
        counted = np.flatnonzero(~np.isin(self.roles[: self.observed], self.chosen))
        controls = {name: values[counted] for name, values in self.controls().items()}
        stop_if_too_many(self.settings, self.inputs, self.samples(self.points[counted]), self.status[counted], controls)


class FixedSampler(AdaptiveSampler):
    """One step of the plan is the samples (n, d) of one ask, SI, or a `uqmbd.request.Request`; `points` are all of them."""

    def __init__(self, *study: Any) -> None:
        super().__init__(*study)
        self._controls: dict[str, np.ndarray] = {}

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        before = self.observed
        super().tell(samples, outputs, status)
        for name, values in samples_of(samples).control.items():
            kept = self._controls.get(name, np.empty(0))
            self._controls[name] = np.concatenate([kept, np.full(before - len(kept), np.nan), values])

    def controls(self) -> dict[str, np.ndarray]:
        return {name: self.control(name) for name in self._controls}

    def control(self, name: str) -> np.ndarray:
        """A control of all runs that were told, (runs,); NaN of those without it."""
        kept = self._controls.get(name, np.empty(0))
        return np.concatenate([kept, np.full(self.observed - len(kept), np.nan)])

    def ask(self) -> Request | dict[str, np.ndarray] | None:
        more = self._next()
        if more is None:
            return None
        rows = np.column_stack([more.samples[name] for name in self.inputs]) if isinstance(more, Request) else more
        self.add(rows, 0)
        self._await(len(rows))
        return more if isinstance(more, Request) else self.samples(rows)

    def samples(self, points: np.ndarray) -> dict[str, np.ndarray]:
        return dict(zip(self.inputs, points.T.copy(), strict=True))


class FittedRun(AdaptiveSampler, Runs):
    """A surrogate says where it wants runs and what it makes of them; see `uqmbd.surrogates.base.Runs` for what it may use."""

    def __init__(self, settings: Any, surrogate: type[Surrogate], *study: Any) -> None:
        super().__init__(settings, *study)
        self.surrogate = surrogate(self)

    def stop_early(self) -> None:
        if np.count_nonzero(self.status) >= FEW_FAILED:  # one of the first five runs is no share yet
            self._stop_if_too_many_failed()

    def fit(self) -> np.ndarray:
        """Fit, and see what it missed; the runs that told, indices."""
        self._stop_if_too_many_failed()
        fresh = np.flatnonzero((self.status == 0) & self.surrogate.held_out())
        if not fresh.size:
            text = "all validation runs failed, so nothing is known about the error of the expansion"
            raise StudyError(text, remedy=f"{MEND}, or give it more runs")
        self.expansion = self.surrogate.fit()
        self.validation_error = self.surrogate.validation_error(self.expansion, fresh)
        return fresh
