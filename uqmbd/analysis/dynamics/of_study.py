"""What simulators of maps have in common: the map of a study's model, where runs begin, and settings that are checked."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.analysis.dynamics import derivatives
from uqmbd.analysis.dynamics.maps import FunctionMap, Map, Parameters
from uqmbd.errors import StudyError


def map_of(model: Any, settings: Mapping[str, Any], kind: str = derivatives.COMPLEX) -> Map:
    """The map of a study's model: a function of its coordinates, ``states`` in the settings, or a function of nothing that returns a map.

    Raises
    ------
    StudyError
        There is no model, or it returns no map, or one that has its own derivatives and time of a step while the settings say others.
    """
    if model is None:
        raise StudyError("the simulator needs a map", key="study.model", remedy='write model = "file.py:function"')
    if settings.get("states"):
        return FunctionMap(function=model, names=tuple(settings["states"]), derivatives=kind, period=settings.get("step_time"))
    remedy = 'write states = ["x", "y"], the names of its coordinates, or let it be a function of nothing that returns a map'
    if needed := _needed(model):
        text = f"a map needs 'states', or a model that is called with nothing, and this one needs {', '.join(needed)}"
        raise StudyError(text, key="solver.states", remedy=remedy)
    try:
        made = model()
    except StudyError:
        raise
    except Exception as error:
        lacking = isinstance(error, TypeError)
        hint = "give the inputs of a mechanism's function defaults, or fm.section_map their `inputs`" if lacking else "mend the model"
        text = f"the model that is to return a map raises {type(error).__name__}: {error}"
        raise StudyError(text, key="study.model", remedy=hint) from error
    if not all(hasattr(made, name) for name in ("names", "period", "derivatives", "step", "tangent")):
        raise StudyError(f"the model returns {type(made).__name__}, which is no map", key="study.model", remedy=remedy)
    if "step_time" in settings or settings.get("derivatives") in derivatives.KINDS:
        raise StudyError("the map brings its own derivatives and time of a step", key="solver", remedy="leave them out of [solver]")
    return made


def _needed(model: Any) -> list[str]:
    """Arguments that a function cannot be called without."""
    try:
        given = inspect.signature(model).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in given if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]


@dataclass(frozen=True)
class Begin:
    """Where the orbits of a study's runs begin, and the parameters of their map.

    Parameters
    ----------
    names : tuple of str
        Of the coordinates.
    start : list of float
        A number for each; a coordinate that is an input begins at it.
    fixed : dict
        Parameters that are no inputs.
    """

    names: tuple[str, ...]
    start: Sequence[float]
    fixed: Mapping[str, float]

    def __post_init__(self) -> None:
        state_of(self.start, self.names, "solver.start")
        named_numbers(self.fixed, "solver.fixed")

    def of(self, samples: Mapping[str, np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """States (n, d), and parameters, each (n,)."""
        n = len(next(iter(samples.values())))
        if twice := [name for name in self.fixed if name in samples]:
            raise StudyError(f"'{twice[0]}' is an input", key=f"solver.fixed.{twice[0]}", remedy="leave it out of fixed, or of the inputs")
        states = np.column_stack([samples.get(name, np.full(n, value)) for name, value in zip(self.names, self.start)])
        fixed = {name: np.full(n, value) for name, value in self.fixed.items()}
        return states.astype(float), fixed | {name: np.asarray(values) for name, values in samples.items() if name not in self.names}


def first_step(of: Map, states: np.ndarray, parameters: Parameters, by: Sequence[str] | None = ()) -> None:
    """Take a step of a study's map, with its derivatives unless `by` is None, so that one that cannot work is found before the runs.

    Raises
    ------
    StudyError
        The step raises something.
    """
    try:
        of.step(states, parameters)
        if by is not None:
            of.tangent(states, parameters, by)
    except StudyError:
        raise
    except Exception as error:
        text = f"a step of the map raises {type(error).__name__}: {error}"
        remedy = "it is called with its coordinates, the inputs and `solver.fixed` by name, each an array"
        raise StudyError(text, key="study.model", remedy=remedy) from error


def require_known(settings: Mapping[str, Any], known: Set[str], of: str) -> None:
    """Raise `StudyError` for a setting that the simulator `of` something does not have."""
    if unknown := set(settings) - known:
        remedy = f"settings are {', '.join(sorted(known))}"
        raise StudyError(f"the simulator of {of} has no setting '{min(unknown)}'", key=f"solver.{min(unknown)}", remedy=remedy)


def state_of(values: Any, names: Sequence[str], key: str) -> list[float]:
    """A number for each coordinate.

    Raises
    ------
    StudyError
        There are others, or none.
    """
    try:
        found = np.asarray(values, float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (len(names),):
        text = f"a start has a number for each of {', '.join(names)}"
        raise StudyError(text, key=key, value=values, remedy="say from where the orbits begin")
    return found.tolist()


def a_number(value: Any, key: str) -> float:
    """It; `StudyError` where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise StudyError("this is a number", key=key, value=value, remedy="write it without quotes, in SI units")
    return float(value)


def named_numbers(values: Any, key: str) -> dict[str, float]:
    """Numbers by name; `StudyError` where they are none."""
    if not isinstance(values, Mapping):
        raise StudyError("these are numbers by name", key=key, value=values, remedy="write {a = 0.1}")
    return {name: a_number(value, f"{key}.{name}") for name, value in values.items()}


def whole_numbers(settings: Mapping[str, Any], standard: Mapping[str, tuple[int, int]], key: str = "solver") -> dict[str, int]:
    """Settings that are whole numbers, by name; `standard` has what they are unless said, and the least.

    Raises
    ------
    StudyError
        One is less, or not whole.
    """
    found = {}
    for name, (usual, least) in standard.items():
        value = settings.get(name, usual)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise StudyError(f"'{name}' is a whole number of {least} or more", key=f"{key}.{name}", value=value)
        found[name] = value
    return found
