"""Pools of one: this process; and one that is kept, which is there in a fraction of the time in which a cluster starts, and grows into one.

A model that ends its process ends no study here either: the runs that were with it are made one by one by a new process.
"""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from uqmbd.errors import StudyError
from uqmbd.simulators.apart import AWAY, Ended, Late, Process, Raised, Returned, packed, value_of
from uqmbd.simulators.limit import TELL

LOG = logging.getLogger("uqmbd")
ALONE = 1.0  # s of work for one process; a cluster, which takes about as long to start, is for what is more


class Lost(Exception):
    """The process ended while it was doing a task."""


class SerialExecutor:
    """This process as a pool of one: a batch runs when its result is waited for."""

    here = True  # tasks are done in this process
    waiting: Callable[[float], None] | None = None  # told the seconds for which there has been no worker, and 0 when there are some again

    def __init__(self) -> None:
        self.queue: deque[tuple[object, Callable[..., Any], tuple]] = deque()

    @property
    def workers(self) -> int:
        """Tasks that are done at once."""
        return 1

    def start(self, function: Callable[..., Any], *arguments: Any) -> object:
        """Have a task done; what `next` returns names it."""
        task = object()
        self.queue.append((task, function, arguments))
        return task

    def next(self) -> tuple[Any, Any]:
        """A task that is finished, and what it returned or the exception that it raised; twice None when more could be done at once."""
        task, function, arguments = self.queue.popleft()
        try:
            return task, self.do(function, *arguments)
        except Exception as error:
            return task, error

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Have one task done now; what it raises is raised here."""
        return self.do(function, *arguments)

    def do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function returns; what it raises is raised here."""
        return function(*arguments)

    def cancel(self) -> None:
        """Forget the tasks that are not done."""
        self.queue.clear()


class Kept(SerialExecutor):
    """A pool of one process that is kept, and begins to import `modules` at once.

    `grow` is called when there has been more work than is for one process: it begins to start a larger pool, and returns a future of it.
    """

    here = False

    def __init__(self, modules: Sequence[str] = (), grow: Callable[[], Any] | None = None) -> None:
        super().__init__()
        self.modules, self.grow = tuple(modules), grow
        self.larger: Any = None  # a future of the larger pool
        self.busy = 0.0  # s of work so far
        self.process: Process | None = None
        self.begin()

    @property
    def pool(self) -> Any:
        """The larger pool, once it is there; where it cannot be had that is said, and this process goes on."""
        if self.larger is None or not self.larger.done():
            return None
        try:
            return self.larger.result()
        except StudyError as error:
            LOG.warning(f"one process goes on with the runs: {error.message}")
            self.larger, self.grow = None, None
            return None

    @property
    def workers(self) -> int:
        pool = self.pool
        return 1 if pool is None else pool.workers

    def start(self, function: Callable[..., Any], *arguments: Any) -> object:
        if (pool := self.pool) is None:
            return super().start(function, *arguments)
        if not self.queue:
            self.end()
        pool.waiting = self.waiting
        return pool.start(function, *arguments)

    def next(self) -> tuple[Any, Any]:
        return super().next() if self.queue else self.pool.next()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        pool = self.pool
        return super().call(function, *arguments) if pool is None else pool.call(function, *arguments)

    def cancel(self) -> None:
        super().cancel()
        if (pool := self.pool) is not None:
            pool.cancel()

    def begin(self) -> Process:
        """The process, which is started where there is none."""
        if self.process is None:
            self.process = Process(packed(partial(serve, self.modules)))
        return self.process

    def do(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function returns in the process; what it raises is raised here."""
        try:
            process = self.begin()
            process.link.send_bytes(pickle.dumps((function, arguments)))
            said, seconds = process.hear()
        except (Ended, Late, OSError) as how:
            self.end()
            raise Lost(f"the worker process ended {how}") from None
        except BaseException:
            self.process = None  # `hear` has ended it
            raise
        self.busy += seconds
        if self.grow is not None and self.larger is None and self.busy > ALONE:
            self.larger = self.grow()
        return value_of(said)

    def end(self) -> None:
        """End the process."""
        process, self.process = self.process, None
        if process is not None:
            process.end()


def serve(modules: Sequence[str]) -> None:
    """In the process: do what is asked, until nobody asks any more."""
    link, say = AWAY.pop(), TELL.pop()  # to a model, and to what sees to its limit of time, this is a process as any other
    import_modules(modules)
    while True:
        try:
            function, arguments = pickle.loads(link.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
        began = time.monotonic()
        try:
            outcome: Returned | Raised = Returned(function(*arguments))
        except BaseException as error:
            outcome = Raised(error, traceback.format_exc())
        say((outcome, time.monotonic() - began))


def import_modules(modules: Sequence[str]) -> None:
    """Import modules in a worker; one that is not there will be missed when it is needed."""
    for module in modules:
        with suppress(ImportError):
            importlib.import_module(module)
