"""Maps of which exponents are known, with their tangents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Known:
    """A map from its step and its derivative by the state."""

    names: tuple[str, ...]
    move: Callable[..., list[np.ndarray]]
    slopes: Callable[..., list[list[np.ndarray]]]
    period: float | None = None
    derivatives: str = "derived"

    def step(self, states: np.ndarray, parameters: Mapping[str, np.ndarray]) -> np.ndarray:
        return np.stack(self.move(*states.T, **parameters), axis=1)

    def tangent(
        self, states: np.ndarray, parameters: Mapping[str, np.ndarray], by: Sequence[str] = ()
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        ones = np.ones(len(states))
        rows = [np.stack([entry * ones for entry in row], axis=1) for row in self.slopes(*states.T, **parameters)]
        by_parameter = (
            np.stack([(self.step(states, {**parameters, one: parameters[one] + 1e-30j}) / 1e-30).imag for one in by], axis=2)
            if by
            else np.empty((*states.shape, 0))
        )
        return self.step(states, parameters), np.stack(rows, axis=1), by_parameter


LOGISTIC = Known(("x",), lambda x, r: [r * x * (1 - x)], lambda x, r: [[r * (1 - 2 * x)]])
HENON = Known(("x", "y"), lambda x, y, a, b: [1 - a * x * x + y, b * x], lambda x, y, a, b: [[-2 * a * x, 1.0], [b, 0.0]])
SKEWED_TENT = Known(("x",), lambda x, c: [np.where(x < c, x / c, (1 - x) / (1 - c))], lambda x, c: [[np.where(x < c, 1 / c, -1 / (1 - c))]])


@dataclass(frozen=True)
class Flow:
    """The map by a time of x' = f(x), with the variational equations, by the method of Runge and Kutta with equal steps."""

    names: tuple[str, ...]
    field: Callable[[np.ndarray], np.ndarray]
    jacobian: Callable[[np.ndarray], np.ndarray]
    period: float
    steps: int = 1
    derivatives: str = "derived"

    def step(self, states: np.ndarray, parameters: Mapping[str, np.ndarray]) -> np.ndarray:
        return self.moved(states, None)[0]

    def tangent(self, states: np.ndarray, parameters: Mapping[str, np.ndarray], by: Sequence[str] = ()) -> tuple[np.ndarray, ...]:
        n, d = states.shape
        return (*self.moved(states, np.broadcast_to(np.eye(d), (n, d, d))), np.empty((n, d, 0)))

    def moved(self, x: np.ndarray, v: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        h = self.period / self.steps
        for _ in range(self.steps):
            kx, kv = [], []
            for c in (0.0, 0.5, 0.5, 1.0):
                at = x + c * h * kx[-1] if kx else x
                kx.append(self.field(at))
                if v is not None:
                    kv.append(self.jacobian(at) @ (v + c * h * kv[-1] if kv else v))
            x = x + h / 6 * (kx[0] + 2 * kx[1] + 2 * kx[2] + kx[3])
            v = v if v is None else v + h / 6 * (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3])
        return x, v


def lorenz(s: np.ndarray) -> np.ndarray:
    x, y, z = s.T
    return np.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z], axis=1)


def lorenz_jacobian(s: np.ndarray) -> np.ndarray:
    x, y, z = s.T
    return matrix([[-10, 10, 0], [28 - z, -1, -x], [y, x, -8 / 3]], x)


def roessler(s: np.ndarray) -> np.ndarray:
    x, y, z = s.T
    return np.stack([-y - z, x + 0.2 * y, 0.2 + z * (x - 5.7)], axis=1)


def roessler_jacobian(s: np.ndarray) -> np.ndarray:
    x, _, z = s.T
    return matrix([[0, -1, -1], [1, 0.2, 0], [z, 0, x - 5.7]], x)


def matrix(rows: list[list[np.ndarray | float]], like: np.ndarray) -> np.ndarray:
    return np.stack([np.stack([entry + 0 * like for entry in row], axis=1) for row in rows], axis=1)


LORENZ = Flow(("x", "y", "z"), lorenz, lorenz_jacobian, 0.05, 8)
ROESSLER = Flow(("x", "y", "z"), roessler, roessler_jacobian, 0.5, 10)
