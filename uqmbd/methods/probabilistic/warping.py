"""The setting ``warp``: on which time line histories are expanded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from uqmbd.analysis import event_alignment
from uqmbd.analysis.columns import Columns
from uqmbd.errors import StudyError, did_you_mean

ORDERS = {"linear": 1, "quadratic": 2}  # of the time maps
_SAID = (
    '"linear", "quadratic", "kinks", or a table: { kinks = "output" }, { crossings = "output", level = 0.0 }, { events = ["output", ...] }'
)


def warp_wanted(value: Any) -> str | dict[str, Any] | None:
    """`value` when it says how histories are brought onto one time line.

    ``linear`` and ``quadratic`` are stochastic time warping. The others align events: the kinks of each history itself, kinks or
    crossings of one history for all, or scalar outputs that are times of events (beyond the end of the histories: did not happen).
    """
    if value is None or (isinstance(value, str) and value in (*ORDERS, "kinks")):
        return value
    wrong = ValueError(f"warp is {_SAID}, not {value!r}")
    if not isinstance(value, Mapping):
        raise wrong
    table = dict(value)
    kind = [key for key in ("kinks", "crossings", "events") if key in table]
    if len(kind) != 1 or set(table) - {*kind, *(["level"] if kind == ["crossings"] else [])}:
        raise wrong
    named = table[kind[0]]
    if kind[0] == "events":
        if not isinstance(named, (list, tuple)) or not named or not all(isinstance(name, str) for name in named):
            raise wrong
        return {"events": list(named)}
    level = table.get("level", 0.0)
    if not isinstance(named, str) or isinstance(level, bool) or not isinstance(level, (int, float)) or not np.isfinite(level):
        raise wrong
    return {kind[0]: named} | ({"level": float(level)} if kind[0] == "crossings" else {})


def check_outputs(warp: str | dict[str, Any], columns: Columns) -> None:
    """Raise `StudyError` when the setting names outputs that are not there, or not of the kind it needs."""
    if not any(info.over_time for info in columns.outputs.values()):
        raise StudyError("there is no history to be warped: no output is over time", key="method.warp", remedy="remove warp")
    if isinstance(warp, str):
        return
    key = next(iter(warp))
    for name in warp["events"] if key == "events" else [warp[key]]:
        if name not in columns.outputs:
            remedy = did_you_mean(name, columns.outputs, noun="output")
            raise StudyError(f"there is no output '{name}' that would have events", key=f"method.warp.{key}", value=name, remedy=remedy)
        info = columns.outputs[name]
        if info.axis if key == "events" else not info.over_time:
            wanted = "a scalar output, the time of an event in s" if key == "events" else "a history"
            raise StudyError(f"the output '{name}' is not {wanted}", key=f"method.warp.{key}", value=name, remedy=f"name {wanted}")


def events_of(warp: str | dict[str, Any], columns: Columns, name: str, values: np.ndarray) -> np.ndarray:
    """Event times of the history `name` in the runs `values` (n, columns), s: (n, most), NaN where a run has fewer."""
    time = columns.time
    if warp == "kinks":
        return event_alignment.kinks(time, values[:, columns.slices[name]])
    if "kinks" in warp:
        return event_alignment.kinks(time, values[:, columns.slices[warp["kinks"]]])
    if "crossings" in warp:
        return event_alignment.crossings(time, values[:, columns.slices[warp["crossings"]]], warp["level"])
    told = np.column_stack([values[:, columns.slices[event].start] for event in warp["events"]])
    return np.sort(np.where((told > time[0]) & (told < time[-1]), told, np.nan), axis=1)
