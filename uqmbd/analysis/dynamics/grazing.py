"""Grazing: orbits that touch a stop with no speed, beyond which they hit it (Nordmark, J. Sound Vib. 145 (1991) 279).

Of a flow unknown are the orbit's state, the parameter and the time of the touch; zero are the return less the state, the gap, and its rate
there. Of a mechanism the map says how near its motion comes to a contact, and with which derivatives: the time is no unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from uqmbd.analysis.dynamics import derivatives
from uqmbd.analysis.dynamics.maps import Map, Parameters
from uqmbd.analysis.dynamics.returns import PeriodMap, period_of
from uqmbd.analysis.dynamics.shooting import least_squares, multipliers
from uqmbd.errors import StudyError

TOLERANCE = 1e-11  # of states, parameter and time, beside the larger of one and their size
STEPS = 30
_CLOSED = 1e-8  # how far a mechanism's orbit may be from closed, and from its contact, beside the state's size
_THROUGH = 1e-7  # how far, beside the state's size, an orbit may pass a stop before it is said to do so


@dataclass(frozen=True)
class Grazing:
    """Where an orbit touches a stop: its `state` (d,) at the time zero, the `parameter`, the `time` of the touch, the orbit's
    `multipliers` (d,) without an impact; `lost` says why there is none.
    """

    parameter: float
    state: np.ndarray
    time: float
    multipliers: np.ndarray
    lost: str = ""


def graze(base: PeriodMap, parameter: str, state: np.ndarray, parameters: Parameters, time: float, stop: int = 0) -> Grazing:
    """The grazing of the flow's stop number `stop` near a `state` (d,), a value of `parameter` among the `parameters`, and a `time`.

    Raises
    ------
    StudyError
        The flow has no such stop, or the parameter is none.

    Examples
    --------
    >>> import numpy as np
    >>> from uqmbd.analysis.dynamics.flows import Flow
    >>> from uqmbd.analysis.dynamics.surfaces import Stop
    >>> stop = Stop(gap=lambda x, v, w: 0.5 - x, reset=lambda x, v, w: (x, -0.8 * v))
    >>> forced = Flow(function=lambda t, x, v, w: (v, np.cos(w * t) - x), names=("x", "v"), stops=(stop,))
    >>> over = PeriodMap(flow=forced, over=lambda w: 2 * np.pi / w, steps=60)
    >>> round(graze(over, "w", np.array([-0.5, 0.0]), {"w": 1.7}, 1.8).parameter ** 2, 8)  # 1/|1 - w^2| = 0.5
    3.0
    """
    return graze_all(base, parameter, np.atleast_2d(state), parameters, np.atleast_1d(time), stop)[0]


def graze_all(
    base: PeriodMap, parameter: str, states: np.ndarray, parameters: Parameters, times: np.ndarray, stop: int = 0
) -> list[Grazing]:
    """As `graze` of n of them side by side: near `states` (n, d) and `times` (n,), with numbers or arrays (n,) as parameters."""
    if not 0 <= stop < len(base.flow.stops):
        raise StudyError(f"the flow has {len(base.flow.stops)} stops, none with the number {stop}", value=stop)
    if parameter not in parameters:
        raise StudyError(f"{parameter!r} is no parameter of the flow: {', '.join(parameters)}")
    (n, d), free = np.shape(states), replace(base, flow=replace(base.flow, stops=()))
    given = {name: np.broadcast_to(np.asarray(value, float), n) for name, value in parameters.items()}
    u = np.column_stack([states, given[parameter], times]).astype(float)
    lost, going = [f"after {STEPS} steps of Newton's method it still moves"] * n, np.arange(n)
    for _ in range(STEPS):
        system = _System(free, base.flow.stops[stop].gap, parameter, {name: value[going] for name, value in given.items()})
        values, slopes = derivatives.by_differences(system, u[going])
        step = least_squares(slopes, -values)
        fine = np.isfinite(step).all(axis=1)
        for k in going[~fine]:
            lost[k] = "the flow gives no number there"
        going, step = going[fine], step[fine]
        reach = np.abs(step / np.maximum(1.0, np.abs(u[going]))).max(axis=1, initial=0.0)
        u[going] += step * np.minimum(1.0, 0.3 / np.maximum(reach, 1e-300))[:, None]
        for k in going[reach <= TOLERANCE]:
            lost[k] = ""
        going = going[reach > TOLERANCE]
        if not going.size:
            break
    good = np.flatnonzero([not why for why in lost])
    found = np.full((n, d), np.nan + 0j)
    if good.size:
        here = {name: value[good] for name, value in given.items()} | {parameter: u[good, d]}
        for k, why in zip(good, _passing(base, free, u[good], here), strict=True):
            lost[k] = why
        found[good] = multipliers(free.tangent(u[good, :d], here)[1])
    nothing = Grazing(np.nan, np.full(d, np.nan), np.nan, np.full(d, np.nan + 0j))
    return [
        replace(nothing, lost=f"no grazing was found from the start: {lost[k]}")
        if lost[k]
        else Grazing(float(u[k, d]), u[k, :d], float(u[k, d + 1]), found[k])
        for k in range(n)
    ]


@dataclass(frozen=True, eq=False)
class _System:
    """What is zero at a grazing, (n, d + 2), for unknowns (n, d + 2): state, parameter, time of the touch."""

    free: PeriodMap
    gap: Callable[..., Any]
    parameter: str
    given: Parameters

    def __call__(self, u: np.ndarray) -> np.ndarray:
        d = u.shape[1] - 2
        values = {name: np.tile(value, len(u) // len(value)) for name, value in self.given.items()} | {self.parameter: u[:, d]}
        times = u[:, d + 1] + 1e-30j  # the rate of the gap by a complex step
        touch = np.asarray(self.free.flow.called(self.gap, times, _advanced(self.free, u[:, :d], values, times), values))
        back = self.free.step(u[:, :d], values) - u[:, :d]
        return np.concatenate([back, np.real(touch)[:, None], np.imag(touch)[:, None] / 1e-30], axis=1)


def _advanced(free: PeriodMap, x: np.ndarray, values: Parameters, times: np.ndarray) -> np.ndarray:
    """States (n, d) at times (n,) of motions without stops."""
    h = times / free.steps
    for k in range(free.steps):
        x = free.flow.smooth(k * h, x, h, values)
    return x


def _passing(base: PeriodMap, free: PeriodMap, u: np.ndarray, values: Parameters) -> list[str]:
    """Of each orbit (n,) what stop it goes through elsewhere, at the ends of the integration's steps; "" where it goes through none."""
    n, d = len(u), len(free.names)
    x, h = u[:, :d], np.broadcast_to(np.asarray(period_of(base, values)) / base.steps, n)
    size, said = np.maximum(1.0, np.abs(x).max(axis=1)), [""] * n
    for k in range(base.steps):
        x = free.flow.smooth(k * h, x, h, values)
        for number, one in enumerate(base.flow.stops):
            gap = np.broadcast_to(np.asarray(free.flow.called(one.gap, (k + 1) * h, x, values)), n)
            for row in np.flatnonzero(gap < -_THROUGH * size):
                said[row] = said[row] or f"the orbit that touches goes through stop {number} at another time, by {-gap[row]:.2g}"
    return said


class ContactMap(Map, Protocol):
    """A mechanism's map, `flexmbd.section_map`."""

    @property
    def contacts(self) -> tuple[str, ...]:
        """Names of the contacts."""
        ...

    def passage(self, states: np.ndarray, parameters: Parameters, by: list[str], without: str) -> Any:
        """`points`, `by_state` and `by_parameter` of `Map.tangent`, `without` a contact; the least `gap` (n,) to it, `gap_time` (n,) and
        derivatives `gap_by_state` (n, d) and `gap_by_parameter` (n, k); and in `said` why there are none.
        """
        ...


def graze_contact(base: ContactMap, contact: str, parameter: str, states: np.ndarray, parameters: Parameters) -> list[Grazing]:
    """Grazings of a mechanism's `contact` near n `states` (n, d), with numbers or arrays (n,) as parameters.

    The orbit is one that touches the contact nowhere else: the least gap on its way is zero. Times are in s after the phase zero.
    """
    n, d = np.shape(states)
    given = {name: np.broadcast_to(np.asarray(value, float), n) for name, value in parameters.items()}
    u = np.column_stack([states, given[parameter]]).astype(float)
    touches = [
        Grazing(np.nan, np.full(d, np.nan), np.nan, np.full(d, np.nan + 0j), f"after {STEPS} steps of Newton's method it still moves")
    ] * n
    going = np.arange(n)
    for _ in range(STEPS):
        here = {name: value[going] for name, value in given.items()} | {parameter: u[going, d]}
        found = base.passage(u[going, :d], here, [parameter], without=contact)
        away = np.concatenate([found.points - u[going, :d], found.gap[:, None]], axis=1)
        orbit = np.concatenate([found.by_state - np.eye(d), found.by_parameter], axis=2)
        touch = np.concatenate([found.gap_by_state, found.gap_by_parameter], axis=1)[:, None]
        step = least_squares(np.concatenate([orbit, touch], axis=1), -away)
        reach = np.abs(step / np.maximum(1.0, np.abs(u[going]))).max(axis=1, initial=0.0)
        bad, done = ~np.isfinite(reach), reach <= TOLERANCE
        for row, k in enumerate(going):
            if bad[row]:
                touches[k] = replace(touches[k], lost=found.said[row] or f"the motion is nearest to '{contact}' at another impact")
            elif done[row]:
                touches[k] = _touch(u[k], away[row], multipliers(found.by_state[row : row + 1])[0], float(found.gap_time[row]))
        u[going[~bad]] += step[~bad] * np.minimum(1.0, 0.3 / np.maximum(reach[~bad], 1e-300))[:, None]
        going = going[~(bad | done)]
        if not going.size:
            break
    return [replace(one, lost=f"no grazing was found from the start: {one.lost}") if one.lost else one for one in touches]


def _touch(u: np.ndarray, away: np.ndarray, own: np.ndarray, time: float) -> Grazing:
    """The grazing at state and parameter u (d + 1,), at which Newton's method came to rest; `away` (d + 1,) is to be zero."""
    rest = float(np.abs(away).max() / np.maximum(1.0, np.abs(u).max()))
    lost = "" if rest <= _CLOSED else f"Newton's method comes no nearer than {rest:.1e}"
    return Grazing(float(u[-1]), u[:-1].copy(), time, own, lost)
