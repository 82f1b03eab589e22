"""What a batch of runs gave: outputs by name, and for each run a status and a sentence where it failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

STATUS = ("ok", "diverged", "timeout", "error")
OK, DIVERGED, TIMEOUT, ERROR = range(4)
SAME = 1e-12  # of the largest value of an axis: a smaller difference is rounding
WARNING = "warning: "  # with a name: what may be wrong with the model's numbers, without figures of single runs
DOUBT = "not trusted: "  # with an output's name the attribute of outcomes that says why its values are not to be relied on
NONNEGATIVE = "outputs that cannot be negative"  # attribute of outcomes: their names, with commas between
AT_MOST_ONE = "outputs that cannot exceed one"  # the same
STEP, ORDER = "fixed step [s]", "order of the step"  # attributes of outcomes whose steps in time are fixed
MEND = "mend what their messages say, narrow the inputs to where the model works"  # the remedy for failed runs


@dataclass(frozen=True, eq=False)
class Axis:
    """What an output is over: time, or an axis of its own, such as a frequency or an angle.

    Attributes
    ----------
    name : str
        The dimension's name in results.
    values : ndarray, shape (points,)
        Rising; in `unit`.
    unit : str
        ``""`` for none.
    """

    name: str
    values: np.ndarray
    unit: str = ""

    def __post_init__(self) -> None:
        values = np.array(self.values, np.float64)
        values.setflags(write=False)
        object.__setattr__(self, "values", values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Axis) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, bytes, str]:
        return self.name, self.values.tobytes(), self.unit

    @property
    def varying(self) -> bool:
        """Whether each run has its own number of values along it, which are counted."""
        return self.name != TIME.name and not len(self.values)

    @property
    def label(self) -> str:
        """Name and unit: ``frequency [Hz]``."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def fits(self, grid: np.ndarray) -> bool:
        """Whether `grid` has the values of the axis, up to rounding."""
        size = np.abs(self.values).max(initial=0.0)
        return grid.shape == self.values.shape and bool((np.abs(grid - self.values) <= SAME * size).all())


TIME = Axis("time", np.empty(0), "s")  # the study's time grid, whose values the study has


@dataclass(frozen=True)
class OutputInfo:
    """What is known of an output before the campaign.

    Attributes
    ----------
    unit : str
        SI unit, ``""`` when the simulator does not say.
    axis : Axis, tuple of Axis, or None
        What it is over: the study's times unless said (a history), an axis of its own (a curve), an axis without values (events, of which
        each run has its own number); None for one number a run. Several make a field; then this is the first of `axes`.
    meaning : str
        In words, where the simulator says it; no two infos differ by it.
    formulas : tuple of (str, str)
        Of a derived output: its formula, and those of the derived ones in it, each with its name.
    further : tuple of Axis
        Of a field: its other axes.
    may_miss : bool
        Whether an ok run may lack it, or some of its values along an axis, which are NaN: when something happens that need not happen, say.
        Of fields and events that always holds.
    """

    unit: str = ""
    axis: Any = TIME
    meaning: str = field(default="", compare=False)
    formulas: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    further: tuple[Axis, ...] = ()
    may_miss: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.axis, tuple):
            object.__setattr__(self, "further", self.axis[1:])
            object.__setattr__(self, "axis", self.axis[0] if self.axis else None)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """All that it is over."""
        return () if self.axis is None else (self.axis, *self.further)

    @property
    def over(self) -> Axis | tuple[Axis, ...] | None:
        """What it is over, as it was given."""
        return self.axes if len(self.axes) > 1 else self.axis

    @property
    def in_runs_alone(self) -> bool:
        """Whether no method treats it: fields, and events."""
        return in_runs_alone(self.shape(1))

    @property
    def over_time(self) -> bool:
        """Whether it is a history, over the study's times."""
        return self.axis is not None and self.axis.name == TIME.name

    @property
    def kind(self) -> str:
        """In words: ``number``, ``over time``, ``over frequency [Hz]``."""
        if self.in_runs_alone:
            return f"over {', '.join(axis.name for axis in self.axes)}" + ("" if len(self.axes) > 1 else ", in each run its own number")
        plain = "number" if self.axis is None else "over time" if self.over_time else f"over {self.axis.label}"
        return f"{plain}, may be missing" if self.may_miss else plain

    @property
    def noun(self) -> str:
        """What it is: ``a number``, ``a history``, ``a curve over frequency``."""
        if self.in_runs_alone:
            return "a field" if self.further else f"of a number of {self.axis.name}s that each run has for itself"
        return "a number" if self.axis is None else "a history" if self.over_time else f"a curve over {self.axis.name}"

    def shape(self, times: int) -> tuple[int, ...]:
        """Shape of one run's output, where the study has so many times; (0,) of events."""
        return tuple(times if axis.name == TIME.name else len(axis.values) for axis in self.axes)


@dataclass(frozen=True)
class Outcomes:
    """What a batch of `n` runs gave.

    Attributes
    ----------
    outputs : dict of str to ndarray
        ``(n,)`` for a number, ``(n, points)`` for a history or a curve; float64, NaN where the run failed (a history may
        hold what was computed before), and where it is missing (`OutputInfo.may_miss`).
        Of fields ``(n, points, points)``, of events ``(n, longest)``, NaN where there is no value.
    status : ndarray of int8, shape (n,)
        Index into `STATUS`.
    message : list of str
        One sentence a run, empty when ok.
    attributes : dict
        What was used (laws, integrator, tolerance ...), the same for all runs. Six keys have a meaning for studies: `DOUBT` and an
        output's name (a part of a sentence that says why its values are not to be trusted), `WARNING` and any name (a sentence on what
        may be wrong with the model's numbers; it may come with some batches only), `NONNEGATIVE` and `AT_MOST_ONE` (outputs whose bounds
        end there), `STEP` (s) and `ORDER` of steps in time that are fixed (see `uqmbd.simulators.base.Stepping`).
    states : list, or an object, optional
        Where the runs are now, for a simulator of the same model to go on from. In studies a list with plain data for each run (numbers,
        text, arrays, lists and dicts of these), None for one that failed.
    """

    outputs: dict[str, np.ndarray]
    status: np.ndarray
    message: list[str]
    attributes: dict[str, str | float] = field(default_factory=dict)
    states: Any = None


def in_runs_alone(shape: tuple[int, ...]) -> bool:
    """Whether an output of which one run has this shape is a field, or events: no method treats it."""
    return len(shape) > 1 or shape == (0,)


def sample_count(samples: Mapping[str, np.ndarray]) -> int:
    """Number of runs in a mapping of equally long sample arrays."""
    return len(next(iter(samples.values())))


def failed_outcomes(
    n: int, shapes: Mapping[str, tuple[int, ...]], status: int, message: str, attributes: Mapping[str, str | float] | None = None
) -> Outcomes:
    """`n` failed runs: NaN everywhere, one message for all. `shapes` holds the shape of one run's output."""
    return Outcomes(
        {name: np.full((n, *shape), np.nan) for name, shape in shapes.items()},
        np.full(n, status, np.int8),
        [message] * n,
        dict(attributes or {}),
    )


def concatenate(parts: list[Outcomes]) -> Outcomes:
    """Several batches as one; states that are lists, one for each run, as well."""
    if len(parts) == 1:
        return parts[0]
    states = [part.states for part in parts]
    return Outcomes(
        {name: joined([part.outputs[name] for part in parts]) for name in parts[0].outputs},
        np.concatenate([part.status for part in parts]),
        [message for part in parts for message in part.message],
        {key: value for part in parts for key, value in part.attributes.items()},
        [state for each in states for state in each] if all(isinstance(each, list) for each in states) else None,
    )


def picked(outcomes: Outcomes, order: list[int]) -> Outcomes:
    """Runs of a batch in another order."""
    return Outcomes(
        {name: values[order] for name, values in outcomes.outputs.items()},
        outcomes.status[order],
        [outcomes.message[i] for i in order],
        outcomes.attributes,
        [outcomes.states[i] for i in order] if isinstance(outcomes.states, list) else outcomes.states,
    )


def joined(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays one behind the other; of events, some of which have more than others, NaN behind the last."""
    longest = max(array.shape[1] if array.ndim == 2 else 0 for array in arrays)
    wide = [np.pad(one, ((0, 0), (0, longest - one.shape[1])), constant_values=np.nan) if one.ndim == 2 else one for one in arrays]
    return np.concatenate(wide)
