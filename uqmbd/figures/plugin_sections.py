"""Figures and tables from outside: functions of a result, which a study or its method names, or an installed package offers.

What a study names is code of whoever made the result. It is executed where the study was run here, or the result was opened with
``trust=True``; else it is left out, which `left_out` says.
"""

from __future__ import annotations

from typing import Any

from uqmbd.errors import StudyError
from uqmbd.figures.marks import Figure
from uqmbd.groups import OURS
from uqmbd.method_facts import ReportFacts
from uqmbd.plugins import load_plugin, offered
from uqmbd.result_data import ResultData
from uqmbd.simulators.folder import kept_folder
from uqmbd.simulators.model import describe
from uqmbd.tables.frames import Frame, group_frames
from uqmbd.tables.text import Table, table_of

TITLE = "Further figures"
METHODS = "uqmbd.methods."  # functions of the methods of this package are no code that came with a result


def plugin_sections(result: ResultData) -> dict[str, list[Figure]]:
    """Title of each section and its figures: those of installed packages (group ``uqmbd.figures``), then those of ``report.figures``.

    Raises
    ------
    StudyError
        When a function is not there, raises, or returns something else.
    """
    wanted = "uqmbd.figures.marks.Figure, or a list of them"
    return from_outside(result, "figure", (Figure,), "report.figures", wanted, "take it out of [report]")


def plugin_tables(result: ResultData) -> list[Table]:
    """Tables of the groups of a method's own, those that it brings, and those of every package that offers some (``uqmbd.tables``).

    Raises
    ------
    StudyError
        As `plugin_sections`.
    """
    wanted = "uqmbd.tables.text.Table or uqmbd.tables.frames.Frame, or a list"
    made = from_outside(result, "table", (Table, Frame), "uqmbd.tables", wanted, "uninstall the package that offers it")
    tables = (table for group in made.values() for table in group)
    return own_tables(result) + [table_of(table) if isinstance(table, Frame) else table for table in tables]


def own_tables(result: ResultData) -> list[Table]:
    """Tables of the groups of a method's own."""
    return [
        table_of(frame) for spec in result.specs.values() if spec not in OURS and spec.caption != "" for frame in group_frames(result, spec)
    ]


def from_outside(result: ResultData, noun: str, kinds: tuple[type, ...], key: str, wanted: str, remedy: str) -> dict[str, list[Any]]:
    """What all functions make of a result, by the titles of sections: one of `kinds`, several, or several by title."""
    sections: dict[str, list[Any]] = {}
    for name in (*offered(noun), *_named(result, f"{noun}s", executed=True)):
        function = load_plugin(name, {}, noun, key=key)
        try:
            with kept_folder(function):
                made = function(result)
        except Exception as error:
            text = f"the {noun}s raise {describe(error)}"
            raise StudyError(text, key=key, value=name, remedy=f"mend the function, or {remedy}") from error
        if not isinstance(made, dict):
            made = {TITLE: made if made is None or isinstance(made, (list, tuple)) else [made]}
        for title, several in made.items():
            for one in several or ():
                if not isinstance(one, kinds):
                    raise StudyError(f"the {noun}s are {type(one).__name__}", key=key, value=name, remedy=f"return {wanted}")
                sections.setdefault(title, []).append(one)
    return sections


def left_out(result: ResultData) -> str:
    """The sentence that says which figures and tables are not shown, since their code came with the result; empty if all are."""
    known = {what: names for what in ("figures", "tables") if (names := _named(result, what, executed=False))}
    if not known:
        return ""
    what, names = " and ".join(known), ", ".join(name for some in known.values() for name in some)
    text = f"The {what} of {names} are left out: they are code that came with this result."
    return f"{text} --trust executes it (open_results(..., trust=True))"


def _named(result: ResultData, what: str, *, executed: bool) -> list[str]:
    """Functions of ``figures`` or ``tables`` that the study or its method names: those that are executed, or those that are not."""
    names = result.facts_of(ReportFacts).functions(what)
    return [name for name in names if (result.trust or name.startswith(METHODS)) == executed]
