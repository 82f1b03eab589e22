"""The section ``[study]``: which model is asked, a function, a command or a simulator from outside, and the words of the study."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag
from pydantic.json_schema import SkipJsonSchema

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs.checked import Checked
from uqmbd.plugins import locate_plugin, plugin_name
from uqmbd.simulators.command import command_line, command_model
from uqmbd.simulators.filling import check_places
from uqmbd.simulators.model import Model, find_model, located, wrap_callable
from uqmbd.spec.copies import model_or_copy


class StudySection(Checked):
    """What is asked of which model. A study has a `model`, a `command` or a `simulator`.

    Attributes
    ----------
    name : str, optional
        Names the directory of results; that of the file, or of its folder, unless said.
    title, description : str
        Stand on the first screen of the report: a title instead of the name, and what is asked, in a sentence or two.
    directory : Path
        Where modules are looked for.
    given : dict of str to Model
        Of functions that were given in Python, by key.
    """

    name: str | None = None
    title: str = ""
    description: str = ""
    directory: SkipJsonSchema[Path] = Field(default=Path(), exclude=True, repr=False)
    given: SkipJsonSchema[dict[str, Any]] = Field(default={}, exclude=True, repr=False)

    @property
    def label(self) -> str:
        """The model as results name it."""
        raise NotImplementedError

    @property
    def function_name(self) -> str:
        """Name of the function alone; empty if it has none."""
        one = self.given.get("model", self.given.get("simulator"))
        return self.label.rpartition(":")[2] if one is None else one.name

    @property
    def nameless(self) -> dict[str, int]:
        """What was given in Python and can be found under no name, which is equal to nothing but itself."""
        return {key: id(one.bare) for key, one in self.given.items() if one.label.startswith("<")}

    def load(self, timeout: float | None) -> Model:
        """The model itself: its file is executed, its module imported."""
        raise NotImplementedError

    def check_inputs(self, inputs: Iterable[str]) -> None:
        """`StudyError` where the model can be seen to take other inputs."""

    def written(self) -> dict[str, Any]:
        """The section as a study file says it."""
        return {key: value for key, value in self.model_dump().items() if value not in (None, "", False)}


class FunctionSection(StudySection):
    """A function is the model.

    Attributes
    ----------
    model : str
        The function, ``model.py:function`` (relative to the study file) or ``package.module:function``.
    vectorized : bool
        The function takes arrays, one number for each run, and is called once for a batch.
    """

    model: str
    vectorized: bool = False

    @property
    def label(self) -> str:
        return self.model

    def load(self, timeout: float | None) -> Model:
        return replace(self.given.get("model") or find_model(self.model, self.directory), vectorized=self.vectorized)


class SimulatorSection(StudySection):
    """What runs the model comes from outside.

    Attributes
    ----------
    simulator : str
        What runs the model: "orbits", "lyapunov" and "chaos_control" for models that are maps; or from outside
        ``package.module:Name``, ``file.py:Name``, or the name that an installed package offers.
    model : str, optional
        The function that it is handed.
    """

    simulator: str
    model: str | None = None

    @property
    def label(self) -> str:
        return self.model or self.simulator

    def load(self, timeout: float | None) -> Model:
        named = {"key": "study.simulator", "directory": self.directory}
        by = self.given.get("simulator") or locate_plugin(self.simulator, (), "simulator", **named)
        model = self.given.get("model") or (by if self.model is None else find_model(self.model, self.directory))
        return replace(model, simulator=by)


class CommandSection(StudySection):
    """A program is the model.

    Attributes
    ----------
    command : str or list of str
        A program to run; ``{{input}}`` in it becomes the number, in SI. No shell reads it, so there are no pipes, ``;``, ``&&``,
        ``>``, ``$NAME``, ``*``; ``["sh", "-c", "a && b"]`` has them.
    template : str, optional
        Folder that is copied for each run of the command; ``{{input}}`` in its text files (UTF-8) becomes the number. Every input has a
        place in the command or here, and every place is of an input.
    result : str
        File that the command writes into its copy of the template: JSON, or CSV with one column an output. One that lies in the template
        is not copied, so that a result is that run's own.
    """

    command: str | list[str]
    template: str | None = None
    result: str = "result.json"

    @property
    def label(self) -> str:
        return shlex.join(self.command)

    @property
    def function_name(self) -> str:
        return ""

    def load(self, timeout: float | None) -> Model:
        return command_model(self.command, self.template or "", self.result, timeout)

    def check_inputs(self, inputs: Iterable[str]) -> None:
        check_places(self.command, self.template or "", self.result, inputs)


KINDS = {"model": FunctionSection, "simulator": SimulatorSection, "command": CommandSection}  # by the key that each needs


def kind_of(section: Any) -> str:
    """The key that says what kind a section is."""
    keys = section if isinstance(section, Mapping) else vars(section)
    return next((key for key in ("command", "simulator") if keys.get(key) is not None), "model")


ModelSection = Annotated[
    Annotated[FunctionSection, Tag("model")] | Annotated[SimulatorSection, Tag("simulator")] | Annotated[CommandSection, Tag("command")],
    Discriminator(kind_of),
]


def read_section(table: Mapping[str, Any], directory: Path) -> StudySection:
    """The section that a table of a study file in `directory` describes, its names such that they are found from anywhere.

    Raises
    ------
    StudyError
        With the dotted key.
    """
    known = {key for kind in KINDS.values() for key in kind.model_fields} - {"directory", "given"}
    for key in table:
        if key not in known:
            remedy = did_you_mean(str(key), known, noun="key")
            raise StudyError(f"there is no key '{key}' here", key=f"study.{key}", remedy=remedy)
    words = {key: table[key] for key in StudySection.model_fields if key in table}
    if table.get("command") is None:
        return section_of_model(table.get("model"), table.get("simulator"), table.get("vectorized", False), directory=directory, **words)
    for other in ("model", "simulator"):
        if table.get(other) is not None:
            text = f"a study has a {other} or a command, not both"
            raise StudyError(text, key=f"study.{other}", value=table[other], remedy="remove one of them")
    own = {key: table[key] for key in ("command", "template", "result") if key in table}
    section = made(CommandSection, **own, **words)
    words, folder = command_line(section.command, section.template, section.result, directory)
    return section.model_copy(update={"command": words, "template": folder or None})


def section_of_model(
    model: Callable[..., Any] | str | Model | None, simulator: Callable[..., Any] | str | None, vectorized: bool, **words: Any
) -> StudySection:
    """The section of a function, or of a simulator from outside, with names that are found from anywhere; nothing is executed.

    `words` are the fields of `StudySection`.
    """
    if model is None and simulator is None:
        text = "a study has a model, a command, or a simulator from outside"
        raise StudyError(text, key="study.model", remedy='write model = "model.py:function"; in Python give `model` a function')
    if simulator is not None and vectorized:
        text = "a simulator from outside is handed all runs of a batch anyway"
        raise StudyError(text, key="study.vectorized", value=True, remedy="leave it out")
    both = {"model": model, "simulator": simulator}
    given = {key: one if isinstance(one, Model) else wrap_callable(one) for key, one in both.items() if not isinstance(one, str | None)}
    names, where = {key: one.label for key, one in given.items()}, words.get("directory", Path())
    if isinstance(model, str):
        names["model"] = located(model_or_copy(model, where), where)
    if simulator is None:
        return made(FunctionSection, **names, vectorized=vectorized, given=given, **words)
    if isinstance(simulator, str):
        names["simulator"] = plugin_name(simulator, (), "simulator", key="study.simulator", directory=where)
    return made(SimulatorSection, **names, given=given, **words)


def made(kind: type[StudySection], **fields: Any) -> Any:
    """A section, whose mistakes have the dotted key."""
    try:
        return kind(**fields)
    except StudyError as error:
        raise error.under("study") from None
