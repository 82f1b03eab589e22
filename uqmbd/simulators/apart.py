"""Work done by a process of its own: what it loads does not stay in this one, and what a model does to its process does no harm here."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

from uqmbd.errors import StudyError
from uqmbd.simulators.model import describe

LOG = logging.getLogger("uqmbd")
START = "import pickle, sys; sys.path[:], sys.argv[:] = pickle.load(sys.stdin.buffer); from uqmbd.simulators.apart import answer; answer()"
AWAY: list[bool] = []  # not empty in such a process


class Ended(Exception):
    """The process ended before it had an answer; the text says how."""


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
        return cloudpickle.dumps(work)
    except Exception as error:
        raise StudyError(
            f"the model holds what cannot be sent to worker processes: {describe(error)}",
            key="study.model",
            remedy='write the model into a file of its own and name it, "model.py:function"; or run it in this process, with workers = 0',
        ) from error


def apart(function: Callable[[], Any]) -> Any:
    """What a function, which cloudpickle can send, returns when another process calls it; what it raises is raised here.

    Raises
    ------
    Ended
        The process has ended without an answer.
    """
    work = pickle.dumps((sys.path, sys.argv)) + packed(function)
    with subprocess.Popen([sys.executable, "-c", START], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            process.stdin.write(work)
            process.stdin.close()
            while isinstance(said := pickle.load(process.stdout), Logged):
                LOG.log(*said)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code = process.wait()
            raise Ended(f"by signal {signal.Signals(-code).name}" if code < 0 else f"with code {code}") from None
        except BaseException:
            process.kill()
            raise
    if isinstance(said, Raised):
        raise said.error from Elsewhere(said.where)
    return said.value


def answer() -> None:
    """Call the function that stands in the standard input, and give what comes of it to the process that waits."""
    import cloudpickle

    AWAY.append(True)
    channel = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a model prints is no answer

    def say(what: Any) -> None:
        channel.write(cloudpickle.dumps(what))
        channel.flush()

    LOG.addHandler(ToParent(say))
    LOG.setLevel(logging.INFO)
    try:
        function = pickle.load(sys.stdin.buffer)
        found: Returned | Raised = Returned(function())
    except KeyboardInterrupt:
        os._exit(130)
    except BaseException as error:
        found = Raised(error, traceback.format_exc())
    say(found)
