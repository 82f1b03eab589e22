"""Where batches run: in this process, in a Dask cluster of processes on this machine, or in one that is already there."""

from __future__ import annotations

import importlib
import logging
import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from queue import Empty
from typing import Any, ClassVar

from uqmbd.errors import StudyError
from uqmbd.processes import without_descendants

KEPT = 256 << 20  # bytes of freed memory a worker may keep: fetching the same pages anew for each batch doubles the time of packing
REACH = "10s"  # in which a scheduler that is already there has to answer, at the start and when the connection is lost
ALLOWED_DEATHS = 1  # a batch whose worker dies more often is taken apart
GO_ON = "all runs so far are kept: `uqmbd resume` goes on where this stopped"


class Here:
    """This process as a pool of one: a batch runs when its result is waited for."""

    workers = 1

    def __init__(self) -> None:
        self.waiting: deque[tuple[object, Callable[..., Any], tuple]] = deque()

    def start(self, function: Callable[..., Any], *arguments: Any) -> object:
        """Have a task done; what `next` returns names it."""
        task = object()
        self.waiting.append((task, function, arguments))
        return task

    def next(self) -> tuple[object, Any]:
        """A task that is finished, and what it returned or the exception that it raised."""
        task, function, arguments = self.waiting.popleft()
        try:
            return task, function(*arguments)
        except Exception as error:
            return task, error

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Have one task done now; what it raises is raised here."""
        return function(*arguments)

    def cancel(self) -> None:
        """Forget the tasks that are not done."""
        self.waiting.clear()


@dataclass
class Cluster:
    """A Dask client; tasks and results as in `Here`. A cluster that is gone is noticed while it is waited for.

    Attributes
    ----------
    client : distributed.Client
    workers : int
        Tasks that it does at once.
    local : distributed.LocalCluster or None
        The cluster, if it is ours: then new workers are started when there are none left.
    look : float
        Time without a result after which it is seen whether anybody works [s].
    renew, patience : float
        Time without a worker or a scheduler after which new workers are started, and after which the campaign ends [s].
    """

    look: ClassVar[float] = 2.0
    renew: ClassVar[float] = 20.0
    patience: ClassVar[float] = 50.0

    client: Any
    workers: int
    local: Any = None
    alone: float | None = field(default=None, init=False)
    renewed: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        from distributed import as_completed

        self.watch = as_completed(with_results=True, raise_errors=False, loop=self.client.loop)

    def start(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """See `Here.start`."""
        task = self.submit(function, *arguments)
        self.watch.add(task)
        return task

    def next(self) -> tuple[Any, Any]:
        """See `Here.next`."""
        while True:
            try:
                task, outcome = self.watch.queue.get(timeout=self.look)
            except Empty:
                self.require_workers()
                continue
            self.alone = None
            return task, outcome[1] if isinstance(outcome, tuple) else outcome

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """See `Here.call`."""
        task = self.submit(function, *arguments)
        while True:
            try:
                return task.result(timeout=self.patience if task.status == "finished" else self.look)
            except TimeoutError:
                if task.status == "error":  # the task's own
                    raise
                self.require_workers()

    def cancel(self) -> None:
        """See `Here.cancel`."""
        with suppress(Exception):  # of a scheduler that is gone
            self.client.cancel(list(self.watch.futures), force=True)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Send a task, as soon as there is a scheduler to send it to."""
        while self.client.status != "running":
            self.require_workers()
            time.sleep(min(self.look, 0.2))
        return self.client.submit(function, *arguments, pure=False)

    def require_workers(self) -> None:
        """See whether anybody works; raise `StudyError` when nobody has for `patience`, and start new workers, if they are ours, before."""
        if self.count():
            self.alone, self.renewed = None, False
            return
        now = time.monotonic()
        self.alone = now if self.alone is None else self.alone
        if now - self.alone > self.patience or self.client.status == "closed":
            raise self.nobody()
        if self.local is not None and now - self.alone > self.renew:
            self.local.scale(self.workers if self.renewed else 0)  # first the remains are cleared away, at the next look new ones begin
            self.renewed = True

    def count(self) -> int:
        """Workers that the scheduler knows; none when it cannot be reached."""
        if self.client.status != "running":
            return 0
        try:
            return len(self.client.sync(self.client.scheduler.ncores, callback_timeout=max(self.patience / 5, 1.0)))
        except (OSError, TimeoutError):  # CommClosedError is an OSError
            return 0

    def nobody(self) -> StudyError:
        """The error for a cluster that is gone."""
        if self.local is not None:
            return StudyError(
                "the worker processes are gone, and new ones do not start",
                key="campaign.workers",
                value=self.workers,
                remedy=f"see whether memory or processes are short (--workers 1 needs least), then go on; {GO_ON}",
            )
        lost = "has no workers any more" if self.client.status == "running" else "cannot be reached any more"
        return StudyError(
            f"the Dask scheduler {lost}",
            key="--scheduler",
            value=str(self.client.scheduler.address) if self.client.scheduler is not None else None,
            remedy=f"start it and its workers again, or go on without --scheduler; {GO_ON}",
        )


Pool = Here | Cluster


@contextmanager
def open_pool(workers: int, scheduler: str | None = None, modules: Sequence[str] = ()) -> Iterator[Pool]:
    """A pool of `workers` processes of one thread each; 0 runs the batches in this process.

    Parameters
    ----------
    scheduler : str, optional
        Address of a Dask scheduler to use instead.
    modules : list of str
        What the workers will need; they begin to import it at once.
    """
    if scheduler is None and not workers:
        yield Here()
        return
    import dask
    from distributed import Client, LocalCluster, fire_and_forget

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    quiet = {"distributed": "critical", "distributed.nanny": "critical", "distributed.worker": "critical", "bokeh": "critical"}
    settings = {
        "distributed.scheduler.allowed-failures": ALLOWED_DEATHS,
        "distributed.logging": quiet,
        "distributed.worker.daemon": True,
        "distributed.worker.profile.enabled": False,  # samples every worker's stack each 10 ms, for a page that is not there
        "distributed.admin.system-monitor.interval": "10s",
        "distributed.scheduler.http.routes": [],
        "distributed.admin.large-graph-warning-threshold": "100MB",
        "distributed.comm.timeouts.connect": "30s",
        "distributed.deploy.lost-worker-timeout": "1 day",  # after 15 s a cluster gives a worker up that a busy machine is still starting
        "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": KEPT,
        "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": KEPT,
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(settings))
        if scheduler is None:
            stack.enter_context(starting())
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",  # any free port; None would insist on 8787
                    silence_logs=logging.CRITICAL,
                    preload=["uqmbd.campaign.preload"],
                    local_directory=tempfile.gettempdir(),
                )
            )
            client = stack.enter_context(Client(cluster, direct_to_workers=True))
            stack.enter_context(without_descendants(lambda: worker_processes(cluster)))
            for address in cluster.scheduler_info["workers"]:
                fire_and_forget(client.submit(import_modules, tuple(modules), workers=[address], pure=False))
            yield Cluster(client, workers, cluster)
            return
        try:
            client = stack.enter_context(ending(Client(scheduler, timeout=REACH)))
        except (OSError, ValueError) as error:
            raise StudyError(
                f"there is no Dask scheduler to be reached ({' '.join(str(error).split())})",
                key="--scheduler",
                value=scheduler,
                remedy="start one with `dask scheduler` and workers with `dask worker ADDRESS`, or leave --scheduler out",
            ) from error
        found = sum(client.nthreads().values())
        if not found:
            raise StudyError(
                "the Dask scheduler has no workers", key="--scheduler", value=scheduler, remedy="start some with `dask worker ADDRESS`"
            )
        yield Cluster(client, found)


@contextmanager
def ending(client: Any) -> Iterator[Any]:
    """A client that is closed in the end, also when its scheduler is gone."""
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=5)


def worker_processes(cluster: Any) -> list[int]:
    """Process numbers of a local cluster's workers."""
    return [nanny.pid for nanny in list(cluster.workers.values()) if getattr(nanny, "pid", None)]


@contextmanager
def starting() -> Iterator[None]:
    """Workers that cannot start, in the block: most often a script without a guard, which each worker tries to run again."""
    try:
        yield
    except RuntimeError as error:
        if "failed to start" not in str(error):
            raise
        raise StudyError(
            "the worker processes cannot start",
            key="campaign.workers",
            remedy='in a script, put the call of run under `if __name__ == "__main__":`; or use workers=0, which needs no processes',
        ) from None  # what Dask and its event loop raised says nothing more


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

    def __init__(self, workers: int, scheduler: str | None, modules: Sequence[str] = ()) -> None:
        if workers or scheduler is not None:
            import distributed  # noqa: F401

        self.stack = ExitStack()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="uqmbd-pool")
        self.future = self.thread.submit(lambda: self.stack.enter_context(open_pool(workers, scheduler, modules)))

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
