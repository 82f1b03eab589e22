"""One table of a result: its name, caption, numbers and units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from uqmbd.tables.outputs import unit_said

if TYPE_CHECKING:
    import pandas as pd

    from uqmbd.result_data import ResultData


@dataclass(frozen=True)
class Frame:
    """One table: its file's name, a caption, the numbers, and the unit of each column that has one (the index included)."""

    key: str
    caption: str
    table: pd.DataFrame
    units: Mapping[str, str] = field(default_factory=dict)


def unit_of_output(result: ResultData, name: str) -> str:
    """Unit as it is stored, from the first group that says it."""
    return next((unit for _, group in result.groups() if (unit := unit_said(group, name))), "")
