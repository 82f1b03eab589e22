"""The checksums of what lies in a folder of results beside ``result.zarr`` and the runs, which have their own: ``checksums.json``.

``files`` has length and crc32 of files by their paths; of ``result.zarr`` that of the root document, which holds those of all others.
``runs`` names the files beside the runs, which are sealed in themselves; ``rows`` are the spans of all runs that were stored. Who
changes a file takes it from the list first (`unlist`), and enters it when it is whole (`list_files`): a process that is killed in
between leaves files that are not listed, never a wrong list.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError
from uqmbd.runs.files import replace
from uqmbd.sealing import sealed, sum_of_file, unsealed

LISTING = "checksums.json"
ROOT = "result.zarr/zarr.json"
EMPTY: dict[str, Any] = {"files": {}, "runs": [], "rows": []}
ANEW = "put it back; or remove it, and `uqmbd resume` makes the result again from its runs"
DAMAGED, MISSING = "the file is damaged: it does not agree with its checksum", "the file is missing"


def listed(folder: Path) -> dict[str, Any] | None:
    """``files``, ``runs`` and ``rows`` of a folder; None if it has no list; `StudyError` if the list is damaged."""
    file = folder / LISTING
    try:
        content = unsealed(file.read_bytes())[0]
        rows = [[int(start), int(stop)] for start, stop in content.get("rows", ())]
        return {"files": dict(content["files"]), "runs": [str(name) for name in content["runs"]], "rows": rows}
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StudyError(DAMAGED, file=file, remedy=ANEW) from error


def list_files(
    folder: Path,
    *names: str,
    runs: Sequence[str] | None = None,
    rows: Sequence[Sequence[int]] | None = None,
    ahead: Mapping[str, bytes] | None = None,
) -> None:
    """Enter files, and those in folders, as they are now; `ahead`: what files will hold that are written next."""
    known: dict[str, Any] = listed(folder) or EMPTY
    files = without(known["files"], (*names, *(ahead or ())))
    files |= {name: sum_of_file(folder / name) for name in found_in(folder, names)}
    files |= {name: [len(data), zlib.crc32(data)] for name, data in (ahead or {}).items()}
    keep(folder, files, known["runs"] if runs is None else list(runs), known["rows"] if rows is None else rows)


def unlist(folder: Path, *names: str) -> None:
    """Take files, and those in folders, from the list: they are about to change. A damaged list is begun anew."""
    try:
        known: dict[str, Any] | None = listed(folder)
    except StudyError:
        known = EMPTY | {"files": {LISTING: [0, 0]}}
    if known is not None and (files := without(known["files"], (*names, LISTING))) != known["files"]:
        keep(folder, files, known["runs"], known["rows"])


def without(files: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The entries that are none of these files, and in none of these folders."""
    return {name: entry for name, entry in files.items() if not any(name == one or name.startswith(f"{one}/") for one in names)}


def keep(folder: Path, files: Mapping[str, Any], runs: Sequence[str], rows: Sequence[Sequence[int]]) -> None:
    """Write the list."""
    replace(folder / LISTING, sealed({"files": dict(sorted(files.items())), "runs": sorted(runs), "rows": list(rows)}))


def found_in(folder: Path, names: Sequence[str]) -> Iterator[str]:
    """The files that are there of these names, those in folders by their paths."""
    for name in names:
        path = folder / name
        if path.is_dir():
            yield from (file.relative_to(folder).as_posix() for file in sorted(path.rglob("*")) if file.is_file())
        elif path.is_file():
            yield name


def require_listed(folder: Path, name: str, remedy: str) -> bool:
    """Raise `StudyError` when a file is not as the list has it, or is missing; False if it is not listed."""
    known = listed(folder)
    entry = None if known is None else known["files"].get(name)
    if entry is not None and (what := state_of(folder / name, entry)):
        raise StudyError(what, file=folder / name, remedy=remedy)
    return entry is not None


def state_of(file: Path, entry: Sequence[int]) -> str:
    """What is wrong with a file, in words; empty if nothing is."""
    try:
        return "" if file.stat().st_size == entry[0] and sum_of_file(file) == list(entry) else DAMAGED
    except (FileNotFoundError, NotADirectoryError):
        return MISSING
    except OSError as error:
        return f"the file cannot be read ({error.strerror or error})"


def differing(folder: Path) -> dict[str, str]:
    """The listed files that are not as they were, with what is wrong; the list itself if it is."""
    try:
        known = listed(folder)
    except StudyError as error:
        return {LISTING: error.message}
    states = {name: state_of(folder / name, entry) for name, entry in (known or {"files": {}})["files"].items()}
    return {name: what for name, what in states.items() if what}


def unfinish(folder: Path) -> None:
    """Have the result of a folder count as not finished, so that `uqmbd resume` makes it again."""
    with suppress(OSError):
        unlist(folder, "done.json")
        (folder / "done.json").unlink(missing_ok=True)
