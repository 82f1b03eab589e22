"""Small pieces made into a few large ones when a campaign ends, so that what comes after it reads few files and few heads."""

from __future__ import annotations

from typing import Any

import numpy as np

from uqmbd.campaign.batches import PIECE_RUNS, multiple
from uqmbd.campaign.store import FILES, SMALL, RunStore
from uqmbd.runs.piece import Blocks, pack, spans_of
from uqmbd.runs.states import ENDS, blocks_of

MERGED = 1 << 23  # bytes of numbers in what is merged, at most: one of these is in memory where some of its runs are read


def merge_small(store: RunStore) -> None:
    """Merge the small pieces of a store that has more than `FILES`; those with partials, which are told as they are, are left.

    Which rows come together depends on their numbers alone, not on when they were done. The new files are there before the old ones go: a
    kill leaves either, or both.
    """
    if len(store.pieces) <= FILES:
        return
    size = 8 * sum(max(column.points, 1) for column in store.columns.values())
    length = multiple(max(1, min(PIECE_RUNS, MERGED // size)), store.chunk)
    together: dict[Any, list[int]] = {}
    counts = np.bincount(store.piece_of[store.piece_of >= 0], minlength=len(store.pieces))
    for number, piece in enumerate(store.pieces):
        if counts[number] and not piece.has_partial and piece.end - piece.start <= SMALL:
            together.setdefault((int(piece.spans[0, 0]) // length, piece.head["timeout"], ENDS in piece.head["blocks"]), []).append(number)
    store.session += 1
    for numbers in together.values():
        if len(numbers) > 1:
            merge(store, numbers)
    with store.guarded():
        store.remove_old()


def merge(store: RunStore, numbers: list[int]) -> None:
    """Write what counts of some pieces as one."""
    wanted = np.zeros(len(store.pieces) + 1, bool)
    wanted[numbers] = True
    rows = np.flatnonzero(wanted[store.piece_of])
    names = {name for number in numbers for name in store.pieces[number].head["blocks"]}
    values = store.read([name for name in store.columns if name in names or name == "message"], rows)
    states = blocks_of(store.states(rows)) if ENDS in names else {}
    blocks: Blocks = pack({**values, "message": values["message"].tolist(), **states}, values["status"])
    parts = []
    for number in numbers:
        piece, kept = store.pieces[number], rows[store.piece_of[rows] == number]
        starts, of, seconds = piece.shares
        belongs = of[np.searchsorted(starts, kept, "right") - 1]
        parts += [[spans_of(kept[belongs == k]), seconds[k]] for k in np.unique(belongs).tolist()]
    head = {"rows": spans_of(rows), "tag": "", "timeout": store.pieces[numbers[0]].head["timeout"]}
    store.write({**head, "seconds": float(sum(seconds for _, seconds in parts)), "parts": parts}, rows, blocks)
