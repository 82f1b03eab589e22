"""Grazing: orbits of a flow that touch a stop with no speed, beyond which they hit it (Nordmark, J. Sound Vib. 145 (1991) 279).

Unknown are the orbit's state, the parameter and the time of the touch; zero are the return less the state, the gap, and its rate there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from uqmbd.analysis.dynamics import derivatives
from uqmbd.analysis.dynamics.maps import Parameters
from uqmbd.analysis.dynamics.returns import PeriodMap, period_of
from uqmbd.analysis.dynamics.shooting import least_squares, multipliers
from uqmbd.errors import StudyError

TOLERANCE = 1e-11  # of states, parameter and time, beside the larger of one and their size
STEPS = 30
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
    if not 0 <= stop < len(base.flow.stops):
        raise StudyError(f"the flow has {len(base.flow.stops)} stops, none with the number {stop}", value=stop)
    if parameter not in parameters:
        raise StudyError(f"{parameter!r} is no parameter of the flow: {', '.join(parameters)}")
    d, gap = len(state), base.flow.stops[stop].gap
    free = replace(base, flow=replace(base.flow, stops=()))

    def system(u: np.ndarray) -> np.ndarray:
        values = {name: np.full(len(u), value) for name, value in parameters.items()} | {parameter: u[:, d]}
        times = u[:, d + 1] + 1e-30j  # the rate of the gap by a complex step
        there = _advanced(free, u[:, :d], values, times)
        touch = np.asarray(free.flow.called(gap, times, there, values))
        back = free.step(u[:, :d], values) - u[:, :d]
        return np.concatenate([back, np.real(touch)[:, None], np.imag(touch)[:, None] / 1e-30], axis=1)

    u, lost = np.array([*state, float(parameters[parameter]), time], float), f"after {STEPS} steps of Newton's method it still moves"
    for _ in range(STEPS):
        values, slopes = derivatives.by_differences(system, u[None])
        step = least_squares(slopes, -values)[0]
        if not np.isfinite(step).all():
            lost = "the flow gives no number there"
            break
        reach = float(np.abs(step / np.maximum(1.0, np.abs(u))).max())
        u = u + step * min(1.0, 0.3 / max(reach, 1e-300))
        if reach <= TOLERANCE:
            lost = _passes(base, free, u, {**parameters, parameter: u[d]})
            break
    if lost:
        nothing = np.full(d, np.nan)
        return Grazing(np.nan, nothing, np.nan, nothing + 0j, f"no grazing was found from the start: {lost}")
    slope = free.tangent(u[None, :d], {**parameters, parameter: u[d : d + 1]})[1]
    return Grazing(float(u[d]), u[:d], float(u[d + 1]), multipliers(slope)[0])


def _advanced(free: PeriodMap, x: np.ndarray, values: Parameters, times: np.ndarray) -> np.ndarray:
    """States (n, d) at times (n,) of motions without stops."""
    h = times / free.steps
    for k in range(free.steps):
        x = free.flow.smooth(k * h, x, h, values)
    return x


def _passes(base: PeriodMap, free: PeriodMap, u: np.ndarray, parameters: Parameters) -> str:
    """Whether the orbit goes through a stop elsewhere, at the ends of the integration's steps."""
    d = len(free.names)
    values = {name: np.atleast_1d(np.asarray(value, float)) for name, value in parameters.items()}
    x, h = u[None, :d], np.atleast_1d(period_of(base, values)) / base.steps
    size = max(1.0, float(np.abs(x).max()))
    for k in range(base.steps):
        x = free.flow.smooth(k * h, x, h, values)
        for number, one in enumerate(base.flow.stops):
            gap = float(np.asarray(free.flow.called(one.gap, (k + 1) * h, x, values)).ravel()[0])
            if gap < -_THROUGH * size:
                return f"the orbit that touches goes through stop {number} at another time, by {-gap:.2g}"
    return ""
