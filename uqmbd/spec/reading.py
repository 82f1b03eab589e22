"""Study files: TOML to `StudySpec`, with errors that name file, key, value and remedy."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.spec.models import StudySection
from uqmbd.spec.spec import StudySpec


def read_spec(document: Mapping[str, Any], path: Path, study: StudySection | None = None) -> StudySpec:
    """What the tables of the file `path` ask; errors carry the dotted key. No model is loaded. `study` stands for the section so named."""
    for section, table in document.items():
        if not isinstance(table, dict) and not (section == "method" and is_list_of_tables(table)) and section in StudySpec.model_fields:
            raise StudyError("is a section, not a value", key=section, value=table, remedy=f"write [{section}] on a line of its own")
    sections = anchored(document, path.parent)
    if study is not None:
        sections["study"] = study
    elif "study" in sections:
        sections["study"] = {**sections["study"], "name": sections["study"].get("name") or unsaid_name(path)}
    return StudySpec(path.parent, **sections)


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


def unsaid_name(path: Path) -> str:
    """The name of a study whose file does not say it."""
    return path.parent.name if path.name == "study.toml" else path.stem


def is_list_of_tables(value: Any) -> bool:
    """What ``[[method]]`` makes."""
    return isinstance(value, list) and all(isinstance(table, dict) for table in value)


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


def anchored(document: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    """The document with the paths of data files absolute: they are relative to the study file."""

    def with_path(table: Any) -> Any:
        if isinstance(table, Mapping) and isinstance(table.get("data"), str):
            return {**table, "data": str(directory / table["data"])}
        if isinstance(table, Mapping) and isinstance(table.get("follow"), str):  # a map, by the name of its function
            return {**table, "follow": by_path(table["follow"])}
        return by_path(table) if isinstance(table, str) else table

    def by_path(key: str) -> str:
        return str((directory / key).resolve()) if ".py:" in key else key

    sections = dict(document)
    if isinstance(document.get("inputs"), Mapping):
        sections["inputs"] = {
            name: {by_path(key): with_path(value) for key, value in table.items()} if isinstance(table, Mapping) else table
            for name, table in document["inputs"].items()
        }
    if isinstance(document.get("sets"), Mapping):
        sections["sets"] = {name: with_path(table) for name, table in document["sets"].items()}
    if "method" in document:
        several = isinstance(document["method"], list)
        sections["method"] = [with_path(table) for table in document["method"]] if several else with_path(document["method"])
    return sections
