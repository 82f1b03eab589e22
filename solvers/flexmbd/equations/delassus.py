"""Contacts that cannot be penetrated: how fast each yields to the percussions in all of them, where the rows allow it.

``W = D P D'`` with the directions D of the contacts and the velocities ``P p`` that generalized percussions p give a system whose rows hold
(Brogliato 2016, Nonsmooth Mechanics, 3rd ed., ch. 5; without rows P is the inverse of the mass matrix).
"""

from flexmbd.equations import index1
from flexmbd.errors import ModelError
from flexmbd.language.ordering import Guarded
from flexmbd.language.tracing import substitute
from flexmbd.registry import FEW, HOLDS, LOCKS, NUMBERS, STICKS

BOTH = 1e300  # N s: bound of what holds both ways
CLOSE = 1.0  # by a whole step: what rows are open, as places and as velocities, is gone after two steps; others leave a share of 1 less it


def check_steps(problem):
    """Refuse what schemes that step over events do not treat."""
    if problem.coupled:
        one, name = problem.coupled[0], problem.coupled[0].element.name
        told = f"{one.kind} '{name}': schemes with percussions do not treat {one.what}"
        raise ModelError(told, element=name, remedy="give a clearance joint with Impenetrable(friction=...)")


def directions(problem):
    """Columns ``{coordinate: Node}`` of all contacts that cannot be penetrated: of each the normal, then the others."""
    return [column for contact in problem.unilaterals for column in contact.directions]


def delassus(problem):
    """Nodes of the matrix, in 1/kg, row by row in the order of `directions`."""
    columns = directions(problem)
    return products(problem.graph, columns, index1.responses(problem, columns))


def products(graph, columns, responses):
    """Nodes of the matrix of the products of columns and responses: it is symmetric, so half of them."""
    found = {(r, k): graph.dot((x, responses[k][i]) for i, x in column.items()) for r, column in enumerate(columns) for k in range(r + 1)}
    order = range(len(columns))
    return [[found[max(r, k), min(r, k)] for k in order] for r in order]


def counts(problem):
    """Numbers of contacts and of directions."""
    return len(problem.unilaterals), sum(len(contact.rates) for contact in problem.unilaterals)


def rows_of_work(problem):
    """Rows of W that `percussions` needs: gaps, numbers, velocities before and free, percussions, bounds, matrix, responses, velocities,
    work of the forces on the responses, percussions of the sweep before.
    """
    contacts, found = counts(problem)
    return (2 + NUMBERS) * contacts + 5 * found + found * found + found * problem.n + problem.n


def works(problem, forces, responses, before, free, h):
    """Nodes of the work of the forces on each response, taken as a shift.

    Accelerations of the directions are that, and what rows that bend make of them, which is no work; they are taken where elements are in
    groups, whose forces are no nodes.
    """
    g = problem.graph
    if problem.groups:
        return [(y - x) / h for x, y in zip(before, free, strict=True)]
    return [g.dot((x, f) for x, f in zip(response, forces, strict=True)) for response in responses]


def jumps(problem):
    """Nodes at a step's end, in the order of `rows_of_work`, from its velocities there and those at its start, ``w0...``."""
    check_steps(problem)
    columns = directions(problem)
    found = index1.responses(problem, columns)
    before, after = (velocities(problem, columns, v) for v in (at_start(problem), problem.v))
    forces, zero = _alone(problem), problem.graph.const(0.0)
    pulls = [zero] * len(found) if problem.groups else works(problem, forces, found, before, after, None)
    return _arranged(problem, before, after, columns, found, problem.v, pulls)


def _alone(problem):
    """Generalized forces without those of contacts that cannot be penetrated."""
    g = problem.graph
    none = {force: g.const(0.0) for contact in problem.unilaterals for force in (contact.found.force, *contact.found.others)}
    return substitute(g, problem.generalized, none)


def reactions(problem, wanted, behind):
    """Stores at a point, in the order of `rows_of_work`, with accelerations without forces of contacts in place of free velocities.

    Of more than `FEW` contacts the responses, and the columns of their directions in the rows `behind` on, are made where the rows from
    `wanted` on are not zero in some lane, each contact for itself; the matrix is left to the scheme.
    """
    for contact in problem.unilaterals:
        if contact.rule in (LOCKS, HOLDS):
            told = f"'{contact.name}': the integrator 'event_driven' does not treat what holds both ways: locks, guides without play"
            raise ModelError(told, element=contact.name, remedy="take 'moreau' or 'nonsmooth_ggl'")
        if any(contact.groups[1:]):
            told = f"contact '{contact.name}': the integrator 'event_driven' does not treat friction against rolling and pivoting"
            raise ModelError(told, element=contact.name, remedy="take 'moreau', or leave rolling and pivoting out")
    g, columns = problem.graph, directions(problem)
    found, rates = index1.responses(problem, columns), velocities(problem, columns, problem.v)
    free = []
    for rate, column in zip(rates, columns, strict=True):
        total = g.derivative(rate, problem.time) + g.dot((x, problem.a[i]) for i, x in column.items())
        for i, slope in g.slopes(rate, problem.q):
            total = total + slope * problem.v[i]
        free.append(total)
    if len(problem.unilaterals) <= FEW:
        return _rows(_arranged(problem, rates, free, columns, found, problem.a))
    n, start, groups, first = problem.n, _places(problem)[1], [], 0
    for j, contact in enumerate(problem.unilaterals):
        stores = []
        for r in range(first, first + len(contact.rates)):
            stores += _rows(found[r], start + n * r)
            stores += _rows([columns[r].get(i, g.const(0.0)) for i in range(n)], behind + n * r)
        groups.append((wanted + j, stores))
        first += len(contact.rates)
    always = _rows(_arranged(problem, rates, free, columns, found, problem.a))
    left_out = range(_places(problem)[0], start + n * len(columns))
    return Guarded([(where, x) for where, x in always if where[1] not in left_out], groups)


def _places(problem):
    """First rows of the matrix, and of the responses."""
    contacts, found = counts(problem)
    matrix = (2 + NUMBERS) * contacts + 3 * found
    return matrix, matrix + found * found


def _rows(nodes, first=0):
    """Stores of nodes in consecutive rows of W."""
    return [(("W", first + i), x) for i, x in enumerate(nodes)]


def at_start(problem):
    """Velocities at the start of the step, as nodes."""
    return problem.graph.space("w").first(problem.n)


def velocities(problem, columns, v):
    """Rates of all contacts, places as they are, with other velocities than those of the point."""
    g, rates = problem.graph, [rate for contact in problem.unilaterals for rate in contact.rates]
    if v is problem.v:
        return rates
    return [g.dot(((x, v[i] - problem.v[i]) for i, x in column.items()), rate) for rate, column in zip(rates, columns, strict=True)]


def percussions(problem):
    """Nodes of a step of length ``step_share`` at a point in its middle, in the order of `rows_of_work`; ``w0...`` are velocities at its
    start.

    The velocities ``x`` that the step ends with without percussions follow from ``M (x - w) = h f + G' l``, and the rows hold at its end as
    velocities, up to second order; what they are open as positions they close little by little::

        G (x - w) = -(G w + Phi_t + (h/2) k + c (Phi - (h^2/8) k))

    with everything at the middle, ``k = v' H v + ...`` the rows' second time derivative without accelerations.  ``c`` (1/s, the variable
    ``gamma_beta_h``) is `CLOSE` by a whole step, of which h may be a small part: by h itself, what a whole step left would give velocities
    that the next whole one makes a multiple of it.
    """
    check_steps(problem)
    g, n, h, start, columns = problem.graph, problem.n, problem.graph.var("step_share"), at_start(problem), directions(problem)
    forces, closing = _alone(problem), g.var("gamma_beta_h")
    pushed = {i: h * f for i, f in enumerate(forces)}
    pushed |= {group: [h * f for f in group.element.force] for group in problem.groups}
    for k, row in enumerate(problem.rows):
        bend = row.polynomial.convective(problem.q, start, problem.time)
        open_by = row.polynomial.value(problem.q) - (0.125 * h * h) * bend
        pushed[n + k] = -(row.polynomial.rate(problem.q, start, problem.time) + 0.5 * h * bend + closing * open_by)
    change, *found = index1.solved(problem, [pushed, *columns])
    before = velocities(problem, columns, start)
    ahead = [g.dot(((x, change[i]) for i, x in column.items()), rate) for rate, column in zip(before, columns, strict=True)]
    pulls, first = [g.const(0.0)] * len(found), 0
    for contact in problem.unilaterals:  # along the normals alone: that is where places are shifted
        pulls[first] = works(problem, forces, found[first : first + 1], before[first : first + 1], ahead[first : first + 1], h)[0]
        first += len(contact.rates)
    return _arranged(problem, before, ahead, columns, found, [w + dv for w, dv in zip(start, change, strict=True)], pulls)


def _arranged(problem, before, free, columns, found, velocities, pulls=None):
    """Nodes in the order of `rows_of_work`."""
    zero = problem.graph.const(0.0)
    return [
        *(contact.gap for contact in problem.unilaterals),
        *(x + zero for contact in problem.unilaterals for x in contact.numbers),
        *before,
        *free,
        *[zero] * len(free),
        *(_least(problem.graph, contact) for contact in problem.unilaterals),
        *(x for row in products(problem.graph, columns, found) for x in row),
        *(x for response in found for x in response),
        *(v + zero for v in velocities),
        *(x + zero for x in pulls or [zero] * len(free)),
    ]


def _least(graph, contact):
    """Least normal percussion before restitution: of what is locked, or holds both ways, none."""
    if contact.rule == HOLDS:
        return graph.const(-BOTH)
    return graph.select(graph.greater(contact.found.mode, STICKS), -BOTH, 0.0) if contact.rule == LOCKS else graph.const(0.0)
