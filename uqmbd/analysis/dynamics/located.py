"""Points where periodic orbits are born or lose their stability, located on their multipliers by Newton's method with the orbit.

A fold has a multiplier 1, a flip -1, a Neimark-Sacker point a pair ``exp(±i θ)``; each is a zero of a smooth test function of the map's
Jacobian A (Kuznetsov, Elements of Applied Bifurcation Theory, Springer 2004, section 10.3): ``det(A - I)``, ``det(A + I)``, and
``det(A ⊙ A - I)``, ⊙ the bialternate product, whose eigenvalues are the products of pairs of multipliers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.dynamics.maps import Map, Parameters, accuracy_of, composed, why_lost
from uqmbd.analysis.dynamics.shooting import least_squares, multipliers
from uqmbd.errors import StudyError

KINDS = ("fold", "flip", "neimark_sacker")
TOLERANCE = 1e-11  # of states and parameter, beside the larger of one and their size
STEPS = 40
_SLOPE = 1e-6  # steps of the differences that give the slope of a test function: it only steers
_FAR = 1e-3  # step beside the size, below which the slope of the test function is kept
_NEAR = 1e-5  # of the multiplier that a point is to have: that of a fold is known to the root of what the state is


@dataclass(frozen=True)
class Located:
    """A special point: the orbit's `state` (d,), the `parameter` where it is, its `multipliers` (d,); `lost` says why there is none."""

    kind: str
    parameter: float
    state: np.ndarray
    multipliers: np.ndarray
    lost: str = ""


def bialternate(a: np.ndarray) -> np.ndarray:
    """``A ⊙ A`` of matrices (n, d, d): the minors of two rows and two columns, (n, d(d-1)/2, d(d-1)/2)."""
    i, j = np.triu_indices(a.shape[1], 1)
    rows, columns = (i[:, None], j[:, None]), (i[None], j[None])
    return a[:, rows[0], columns[0]] * a[:, rows[1], columns[1]] - a[:, rows[0], columns[1]] * a[:, rows[1], columns[0]]


def test_function(kind: str, a: np.ndarray) -> np.ndarray:
    """Zero (n,) where orbits with the Jacobians `a` (n, d, d) are special.

    Examples
    --------
    >>> import numpy as np
    >>> test_function("flip", np.array([[[-1.0, 5.0], [0.0, 0.3]]])).tolist()
    [0.0]
    """
    if kind == "neimark_sacker":
        a = bialternate(a)
        return np.linalg.det(a - np.eye(a.shape[1]))
    return np.linalg.det(a + np.eye(a.shape[1]) * (1.0 if kind == "flip" else -1.0))


test_function.__test__ = False  # pyright: ignore[reportFunctionMemberAccess]  pytest is not to run it


def locate(base: Map, kind: str, parameter: str, state: np.ndarray, parameters: Parameters, period: int = 1) -> Located:
    """The point of `kind` near `state` (d,) and near the value of `parameter` among the `parameters`, of orbits of `period` steps.

    Raises
    ------
    StudyError
        The kind is none of `KINDS`, the parameter is none, or a map of one coordinate is asked for a Neimark-Sacker point.

    Examples
    --------
    >>> import numpy as np
    >>> from uqmbd.analysis.dynamics.maps import FunctionMap
    >>> logistic = FunctionMap(function=lambda x, r: r * x * (1 - x), names=("x",))
    >>> round(locate(logistic, "flip", "r", np.array([0.4]), {"r": 3.4}, period=2).parameter, 10)
    3.4494897428
    """
    return locate_all(base, kind, parameter, np.asarray(state, float)[None], parameters, period)[0]


def locate_all(base: Map, kind: str, parameter: str, states: np.ndarray, parameters: Parameters, period: int = 1) -> list[Located]:
    """Points of `kind` from many starts `states` (n, d) side by side, with numbers or arrays (n,) as parameters; see `locate`."""
    over, (n, d) = composed(base, period), states.shape
    if kind not in KINDS:
        raise StudyError(f"points that are located are {', '.join(KINDS)}, not {kind!r}")
    if parameter not in parameters:
        raise StudyError(f"{parameter!r} is no parameter of the map: {', '.join(parameters)}")
    if kind == "neimark_sacker" and d < 2:
        raise StudyError("a map of one coordinate has no Neimark-Sacker points")
    given = {name: np.broadcast_to(np.asarray(value, float), n) for name, value in parameters.items()}
    u = np.concatenate([np.asarray(states, float), given.pop(parameter)[:, None]], axis=1)
    lost, reach, going = [""] * n, np.full(n, np.inf), np.arange(n)
    residual, slope = np.zeros((n, d + 1)), np.zeros((n, d + 1, d + 1))
    for _ in range(STEPS):
        for far in (True, False):
            rows = going[(reach[going] > _FAR) == far]
            if rows.size:
                here = {name: value[rows] for name, value in given.items()}
                residual[rows], slope[rows] = _system(over, kind, parameter, u[rows], here, None if far else slope[rows, d])
        step = least_squares(slope[going], -residual[going])
        fine = np.isfinite(step).all(axis=1)
        if not fine.all():
            rows = going[~fine]
            here = {name: value[rows] for name, value in given.items()}
            for k, why in zip(rows, why_lost(over, u[rows, :d], {**here, parameter: u[rows, d]})):
                lost[k] = why
        going, step = going[fine], step[fine]
        reach[going] = np.abs(step / np.maximum(1.0, np.abs(u[going]))).max(axis=1)
        u[going] += step * np.minimum(1.0, 0.3 / np.maximum(reach[going], 1e-300))[:, None]
        going = going[reach[going] > TOLERANCE]
        if not going.size:
            break
    for k in going[reach[going] > max(1e-9, accuracy_of(base))]:
        lost[k] = f"after {STEPS} steps of Newton's method it still moves, by {reach[k]:.1e}"
    return _said(over, kind, parameter, u, given, lost)


def _system(
    over: Map, kind: str, parameter: str, u: np.ndarray, parameters: Parameters, last: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """What is to be zero, (n, d + 1): image less state, and the test function; and its slopes (n, d + 1, d + 1).

    Those of the test function are differences, or `last` (n, d + 1) from the step before.
    """
    n, d = len(u), u.shape[1] - 1
    steps = _SLOPE * np.maximum(1.0, np.abs(u))
    around = u[:, None] if last is not None else np.concatenate([u[:, None], u[:, None] + steps[:, None] * np.eye(d + 1)], axis=1)
    count = around.shape[1]
    every, around = {name: np.repeat(value, count) for name, value in parameters.items()}, around.reshape(-1, d + 1)
    image, by_state, by_parameter = over.tangent(around[:, :d], {**every, parameter: around[:, d]}, (parameter,))
    test = test_function(kind, by_state).reshape(n, -1)
    image, by_state, by_parameter = (each.reshape(n, count, *each.shape[1:])[:, 0] for each in (image, by_state, by_parameter))
    slope = np.zeros((n, d + 1, d + 1))
    slope[:, :d, :d], slope[:, :d, d] = by_state - np.eye(d), by_parameter[:, :, 0]
    slope[:, d] = (test[:, 1:] - test[:, :1]) / steps if last is None else last
    return np.concatenate([image - u[:, :d], test[:, :1]], axis=1), slope


def _said(over: Map, kind: str, parameter: str, u: np.ndarray, parameters: Parameters, lost: list[str]) -> list[Located]:
    n, d = len(u), u.shape[1] - 1
    good = np.flatnonzero([not why for why in lost])
    found, away = np.full((n, d), np.nan + 0j), np.full(n, np.nan)
    if good.size:
        here = {name: value[good] for name, value in parameters.items()}
        image, slope, _ = over.tangent(u[good, :d], {**here, parameter: u[good, d]})
        found[good] = multipliers(slope)
        away[good] = np.abs(image - u[good, :d]).max(axis=1) / np.maximum(1.0, np.abs(u[good, :d]).max(axis=1))
    whys = [lost[k] or _doubt(kind, found[k], away[k], max(1e-8, accuracy_of(over))) for k in range(n)]
    nothing, begun = np.full(d, np.nan), f"no {kind.replace('_', ' ')} was found from the start"
    return [
        Located(kind, np.nan, nothing, nothing + 0j, f"{begun}: {whys[k]}")
        if whys[k]
        else Located(kind, float(u[k, d]), u[k, :d], found[k])
        for k in range(n)
    ]


def _doubt(kind: str, found: np.ndarray, away: float, most: float) -> str:
    """Why what Newton's method has come to is no point of its kind, "" where it is one."""
    if not away <= most:
        return f"its state is no orbit, it moves by {away:.1e}"
    if kind == "neimark_sacker":
        pair = found[(np.abs(np.imag(found)) > 1e-6) & (np.abs(np.abs(found) - 1.0) < _NEAR)]
        return "" if len(pair) else "two real multipliers have the product 1 there, no pair crosses the unit circle"
    wanted = -1 if kind == "flip" else 1
    return "" if (np.abs(found - wanted) < 1e-4).any() else f"no multiplier is {wanted} there"
