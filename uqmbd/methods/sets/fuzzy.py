"""Fuzzy inputs: the membership of a response, by bounds over the nested boxes of its levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from numbers import Integral, Real
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema

from uqmbd.analysis.sets.alpha_cuts import transformation_count, transformation_points
from uqmbd.errors import StudyError
from uqmbd.inputs import Fuzzy, Input
from uqmbd.methods.base import Method, MethodRun, count_failures, fallback_count
from uqmbd.methods.failures import left_out
from uqmbd.methods.intervals.chebyshev import Chebyshev
from uqmbd.methods.staged import AdaptiveSampler, Conclusion
from uqmbd.regions.cuts import Cuts, boxes
from uqmbd.surrogates.base import NODE

MOST_LEVELS = 101
MOST_OF_LEVEL = 200  # runs of a level that nobody asked for


def checked_levels(value: Any) -> tuple[float, ...]:
    """A number of equal steps, or ascending memberships from 0 to 1."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        if not 2 <= int(value) <= MOST_LEVELS:
            raise ValueError(f"the number of levels is from 2 to {MOST_LEVELS}, not {value}")
        return tuple(round(float(alpha), 12) for alpha in np.linspace(0, 1, int(value)))
    good = isinstance(value, (list, tuple)) and all(isinstance(a, Real) and not isinstance(a, bool) for a in value)
    if not good or len(value) < 2 or value[0] != 0 or value[-1] != 1 or any(a >= b for a, b in pairwise(value)):
        raise ValueError(f"levels are a whole number, or memberships that ascend from 0 to 1 as in [0, 0.5, 1], not {value!r}")
    return tuple(float(alpha) for alpha in value)


_STEPS = {"type": "integer", "minimum": 2, "maximum": MOST_LEVELS}
_MEMBERSHIPS = {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}, "minItems": 2}
Levels = Annotated[Any, BeforeValidator(checked_levels), WithJsonSchema({"anyOf": [_STEPS, _MEMBERSHIPS]})]


class FuzzyBounds(Chebyshev):
    """Bounds of every output at every time for each membership: fuzzy numbers by their cuts, intervals whole at every level.

    By Zadeh's extension principle the cut of the response is its range over the box of the inputs' cuts (Nguyen, J. Math. Anal. Appl.
    64 (1978) 369). One Chebyshev expansion on the support serves all levels; its verified range on each box is widened by the error
    seen there. Levels whose error exceeds `trust_tolerance` get random runs of their own, and show the envelope of the runs.

    The settings of `Chebyshev`, and those below.

    Attributes
    ----------
    levels : int or list of float
        Number of equally spaced memberships with 0 and 1, or the memberships.
    level_runs : int
        Random runs in the box of each level that is not trusted. Where nothing is said the levels share half as many runs as were
        planned, 200 each at most, and the other half is `fallback_runs`.
    approach : str
        ``surrogate``, or ``transformation``: Hanss's method, which runs the model on its grid and keeps the smallest and the largest
        value. It has no error estimate, is exact for monotonic responses and inside the true bounds for all others.
    variant : str
        Of the transformation method: ``general`` (grids) or ``reduced`` (corners only).

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> about = uq.Fuzzy({"type": "triangular", "lower": 90.0, "mode": 100.0, "upper": 110.0})
    >>> box = {"load": about, "stiffness": uq.Interval(1800.0, 2200.0)}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.FuzzyBounds(degree=4, levels=3), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> (1e3 * result.bounds["sag"]).values.round(2).tolist()  # mm, at the memberships 0, 0.5 and 1
    [[40.91, 61.11], [43.18, 58.33], [45.45, 55.56]]
    """

    name: ClassVar[str] = "fuzzy"
    accepts: ClassVar[frozenset[str]] = frozenset({"fuzzy", "interval"})

    levels: Levels = Field(default=11, validate_default=True)
    level_runs: int | None = Field(default=None, ge=0)
    approach: Literal["surrogate", "transformation"] = "surrogate"
    variant: Literal["general", "reduced"] = "general"

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        if self.approach == "transformation":
            count = self._grid_runs(inputs)
            return count, count
        return super().planned_runs(inputs)

    def own_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least, most = super().own_runs(inputs)
        return least + 1, most + 1

    def fallback_most(self, inputs: Mapping[str, Input]) -> int:
        if self.approach == "transformation":
            return 0
        planned, levels = self.own_runs(inputs)[1], len(self.levels) - 1
        of_levels = min(levels * MOST_OF_LEVEL, planned // 2) if self.level_runs is None else levels * self.level_runs
        return self.fallback(planned) + of_levels

    def fallback(self, planned: int) -> int:
        return fallback_count(self.fallback_runs, planned // 2 if self.level_runs is None else planned)

    def runs_of_level(self, planned: int, doubtful: int) -> int:
        """Number of runs of each of so many levels that are not trusted, after so many planned ones."""
        return min(MOST_OF_LEVEL, planned // 2 // doubtful) if self.level_runs is None else self.level_runs

    def check(self, inputs: Mapping[str, Input]) -> None:
        if self.approach == "surrogate":
            super().check(inputs)
            return
        Method.check(self, inputs)
        count = self._grid_runs(inputs)
        if count > self.max_runs:
            raise StudyError(
                f"the {self.variant} transformation of {len(inputs)} inputs and {len(self.levels)} levels needs {count} runs, "
                f"more than max_runs = {self.max_runs}",
                key="method.max_runs",
                remedy='take fewer levels, variant = "reduced", or approach = "surrogate"',
            )

    def _grid_runs(self, inputs: Mapping[str, Input]) -> int:
        cores = [1 if isinstance(item, Fuzzy) and len(set(item.cut(1.0))) == 1 else 2 for item in inputs.values()]
        return transformation_count(cores, len(self.levels), general=self.variant == "general")

    def region_class(self) -> type[Cuts]:
        return Cuts

    def _start(self, *study: Any) -> MethodRun:
        return super()._start(*study) if self.approach == "surrogate" else TransformationRun(self, *study)


class TransformationRun(AdaptiveSampler):
    """Asks once, for the points of all levels; no point is run twice."""

    def _plan(self) -> Iterator[bool]:
        levels = self.settings.levels
        table = boxes(self.inputs, levels)
        cuts = [lambda alpha, i=i: tuple(table[levels.index(alpha), i]) for i in range(len(self.inputs))]
        points = transformation_points(cuts, np.array(levels), general=self.settings.variant == "general")
        level_of = np.repeat(np.arange(len(levels)), [len(part) for part in points])
        every = np.concatenate(points)
        # of equal points the one of the highest level is kept: its value counts at all lower ones
        _, last = np.unique(np.round(every[::-1], 12), axis=0, return_index=True)
        kept = np.sort(len(every) - 1 - last)
        self._level_of = level_of[kept]
        self.add(every[kept], NODE)
        yield True
        self._stop_if_too_many_failed()

    def _conclude(self) -> Conclusion:
        levels = self.settings.levels
        ok = self.status == 0
        bounds = np.full((len(levels), 2, self.columns.count), np.nan)
        for k in range(len(levels)):
            if (here := ok & (self._level_of >= k)).any():
                bounds[k] = self.envelope(here)
        labelled = self.columns.dataset(bounds, {"alpha": levels, "bound": ["lower", "upper"]})
        counts = count_failures(self.status)
        notes = ["smallest and largest values of runs, which bound the response only where it is monotonic or the grid is dense"]
        attrs = {
            "method": self.settings.name,
            "approach": "transformation",
            "variant": self.settings.variant,
            "levels": list(levels),
            "seed": self.seed,
            **counts,
            "notes": notes + left_out(counts),
        }
        return {"bounds": labelled, "inner": labelled.copy()}, attrs
