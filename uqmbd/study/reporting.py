"""The reports of what has been run: a page for each result, and one page for several methods of a study."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from uqmbd.study.running import Finished

PAGE = "report.html"


def write_reports(finished: Mapping[str, Finished]) -> list[Path]:
    """Write what is missing of the reports beside the results, and return all pages, that of several methods last.

    A result that was there already keeps its page.

    Raises
    ------
    StudyError
        If they cannot be written.
    """
    from uqmbd import report

    if any(lacks(one) for one in finished.values()):
        logging.getLogger("uqmbd").info("writing the report ...")
    pages = [report.write_report(one.result, one.directory) if lacks(one) else one.directory / PAGE for one in finished.values()]
    if len(finished) > 1:
        from uqmbd.results import Results

        folder = next(iter(finished.values())).directory.parent
        pages.append(report.write_overview(Results({label: one.result for label, one in finished.items()}), folder))
    return pages


def lacks(one: Finished) -> bool:
    """Whether the page of a result is to be written: it is new, or its page is not there."""
    return one.tally is not None or not (one.directory / PAGE).is_file()
