"""Work done by a process of its own: what it loads does not stay in this one, and what a model does to its process does no harm here."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection, Pipe
from typing import Any, NamedTuple

from uqmbd.errors import StudyError
from uqmbd.interrupts import held, shield
from uqmbd.processes import adopt_orphans, descendants, end_with_parent, kill
from uqmbd.simulators.limit import TELL, Begun, Over, margin
from uqmbd.simulators.model import describe

LOG = logging.getLogger("uqmbd")
START = (
    "import pickle, sys; from multiprocessing.connection import Connection; link = Connection(int(sys.argv[1])); "
    "sys.path[:], sys.argv[:] = pickle.loads(link.recv_bytes()); from uqmbd.simulators.apart import answer; answer(link)"
)
AWAY: list[Connection] = []  # in such a process the way to the one that waits


class Ended(Exception):
    """The process ended before it had an answer; the text says how."""


class Late(Exception):
    """The process was ended since a run in it was over its limit of time."""


class Elsewhere(Exception):
    """Where in another process something was raised: the text of its traceback."""


class Returned(NamedTuple):
    """What a function returned."""

    value: Any


class Raised(NamedTuple):
    """What a function raised, and where."""

    error: BaseException
    where: str


class Logged(NamedTuple):
    """What was logged meanwhile."""

    level: int
    text: str


class ToParent(logging.Handler):
    """What is logged is said to the process that waits for the answer."""

    def __init__(self, say: Callable[[Any], None]) -> None:
        super().__init__()
        self.say = say

    def emit(self, record: logging.LogRecord) -> None:
        """Say it."""
        self.say(Logged(record.levelno, record.getMessage()))


def packed(work: Any) -> bytes:
    """Work for another process, with the functions of scripts and notebooks by value.

    Raises
    ------
    StudyError
        When it cannot be sent, because of what the model holds.
    """
    import cloudpickle

    try:
        try:
            return cloudpickle.dumps(work)
        except pickle.PicklingError as error:
            if not isinstance(error.__cause__, RecursionError):
                raise
            with ThreadPoolExecutor(1) as fresh:  # where nothing has been called yet
                return fresh.submit(cloudpickle.dumps, work).result()
    except Exception as error:
        raise StudyError(
            f"the model holds what cannot be sent to worker processes: {describe(error)}",
            key="study.model",
            remedy='write the model into a file of its own and name it, "model.py:function"; or run it in this process, with workers = 0',
        ) from error


class Process:
    """Another process, which calls a function and says what comes of it; it is ended when a run in it is over its limit."""

    def __init__(self, work: bytes) -> None:
        self.link, there = Pipe()
        words = [sys.executable, "-c", START, str(there.fileno())]
        with held():
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, pass_fds=[there.fileno()])
        there.close()
        self.until: list[float] = []  # when it is ended: for each run, or block of runs, that it is in
        try:
            self.link.send_bytes(pickle.dumps((sys.path, sys.argv)))
            self.link.send_bytes(work)
        except OSError:
            pass  # it has ended, which `hear` says

    def hear(self) -> Any:
        """What it says next, but what it logs, which is logged here.

        Raises
        ------
        Ended
            The process has ended.
        Late
            It was ended since a run in it was over its limit.
        """
        while True:
            try:
                if not self.link.poll(max(min(self.until) - time.monotonic(), 0.0) if self.until else None):
                    self.end()
                    raise Late
                said = pickle.loads(self.link.recv_bytes())
            except (EOFError, OSError, pickle.UnpicklingError):
                code = self.process.wait()
                self.end()
                raise Ended(f"by signal {signal.Signals(-code).name}" if code < 0 else f"with code {code}") from None
            except BaseException:
                self.end()
                raise
            if isinstance(said, Logged):
                LOG.log(*said)
            elif isinstance(said, Begun):
                self.until.append(time.monotonic() + said.limit + margin(said.limit))
            elif isinstance(said, Over):
                self.until.pop()
            else:
                return said

    def end(self) -> None:
        """End it, and all that it has started."""
        started = descendants(self.process.pid) if self.process.poll() is None else []
        self.process.kill()
        kill(started)
        self.process.wait()
        self.link.close()


def apart(function: Callable[[], Any]) -> Any:
    """What a function, which cloudpickle can send, returns when another process calls it; what it raises is raised here.

    Raises
    ------
    Ended
        The process has ended without an answer.
    Late
        It was ended: a run in it was over its limit (`uqmbd.simulators.limit.time_limit`).
    """
    process = Process(packed(function))
    said = process.hear()
    process.process.wait()
    process.end()
    return value_of(said)


def value_of(said: Returned | Raised) -> Any:
    """What was returned; what was raised is raised."""
    if isinstance(said, Raised):
        raise said.error from Elsewhere(said.where)
    return said.value


def answer(link: Connection) -> None:
    """Call the function that comes first, and give what comes of it to the process that waits."""
    import cloudpickle

    end_with_parent()
    shield()
    adopt_orphans()
    AWAY.append(link)
    os.dup2(2, 1)  # what a model prints is no result of the command
    TELL.append(lambda what: link.send_bytes(cloudpickle.dumps(what)))
    LOG.addHandler(ToParent(TELL[0]))
    LOG.setLevel(logging.INFO)
    try:
        function = pickle.loads(link.recv_bytes())
        found: Returned | Raised = Returned(function())
    except BaseException as error:
        found = Raised(error, traceback.format_exc())
    TELL[0](found)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads of a model are not waited for
