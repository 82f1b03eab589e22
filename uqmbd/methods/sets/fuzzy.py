"""Fuzzy inputs: the membership of a response, by bounds over the nested boxes of its levels."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from numbers import Integral, Real
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.space import Space
from uqmbd.methods.base import Method, MethodRun, fallback_count
from uqmbd.methods.intervals.chebyshev import Chebyshev
from uqmbd.outcomes import OutputInfo

if TYPE_CHECKING:
    from uqmbd.regions.base import Box

MOST_LEVELS = 101
MOST_OF_LEVEL = 200  # runs of a level that nobody asked for


def checked_levels(value: Any) -> tuple[float, ...]:
    """A number of equal steps, or ascending memberships from 0 to 1."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        if not 2 <= value <= MOST_LEVELS:
            raise ValueError(f"the number of levels is from 2 to {MOST_LEVELS}, not {value}")
        return tuple(round(float(alpha), 12) for alpha in np.linspace(0, 1, int(value)))
    good = isinstance(value, (list, tuple)) and all(isinstance(a, Real) and not isinstance(a, bool) for a in value)
    if not good or len(value) < 2 or value[0] != 0 or value[-1] != 1 or any(a >= b for a, b in pairwise(value)):
        raise ValueError(f"levels are a whole number, or memberships that ascend from 0 to 1 as in [0, 0.5, 1], not {value!r}")
    return tuple(float(alpha) for alpha in value)


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
    """

    name: ClassVar[str] = "fuzzy"
    accepts: ClassVar[frozenset[str]] = frozenset({"fuzzy", "interval"})

    levels: Annotated[Any, BeforeValidator(checked_levels)] = Field(default=11, validate_default=True)
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
        from uqmbd.analysis.alpha_cuts import transformation_count

        cores = [1 if item.kind == "fuzzy" and len(set(item.cut(1.0))) == 1 else 2 for item in inputs.values()]
        return transformation_count(cores, len(self.levels), general=self.variant == "general")

    def region(self) -> type[Box]:
        from uqmbd.regions.cuts import Cuts

        return Cuts

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        if self.approach == "transformation":
            from uqmbd.methods.sets.fuzzy_transformation import TransformationRun

            return TransformationRun(self, inputs, outputs, time, seed)
        return super()._start(inputs, outputs, time, seed)
