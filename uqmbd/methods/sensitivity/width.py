"""By how much the bounds narrow when one interval is halved: the question `width` to a Chebyshev expansion on a tensor grid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from uqmbd.errors import StudyError
from uqmbd.inputs import Input
from uqmbd.inputs.checked import Number
from uqmbd.methods.intervals.chebyshev import Chebyshev
from uqmbd.methods.sensitivity.part import notes_of
from uqmbd.methods.sensitivity.settings import Sensitivity
from uqmbd.request import Sampler

if TYPE_CHECKING:
    from uqmbd.result import Result

MOST_NODES = 20_000
MOST_RUNS = 2 * MOST_NODES  # with those for validation


class WidthRun(Sampler):
    """``width_reduction`` is ``1 - (width with the input halved) / width``. The error of the expansion is validated by runs of its own."""

    def __init__(self, settings: Width, *study: Any) -> None:
        self.settings, self._bounds = settings, settings.expansion()._start(*study)
        self.ask, self.tell = self._bounds.ask, self._bounds.tell
        self._notes = notes_of(study[0], settings.region)

    def result(self) -> Result:
        whole, settings = self._bounds.result(), self.settings
        named = {"method": settings.name, "about": "indices", "approach": settings.approach, "degree": settings.degree}
        named |= {"notes": [*self._notes, *whole.attrs.get("notes", ())]}
        return whole.replaced(sensitivity=whole.sensitivity.sel(kind=["width_reduction"]), attrs=whole.attrs | named)


class Width(Sensitivity):
    """By how much the bounds narrow when one interval is halved. For intervals only."""

    run: ClassVar[type] = WidthRun

    approach: Literal["width"]
    degree: int = Field(default=4, ge=1, le=64)
    trust_tolerance: Number = Field(default=1e-3, gt=0, lt=1)

    def expansion(self) -> Chebyshev:
        """The method that makes the expansion; where it is not trusted nothing takes its place."""
        keys = {"max_failed": self.max_failed, "max_runs": MOST_RUNS, "fallback_runs": 0, "questions": ["width"]}
        return Chebyshev(**self.own(), **keys)

    def runs(self, d: int) -> int:
        return self.expansion().total_runs((self.degree + 1) ** d)

    def check(self, inputs: Mapping[str, Input]) -> None:
        super().check(inputs)
        for name, item in inputs.items():
            if item.kind != "interval":
                text = f"the input '{name}' is of kind {item.kind}, which has no width to be halved"
                raise StudyError(text, key=f"inputs.{name}", remedy='give it as interval = [lower, upper], or take approach = "sobol"')
        nodes = (self.degree + 1) ** len(inputs)
        if nodes > MOST_NODES:
            text = f"degree {self.degree} in {len(inputs)} inputs needs {nodes} runs, more than {MOST_NODES}"
            remedy = 'lower the degree, take fewer inputs, or take approach = "derivative"'
            raise StudyError(text, key="method.degree", value=self.degree, remedy=remedy)
