"""Places for inputs in a command and in the text files of its template: ``{{name}}`` becomes the input's value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError, did_you_mean

PLACE = re.compile(r"\{\{\s*([^\W\d][\w.\-]*)\s*\}\}")


def fill(text: str, inputs: Mapping[str, Any]) -> str:
    """Replace ``{{name}}`` by the input's value, written so that it reads back exactly."""
    return PLACE.sub(lambda place: written(inputs[place[1]]) if place[1] in inputs else place[0], text)


def written(value: Any) -> str:
    """A number so that it reads back exactly; what was chosen as it is, true and false in small letters."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else repr(value if isinstance(value, int) else float(value))


def fill_file(file: Path, inputs: Mapping[str, Any]) -> None:
    """Fill in one file of the template; binary files are left alone."""
    if not file.is_file():
        return
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    if "{{" in text:
        file.write_text(fill(text, inputs), encoding="utf-8")


def check_places(arguments: Iterable[str], template: str, result: str, inputs: Iterable[str]) -> None:
    """See that every place is of an input and every input has a place; the file `result` of the template is not copied.

    Raises
    ------
    StudyError
        For a place of no input, an input without a place, and a place in a text file that is not UTF-8.
    """
    wanted = list(inputs)
    places = [(name, where) for where, text in texts(arguments, template, result) for name in PLACE.findall(text)]
    found = {name for name, _ in places}
    for name, where in places:
        if name not in wanted:
            text = f"has a place {{{{{name}}}}}, and the study has no input of this name"
            without = [one for one in wanted if one not in found]  # of these one is meant, if there are any
            raise StudyError(text, **where, remedy=did_you_mean(name, without or wanted, noun="input"))
    for file in files_of(template, result):
        refuse_coding(file, wanted)
    for name in wanted:
        if name not in found:
            raise StudyError(
                "the input occurs nowhere in the command, so that no run depends on it",
                key=f"inputs.{name}",
                remedy=f"write {{{{{name}}}}} in the command or in a text file of its template (study.template), or remove the input",
            )


def files_of(template: str, result: str) -> list[Path]:
    """The files of a template that a run gets: all but the result of a run of before."""
    folder = Path(template)
    old = folder / result
    return sorted(file for file in folder.rglob("*") if file.is_file() and file != old) if template else []


def texts(arguments: Iterable[str], template: str, result: str) -> Iterator[tuple[dict[str, str], str]]:
    """Where inputs can stand: fields of an error that say where, and the text."""
    for argument in arguments:
        yield {"key": "study.command", "value": argument}, argument
    for file in files_of(template, result):
        try:
            yield {"file": str(file)}, file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def refuse_coding(file: Path, inputs: Iterable[str]) -> None:
    """`StudyError` for a text file with places that cannot be filled in."""
    data = file.read_bytes()
    if b"\0" in data:
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        for name in inputs:
            if f"{{{{{name}}}}}".encode() in data:
                text = f"has a place {{{{{name}}}}}, and cannot be filled in, since it is no text in UTF-8"
                raise StudyError(text, file=file, remedy="save it in UTF-8") from None
