"""Commands that look at results (list, show, watch, view, compare, export, verify; merge) or at a table (indices), and that begin (new,
studies, schema).

None of them simulates anything; `watch` alone reads the model's file. What is started from the page of `view` is a process of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from uqmbd.errors import StudyError
from uqmbd.printing import console, say, terminal_columns

Results = Annotated[Path, typer.Argument(metavar="RESULTS", help="Directory of results, such as results/my_study.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
STUDIES = Path("studies")  # where worked studies are written
WATCHED = "so_far"  # folder of the page of a study under way


def list_results(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where to look, with all folders below.")] = Path("results"),
    debug: Debug = False,
) -> None:
    """List the results in a folder: method, state, runs."""
    from uqmbd.overview import entries

    listed = entries(folder)
    if not listed:
        say(f"no results in {folder}")
        return
    places = [str(x.directory.relative_to(folder)) for x in listed]
    rows = [
        (place, x.method, x.state, f"{x.runs:,}", f"{x.failed:,}", f"{x.changed:%Y-%m-%d %H:%M}")
        for place, x in zip(places, listed, strict=True)
    ]
    header = (f"in {folder}", "method", "state", "runs", "failed", "changed")
    console().print(terminal_columns(header, rows, (False, False, False, True, True, False)))


def show(results: Results, debug: Debug = False) -> None:
    """Show the outputs of a finished study."""
    from uqmbd.report import notes_below, terminal_table
    from uqmbd.result import open_results
    from uqmbd.runs.where import folders_of

    terminal = console()
    for folder in folders_of(results):
        result = open_results(folder)
        say(repr(result))
        terminal.print(terminal_table(result, terminal.width))
        for note in notes_below(result):
            say(note)
        if (folder / "report.html").is_file():
            say(f"report: {folder / 'report.html'}")


def watch(
    results: Results,
    every: Annotated[float | None, typer.Option(min=1.0, metavar="SECONDS", help="Look again and again, until the study ends.")] = None,
    debug: Debug = False,
) -> None:
    """Show what the runs of a study under way say so far, on the terminal and as a page."""
    import time

    from uqmbd.campaign.locking import held
    from uqmbd.report import terminal_table, write_report
    from uqmbd.runs.where import folders_of
    from uqmbd.study import Study
    from uqmbd.study.watching import Watch, so_far

    terminal, waited = console(), True
    watches: dict[tuple[Path, str], Watch] = {}
    while waited:
        waited = every is not None and held(results)
        for folder in [folder for folder in folders_of(results) if (folder / "study.toml").is_file()] or [results]:
            if not (folder / "study.toml").is_file():
                raise StudyError("holds no study", file=folder, remedy="name the directory that `uqmbd run` makes, results/<study name>")
            text = (folder / "study.toml").read_text(encoding="utf-8")
            if (folder, text) not in watches:
                watches[folder, text] = Watch(Study.from_file(folder / "study.toml"))
            looking = watches[folder, text]
            snapshot = so_far(looking.study, folder, looking)
            terminal.print(terminal_table(snapshot.result, terminal.width))
            say("\n".join([snapshot.sentence(), *(f"failed {message}" for message in snapshot.messages)]))
            page = write_report(snapshot.result, folder / WATCHED, study_text=text, pictures=False)
            say(f"page: {page}")
        if waited:
            time.sleep(every or 0.0)


def compare(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="Directory of results.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND", help="Another one.")],
    debug: Debug = False,
) -> None:
    """Say how two results differ: in what was asked, and in what was found."""
    from uqmbd.overview import compare as compared

    comparison = compared(first, second)
    for line in (*comparison.changed, *comparison.missing):
        say(line)
    for table in comparison.tables():
        say(table.title)
        if table.rows:
            console().print(terminal_columns(table.header, table.rows, table.numeric))


def export(
    results: Results,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .csv, .parquet or .nc (with histories).")],
    debug: Debug = False,
) -> None:
    """Write the runs of a study to one file: inputs, outputs, status."""
    from uqmbd.exporting import export as write

    say(f"wrote {write(results, file)}")


def verify(results: Results, debug: Debug = False) -> None:
    """Compare every file of a study, its runs and its result, with its checksum."""
    from uqmbd.verifying import verify as verified

    outcome = verified(results)
    for note in outcome.notes:
        say(f"note: {note}")
    if not outcome.files:
        say(f"{outcome.runs:,} runs: every file is as it was written")
        return
    lost = "".join(f"\n    {name}" + (f" with {count:,} runs" if count else "") for name, count in outcome.files.items())
    raise StudyError(f"{len(outcome.files)} files are damaged:{lost}", file=results, remedy=outcome.remedies(results))


def merge(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="Gets the runs of the others; made if it is not there.")],
    others: Annotated[list[Path], typer.Argument(metavar="OTHER...", help="Directories of results of the same model: shards, say.")],
    debug: Debug = False,
) -> None:
    """Gather the runs of several directories of results in one."""
    from uqmbd.study.shards import merge as gather

    say(f"{gather(results, others):,} runs added; for the result: uqmbd resume {results}")


def view(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Where results are, with all folders below.")] = Path("results"),
    studies: Annotated[Path, typer.Option("--studies", metavar="DIR", help="Where study files are that can be started.")] = Path("studies"),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the address; 0 takes a free one.")] = 0,
    debug: Debug = False,
) -> None:
    """Look at results in a browser, on this machine alone: start studies, watch, stop, resume and compare them."""
    from uqmbd.web.serving import serve

    serve(folder, studies, port)


def new(
    name: Annotated[str, typer.Argument(help="Name of the study, and of the directory it is written to.")],
    mechanism: Annotated[
        str, typer.Option("--mechanism", help="What to start from: slider_crank, four_bar, beam, python or command.")
    ] = "python",
    debug: Debug = False,
) -> None:
    """Write a commented study and model to start from."""
    from uqmbd.study.worked import write_new

    folder, files = write_new(Path(name), mechanism)
    say(f"wrote {', '.join(str(folder / file) for file in files)}\nnext: uqmbd run {folder / 'study.toml'}")


def studies(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="Where they are written.")] = STUDIES, debug: Debug = False
) -> None:
    """Write the worked studies, to run and to copy; files that are there stay as they are."""
    from uqmbd.study.worked import DEMO, write_studies

    written = write_studies(folder)
    say(f"wrote {len(written)} files; {folder / 'README.md'} says what each study asks\nnext: uqmbd run {folder / DEMO / 'study.toml'}")


def schema(
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where to write it; to the terminal unless said.")] = None,
    debug: Debug = False,
) -> None:
    """Write the JSON schema of study files, for editors."""
    from uqmbd.spec.schema import schema as made

    text = json.dumps(made(), indent=2)
    if out is None:
        say(text)
        return
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise StudyError(f"cannot be written: {error.strerror}", file=out, remedy="name a file in a folder that is there") from None
    say(f"wrote {out}; in an editor: #:schema {out} as the first line of a study file")


def indices(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="CSV file with a column for each input and output; or RESULTS.")],
    output: Annotated[list[str], typer.Option(metavar="COLUMN", help="What depends on the others; may be given again.")],
    inputs: Annotated[list[str] | None, typer.Option("--input", metavar="COLUMN", help="On what; all other columns unless said.")] = None,
    above: Annotated[float | None, typer.Option(help="Which inputs differ most in the rows with an output above it.")] = None,
    below: Annotated[float | None, typer.Option(help="The same for rows with an output below it.")] = None,
    within: Annotated[list[str] | None, typer.Option(metavar="COLUMN=A,B", help="Rows with a column from A to B, or these texts.")] = None,
    debug: Debug = False,
) -> None:
    """Say which inputs matter, from a table of runs or measurements, or from stored runs (also of the output "failed")."""
    from uqmbd.given_data import indices_of_table, parts_of

    found = indices_of_table(table, output, inputs, above=above, below=below, within=parts_of(within or []))
    header = [str(column) for column in found.frame.columns]
    rows = [[x if isinstance(x, str) else f"{x:.3f}" for x in row] for row in found.frame.itertuples(index=False)]
    console().print(terminal_columns(header, rows, [False, False, *[True] * (len(header) - 2)]))
    for note in found.notes:
        say(f"note: {note}")


COMMANDS = {
    "list": list_results, "show": show, "watch": watch, "view": view, "compare": compare, "export": export, "verify": verify,
    "merge": merge, "indices": indices, "new": new, "studies": studies, "schema": schema,
}  # fmt: skip
