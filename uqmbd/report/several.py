"""The page of several methods of one study: where the page of each is, and what they say of the outputs."""

from pathlib import Path

import pandas as pd

from uqmbd.report.numbers import number
from uqmbd.report.pages import rendered, replaced, sentence
from uqmbd.report.tables import Table

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"  # nothing runs, nothing is fetched


def write_page_of_several(results, directory: Path) -> Path:
    """Write ``report.html``; see `uqmbd.report.write_overview`."""
    first = next(iter(results.values()))
    text = rendered(
        "several.html.j2",
        title=first.facts.title or results.name,
        question=first.facts.description,
        policy=POLICY,
        pages={label: in_words(result) for label, result in results.items()},
        table=outputs_by_method(results),
    )
    return replaced(directory / "report.html", text)


def in_words(result) -> str:
    """The method of a result, its runs, and what is to be known of it."""
    facts = result.facts
    failed = f", {facts.runs_failed:,} failed" if facts.runs_failed else ""
    return " ".join([f"{facts.method}, {facts.runs or 0:,} runs{failed}.", *map(sentence, facts.notes)])


def outputs_by_method(results) -> Table:
    """The scalar outputs, a row for each method; see `uqmbd.results.Results.table`."""
    table = results.table()
    table = table[[name for name in table.columns if table[name].astype(str).any()]]  # units, where no output has one
    words = ("output", "method", *(str(name).replace("_", " ") for name in table.columns))
    rows = tuple((*at, *("" if pd.isna(value) else number(value) for value in row)) for at, *row in table.itertuples(name=None))
    return Table("Outputs", words, rows, tuple(name not in ("output", "method", "unit") for name in words))
