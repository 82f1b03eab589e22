"""Open a run store for writing: make it, or take up the one that is there if it belongs to the same study."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.campaign import metadata
from uqmbd.campaign.files import writing
from uqmbd.campaign.journal import Journal
from uqmbd.campaign.layout import Column, Layout
from uqmbd.campaign.store import RunStore
from uqmbd.errors import StudyError
from uqmbd.outcomes import TIMEOUT

FORMAT = 2
ELSEWHERE = (
    "choose another place (--out DIR; in Python out=...), or discard those results (--overwrite; in Python overwrite=True, "
    'or "if_changed" for only such a case)'
)


@dataclass
class Claim:
    """A directory of results that nobody else writes to.

    Attributes
    ----------
    journal : Journal
        Open and locked.
    records : list of dict
        What was in it, the header first; empty if there was none.
    """

    directory: Path
    journal: Journal
    records: list[dict[str, Any]]

    @property
    def header(self) -> dict[str, Any] | None:
        """The header of the store that is there."""
        return self.records[0] if self.records else None

    def clear(self) -> None:
        """Discard the results that are there."""
        with writing(self.directory):
            (self.directory / "done.json").unlink(missing_ok=True)
            self.journal.clear()
            clear(self.directory)
        self.records = []


@contextmanager
def claimed(directory: Path) -> Iterator[Claim]:
    """Make a directory of results, and hold it for a block; when that fails before a store is made, what was made here goes again."""
    made = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    ours = [name for name in ("journal.jsonl", "study.toml", "reads.json") if not (directory / name).exists()]
    journal = Journal(directory / "journal.jsonl")
    with writing(directory):
        if (directory / "runs.zarr").exists() and not journal.path.exists():
            raise StudyError("holds a runs.zarr without its journal", file=directory, remedy=ELSEWHERE)
        directory.mkdir(parents=True, exist_ok=True)
        journal.lock()
        claim = Claim(directory, journal, journal.open())
    try:
        yield claim
    except Exception:
        if not os.fstat(claim.journal.stream).st_size:
            for name in ours:
                (directory / name).unlink(missing_ok=True)
            with suppress(OSError):
                for folder in made:
                    folder.rmdir()
        raise
    finally:
        claim.journal.close()


def store_in(
    claim: Claim,
    identity: Mapping[str, str],
    layout: Layout,
    time: np.ndarray | None,
    *,
    notes: Mapping[str, Any] | None = None,
    timeout: float | None = None,
) -> RunStore:
    """The store in a claimed directory: made, or taken up if it belongs to the same study.

    Parameters
    ----------
    identity : dict of str to str
        Fingerprints of what fixes a run (model, time, solver, code), by a name the user understands.
    layout : Layout
        Used for a new store; an existing one keeps its own.
    notes : dict, optional
        Kept in the header of a new store.
    timeout : float, optional
        Longest time a run may take [s]; runs that a smaller one has stopped are forgotten, to be done again in their rows.
    """
    directory, journal = claim.directory, claim.journal
    with writing(directory):
        if claim.header is not None:
            compare(claim.header, identity, directory)
            layout = header_layout(claim.header)
        else:
            shutil.rmtree(directory / "runs.zarr", ignore_errors=True)
            metadata.create(directory / "runs.zarr", layout, time)
            columns = [astuple(column) for column in layout.columns]
            header = {"format": FORMAT, "chunk": layout.chunk, "columns": columns, "identity": dict(identity), "notes": dict(notes or {})}
            journal.append(header)
        store = RunStore(directory, layout, journal, time)
        store.replay(claim.records[1:])
        store.verify()
    release(store, claim.records[1:], timeout)
    journal.stamp = {"timeout": timeout}
    return store


def release(store: RunStore, records: list[dict[str, Any]], timeout: float | None) -> None:
    """Forget the runs that were stopped at a time limit below the one of now."""
    limits = np.full(len(store.status), np.inf)
    for record in records:
        if "rows" in record:
            limits[slice(*record["rows"])] = np.inf if record.get("timeout") is None else record["timeout"]
    for row in np.flatnonzero((store.status == TIMEOUT) & (limits < (np.inf if timeout is None else timeout))).tolist():
        store.status[row] = -1
        key = store.known.pop(row, None)
        if key is not None and store.index.get(key) == row:
            del store.index[key]


def peek(directory: Path) -> dict[str, Any] | None:
    """Header of the store in `directory` (identity, layout, notes), None if there is no store."""
    return Journal(directory / "journal.jsonl").first()


def header_layout(header: Mapping[str, Any]) -> Layout:
    """The layout a store was made with."""
    return Layout(header["chunk"], tuple(Column(*entry) for entry in header["columns"]))


def differences(header: Mapping[str, Any], identity: Mapping[str, str]) -> list[str]:
    """In what the runs of a store are others than those of this identity."""
    other = header.get("identity", {})
    return [key for key in {**other, **identity} if other.get(key) != identity.get(key)]


def compare(header: Mapping[str, Any], identity: Mapping[str, str], directory: Path, detail: str = "") -> None:
    """`StudyError` when a store belongs to another study; it says in what that one differs (`detail`: what of the model)."""
    if header.get("format") != FORMAT:
        raise StudyError("was written by another version of uqmbd", file=directory, remedy=ELSEWHERE)
    different = differences(header, identity)
    if different:
        words = [f"model: {detail}" if key == "model" and detail else key for key in different]
        raise StudyError(f"holds the results of another study (it differs in: {', '.join(words)})", file=directory, remedy=ELSEWHERE)


def clear(directory: Path) -> None:
    """Remove a study's results, and nothing else, from a directory."""
    for name in ("runs.zarr", "result.zarr", "partials", "tables", "figures"):
        shutil.rmtree(directory / name, ignore_errors=True)
    for name in ("done.json", "study.toml", "reads.json", "rows.npy", "report.html"):
        (directory / name).unlink(missing_ok=True)
