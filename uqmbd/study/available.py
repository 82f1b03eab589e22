"""Which outputs the model of a study has: what `uqmbd outputs` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.printing import printable
from uqmbd.simulators.curve import REDUCTIONS
from uqmbd.simulators.detect import SimulatorSpec, available_outputs
from uqmbd.study.naming import naming_file
from uqmbd.study.trial import Trial

if TYPE_CHECKING:
    from uqmbd.outcomes import OutputInfo
    from uqmbd.study.data import StudyData


WITHIN = "within a part of the time: name:max@0.1..0.3, name:mean@last turn of crank.angle"


def outputs_of(study: StudyData) -> dict[str, OutputInfo]:
    """Every output that the model has, by name; it is built, or run once, in the middle of its inputs."""
    with naming_file(study):
        found = available_outputs(SimulatorSpec(study.model, (), study.grid(), Trial(study).samples, timeout=study.campaign.timeout))
        derived = study.model.derived
        return found | derived.infos([name for name, _ in derived.formulas], found, study.grid())


def outputs_table(study: StudyData, word: str = "") -> Any:
    """The outputs whose names contain `word`, for the terminal."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    found = outputs_of(study)
    names = [name for name in found if word in name]
    if not names:
        raise StudyError(f"the model has no output with '{word}' in its name", remedy=did_you_mean(word, found, noun="output"))
    explained = any(found[name].meaning for name in names)
    last = "meaning" if explained else "kind"
    table = Table("output", "unit", last, title=f"{study.name}: {len(names)} of {len(found)} outputs")
    for name in sorted(names):
        table.add_row(*(Text(printable(text)) for text in (name, found[name].unit or "-", getattr(found[name], last) or found[name].kind)))
    return Group(table, f"over time: as it is, or as a number: {', '.join(f'name:{how}' for how in REDUCTIONS)}, name:p95; {WITHIN}")
