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
        Entries; for a symmetric matrix either triangle, each entry once.
    sides : list of dict i -> Node
        Right-hand sides.
    order : list of int
        Pivot sequence.
    symmetric : bool
        LDL' if true, else LU on the symmetrised pattern.

    Returns
    -------
    list of dict i -> Node
    """
    place = {p: k for k, p in enumerate(order)}
    zero = graph.const(0.0)
    upper, lower = {}, {}
    for (i, j), x in matrix.items():
        if x.zero:
            continue
        if symmetric or place[i] <= place[j]:
            a, b = (i, j) if place[i] <= place[j] else (j, i)
            upper[a, b] = x
            lower.setdefault((b, a), zero)
        else:
            lower[i, j] = x
            upper.setdefault((j, i), zero)
    sides = [dict(b) for b in sides]
    inverse, columns = {}, {}
    ahead = {p: set() for p in order}
    for a, b in upper:
        if a != b:
            ahead[a].add(b)
    for p in order:
        inverse[p] = 1.0 / upper[p, p]
        columns[p] = column = sorted(ahead[p], key=place.get)
        for a, i in enumerate(column):
            factor = (upper[p, i] if symmetric else lower[i, p]) * inverse[p]
            if factor.zero:
                continue
            for j in column[a:] if symmetric else column:
                if symmetric or place[i] <= place[j]:
                    upper[i, j] = upper.get((i, j), zero) - factor * upper[p, j]
                    if i != j:
                        ahead[i].add(j)
                        lower.setdefault((j, i), zero)
                else:
                    lower[i, j] = lower.get((i, j), zero) - factor * upper[p, j]
                    upper.setdefault((j, i), zero)
                    ahead[j].add(i)
            for b in sides:
                b[i] = b.get(i, zero) - factor * b.get(p, zero)
    for b in sides:
        for p in reversed(order):
            total = b.get(p, zero)
            for j in columns[p]:
                total = total - upper[p, j] * b[j]
            b[p] = total * inverse[p]
    return sides
