"""States of one call of a section map, carried one after another by compiled code."""

from dataclasses import dataclass

import numpy as np

from flexmbd.dynamics import names
from flexmbd.dynamics.flow import STAGES
from flexmbd.dynamics.travel import rates, travel
from flexmbd.dynamics.where import TURN
from flexmbd.running.scales import contact_scales, extents
from flexmbd.running.settings import Settings
from flexmbd.stepping import compiled

WORDS = {
    names.SINGULAR: "accelerations are not unique: rows depend on each other, or something has no mass",
    names.SMALL: "steps become too small",
    names.MANY: "it takes more than {most} steps",
    names.OPEN: "the mechanism cannot be assembled from the state",
    names.INSIDE: "it starts within a contact that cannot be penetrated",
    names.CHATTERS: "impacts accumulate: the contact closes, which this map does not follow",
    names.GRAZES: "it grazes, with an approach speed of {approach:.2g} m/s: multipliers grow without bound there",
    names.REMEMBERS: "it starts in contact, and the force depends on the approach speed of its onset: take another phase, or memory=True",
    names.HOLDS: "the restitution is zero: the contact stays closed, which this map does not follow",
    names.LIMIT: "friction in an impact is at its limit, between sliding and sticking: there is no derivative",
    names.JAMS: "friction leaves an impact without a solution",
    names.LOST: "it does not come to the section within {within:.6g} s",
    names.TOUCHES: "it only touches the section, which it passes at a rate near zero: multipliers grow without bound there",
}
GRAZING = 1e-6  # approach speed, by what crosses the mechanism from section to section
COARSEST_STEP = 0.05  # of the time from section to section
BETWEEN = 32  # times in a period, by which what depends on it is assembled
MODULE = (travel, rates)  # compiled together


@dataclass(frozen=True, eq=False)
class Facts:
    """What all states of a section map have.

    Attributes
    ----------
    guess : ndarray (2 n,)
        Coordinates and velocities near which states are.
    free, bound : ndarray of int
        Independent coordinates, and the others.
    weights : ndarray (n,)
        What a coordinate's change is judged by.
    size : float
        Of the mechanism, m.
    turns : dict of str to float
        Angles that count turns, by body.
    kept : int
        Approach speeds that are coordinates of the state.
    tolerance : float
    most : int
        Steps.
    section : int
        Its kind (`names`).
    driven : bool
        Whether the phase is a coordinate, the last.
    apart : int
        Contact that is left out, -1: none.
    """

    guess: np.ndarray
    free: np.ndarray
    bound: np.ndarray
    weights: np.ndarray
    size: float
    turns: dict
    kept: int
    tolerance: float
    most: int
    section: int
    driven: bool
    apart: int = -1


@dataclass(frozen=True, eq=False)
class Sections:
    """Where n states go.

    Attributes
    ----------
    spans, span_slopes : ndarray (n,), (n, inputs)
        Times to the next section, or periods of what depends on time (NaN: nothing does), and their derivatives.
    within : ndarray (n,)
        Times in s after which motions are lost.
    levels, level_slopes : ndarray (n,), (n, inputs)
        That an output passes.
    way : float
        How it does: 1 up, -1 down, 0 both.
    """

    spans: np.ndarray
    span_slopes: np.ndarray
    within: np.ndarray
    levels: np.ndarray
    level_slopes: np.ndarray
    way: float


class Lanes:
    """States of one call.

    Parameters
    ----------
    facts : Facts
    code : Code
    system : System
        With as many samples as there are states, or one.
    count, columns : int
        States; columns of a state with its derivatives.
    """

    def __init__(self, facts, code, system, count, columns):
        self._facts, self._code = facts, code
        numbers, own = code.storage.pack(code.problem.graph, system.parameters(), count)
        self._own = np.ascontiguousarray(np.hstack([own, np.zeros((count, 1))]))
        elements = [c.element for c in code.problem.contacts]
        self._slowest = contact_scales(system, elements, extents(system, count), Settings(tolerance=facts.tolerance))[1]
        n, m, contacts = code.problem.n, len(code.problem.rows), len(code.problem.contacts)
        every, wide, broad = contacts + len(code.problem.unilaterals), n + m + 4, max(3, columns)
        self.y, self.z = np.zeros((2 * n, columns)), np.zeros((max(1, contacts), columns))
        self.p, self.reals = np.zeros((max(1, len(code.paths)), columns)), np.zeros(names.REALS_COUNT)
        self.told = np.zeros(names.TOLD_COUNT)
        self._end, self._other = np.zeros((2 * n, columns)), np.zeros((2 * n, columns))
        self._shifts, self._begun, self._nearest = np.zeros(columns), np.zeros(2 * n), np.zeros(columns)
        self._levels = np.zeros(columns)
        place = np.full(n, -1, np.int64)
        place[facts.bound] = np.arange(m)
        arrays = {
            names.NUMBERS: numbers, names.TABLES: code.storage.tables,
            names.STATE: self.y, names.SPEEDS: self.z, names.CHANGES: self.p, names.MATRIX: np.zeros((wide, wide)),
            names.ORDER: np.zeros(wide, np.int64), names.SCALE: np.zeros(wide), names.SIDES: np.zeros((wide, broad)),
            names.RATES_AT: np.zeros((STAGES, 2 * n, columns)), names.STAGE: np.zeros_like(self.y), names.END: self._end,
            names.OTHER: self._other, names.BEFORE: np.zeros(2 * every + 1), names.AFTER: np.zeros(2 * every + 1),
            names.SHIFTS: self._shifts, names.BEGUN: self._begun, names.WEIGHTS: np.array(facts.weights, float), names.FREE: facts.free,
            names.BOUND: facts.bound, names.PLACE: place, names.TURNING: np.array([*code.turning, 0], np.int64),
            names.REMEMBERED: code.remembered, names.REALS: self.reals, names.TOLD: self.told,
            names.ENTRIES: code.entries, names.SEGMENTS: code.segments, names.NEAREST: self._nearest,
            names.LEVELS: self._levels,
        }  # fmt: skip
        self._at = np.concatenate([code.sizes, code.addresses])
        for entry, array in arrays.items():
            self._at[entry] = array.ctypes.data
        self._at[[names.COLUMNS, names.OF_STATE, names.WIDE, names.BROAD]] = columns, 2 * len(facts.free), wide, broad
        self._at[[names.TURNING_COUNT, names.KEPT, names.MOST, names.SECTION]] = len(code.turning), facts.kept, facts.most, facts.section
        self._at[names.APART] = facts.apart
        self._held = arrays  # addresses are of these
        self._X, self._W = np.zeros((code.sizes[names.X_ROWS], 1)), np.zeros((code.work, 1))

    def _run(self, function, k):
        own = self._own[k][:, None]
        arguments = self._X, own, self._W, self._at
        call = compiled.caller(function, 1, MODULE)
        call(*((x.ctypes.data for x in arguments) if call is not function else arguments))

    def carry(self, k, state, slopes, sections):
        """State k and its derivatives (d, columns), onsets of contact, least approach speed, the time that it took, and what is wrong.

        Parameters
        ----------
        state : ndarray (d,)
        slopes : ndarray (numbers, inputs)
            Derivatives of the system's numbers by inputs.
        sections : Sections
        """
        facts, code, rows = self._facts, self._code, np.concatenate([self._facts.free, len(self._facts.weights) + self._facts.free])
        kept, f, d = facts.kept, len(rows), len(state)
        span, rate, within = sections.spans[k], sections.span_slopes[k], sections.within[k]
        nothing = np.full((d, self.y.shape[1]), np.nan)
        if not np.all(np.isfinite(state)):
            self._nearest[:] = np.nan
            return nothing, 0, np.inf, np.nan, "the state is not finite"
        self.y[:], self.z[:], self.p[:], self.told[:] = 0.0, 0.0, 0.0, 0.0
        self.y[:, 0], self.told[names.APPROACH] = facts.guess, np.inf
        self._end[rows, 0], self.z[:kept, 0] = state[:f], state[f : f + kept]
        self.y[rows, 1 + np.arange(f)] = 1.0
        self.z[np.arange(kept), 1 + f + np.arange(kept)] = 1.0
        self.p[: len(slopes), 1 + d :], self._levels[1 + d :] = slopes, sections.level_slopes[k]
        code.prepare(self._X[:, 0], self._slowest[:, k], [facts.turns[name] for name in code.turned])
        start, scale = state[-1] * span / TURN if facts.driven else 0.0, within if np.isnan(span) else span
        until = span if facts.section == names.NOWHERE else start + within
        slow, coarsest = GRAZING * facts.size / scale, COARSEST_STEP * scale
        self.reals[:] = facts.tolerance, scale, slow, coarsest, facts.size, start, until, sections.levels[k], sections.way
        self._at[names.BETWEEN] = 1 + int(BETWEEN * abs(start) / scale)
        self._run(travel, k)
        wrong, approach, struck = int(self.told[names.WRONG]), float(self.told[names.APPROACH]), int(self.told[names.STRUCK])
        said = WORDS[wrong].format(most=facts.most, approach=approach, within=within) if wrong else ""
        said += f" (at {self.told[names.TIME]:.6g} s)" if wrong else ""
        if wrong not in (names.DONE, names.GRAZES, names.TOUCHES, names.LIMIT):
            self._nearest[:] = np.nan
            return nothing, struck, approach, np.nan, said
        if facts.section == names.NOWHERE:
            took, phase = span, np.zeros((0, self.y.shape[1]))
            if np.any(rate):
                self._run(rates, k)
                self.y[:, 1 + d :] += np.outer(self._other[:, 0], rate)
        else:
            took = float(self.told[names.ARRIVED]) - start
            phase = self._arrived(rows, d, state[-1], span, rate)
        found = np.concatenate([self.y[rows], self.z[:kept] * code.modes(self._X[:, 0])[:kept, None], phase])
        if wrong:
            found[:, 1:], self._nearest[1:] = np.nan, np.nan
        return found, struck, approach, took, said

    def nearest(self):
        """Of the last state: the largest penetration of the contact that is left out, its derivatives (columns,), and when it is."""
        return self._nearest.copy(), float(self.told[names.NEAREST_AT])

    def _arrived(self, rows, d, phase, period, rate):
        """Let neighbours be where they are when they arrive; the phase then and its derivatives (1, columns), where it is a coordinate.

        What begins later by dt is as what begins at the same time ``f dt`` further back.
        """
        shifts, driven, of_state, of_inputs = self._shifts, self._facts.driven, slice(1, 1 + len(rows)), slice(1 + d, None)
        if driven:
            for columns in (self.y, self.z, shifts[None], self._nearest[None]):
                later = -columns[:, of_state] @ self._begun[rows]
                columns[:, of_inputs] += np.outer(later, phase / TURN * rate)
                columns[:, d] = later * period / TURN
        self.y += np.outer(self._other[:, 0], shifts)
        if not driven:
            return np.zeros((0, len(shifts)))
        turns = float(self.told[names.ARRIVED]) / period
        found = TURN / period * shifts
        found[0] = TURN * _near(turns % 1.0, phase / TURN)
        found[of_inputs] -= TURN * turns / period * rate
        return found[None]


def _near(turns, begun):
    """Turns from 0 to 1, or a little more or less: then on the side of those that it began with, so that orbits there are found."""
    other = turns - 1.0 if turns > 0.5 else turns + 1.0
    return other if abs(other - begun) < 0.5 and -0.1 < other < 1.1 else turns
