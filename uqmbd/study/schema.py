"""The JSON schema of study files, by which editors complete keys and mark mistakes while one writes."""

from __future__ import annotations

from typing import Any

from uqmbd.inputs import INPUTS
from uqmbd.inputs.catalogue import FAMILIES
from uqmbd.inputs.data import FITS
from uqmbd.inputs.distributions import NAMED
from uqmbd.inputs.fuzzy import LEVELS, SHAPES
from uqmbd.methods import METHODS
from uqmbd.study.file import REQUIRED
from uqmbd.study.settings import CampaignSettings, OutputsSection, ReportSection, StudySection, TimeGrid

NUMBER = {"type": "number"}
PAIR = {"type": "array", "items": NUMBER, "minItems": 2, "maxItems": 2}
OUTSIDE = "From outside: module:Name, or file.py:Name."
BOUNDS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}  # as pydantic leaves some, and their names
ONE_MODEL = [
    {"required": ["model"], "not": {"required": ["command"]}},
    {"required": ["command"], "not": {"required": ["model"]}},
    {"required": ["simulator"], "not": {"required": ["command"]}},
]  # as `uqmbd.study.file.named_model` wants it
NOT_WRITTEN = {"written", "name"}  # fields of settings that are no keys


def schema() -> dict[str, Any]:
    """JSON schema (draft 2020-12) of a study file."""
    definitions: dict[str, Any] = {}
    sections = {"study": StudySection, "time": TimeGrid, "outputs": OutputsSection, "campaign": CampaignSettings, "report": ReportSection}
    found = {name: _settings(kind, definitions) for name, kind in sections.items()}
    outside = {"type": "object", "properties": {"type": {"type": "string", "pattern": ":"}}, "description": OUTSIDE}
    kinds = [kind for method in METHODS.values() for kind in getattr(method, "approaches", {"": method}).values()]
    for key, labelled in (("method", False), ("labelled_method", True)):
        ours = [_method(kind, definitions, labelled=labelled) for kind in kinds]
        definitions[key] = {"oneOf": [*ours, outside], "required": ["type"]}
    several = {"type": "array", "items": {"$ref": "#/$defs/labelled_method"}, "minItems": 1}
    several["description"] = "Several methods on the same runs."
    found["method"] = {"oneOf": [{"$ref": "#/$defs/method"}, several]}
    found["inputs"] = {"type": "object", "additionalProperties": _input()}
    found["study"]["anyOf"] = ONE_MODEL
    for name, what in (("solver", "Settings of the solver."), ("dependence", "Correlation of the random inputs."), ("sets", "Sets.")):
        found[name] = {"type": "object", "description": what}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Study of uqmbd",
        "type": "object",
        "properties": found,
        "required": [name for name in REQUIRED if name != "inputs"],
        "anyOf": [{"required": [name], "properties": {name: {"minProperties": 1}}} for name in ("inputs", "sets")],
        "additionalProperties": False,
        "$defs": definitions,
    }


def _settings(kind: Any, definitions: dict[str, Any], *, name: str | None = None) -> dict[str, Any]:
    """Schema of a settings class; what it refers to is added to the definitions."""
    own = kind.model_json_schema(ref_template="#/$defs/{model}")
    definitions |= own.pop("$defs", {})
    keep_name = kind is StudySection
    own["properties"] = {key: x for key, x in own.get("properties", {}).items() if keep_name or key not in NOT_WRITTEN}
    own["description"] = (kind.__doc__ or "").partition("\n\n")[0]
    own["title"] = name or own.get("title", "")
    return _bounded(own)


def _bounded(own: Any) -> Any:
    """A schema whose limits of numbers have the names that schemas give them."""
    if isinstance(own, list):
        return [_bounded(each) for each in own]
    if not isinstance(own, dict):
        return own
    return {BOUNDS.get(key, key) if isinstance(each, (int, float)) else key: _bounded(each) for key, each in own.items()}


def _method(method: Any, definitions: dict[str, Any], *, labelled: bool = False) -> dict[str, Any]:
    own = _settings(method, definitions, name=method.name)
    approach = own["properties"].get("approach", {}).get("const")
    own["title"] += f", {approach}" if approach else ""
    label = {"label": {"type": "string", "description": "Names the folder of its results; the type unless said."}} if labelled else {}
    own["properties"] = {"type": {"const": method.name}, **label, **own["properties"]}
    own["required"] = ["type", *own.get("required", [])]
    return own


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
            "type": {"enum": sorted({*NAMED, *FAMILIES})}, "fit": {"enum": sorted(FITS)}, "truncate": {"type": "array"}, **flags
        },
        "anyOf": [{"required": ["type"]}, {"required": ["data"]}],
    }  # fmt: skip
    values = {
        "interval": PAIR,
        "distribution": {"anyOf": [distribution, {"type": "string", "pattern": ":"}]},
        "fuzzy": {"anyOf": fuzzy},
        "focal": focal,
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


def _numbers(kind: str, names: Any) -> dict[str, Any]:
    own = {"type": {"const": kind}, **dict.fromkeys(names, NUMBER)}
    return {"type": "object", "properties": own, "required": list(own), "additionalProperties": False}
