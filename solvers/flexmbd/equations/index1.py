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

from flexmbd.equations import closeness, determined
from flexmbd.errors import ModelError
from flexmbd.joints.friction import solve as with_friction
from flexmbd.linalg.elimination import Factors, elimination_order, factorise

KINDS = ("independent", "augmented")  # of rows
ITERATIONS = 3  # after the first solution
START = 1e-6  # shift of rows of the start, which may depend on the others


def accelerations(problem):
    """Accelerations and multipliers of the index-1 equations as nodes."""
    return solution(problem)[:2]


def solution(problem):
    """Accelerations, multipliers and friction forces of ideal joints by the index-1 equations, as nodes.

    Functions of this module take a `Problem`, or the `Formulation` that makes it; they read `graph`, `n`, `q`, `v`, `time`, `mass`,
    `pools`, `generalized`, `rows`, `initial_rows`, `shift` (e above; 0: the rows are independent; those of the start alone always have
    one), `direct` and `frictions`.
    """
    g, n = problem.graph, problem.n
    matrix, side = dict(problem.mass), dict(enumerate(problem.generalized))
    matrix |= {pool: pool.mass for pool in problem.pools}
    side |= {pool: pool.share.force for pool in problem.pools}
    for k, row in enumerate(problem.rows):
        problem.graph.mark()
        for i, x in row.polynomial.gradient(problem.q).items():
            matrix[i, n + k] = x
        side[n + k] = -row.polynomial.convective(problem.q, problem.v, problem.time)
    sides = [side, *(friction.side(g, n, len(problem.rows)) for friction in problem.frictions)]
    reinforce(problem, matrix, sides, problem.rows)
    x, *responses = _solutions(problem, matrix, sides, problem.rows)
    x, forces = with_friction(problem, [x, *responses]) if responses else (x, [])
    return [x.get(i, g.const(0.0)) for i in range(n)], [x[n + k] for k in range(len(problem.rows))], forces


def nearness(problem):
    """Node of how near the rows are to depending on each other (`closeness`), from the pivots of `accelerations`; None if they never do."""
    matrix, sizes = dict(problem.mass), _sizes(problem, problem.rows, lambda row: True)
    if not sizes:
        return None
    matrix |= {pool: pool.mass for pool in problem.pools}
    for k, row in enumerate(problem.rows):
        problem.graph.mark()
        for i, x in row.polynomial.gradient(problem.q).items():
            matrix[i, problem.n + k] = x
    reinforce(problem, matrix, [], problem.rows)
    return closeness.nearness(problem.graph, _factors(problem, matrix, problem.rows), sizes)


def responses(problem, columns):
    """Accelerations that generalized forces give where the rows allow them: for every column ``{i: Node}`` a list of n nodes."""
    return solved(problem, columns) if columns else []


def solved(problem, sides):
    """Solutions of mass matrix and rows: for every side, by the number of coordinate or of row behind them, a list of n nodes."""
    zero, matrix = problem.graph.const(0.0), problem.mass | {pool: pool.mass for pool in problem.pools}
    for k, row in enumerate(problem.rows):
        problem.graph.mark()
        for i, x in row.polynomial.gradient(problem.q).items():
            matrix[i, problem.n + k] = x
    sides = [{problem.n + k: zero for k in range(len(problem.rows))} | side for side in sides]
    reinforce(problem, matrix, sides, problem.rows)
    found, pooled = [], {i for pool in problem.pools for i in pool.coordinates.ravel().tolist()}
    if not (problem.direct or any(shift_of(problem, row) for row in problem.rows)):
        found = determined.blocks(problem.n, [set(row.polynomial.indices) for row in problem.rows], pooled)
    if not found:
        return [[x.get(i, zero) for i in range(problem.n)] for x in _solutions(problem, matrix, sides, problem.rows)]
    return _beside(problem, matrix, sides, found)


def _beside(problem, matrix, sides, found):
    """The same where rows alone determine some coordinates: the others need only the other rows."""
    g, n, zero = problem.graph, problem.n, problem.graph.const(0.0)
    pivots, gone = order(problem, problem.rows, matrix), {i for rows, own in found for i in (*own, *(n + k for k in rows))}
    known = determined.velocities(g, n, matrix, found, pivots, sides)
    rest = {key: x for key, x in matrix.items() if not (isinstance(key, tuple) and gone.intersection(key))}
    factors, totals = factorise(g, rest, [p for p in pivots if p not in gone]), []
    for side, own in zip(sides, known, strict=True):
        left = {k: x for k, x in side.items() if k not in gone}
        for (i, j), x in ((key, x) for key, x in matrix.items() if isinstance(key, tuple)):
            for a, b in ((i, j), (j, i)):
                if a in gone and b not in gone and a in own:
                    left[b] = left.get(b, zero) - x * own[a]
        solution = factors.solve(left) | own
        totals.append([solution.get(i, zero) for i in range(n)])
    return totals


def corrections(problem, rows):
    """Mass-orthogonal corrections of positions and velocities to the rows, and the rows' residuals."""
    g, n = problem.graph, problem.n
    matrix, place, speed = problem.mass | {pool: pool.mass for pool in problem.pools}, {}, {}
    for k, row in enumerate(rows):
        g.mark()
        for i, x in row.polynomial.gradient(problem.q).items():
            matrix[i, n + k] = x
        place[n + k] = -row.polynomial.value(problem.q)
        speed[n + k] = -row.polynomial.rate(problem.q, problem.v, problem.time)
    reinforce(problem, matrix, [place, speed], rows)
    dq, dv = _solutions(problem, matrix, [place, speed], rows)
    zero = g.const(0.0)
    return [dq.get(i, zero) for i in range(n)], [dv.get(i, zero) for i in range(n)]


def _solutions(problem, matrix, sides, rows):
    """Solutions for every side; augmented: iterated, the rows' sides of each iteration being what the shift left open."""
    factors = _factors(problem, matrix, rows)
    totals = [factors.solve(side) for side in sides]
    places = [problem.n + k for k, row in enumerate(rows) if shift_of(problem, row)]
    for total in totals if places else ():
        change = dict(total)
        for _ in range(ITERATIONS):
            change = factors.solve({k: matrix[k, k] * change[k] for k in places})
            for i, x in change.items():
                total[i] = total[i] + x
    return totals


def _factors(problem, matrix, rows):
    """Factors of mass matrix and rows; where rows may come to depend on others, their pivots are guarded.

    Those of one matrix are found once: accelerations and corrections to the same rows have the same.
    """
    graph, guards = problem.graph, _sizes(problem, rows, lambda row: not shift_of(problem, row))
    parts = [(key, x.id) if isinstance(key, tuple) else (key.name, *((ij, y.id) for ij, y in x.items())) for key, x in matrix.items()]
    key = (*parts, *((k, x.id) for k, x in guards.items()), *map(id, rows))
    if key not in graph.factors_of:
        factors = factorise(graph, matrix, order(problem, rows, matrix), guards=guards)
        graph.factors_of[key] = factors, rows  # these are kept, so that no others take their identity
    elif isinstance(graph.factors_of[key][0], Factors):
        graph.mark()  # as elimination ends
    return graph.factors_of[key][0]


def _sizes(problem, rows, which):
    """Sizes of rows in loops by their number in the matrix, those of which a function of the row is true."""
    if problem.direct or problem.pools or not closeness.closed(problem):
        return {}
    gradients = [row.polynomial.gradient(problem.q) for row in rows]
    inertia = _inertia(problem, rows, gradients)
    found = {}
    for k, row in enumerate(rows):
        problem.graph.mark()
        if which(row):
            found[problem.n + k] = closeness.size(problem.graph, gradients[k], inertia)
    return {k: x for k, x in found.items() if not x.zero}


def reinforce(problem, matrix, sides, rows, *, symmetric=True):
    """Make the matrix fit for elimination without pivoting.

    Rows with a weight are added, times weight and gradient, to the equations of their coordinates: the solution is the same.
    The multipliers' pivots are shifted.
    """
    g, n = problem.graph, problem.n
    gradients = [row.polynomial.gradient(problem.q) for row in rows]
    for k, (row, gradient) in enumerate(zip(rows, gradients, strict=True)):
        g.mark()
        if row.weight is None:
            continue
        for i, x in gradient.items():
            for j, y in gradient.items():
                if i <= j or not symmetric:
                    matrix[i, j] = matrix.get((i, j), g.const(0.0)) + row.weight * (x * y)
            for side in sides:
                side[i] = side.get(i, g.const(0.0)) + row.weight * (x * side[n + k])
    shifts = [shift_of(problem, row) for row in rows]
    inertia = _inertia(problem, rows, gradients) if any(shifts) else {}
    for k, (shift, gradient) in enumerate(zip(shifts, gradients, strict=True)):
        g.mark()
        if shift:
            matrix[n + k, n + k] = -(shift * closeness.size(g, gradient, inertia))


def shift_of(problem, row):
    """The shift e of a row; 0 if it is independent of the others."""
    return problem.shift or (START if any(row is x for x in problem.initial_rows) else 0.0)


def _inertia(problem, rows, gradients):
    """Diagonal of the mass matrix with the rows' weights, by coordinate."""
    inertia = {i: m for (i, j), m in problem.mass.items() if i == j}
    held = {i for gradient in gradients for i in gradient}
    for pool in problem.pools:
        inertia |= {i: inertia.get(i, 0.0) + m for i, m in pool.diagonal(held).items()}
    for row, gradient in zip(rows, gradients, strict=True):
        problem.graph.mark()
        for i, x in gradient.items() if row.weight is not None else ():
            inertia[i] = inertia.get(i, problem.graph.const(0.0)) + row.weight * (x * x)
    return inertia


def massless(problem, rows):
    """Coordinates of rows that have no mass, nor a row's weight: their pivots come from the rows."""
    found = {i for row in rows for i in row.polynomial.indices}
    found -= {i for row in rows if row.weight is not None for i in row.polynomial.indices}
    found -= {i for i, j in problem.mass if i == j}
    return found - {i for pool in problem.pools for i in pool.coordinates.ravel().tolist()}


def order(problem, rows, matrix):
    """Elimination order of coordinates and the given rows."""
    members = [row.polynomial.indices for row in rows]
    for row, indices in zip(rows, members, strict=True):
        if not indices:
            raise ModelError(f"constraint '{row.label}' does not act on any coordinate: it joins ground to ground", element=row.label)
    if problem.direct:
        return None
    return elimination_order(problem.n, cliques(matrix, problem.n), members, problem.graph.tuning, massless(problem, rows))


def cliques(matrix, n):
    """Sets of the first n unknowns that an entry, or an element of a pool, couples."""
    sets = [set(key) for key in matrix if isinstance(key, tuple) and max(key) < n]
    for pool, part in ((key, part) for key, part in matrix.items() if not isinstance(key, tuple)):
        sets += [set(members) for table in pool.couplings(part) for members in table.tolist()]
    return sets


def inertial(problem, accelerations):
    """Nodes of the mass matrix, less that of pools, times accelerations."""
    return symmetric_product(problem.graph, problem.mass, accelerations)


def symmetric_product(graph, matrix, vector):
    """Nodes of a symmetric matrix, its upper triangle by (i, j), times a vector."""
    total = [graph.const(0.0)] * len(vector)
    for (i, j), m in matrix.items():
        graph.mark()
        total[i] = total[i] + m * vector[j]
        if i != j:
            total[j] = total[j] + m * vector[i]
    return total


def residuals(problem, rows):
    """Largest absolute residual by (level, measure): positions and velocities, lengths and angles."""
    g, q, out = problem.graph, problem.q, []
    for level in ("value", "rate"):
        for measure in ("length", "angle"):
            worst = g.const(0.0)
            for row in rows:
                if row.measure == measure:
                    g.mark()
                    p = row.polynomial
                    x = g.fabs(p.value(q) if level == "value" else p.rate(q, problem.v, problem.time))
                    x = x if row.size is None else x / row.size
                    if row.facing is not None and level == "value":
                        x = g.select(g.greater(row.facing.value(q), 0.0), x, 2.0)
                    worst = x if worst.zero else g.select(g.greater(x, worst), x, worst)
            out.append(worst)
    return out
