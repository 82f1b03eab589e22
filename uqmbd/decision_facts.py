"""What a result says of tolerances that were allocated, and of a design that was chosen, typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from uqmbd.method_facts import FromAttributes


@dataclass(frozen=True)
class LimitMet(FromAttributes):
    """One limit of an allocation: what was written, the level, and what there is at the tolerances that were found."""

    output: str = ""
    text: str = ""
    what: str = "end"  # end, width, probability; of a design also spread, quantile, worst, system (of no output; levels are indices)
    upper: bool = True
    level: float = np.nan  # this and the next two in the unit of the output; of a probability all are shares
    surrogate: float = np.nan  # by the surrogate, with its error where it is trusted
    lower: float | None = None  # 95 % limits of that, of a probability
    higher: float | None = None
    runs: float | None = None  # by all runs within the tolerances, of a probability by fresh scattered ones; None where none was ok
    met: bool = False  # whether these runs meet it; of a probability, whether its limits do not refute it


@dataclass(frozen=True)
class Limited(FromAttributes):
    """Of decisions within limits; another method's result may have attributes of these names, and is about something else."""

    ABOUT = ""
    limits_met: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def of(cls, attrs: Mapping[Any, Any]) -> Self:
        return super().of(attrs) if attrs.get("about") == cls.ABOUT else cls()

    @property
    def limits(self) -> list[LimitMet]:
        """The limits, as they were written."""
        return [LimitMet.of(limit) for limit in self.limits_met]


@dataclass(frozen=True)
class Allocated(Limited):
    """Of methods whose results are ``about`` tolerances: half widths about nominals, SI, and costs by input; of others empty."""

    ABOUT = "tolerances"
    tolerance: Mapping[str, float] = field(default_factory=dict)
    tolerance_least: Mapping[str, float] = field(default_factory=dict)
    tolerance_largest: Mapping[str, float] = field(default_factory=dict)
    nominal: Mapping[str, float] = field(default_factory=dict)
    tolerance_cost: Mapping[str, float] = field(default_factory=dict)
    total_cost: float = np.nan
    stack: str = ""
    feasible: bool = True  # whether the smallest tolerances meet all limits
    verified: bool = False  # whether fresh runs within the tolerances meet all limits
    runs_verifying: int = 0
    least_violated: str = ""  # a sentence on the limit that is nearest to being met, where not all can be

    def __bool__(self) -> bool:
        """Whether the result is that of an allocation."""
        return bool(self.tolerance)


@dataclass(frozen=True)
class Designed(Limited):
    """Of methods whose results are ``about`` a design: nominals of the inputs that were chosen, SI; of others empty."""

    ABOUT = "design"
    design: Mapping[str, float] = field(default_factory=dict)
    design_at_end: Sequence[str] = ()  # inputs at the end of their range
    minimised: str = ""  # output
    measure: str = "nominal"  # what is taken of it
    objective: float = np.nan  # that
    objective_limits: Sequence[float] = ()  # 95 % limits by fresh runs; empty of what has none
    feasible: bool = True  # whether the worst points of all limits are within them
    verified: bool = False  # whether nothing, fresh runs among it, speaks against that
    runs_verifying: int = 0
    runs_searching: int = 0
    starts_tried: int = 1
    starts_alike: int = 1  # how many of them end at this design

    def __bool__(self) -> bool:
        """Whether the result is that of a search for a design."""
        return bool(self.design)
