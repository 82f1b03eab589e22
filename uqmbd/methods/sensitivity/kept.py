"""What the runs of sensitivity approaches that keep all outcomes share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.inputs import Input
from uqmbd.methods.staged import StagedRun
from uqmbd.outcomes import OutputInfo

if TYPE_CHECKING:
    from uqmbd.methods.sensitivity.settings import Sensitivity


class SensitivityRun(StagedRun):
    """A `StagedRun` of the settings of one approach."""

    def __init__(
        self, settings: Sensitivity, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(inputs, outputs, time, seed)
        self.settings = settings

    def _named(self) -> dict[str, str | int]:
        """Attributes that say what this is a result of."""
        return {"method": self.settings.name, "approach": self.settings.approach, "seed": self._seed}

    def _envelope(self) -> np.ndarray:
        """Smallest and largest value of each column over the runs that were ok, (2, columns)."""
        seen = self._values[self._status == 0]
        return np.stack([seen.min(axis=0), seen.max(axis=0)])
