"""Study files that can be started: those below a folder, as far as their tables can be read; nothing that they name is loaded."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError
from uqmbd.spec.checks import check_name
from uqmbd.spec.reading import unsaid_name
from uqmbd.study.reuse import RESOLVED
from uqmbd.web.places import Refused, inside

MOST = 500  # files that are listed


@dataclass(frozen=True)
class StudyFile:
    """A study file."""

    place: str  # below the folder of studies
    name: str  # of the folder that its results have
    title: str
    question: str
    methods: str  # their types, with commas between


def study_files(folder: Path) -> list[StudyFile]:
    """Those in a folder and below it, by their paths; results are none, nor what links lead to."""
    every = (read(file, file.relative_to(folder).as_posix()) for file in toml_files(folder))
    return list(islice(filter(None, every), MOST))


def toml_files(folder: Path) -> Iterator[Path]:
    """Files of TOML, in the order of their paths."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not name.endswith(".zarr"))
        for name in sorted(files):
            file = Path(place, name)
            if name.endswith(".toml") and not name.startswith(".") and not file.is_symlink():
                yield file


def read(file: Path, place: str) -> StudyFile | None:
    """What a file says of its study; None if it holds none, or is the copy beside results."""
    try:
        text = file.read_text(encoding="utf-8")
        document = tomllib.loads(text)
        top, method = document["study"], document["method"]
        types = [str(table["type"]) for table in (method if isinstance(method, list) else [method])]
        name = check_name(top.get("name") or unsaid_name(file.absolute()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, StudyError):
        return None
    if text.startswith(RESOLVED):
        return None
    return StudyFile(place, name, str(top.get("title") or name), str(top.get("description", "")), ", ".join(types))


def chosen(folder: Path, place: str) -> tuple[Path, Any]:
    """The file that is meant, and what it says; `Refused` if there is none."""
    file = inside(folder, place)
    study = read(file, place)
    if study is None:
        raise Refused("this is no study file", 404, remedy="`uqmbd check` says what is wrong with it")
    return file, study
