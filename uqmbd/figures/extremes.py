"""Which run reached furthest: the inputs behind the lowest and the highest bound of an output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from uqmbd.analysis.statistics.trust import FLOOR
from uqmbd.result_data import ResultData
from uqmbd.runs.chunk import CONTROL
from uqmbd.tables.outputs import picked, widest


@dataclass(frozen=True)
class Extreme:
    """Where a bound of an output was reached."""

    inputs: dict[str, float]  # of the run that reached it, SI
    value: float  # the bound, as runs reached it; unit of the output
    at: int | None = None  # at which point of the axis of the output, where it has one
    time: float | None = None  # where on the axis that is; of a history when [s]
    beyond: bool = False  # whether it goes further where all runs agree, as at the start of a history, which says nothing of inputs
    extras: Mapping[str, Any] = field(default_factory=dict)  # of a store's columns: controls, key of the run it went on from

    @property
    def run(self) -> dict[str, Any]:
        """Inputs and extras: which run it is."""
        return {**self.inputs, **self.extras}

    @property
    def control(self) -> dict[str, float]:
        """What its method set of the run besides its inputs."""
        return {name.removeprefix(CONTROL): float(value) for name, value in self.extras.items() if name.startswith(CONTROL)}


def extreme_of(result: ResultData, name: str, bound: str, time: float | None = None) -> Extreme | None:
    """Where one bound of an output, ``lower`` or ``upper``, was reached; None where the result does not say.

    Of membership levels the lowest counts. `time` is where on the axis of the output, of a history when [s]: unless said where it reaches
    furthest, of the points where runs differ.
    """
    if name not in result.worst or name not in result.inner:
        return None
    reached = picked(result.inner, name, bound=bound)
    if not np.isfinite(reached).any():
        return None
    if result.axis_of(name, "inner") is None:
        at_bound = picked(result.worst, name, bound=bound)
        if not np.isfinite(at_bound).all():
            return None
        inputs = map(str, result.worst.variables["input"].values)
        return Extreme(dict(zip(inputs, at_bound.tolist(), strict=True)), float(reached))
    both, places = widest(result.inner[name]), widest(result.worst[name]).sel(bound=bound)
    values = both.sel(bound=bound)
    axis, beyond = result.axis_of(name, "inner"), False
    if time is None:
        at, beyond = furthest(*both.sel(bound=["lower", "upper"]).transpose("bound", axis).values, up=bound == "upper")
    else:
        at = int(np.abs(values[axis].values - time).argmin())
    when = float(values[axis].values[at])
    values, places = values.isel({axis: at}), places.isel({axis: at})
    if not np.isfinite(places.values).all():
        return None
    inputs = {str(key): float(x) for key, x in zip(places["input"].values, places.values, strict=True)}
    return Extreme(inputs, float(values), at, when, beyond)


def furthest(lower: np.ndarray, upper: np.ndarray, *, up: bool) -> tuple[int, bool]:
    """At which point the upper (or the lower) end of a band (points,) reaches furthest where it has a width; whether it does elsewhere."""
    reach = upper if up else -lower
    width = FLOOR * (np.nanmax(upper) - np.nanmin(lower))
    apart = np.where(upper - lower > width, reach, np.nan)
    if not np.isfinite(apart).any():
        return int(np.nanargmax(reach)), False
    return int(np.nanargmax(apart)), bool(np.nanmax(reach) > np.nanmax(apart))
