"""Commands of the command line that write what one starts from: new, studies, schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from uqmbd.errors import StudyError
from uqmbd.printing import say

Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
STUDIES = Path("studies")  # where worked studies are written


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


COMMANDS = {"new": new, "studies": studies, "schema": schema}
