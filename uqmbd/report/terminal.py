"""The outputs of a result as a table that fits into a terminal."""

from collections.abc import Iterable

from rich.console import Group
from rich.table import Table as RichTable
from rich.text import Text

from uqmbd.figures.labels import shortened
from uqmbd.figures.plugin_sections import own_tables
from uqmbd.method_facts import ReportFacts
from uqmbd.printing import terminal_columns
from uqmbd.report.estimates import estimates_said, estimates_table
from uqmbd.report.indices import indices_tables, over_time_said, over_time_table
from uqmbd.report.pages import sentence
from uqmbd.report.tolerances import tolerances_tables
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import chosen, output_names
from uqmbd.tables.text import Table, by_statistic

WIDTH = 80
DETAILS = ("inner lower", "inner upper", "until [s]")  # on the page only
FIRST = ("statistic", "at least", "at most", "lower", "upper", "trusted", "error", "mean", "5 %", "95 %", "std")  # where room is short
LISTED = 6  # outputs of which indices, or times of extremes, are shown
NAME = 28  # characters of an output, which has its unit beside it
BRIEF = {"probability lower": "95 % lower", "probability upper": "95 % upper"}
GAP = 1  # of padding to the right of a column; the frame adds as much beside every column, and on the left


def terminal_table(result: ResultData, width: int = WIDTH) -> Group:
    """The outputs of a result (of a calibration its estimates before them) as compact tables for `rich.print`.

    Of histories when they are at their extremes and how wide the band is; without bounds the inputs by their indices, with limits and a
    design point, those that matter most first. Columns that do not fit into `width` characters are left out; what is said below tells
    how many the page has besides.
    """
    every = output_names(result)
    names = [name for some in every for name in chosen(result, some)]
    table = by_statistic(result, names)
    named = _named(table)
    kept = _fitting(named, width)
    left_out = len(named.header) - len(kept) + sum(name in DETAILS for name in table.header)
    below = [table.note] if table.note else []
    if more := sum(map(len, every)) - len(names):
        below.append(f"{more:,} more outputs are in report.html and in the folder tables.")
    if left_out:
        below.append(f"{left_out} more {'column is' if left_out == 1 else 'columns are'} in report.html.")
    estimates = estimates_table(result)
    parts: list[RichTable | Text] = [_drawn(estimates, range(len(estimates.header)))] if estimates.rows else []
    parts += [Text(text) for text in estimates_said(result)[1:]]  # the first one is the table
    parts += [_drawn(each, range(len(each.header)), whole=True) for each in tolerances_tables(result)]
    if len(kept) > 1 or not parts:
        parts.append(_drawn(named, kept))
    if isinstance(parts[0], RichTable):
        parts[0].title = result.facts.study or None
    over_time = over_time_table(result, names)
    lines = over_time_said(over_time)
    parts += [Text(text) for text in lines[:LISTED]]
    if lines and "%" in over_time.note:  # else it is of the ends that the table has
        below.append(over_time.note)
    if not result.bounds.data_vars:
        for each in indices_tables(result, names)[:LISTED]:
            parts += [Text(each.title), _drawn(each, range(len(each.header)), whole=True)]
    for each in own_tables(result)[:LISTED]:
        parts += [Text(each.title), _drawn(each, range(len(each.header)), whole=True)]
    if below:
        parts.append(Text(" ".join(below), style="italic"))
    parts += [Text(sentence(str(text)), style="bold") for text in result.facts_of(ReportFacts).warnings]
    return Group(*parts)


def notes_below(result: ResultData) -> list[str]:
    """The notes of a result that `terminal_table` does not end with already, a line each."""
    shown = set(map(str, result.facts_of(ReportFacts).warnings))
    return [f"note: {note}" for note in result.facts.notes if str(note) not in shown]


def _drawn(table: Table, kept: Iterable[int], *, whole: bool = False) -> RichTable:
    """A table for the terminal; `whole`: text that has no room goes on in the next line."""
    header, *rows = ([row[column] for column in kept] for row in (table.header, *table.rows))
    return terminal_columns(header, rows, [table.numeric[column] for column in kept], whole=whole)


def _named(table: Table) -> Table:
    """Names and units in one column, long names shortened, without details."""
    units = "unit" in table.header
    kept = [column for column, name in enumerate(table.header) if column > units and name not in DETAILS]
    brief = shortened([row[0] for row in table.rows if row[0]], NAME) | {"": ""}
    rows = tuple((f"{brief[row[0]]} {row[1] if units else ''}".rstrip(), *(row[column] for column in kept)) for row in table.rows)
    header = tuple(BRIEF.get(name, name) for name in (table.header[column] for column in (0, *kept)))
    return Table(table.title, header, rows, tuple(table.numeric[column] for column in (0, *kept)), table.note)


def _fitting(table: Table, width: int) -> list[int]:
    """Columns that fit beside each other, when there is no room for all those of `FIRST` before others."""
    widths = [max(map(len, (name, *(row[k] for row in table.rows)))) + 2 * GAP for k, name in enumerate(table.header)]
    rank = {name: FIRST.index("95 %" if name.endswith(" %") else name) for name in table.header if name in FIRST or name.endswith(" %")}
    order = sorted(range(1, len(widths)), key=lambda k: rank.get(table.header[k], len(FIRST)))
    room, kept = width - GAP - widths[0], [0]
    for k in order:
        if widths[k] <= room:
            room -= widths[k]
            kept.append(k)
    return sorted(kept)
