"""Times that are known before a run, found in the equations: where a function of time alone, or its slope, jumps.

Nodes that depend on time alone are followed through the graph as pieces ``a t + b + w floor(c t + d)``.  Known are: where the two sides of
a comparison are equal (a sine and a number too), the corners of a table, the jumps of a floor, the corner of an absolute value; of what is
repeated all of them with its period.  What goes into an exponential function or another smooth step has its middle and its widths as known
times, so that a pulse far from anything else is seen; and what goes into a sine has a rate, in which no step is longer than
`stepping.within.TURN`.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import product

import numpy as np

from flexmbd.language import kinds
from flexmbd.language.ordering import ordered
from flexmbd.language.results import sources
from flexmbd.parameters import RUNTIME
from flexmbd.stepping import names

PIECES = 16  # of one node that are followed
WIDTHS = (0.0, -4.0, -1.0, 1.0, 4.0)  # of a smooth step, from its middle
SMOOTH = ("exp", "tanh", "power", "atan2", "log")


@dataclass(frozen=True)
class Piece:
    """``a t + b + w floor(c t + d)`` with the floor of number `floor` (None: none); numbers or arrays over samples."""

    a: object
    b: object
    w: object = 0.0
    floor: int | None = None

    @property
    def still(self):
        """True if it does not depend on time."""
        return self.floor is None and not np.any(self.a)


def timed(problem):
    """What `KnownTimes` looks at, once for a problem: nodes that time goes into, and those of their numbers known before a run."""
    periods = [c.period for c in problem.contacts if c.period is not None]
    roots, now = [*_roots(problem), *problem.times, *periods], problem.time
    if not np.any(problem.graph.columns.extended(problem.graph.nodes).args == now.id):  # nothing is made of the time
        roots = [x for x in roots if x is now] + [*problem.times, *periods]
    nodes, found = ordered(problem.graph, roots), {}
    for node in nodes:
        args = [x.id for x in node.args]
        if (node is problem.time) or not found.keys().isdisjoint(args):
            found[node.id] = node
    wanted = {x.id for node in found.values() for x in node.args} | {x.id for x in (*problem.times, *periods)}
    given = [x for x in nodes if x.id in wanted and x.kind is not kinds.VARIABLE and x.level < RUNTIME and x.kind is not kinds.TABLE]
    return list(found.values()), given


class KnownTimes:
    """Known times of the samples of a system.

    Parameters
    ----------
    problem : Problem
    timed : tuple of list
        `timed` of it.
    parameters : Parameters
        Of the system.
    count : int
        Samples.

    Attributes
    ----------
    groups : list of (ndarray, ndarray)
        Times, shape (samples or 1, times) and ascending, and the period with which they come again, (samples or 1,); 0: they do not.
    rate : ndarray (count,)
        Fastest rate of a sine, rad/s.
    """

    def __init__(self, problem, timed, parameters, count):
        self._graph, self._parameters, self.count = problem.graph, parameters, count
        self.rate, self._once, self._again, self._floors, self._waves = np.zeros(count), [], defaultdict(list), {}, {}
        nodes, given = timed
        self._values = dict(zip((x.id for x in given), problem.graph.evaluate(given, {}, parameters), strict=True))
        with np.errstate(all="ignore"):
            for node in problem.times:
                self._add(self._values[node.id])
            for contact in problem.contacts:
                if contact.period is not None:
                    self._add(0.0, self._values[contact.period.id])
            self._pieces = {key: [Piece(0.0, value)] for key, value in self._values.items()}
            for node in nodes:
                self._pieces[node.id] = self._follow(node)
        self.groups = self._grouped()

    # ---- pieces of a node; None where it depends on more than time, or otherwise
    def _follow(self, node):
        if node.kind is kinds.VARIABLE:
            return [Piece(1.0, 0.0)] if node.value.space == "t" else None
        args = [self._pieces.get(x.id) for x in node.args]
        if self._wave(node):
            return None
        if node.kind is kinds.SELECT:
            both = None if None in args[1:] else [*args[1], *args[2]]
            return both if both is not None and len(both) <= PIECES else None
        if not args or None in args:
            self._look_into(node, args)
            return None
        if node.kind in (kinds.GREATER, kinds.FABS):
            for parts in product(*args):
                self._zero(parts[0] if node.kind is kinds.FABS else _sum(*parts, -1.0))
            return None
        if node.kind is kinds.LOOKUP:
            starts = self._parameters[node.value.value[0]].values[..., 0]
            for piece, k in product(args[0], range(starts.shape[-1])):
                self._zero(_sum(piece, Piece(0.0, starts[..., k]), -1.0))
            return None
        if node.kind is kinds.CALL:
            return self._called(node, args)
        if node.kind not in _COMBINED:
            return None
        found = [_COMBINED[node.kind](*parts) for parts in product(*args)]
        return found if None not in found and len(found) <= PIECES else None

    def _called(self, node, args):
        """Pieces of a floor; of other functions the times and the rate that they have."""
        word = getattr(node.function, "__name__", "")
        one = args[0][0] if len(args) == 1 and len(args[0]) == 1 else None
        if word == "floor" and one is not None and one.floor is None:
            self._floors[node.id] = one.a, one.b
            self._again_at(-one.b / one.a, 1.0 / np.abs(one.a))
            return [Piece(0.0, 0.0, 1.0, node.id)]
        self._look_into(node, args)
        return None

    def _wave(self, node):
        """Whether it is ``size sin(turn) + middle`` with numbers and a turn that is a piece, or says when one is above something still."""
        if node.kind is kinds.RESULT:
            call, k = node.args[0], node.value
            turns = self._pieces.get(call.args[0].id) if _sine(call) else None
            if turns and len(turns) == 1 and turns[0].floor is None:
                self._waves[node.id] = 1.0, Piece(turns[0].a, turns[0].b + (0.0 if k == 0 else 0.5 * np.pi)), 0.0
            return node.id in self._waves
        if node.kind not in (*_COMBINED, kinds.GREATER):
            return False
        waves = [self._waves.get(x.id) for x in node.args]
        if sum(w is not None for w in waves) != 1:
            return False
        first = waves[0] is not None
        size, turn, middle = waves[0] if first else waves[1]
        other = [0.0] if node.kind is kinds.NEG else [x.b for x in self._pieces.get(node.args[1 if first else 0].id) or () if x.still]
        if len(other) != 1 or (node.kind is kinds.DIV and not first):
            return False
        x, sign = other[0], -1.0 if node.kind is kinds.NEG or (node.kind is kinds.SUB and not first) else 1.0
        if node.kind is kinds.GREATER:
            share = np.true_divide(x - middle, size)
            for angle in (np.arcsin(share), np.pi - np.arcsin(share)):  # NaN where it is never there
                self._again_at((angle - turn.b) / turn.a, np.abs(2.0 * np.pi / turn.a))
            return True
        if node.kind in (kinds.MUL, kinds.DIV):
            by = x if node.kind is kinds.MUL else 1.0 / x
            self._waves[node.id] = size * by, turn, middle * by
        else:
            self._waves[node.id] = sign * size, turn, sign * middle + (-x if node.kind is kinds.SUB and first else x)
        return True

    def _look_into(self, node, args):
        """A function that is not a piece: of a sine its rate, of a smooth step its middle and widths."""
        word = getattr(node.function, "__name__", "") if node.kind is kinds.CALL else ""
        if _sine(node):
            for piece in args[0] or ():
                self.rate = np.maximum(self.rate, np.abs(piece.a))
        elif word in SMOOTH:
            for x in ordered(self._graph, node.args):
                for piece in self._pieces.get(x.id) or ():
                    if piece.floor is None and not piece.still and x.kind is not kinds.VARIABLE:
                        for width in WIDTHS:
                            self._add((width - piece.b) / piece.a)

    # ---- times
    def _zero(self, piece):
        """Known times are those at which a piece is zero."""
        if piece.still:
            return
        if piece.floor is None:
            self._add(-piece.b / piece.a)
            return
        c, d = self._floors[piece.floor]
        at, every = -piece.b / piece.a, np.abs(piece.w / piece.a)
        turn = c * at + d  # with each turn of the floor the zero is a turn later: then it is in each turn, or in none
        if np.all(np.isfinite(at)) and np.allclose(-c * piece.w / piece.a, 1.0, rtol=1e-9):
            self._again_at(np.where((turn >= -1e-9) & (turn < 1.0 + 1e-9), at, np.inf), every)

    def _add(self, time, period=None):
        if period is None:
            self._once.append(np.asarray(time, float))
        else:
            self._again_at(time, period)

    def _again_at(self, time, period):
        time, period = np.asarray(time, float), np.asarray(period, float)
        finite = np.isfinite(period) & (period > 0.0)
        time = np.where(np.isfinite(time) & finite, time - np.floor(time / period) * period, np.inf)
        self._again[np.where(finite, period, 1.0).tobytes()].append((time, np.where(finite, period, 1.0)))

    def _grouped(self):
        """Groups of times: those of all samples apart from those that differ."""
        groups = []
        for times, period in [(self._once, np.zeros(())), *(([t for t, _ in x], x[0][1]) for x in self._again.values())]:
            for many in (False, True):
                some = [t for t in times if bool(t.ndim) == many]
                if some:
                    table = np.array([np.broadcast_to(t, self.count if many else 1) for t in some]).T
                    table = np.sort(np.where(np.isfinite(table) & (table >= 0.0), table, np.inf), axis=1)
                    keep = np.isfinite(table).any(axis=0)
                    keep[1:] &= np.any(table[:, 1:] != table[:, :-1], axis=0)
                    if keep.any():
                        groups.append((np.ascontiguousarray(table[:, keep]), np.atleast_1d(np.asarray(period, float))))
        return groups

    def table(self):
        """What the time loop reads (`stepping.known`), by entry, and the arrays that must stay alive."""
        words = []
        for times, period in self.groups:
            many, varied = int(len(times) > 1), int(len(period) > 1)
            words += [times.shape[1], times.shape[1] * many, times.ctypes.data, period.ctypes.data, varied]
        return {names.KNOWN: np.array(words or [0], np.int64)}, len(self.groups)


def _roots(problem):
    """Nodes of the motion."""
    found = [*sources(problem.a), *problem.generalized, *(s.rate for s in problem.states)]
    found += [x for c in problem.contacts for x in (c.penetration, c.rate, *(value for _, value in c.assigns))]
    return found + [x for c in problem.unilaterals for x in (c.gap, *c.rates, *c.numbers)]


def _sine(node):
    return node.kind is kinds.CALL and getattr(node.function, "__name__", "") == "sincos"


def _sum(x, y, sign=1.0):
    """x + sign y, unless they have different floors."""
    if x.floor is not None and y.floor is not None and x.floor != y.floor:
        return None
    return Piece(x.a + sign * y.a, x.b + sign * y.b, x.w + sign * y.w, y.floor if x.floor is None else x.floor)


def _scaled(x, y):
    """Product, if one does not depend on time."""
    x, y = (x, y) if x.still else (y, x)
    return Piece(x.b * y.a, x.b * y.b, x.b * y.w, y.floor) if x.still else None


def _over(x, y):
    """Quotient, if the second does not depend on time."""
    return Piece(*(np.true_divide(k, y.b) for k in (x.a, x.b, x.w)), x.floor) if y.still else None


_COMBINED = {
    kinds.ADD: _sum, kinds.SUB: lambda x, y: _sum(x, y, -1.0), kinds.MUL: _scaled, kinds.DIV: _over,
    kinds.NEG: lambda x: _scaled(Piece(0.0, -1.0), x),
}  # fmt: skip

__all__ = ["KnownTimes", "timed"]
