"""Which outputs the model of a study has: what `uqmbd outputs` shows."""

from __future__ import annotations

from typing import Any

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.outcomes import OutputInfo
from uqmbd.printing import printable
from uqmbd.simulators.curve import REDUCTIONS
from uqmbd.simulators.detect import SimulatorSpec, available_outputs
from uqmbd.study.data import StudyData
from uqmbd.study.naming import naming_file
from uqmbd.study.trial import Trial

WITHIN = "within a part of the time: name:max@0.1..0.3, name:mean@last turn of crank.angle"


def outputs_of(study: StudyData) -> dict[str, OutputInfo]:
    """Every output that the model has, by name; it is built, or run once, in the middle of its inputs."""
    with naming_file(study):
        outputs = available_outputs(SimulatorSpec(study.model, (), study.grid(), Trial(study).samples, timeout=study.campaign.timeout))
        derived = study.model.derived
        return outputs | derived.infos([name for name, _ in derived.formulas], outputs, study.grid())


def outputs_table(study: StudyData, word: str = "") -> Any:
    """The outputs whose names contain `word`, for the terminal."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    available = outputs_of(study)
    names = [name for name in available if word in name]
    if not names:
        raise StudyError(f"the model has no output with '{word}' in its name", remedy=did_you_mean(word, available, noun="output"))
    explained = any(available[name].meaning for name in names)
    last = "meaning" if explained else "kind"
    table = Table("output", "unit", last, title=f"{study.name}: {len(names)} of {len(available)} outputs")
    for name in sorted(names):
        info = available[name]
        table.add_row(*(Text(printable(text)) for text in (name, info.unit or "-", getattr(info, last) or info.kind)))
    return Group(table, f"over time: as it is, or as a number: {', '.join(f'name:{how}' for how in REDUCTIONS)}, name:p95; {WITHIN}")
