"""Tables as files: CSV with all digits, and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from uqmbd.runs.files import safe_names
from uqmbd.tables.frames import Frame
from uqmbd.tables.latex import latex


def write_tables(folder: Path, frames: Iterable[Frame]) -> None:
    """Write ``*.csv`` and ``*.tex`` of each table into a new folder."""
    folder.mkdir()
    frames = list(frames)
    names = safe_names(frame.key for frame in frames)
    for frame in frames:
        frame.table.to_csv(folder / f"{names[frame.key]}.csv")
        if len(frame.table):
            (folder / f"{names[frame.key]}.tex").write_text(latex(frame), encoding="utf-8")
