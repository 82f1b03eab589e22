"""The run of a sensitivity study that asks once and keeps its runs: Morris, FAST, RBD-FAST, delta, DGSM, PAWN, HDMR."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import xarray as xr

from uqmbd.analysis.columns import Columns
from uqmbd.analysis.elementary import shares, variance
from uqmbd.analysis.streams import generator
from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.methods.base import count_failures
from uqmbd.methods.sensitivity import designs
from uqmbd.methods.sensitivity.estimates import ESTIMATES, Found
from uqmbd.methods.sensitivity.kept import SensitivityRun
from uqmbd.methods.sensitivity.settings import LEAST_DELTA, LEAST_HDMR
from uqmbd.outcomes import OutputInfo
from uqmbd.result import Result

if TYPE_CHECKING:
    from uqmbd.methods.sensitivity.settings import Sensitivity

RUNS_LEFT = 6  # a harmonic of rbd_fast, so that its bias in half of them, 2 in 3, stays below 1
LEAST_GROUPS = 2  # stars: below this nothing has a spread
EXPLAINED = 0.9  # of the variance, below which an expansion says so
LEAST = {"hdmr": LEAST_HDMR, "delta": LEAST_DELTA}
WEIGHTED = ("first", "total", "dgsm")  # kinds that are shares of the variance, which can be summed over time


class Design(NamedTuple):
    """How runs are made and what stands or falls together.

    Attributes
    ----------
    points : callable
        ``(settings, d, rng) -> (runs, d)`` in the unit cube.
    group : callable
        ``(d) -> int``: runs in a star, of which none is of use without the others; 1 for independent runs.
    word : str
        What such a group is called.
    scalars_only : bool
        Histories are left out.
    """

    points: Callable[[Sensitivity, int, np.random.Generator], np.ndarray]
    group: Callable[[int], int] = lambda d: 1
    word: str = ""
    scalars_only: bool = False


def _lhs(settings: Sensitivity, d: int, rng: np.random.Generator) -> np.ndarray:
    from uqmbd.methods.design import unit_points

    return unit_points("lhs", settings.samples, d, rng)


DESIGNS = {
    "morris": Design(lambda s, d, rng: designs.morris(s.samples, d, s.of("levels"), rng), lambda d: d + 1, "stars"),
    "fast": Design(lambda s, d, rng: designs.fast(s.samples, d, s.of("harmonics"), rng)),
    "rbd_fast": Design(_lhs),
    "delta": Design(_lhs, scalars_only=True),
    "dgsm": Design(lambda s, d, rng: designs.stars(s.samples, d, s.of("step"), rng), lambda d: d + 1, "stars"),
    "pawn": Design(_lhs),
    "hdmr": Design(_lhs, scalars_only=True),
}


class SampledRun(SensitivityRun):
    """Asks once. Groups of runs with a failed one are left out as a whole; FAST interpolates along its curves."""

    def __init__(
        self, settings: Sensitivity, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        super().__init__(settings, inputs, outputs, time, seed)
        self._how = DESIGNS[settings.approach]
        self._unit = self._how.points(settings, len(inputs), generator(seed, 0))
        if self._how.scalars_only and all(info.axis for info in outputs.values()):
            raise StudyError(
                f"the approach {settings.approach} treats scalars only, and all outputs are histories or curves",
                key="method.approach",
                value=settings.approach,
                remedy='reduce them ("slider.x:max", say), or take approach = "pawn" or "sobol"',
            )

    @staticmethod
    def planned(settings: Sensitivity, d: int) -> int:
        """Number of runs."""
        if settings.approach == "fast":
            return settings.samples * d
        return settings.samples * DESIGNS[settings.approach].group(d)

    def _plan(self) -> Iterator[bool]:
        self._add(2 * self._unit - 1, 0)
        yield True

    def result(self) -> Result:
        self._require_finished()
        self._stop_if_too_many_failed(self.settings)
        ok = self._status == 0
        size = self._how.group(len(self._inputs))
        whole = ok.reshape(-1, size).all(axis=1)
        used = np.repeat(whole, size)
        values, self._filled = self._values, 0
        if self.settings.approach == "fast":
            values, used = self._interpolated(ok), np.ones(len(ok), bool)
        self._require_enough(int(whole.sum()))
        points, values = self._unit[used], values[used]
        scalars, histories = self._split()
        self._facts: dict[str, float | dict[str, float]] = {}
        kinds: dict[str, np.ndarray] = {}
        interaction: dict[str, np.ndarray] = {}
        for at, few in ((scalars, False), (histories, True)):
            if at.size and not (few and self._how.scalars_only):
                rng = generator(self._seed, 2 if few else 1)
                found: Found = ESTIMATES[self.settings.approach](self.settings, points, values[:, at], rng, few)
                names = [name for name, part in self._columns.slices.items() if part.start in at]
                for key, fact in found.facts.items():
                    self._facts[key] = fact if np.ndim(fact) == 0 else dict(zip(names, fact.tolist(), strict=True))
                for target, more in ((kinds, found.kinds), (interaction, found.pairs)):
                    for kind, array in more.items():
                        target.setdefault(kind, np.full((*array.shape[:-1], self._columns.count), np.nan))[..., at] = array
        return self._described(kinds, interaction, values, used)

    def _described(self, kinds: dict[str, np.ndarray], pairs: dict[str, np.ndarray], values: np.ndarray, used: np.ndarray) -> Result:
        columns = self._columns if not self._how.scalars_only else self._scalar_columns()
        kept = np.concatenate([np.arange(self._columns.slices[name].start, self._columns.slices[name].stop) for name in columns.slices])
        names = list(self._inputs)
        envelope = self._envelope()
        array = np.array(list(kinds.values()))[..., kept]
        labels = [f"{names[i]}*{names[j]}" for i in range(len(names)) for j in range(i + 1, len(names))]
        return Result(
            inner=self._columns.dataset(envelope, {"bound": ["lower", "upper"]}),
            statistics=self._columns.dataset(envelope, {"statistic": ["min", "max"]}),
            sensitivity=columns.dataset(array, {"kind": list(kinds), "input": names}, unit=None if "mu" in kinds else ""),
            interaction=columns.dataset(pairs["second"][..., kept], {"pair": labels}, unit="") if pairs else xr.Dataset(),
            aggregated=self._aggregated(kinds, values),
            attrs=self._attributes(used),
        )

    def _split(self) -> tuple[np.ndarray, np.ndarray]:
        """Columns of scalars and of histories."""
        parts: dict[bool, list[int]] = {False: [], True: []}
        for name, at in self._columns.slices.items():
            parts[name in self._columns.axes] += range(at.start, at.stop)
        return np.array(parts[False], int), np.array(parts[True], int)

    def _scalar_columns(self) -> Columns:
        return Columns({name: info for name, info in self._columns.outputs.items() if not info.axis}, self._columns.time)

    def _interpolated(self, ok: np.ndarray) -> np.ndarray:
        """Values with failed runs replaced by linear interpolation along their closed curves."""
        if ok.all():
            return self._values
        values = self._values.copy()
        n = self.settings.samples
        for start in range(0, len(ok), n):
            good = np.flatnonzero(ok[start : start + n])
            bad = np.flatnonzero(~ok[start : start + n])
            self._filled += len(bad)
            if not bad.size or not good.size:
                continue
            right = np.searchsorted(good, bad)
            low, high = good[right - 1], good[right % len(good)]
            share = ((bad - low) % n / np.maximum((high - low) % n, 1))[:, None]
            values[start + bad] = (1 - share) * values[start + low] + share * values[start + high]
        return values

    def _require_enough(self, groups: int) -> None:
        """Raise `StudyError` when too little is left."""
        approach = self.settings.approach
        needed = RUNS_LEFT * self.settings.of("harmonics") if approach == "rbd_fast" else LEAST.get(approach, LEAST_GROUPS)
        if groups < needed:
            raise StudyError(
                f"{groups} {self._how.word or 'runs'} are without a failed run; {approach} needs {needed}",
                key="method.samples",
                value=self.settings.samples,
                remedy="raise samples, or narrow the inputs to where the model works",
            )

    def _aggregated(self, kinds: dict[str, np.ndarray], values: np.ndarray) -> xr.Dataset:
        """Shares of the variance summed over time."""
        from uqmbd.methods.sensitivity.sobol import pooled_dataset

        weighted = [kind for kind in kinds if kind in WEIGHTED and not self._how.scalars_only]
        rows = {}
        for name, at in self._columns.slices.items():
            if weighted and name in self._columns.axes:
                v = variance(values[:, at])
                rows[name] = [shares((kinds[kind][:, at] * v).sum(axis=1, keepdims=True), v.sum()) for kind in weighted]
        return pooled_dataset(weighted, list(self._inputs), rows)

    def _attributes(self, used: np.ndarray) -> dict:
        settings, how = self.settings, self._how
        keys = [key for key in ("samples", "levels", "harmonics", "slices", "degree", "step", "resamples", "confidence")]
        attrs = self._named() | {key: settings.of(key) for key in keys if settings.of(key) is not None}
        attrs |= self._facts
        size, notes = how.group(len(self._inputs)), []
        if how.word:
            lost = int(np.count_nonzero(~used)) // size
            attrs |= {how.word: len(used) // size, f"{how.word}_dropped": lost}
            if lost:
                notes.append(f"{lost} of {len(used) // size} {how.word} hold a failed run and are left out as a whole")
        elif self._filled:
            notes.append(f"{self._filled} failed runs are replaced by interpolation along their curves")
        elif not used.all():
            notes.append(f"{np.count_nonzero(~used)} of {len(used)} runs failed and are left out")
        if settings.approach == "delta":
            notes.append("delta has no confidence limits: densities over whole classes of an input make a strong influence look weaker")
        for name, share in self._facts.get("explained_share", {}).items():
            if share < EXPLAINED:
                notes.append(f"the expansion explains {share:.0%} of the variance of {name}; the rest is not in the indices: raise degree")
        left_out = [name for name, info in self._columns.outputs.items() if info.axis and how.scalars_only]
        if left_out:
            notes.append(f"{settings.approach} treats scalars only: no sensitivities of {', '.join(left_out)}")
        return attrs | {"notes": notes} | count_failures(self._status)
