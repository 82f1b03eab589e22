"""Where batches run: a Dask cluster of processes on this machine, or one that is already there."""

from __future__ import annotations

import importlib
import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from uqmbd.errors import StudyError

KEPT = 256 << 20  # bytes of freed memory a worker may keep: fetching the same pages anew for each batch doubles the time of packing
ALLOWED_DEATHS = 1  # a batch whose worker dies more often is taken apart


@dataclass
class Pool:
    """A Dask client with the number of its workers.

    `submit` returns a future; `finished` waits for futures.
    """

    client: Any
    workers: int

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Start a task."""
        return self.client.submit(function, *arguments, pure=False)

    def watch(self) -> Any:
        """Futures as they complete; more can be added to it."""
        from distributed import as_completed

        return as_completed(with_results=True, raise_errors=False, loop=self.client.loop)


@contextmanager
def open_pool(workers: int, scheduler: str | None = None, modules: Sequence[str] = ()) -> Iterator[Pool]:
    """A pool of `workers` processes of one thread each; 0 runs the batches in a thread of this process.

    Parameters
    ----------
    scheduler : str, optional
        Address of a Dask scheduler to use instead.
    modules : list of str
        What the workers will need; they begin to import it at once.
    """
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
        "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": KEPT,
        "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": KEPT,
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(settings))
        if scheduler is None:
            stack.enter_context(starting())
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=max(workers, 1),
                    threads_per_worker=1,
                    processes=workers > 0,
                    dashboard_address="127.0.0.1:0",  # any free port; None would insist on 8787
                    silence_logs=logging.CRITICAL,
                    preload=["uqmbd.campaign.preload"] if workers > 0 else [],
                    local_directory=tempfile.gettempdir(),
                )
            )
            client = stack.enter_context(Client(cluster, direct_to_workers=True))
            for address in cluster.scheduler_info["workers"] if workers else ():
                fire_and_forget(client.submit(import_modules, tuple(modules), workers=[address], pure=False))
            yield Pool(client, max(workers, 1))
            return
        try:
            client = stack.enter_context(Client(scheduler, timeout="10s"))
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
        yield Pool(client, found)


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
        ) from error


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
        import distributed  # noqa: F401

        self.stack = ExitStack()
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="uqmbd-pool")
        self.future = self.thread.submit(lambda: self.stack.enter_context(open_pool(workers, scheduler, modules)))

    def get(self) -> Pool:
        """The pool, once it is there."""
        return self.future.result()

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
