"""Small chunks made into a few large ones when a campaign ends, so that what comes after it reads few files and few heads."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqmbd.campaign.batches import CHUNK_RUNS, multiple
from uqmbd.campaign.store import FILES, SMALL, RunStore
from uqmbd.runs.chunk import Blocks, pack, spans_of
from uqmbd.runs.states import ENDS, blocks_of

MERGED = 1 << 23  # bytes of numbers in what is merged, at most: one of these is in memory where some of its runs are read


def merge_small(store: RunStore) -> None:
    """Merge the small chunks of a store that has more than `FILES`; those with partials, which are told as they are, are left.

    Which rows come together depends on their numbers alone, not on when they were done. The new files are there before the old ones go: a
    kill leaves either, or both.
    """
    if len(store.chunks) <= FILES:
        return
    size = 8 * sum(max(column.points, 1) for column in store.columns.values())
    length = multiple(max(1, min(CHUNK_RUNS, MERGED // size)), store.chunk_runs)
    together: dict[Any, list[int]] = {}
    counts = np.bincount(store.chunk_of[store.chunk_of >= 0], minlength=len(store.chunks))
    for number, chunk in enumerate(store.chunks):
        if counts[number] and not chunk.has_partial and chunk.end - chunk.start <= SMALL:
            together.setdefault((int(chunk.spans[0, 0]) // length, chunk.head["timeout"], ENDS in chunk.head["blocks"]), []).append(number)
    store.session += 1
    for numbers in together.values():
        if len(numbers) > 1:
            merge(store, numbers)
    with store.guarded():
        store.remove_old()


def merge(store: RunStore, numbers: list[int]) -> None:
    """Write what counts of some chunks as one."""
    wanted = np.zeros(len(store.chunks) + 1, bool)
    wanted[numbers] = True
    rows = np.flatnonzero(wanted[store.chunk_of])
    names = {name for number in numbers for name in store.chunks[number].head["blocks"]}
    values = store.read([name for name in store.columns if name in names or name == "message"], rows)
    states = blocks_of(store.states(rows)) if ENDS in names else {}
    blocks: Blocks = pack({**values, "message": values["message"].tolist(), **states}, values["status"])
    parts = []
    for number in numbers:
        chunk, kept = store.chunks[number], rows[store.chunk_of[rows] == number]
        starts, of, seconds = chunk.shares
        belongs = of[np.searchsorted(starts, kept, "right") - 1]
        parts += [[spans_of(kept[belongs == k]), seconds[k]] for k in np.unique(belongs).tolist()]
    head = {"rows": spans_of(rows), "tag": "", "timeout": store.chunks[numbers[0]].head["timeout"]}
    store.write({**head, "seconds": float(sum(seconds for _, seconds in parts)), "parts": parts}, rows, blocks)
