"""Reliability by subset simulation."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis import reliability_sampling as sampling
from uqmbd.analysis import reliability_subset
from uqmbd.analysis.streams import generator
from uqmbd.inputs.space import Space
from uqmbd.methods.reliability.run import SAMPLING, ReliabilityRun, estimated, in_role

if TYPE_CHECKING:
    from uqmbd.methods.reliability.settings import Reliability


class SubsetRun(ReliabilityRun):
    """Asks for the first level at once, and for each further one in steps of all its chains."""

    remedy = "take a finer output, or an approach with a design point"
    _estimate: sampling.Probability

    @classmethod
    def planned(cls, settings: Reliability, inputs: Space) -> tuple[int, int]:
        first = settings.of("samples")
        return first, first + (settings.of("levels") - 1) * (first - round(first * reliability_subset.SEED_SHARE))

    def _find(self) -> Generator[tuple[np.ndarray, int], np.ndarray, None]:
        settings = self.settings
        simulation = reliability_subset.subset(
            len(self._inputs), settings.of("samples"), settings.of("levels"), generator(self._seed, SAMPLING)
        )
        self._estimate = yield from in_role(SAMPLING, simulation)
        self._say(self._estimate.note)

    def _found(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        return estimated(self._estimate) | {"runs": float(len(self._status))}, {}

    def _facts(self) -> dict[str, Any]:
        return {"levels": self._estimate.levels, "confidence": sampling.CONFIDENCE}
