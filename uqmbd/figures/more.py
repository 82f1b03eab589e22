"""Figures from outside: functions of a result, which a study names or an installed package offers."""

from __future__ import annotations

from typing import Any

from uqmbd.doors import find, offered
from uqmbd.errors import StudyError
from uqmbd.figures.marks import Figure
from uqmbd.simulators.folder import kept_folder
from uqmbd.simulators.model import describe

TITLE = "Further figures"


def more_sections(result: Any) -> dict[str, list[Figure]]:
    """Title of each section and its figures: those of installed packages (group ``uqmbd.figures``), then those of ``report.figures``.

    Raises
    ------
    StudyError
        When a function is not there, raises, or returns something else.
    """
    found: dict[str, list[Figure]] = {}
    for name in (*offered("figure"), *result.attrs.get("report", {}).get("figures", ())):
        for title, figures in drawn(name, result).items():
            found.setdefault(title, []).extend(figures)
    return found


def drawn(name: str, result: Any) -> dict[str, list[Figure]]:
    """What one function makes of a result: a figure, several, or several by the title of their section."""
    function = find(name, {}, "figure", key="report.figures")
    try:
        with kept_folder(function):
            made = function(result)
    except Exception as error:
        text = f"the figures raise {describe(error)}"
        raise StudyError(text, key="report.figures", value=name, remedy="mend the function, or take it out of [report]") from error
    if not isinstance(made, dict):
        made = {TITLE: made if made is None or isinstance(made, (list, tuple)) else [made]}
    made = {title: list(figures or ()) for title, figures in made.items()}
    wrong = next((figure for figures in made.values() for figure in figures if not isinstance(figure, Figure)), None)
    if wrong is not None:
        text = f"the figures are {type(wrong).__name__}"
        raise StudyError(text, key="report.figures", value=name, remedy="return uqmbd.figures.marks.Figure, or a list of them")
    return made
