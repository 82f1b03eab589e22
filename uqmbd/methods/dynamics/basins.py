"""Basins of attraction: to which attractor runs from many starts come, with the shares of the starts and their limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.design import unit_points
from uqmbd.analysis.base.streams import generator
from uqmbd.errors import StudyError
from uqmbd.groups import INNER, GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.inputs.checked import Number
from uqmbd.methods.base import require_inputs
from uqmbd.methods.dynamics.bifurcation import BifurcationRun
from uqmbd.methods.dynamics.of_sections import OfSections
from uqmbd.methods.dynamics.recurrence import UNTOLD
from uqmbd.methods.dynamics.sections import sections_of
from uqmbd.methods.dynamics.shares import GROUPS, Told, shares
from uqmbd.methods.failures import stop_if_too_many
from uqmbd.outcomes import OutputInfo

if TYPE_CHECKING:
    from uqmbd.result import Result

MOST = 1_000_000  # runs


@dataclass(frozen=True, eq=False)
class Starts:
    """Where runs start.

    Attributes
    ----------
    coordinates : tuple of str
        Inputs that say it.
    count, draws : int
        Starts, and samples of the other inputs, of which each has all starts.
    rows : dict of str to ndarray, shape (count * draws,)
        Inputs of all runs, SI, those of one sample after the other.
    edges : dict of str to list of float
        Of the cells along each of two coordinates, SI, the second of which is the fast one; empty of other starts.
    """

    coordinates: tuple[str, ...]
    count: int
    draws: int
    rows: dict[str, np.ndarray]
    edges: dict[str, list[float]]

    @classmethod
    def of(cls, settings: Basins, inputs: Space, seed: int) -> Starts:
        """As the settings of the method say it."""
        coordinates, draws = settings.coordinates_of(inputs), settings.samples
        d, count = len(coordinates), settings.count(inputs)
        places = generator(seed, 1).random((count * draws, d))
        if settings.random is None:
            corners = np.stack(np.unravel_index(np.arange(count), (settings.cells,) * d), axis=1)
            places = (np.tile(corners, (draws, 1)) + places) / settings.cells
        others = [name for name in inputs if name not in coordinates]
        drawn = unit_points("lhs", draws, len(others), generator(seed, 0)) if others and draws > 1 else np.full((draws, len(others)), 0.5)
        rows = {name: inputs[name].ppf(places[:, k]) for k, name in enumerate(coordinates)}
        rows |= {name: np.repeat(inputs[name].ppf(drawn[:, k]), count) for k, name in enumerate(others)}
        edges = {name: inputs[name].ppf(np.linspace(0.0, 1.0, settings.cells + 1)) for name in coordinates}
        grid = d == 2 and draws == 1 and settings.random is None and np.isfinite(list(edges.values())).all()
        at = {name: values.tolist() for name, values in edges.items()} if grid else {}
        return cls(coordinates, count, draws, {name: np.asarray(rows[name], float) for name in inputs}, at)

    def samples(self, at: slice) -> dict[str, np.ndarray]:
        """Inputs of some of the runs, SI."""
        return {name: values[at] for name, values in self.rows.items()}


class BasinsRun(BifurcationRun):
    """Asks for all starts at once; keeps the section points as a diagram does, and how far those of whole runs reach."""

    def __init__(
        self, settings: Basins, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        self.settings, self.inputs, self.seed = settings, Space.of(inputs), seed
        self.starts = Starts.of(settings, self.inputs, seed)
        self.sections = sections_of(outputs, settings.sections, time, settings.period, whole=False)
        self.columns = Columns({name: info for name, info in outputs.items() if not info.in_runs_alone}, time)
        self.reached = np.stack([np.full(self.columns.count, np.inf), np.full(self.columns.count, -np.inf)])
        runs = self.starts.count * self.starts.draws
        self.kept = {section.name: np.full((runs, settings.keep), np.nan) for section in self.sections}
        self.ends = {section.name: (np.inf, -np.inf) for section in self.sections}
        self.status = np.full(runs, UNTOLD, np.int8)
        self.asked = self.told = 0

    def ask(self) -> dict[str, np.ndarray] | None:
        if self.told < self.asked:
            raise RuntimeError(f"{self.asked - self.told} runs were asked for and not told yet")
        if self.asked == len(self.status):
            return None
        self.asked = len(self.status)
        return self.starts.samples(slice(None))

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        super().tell(samples, outputs, status)
        for section in self.sections:
            values = np.asarray(outputs[section.name], float)[np.asarray(status) == 0][:, section.at]
            if np.isfinite(values).any():
                low, high = self.ends[section.name]
                self.ends[section.name] = min(low, float(np.nanmin(values))), max(high, float(np.nanmax(values)))

    def result(self) -> Result:
        """Of the runs that were told, also of a part of them."""
        from uqmbd.result import Result

        if not self.told:
            raise StudyError("there are no runs yet", remedy="look again when the first ones are done")
        there = slice(0, self.told)
        stop_if_too_many(self.settings, self.inputs, self.starts.samples(there), self.status[there])
        kept = {name: points[there] for name, points in self.kept.items()}
        told = Told(self.starts, self.sections, kept, self.ends, self.status[there], self.columns, self.reached)
        groups, attrs = shares(self.settings, told)
        specs = [spec for spec in self.settings.groups if spec.name in groups]
        return Result(groups, specs=specs, attrs={**attrs, "seed": self.seed})


class Basins(OfSections):
    """Basins of attraction: runs from many starts, the attractors to which they come, and the share of each with exact limits.

    Attractors are told apart by the section points (`uqmbd.Events`, histories once a `period`, curves) of the long-term motion. Some
    inputs, the `coordinates`, say where runs start. There is one start at a random place in each cell of a grid over them, or `random`
    starts. The others are at their middle, or drawn (`samples`); each draw has all starts.

    Attributes
    ----------
    coordinates : list of str
        Inputs that say where runs start; where nothing is said the intervals, if there are one or two.
    cells : int
        Of the grid along each of them. Of a distribution they are equally likely.
    random : int
        Number of starts that are drawn independently of each other over all coordinates, instead of the grid.
    samples : int
        Draws of the other inputs from their ranges or distributions (Latin hypercube); of one they are at their middle.
    near : float
        Section points that differ by no more than this share of the range of all of them, transients too, are the same one: when a motion
        returns, and where two motions are compared.

    Examples
    --------
    Of the map x' = 1.5 x - x³/2 what starts above 0 comes to 1, below to -1:

    >>> import numpy as np, uqmbd as uq
    >>> def cubic(x):
    ...     found = []
    ...     for _ in range(60):
    ...         x = 1.5 * x - 0.5 * x**3
    ...         found.append(x)
    ...     return {"x": uq.Events(found, "iterate")}
    >>> method = uq.Basins(cells=40)
    >>> study = uq.Study(model=cubic, inputs={"x": uq.Interval(-0.5, 1.5)}, outputs=["x"], method=method, name="cubic")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> result.attractors["shares"].sel(of_attractor="share").values.tolist(), result.attractor_points["x"].values[:, 0].round(6).tolist()
    ([0.75, 0.25], [1.0, -1.0])
    """

    name: ClassVar[str] = "basins"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (INNER, *GROUPS)
    run: ClassVar[type] = BasinsRun

    coordinates: list[str] = Field(default_factory=list)
    cells: int = Field(default=40, ge=1, le=10_000)
    random: int | None = Field(default=None, ge=1, le=MOST)
    samples: int = Field(default=1, ge=1)
    keep: int = Field(default=64, ge=4, le=100_000)
    near: Annotated[Number, Field(gt=0, lt=1)] = 0.01

    def coordinates_of(self, inputs: Mapping[str, Input]) -> tuple[str, ...]:
        """Inputs that say where runs start."""
        if self.coordinates:
            return tuple(self.coordinates)
        intervals = tuple(name for name, item in inputs.items() if item.kind == "interval")
        if len(intervals) in (1, 2):
            return intervals
        text = f"which of {', '.join(intervals)} say where runs start?" if intervals else "no input is an interval of starts"
        names = list(intervals or inputs)[:2]
        written = ", ".join(f'"{name}"' for name in names)
        raise StudyError(text, key="method.coordinates", remedy=f"name them: coordinates = [{written}], say")

    def count(self, inputs: Mapping[str, Input]) -> int:
        """Number of starts."""
        return self.random or self.cells ** len(self.coordinates_of(inputs))

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        names = self.coordinates_of(inputs)
        require_inputs(names, inputs, "starts", "method.coordinates")
        if len(set(names)) < len(names):
            raise StudyError("a coordinate is named twice", key="method.coordinates", value=list(names), remedy="name each once")
        if (runs := self.count(inputs) * self.samples) > MOST:
            text = f"{runs:,} runs are more than {MOST:,}"
            if self.random is None and self.count(inputs) > MOST:
                raise StudyError(
                    text, key="method.cells", value=self.cells, remedy="take fewer cells, or random starts: random = 2000, say"
                )
            key, value = ("method.samples", self.samples) if self.samples > 1 else ("method.random", self.random)
            raise StudyError(text, key=key, value=value, remedy="take fewer starts, or fewer samples of the other inputs")

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        runs = self.count(inputs) * self.samples
        return runs, runs
