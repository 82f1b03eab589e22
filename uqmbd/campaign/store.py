"""The run store: immutable chunks, whose renaming or appending is the commit; runs are found again by their inputs. One writer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.campaign.index import Index, hashes, same, same_extras, with_extras
from uqmbd.campaign.locking import Lock
from uqmbd.errors import StudyError
from uqmbd.outcomes import OK, TIMEOUT
from uqmbd.printing import near
from uqmbd.runs.chunk import Blocks, Chunk, beginning, file_name, spans_of
from uqmbd.runs.files import writing
from uqmbd.runs.growing import Growing
from uqmbd.runs.reader import ABOUT, FORMAT, HEADER, Damaged, Runs
from uqmbd.runs.states import ENDS
from uqmbd.runs.storage import TEMPORARY, Storage
from uqmbd.sealing import sealed

AT_ONCE = 1 << 18  # runs that are looked for at a time
FILES = 128  # from so many on small chunks share files
SMALL, FULL = 1 << 16, 1 << 22  # bytes of a chunk that is small, and of a file that they share, at most


class RunStore(Runs):
    """Runs that may be added to; `opening.store_in` opens it.

    Runs that are `stale`, (rows,) bool, are there and are done again when a method asks for them: they count as missing until they are
    committed anew. The `index` has the rows of the first `indexed` chunks by the hashes of their inputs; it is made when runs are looked
    for that do not follow the last one that was found, `follower` - 1.
    """

    def __init__(
        self, storage: Storage, directory: Path, lock: Lock | None = None, timeout: float | None = None, *, shared: bool = False
    ) -> None:
        super().__init__(storage)
        self.directory, self.lock = directory, lock
        self.timeout = timeout  # longest time that runs of this session may take [s]
        self.chunk_runs: int = self.header["chunk"]  # runs of a chunk, at most: rows of one chunk have the same number when divided by it
        self.damaged: list[str] = []  # what was damaged, and is done again
        self.session = 1 + max((chunk.order[0] for chunk in self.chunks), default=0)  # what it commits replaces what earlier ones did
        self.shared, self.written = ("", FULL), set[str]()  # file that small chunks are added to, and its size; files of this session
        if lock is not None and self.header["format"] != FORMAT:  # before anything that an earlier version would take for damaged
            with self.guarded():
                self.header["format"] = FORMAT
                storage.put(HEADER, sealed(self.header))
        if not shared:  # what others are writing just now is left alone
            with self.guarded():
                self.remove_orphans()
        self.redo_stopped()

    def map_rows(self) -> None:
        """Say which chunk each row is in; all that follows from it begins anew."""
        super().map_rows()
        self.files = len({chunk.name for chunk in self.chunks})
        self.growing = Growing(self.chunk_of), Growing(np.zeros(len(self.chunk_of), bool)), Growing(np.empty(0, bool))
        self.chunk_of, self.stale, self.known = (one.rows for one in self.growing)
        self.index, self.indexed, self.follower, self.lowest = Index(), 0, 0, 0

    def remove_orphans(self) -> None:
        """Remove what a killed process left, files with a damaged head, and files whose runs were all done again."""
        self.damaged += [f"{name} is damaged: its runs are done again" for name in self.bad]
        self.damaged += [f"{name} ended within some runs, as after a kill: these are done again" for name in self.torn]
        self.storage.remove(*(name for name in self.storage.names() if name.endswith(TEMPORARY)))
        for name in (*self.bad, *self.torn):
            self.replace(name, self.whole_of(name))
        if self.bad or self.torn:
            self.load()
        self.remove_old()

    def remove_old(self) -> None:
        """Remove the files whose runs were all done again, or have gone into others."""
        owned = np.zeros(len(self.chunks) + 1, bool)
        owned[self.chunk_of] = True  # -1 marks the last, which stands for none
        keep = {self.chunks[number].name for number in np.flatnonzero(owned[:-1]).tolist()}
        old = {chunk.name for chunk in self.chunks} - keep
        self.storage.remove(*sorted(old))
        if old:
            self.chunks = [chunk for chunk in self.chunks if chunk.name in keep]
            self.map_rows()

    def replace(self, name: str, whole: bytes) -> None:
        """Write a file anew with what of it is whole; remove it if nothing is."""
        if whole:
            self.storage.put(name, whole)
        else:
            self.storage.remove(name)

    # which runs are there ----------------------------------------------------------------------------------------------------------------
    def find(self, samples: Mapping[str, np.ndarray], extras: Mapping[str, np.ndarray] | None = None) -> np.ndarray:
        """Rows of runs, -1 for those not run yet; of equal ones the one that continues the row before is taken.

        Inputs are (n,) each, SI; further columns make a run another one: controls, keys of starts.
        """
        n = len(next(iter(samples.values())))
        rows = np.full(n, -1)
        if self.chunks:
            for begin in range(0, n, AT_ONCE):
                part = {name: np.asarray(samples[name][begin : begin + AT_ONCE]) for name in self.inputs}
                part |= {name: values[begin : begin + AT_ONCE] for name, values in (extras or {}).items()}
                rows[begin : begin + AT_ONCE] = self.find_some(part)
        return rows

    def find_some(self, samples: Mapping[str, np.ndarray]) -> np.ndarray:
        """The same for not too many; first it is seen whether they lie one after the other, as in a study that is gone on with."""
        n, start = len(samples[self.inputs[0]]), self.follower
        samples = {**self.no_extras(n), **samples}
        rows = np.full(n, -1)
        there = np.flatnonzero(self.chunk_of[start : start + n] >= 0)
        there = there[self.agree(start + there, {name: values[there] for name, values in samples.items()})]
        rows[there] = start + there
        left = np.flatnonzero(rows < 0)
        if len(left):
            self.update_index()
            other = {name: values[left] for name, values in samples.items()}
            keys = self.hashed(other)
            rows[left], several = self.index.find(keys)
            for i in np.flatnonzero(several).tolist():
                before = int(rows[left[i] - 1]) if left[i] else start - 1
                if before + 1 in self.index.all_of(keys[i]):
                    rows[left[i]] = before + 1
            hits = np.flatnonzero(rows[left] >= 0)
            wrong = hits[~self.agree(rows[left[hits]], {name: values[hits] for name, values in other.items()})]
            for i in wrong.tolist():  # another run has the same hash
                rows[left[i]] = self.search(np.uint64(keys[i]), {name: values[i : i + 1] for name, values in other.items()})
        self.follower = int(rows[-1]) + 1 if rows[-1] >= 0 else start + n
        return rows

    def no_extras(self, n: int) -> dict[str, np.ndarray]:
        """The further columns of `n` runs that have none."""
        return {name: self.columns[name].empty(n) for name in self.extras}

    def hashed(self, samples: Mapping[str, np.ndarray]) -> np.ndarray:
        """A number (n,) for each run, from its inputs and its further columns."""
        return with_extras(hashes(samples, self.inputs), samples, sorted(samples.keys() - set(self.inputs)))

    def stored_keys(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Inputs and further columns of stored runs."""
        stored = self.read([*(f"input:{name}" for name in self.inputs), *self.extras], rows)
        return {name.removeprefix("input:"): values for name, values in stored.items()}

    def keys_of(self, rows: np.ndarray) -> np.ndarray:
        """A number (n,) for each stored run, which is that of the same run in any store."""
        return self.hashed(self.stored_keys(rows))

    def rows_of(self, keys: np.ndarray) -> np.ndarray:
        """The stored runs (n,) of such numbers, -1 for those that are not there."""
        self.update_index()
        return self.index.find(keys)[0]

    def agree(self, rows: np.ndarray, samples: Mapping[str, np.ndarray]) -> np.ndarray:
        """Which of the rows hold these runs; what of further columns is not said is not there."""
        stored, n = self.stored_keys(rows), len(rows)
        samples, names = {**self.no_extras(n), **samples}, sorted({*samples, *self.extras} - set(self.inputs))
        stored |= {name: np.full(n, np.nan) for name in names if name not in stored}
        return same(samples, stored, self.inputs) & same_extras(samples, stored, names)

    def stateless(self, rows: np.ndarray) -> np.ndarray:
        """Which of the rows, (n,) bool, hold ok runs whose ends were not kept; -1 is no row."""
        lost, there = np.zeros(len(rows), bool), np.flatnonzero(rows >= 0)
        for number, at in self.by_chunk(rows[there]):
            lost[there[at]] = ENDS not in self.chunks[number].head["blocks"]
        lost[lost] = self.column("status", rows[lost]) == OK
        return lost

    def search(self, key: np.uint64, sample: Mapping[str, np.ndarray]) -> int:
        """The lowest row of one run, among all that have its hash."""
        rows = self.index.all_of(key)
        good = np.flatnonzero(self.agree(rows, {name: np.repeat(value, len(rows)) for name, value in sample.items()}))
        return int(rows[good[0]]) if len(good) else -1

    def update_index(self) -> None:
        """Put the runs of chunks that came since the last time into the index."""
        keys, added = [], []
        self.known = self.growing[2].fill(len(self.chunk_of) - len(self.known), False)
        for number in range(self.indexed, len(self.chunks)):
            rows = np.concatenate([np.arange(*span) for span in self.chunks[number].spans.tolist()])
            rows = rows[self.chunk_of[rows] == number]
            rows = rows[~self.known[rows]]  # others were done again
            if not len(rows):
                continue
            keys.append(self.keys_of(rows))
            added.append(rows)
            self.known[rows] = True
        if added:
            self.index.add(np.concatenate(keys), np.concatenate(added))
        self.indexed = len(self.chunks)

    def done(self, rows: np.ndarray) -> bool:
        """True if all these runs are there and none of them is to be done again."""
        return bool((self.chunk_of[rows] >= 0).all()) and not self.stale[rows].any()

    def invalidate(self, statuses: Iterable[int]) -> int:
        """Have runs of these statuses done again; how many they are."""
        codes = list(statuses)
        for number, chunk in enumerate(self.chunks):
            if any(chunk.head["counts"][code] for code in codes):
                self.mark(number, codes)
        return int(self.stale.sum())

    def redo_stopped(self) -> None:
        """Have runs done again that were stopped at a time limit below the one of now."""
        for number, chunk in enumerate(self.chunks):
            limit = chunk.head["timeout"]
            if chunk.head["counts"][TIMEOUT] and limit is not None and (self.timeout is None or limit < self.timeout):
                self.mark(number, [TIMEOUT])

    def mark(self, number: int, codes: list[int]) -> None:
        """Have runs of a chunk that ended so done again."""
        rows = np.flatnonzero(self.chunk_of == number)
        try:
            self.stale[rows[np.isin(self.column("status", rows), codes)]] = True
        except Damaged:
            self.stale[rows] = True  # found again, and dropped, when it is read

    # writing -----------------------------------------------------------------------------------------------------------------------------
    def allocate(self, n: int) -> np.ndarray:
        """`n` free rows, lowest first: holes left by a kill, then new ones."""
        free = self.lowest + np.flatnonzero(self.chunk_of[self.lowest :] < 0)
        self.lowest = int(free[0]) if len(free) else len(self.chunk_of)
        free = free[:n]
        rows = np.concatenate([free, np.arange(len(self.chunk_of), len(self.chunk_of) + n - len(free))])
        self.grow(n - len(free))
        return rows

    def grow(self, more: int) -> None:
        """Make room in memory for so many further rows."""
        self.chunk_of, self.stale = self.growing[0].fill(more, -1), self.growing[1].fill(more, False)

    def commit(self, rows: np.ndarray, blocks: Blocks, tag: str, seconds: float = 0.0) -> None:
        """Write a chunk, whose runs have these rising rows; `seconds` went by since the last one."""
        self.write({"rows": spans_of(rows), "tag": tag, "timeout": self.timeout, "seconds": seconds}, rows, blocks)
        self.stale[rows] = False

    def write(self, head: dict[str, Any], rows: np.ndarray, blocks: Blocks) -> None:
        """Write a chunk: into a file of its own, or behind others of this session in a file that small ones share."""
        head = {"of": self.header["id"], **head, "counts": blocks.counts, "order": len(self.chunks), "blocks": blocks.table}
        before = beginning(head)
        size, (name, at) = len(before) + blocks.data.nbytes, self.shared
        with self.guarded():
            if size <= SMALL and at + size <= FULL and self.files >= FILES:
                self.storage.append(name, at, before + blocks.data.tobytes())
            else:
                self.session += file_name(int(rows[0]), self.session) in self.written
                name, at = file_name(int(rows[0]), self.session), 0
                self.storage.put(name, before, blocks.data)
                self.files += 1
                self.written.add(name)
        if size <= SMALL and self.files >= FILES and self.storage.appends:
            self.shared = name, at + size
        self.chunks.append(Chunk(name, at + len(before), head, at))
        self.learn(self.chunks[-1])
        self.chunk_of[rows] = len(self.chunks) - 1

    def drop_damaged(self) -> bool:
        """Look through all files and remove those that are not as they were written: their runs are done again. False if all are."""
        self.require_folder()
        damages = list(self.damages())
        self.damaged += [f"{name} does not agree with its checksum: its {runs} runs are done again" for name, runs, _ in damages]
        with self.guarded():
            for name, _, whole in damages:
                self.replace(name, whole)
        self.shared = "", FULL
        self.load()
        self.redo_stopped()
        return bool(damages)

    def describe(self, attributes: Mapping[str, Any]) -> None:
        """Write attributes of the whole store (versions, seed, what the simulator used)."""
        with self.guarded():
            self.storage.put(ABOUT, sealed({**self.about(), **attributes}, default=str))

    def about(self) -> dict[str, Any]:
        """Versions, seed, what the simulator used; none where that is damaged, which is then written anew."""
        try:
            return super().about()
        except StudyError as error:
            if (text := f"{ABOUT} is written again: {error.message}") not in self.damaged:
                self.damaged.append(text)
            return {}

    @contextmanager
    def guarded(self):
        """Writing in the block: a sentence when the folder has gone, or when there is no room."""
        self.require_folder()
        with writing(self.directory):
            yield

    def require_folder(self) -> None:
        """Raise `StudyError` when the folder of results was moved or removed since the store was opened."""
        if self.lock is not None and not self.lock.in_place():
            remedy = f"move it back, then `uqmbd resume {near(self.directory)}` does again what is lost; or run the study again"
            raise StudyError("the folder of results was moved or removed while the study was running", file=self.directory, remedy=remedy)
