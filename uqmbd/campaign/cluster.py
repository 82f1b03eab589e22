"""A Dask cluster as a pool: its workers may come late, leave, and be replaced; what is under way follows those that are there."""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import Empty
from typing import Any, ClassVar

from uqmbd.campaign.starting import started
from uqmbd.errors import StudyError
from uqmbd.processes import without_descendants

KEPT = 256 << 20  # bytes of freed memory a worker may keep: fetching the same pages anew for each batch doubles the time of packing
REACH = "10s"  # in which a scheduler that is already there has to answer, at the start and when the connection is lost
ALLOWED_DEATHS = 1  # a batch whose worker dies more often is taken apart
WAIT = 600.0  # seconds without any worker after which a campaign on a cluster of others ends, unless `campaign.wait` says
PRELOAD = ["uqmbd.campaign.preload"]  # what each worker runs as it starts
GO_ON = "all runs so far are kept: `uqmbd resume` goes on where this stopped"
START = "start one with `dask scheduler` and workers with `dask worker ADDRESS`, or leave --scheduler out"
QUIET = {"distributed": "critical", "distributed.nanny": "critical", "distributed.worker": "critical", "bokeh": "critical"}
SETTINGS = {
    "distributed.scheduler.allowed-failures": ALLOWED_DEATHS,
    "distributed.logging": QUIET,
    "distributed.worker.daemon": True,
    "distributed.worker.profile.enabled": False,  # samples every worker's stack each 10 ms, for a page that is not there
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "500ms",  # 50 looks a second at the event loop take 1 % of a core, in each process
    "distributed.worker.memory.monitor-interval": "500ms",
    "distributed.scheduler.http.routes": [],
    "distributed.admin.large-graph-warning-threshold": "100MB",
    "distributed.comm.timeouts.connect": "30s",
    "distributed.deploy.lost-worker-timeout": "1 day",  # after 15 s a cluster gives a worker up that a busy machine is still starting
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": KEPT,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": KEPT,
}


@dataclass
class Cluster:
    """A Dask client; tasks and results as in `SerialExecutor`. A cluster that is gone is noticed while it is waited for."""

    here: ClassVar[bool] = False
    look: ClassVar[float] = 2.0  # s without a result after which it is seen who works; between results as often
    renew: ClassVar[float] = 20.0  # s without a worker after which a cluster of ours starts new ones
    patience: ClassVar[float] = 50.0  # s without a worker, in a cluster of others without a scheduler, after which the campaign ends

    client: Any  # distributed.Client
    wanted: int = 0  # workers that a cluster of ours has
    local: Any = None  # the cluster, if it is ours: then new workers are started when there are none left
    wait: float = WAIT  # s without a worker, though there is a scheduler, after which a campaign on a cluster of others ends
    waiting: Callable[[float], None] | None = None  # see `SerialExecutor`
    there: int = field(default=0, init=False)
    looked: float = field(default=0.0, init=False)
    alone: float | None = field(default=None, init=False)
    renewed: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        from distributed import as_completed

        self.watch = as_completed(with_results=True, raise_errors=False, loop=self.client.loop)
        self.count()

    @property
    def workers(self) -> int:
        """Tasks that the workers that are there do at once; 1 while there are none."""
        return max(self.there, 1)

    def start(self, function: Callable[..., Any], *arguments: Any) -> Any:
        task = self.submit(function, *arguments)
        self.watch.add(task)
        return task

    def next(self) -> tuple[Any, Any]:
        while True:
            try:
                task, outcome = self.watch.queue.get(timeout=self.look)
            except Empty:
                before = self.there
                self.require_workers()
                if self.there > before:  # those that came have nothing to do yet
                    return None, None
                continue
            if time.monotonic() - self.looked > self.look:
                self.count()
            self.together()
            return task, outcome[1] if isinstance(outcome, tuple) else outcome

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        task = self.submit(function, *arguments)
        while True:
            try:
                return task.result(timeout=self.patience if task.status == "finished" else self.look)
            except TimeoutError:
                if task.status == "error":  # the task's own
                    raise
                self.require_workers()

    def cancel(self) -> None:
        with suppress(Exception):  # of a scheduler that is gone
            self.client.cancel(list(self.watch.futures), force=True)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Send a task, as soon as there is a scheduler to send it to."""
        while self.client.status != "running":
            self.require_workers()
            time.sleep(min(self.look, 0.2))
        return self.client.submit(function, *arguments, pure=False)

    def require_workers(self) -> None:
        """See whether anybody works; raise `StudyError` when nobody has for too long, and start new workers, if they are ours, before."""
        if self.count():
            self.together()
            return
        now = time.monotonic()
        self.alone = now if self.alone is None else self.alone
        reached = self.client.status == "running" and self.local is None
        if now - self.alone > (self.wait if reached else self.patience) or self.client.status == "closed":
            raise self.nobody()
        if self.waiting is not None:
            self.waiting(max(now - self.alone, 1e-3))
        if self.local is not None and now - self.alone > self.renew:
            self.local.scale(self.wanted if self.renewed else 0)  # first the remains are cleared away, at the next look new ones begin
            self.renewed = True

    def together(self) -> None:
        """There are workers."""
        if self.alone is not None and self.waiting is not None:
            self.waiting(0.0)
        self.alone, self.renewed = None, False

    def count(self) -> int:
        """Threads of the workers that the scheduler knows; none when it cannot be reached."""
        self.looked, self.there = time.monotonic(), 0
        if self.client.status == "running":
            with suppress(OSError, TimeoutError):  # CommClosedError is an OSError
                self.there = sum(self.client.sync(self.client.scheduler.ncores, callback_timeout=max(self.patience / 5, 1.0)).values())
        return self.there

    def nobody(self) -> StudyError:
        """The error for a cluster that is gone."""
        if self.local is not None:
            return StudyError(
                "the worker processes are gone, and new ones do not start",
                key="campaign.workers",
                value=self.wanted,
                remedy=f"see whether memory or processes are short (--workers 1 needs least), then go on; {GO_ON}",
            )
        if self.client.status == "running":
            lost = f"has had no workers for {self.wait:g} s"
            remedy = f"start some with `dask worker ADDRESS`, or have them waited for longer with campaign.wait; {GO_ON}"
        else:
            lost, remedy = "cannot be reached any more", f"start it and its workers again, or go on without --scheduler; {GO_ON}"
        address = str(self.client.scheduler.address) if self.client.scheduler is not None else None
        return StudyError(f"the Dask scheduler {lost}", key="--scheduler", value=address, remedy=remedy)


@contextmanager
def local_cluster(workers: int) -> Iterator[Cluster]:
    """Processes of one thread each on this machine.

    They listen on the loopback interface, where every user of the machine can reach them, and do whatever they are sent. So both sides
    prove by certificates, made for this cluster and kept in memory, that they belong to it (TLS).
    """
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        make = partial(
            LocalCluster,
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            security=True,
            dashboard_address="127.0.0.1:0",  # any free port; None would insist on 8787
            silence_logs=logging.CRITICAL,
            preload=PRELOAD,
            local_directory=tempfile.gettempdir(),
        )
        cluster = stack.enter_context(started(make))
        steady_path([cluster.scheduler, *cluster.workers.values()])
        client = stack.enter_context(Client(cluster, direct_to_workers=True))
        stack.enter_context(without_descendants(lambda: [one.pid for one in list(cluster.workers.values()) if getattr(one, "pid", None)]))
        yield Cluster(client, workers, cluster)


@contextmanager
def reached_cluster(cluster: Any, wait: float = WAIT) -> Iterator[Cluster]:
    """A cluster that is there already, by its address, its `Client` or its object; it stays, and a client that was given stays open.

    Raises
    ------
    StudyError
        When it cannot be reached, or is none.
    """
    from distributed import Client

    if isinstance(cluster, Client):
        if cluster.asynchronous or cluster.status != "running":
            what = "is asynchronous" if cluster.asynchronous else f"is not connected ({cluster.status})"
            raise StudyError(f"the Dask client {what}", key="cluster", remedy="give one that is open and made by `Client(...)` as usual")
        yield Cluster(cluster, wait=wait)
        return
    by_file = isinstance(cluster, (str, Path)) and str(cluster).endswith(".json")
    if by_file and not Path(cluster).is_file():
        raise StudyError("there is no such file of a scheduler", key="--scheduler", value=str(cluster), remedy=START)
    where: dict[str, Any] = {"scheduler_file": str(cluster)} if by_file else {"address": cluster}
    with ExitStack() as stack:
        try:
            client = stack.enter_context(ending(Client(**where, timeout=REACH, set_as_default=False)))
        except TypeError:
            text = "is no address, Client or cluster object of Dask"
            raise StudyError(text, key="cluster", value=cluster, remedy='give "tcp://HOST:8786", say') from None
        except (OSError, ValueError, RuntimeError) as error:
            text = f"there is no Dask scheduler to be reached ({' '.join(str(error).split())})"
            raise StudyError(text, key="--scheduler", value=str(cluster), remedy=START) from error
        yield Cluster(client, wait=wait)


@contextmanager
def ending(client: Any) -> Iterator[Any]:
    """A client that is closed in the end, also when its scheduler is gone."""
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=5)


def steady_path(servers: Iterable[Any]) -> None:
    """Have no entry of `sys.path` change its place when servers of Dask in this process close.

    They put their scratch folders before all others, and take them away in a thread of theirs when they close. An import that goes through
    the list meanwhile misses the entry behind, and finds no package. So their places have what comes behind them, which is then there
    more than once and changes nothing; `tidy_path` ends that.
    """
    scratch = {server.local_directory for server in servers}
    for k in reversed(range(len(sys.path) - 1)):
        if sys.path[k] in scratch:
            sys.path[k] = sys.path[k + 1]


def tidy_path() -> None:
    """Have each entry of `sys.path` once; where nothing is imported meanwhile."""
    sys.path[:] = dict.fromkeys(sys.path)
