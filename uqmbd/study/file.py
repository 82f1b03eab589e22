"""Study files: TOML to `Study` and back, with errors that name file, key, value and remedy."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqmbd.doors import blaming, distribution_of, find, is_ours, label_of, model_of, nonsense, offered
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs import INPUTS, Input, read_input
from uqmbd.inputs.checked import plain
from uqmbd.methods import Method, read_method
from uqmbd.simulators.command import command_model
from uqmbd.simulators.filling import check_places
from uqmbd.simulators.model import Model
from uqmbd.study.copies import model_or_copy
from uqmbd.study.labels import labelled
from uqmbd.study.settings import CampaignSettings, OutputsSection, ReportSection, StudySection, TimeGrid
from uqmbd.study.showing import written as report_written

if TYPE_CHECKING:
    from uqmbd.study.study import Study

SECTIONS = ("study", "time", "inputs", "dependence", "sets", "outputs", "method", "campaign", "solver", "report")
NESTED = ("inputs", "sets")
REQUIRED = {
    "study": 'add [study] with model = "model.py:function"',
    "inputs": "add [inputs.NAME] with interval = [lower, upper]",
    "outputs": 'add [outputs] with include = ["name"]',
    "method": 'add [method] with type = "chebyshev" or "montecarlo"',
}


def read_study(path: Path, kind: type[Study]) -> Study:
    """The study in a file."""
    document = read_toml(path)
    try:
        return build(document, path.resolve(), kind)
    except StudyError as error:
        raise error.at(file=path, value=value_at(document, error.key), remedy=remedy_for(document, error)) from error.__cause__


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        near = [file.name for file in path.parent.glob("*.toml")] if path.parent.is_dir() else []
        remedy = did_you_mean(path.name, near, noun="study file there") if near else "`uqmbd new NAME` writes a study to start from"
        raise StudyError("there is no such file", file=path, remedy=remedy) from None
    except IsADirectoryError:
        raise StudyError("is a directory, not a study file", file=path, remedy=f"name the file in it: {path / 'study.toml'}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"cannot be read: {error}", file=path, remedy="a study file is a text file in TOML") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise StudyError(f"is not TOML: {error}", file=path, remedy="mend the line named above") from None


def build(document: Mapping[str, Any], path: Path, kind: type[Study], model: Model | None = None) -> Study:
    """The study that the tables of the file `path` describe; errors carry the dotted key.

    `model` is taken for the one that the tables name, which then is not loaded.
    """
    for section, table in document.items():
        if section not in SECTIONS:
            raise StudyError(f"there is no section '{section}'", key=section, remedy=did_you_mean(section, SECTIONS, noun="section"))
        if not isinstance(table, dict) and not (section == "method" and is_list_of_tables(table)):
            raise StudyError("is a section, not a value", key=section, value=table, remedy=f"write [{section}] on a line of its own")
    document = anchored(document, path.parent)
    for section, remedy in REQUIRED.items():
        if section not in document and not (section == "inputs" and document.get("sets")):
            raise StudyError(f"the section [{section}] is missing", key=section, remedy=remedy)
    top = section_of(StudySection, document, "study")
    campaign = section_of(CampaignSettings, document, "campaign")
    time = section_of(TimeGrid, document, "time") if "time" in document else None
    outputs = section_of(OutputsSection, document, "outputs")
    inputs = {name: input_of(name, table, path.parent) for name, table in document.get("inputs", {}).items()}
    try:
        method = methods_of(document["method"], path.parent)
    except StudyError as error:
        raise error.under("method") from None
    found = kind(
        model=model or named_model(top, path.parent, campaign.timeout),
        inputs=inputs,
        outputs=outputs.include,
        units=outputs.units,
        derived=outputs.derived,
        method=method,
        time=time,
        name=top.name or unsaid_name(path),
        campaign=campaign,
        solver=document.get("solver", {}),
        dependence=document.get("dependence"),
        sets=document.get("sets"),
        report=section_of(ReportSection, document, "report"),
        title=top.title,
        description=top.description,
        directory=path.parent,
    )
    if top.command is not None:
        check_places(found.model.bare.arguments, found.model.bare.template, top.result, found.inputs)
    found.file = path
    found.document = resolved(found, document, top, path.parent)
    return found


def unsaid_name(path: Path) -> str:
    """The name of a study whose file does not say it."""
    return path.parent.name if path.name == "study.toml" else path.stem


def is_list_of_tables(value: Any) -> bool:
    """What ``[[method]]`` makes."""
    return isinstance(value, list) and all(isinstance(table, dict) for table in value)


def methods_of(section: Any, directory: Path) -> Method | dict[str, Method]:
    """The method of ``[method]``, or those of ``[[method]]`` by their labels."""
    if not isinstance(section, list):
        return read_method(section, directory)
    found: list[tuple[str, Method]] = []
    for table in section:
        label = table.get("label", table.get("type"))
        try:
            found.append((label, read_method({key: value for key, value in table.items() if key != "label"}, directory)))
        except StudyError as error:
            raise (error.under(label) if isinstance(label, str) else error) from None
    return labelled(found)


def section_of(model: type, document: Mapping[str, Any], section: str) -> Any:
    """A section of plain settings."""
    try:
        return model(**document.get(section, {}))
    except StudyError as error:
        raise error.under(section) from None
    except TypeError:
        raise StudyError("a key is a name", key=section, remedy="use the keys of the documentation") from None


def input_of(name: str, table: Any, directory: Path) -> Input:
    """One input, in SI units; its kind may be one from outside."""
    known = {kind.key: kind for kind in INPUTS}
    keys = [key for key in table if key not in known and (":" in key or key in offered("input"))] if isinstance(table, Mapping) else []
    try:
        if isinstance(table, Mapping) and isinstance(table.get("distribution"), str):
            table = {**table, "distribution": distribution_of(table["distribution"], directory)}
        more = {key: find(key, known, "input", key=key, directory=directory, kind=Input) for key in keys}
        with blaming(more[keys[0]] if keys else Input, "kind of input", keys[0] if keys else name):
            found = read_input(table, more)
            if not isinstance(found, Input):
                raise nonsense(more[keys[0]], "kind of input", keys[0], f"makes {type(found).__name__}", "let from_value make an input")
            return found.to_si()
    except StudyError as error:
        raise error.under(f"inputs.{name}") from error.__cause__


def named_model(top: StudySection, directory: Path, timeout: float | None) -> Model:
    """The model that a study's ``model`` or ``command`` names."""
    if top.simulator is not None and top.command is None:
        return model_of(top.model, top.simulator, top.vectorized, directory)
    if (top.model is None) == (top.command is None):
        raise StudyError(
            "a study has a model or a command" + ("" if top.model is None else ", not both"),
            key="study.model",
            value=top.model,
            remedy='write model = "model.py:function"',
        )
    if top.command is not None:
        return command_model(top.command, top.template, top.result, directory, timeout)
    return model_of(model_or_copy(top.model, directory), None, top.vectorized, directory)


def value_at(document: Any, key: str | None) -> Any:
    """The value at a dotted key, if it is there; names that have dots, those of outputs, are found as well."""
    rest = (key or "").split(".")
    while rest:
        if isinstance(document, list):  # of methods, by their labels
            document = {str(table.get("label", table.get("type"))): table for table in document if isinstance(table, Mapping)}
        if not isinstance(document, Mapping):
            return None
        count = next((count for count in range(1, len(rest) + 1) if ".".join(rest[:count]) in document), None)
        if count is None:
            return None
        document, rest = document[".".join(rest[:count])], rest[count:]
    return document


def remedy_for(document: Mapping[str, Any], error: StudyError) -> str:
    """A remedy for an error that has none: a misspelt key beside the missing one, or a place to look."""
    section, _, key = (error.key or "").rpartition(".")
    beside = value_at(document, section) if section else document
    near = difflib.get_close_matches(key, beside, n=1) if isinstance(beside, Mapping) and key not in beside else []
    if near:
        return f'it has a key "{near[0]}": did you mean "{key}"?'
    return "mend this entry; `uqmbd new NAME` writes a commented study to compare with"


def resolved(study: Study, document: Mapping[str, Any], top: StudySection, directory: Path) -> dict[str, Any]:
    """The document with defaults filled in and paths absolute, so that it can be read from anywhere."""
    section = {key: value for key, value in top.model_dump().items() if value not in (None, "", False)}
    section["name"] = study.name
    if top.simulator is not None:
        section["simulator"] = study.model.simulator.label
    if top.command is None:
        section |= {} if top.model is None else {"model": study.model.label}
        del section["result"]
    elif top.template is not None:
        section["template"] = str((directory / top.template).resolve())
    if top.command is not None:
        section["command"] = list(study.model.bare.arguments)
    written = {name: dict(document[name]) for name in ("inputs", "dependence", "sets") if document.get(name)}
    return {**tables(study), "study": section, **written}


def anchored(document: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    """The document with the paths of data files absolute: they are relative to the study file."""

    def with_path(table: Any) -> Any:
        if isinstance(table, Mapping) and isinstance(table.get("data"), str):
            return {**table, "data": str(directory / table["data"])}
        return by_path(table) if isinstance(table, str) else table

    def by_path(key: str) -> str:
        return str((directory / key).resolve()) if ".py:" in key else key

    found = dict(document)
    if isinstance(document.get("inputs"), Mapping):
        found["inputs"] = {
            name: {by_path(key): with_path(value) for key, value in table.items()} if isinstance(table, Mapping) else table
            for name, table in document["inputs"].items()
        }
    if isinstance(document.get("sets"), Mapping):
        found["sets"] = {name: with_path(table) for name, table in document["sets"].items()}
    if "method" in document:
        several = isinstance(document["method"], list)
        found["method"] = [with_path(table) for table in document["method"]] if several else with_path(document["method"])
    return found


def tables(study: Study) -> dict[str, Any]:
    """The sections of a study file that a `Study` made in Python would have."""
    inputs = {}
    for name, item in study.inputs.written.items():
        written = item.written or item
        value = [written.lower, written.upper] if written.key == "interval" else getattr(written, written.key)
        key = written.key if is_ours(type(written)) else label_of(type(written))
        inputs[name] = {key: value} | ({"unit": written.unit} if written.unit else {})
    arrays = {"vectorized": True} if study.model.vectorized else {}
    if study.model.simulator is not None:
        arrays["simulator"] = study.model.simulator.label
    model = {} if study.model.is_simulator else {"model": study.model.label}
    methods = [{"label": label, **method_table(method)} for label, method in study.methods.items()]
    found = {
        "study": {"name": study.name} | model | arrays | study.words(),
        "time": None if study.time is None else study.time.model_dump(exclude=None if study.time.also else {"also"}),
        "inputs": inputs,
        "dependence": {} if study.inputs.given is None else study.inputs.given.model_dump(),
        "sets": {name: item.settings() for name, item in study.inputs.sets.items()},
        "outputs": {"include": study.outputs, **{key: table for key, table in study.more_of_outputs().items() if table}},
        "method": method_table(study.method) if len(methods) == 1 else methods,
        "campaign": study.campaign.model_dump(exclude_none=True),
        "solver": study.solver,
        "report": report_written(study.report, study.field_functions),
    }
    return {section: table for section, table in found.items() if table}


def method_table(method: Method) -> dict[str, Any]:
    """The table of a method in a study file."""
    kind = type(method)
    return {"type": method.name if is_ours(kind) else label_of(kind), **method.model_dump(exclude_none=True)}


def write_toml(document: Mapping[str, Any]) -> str:
    """TOML text of a document of sections, of which those in `NESTED` have sub-sections, and lists are of tables."""
    lines = []
    for section, table in document.items():
        if isinstance(table, list):
            titled = [(f"[[{section}]]", entries) for entries in table]
        else:
            nested = {f"{section}.{toml_key(key)}": value for key, value in table.items()} if section in NESTED else {section: table}
            titled = [(f"[{title}]", entries) for title, entries in nested.items()]
        for title, entries in titled:
            lines += [title, *(f"{toml_key(key)} = {toml_value(value)}" for key, value in entries.items()), ""]
    return "\n".join(lines)


def toml_key(key: str) -> str:
    """A key, quoted where it has to be."""
    return key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else toml_value(key)


def toml_value(value: Any) -> str:
    """A value: text, number, list or inline table."""
    value = plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(k)} = {toml_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return repr(value)
