"""A few runs beside those that a method asks for: one batch of the pool, which is not stored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import numpy as np

from uqmbd.campaign.batches import Task
from uqmbd.campaign.campaign import lost_worker
from uqmbd.campaign.kept import Kept
from uqmbd.campaign.pool import Pool, SerialExecutor
from uqmbd.campaign.worker import Job, packed_for, run_raw
from uqmbd.outcomes import ERROR, Outcomes, failed_outcomes, sample_count


def run_few(pool: Pool | Kept, simulator: Any, shapes: Mapping[str, tuple[int, ...]], samples: Mapping[str, np.ndarray]) -> Outcomes:
    """What a simulator gives for some samples; where they end their process, all of them fail.

    Parameters
    ----------
    shapes : dict of str to tuple
        Shape of one run's output by name, of those that are wanted.
    """
    sent = packed_for(Job(simulator, (), dict(shapes), "float64"), here=isinstance(pool, SerialExecutor))
    key = hashlib.sha256(sent).hexdigest() if isinstance(sent, bytes) else uuid4().hex
    try:
        return pool.call(run_raw, key, sent, Task(dict(samples)))
    except Exception as error:
        if not lost_worker(error):
            raise
        return failed_outcomes(sample_count(samples), shapes, ERROR, "the worker process died while running it")
