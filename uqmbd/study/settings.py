"""The sections of a study that are plain settings."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field, field_validator

from uqmbd.inputs.checked import Checked, Number, Whole, plain_number


class TimeGrid(Checked):
    """Times at which histories are kept: ``TimeGrid(end=0.024, points=481)`` is 0 to 0.024 s.

    Attributes
    ----------
    end : float
        Last time [s].
    points : int
        Number of times, the first one is 0.
    """

    end: Number = Field(gt=0)
    points: Whole = Field(default=201, ge=2)

    def grid(self) -> np.ndarray:
        """Times, shape (points,) [s]."""
        return np.linspace(0.0, self.end, self.points)


class CampaignSettings(Checked):
    """How the runs are done.

    Attributes
    ----------
    workers : int, optional
        Processes; as many as there are processors unless said; 0 runs in this process.
    seed : int
        Of all random choices.
    batch : int, optional
        Runs handed to a worker at once; measured unless said.
    store : str
        ``all`` keeps every history, ``scalars`` only numbers and what the method needs of the histories.
    precision : str
        Type of stored histories: ``float32``, ``float64``, or ``auto``: float32 for methods that stream (statistics), float64 for others.
    timeout : float, optional
        Longest time a run may take [s] (Python functions and commands; the lane solver has ``solver.max_steps``).
    """

    workers: Whole | None = Field(default=None, ge=0, le=4096)
    seed: Whole = Field(default=1, ge=0)
    batch: Whole | None = Field(default=None, ge=1)
    store: Literal["all", "scalars"] = "all"
    precision: Literal["auto", "float32", "float64"] = "auto"
    timeout: Number | None = Field(default=None, gt=0)


class StudySection(Checked):
    """``[study]`` of a study file."""

    name: str | None = None
    model: str | None = None
    command: str | list[str] | None = None
    template: str | None = None
    result: str = "result.json"


class OutputsSection(Checked):
    """``[outputs]`` of a study file."""

    include: list[str]


class ReportSection(Checked):
    """``[report]`` of a study file: what the report shows besides what it finds by itself. Changing it does no run again.

    Attributes
    ----------
    orbits : list, optional
        Pairs of histories, x and y, and optionally what both are divided by, an input or a number: ``["B.ex", "B.ey", "clearance"]``.
        Unless said: every pair ``X.ex``, ``X.ey``.
    regimes : list of str, optional
        Histories that are codes 0, 1, ...; every ``X.regime`` unless said.
    regime_labels : list of str
        What the codes mean.
    fields : list
        Functions of the nominal run that return labelled arrays to draw: ``"model.py:pressure_map"``.
    needs : list of str
        Outputs that the nominal run has for them besides those of the study.
    """

    orbits: list[Any] | None = None
    regimes: list[str] | None = None
    regime_labels: list[str] = Field(default=["film", "mixed", "dry"], min_length=1, max_length=8)
    fields: list[Any] = []
    needs: list[str] = []

    @field_validator("orbits")
    @classmethod
    def _pairs(cls, orbits: list[Any] | None) -> list[Any] | None:
        for orbit in orbits or []:
            pair = isinstance(orbit, (list, tuple)) and len(orbit) in (2, 3) and all(isinstance(name, str) for name in orbit[:2])
            if not pair:
                raise ValueError(f"an orbit is two outputs and perhaps what they are divided by, not {orbit!r}")
            if len(orbit) == 3 and not isinstance(orbit[2], str) and plain_number(orbit[2]) <= 0:
                raise ValueError(f"an orbit cannot be divided by {orbit[2]!r}, which is not above 0")
        return None if orbits is None else [list(orbit) for orbit in orbits]

    @field_validator("fields", mode="before")
    @classmethod
    def _several(cls, fields: Any) -> Any:
        return fields if isinstance(fields, list) else [fields]
