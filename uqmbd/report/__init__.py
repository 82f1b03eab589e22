"""Reports of a result: one self-contained page, its figures as PNG, and a compact table for the terminal."""

from pathlib import Path

from uqmbd.report.terminal import terminal_table

__all__ = ["report_of", "terminal_table", "write_report"]


def write_report(result, directory, *, study_text: str = ""):
    """Write ``report.html`` and ``figures/*.png`` of a result.

    Parameters
    ----------
    result : uqmbd.result.Result
        What a study gave; its runs are read lazily and in part.
    directory : path-like
        Where the report goes; made if it is not there.
    study_text : str, optional
        The study file, shown at the end of the page.

    Returns
    -------
    pathlib.Path
        The page.
    """
    from uqmbd.report.page import write_page  # plotly and matplotlib cost a second to import

    return write_page(result, directory, study_text=study_text)


def report_of(directory: Path, result, out: Path | None = None) -> Path:
    """Write the report of the result in a folder of results, beside it or into `out`, with the study file at its end: the page."""
    from uqmbd.runs.files import writing

    place, stored = out or directory, directory / "study.toml"
    with writing(place):
        return write_report(result, place, study_text=stored.read_text(encoding="utf-8"))
