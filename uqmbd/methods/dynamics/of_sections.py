"""What methods that look at section points share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from uqmbd.methods.base import Method
from uqmbd.outcomes import OutputInfo


class OfSections(Method):
    """A method of section points: of events, of histories once a period, of curves."""

    leaves_in_runs: ClassVar[bool] = True

    def treated(self, outputs: Mapping[str, OutputInfo]) -> dict[str, OutputInfo]:
        """All but fields."""
        events = {name for name, info in outputs.items() if info.in_runs_alone and not info.further}
        others = {name: info for name, info in outputs.items() if name not in events}
        known = events | (super().treated(others).keys() if not events or others.keys() - events else set())
        return {name: info for name, info in outputs.items() if name in known}
