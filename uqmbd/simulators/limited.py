"""Runs with a limit of time, made by a process of their own, which is ended where a run does not stop: it sleeps, waits, or holds on.

The process is kept from batch to batch, and ends by itself when nothing is asked of it. What was received before a run was stopped
stays; the runs after it are made by a new process.
"""

from __future__ import annotations

import atexit
import pickle
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import ERROR, TIMEOUT, sample_count
from uqmbd.simulators.apart import AWAY, Ended, Late, Process, Raised, packed, value_of
from uqmbd.simulators.limit import TELL
from uqmbd.simulators.model import Model

IDLE = 5.0  # s without a question after which the process ends
TRIES = 3  # starts without an answer to any question


class Run(NamedTuple):
    """What one run gave: its status and message, if it is ok the outputs, and where it ended if somebody asks."""

    status: int
    message: str
    outputs: dict[str, Any]
    state: Any = None


class Limited(Protocol):
    """What makes runs one by one; see `uqmbd.simulators.function.FunctionSimulator`."""

    @property
    def model(self) -> Model:
        """The function that is called."""
        ...

    @property
    def timeout(self) -> float | None:
        """Of one run [s]."""
        ...

    def run(self, function: Callable[..., Any], inputs: dict[str, float], start: list[Any] | None = None, /) -> Run:
        """One run, from a state if there is one in `start`."""
        ...


class Ready(NamedTuple):
    """A question was heard."""


KEPT: list[tuple[Any, Process]] = []  # a simulator and its process; one at most
ALONE = threading.RLock()


def runs_of(simulator: Limited, samples: Mapping[str, np.ndarray], states: list[Any] | None = None) -> Iterator[Run]:
    """The runs of a batch in order; `StudyError` when the process cannot be used."""
    n, done, failed, last = sample_count(samples), 0, 0, ""
    with ALONE:
        try:
            while done < n:
                process = process_of(simulator)
                try:
                    rest = {name: np.asarray(values[done:], np.float64) for name, values in samples.items()}
                    process.link.send_bytes(pickle.dumps((rest, states and states[done:])))
                    said = process.hear()
                except (Ended, OSError) as how:  # it ended, for want of a question, before it heard this one
                    said, last = None, str(how)
                if not isinstance(said, Ready):
                    forget()
                    failed += 1
                    if isinstance(said, Raised):
                        value_of(said)
                    if failed >= TRIES:
                        raise StudyError(f"the process for runs with a limit of time ends as it starts, {last}", key="campaign.timeout")
                    continue
                failed = 0
                try:
                    while done < n:
                        yield process.hear()
                        done += 1
                except Late:
                    forget()
                    yield Run(TIMEOUT, f"stopped after {simulator.timeout:g} s", {})
                    done += 1
                except Ended as how:
                    forget()
                    yield Run(ERROR, f"the model ended the process that ran it, {how}", {})
                    done += 1
        except BaseException:  # nobody hears the rest
            forget()
            raise


def process_of(simulator: Limited) -> Process:
    """The process that makes the runs of a simulator."""
    if KEPT and KEPT[0][0] is not simulator:
        forget()
    if not KEPT:
        KEPT.append((simulator, Process(packed(partial(serve, simulator)))))
    return KEPT[0][1]


def forget() -> None:
    """End the process that is kept."""
    while KEPT:
        KEPT.pop()[1].end()


def serve(simulator: Limited) -> None:
    """In the process: make the runs that are asked for, and say what each gave."""
    function, link, say = simulator.model.load(), AWAY[0], TELL[0]
    while link.poll(IDLE):
        try:
            samples, states = pickle.loads(link.recv_bytes())
        except EOFError:
            return
        say(Ready())
        for i in range(sample_count(samples)):
            say(simulator.run(function, {key: float(values[i]) for key, values in samples.items()}, states and [states[i]]))


atexit.register(forget)
