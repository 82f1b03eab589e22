"""Where batches run: in this process, in a Dask cluster of processes on this machine, or in one that is already there."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any

from uqmbd.campaign.cluster import SETTINGS, WAIT, Cluster, local_cluster, reached_cluster, tidy_path
from uqmbd.campaign.kept import Kept, Lost, SerialExecutor, import_modules
from uqmbd.errors import StudyError
from uqmbd.interrupts import held, shield_tracker

FEW, LONG = 1000, 3.0  # runs, and s of them, that one process does; of more a cluster is started at once


Pool = SerialExecutor | Cluster


def lost_worker(error: BaseException) -> bool:
    """True for what is raised when the process that ran a task is gone, by Dask too (by name: it is not loaded before it is needed)."""
    return isinstance(error, Lost) or type(error).__name__ in ("KilledWorker", "CancelledError", "FutureCancelledError", "CommClosedError")


@contextmanager
def open_pool(workers: int, cluster: Any = None, modules: Sequence[str] = (), wait: float | None = None) -> Iterator[Pool]:
    """A pool of `workers` processes of one thread each, which begin to import `modules` at once; 0 runs the batches in this process.

    A `cluster` is used instead: address of a Dask scheduler, a client, or anything that a client takes (``SLURMCluster``, ``KubeCluster``).
    A campaign on it ends after `wait` seconds without any worker.
    """
    if cluster is None and not workers:
        yield SerialExecutor()
        return
    import dask.config
    from distributed import fire_and_forget

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(SETTINGS))
        if cluster is not None:
            yield stack.enter_context(reached_cluster(cluster, WAIT if wait is None else wait))
            return
        with held():
            pool = stack.enter_context(local_cluster(workers))
        for address in pool.local.scheduler_info["workers"]:
            fire_and_forget(pool.client.submit(import_modules, tuple(modules), workers=[address], pure=False))
        yield pool


class EarlyPool:
    """A pool that starts in the background, while the model is built and compiled; of few runs one process, which grows into a pool.

    Two threads that import the same packages for the first time can see them half made. So Dask is imported here, in the caller's
    thread, and the caller imports nothing heavy until `settle` or `get` has returned. Where the least `runs` that are planned are few, and
    may be short, one process is started, which is there sooner (`kept`).
    """

    def __init__(
        self, workers: int, cluster: Any = None, modules: Sequence[str] = (), wait: float | None = None, *, runs: int | None = None
    ) -> None:
        self.elsewhere = bool(workers) or cluster is not None  # other processes do the runs
        self.how = workers, cluster, modules, wait
        self.foretold: Callable[[], float] = float  # s that the runs will take at least; unknown is nothing
        self.stack = ExitStack()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="uqmbd-pool")
        few = runs is not None and runs <= FEW and workers and cluster is None
        self.kept = Kept(modules, self.begin) if few else None
        self.future = None if self.kept is not None else self.begin()

    def begin(self) -> Future[Pool]:
        """Begin to start the pool."""
        if self.elsewhere:
            import distributed  # noqa: F401

            shield_tracker()
        self.future = self.thread.submit(lambda: self.stack.enter_context(open_pool(*self.how)))
        return self.future

    def settle(self) -> None:
        """Wait for a pool that is starting."""
        if self.kept is None:
            self.get()

    def get(self) -> Pool:
        """The pool, once it is there."""
        if self.kept is not None and self.future is None and self.foretold() > LONG:
            self.kept.end()
            self.kept = None
            self.begin()
        if self.kept is not None:
            return self.kept
        try:
            return (self.future or self.begin()).result()
        except StudyError as error:
            raise error.with_traceback(None) from None  # the way through threads and contexts says nothing

    def let_go(self) -> Future[None]:
        """Have the workers stopped, without waiting; in the thread that started them, since Dask keeps its client in a context variable."""
        if self.kept is not None:
            self.kept.end()
        return self.thread.submit(self.stack.close)

    def close(self) -> None:
        """Stop the workers."""
        try:
            self.let_go().result()
        finally:
            self.thread.shutdown(wait=True)
            tidy_path()


def default_workers() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0))
