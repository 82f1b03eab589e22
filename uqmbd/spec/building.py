"""The keywords of `uqmbd.Study`, and the `StudySpec` that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from uqmbd.errors import did_you_mean
from uqmbd.inputs.copula import Dependence
from uqmbd.inputs.sets import ConvexSet
from uqmbd.methods import Method
from uqmbd.simulators.model import Model
from uqmbd.spec.checks import check_outputs
from uqmbd.spec.models import section_of_model
from uqmbd.spec.sections import CampaignSettings, ReportSection, TimeGrid
from uqmbd.spec.spec import StudySpec


class Given(TypedDict, total=False):
    """What a `Study` may be given besides inputs, outputs and method, see there."""

    model: Callable[..., Any] | str | Model | None
    time: TimeGrid | None
    name: str | None
    campaign: CampaignSettings | Mapping[str, Any] | None
    solver: Mapping[str, Any] | None
    directory: str | Path
    dependence: Dependence | Mapping[str, Any] | None
    sets: Mapping[str, ConvexSet | Mapping[str, Any]] | None
    report: ReportSection | Mapping[str, Any] | None
    units: Mapping[str, str] | None
    derived: Mapping[str, str] | None
    sections: Mapping[str, Any] | None
    vectorized: bool
    simulator: str | Callable[..., Any] | None
    title: str
    description: str


def spec_of(
    *,
    inputs: Mapping[Any, Any],
    outputs: Sequence[str],
    method: Method | Sequence[Method] | Mapping[str, Method],
    directory: str | Path = ".",
    model: Any = None,
    simulator: Any = None,
    vectorized: bool = False,
    **more: Any,
) -> StudySpec:
    """What a study asks that is made in Python, of the parameters of `Study`."""
    for key in more:
        if key not in Given.__annotations__:
            raise TypeError(f"Study() has no parameter '{key}'; {did_you_mean(key, Given.__annotations__)}")
    folder = Path(directory)
    words = {key: more.pop(key) for key in ("name", "title", "description") if key in more}
    named = {key: dict(more.pop(key) or {}) for key in ("units", "derived", "sections") if key in more}
    sections = {key: dict(value) if key == "solver" else value for key, value in more.items() if value is not None}
    return StudySpec(
        folder,
        study=section_of_model(model, simulator, vectorized, directory=folder, **words),
        inputs=inputs,
        outputs={"include": check_outputs(outputs) if outputs or not named.get("sections") else [], **named},
        method=method,
        **sections,
    )
