"""What sensitivity approaches that ask once and keep their runs share: Morris, FAST, RBD-FAST, delta, DGSM, PAWN, HDMR."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from uqmbd.analysis.base import magnitude
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.sensitivity.elementary import shares, variance
from uqmbd.analysis.sensitivity.subsets import KINDS
from uqmbd.analysis.statistics.moment_limits import LEAST
from uqmbd.errors import StudyError
from uqmbd.inputs.space import Space
from uqmbd.methods.base import MethodRun, count_failures
from uqmbd.methods.failures import left_out
from uqmbd.methods.sensitivity.part import notes_of
from uqmbd.methods.sensitivity.settings import Samples, Sensitivity
from uqmbd.methods.staged import AdaptiveSampler, Conclusion
from uqmbd.outcomes import OutputInfo

if TYPE_CHECKING:
    import xarray as xr

LEAST_GROUPS = 2  # stars or blocks: below this nothing has a spread
EXPLAINED = 0.9  # of the variance, below which an expansion says so
WEIGHTED = ("first", "total", "dgsm", *KINDS)  # kinds that are shares of the variance, which can be summed over time
HISTORY_RESAMPLES = 32  # of histories, where each resample costs as much as the estimate itself


# sensitivities (d, columns) by kind, of pairs of inputs under ``second``; and attributes of the result, for all columns or each
Estimates = tuple[dict[str, np.ndarray], dict[str, float | np.ndarray]]


class SampledRun(AdaptiveSampler):
    """Asks once. Groups of runs with a failed one are left out as a whole, or values are filled in."""

    settings: Sampled

    @property
    def names(self) -> list[str]:
        """Of what it ranks: the inputs."""
        return list(self.inputs)

    def _design(self) -> np.ndarray:
        """Points (runs, d) in the unit cube."""
        return self.settings.design(len(self.inputs), generator(self.seed, 0))

    def _estimate(self, points: np.ndarray, values: np.ndarray, few: bool) -> Estimates:
        """See `Sampled.estimate`."""
        return self.settings.estimate(points, values, generator(self.seed, 1 + few), few)

    def _plan(self) -> Iterator[bool]:
        self._unit = self._design()
        self.add(2 * self._unit - 1, 0)
        yield True

    def _conclude(self) -> Conclusion:
        self._stop_if_too_many_failed()
        settings, ok = self.settings, self.status == 0
        size = settings.size(len(self.inputs))
        whole, needed, what = ok.reshape(-1, size).all(axis=1), settings.needs, settings.together or "runs"
        if whole.sum() < needed:
            text = f"{whole.sum()} {what} are without a failed run; {settings.approach} needs {needed}"
            remedy = "raise samples, or narrow the inputs to where the model works"
            raise StudyError(text, key="method.samples", value=settings.samples, remedy=remedy)
        mended, used = settings.mended(self.values, ok), np.repeat(whole, size)
        points, values = (self._unit[used], self.values[used]) if mended is None else (self._unit, mended)
        self._size = magnitude.sizes(values)
        self._facts: dict[str, float | dict[str, float]] = {}
        kinds: dict[str, np.ndarray] = {}
        for few in (False, True)[: 1 if settings.scalars_only else 2]:
            at, names = self._at(few), [name for name in self.columns.slices if (name in self.columns.axes) == few]
            if names:
                by_kind, facts = self._estimate(points, values[:, at] / self._size[at], few)
                for key, fact in facts.items():
                    self._facts[key] = dict(zip(names, fact.tolist(), strict=True)) if isinstance(fact, np.ndarray) else fact
                for kind, array in by_kind.items():
                    kinds.setdefault(kind, np.full((*array.shape[:-1], self.columns.count), np.nan))[..., at] = array
        columns, kept = self.columns, slice(None)
        if settings.scalars_only:
            columns, kept = columns.scalars, self._at(False)
        names, envelope, groups = self.names, self.envelope(ok), {}
        if "second" in kinds:
            labels = [f"{one}*{other}" for one, other in combinations(names, 2)]
            groups["interaction"] = columns.dataset(kinds.pop("second")[..., kept], {"pair": labels}, unit="")
        array = np.array(list(kinds.values())) * (self._size if "mu" in kinds else 1.0)
        groups |= {
            "inner": self.columns.dataset(envelope, {"bound": ["lower", "upper"]}),
            "statistics": self.columns.dataset(envelope, {"statistic": ["min", "max"]}),
            "sensitivity": columns.dataset(array[..., kept], {"kind": list(kinds), "input": names}, unit=None if "mu" in kinds else ""),
            "aggregated": self._aggregated(kinds, values),
        }
        return groups, self._attributes(whole)

    def _at(self, curves: bool) -> np.ndarray:
        """Columns of the scalars, or of histories and curves."""
        columns = [np.arange(at.start, at.stop) for name, at in self.columns.slices.items() if (name in self.columns.axes) == curves]
        return np.concatenate([np.empty(0, int), *columns])

    def _aggregated(self, kinds: dict[str, np.ndarray], values: np.ndarray) -> xr.Dataset:
        """Shares of the variance summed over time."""
        weighted = [kind for kind in kinds if kind in WEIGHTED and not self.settings.scalars_only]
        rows = {}
        for name, at in self.columns.slices.items():
            if weighted and name in self.columns.axes:
                v = variance(values[:, at] / self._size[at]) * magnitude.in_one_unit(self._size[at])
                rows[name] = [shares((kinds[kind][:, at] * v).sum(axis=1, keepdims=True), v.sum()) for kind in weighted]
        return pooled_dataset(weighted, self.names, rows)

    def _attributes(self, whole: np.ndarray) -> dict[str, Any]:
        settings, lost = self.settings, int(np.count_nonzero(~whole))
        attrs, counts = settings.attributes(self.seed) | self._facts, count_failures(self.status)
        if word := settings.together:
            attrs |= {word: len(whole), f"{word}_dropped": lost}
        notes = [settings.lost.format(lost, len(whole))] if lost and settings.lost else left_out(counts)
        notes = notes_of(self.inputs, settings.region) + notes + ([settings.note] if settings.note else [])
        notes += too_few(len(whole) - lost, word) if word else []
        explained = self._facts.get("explained_share")
        for name, share in explained.items() if isinstance(explained, dict) else ():
            if share < EXPLAINED:
                notes.append(f"the expansion explains {share:.0%} of the variance of {name}; the rest is not in the indices: raise degree")
        if settings.scalars_only and self.columns.axes:
            notes.append(f"{settings.approach} treats scalars only: no sensitivities of {', '.join(self.columns.axes)}")
        return attrs | {"notes": notes} | counts


class Sampled(Sensitivity):
    """Settings of such an approach: how its runs are made, what stands or falls together, and what follows."""

    run: ClassVar[type] = SampledRun
    scalars_only: ClassVar[bool] = False  # histories are left out
    advised: ClassVar[int] = 0  # samples that are advised to who gives too few; as few as can be where it is less
    needs: ClassVar[int] = LEAST_GROUPS  # groups of runs that have to be without a failed one
    together: ClassVar[str] = ""  # what groups of runs are called that are of use as a whole only
    note: ClassVar[str] = ""  # what every result has to say
    lost: ClassVar[str] = ""  # what one says with so many of so many groups lost, if that is not that failed runs are left out

    samples: Samples

    def least(self) -> tuple[int, str]:
        """Samples without which there is no estimate, and the reason."""
        return 0, ""

    @model_validator(mode="after")
    def _enough_samples(self) -> Self:
        least, why = self.least()
        if self.samples < least:
            raise StudyError(why, key="samples", value=self.samples, remedy=f"write samples = {max(least, self.advised)}")
        return self

    def size(self, d: int) -> int:
        """Runs in a group, of which none is of use without the others."""
        return 1

    def runs(self, d: int) -> int:
        return self.samples * self.size(d)

    def design(self, d: int, rng: np.random.Generator) -> np.ndarray:
        """Points (runs, d) in the unit cube."""
        from uqmbd.analysis.base.design import unit_points

        return unit_points("lhs", self.samples, d, rng)

    def mended(self, values: np.ndarray, ok: np.ndarray) -> np.ndarray | None:
        """`values` (runs, columns) with those of failed runs filled in, where an approach can; None: they are left out."""
        return None

    def estimate(self, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Estimates:
        """What follows from `values` (n, columns) at `points` (n, d) of the unit cube; `few`: they are histories, with fewer resamples."""
        raise NotImplementedError

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        if self.scalars_only and all(info.axis for info in outputs.values()):
            text = f"the approach {self.approach} treats scalars only, and all outputs are histories or curves"
            remedy = 'reduce them ("slider.x:max", say), or take approach = "pawn" or "sobol"'
            raise StudyError(text, key="method.approach", value=self.approach, remedy=remedy)
        return super()._start(inputs, outputs, time, seed)


def resampled(std: np.ndarray, groups: int) -> np.ndarray:
    """A standard deviation over so many groups of runs, for limits; infinite where they are too few to tell it."""
    return std if groups >= LEAST else np.full_like(std, np.inf)


def too_few(groups: int, word: str) -> list[str]:
    """What is said of so many blocks or stars, where they are too few for limits."""
    return [f"{groups} {word} are too few for limits of the indices, which need {LEAST}"] if groups < LEAST else []


def pooled_dataset(kinds: list[str], inputs: list[str], rows: Mapping[str, list[np.ndarray]]) -> xr.Dataset:
    """Sensitivities over all times by kind and input: one variable for each history, from its arrays (inputs, 1) of each kind."""
    import xarray as xr

    labels = {"kind": np.array(kinds, dtype=object), "input": np.array(inputs, dtype=object)}
    variables = {name: (("kind", "input"), np.array(parts)[..., 0], {"unit": ""}) for name, parts in rows.items()}
    return xr.Dataset(variables, labels) if variables else xr.Dataset()
