"""Running reductions of a signal, taken at every accepted step so that a peak between grid points is not lost.

While the motion is computed six sums are kept per signal (rows below); a reduction is a function of them at the end.  Those of a window,
``name:max@0.1..0.3`` or ``name:max@last turn of crank.angle``, have sums of their own.  Percentiles, ``name:p95``, are of the signal at the
study's times and between them.
"""

import re
from dataclasses import dataclass

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.stepping.names import INTEGRAL, LEAST, MOST, SQUARES, WHEN_LEAST, WHEN_MOST

REDUCTIONS = {
    "max": lambda sums, end, final: sums[MOST],
    "min": lambda sums, end, final: sums[LEAST],
    "abs_max": lambda sums, end, final: np.maximum(np.abs(sums[MOST]), np.abs(sums[LEAST])),
    "time_of_max": lambda sums, end, final: sums[WHEN_MOST],
    "time_of_min": lambda sums, end, final: sums[WHEN_LEAST],
    "mean": lambda sums, end, final: sums[INTEGRAL] / end,
    "rms": lambda sums, end, final: np.sqrt(np.maximum(sums[SQUARES], 0.0) / end),
    "final": lambda sums, end, final: final,
}
RUNNING = frozenset(REDUCTIONS) - {"final"}
OF_SUMS = frozenset(("mean",))  # what an integral over time decides: percussions have their share in it, whatever the step
PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)")
TURN = re.compile(r"last turn of (\S.*)")
SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0}
WRITTEN = 'write "@0.1..", "@0.1..0.3", "@100 ms..300 ms", or "@last turn of crank.angle"'


@dataclass(frozen=True)
class Window:
    """What a reduction is over: times, s, or the last whole turn of an angle, counted from where it stands at the start."""

    begin: float = 0.0
    end: float = np.inf
    angle: str = ""


def unit_of(reduction, unit):
    """Unit of a reduced signal."""
    return "s" if reduction.startswith("time_of") else unit


def percentile_of(reduction):
    """The 95 of ``p95``, or None."""
    found = PERCENTILE.fullmatch(reduction or "")
    return float(found[1]) if found and float(found[1]) <= 100.0 else None


def parts(output):
    """Name, reduction or None, and `Window` or None of an output.

    Raises
    ------
    ModelError
        If a window is none.
    """
    name, _, rest = output.partition(":")
    how, at, text = rest.partition("@")
    if "@" in name:
        remedy = f"name what it is reduced to within the window: {name.partition('@')[0]}:max@{name.partition('@')[2]}, say"
        raise ModelError(f"output '{output}': a history has no window", element=output, remedy=remedy)
    return name, how or None, _window(output, text.strip()) if at else None


def _window(output, text):
    if turn := TURN.fullmatch(text):
        return Window(angle=turn[1])
    begin, dots, end = text.partition("..")
    try:
        found = Window(_seconds(begin, 0.0), _seconds(end, np.inf))
    except ValueError:
        dots = ""
    if not dots or not begin.strip() + end.strip():
        raise ModelError(f"output '{output}': '{text}' is no window of time", element=output, remedy=WRITTEN)
    if not 0.0 <= found.begin < found.end:
        told = f"output '{output}': the window '{text}' does not end after its begin, from 0 s on"
        raise ModelError(told, element=output, remedy=WRITTEN)
    return found


def _seconds(text, usual):
    """A time that is written with its unit, s."""
    if not (text := text.strip()):
        return usual
    number = re.fullmatch(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S*)", text)
    if number is None or number[2] not in SECONDS:
        raise ValueError(text)
    return float(number[1]) * SECONDS[number[2]]


def percentile(level, values, times):
    """The value that a signal is below for so many per cent of the time, (runs,) of values (runs, times); times may be unevenly spread."""
    if len(times) < 2:
        return values[:, 0]
    order = np.argsort(values, axis=1)
    weights = np.gradient(times)[order]
    place = np.cumsum(weights, axis=1) - 0.5 * (weights + weights[:, :1])
    ordered = np.take_along_axis(values, order, axis=1)
    wanted = 0.01 * level * place[:, -1]
    return np.array([np.interp(w, x, y) for w, x, y in zip(wanted, place, ordered, strict=True)])
