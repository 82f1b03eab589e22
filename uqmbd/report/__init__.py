"""Reports of a result: one self-contained page, its figures as PNG, and a compact table for the terminal."""

from uqmbd.report.terminal import terminal_table

__all__ = ["terminal_table", "write_report"]


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
