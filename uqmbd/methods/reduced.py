"""Runs that are asked for once and of which only what `reduce` makes of a batch is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from uqmbd.analysis.base.columns import Columns, arranged, widths, with_names
from uqmbd.request import Sampler


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
        """Outcomes in run order, see `uqmbd.methods.base.MethodRun`."""
        self.tell_reduced(self._reduce(samples, outputs, status))
