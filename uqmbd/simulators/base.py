"""What uqmbd knows of a solver: a batch of samples goes in, named outputs with a status for each run come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeGuard

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import Outcomes, OutputInfo


@dataclass(frozen=True)
class Moved:
    """The motion of some runs as a scene.

    Attributes
    ----------
    scene : dict
        What the page draws, for JSON: ``rows`` says which rows of the samples its runs are, the first the nominal one; ``still`` is the
        picture for print.
    time : ndarray, shape (times,)
        Of the histories [s].
    outputs : dict of str to ndarray
        Outputs of the runs of the scene, (runs,) or (runs, times); NaN from a failure on.
    """

    scene: dict[str, Any]
    time: np.ndarray
    outputs: dict[str, np.ndarray]


class Simulator(Protocol):
    """A picklable simulator: everything but the samples is fixed when it is made.

    Attributes
    ----------
    width : int
        Runs that are done side by side; batches should hold a multiple of it.
    """

    @property
    def width(self) -> int: ...

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """Build or run the model once and say what its outputs are; raise `StudyError` if it cannot work."""
        ...

    def simulate(self, samples: Mapping[str, np.ndarray]) -> Outcomes:
        """Run a batch. A run that fails is a status; only a model that can never work raises `StudyError`."""
        ...


class Controlled(Simulator, Protocol):
    """A simulator whose runs have controls: what a method sets of them besides their inputs, see `uqmbd.request.Request`."""

    def with_control(self, control: Mapping[str, float]) -> Simulator:
        """The same with a level, a mesh, a tolerance ... by name; `StudyError` for a name that it does not know."""
        ...


class Continuing(Simulator, Protocol):
    """A simulator whose runs can go on from where others have ended."""

    def go_on(self, samples: Mapping[str, np.ndarray], states: list[Any]) -> Outcomes:
        """Run a batch from states, one for each run, None for time zero.

        Then `Outcomes.states` says where each has come to: plain data (numbers, text, arrays, lists and dicts of these), None where it
        failed. The inputs may be others than those of the run that a state is of.
        """
        ...


class Stepping(Simulator, Protocol):
    """A simulator whose steps in time are fixed, which its outcomes say (`uqmbd.outcomes.STEP`): a study finds the error of the step."""

    def with_step(self, step: float) -> Stepping:
        """The same with another step, s."""
        ...


class Moving(Simulator, Protocol):
    """A simulator whose runs can be seen moving, in reports. Studies do without."""

    @property
    def time(self) -> np.ndarray | None:
        """Of the histories [s]."""
        ...

    def motion(
        self, samples: Mapping[str, np.ndarray], labels: Sequence[str], still: tuple[int, float], patience: float | None = None
    ) -> Moved:
        """Runs as a scene.

        Parameters
        ----------
        samples : mapping of str to ndarray, shape (n,)
            The nominal run, the further runs that are looked at, and those that make the region that all runs cover.
        labels : list of str
            What the first of them are called, which are looked at.
        still : (int, float)
            Number of the run, and the time [s], of the picture for print.
        patience : float, optional
            Seconds after which runs that are not done are left.
        """
        ...

    def page(self, samples: Mapping[str, np.ndarray], path: Path, title: str) -> Path:
        """Write a page on which the first of these runs moves, with the others as ghosts; its path."""
        ...


def controlled(simulator: Any, control: Mapping[str, float]) -> Any:
    """The simulator as a control wants it; `StudyError` where it takes none."""
    if not control:
        return simulator
    if not hasattr(simulator, "with_control"):  # of a simulator from outside
        text = f"the simulator {type(simulator).__name__} takes no control, and the method gives '{next(iter(control))}'"
        raise StudyError(text, key="study.simulator", remedy="give it `with_control(control)`, see uqmbd.simulators.base.Controlled")
    return simulator.with_control(dict(control))


def moves(simulator: Simulator) -> TypeGuard[Moving]:
    """Whether it is one of these."""
    return getattr(simulator, "motion", None) is not None
