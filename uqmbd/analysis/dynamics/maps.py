"""Maps ``x -> f(x, p)`` of many states at once, with their derivatives: of a Python function, in other coordinates, applied k times.

A map is any object with what `Map` says. With ``lost(states, parameters)`` besides it says why states have no next one, a text for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from uqmbd.analysis.dynamics import derivatives
from uqmbd.errors import StudyError

GIVEN = "given"

Parameters = Mapping[str, Any]  # numbers or arrays (n,) by name


class Map(Protocol):
    """One step of a motion, from a section to the next, of n states of d coordinates. A state whose step fails becomes NaN.

    A map that is integrated may say how far off its points are by `accuracy`, beside the larger of one and their size: see `accuracy_of`.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates, d of them."""
        ...

    @property
    def period(self) -> float | None:
        """Time of one step in s, None where it has none or differs from step to step."""
        ...

    @property
    def derivatives(self) -> str:
        """Where they come from: "complex step", "central differences", "given", "variational equations"."""
        ...

    def step(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """The next states (n, d) after `states` (n, d), with numbers or arrays (n,) as parameters."""
        ...

    def tangent(self, states: np.ndarray, parameters: Parameters, by: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The next states (n, d), their derivatives by the states (n, d, d) and by the parameters named in `by` (n, d, len(by))."""
        ...


def accuracy_of(base: Map) -> float:
    """How far off the points of a map are, beside the larger of one and their size; 0 of one that does not say."""
    return float(getattr(base, "accuracy", 0.0))


@dataclass(frozen=True, kw_only=True)
class FunctionMap:
    """Of a function of one array (n,) for each coordinate and parameter, by name, that returns one array for each coordinate.

    Parameters
    ----------
    function : callable
        ``function(x=..., y=..., a=..., b=...)`` returns a tuple in the order of `names`, a dict by name, or one array.
    names : tuple of str
        The coordinates.
    derivatives : str, optional
        "complex step", exact for functions of smooth formulas, or "central differences".
    given : callable, optional
        Instead, called like the function: the derivatives by the coordinates, rows of d arrays. Those by parameters are differences.
    period : float, optional
        Time of a step in s.
    compare : bool
        Whether one direction of each complex step is compared with a difference; once is enough for a long orbit.

    Examples
    --------
    >>> import numpy as np
    >>> henon = FunctionMap(function=lambda x, y, a, b: (1 - a * x**2 + y, b * x), names=("x", "y"))
    >>> point, by_state, by_parameter = henon.tangent(np.array([[0.5, 0.1]]), {"a": 1.4, "b": 0.3}, by=("a",))
    >>> point.round(3).tolist(), by_state.round(3).tolist(), by_parameter.round(3).tolist()
    ([[0.75, 0.15]], [[[-1.4, 1.0], [0.3, 0.0]]], [[[-0.25], [0.0]]])
    """

    function: Callable[..., Any]
    names: tuple[str, ...]
    derivatives: str = derivatives.COMPLEX
    given: Callable[..., Any] | None = None
    period: float | None = None
    compare: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        if not self.names or len(set(self.names)) < len(self.names):
            raise StudyError(f"a map needs different names of its coordinates, not {list(self.names)}")
        if self.derivatives not in (*derivatives.KINDS, GIVEN):
            raise StudyError(f'derivatives of a map are "{derivatives.COMPLEX}" or "{derivatives.CENTRAL}", not {self.derivatives!r}')
        if self.given is not None:
            object.__setattr__(self, "derivatives", GIVEN)
        elif self.derivatives == GIVEN:
            raise StudyError('derivatives = "given" needs the function `given`')

    def step(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """The next states (n, d).

        Raises
        ------
        StudyError
            The function does not return one array for each coordinate.
        """
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = self.function(**dict(zip(self.names, states.T)), **parameters)
        return columns(found, self.names, len(states))

    def tangent(self, states: np.ndarray, parameters: Parameters, by: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The next states (n, d), their derivatives by states (n, d, d) and by the parameters named (n, d, len(by))."""
        n, d = states.shape
        parameters = {name: np.broadcast_to(value, n) for name, value in parameters.items()}
        moving = np.concatenate([states, *(parameters[name][:, None] for name in by)], axis=1)

        def stepped(at: np.ndarray) -> np.ndarray:
            copies = len(at) // n
            values = {name: np.tile(value, copies) for name, value in parameters.items()}
            return self.step(at[:, :d], {**values, **dict(zip(by, at[:, d:].T))})

        if self.given is None:
            points, slopes = derivatives.jacobian(self.derivatives, stepped, moving, self.compare)
            return points, slopes[:, :, :d], slopes[:, :, d:]
        rows: Any = self.given(**dict(zip(self.names, states.T)), **parameters)
        by_state = np.stack([np.stack([np.broadcast_to(one, n) for one in row], axis=-1) for row in rows], axis=1)
        if not by:
            return stepped(moving), by_state.astype(float), np.zeros((n, d, 0))
        points, slopes = derivatives.by_differences(
            lambda p: stepped(np.concatenate([np.tile(states, (len(p) // n, 1)), p], axis=1)), moving[:, d:]
        )
        return points, by_state.astype(float), slopes


def columns(found: Any, names: Sequence[str], n: int) -> np.ndarray:
    """States (n, d) from what a function returns: a tuple in the order of `names`, a dict by name, or one array.

    Raises
    ------
    StudyError
        When it is not one array for each coordinate.
    """
    if isinstance(found, Mapping):
        missing = [name for name in names if name not in found]
        if missing:
            raise StudyError(f"the map returned no {missing[0]!r}, but {', '.join(map(str, found))}")
        found = [found[name] for name in names]
    elif len(names) == 1 and np.ndim(found) < 2 and not isinstance(found, (tuple, list)):
        found = [found]
    each = list(found) if isinstance(found, (tuple, list, np.ndarray)) else []
    if len(each) != len(names):
        raise StudyError(f"the map is to return one array for each of {', '.join(names)}, {len(names)} of them, not {len(each)}")
    return np.stack([np.broadcast_to(one, n) for one in each], axis=1)


@dataclass(frozen=True, kw_only=True)
class ChangedMap:
    """A map in other coordinates: those of a mechanism's section map as angles, say, or under the names of outputs.

    Its derivatives are those of the map, by the chain rule; its multipliers are the same.

    Parameters
    ----------
    base : map
    names : tuple of str
        Of the coordinates; fewer than those of `base` where the next state does not depend on all of these.
    to, back : callable, optional
        ``to(*x)`` gives the coordinates, a tuple of arrays (n,), from arrays of those of `base`, in their order; ``back(*y)`` the other
        way. Formulas that complex numbers go through. Unsaid, only names change.

    Examples
    --------
    A rotation by a tenth of a turn, of x and y, in polar coordinates:

    >>> import numpy as np
    >>> import uqmbd as uq
    >>> from uqmbd.analysis.dynamics.maps import FunctionMap
    >>> c, s = np.cos(0.2 * np.pi), np.sin(0.2 * np.pi)
    >>> plane = FunctionMap(function=lambda x, y, r: (r * (c * x - s * y), r * (s * x + c * y)), names=("x", "y"))
    >>> polar = uq.ChangedMap(
    ...     base=plane,
    ...     names=("radius", "angle"),
    ...     to=lambda x, y: ((x**2 + y**2) ** 0.5, np.arctan(y / x)),
    ...     back=lambda radius, angle: (radius * np.cos(angle), radius * np.sin(angle)),
    ... )
    >>> points, by_state, _ = polar.tangent(np.array([[2.0, 0.1]]), {"r": 0.5})
    >>> points.round(4).tolist(), np.linalg.eigvals(by_state[0]).round(9).tolist()
    ([[1.0, 0.7283]], [0.5, 1.0])
    """

    base: Map
    names: tuple[str, ...]
    to: Callable[..., Any] | None = None
    back: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        count = len(self.base.names)
        if len(self.names) > count or (self.to is None and len(self.names) < count):
            text = f"the map has the coordinates {', '.join(self.base.names)}; {len(self.names)} names are given"
            raise StudyError(text, remedy="give as many, or fewer with `to` and `back`")
        if (self.to is None) != (self.back is None):
            raise StudyError("a map in other coordinates needs both ways, `to` them and `back`", remedy="give both, or none")

    @property
    def period(self) -> float | None:
        """Time of one step in s, None where it has none."""
        return self.base.period

    @property
    def derivatives(self) -> str:
        """Where those of the map come from."""
        return self.base.derivatives

    @property
    def accuracy(self) -> float:
        """How far off its points are."""
        return accuracy_of(self.base)

    def step(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """The next states (n, d)."""
        at = self._through(self.back, self.base.names)(states)
        return self._through(self.to, self.names)(self.base.step(at, parameters))

    def tangent(self, states: np.ndarray, parameters: Parameters, by: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The next states (n, d), their derivatives by states (n, d, d) and by the parameters named (n, d, len(by))."""
        if self.to is None:
            return self.base.tangent(states, parameters, by)
        at, before = derivatives.by_complex_step(self._through(self.back, self.base.names), states)
        points, by_state, by_parameter = self.base.tangent(at, parameters, by)
        points, after = derivatives.by_complex_step(self._through(self.to, self.names), points)
        return points, after @ by_state @ before, after @ by_parameter

    def lost(self, states: np.ndarray, parameters: Parameters) -> list[str]:
        """Why states (n, d) have no next one."""
        return why_lost(self.base, self._through(self.back, self.base.names)(states), parameters)

    def _through(self, change: Callable[..., Any] | None, names: tuple[str, ...]) -> Callable[[np.ndarray], np.ndarray]:
        def changed(x: np.ndarray) -> np.ndarray:
            if change is None:
                return x
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                return columns(change(*x.T), names, len(x))

        return changed


@dataclass(frozen=True)
class Composed:
    """`base` applied `times` times, by the chain rule; its fixed points are orbits of this many steps."""

    base: Map
    times: int

    def __post_init__(self) -> None:
        if self.times < 1:
            raise StudyError(f"a map is applied at least once, not {self.times} times")

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return self.base.names

    @property
    def period(self) -> float | None:
        """Time of all steps in s, None where one has none."""
        return None if self.base.period is None else self.times * self.base.period

    @property
    def derivatives(self) -> str:
        """Where those of one step come from."""
        return self.base.derivatives

    @property
    def accuracy(self) -> float:
        """How far off its points are."""
        return accuracy_of(self.base)

    def step(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """The states (n, d) after all steps."""
        for _ in range(self.times):
            states = self.base.step(states, parameters)
        return states

    def tangent(self, states: np.ndarray, parameters: Parameters, by: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The states (n, d) after all steps, derivatives by states (n, d, d) and by parameters (n, d, len(by))."""
        states, by_state, by_parameter = self.base.tangent(states, parameters, by)
        for _ in range(self.times - 1):
            states, one, explicit = self.base.tangent(states, parameters, by)
            by_state, by_parameter = one @ by_state, one @ by_parameter + explicit
        return states, by_state, by_parameter

    def lost(self, states: np.ndarray, parameters: Parameters) -> list[str]:
        """Why states (n, d) do not come to the end of all steps, "" where nothing is known."""
        every = {name: np.broadcast_to(value, len(states)) for name, value in parameters.items()}
        words, going = [""] * len(states), np.arange(len(states))
        for _ in range(self.times if hasattr(self.base, "lost") else 0):
            here = {name: value[going] for name, value in every.items()}
            for k, why in zip(going, why_lost(self.base, states, here, otherwise="")):
                words[k] = why
            states = self.base.step(states, here)
            stay = np.isfinite(states).all(axis=1) & np.array([not words[k] for k in going], bool)
            states, going = states[stay], going[stay]
            if not going.size:
                break
        return words


def why_lost(base: Map, states: np.ndarray, parameters: Parameters, otherwise: str = "the map gives no number there") -> list[str]:
    """Why states (n, d) have no next one, in the words of the map where it has some."""
    lost = getattr(base, "lost", None)
    return [why or otherwise for why in (lost(states, parameters) if lost else [""] * len(states))]


def composed(base: Map, times: int) -> Map:
    """`base` itself for one time.

    Examples
    --------
    >>> import numpy as np
    >>> doubling = FunctionMap(function=lambda x, a: a * x, names=("x",))
    >>> composed(doubling, 3).tangent(np.array([[1.0]]), {"a": 2.0}, by=("a",))[2].round(6).tolist()
    [[[12.0]]]
    """
    return base if times == 1 else Composed(base, times)
