"""Section points of runs: the values of events, of curves, and of histories once a period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.outcomes import OutputInfo

SAME = 1e-6  # of the period: a time of the grid this near to a whole number of periods is that time
EVERY = slice(None)


@dataclass(frozen=True, eq=False)
class Section:
    """An output whose values, `at` these places of its axis, are section points in their order."""

    name: str
    unit: str
    at: slice | np.ndarray

    def points(self, values: np.ndarray, skip: int | None, keep: int) -> np.ndarray:
        """The last points (n, keep) of outputs (n, places), NaN behind the last; `skip` are left out first, or half of what is there."""
        values = np.asarray(values, float)[:, self.at]
        there = np.isfinite(values)
        count = there.sum(axis=1)
        values = np.take_along_axis(values, np.argsort(~there, axis=1, kind="stable"), axis=1)  # what is there, in its order
        first = np.maximum(count // 2 if skip is None else skip, count - keep)
        places = first[:, None] + np.arange(keep)
        beyond = places >= count[:, None]
        if not values.shape[1]:
            return np.full(places.shape, np.nan)
        return np.where(beyond, np.nan, np.take_along_axis(values, np.where(beyond, 0, places), axis=1))


def sections_of(
    outputs: Mapping[str, OutputInfo], names: Sequence[str], time: np.ndarray, period: float | None, whole: bool
) -> list[Section]:
    """The outputs that have section points.

    Parameters
    ----------
    outputs : dict of str to OutputInfo
    names : sequence of str
        Those that the study names; where there are none all events and, with a period, all histories; or else all curves.
    time : ndarray, shape (points,)
        Of histories, s.
    period : float or None
        Time between section points of histories, s.
    whole : bool
        Whether the end of the grid has to be a section point, for runs that go on there.

    Raises
    ------
    StudyError
        Where there are none, or the grid lacks their times.
    """
    for name in names:
        if name not in outputs:
            remedy = did_you_mean(name, outputs, noun="output")
            raise StudyError(f"there is no output '{name}' to have section points", key="method.sections", value=name, remedy=remedy)
        if list(names).count(name) > 1:
            raise StudyError(f"'{name}' is named twice", key="method.sections", value=list(names), remedy="name each once")
        if outputs[name].axis is None:
            text = f"'{name}' is one number, and section points are several in their order"
            raise StudyError(text, key="method.sections", value=name, remedy="name an output of events, a history or a curve")
        if outputs[name].over_time and period is None:
            text = f"'{name}' is a history, and nothing says when it passes its section"
            raise StudyError(text, key="method.period", remedy="give the time between section points in s: period = 0.04, say")
    varying = [name for name, info in outputs.items() if info.in_runs_alone]
    strobed = [name for name, info in outputs.items() if info.over_time and period is not None]
    curves = [name for name, info in outputs.items() if info.axis is not None and not info.over_time and not info.in_runs_alone]
    chosen = list(names) or [*varying, *strobed] or curves
    if not chosen:
        text = "no output has section points"
        remedy = "have the model return uqmbd.Events, or give the time between points of a history in s: period = 0.04, say"
        raise StudyError(text, key="method.sections", value=list(outputs), remedy=remedy)
    found = []
    for name in chosen:
        at = once_a_period(time, period, whole) if outputs[name].over_time and period is not None else EVERY
        found.append(Section(name, outputs[name].unit, at))
    return found


def no_points(sections: Sequence[str], ok: int, skip: int | None) -> StudyError:
    """That none of so many ok runs has a section point behind its transient."""
    text = f"none of {ok} ok runs has a section point of {', '.join(sections)} after its transient"
    remedy = f"let runs last longer{', lower skip' if skip else ''}, or lay the section where the motion crosses it"
    return StudyError(text, key="method.skip" if skip else "method.sections", value=skip or list(sections), remedy=remedy)


def once_a_period(time: np.ndarray, period: float, whole: bool) -> np.ndarray:
    """Places in `time` (points,) of whole numbers of periods, from one on.

    Examples
    --------
    >>> import numpy as np
    >>> once_a_period(np.linspace(0, 6, 13), 2.0, whole=True).tolist()
    [4, 8, 12]
    """
    end = float(time[-1]) if len(time) else 0.0
    count = int(end / period + SAME)
    if not count:
        text = f"the time grid ends at {end:g} s, before the first period"
        raise StudyError(text, key="method.period", value=period, remedy="make time.end longer, some hundred periods say")
    wanted = period * np.arange(1, count + 1)
    at = nearest(time, wanted)
    wrong = np.abs(time[at] - wanted) > SAME * period
    if wrong.any():
        text = f"the time grid has no point at {wanted[wrong][0]:.10g} s, after {int(np.flatnonzero(wrong)[0]) + 1} periods"
        remedy = (
            f"let time.end be a whole number of periods, {count * period:.10g} s say, and time.points one more than a multiple of {count}"
        )
        raise StudyError(text, key="method.period", value=period, remedy=remedy)
    if whole and abs(end - wanted[-1]) > SAME * period:
        text = f"runs go on from the end of the time grid, {end:.10g} s, which is no whole number of periods"
        raise StudyError(text, key="method.period", value=period, remedy=f"let time.end be {count * period:.10g} s")
    return at


def nearest(time: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Places in ascending `time` (points,) that are nearest to `wanted` (n,)."""
    after = np.clip(np.searchsorted(time, wanted), 1, len(time) - 1)
    return after - (wanted - time[after - 1] < time[after] - wanted)
