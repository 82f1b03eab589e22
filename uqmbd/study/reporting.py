"""The reports of what has been run: a page for each result, and one page for several methods of a study."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from uqmbd.printing import console, near, say
from uqmbd.runs.where import labels_in

if TYPE_CHECKING:
    from uqmbd.results import Results
    from uqmbd.study.session import Finished

PAGE = "report.html"


def write_reports(finished: Mapping[str, Finished]) -> list[Path]:
    """Write what is missing of the reports beside the results, and return all pages, that of several methods last.

    A result that was there already keeps its page. Pages have all figures; files of them, which take longer than a small study, are for
    `uqmbd report` and `uqmbd.write_report`. `StudyError` if they cannot be written.
    """
    from uqmbd import report
    from uqmbd.study.motions import keep_motion

    for one in finished.values():
        if lacks(one):
            keep_motion(one)
    if any(lacks(one) for one in finished.values()):
        logging.getLogger("uqmbd").info("writing the report ...")
    pages = [one.directory / PAGE for one in finished.values()]
    for one in finished.values():
        if lacks(one):
            report.write_report(one.result, one.directory, pictures=False)
    folder = next(iter(finished.values())).directory.parent
    if (several := several_of(finished, folder)) is not None:
        pages.append(report.write_overview(several, folder))
    return pages


def leave_out(finished: Mapping[str, Finished]) -> str:
    """Write no report: pages of the result before are removed, and what is said of that is returned."""
    first = next(iter(finished.values())).directory
    home = first if len(finished) == 1 else first.parent
    old = [one.directory / PAGE for one in finished.values() if one.tally is not None]
    for page in [*old, *([first.parent / PAGE] if old and first.name in labels_in(first.parent) else [])]:
        page.unlink(missing_ok=True)
    return f"no report; to write it: uqmbd report {near(home)}"


def several_of(finished: Mapping[str, Finished], folder: Path) -> Results | None:
    """The results of all methods of a study, of which one may have been run alone; None if it has one, or some are not there yet."""
    from uqmbd.errors import StudyError
    from uqmbd.results import Results, open_each

    if len(finished) > 1:
        return Results({label: one.result for label, one in finished.items()})
    one = next(iter(finished.values()))
    if one.directory.name not in labels_in(folder) or not lacks(one, folder):
        return None
    try:
        return open_each(folder)
    except StudyError:
        return None


def lacks(one: Finished, folder: Path | None = None) -> bool:
    """Whether the page of a result, or that of all methods in `folder`, is to be written: the result is new, or the page is not there."""
    return one.tally is not None or not ((folder or one.directory) / PAGE).is_file()


def show(finished: dict[str, Finished], no_report: bool = False) -> None:
    """The end of a run on the terminal: each method, then where the reports are."""
    for label, one in finished.items():
        if len(finished) > 1:
            say(f"{label}:")
        show_one(one)
    if no_report:
        say(leave_out(finished))
        return
    for page in write_reports(finished):
        say(f"report: {near(page)}")


def show_one(finished: Finished) -> None:
    """What was done, and the table."""
    for text in finished.damaged:
        say(f"damaged: {text}", err=True)
    tally = finished.tally
    if tally is None:
        say(f"nothing to simulate: result of {finished.date} reused, all runs of this study are in {near(finished.directory)}")
    else:
        failed = sum(number for status, number in tally.status.items() if status != "ok")
        runs = sum(tally.status.values())
        done = f"{tally.simulated:,} simulated" + (f", {runs - tally.simulated:,} were there" if runs > tally.simulated else "")
        speed = f", {tally.simulated / tally.wall:,.0f} runs/s" if tally.simulated and tally.wall else ""
        say(f"{runs:,} runs ({done}), {failed:,} failed, {tally.wall:.1f} s{speed}")
    table(finished.result)


def table(result) -> None:
    """The compact table of a result, and its notes."""
    from uqmbd.report import notes_below, terminal_table

    terminal = console()
    terminal.print(terminal_table(result, terminal.width))
    for note in notes_below(result):
        say(note)
