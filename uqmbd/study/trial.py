"""The simulator of a study, made and tried on first use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import OutputInfo
from uqmbd.simulators.base import Simulator
from uqmbd.simulators.curve import alike, check_axes
from uqmbd.simulators.reads import watching
from uqmbd.study.reuse import remember_files

if TYPE_CHECKING:
    from uqmbd.study.study import Study


@dataclass
class Trial:
    """The simulator of a study, made and checked on first use.

    Attributes
    ----------
    stored : dict of str to OutputInfo, optional
        What runs have to give where there is a store: it may hold more outputs than the study asks for, and in another order.
    """

    study: Study
    stored: dict[str, OutputInfo] | None = None

    @cached_property
    def samples(self) -> dict[str, np.ndarray]:
        """A few points well inside the inputs' ranges, the middle first; shape (4,) each."""
        spread = np.array([[0.5, 0.3, 0.7, 0.45], [0.5, 0.6, 0.35, 0.8]])
        inputs = self.study.inputs
        if inputs.sets:
            spread = 0.5 + 0.2 * (spread - 0.5)  # near the middle every set has its points
        return inputs.to_si().samples(np.stack([spread[i % 2] for i in range(len(inputs))], axis=1))

    @cached_property
    def simulator(self) -> Simulator:
        """Made from what the model returns for the middle of its inputs."""
        from uqmbd.simulators.detect import make_simulator

        study = self.study
        names = study.outputs if self.stored is None else list(self.stored)
        with watching() as reads:
            found = make_simulator(study.model, names, study.grid(), self.samples, study.solver, study.campaign.timeout)
        study.model.saw(reads.files)
        return found

    @cached_property
    def info(self) -> dict[str, OutputInfo]:
        """Units and axes of the outputs; the model is checked and compiled.

        Raises
        ------
        StudyError
            When an axis cannot be one, or is not that of the stored runs.
        """
        found = self.simulator.check(self.samples)
        check_axes(found)
        for name, known in (self.stored or {}).items():
            if name in found and not alike(found[name].axis, known.axis):
                text = f"the output '{name}' is {found[name].kind}, and in the stored runs {known.kind}"
                text += " at other values" if found[name].kind == known.kind else ""
                remedy = "have the model give it as it did, or discard the stored runs (--overwrite; in Python overwrite=True)"
                raise StudyError(text, key="outputs.include", value=name, remedy=remedy)
        return found

    def checked(self) -> Simulator:
        """The simulator, with its model checked and the compiled code on disk."""
        assert self.info
        return self.simulator

    def remember(self, directory: Path) -> None:
        """Keep what the model was seen to read; its files count as the model does."""
        from uqmbd.simulators.lanes import LanesSimulator

        remember_files(self.study, directory, solver=isinstance(vars(self).get("simulator"), LanesSimulator))
