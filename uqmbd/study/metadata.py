"""What every result says of its study, whether it has ended or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uqmbd.study.identity import versions

if TYPE_CHECKING:
    from uqmbd.study.data import StudyData


def metadata_of(study: StudyData) -> dict[str, Any]:
    """Attributes of a result that follow from its study: words, inputs, settings, seed, model, versions."""
    return {
        **study.said(),
        "settings": study.method.model_dump(exclude_none=True),
        "seed": study.campaign.seed,
        "model": study.model.label,
        "versions": versions(),
    }
