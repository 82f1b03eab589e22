"""Coordinates that rows alone determine, such as those of a driven crank: their velocities follow from the rows, without the masses.

Rows and coordinates are matched; what no alternating path from an unmatched coordinate reaches is a square part, in which rows have no
other coordinates (Dulmage and Mendelsohn 1958, Can. J. Math. 10, 517-534).  Its strongly connected components are solved in turn.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from flexmbd.linalg.elimination import factorise


def blocks(n, members, apart=frozenset()):
    """Rows and coordinates that determine each other, in an order in which each block needs those before it only.

    Parameters
    ----------
    n : int
        Number of coordinates.
    members : list of sets
        Coordinates of each row.
    apart : set of int, optional
        Coordinates that are not to be in a block.

    Returns
    -------
    list of (list of int, list of int)
        Rows and coordinates of each block; none where rows depend on each other by what they act on.
    """
    if not members:
        return []
    table = csr_array((np.ones(sum(map(len, members))), np.concatenate([sorted(x) for x in members]),
                       np.cumsum([0, *map(len, members)])), shape=(len(members), n))  # fmt: skip
    matched = maximum_bipartite_matching(table, perm_type="column").tolist()
    if min(matched) < 0:
        return []
    users = [[] for _ in range(n)]
    for k, own in enumerate(members):
        for i in own:
            users[i].append(k)
    loose = (set(range(n)) - set(matched)) | set(apart)
    stack = list(loose)
    while stack:
        for k in users[stack.pop()]:
            if matched[k] not in loose:
                loose.add(matched[k])
                stack.append(matched[k])
    row_of = {i: k for k, i in enumerate(matched) if i not in loose}
    arrows = np.array([(k, row_of[i]) for k in row_of.values() for i in members[k]]).reshape(-1, 2).T
    ones = csr_array((np.ones(arrows.shape[1]), arrows), shape=(len(members), len(members)))
    _, names = connected_components(ones, connection="strong")
    parts, found, known = {}, [], set()
    for i, k in row_of.items():
        parts.setdefault(names[k], []).append((k, i))
    waiting = [tuple(map(list, zip(*sorted(part), strict=True))) for part in parts.values()]
    while waiting:
        ready = [part for part in waiting if all(members[k] <= known | set(part[1]) for k in part[0])]
        found += ready
        waiting = [part for part in waiting if part not in ready]
        known |= {i for _, part in ready for i in part}
    return found


def velocities(graph, n, matrix, found, order, sides):
    """Nodes of the coordinates of blocks by number, a dict for each side: solutions of their rows ``G x = side``.

    Larger blocks are solved with the coordinates' masses, so that no pivot vanishes where the block is regular.
    """
    zero, totals = graph.const(0.0), [{} for _ in sides]
    for rows, own in found:
        inside = {*own, *(n + k for k in rows)}
        part = {key: x for key, x in matrix.items() if isinstance(key, tuple) and inside.issuperset(key)}
        factors = None if len(own) == 1 else factorise(graph, part, [p for p in order if p in inside])
        for total, side in zip(totals, sides, strict=True):
            open_by = {k: side[n + k] - graph.dot((matrix[i, n + k], x) for i, x in total.items() if (i, n + k) in matrix) for k in rows}
            if factors is None:
                total[own[0]] = open_by[rows[0]] / matrix[own[0], n + rows[0]]
            elif all(x.zero for x in open_by.values()):
                total |= dict.fromkeys(own, zero)
            else:
                known = factors.solve({i: zero for i in own} | {n + k: x for k, x in open_by.items()})
                total |= {i: known[i] for i in own}
    return totals


__all__ = ["blocks", "velocities"]
