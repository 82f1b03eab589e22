"""Faults that flexmbd finds in a model, as errors of the study."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Protocol

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.simulators import sections
from uqmbd.simulators.folder import kept_folder
from uqmbd.simulators.model import Model
from uqmbd.simulators.windows import read_name


class Lanes(Protocol):
    """What is known of the runs of a model of flexmbd; see `uqmbd.simulators.lanes.LanesSimulator`."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def model(self) -> Model: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def time(self) -> np.ndarray: ...
    @property
    def settings(self) -> dict[str, Any]: ...
    def arguments(self) -> dict[str, Any]: ...


@contextmanager
def as_study_error(simulator: Lanes) -> Iterator[None]:
    """A `flexmbd.ModelError` in the block as a `StudyError`; it concerns an output, a setting, or the model."""
    import flexmbd

    try:
        with kept_folder(simulator.model.load()):
            yield
    except flexmbd.ModelError as error:
        key, value = concerns(str(error), simulator)
        named = error.element and error.element not in error.message
        text = f"{error.element}: {error.message}" if named else error.message
        raise StudyError(text, key=key, value=value, remedy=error.remedy) from error


def concerns(text: str, simulator: Lanes) -> tuple[str, Any]:
    """Key and value in the study that a message of flexmbd is about."""
    if found := sections.concerns(text, simulator.model.sections, simulator.names):
        return found
    for name in simulator.names:
        if f"'{name}'" in text or f"'{read_name(name).how}'" in text or (read_name(name).angle and f"'{read_name(name).angle}'" in text):
            return "outputs.include", name
    for name, value in simulator.settings.items():
        if f"'{name}'" in text or f"'{value}'" in text:
            return f"solver.{name}", value
    return "study.model", simulator.model.label
