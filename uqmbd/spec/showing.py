"""What a study's report shows besides: the names in ``[report]``, checked, and the functions of fields, found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.outcomes import OutputInfo
from uqmbd.plugins import label_of, plugin_name
from uqmbd.simulators.model import Model, find_model, located, wrap_callable
from uqmbd.spec.sections import ReportSection

FIELDS = "report.fields"


def found_from_anywhere(report: ReportSection, directory: Path) -> ReportSection:
    """The section with such names of its functions that they are found from anywhere; nothing is executed. Functions of fields stay."""
    figures = [
        label_of(one) if callable(one) else plugin_name(one, (), "figure", key="report.figures", directory=directory)
        for one in report.figures
    ]
    fields = []
    for one in report.fields:
        if not isinstance(one, str) and not callable(one):
            remedy = 'write "model.py:pressure_map", say'
            raise StudyError("a field is the name of a function", key=FIELDS, value=one, remedy=remedy)
        try:
            fields.append(located(one, directory) if isinstance(one, str) else one)
        except StudyError as error:
            raise StudyError(error.message, key=FIELDS, value=error.value, remedy=error.remedy) from None
    return report.model_copy(update={"figures": figures, "fields": fields})


def check_names(report: ReportSection, outputs: Collection[str], inputs: Collection[str]) -> None:
    """See that what the section names are outputs and inputs of the study."""
    for orbit in report.orbits or []:
        known(orbit[:2], outputs, "orbits", "output")
        known((name for name in orbit[2:] if isinstance(name, str)), inputs, "orbits", "input")
    known(report.regimes or [], outputs, "regimes", "output")
    known([report.key] if report.key is not None else [], outputs, "key", "output")


def known(names: Iterable[str], choices: Collection[str], key: str, noun: str) -> None:
    """Names among `choices`."""
    for name in names:
        if name not in choices:
            raise StudyError(f"the study has no {noun} '{name}'", key=f"report.{key}", remedy=did_you_mean(name, choices, noun=noun))


def check_histories(report: ReportSection, info: Mapping[str, OutputInfo], store: str) -> None:
    """What is drawn over time has to be histories, and stored."""
    orbits = [name for orbit in report.orbits or [] for name in orbit[:2]]
    for key, names in (("report.orbits", orbits), ("report.regimes", report.regimes or [])):
        for name in names:
            if not info[name].over_time:
                raise StudyError(f"the output '{name}' is {info[name].noun}, not a history", key=key, remedy="name an output over time")
            if store != "all":
                raise StudyError("needs histories, which this study does not store", key=key, remedy='write campaign.store = "all"')


def field_functions(report: ReportSection, directory: Path) -> list[Model]:
    """The functions that ``report.fields`` names."""
    try:
        return [find_model(entry, directory) for entry in report.fields]
    except StudyError as error:
        raise StudyError(error.message, key=FIELDS, value=error.value, remedy=error.remedy) from error.__cause__


def written(report: ReportSection) -> dict[str, Any]:
    """The section as a study file says it; empty when it says nothing."""
    table = report.model_dump(exclude_none=True, exclude_defaults=True)
    fields = [one if isinstance(one, str) else wrap_callable(one).label for one in report.fields]
    return table | ({"fields": fields} if fields else {})
