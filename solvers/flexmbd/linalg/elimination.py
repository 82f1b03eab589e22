"""Symbolic sparse elimination of ``[[K, G'], [G, 0]]`` with an order fixed once per topology, no pivoting.

A multiplier is eliminated after the coordinates of its own row, so the saddle point needs no pivoting once scaled.
"""

from flexmbd.linalg.graph import Graph


def elimination_order(n, neighbours, rows):
    """Greedy minimum degree in which a multiplier waits for the coordinates of its row.

    Parameters
    ----------
    n : int
        Number of coordinates.
    neighbours : iterable of sets
        Coordinates coupled by one element (each set becomes a clique).
    rows : list of sets
        Coordinates of each constraint row.

    Returns
    -------
    list of int
        Coordinates ``0..n-1`` and multipliers ``n..n+len(rows)-1``.
    """
    adjacent = {i: set() for i in range(n + len(rows))}

    def clique(members):
        for i in members:
            adjacent[i] |= members - {i}

    for members in neighbours:
        clique(set(members))
    for k, members in enumerate(rows):
        for i in members:
            adjacent[i].add(n + k)
            adjacent[n + k].add(i)
    left, order = set(adjacent), []
    while left:
        ready = [i for i in left if i < n or not (rows[i - n] & left)]
        pivot = min(ready, key=lambda i: (len(adjacent[i]), i))
        clique(adjacent[pivot])
        for i in adjacent[pivot]:
            adjacent[i].discard(pivot)
        adjacent[pivot] = set()
        left.discard(pivot)
        order.append(pivot)
    return order


def solve(graph: Graph, matrix, sides, order, *, symmetric=True):
    """Solution nodes of ``matrix x = side`` for every side.

    Parameters
    ----------
    matrix : dict (i, j) -> Node
        Entries; for a symmetric matrix either triangle, each entry once; else both triangles.
    sides : list of dict i -> Node
        Right-hand sides.
    order : list of int
        Pivot sequence.
    symmetric : bool
        LDL' if true, else LU on the symmetrised pattern, in which pairs of entries that are one node stay one
        (a matrix that a few elements make unsymmetric costs little more than a symmetric one).

    Returns
    -------
    list of dict i -> Node
    """
    place = {p: k for k, p in enumerate(order)}
    zero = graph.const(0.0)
    entry = {}
    for (i, j), x in matrix.items():
        if not x.zero:
            entry[i, j] = x
            entry[j, i] = x if symmetric else entry.get((j, i), zero)
    ahead = {p: set() for p in order}
    for i, j in entry:
        if place[i] < place[j]:
            ahead[i].add(j)
    sides = [dict(b) for b in sides]
    inverse, columns = {}, {}
    for p in order:
        inverse[p] = 1.0 / entry[p, p]
        columns[p] = column = sorted(ahead[p], key=place.get)
        factor = {i: entry[i, p] * inverse[p] for i in column}
        mirrored = {i: entry[i, p] is entry[p, i] for i in column}
        for a, i in enumerate(column):
            for j in column[a:]:
                above, below = entry.get((i, j), zero), entry.get((j, i), zero)
                shared = above is below and mirrored[i] and mirrored[j]
                entry[i, j] = above - factor[i] * entry[p, j]
                entry[j, i] = entry[i, j] if shared or i == j else below - factor[j] * entry[p, i]
                if i != j and not (entry[i, j].zero and entry[j, i].zero):
                    ahead[i].add(j)
            for b in sides:
                b[i] = b.get(i, zero) - factor[i] * b.get(p, zero)
    for b in sides:
        for p in reversed(order):
            total = b.get(p, zero)
            for j in columns[p]:
                total = total - entry[p, j] * b[j]
            b[p] = total * inverse[p]
    return sides
