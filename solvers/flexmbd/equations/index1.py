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

from flexmbd.equations import closeness, coupled
from flexmbd.equations.saddle import factored, regularise, row_sizes, singles
from flexmbd.language.results import part

KINDS = ("independent", "augmented")  # of rows


def accelerations(problem):
    """Accelerations and multipliers of the index-1 equations as nodes."""
    return solution(problem)[:2]


def solution(problem):
    """Accelerations, multipliers and forces that depend on reactions by the index-1 equations, as nodes.

    Functions of this module take a `Problem`, or the `Formulation` that makes it; they read `graph`, `n`, `q`, `v`, `time`, `inertia`,
    `groups`, `generalized`, `rows`, `initial_rows`, `shift` (e above; 0: the rows are independent; those of the start alone always have
    one), `direct` and `coupled`.
    """
    g, n = problem.graph, problem.n
    side, gradients = dict(enumerate(problem.generalized)), {}
    side |= {group: group.element.force for group in problem.groups}
    for k, row in singles(problem, problem.rows):
        gradients |= _gradient(problem, k, row)
        side[n + k] = -row.polynomial.convective(problem.q, problem.v, problem.time)
    for group in problem.row_groups:
        gradients[group] = group.gradients()
        side[group] = group.side(-x for x in _of_group(problem, group, "convective"))
    sides = [side, *(coupled.side(g, one, n, len(problem.rows)) for one in problem.coupled)]
    x, *responses = problem.inertia.solve(problem, problem.rows, gradients, sides)
    x, forces = coupled.solve(problem, [x, *responses]) if responses else (x, [])
    zero = g.const(0.0)
    return part(x, 0, n, zero), part(x, n, n + len(problem.rows), zero), forces


def _gradient(problem, k, row):
    """Entries of row k of G, by coordinate and number of the multiplier."""
    problem.graph.mark()
    return {(i, problem.n + k): x for i, x in row.polynomial.gradient(problem.q).items()}


def _gradients(problem):
    """The same of all rows."""
    return {at: x for k, row in enumerate(problem.rows) for at, x in _gradient(problem, k, row).items()}


def _values(group):
    """Values of the rows of a group's one joint."""
    return [p.value(group.variables("x")) for p in group.polynomials]


def _of_group(problem, group, word):
    """What the rows of a group's one joint have at its coordinates and rates."""
    return [getattr(p, word)(group.variables("x"), group.variables("y"), problem.time) for p in group.polynomials]


def flat(problem):
    """Whether no row is curved: its rate's rate is linear in the accelerations."""
    single = (row.polynomial.convective(problem.q, problem.v, problem.time) for _, row in singles(problem, problem.rows))
    return all(x.zero for x in single) and all(x.zero for group in problem.row_groups for x in _of_group(problem, group, "convective"))


def nearness(problem):
    """Node of how near the rows are to depending on each other (`closeness`), from the pivots of `accelerations`; None if they never do."""
    sizes = row_sizes(problem, problem.rows, lambda row: True)
    if not sizes:
        return None
    matrix = problem.inertia.matrix() | _gradients(problem)
    regularise(problem, matrix, [], problem.rows)
    return closeness.nearness(problem.graph, factored(problem, matrix, problem.rows), sizes)


def responses(problem, columns):
    """Accelerations that generalized forces give where the rows allow them: for every column ``{i: Node}`` a list of n nodes."""
    return solved(problem, columns) if columns else []


def linear_solution(problem, side):
    """Accelerations and multipliers for a right-hand side: nodes of forces by coordinate, and then of rows; not with rows in groups."""
    n, side = problem.n, dict(enumerate(side))
    (x,) = problem.inertia.solve(problem, problem.rows, _gradients(problem), [side])
    return part(x, 0, n + len(problem.rows), problem.graph.const(0.0))


def solved(problem, sides):
    """Solutions of mass matrix and rows: for every side, by the number of coordinate or of row behind them, a list of n nodes."""
    zero, gradients = problem.graph.const(0.0), _gradients(problem)
    sides = [{problem.n + k: zero for k in range(len(problem.rows))} | side for side in sides]
    found = problem.inertia.solve(problem, problem.rows, gradients, sides, multipliers=False)
    return [part(x, 0, problem.n, zero) for x in found]


def corrections(problem, rows):
    """Mass-orthogonal corrections of positions and velocities to the rows, and the rows' residuals."""
    g, n = problem.graph, problem.n
    if not rows:
        return [g.const(0.0)] * n, [g.const(0.0)] * n
    gradients, place, speed = {}, {}, {}
    for k, row in singles(problem, rows):
        gradients |= _gradient(problem, k, row)
        place[n + k] = -row.polynomial.value(problem.q)
        speed[n + k] = -row.polynomial.rate(problem.q, problem.v, problem.time)
    for group in problem.row_groups:
        gradients[group] = group.gradients()
        place[group] = group.side(-x for x in _values(group))
        speed[group] = group.side(-x for x in _of_group(problem, group, "rate"))
    dq, dv = problem.inertia.solve(problem, rows, gradients, [place, speed])
    zero = g.const(0.0)
    return part(dq, 0, n, zero), part(dv, 0, n, zero)


def residuals(problem, rows):
    """Largest absolute residual by (level, measure): positions and velocities, lengths and angles."""
    g, q, out = problem.graph, problem.q, []
    for level in ("value", "rate"):
        for measure in ("length", "angle"):
            worst = g.const(0.0)
            for _, row in singles(problem, rows):
                if row.measure == measure:
                    g.mark()
                    p = row.polynomial
                    x = g.fabs(p.value(q) if level == "value" else p.rate(q, problem.v, problem.time))
                    x = x if row.size is None else x / row.size
                    if row.branch is not None and level == "value":
                        x = g.select(g.greater(row.branch.value(q), 0.0), x, 2.0)
                    worst = x if worst.zero else g.select(g.greater(x, worst), x, worst)
            for group in problem.row_groups:
                found = _values(group) if level == "value" else _of_group(problem, group, "rate")
                for x in (x for x, (own, _) in zip(found, group.rows, strict=True) if own == measure):
                    x = g.largest(group, g.fabs(x))
                    worst = x if worst.zero else g.select(g.greater(x, worst), x, worst)
            out.append(worst)
    return out
