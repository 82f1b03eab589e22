"""Results and what leads out of them: tables, figures, a folder of files. The groups are described in ``docs/architecture.md``."""

from __future__ import annotations

import html
import sys
from collections.abc import Iterator
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from uqmbd.errors import StudyError
from uqmbd.facts import Facts
from uqmbd.lean_xarray import ask_only_what_is_imported
from uqmbd.result_data import ResultData
from uqmbd.result_store import document_beside, opened_root, read_groups, specs_in, write_groups
from uqmbd.runs.files import replacing
from uqmbd.runs.listing import ROOT, list_files, unlist
from uqmbd.runs.where import MANIFEST, MOTION

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from uqmbd.surrogates.kept_surrogate import KeptSurrogate
    from uqmbd.tables.frames import Frame


if "uqmbd.cli" in sys.modules:  # in a process of the command: xarray in a user's own process is left as it is
    ask_only_what_is_imported()


class Result(ResultData):
    """What a study found. Each group is a Dataset with one variable per output (``"slider.x"``, ``"B.force:max"``).

    ``result.bounds`` is the group `bounds`, as is ``result["bounds"]``; `uqmbd.groups` says what each means, and so do ``result.specs``. An
    array has the dimensions of its group, and the axis of its output where that has one: ``time``, or that of a `Curve`.

    Examples
    --------
    >>> import uqmbd as uq
    >>> study = uq.Study(model=lambda a: {"y": a**2}, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Vertex(), name="y")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> result.bounds["y"].values.tolist(), bool(result.trusted["y"])
    ([1.0, 4.0], True)
    """

    def _repr_html_(self) -> str:
        """For notebooks: the line of `repr`, and the scalar outputs."""
        table = self.table()
        return f"<p>{html.escape(repr(self))}</p>" + (table.to_html() if len(table) else "")

    def surrogate(self, name: str) -> KeptSurrogate:
        """The surrogate of one output, which evaluates and differentiates it again without a run, and can be saved to a file.

        Polynomials of intervals also say the range over any part of the box, Kriging its standard deviation.
        """
        from uqmbd.surrogates.opening import of_output

        self.require_output(name)
        if name not in self.surrogates:
            remedy = "take a method that makes one, of independent inputs: chebyshev, fuzzy, pce, reliability by ak_mcs ..."
            raise StudyError(f"there is no surrogate of '{name}' in this result", value=name, remedy=remedy)
        return of_output(self.surrogates, name)

    def table(self) -> pd.DataFrame:
        """Scalar outputs as a table, one row each: unit, bounds, error, trust and statistics, whichever there are.

        With membership levels ``lower`` and ``upper`` are the bounds of the lowest, ``lower_alpha_0.5`` and so on those of the others;
        imprecise statistics have two columns, ``mean_lower_bound`` and ``mean_upper_bound``, for each level as well. Printed it is
        whole, in as many blocks as the terminal's width asks for.
        """
        from uqmbd.tables.frames import scalars_table
        from uqmbd.tables.whole import WholeTable

        return WholeTable(scalars_table(self))

    def history(self, name: str) -> pd.DataFrame:
        """One output over time (s), or over another axis, as a table; columns as in `table`."""
        from uqmbd.tables.frames import history_table

        self.require_output(name)
        table = history_table(self, name)
        if table is None:
            raise StudyError(f"the output '{name}' is a scalar, not a history", remedy="use Result.table()")
        return table

    def tables(self) -> Iterator[Frame]:
        """Every table, as `save` writes them: scalars, histories, and those of each output in the groups that have captions."""
        from uqmbd.tables.frames import frames

        return frames(self)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write ``result.zarr`` and ``tables`` (``*.csv``, ``*.tex``) into the folder `path`; each is replaced as a whole or not at all."""
        from uqmbd.tables.files import write_tables

        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        unlist(folder, "result.zarr", "tables")
        with replacing(folder / "result.zarr") as new:
            write_groups(new, self)
        with replacing(folder / "tables") as new:
            write_tables(new, self.tables())
        list_files(folder, ROOT, "tables")
        self.folder = folder.absolute()
        return folder

    def plot(self, name: str, ax: Axes | None = None) -> Figure:
        """Matplotlib figure of one output: over time, its bifurcation diagram, or its distribution over the runs.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where it is drawn, without its smaller panels (error, trust); its figure is returned. Else a figure of its own is made.
        """
        from uqmbd.figures import plot

        self.require_output(name)
        return plot(self, name, ax)


def open_results(path: str | PathLike[str], *, trust: bool = False, later: bool = False) -> Result:
    """The result in the folder `path` (the one that holds ``result.zarr``); its runs are opened but not read.

    Every file of the result is compared with its checksum; a result of an earlier version, without checksums, says so in its notes. No code
    that lies in the folder, or that it names, is executed: the figures of a study's own are drawn with `trust` only. `later`: its runs are
    opened when they are first looked at.

    Examples
    --------
    >>> import uqmbd as uq
    >>> study = uq.Study(model=lambda a: {"y": a**2}, inputs={"a": uq.Interval(1.0, 2.0)}, outputs=["y"], method=uq.Vertex(), name="y")
    >>> uq.open_results(study.run(workers=0, report=False, progress=False).save("kept")).outputs
    ['y']
    """
    folder = Path(path)
    folder = folder.parent if folder.name == "result.zarr" else folder
    store = folder / "result.zarr"
    if not store.is_dir():
        from uqmbd.runs.where import labels_in

        remedy = "run or resume the study first, or give the folder with result.zarr"
        if labels := labels_in(folder):
            remedy = f"it holds those of several methods: give {folder / labels[0]}, say; in Python uqmbd.open_each opens all"
        raise StudyError("there is no result here", file=folder, remedy=remedy)
    root, notes = opened_root(folder, store)
    attrs = dict(root["attrs"])
    specs = specs_in(root)
    groups = read_groups(store, specs, root)
    (manifest, wrong), (motion, why) = document_beside(folder, MANIFEST), document_beside(folder, MOTION)
    if notes := [*notes, *([f"{wrong}; how the result was made is not shown"] if wrong else [])]:
        attrs["notes"] = [*Facts.of(attrs).notes, *notes]
    from uqmbd.runs.of_results import open_runs

    runs = partial(open_runs, folder) if later else open_runs(folder)
    result = Result(**groups, runs=runs, specs=specs, attrs=attrs, manifest=manifest, motion={"why": why} if why else motion, trust=trust)
    result.folder = folder.absolute()
    return result
