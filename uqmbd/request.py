"""What a method asks for, what it sees of what that cost, and what a method's run has by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from uqmbd.errors import StudyError

Control = tuple[tuple[str, float], ...]  # names and values, by name
RUNS = "method"


@dataclass(frozen=True, eq=False)
class Request:
    """Runs that a method asks for.

    Attributes
    ----------
    samples : dict of str to ndarray, shape (n,)
        Inputs, SI.
    control : dict of str to ndarray, shape (n,)
        What a run is made with besides its inputs: a level, a tolerance, a mesh, a step. Part of what makes two runs the same.
    start : ndarray of int, shape (n,), optional
        Numbers of the runs from whose ends these go on, counted in the order in which the method asked for them; -1: from time zero.
    keep_state : bool
        Whether the ends of these runs are kept, for others to go on from.
    """

    samples: Mapping[str, np.ndarray]
    control: Mapping[str, Any] = field(default_factory=dict)
    start: np.ndarray | None = None
    keep_state: bool = False

    @classmethod
    def of(cls, asked: Request | Mapping[str, np.ndarray]) -> Request:
        """As arrays; of samples alone too.

        Raises
        ------
        StudyError
            If a control is no number, or not one for each run.
        """
        asked = asked if isinstance(asked, Request) else cls(asked)
        samples = {name: np.asarray(values, np.float64) for name, values in asked.samples.items()}
        n, control = len(next(iter(samples.values()))), {}
        for name in sorted(asked.control):
            values = np.asarray(asked.control[name])
            if values.dtype.kind not in "fiu" or values.shape not in ((), (n,)) or not np.isfinite(values).all():
                text = f"the control '{name}' of {n} runs is {asked.control[name]!r}"
                raise StudyError(text, key=RUNS, remedy="give one finite number, or one for each run")
            control[name] = np.broadcast_to(values, n).astype(np.float64)
        start = asked.start if asked.start is None else np.asarray(asked.start, np.int64)
        if start is not None and start.shape != (n,):
            raise StudyError(f"{n} runs have a start of shape {start.shape}", key=RUNS, remedy="give the number of a run for each, or -1")
        return cls(samples, control, start, bool(asked.keep_state))

    @property
    def runs(self) -> int:
        """How many."""
        return len(next(iter(self.samples.values())))

    def controls(self) -> tuple[np.ndarray, list[Control]]:
        """The number (n,) of each run's control in a list of the different ones, which are sorted."""
        if not self.control:
            return np.zeros(self.runs, np.int64), [()]
        each, at = np.unique(np.column_stack(list(self.control.values())), axis=0, return_inverse=True)
        return at.reshape(-1), [tuple(zip(self.control, row, strict=True)) for row in each.tolist()]

    def part(self, at: slice) -> Request:
        """Some of the runs."""
        samples, control = ({name: values[at] for name, values in each.items()} for each in (self.samples, self.control))
        return Request(samples, control, None if self.start is None else self.start[at], self.keep_state)


class Samples(dict[str, np.ndarray]):
    """Inputs of runs that a method is told, and beside them the controls that it gave these runs.

    Attributes
    ----------
    control : dict of str to ndarray, shape (n,)
    """

    def __init__(self, samples: Mapping[str, np.ndarray], control: Mapping[str, np.ndarray]) -> None:
        super().__init__(samples)
        self.control = control

    def without(self, names: Collection[str]) -> Samples:
        """Without some of the inputs."""
        return Samples({name: values for name, values in self.items() if name not in names}, self.control)


def samples_of(given: Mapping[str, np.ndarray]) -> Samples:
    """The same of samples that come without controls."""
    return given if isinstance(given, Samples) else Samples(given, {})


@dataclass(frozen=True)
class Cost:
    """Runs with one control, and the seconds of wall time that they took, as they are stored: a resumed study has the same."""

    runs: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Progress:
    """What is known of the runs that were told so far.

    Attributes
    ----------
    runs, failed : int
    seconds : float
        Wall time that they took.
    cost : dict of Control to Cost
        The same by control: ``cost[(("level", 2.0),)].seconds``; ``()`` are runs without one.
    """

    runs: int = 0
    failed: int = 0
    seconds: float = 0.0
    cost: Mapping[Control, Cost] = field(default_factory=dict)


def measured_costs(cost: Mapping[Control, Cost], control: str, values: np.ndarray) -> np.ndarray:
    """Seconds of a run with each of the `values` (n,) of a control, (n,); the same for all where one of them is not known."""
    each = [cost.get(((control, value),), Cost()) for value in values.tolist()]
    known = [one.seconds / one.runs for one in each if one.runs and one.seconds > 0]
    return np.array(known) if len(known) == len(each) else np.ones(len(each))


class Sampler:
    """One use of a method: a pure function of settings, inputs, seed and what it was told.

    A method writes `ask`, `tell` and `result`; the rest is as it is here unless it says something else.

    Attributes
    ----------
    reduce : callable or None
        ``reduce(samples, outputs, status) -> partial``, arrays by name; of runs whose histories are not kept `tell_reduced` hears of these.
        Its samples have the controls as those of `tell`.
    names_outputs : bool
        Whether the arrays of a partial say which outputs they are of.
    """

    names_outputs: bool = False
    reduce: Callable[..., dict[str, np.ndarray]] | None = None

    def ask(self) -> Request | Mapping[str, np.ndarray] | None:
        """The next runs, or samples ``{input: (n,)}`` in SI units, or None when finished; all runs asked for so far must have been told."""
        raise NotImplementedError

    def tell(self, samples: Mapping[str, np.ndarray], outputs: Mapping[str, np.ndarray], status: np.ndarray) -> None:
        """Outcomes of a batch, in run order; a batch never mixes two asks. Controls are in ``samples.control``, see `Samples`."""
        raise NotImplementedError

    def result(self) -> Any:
        """A `uqmbd.result.Result`: what follows from all that was told; failed runs are counted in its attributes."""
        raise NotImplementedError

    def watch(self) -> None:
        """Somebody looks on: `so_far` will be asked for while runs are missing."""

    def so_far(self) -> Any:
        """What follows from the runs that were told, which are a part of those asked for; None where nothing does."""
        return self.result()

    def hear(self, progress: Progress) -> None:
        """What is known before the next ask."""

    def tell_reduced(self, partial: Mapping[str, np.ndarray]) -> None:
        """Take in what `reduce` made of a batch, in run order."""
        raise NotImplementedError

    def arranged(self, partial: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray] | None:
        """A stored partial as this study would have made it; None where it lacks something."""
        return partial

    def suffices(self, partial: Mapping[str, np.ndarray], first: int) -> bool:
        """True if a partial of the runs from number `first` on, made with other settings of the same `reduce_key`, is enough."""
        return True


class Plain(Sampler):
    """A run that has `ask`, `tell` and `result`, and of the rest of a `Sampler` what it has: plug-ins need no base class."""

    def __init__(self, run: Any) -> None:
        self.run = run
        for name in ("ask", "tell", "result", "watch", "so_far", "reduce", "tell_reduced", "arranged", "suffices", "hear"):
            if (own := getattr(run, name, None)) is not None:
                setattr(self, name, own)
        self.names_outputs = hasattr(run, "arranged")

    def hear(self, progress: Progress) -> None:
        """What runs of before have heard of it: the seconds."""
        if hasattr(self.run, "spent"):
            self.run.spent(progress.seconds)


def sampler(run: Any) -> Sampler:
    """A method's run with all that a `Sampler` has."""
    return run if isinstance(run, Sampler) else Plain(run)
