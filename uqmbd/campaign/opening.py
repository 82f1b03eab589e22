"""Open a run store for writing: make it, or take up the one that is there if it belongs to the same study."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.campaign import metadata
from uqmbd.campaign.files import writing
from uqmbd.campaign.journal import Journal
from uqmbd.campaign.layout import Column, Layout
from uqmbd.campaign.store import RunStore
from uqmbd.errors import StudyError

FORMAT = 1
ELSEWHERE = "choose another place with --out DIR, or discard those results with --overwrite"


def open_store(
    directory: Path,
    identity: Mapping[str, str],
    layout: Layout,
    time: np.ndarray | None,
    *,
    notes: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> RunStore:
    """Open the store in `directory` for writing, or make it; a store of another study is refused.

    Parameters
    ----------
    identity : dict of str to str
        Fingerprints of what fixes a run (model, inputs, outputs, time, solver, code), by a name the user understands.
    layout : Layout
        Used for a new store; an existing one keeps its own.
    notes : dict, optional
        Kept in the header of a new store.
    """
    journal = Journal(directory / "journal.jsonl")
    with writing(directory):
        if overwrite and journal.path.exists():
            clear(directory)
        elif (directory / "runs.zarr").exists() and not journal.path.exists():
            raise StudyError("holds a runs.zarr without its journal", file=directory, remedy=ELSEWHERE)
        directory.mkdir(parents=True, exist_ok=True)
        records = journal.open()
        try:
            fcntl.flock(journal.stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            journal.close()
            raise StudyError("another uqmbd is writing here", file=directory, remedy="wait for it to end, or choose --out") from None
        try:
            if records:
                compare(records[0], identity, directory)
                layout = header_layout(records[0])
            else:
                shutil.rmtree(directory / "runs.zarr", ignore_errors=True)
                metadata.create(directory / "runs.zarr", layout, time)
                columns = [astuple(column) for column in layout.columns]
                header = {
                    "format": FORMAT,
                    "chunk": layout.chunk,
                    "columns": columns,
                    "identity": dict(identity),
                    "notes": dict(notes or {}),
                }
                journal.append(header)
            store = RunStore(directory, layout, journal, time)
            store.replay(records[1:])
            store.verify()
        except BaseException:
            journal.close()
            raise
    return store


def peek(directory: Path) -> dict[str, Any] | None:
    """Header of the store in `directory` (identity, layout, notes), None if there is no store."""
    try:
        records, _ = Journal(directory / "journal.jsonl").read()
    except OSError:
        return None
    return records[0] if records and records[0].get("format") == FORMAT else None


def header_layout(header: Mapping[str, Any]) -> Layout:
    """The layout a store was made with."""
    return Layout(header["chunk"], tuple(Column(*entry) for entry in header["columns"]))


def compare(header: Mapping[str, Any], identity: Mapping[str, str], directory: Path) -> None:
    """`StudyError` when a store belongs to another study; it says in what that one differs."""
    if header.get("format") != FORMAT:
        raise StudyError("was written by another version of uqmbd", file=directory, remedy=ELSEWHERE)
    other = header["identity"]
    different = [key for key in {**other, **identity} if other.get(key) != identity.get(key)]
    if different:
        raise StudyError(
            f"holds the results of another study (it differs in: {', '.join(different)})",
            file=directory,
            remedy=ELSEWHERE,
        )


def clear(directory: Path) -> None:
    """Remove a study's results, and nothing else, from a directory."""
    for name in ("runs.zarr", "result.zarr", "partials", "tables", "figures"):
        shutil.rmtree(directory / name, ignore_errors=True)
    for name in ("journal.jsonl", "done.json", "study.toml", "report.html"):
        (directory / name).unlink(missing_ok=True)
