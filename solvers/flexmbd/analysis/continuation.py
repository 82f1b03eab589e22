"""Paths of equilibria through limit points: continuation by arc length.

Riks (1979, Int. J. Solids Structures 15, 529-551) in the form of Keller (1977): the time is an unknown, and each Newton
iteration stays in the plane across the path's tangent, so the bordered matrix is regular where the tangent stiffness is not.
"""

from dataclasses import dataclass, replace

import numpy as np

from flexmbd.analysis.equilibrium import NotConverged, at_start, check_limits, newton, whole
from flexmbd.analysis.path import Equilibrium, Path, StaticsError, equations_of
from flexmbd.analysis.tangent import Singular, Tangent, free_motion
from flexmbd.errors import ModelError

TURN = 0.95  # least cosine between the tangents of neighbouring states
CHORD = 0.98  # least cosine between the way from one state to the next and either tangent
MIDDLE = 0.01  # largest distance between the path and its cubic in the middle of a step, over the step


def arc_length(build, inputs=None, *, start=0.0, end=1.0, step=0.05, max_steps=500, tolerance=1e-9, iterations=12, solver=None):
    """Equilibria along the path that starts at the load `start`, until the load `end` is reached for the first time.

    Parameters
    ----------
    build, inputs, tolerance, iterations, solver
        See `static`.
    start, end : float
        Load parameter (time) in s; on the way it may turn back and leave the interval on the side of `start`.
    step : float
        First step, as a part of the way from `start` to `end`; later ones follow the path's bends.
    max_steps : int
        Most steps tried.

    Returns
    -------
    Path
        With the limit points, located to the accuracy of the solution, among its states.

    Raises
    ------
    StaticsError
        If the path is lost or `end` not reached; `path` holds what was found.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System()
    >>> top = s.point_mass("top", mass=1.0, position=(0.0, 0.1))
    >>> bars = [s.add(fm.Spring(f"bar{k}", s.ground.at(x, 0.0), top.centre, 1e4, length=1.01**0.5)) for k, x in enumerate((-1.0, 1.0))]
    >>> load = s.add(fm.PointForce("load", top.centre, fy=fm.Polynomial((0.0, -20.0))))
    >>> path = fm.arc_length(s)  # through the limit point at which it snaps through
    >>> float(path["top.y"][-1]) < -0.1
    True
    """
    equations = equations_of(build, inputs)
    equations = equations.using(solver)
    whole("max_steps", max_steps)
    check_limits(tolerance, iterations)
    if not 0 < step <= 1 or end == start or not np.isfinite(end - start):
        raise ModelError(
            f"step is {step!r} and the load goes from {start!r} to {end!r}; step must be above 0 and at most 1, the ends finite and apart"
        )
    walk = _Walk(equations, start, end, tolerance, iterations)
    return walk.run(step, max_steps)


@dataclass(frozen=True, eq=False)
class _Place:
    """A state of the path, the unit tangent there, the sign of the determinant (0: singular), and the iterations it took."""

    state: Equilibrium
    tangent: tuple
    sign: float
    count: int


class _Walk:
    """The path so far; lengths are measured in the coordinates' weights and the load's way."""

    def __init__(self, equations, start, end, tolerance, iterations):
        self.equations, self.start, self.end = equations, start, end
        self.limits = tolerance, iterations
        self.metric = 1.0 / equations.weights**2, 1.0 / (end - start) ** 2
        state, count = at_start(equations, start, tolerance, 30)
        self.states, self.counts, self.folds, self.crossings = [state], [count], [], []

    def run(self, step, max_steps):
        """Follow the path."""
        way = np.sign(self.end - self.start)
        try:
            here = self.place(self.states[0], (np.zeros(self.equations.n), float(way)), self.counts[0])
        except Singular:
            why = free_motion(self.equations, self.states[0])
            raise StaticsError(f"the path has no direction at the start: the tangent is singular, {why}", path=self.path()) from None
        here = self.measured(here)
        length = step * abs((self.end - self.start) / here.tangent[1])
        length = min(length, self.straight(here, 1e-3 * length))
        least = 1e-7 * min(length, 1.0)
        for _ in range(max_steps):
            try:
                new = self.correct(here, length)
                self.check(here, new)
                fold = here.tangent[1] * new.tangent[1] < 0
                crossing = (new.sign * here.sign < 0) != fold
                if crossing and not fold:
                    self.narrow(here, new)
                limit = self.locate(here, new, lambda place: place.tangent[1]) if fold else None
                if fold and (limit.state.t - self.end) * way >= 0:  # the end comes before
                    new, limit, fold = limit, None, False
                last = (new.state.t - self.end) * way >= 0
                if last:
                    new = self.finish(here, new)
            except (NotConverged, Singular):
                length *= 0.5
                if length < least:
                    t = here.state.t
                    raise StaticsError(f"the path is lost after t = {t:.8g}: no step converges", path=self.path()) from None
                continue
            if limit:
                self.append(limit)
                self.folds.append(len(self.states) - 1)
            if crossing:
                self.crossings.append(len(self.states) - 1)
            self.append(new)
            if last:
                return self.path()
            straight = self.product(new.tangent, here.tangent) > 0.99
            length *= 1.5 if new.count <= 4 and straight else 1.0 if new.count <= 7 else 0.7
            here = new
        raise StaticsError(f"the load t = {self.end:g} was not reached in {max_steps} steps", path=self.path(), remedy="raise max_steps")

    def measured(self, here):
        """The first place, after displacements got the measure that they would have at the end if all were linear."""
        response = np.abs(here.tangent[0] / self.equations.weights).max(initial=0.0) * abs((self.end - self.start) / here.tangent[1])
        self.metric = self.metric[0] / np.clip(response, 1e-4, 1e4) ** 2, self.metric[1]
        return replace(here, tangent=self.unit(here.tangent)[0])

    def straight(self, here, length):
        """Length over which the path's tangent turns by 0.3, judged by a short length."""
        try:
            turn = self.product(here.tangent, self.correct(here, length).tangent)
        except (NotConverged, Singular):
            return np.inf
        return 0.3 * length / max(np.arccos(np.clip(turn, -1.0, 1.0)), 1e-300)

    def append(self, place):
        """Add a state."""
        self.states.append(place.state)
        self.counts.append(place.count)

    def path(self):
        """What was found."""
        return Path(self.equations, self.states, np.array(self.counts), tuple(self.folds), tuple(self.crossings))

    def product(self, a, b):
        """Inner product of two directions."""
        return float((a[0] * self.metric[0]) @ b[0] + a[1] * self.metric[1] * b[1])

    def border(self, direction):
        """Row of the bordered matrix: the direction's dual."""
        return direction[0] * self.metric[0], direction[1] * self.metric[1]

    def unit(self, direction):
        """Direction of length 1, and its length before."""
        size = np.sqrt(self.product(direction, direction))
        return (direction[0] / size, direction[1] / size), size

    def place(self, state, before, count):
        """A state with its tangent, of the same sense as a direction before."""
        return _Place(state, self.tangent(Tangent(self.equations, state, self.border(before))), self.sign(state), count)

    def tangent(self, matrix):
        """Unit direction of the path from the bordered matrix at a state."""
        dq, _, dt = matrix.solve(np.zeros(self.equations.n), np.zeros(self.equations.count), 1.0)
        return self.unit((dq, dt))[0]

    def sign(self, state):
        """Sign of the tangent's determinant; 0 where it is singular."""
        try:
            return Tangent(self.equations, state).sign
        except Singular:
            return 0.0

    def further(self, here, length):
        """The state a length further along the path, and the iterations it took."""
        direction = here.tangent
        guess = here.state.moved(self.equations, length * direction[0], 0.0, length * direction[1])
        return newton(self.equations, guess, *self.limits, border=self.border(direction))

    def correct(self, here, length):
        """The place a length further along the path."""
        state, count = self.further(here, length)
        return self.place(state, here.tangent, count)

    def check(self, here, new):
        """Raise `NotConverged` unless the path runs straight from one place to the other.

        Both ends of a step may lie on branches of one direction with limit points between them.  So the way between them must have the
        direction of the path, and in the middle there must be an equilibrium where the cubic through both ends has it, with a tangent of
        that direction, and with a determinant of the sign of one of the ends.
        """
        chord, length = self.unit((new.state.q - here.state.q, new.state.t - here.state.t))
        ends = here.tangent, new.tangent
        if self.product(*ends) < TURN or min(self.product(chord, end) for end in ends) < CHORD:
            raise NotConverged
        dq, dt = (0.5 * length * chord[k] + 0.125 * length * (ends[0][k] - ends[1][k]) for k in (0, 1))
        guess = here.state.moved(self.equations, dq, 0.5 * (new.state.multipliers - here.state.multipliers), dt)
        matrix = Tangent(self.equations, guess, self.border(chord))
        dq, _, dt = matrix.solve(*matrix.residual, 0.0)
        middle, sign = self.tangent(matrix), self.sign(guess)
        off = np.sqrt(self.product((dq, dt), (dq, dt)))
        turned = min(self.product(middle, end) for end in ends) < TURN
        if not off <= MIDDLE * length or turned or (sign and sign == -here.sign == -new.sign):
            raise NotConverged

    def narrow(self, here, new):
        """Raise `NotConverged` unless the determinant changes its sign on the path, whose states are close where their places are."""
        size = self.product((new.state.q - here.state.q, new.state.t - here.state.t), here.tangent)
        a, b, before, after = 0.0, size, here.state, new.state
        while b - a > 1e-4 * size:
            state, _ = self.further(here, 0.5 * (a + b))
            if self.sign(state) * here.sign > 0:
                a, before = 0.5 * (a + b), state
            else:
                b, after = 0.5 * (a + b), state
        if b - a < 0.5 * self.unit((after.q - before.q, after.t - before.t))[1]:
            raise NotConverged

    def locate(self, here, beyond, value):
        """The place between two where a value of places vanishes (regula falsi on the step's length)."""
        size = self.product((beyond.state.q - here.state.q, beyond.state.t - here.state.t), here.tangent)
        a, fa, b, fb = 0.0, value(here), size, value(beyond)
        for _ in range(40):
            c = (a * fb - b * fa) / (fb - fa)
            found = self.correct(here, c)
            fc = value(found)
            if abs(fc) <= 1e-9 * abs(self.end - self.start) or abs(b - a) < 1e-12 * size:
                break
            if fc * fb < 0:
                a, fa = b, fb
            else:
                fa *= 0.5
            b, fb = c, fc
        return found

    def finish(self, here, beyond):
        """The place at the end, before one beyond it."""
        near = self.locate(here, beyond, lambda place: place.state.t - self.end)
        state, count = newton(self.equations, replace(near.state, t=self.end), *self.limits)
        return self.place(state, near.tangent, count)
