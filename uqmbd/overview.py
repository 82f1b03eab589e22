"""What results there are, and how two of them differ. Files are read; nothing of a study is executed."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.campaign.locking import NAME, held
from uqmbd.errors import StudyError
from uqmbd.runs.listing import LISTING, require_listed
from uqmbd.runs.of_results import open_runs
from uqmbd.runs.reader import Runs
from uqmbd.runs.where import OLD, STUDY, check_study, labels_in, storage_in

if TYPE_CHECKING:
    import pandas as pd

    from uqmbd.result import Result
    from uqmbd.tables.text import Table

ENDS = ("lower", "upper")
LEAST = 1e-9  # relative change that is none
SHOWN = 40  # rows of a comparison


@dataclass(frozen=True)
class Entry:
    """One folder of results.

    Its state: ``finished``; ``damaged``, its study, its runs or the list of its files; ``running``, while a process writes; ``stopped``, a
    result without an end, as when too many runs failed; else ``interrupted``.
    """

    directory: Path
    name: str
    method: str
    state: str
    runs: int  # that are stored
    failed: int
    changed: datetime  # when a file was last written in it, or its last runs


def entries(folder: Path) -> list[Entry]:
    """The results in a folder and below it, by their paths; `StudyError` if there is no such folder."""
    if not folder.is_dir():
        raise StudyError("there is no such folder", file=folder, remedy="name the folder that holds results; it is results unless said")
    return sorted(map(entry, _places(folder)), key=lambda one: one.directory)


def _places(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        kept = LISTING in files and "result.zarr" in folders  # of which the study file may be lost
        if (kept or (STUDY in files and (NAME in files or "journal.jsonl" in files))) and not labels_in(Path(place)):
            yield Path(place)
            folders.clear()
        folders[:] = [name for name in folders if not name.startswith(".") and not name.endswith(".zarr")]


def entry(directory: Path) -> Entry:
    """What a folder of results says of itself."""
    try:
        document = tomllib.loads((directory / "study.toml").read_text(encoding="utf-8"))
        name, method = document["study"]["name"], document["method"]["type"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        name, method = directory.name, "unknown"
    changed = max(file.stat().st_mtime for file in (directory / "runs", directory / "study.toml", directory) if file.exists())
    return Entry(directory, name, method, _state(directory), *_counted(directory), datetime.fromtimestamp(changed))


def _counted(directory: Path) -> tuple[int, int]:
    """Runs and failed runs, by the heads of their files; a run that was done again counts once."""
    try:
        runs = Runs(storage_in(directory))
        rows = runs.rows
        if sum(chunk.runs for chunk in runs.chunks) != len(rows):
            return len(rows), int((runs.column("status", rows) > 0).sum())
        return len(rows), sum(sum(chunk.head["counts"][1:]) for chunk in runs.chunks)
    except StudyError:  # of an earlier version, or damaged
        return 0, 0


def _damaged(directory: Path) -> bool:
    """Whether what an entry is made from is not as it was written; a ``done.json`` that is missing says so itself."""
    try:
        check_study(directory)
        if not (directory / "result.zarr").is_dir() or any((directory / name).exists() for name in OLD):
            return False
        if (directory / "done.json").is_file():
            require_listed(directory, "done.json", "")
        open_runs(directory)
    except StudyError:
        return True
    return False


def _state(directory: Path) -> str:
    if held(directory):
        return "running"
    if _damaged(directory):
        return "damaged"
    if not (directory / "result.zarr").is_dir():
        return "interrupted"
    try:
        json.loads((directory / "done.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "stopped"
    return "finished"


@dataclass(frozen=True)
class Comparison:
    """Two results beside each other."""

    changed: list[str]  # keys of the study file that differ, ``method.max_runs: 2000 -> 4000``
    numbers: pd.DataFrame  # of scalar outputs: unit, and each number that both tables have, with the change
    histories: pd.DataFrame  # and curves: the largest change of each bound, over the widest band of the first result, and where
    missing: list[str]  # outputs that only one of them has

    def tables(self) -> list[Table]:
        """What differs of numbers, and by how much histories do, as text; each only if both results have some."""
        from uqmbd.tables.text import Table

        tables = []
        if len(self.numbers):
            size = self.numbers[["first", "second"]].abs().max(axis=1)
            other = self.numbers[~(self.numbers["change"].abs() <= LEAST * size)]
            more = "" if len(other) <= SHOWN else f"; the first {SHOWN} of them"
            rows = [
                (f"{output} {unit}".strip(), number, *(f"{value:.6g}" for value in values))
                for output, unit, number, *values in other.head(SHOWN).itertuples(index=False)
            ]
            header = ("output", "number", "first", "second", "change")
            title = f"{len(other)} of {len(self.numbers)} numbers differ{more}"
            tables.append(Table(title, header, tuple(rows), (False, False, True, True, True)))
        if len(self.histories):
            rows = [(x[0], x[1], f"{x[2]:.4g}", f"{x[3]:.2%}", x[4], f"{x[5]:.6g}") for x in self.histories.itertuples(index=False)]
            header = ("output", "bound", "largest change", "of the widest band", "over", "at")
            tables.append(Table("Histories", header, tuple(rows), (False, False, True, True, False, True)))
        return tables


def compare(first: Path, second: Path) -> Comparison:
    """Compare the results in two folders; `StudyError` if one of them cannot be read."""
    from uqmbd.result import open_results

    a, b = open_results(first), open_results(second)
    missing = [f"{name} (only in {first if name in a.outputs else second})" for name in sorted(set(a.outputs) ^ set(b.outputs))]
    return Comparison(_changed(first, second), _numbers(a, b), _histories(a, b), missing)


def _flat(table: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if not isinstance(table, dict):
        yield key, table
        return
    for name, value in table.items():
        yield from _flat(value, f"{key}.{name}" if key else name)


def _changed(*places: Path) -> list[str]:
    for place in places:
        check_study(place)
    try:
        one, other = (dict(_flat(tomllib.loads((place / "study.toml").read_text(encoding="utf-8")))) for place in places)
    except (OSError, ValueError, RecursionError):
        return ["study.toml of one of them cannot be read"]
    keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    return [f"{key}: {one.get(key, 'not set')} -> {other.get(key, 'not set')}" for key in keys]


def _numbers(a: Result, b: Result) -> pd.DataFrame:
    import pandas as pd

    one, other, rows = a.table(), b.table(), []
    for name in (name for name in one.index if name in other.index):
        for column in (column for column in one.columns if column in other.columns and column != "unit"):
            x, y = one.at[name, column], other.at[name, column]
            if isinstance(x, (int, float, np.number)) and isinstance(y, (int, float, np.number)):
                x, y = float(x), float(y)
                if not (np.isnan(x) and np.isnan(y)):
                    rows.append((name, one.at[name, "unit"], column, x, y, 0.0 if x == y else y - x))
    return pd.DataFrame(rows, columns=["output", "unit", "number", "first", "second", "change"])


def _histories(a: Result, b: Result) -> pd.DataFrame:
    import pandas as pd

    from uqmbd.tables.outputs import axis_label

    rows = []
    for name, ours in a.bounds.data_vars.items():
        theirs = b.bounds.get(name)
        axis = a.axis_of(str(name), "bounds")
        if theirs is None or axis is None or ours.dims != theirs.dims or not ours[axis].equals(theirs[axis]):
            continue
        widest = float((ours.sel(bound="upper") - ours.sel(bound="lower")).max())
        for bound in ENDS:
            change = (theirs - ours).sel(bound=bound)
            size = abs(change).max([dim for dim in change.dims if dim != axis])
            when = size.fillna(0.0).idxmax(axis)
            most = float(size.max())
            rows.append((str(name), bound, most, most / widest if widest else np.nan, axis_label(ours, axis), float(when)))
    return pd.DataFrame(rows, columns=["output", "bound", "largest change", "share of the widest band", "over", "at"])
