"""Poincaré sections of mechanisms: what a study says of one, and its points as outputs of which each run has its own number.

The outputs of a section ``poincare`` are ``poincare.slider.x`` (values of an output at its points), ``poincare.time`` [s], and of impacts
of bodies that cannot be penetrated ``poincare.before.slider.x``; the solver finds the points within its steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.checked import Checked, plain_number
from uqmbd.outcomes import ERROR, Axis, OutputInfo
from uqmbd.simulators import formula
from uqmbd.simulators.events import COUNT, PURE, fault_of, reduce_values, why_none
from uqmbd.simulators.formula import FormulaError
from uqmbd.simulators.windows import read_name

KEY = "outputs.sections"
TIMES, BEFORE = "time", "before."
WAYS = ("every", "crossing", "impact")
WRITTEN = 'write a number in SI, or a formula of the inputs: "2*pi/speed"'


class Section(Checked):
    """Points of a mechanism's motion: at equal times, where an output passes a level, or at the impacts of a contact.

    Attributes
    ----------
    of : list of str
        Outputs whose values are taken at the points; each is an output ``NAME.output`` of the study.
    every : float or str, optional
        Time between points [s]: a stroboscopic section. A number, or a formula of the inputs, ``"2*pi/speed"``.
    crossing : str, optional
        Output that passes `level`.
    level : float or str
        In the unit of that output; a number, or a formula of the inputs.
    direction : str
        ``up``, ``down`` or ``both``: which passages count.
    impact : str, optional
        Contact whose impacts count; of one with a law its onsets.
    after : float or str
        Time from which on points count [s]: what comes before has not settled. A number, or a formula of the inputs.
    most : int, optional
        Points of a run that there is room for; the first are kept. As many as there are where they come at equal times, else 1000.

    Examples
    --------
    >>> import uqmbd as uq
    >>> float(uq.Section(of=["slider.x"], every="2*pi/speed", after=0.5).numbers({"speed": 10.0})["every"])
    0.6283185307179586
    """

    of: list[str] = []
    every: Any = None
    crossing: str | None = None
    level: Any = 0.0
    direction: Literal["up", "down", "both"] = "both"
    impact: str | None = None
    after: Any = 0.0
    most: int | None = Field(default=None, ge=1)

    @field_validator("every", "level", "after", mode="before")
    @classmethod
    def _numbers(cls, given: Any, info: ValidationInfo) -> Any:
        if given is None and info.field_name == "every":
            return given
        if not isinstance(given, str):
            return plain_number(given)
        try:
            formula.read(given)
        except FormulaError as error:
            raise StudyError(error.text, key=str(info.field_name), value=given, remedy=error.remedy or WRITTEN) from None
        return given

    def numbers(self, samples: Mapping[str, Any]) -> dict[str, Any]:
        """`every`, `level` and `after`, each a number or one a run, where inputs have these values; those that are given."""
        given = {key: getattr(self, key) for key in ("every", "level", "after") if getattr(self, key) is not None}
        return {key: formula.read(value).values(samples) if isinstance(value, str) else value for key, value in given.items()}

    def written(self) -> dict[str, Any]:
        """As a study file says it."""
        return {key: value for key, value in self.model_dump().items() if value != type(self).model_fields[key].default}

    def check(self, name: str, inputs: Iterable[str]) -> None:
        """Raise `StudyError` for a section that says too little or too much, or whose formulas are of what is no input."""
        given = [key for key in WAYS if getattr(self, key) is not None]
        if len(given) != 1:
            text = f"a section has one of every, crossing and impact, and '{name}' has {' and '.join(given) or 'none'}"
            remedy = 'write every = "2*pi/speed", crossing = "slider.vx" or impact = "floor", say'
            raise StudyError(text, key=f"{KEY}.{name}", remedy=remedy)
        if given != ["crossing"] and (self.level != 0.0 or self.direction != "both"):
            raise StudyError(
                f"level and direction are of a crossing, and '{name}' has {given[0]}", key=f"{KEY}.{name}", remedy="remove them"
            )
        for key in ("every", "level", "after"):
            value, known = getattr(self, key), list(inputs)
            for odd in formula.read(value).outputs if isinstance(value, str) else ():
                if odd not in known:
                    text = f"the formula has '{odd}', which is no input"
                    raise StudyError(text, key=f"{KEY}.{name}.{key}", value=value, remedy=did_you_mean(odd, known, noun="input"))


def read_section(name: str, table: Any) -> Section:
    """The section that a table of a study says; `StudyError` with its whole key."""
    if isinstance(table, Section):
        return table
    if not isinstance(table, Mapping):
        raise StudyError("expected a table", key=f"sections.{name}", value=table, remedy='write { of = ["slider.x"], every = 0.1 }, say')
    try:
        return Section(**table)
    except StudyError as error:
        key = f"sections.{name}" + (f".{error.key}" if error.key else "")
        raise StudyError(error.message, key=key, value=error.value, remedy=error.remedy) from None


def check_sections(sections: Mapping[str, Section], names: Sequence[str], inputs: Iterable[str]) -> None:
    """Raise `StudyError` for sections that cannot be, and for one of which no output is asked for."""
    for name, section in sections.items():
        if not name.isidentifier() or name == TIMES:
            raise StudyError(
                "the name of a section is a Python name, and not `time`", key=f"{KEY}.{name}", remedy="use letters, digits and _"
            )
        section.check(name, inputs)
        if not any(section_of(each, sections) == name for each in names):
            remedy = f'add of = ["slider.x"] to it, say, or ask for "{name}.time"'
            raise StudyError(f"no output of the section '{name}' is asked for", key=f"{KEY}.{name}", remedy=remedy)


def refuse_sections(sections: Mapping[str, Section]) -> None:
    """`StudyError` for sections of a model that is no mechanism."""
    for name in sections:
        text, remedy = "only models that return a flexmbd System have sections", "return the points from the model, as uqmbd.Events"
        raise StudyError(text, key=f"{KEY}.{name}", remedy=remedy)


def section_of(name: str, sections: Iterable[str]) -> str:
    """The section that an output is of; empty for an output of the model."""
    first, dot, _ = read_name(name).base.partition(".")
    return first if dot and first in sections else ""


def plain_names(names: Iterable[str], sections: Iterable[str]) -> list[str]:
    """Outputs of the model itself, among those of a study."""
    return [name for name in names if not section_of(name, sections)]


def taken(name: str) -> str:
    """The output of the model that an output of a section has values of; empty for the times."""
    rest = read_name(name).base.partition(".")[2]
    return "" if rest == TIMES else rest.removeprefix(BEFORE)


def sections_of(sections: Mapping[str, Section], names: Iterable[str], samples: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The sections as flexmbd has them, with the numbers of runs (n,); `StudyError` for numbers that cannot be."""
    import flexmbd

    found = {}
    for name, section in sections.items():
        of = dict.fromkeys(taken(each) for each in names if section_of(each, sections) == name)
        keys: dict[str, Any] = {key: getattr(section, key) for key in ("crossing", "direction", "impact", "most")}
        keys |= {key: np.asarray(value, float)[()] for key, value in section.numbers(samples).items()}
        try:
            found[name] = flexmbd.PoincareSection([each for each in of if each], **keys)
        except flexmbd.ModelError as error:
            raise StudyError(error.message, key=f"{KEY}.{name}", remedy=error.remedy) from error
    return found


def concerns(text: str, sections: Mapping[str, Section], names: Iterable[str]) -> tuple[str, Any] | None:
    """Key and value in a study that a message of flexmbd is about, if it is about a section."""
    for name, section in sections.items():
        for key in ("crossing", "impact"):
            if getattr(section, key) and f"'{getattr(section, key)}'" in text:
                return f"{KEY}.{name}.{key}", getattr(section, key)
    for name in names:
        if section_of(name, sections) and taken(name) and f"'{taken(name)}'" in text:
            return "outputs.include", name
    return None


def info_of(name: str, sections: Mapping[str, Section], units: Mapping[str, str]) -> OutputInfo:
    """What an output of a section is, of a model whose outputs have these units.

    Raises
    ------
    StudyError
        For a reduction that there is not, and for values before what is no impact.
    """
    section, parts = section_of(name, sections), read_name(name)
    axis = Axis(f"{section}_point", np.empty(0))
    if fault := fault_of(name, parts.how, parts.window, axis):
        raise StudyError(fault[0], key="outputs.include", value=name, remedy=fault[1])
    unit = units.get(taken(name), "") if taken(name) else "s"
    return OutputInfo("1" if parts.how in PURE else unit, None if parts.how else axis)


def check_after(asked: Mapping[str, Any], end: float) -> None:
    """Raise `StudyError` for a section that begins after the runs have ended; `asked` as `sections_of` gives it."""
    for name, section in asked.items():
        if (after := float(np.min(section.after))) > end:
            text, remedy = f"the section begins at {after:g} s, and the runs end at {end:g} s", "let it begin earlier, or raise time.end"
            raise StudyError(text, key=f"{KEY}.{name}.after", remedy=remedy)


def check_points(names: Iterable[str], sections: Mapping[str, Section], found: Any, available: Iterable[str]) -> None:
    """Raise `StudyError` for sections that hide outputs of the model, and for values before what is no impact, from a first short run."""
    for name in sections:
        if hidden := next((each for each in available if each.startswith(f"{name}.")), None):
            text, remedy = f"the model has '{hidden}', which outputs of the section '{name}' would hide", "give the section another name"
            raise StudyError(text, key=f"{KEY}.{name}", remedy=remedy)
    for name in names:
        if section := section_of(name, sections):
            try:
                values_of(name, section, found)
            except KeyError:
                text = f"'{name}' is there of impacts of bodies that cannot be penetrated alone"
                remedy = f"take '{section}.{taken(name)}': it is the same before and behind these points"
                raise StudyError(text, key="outputs.include", value=name, remedy=remedy) from None


def values_of(name: str, section: str, found: Any, begin: float = 0.0) -> np.ndarray:
    """Values of an output of a section, (n, longest), from what flexmbd found; times are counted from `begin`."""
    points = found.sections[section]
    rest = read_name(name).base.partition(".")[2]
    if rest == TIMES:
        return np.asarray(points.time - begin)
    if rest.startswith(BEFORE) and rest not in points.values:
        return np.asarray(points.before[rest.removeprefix(BEFORE)])
    return np.asarray(points[rest])


def outputs_of(
    names: Iterable[str], sections: Mapping[str, Section], found: Any, status: np.ndarray, message: list[str], begin: float = 0.0
) -> dict[str, np.ndarray]:
    """Outputs of sections of a batch, from what flexmbd found; a run of whose points there is nothing to reduce has failed: `status`."""
    outputs = {}
    for name in names:
        if not (section := section_of(name, sections)):
            continue
        values, how = values_of(name, section, found, begin), read_name(name).how
        if how == COUNT:
            outputs[name] = np.where(status == 0, found.sections[section].count, np.nan).astype(float)
        elif how:
            outputs[name] = np.array([reduce_values(how, own) for own in values.reshape(len(status), -1)])
            for i in np.flatnonzero(np.isnan(outputs[name]) & (status == 0)).tolist():
                none = f"the run never meets the section '{section}'; ask for '{section}.time:count'"
                why = why_none(how, read_name(name).base, values.reshape(len(status), -1)[i], none)
                status[i], message[i] = ERROR, f"output {name!r}: {why}"
        else:
            outputs[name] = values
    return outputs
