"""Design under uncertainty: the best nominals with which limits are passed rarely enough."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.reliability.form import NotFoundError
from uqmbd.analysis.reliability.performance import Asked, Best, Looked, best_design, differences, worst_points
from uqmbd.analysis.reliability.sampling import counted
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.facts import WARNINGS
from uqmbd.groups import OF_SAMPLE, GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.inputs.checked import Number
from uqmbd.inputs.quantity import in_unit
from uqmbd.methods.base import Method, MethodRun, count_failures, require_inputs
from uqmbd.methods.design.wanted import Limits, Moves, Wanted, index_of_share
from uqmbd.methods.staged import Conclusion, FixedSampler
from uqmbd.outcomes import OutputInfo

FRESH = 300  # random numbers of the runs that look at the design that was found
MET = 1e-6  # of the size of a margin, by which it may be passed: rounding of the optimisation


class DesignRun(FixedSampler):
    """Asks for what the search of `uqmbd.analysis.reliability.performance` wants, then for random runs of the design that was found."""

    def __init__(self, settings: Design, *study: Any) -> None:
        super().__init__(settings, *study)
        items = list(self.inputs.values())
        self._random = np.array([item.kind == "random" for item in items])
        middle = np.array([float(item.ppf(np.array([0.5]))[0]) for item in items])
        ranges = [settings.range_of(name, item) for name, item in self.inputs.items()]
        self._moved = np.array([one is not None for one in ranges])
        ends = np.array([one for one in ranges if one is not None], float).reshape(-1, 2)
        self._low, self._high, self._middle = ends[:, 0], ends[:, 1], middle
        self._wanted = settings.wanted()
        self._beta = np.array([index_of_share(wanted.share) if wanted.what == "probability" else 0.0 for wanted in self._wanted])
        self._column = [self.columns.slices[wanted.output].start for wanted in self._wanted]
        self._level = np.array([wanted.in_unit(self.columns.outputs[wanted.output]) for wanted in self._wanted])
        self._sign = np.array([1.0 if wanted.upper else -1.0 for wanted in self._wanted])
        self._z = np.zeros((len(self._wanted), int(self._random.sum())))  # where the last search for worst points ended
        self._unsettled = False

    def _design(self, x: np.ndarray) -> np.ndarray:
        """Nominals (d,) of the inputs that move, SI, from shares of their ranges."""
        return self._low + x * (self._high - self._low)

    def _samples(self, x: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Inputs (n, inputs), SI, of designs (n, d), shares of ranges, at points (n, randoms) of standard normal space."""
        whole = np.zeros((len(z), len(self.inputs)))
        whole[:, self._random] = z
        drawn = self.inputs.from_normal(whole)
        values = np.column_stack([drawn[name] for name in self.inputs])
        design = self._low + x * (self._high - self._low)
        base = np.where(self._random, values - self._middle, 0.0)  # a random input is moved as a whole
        values[:, self._moved] = base[:, self._moved] + design
        return values

    # the search ---------------------------------------------------------------------------------------------------------------------------
    def _plan(self) -> Iterator[np.ndarray]:
        begin = np.full(int(self._moved.sum()), 0.5)
        search, said = best_design(self._look, begin, tolerance=self.settings.tolerance**2, steps=self.settings.steps), None
        while True:
            try:
                asked = next(search) if said is None else search.send(said)
            except StopIteration as ended:
                self._best: Best = ended.value
                break
            except NotFoundError as error:
                self._stop_if_too_many_failed()
                remedy = "narrow the ranges of the design, or raise step where the outputs are rough"
                raise StudyError(str(error), key="method.type", value=self.settings.name, remedy=remedy) from None
            rows, limit = asked
            if self.observed + len(rows) > self.settings.max_runs:
                text = f"the search for the best design needs more than max_runs = {self.settings.max_runs} runs"
                raise StudyError(text, key="method.max_runs", remedy="raise max_runs, or tolerance; all runs are kept")
            first = self.observed
            yield rows
            values = np.where(self.status[first:, None] == 0, self.values[first:], np.nan)
            said = self._said(values, limit)
        if self.settings.samples:
            self._first = self.observed
            z = generator(self.seed, FRESH).standard_normal((self.settings.samples, int(self._random.sum())))
            yield self._samples(np.tile(self._best.x, (len(z), 1)), z)

    def _said(self, values: np.ndarray, limit: np.ndarray) -> np.ndarray:
        """Margins (n,) of the limits with these numbers; -1 is the objective."""
        objective = values[:, self.columns.slices[self.settings.minimise].start]
        if not len(self._wanted):
            return objective
        rows = np.arange(len(values))
        margins = self._sign[limit] * (self._level[limit] - values[rows, np.array(self._column)[limit]])
        return np.where(limit < 0, objective, margins)

    def _look(self, x: np.ndarray) -> Generator[Asked, np.ndarray, Looked]:
        """Worst points of all limits at a design, and the slopes in the design there; the objective at the nominals."""
        settings, d = self.settings, len(x)
        keys = {key: getattr(settings, key) for key in ("step", "tolerance", "iterations")}
        if self._z.size:
            search, said = worst_points(self._beta, self._z, **keys), None
            while True:
                try:
                    z, limit = next(search) if said is None else search.send(said)
                except StopIteration as ended:
                    self._z, self._unsettled = ended.value.z, not ended.value.converged.all()
                    break
                said = yield self._samples(np.tile(x, (len(z), 1)), z), limit
        h, k = settings.design_step, len(self._wanted)
        inside = np.clip(x, h, 1 - h)  # differences are taken within the range
        star = np.concatenate([np.zeros((1, d)), h * np.eye(d), -h * np.eye(d)])
        points = np.concatenate([np.zeros((1, self._z.shape[1])), self._z])
        designs = np.concatenate([x[None], inside + star[1:]])
        rows = self._samples(np.tile(designs, (1 + k, 1)), np.repeat(points, len(designs), axis=0))
        values = (yield rows, np.repeat(np.arange(-1, k), len(designs))).reshape(1 + k, -1)
        slopes = differences(values, h)
        return Looked(float(values[0, 0]), slopes[0], values[1:, 0], slopes[1:])

    # what follows -------------------------------------------------------------------------------------------------------------------------
    def _conclude(self) -> Conclusion:
        self._stop_if_too_many_failed()
        best, names = self._best, [name for name, moved in zip(self.inputs, self._moved, strict=True) if moved]
        size = np.maximum(np.linalg.norm(best.looked.slopes, axis=1), np.abs(best.looked.margins))
        met = best.looked.margins >= -MET * np.where(size > 0, size, 1.0)
        limits, refuted = self._limits_met(met)
        warnings = []
        if not met.all():
            short = np.where(met, np.inf, -best.looked.margins / size)
            nearest = limits[int(np.argmin(short))]
            warnings.append(f"no design was found that meets all limits; {nearest['output']} {nearest['text']} is nearest to being met")
        if not best.converged:
            warnings.append("the search for the best design did not converge: another one may be better")
        if self._unsettled:
            warnings.append("a search for the worst point of a limit did not settle: its reliability index is not sure")
        warnings += [f"fresh runs refute {text}: the limit is not the plane that the index takes it for" for text in refuted]
        design = dict(zip(names, self._design(best.x).tolist(), strict=True))
        at_end = [name for name, share in zip(names, best.x, strict=True) if share < MET or share > 1 - MET]
        attrs = {
            "method": self.settings.name,
            "about": "design",
            "seed": self.seed,
            "design": design,
            "design_at_end": at_end,
            "minimised": self.settings.minimise,
            "objective": best.looked.objective,
            "limits_met": limits,
            "feasible": bool(met.all()),
            "verified": bool(met.all() and best.converged and not self._unsettled and not refuted and self.settings.samples > 0),
            "runs_verifying": self.settings.samples,
            "steps": best.steps,
            "notes": warnings,
            **({WARNINGS: warnings} if warnings else {}),
            **count_failures(self.status),
        }
        return {"inner": self.columns.dataset(self.envelope(self.status == 0), {"bound": ["lower", "upper"]})}, attrs

    def _limits_met(self, met: np.ndarray) -> tuple[list[dict[str, Any]], list[str]]:
        """What there is of each limit, see `uqmbd.method_facts.LimitMet`, and those that fresh runs refute, in words."""
        entries, refuted = [], []
        for k, wanted in enumerate(self._wanted):
            value = float(self._level[k] - self._sign[k] * self._best.looked.margins[k])
            entry = {"output": wanted.output, "text": wanted.text, "what": wanted.what, "upper": wanted.upper, "met": bool(met[k])}
            entry |= {"level": float(self._level[k]), "surrogate": value}
            if wanted.what == "probability" and self.settings.samples:
                at = slice(self._first, None)
                values = np.where(self.status[at] == 0, self.values[at, self._column[k]], np.nan)
                share = counted(self._sign[k] * (self._level[k] - values))
                entry |= {"lower": share.lower, "higher": share.upper, "runs": share.unsafe}
                refuted += [f"{wanted.output} {wanted.text}"] if share.lower > wanted.share else []
            entries.append(entry)
        return entries, refuted


class Design(Method):
    """The design with the least objective whose limits are passed rarely enough: reliability-based design by worst points (PMA).

    What may be chosen are inputs that are intervals, and the nominals (medians) of random inputs that `move`, which keep their scatter.
    A limit on a probability p is one on the worst value at the reliability index -Φ⁻¹(p) (performance measure approach; Tu, Choi, Park,
    J. Mech. Des. 121 (1999) 557), found for all limits at once; the design is that of sequential quadratic programming. Fresh random runs
    of it are counted at the end.

    Attributes
    ----------
    minimise : str
        A scalar output, at the nominals of all inputs.
    limits : dict of str to str or list of str
        By scalar output: ``"P(> 18 kN) <= 0.001"``, ``"beta(> 18 kN) >= 3"`` (the same by the reliability index), or at the nominals
        ``"<= 18 kN"``; numbers without a unit are in that of the output (SI).
    move : dict of str to list
        Of random inputs, from where to where the nominal may move: ``move = { play = ["0.02 mm", "0.05 mm"] }``.
    samples : int
        Fresh runs of the design that was found; the probabilities have 95 % limits by them.
    step : float
        Of central differences in random inputs, in standard deviations.
    design_step : float
        Of those in the design, as a share of the ranges.
    tolerance : float
        With which searches for worst points are content, in standard deviations, and, squared, the design, as a share of the objective.
    iterations : int
        Largest number of steps to worst points, for each design.
    steps : int
        Largest number of steps of the design.
    max_runs : int
        Limit of the runs of the search.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def beam(width, load):
    ...     return {"width": width, "stress": load / width}
    >>> inputs = {"width": uq.Interval(1.0, 9.0), "load": uq.Normal(2.0, 0.2)}
    >>> method = uq.Design(minimise="width", limits={"stress": "beta(> 1) >= 3"}, samples=100)
    >>> study = uq.Study(model=beam, inputs=inputs, outputs=["width", "stress"], method=method, name="beam")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> round(result.attrs["design"]["width"], 6)  # 2 + 3 · 0.2
    2.6
    """

    name: ClassVar[str] = "design"
    accepts: ClassVar[frozenset[str]] = frozenset({"interval", "random"})
    treats: ClassVar[frozenset[str]] = frozenset({"dependence"})
    groups: ClassVar[tuple[GroupSpec, ...]] = OF_SAMPLE
    run: ClassVar[type] = DesignRun

    minimise: str
    limits: Limits
    move: Moves = Field(default_factory=dict)
    samples: int = Field(default=1000, ge=0)
    step: Number = Field(default=0.01, gt=0, le=0.5)
    design_step: Number = Field(default=1e-4, gt=0, le=0.1)
    tolerance: Number = Field(default=1e-6, gt=0, lt=1)
    iterations: int = Field(default=50, ge=1, le=1000)
    steps: int = Field(default=50, ge=1, le=1000)
    max_runs: int = Field(default=50_000, ge=1)

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        for wanted in self.wanted():
            if wanted.what == "width":
                raise StudyError("a design has no limits on widths", key=f"limits.{wanted.output}", remedy="take the method tolerances")
        return self

    def wanted(self) -> list[Wanted]:
        """The limits, in their order."""
        return [Wanted.read(name, text) for name, texts in self.limits.items() for text in texts]

    def range_of(self, name: str, item: Input) -> tuple[float, float] | None:
        """From where to where an input may be chosen, in its unit; None where it stays."""
        if item.kind == "interval":
            low, high = item.ppf(np.array([0.0, 1.0])).tolist()
            return low, high
        if name not in self.move:
            return None
        low, high = (in_unit(end, item.unit, of=name, key=f"method.move.{name}") for end in self.move[name])
        if not low < high:
            remedy = "write [lower, upper]"
            raise StudyError(f"'{name}' cannot move from {low:g} to {high:g}", key=f"method.move.{name}", remedy=remedy)
        return low, high

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        return 1 + self.samples, self.max_runs + self.samples

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        require_inputs(self.move, inputs, "a range to move in", "method.move")
        items = Space.of(inputs).to_si()
        for name in self.move:
            if items[name].kind == "interval":
                remedy = "leave it out of move: an interval is a range already"
                raise StudyError(f"'{name}' is an interval", key=f"method.move.{name}", remedy=remedy)
        if not any(self.range_of(name, item) for name, item in items.items()):
            remedy = "give an input as an interval, or write move = { play = [0.02, 0.05] }"
            raise StudyError("a design needs an input that may be chosen", key="method.move", remedy=remedy)

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        for name, key in ((self.minimise, "method.minimise"), *((name, f"method.limits.{name}") for name in self.limits)):
            if name not in outputs:
                raise StudyError(f"the study has no output '{name}'", key=key, remedy=did_you_mean(name, outputs, noun="output"))
            if outputs[name].axis:
                remedy = f'take one number of it: "{name}:max", and the same in [outputs]'
                raise StudyError(f"the output '{name}' is {outputs[name].noun}; a design needs numbers", key=key, remedy=remedy)
        return super()._start(inputs, outputs, time, seed)
