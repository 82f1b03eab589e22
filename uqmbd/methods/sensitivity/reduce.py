"""What a worker keeps of a batch of pick-freeze runs; apart from the rest, so that workers load no more than this."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from uqmbd.analysis.base.columns import Columns, pack_both
from uqmbd.analysis.sensitivity.pick_freeze import Layout, sums_of

UNIT = 8  # blocks whose sums are made together; fixed, so that neither batches nor more samples change them


def marks(rows: np.ndarray) -> np.ndarray:
    """A number (n,) uint32 for each row of floats (n, d), by which runs are recognised."""
    bits = np.ascontiguousarray(rows, float).view(np.uint64)
    odd = np.random.default_rng(7).integers(1 << 62, size=rows.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    mixed = (bits ^ (bits >> np.uint64(29))) * odd
    return (np.bitwise_xor.reduce(mixed ^ (mixed >> np.uint64(31)), axis=1) >> np.uint64(17)).astype(np.uint32)


def find(known: np.ndarray, wanted: np.ndarray) -> int | None:
    """Where the runs `wanted` begin in the design `known`, both (n,) marks; None where inputs with few values leave several places."""
    starts = np.flatnonzero(known[: len(known) - len(wanted) + 1] == wanted[0]).tolist()
    begins = [start for start in starts if np.array_equal(known[start : start + len(wanted)], wanted)]
    if not begins:
        raise RuntimeError("these runs are not of this design")
    return begins[0] if len(begins) == 1 else None


def reduce_batch(
    layout: Layout,
    design: np.ndarray,
    inputs: list[str],
    scalars: Columns,
    histories: Columns,
    samples: Mapping[str, np.ndarray],
    outputs: Mapping[str, np.ndarray],
    status: np.ndarray,
) -> dict[str, np.ndarray]:
    """What Sobol' indices need of a batch of n adjacent runs, which may begin and end within a block; `design` are the `marks` of all runs.

    ``status`` (n,) int8; ``scalars`` (n, scalars), NaN where failed; ``range`` (2, columns of histories) of the ok runs; ``edges`` (runs
    before the first and after the last whole unit of blocks, columns of histories); ``inside`` (2,): rows of the whole units; of these
    ``units``, ``counts``, ``means``, ``moments``, ``sizes``.
    """
    status = np.asarray(status, np.int8)
    values, curves, ok = pack_both(scalars, histories, outputs, status)
    values[~ok], curves[~ok] = np.nan, np.nan
    start = find(design, marks(np.column_stack([np.asarray(samples[name], float) for name in inputs])))
    # of runs whose place is not known the driver, which does know, makes the sums
    length = UNIT * layout.length
    begin = len(status) if start is None else min(-start % length, len(status))
    end = begin + (len(status) - begin) // length * length
    partial = {
        "status": status,
        "scalars": values,
        "range": span(curves[ok]),
        "edges": np.concatenate([curves[:begin], curves[end:]]),
        "inside": np.array([begin, end]),
    }
    return partial | unit_sums(layout, curves[begin:end], ((start or 0) + begin) // layout.length)


def unit_sums(layout: Layout, curves: np.ndarray, first: int) -> dict[str, np.ndarray]:
    """Sums by unit of whole blocks of runs (rows, columns), of which block number `first` is the first; blocks with NaN are left out."""
    blocks = curves.reshape(len(curves) // layout.length, layout.length, curves.shape[1])
    good = np.isfinite(blocks).all(axis=(1, 2))
    unit = (first + np.arange(len(blocks))) // UNIT
    units = np.unique(unit[good])
    columns = curves.shape[1]
    counts = np.zeros(len(units))
    means = np.zeros((len(units), layout.variables, columns))
    moments = np.zeros((len(units), len(layout.products[0]), columns))
    sizes = np.ones((len(units), columns))
    for i, number in enumerate(units):
        counts[i], means[i], moments[i], sizes[i] = sums_of(layout, blocks[good & (unit == number)])
    return {"units": units, "counts": counts, "means": means, "moments": moments, "sizes": sizes}


def span(curves: np.ndarray) -> np.ndarray:
    """Smallest and largest value of each column, (2, columns)."""
    if len(curves):
        return np.stack([curves.min(axis=0), curves.max(axis=0)])
    return np.stack([np.full(curves.shape[1], np.inf), np.full(curves.shape[1], -np.inf)])
