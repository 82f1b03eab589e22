"""Inputs and methods of a study: read from the tables of a file, or as they were made in Python, and written as such tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, InstanceOf, ValidationInfo

from uqmbd.errors import StudyError
from uqmbd.inputs import INPUTS, Input, Interval, read_input
from uqmbd.inputs import given as as_inputs
from uqmbd.inputs.joint import names_in
from uqmbd.methods import Method, read_method
from uqmbd.plugins import blaming, distribution_of, is_ours, label_of, load_plugin, name_of_distribution, nonsense, offered
from uqmbd.spec.checks import check_input_name, check_kind
from uqmbd.spec.labels import labelled


def read_inputs(given: Any, info: ValidationInfo) -> dict[str, Input]:
    """Inputs by name, each in SI and a possible keyword argument."""
    if not isinstance(given, Mapping):
        raise StudyError("inputs are given by their names", key="inputs", remedy="add one: [inputs.name] with interval = [lower, upper]")
    inputs = {}
    for name, item in as_inputs(given).items():
        made = input_of(name, item, info.context or Path()) if isinstance(item, Mapping) else item
        check_kind(made, Input, f"inputs.{name}", "uqmbd.Interval(lower, upper) or uqmbd.Random({...})")
        for one in names_in(name) if isinstance(name, str) and made.count > 1 else [name]:
            check_input_name(one)
        inputs[name] = in_si(name, made)
    return inputs


def in_si(name: str, item: Any) -> Input:
    """An input in SI units; several that came as one have a unit each, and become SI when a space takes them apart."""
    key = f"inputs.{name}"
    try:
        with blaming(type(item), "kind of input", ""):
            return item if item.count > 1 else item.to_si()
    except StudyError as error:
        raise error.under(key) from error.__cause__


def input_of(name: str, table: Mapping[str, Any], directory: Path) -> Input:
    """One input of a study file; its kind may be one from outside."""
    known = {kind.key: kind for kind in INPUTS}
    keys = [key for key in table if key not in known and (":" in key or key in offered("input"))]
    try:
        if isinstance(table.get("distribution"), str):
            table = {**table, "distribution": distribution_of(table["distribution"], directory)}
        more = {key: load_plugin(key, known, "input", key=key, directory=directory, kind=Input) for key in keys}
        with blaming(more[keys[0]] if keys else Input, "kind of input", keys[0] if keys else name):
            item = read_input(table, more)
        if not isinstance(item, Input):
            raise nonsense(more[keys[0]], "kind of input", keys[0], f"makes {type(item).__name__}", "let from_value make an input")
        return item
    except StudyError as error:
        raise error.under(f"inputs.{name}") from error.__cause__


def input_table(item: Input) -> dict[str, Any]:
    """The table of an input in a study file, in the unit in which it was written."""
    written = item.written or item
    value = [written.lower, written.upper] if type(written) is Interval else getattr(written, written.key)
    if isinstance(value, str) and value.startswith("<"):  # a distribution of chaospy, made in Python
        value = name_of_distribution(getattr(written, "made", None)) or value
    key = written.key if is_ours(type(written)) else label_of(type(written))
    return {key: value} | ({"unit": written.unit} if written.unit else {})


def read_methods(given: Any, info: ValidationInfo) -> dict[str, Method]:
    """Methods by their labels: one or several, as tables of a study file or as they were made in Python."""
    directory = info.context or Path()
    try:
        if is_table(given):
            return labelled(read_method(given, directory))
        if not isinstance(given, list) or not any(map(is_table, given)):
            return labelled(given)
        methods: list[tuple[str, Method]] = []
        for table in given:
            label = table.get("label", table.get("type"))
            try:
                methods.append((label, read_method({key: value for key, value in table.items() if key != "label"}, directory)))
            except StudyError as error:
                raise (error.under(label) if isinstance(label, str) else error) from None
        return labelled(methods)
    except StudyError as error:
        raise (error if (error.key or "").startswith("method") else error.under("method")) from error.__cause__


def is_table(given: Any) -> bool:
    """True for the table of a method in a study file; methods by their labels are no such table."""
    return isinstance(given, Mapping) and not any(isinstance(each, Method) for each in given.values())


def method_table(method: Method) -> dict[str, Any]:
    """The table of a method in a study file."""
    kind = type(method)
    return {"type": method.name if is_ours(kind) else label_of(kind), **method.model_dump(exclude_none=True)}


Inputs = Annotated[dict[str, InstanceOf[Input]], BeforeValidator(read_inputs)]
Methods = Annotated[dict[str, InstanceOf[Method]], BeforeValidator(read_methods)]
