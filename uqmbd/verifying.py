"""All files of a folder of results compared with their checksums; what is damaged in the runs is put aside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.campaign.locking import held
from uqmbd.errors import StudyError
from uqmbd.result_store import attributes_of
from uqmbd.runs.listing import LISTING, ROOT, differing, listed, unfinish
from uqmbd.runs.of_results import lost_runs
from uqmbd.runs.reader import ABOUT, HEADER, READS, SUFFIX, Runs, document_in, header_of, reached
from uqmbd.runs.storage import Storage
from uqmbd.runs.where import OLD, folders_of, labels_in, storage_in, used_in
from uqmbd.sealing import wrong_in

PAGES = ("report.html", "figures/")  # what `uqmbd report` writes again
GIVEN = ("study.toml", "runs.url")  # what nothing here can be made from
BEFORE = "was written before results had checksums: damage to it would not be noticed"


@dataclass
class Verified:
    """What came of it."""

    runs: int = 0  # that are stored
    files: dict[str, int] = field(default_factory=dict)  # damaged or missing, with the runs they held; 0 also where that is not known
    notes: list[str] = field(default_factory=list)  # what could not be compared

    def remedies(self, results: Path) -> str:
        """What to do about the files."""
        pages = [name for name in self.files if name.startswith(PAGES) or any(f"/{page}" in name for page in PAGES)]
        given = [name for name in self.files if name.endswith(GIVEN)]
        made = len(pages) + len(given) < len(self.files)
        remedies = [f"put back {', '.join(given)}; if you have changed it yourself, `uqmbd run` it"] if given else []
        remedies += [f"`uqmbd resume {results}` does the runs again that are lost, and makes the result anew"] if made else []
        remedies += [f"`uqmbd report {results}` writes the pages again"] if pages and not made else []
        return "; ".join(remedies)


def verify(results: Path) -> Verified:
    """Compare every file of a folder of results, and of its runs, with its checksum.

    Damaged files of runs are put aside (``NAME.damaged``) and a result that is not whole no longer counts as finished, so that
    `uqmbd resume` makes again what is lost; unless the study is running, or the disk read-only.

    Raises
    ------
    StudyError
        If there is nothing to compare.
    """
    outcome, folders = Verified(), [results, *(results / label for label in labels_in(results))]
    if not any(present(folder) for folder in folders):
        text, remedy = "there are no runs here", "put them back, or name the directory that `uqmbd run` has made, results/<study name>"
        raise StudyError(text, file=results / "runs", remedy=remedy)
    places: dict[str, Storage] = {}
    for folder in folders:
        wrong = dict.fromkeys(verify_folder(folder, outcome.notes), 0)
        try:
            place = storage_in(folder)
        except StudyError as error:
            wrong |= {relative(error.file, folder): 0}
        else:
            places.setdefault(os.path.realpath(str(place)), place)
        outcome.files |= {str(Path(name) if folder == results else Path(folder.name, name)): 0 for name in wrong}
        if any(not name.startswith(PAGES) and name not in GIVEN for name in wrong) and not held(results):
            unfinish(folder)
    for place in places.values():
        verify_runs(place, results, outcome)
    return outcome


def present(folder: Path) -> bool:
    """Whether there is a result, or runs, or a list of what there was."""
    return any((folder / name).exists() for name in ("result.zarr", LISTING, *OLD)) or bool(names_in(folder))


def names_in(folder: Path) -> dict[str, int]:
    """Files of the runs of a folder; none where it cannot be told where they are."""
    with suppress(StudyError):
        place = storage_in(folder)
        with reached(place):
            return place.names()
    return {}


def relative(file: str | None, folder: Path) -> str:
    """A file as it is named in a folder."""
    return os.path.relpath(file or LISTING, folder) if file and str(file).startswith(str(folder)) else str(file or LISTING)


def verify_folder(folder: Path, notes: list[str]) -> Iterator[str]:
    """The files of a result that are damaged or missing, but for its runs."""
    yield from differing(folder)
    store = folder / "result.zarr"
    if store.is_dir():
        wrong = wrong_in(store)
        if wrong is None:
            notes.append(f"{store} {BEFORE}")
        for file, _ in wrong or ():
            if (name := file.relative_to(folder).as_posix()) != ROOT or ROOT not in listed_in(folder, "files"):
                yield name
    if (folder / LISTING).is_file() or not store.is_dir():
        return
    try:
        if attributes_of(store)["format"]:
            yield LISTING
        else:
            notes.append(f"what lies beside {store} {BEFORE}")
    except StudyError:  # named already
        return


def verify_runs(place: Storage, results: Path, outcome: Verified) -> None:
    """Add what is wrong with the runs of a place."""
    near = {folder.resolve(): folder for folder in (*safe_folders(results.resolve().parent), *safe_folders(results), results)}
    folders = [folder for folder in near.values() if is_at(folder, place)]
    with reached(place):
        names = place.names()
    needed = {name for folder in folders for name in listed_in(folder, "runs")}
    beside = [name for name in sorted(needed | ({HEADER, ABOUT, READS} & names.keys())) if name not in names or not sound(place, name)]
    has_runs = any(name.endswith(SUFFIX) for name in names)
    if has_runs and HEADER not in names and HEADER not in beside:
        beside.append(HEADER)
    wrong = dict.fromkeys((f"runs/{name}" for name in beside), 0)
    if (old := [name for name in OLD for folder in folders if (folder / name).exists()]) and not has_runs:
        outcome.notes.append(f"{old[0]} is of an earlier version and has no checksums: it can be read, not compared")
    aside = {name: b"" for name in beside if name in names and name != HEADER}  # and what of it is whole
    if HEADER in names and HEADER not in beside:
        runs = Runs(place)
        outcome.runs += len(runs.rows)
        for name, count, whole in runs.damages():
            wrong[name], aside[name] = count, whole
        for folder in folders if not runs.bad else ():  # whose runs are missing too, and their number is not known
            with suppress(StudyError):  # of a list of rows that is damaged, which is named already
                rows = np.array((listed(folder) or {"rows": []})["rows"], np.int64).reshape(-1, 2)
                for spans in (used_in(folder), rows):
                    wrong |= {f"a file that is missing, of {words}": count for words, count in lost_runs(spans, runs)}
    elif not beside and not has_runs:
        for folder in folders:
            with suppress(StudyError):
                if (spans := used_in(folder)) is not None and not (folder / "runs.zarr").is_dir() and len(spans):
                    wrong["runs/" + HEADER] = int(np.diff(spans).sum())
    outcome.files |= wrong
    if wrong and not held(results):
        for folder in folders:
            unfinish(folder)
        with suppress(OSError):
            for name, whole in aside.items():
                place.put(f"{name}.damaged", place.read(name))
                place.put(name, whole) if whole else place.remove(name)


def safe_folders(folder: Path) -> list[Path]:
    """The folders that hold a result each; none where the study file is damaged."""
    with suppress(StudyError):
        return folders_of(folder)
    return []


def is_at(folder: Path, place: Storage) -> bool:
    """Whether the runs of a folder are in a place."""
    with suppress(StudyError):
        return os.path.realpath(str(storage_in(folder))) == os.path.realpath(str(place))
    return False


def listed_in(folder: Path, key: str) -> Any:
    """What the list of a folder's files has under a key; empty without a list, or where it is damaged, which is named elsewhere."""
    with suppress(StudyError):
        return (listed(folder) or {}).get(key, ())
    return ()


def sound(place: Storage, name: str) -> bool:
    """Whether a document beside the runs is as it was written."""
    try:
        header_of(place) if name == HEADER else document_in(place, name)
    except StudyError:
        return False
    return True
