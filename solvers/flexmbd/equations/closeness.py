"""How near constraint rows are to depending on each other, from the pivots of the elimination that is done anyway.

The pivot of a multiplier is ``-D``, with D the squared distance of its row from the span of the rows before it, in the metric of the
inverse masses; alone the row has ``D = s``.  So ``D/s`` is between 0 and 1, a squared sine: zero where the row depends on the others.
The *nearness* of a position is the largest ``s/D`` of all rows.  Trees of joints are never singular, whatever their pivots: only loops are
looked at.

Close to zero a pivot is guarded (`linalg.elimination`), so that what is open by rounding makes no multipliers without bound.
"""

from bisect import bisect_right

from flexmbd.linalg.elimination import SymbolicFactors


def closed(problem):
    """Whether joints close loops; a planar drive beside the joint that it drives is none."""
    first = sorted((place, name) for name, place in problem.first.items())
    places = [place for place, _ in first]
    bodies, groups = {body.name for body in problem.system.bodies}, {}
    for row in problem.rows:
        owner = row.label.rpartition(".")[0] or row.label
        if owner not in bodies:
            members = groups.setdefault(owner, set())
            members |= {first[bisect_right(places, i) - 1][1] for i in row.polynomial.indices}
    if not problem.first.keys() <= bodies:  # coordinates of joints: what more than one of them is in closes a loop
        return any(len(members) > 1 for members in groups.values())
    sets = [frozenset(members if len(members) > 1 else {*members, "ground"}) for members in groups.values()]
    parts = {}

    def part(name):
        while name in parts:
            name = parts[name]
        return name

    for members in dict.fromkeys(sets) if problem.system.dimension == 2 else sets:
        one, *others = (part(name) for name in sorted(members))
        for other in others:
            if other == one:
                return True
            parts[other] = one
    return False


def size(graph, gradient, inertia):
    """Node of what a row's pivot is for that row alone, less its sign."""
    return graph.dot((x * x, 1.0 / inertia[i]) for i, x in gradient.items() if i in inertia)


def nearness(graph, factors, sizes):
    """Node of the largest s/D; None where there are no rows to look at."""
    total = None
    for k, s in sizes.items() if isinstance(factors, SymbolicFactors) else ():
        graph.mark()
        x = graph.fabs(factors.inverse[k]) * s
        total = x if total is None else graph.select(graph.greater(x, total), x, total)
    return total


__all__ = ["closed", "nearness", "size"]
