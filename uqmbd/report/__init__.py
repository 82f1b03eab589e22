"""Reports of a result: one self-contained page, its figures as PNG, and a compact table for the terminal."""

from pathlib import Path

from uqmbd.report.terminal import notes_below, terminal_table
from uqmbd.result_data import ResultData
from uqmbd.runs.files import writing
from uqmbd.runs.listing import list_files, listed, unlist
from uqmbd.runs.where import check_study

__all__ = ["notes_below", "terminal_table", "write_overview", "write_report"]

PAGES = ("report.html", "figures")


def write_report(result: ResultData, directory, *, study_text: str | None = None, pictures: bool = True) -> Path:
    """Write ``report.html`` and ``figures/*.png`` of a result.

    Parameters
    ----------
    result : uqmbd.result.Result
        What a study gave; its runs are read lazily and in part.
    directory : path-like
        Where the report goes; made if it is not there.
    study_text : str, optional
        The study file, shown at the end of the page; ``study.toml`` in `directory` unless said.
    pictures : bool
        False: the page alone, which has all figures; pictures that are there, of an earlier result, are removed.

    Returns
    -------
    pathlib.Path
        The page.

    Raises
    ------
    StudyError
        If it cannot be written.

    Examples
    --------
    >>> import uqmbd as uq
    >>> def sag(load, stiffness):
    ...     return {"sag": load / stiffness}
    >>> box = {"load": uq.Interval(90.0, 110.0, unit="N"), "stiffness": uq.Interval(1.8, 2.2, unit="kN/m")}
    >>> study = uq.Study(model=sag, inputs=box, outputs=["sag"], method=uq.Vertex(), name="sag")
    >>> result = study.run(workers=0, report=False, progress=False)
    >>> uq.write_report(result, "shown", pictures=False).name
    'report.html'
    """
    from uqmbd.report.page import write_page

    stored = Path(directory) / "study.toml"
    if study_text is None:
        check_study(Path(directory))
        study_text = stored.read_text(encoding="utf-8") if stored.is_file() else ""
    with writing(Path(directory)):
        unlist(Path(directory), *PAGES)
        return entered(write_page(result, directory, study_text=study_text, pictures=pictures))


def write_overview(results, directory) -> Path:
    """Write ``report.html`` of several methods of one study: links to their pages, in folders beside it, and what each says.

    `results` are by the labels of methods, which name their folders; `directory` is that of the study. Returns the page, and raises
    `StudyError` if it cannot be written.
    """
    from uqmbd.report.several import write_page_of_several

    with writing(Path(directory)):
        unlist(Path(directory), *PAGES)
        return entered(write_page_of_several(results, Path(directory)))


def entered(page: Path) -> Path:
    """The page, whose files are entered into the list of checksums of the folder, where that has one."""
    if listed(page.parent) is not None:
        list_files(page.parent, *PAGES)
    return page
