"""The run of a study by the vertex method."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from uqmbd.analysis.chebyshev_expansions import TensorExpansion
from uqmbd.analysis.corner_slopes import extreme_places, gains
from uqmbd.errors import StudyError
from uqmbd.methods.failures import MEND
from uqmbd.methods.intervals.chebyshev_grid import expansion
from uqmbd.methods.intervals.closing import Outer
from uqmbd.methods.intervals.inclusion import MOST_CORNERS
from uqmbd.methods.intervals.inclusion_run import NODE, OWN, VALIDATION, InclusionRun

if TYPE_CHECKING:
    from uqmbd.methods.intervals.vertex import Vertex


BESIDE = OWN + 1  # a role: beside a corner, a little inside in one input
STEP = 0.01  # of the interval; an extreme nearer to a corner than half of this exceeds it by next to nothing


class VertexRun(InclusionRun):
    """All corners and the validation runs in one ask, then the runs beside the corners where extremes are."""

    settings: Vertex
    bounds_from_surrogate: ClassVar[bool] = False

    def _build(self) -> Iterator[bool]:
        corners = np.array(list(product((1.0, -1.0), repeat=len(self._inputs))))  # the nodes of degree 1, in their order
        self._add(corners, NODE)
        self._add_random(self.settings.validation_runs(len(corners)), VALIDATION)
        self._beside: dict[int, np.ndarray] = {}  # rows beside a corner, one for each input, by the corner's row
        yield True
        self._stop_early()
        least, greatest = extreme_places(self._values[: len(corners)], self._status[: len(corners)] == 0)
        self._places = np.stack([least, greatest])
        rows, times = np.unique(self._places[self._places >= 0], return_counts=True)
        chosen = rows[np.argsort(-times, kind="stable")][:MOST_CORNERS]
        if chosen.size:
            for row in chosen.tolist():
                self._beside[row] = len(self._points) + np.arange(len(self._inputs))
                self._add(corners[row] * (1 - 2 * STEP * np.eye(len(self._inputs))), BESIDE)
            yield True

    def _expand(self) -> TensorExpansion:
        """The multilinear function through the corners; it shows the shares of the inputs."""
        runs = self._node_runs()
        ok = self._status[runs] == 0
        if not ok.any():
            raise StudyError("the runs at all corners failed", remedy=f"{MEND}, or take a method that runs inside the box: chebyshev")
        self._note = "" if ok.all() else f"{np.count_nonzero(~ok)} of {len(runs)} corners failed; the bounds are those of the others"
        return TensorExpansion(expansion((1,) * len(self._inputs), self._points[runs], self._values[runs], ok))

    def _at_corners(self) -> np.ndarray:
        """What the corners reached, (2, columns)."""
        runs = self._node_runs()
        return self._envelope(runs[self._status[runs] == 0])

    def _worst(self, rows: np.ndarray) -> np.ndarray:
        low, high = self._at_corners()
        values = self._values[rows]
        error = np.maximum(np.maximum(low - values.min(axis=0), values.max(axis=0) - high), 0.0)
        mixed = np.flatnonzero(self._mixed())
        if mixed.size:
            misfit = np.abs(self._surrogate.select(mixed).evaluate(self._points[rows]) - values[:, mixed]).max(axis=0)
            error[mixed] = np.maximum(error[mixed], misfit)
        gains = self._gains.sum(axis=1).max(axis=0)
        return np.maximum(error, np.where(np.isnan(gains), high - low, gains))  # nothing known: it may be anything

    @property
    def _gains(self) -> np.ndarray:
        """What the response would gain beyond its extreme corners over each whole interval, (2, d, columns); see `gains`."""
        return gains(self._values, self._status == 0, self._places, self._beside, len(self._inputs), STEP)

    def _attributes(self, outer: Outer, met: float) -> dict:
        attrs = super()._attributes(outer, met) | {"runs_beside_corners": int(np.count_nonzero(self._roles == BESIDE))}
        turning, unknown = ((self._gains > 0) & ~outer.trusted).any(axis=0), np.isnan(self._gains).any(axis=(0, 1))
        notes = [self._note] if self._note else []
        if turning.any():
            inputs = [name for name, some in zip(self._inputs, turning.any(axis=1), strict=True) if some]
            who = ", ".join(self._named(turning.any(axis=0)))
            notes.append(f"the response turns inside the box in {' and '.join(inputs)}: extremes of {who} are not at corners")
        if unknown.any():
            who = ", ".join(self._named(unknown))
            notes.append(f"beside corners at which {who} have extremes runs failed, or were too many to be made")
        return attrs | ({"note": "; ".join(notes)} if notes else {})

    def _named(self, columns: np.ndarray) -> list[str]:
        """Outputs that have some of the columns."""
        return [name for name, at in self._columns.slices.items() if columns[at].any()]

    def _mixed(self) -> np.ndarray:
        """Whether the response rises along some edges of the box and falls along parallel ones, (columns,)."""
        runs, d = self._node_runs(), len(self._inputs)
        values = np.where((self._status[runs] == 0)[:, None], self._values[runs], np.nan).reshape(*(2,) * d, -1)
        rounding = 1e-12 * np.nanmax(np.abs(values).reshape(len(runs), -1), axis=0)
        mixed = np.zeros(values.shape[-1], bool)
        for axis in range(d):
            rise = np.diff(values, axis=axis).reshape(-1, values.shape[-1])  # NaN where a corner failed: no comparison holds
            mixed |= np.any(rise > rounding, axis=0) & np.any(rise < -rounding, axis=0)
        return mixed

    def _enclosed(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the corners reached, widened by the error."""
        margin = self.settings.safety * self._error * np.array([[-1.0], [1.0]])
        return (self._at_corners() + margin)[:, columns], np.ones(len(columns))
