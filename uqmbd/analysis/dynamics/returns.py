"""Maps of flows: over a period, or from a section to where the motion next comes through it.

Their derivatives are complex steps through the integration, as `flows` says.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from uqmbd.analysis.dynamics import derivatives
from uqmbd.analysis.dynamics.flows import Flow, Step, rows_of
from uqmbd.analysis.dynamics.maps import Parameters, columns
from uqmbd.errors import StudyError

VARIATIONAL = "variational equations"


@dataclass(frozen=True, kw_only=True)
class _FlowMap:
    """What maps of flows share: their derivatives."""

    flow: Flow

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates."""
        return self.flow.names

    @property
    def derivatives(self) -> str:
        """Where they come from."""
        return VARIATIONAL

    def step(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """The next states (n, d); NaN where there is none."""
        raise NotImplementedError

    def tangent(self, states: np.ndarray, parameters: Parameters, by: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The next states (n, d), their derivatives by states (n, d, d) and by the parameters named (n, d, len(by))."""
        return by_complex_steps(self.step, states, parameters, by)


def by_complex_steps(
    step: Callable[[np.ndarray, Parameters], np.ndarray], states: np.ndarray, parameters: Parameters, by: Sequence[str] = ()
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The next states (n, d) by a `step`, their derivatives by states (n, d, d) and by the parameters named (n, d, len(by))."""
    n, d = states.shape
    parameters = {name: np.broadcast_to(value, n) for name, value in parameters.items()}

    def stepped(at: np.ndarray) -> np.ndarray:
        copies = len(at) // n
        values = {name: np.tile(value, copies) for name, value in parameters.items()}
        return step(at[:, :d], {**values, **dict(zip(by, at[:, d:].T))})

    moving = np.concatenate([states, *(parameters[name][:, None] for name in by)], axis=1)
    points, slopes = derivatives.through(stepped, moving)
    return points, slopes[:, :, :d], slopes[:, :, d:]


@dataclass(frozen=True, kw_only=True)
class PeriodMap(_FlowMap):
    """A flow from the time zero over a period.

    Parameters
    ----------
    flow : Flow
    over : float or callable
        The period in s, or a function of parameters by name, ``lambda w: 2 * np.pi / w``.
    steps : int, optional
        Of the integration in a period.

    Examples
    --------
    >>> import numpy as np, uqmbd as uq
    >>> spring = uq.Flow(function=lambda x, v, k: (v, -k * x), names=("x", "v"))
    >>> half = uq.PeriodMap(flow=spring, over=np.pi, steps=40)
    >>> half.tangent(np.array([[1.0, 0.5]]), {"k": 1.0})[1][0].round(9).diagonal().tolist()
    [-1.0, -1.0]
    """

    over: float | Callable[..., Any]
    steps: int = 200

    @property
    def period(self) -> float | None:
        """Time of a step in s, None where it is a function of parameters."""
        return None if callable(self.over) else float(self.over)

    def step(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """The states (n, d) after a period."""
        n = len(states)
        h = np.broadcast_to(np.asarray(period_of(self, parameters)) / self.steps, n)
        x, fresh = states, None
        for k in range(self.steps):
            x, fresh = self.flow.moved(k * h, x, h, parameters, fresh)
        return x


def period_of(base: PeriodMap, parameters: Parameters) -> Any:
    """The period in s, with the derivatives that the parameters carry."""
    return _called(base.over, parameters)


def _called(value: float | Callable[..., Any], parameters: Parameters) -> Any:
    """A number, or a function of parameters by name."""
    return value(**{name: parameters[name] for name in inspect.signature(value).parameters}) if callable(value) else value


@dataclass(frozen=True, kw_only=True)
class ReturnMap(_FlowMap):
    """A flow from a surface to where it next comes through it in the same direction.

    A multiplier of its orbits is 0, that of the direction of the flow; the others are those of the orbit.

    Parameters
    ----------
    flow : Flow
    surface : callable
        Zero on the surface, called as the flow's function is.
    direction : int, optional
        1 where it rises through zero, -1 where it falls.
    dt : float or callable
        Length of a step of the integration in s, or a function of parameters by name.
    longest : int, optional
        Steps after which the motion is lost, if it has not come back.
    reset : callable, optional
        The coordinates behind the surface from those before it, for a section just behind impacts: the motion then begins on the surface.
    turns : dict of str to float, optional
        Coordinates of which whole turns are taken away, so that they lie from 0 to a turn.

    Examples
    --------
    >>> import numpy as np, uqmbd as uq
    >>> spring = uq.Flow(function=lambda x, v, k: (v, -k * x), names=("x", "v"))
    >>> upwards = uq.ReturnMap(flow=spring, surface=lambda x, v, k: x, dt=0.1)
    >>> states, times = upwards.returned(np.array([[0.0, 1.0]]), {"k": 4.0})
    >>> (states.round(9) + 0.0).tolist(), times.round(9).tolist()  # back after a period, pi
    ([[0.0, 1.0]], [3.141592654])
    """

    surface: Callable[..., Any]
    direction: int = 1
    dt: float | Callable[..., Any]
    longest: int = 10_000
    reset: Callable[..., Any] | None = None
    turns: Mapping[str, float] = field(default_factory=dict)
    period: None = None

    def __post_init__(self) -> None:
        if self.direction not in (1, -1):
            raise StudyError(f"a surface is passed in the direction 1 or -1, not {self.direction}")

    def step(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """The states (n, d) on the surface; NaN where the motion does not come back."""
        return self.returned(states, parameters)[0]

    def returned(self, states: np.ndarray, parameters: Parameters) -> tuple[np.ndarray, np.ndarray]:
        """The states (n, d) on the surface and the times (n,) until then in s."""
        return self._carried(states, parameters)[:2]

    def lost(self, states: np.ndarray, parameters: Parameters) -> list[str]:
        """Why motions from states (n, d) do not come back; "" where they do."""
        out, _, waiting = self._carried(states, parameters)
        words = [
            "" if np.isfinite(x).all() else "the motion leaves all bounds, or stays at a stop, before it comes to the section" for x in out
        ]
        for k in waiting:
            words[k] = f"the motion does not come to the section within {self.longest} steps"
        return words

    def _carried(self, states: np.ndarray, parameters: Parameters) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As `returned`, and which motions (k,) have not come to the surface."""
        n = len(states)
        h = np.broadcast_to(np.asarray(_called(self.dt, parameters)), n)
        kind = np.result_type(states, h, *parameters.values())
        out, times, going = np.full(states.shape, np.nan, kind), np.full(n, np.nan, kind), np.arange(n)
        x, t, begun = states, np.zeros(n), True
        fresh = np.zeros((n, len(self.flow.stops)), bool)
        for _ in range(self.longest):
            here = rows_of(parameters, going, n)
            y, left = self.flow.moved(t, x, h[going], here, fresh)
            before, after = (-self.direction * np.real(self.flow.called(self.surface, s, z, here)) for s, z in ((t, x), (t + h[going], y)))
            new = begun and self.reset is not None
            come = (after <= 0.0) & (np.full(len(x), new) | ((before > 0.0) & (not begun)))
            if come.any():
                self._put((out, times), going[come], (t[come], x[come], h[going[come]]), rows_of(here, np.flatnonzero(come), len(x)), new)
            stay = ~come & np.isfinite(np.real(y)).all(axis=1)
            x, t, fresh, going, begun = y[stay], (t + h[going])[stay], left[stay], going[stay], False
            if not going.size:
                break
        return out, times, going

    def _put(self, out: tuple[np.ndarray, np.ndarray], rows: np.ndarray, step: Step, here: Parameters, new: bool) -> None:
        """Write the states and times at which motions come through the surface within a step."""
        t, x, h = step
        flow = self.flow
        share = flow.share(self.surface, step, here, np.full(len(x), new), -float(self.direction))
        x, t = flow.smooth(t, x, share * h, here), t + share * h
        if self.reset is not None:
            x = columns(flow.called(self.reset, t, x, here), flow.names, len(x))
        for name, turn in self.turns.items():
            k = flow.names.index(name)
            x[:, k] -= turn * np.floor(np.real(x[:, k]) / turn)
        out[0][rows], out[1][rows] = x, t
