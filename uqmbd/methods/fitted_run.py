"""The run of a surrogate: its asks, its fit, and how wrong that is at runs that it was not made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqmbd.methods.failures import require_validation
from uqmbd.methods.staged import AdaptiveSampler
from uqmbd.surrogates.base import Runs, Surrogate

FEW_FAILED = 3


class FittedRun(AdaptiveSampler, Runs):
    """A surrogate says where it wants runs and what it makes of them; see `uqmbd.surrogates.base.Runs` for what it may use."""

    def __init__(self, settings: Any, surrogate: type[Surrogate], *study: Any) -> None:
        super().__init__(settings, *study)
        self.inputs, self.columns, self.seed = self._inputs, self._columns, self._seed
        self.surrogate = surrogate(self)

    points = property(lambda self: self._points)
    values = property(lambda self: self._values)
    status = property(lambda self: self._status)
    roles = property(lambda self: self._roles)
    told = property(lambda self: self._told)

    def add(self, points: np.ndarray, role: int | np.ndarray) -> None:
        self._add(points, role)

    def samples(self, points: np.ndarray) -> dict[str, np.ndarray]:
        return self._samples(points)

    def stop_early(self) -> None:
        if np.count_nonzero(self.status) >= FEW_FAILED:  # one of the first five runs is no share yet
            self._stop_if_too_many_failed()

    def fit(self) -> np.ndarray:
        """Fit, and see what it missed; the runs that told, indices."""
        self._stop_if_too_many_failed()
        fresh = np.flatnonzero((self.status == 0) & self.surrogate.held_out())
        require_validation(fresh >= 0)
        self.expansion = self.surrogate.fit()
        self.validation_error = self.surrogate.validation_error(self.expansion, fresh)
        return fresh
