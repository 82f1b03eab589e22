"""Tables from outside: functions of a result that installed packages offer (entry points in the group ``uqmbd.tables``)."""

from __future__ import annotations

from typing import Any

from uqmbd.errors import StudyError
from uqmbd.plugins import load_plugin, offered
from uqmbd.report.tables import Table
from uqmbd.simulators.model import describe


def more_tables(result: Any) -> list[Table]:
    """Tables of what was found, from every package that offers some; `StudyError` when one raises."""
    found: list[Table] = []
    for name in offered("table"):
        try:
            found += load_plugin(name, {}, "table", key="uqmbd.tables")(result)
        except StudyError:
            raise
        except Exception as error:
            remedy = "mend or uninstall the package that offers them"
            raise StudyError(f"the tables raise {describe(error)}", key="uqmbd.tables", value=name, remedy=remedy) from error
    return found
