"""Tolerances: how wide each may be, at the least cost, so that outputs stay within limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import FRONT, OF_SURROGATE, ROUNDS, GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.methods.base import MethodRun, require_inputs
from uqmbd.methods.design.wanted import LEAST_SHARE, Costs, Limits, Wanted
from uqmbd.methods.intervals.chebyshev import Chebyshev
from uqmbd.outcomes import OutputInfo


class Tolerances(Chebyshev):
    """The cheapest tolerances with which limits of outputs are met, found on a surrogate and verified by fresh runs.

    The intervals of the inputs are their largest tolerances, about nominals in the middle; an input without a cost keeps its interval.
    Tolerances t, half widths about the nominals, are chosen to minimise the sum of their costs (Chase, Greenwood, Manuf. Rev. 1 (1988) 49)
    where the worst case of an output, or the root of squares, is within each limit. Then come fresh runs: at the places of the box of
    tolerances where the surrogate has its ends, and at random. Where these pass a limit it is tightened by as much, and tolerances are
    chosen again.

    Where not even the smallest tolerances meet all limits the result has these, and names the limit that is nearest to being met.

    The settings of `Chebyshev`, and those below.

    Attributes
    ----------
    costs : dict of str to table
        Of a tolerance t of each input: ``{ reciprocal = 4.0, at = "0.01 mm" }`` costs 4 at / t (at: the whole tolerance, where nothing is
        said), ``{ exponential = 4.0, per = "0.01 mm" }`` 4 exp(-t / per), ``{ table = [["0.01 mm", 9.0], ["0.02 mm", 5.0]] }`` what stands
        there, a monotonic cubic in between, and no tolerance below its first. ``smallest = "1 um"`` beside it is the smallest tolerance of
        this input. Tolerances without a unit are in that of the input.
    limits : dict of str to str or list of str
        By scalar output: ``"<= 18 kN"``, ``">= 2 mm"``, ``"width <= 0.1 mm"``, and ``"P(> 18 kN) <= 0.01"`` for parts that scatter within
        their tolerances; numbers without a unit are in that of the output (SI).
    stack : str
        How tolerances add up: ``worst_case`` (bounds over the whole box of tolerances, widened by `safety` times the validated error where
        the surrogate is trusted) or ``root_of_squares`` (middle plus and minus the root of the sum of squares of slope times tolerance).
    scatter : str
        Of limits on probabilities: ``normal`` (a tolerance is three standard deviations, beyond which there are no parts) or ``uniform``.
    front : str
        An output, of which the cheapest tolerances are found for `compromises` widths, from that of the cheapest to the smallest: what less
        width costs. The limits hold too.
    compromises : int
        How many.
    smallest : float
        Smallest tolerances, as a share of the largest, of inputs that say none.
    fresh : int
        Random runs in the box of the tolerances, besides those at the ends of outputs that have limits.
    rounds : int
        How often limits are tightened at most where fresh runs pass them.
    fallback_runs : int
        Runs of a search for the bounds over the largest tolerances, where the surrogate is not trusted there; none unless said.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def gap(a, b, c):
    ...     return {"gap": a - 0.5 * b + 2 * c}
    >>> box = {name: uq.Interval(-1.0, 1.0, unit="mm") for name in "abc"}
    >>> costs = {"a": {"reciprocal": 1.0}, "b": {"reciprocal": 2.0}, "c": {"reciprocal": 4.0}}
    >>> method = uq.Tolerances(costs=costs, limits={"gap": "<= 0.3 mm"}, degree=2)
    >>> study = uq.Study(model=gap, inputs=box, outputs=["gap"], method=method, name="gap")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> {name: round(1e3 * t, 5) for name, t in result.attrs["tolerance"].items()}, round(result.attrs["total_cost"], 4)  # mm
    ({'a': 0.06213, 'b': 0.12426, 'c': 0.08787}, 77.7124)
    """

    name: ClassVar[str] = "tolerances"
    groups: ClassVar[tuple[GroupSpec, ...]] = (*OF_SURROGATE, FRONT, ROUNDS)

    costs: Costs
    limits: Limits = Field(default_factory=dict)
    stack: Literal["worst_case", "root_of_squares"] = "worst_case"
    scatter: Literal["normal", "uniform"] = "normal"
    front: str | None = None
    compromises: int = Field(default=8, ge=2, le=100)
    smallest: float = Field(default=0.01, gt=0, lt=1)
    fresh: int = Field(default=24, ge=0)
    rounds: int = Field(default=4, ge=0)
    fallback_runs: int | None = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _wanted(self) -> Self:
        for wanted in self.wanted():
            if wanted.what in ("spread", "quantile", "worst"):
                remedy = 'write "<= 18 kN" or "P(> 18 kN) <= 0.01", or take the method design'
                raise StudyError(f"tolerances have no limit '{wanted.text}'", key=f"limits.{wanted.output}", remedy=remedy)
            if wanted.what == "probability" and wanted.share < LEAST_SHARE:
                text = f"the largest probability of a limit is from {LEAST_SHARE:g} to 0.5"
                raise StudyError(text, key=f"limits.{wanted.output}", value=wanted.text, remedy="take the method design for smaller ones")
        if not self.costs:
            remedy = "write costs.play = { reciprocal = 4.0 }, say"
            raise StudyError("tolerances need an input with a cost", key="costs", remedy=remedy)
        if not self.limits and self.front is None:
            remedy = 'write limits = { "B.force:max" = "<= 18 kN" }, or front = "B.force:max"'
            raise StudyError("tolerances need an output with a limit, or a front", key="limits", remedy=remedy)
        return self

    def wanted(self) -> list[Wanted]:
        """The limits, in their order."""
        return [Wanted.read(name, text) for name, texts in self.limits.items() for text in texts]

    def ends(self) -> int:
        """Largest number of runs at ends of outputs, in one round."""
        return 2 * sum(map(len, self.limits.values()))

    def scattered(self) -> int:
        """Number of runs in one round that scatter as parts do."""
        return self.fresh if any(wanted.what == "probability" for wanted in self.wanted()) else 0

    def planned_runs(self, inputs: Mapping[str, Input]) -> tuple[int, int]:
        least, most = super().planned_runs(inputs)
        fresh, on_front = self.fresh + self.scattered(), 0 if self.front is None else 2 * self.compromises
        return least + fresh, most + (1 + self.rounds) * (self.ends() + fresh) + on_front

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        require_inputs(self.costs, inputs, "a cost", "method.costs")
        for name, cost in self.costs.items():
            item = Space.of(inputs)[name].to_si()
            low, high = item.ppf(np.array([0.0, 1.0])).tolist()
            if (least := cost.numbers(name, item).get("smallest", 0.0)) >= (high - low) / 2:
                text = f"the smallest tolerance of '{name}' is {least:.6g}, and its interval leaves {(high - low) / 2:.6g} at most"
                raise StudyError(f"{text} (SI units)", key=f"method.costs.{name}.smallest", remedy="widen the interval, or lower smallest")

    def _start(self, *study: Any) -> MethodRun:
        from uqmbd.methods.design.tolerances_run import TolerancesRun

        outputs: Mapping[str, OutputInfo] = study[1]
        for name in (*self.limits, *([self.front] if self.front else [])):
            key = f"method.limits.{name}" if name in self.limits else "method.front"
            if name not in outputs:
                raise StudyError(f"the study has no output '{name}'", key=key, remedy=did_you_mean(name, outputs, noun="output"))
            if outputs[name].axis:
                remedy = f'take one number of it: "{name}:max", and the same in [outputs]'
                raise StudyError(f"the output '{name}' is {outputs[name].noun}; a limit is for a scalar", key=key, remedy=remedy)
        return TolerancesRun(self, self.surrogate_class(), self.region_class(), *study)
