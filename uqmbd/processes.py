"""What a model may do to the process it runs in, and the processes that it starts: none of them outlives the campaign."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ADOPT = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
END = 1  # PR_SET_PDEATHSIG
OUTLIVING: set[int] = set()  # children that go on, with what they start, when this process ends


def of_libc(name: str, *numbers: int) -> None:
    """Call a function of the C library, where the system is Linux and has it."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            getattr(ctypes.CDLL(None), name)(*numbers)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends (Linux), so that they are found as long as this process lives."""
    of_libc("prctl", ADOPT, 1, 0, 0, 0)


def end_with_parent() -> None:
    """Have the system end this process when the one that started it ends, however it ends (Linux)."""
    of_libc("prctl", END, signal.SIGKILL, 0, 0, 0)


def keep_the_recursion_limit() -> None:
    """From now on Python's recursion limit can only be raised: a lower one would end the threads by which a worker hears of its tasks."""
    change = sys.setrecursionlimit
    sys.setrecursionlimit = lambda limit: change(max(limit, sys.getrecursionlimit()))


def give_memory_back() -> None:
    """Have the system take back what was freed (glibc keeps it for the next large array, and a study may hold millions of runs)."""
    of_libc("malloc_trim", 0)


def memory_there() -> int:
    """Bytes that this process may use at most: the machine's memory, or less where a limit of the process or of its container is lower."""
    import resource

    import psutil

    limits = [psutil.virtual_memory().total]
    limits += [limit for limit in resource.getrlimit(resource.RLIMIT_AS)[:1] if limit != resource.RLIM_INFINITY]
    with suppress(OSError, ValueError):  # no container, or one without a limit ("max")
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    return min(limits)


def leave_if_worker_is_starting() -> None:
    """End this process in silence if it is a worker that executes its parent's script as it starts.

    The script has no ``if __name__ == "__main__":`` then, and the parent says so; each worker would print a page of its own besides.
    """
    from multiprocessing import process

    if getattr(process.current_process(), "_inheriting", False):  # as multiprocessing itself asks before it starts a process
        os._exit(1)


def descendants(pid: int | None = None) -> list[Any]:
    """All processes that a process, this one unless said, or its descendants have started and that are still there."""
    import psutil

    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).children(recursive=True)
    return []


def kill(processes: list[Any]) -> None:
    """End processes at once."""
    import psutil

    for process in processes:
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            process.kill()
    psutil.wait_procs(processes, timeout=1.0)


def end_all() -> None:
    """End all descendants of this process but those that outlive it, and Python's own, which cleans up after it."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return  # there are none, and psutil need not be loaded
    spared = OUTLIVING | {process.pid for pid in OUTLIVING for process in descendants(pid)}
    kill([process for process in descendants() if process.pid not in spared and not is_tracker(process)])


def is_tracker(process: Any) -> bool:
    """True for the process with which Python frees the semaphores and shared memory that others leave."""
    import psutil

    with suppress(psutil.Error):
        return any("resource_tracker" in word for word in process.cmdline())
    return False


@contextmanager
def without_descendants(workers: Callable[[], list[int]]) -> Iterator[None]:
    """At the end of the block, end whatever the processes `workers` have started, but not these themselves."""
    try:
        yield
    finally:
        kill([process for pid in workers() for process in descendants(pid)])
