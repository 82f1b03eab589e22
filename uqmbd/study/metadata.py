"""What every result says of its study, whether it has ended or not."""

from __future__ import annotations

from typing import Any

from uqmbd.plugins import label_of
from uqmbd.spec.showing import written
from uqmbd.study.data import StudyData
from uqmbd.study.identity import versions


def metadata_of(study: StudyData) -> dict[str, Any]:
    """Attributes of a result that follow from its study: words, inputs, settings, seed, model, versions."""
    return {
        **study.said(),
        "settings": study.method.model_dump(exclude_none=True),
        "seed": study.campaign.seed,
        "model": study.model.label,
        "versions": versions(),
    }


def shown_by(study: StudyData) -> tuple[dict[str, Any], list[str]]:
    """What the report of a result shows, as its attribute ``report`` has it: the section, and what the method brings; and notes."""
    table, lost = dict(written(study.report)), []
    for what in ("figures", "tables"):
        names = list(map(label_of, getattr(study.method, what)))
        named = [name for name in names if not name.startswith("<")]
        lost += [what] if len(named) < len(names) else []
        if named:
            table[what] = [*table.get(what, ()), *named]
    why = "they are of a script, and can be found under no name: write the method into a file"
    return table, [f"the {' and '.join(lost)} of the method {study.method.name} are left out: {why}"] if lost else []
