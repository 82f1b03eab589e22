"""Run by Dask in each worker process as it starts."""

from __future__ import annotations

import signal
import sys
from typing import Any

from uqmbd.campaign.processes import adopt_orphans


def dask_setup(worker: Any) -> None:
    """Ctrl-C reaches the whole process group; it is for the driver, which ends its workers in good order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    adopt_orphans()
    never_lower_the_recursion_limit()


def never_lower_the_recursion_limit() -> None:
    """A model that lowers Python's recursion limit would end the thread by which its worker hears from the scheduler."""
    change = sys.setrecursionlimit
    sys.setrecursionlimit = lambda limit: change(max(limit, sys.getrecursionlimit()))
