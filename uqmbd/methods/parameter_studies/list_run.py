"""Runs at given samples, and a parameter study of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.units import to_si
from uqmbd.methods.base import Method, count_failures
from uqmbd.methods.failures import stop_if_too_many
from uqmbd.methods.staged import KeptRun
from uqmbd.outcomes import OutputInfo
from uqmbd.result import Result


class GivenRun(KeptRun):
    """Keeps samples, outcomes and status of all runs. A method writes `_plan`, one step of which adds the samples of one ask."""

    def __init__(
        self, settings: Method, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(inputs, outputs, time, seed)
        self.settings = settings
        self._samples = np.empty((0, len(inputs)))  # SI

    def ask(self) -> dict[str, np.ndarray] | None:
        """Samples of the next step, see `uqmbd.methods.base.MethodRun`."""
        more = self._next()
        if more is None:
            return None
        self._samples = np.concatenate([self._samples, more])
        self._await(len(more))
        return dict(zip(self._inputs, more.T.copy(), strict=True))

    def _plan(self) -> Iterator[np.ndarray]:
        """Samples (n, d) of each ask, SI."""
        raise NotImplementedError

    def _seen(self) -> np.ndarray:
        """Values of the runs that were ok; raises `StudyError` when too few were."""
        self._require_finished()
        stop_if_too_many(self.settings, self._inputs, dict(zip(self._inputs, self._samples.T, strict=True)), self._status)
        return self._values[self._status == 0]


class ParameterRun(GivenRun):
    """All samples in one ask; the envelope of the outputs, and their least, greatest and mean value."""

    def _plan(self) -> Iterator[np.ndarray]:
        yield self.settings.rows(self._inputs)

    def result(self) -> Result:
        seen = self._seen()
        ends = np.stack([seen.min(axis=0), seen.max(axis=0)])
        notes = ["least, greatest and mean value describe the runs that were made; they are no probabilities"]
        failures = count_failures(self._status)
        if failures["runs_failed"]:
            notes.append(f"{failures['runs_failed']} of {failures['runs']} runs failed and are left out")
        return Result(
            inner=self._columns.dataset(ends, {"bound": ["lower", "upper"]}),
            statistics=self._columns.dataset(np.concatenate([seen.mean(axis=0)[None], ends]), {"statistic": ["mean", "min", "max"]}),
            attrs={"method": self.settings.name, "seed": self._seed, "notes": notes, **failures},
        )


def in_si(item: Input, values: np.ndarray) -> np.ndarray:
    """Numbers in the unit in which an input was written, in SI."""
    si = to_si((item.written or item).unit)
    return si.factor * np.asarray(values, float) + si.offset


def check_inside(name: str, item: Input, values: np.ndarray, key: str) -> None:
    """Raise `StudyError` when a number (in the written unit) is outside an interval."""
    written = item.written or item
    if written.kind != "interval":
        return
    reach = 1e-12 * max(abs(written.lower), abs(written.upper))
    for i, value in enumerate(np.asarray(values, float)):
        if not written.lower - reach <= value <= written.upper + reach:
            raise StudyError(
                f"number {i + 1} of '{name}' is outside its interval {written.describe()}",
                key=key,
                value=float(value),
                remedy="widen the interval or leave the number out",
            )
