"""What a mixed study does where its expansion is not trusted: a two-loop Monte Carlo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.chaos.expansion import Expansion, cube_sample
from uqmbd.analysis.imprecise import two_loop
from uqmbd.analysis.imprecise.two_loop import CONFIDENCE
from uqmbd.analysis.search.extremes import ENOUGH
from uqmbd.analysis.sets.regions import Region
from uqmbd.methods.quantile_levels import too_far_out

_STREAM = 60  # random numbers of the inner loop, and of the germs
_COLUMNS, _GERMS = 64, 256  # of the expansion when it proposes points


class TwoLoop:
    """Its points, `budget` at most, and what their runs say.

    The inputs `imprecise`, of so many `inputs`, can be in `regions`, each inside the one before; the others are random. The `expansion`, of
    those `columns` of the study that are not trusted, proposes points; `levels` are the probabilities of quantiles.
    """

    def __init__(
        self,
        regions: Sequence[Region],
        imprecise: Sequence[int],
        inputs: int,
        budget: int,
        seed: int,
        expansion: Expansion,
        levels: Sequence[float],
        columns: np.ndarray,
    ) -> None:
        self.regions, self.columns = list(regions), columns
        self.doubtful = np.zeros((2, len(columns)), bool)  # which columns have a mean and a standard deviation with doubtful limits
        self.outer, fill = two_loop.shares(budget, int(regions[0].wide.sum()))
        if not self.outer:
            return
        random = [i for i in range(inputs) if i not in imprecise]
        some = np.unique(np.linspace(0, expansion.c.shape[1] - 1, _COLUMNS).round().astype(int))
        germs = cube_sample(len(random), generator(seed, _STREAM + 1), _GERMS)
        proposals = two_loop.proposed(expansion.select(some), imprecise, regions[0], germs, levels)
        self.x, self.served, self.grid = two_loop.outer_points(regions, self.outer, fill, proposals)
        self.outer, self.inner = len(self.x), budget // len(self.x)
        u = generator(seed, _STREAM).random((self.inner, len(random)))
        self.points = np.empty((self.outer, self.inner, inputs))  # [-1, 1]^d
        self.points[..., imprecise] = self.x[:, None]
        self.points[..., random] = 2 * u - 1
        self.points = self.points.reshape(-1, inputs)

    def __bool__(self) -> bool:
        return self.outer > 0

    def _members(self, region: int) -> np.ndarray:
        """Outer points that stand for a region: those in the next wider one of which all corners are there."""
        return self.regions[max(k for k in self.served if k <= region)].contains(self.x)

    def limits(self, values: np.ndarray, ok: np.ndarray, levels: Sequence[float], reached: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of mean, standard deviation, variance and quantiles over each region, 2 x (regions, statistics, 2, columns).

        The first are the outer confidence limits of both bounds, the second the inner ones. An outer limit that the runs of one point
        cannot give is the end of all runs, `reached` (regions, 2, columns). Notes which columns have limits that cannot be relied upon.
        `values` are (outer * inner, columns), `ok` (outer * inner,).
        """
        parts = [
            two_loop.statistic_limits(values[start : start + self.inner], ok[start : start + self.inner], levels)
            for start in range(0, len(values), self.inner)
        ]
        every, self.doubtful = np.stack([part[0] for part in parts]), np.any([part[1] for part in parts], axis=0)
        half = np.ptp(reached, axis=1) / 2
        ends = np.broadcast_to(reached[:, None], (len(self.regions), *every.shape[1:])).copy()
        ends[:, 1] = np.stack([np.zeros_like(half), half], axis=1)  # Popoviciu
        ends[:, 2] = ends[:, 1] ** 2
        known = np.where(np.isfinite(every), every, ends[0])
        outside, inside = (np.empty((len(self.regions), *every.shape[1:])) for _ in range(2))
        for k in range(len(self.regions)):
            members = self._members(k)
            some = every[members]
            inside[k] = np.stack([some[:, :, 1].min(axis=0), some[:, :, 0].max(axis=0)], axis=1)
            low, high = some[:, :, 0].min(axis=0), some[:, :, 1].max(axis=0)
            low, high = (np.where(np.isfinite(end), end, ends[k, :, i]) for i, end in enumerate((low, high)))
            if self.grid.size:
                flat = known[self.grid].reshape(len(self.grid), -1)
                smooth = two_loop.between(flat, self.regions[k].box, self.regions[0].wide).reshape(2, *every.shape[1:])
                low, high = np.minimum(low, smooth[0, :, 0]), np.maximum(high, smooth[1, :, 1])
            outside[k] = np.stack([low, high], axis=1)
        outside[:, 1] = np.maximum(outside[:, 1], 0.0)
        outside[:, 2] = outside[:, 1] ** 2
        return outside, np.where(np.isfinite(inside), inside, np.nan)

    def box(self, values: np.ndarray, ok: np.ndarray, at: np.ndarray, region: int) -> np.ndarray:
        """Probability box of one output over a region at the values `at` (m,), (2, m); `values`, `ok` as in `limits`, one column."""
        members = self._members(region)
        return two_loop.probability_box(values.reshape(self.outer, -1)[members], ok.reshape(self.outer, -1)[members], at)

    def facts(self) -> dict[str, Any]:
        """Attributes of the result."""
        return {"outer_points": self.outer, "inner_runs": self.inner, "confidence": CONFIDENCE}

    def notes(self, who: str, further: int, levels: Sequence[float], columns: Columns) -> list[str]:
        """Sentences about the outputs `who` that are bounded by it, what `further` runs would do, and limits that cannot be relied upon."""
        missed = "narrow extremes" if self.grid.size else "extremes"
        notes = [
            f"where the expansion is not trusted ({who}), the bounds of statistics are {CONFIDENCE:.0%} limits of a two-loop Monte Carlo: "
            f"{self.outer} points of the intervals with {self.inner} runs each. What lies between mean_inner and mean is sampling: "
            f"fallback_runs = {further} would halve it; {missed} between the points may be missed"
        ]
        if far := too_far_out(levels, self.inner, -np.log((1 - CONFIDENCE) / 2)):
            notes.append(f"{self.inner} runs are too few for limits of {far}, which end where all runs end")
        for word, doubtful in zip(("mean", "standard deviation"), self.doubtful, strict=True):
            if some := columns.named(np.isin(np.arange(columns.count), self.columns[doubtful])):
                which = f"the limits of the {word} of {', '.join(some)}"
                notes.append(f"{self.inner} runs of a skewed output are too few: {which} are too narrow")
        return notes


def without_two_loop(who: str, inside: int, imprecise: int) -> list[str]:
    """Sentences about the outputs `who` of which only the range of the runs is known: `inside` of them in a region, `imprecise` inputs."""
    notes = [f"where the expansion is not trusted ({who}), the bounds of statistics are all that the range of the runs allows"]
    if inside < ENOUGH:
        notes.append(f"the range where fewer than {ENOUGH} runs are is that of the next wider level, or of all runs")
    needed = two_loop.least_runs(imprecise)
    if needed is None:
        return [*notes, "so many intervals have too many corners for a two-loop Monte Carlo: fix those that matter least"]
    return [*notes, f"for better ones write fallback_runs = {max(2000, 4 * needed)}, for a two-loop Monte Carlo"]
