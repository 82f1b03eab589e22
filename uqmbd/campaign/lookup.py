"""What makes a run another one besides its inputs: its controls, and the run from whose end it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.request import RUNS, Request
from uqmbd.runs.piece import CONTROL, START

if TYPE_CHECKING:
    from uqmbd.campaign.store import RunStore


def extras_of(store: RunStore, numbered: np.ndarray, request: Request) -> tuple[dict[str, np.ndarray], np.ndarray | None]:
    """Further columns of the runs of a request by name, and the rows (n,) that they start from, -1 for time zero.

    Parameters
    ----------
    numbered : ndarray of int, shape (runs,)
        Rows of the runs that the method has asked for, in its order.

    Raises
    ------
    StudyError
        If it starts from a run that it has not asked for yet.
    """
    columns = {CONTROL + name: values for name, values in request.control.items()}
    if request.start is None or (request.start == -1).all():
        return columns, None
    wrong = (request.start < -1) | (request.start >= len(numbered))
    if wrong.any():
        text = f"a run is to start from run {request.start[wrong][0]}, and {len(numbered)} were asked for before"
        raise StudyError(text, key=RUNS, remedy="number runs from 0 in the order in which they were asked for; -1 is time zero")
    there = request.start >= 0
    source = np.full(request.runs, -1)
    source[there] = numbered[request.start[there]]
    keys = np.zeros(request.runs, np.uint64)
    keys[there] = np.maximum(store.keys_of(source[there]), np.uint64(1))
    return {**columns, START: keys}, source
