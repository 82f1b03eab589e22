"""The times of a study's histories: an equal grid, and further times where something is known of the model, as measurements are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Protocol

import numpy as np

from uqmbd.analysis.base.time_grids import off_grid
from uqmbd.methods import Method
from uqmbd.simulators.model import Model
from uqmbd.simulators.times import may_have_times
from uqmbd.spec import TimeGrid


class Timed(Protocol):
    """A study, as far as its times follow from it."""

    @property
    def time(self) -> TimeGrid | None: ...
    @property
    def methods(self) -> Mapping[str, Method]:
        """By their labels."""
        ...

    @property
    def model(self) -> Model: ...


def further_times(study: Timed) -> np.ndarray:
    """Times that the methods, and the study itself, want besides those of the grid, where the model may have them; rising, s."""
    if study.time is None:
        return np.empty(0)
    wanted = [np.array(study.time.also, float)]
    wanted += [one.wanted_times(study.time.end) for one in study.methods.values() if hasattr(one, "wanted_times")]
    if not any(map(len, wanted)):
        return np.empty(0)
    found = off_grid(study.time.grid(), np.concatenate(wanted))
    return found if len(found) and may_have_times(study.model) else np.empty(0)


def plain_grid(study: Timed) -> np.ndarray | None:
    """The equal grid alone, (points,) [s]; None in a study without times."""
    return None if study.time is None else study.time.grid()


def grid_of(study: Timed) -> np.ndarray | None:
    """All of them, (points,) [s]; None in a study without times."""
    if study.time is None:
        return None
    return np.union1d(study.time.grid(), further_times(study))


def said_of_times(study: Timed) -> str:
    """What fixes the times of runs, as their identity has it: what is asked for, whether or not the model has it."""
    if study.time is None:
        return "none"
    further = further_times(study)
    more = f" and {len(further)} further ({hashlib.sha256(further.tobytes()).hexdigest()[:12]})" if len(further) else ""
    return f"{study.time.end!r} s, {study.time.points} points{more}"
