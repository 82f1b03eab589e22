"""How the user wrote the inputs: their units, and values in these."""

from uqmbd.facts import InputFacts
from uqmbd.method_facts import Words
from uqmbd.result_data import ResultData
from uqmbd.tables.outputs import pretty


def input_unit(result: ResultData, name: str) -> InputFacts:
    """How the user wrote the input `name`; in SI where a result (of an older version) does not say."""
    entry = result.facts.inputs.get(name)
    if entry is not None and entry.unit is not None:
        return entry
    stored = Words.of(result.runs[f"input:{name}"].attrs).unit if f"input:{name}" in result.runs else ""
    return InputFacts("", "", str(stored))


def with_unit(name: str, unit: InputFacts) -> str:
    """An input's name, and its unit in brackets if it has one."""
    return f"{name} [{pretty(unit.unit)}]" if unit.unit else name
