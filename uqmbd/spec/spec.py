"""What a study asks, as data: frozen, in SI, the same whether it was written in a file or made in Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo, model_validator

from uqmbd.analysis.base.time_grids import off_grid
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.base import Input
from uqmbd.inputs.checked import first_mistake
from uqmbd.inputs.copula import Dependence
from uqmbd.inputs.sets import ConvexSet
from uqmbd.inputs.space import Space, read_dependence, read_set
from uqmbd.plugins import blaming, name_and_code
from uqmbd.simulators.derived import Derived
from uqmbd.simulators.sections import check_sections
from uqmbd.simulators.windows import is_pattern
from uqmbd.spec.checks import check_input_name, check_name, check_outputs, check_units
from uqmbd.spec.from_results import KEY, filled
from uqmbd.spec.models import ModelSection, read_section
from uqmbd.spec.sections import CampaignSettings, OutputsSection, ReportSection, TimeGrid
from uqmbd.spec.showing import check_names, found_from_anywhere
from uqmbd.spec.showing import written as report_written
from uqmbd.spec.tables import Inputs, Methods, input_table, method_table

REQUIRED = {
    "study": 'add [study] with model = "model.py:function"',
    "inputs": "add [inputs.NAME] with interval = [lower, upper]",
    "outputs": 'add [outputs] with include = ["name"]',
    "method": 'add [method] with type = "chebyshev" or "montecarlo"',
}


def section(kind: Any, name: str) -> BeforeValidator:
    """A section of plain settings: a table, or an object that is made already."""

    def read(value: Any) -> Any:
        try:
            return kind(**value) if isinstance(value, Mapping) else value
        except StudyError as error:
            raise error.under(name) from None
        except TypeError:
            raise StudyError("a key is a name", key=name, remedy="use the keys of the documentation") from None

    return BeforeValidator(read)


def read_study_section(value: Any, info: ValidationInfo) -> Any:
    """The section ``[study]``."""
    return read_section(value, info.context or Path()) if isinstance(value, Mapping) else value


class StudySpec(BaseModel):
    """What a study asks. The fields are the sections of a study file; a spec in Python is made of their objects, of tables, or both.

    Two specs are equal when they ask the same, in whatever units that was written: all numbers are SI, and what an input was written as
    (`Input.written`) is for those who read it.

    Parameters
    ----------
    directory : Path or None
        Where relative names of files and modules begin; None: they are found from anywhere already.

    Attributes
    ----------
    study : StudySection
        The model, and the words of the study.
    time : TimeGrid, optional
    inputs : dict of str to Input
        Those that are given by themselves, in SI; `space` has those that sets bring as well.
    dependence : Dependence, optional
    sets : dict of str to ConvexSet
    outputs : OutputsSection
    method : dict of str to Method
        One or several, by their labels.
    campaign : CampaignSettings
    solver : dict
    report : ReportSection

    Examples
    --------
    >>> import uqmbd as uq
    >>> given = {"x": {"interval": [1, 2], "unit": "mm"}}
    >>> asked = uq.StudySpec(study={"model": "math:hypot"}, inputs=given, outputs={"include": ["y"]}, method={"type": "vertex"})
    >>> asked.inputs["x"].upper, asked == uq.StudySpec(**asked.document())
    (0.002, True)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True, defer_build=True)

    study: Annotated[ModelSection, BeforeValidator(read_study_section)]
    time: Annotated[TimeGrid | None, section(TimeGrid, "time")] = None
    inputs: Inputs = {}
    dependence: Annotated[Dependence | None, BeforeValidator(read_dependence)] = None
    sets: dict[str, ConvexSet] = {}
    outputs: Annotated[OutputsSection, section(OutputsSection, "outputs")]
    method: Methods
    campaign: Annotated[CampaignSettings, section(CampaignSettings, "campaign")] = Field(default_factory=CampaignSettings)
    solver: dict[str, Any] = {}
    report: Annotated[ReportSection, section(ReportSection, "report")] = Field(default_factory=ReportSection)

    def __init__(self, directory: Path | None = Path(), /, **sections: Any) -> None:
        known = type(self).model_fields
        for name in sections:
            if name not in known:
                raise StudyError(f"there is no section '{name}'", key=name, remedy=did_you_mean(name, known, noun="section"))
        for name, remedy in REQUIRED.items():
            if name not in sections and not (name == "inputs" and sections.get("sets")):
                raise StudyError(f"the section [{name}] is missing", key=name, remedy=remedy)
        if isinstance(given := sections.get("inputs"), Mapping) and KEY in given:
            sections["inputs"], sections["dependence"] = filled(given, sections.get("dependence"), directory)
        sections["sets"] = {name: read_set(name, item) for name, item in (sections.get("sets") or {}).items()}
        try:
            self.__pydantic_validator__.validate_python(sections, self_instance=self, context=directory)
        except ValidationError as error:
            raise first_mistake(error, type(self)) from None

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> Self:
        """What one section says of another, and what only the folder of the study tells."""
        if not (self.inputs or self.sets):
            remedy = "add one: [inputs.name] with interval = [lower, upper]"
            raise StudyError("a study needs at least one input", key="inputs", remedy=remedy)
        vars(self)["inputs"] = self.space.written
        _ = self.derived  # whose formulas can be read
        for name in self.space:  # with those that sets bring
            check_input_name(name)
        check_outputs(self.outputs.include)
        check_sections(self.outputs.sections, self.outputs.include, list(self.space))
        check_name(self.name)
        if info.context is not None:
            vars(self)["report"] = found_from_anywhere(self.report, info.context)
        if not self.has_patterns:
            outputs = self.outputs.include
            check_units(self.outputs.units, [*outputs, *(part for name in outputs for part in self.derived.below(name))])
            check_names(self.report, self.outputs.include, list(self.space))
        for one in self.method.values():
            with blaming(type(one), "method", "method"):
                one.check(self.space.uncertain)
        self.study.check_inputs(self.space)
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StudySpec) and self.content() == other.content()

    def __hash__(self) -> int:
        return hash(json.dumps(self.content(), sort_keys=True, default=repr))

    @property
    def name(self) -> str:
        """Of the study; that of its function unless it says one."""
        return self.study.name or self.study.function_name or "study"

    @cached_property
    def space(self) -> Space:
        """The inputs with what binds them, in SI."""
        return Space(self.inputs, self.dependence, self.sets).to_si()

    @cached_property
    def derived(self) -> Derived:
        """Outputs that are made of others."""
        return Derived.of(self.outputs.derived, self.outputs.units)

    def wanted_times(self) -> np.ndarray:
        """Times that the methods, and the study itself, want besides those of the grid; rising, s."""
        if self.time is None:
            return np.empty(0)
        wanted = [np.array(self.time.also, float), *(one.wanted_times(self.time.end) for one in self.method.values())]
        return off_grid(self.time.grid(), np.concatenate(wanted)) if any(map(len, wanted)) else np.empty(0)

    @property
    def has_patterns(self) -> bool:
        """True where only the model tells what the outputs are."""
        return any(map(is_pattern, self.outputs.include))

    def words(self) -> dict[str, str]:
        """Title and description, if the study has them."""
        return {key: text for key, text in (("title", self.study.title), ("description", self.study.description)) if text}

    def changed(self, **sections: Any) -> Self:
        """The same with other sections."""
        return type(self)(None, **{**{name: getattr(self, name) for name in type(self).model_fields}, **sections})

    def document(self) -> dict[str, Any]:
        """The sections of a study file that says the same, which can be read from anywhere."""
        methods = [{"label": label, **method_table(one)} for label, one in self.method.items()]
        sections = {
            "study": {**self.study.written(), "name": self.name},
            "time": None if self.time is None else self.time.model_dump(exclude=None if self.time.also else {"also"}),
            "inputs": {name: input_table(item) for name, item in self.inputs.items()},
            "dependence": {} if self.dependence is None else self.dependence.model_dump(),
            "sets": {name: item.settings() for name, item in self.sets.items()},
            "outputs": self.outputs.written(),
            "method": method_table(next(iter(self.method.values()))) if len(methods) == 1 else methods,
            "campaign": self.campaign.model_dump(exclude_none=True),
            "solver": self.solver,
            "report": report_written(self.report),
        }
        return {name: table for name, table in sections.items() if table}

    def content(self) -> dict[str, Any]:
        """All that the spec says, in SI and with what files hold instead of where they lie: equal for specs that ask the same."""
        methods = {label: [name_and_code(type(one), one.name), one.model_dump()] for label, one in self.method.items()}
        return {**self.document(), **self.asked_of_inputs(), "given": self.study.nameless, "method": methods}

    def drawn_as_before(self, written: Self | None = None) -> Self:
        """The same with inputs whose values earlier versions made in the units in which they are written, here or in another spec."""
        spec, like = self.model_copy(), written or self
        vars(spec).update(inputs=like.inputs, sets=like.sets, space=like.space.as_before())
        return spec

    def asked_of_inputs(self, earlier: Callable[[Input], Any] | None = None) -> dict[str, Any]:
        """Where the runs of a study lie: its inputs in SI units, what binds them, the seed.

        `earlier`: what an earlier version said of an input.
        """
        inputs = {name: [item.kind, item.content() if earlier is None else earlier(item)] for name, item in self.space.items()}
        return {"inputs": inputs, "seed": self.campaign.seed, **self.space.bindings(before=earlier is not None)}

    def question(self, earlier: Callable[[Input], Any] | None = None) -> dict[str, Any]:
        """What a study asks of its runs, and where it has them: all that is no part of a run's identity and that a method may feel."""
        outputs = self.outputs.include
        derived = self.derived.definitions(outputs)
        return {**self.asked_of_inputs(earlier), "outputs": outputs} | ({"derived outputs": derived} if derived else {})
