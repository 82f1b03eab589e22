"""Points where periodic orbits are born or lose their stability, located on their multipliers by Newton's method with the orbit.

A fold has a multiplier 1, a flip -1, a Neimark-Sacker point a pair ``exp(±i θ)``; each is a zero of a smooth test function of the map's
Jacobian A (Kuznetsov, Elements of Applied Bifurcation Theory, Springer 2004, section 10.3): ``det(A - I)``, ``det(A + I)``, and
``det(A ⊙ A - I)``, ⊙ the bialternate product, whose eigenvalues are the products of pairs of multipliers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.dynamics.maps import Map, Parameters, composed
from uqmbd.analysis.dynamics.shooting import multipliers
from uqmbd.errors import StudyError

KINDS = ("fold", "flip", "neimark_sacker")
TOLERANCE = 1e-11  # of states and parameter, beside the larger of one and their size
STEPS = 40
_SLOPE = 1e-6  # steps of the differences that give the slope of a test function: it only steers
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
    over, d = composed(base, period), len(state)
    if kind not in KINDS:
        raise StudyError(f"points that are located are {', '.join(KINDS)}, not {kind!r}")
    if parameter not in parameters:
        raise StudyError(f"{parameter!r} is no parameter of the map: {', '.join(parameters)}")
    if kind == "neimark_sacker" and d < 2:
        raise StudyError("a map of one coordinate has no Neimark-Sacker points")
    u = np.append(np.asarray(state, float), float(parameters[parameter]))
    lost, reach = "", np.inf
    for _ in range(STEPS):
        residual, slope = _system(over, kind, parameter, u, parameters)
        if not (np.isfinite(residual).all() and np.isfinite(slope).all()):
            lost = "the map gives no number there"
            break
        step = np.linalg.lstsq(slope, -residual)[0]
        size = np.maximum(1.0, np.abs(u))
        reach = np.abs(step / size).max()
        u = u + step * min(1.0, 0.3 / max(reach, 1e-300))
        if reach <= TOLERANCE:
            break
    else:
        if reach > 1e-9:
            lost = f"after {STEPS} steps of Newton's method it still moves, by {reach:.1e}"
    return _said(over, kind, parameter, u, parameters, lost)


def _system(over: Map, kind: str, parameter: str, u: np.ndarray, parameters: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """What is to be zero, (d + 1,): image less state, and the test function; and its slopes (d + 1, d + 1)."""
    d = len(u) - 1
    steps = _SLOPE * np.maximum(1.0, np.abs(u))
    around = np.concatenate([u[None], u + np.diag(steps), u - np.diag(steps)])
    image, by_state, by_parameter = over.tangent(around[:, :d], {**parameters, parameter: around[:, d]}, (parameter,))
    test = test_function(kind, by_state)
    slope = np.zeros((d + 1, d + 1))
    slope[:d, :d], slope[:d, d] = by_state[0] - np.eye(d), by_parameter[0, :, 0]
    slope[d] = (test[1 : d + 2] - test[d + 2 :]) / (2.0 * steps)
    return np.append(image[0] - u[:d], test[0]), slope


def _said(over: Map, kind: str, parameter: str, u: np.ndarray, parameters: Parameters, lost: str) -> Located:
    d = len(u) - 1
    found = np.full(d, np.nan + 0j)
    if not lost:
        image, slope, _ = over.tangent(u[None, :d], {**parameters, parameter: u[d:]})
        found = multipliers(slope)[0]
        away = np.abs(image[0] - u[:d]).max() / max(1.0, np.abs(u[:d]).max())
        if away > 1e-8:
            lost = f"its state is no orbit, it moves by {away:.1e}"
        elif kind == "neimark_sacker":
            pair = found[(np.abs(found.imag) > 1e-6) & (np.abs(np.abs(found) - 1.0) < _NEAR)]
            lost = "" if len(pair) else "two real multipliers have the product 1 there, no pair crosses the unit circle"
        elif not (np.abs(found - (-1.0 if kind == "flip" else 1.0)) < 1e-4).any():
            lost = f"no multiplier is {-1 if kind == 'flip' else 1} there"
    if lost:
        return Located(
            kind, np.nan, np.full(d, np.nan), np.full(d, np.nan + 0j), f"no {kind.replace('_', ' ')} was found from the start: {lost}"
        )
    return Located(kind, float(u[d]), u[:d], found)
