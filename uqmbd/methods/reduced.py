"""Runs that are asked for once and of which only what `reduce` makes of a batch is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columns import Columns, arranged, widths, with_names
from uqmbd.inputs import Input, Space
from uqmbd.methods.failures import stop_if_too_many
from uqmbd.methods.staged import Conclusion
from uqmbd.outcomes import OutputInfo
from uqmbd.request import Sampler

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.result import Result


class ReducedRun(Sampler):
    """A method sets `_samples` and `_reduce` (pure and picklable) and writes `tell_reduced`; `tell` is ``tell_reduced(reduce(...))``.

    So a campaign that keeps only what `reduce` returns gets the same result. `_along` has the layout of those entries of a partial whose
    last axis are outputs: what is stored then serves for fewer outputs, and for another order, as well.
    """

    names_outputs: bool = True

    _samples: dict[str, np.ndarray]
    _along: Mapping[str, Columns]
    _reduce: Callable[[Mapping, Mapping, np.ndarray], dict[str, np.ndarray]]
    _asked: bool = False

    def __init__(self, settings: Any, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int) -> None:
        self.settings, self.inputs, self.seed = settings, Space.of(inputs), seed
        self.scalars = Columns(outputs, time).scalars
        self.histories = Columns({name: info for name, info in outputs.items() if info.axis}, time)
        self._order = list(outputs)
        self._status: list[np.ndarray] = []  # of each batch
        self._observed = 0

    def ask(self) -> dict[str, np.ndarray] | None:
        """All samples, once."""
        if self._asked:
            return None
        self._asked = True
        return self._samples

    @property
    def reduce(self) -> Callable[[Mapping, Mapping, np.ndarray], dict[str, np.ndarray]]:
        """``reduce(samples, outputs, status) -> partial``, on the worker."""
        return partial(with_names, self._reduce, {key: widths(columns) for key, columns in self._along.items()})

    def arranged(self, partial: Mapping[str, np.ndarray]) -> dict[str, np.ndarray] | None:
        """A stored partial with the outputs of this study alone, in their order; None where it lacks one."""
        return arranged(partial, {key: widths(columns) for key, columns in self._along.items()})

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        self.tell_reduced(self._reduce(samples, outputs, status))

    def result(self) -> Result:
        """What follows from all runs; raises `StudyError` when too many failed."""
        from uqmbd.result import Result

        status = np.concatenate([np.zeros(0, np.int8), *self._status])
        stop_if_too_many(self.settings, self.inputs, {name: x[: len(status)] for name, x in self._samples.items()}, status)
        groups, attrs = self._conclude(status)
        return Result(groups, specs=[spec for spec in self.settings.groups if spec.name in groups], attrs=attrs)

    def _conclude(self, status: np.ndarray) -> Conclusion:
        """Groups and attributes of the result; `status` (runs,) of all runs."""
        raise NotImplementedError

    def _join(self, labels: dict[str, list[str]], rows: Sequence[np.ndarray], unit: str | None = None) -> xr.Dataset:
        """One Dataset of scalars and histories, whose rows are given where there are any, in the order of the outputs."""
        parts = [columns for columns in (self.scalars, self.histories) if columns.count]
        sets = [columns.dataset(row, labels, unit=unit) for columns, row in zip(parts, rows, strict=True)]
        return sets[0].merge(sets[-1])[self._order]
