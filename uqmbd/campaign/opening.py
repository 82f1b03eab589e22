"""Open a run store for writing: make it, or take up the one that is there if it belongs to the same study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.campaign.locking import NAME, Lock
from uqmbd.campaign.store import RunStore
from uqmbd.errors import StudyError
from uqmbd.runs.chunk import SUFFIX, Column
from uqmbd.runs.files import remove, replace, writing
from uqmbd.runs.listing import LISTING, unlist
from uqmbd.runs.reader import FORMAT, HEADER, READABLE, READS, id_of, unreachable
from uqmbd.runs.storage import Folder, Storage, is_address
from uqmbd.runs.where import ELSEWHERE_FILE, OLD, RUNS, storage_in
from uqmbd.sealing import sealed, unsealed

OF_RUN = ("done.json", "study.toml", "rows.npy", "report.html", "result.zarr", "tables", "figures")
ELSEWHERE = (
    "choose another place (--out DIR; in Python out=...), or discard those results (--overwrite; in Python overwrite=True, "
    'or "if_changed" for only such a case)'
)


@dataclass
class StoreLock:
    """A directory of results that nobody else writes to."""

    directory: Path
    storage: Storage  # where its runs are
    header: dict[str, Any] | None  # what the runs that are there share; None if there are none
    locks: list[Lock]  # of the directory, and of the runs' folder if that is another one
    shared: bool = False  # others may write other runs at the same time

    def clear(self) -> None:
        """Discard the results that are there, and nothing else."""
        with writing(self.directory):
            unlist(self.directory, *OF_RUN)
            remove(self.directory / "done.json")
            names = self.storage.names()
            self.storage.remove(*sorted(name for name in names if name != NAME))  # the header last but for what sorts after it
            for name in (*OLD, *OF_RUN, READS):
                remove(self.directory / name)
        self.header = None


@contextmanager
def lock_store(directory: Path, runs: str | None = None, *, shared: bool = False) -> Iterator[StoreLock]:
    """Make a directory of results, and hold it for a block; when that fails before a store is made, what was made here goes again.

    `runs` says where these are kept, a folder or an address; in the directory unless said. A `shared` one is held with others, each of
    which adds other runs: the shards of a study.
    """
    made = [folder for folder in (directory / RUNS, directory, *directory.parents) if not folder.exists()]
    ours = [name for name in (NAME, "study.toml", ELSEWHERE_FILE, LISTING) if not (directory / name).exists()]
    storage = storage_in(directory, runs)
    locks: list[Lock] = []
    try:
        with writing(directory):
            directory.mkdir(parents=True, exist_ok=True)
            locks.append(Lock(directory, shared=shared))
            if runs is not None:
                place, said = directory / ELSEWHERE_FILE, (str(storage) if is_address(runs) else runs).encode()
                if not place.is_file() or place.read_bytes() != said:
                    unlist(directory, ELSEWHERE_FILE)  # a folder that was moved: its list has the place of before
                    replace(place, said)
            if isinstance(storage, Folder):
                storage.folder.mkdir(parents=True, exist_ok=True)
                if storage.folder != directory / RUNS:
                    locks.append(Lock(storage.folder, shared=shared))
            locked = StoreLock(directory, storage, read_header(directory), locks, shared)
        yield locked
    except Exception:
        if locks and locks[0].in_place() and read_header(directory) is None and not begun(directory, storage):
            for name in ours:
                (directory / name).unlink(missing_ok=True)
            with suppress(OSError):
                storage.remove(READS)
                for folder in made:
                    folder.rmdir()
        raise
    finally:
        for lock in locks:
            lock.release()


def begun(directory: Path, storage: Storage) -> bool:
    """Whether there is a result, or a file of runs."""
    return (directory / "result.zarr").exists() or any(name.endswith(SUFFIX) for name in storage.names())


def store_in(
    locked: StoreLock,
    identity: Mapping[str, str],
    columns: tuple[Column, ...],
    chunk_runs: int,
    time: np.ndarray | None,
    *,
    axes: Mapping[str, Any] | None = None,
    notes: Mapping[str, Any] | None = None,
    timeout: float | None = None,
) -> RunStore:
    """The store in a locked directory: made, or taken up if it belongs to the same study.

    `identity` has fingerprints of what fixes a run (model, time, solver, code), by names that a user understands. Columns, `chunk_runs`
    (runs of a chunk), times [s], axes (see `own_axes`) and notes are those of a new store; an existing one keeps its own. Runs that a
    smaller `timeout` [s] has stopped are done again when they are asked for.
    """
    with writing(locked.directory):
        if locked.header is not None:
            if (other := unlike(locked.header, identity, locked.directory)) is not None:
                raise other
        else:
            header = {
                "format": FORMAT, "chunk": chunk_runs, "columns": [astuple(column) for column in columns], "identity": dict(identity),
                "notes": dict(notes or {}), "time": None if time is None else time.tolist(),
            }  # fmt: skip
            header |= {"axes": dict(axes)} if axes else {}
            header["id"] = id_of(header)
            again = HEADER in locked.storage.names()
            locked.storage.put(HEADER, sealed(header))
        store = RunStore(locked.storage, locked.directory, locked.locks[0], timeout, shared=locked.shared)
        if locked.header is None and store.foreign:
            locked.storage.remove(HEADER)
            file = locked.storage.path(store.foreign[0])
            raise StudyError(f"holds runs of another study, whose {HEADER} is missing", file=file, remedy=ELSEWHERE)
        if locked.header is None and again:
            store.damaged.append(f"{HEADER} was damaged: it is written again")
        return store


def read_header(directory: Path, runs: str | None = None) -> dict[str, Any] | None:
    """What the runs of a directory of results, or of a place elsewhere, share (identity, columns, notes); None if there are none."""
    storage = storage_in(directory, runs)
    try:
        header, is_sealed = unsealed(storage.read(HEADER))
        if not is_sealed and header.get("format") in READABLE and header.get("id") != id_of(header):
            raise ValueError("damaged")
        return header
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {"format": 2} if any((directory / name).exists() for name in OLD) else None
    except OSError as error:
        raise unreachable(error, storage) from error


def differences(header: Mapping[str, Any], identity: Mapping[str, str]) -> list[str]:
    """In what the runs of a store are others than those of this identity."""
    other = header.get("identity", {})
    return [key for key in {**other, **identity} if other.get(key) != identity.get(key)]


def unlike(
    header: Mapping[str, Any], identity: Mapping[str, str], directory: Path, detail: str = "", remedy: str = ELSEWHERE
) -> StudyError | None:
    """Why a store belongs to another study, and in what that one differs (`detail`: what of the model); None if it does not."""
    if header.get("format") not in READABLE:
        return StudyError("was written by another version of uqmbd, whose runs this one cannot add to", file=directory, remedy=remedy)
    if not (different := differences(header, identity)):
        return None
    words = [f"model: {detail}" if key == "model" and detail else key for key in different]
    return StudyError(f"holds the results of another study (it differs in: {', '.join(words)})", file=directory, remedy=remedy)
