"""Run by Dask in each worker process as it starts."""

from __future__ import annotations

import signal
from typing import Any

from uqmbd.processes import adopt_orphans, keep_the_recursion_limit


def dask_setup(worker: Any) -> None:
    """Ctrl-C reaches the whole process group; it is for the driver, which ends its workers in good order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    adopt_orphans()
    keep_the_recursion_limit()
