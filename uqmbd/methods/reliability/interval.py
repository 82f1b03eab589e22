"""Reliability without probabilities: by how much intervals, or convex sets of them, may grow before the limit is reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.chebyshev.chebyshev import restriction
from uqmbd.analysis.chebyshev.expansions import TensorExpansion
from uqmbd.analysis.sets.set_bounds import Body, extremes
from uqmbd.inputs import Input, Space
from uqmbd.inputs.checked import Number
from uqmbd.methods.intervals.chebyshev import Chebyshev, Degree
from uqmbd.methods.reliability.far import far_away
from uqmbd.methods.reliability.settings import Reliability
from uqmbd.request import Sampler

if TYPE_CHECKING:
    from uqmbd.result import Result

BEGINNINGS, BEGINNING_STREAM = 2048, 100  # points of a set among which the search for its extremes begins
_HALVINGS = 45


class IntervalRun(Sampler):
    """Chebyshev's runs over the box of the intervals; the index follows from the expansion over the set."""

    _box: Any

    def __init__(self, settings: Intervals, *study: Any) -> None:
        self.settings, self._box = settings, settings.expansion()._start(*study)
        self.ask, self.tell = self._box.ask, self._box.tell
        self._at = self._box.columns.slices[settings.output].start

    def result(self) -> Result:
        from uqmbd.regions.body import body_of
        from uqmbd.result import Result

        runs, box, name, wanted = self._box, self._box.result(), self.settings.output, self.settings
        body = body_of(runs.inputs)
        trusted, error = bool(runs.trusted[self._at]), runs.settings.safety * float(runs.error[self._at])
        reached = runs.envelope((runs.status == 0) & body.contains(runs.points))
        if not trusted:
            ends = reached[:, self._at]
        elif runs.inputs.sets:
            ends = self._over(body, 1.0) + np.array([-error, error])
        else:
            ends = box.bounds[name].values
        margins = np.sort(wanted.margin(ends))
        radius, middle = (margins[1] - margins[0]) / 2, (margins[1] + margins[0]) / 2
        index = float(middle / radius) if radius > 0 else float(np.inf * np.sign(middle) if middle else 0.0)
        distance = self._distance(body, error) if trusted else np.nan
        numbers = {"index": index, "distance": distance, "margin_lower": margins[0], "margin_upper": margins[1]}
        numbers["runs"] = float(len(runs.status))
        beside = Columns({name: runs.columns.outputs[name]}, runs.columns.time)
        statistics = beside.dataset(np.array(list(numbers.values()))[:, None], {"statistic": list(numbers)}, unit="")
        label = {"bound": ["lower", "upper"]}
        box.attrs |= {"method": wanted.name, "about": "limit", "approach": wanted.approach, "unsafe": wanted.in_words()}
        box.attrs["index_is"] = "midpoint margin / radius"
        box.attrs["limit"] = float(wanted.limit)
        low, high = reached[:, self._at]
        if far := far_away(wanted.limit, low, high, int(np.count_nonzero(runs.status == 0)), runs.columns.outputs[name].unit):
            box.attrs["notes"].insert(0, far)
            box.attrs["warnings"] = [*box.attrs.get("warnings", ()), far]
        if distance == 1.0:
            box.attrs["distance_note"] = "the limit is not reached within the inputs: its distance is 1 or more"
        if not trusted:
            words = "the expansion is not trusted: the index is that of the range which runs reached, and there is no distance"
            box.attrs["notes"].append(words)
        bounds, inner = beside.dataset(ends[:, None], label), runs.columns.dataset(reached, label)
        kept = {"error": box.error, "trusted": box.trusted, "sensitivity": box.sensitivity[[name]], "attrs": box.attrs}
        return Result(bounds=bounds, inner=inner, statistics=statistics, **kept)

    def _over(self, body: Body, factor: float) -> np.ndarray:
        """Range (2,) of the expansion over the set scaled by `factor` about its centre; over a box it is verified."""
        runs = self._box
        part = runs.expansion.select(np.array([self._at]))
        if not runs.inputs.sets:
            scaled = part.c
            for axis in range(scaled.ndim - 1):
                matrix = restriction(scaled.shape[axis] - 1, -factor, factor)
                scaled = np.moveaxis(np.tensordot(matrix, scaled, axes=(1, axis)), 0, axis)
            width = np.ptp(runs.values[runs.status == 0, self._at])
            return TensorExpansion(scaled).range("bernstein", np.array([runs.settings.gap * width]))[0][:, 0]
        exponents = np.indices(part.c.shape[:-1]).reshape(len(runs.inputs), -1).T
        points = generator(runs.seed, BEGINNING_STREAM).random((BEGINNINGS, len(runs.inputs)))
        scaled = Body(factor * body.generators, body.blocks)
        return extremes(exponents, part.c.reshape(len(exponents), 1), scaled, points)[0][:, 0]

    def _distance(self, body: Body, error: float) -> float:
        """Smallest factor of the set that lets it touch the limit; 0 where its centre does, 1 where all of it does not."""

        def least(factor: float) -> float:
            return float(self.settings.margin(self._over(body, factor)).min() - error)

        if least(1.0) >= 0:
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if least(middle) >= 0 else (low, middle)
        return low


class Intervals(Reliability):
    """Margin by radius, and distance to the limit, for intervals and convex sets over them."""

    kind: ClassVar[str] = "interval"
    run: ClassVar[type] = IntervalRun

    approach: Literal["interval"]
    degree: Degree = 8
    trust_tolerance: Number = Field(default=1e-3, gt=0, lt=1)
    max_runs: int = Field(default=10_000, ge=1)

    def expansion(self) -> Chebyshev:
        """The method whose expansion is used."""
        return Chebyshev(**self.own(), fallback_runs=0, max_failed=self.max_failed)

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        self.expansion().check(dict(Space.of(inputs)))  # what binds them is treated here

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return self.expansion().planned_runs(Space.of(inputs))
