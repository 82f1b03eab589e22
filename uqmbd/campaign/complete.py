"""Are all files of a run store there? Only that is looked at, not what they hold."""

from __future__ import annotations

from pathlib import Path

from uqmbd.campaign.journal import Journal
from uqmbd.campaign.opening import header_layout
from uqmbd.campaign.store import RunStore
from uqmbd.errors import StudyError


def require_complete(directory: Path) -> None:
    """Raise `StudyError` that names the first file which the journal knows and which is not there."""
    journal = Journal(directory / "journal.jsonl")
    records, _ = journal.read()
    if not records:
        return
    store = RunStore(directory, header_layout(records[0]), journal)
    store.replay(records[1:])
    wanted = [store.root / "zarr.json", *(store.root / column.name / "zarr.json" for column in store.layout.columns)]
    wanted += [store.root / "time" / "zarr.json"] * any(column.points for column in store.layout.columns)
    wanted += [
        store.root / column.path(chunk) for chunk, known in store.sums.items() for column in store.layout.columns if column.name in known
    ]
    missing = next((path for path in wanted if not path.is_file()), None)
    if missing is not None:
        remedy = f"put it back; or remove {directory / 'done.json'} and call `uqmbd resume {directory}`, which does again what is lost"
        raise StudyError("a file of these results is missing", file=missing, remedy=remedy)
