"""Flows under delayed feedback that acts all the time: ``p - k (x(t) - x(t - T))``, as maps from a delay to the next.

Pyragas, Phys. Lett. A 170 (1992) 421. A motion with a delay goes on from all of it during the last delay; of that the feedback needs
``k x`` alone, at the ends and in the middle of the steps. Steps by the method of Runge and Kutta of fourth order need it nowhere else, if
a delay is a whole number of them; between the ends it is the cubic of Hermite, of the same order (Bellen, Zennaro, Numerical Methods for
Delay Differential Equations, Oxford 2003, chapters 5 and 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.dynamics.maps import Parameters, columns
from uqmbd.analysis.dynamics.returns import PeriodMap, by_complex_steps, period_of
from uqmbd.analysis.dynamics.shooting import Orbits, multipliers, shoot


@dataclass(frozen=True, kw_only=True)
class Continuous:
    """A flow whose parameter is fed back all the time; a step of this map is a delay.

    Its states are those of the flow, and behind them ``k x`` of the delay before, 2 steps numbers: at the beginning of each step of the
    integration and in its middle.

    Parameters
    ----------
    base : PeriodMap
        Without stops; its steps are those of the integration in a period.
    times : int, optional
        The delay is so many periods.
    parameter : str
        That is fed back; its value is that of the parameters plus the change.
    gain : ndarray, shape (d,)
        The change is the gain times what the coordinates differ from those a delay before, with a minus.
    limit : float
        Of the change's absolute value; beyond it the change is the limit.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import lambertw
    >>> from uqmbd.analysis.dynamics.flows import Flow
    >>> line = PeriodMap(flow=Flow(function=lambda x, force: force - 0.5 * x, names=("x",)), over=1.0, steps=20)
    >>> fed = Continuous(base=line, parameter="force", gain=np.array([0.3]))
    >>> found = fed.orbits(np.array([[0.1]]), {"force": 0.0}).multipliers[0, 0]
    >>> rate = lambertw(0.3 * np.exp(0.8)) - 0.8  # of the slowest motion, the largest root of s = -0.5 - 0.3 (1 - exp(-s))
    >>> np.abs([found, np.exp(rate)]).round(6).tolist()
    [0.692819, 0.692819]
    """

    base: PeriodMap
    parameter: str
    gain: np.ndarray
    times: int = 1
    limit: float = np.inf

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates, those of the delay before behind."""
        return (*self.base.names, *(f"fed back {k}" for k in range(2 * self.steps)))

    @property
    def steps(self) -> int:
        """Of the integration in a delay."""
        return self.times * self.base.steps

    @property
    def period(self) -> float | None:
        """The delay in s, None where it is a function of parameters."""
        return None if self.base.period is None else self.times * self.base.period

    @property
    def derivatives(self) -> str:
        """Where they come from."""
        return self.base.derivatives

    def change(self, states: np.ndarray) -> np.ndarray:
        """Of the parameter at the end of a delay, (n,)."""
        d = len(self.base.names)
        return self._limited(_fed(states[:, :d], self.gain) - states[:, d])

    def _limited(self, fed: np.ndarray) -> np.ndarray:
        return np.where(np.abs(fed) <= self.limit, -fed, -np.sign(np.real(fed)) * min(self.limit, np.finfo(float).max))

    def step(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """The next states (n, d + 2 steps), a delay later."""
        d = len(self.base.names)
        return self._moved(states[:, :d], states[:, d:], parameters)

    def tangent(self, states: np.ndarray, parameters: Parameters, by: Sequence[str] = ()) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The next states (n, m), their derivatives by states (n, m, m) and by the parameters named (n, m, len(by)), m = d + 2 steps."""
        return by_complex_steps(self.step, states, parameters, by)

    def begun(self, states: np.ndarray, parameters: Parameters) -> np.ndarray:
        """States (n, d + 2 steps) a delay behind `states` (n, d) of the flow, without feedback until then."""
        return self._moved(states, None, parameters)

    def orbits(self, near: np.ndarray, parameters: Parameters, tolerance: float = 1e-11) -> Orbits:
        """Orbits near states (n, d) of the flow, with the multipliers that the feedback gives them.

        The feedback vanishes on an orbit of the flow whose period is the delay, so that the orbit is that of the flow.
        """
        free = shoot(self.base, near, parameters, self.times, tolerance)
        found = np.full((len(near), len(self.names)), np.nan, complex)
        for k in np.flatnonzero(free.found):  # one after another, since derivatives have a direction for each number of the delay before
            values = {name: np.broadcast_to(value, len(near))[k : k + 1] for name, value in parameters.items()}
            found[k] = multipliers(self.tangent(self.begun(free.states[k : k + 1], values), values)[1])[0]
        return Orbits(free.states, found, free.residual, free.lost)

    def _moved(self, x: np.ndarray, before: np.ndarray | None, parameters: Parameters) -> np.ndarray:
        """States a delay behind `x` (n, d), with the numbers of the delay before (n, 2 steps); without feedback where there are none."""
        kind = np.result_type(x, float, *([] if before is None else [before]), *parameters.values())
        flow, n, steps = self.base.flow, len(x), self.steps
        now = np.empty((n, 2 * steps + 1), kind)
        past = None if before is None else np.concatenate([before, _fed(x, self.gain)[:, None]], axis=1)
        h = np.broadcast_to(np.asarray(period_of(self.base, parameters)) / self.base.steps, n)

        def rates(t: np.ndarray, at: np.ndarray, place: int) -> np.ndarray:
            change = 0.0 if past is None else self._limited(_fed(at, self.gain) - past[:, place])
            moved = {**parameters, self.parameter: np.asarray(parameters[self.parameter]) + change}
            return columns(flow.called(flow.function, t, at, moved), flow.names, n)

        length = h[:, None]
        first = rates(0.0 * h, x, 0)
        for k in range(steps):
            now[:, 2 * k] = _fed(x, self.gain)
            t, half, end = k * h, 2 * k + 1, 2 * k + 2
            second = rates(t + 0.5 * h, x + 0.5 * length * first, half)
            third = rates(t + 0.5 * h, x + 0.5 * length * second, half)
            after = x + length / 6.0 * (first + 2.0 * (second + third) + rates(t + h, x + length * third, end))
            last = rates(t + h, after, end)
            now[:, half] = _fed(0.5 * (x + after) + 0.125 * length * (first - last), self.gain)
            x, first = after, last
        return np.concatenate([x, now[:, :-1]], axis=1)


def _fed(x: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """``k x`` (n,), one coordinate after another, so that it is the same to the last bit whatever samples are beside."""
    total = np.zeros(len(x), x.dtype)
    for k in np.flatnonzero(gain):
        total = total + gain[k] * x[:, k]
    return total
