"""Stop a Python function that runs too long, in whatever thread it runs."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class RunTimeout(Exception):
    """A run took longer than `campaign.timeout`."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `RunTimeout` in the block once `seconds` have passed (None: no limit).

    Dask runs tasks outside the main thread, where signals do not reach, so a watchdog thread raises the exception through the interpreter.
    It arrives between two bytecodes: a single call into compiled code is stopped only when it returns.
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
    watchdog.start()
    try:
        yield
    except RunTimeout:
        raise RunTimeout(f"stopped after {seconds:g} s") from None
    finally:
        with over:
            done = True
        watchdog.cancel()
