"""Paths of equilibria through limit points: continuation by arc length.

Riks (1979, Int. J. Solids Structures 15, 529-551) in the form of Keller (1977): the time is an unknown, and each Newton
iteration stays in the plane across the path's tangent, so the bordered matrix is regular where the tangent stiffness is not.
"""

from dataclasses import replace

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.statics.equilibrium import NotConverged, at_start, check_limits, newton, whole
from flexmbd.statics.path import Path, StaticsError, equations_of
from flexmbd.statics.tangent import Singular, Tangent, choose, free_motion

TURN = 0.95  # least cosine between the tangents of neighbouring states


def arc_length(build, inputs=None, *, start=0.0, end=1.0, step=0.05, max_steps=500, tolerance=1e-9, iterations=12, solver="superlu"):
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
    """
    equations = equations_of(build, inputs)
    choose(equations, solver)
    whole("max_steps", max_steps)
    check_limits(tolerance, iterations)
    if not 0 < step <= 1 or end == start or not np.isfinite(end - start):
        raise ModelError(
            f"step is {step!r} and the load goes from {start!r} to {end!r}; step must be above 0 and at most 1, the ends finite and apart"
        )
    walk = _Walk(equations, start, end, tolerance, iterations)
    return walk.run(step, max_steps)


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
            tangent, sign = self.tangent(self.states[0], (np.zeros(self.equations.n), float(way)))
        except Singular:
            why = free_motion(self.equations, self.states[0])
            raise StaticsError(f"the path has no direction at the start: the tangent is singular, {why}", path=self.path()) from None
        length = step * abs((self.end - self.start) / tangent[1])
        least = 1e-7 * length
        for _ in range(max_steps):
            state = self.states[-1]
            try:
                new, count = self.correct(state, tangent, length)
                along, side = self.tangent(new, tangent)
                if self.product(along, tangent) < TURN:
                    raise NotConverged
                last = (new.t - self.end) * way >= 0
                if last:
                    new, count = self.finish(new)
                    along, side = self.tangent(new, tangent)
                fold = along[1] * tangent[1] < 0
                limit = self.fold(state, tangent, length, along) if fold and not last else None
            except (NotConverged, Singular):
                length *= 0.5
                if length < least:
                    raise StaticsError(f"the path is lost after t = {state.t:.8g}: no step converges", path=self.path()) from None
                continue
            if limit:
                self.append(*limit)
                self.folds.append(len(self.states) - 1)
            if (side * sign < 0) != fold:
                self.crossings.append(len(self.states) - 1)
            self.append(new, count)
            if last:
                return self.path()
            length *= 1.5 if count <= 4 and self.product(along, tangent) > 0.99 else 1.0 if count <= 7 else 0.7
            tangent, sign = along, side
        raise StaticsError(f"the load t = {self.end:g} was not reached in {max_steps} steps", path=self.path(), remedy="raise max_steps")

    def append(self, state, count):
        """Add a state."""
        self.states.append(state)
        self.counts.append(count)

    def path(self):
        """What was found."""
        return Path(self.equations, self.states, np.array(self.counts), tuple(self.folds), tuple(self.crossings))

    def product(self, a, b):
        """Inner product of two directions."""
        return float((a[0] * self.metric[0]) @ b[0] + a[1] * self.metric[1] * b[1])

    def border(self, direction):
        """Row of the bordered matrix: the direction's dual."""
        return direction[0] * self.metric[0], direction[1] * self.metric[1]

    def tangent(self, state, before):
        """Unit direction of the path, of the same sense as the one before; and the sign of the tangent's determinant (0: singular)."""
        zero = np.zeros(self.equations.n), np.zeros(self.equations.count)
        dq, _, dt = Tangent(self.equations, state, self.border(before)).solve(*zero, 1.0)
        size = np.sqrt(self.product((dq, dt), (dq, dt)))
        try:
            sign = Tangent(self.equations, state).sign
        except Singular:
            sign = 0.0
        return (dq / size, dt / size), sign

    def correct(self, state, tangent, length):
        """The state a length further along the path."""
        guess = state.moved(self.equations, length * tangent[0], 0.0, length * tangent[1])
        return newton(self.equations, guess, *self.limits, border=self.border(tangent))

    def fold(self, state, tangent, length, along):
        """The limit point between a state and the one a length further (regula falsi on the tangent's part in the load)."""
        a, fa, b, fb = 0.0, tangent[1], length, along[1]
        for _ in range(40):
            c = (a * fb - b * fa) / (fb - fa)
            found, count = self.correct(state, tangent, c)
            fc = self.tangent(found, tangent)[0][1]
            if abs(fc) <= 1e-9 * abs(self.end - self.start) or abs(b - a) < 1e-12 * length:
                break
            if fc * fb < 0:
                a, fa = b, fb
            else:
                fa *= 0.5
            b, fb = c, fc
        return found, count

    def finish(self, beyond):
        """The state at the end, before one beyond it."""
        last, part = self.states[-1], (self.end - self.states[-1].t) / (beyond.t - self.states[-1].t)
        changes = (part * (getattr(beyond, key) - getattr(last, key)) for key in ("q", "multipliers", "t"))
        guess = replace(last.moved(self.equations, *changes), t=self.end)
        return newton(self.equations, guess, *self.limits)
