"""Mass matrices of trees as operators: products, entries and solutions by recursions along the links, with the rows of closed loops.

Coordinates are those of the joints: a velocity of the table is the rate of one, but of a ball, whose three angular velocities are
``w = E p'`` of a quaternion p of four (``E p = 0``, ``E E' = 4 p.p``).  With T the matrix that has E there, ``M = T' M_u T`` has no mass
along p; the row of its length says what accelerates there.
"""

from dataclasses import dataclass
from functools import cached_property

from flexmbd.equations.inertia import Inertia, NaturalInertia, reduced
from flexmbd.equations.saddle import regularise
from flexmbd.errors import ModelError
from flexmbd.formulation.trees import recursions
from flexmbd.formulation.trees.articulated import Articulated
from flexmbd.formulation.trees.composite import Composite, mass_matrix
from flexmbd.formulation.trees.constraint_force import ConstraintForces
from flexmbd.formulation.trees.spatial import dot, none, transposed
from flexmbd.suggest import unknown

ALGORITHMS = {"articulated": Articulated, "composite": Composite, "constraint_forces": ConstraintForces}
SHALLOW = 8  # velocities on a path to ground up to which composite bodies take fewer operations than articulated ones
BESIDE = 40  # the same up to which, beside other masses, elimination by entries does


@dataclass(frozen=True)
class Ball:
    """A quaternion.

    Parameters
    ----------
    rates : sequence (3) of sequence (4)
        Rows of E.
    row : Row
        That of its length.
    """

    rates: tuple
    row: object


class Rates:
    """T, by which velocities of the links follow from rates of coordinates, and its inverse across the quaternions.

    Parameters
    ----------
    q : sequence of Node
    balls : dict int -> Ball
        By the number of the first of its three velocities. Coordinates are in the order of velocities, four for these three.
    count : int
        Velocities.
    """

    def __init__(self, q, balls, count):
        self.first, rows, back = {}, [], []
        while len(rows) < count:
            i, k = len(back), len(rows)
            if k in balls:
                rates, p = balls[k].rates, q[i : i + 4]
                share = 0.25 / dot(p, p)
                self.first[k] = i
                rows += [dict(zip(range(i, i + 4), row, strict=True)) for row in rates]
                back += [{k + j: x * share for j, x in enumerate(column)} for column in transposed(rates)]
            else:
                rows.append({i: 1.0})
                back.append({k: 1.0})
        self._rows, self._back, self.size = rows, back, len(back)  # coordinates

    def velocities(self, x):
        """``T x``"""
        return [dot(row.values(), [x[i] for i in row]) for row in self._rows]

    def coordinates(self, u):
        """``T^-1 u``: rates of coordinates that give velocities, none along quaternions."""
        return [dot(row.values(), [u[k] for k in row]) for row in self._back]

    def along_coordinates(self, forces):
        """``T' f``"""
        return self._gathered(self._rows, forces, len(self._back))

    def along_velocities(self, forces):
        """``T^-1' f``, of forces by coordinate, a dict or all of them."""
        return self._gathered(self._back, [forces.get(i, 0.0) for i in range(len(self._back))], len(self._rows))

    @staticmethod
    def _gathered(rows, forces, count):
        total = [0.0] * count
        for row, f in zip(rows, forces, strict=True):
            for i, x in row.items() if not none(f) else ():
                total[i] = dot((x,), (f,), total[i])
        return total

    def across(self, entries):
        """``T' A T`` of a symmetric matrix of which either triangle is there: the upper one, by (i, j)."""
        total = {}
        for (k, m), x in entries.items():
            for i, a in self._rows[k].items():
                for j, b in self._rows[m].items():
                    for key in [(i, j)] if k == m else [(i, j), (j, i)]:
                        if key[0] <= key[1]:
                            total[key] = dot((x,), (dot((a,), (b,)),), total.get(key, 0.0))
        return total


class TreeInertia(Inertia):
    """M of a tree.

    Parameters
    ----------
    graph : Graph
    q : sequence of Node
        In the order of the table's velocities.
    table : Table
    algorithm : str, optional
        Of `ALGORITHMS`: how M's inverse is applied. If left out, `Tuning.tree_algorithm` of the graph, or else what takes fewer operations.
    balls : dict int -> Ball, optional
        By the number of the first of its three velocities.

    Raises
    ------
    ModelError
        An algorithm that there is not, or that cannot treat one of the links.
    """

    def __init__(self, graph, q, table, *, algorithm=None, balls=None):
        super().__init__(graph, q)
        self.table, self._balls = table, balls or {}
        self.algorithm = algorithm or graph.tuning.tree_algorithm or ("composite" if table.depth <= SHALLOW else "articulated")
        if self.algorithm not in ALGORITHMS:
            raise unknown("algorithm of trees", self.algorithm, ALGORITHMS)
        self._rates = Rates(self.q, self._balls, table.n)

    def apply(self, vector):
        """Nodes of ``M x``: inverse dynamics without velocities."""
        forces, _ = recursions.inverse_dynamics(self.table, self._rates.velocities(vector))
        found = self._nodes(self._rates.along_coordinates(forces))
        return found + [self.graph.const(0.0)] * (len(vector) - len(found))

    def kinetic(self, v):
        """Kinetic energy, J."""
        return self.graph.const(recursions.kinetic(self.table, self._rates.velocities(v)))

    @cached_property
    def entries(self):
        """Upper triangle of M by (i, j), by composite bodies."""
        return self._across(mass_matrix(self.table))

    def diagonal(self, wanted=frozenset()):
        """Nodes of the diagonal by coordinate, in O(n)."""
        return {i: x for (i, j), x in self._across(mass_matrix(self.table, 1)).items() if i == j}

    def _across(self, entries):
        found = self._rates.across(entries).items()
        return {key: x for key, x in ((key, self.graph.const(x)) for key, x in found) if not x.zero}

    @cached_property
    def inverse(self):
        """What solves ``M_u x = f``."""
        try:
            return ALGORITHMS[self.algorithm](self.table)
        except ValueError as error:
            raise ModelError(f"tree_algorithm is '{self.algorithm}', which cannot be here: {error}") from error

    def solve(self, problem, rows, gradients, sides, *, multipliers=True):
        """Solutions of ``M x + G' l = f``, ``G x = c``.

        The rows by the Delassus matrix ``G M^-1 G'``, for which M's inverse is applied once a row: O(n + m^2 d) for m rows and depth d.
        Along quaternions the rows of their lengths say x, and f says l.
        """
        found = self.solve_beside(NaturalInertia(self.graph, self.q), problem, rows, gradients, sides)
        return super().solve(problem, rows, gradients, sides, multipliers=multipliers) if found is None else found

    def solve_beside(self, others, problem, rows, gradients, sides):
        """The same beside masses of other coordinates, which may be in the rows too: these have entries in the matrix that is left."""
        n, lengths, own = problem.n, self._lengths(rows), set(range(self._rates.size))
        weighted = any(row.penalty is not None and not own.issuperset(row.polynomial.indices) for row in rows)
        touched = others.touched
        entries = problem.direct or weighted or len(lengths) < len(self._balls) or not own.isdisjoint(touched)
        if entries or (touched and self.table.depth <= BESIDE):
            return None
        tree, shifts = Across(self, rows, gradients, lengths, n), {}
        regularise(problem, shifts, [], rows)
        outer = {key: x for key, x in gradients.items() if key[0] not in own}
        matrix = others.matrix() | outer | {key: x for key, x in shifts.items() if key[0] == key[1] and key[0] >= n}
        return reduced(problem, matrix, rows, sides, [tree, *others.eliminated(problem, rows, outer)])

    def _lengths(self, rows):
        """Number of the row of a ball's length by its first velocity, of those that are there."""
        numbers = {id(row): k for k, row in enumerate(rows)}
        return {first: numbers[id(ball.row)] for first, ball in self._balls.items() if id(ball.row) in numbers}

    def _nodes(self, values):
        return [self.graph.const(x) for x in values]


class Across:
    """A tree that is eliminated (`equations.inertia.reduced`), its rows across and along quaternions, in velocities of the links.

    Parameters
    ----------
    inertia : TreeInertia
    rows : sequence of Row
    gradients : dict (i, n + k) -> Node
    lengths : dict int -> int
        Rows of lengths by a ball's first velocity.
    n : int
        Coordinates.
    """

    def __init__(self, inertia, rows, gradients, lengths, n):
        self._inertia, self._n, self._lengths, self._known = inertia, n, lengths, {}
        self._rates, self._first, self._q = inertia._rates, inertia._rates.first, inertia.q
        self._gradients = {}
        for (i, k), x in gradients.items():
            self._gradients.setdefault(k - n, {})[i] = x
        self.block = [*range(self._rates.size), *(n + k for k in lengths.values())]
        self.rows = {}
        for k, own in sorted(self._gradients.items()):
            if n + k not in self.block and any(i < self._rates.size for i in own):
                forces = self._rates.along_velocities(own)
                self.rows[k] = {u: x for u, x in enumerate(forces) if not none(x)}
        self._responses = {}
        for k, row in self.rows.items():
            inertia.table.mark()
            self._responses[k] = inertia.inverse.solve([row.get(u, 0.0) for u in range(inertia.table.n)])

    def free(self, side, left):
        """Accelerations along and across quaternions without the rows' forces; `left` is less their part in the rows."""
        along, x = self._along(side), self._inertia.inverse.solve(self._rates.along_velocities(side))
        for k, row in self.rows.items():
            wanted = side.get(self._n + k, 0.0)
            for first, y in along.items():
                wanted = wanted - self._share(first, self._gradients.get(k, {})) * y
            left[self._n + k] = self._inertia.graph.const(wanted - dot(row.values(), [x[u] for u in row]))
        return side, along, x

    def _along(self, side):
        """Of each ball what accelerates along its quaternion p, over p."""
        found = {}
        for first, k in self._lengths.items():
            wanted = side.get(self._n + k, 0.0)
            found[first] = 0.0 if none(wanted) else wanted / self._slope(first, k)
        return found

    def _slope(self, first, k):
        """Derivative of a ball's length along p, times p."""
        own, i = self._gradients[k], self._first[first]
        return dot(self._q[i : i + 4], [own[i + j] for j in range(4)])

    def _share(self, first, gradient):
        i = self._first[first]
        return dot(self._q[i : i + 4], [gradient.get(i + j, 0.0) for j in range(4)])

    def shares(self):
        """Entries of ``G M^-1 G'``."""
        for m, response in self._responses.items():
            for k, row in self.rows.items():
                if k <= m and not none(x := dot(row.values(), [response[u] for u in row])):
                    yield (self._n + k, self._n + m), self._inertia.graph.const(x)

    def held(self, free, multipliers):
        """Accelerations of coordinates, and multipliers."""
        graph, n, (side, along, x) = self._inertia.graph, self._n, free
        known = {k: multipliers[n + k] for k in self.rows}
        for k, response in self._responses.items():
            x = [own if none(y) else own - y * known[k] for own, y in zip(x, response, strict=True)]
        found = dict(enumerate(self._rates.coordinates(x)))
        total = {n + k: graph.const(y) for k, y in known.items()}
        for first, k in self._lengths.items():
            i = self._first[first]
            for j in range(i, i + 4):
                found[j] = dot((along[first],), (self._q[j],), found[j])
            force = dot(self._q[i : i + 4], [side.get(j, 0.0) for j in range(i, i + 4)])
            for other, y in known.items():
                force = force - self._share(first, self._gradients.get(other, {})) * y
            total[n + k] = graph.const(force / self._slope(first, k))
        return {i: graph.const(y) for i, y in found.items()} | total
