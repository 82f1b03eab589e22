"""What a study's report shows besides: the names in ``[report]``, checked, and the functions of fields, found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from uqmbd.doors import named_or_label, outside
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.outcomes import OutputInfo
from uqmbd.simulators.model import Model, find_model
from uqmbd.study.settings import ReportSection


def check_report(
    given: ReportSection | Mapping[str, Any] | None, outputs: list[str], inputs: list[str], directory: Path = Path()
) -> ReportSection:
    """The section, whose names are outputs and inputs of the study; functions of figures by names that are found from anywhere."""
    try:
        report = given if isinstance(given, ReportSection) else ReportSection(**(given or {}))
        for orbit in report.orbits or []:
            known(orbit[:2], outputs, "orbits", "output")
            known((name for name in orbit[2:] if isinstance(name, str)), inputs, "orbits", "input")
        known(report.regimes or [], outputs, "regimes", "output")
        known([report.key] if report.key is not None else [], outputs, "key", "output")
        names = [named_or_label(entry) if callable(entry) else entry for entry in report.figures]
        labels = [
            outside(name, (), "figure", key="figures", directory=directory).label if not callable(entry) else name
            for name, entry in zip(names, report.figures, strict=True)
        ]
        report = report.model_copy(update={"figures": labels})
    except StudyError as error:
        raise error.under("report") from None
    return report


def check_histories(report: ReportSection, info: Mapping[str, OutputInfo], store: str) -> None:
    """What is drawn over time has to be histories, and stored."""
    orbits = [name for orbit in report.orbits or [] for name in orbit[:2]]
    for key, names in (("report.orbits", orbits), ("report.regimes", report.regimes or [])):
        for name in names:
            if not info[name].over_time:
                raise StudyError(f"the output '{name}' is {info[name].noun}, not a history", key=key, remedy="name an output over time")
            if store != "all":
                raise StudyError("needs histories, which this study does not store", key=key, remedy='write campaign.store = "all"')


def known(names: Iterable[str], choices: list[str], key: str, noun: str) -> None:
    """Names among `choices`."""
    for name in names:
        if name not in choices:
            raise StudyError(f"the study has no {noun} '{name}'", key=key, remedy=did_you_mean(name, choices, noun=noun))


def field_functions(report: ReportSection, directory: Path) -> list[Model]:
    """The functions that ``report.fields`` names, each a callable or its name."""
    found = []
    for entry in report.fields:
        if not isinstance(entry, str) and not callable(entry):
            raise StudyError(
                "a field is the name of a function", key="report.fields", value=entry, remedy='write "model.py:pressure_map", say'
            )
        try:
            found.append(find_model(entry, directory))
        except StudyError as error:
            raise StudyError(error.message, key="report.fields", value=error.value, remedy=error.remedy) from error.__cause__
    return found


def written(report: ReportSection, functions: list[Model]) -> dict[str, Any]:
    """The section as a study file says it, functions by names that can be found from anywhere; empty when it says nothing."""
    table = report.model_dump(exclude_none=True, exclude_defaults=True)
    return table | ({"fields": [function.label for function in functions]} if functions else {})
