"""Processes that a model starts: none of them outlives the campaign."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

ADOPT = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends (Linux), so that they are found as long as this process lives."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(ADOPT, 1, 0, 0, 0)


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


@contextmanager
def without_descendants(workers: Callable[[], list[int]]) -> Iterator[None]:
    """At the end of the block, end whatever the processes `workers` have started, but not these themselves."""
    try:
        yield
    finally:
        kill([process for pid in workers() for process in descendants(pid)])
