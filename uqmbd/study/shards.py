"""Shares of a study's runs for job arrays, without a cluster; and the runs of several folders gathered in one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from uqmbd.campaign.batches import Shard
from uqmbd.campaign.opening import lock_store, unlike
from uqmbd.campaign.store import RunStore
from uqmbd.errors import StudyError
from uqmbd.printing import near
from uqmbd.runs.chunk import PARTIAL, Blocks, Chunk, key_column, pack
from uqmbd.runs.files import writing
from uqmbd.runs.listing import unfinish, unlist
from uqmbd.runs.reader import HEADER, READS, Runs
from uqmbd.runs.states import DATA, ENDS, blocks_of, states_at
from uqmbd.runs.where import storage_in
from uqmbd.study.data import StudyData
from uqmbd.study.session import Session
from uqmbd.study.storing import results_directory

NO_COLUMNS = {"message", DATA, ENDS}  # blocks of a chunk
SAME = "merge results of one model with the same solver settings, time grid and outputs; ranges of inputs and methods may differ"


def run_shard(study: StudyData, shard: str, *, out: str | Path | None = None, **how: Any) -> str:
    """Do a share of the runs, ``"3/10"`` the third of ten, and say what was done and what comes next; for `how` see `Session`.

    The shares are chunks of each ask, by their place in it, so that all shards together make the runs of the whole study, in the same rows
    and chunks. They may write into one folder at once, or each into its own, for `merge`. A method that asks for further runs once it
    knows these is gone on with by `uqmbd resume`, or round by round by the same shards.
    """
    session = Session(study, results_directory(out, study.name), shard_of(shard), **how)
    done = f"shard {shard}: {session.share().simulated:,} runs done"
    return f"{done}; when all are, `uqmbd resume {near(session.directory)}` (or `uqmbd merge` where they lie apart)"


def shard_of(text: str) -> Shard:
    """The shard that ``"3/10"`` names."""
    match = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", text)
    part, of = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= part <= of:
        raise StudyError("a shard is K/N with K from 1 to N", key="--shard", value=text, remedy="write --shard 3/10, say")
    return Shard(part, of)


def merge(results: Path, others: Sequence[Path]) -> int:
    """Add the runs of other folders of results to one, in the rows that they have there if these are free; the number of runs added.

    Raises
    ------
    StudyError
        If they are runs of another model, or hold other outputs.
    """
    added = 0
    for other in others:
        source = Runs(storage_in(other))
        with lock_store(results) as locked:
            if locked.header is None:
                with writing(results):
                    unlist(results, "study.toml")
                    if (other / "study.toml").is_file():
                        (results / "study.toml").write_bytes((other / "study.toml").read_bytes())
                    with suppress(FileNotFoundError):
                        locked.storage.put(READS, source.storage.read(READS))
                    locked.storage.put(HEADER, source.storage.read(HEADER))
            elif locked.header.get("id") != source.header["id"]:
                outputs = StudyError(f"holds other outputs than {other}", file=results, remedy=SAME)
                raise unlike(locked.header, source.header["identity"], results, remedy=SAME) or outputs
            unfinish(results)
            added += add(RunStore(locked.storage, results, locked.locks[0]), source)
    return added


def add(store: RunStore, source: Runs) -> int:
    """Add the runs of `source` that are not there yet; every block is verified as it is read."""
    added = 0
    for number, chunk in enumerate(source.chunks):
        rows = np.flatnonzero(source.chunk_of == number)
        if not len(rows):
            continue
        store.grow(max(0, int(rows[-1]) + 1 - len(store.chunk_of)))
        arrays = dict(source.blocks(number, list(chunk.head["blocks"])))
        at, seconds = chunk.places(rows), chunk.head["seconds"]
        inputs = {name: arrays[f"input:{name}"][at] for name in source.inputs}
        extras = {name: arrays[name][at] for name in arrays if key_column(name) is not None}
        new = store.chunk_of[rows] < 0
        taken = np.flatnonzero(~new)
        other = taken[~store.agree(rows[taken], {name: values[taken] for name, values in (inputs | extras).items()})]
        if len(other):
            stored = store.find(*({name: values[other] for name, values in each.items()} for each in (inputs, extras)))
            other = other[stored < 0]
        target = rows.copy()
        target[other] = len(store.chunk_of) + np.arange(len(other))
        store.grow(len(other))
        store.timeout = chunk.head["timeout"]
        for wanted in (np.flatnonzero(new), other):
            if len(wanted):
                store.commit(target[wanted], taken_from(chunk, arrays, at[wanted]), chunk.head["tag"], seconds * len(wanted) / chunk.runs)
                added += len(wanted)
    return added


def taken_from(chunk: Chunk, arrays: Mapping[str, np.ndarray], places: np.ndarray) -> Blocks:
    """Some of the runs of a chunk, read as `arrays`, packed anew; with its partial if they are all."""
    columns = {name: values[places] for name, values in arrays.items() if not name.startswith(PARTIAL) and name not in NO_COLUMNS}
    states = blocks_of(states_at(arrays, places)) if ENDS in arrays else {}
    message = arrays["message"][places].tolist() if "message" in arrays else []
    whole = arrays if len(places) == chunk.runs else {}
    partial = {name.removeprefix(PARTIAL): values for name, values in whole.items() if name.startswith(PARTIAL)}
    return pack({**columns, "message": message, **states}, columns["status"], partial)
