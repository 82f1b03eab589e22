"""The sections of a study that are plain settings."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field

from uqmbd.inputs.checked import Checked, Number


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
    points: int = Field(default=201, ge=2)

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

    workers: int | None = Field(default=None, ge=0, le=4096)
    seed: int = Field(default=1, ge=0)
    batch: int | None = Field(default=None, ge=1)
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
