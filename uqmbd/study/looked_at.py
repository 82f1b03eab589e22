"""The study of a folder of results for who looks on: its model is not loaded, and nothing that lies in the folder is executed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError
from uqmbd.inputs import INPUTS
from uqmbd.runs.where import STUDY, check_study
from uqmbd.simulators.model import Model
from uqmbd.spec.models import FunctionSection
from uqmbd.spec.reading import read_spec, read_toml
from uqmbd.study.study import Study

MAPS = ("follow", "follow_code")
WORDS = ("name", "title", "description")


def study_to_look_at(folder: Path) -> Study:
    """The study of a folder of results, with a model that has its name and cannot be run; functions of its report are left out.

    Raises
    ------
    StudyError
        If the file is damaged, or names a class in a file or module, which would have to be executed.
    """
    file = folder / STUDY
    check_study(folder)
    document = read_toml(file)
    for key, name in named_classes(document):
        text = "is code that would have to be executed to look at the runs"
        raise StudyError(text, file=file, key=key, value=name, remedy=f"where you trust it: uqmbd watch {folder}")
    top = document.get("study")
    top = top if isinstance(top, Mapping) else {}
    label = str(top.get("model") or top.get("simulator") or "a command")
    bare = {name: table for name, table in document.items() if name not in ("study", "report")}
    report, methods = document.get("report"), document.get("method")
    if isinstance(report, Mapping) and isinstance(report.get("key"), str):
        bare["report"] = {"key": report["key"]}
    if methods is not None:
        bare["method"] = [without_maps(one) for one in methods] if isinstance(methods, list) else without_maps(methods)
    try:
        words = {key: top[key] for key in WORDS if key in top}
        section = FunctionSection(**words, model=label, given={"model": Model(label, bare=not_run)})
        return Study.of(read_spec(bare, file.resolve(), section), file.resolve())
    except StudyError as error:
        raise error.at(file=file) from error.__cause__


def named_classes(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Methods and kinds of input of a study file that are named by file or module, with their keys."""
    methods = document.get("method")
    for table in methods if isinstance(methods, list) else [methods]:
        name = table.get("type") if isinstance(table, Mapping) else None
        if isinstance(name, str) and ":" in name:
            yield "method.type", name
    known = {kind.key for kind in INPUTS}
    inputs = document.get("inputs")
    for name, table in inputs.items() if isinstance(inputs, Mapping) else ():
        for key in table if isinstance(table, Mapping) else ():
            if ":" in key and key not in known:
                yield f"inputs.{name}", key


def without_maps(method: Any) -> Any:
    """A method's table without the map whose orbits it follows: its code would be executed; the section points are shown without it."""
    return {key: value for key, value in method.items() if key not in MAPS} if isinstance(method, Mapping) else method


def not_run(**inputs: float) -> None:
    """Stands for the model."""
    raise StudyError("a study that is looked at runs nothing", key="study.model", remedy="run it: uqmbd resume RESULTS")
