"""The runs of a diagram: which value of the parameter, which way, from which start, with which of the other inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.inputs import Space
from uqmbd.methods.parameter_studies.chosen import in_si

FRESH = "from time zero"


@dataclass(frozen=True, eq=False)
class Sweep:
    """Runs in their order: by the way, then by the value, and last by start and sample, which are side by side.

    Attributes
    ----------
    parameter, unit : str
        The input over which the diagram is, and the unit in which it was written.
    values : ndarray, shape (values,)
        Of the parameter, rising, SI.
    ways : tuple of str
        ``up``, ``down``, or `FRESH`.
    begin : tuple of str
        Inputs that say where runs start.
    starts, draws : int
        How many starts and samples of the other inputs there are.
    middle : dict of str to float
        Of the other inputs but those that say where runs start, SI.
    nearest : int
        The sample that is nearest to it.
    rows : dict of str to ndarray, shape (runs,)
        Inputs of all runs, SI.
    """

    parameter: str
    unit: str
    values: np.ndarray
    ways: tuple[str, ...]
    begin: tuple[str, ...]
    starts: int
    draws: int
    middle: dict[str, float]
    nearest: int
    rows: dict[str, np.ndarray]

    @classmethod
    def of(cls, settings: Any, inputs: Space, seed: int) -> Sweep:
        """As the settings of the method say it."""
        parameter = settings.over(inputs)
        item = inputs[parameter]
        values = in_si(item, np.array(settings.values)) if settings.values else item.ppf(np.linspace(0.0, 1.0, settings.points))
        ways = tuple(settings.directions) if settings.continuation else (FRESH,)
        starts, draws = max(map(len, settings.starts.values()), default=1), settings.samples
        drawn = [name for name in inputs if name != parameter and name not in settings.starts]
        points = unit_points("lhs", draws, len(drawn), generator(seed, 0)) if drawn and draws > 1 else np.full((draws, len(drawn)), 0.5)
        lanes: dict[str, np.ndarray] = {name: np.tile(inputs[name].ppf(points[:, k]), starts) for k, name in enumerate(drawn)}
        lanes |= {name: np.repeat(in_si(inputs[name], np.array(written)), draws) for name, written in settings.starts.items()}
        middle = {name: float(inputs[name].ppf(np.array([0.5]))[0]) for name in drawn}
        nearest = int(np.abs(points - 0.5).max(axis=1, initial=0.0).argmin())
        along = np.concatenate([values[::-1] if way == "down" else values for way in ways])
        rows = {name: np.tile(lanes[name], len(along)) for name in lanes} | {parameter: np.repeat(along, starts * draws)}
        return cls(
            parameter,
            (item.written or item).unit,
            values,
            ways,
            tuple(settings.starts),
            starts,
            draws,
            middle,
            nearest,
            {name: rows[name] for name in inputs},
        )

    @property
    def lanes(self) -> int:
        """Diagrams side by side."""
        return self.starts * self.draws

    @property
    def runs(self) -> int:
        """How many."""
        return len(self.ways) * len(self.values) * self.lanes

    def samples(self, at: slice) -> dict[str, np.ndarray]:
        """Inputs of some of the runs, SI."""
        return {name: values[at] for name, values in self.rows.items()}

    def last_ok(self, status: np.ndarray) -> np.ndarray:
        """Of each diagram (lanes,) the last run that was ok, from the status of those that were told; -1 where none was.

        A run that failed has no end: the next one goes on from the end before it.
        """
        ok = np.asarray(status).reshape(-1, self.lanes) == 0
        steps = np.where(ok, np.arange(len(ok))[:, None], -1).max(axis=0, initial=-1)
        return np.where(steps < 0, -1, steps * self.lanes + np.arange(self.lanes))

    def jumped(self, status: np.ndarray) -> int:
        """How many of the runs that were told did not start where the one before them in their diagram ended: that one failed."""
        table = np.asarray(status).reshape(-1, self.lanes)
        return int(np.count_nonzero((table[:-1] > 0) & (table[1:] >= 0)))

    def arranged(self, of_runs: np.ndarray) -> np.ndarray:
        """What runs have (runs, ...) as (values, ways, starts, draws, ...)."""
        table = of_runs.reshape(len(self.ways), len(self.values), self.starts, self.draws, *of_runs.shape[1:])
        turned = [part[::-1] if way == "down" else part for way, part in zip(self.ways, table, strict=True)]
        return np.stack(turned, axis=1)
