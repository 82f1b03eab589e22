"""The JSON schema of study files, by which editors complete keys and mark mistakes while one writes."""

from __future__ import annotations

from typing import Any

from uqmbd.inputs import INPUTS
from uqmbd.inputs.catalogue import FAMILIES
from uqmbd.inputs.data import FITS
from uqmbd.inputs.distributions import NAMED
from uqmbd.inputs.fuzzy import LEVELS, SHAPES
from uqmbd.inputs.integers import LAWS
from uqmbd.methods import METHODS
from uqmbd.spec.spec import StudySpec

NUMBER = {"type": "number"}
PAIR = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
ENTRIES = {"type": "array", "items": {"type": ["string", "number", "boolean"]}, "minItems": 2}
OUTSIDE = "From outside: module:Name, or file.py:Name."
BOUNDS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}  # as pydantic leaves some, and their names


def schema() -> dict[str, Any]:
    """JSON schema (draft 2020-12) of a study file: that of `StudySpec`, whose inputs and methods are written as tables."""
    document = _said(StudySpec.model_json_schema())
    definitions, properties = document["$defs"], document["properties"]
    del definitions["Input"], definitions["Method"]  # no keys of a file, as these are none
    for name in ("table", "written", "canonical"):
        del definitions["ConvexSet"]["properties"][name]
    outside = {"type": "object", "properties": {"type": {"type": "string", "pattern": ":"}}, "description": OUTSIDE}
    kinds = [kind for method in METHODS.values() for kind in getattr(method, "approaches", {"": method}).values()]
    for key, labelled in (("method", False), ("labelled_method", True)):
        ours = [_method(kind, definitions, labelled=labelled) for kind in kinds]
        definitions[key] = {"oneOf": [*ours, outside], "required": ["type"]}
    several = {"type": "array", "items": {"$ref": "#/$defs/labelled_method"}, "minItems": 1}
    several["description"] = "Several methods on the same runs."
    properties["method"] = {"oneOf": [{"$ref": "#/$defs/method"}, several]}
    properties["inputs"] = {"type": "object", "properties": {"from": _found()}, "additionalProperties": _input()}
    either = [{"required": [name], "properties": {name: {"minProperties": 1}}} for name in ("inputs", "sets")]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **document, "title": "Study of uqmbd", "anyOf": either}


def _method(method: Any, definitions: dict[str, Any], *, labelled: bool = False) -> dict[str, Any]:
    own = method.model_json_schema()
    definitions |= _said(own.pop("$defs", {}))
    own = _said(own)
    approach = own["properties"].get("approach", {}).get("const")
    own["title"] = method.name + (f", {approach}" if approach else "")
    label = {"label": {"type": "string", "description": "Names the folder of its results; the type unless said."}} if labelled else {}
    own["properties"] = {"type": {"const": method.name}, **label, **own["properties"]}
    own["required"] = ["type", *own.get("required", [])]
    return own


def _said(own: Any) -> Any:
    """A schema with the first paragraphs of docstrings, and with the right names of limits."""
    if isinstance(own, list):
        return [_said(each) for each in own]
    if not isinstance(own, dict):
        return own
    if isinstance(own.get("description"), str):
        own = own | {"description": own["description"].partition("\n\n")[0]}
    return {BOUNDS.get(key, key) if isinstance(each, (int, float)) else key: _said(each) for key, each in own.items()}


def _input() -> dict[str, Any]:
    """One key that says the kind, and a unit."""
    lists = {name: {"type": "array", "items": NUMBER} for name in LEVELS}
    shapes = [_numbers(kind, names) for kind, (names, *_) in SHAPES.items()]
    fuzzy = [*shapes, {"type": "object", "properties": lists, "required": list(LEVELS), "additionalProperties": False}]
    focal = {
        "type": "object", "properties": {"intervals": {"type": "array", "items": PAIR}, "masses": {"type": "array", "items": NUMBER}},
    }  # fmt: skip
    flags = {key: {"type": "boolean"} for key in ("smooth", "predictive")}
    distribution = {
        "type": "object",
        "properties": {
            "type": {"enum": sorted({*NAMED, *FAMILIES})}, "fit": {"enum": sorted(FITS)}, "truncate": {"type": "array"}, **flags,
            "columns": {"type": "array", "items": {"type": "string"}, "minItems": 2},
        },
        "anyOf": [{"required": ["type"]}, {"required": ["data"]}],
    }  # fmt: skip
    values = {
        "interval": PAIR,
        "distribution": {"anyOf": [distribution, {"type": "string", "pattern": ":"}]},
        "fuzzy": {"anyOf": fuzzy},
        "focal": focal,
        "integers": {"anyOf": [{"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}, _law(), _counted()]},
        "choice": {"anyOf": [ENTRIES, _chosen()]},
        "value": NUMBER,
    }
    own = [{"required": [kind.key]} for kind in INPUTS]
    return {
        "type": "object",
        "patternProperties": {":": {"description": OUTSIDE}},
        "properties": {kind.key: values.get(kind.key, {}) for kind in INPUTS} | {"unit": {"type": "string"}},
        "oneOf": [*own, {"not": {"anyOf": own}, "minProperties": 1}],
        "additionalProperties": False,
    }


def _counted() -> dict[str, Any]:
    """Whole numbers with weights."""
    own = {"lower": {"type": "integer"}, "upper": {"type": "integer"}, "weights": {"type": "array", "items": NUMBER}}
    return {"type": "object", "properties": own, "required": ["lower", "upper"], "additionalProperties": False}


def _law() -> dict[str, Any]:
    """Whole numbers by a law."""
    own = {name: NUMBER for names in LAWS.values() for name in names}
    return {"type": "object", "properties": {"type": {"enum": list(LAWS)}, **own}, "required": ["type"], "additionalProperties": False}


def _chosen() -> dict[str, Any]:
    """Values of a choice with weights."""
    own = {"values": ENTRIES, "weights": {"type": "array", "items": NUMBER}}
    return {"type": "object", "properties": own, "required": ["values"], "additionalProperties": False}


def _found() -> dict[str, Any]:
    """Results of calibrations whose inputs these are."""
    folder = {"type": "string"}
    names, how = {"type": "array", "items": {"type": "string"}}, {"enum": ["smoothed", "draws"]}
    table = {
        "type": "object",
        "properties": {"result": folder, "inputs": names, "as": how},
        "required": ["result"],
        "additionalProperties": False,
    }
    one = {"anyOf": [folder, table]}
    words = "Folder of results of a calibration, or a posterior, whose inputs are inputs of this study."
    return {"anyOf": [*one["anyOf"], {"type": "array", "items": one}], "description": words}


def _numbers(kind: str, names: Any) -> dict[str, Any]:
    own = {"type": {"const": kind}, **dict.fromkeys(names, NUMBER)}
    return {"type": "object", "properties": own, "required": list(own), "additionalProperties": False}
