"""Elimination of mass matrix and rows, written out as nodes: order, weights and shifts of rows, solutions for several right-hand sides.

What is asked here of a system's inertia is its entries; `flexmbd.equations.inertia` says what an operator of another kind gives instead.
"""

from flexmbd.equations import closeness, determined
from flexmbd.errors import ModelError
from flexmbd.language.product import Placed
from flexmbd.linalg.elimination import SymbolicFactors, elimination_order, factorise

ITERATIONS = 3  # after the first solution
START = 1e-6  # shift of rows of the start, which may depend on the others


def solutions(problem, matrix, sides, rows, gone, shifts):
    """Solutions for every side; augmented: iterated, the rows' sides of each iteration being what the shift (on the diagonal) left open."""
    factors = factored(problem, matrix, rows, gone)
    totals = [factors.solve(side) for side in sides]
    places = [problem.n + k for k, row in enumerate(rows) if problem.n + k not in gone and shift_of(problem, row)]
    totals = [dict(total.items()) for total in totals] if places else totals
    for total in totals if places else ():
        change = dict(total)
        for _ in range(ITERATIONS):
            change = factors.solve({k: shifts[k, k] * change[k] for k in places})
            for i, x in change.items():
                total[i] = total[i] + x
    return totals


def factored(problem, matrix, rows, gone=()):
    """Factors of mass matrix and rows, less coordinates that are `gone`; where rows may come to depend on others, pivots are guarded.

    Those of one matrix are found once: accelerations and corrections to the same rows have the same.
    """
    graph, guards = problem.graph, row_sizes(problem, rows, lambda row: not shift_of(problem, row))
    parts = [(key, x.id) if isinstance(key, tuple) else (key.name, *((ij, y.id) for ij, y in x.items())) for key, x in matrix.items()]
    key = (*parts, *((k, x.id) for k, x in guards.items()), *map(id, rows))
    if key not in graph.factors_of:
        pivots = order(problem, rows)
        factors = factorise(graph, matrix, [p for p in pivots if p not in gone] if gone else pivots, guards=guards)
        graph.factors_of[key] = factors, rows  # these are kept, so that no others take their identity
    elif isinstance(graph.factors_of[key][0], SymbolicFactors):
        graph.mark()  # as elimination ends
    return graph.factors_of[key][0]


def determined_blocks(problem):
    """Rows and coordinates that rows alone determine (`determined.blocks`), where elimination can leave them out."""
    if problem.direct or any(shift_of(problem, row) for row in problem.rows):
        return []
    grouped = {i for group in problem.groups for i in group.touched}
    return determined.blocks(problem.n, [set(row.polynomial.indices) for row in problem.rows], grouped)


def beside(problem, matrix, sides, found, apart=()):
    """Solutions for every side where rows alone determine some coordinates: the others need only the other rows."""
    g, n, zero = problem.graph, problem.n, problem.graph.const(0.0)
    pivots, gone = order(problem, problem.rows), {*apart, *(i for rows, own in found for i in (*own, *(n + k for k in rows)))}
    known = determined.velocities(g, n, matrix, found, pivots, sides)
    rest = {key: x for key, x in matrix.items() if not (isinstance(key, tuple) and gone.intersection(key))}
    factors, totals = factorise(g, rest, [p for p in pivots if p not in gone]), []
    for side, own in zip(sides, known, strict=True):
        left = {k: x for k, x in side.items() if k not in gone}
        for (i, j), x in ((key, x) for key, x in matrix.items() if isinstance(key, tuple)):
            for a, b in ((i, j), (j, i)):
                if a in gone and b not in gone and a in own:
                    left[b] = left.get(b, zero) - x * own[a]
        totals.append(factors.solve(left) | own)
    return totals


def singles(problem, rows):
    """Number and row of those that are in no group."""
    gone = {k for group in problem.row_groups for k in group.multipliers.ravel().tolist()}
    return [(k, row) for k, row in enumerate(rows) if k not in gone]


def row_sizes(problem, rows, which):
    """Sizes of rows in loops by their number in the matrix, those of which a function of the row is true."""
    if problem.direct or problem.groups:
        return {}
    wanted = [which(row) for row in rows]
    known, key = problem.graph.factors_of, ("sizes", id(problem.inertia), *map(id, rows), *wanted)
    if key in known:  # the same are asked for again and again
        problem.graph.mark()
        return known[key][0]
    if not closeness.closed(problem):
        return {}
    gradients = [row.polynomial.gradient(problem.q) for row in rows]
    inertia = _inertia(problem, rows, gradients)
    found = {}
    for k, own in enumerate(wanted):
        problem.graph.mark()
        if own:
            found[problem.n + k] = closeness.size(problem.graph, gradients[k], inertia)
    known[key] = {k: x for k, x in found.items() if not x.zero}, (problem.inertia, rows)
    return known[key][0]


def regularise(problem, matrix, sides, rows, *, symmetric=True):
    """Make the matrix fit for elimination without pivoting.

    Rows with a penalty are added, times penalty and gradient, to the equations of their coordinates: the solution is the same.
    The multipliers' pivots are shifted.
    """
    g, n = problem.graph, problem.n
    if rows:
        g.mark()
    for k, row in ((k, row) for k, row in enumerate(rows) if row.penalty is not None):
        g.mark()
        gradient = row.polynomial.gradient(problem.q)
        for i, x in gradient.items():
            for j, y in gradient.items():
                if i <= j or not symmetric:
                    matrix[i, j] = matrix.get((i, j), g.const(0.0)) + row.penalty * (x * y)
            for side in sides:
                side[i] = side.get(i, g.const(0.0)) + row.penalty * (x * side[n + k])
    shifts = [shift_of(problem, row) for row in rows]
    if not any(shifts):
        return
    gradients = [row.polynomial.gradient(problem.q) for row in rows]
    inertia = _inertia(problem, rows, gradients)
    for k, (shift, gradient) in enumerate(zip(shifts, gradients, strict=True)):
        g.mark()
        if shift:
            size = getattr(rows[k].polynomial, "alone", None)  # where coordinates alone may not move it
            matrix[n + k, n + k] = -(shift * (closeness.size(g, gradient, inertia) if size is None else size))


def shift_of(problem, row):
    """The shift e of a row; 0 if it is independent of the others."""
    return problem.shift or (START if any(row is x for x in problem.initial_rows) else 0.0)


def _inertia(problem, rows, gradients):
    """Diagonal of the mass matrix with the rows' penalties, by coordinate."""
    inertia = problem.inertia.diagonal({i for gradient in gradients for i in gradient})
    for row, gradient in zip(rows, gradients, strict=True):
        problem.graph.mark()
        for i, x in gradient.items() if row.penalty is not None else ():
            inertia[i] = inertia.get(i, problem.graph.const(0.0)) + row.penalty * (x * x)
    return inertia


def massless(problem, rows):
    """Coordinates of rows that have no mass, nor a row's penalty: their pivots come from the rows."""
    found = {i for row in rows for i in row.polynomial.indices}
    found -= {i for row in rows if row.penalty is not None for i in row.polynomial.indices}
    return found & problem.inertia.massless()


def order(problem, rows, neighbours=None):
    """Elimination order of coordinates and the given rows; `neighbours` are the sets that entries couple, unless these are masses alone."""
    members = [row.polynomial.indices for row in rows]
    for row, indices in zip(rows, members, strict=True):
        if not indices:
            raise ModelError(f"constraint '{row.label}' does not act on any coordinate: it joins ground to ground", element=row.label)
    if problem.direct:
        return None
    if neighbours is None:
        weighted = (row.polynomial.indices for row in rows if row.penalty is not None)
        neighbours = [*problem.inertia.couplings(), *({i, j} for indices in weighted for i in indices for j in indices if i <= j)]
    return elimination_order(problem.n, neighbours, members, problem.graph.tuning, massless(problem, rows))


def cliques(matrix, n):
    """Sets of the first n unknowns that an entry, or an element of a group, couples."""
    sets = [set(key) for key in matrix if isinstance(key, tuple) and max(key) < n]
    for key, part in ((key, part) for key, part in matrix.items() if not isinstance(key, tuple)):
        if isinstance(key, Placed):
            sets += key.couplings()
        else:
            sets += [set(members) for table in key.couplings(part) for members in table.tolist()]
    return sets
