"""Figures from outside: functions of a result, which a study names or an installed package offers.

What a study names is code of whoever made the result. It is executed where the study was run here, or the result was opened with
``trust=True``; else it is left out, which `left_out` says.
"""

from __future__ import annotations

from uqmbd.errors import StudyError
from uqmbd.figures.marks import Figure
from uqmbd.method_facts import Shown
from uqmbd.plugins import load_plugin, offered
from uqmbd.result_data import ResultData
from uqmbd.simulators.folder import kept_folder
from uqmbd.simulators.model import describe

TITLE = "Further figures"


def plugin_sections(result: ResultData) -> dict[str, list[Figure]]:
    """Title of each section and its figures: those of installed packages (group ``uqmbd.figures``), then those of ``report.figures``.

    Raises
    ------
    StudyError
        When a function is not there, raises, or returns something else.
    """
    found: dict[str, list[Figure]] = {}
    for name in (*offered("figure"), *(result.facts_of(Shown).functions("figures") if result.trust else ())):
        for title, figures in drawn(name, result).items():
            found.setdefault(title, []).extend(figures)
    return found


def left_out(result: ResultData) -> str:
    """The sentence that says which figures and tables are not shown, since their code came with the result; empty if all are."""
    known = {what: names for what in ("figures", "tables") if (names := result.facts_of(Shown).functions(what)) and not result.trust}
    if not known:
        return ""
    what, names = " and ".join(known), ", ".join(name for some in known.values() for name in some)
    return (
        f"The {what} of {names} are left out: they are code that came with this result. --trust executes it (open_results(..., trust=True))"
    )


def drawn(name: str, result: ResultData) -> dict[str, list[Figure]]:
    """What one function makes of a result: a figure, several, or several by the title of their section."""
    function = load_plugin(name, {}, "figure", key="report.figures")
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
