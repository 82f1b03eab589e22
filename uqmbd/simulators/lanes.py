"""A function that returns a `flexmbd.System`: whole batches go to the lane solver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.simulators.base import Outcomes, OutputInfo
from uqmbd.simulators.model import Model


@dataclass(frozen=True)
class LanesSimulator:
    """The lane solver as a simulator.

    Attributes
    ----------
    model : Model
        Where the function ``build(**inputs) -> flexmbd.System`` is.
    names : tuple of str
        Outputs, ``"name"`` or ``"name:reduction"``.
    time : ndarray of shape (points,)
        Uniform grid from 0 [s].
    settings : dict
        Keys of `flexmbd.Settings`.
    """

    width: ClassVar[int] = 16

    model: Model
    names: tuple[str, ...]
    time: np.ndarray
    settings: dict[str, Any] = field(default_factory=dict)

    def check(self, samples: Mapping[str, np.ndarray]) -> dict[str, OutputInfo]:
        """Build and compile once, so that workers find the compiled code on disk."""
        import flexmbd

        with as_study_error(self.names):
            prepared = flexmbd.prepare(self.model.load(), dict(samples), **self.arguments())
        return {name: OutputInfo(prepared.units.get(name, ""), ":" not in name) for name in self.names}

    def simulate(self, samples: Mapping[str, np.ndarray]) -> Outcomes:
        """Run a batch in lanes."""
        import flexmbd

        with as_study_error(self.names):
            found = flexmbd.run(self.model.load(), dict(samples), **self.arguments())
        return Outcomes(
            {name: found.outputs[name] for name in self.names},
            np.asarray(found.status, np.int8),
            list(found.message),
            {"simulator": "flexmbd lanes", **found.attributes},
        )

    def arguments(self) -> dict[str, Any]:
        """What both calls into flexmbd share."""
        return {"end": float(self.time[-1]), "points": len(self.time), "outputs": list(self.names), "settings": dict(self.settings)}


@contextmanager
def as_study_error(names: tuple[str, ...]) -> Iterator[None]:
    """A `flexmbd.ModelError` as a `StudyError`; it concerns the outputs or the model."""
    import flexmbd

    try:
        yield
    except flexmbd.ModelError as error:
        wrong = next((name for name in names if f"'{name}'" in str(error) or f'"{name}"' in str(error)), None)
        available = getattr(error, "available", None)
        remedy = getattr(error, "remedy", None)
        if remedy is None and wrong and available:
            remedy = did_you_mean(wrong, available, noun="output")
        raise StudyError(
            str(getattr(error, "message", error)), key="outputs.include" if wrong else "study.model", value=wrong, remedy=remedy
        ) from error
