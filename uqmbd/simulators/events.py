"""Outputs that the runs alone have: of several axes (fields), and of a number of values that each run has for itself (events).

A method may treat what they are reduced to, a number. NaN in them is a value that is missing, and no failure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.errors import did_you_mean
from uqmbd.outcomes import TIME, Axis


@dataclass(frozen=True, eq=False)
class Events:
    """What a model returns for an output of which each run has its own number of values: at impacts, at hits of a Poincaré section.

    Attributes
    ----------
    values : array of shape (events,)
        In their order; there may be none. NaN is a value that is missing, and none where nothing follows it.
    axis : str
        What is counted: ``"hit"``. Outputs may share it.
    unit : str
        Unit of the values; a word for reports, as it is.

    Examples
    --------
    >>> import numpy as np
    >>> import uqmbd as uq
    >>> def bounces(height, restitution):
    ...     speed, found = np.sqrt(2 * 9.81 * height), []
    ...     while speed > 0.5:
    ...         found.append(speed)
    ...         speed *= restitution
    ...     return {"impact": uq.Events(found, "bounce", unit="m/s")}
    """

    values: Any
    axis: str
    unit: str = ""


def is_field_or_events(over: Any) -> bool:
    """Whether an output over this, an axis, several, or none, is in the runs alone."""
    return isinstance(over, tuple) or (over is not None and over.varying)


def padded(rows: Sequence[np.ndarray]) -> np.ndarray:
    """Values of which each row has its own number as (rows, longest), NaN behind the last."""
    found = np.full((len(rows), max((len(row) for row in rows), default=0)), np.nan)
    for i, row in enumerate(rows):
        found[i, : len(row)] = row
    return found


REDUCTIONS: dict[str, Callable[[np.ndarray], float]] = {  # of the values that are there, one or more, in their order
    "max": np.max,
    "min": np.min,
    "abs_max": lambda values: np.abs(values).max(),
    "mean": np.mean,
    "rms": lambda values: np.sqrt(np.mean(values**2)),
    "std": np.std,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}
COUNT = "count"  # of no values as well
CHAOS = "chaos_k"  # of events: K of the 0-1 test of their second half, 1 of chaos and 0 of regular motion
PURE = (COUNT, CHAOS)  # numbers without a unit


def reductions_of(over: Any) -> tuple[str, ...]:
    """What such an output can be reduced to; of a field there is no first value."""
    names = (COUNT, *REDUCTIONS, CHAOS)
    return tuple(name for name in names if name not in ("first", "last", CHAOS)) if isinstance(over, tuple) else names


def shape_of(over: Any, time: np.ndarray | None) -> tuple[int, ...] | None:
    """Shape of one run's field; None of events."""
    if not isinstance(over, tuple):
        return None
    times = np.empty(0) if time is None else time
    return tuple(len(times if axis == TIME else axis.values) for axis in over)


def fault_of(name: str, how: str, window: str, over: Any) -> tuple[str, str] | None:
    """What is wrong with a reduction of such an output, and what helps; None for one that there is."""
    known = reductions_of(over)
    if window:
        return f"'{name}' has a window, and its values have no time", "leave the window out"
    if how and how not in known:
        return f"there is no reduction {how!r} of {'a field' if isinstance(over, tuple) else 'events'}", did_you_mean(how, known)
    return None


def reduce_values(how: str, values: np.ndarray) -> float:
    """One number of a run; NaN where it is of no value."""
    there = values[np.isfinite(values)]
    if how == COUNT:
        return float(len(there))
    if how == CHAOS:
        from uqmbd.simulators.zero_one import chaos_k

        return chaos_k(there)
    return float(REDUCTIONS[how](there)) if len(there) else np.nan


def why_none(how: str, of: str, values: np.ndarray, otherwise: str) -> str:
    """Why a reduction has no number, NaN, of a run with these values of the output `of`; `otherwise` where it has no values."""
    if how != CHAOS:
        return otherwise
    from uqmbd.simulators.zero_one import LEAST

    count = int(np.isfinite(values).sum())
    if count < 2 * LEAST:
        return f"the 0-1 test leaves out the first half of '{of}', and needs {2 * LEAST} values; the run has {count}"
    return f"'{of}' changes too little from value to value for the 0-1 test, which needs points of a section"


def axes_of_field(names: Any, grids: Any, units: Any) -> tuple[Axis, ...]:
    """The axes of a field: ``("time", "place")`` with their grids, None for the study's times."""
    units = units or ("",) * len(names)
    if not len(names) == len(grids) == len(units):
        raise ValueError("as many names of axes as grids, and units if there are any")
    pairs = zip(names, grids, units, strict=True)
    return tuple(TIME if name == TIME.name else Axis(str(name), grid, unit) for name, grid, unit in pairs)
