"""Study files are written in TOML: sections, sub-sections of those in `NESTED`, and everything below inline."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from uqmbd.inputs.checked import plain

NESTED = ("inputs", "sets")


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
