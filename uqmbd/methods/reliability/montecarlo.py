"""Reliability by plain Monte Carlo: unsafe runs are counted, the limits are exact."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.reliability import sampling
from uqmbd.inputs import Input
from uqmbd.methods.reliability.run import SAMPLING, ReliabilityRun, estimated
from uqmbd.methods.reliability.settings import Reliability

FEWEST, CONVERGENCE_STEPS = 20, 12  # of convergence: runs with which it begins, and numbers of runs
ENOUGH = 10  # unsafe runs, below which the probability is known to little more than its order


class CountingRun(ReliabilityRun):
    """Asks once, for independent runs. Nothing is assumed of the output, and one that has a few values only is no worse."""

    def _find(self) -> Generator[tuple[np.ndarray, int], np.ndarray, None]:
        z = generator(self._seed, SAMPLING).standard_normal((self.settings.samples, len(self._inputs)))
        self._margin = yield z, SAMPLING
        found = sampling.counted(self._margin, one_sided=True)
        self._estimate = replace(found, places=z[self._margin < 0])
        n, few = len(self._margin), round(found.unsafe * len(self._margin))
        level = f"{100 * sampling.CONFIDENCE:.0f} % confidence"
        if not few:
            self._say(f"none of {n} runs is unsafe: with {level} the probability is below {found.upper:.2g}, a one-sided limit")
        elif found.safe == 1.0:
            self._say(f"all {n} runs are unsafe: with {level} the probability is above {found.lower:.4g}, a one-sided limit")
        elif few < ENOUGH:
            said = "1 of them is" if few == 1 else f"{few} of them are"
            self._say(f"{n} runs are few for so rare an event ({said} unsafe): raise samples, or take approach = 'subset'")

    def _found(self) -> tuple[dict[str, float], dict[str, np.ndarray]]:
        return estimated(self._estimate) | {"runs": float(len(self._status))}, self._unsafe(self._estimate)

    def _convergence(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        counts = np.unique(np.geomspace(min(FEWEST, len(self._margin)), len(self._margin), CONVERGENCE_STEPS).astype(int))
        parts = [sampling.counted(self._margin[:count], one_sided=True) for count in counts]
        kinds = {"probability": "unsafe", "probability_lower": "lower", "probability_upper": "upper"}
        return counts, {kind: np.array([getattr(part, key) for part in parts]) for kind, key in kinds.items()}

    def _facts(self) -> dict[str, Any]:
        return {"confidence": sampling.CONFIDENCE}


class MonteCarloCount(Reliability):
    """Independent runs of which the unsafe ones are counted, with exact limits (Clopper and Pearson)."""

    run: ClassVar[type] = CountingRun
    tails: ClassVar[bool] = False
    treats: ClassVar[frozenset[str]] = Reliability.treats | {"sampled"}

    approach: Literal["montecarlo"]
    samples: int = Field(default=1000, ge=1)

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.samples, self.samples
