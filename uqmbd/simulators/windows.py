"""What the name of an output asks for: ``name:reduction@window``, and values over an axis reduced as it says.

A window is a part of the axis, ``0.1..``, ``..0.3``, ``100 ms..300 ms``; of time also ``last turn of crank.angle``, the last whole turn
of an angle in rad, counted from where it stands at the start. Values between the points of the axis are on straight lines. Simulators
with steps of their own reduce over these; what is here is for models that return arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.outcomes import TIME, Axis
from uqmbd.simulators.curve import REDUCTIONS, reductions_over

PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)")
LAST_TURN = re.compile(r"last turn of (\S.*)")
NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*)")
WRITTEN = 'write "@0.1..", "@0.1..0.3", "@100 ms..300 ms", or "@last turn of crank.angle"'
WHOLE = 1.0 - 1e-6  # of a turn


class NotTurned(ValueError):
    """An angle makes no whole turn."""


@dataclass(frozen=True)
class OutputName:
    """Parts of an output's name: what the model calls it, its reduction and its window, ``""`` where there is none."""

    base: str
    how: str = ""
    window: str = ""

    @property
    def name(self) -> str:
        """The name as a study has it."""
        return self.base + (f":{self.how}" if self.how else "") + (f"@{self.window}" if self.window else "")

    @property
    def is_place(self) -> bool:
        """Whether it is where on the axis something happens: ``time_of_max``."""
        return "_of_" in self.how

    @property
    def percentile(self) -> float | None:
        """The 95 of ``p95``."""
        found = PERCENTILE.fullmatch(self.how)
        return float(found[1]) if found and float(found[1]) <= 100.0 else None

    @property
    def angle(self) -> str:
        """The output whose last turn is the window."""
        found = LAST_TURN.fullmatch(self.window)
        return found[1] if found else ""


def read_name(name: str) -> OutputName:
    """The parts of an output's name."""
    base, _, rest = name.partition(":")
    how, _, window = rest.partition("@")
    return OutputName(base, how, window.strip())


def check_reduction(name: str, axis: Axis | None, time: np.ndarray | None) -> None:
    """Raise `StudyError` for a reduction or a window that there is not over an axis of its own, or else (None) over time."""
    parts, known = read_name(name), reductions_over(axis)
    where = "" if axis is None else f" over {axis.name}"
    if not parts.how:
        return
    if parts.how not in known and parts.percentile is None:
        raise wrong(f"there is no reduction {parts.how!r}{where}", name, did_you_mean(parts.how, [*known, "p95"]))
    if axis is None and time is None:
        raise lacks_times(name)
    if "@" in name:
        if parts.how == "final":
            raise wrong("the final value has no window", name, "leave the window out")
        if parts.angle and axis is not None:
            raise wrong(f"a turn is a part of the time, and '{parts.base}' is over {axis.name}", name, f"write @1..2, in {axis.label}")
        if not parts.angle:
            window(name, axis or over_time(time))


def over_time(time: np.ndarray | None) -> Axis:
    """The axis of histories."""
    return Axis(TIME.name, np.zeros(0) if time is None else time, TIME.unit)


def wrong(text: str, name: str, remedy: str) -> StudyError:
    """The error for an output that cannot be had."""
    return StudyError(text, key="outputs.include", value=name, remedy=remedy)


def lacks_times(name: str) -> StudyError:
    """The error for a reduction over time in a study without times."""
    remedy = "add a section [time] with end and points, or return a uqmbd.Curve, which has an axis of its own"
    return wrong("a reduction over time needs times", name, remedy)


def window(name: str, axis: Axis) -> tuple[float, float]:
    """Begin and end of the window of an output, in the unit of its axis, both within it."""
    text, grid = read_name(name).window, axis.values
    begin, dots, end = text.partition("..")
    if not dots or not begin.strip() + end.strip():
        raise wrong(f"'{text}' is no window of {axis.name}", name, WRITTEN)
    first, last = (place(each, usual, name, axis) for each, usual in ((begin, grid[0]), (end, grid[-1])))
    if not first < last and (end.strip() or first < grid[-1]):
        raise wrong(f"the window '{text}' does not end after its begin", name, WRITTEN)
    slack = 1e-9 * (grid[-1] - grid[0])
    if first < grid[0] - slack or last > grid[-1] + slack or first >= grid[-1]:
        text = f"the window '{text}' is not within {axis.name} from {grid[0]:g} to {grid[-1]:g} {axis.unit}".rstrip()
        raise wrong(text, name, "choose one within it; @0.1.. goes on to its end")
    return max(first, float(grid[0])), min(last, float(grid[-1]))


def place(text: str, usual: float, name: str, axis: Axis) -> float:
    """A place on an axis, written as a number with or without a unit; `usual` where nothing is written."""
    if not (text := text.strip()):
        return float(usual)
    if (found := NUMBER.fullmatch(text)) is None:
        raise wrong(f"'{text}' is no place on the axis {axis.name}", name, WRITTEN)
    unit = found[2].strip()
    if not unit or unit == axis.unit:
        return float(found[1])
    from uqmbd.inputs.units import to_si

    try:
        ours, own = to_si(unit), to_si(axis.unit)
    except StudyError as error:
        raise wrong(f"the window has an unknown unit: {error.message}", name, WRITTEN) from None
    if ours.unit != own.unit:
        raise wrong(f"a window of {axis.label} cannot be in {unit}", name, f"write it in {axis.unit or 'the numbers of the axis'}")
    return float(own.back(float(found[1]) * ours.factor + ours.offset))


def reduced(name: str, values: np.ndarray, axis: Axis | None, time: np.ndarray | None, angle: Callable[[str], np.ndarray]) -> np.ndarray:
    """Values (..., points) over their own axis, or else (None) over time, reduced as the name says: (...); NaN where one is missing.

    Parameters
    ----------
    angle : function
        Values, of the same shape, of the output whose last turn is the window.

    Raises
    ------
    NotTurned
        If the angle of one run makes no whole turn; of several the result is NaN there.
    """
    parts = read_name(name)
    axis = axis or over_time(time)
    if (missing := np.isnan(values).any(axis=-1)).all():
        return np.full(values.shape[:-1], np.nan)
    if parts.angle:
        found = over_turns(parts, values, axis.values, angle(parts.angle))
    elif parts.window:
        found = reduce(parts, *cut(values, axis.values, *window(name, axis)), axis)
    else:
        found = reduce(parts, values, axis.values, axis)
    return np.where(missing, np.nan, found) if missing.any() else found


def reduce(parts: OutputName, values: np.ndarray, grid: np.ndarray, axis: Axis | None = None) -> np.ndarray:
    """Values (..., points) at the points of a grid as one number each."""
    if parts.percentile is not None:
        return percentile(parts.percentile, values, grid)
    own = None if axis is None or axis.name == TIME.name else axis
    return REDUCTIONS[reductions_over(own)[parts.how]](values, grid)


def over_turns(parts: OutputName, values: np.ndarray, grid: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """As `reduce`, each run within the last turn of its own angle."""
    if values.ndim == 1:
        return reduce(parts, *cut(values, grid, *last_turn(parts.angle, angles, grid)))
    found = np.full(len(values), np.nan)
    for i, (one, turning) in enumerate(zip(values, angles, strict=True)):
        if np.isfinite(turning).all():
            try:
                found[i] = over_turns(parts, one, grid, turning)
            except NotTurned:
                continue
    return found


def last_turn(name: str, angle: np.ndarray, grid: np.ndarray) -> tuple[float, float]:
    """When the last whole turn of an angle (rad) begins and ends, counted from where it stands at the start."""
    turned = np.maximum.accumulate(np.abs(angle - angle[0])) / (2.0 * np.pi)  # how far it has come
    whole = int(np.floor(turned[-1] / WHOLE))
    if whole < 1:
        raise NotTurned(f"'{name}' makes no whole turn, counted from where it stands at the start")
    keep = np.concatenate([[True], np.diff(turned) > 0])
    begin, end = np.interp([whole - 1.0, whole], turned[keep], grid[keep])
    return float(begin), float(end)


def cut(values: np.ndarray, grid: np.ndarray, begin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Values (..., points) between two places of the grid, and the grid there, with both ends, which are on straight lines."""
    points = np.concatenate([[begin], grid[(grid > begin) & (grid < end)], [end]])
    left = np.clip(np.searchsorted(grid, points, side="right") - 1, 0, len(grid) - 2)
    share = (points - grid[left]) / (grid[left + 1] - grid[left])
    return values[..., left] + share * (values[..., left + 1] - values[..., left]), points


def percentile(level: float, values: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """The value that is not passed over so many per cent of the axis; of an even grid that of `numpy.percentile`."""
    order = np.argsort(values, axis=-1)
    weights = np.gradient(grid)[order]
    places = np.cumsum(weights, axis=-1) - 0.5 * (weights + weights[..., :1])
    ordered = np.take_along_axis(values, order, axis=-1)
    flat = (x.reshape(-1, values.shape[-1]) for x in (places, ordered))
    found = [np.interp(0.01 * level * where[-1], where, each) for where, each in zip(*flat, strict=True)]
    return np.array(found).reshape(values.shape[:-1])


def matching(patterns: Iterable[str], available: Iterable[str]) -> list[str]:
    """Names in which ``*`` and ``?`` of outputs are filled in with what the model has, each once, in its order.

    Raises
    ------
    StudyError
        If nothing matches.
    """
    from fnmatch import fnmatchcase

    known, found = list(available), []
    for name in patterns:
        base, colon, rest = name.partition(":")
        if not is_pattern(name):
            found.append(name)
            continue
        some = [each for each in known if fnmatchcase(each, base.replace("[", "[[]"))]
        if not some:
            remedy = f"the model has {len(known)} outputs: {', '.join(known[:8])}{' ...' if len(known) > 8 else ''}"
            raise wrong(f"no output of the model matches '{base}'", name, remedy)
        found += [f"{each}{colon}{rest}" for each in some]
    return list(dict.fromkeys(found))


def is_pattern(name: str) -> bool:
    """Whether an output's name has ``*`` or ``?`` in it, to be filled in."""
    return bool(set("*?").intersection(name.partition(":")[0]))
