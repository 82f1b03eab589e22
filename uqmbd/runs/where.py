"""Where the runs of a folder of results are, and which of them its result is made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from uqmbd.runs.piece import spans_of
from uqmbd.runs.place import Folder, Place, is_address, place_of

RUNS = "runs"
ELSEWHERE_FILE = "runs.url"  # says where they are, if not in `RUNS`
USED = "rows.npy"
OLD = ("runs.zarr", "journal.jsonl", "partials")  # of earlier versions


def place_in(results: Path, elsewhere: str | None = None) -> Place:
    """The place of the runs of a folder of results: `elsewhere` (relative to it) if that is said, or what the folder says, or in it."""
    try:
        if elsewhere is not None:
            inside = elsewhere.strip() and not is_address(elsewhere)
            return place_of((results / elsewhere).resolve() if inside else elsewhere)
        return place_of((results / ELSEWHERE_FILE).read_text(encoding="utf-8").strip())
    except (FileNotFoundError, NotADirectoryError):
        return Folder(results / RUNS)


def keep_used(results: Path, used: np.ndarray) -> None:
    """Keep of which stored runs, (rows,) bool, a result is made: others are of wider ranges, say."""
    np.save(results / USED, np.array(spans_of(np.flatnonzero(used)), np.int64).reshape(-1, 2))


def used_in(results: Path) -> np.ndarray | None:
    """Rows of a result, (spans, 2) first and last + 1; None for all that are stored."""
    try:
        return np.load(results / USED)
    except FileNotFoundError:
        return None
