"""Signals that end a command: Ctrl-C, SIGTERM (queues, containers) and SIGHUP (a terminal that closes) end it in good order."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from uqmbd.printing import near, say

ENDING = (signal.SIGTERM, signal.SIGHUP)
RECEIVED: list[int] = []  # the signal that ends this process, also where its exception was lost and Ctrl-C is sent after it
OWN: list[int] = []  # the process that has these handlers


class Stopped(KeyboardInterrupt):
    """A signal that ends the program, treated as Ctrl-C."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def heed_signals() -> None:
    """From now on these signals raise `Stopped`, once; one that is ignored, as by ``nohup``, stays so."""
    for number in ENDING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)
    OWN[:] = [os.getpid()]


def stop(number: int, frame: object) -> None:
    """Raise `Stopped`; more of the same does not disturb the end. In a process that a model has forked it does what it always does."""
    if leave_it(number):
        return
    for one in ENDING:
        signal.signal(one, signal.SIG_IGN)
    RECEIVED.append(number)
    raise Stopped(number)


def shield_tracker() -> None:
    """Start the process with which Python frees semaphores so that the end of a terminal does not end it first."""
    if signal.getsignal(signal.SIGHUP) is stop and threading.current_thread() is threading.main_thread():
        from multiprocessing import resource_tracker

        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # which it inherits; it ignores SIGINT and SIGTERM by itself
        try:
            resource_tracker.ensure_running()
        finally:
            signal.signal(signal.SIGHUP, stop)


def shield() -> None:
    """In a process whose driver ends it: what reaches the whole group, as from a terminal or a queue, is for the driver.

    SIGTERM and SIGHUP are not set to be ignored, which programs that a model starts would inherit.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    OWN[:] = [os.getpid()]
    for number in ENDING:
        signal.signal(number, leave_it)


def leave_it(number: int, frame: object = None) -> bool:
    """Do nothing about a signal; True after its default in a process that a model has forked, which has this one's handlers."""
    if os.getpid() in OWN:
        return False
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return True


def of_the_model(error: BaseException) -> bool:
    """Whether a model has raised this itself: all but a KeyboardInterrupt, where that can be the user's."""
    ours = isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, signal.SIG_DFL)
    return not ours


@contextmanager
def interruptible(results: Path) -> Iterator[None]:
    """A signal that ends the block: a sentence that says how to go on, and the code that shells expect."""
    before, sys.unraisablehook = sys.unraisablehook, again
    try:
        yield
    except KeyboardInterrupt:
        number = RECEIVED[-1] if RECEIVED else signal.SIGINT
        what = "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
        with suppress(OSError):  # of a terminal that is gone
            say(f"\n{what}; what is done is stored. To go on: uqmbd resume {near(results)}", err=True)
        raise SystemExit(128 + number) from None
    finally:
        sys.unraisablehook = before


def again(lost: sys.UnraisableHookArgs) -> None:
    """Ctrl-C once more, if it came in a destructor or a callback, where Python drops exceptions; others are printed as always."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        threading.Timer(0.02, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(lost)
