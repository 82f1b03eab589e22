"""Runs at all corners of the box: the bounds are theirs, a multilinear function describes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import ClassVar

import numpy as np

from uqmbd.analysis.chebyshev import chebyshev
from uqmbd.analysis.chebyshev.expansions import TensorExpansion
from uqmbd.errors import StudyError
from uqmbd.outcomes import MEND
from uqmbd.surrogates.base import MOST_CORNERS, NODE, OWN, VALIDATION, Surrogate, note_of_terms
from uqmbd.surrogates.tensor import coefficients

BESIDE = OWN + 1  # a role: beside a corner, a little inside in one input
_ROUNDING = 1e-12  # relative: smaller differences are none
STEP = 0.01  # of the interval; an extreme nearer to a corner than half of this exceeds it by next to nothing


class Corners(Surrogate):
    """All corners and the validation runs in one ask, then the runs beside the corners where extremes are."""

    bounds_from_expansion: ClassVar[bool] = False

    def design(self) -> Iterator[bool]:
        corners = np.array(list(product((1.0, -1.0), repeat=len(self.runs.inputs))))  # the nodes of degree 1, in their order
        self.runs.add(corners, NODE)
        self.runs.add_random(self.runs.settings.validation_runs(len(corners)), VALIDATION)
        self._beside: dict[int, np.ndarray] = {}  # rows beside a corner, one for each input, by the corner's row
        yield True
        self.runs.stop_early()
        least, greatest = extreme_places(self.runs.values[: len(corners)], self.runs.status[: len(corners)] == 0)
        self._places = np.stack([least, greatest])
        rows, times = np.unique(self._places[self._places >= 0], return_counts=True)
        chosen = rows[np.argsort(-times, kind="stable")][:MOST_CORNERS]
        if chosen.size:
            for row in chosen.tolist():
                self._beside[row] = len(self.runs.points) + np.arange(len(self.runs.inputs))
                self.runs.add(corners[row] * (1 - 2 * STEP * np.eye(len(self.runs.inputs))), BESIDE)
            yield True

    def fit(self) -> TensorExpansion:
        """The multilinear function through the corners; it shows the shares of the inputs."""
        runs = self.fitted()
        ok = self.runs.status[runs] == 0
        if not ok.any():
            raise StudyError("the runs at all corners failed", remedy=f"{MEND}, or take a method that runs inside the box: chebyshev")
        self.note = ""
        if not ok.all():
            fitted, rank = chebyshev.determined(self.runs.points[runs[ok]], (1,) * len(self.runs.inputs))
            self.note = (
                f"{np.count_nonzero(~ok)} of {len(runs)} corners failed; the bounds are those of the others; of the function through "
            )
            self.note += f"them, {note_of_terms(fitted, len(runs), rank)}"
        return TensorExpansion(coefficients((1,) * len(self.runs.inputs), self.runs.points[runs], self.runs.values[runs], ok))

    def _at_corners(self) -> np.ndarray:
        """What the corners reached, (2, columns)."""
        runs = self.fitted()
        return self.runs.envelope(runs[self.runs.status[runs] == 0])

    def validation_error(self, expansion: TensorExpansion, rows: np.ndarray) -> np.ndarray:
        low, high = self._at_corners()
        values = self.runs.values[rows]
        error = np.maximum(np.maximum(low - values.min(axis=0), values.max(axis=0) - high), 0.0)
        mixed = np.flatnonzero(self._mixed())
        if mixed.size:
            misfit = np.abs(expansion.select(mixed).evaluate(self.runs.points[rows]) - values[:, mixed]).max(axis=0)
            error[mixed] = np.maximum(error[mixed], misfit)
        gains = self._gains.sum(axis=1).max(axis=0)
        return np.maximum(error, np.where(np.isnan(gains), high - low, gains))  # nothing known: it may be anything

    @property
    def _gains(self) -> np.ndarray:
        """What the response would gain beyond its extreme corners over each whole interval, (2, d, columns); see `gains`."""
        return gains(self.runs.values, self.runs.status == 0, self._places, self._beside, len(self.runs.inputs), STEP)

    def facts(self) -> dict:
        return {"runs_beside_corners": int(np.count_nonzero(self.runs.roles == BESIDE))}

    def notes(self, trusted: np.ndarray) -> list[str]:
        turning, unknown = np.asarray(((self._gains > 0) & ~trusted).any(axis=0)), np.asarray(np.isnan(self._gains).any(axis=(0, 1)))
        notes = super().notes(trusted)
        if turning.any():
            inputs = [name for name, some in zip(self.runs.inputs, np.atleast_1d(turning.any(axis=1)), strict=True) if some]
            who = ", ".join(self.runs.columns.named(np.atleast_1d(turning.any(axis=0))))
            notes.append(f"the response turns inside the box in {' and '.join(inputs)}: extremes of {who} are not at corners")
        if unknown.any():
            who = ", ".join(self.runs.columns.named(unknown))
            notes.append(f"beside corners at which {who} have extremes runs failed, or were too many to be made")
        return notes

    def _mixed(self) -> np.ndarray:
        """Whether the response rises along some edges of the box and falls along parallel ones, (columns,)."""
        runs, d = self.fitted(), len(self.runs.inputs)
        values = np.where((self.runs.status[runs] == 0)[:, None], self.runs.values[runs], np.nan).reshape(*(2,) * d, -1)
        rounding = 1e-12 * np.nanmax(np.abs(values).reshape(len(runs), -1), axis=0)
        mixed = np.zeros(values.shape[-1], bool)
        for axis in range(d):
            rise = np.diff(values, axis=axis).reshape(-1, values.shape[-1])  # NaN where a corner failed: no comparison holds
            mixed |= np.any(rise > rounding, axis=0) & np.any(rise < -rounding, axis=0)
        return mixed

    def enclosed(
        self, columns: np.ndarray, error: np.ndarray, trusted: np.ndarray, box: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """What the corners reached, widened by the error."""
        margin = self.runs.settings.safety * error * np.array([[-1.0], [1.0]])
        return self._at_corners()[:, columns] + margin, np.ones(len(columns))


def extreme_places(values: np.ndarray, ok: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the least and of the greatest value of each column, 2 x (columns,); -1 where a column does not vary.

    Of `values` (corners, columns) at runs that are `ok` (corners,). Of rows that are equally good that is taken which is best for the most
    columns, so that few rows serve many columns.
    """
    some = np.where(ok[:, None], values, np.nan)
    low, high = np.nanmin(some, axis=0), np.nanmax(some, axis=0)
    close = _ROUNDING * np.maximum(np.abs(low), np.abs(high))
    flat = high - low <= close
    best = np.stack([some <= low + close, some >= high - close]) & ~flat
    popular = np.argsort(-best.sum(axis=(0, 2)), kind="stable")
    least, greatest = (np.where(flat, -1, popular[each[popular].argmax(axis=0)]) for each in best)
    return least, greatest


def gains(values: np.ndarray, ok: np.ndarray, places: np.ndarray, beside: Mapping[int, np.ndarray], d: int, step: float) -> np.ndarray:
    """By how much a column would pass its extreme if it went on over the whole interval as it begins at the corner, (2, d, columns).

    0 where it turns back at once, as a monotonic response does. Of a response that does not become steeper inside, the extreme along the
    edge exceeds the corner by no more than this. NaN where nothing was run beside the corner, or that run failed.

    Parameters
    ----------
    values : ndarray, shape (runs, columns)
    places : ndarray of int, shape (2, columns)
        Rows of the corners with the least and the greatest value; -1: none.
    beside : dict of int to ndarray (d,)
        Rows of the runs beside a corner, by the corner's row.
    step : float
        Their distance, as a fraction of the interval.
    """
    out = np.zeros((2, d, values.shape[1]))
    for end, sign in enumerate((-1.0, 1.0)):
        for row in np.unique(places[end][places[end] >= 0]).tolist():
            here = np.flatnonzero(places[end] == row)
            if row not in beside:
                out[end][:, here] = np.nan
                continue
            rise = sign * (values[np.ix_(beside[row], here)] - values[row, here])
            noise = _ROUNDING * np.abs(values[row, here])
            out[end][:, here] = np.where(ok[beside[row], None], np.where(rise > noise, rise / step, 0.0), np.nan)
    return out
