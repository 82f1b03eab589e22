"""The results of several methods of one study beside each other."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from uqmbd.errors import StudyError
from uqmbd.result import Result, open_results
from uqmbd.runs.where import labels_in

if TYPE_CHECKING:
    import pandas as pd


class Results(Mapping[str, Result]):
    """What each method of a study found, by its label: ``results["pce"].statistics``.

    Parameters
    ----------
    results : dict of str to Result

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> scatter = {"load": uq.Normal(100.0, 5.0, unit="N"), "stiffness": uq.Uniform(1.8, 2.2, unit="kN/m")}
    >>> methods = [uq.MonteCarlo(samples=40), uq.PCE(samples=40, degree=3)]
    >>> study = uq.Study(model=sag, inputs=scatter, outputs=["sag"], method=methods, name="sag")
    >>> found = study.run(workers=0, report=False, progress=False)
    >>> list(found)
    ['montecarlo', 'pce']
    """

    def __init__(self, results: Mapping[str, Result]) -> None:
        self._results = dict(results)

    def __getitem__(self, label: str) -> Result:
        return self._results[label]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        counts = ", ".join(f"{label}: {result.facts.runs or 0:,} runs" for label, result in self.items())
        return f"<Results of {self.name} ({counts})>"

    def _repr_html_(self) -> str:
        """For notebooks: the line of `repr`, and the scalar outputs."""
        table = self.table()
        return f"<p>{html.escape(repr(self))}</p>" + (table.to_html(na_rep="") if len(table) else "")

    @property
    def name(self) -> str:
        """Name of the study."""
        return next(filter(None, (result.facts.study for result in self.values())), "unknown")

    def table(self) -> pd.DataFrame:
        """Scalar outputs, one row for each output and method, with what each method says of it; see `Result.table`."""
        import pandas as pd

        from uqmbd.tables.whole import WholeTable

        tables = {label: result.table() for label, result in self.items()}
        tables = {label: table for label, table in tables.items() if len(table)}
        if not tables:
            return pd.DataFrame()
        stacked = pd.concat(tables, names=["method", "output"]).swaplevel()
        order = dict.fromkeys(stacked.index.get_level_values("output"))
        return WholeTable(stacked.loc[[(name, label) for name in order for label in tables if (name, label) in stacked.index]])


def open_each(path: str | PathLike[str], *, trust: bool = False) -> Results:
    """The results in the folder of a study of several methods; `trust` as of `uqmbd.result.open_results`.

    Raises
    ------
    StudyError
        If one of them is not there.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> scatter = {"load": uq.Normal(100.0, 5.0, unit="N"), "stiffness": uq.Uniform(1.8, 2.2, unit="kN/m")}
    >>> methods = [uq.MonteCarlo(samples=40), uq.PCE(samples=40, degree=3)]
    >>> study = uq.Study(model=sag, inputs=scatter, outputs=["sag"], method=methods, name="sag")
    >>> found = study.run(workers=0, report=False, progress=False)
    >>> list(uq.open_each("results/sag"))
    ['montecarlo', 'pce']
    """
    folder = Path(path)
    labels = labels_in(folder)
    missing = [label for label in labels if not (folder / label / "result.zarr").is_dir()]
    if not labels:
        remedy = "uqmbd.open_results opens that of one method; else give the folder of a study of several, results/<study>"
        raise StudyError("there are no results of several methods here", file=folder, remedy=remedy)
    if missing:
        text = f"there is no result yet of the methods {', '.join(missing)}"
        raise StudyError(text, file=folder, remedy=f"`uqmbd resume {folder}` makes what is missing")
    return Results({label: open_results(folder / label, trust=trust) for label in labels})
