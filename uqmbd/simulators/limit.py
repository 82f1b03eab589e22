"""Stop a Python function that runs too long, in whatever thread it runs; where it cannot be stopped, its process is (`apart`)."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

LEAST, MOST, PART = 0.5, 5.0, 0.1  # s, s, and share of a limit by which a run may be over it before its process is ended
TELL: list[Callable[[Any], None]] = []  # how this process tells the one that waits for it


class RunTimeout(BaseException):
    """A run took longer than `campaign.timeout`; no `Exception`, which a loop of a model may catch and go on."""


class Begun(NamedTuple):
    """A run has begun that may take so many seconds."""

    limit: float


class Over(NamedTuple):
    """It has ended."""


def margin(limit: float) -> float:
    """Seconds after a limit at which a process is ended that has not stopped by itself."""
    return min(max(LEAST, PART * limit), MOST)


def stopped(seconds: float) -> RunTimeout:
    """The exception, and the message of the run."""
    return RunTimeout(f"stopped after {seconds:g} s")


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `RunTimeout` in the block once `seconds` have passed, or at its end, however it ends, if they have (None: no limit).

    Dask runs tasks outside the main thread, where signals do not reach, so a watchdog thread raises the exception through the interpreter.
    It arrives between two bytecodes: a single call into compiled code, or one that waits, is not stopped by it. In a process that works
    for another one, that one hears of the limit and ends the process.
    """
    if seconds is None:
        yield
        return
    target = ctypes.c_ulong(threading.get_ident())
    over = threading.Lock()
    done = False

    def strike() -> None:
        with over:
            if not done:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(target, ctypes.py_object(RunTimeout))

    watchdog = threading.Timer(seconds, strike)
    watchdog.daemon = True
    tell(Begun(seconds))
    began = time.monotonic()
    watchdog.start()
    try:
        try:
            yield
        finally:
            with over:
                done = True
            watchdog.cancel()
            tell(Over())
    except RunTimeout:
        raise stopped(seconds) from None
    except BaseException as error:
        if time.monotonic() - began > seconds and not isinstance(error, KeyboardInterrupt):
            raise stopped(seconds) from error
        raise
    if time.monotonic() - began > seconds:
        raise stopped(seconds)


def tell(what: Any) -> None:
    """Tell the process that waits, if there is one."""
    if TELL:
        TELL[0](what)
