"""What a worker keeps of a batch of a Monte Carlo study; apart from the rest, so that workers load no more than this."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from uqmbd.analysis.base.columns import Columns, pack_both
from uqmbd.analysis.statistics import moments


def reduce_batch(
    inputs: list[str],
    head: np.ndarray,
    scalars: Columns,
    histories: Columns,
    samples: Mapping[str, np.ndarray],
    outputs: Mapping[str, np.ndarray],
    status: np.ndarray,
) -> dict[str, np.ndarray]:
    """What a Monte Carlo study needs of a batch of n runs; failed runs take part in `status` only.

    ``status`` (n,) int8; ``scalars`` (ok runs, scalars); ``moments`` (6, columns of histories), see `uqmbd.analysis.statistics.moments`;
    ``histories`` (ok runs, columns of histories) of those whose samples are in `head` (history_runs, inputs); where histories may be
    missing ``missing`` (1, columns of histories), how many values are.
    """
    status = np.asarray(status, np.int8)
    values, curves, ok = pack_both(scalars, histories, outputs, status)
    wanted = ok & in_head(np.column_stack([np.asarray(samples[name], float) for name in inputs]), head) if histories.count else []
    found = {"status": status, "scalars": values[ok], "histories": curves[wanted]}
    return found | (moments_there(curves, ok) if histories.may_miss.any() else {"moments": moments.of(curves, ok)})


def moments_there(curves: np.ndarray, ok: np.ndarray) -> dict[str, np.ndarray]:
    """Moments of the values that are there, and how many are not: nothing is added to a sum where one is missing."""
    gone = np.isnan(curves) & ok[:, None]
    state = moments.of(np.where(gone, 0.0, curves), ok)
    some = np.flatnonzero(gone.any(axis=0))
    if len(some):
        state[moments.MINIMUM, some] = np.fmin.reduce(curves[ok][:, some], axis=0, initial=np.inf)
        state[moments.MAXIMUM, some] = np.fmax.reduce(curves[ok][:, some], axis=0, initial=-np.inf)
    return {"moments": state, "missing": gone.sum(axis=0)[None]}


def in_head(rows: np.ndarray, head: np.ndarray) -> np.ndarray:
    """Which of the samples (n, inputs) are among those of the head, bit for bit."""
    inside, known = np.isin(rows[:, 0], head[:, 0]), {row.tobytes() for row in head}
    inside[inside] = [row.tobytes() in known for row in rows[inside]]
    return inside
