"""The start where its guesses do not satisfy the constraints: which of them yield.

Each body has words for its place and its velocity (`Body.words`), and each word is left out, given or fixed.  Changes that the rows ask for
are the smallest by kinetic energy, where what is fixed hardly yields to what is given, and that hardly to what is left out: in y = D x with
D from the levels, and x with places of the frames' origins in place of centres of mass,

    [ M       D^-1 G' ] [ y ]   [  0   ]
    [ G D^-1  0       ] [ l ] = [ -Phi ]

so that velocities that are left out follow from those that are given.  Where all words have one level this is the mass-orthogonal
correction of `index1.corrections`, which is compiled; here is numpy, for the samples that need it.
"""

import numpy as np

from flexmbd.bodies.base import FIXED, LEFT_OUT
from flexmbd.equations.assembly import TURN
from flexmbd.language.ordering import ordered
from flexmbd.linalg.saddle import scaled, together
from flexmbd.parameters import LANE, spread

LESS = 1e-4  # D of a level by that above: what is wanted is put back, and comes nearer by its square with each correction
SLIGHT = 1e-12  # share of what has no mass, and of rows that depend on others
CLOSED = 1e-14  # residual of rows, by what their coordinates are, that may be rounding
ROUNDING = 1e-7  # root of a mass, by the usual one, that is rounding: a plate's across itself
SMALL = 1e-9  # relative change of what is given that may be rounding
ITERATIONS = 80
LARGEST = 1500  # unknowns up to which their equations are solved densely; beyond, all levels count alike
ROOM = 4_000_000  # numbers of the matrices of samples that are solved together


class AsGiven(list):
    """Guesses that say what was given in other coordinates, without a correction."""


class Start:
    """Corrections of guesses, by levels.

    Parameters
    ----------
    problem : Problem
    system : System or Stack
    count : int
        Samples.
    time : float
        s

    Attributes
    ----------
    levels : dict of (str, str) to int
        By body and word.
    offsets : dict of str to tuple
        Centres of mass in their bodies' frames.
    bodies : list of Body
    as_given : bool
        Whether the start that was found is that of guesses `AsGiven`.
    """

    def __init__(self, problem, system, count, time=0.0):
        self.problem, self.count, self.levels, self.offsets = problem, count, system.start_levels(), system.offsets()
        self.as_given = False
        self._system, self._parameters, self._time = system, system.parameters(), time
        self._rows = problem.rows + problem.initial_rows
        self._turning = np.array([measure == "angle" for measure in problem.measures], bool)
        own = all(body.name in problem.first for body in system.bodies) and sum(body.coordinates for body in system.bodies) == problem.n
        self.bodies = list(system.bodies) if own else []  # else the formulation has coordinates of its own

    def assembled(self, q, v):
        """Guesses (n, count) of coordinates and velocities with rows closed, by numpy; `stepping.assembly` does it in lanes."""
        if self.count > 1 and self._same(q, v):
            one = Start(self.problem, self._system, 1, self._time).assembled(q[:, :1], v[:, :1])
            return tuple(np.repeat(x, self.count, axis=1) for x in one)
        guess, alike, found = (q, v), np.zeros(self.problem.n, int), self.places(q).copy()
        which = np.flatnonzero(self._open(found, None))
        for part in self._together(which):
            found[:, part] = self._placed(alike, found, part)
        speeds = v.copy()
        for part in self._together(np.flatnonzero(self._open(found, v))):
            for _ in range(2):
                speeds[:, part] += self._corrected(alike, found[:, part], speeds[:, part], part)
        return found, self.velocities(guess, found, speeds)

    def _same(self, q, v):
        """Whether samples differ in nothing that their assembly depends on."""
        p, offsets = self.problem, [x for offset in self.offsets.values() for x in offset]
        if p.groups or any(np.size(x) > 1 for x in offsets) or any(np.ptp(x, axis=1).any() for x in (q, v)):
            return False
        rows = [row.polynomial for row in self._rows]
        nodes = [x for row in rows for x in (row.value(p.q), row.rate(p.q, p.v, p.time), *row.gradient(p.q).values())]
        return not any(x.level == LANE for x in ordered(p.graph, [*nodes, *p.inertia.entries.values()]))

    def _open(self, q, v):
        """Samples whose rows, or their rates, are open by more than rounding."""
        p = self.problem
        roots = [row.polynomial.value(p.q) if v is None else row.polynomial.rate(p.q, p.v, p.time) for row in self._rows]
        known = {"q": list(q), "t": self._time, "s": [0.0] * len(p.states)} | ({} if v is None else {"v": list(v)})
        found = p.graph.evaluate(roots, known, self._parameters)
        sizes = 1.0 + np.abs(q if v is None else v).max(axis=0, initial=0.0)
        return np.any([np.zeros(self.count), *(np.abs(x) > CLOSED * sizes for x in found)], axis=0)

    def in_words(self, q, v):
        """By body, as pairs, and word what was given and what coordinates and velocities (n, count) mean.

        None where nobody knows, or where all is as it was given.

        Values of a word are (vectors, components, count).
        """
        nodes, first = () if self.as_given else self.problem.natural(), 0
        if not nodes:
            return
        given = [x for part in self._system.initial() for x in part]
        known = {"q": list(q), "v": list(v), "t": self._time, "s": [0.0] * len(self.problem.states)}
        found = self.problem.graph.evaluate(nodes, known, self._parameters)
        both = [spread(x, self.count).reshape(2, -1, self.count) for x in (given, found)]
        for body in self._system.bodies:
            own, first, offset = slice(first, first + body.coordinates), first + body.coordinates, self.offsets.get(body.name)
            before, after = (body.start_in_words(*values[:, own], offset) for values in both)
            yield body.name, {word: (before[word], after[word]) for word in before if (body.name, word) in self.levels}

    def part(self, body, values):
        """A body's own part of values over all coordinates."""
        first = self.problem.first[body.name]
        return values[first : first + body.coordinates]

    def of(self, k):
        """Levels (n,) of the coordinates of places (k = 0) or velocities (k = 1)."""
        out = np.full(self.problem.n, LEFT_OUT)
        for body in self.bodies:
            for word, (first, stop) in body.words[k].items():
                self.part(body, out)[first:stop] = self.levels[body.name, word]
        return out

    def _solvable(self, levels):
        return len(set(levels.tolist())) > 1 and self.problem.n + len(self._rows) <= LARGEST

    def places(self, guess):
        """Guesses (n, count) with rows closed by what is not fixed, as far as that goes; as they are if nothing is fixed."""
        levels = self.of(0)
        if not np.any(levels == FIXED) or not self._solvable(levels):
            return guess
        q = guess.copy()
        for which in self._together(np.arange(self.count)):
            q[:, which] = self._placed(levels, guess, which)
        return np.where(np.isfinite(q).all(axis=0), q, guess)

    def _placed(self, levels, guess, samples):
        q, moving = guess.copy(), np.zeros(self.count, bool)
        moving[samples] = True
        for _ in range(ITERATIONS):
            which = np.flatnonzero(moving)
            before = q[:, which]
            x = self._put_back(levels == FIXED, before, guess[:, which], which)
            step = self._corrected(levels, x, None, which)
            turn = np.abs(step[self._turning]).max(axis=0, initial=0.0)
            q[:, which] = x + step * np.where(turn > TURN, TURN / np.maximum(turn, TURN), 1.0)
            moving[which] = np.max(np.abs(q[:, which] - before) / (1.0 + np.abs(before)), axis=0) > 1e-14
            if not moving.any():
                break
        return q[:, samples]

    def _together(self, which):
        """Samples in parts whose matrices are in memory at once."""
        count = max(1, ROOM // max(1, self.problem.n + len(self._rows)) ** 2)
        return [which[k : k + count] for k in range(0, len(which), count)]

    def velocities(self, guess, q, v):
        """Velocities (n, count) at assembled places, by levels.

        Parameters
        ----------
        guess : (ndarray (n, count), ndarray (n, count))
            Of coordinates and velocities.
        q, v : ndarray (n, count)
            Assembled, all levels alike: they stay where nothing that is given would change.

        Returns
        -------
        ndarray (n, count)
        """
        levels = self.of(1)
        if not self._solvable(levels):
            return v
        wanted, v = self.carried(*guess, q), v.copy()
        for which in self._together(self.touched(wanted, v)):
            x, here = wanted[:, which], q[:, which]
            for back in self.passes(levels):
                x = x if back is None else self._put_back(back, x, wanted[:, which], which)
                x = x + self._corrected(levels, here, x, which)
            good = np.isfinite(x).all(axis=0)
            v[:, which[good]] = x[:, good]
        return v

    def touched(self, wanted, v):
        """Samples in which velocities v (n, count) change what was given; none if all levels are alike."""
        levels = self.of(1)
        if not self._solvable(levels):
            return np.zeros(0, int)
        change = np.abs(self._moved(v - wanted, -1.0, slice(None))) * (levels > LEFT_OUT)[:, None]
        size, found = np.maximum(np.abs(wanted), np.abs(v)), np.zeros(self.count, bool)
        for kind in (self._turning, ~self._turning):
            if kind.any():
                found |= change[kind].max(axis=0) > SMALL * size[kind].max(axis=0)
        return np.flatnonzero(found)

    def passes(self, levels):
        """Coordinates (n,) whose wanted values are put back before a correction, or None, correction by correction."""
        fixed = (levels == FIXED,) * (3 if np.any(levels == FIXED) else 0)
        return *(levels > LEFT_OUT,) * 4, *fixed, None

    def weights(self, levels, which):
        """Matrices (samples, n, n) between which the mass matrix is that of the levels, and those that give origins."""
        change = self.origins(which)
        back = 2.0 * np.eye(self.problem.n) - change  # the inverse: origins depend on directions alone
        return change @ (LESS ** (np.max(levels) - levels)[:, None] * back), back

    def carried(self, q0, v0, q):
        """Guesses of velocities with the bodies' angular velocities, where places have been assembled."""
        v = v0.copy()
        for body in self.bodies:
            q_own, v_own, now = (self.part(body, x) for x in (q0, v0, q))
            self.part(body, v)[:] = body.carried(q_own, v_own, now, self.offsets.get(body.name))
        return v

    def _put_back(self, levels, x, wanted, which):
        """x (n, samples) with what is wanted where `levels` is true, by the places of frames' origins."""
        return self._moved(np.where(levels[:, None], *(self._moved(y, -1.0, which) for y in (wanted, x))), 1.0, which)

    def _moved(self, x, side, which):
        """x (n, samples) of centres of mass by that of frames' origins (side 1), or back (-1)."""
        x = x.copy()
        for body in (body for body in self.bodies if body.name in self.offsets):
            own, d = self.part(body, x), body.dimension
            axes = (own[2:], np.stack((-own[3], own[2]))) if d == 2 else own[3:].reshape(3, 3, -1)
            for offset, axis in zip(self.offsets[body.name], axes, strict=True):
                own[:d] += side * np.broadcast_to(offset, self.count)[which] * axis
        return x

    def origins(self, which):
        """Coordinates by those with frames' origins in place of centres of mass, (samples, n, n)."""
        change = np.broadcast_to(np.eye(self.problem.n), (len(which), self.problem.n, self.problem.n)).copy()
        for body in self.bodies:
            offset, i, d = self.offsets.get(body.name, ()), self.problem.first[body.name], body.dimension
            for k, x in enumerate(offset):
                x = np.broadcast_to(x, self.count)[which]
                for j in range(d):
                    if d == 3:
                        change[:, i + j, i + 3 + 3 * k + j] = x
                    else:  # the second axis is the first one turned: (-uy, ux)
                        change[:, i + j, i + 2 + (j if k == 0 else 1 - j)] += x if k == 0 or j == 1 else -x
        return change

    def _corrected(self, levels, q, v, which):
        """Changes (n, samples) of coordinates, or of velocities if they are given, of the samples `which`."""
        n, count = self.problem.n, len(which)
        side, G, M = self._evaluated(q, v, which)
        change = self.origins(which)
        M = change.transpose(0, 2, 1) @ M @ change
        sizes = np.sqrt(np.einsum("kii->ki", M))
        usual = np.median(sizes, axis=1, keepdims=True)
        sizes = np.where(sizes > ROUNDING * usual, sizes, usual)
        change = change / (sizes * LESS ** (np.max(levels) - levels))[:, None, :]
        masses = M / sizes[:, :, None] / sizes[:, None, :]
        G, factors = scaled(G @ change)
        right = np.concatenate([np.zeros((count, n)), -side * factors], axis=1)
        try:
            found = np.linalg.solve(together(masses, G, SLIGHT), right[:, :, None])[:, :n]
        except np.linalg.LinAlgError:
            return np.full((n, count), np.nan)
        return (change @ found)[:, :, 0].T

    def _further(self, _which):
        """Further states of samples; rows depend on none."""
        return [0.0] * len(self.problem.states)

    def _evaluated(self, q, v, which):
        """Residuals (samples, rows) of the rows or their rates, gradients (samples, rows, n), mass matrices (samples, n, n)."""
        p, rows, count = self.problem, self._rows, len(which)
        slopes = [(k, i, x) for k, row in enumerate(rows) for i, x in row.polynomial.gradient(p.q).items()]
        masses = list(p.inertia.entries.items())
        roots = [row.polynomial.value(p.q) if v is None else row.polynomial.rate(p.q, p.v, p.time) for row in rows]
        known = {"q": [np.ascontiguousarray(x) for x in q], "t": self._time, "s": self._further(which)}
        known |= {} if v is None else {"v": [np.ascontiguousarray(x) for x in v]}
        numbers = self._parameters.of_samples(which)
        found = p.graph.evaluate([*roots, *(x for *_, x in slopes), *(m for _, m in masses)], known, numbers)
        side, G, M = np.zeros((count, len(rows))), np.zeros((count, len(rows), p.n)), np.zeros((count, p.n, p.n))
        for k in range(len(rows)):
            side[:, k] = found[k]
        for (k, i, _), x in zip(slopes, found[len(rows) :], strict=False):
            G[:, k, i] = x
        for ((i, j), _), x in zip(masses, found[len(rows) + len(slopes) :], strict=True):
            M[:, i, j] = M[:, j, i] = x
        for group in (group for group in p.groups if group.mass):
            for e, places in enumerate(group.coordinates.tolist()):
                values = p.graph.evaluate(list(group.mass.values()), group.of_element(e, {} if group.constant else known, numbers), numbers)
                for (i, j), x in zip(group.mass, values, strict=True):
                    M[:, places[i], places[j]] += x
        return side, G, M
