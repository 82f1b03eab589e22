"""What a study asks, with the model that it is asked of: what all that runs, stores and reports a study reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import OutputInfo
from uqmbd.plugins import load_plugin
from uqmbd.simulators.model import Model
from uqmbd.simulators.times import may_have_times
from uqmbd.simulators.windows import read_name
from uqmbd.spec import StudySpec
from uqmbd.spec.showing import field_functions

T = TypeVar("T")


class View(Generic[T]):
    """What a study says, read from its spec."""

    def __init__(self, read: Callable[[StudyData], T]) -> None:
        self.read = read

    def __get__(self, study: StudyData, kind: type) -> T:
        return self.read(study)


class StudyData:
    """A spec, the model once it is loaded, and the times of its histories where they are known.

    Attributes
    ----------
    known_times : ndarray or None, shape (points,) [s]
        Of the histories: those of runs that are there, or that the model was seen to have; None: not known.
    """

    known_times: np.ndarray | None = None
    spec: StudySpec
    file: Path | None  # from which it was read

    @classmethod
    def of(cls, spec: StudySpec, file: Path | None = None) -> Self:
        """The study that a spec asks, which was read from `file`."""
        study = cls.__new__(cls)
        vars(study).update(spec=spec, file=file)
        return study

    def changed(self, **sections: Any) -> Self:
        """The study with other sections of its `StudySpec`; a model that is loaded is taken over."""
        study = type(self).of(self.asked.changed(**sections), self.file)
        same = study.spec.study is self.spec.study and study.campaign.timeout == self.campaign.timeout
        kept = [*(["model"] if same else []), *(["field_functions"] if study.spec.report is self.asked.report else [])]
        vars(study).update({name: vars(self)[name] for name in kept if name in vars(self)})
        return study

    def at_times(self, time: np.ndarray | None) -> Self:
        """The study with `known_times`."""
        return self._copied(known_times=time)

    def drawn_as_before(self, written: StudySpec | None = None) -> Self:
        """The study with the inputs of `StudySpec.drawn_as_before`."""
        specs = {name: vars(self)[name] for name in ("spec", "asked") if name in vars(self)}
        return self._copied(**{name: spec.drawn_as_before(written) for name, spec in specs.items()})

    def _copied(self, **changes: Any) -> Self:
        found = type(self).of(self.spec, self.file)
        vars(found).update(vars(self), **changes)
        return found

    def loaded(self) -> Self:
        """The study, with all that is code loaded, so that mistakes in it show; else it is loaded when it is needed."""
        _ = self.model, self.asked, self.field_functions
        for name in self.report.figures:
            if not name.startswith("<"):
                load_plugin(name, {}, "figure", key="report.figures")
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a study is not changed; make another: study.changed({name}=...)")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StudyData) and self.spec == other.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    @cached_property
    def asked(self) -> StudySpec:
        """The spec; a `Study` has the outputs of its model in place of those with ``*`` or ``?``."""
        return self.spec

    @cached_property
    def model(self) -> Model:
        """The model; its file is executed here, at first use."""
        found = self.spec.study.load(self.campaign.timeout)
        return replace(found, derived=self.spec.derived, sections=self.spec.outputs.sections, values=self.spec.space.values_of_places)

    @cached_property
    def field_functions(self) -> list[Model]:
        """The functions of the report's fields."""
        return field_functions(self.spec.report, self.spec.study.directory)

    inputs = View(lambda study: study.spec.space)
    outputs = View(lambda study: study.asked.outputs.include)
    units = View(lambda study: study.asked.outputs.units)
    methods = View(lambda study: study.spec.method)
    method = View(lambda study: next(iter(study.spec.method.values())))  # the first, of several
    time = View(lambda study: study.spec.time)
    solver = View(lambda study: study.spec.solver)
    campaign = View(lambda study: study.spec.campaign)
    report = View(lambda study: study.asked.report)
    name = View(lambda study: study.spec.name)
    title = View(lambda study: study.spec.study.title)
    description = View(lambda study: study.spec.study.description)

    def said(self) -> dict[str, Any]:
        """What a result says of its study in words, which change no number: name, title, description, inputs as they were written."""
        return {"study": self.name, **self.spec.words(), "inputs": self.inputs.described()}

    def in_units(self, info: Mapping[str, OutputInfo]) -> dict[str, OutputInfo]:
        """What is known of the outputs, with the units that the study gives them; `StudyError` where the model gives another one."""
        outputs = dict(info)
        for name, known in info.items():
            parts = read_name(name)
            unit = self.units.get(name, "" if parts.is_place else self.units.get(parts.base, ""))
            if unit and known.unit and unit != known.unit:
                text = f"the model gives '{name}' in {known.unit}, the study in {unit}"
                raise StudyError(text, key="outputs.units", value=unit, remedy="remove one of them")
            outputs[name] = replace(known, unit=known.unit or unit)
        return outputs

    def grid(self) -> np.ndarray | None:
        """Times of the histories, shape (points,) [s]: those that are asked for until it is known which of them the model has."""
        if self.known_times is not None or self.time is None:
            return self.known_times
        return np.union1d(self.time.grid(), self.further_times())

    def further_times(self) -> np.ndarray:
        """Times that the methods, and the study itself, want besides those of the grid, where the model may have them; rising, s."""
        wanted = self.spec.wanted_times()
        return wanted if len(wanted) and may_have_times(self.model) else np.empty(0)

    def times(self) -> np.ndarray:
        """The same; none in a study without times."""
        return np.empty(0) if (time := self.grid()) is None else time
