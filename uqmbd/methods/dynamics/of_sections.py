"""What methods that look at section points share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from uqmbd.inputs.checked import Number
from uqmbd.methods.base import Method
from uqmbd.outcomes import OutputInfo


class OfSections(Method):
    """A method of section points: of events, of histories once a period, of curves.

    Attributes
    ----------
    period : float
        Time between section points of histories, s: that of what drives the model.
    sections : list of str
        Outputs that have section points; where nothing is said all events and, with `period`, all histories, or else all curves.
    skip : int
        Section points of each run that are left out as its transient; where nothing is said half of them.
    keep : int
        Section points of each run that are kept, the last ones.
    most_period : int
        Largest period that is looked for.
    """

    leaves_in_runs: ClassVar[bool] = True

    period: Annotated[Number, Field(gt=0)] | None = None
    sections: list[str] = Field(default_factory=list)
    skip: int | None = Field(default=None, ge=0)
    keep: int = Field(default=100, ge=1, le=100_000)
    most_period: int = Field(default=16, ge=1)

    def treated(self, outputs: Mapping[str, OutputInfo]) -> dict[str, OutputInfo]:
        """All but fields."""
        events = {name for name, info in outputs.items() if info.in_runs_alone and not info.further}
        others = {name: info for name, info in outputs.items() if name not in events}
        known = events | (super().treated(others).keys() if not events or others.keys() - events else set())
        return {name: info for name, info in outputs.items() if name in known}
