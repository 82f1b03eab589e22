"""Where the runs of a folder of results are, which of them its result is made of, and which folders of methods are in it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.runs.piece import spans_of
from uqmbd.runs.place import Folder, Place, is_address, place_of

RUNS = "runs"
ELSEWHERE_FILE = "runs.url"  # says where they are, if not in `RUNS`
USED = "rows.npy"
MANIFEST = "manifest.json"  # what a result was made with
MODEL = "model"  # copies of the files of its model
READS = "reads.json"  # beside the runs: hashes of the files that their model was seen to read
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
    """Rows of a result, (spans, 2) first and last + 1; None for all that are stored; `StudyError` where that cannot be read."""
    try:
        return np.load(results / USED)
    except FileNotFoundError:
        return None
    except (EOFError, OSError, ValueError) as error:
        remedy = "delete result.zarr and resume the study: its runs are kept, and only the result is computed again"
        raise StudyError("the file is damaged, which says of which runs the result is made", file=results / USED, remedy=remedy) from error


def labels_in(folder: Path) -> list[str]:
    """Labels of the methods whose results a folder holds, by its study file; none if it is that of one method."""
    try:
        methods = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))["method"]
    except (OSError, ValueError, KeyError):
        return []
    return [str(table.get("label", table.get("type"))) for table in methods] if isinstance(methods, list) else []


def folders_of(folder: Path) -> list[Path]:
    """The folders that hold a result each: those of several methods, or the folder itself."""
    return [folder / label for label in labels_in(folder)] or [folder]
