"""The function of a motion's Taylor coefficients, as straight instructions for a fixed order.

Called like other functions of a model, with the point at a step's start. A part of the lanes at a time, as many as a register has: of
twice as many no product of series would stay in registers.
"""

from __future__ import annotations

from math import log, prod

from flexmbd.codegen.series_loop import HEAD, Onward
from flexmbd.lanes.recurrences import Rate, minus, plus, times
from flexmbd.language.kinds import ADD, DIV, MUL, NEG, PRODUCT, RESULT, SUB, VARIABLE
from flexmbd.language.ordering import leaf, ordered
from flexmbd.language.series import Series
from flexmbd.stepping.names import ANGULAR_SCALE, CUT, VELOCITY_SCALE

LINEAR = {ADD: plus, SUB: minus, MUL: times, NEG: lambda a: minus(0.0, a)}


def write(functions, name, motion, order, tolerance):
    """Write the function `name`: coefficient k of q, v and s, from k = 1 on, in rows ``(2n + m)(k - 1)`` of what the scheme keeps.

    In `CUT` it leaves the step at which the last coefficients of velocities and controlled states are the tolerance, by the least radius of
    convergence that the last four say: by symmetry three of four are zero where a pendulum is released from the horizontal.

    Parameters
    ----------
    functions : Functions
    motion : flexmbd.equations.series.Motion
    order : int
    tolerance : float
        Of what errors are judged by.
    """
    part, first = functions.target.part, functions.layout.sizes["FACTORS"]
    inside = functions.written(name, 1, lambda piece: _Coefficients(piece, motion, order, first).write(tolerance), part)
    functions.target.export(functions.module, name, inside, part)


class _Coefficients:
    """Coefficients as values of machine code, order by order."""

    def __init__(self, piece, motion, order, first):
        self.piece, self.motion, self.order, self.first = piece, motion, order, first
        problem, graph = motion.problem, motion.problem.graph
        self.series = Series(graph, self.value, piece.writer.select)
        self.moving = [*problem.q, *problem.v, *graph.space("s").first(len(problem.states))]
        given = self.series.given
        unknown, momenta = {x.id for x in (*motion.unknowns, *motion.derived)}, (x for x, _ in motion.derived.values())
        turning = [x for turn in motion.turns for x in (*turn.rates, *turn.moment)]
        unknown |= {x.id for turn in motion.turns for x in turn.spin}
        for x in graph.needed([*motion.start, *motion.residuals, *momenta, *motion.rates, *turning, *self.moving]):
            if x.kind is VARIABLE and x.id not in unknown:  # what does not move keeps its value, as the mode of a contact
                given[x.id] = [self.value(x)] + [0.0] * order
        given |= {x.id: [self.value(x)] for x in self.moving} | {x.id: [] for x in motion.unknowns}
        given[problem.time.id] = [self.value(problem.time), 1.0] + [0.0] * order
        self.series.derived = {x.id: of for x, of in motion.derived.items()}
        sides = _above(motion.sides, nodes := ordered(graph, motion.solution))
        self.along, self.moments, self._lengths = {}, {}, {}
        for x, value in self._spins([self.value(x) for x in problem.v], 1):
            given[x.id], piece.found[x.id] = [value], value
        self.applied = [x for x in nodes if x.id in sides and x.kind is not VARIABLE and x.kind is not PRODUCT]

    def write(self, tolerance):
        """Compute and store."""
        for k in range(min(HEAD, self.order)):
            self._straight(k)
        if self.series.products * self.order**2 > self.series.graph.tuning.straight_series:
            self._loop()
        else:
            for k in range(HEAD, self.order):
                self._straight(k)
        radius = None  # of convergence, its logarithm
        for k in range(max(1, self.order - 3), self.order + 1):
            own = self._size(k) * (-1.0 / k)
            radius = own if radius is None else self.piece.writer.select(own > radius, radius, own)
        self.piece.loops.store(self.piece.moved("X", CUT), 0, self.piece.words["exp"](radius + log(tolerance) / self.order))

    def _straight(self, k):
        """Coefficients of order k + 1 of what moves."""
        given, problem = self.series.given, self.motion.problem
        for q, v in zip(problem.q, problem.v, strict=True):
            given[q.id].append(times(given[v.id][k], 1.0 / (k + 1)))
        if k == 1:
            self.piece.found |= {x.id: self.series(x, 0) for x in self.motion.derived}
        unknowns = self.solved(self._sides(self.series, k) if k else [self.value(x) for x in self.motion.start])
        if k == 0:
            self.series.open = 0
            self._turned(self.series, 0)
            self.series.settle()
        spins = self._spin_rates(unknowns, k)
        unknowns = self._with_along(unknowns, spins)
        for x, rate in spins:
            given[x.id].append(times(rate, 1.0 / (k + 1)))
        for x, value in zip(self.motion.unknowns, unknowns, strict=True):
            given[x.id].append(value)
            if k == 0:
                self.piece.found[x.id] = value
        rates = [*unknowns[: problem.n], *(self.series(x, k) for x in self.motion.rates)]
        for x, rate in zip(self.moving[problem.n :], rates, strict=True):
            given[x.id].append(times(rate, 1.0 / (k + 1)))
        for i, x in enumerate(self.moving):
            self.piece.loops.store(self.piece.moved("X", self._row(k + 1, i)), 0, given[x.id][k + 1])

    def _row(self, k, i):
        """Row of X of coefficient k of what moves."""
        return (k - 1) * len(self.moving) + (self.first + i)

    def _loop(self):
        """The same of further orders."""
        problem, piece = self.motion.problem, self.piece
        for q, v in zip(problem.q, problem.v, strict=True):
            self.series.given[q.id].append(times(self.series.given[v.id][HEAD], 1.0 / (HEAD + 1)))
        onward = Onward(self.series, piece, self.order)
        spins = [x for own in self.motion.turns for x in own.spin]
        for x in spins:
            onward.put(x, HEAD, self.series.given[x.id][HEAD])
        with piece.loops.loop(HEAD, self.order) as turn:
            k, n = onward.begun(turn), problem.n
            given = {x.id: {} for x in self.motion.unknowns} | {i: {} for i in self.series.given}
            known = [piece.load("X", self._row(turn, i)) for i in range(len(self.moving))]
            for i, x in enumerate(self.moving):
                given[x.id] = {0: known[i]} | ({1: times(known[n + i], 1.0 / (k + 1))} if i < n else {})
            given |= {x.id: {0: onward.get(x)} for x in spins}
            onward.given = given
            unknowns = self.solved(self._sides(onward, k))
            rates = self._spin_rates(unknowns, k)
            for x, rate in rates:
                onward.put(x, turn + 1, times(rate, 1.0 / (k + 1)))
            for x, value in zip(self.motion.unknowns, self._with_along(unknowns, rates), strict=True):
                given[x.id][0] = value
            rates = [*(given[x.id][0] for x in self.motion.unknowns[:n]), *(onward(x, k) for x in self.motion.rates)]
            for x, rate in zip(self.moving[n:], rates, strict=True):
                given[x.id][1] = times(rate, 1.0 / (k + 1))
            for q, v in zip(problem.q, problem.v, strict=True):
                given[q.id][2] = times(given[v.id][1], 1.0 / (k + 2))
            for i, x in enumerate(self.moving):
                piece.loops.store(piece.moved("X", self._row(turn + 1, i)), 0, given[x.id][1])
            onward.keep()
        piece.functions.rows = max(piece.functions.rows, piece.rows.size)

    def _size(self, k):
        """Logarithm of the largest coefficient of order k by what errors are judged by; what is no number stays."""
        piece, problem = self.piece, self.motion.problem
        scales = {"length": VELOCITY_SCALE, "angle": ANGULAR_SCALE}
        known = [piece.load("X", self._row(k, i)) for i in range(len(self.moving))]
        coefficients = known[problem.n : 2 * problem.n]
        sizes = [piece.load("X", row) for row in scales.values()]
        largest = [self._largest([x for x, m in zip(coefficients, problem.measures, strict=True) if m == which]) for which in scales]
        sizes = [x / y for x, y in zip(largest, sizes, strict=True)]
        for i, (x, state) in enumerate(zip(self.moving[2 * problem.n :], problem.states, strict=True)):
            if state.controlled:
                size = self._largest([piece.load("X", piece.functions.layout.sizes["LARGEST"] + i), self.value(x), 1e-12])
                sizes.append(self._largest([known[2 * problem.n + i]]) / size)
        lost = sum((0.0 * x for x in coefficients), piece.writer.value(0.0))
        return piece.words["log"](self._largest(sizes) + lost)

    def _largest(self, values):
        """Largest absolute value."""
        writer, found = self.piece.writer, self.piece.writer.value(0.0)
        for x in values:
            size = writer.intrinsic("fabs", x)
            found = writer.select(size > found, size, found)
        return found

    def _sides(self, series, k):
        """What the equations have at order k without unknowns of that order."""
        problem = self.motion.problem
        series.begin(k)
        series.open = k
        self.along = {}
        for first, row in self.motion.lengths:
            own = [self.value(x) for x in problem.q[first : first + 4]]
            wanted = times(series(self.motion.residuals[problem.n + row], k), self._over(own))
            self.along |= {first + i: times(wanted, x) for i, x in enumerate(own)}
        self._turned(series, k)
        if self.along:
            series.draft({self.motion.unknowns[i]: x for i, x in self.along.items()})
            series.draft({problem.v[i]: times(x, 1.0 / (k + 1)) for i, x in self.along.items()})
            series.draft({problem.q[i]: times(times(x, 1.0 / (k + 1)), 1.0 / (k + 2)) for i, x in self.along.items()})
        sides = [series(x, k) for x in self.motion.residuals]
        for turn in self.motion.turns:
            self.moments[turn.first] = moment = [series(x, k) for x in turn.moment]
            for i, columns in enumerate(turn.columns):
                sides[turn.first + i] = times(2.0, self._dot(columns, moment))
        series.settle()
        return sides

    def _turned(self, series, k):
        """What quaternions' accelerations are if spins do not change."""
        for turn in self.motion.turns:
            self.along |= {turn.first + i: series(Rate(x), k) for i, x in enumerate(turn.rates)}

    def _dot(self, nodes, values):
        """Sum of products of nodes at the start with values."""
        total = 0.0
        for x, value in zip(nodes, values, strict=True):
            total = plus(total, times(self.value(x), value))
        return total

    def _spins(self, rates, over=0):
        """Variables that are spins, and their values by rates of coordinates, or their rates by accelerations that are not along.

        Rates of coordinates go with the quaternion's length, accelerations at the start with its cube; here moments are of a unit one.
        """
        found = []
        for turn in self.motion.turns:
            own = slice(turn.first, turn.first + 4)
            factor = prod([self._over([self.value(x) for x in self.motion.problem.q[own]])] * over, start=2.0)
            found += [(x, times(self._dot(column, rates[own]), factor)) for x, column in zip(turn.spin, zip(*turn.columns), strict=True)]
        return found

    def _spin_rates(self, unknowns, k):
        """Variables that are spins, and their rates, where moments are those of order k: of bodies by themselves from these alone."""
        found = dict(self._spins(unknowns, 0 if k else 2))
        for turn in self.motion.turns:
            if turn.inverse:
                moment = self.moments[turn.first] if k else [self.value(x) for x in turn.moment]
                found |= {x: self._dot(own, moment) for x, own in zip(turn.spin, turn.inverse, strict=True)}
        return list(found.items())

    def _with_along(self, unknowns, spins):
        """Unknowns with accelerations that are known before equations are solved; those of quaternions follow from rates of spins."""
        rates, found = {x.id: rate for x, rate in spins}, list(unknowns)
        for turn in self.motion.turns:
            half = [times(0.5, rates[x.id]) for x in turn.spin]
            found[turn.first : turn.first + 4] = [self._dot(own, half) for own in turn.columns]
        return [plus(x, self.along[i]) if i in self.along else x for i, x in enumerate(found)]

    def _over(self, own):
        """One over the square of a length, known at the start."""
        key = own[0].ir
        if key not in self._lengths:
            self._lengths[key] = 1.0 / (own[0] * own[0] + own[1] * own[1] + own[2] * own[2] + own[3] * own[3])
        return self._lengths[key]

    def value(self, node):
        """Value of a node at the start."""
        piece, stack = self.piece, [node]
        while stack:
            missing = [a for a in stack[-1].args if not self._there(a)]
            if missing and not self._there(stack[-1]):
                stack += missing
            elif not self._there(x := stack.pop()):
                piece.compute(x)
        return piece.value(node)

    def _there(self, x):
        return x.id in self.piece.found or x.constant or leaf(x)

    def solved(self, sides):
        """Unknowns for right-hand sides: sums and products of what is known at the start with these."""
        known = dict(zip((x.id for x in self.motion.sides), sides, strict=True))

        def value(x):
            return known[x.id] if x.id in known else self.value(x)

        for x in self.applied:
            if x.kind is RESULT:
                product = x.args[0]
                matrix, row = product.value[0], 0.0
                for j in matrix.columns(x.value):
                    row = plus(row, times(self.value(self.series.graph.entry(matrix.table, x.value, j)), value(product.args[j])))
                known[x.id] = row
            elif x.kind is DIV:
                known[x.id] = times(value(x.args[0]), self.series.inverse(x.args[1]))
            else:
                known[x.id] = LINEAR[x.kind](*map(value, x.args))
        return [value(x) for x in self.motion.solution]


def _above(variables, nodes):
    """Ids of variables, and of those among nodes, arguments first, that depend on them."""
    found = {x.id for x in variables}
    for x in nodes:
        if found.intersection(a.id for a in x.args):
            found.add(x.id)
    return frozenset(found)
