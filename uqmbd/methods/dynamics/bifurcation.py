"""Long-term motion over one input, by brute force: section points of runs at many of its values, and their periods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.columns import Columns, finite_rows
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import INNER, GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.inputs.checked import Number
from uqmbd.methods.base import require_inputs
from uqmbd.methods.dynamics.diagram import GROUPS, Told, diagram
from uqmbd.methods.dynamics.followed import FOLLOWED, LOCATED, followed, map_named, named
from uqmbd.methods.dynamics.of_sections import OfSections
from uqmbd.methods.dynamics.recurrence import UNTOLD
from uqmbd.methods.dynamics.sections import sections_of
from uqmbd.methods.dynamics.sweep import Sweep
from uqmbd.methods.failures import stop_if_too_many
from uqmbd.methods.parameter_studies.chosen import check_inside
from uqmbd.outcomes import OutputInfo
from uqmbd.request import Request, Sampler

if TYPE_CHECKING:
    from uqmbd.result import Result


class BifurcationRun(Sampler):
    """Asks for all values at once, or for one after the other where runs go on; keeps the section points and what other outputs reached."""

    def __init__(
        self, settings: Bifurcation, inputs: Mapping[str, Input], outputs: Mapping[str, OutputInfo], time: np.ndarray, seed: int
    ) -> None:
        self.settings, self.inputs, self.seed = settings, Space.of(inputs), seed
        self.sweep = Sweep.of(settings, self.inputs, seed)
        self.sections = sections_of(outputs, settings.sections, time, settings.period, settings.continuation)
        self.columns = Columns({name: info for name, info in outputs.items() if not info.in_runs_alone}, time)
        self.map = None if settings.follow is None else map_named(settings.follow, [section.name for section in self.sections])
        self.reached = np.stack([np.full(self.columns.count, np.inf), np.full(self.columns.count, -np.inf)])
        self.kept = {section.name: np.full((self.sweep.runs, settings.keep), np.nan) for section in self.sections}
        self.status = np.full(self.sweep.runs, UNTOLD, np.int8)
        self.asked = self.told = 0

    def ask(self) -> Request | dict[str, np.ndarray] | None:
        if self.told < self.asked:
            raise RuntimeError(f"{self.asked - self.told} runs were asked for and not told yet")
        if self.asked == self.sweep.runs:
            return None
        at = slice(self.asked, self.asked + (self.sweep.lanes if self.settings.continuation else self.sweep.runs))
        samples, self.asked = self.sweep.samples(at), at.stop
        if not self.settings.continuation:
            return samples
        last = self.sweep.last_ok(self.status[: self.told])
        return Request(samples, start=last if (last >= 0).any() else None, keep_state=True)

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        matrix = self.columns.pack(outputs, len(status))
        ok = finite_rows(matrix, status, self.columns, self.told)
        at = slice(self.told, self.told + len(status))
        for section in self.sections:
            points = section.points(outputs[section.name], self.settings.skip, self.settings.keep)
            self.kept[section.name][at] = np.where(ok[:, None], points, np.nan)
        if ok.any():
            low, high = matrix[ok].min(axis=0), matrix[ok].max(axis=0)
            self.reached = np.stack([np.minimum(self.reached[0], low), np.maximum(self.reached[1], high)])
        self.status[at] = status
        self.told = at.stop

    def result(self) -> Result:
        """Of the runs that were told, also of a part of them."""
        from uqmbd.result import Result

        if not self.told:
            raise StudyError("there are no runs yet", remedy="look again when the first ones are done")
        stop_if_too_many(self.settings, self.inputs, self.sweep.samples(slice(0, self.told)), self.status[: self.told])
        told = Told(self.sweep, self.sections, self.kept, self.status, self.columns, self.reached)
        groups, attrs = diagram(self.settings, told)
        if self.map is not None and self.told == self.sweep.runs:
            more, notes = followed(self.settings, self.map, self.sweep, groups)
            groups, attrs = groups | more, {**attrs, "notes": [*attrs["notes"], *notes]}
        specs = [spec for spec in self.settings.groups if spec.name in groups]
        return Result(groups, specs=specs, attrs={**attrs, "seed": self.seed})


class Bifurcation(OfSections):
    """Bifurcation diagram: section points of the long-term motion at many values of one input, with the period at each.

    Section points are the values of events (`uqmbd.Events`: crossings of a Poincaré section, impacts), of histories once a `period`
    (stroboscopic), or of curves. The other inputs are held at their middle, or drawn (`samples`), or given (`starts`).

    Attributes
    ----------
    parameter : str
        The input over which the diagram is; where nothing is said the only interval.
    points : int
        Number of its values, in equal steps from end to end.
    values : list of float
        Its values instead, rising, in the unit of the input.
    near : float
        Section points that differ by no more than this share of the range of all of them are the same one.
    continuation : bool
        Whether each value starts where the run of the value before it ended, from the same starts; else each starts at time zero, and all
        are one batch. The model has to go on from a state.
    directions : list of str
        With `continuation`: ``up``, ``down``, in the order in which they are run; the second goes on where the first ended.
    starts : dict of str to list of float
        Other inputs, in their units, that say where runs start: a diagram is made from each of them.
    follow : str
        ``"maps.py:crank"``, a function of nothing that returns a map (`uqmbd.PeriodMap`, `uqmbd.ReturnMap`) whose coordinates are
        outputs with section points and whose parameters are the inputs. Its periodic orbits are followed from those of the diagram,
        unstable ones too, and folds, flips and Neimark-Sacker points are located. The other inputs are at their middle, with `samples` too.
    follow_period : int
        Largest period of an orbit that is followed.
    follow_step : float
        Longest step along a branch, in which the range of the parameter is one, and that of each coordinate's section points.
    follow_code : str
        Fingerprint of the map, filled in, so that a result of another one is not taken for one of it.
    samples : int
        Diagrams with the other inputs drawn from their ranges or distributions (Latin hypercube); of one they are at their middle.

    Examples
    --------
    Period doubling of the logistic map, at 3 and at 1 + √6 = 3.449 (May, Nature 261, 1976):

    >>> import numpy as np, uqmbd as uq
    >>> def logistic(r):
    ...     x, found = 0.4, []
    ...     for _ in range(2000):
    ...         x = r * x * (1 - x)
    ...         found.append(x)
    ...     return {"x": uq.Events(found, "iterate")}
    >>> method = uq.Bifurcation(values=[2.9, 3.2, 3.5, 3.7], keep=64)
    >>> study = uq.Study(model=logistic, inputs={"r": uq.Interval(2.9, 3.7)}, outputs=["x"], method=method, name="logistic")
    >>> study.run(workers=0, report=False, progress=False).motion_period["x"].values.ravel().tolist()  # 0: none up to 16
    [1, 2, 4, 0]
    """

    name: ClassVar[str] = "bifurcation"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (INNER, *GROUPS, FOLLOWED, LOCATED)
    run: ClassVar[type] = BifurcationRun

    parameter: str | None = None
    points: int = Field(default=200, ge=2, le=100_000)
    values: list[Number] = Field(default_factory=list)
    near: Annotated[Number, Field(gt=0, lt=1)] = 1e-4
    continuation: bool = False
    directions: list[Literal["up", "down"]] = Field(default_factory=lambda: ["up", "down"])
    starts: dict[str, list[Number]] = Field(default_factory=dict)
    follow: str | None = None
    follow_period: int = Field(default=8, ge=1)
    follow_step: Annotated[Number, Field(ge=1e-4, le=0.2)] = 0.02
    follow_code: str | None = None
    samples: int = Field(default=1, ge=1)

    @model_validator(mode="before")
    @classmethod
    def _stamped(cls, values: Any) -> Any:
        return named(values) if isinstance(values, Mapping) and isinstance(values.get("follow"), str) else values

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if any(later <= sooner for sooner, later in zip(self.values, self.values[1:], strict=False)):
            raise StudyError("values of a diagram rise", key="values", value=self.values, remedy="sort them, and write each once")
        if not self.directions or len(set(self.directions)) < len(self.directions):
            text = "a diagram has one direction or both"
            raise StudyError(text, key="directions", value=self.directions, remedy='write directions = ["up", "down"], or one of them')
        if not self.continuation and self.directions != ["up", "down"]:
            text = "directions are those in which runs go on from each other, and these all start at time zero"
            raise StudyError(text, key="directions", value=self.directions, remedy="write continuation = true, or leave directions out")
        if empty := [name for name, values in self.starts.items() if not values]:
            raise StudyError(f"there are no starts of '{empty[0]}'", key="starts", value=self.starts, remedy="give one, or leave it out")
        lengths = {name: len(values) for name, values in self.starts.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{name} has {count}" for name, count in lengths.items())
            raise StudyError(f"every input needs as many starts: {listed}", key="starts", remedy="make the lists equally long")
        return self

    @property
    def goes_on(self) -> bool:
        """With `continuation`."""
        return self.continuation

    def over(self, inputs: Mapping[str, Input]) -> str:
        """The input over which the diagram is."""
        intervals = [name for name, item in inputs.items() if item.kind == "interval" and name not in self.starts]
        if self.parameter is None:
            if len(intervals) == 1:
                return intervals[0]
            if not intervals and any(item.kind == "interval" for item in inputs.values()):
                text = "all intervals have starts, and the diagram is over none of them"
                raise StudyError(text, key="method.starts", value=list(self.starts), remedy="leave one out, over which the diagram is")
            text = (
                f"which of {', '.join(intervals)} is the diagram over?" if intervals else "no input is an interval to have a diagram over"
            )
            raise StudyError(text, key="method.parameter", remedy=f'name it: parameter = "{next(iter(intervals or inputs))}", say')
        if self.parameter not in inputs:
            remedy = did_you_mean(self.parameter, inputs, noun="input")
            raise StudyError(f"there is no input '{self.parameter}'", key="method.parameter", value=self.parameter, remedy=remedy)
        if inputs[self.parameter].kind != "interval":
            text = f"the diagram is over '{self.parameter}', which is {inputs[self.parameter].kind}"
            raise StudyError(text, key="method.parameter", value=self.parameter, remedy="give it as an interval")
        return self.parameter

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        parameter = self.over(inputs)
        check_inside(parameter, inputs[parameter], np.array(self.values), "method.values")
        require_inputs(self.starts, inputs, "starts", "method.starts")
        for name, values in self.starts.items():
            if name == parameter:
                raise StudyError(f"the diagram is over '{name}', which has starts too", key=f"method.starts.{name}", remedy="leave one out")
            check_inside(name, inputs[name], np.array(values), f"method.starts.{name}")

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        starts = max(map(len, self.starts.values()), default=1)
        ways = len(self.directions) if self.continuation else 1
        runs = (len(self.values) or self.points) * ways * starts * self.samples
        return runs, runs
