"""Whose runs say how outputs scatter, where those of several models or levels are in one study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from uqmbd.method_facts import FromAttributes


@dataclass(frozen=True)
class OfModel(FromAttributes):
    """Of runs of several models, or levels, the controls of those that say how the outputs scatter, and how many are ok.

    It is all runs where that is empty.
    """

    scatter_of: Mapping[str, float] = field(default_factory=dict)
    scatter_runs: int = 0

    @property
    def said(self) -> str:
        """``step 0.001``."""
        return ", ".join(f"{control} {value:g}" for control, value in self.scatter_of.items())
