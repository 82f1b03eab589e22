"""Tables from outside: functions of a result that a method brings, or that installed packages offer (group ``uqmbd.tables``)."""

from __future__ import annotations

from uqmbd.errors import StudyError
from uqmbd.groups import OURS
from uqmbd.method_facts import Shown
from uqmbd.plugins import load_plugin, offered
from uqmbd.result_data import ResultData
from uqmbd.simulators.folder import kept_folder
from uqmbd.simulators.model import describe
from uqmbd.tables.frames import Frame, group_frames
from uqmbd.tables.text import Table, table_of


def plugin_tables(result: ResultData) -> list[Table]:
    """Tables of the groups of a method's own, those that it brings, and those of every package that offers some.

    What a method brings is code that came with the result: it is executed where the result is trusted.

    Raises
    ------
    StudyError
        When a function raises, or returns something else.
    """
    found = own_tables(result)
    for name in (*offered("table"), *(result.facts_of(Shown).functions("tables") if result.trust else ())):
        found += made(name, result)
    return found


def own_tables(result: ResultData) -> list[Table]:
    """Tables of the groups of a method's own."""
    return [table_of(frame) for spec in result.specs.values() if spec not in OURS for frame in group_frames(result, spec)]


def made(name: str, result: ResultData) -> list[Table]:
    """What one function makes of a result: tables of text, or frames."""
    function = load_plugin(name, {}, "table", key="uqmbd.tables")
    remedy = "mend the function, or uninstall the package that offers it"
    try:
        with kept_folder(function):
            given = function(result)
    except StudyError:
        raise
    except Exception as error:
        raise StudyError(f"the tables raise {describe(error)}", key="uqmbd.tables", value=name, remedy=remedy) from error
    tables = list(given) if isinstance(given, (list, tuple)) else [] if given is None else [given]
    wrong = next((table for table in tables if not isinstance(table, (Table, Frame))), None)
    if wrong is not None:
        text, remedy = f"the tables are {type(wrong).__name__}", "return uqmbd.tables.text.Table or uqmbd.tables.frames.Frame, or a list"
        raise StudyError(text, key="uqmbd.tables", value=name, remedy=remedy)
    return [table_of(table) if isinstance(table, Frame) else table for table in tables]
