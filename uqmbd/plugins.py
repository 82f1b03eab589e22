"""Plug-ins: methods, simulators, kinds of input and figures from outside, by ``"module:Name"``, ``"file.py:Name"`` or entry points.

The groups of entry points are ``uqmbd.methods``, ``uqmbd.simulators``, ``uqmbd.inputs``, ``uqmbd.figures`` and ``uqmbd.tables``. What comes
with uqmbd keeps its names: nothing from outside replaces it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.inputs import Labelled, is_distribution
from uqmbd.simulators.fingerprint import dependencies_of
from uqmbd.simulators.loading import LOADED
from uqmbd.simulators.model import Model, describe, find_model, located, named_module, place_of
from uqmbd.simulators.own import is_own_file

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

HERE = Path()
OWN = {  # simulators of models that are maps, by their names; how other models are run follows from what they return
    "simulator": {
        "orbits": "uqmbd.orbits:Orbits",
        "lyapunov": "uqmbd.lyapunov:Lyapunov",
        "chaos_control": "uqmbd.chaos_control:ChaosControl",
    }
}


@cache
def offered(noun: str) -> dict[str, EntryPoint]:
    """What installed packages offer, by name; `noun` is "method", "simulator", "input" or "figure"."""
    from importlib.metadata import entry_points  # which takes as long to import as half of this package

    return {entry.name: entry for entry in entry_points(group=f"uqmbd.{noun}s")}


def load_plugin(name: str, known: Mapping[str, Any], noun: str, *, key: str, directory: Path = HERE, kind: type | None = None) -> Any:
    """The class or function of a name: what comes with uqmbd (`known`), or a plug-in.

    That is ``"package.module:Name"``, ``"file.py:Name"`` relative to `directory`, or the name of an entry point. `noun` says what it is, as
    in `offered`, and `key` where the name stands in the study file.

    Raises
    ------
    StudyError
        When there is none of that name, it cannot be imported, or it does not come from `kind`.
    """
    return known[name] if name in known else locate_plugin(name, known, noun, key=key, directory=directory, kind=kind).load()


def plugin_name(name: str, known: Iterable[str], noun: str, *, key: str, directory: Path = HERE) -> str:
    """The name under which a thing from outside is found from anywhere; nothing is executed. See `load_plugin`."""
    more = {name: entry.value for name, entry in offered(noun).items()} | OWN.get(noun, {})
    if not isinstance(name, str) or not (":" in name or name in more or name.startswith("<")):
        remedy = did_you_mean(str(name), [*known, *more], noun=noun)
        raise StudyError(f"there is no {noun} '{name}'", key=key, value=name, remedy=remedy)
    if name.startswith("<"):
        text = f"the {noun} was made in a script, and can be found under no name"
        raise StudyError(text, key=key, value=name, remedy="run that script again: the study goes on where it stopped")
    try:
        return located(more.get(name, name), directory)
    except StudyError as error:
        raise StudyError(error.message, key=key, value=name, remedy=error.remedy) from None


def locate_plugin(name: str, known: Iterable[str], noun: str, *, key: str, directory: Path = HERE, kind: type | None = None) -> Model:
    """Where a thing from outside is: as `load_plugin`, but as a `Model`, which can be pickled and knows the code that it reaches."""
    place = plugin_name(name, known, noun, key=key, directory=directory)
    try:
        model = find_model(place, directory)
    except StudyError as error:
        raise StudyError(error.message, key=key, value=name, remedy=error.remedy) from error.__cause__
    thing = model.load()
    if kind is not None and not (isinstance(thing, type) and issubclass(thing, kind)):
        text = f"'{name.rpartition(':')[2]}' is no {noun}"
        raise StudyError(text, key=key, value=name, remedy=f"name a class that comes from {kind.__module__}.{kind.__qualname__}")
    if thing.__module__ in LOADED:
        import cloudpickle

        cloudpickle.register_pickle_by_value(sys.modules[thing.__module__])  # a file that workers would not find by name
    return model


@contextmanager
def blaming(thing: Any, noun: str, key: str) -> Iterator[None]:
    """A `StudyError` for what a class or function from outside raises in the block; nothing changes for what comes with uqmbd."""
    try:
        yield
    except StudyError:
        raise
    except Exception as error:
        if is_ours(thing):
            raise
        raise StudyError(f"the {noun} raises {describe(error)}", key=key, value=label_of(thing), remedy=f"mend the {noun}") from error


def nonsense(thing: Any, noun: str, key: str, text: str, remedy: str) -> StudyError:
    """The error for an answer of a class from outside that is of no use."""
    return StudyError(f"the {noun} {text}", key=key, value=label_of(thing), remedy=remedy)


def distribution_of(name: str, directory: Path) -> Labelled:
    """The distribution of chaospy that a study file names: ``"distributions.py:name"``, or in a module."""
    key = "distribution"
    if name.startswith("<"):
        text = "the distribution was made in a script, and can be found under no name"
        remedy = 'run that script again: the study goes on where it stopped; or write it into a file: "distributions.py:name"'
        raise StudyError(text, key=key, value=name, remedy=remedy)
    try:
        model, module = named_module(name, directory)
    except StudyError as error:
        remedy = str(error.remedy).replace("model.py:function", "distributions.py:name").replace("the model file", "the file")
        raise StudyError(error.message.replace("a model", "a distribution"), key=key, value=name, remedy=remedy) from error.__cause__
    distribution = getattr(module, model.name, None)
    if not is_distribution(distribution):
        known = [key for key, value in vars(module).items() if is_distribution(value)]
        text = f"there is no distribution of chaospy {model.name!r} in {name.rpartition(':')[0]}"
        raise StudyError(text, key=key, value=name, remedy=did_you_mean(model.name, known, noun="distribution"))
    return Labelled(distribution, model.label)


def name_of_distribution(distribution: Any) -> str | None:
    """Under which name `distribution_of` finds an object of chaospy: that of a global of a user's file; None: it is none."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and module.__name__ != "__main__" and is_own_file(file):
            names = [name for name, value in list(vars(module).items()) if value is distribution and name.isidentifier()]
            if names:
                place = LOADED[module.__name__].path if module.__name__ in LOADED else place_of(module)
                return f"{place}:{names[0]}"
    return None


def label_of(thing: Any) -> str:
    """Name under which `load_plugin` finds a class or function from outside: a file's path, or its module, and its name in it."""
    module, name = thing.__module__ or "", thing.__qualname__
    if module in LOADED:
        return f"{LOADED[module].path}:{name}"
    return f"<{name}>" if module == "__main__" or not name.isidentifier() else f"{module}:{name}"


def is_ours(thing: Any) -> bool:
    """True for what comes with uqmbd."""
    return (thing.__module__ or "").partition(".")[0] == __name__.partition(".")[0]


def name_and_code(thing: type, name: str) -> Any:
    """What a result depends on of a class: its name, and of one from outside the code that it reaches."""
    if is_ours(thing):
        return name
    if thing.__module__ in LOADED:  # a changed file is loaded anew, as another class; and what is sent to workers changes classes
        return [name, digest_of(thing)]
    return [name, dependencies_of(thing).digest]


@cache
def digest_of(thing: type) -> str:
    """Hash of all that a class reaches."""
    return dependencies_of(thing).digest
