"""Design under uncertainty: the best nominals, with limits that are passed rarely enough."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from uqmbd.analysis.reliability.designs import OPTIMISERS
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import DESIGNS, OF_SAMPLE, GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.inputs.checked import Number
from uqmbd.inputs.quantity import in_unit
from uqmbd.methods.base import Method, MethodRun, require_inputs
from uqmbd.methods.design.measures import Measure
from uqmbd.methods.design.several import Several
from uqmbd.methods.design.wanted import Limits, Moves, Wanted, of_input
from uqmbd.outcomes import OutputInfo


class Design(Method):
    """The design with the least objective whose limits are met although inputs scatter: robust and reliability-based design.

    What may be chosen are inputs that are intervals, and those that `move`: the nominals (medians) of random inputs, which keep their
    scatter, and the middles of intervals, which keep their width. Fresh runs of the design that was found are counted at the end.

    A limit on a probability p is one on the worst value at the reliability index -Φ⁻¹(p) (performance measure approach; Tu, Choi, Park,
    J. Mech. Des. 121 (1999) 557), found for all limits at once, and for the worst values of intervals that stay uncertain. Means and
    standard deviations are those of a polynomial that is fitted to few runs at each design.

    Attributes
    ----------
    minimise : str
        A scalar output.
    measure : str
        What is taken of it: ``"nominal"``, at the nominals of all inputs; ``"mean + 3 std"``, ``"mean"`` or ``"std"``;
        ``"quantile 0.99"``; ``"P(> 18 kN)"``; ``"worst"``, its largest value in uncertain intervals.
    limits : dict of str to str or list of str
        By scalar output: ``"P(> 18 kN) <= 0.001"``, ``"beta(> 18 kN) >= 3"`` (the same by the reliability index),
        ``"quantile 0.99 <= 18 kN"``, ``"mean + 3 std <= 18 kN"``, ``"worst <= 18 kN"`` in uncertain intervals, or at the nominals
        ``"<= 18 kN"``; numbers without a unit are in that of the output (SI).
    systems : list of str
        Limits on the probability that any of several limits is passed, ``"P(B.force:max > 18 kN or x:max > 2 mm) <= 0.001"``, that all
        are, with ``and``, and by the reliability index, ``"beta(...) >= 3"``.
    move : dict of str to list
        Of random inputs, from where to where the nominal may move: ``move = { play = ["0.02 mm", "0.05 mm"] }``; of intervals the
        middle, and they stay uncertain about it. Numbers without a unit are in that of the input.
    uncertain : list of str
        Further intervals that nobody chooses.
    approach : str
        ``pma``, worst points for each design; ``sora``, designs for worst points that stay, then these anew, in turns (sequential
        optimisation and reliability assessment; Du, Chen, J. Mech. Des. 126 (2004) 225).
    optimiser : str
        ``slsqp`` (slopes by differences, the most exact), ``cobyqa`` (no slopes), both of scipy, or ``cma-es`` (populations, for rough
        outputs and several optima; many runs), of the package cmaes.
    starts : int
        Searches, from the middle of the ranges and from designs spread over them; the best of their designs is taken.
    degree : int
        Of the polynomials behind means and standard deviations.
    samples : int
        Fresh runs of the design that was found; probabilities, quantiles and moments have 95 % limits by them.
    step : float
        Of central differences in random inputs, in standard deviations.
    design_step : float
        Of those in the design, as a share of the ranges.
    tolerance : float
        With which searches for worst points are content, in standard deviations, and, squared, the design, as a share of the objective.
    iterations : int
        Largest number of steps to worst points, for each design.
    steps : int
        Largest number of steps of the optimiser; unless said 50, of cobyqa 100 runs for each number, of cma-es 200 populations.
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
    groups: ClassVar[tuple[GroupSpec, ...]] = (*OF_SAMPLE, DESIGNS)

    minimise: str
    measure: str = "nominal"
    limits: Limits = Field(default_factory=dict)
    systems: tuple[str, ...] = ()
    move: Moves = Field(default_factory=dict)
    uncertain: tuple[str, ...] = ()
    approach: Literal["pma", "sora"] = "pma"
    optimiser: Literal["slsqp", "cobyqa", "cma-es"] = "slsqp"
    starts: int = Field(default=1, ge=1, le=100)
    degree: int = Field(default=2, ge=1, le=10)
    samples: int = Field(default=1000, ge=0)
    step: Number = Field(default=0.01, gt=0, le=0.5)
    design_step: Number = Field(default=1e-4, gt=0, le=0.1)
    tolerance: Number = Field(default=1e-6, gt=0, lt=1)
    iterations: int = Field(default=50, ge=1, le=1000)
    steps: int | None = Field(default=None, ge=1, le=10_000)
    max_runs: int = Field(default=50_000, ge=1)

    @field_validator("uncertain", "systems", mode="before")
    @classmethod
    def _names(cls, value: Any) -> Any:
        """Lists, as files have them, as tuples."""
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _written(self) -> Self:
        for wanted in self.wanted():
            if wanted.what == "width":
                raise StudyError("a design has no limits on widths", key=f"limits.{wanted.output}", remedy="take the method tolerances")
        for key, read in (("measure", self.measured), ("systems", self.several)):
            try:
                read()
            except ValueError as error:
                raise StudyError(str(error), key=key) from None
        return self

    def wanted(self) -> list[Wanted]:
        """The limits, in their order."""
        return [Wanted.read(name, text) for name, texts in self.limits.items() for text in texts]

    def several(self) -> list[Several]:
        """The limits on systems, in their order."""
        return [Several.read(text) for text in self.systems]

    def measured(self) -> Measure:
        """What is taken of the objective."""
        return Measure.read(self.measure)

    def level_of(self, info: OutputInfo) -> float:
        """The level of a probability that is the objective, in the unit of the output; else 0."""
        at = self.measured().level
        return 0.0 if at is None else in_unit(at, info.unit, of=self.minimise, key="method.measure")

    def stays(self, name: str) -> bool:
        """Whether an interval is not chosen, or only its middle: its values remain uncertain."""
        return name in self.uncertain or name in self.move

    def range_of(self, name: str, item: Input) -> tuple[float, float] | None:
        """From where to where an input may be chosen, in its unit; None where it stays."""
        if item.kind == "interval" and not self.stays(name):
            low, high = item.ppf(np.array([0.0, 1.0])).tolist()
            return low, high
        if name not in self.move:
            return None
        low, high = (of_input(end, item, name, f"method.move.{name}") for end in self.move[name])
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
        require_inputs(self.uncertain, inputs, "an uncertain interval", "method.uncertain")
        for name in self.uncertain:
            if items[name].kind != "interval":
                remedy = "leave it out of uncertain: a random input scatters already"
                raise StudyError(f"'{name}' is no interval", key="method.uncertain", value=name, remedy=remedy)
        if self.systems and (boxed := [name for name, item in items.items() if item.kind == "interval" and self.stays(name)]):
            text = f"a limit on a system takes random inputs, and '{boxed[0]}' is an interval that stays uncertain"
            raise StudyError(text, key="method.systems", remedy="give it as random, or limit the outputs one by one")
        if self.systems and not any(item.kind == "random" for item in items.values()):
            raise StudyError("a limit on a system takes random inputs", key="method.systems", remedy="give an input as random")
        package = OPTIMISERS[self.optimiser].package
        if package and find_spec(package) is None:
            remedy = f"pip install {package}, or take slsqp or cobyqa"
            raise StudyError(f"the optimiser {self.optimiser} needs the package {package}", key="method.optimiser", remedy=remedy)
        if not any(self.range_of(name, item) for name, item in items.items()):
            remedy = "give an input as an interval, or write move = { play = [0.02, 0.05] }"
            raise StudyError("a design needs an input that may be chosen", key="method.move", remedy=remedy)

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        parts = [(part.output, "method.systems") for one in self.several() for part in one.parts]
        for name, key in ((self.minimise, "method.minimise"), *((name, f"method.limits.{name}") for name in self.limits), *parts):
            if name not in outputs:
                raise StudyError(f"the study has no output '{name}'", key=key, remedy=did_you_mean(name, outputs, noun="output"))
            if outputs[name].axis:
                remedy = f'take one number of it: "{name}:max", and the same in [outputs]'
                raise StudyError(f"the output '{name}' is {outputs[name].noun}; a design needs numbers", key=key, remedy=remedy)
        from uqmbd.methods.design.reliable_run import DesignRun

        return DesignRun(self, inputs, outputs, time, seed)
