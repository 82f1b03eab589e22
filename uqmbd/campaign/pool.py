"""Where batches run: in this process, in a Dask cluster of processes on this machine, or in one that is already there."""

from __future__ import annotations

import importlib
import logging
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from uqmbd.campaign.cluster import SETTINGS, WAIT, Cluster, local_cluster, reached_cluster
from uqmbd.errors import StudyError
from uqmbd.interrupts import shield_tracker


class Here:
    """This process as a pool of one: a batch runs when its result is waited for."""

    workers = 1
    waiting: Callable[[float], None] | None = None

    def __init__(self) -> None:
        self.queue: deque[tuple[object, Callable[..., Any], tuple]] = deque()

    def start(self, function: Callable[..., Any], *arguments: Any) -> object:
        """Have a task done; what `next` returns names it."""
        task = object()
        self.queue.append((task, function, arguments))
        return task

    def next(self) -> tuple[object, Any]:
        """A task that is finished, and what it returned or the exception that it raised; twice None when more could be done at once."""
        task, function, arguments = self.queue.popleft()
        try:
            return task, function(*arguments)
        except Exception as error:
            return task, error

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Have one task done now; what it raises is raised here."""
        return function(*arguments)

    def cancel(self) -> None:
        """Forget the tasks that are not done."""
        self.queue.clear()


Pool = Here | Cluster


@contextmanager
def open_pool(workers: int, cluster: Any = None, modules: Sequence[str] = (), wait: float | None = None) -> Iterator[Pool]:
    """A pool of `workers` processes of one thread each; 0 runs the batches in this process.

    Parameters
    ----------
    cluster : str, distributed.Client or cluster, optional
        Use this instead: address of a Dask scheduler, a client, or anything that a client takes (``SLURMCluster``, ``KubeCluster``).
    modules : list of str
        What the workers will need; they begin to import it at once.
    wait : float, optional
        Time without any worker of `cluster` after which the campaign ends [s].
    """
    if cluster is None and not workers:
        yield Here()
        return
    import dask
    from distributed import fire_and_forget

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(SETTINGS))
        if cluster is not None:
            yield stack.enter_context(reached_cluster(cluster, WAIT if wait is None else wait))
            return
        pool = stack.enter_context(local_cluster(workers))
        for address in pool.local.scheduler_info["workers"]:
            fire_and_forget(pool.client.submit(import_modules, tuple(modules), workers=[address], pure=False))
        yield pool


def import_modules(modules: Sequence[str]) -> None:
    """Import modules on a worker; one that is not there will be missed when it is needed."""
    for module in modules:
        with suppress(ImportError):
            importlib.import_module(module)


class EarlyPool:
    """A pool that starts in the background, while the model is built and compiled.

    Two threads that import the same packages for the first time can see them half made. So Dask is imported here, in the caller's
    thread, and the caller imports nothing heavy until `get` has returned.
    """

    def __init__(self, workers: int, cluster: Any = None, modules: Sequence[str] = (), wait: float | None = None) -> None:
        self.elsewhere = bool(workers) or cluster is not None  # other processes do the runs
        if self.elsewhere:
            import distributed  # noqa: F401

            shield_tracker()

        self.stack = ExitStack()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="uqmbd-pool")
        self.future = self.thread.submit(lambda: self.stack.enter_context(open_pool(workers, cluster, modules, wait)))

    def get(self) -> Pool:
        """The pool, once it is there."""
        try:
            return self.future.result()
        except StudyError as error:
            raise error.with_traceback(None) from None  # the way through threads and contexts says nothing

    def let_go(self) -> Future[None]:
        """Have the workers stopped, without waiting; in the thread that started them, since Dask keeps its client in a context variable."""
        return self.thread.submit(self.stack.close)

    def close(self) -> None:
        """Stop the workers."""
        try:
            self.let_go().result()
        finally:
            self.thread.shutdown(wait=True)


def default_workers() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0))
