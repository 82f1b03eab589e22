"""Derivatives at the medians of the inputs by central differences, one batch of runs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

import numpy as np

from uqmbd.analysis.sensitivity.elementary import shares
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.base import count_failures
from uqmbd.methods.sensitivity.part import notes_of
from uqmbd.methods.sensitivity.settings import Sensitivity, Step
from uqmbd.methods.staged import AdaptiveSampler, Conclusion

MIDPOINTS = 2000  # of the distribution function, where the standard deviation of an input is summed


class DerivativeRun(AdaptiveSampler):
    """The medians, and one run on either side of them for each input.

    ``derivative`` is ``(∂y/∂x_i) σ_i / s``: σ_i the standard deviation of the input (of an interval: uniform over it), s the greatest
    absolute value of the output at the medians. So the squares of a row, times s², sum to the variance of the linearised output.
    """

    def _plan(self) -> Iterator[bool]:
        d = len(self.inputs)
        steps = 2 * self.settings.step * np.eye(d)  # points run from -1 to 1, twice the probability
        self.add(np.concatenate([np.zeros((1, d)), -steps, steps]), 0)
        yield True

    def _conclude(self) -> Conclusion:
        ok, d = self.status == 0, len(self.inputs)
        if not ok[0]:
            text = "the run at the medians of the inputs failed, so there is no derivative there"
            remedy = 'move the inputs to where the model works, or take approach = "morris"'
            raise StudyError(text, key="method.approach", value=self.settings.approach, remedy=remedy)
        self._stop_if_too_many_failed()
        spread = deviations(self.inputs)
        samples = np.column_stack(list(self.samples(self.points).values()))
        low, high = 1 + np.arange(d), 1 + d + np.arange(d)
        low, high = np.where(ok[low], low, 0), np.where(ok[high], high, 0)  # one-sided where one side failed
        names = list(self.inputs)
        step = samples[high, np.arange(d)] - samples[low, np.arange(d)]
        rise = self.values[high] - self.values[low]
        slope = np.divide(rise, step[:, None], out=np.full_like(rise, np.nan), where=step[:, None] != 0)
        middle = self.values[0]
        scale = np.empty(self.columns.count)
        for at in self.columns.slices.values():
            scale[at] = np.abs(middle[at]).max()
        share = slope * spread[:, None]
        unscaled = [name for name, at in self.columns.slices.items() if scale[at.start] == 0]
        share = np.where(scale > 0, shares(share, scale), share)
        notes = notes_of(self.inputs, self.settings.region)
        if unscaled:
            notes.append(f"{', '.join(unscaled)} is 0 at the medians: its derivatives are not divided by anything")
        for words, sides in (("one-sided", (low == 0) != (high == 0)), ("missing, both runs failed,", (low == 0) & (high == 0))):
            if sides.any():
                notes.append(f"the derivatives by {', '.join(names[i] for i in np.flatnonzero(sides))} are {words} since runs failed")
        groups = {
            "inner": self.columns.dataset(self.envelope(ok), {"bound": ["lower", "upper"]}),
            "statistics": self.columns.dataset(np.stack([middle, scale]), {"statistic": ["nominal", "scale"]}),
            "sensitivity": self.columns.dataset(share[None], {"kind": ["derivative"], "input": names}, unit=""),
        }
        attrs = self.settings.attributes(self.seed) | {"spread": dict(zip(names, spread.tolist(), strict=True)), "notes": notes}
        return groups, attrs | count_failures(self.status)


class Derivative(Sensitivity):
    """Derivatives at the medians of the inputs, by central differences."""

    run: ClassVar[type] = DerivativeRun

    approach: Literal["derivative"]
    step: Step = 1e-3

    def runs(self, d: int) -> int:
        return 2 * d + 1


def deviations(inputs: Mapping[str, Input]) -> np.ndarray:
    """Standard deviation of each input, (d,), SI: of an interval as if uniform, of a distribution between its last 1/4000 quantiles."""
    u = (np.arange(MIDPOINTS) + 0.5) / MIDPOINTS
    exact = [np.ptp(item.ppf(np.array([0.0, 1.0]))) / np.sqrt(12) if item.kind == "interval" else None for item in inputs.values()]
    return np.array([item.ppf(u).std() if std is None else std for item, std in zip(inputs.values(), exact, strict=True)])
