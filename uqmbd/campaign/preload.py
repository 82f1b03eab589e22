"""Run by Dask in each worker process as it starts."""

from __future__ import annotations

from typing import Any

from uqmbd.interrupts import shield
from uqmbd.processes import adopt_orphans, keep_the_recursion_limit


def dask_setup(worker: Any) -> None:
    """Ctrl-C and the like reach the whole process group; they are for the driver, which ends its workers in good order."""
    shield()
    adopt_orphans()
    keep_the_recursion_limit()
