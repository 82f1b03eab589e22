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
PRESSED: list[int] = []  # Ctrl-C as this process heard it
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
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, pressed)
    OWN[:] = [os.getpid()]


def pressed(number: int, frame: object) -> None:
    """Ctrl-C, noted before it is raised: a model may raise a KeyboardInterrupt of its own."""
    PRESSED.append(number)
    raise KeyboardInterrupt


@contextmanager
def hearing() -> Iterator[None]:
    """Have Ctrl-C noted in the block, also where no command has seen to it."""
    PRESSED.clear()
    mine = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if mine:
        signal.signal(signal.SIGINT, pressed)
    try:
        yield
    finally:
        if mine and signal.getsignal(signal.SIGINT) is pressed:
            signal.signal(signal.SIGINT, signal.default_int_handler)


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


@contextmanager
def held() -> Iterator[None]:
    """Processes that are started in the block, or later by a thread that is, do not hear Ctrl-C before their `shield`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which threads and processes inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def shield() -> None:
    """In a process whose driver ends it: what reaches the whole group, as from a terminal or a queue, is for the driver.

    SIGTERM and SIGHUP are not set to be ignored, which programs that a model starts would inherit.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
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
    """Whether a model has raised this itself: all but what a signal raised, and a KeyboardInterrupt where that can be the user's."""
    if not isinstance(error, KeyboardInterrupt):
        return True
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(error, Stopped) or (handler is pressed and PRESSED):
        return False
    return handler in (signal.SIG_IGN, signal.SIG_DFL, pressed)


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
