"""Which run reached furthest: the inputs behind the lowest and the highest bound of an output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from uqmbd.analysis.statistics.trust import FLOOR
from uqmbd.result_data import ResultData
from uqmbd.runs.piece import CONTROL
from uqmbd.tables.outputs import picked, widest


@dataclass(frozen=True)
class Extreme:
    """Where a bound of an output was reached.

    Attributes
    ----------
    inputs : dict of str to float
        Of the run that reached it, SI.
    value : float
        The bound, as runs reached it; unit of the output.
    at : int or None
        Of an output over an axis: at which point of it.
    time : float or None
        Where on the axis that is; of a history when [s].
    beyond : bool
        Whether it goes further where all runs agree, such as at the start of a history, which says nothing of inputs.
    extras : dict
        What of its run is no input, by the names of the columns of a store: controls, and the key of the run from whose end it went on.
    """

    inputs: dict[str, float]
    value: float
    at: int | None = None
    time: float | None = None
    beyond: bool = False
    extras: Mapping[str, Any] = field(default_factory=dict)

    @property
    def run(self) -> dict[str, Any]:
        """Inputs and extras: which run it is."""
        return {**self.inputs, **self.extras}

    @property
    def control(self) -> dict[str, float]:
        """What its method set of the run besides its inputs."""
        return {name.removeprefix(CONTROL): float(value) for name, value in self.extras.items() if name.startswith(CONTROL)}


def extreme_of(result: ResultData, name: str, bound: str, time: float | None = None) -> Extreme | None:
    """Where one bound of an output was reached; None where the result does not say.

    Parameters
    ----------
    result : Result
        With `worst` and `inner`; of membership levels the lowest counts.
    name : str
        An output.
    bound : str
        ``lower`` or ``upper``.
    time : float, optional
        Where on the axis of the output, of a history when [s]; where it reaches furthest unless said, of the points where runs differ.
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
    """At which point the upper (or the lower) end of a band reaches furthest while it has a width, and whether it goes further elsewhere.

    Parameters
    ----------
    lower, upper : ndarray, shape (points,)
        What runs reached.
    """
    reach = upper if up else -lower
    width = FLOOR * (np.nanmax(upper) - np.nanmin(lower))
    apart = np.where(upper - lower > width, reach, np.nan)
    if not np.isfinite(apart).any():
        return int(np.nanargmax(reach)), False
    return int(np.nanargmax(apart)), bool(np.nanmax(reach) > np.nanmax(apart))
