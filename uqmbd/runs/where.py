"""Where the runs of a folder of results are, which of them its result is made of, and which folders of methods are in it."""

from __future__ import annotations

import io
import math
import tomllib
from pathlib import Path

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.runs.chunk import spans_of
from uqmbd.runs.listing import require_listed
from uqmbd.runs.storage import Folder, Storage, is_address, storage_of

RUNS = "runs"
ELSEWHERE_FILE = "runs.url"  # says where they are, if not in `RUNS`
USED = "rows.npy"
STUDY = "study.toml"
MANIFEST = "manifest.json"  # what a result was made with
MOTION = "motion.json"  # the mechanism moving, for the report
MODEL = "model"  # copies of the files of its model
OLD = ("runs.zarr", "journal.jsonl", "partials")  # of earlier versions


def storage_in(results: Path, elsewhere: str | None = None) -> Storage:
    """The place of the runs of a folder of results: `elsewhere` (relative to it) if that is said, or what the folder says, or in it."""
    if elsewhere is not None:
        return storage_from(results, elsewhere)
    try:
        said = (results / ELSEWHERE_FILE).read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError, UnicodeDecodeError):
        said = ""
    require_listed(results, ELSEWHERE_FILE, "write into it the folder or address where the runs are, as study.toml says in campaign.runs")
    storage = storage_from(results, said) if said else Folder(results / RUNS)
    shared = results.parent / RUNS
    if isinstance(storage, Folder) and storage.folder.name == RUNS and not storage.folder.is_dir() and shared.is_dir():
        return Folder(shared)  # version 0.1.0 wrote where the runs of several methods had been, and their folder was moved since
    return storage


def storage_from(results: Path, said: str) -> Storage:
    """The place that a folder of results says, an address or a folder; a relative one is relative to it."""
    return storage_of((results / said).resolve() if said.strip() and not is_address(said) else said)


def keep_used(results: Path, used: np.ndarray) -> None:
    """Keep of which stored runs, (rows,) bool, a result is made: others are of wider ranges, say."""
    np.save(results / USED, np.array(spans_of(np.flatnonzero(used)), np.int64).reshape(-1, 2))


def used_in(results: Path) -> np.ndarray | None:
    """Rows of a result, (spans, 2) first and last + 1; None for all that are stored; `StudyError` where that cannot be read."""
    remedy = "`uqmbd resume` makes the result again: its runs are kept"
    require_listed(results, USED, remedy)
    try:
        return spans_in((results / USED).read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        text = "the file is damaged, which says of which runs the result is made"
        raise StudyError(text, file=results / USED, remedy=remedy) from error


def spans_in(data: bytes) -> np.ndarray:
    """The spans in a file of numpy's format; `ValueError` if they are none: two columns of whole numbers, rising."""
    spans = integers_in(data)
    if spans.ndim != 2 or spans.shape[1] != 2:
        raise ValueError("another shape")
    ends = spans.ravel()
    if len(ends) and (ends[0] < 0 or (ends[1:] < ends[:-1]).any() or (spans[:, 1] <= spans[:, 0]).any()):
        raise ValueError("not rising")
    return spans


def integers_in(data: bytes) -> np.ndarray:
    """The whole numbers in a file of numpy's format, whose sizes are compared with what is there before anything is made of them."""
    stream = io.BytesIO(data)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("another version")
    try:
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
    except Exception as error:  # of the parser of Python
        raise ValueError("no header") from error
    rest = data[stream.tell() :]
    if dtype != np.dtype("<i8") or len(rest) != 8 * math.prod(shape):
        raise ValueError("another size")
    return np.frombuffer(rest, dtype).reshape(shape)


def check_study(results: Path) -> None:
    """Raise `StudyError` when the study file of a folder of results is not as it was written."""
    file = results / STUDY
    require_listed(results, STUDY, f"put it back; if you have changed it yourself, `uqmbd run {file} --out {results}`")


def labels_in(folder: Path) -> list[str]:
    """Labels of the methods whose results a folder holds, by its study file; none if it is that of one method."""
    try:
        methods = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))["method"]
    except (OSError, ValueError, KeyError, RecursionError):
        return []
    return [str(table.get("label", table.get("type"))) for table in methods] if isinstance(methods, list) else []


def folders_of(folder: Path) -> list[Path]:
    """The folders that hold a result each: those of several methods, or the folder itself; `StudyError` if the study file is damaged."""
    check_study(folder)
    return [folder / label for label in labels_in(folder)] or [folder]
