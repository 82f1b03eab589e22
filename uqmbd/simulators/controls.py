"""What a method sets of a run besides its inputs, such as a level or a mesh, given to the model's function by name."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.simulators.command import Command
from uqmbd.simulators.filling import PLACE, texts

if TYPE_CHECKING:
    from uqmbd.simulators.model import Model


def number(value: float) -> float | int:
    """A control as a model gets it: a whole number as int, so that it can count elements."""
    return int(value) if float(value).is_integer() else float(value)


def with_control(model: Model, control: Mapping[str, float], others: Iterable[str] = ()) -> Model:
    """The model with further arguments.

    Parameters
    ----------
    others : iterable of str
        What a control may be called besides, for the error.

    Raises
    ------
    StudyError
        If its function takes no argument of that name.
    """
    known = arguments_of(model)
    for name in control:
        if known is not None and name not in known:
            text = f"the method gives its runs the control '{name}', which the model {model.label} does not take"
            remedy = did_you_mean(name, [*known, *others], noun="parameter")
            raise StudyError(text, key="method", value=name, remedy=f"let the model have a parameter of this name; {remedy}")
    return replace(model, given={**model.given, **{name: number(value) for name, value in control.items()}})


def require_start(model: Model) -> None:
    """`StudyError` for a model whose runs cannot go on from others."""
    known = arguments_of(model)
    if known is not None and "start" not in known:
        text = f"the method has runs go on from others, and the model {model.label} has no parameter 'start'"
        raise StudyError(
            text, key="method", remedy="let it take `start`, None at time zero, and return where it ends as 'state' beside its outputs"
        )


def arguments_of(model: Model) -> list[str] | None:
    """Names of what a model takes; None where it takes any."""
    function = model.load()
    if isinstance(function := getattr(function, "__wrapped__", function), Command):
        return sorted({name for _, text in texts(function.arguments, function.template, function.result) for name in PLACE.findall(text)})
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return None
    return None if any(one.kind is one.VAR_KEYWORD for one in parameters.values()) else list(parameters)
