"""Branches of periodic orbits over one parameter, by pseudo-arc length, so that folds are passed; their special points are located.

Predictor along the tangent, corrector by Newton's method across it: Keller, in Rabinowitz (ed.), Applications of Bifurcation Theory
(Academic Press 1977) 359; Kuznetsov, Elements of Applied Bifurcation Theory (Springer 2004), sections 10.2 and 10.3; Seydel, Practical
Bifurcation and Stability Analysis (Springer 2010), chapter 4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from uqmbd.analysis.dynamics.curves import CLOSED, Curve, Point, Steps, walked
from uqmbd.analysis.dynamics.located import Located
from uqmbd.analysis.dynamics.maps import Map, Parameters, composed
from uqmbd.analysis.dynamics.of_study import state_of
from uqmbd.analysis.dynamics.shooting import multipliers, shoot, shorter_orbit, stable
from uqmbd.errors import StudyError


@dataclass(frozen=True)
class Branch:
    """Orbits along a curve, its special points among them.

    Attributes
    ----------
    names : tuple of str
        Of the coordinates.
    parameter : str
    period : int
        Steps of an orbit.
    values : ndarray, shape (n,)
        Of the parameter; n = 0 where there was no orbit to start from, which `ends` say.
    states : ndarray, shape (n, d)
        A point of each orbit.
    multipliers : ndarray, shape (n, d), complex
        The largest first.
    stable : ndarray, shape (n,)
        Whether all multipliers lie within the unit circle.
    kinds : tuple of str
        "" of ordinary points, else "fold", "flip", "neimark_sacker", "branch_point".
    ends : tuple of two str
        Why the branch is not followed further before its first point and behind its last.
    """

    names: tuple[str, ...]
    parameter: str
    period: int
    values: np.ndarray
    states: np.ndarray
    multipliers: np.ndarray
    stable: np.ndarray
    kinds: tuple[str, ...]
    ends: tuple[str, str]

    @property
    def specials(self) -> list[Located]:
        """The special points, in the order of the branch."""
        return [Located(kind, float(self.values[k]), self.states[k], self.multipliers[k]) for k, kind in enumerate(self.kinds) if kind]

    def pieces(self) -> list[tuple[bool, slice]]:
        """Whether each part between neighbouring special points is stable, and its points, the ends included."""
        cuts = sorted({0, len(self.kinds) - 1, *(k for k, kind in enumerate(self.kinds) if kind)}) if self.kinds else []
        parts = [slice(first, last + 1) for first, last in pairwise(cuts)]
        inner = [self.stable[part][1:-1] if part.stop - part.start > 2 else self.stable[part] for part in parts]
        return [(bool(some.any()), part) for some, part in zip(inner, parts)]


def follow(
    base: Map,
    parameter: str,
    state: np.ndarray,
    parameters: Parameters,
    between: tuple[float, float],
    *,
    period: int = 1,
    steps: Steps | None = None,
) -> Branch:
    """The branch of orbits of `period` steps near `state` (d,), to both sides of the value of `parameter` among the `parameters`.

    Parameters
    ----------
    base : Map
    parameter : str
    state : ndarray, shape (d,)
        Near the orbit that the branch starts from.
    parameters : dict of str to float
        All of the map, with the value of `parameter` at the start.
    between : tuple of two floats
        Range of the parameter, at whose ends the branch stops.
    period : int, optional
    steps : Steps, optional

    Raises
    ------
    StudyError
        When the parameter is none of the map, the state has not a number for each coordinate, or the start lies outside of the range.

    Examples
    --------
    >>> import numpy as np
    >>> from uqmbd.analysis.dynamics.maps import FunctionMap
    >>> henon = FunctionMap(function=lambda x, y, a, b: (1 - a * x**2 + y, b * x), names=("x", "y"))
    >>> branch = follow(henon, "a", np.array([0.9, 0.3]), {"a": 0.2, "b": 0.3}, (-0.2, 0.5), steps=Steps(points=120))
    >>> [(point.kind, round(point.parameter, 9)) for point in branch.specials]
    [('fold', -0.1225), ('flip', 0.3675)]
    """
    steps = Steps() if steps is None else steps
    low, high = float(between[0]), float(between[1])
    if parameter not in parameters:
        raise StudyError(f"{parameter!r} is no parameter of the map: {', '.join(parameters)}")
    state_of(state, base.names, "state")
    value = float(parameters[parameter])
    if not low <= value <= high or low == high:
        remedy = "give a range that holds the start"
        raise StudyError(f"the branch starts at {parameter} = {value}, outside of {low} to {high}", value=value, remedy=remedy)
    orbit = shoot(base, np.asarray(state, float)[None], parameters, period)
    if orbit.lost[0]:
        return _built(base, parameter, period, [], np.ones(len(state) + 1), (orbit.lost[0], orbit.lost[0]))
    scale = np.append(np.broadcast_to(np.asarray(steps.scale, float), len(state)), high - low)
    curve = Curve(base, period, parameter, parameters, scale)
    if (fewer := curve.shorter(np.append(orbit.states[0], value) / scale)) < period:
        why = f"the start leads to {shorter_orbit(fewer, period)}"
        return _built(base, parameter, period, [], scale, (why, why))
    return _both_ways(curve, np.append(orbit.states[0], value) / scale, (low, high), steps)


def after_flip(
    base: Map,
    parameter: str,
    flip: Located,
    parameters: Parameters,
    between: tuple[float, float],
    *,
    period: int = 1,
    steps: Steps | None = None,
) -> Branch:
    """The branch of orbits of twice the steps that starts where orbits of `period` steps have their `flip`.

    Parameters, errors
        As of `follow`.

    Examples
    --------
    >>> import numpy as np
    >>> from uqmbd.analysis.dynamics.maps import FunctionMap
    >>> logistic = FunctionMap(function=lambda x, r: r * x * (1 - x), names=("x",))
    >>> first = follow(logistic, "r", np.array([0.6]), {"r": 2.5}, (2.2, 3.5)).specials[0]
    >>> [round(point.parameter, 9) for point in after_flip(logistic, "r", first, {}, (2.2, 3.5)).specials]
    [3.0, 3.449489743]
    """
    steps = Steps() if steps is None else steps
    low, high = float(between[0]), float(between[1])
    scale = np.append(np.broadcast_to(np.asarray(steps.scale, float), len(flip.state)), high - low)
    curve = Curve(base, 2 * period, parameter, parameters, scale)
    by_state = composed(base, period).tangent(flip.state[None], {**parameters, parameter: np.array([flip.parameter])})[1][0]
    away = np.append(np.linalg.svd(by_state + np.eye(len(by_state)))[2][-1] / scale[:-1], 0.0)
    away = away / np.linalg.norm(away)
    y = np.append(flip.state, flip.parameter) / scale
    born = Point(y, away, np.zeros((len(y) - 1, len(y))), by_state @ by_state, "flip")
    length = steps.largest
    while length > steps.smallest:
        first = curve.corrected(y + length * away, away, away)
        if first is not None and curve.shorter(first.y) == 2 * period:
            points, end = walked(curve, first, (low, high), steps)
            return _built(base, parameter, 2 * period, [born, first, *points], scale, ("it starts at a flip", end))
        length /= 2.0
    why = "no orbit of twice the steps was found beside the flip"
    return _built(base, parameter, 2 * period, [], scale, (why, why))


def _both_ways(curve: Curve, y: np.ndarray, between: tuple[float, float], steps: Steps) -> Branch:
    up = np.zeros(len(y))
    up[-1] = 1.0
    start = curve.point(y, up)
    if start is None:
        why = "the map has no derivatives at the start"
        return _built(curve.base, curve.parameter, curve.period, [], curve.scale, (why, why))
    after, last = walked(curve, start, between, steps)
    before, first = walked(curve, replace(start, tangent=-start.tangent), between, steps) if last != CLOSED else ([], CLOSED)
    points = [*before[::-1], start, *after]
    return _built(curve.base, curve.parameter, curve.period, points, curve.scale, (first, last))


def _built(base: Map, parameter: str, period: int, points: list[Point], scale: np.ndarray, ends: tuple[str, str]) -> Branch:
    d = len(scale) - 1
    u = np.array([point.y for point in points]).reshape(-1, d + 1) * scale
    found = multipliers(np.array([point.by_state for point in points]).reshape(-1, d, d))
    kinds = tuple(point.kind for point in points)
    return Branch(tuple(base.names), parameter, period, u[:, d], u[:, :d], found, stable(found), kinds, ends)
