"""Forces that depend on reactions, solved with the accelerations (`registry.Coupled`; friction of ideal joints is one kind).

The index-1 equations are linear in the magnitudes f of such forces: multipliers are ``l = l0 + L f``, accelerations ``a = a0 + A f``.  With
loads N(l) and laws F(N), each stage solves

    f_i = F_i(N_i(l0 + L f))                                                        (J5 of docs/theory/joints.md)

by Newton's method.
"""

from flexmbd.errors import ModelError

ITERATIONS = 4  # of Newton: quadratic, and exact at once where the load is linear in the magnitudes


def solve(problem, solutions):
    """Solution of the index-1 equations with coupled forces, by index, and their magnitudes.

    They follow from the solution without them and those for a unit of each; `problem` is a `Problem` or a `Formulation`.

    Where a load outgrows what friction lets through (a jam: the equations have no unique solution) the result is not finite, and the
    run ends there.
    """
    g, coupled, count = problem.graph, problem.coupled, len(problem.coupled)
    base, responses = solutions[0], solutions[1:]
    zero, first, rows = g.const(0.0), problem.n, len(problem.rows)

    def mixed(k, forces):
        return g.dot(((r.get(k, zero), f) for r, f in zip(responses, forces, strict=True)), base.get(k, zero))

    forces = [zero] * count
    for _ in range(ITERATIONS):
        multipliers, found, matrix = [mixed(first + k, forces) for k in range(rows)], [], []
        for i, one in enumerate(coupled):
            load, slopes = one.load(g, multipliers)
            force, by_load = one.force(g, load)
            found.append(force - forces[i])
            row = [g.dot((x, r.get(first + k, zero)) for k, x in slopes.items()) for r in responses]
            matrix.append([float(i == j) - by_load * x for j, x in enumerate(row)])
        forces = [f + d for f, d in zip(forces, _eliminated(g, matrix, found), strict=True)]
    multipliers = [mixed(first + k, forces) for k in range(rows)]
    return {i: mixed(i, forces) for i in range(first)} | {first + k: x for k, x in enumerate(multipliers)}, forces


def _eliminated(g, matrix, side):
    """Solution of a small system whose pivots are positive unless it jams (then not finite)."""
    rows = [[*row, x] for row, x in zip(matrix, side, strict=True)]
    for k, row in enumerate(rows):
        inverse = 1.0 / g.select(g.greater(row[k], 1e-3), row[k], 0.0)
        rows[k] = row = [x * inverse for x in row]
        for i, other in enumerate(rows):
            if i != k:
                rows[i] = [x - other[k] * y for x, y in zip(other, row, strict=True)]
    return [row[-1] for row in rows]


def side(graph, one, n, rows):
    """Right-hand side of the equations for a unit of a coupled force."""
    return dict(one.columns) | {n + k: graph.const(0.0) for k in range(rows)}


def check_scheme(problem, scheme):
    """Refuse schemes that do not take the index-1 accelerations.

    Raises
    ------
    ModelError
        Naming what depends on reactions and what to take instead.
    """
    if problem.coupled and (scheme.correction is not None or scheme.accelerations is not None):
        one = problem.coupled[0]
        told = f"{one.kind} '{one.element.name}': the integrator '{scheme.name}' does not treat {one.what}"
        remedy = "take 'dormand_prince', 'rk4' or 'rosenbrock', or a clearance joint with friction"
        raise ModelError(told, element=one.element.name, remedy=remedy)
