"""A few runs beside those that a method asks for: one batch of the pool, which is not stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from uqmbd.campaign.batches import Task
from uqmbd.campaign.pool import Pool, lost_worker
from uqmbd.campaign.worker import DIED, Job, packed_for, run_raw
from uqmbd.outcomes import ERROR, Outcomes, failed_outcomes, sample_count


def run_few(pool: Pool, simulator: Any, shapes: Mapping[str, tuple[int, ...]], samples: Mapping[str, np.ndarray]) -> Outcomes:
    """What a simulator gives for some samples, outputs of these `shapes` by name; where they end their process, all of them fail."""
    job = packed_for(Job(simulator, (), dict(shapes), "float64"), here=pool.here)
    try:
        return pool.call(run_raw, *job, Task(dict(samples)))
    except Exception as error:
        if not lost_worker(error):
            raise
        return failed_outcomes(sample_count(samples), shapes, ERROR, DIED)
