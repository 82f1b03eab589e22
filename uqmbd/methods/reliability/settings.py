"""How safely an output stays on its side of a limit: what all approaches of the method `reliability` have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.groups import CONVERGENCE, OF_SURROGATE, GroupSpec
from uqmbd.inputs import Input, Space
from uqmbd.inputs.quantity import Level, in_unit
from uqmbd.methods.approach import ByApproach
from uqmbd.methods.base import MethodRun
from uqmbd.methods.beyond import limit_of
from uqmbd.outcomes import OutputInfo

FEWEST_OF_LEVELS = 100  # points of a level of subset simulation; with fewer the stated limits do not hold (docs/theory/reliability.md)


class Reliability(ByApproach):
    """Probability that an output is beyond a limit, or, for intervals, by how much they may grow before it can be.

    Attributes
    ----------
    output : str
        A scalar output of the study (``"slider.x:max"``).
    above, below : float or str
        One of them: the output is unsafe above, or below, this limit; a number in the output's unit (SI), or with its own: ``"2.7 mm"``.
    system : str
        With `also`, for random inputs: ``series`` (unsafe where any of the limits is passed) or ``parallel`` (where all are).
    also : dict of str to str
        Further limits of a system, by output: ``also = { "slider.x:max" = "< 309 mm" }``.
    approach : str
        ``form`` (plane through the design point), ``sorm`` (its curvatures as well), ``importance`` (sampling around it), ``subset``
        (simulation by ever rarer events), ``montecarlo`` (unsafe ones among independent runs are counted), ``ak_mcs`` (Kriging that
        learns where the limit is), for random inputs; ``interval`` (margin by radius, and distance to the limit, for intervals and convex
        sets over them).
    samples : int
        importance: runs around the design point; subset: points of each level, a multiple of 10, at least 100; montecarlo: runs, with
        `until` those of the first look.
    until : table, optional
        montecarlo: runs until the coefficient of variation of the probability is small enough, ``{ cov = "10 %" }``; ``most``, the largest
        number of runs, 100000 unless said. Limits hold with 95 % at whatever look the runs end.
    fallback_runs : int
        importance: runs that subset simulation may make where those around the design point cannot be trusted; 10 times `samples` unless
        said, 0 for none.
    levels : int
        subset: largest number of levels; each is about a tenth as probable as the one before.
    step : float
        form, sorm, importance: of central differences, in standard deviations.
    tolerance : float
        form, sorm, importance: when the search for the design point is content, in standard deviations.
    iterations : int
        form, sorm, importance: largest number of steps of that search, one batch each or two.
    degree : int or dict of str to int
        interval: of the Chebyshev expansion, in every input or by input.
    trust_tolerance : float
        interval: largest validated error of the expansion, as a fraction of the response's range, that is trusted.
    max_runs : int
        interval, ak_mcs: limit of the runs.
    batch : int
        ak_mcs: runs that are asked for at once.
    cov : float
        ak_mcs: coefficient of variation of the probability by the number of points of the population, at which that is large enough.
    population : int
        ak_mcs: largest number of points of a shell of the population.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> scatter = {"load": uq.Normal(100.0, 5.0, unit="N"), "stiffness": uq.Uniform(1.8, 2.2, unit="kN/m")}
    >>> method = uq.Reliability(output="sag", above=0.058, approach="form")
    >>> study = uq.Study(model=sag, inputs=scatter, outputs=["sag"], method=method, name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> sorted(result.statistics["sag"].statistic.values.tolist())[:4]
    ['beta', 'design:load', 'design:stiffness', 'probability']
    """

    name: ClassVar[str] = "reliability"
    accepts: ClassVar[frozenset[str]] = frozenset({"random", "interval"})
    groups: ClassVar[tuple[GroupSpec, ...]] = (*OF_SURROGATE, CONVERGENCE)
    treats: ClassVar[frozenset[str]] = frozenset({"dependence", "sets", "joint"})
    approaches: ClassVar[Mapping[str, type[Reliability]]] = {}
    kind: ClassVar[str] = "random"
    tails: ClassVar[bool] = True  # whether the approach goes into the tails of its inputs

    systems: ClassVar[bool] = False  # whether the approach treats several limits

    output: str
    above: Level = None
    below: Level = None
    system: Literal["series", "parallel"] | None = None
    also: dict[str, str] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.above is None) == (self.below is None):
            given = "neither" if self.above is None else "both"
            remedy = "write above = 0.3 where more than that is unsafe, or below = 0.3 where less is"
            raise StudyError(f"a limit is one of above and below; there are {given}", key="above", value=self.above, remedy=remedy)
        if (self.system is None) != (not self.also):
            remedy = 'write system = "series" and also = { "slider.x:max" = "< 309 mm" }, or neither'
            raise StudyError("a system has several limits", key="also" if self.system else "system", remedy=remedy)
        if self.system and not self.systems:
            able = ", ".join(name for name, kind in self.approaches.items() if kind.systems)
            text = f"the approach {self.approach} treats one limit"
            raise StudyError(text, key="system", value=self.system, remedy=f"take one of: {able}")
        for name, text in (self.also or {}).items():
            limit_of(text, f"also.{name}")
        return self

    def other_limits(self) -> list[tuple[str, bool, float]]:
        """Output, whether more is unsafe, and the limit in the unit of the output, of each further limit of a system."""
        return [(name, *limit_of(text, f"also.{name}")) for name, text in (self.also or {}).items()]

    @property
    def limit(self) -> float:
        """Value beyond which the output is unsafe."""
        return self.below if self.above is None else self.above

    def margin(self, values: np.ndarray) -> np.ndarray:
        """Distance of `values` from the limit, negative where they are unsafe; same shape and unit."""
        return values - self.below if self.above is None else self.above - values

    def in_words(self) -> str:
        """``x:max > 0.3``."""
        first = f"{self.output} {'<' if self.above is None else '>'} {self.limit:.10g}"
        return f"{first}{self.others_in_words()}"

    def others_in_words(self) -> str:
        """`` or t > 2``: the further limits of a system; empty of one limit."""
        word = "or" if self.system == "series" else "and"
        return "".join(f" {word} {name} {text}" for name, text in (self.also or {}).items())

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        for name, item in Space.of(inputs).items():
            if item.kind != self.kind:
                able = ", ".join(name for name, approach in self.approaches.items() if approach.kind == item.kind)
                text = f"the approach {self.approach} takes {self.kind} inputs, and '{name}' is of kind {item.kind}"
                remedy = f"give '{name}' as {self.kind}, or take an approach for {item.kind} inputs: {able}"
                raise StudyError(text, key=f"inputs.{name}", remedy=remedy)
            fitted = getattr(item, "fitted", None)
            if self.tails and fitted is not None and fitted.family == "empirical":
                raise StudyError(
                    f"'{name}' is drawn from {fitted.count} values as they are, which have no tails: nothing is beyond "
                    f"{fitted.ends[1]:.6g}, and a small probability would be that of the file",
                    key=f"inputs.{name}.distribution",
                    remedy='write fit = "normal", say (of few values with predictive = true), or smooth = true; or count runs, approach = '
                    '"montecarlo"',
                )

    def _start(self, inputs: Space, outputs: dict[str, OutputInfo], time: np.ndarray, seed: int) -> MethodRun:
        if self.output not in outputs:
            remedy = did_you_mean(self.output, outputs, noun="output")
            raise StudyError(f"the study has no output '{self.output}'", key="method.output", value=self.output, remedy=remedy)
        if outputs[self.output].axis:
            remedy = f'take one number of it: output = "{self.output}:max", and the same in [outputs]'
            raise StudyError(
                f"the output '{self.output}' is {outputs[self.output].noun}; a limit is for a scalar", key="method.output", remedy=remedy
            )
        side = "below" if self.above is None else "above"
        limit = in_unit(self.limit, outputs[self.output].unit, of=self.output, key=f"method.{side}")
        also = {}
        for name, above, value in self.other_limits():
            if name not in outputs or outputs[name].axis:
                known = [one for one, info in outputs.items() if not info.axis]
                remedy = did_you_mean(name, known, noun="scalar output")
                raise StudyError(f"the study has no scalar output '{name}'", key=f"method.also.{name}", remedy=remedy)
            also[name] = f"{'>' if above else '<'} {in_unit(value, outputs[name].unit, of=name, key=f'method.also.{name}')!r}"
        settings = self.model_copy(update={side: limit} | ({"also": also} if also else {}))
        return super(Reliability, settings)._start(inputs, outputs, time, seed)
