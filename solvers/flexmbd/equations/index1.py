"""The linear equations of index 1: accelerations with multipliers, and corrections of positions and velocities.

Independent rows ``G a = c`` are eliminated as they stand.  Rows that depend on each other, always or in isolated positions, are
kept by the augmented Lagrangian of Bayo, García de Jalón and Serna (1988, Comput. Methods Appl. Mech. Eng. 71, 183-195) with the
mass-orthogonal projections of Bayo and Ledesma (1996, Nonlinear Dyn. 9, 113-130).  Its iteration::

    (M + G' alpha G) a_j = F - G' l_j + G' alpha c,      l_j+1 = l_j + alpha (G a_j - c),      alpha = diag(1/e)

is written as a saddle point with a small negative shift -e on the block of the multipliers, which exists for rows of any rank and
whose factors serve all iterations::

    [ M   G' ] [ a_j   ]   [ F           ]
    [ G  -e  ] [ l_j+1 ] = [ c - e l_j   ]

With e relative to what a row's pivot is for that row alone, the part of an error that belongs to a squared singular value s of the
scaled rows shrinks by ``e/(e + s)`` each time.  It is gone after a few iterations where rows are independent, and stays finite where s
passes through zero: there, for s below e, the motion goes on by its inertia.  Measured on the mechanisms of
tests/flexmbd/test_redundant.py: ten such passages leave an error of the angle of the order of e; and rows that always depend on
others want an e of 1e-6 or more, because at the stages of a Runge-Kutta step they agree only to the stage's error, and what is open
is divided by e: at a tolerance of 1e-8 the error against independent rows is 40 times as large with 1e-6 and twice with 1e-5.
"""

from flexmbd.errors import ModelError
from flexmbd.joints.friction import solve as with_friction
from flexmbd.linalg.elimination import elimination_order, factorise

KINDS = ("independent", "augmented")  # of rows
ITERATIONS = 3  # after the first solution
START = 1e-6  # shift of rows of the start, which may depend on the others


class Index1:
    """Share of `Build` that solves for accelerations and corrections.

    It reads `graph`, `n`, `q`, `v`, `time`, `mass`, `generalized`, `rows`, `initial_rows`, `shift` (e above; 0: the rows are independent;
    those of the start alone always have one), `direct` (a sparse direct library solves), and `frictions` of ideal joints.
    """

    shift, direct, frictions = 0.0, False, ()

    def _solve(self):
        """Accelerations and multipliers of the index-1 equations as nodes."""
        g, n = self.graph, self.n
        matrix, side = dict(self.mass), dict(enumerate(self.generalized))
        matrix |= {pool: pool.mass for pool in self.pools}
        side |= {pool: pool.share.force for pool in self.pools}
        for k, row in enumerate(self.rows):
            for i, x in row.polynomial.gradient(self.q).items():
                matrix[i, n + k] = x
            side[n + k] = -row.polynomial.convective(self.q, self.v, self.time)
        sides = [side, *(friction.side(g, n, len(self.rows)) for friction in self.frictions)]
        self.reinforce(matrix, sides, self.rows)
        x, *responses = self._solutions(matrix, sides, self.rows)
        if responses:
            x = with_friction(self, [x, *responses])
        self.a = [x.get(i, g.const(0.0)) for i in range(n)]
        self.multipliers = [x[n + k] for k in range(len(self.rows))]

    def responses(self, columns):
        """Accelerations that generalized forces give where the rows allow them: for every column ``{i: Node}`` a list of n nodes."""
        zero, matrix = self.graph.const(0.0), self.mass | {pool: pool.mass for pool in self.pools}
        for k, row in enumerate(self.rows):
            for i, x in row.polynomial.gradient(self.q).items():
                matrix[i, self.n + k] = x
        sides = [column | {self.n + k: zero for k in range(len(self.rows))} for column in columns]
        self.reinforce(matrix, sides, self.rows)
        return [[x.get(i, zero) for i in range(self.n)] for x in self._solutions(matrix, sides, self.rows)] if columns else []

    def corrections(self, rows):
        """Mass-orthogonal corrections of positions and velocities to the rows, and the rows' residuals."""
        g, n = self.graph, self.n
        matrix, place, speed = self.mass | {pool: pool.mass for pool in self.pools}, {}, {}
        for k, row in enumerate(rows):
            for i, x in row.polynomial.gradient(self.q).items():
                matrix[i, n + k] = x
            place[n + k] = -row.polynomial.value(self.q)
            speed[n + k] = -row.polynomial.rate(self.q, self.v, self.time)
        self.reinforce(matrix, [place, speed], rows)
        dq, dv = self._solutions(matrix, [place, speed], rows)
        zero = g.const(0.0)
        return [dq.get(i, zero) for i in range(n)], [dv.get(i, zero) for i in range(n)]

    def _solutions(self, matrix, sides, rows):
        """Solutions for every side; augmented: iterated, the rows' sides of each iteration being what the shift left open."""
        factors = factorise(self.graph, matrix, self.order(rows, matrix))
        totals = [factors.solve(side) for side in sides]
        places = [self.n + k for k, row in enumerate(rows) if self.shift_of(row)]
        for total in totals if places else ():
            change = dict(total)
            for _ in range(ITERATIONS):
                change = factors.solve({k: matrix[k, k] * change[k] for k in places})
                for i, x in change.items():
                    total[i] = total[i] + x
        return totals

    def reinforce(self, matrix, sides, rows, *, symmetric=True):
        """Make the matrix fit for elimination without pivoting.

        Rows with a weight are added, times weight and gradient, to the equations of their coordinates: the solution is the same.
        The multipliers' pivots are shifted.
        """
        g, n = self.graph, self.n
        gradients = [row.polynomial.gradient(self.q) for row in rows]
        for k, (row, gradient) in enumerate(zip(rows, gradients, strict=True)):
            if row.weight is None:
                continue
            for i, x in gradient.items():
                for j, y in gradient.items():
                    if i <= j or not symmetric:
                        matrix[i, j] = matrix.get((i, j), g.const(0.0)) + row.weight * (x * y)
                for side in sides:
                    side[i] = side.get(i, g.const(0.0)) + row.weight * (x * side[n + k])
        shifts = [self.shift_of(row) for row in rows]
        inertia = self._inertia(rows, gradients) if any(shifts) else {}
        for k, (shift, gradient) in enumerate(zip(shifts, gradients, strict=True)):
            if shift:
                matrix[n + k, n + k] = -(shift * g.dot((x * x, 1.0 / inertia[i]) for i, x in gradient.items() if i in inertia))

    def shift_of(self, row):
        """The shift e of a row; 0 if it is independent of the others."""
        return self.shift or (START if any(row is x for x in self.initial_rows) else 0.0)

    def _inertia(self, rows, gradients):
        """Diagonal of the mass matrix with the rows' weights, by coordinate."""
        inertia = {i: m for (i, j), m in self.mass.items() if i == j}
        held = {i for gradient in gradients for i in gradient}
        for pool in self.pools:
            inertia |= {i: inertia.get(i, 0.0) + m for i, m in pool.diagonal(held).items()}
        for row, gradient in zip(rows, gradients, strict=True):
            for i, x in gradient.items() if row.weight is not None else ():
                inertia[i] = inertia.get(i, self.graph.const(0.0)) + row.weight * (x * x)
        return inertia

    def massless(self, rows):
        """Coordinates of rows that have no mass, nor a row's weight: their pivots come from the rows."""
        found = {i for row in rows for i in row.polynomial.indices}
        found -= {i for row in rows if row.weight is not None for i in row.polynomial.indices}
        found -= {i for i, j in self.mass if i == j}
        return found - {i for pool in self.pools for i in pool.coordinates.ravel().tolist()}

    def order(self, rows, matrix):
        """Elimination order of coordinates and the given rows."""
        members = [row.polynomial.indices for row in rows]
        for row, indices in zip(rows, members, strict=True):
            if not indices:
                raise ModelError(f"constraint '{row.label}' does not act on any coordinate: it joins ground to ground", element=row.label)
        if self.direct:
            return None
        return elimination_order(self.n, cliques(matrix, self.n), members, self.graph.tuning, self.massless(rows))


def cliques(matrix, n):
    """Sets of the first n unknowns that an entry, or an element of a pool, couples."""
    sets = [set(key) for key in matrix if isinstance(key, tuple) and max(key) < n]
    for pool, part in ((key, part) for key, part in matrix.items() if not isinstance(key, tuple)):
        sets += [set(members) for table in pool.couplings(part) for members in table.tolist()]
    return sets
