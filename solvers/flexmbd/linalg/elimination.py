"""Symbolic sparse elimination of ``[[K, G'], [G, 0]]`` with an order fixed once per topology, no pivoting.

A multiplier is eliminated after the coordinates of its own row, so the saddle point needs no pivoting once scaled.
"""

import heapq

from flexmbd.language.graph import Graph
from flexmbd.language.product import Placed
from flexmbd.linalg.blocks import BlockFactors, Plan
from flexmbd.linalg.sparse import SparseFactors
from flexmbd.tuning import USUAL


def elimination_order(n, neighbours, rows, tuning=USUAL, massless=frozenset()):
    """Greedy minimum degree in which a multiplier waits for the coordinates of its row, and those without mass for the multipliers.

    Parameters
    ----------
    n : int
        Number of coordinates.
    neighbours : list of sets
        Coordinates coupled by one element (each set becomes a clique).
    rows : list of sets
        Coordinates of each constraint row.
    tuning : Tuning, optional
    massless : set of int, optional
        Coordinates that have no pivot before the rows in which they occur are eliminated.

    Returns
    -------
    list of int
        Coordinates ``0..n-1`` and multipliers ``n..n+len(rows)-1``.
    """
    groups = _alike(n, neighbours, rows, tuning.alike)
    of = {i: k for k, members in enumerate(groups) for i in members}
    weight = [len(members) for members in groups]
    adjacent = [set() for _ in groups]
    waiting, users = {}, {}
    for k, members in enumerate(rows, n):
        for i in members:
            adjacent[of[i]].add(of[k])
            adjacent[of[k]].add(of[i])
            first, last = (of[k], of[i]) if i in massless else (of[i], of[k])
            waiting.setdefault(last, set()).add(first)
            users.setdefault(first, []).append(last)
    for members in neighbours:
        coupled = {of[i] for i in members}
        for i in coupled:
            adjacent[i] |= coupled
    for i, members in enumerate(adjacent):
        members.discard(i)
    degree = [sum(weight[j] for j in members) + weight[i] for i, members in enumerate(adjacent)]
    heap = [(degree[i], 0, groups[i][0], i) for i in range(len(groups)) if not waiting.get(i)]
    heapq.heapify(heap)
    order, done = [], [False] * len(groups)
    while heap:
        size, *_, pivot = heapq.heappop(heap)
        if done[pivot] or size != degree[pivot]:
            continue
        done[pivot] = True
        order += groups[pivot]
        members = adjacent[pivot]
        for i in members:
            adjacent[i] |= members
            adjacent[i] -= {i, pivot}
            degree[i] = sum(weight[j] for j in adjacent[i]) + weight[i]
        for k in users.get(pivot, ()):
            waiting[k].discard(pivot)
        for i in members:
            if not waiting.get(i):
                turn = len(order) if weight[i] > 1 else 0  # blocks in turn from all ends: the processor then works on several at once
                heapq.heappush(heap, (degree[i], turn, groups[i][0], i))
        adjacent[pivot] = set()
    return order


def _alike(n, neighbours, rows, least):
    """Unknowns in groups of those that have the same neighbours from the start, as far as elements tell: they stay together."""
    member = [[] for _ in range(n)]
    alone = {i for members in rows for i in members} | {i for members in neighbours if len(members) < least for i in members}
    for k, members in enumerate(neighbours):
        for i in members:
            member[i].append(k)
    groups = {}
    for i in range(n):
        groups.setdefault(i if i in alone else tuple(member[i]) or i, []).append(i)
    return [*groups.values(), *([n + k] for k in range(len(rows)))]


class SymbolicFactors:
    """``L D U`` of a matrix as nodes; made by `factorise`.

    Attributes
    ----------
    order : list of int
        Pivots.
    columns : dict int -> list of int
        By pivot, the later pivots that it is coupled to.
    lower, upper : dict (i, j) -> Node
        Entries of L below and of D U above the diagonal.
    inverse : dict int -> Node
        1/D.
    """

    def __init__(self, graph, order):
        self.graph, self.order = graph, order
        self.columns, self.lower, self.upper, self.inverse = {}, {}, {}, {}

    def solve(self, side):
        """Solution by i (a dict with all pivots) for a right-hand side by i."""
        zero, b, mark, columns = self.graph.const(0.0), dict(side), self.graph.mark, self.columns
        sub, mul, lower, upper = self.graph.sub, self.graph.mul, self.lower, self.upper
        for p in self.order:
            mark()
            known = b.get(p, zero)
            for i in columns[p]:
                b[i] = sub(b.get(i, zero), mul(lower[i, p], known))
        for p in reversed(self.order):
            mark()
            total = b.get(p, zero)
            for j in columns[p]:
                total = sub(total, mul(upper[p, j], b[j]))
            b[p] = total * self.inverse[p]
        mark()
        return b


WITHIN, GUARD = 1e-4, 1e-14  # by a pivot's size: below the one it is guarded, and stays above the other


def factorise(graph: Graph, matrix, order, *, symmetric=True, guards=None):
    """`Factors` of a matrix.

    Parameters
    ----------
    matrix : dict (i, j) -> Node
        Entries; for a symmetric matrix either triangle, each entry once; else both triangles.  A group of elements as key has what
        each element adds, both triangles, as a dict like this one, and a `Placed` matrix of numbers a node that it is multiplied by.
    order : list of int, or None
        Pivot sequence; without one a sparse direct library does it.
    symmetric : bool
        LDL' if true, else LU on the symmetrised pattern, in which pairs of entries that are one node stay one
        (a matrix that a few elements make unsymmetric costs little more than a symmetric one).
    guards : dict int -> Node, optional
        Sizes of pivots that are negative and may vanish: these are kept from zero. Of small matrices.
    """
    zero = graph.const(0.0)
    entry, placed = {}, [(key, x) for key, x in matrix.items() if isinstance(key, Placed)]
    grouped = [(key, x) for key, x in matrix.items() if x and not isinstance(key, tuple | Placed)]
    for (i, j), x in ((key, x) for key, x in matrix.items() if isinstance(key, tuple)):
        if not x.zero:
            entry[i, j] = x
            entry[j, i] = x if symmetric else entry.get((j, i), zero)
    if order is None:
        return SparseFactors(graph, entry, grouped, placed)
    place, ahead = {p: k for k, p in enumerate(order)}, {p: set() for p in order}
    for i, j in entry:
        if place[i] < place[j]:
            ahead[i].add(j)
    coupled = [own for group, part in grouped for members in group.couplings(part) for own in members.tolist()]
    for own in coupled + [own for one, _ in placed for own in one.couplings()]:
        for i in own:
            ahead[i].update(j for j in own if place[j] > place[i])
    filled, work = _fill(order, place, ahead)
    work = work // 2 if symmetric else work
    loops = any(not isinstance(key, tuple | Placed) for key in matrix)  # of groups without a mass too: they have forces
    if work > graph.tuning.blocks or loops:
        plan = Plan(order, filled, graph.tuning)
        if plan.work < graph.tuning.dense * work or loops:
            return BlockFactors(graph, entry, order, plan, grouped, placed)
    for i, j, x in (x for one, scale in placed for x in one.written_out(graph, scale)):
        entry[i, j] = entry.get((i, j), zero) + x
        entry.setdefault((j, i), zero)
    factors = SymbolicFactors(graph, order)
    for p in order:
        graph.mark()
        if guards and p in guards:
            entry[p, p] = _guarded(graph, entry[p, p], guards[p])
        inverse = factors.inverse[p] = 1.0 / entry[p, p]
        column = factors.columns[p] = sorted(ahead[p], key=place.get)
        lower = {i: entry[i, p] * inverse for i in column}
        mirrored = {i: entry[i, p] is entry[p, i] for i in column}
        long = len(column) > 2 * graph.tuning.unit_rows
        for a, i in enumerate(column):
            if long and a % graph.tuning.unit_rows == 0:
                graph.mark()
            for j in column[a:]:
                above, below = entry.get((i, j), zero), entry.get((j, i), zero)
                shared = above is below and mirrored[i] and mirrored[j]
                entry[i, j] = above - lower[i] * entry[p, j]
                entry[j, i] = entry[i, j] if shared or i == j else below - lower[j] * entry[p, i]
                if i != j and not (entry[i, j].zero and entry[j, i].zero):
                    ahead[i].add(j)
            factors.lower[i, p], factors.upper[p, i] = lower[i], entry[p, i]
    graph.mark()
    return factors


def _guarded(graph, pivot, size):
    """A negative pivot that does not vanish."""
    return pivot - graph.select(graph.greater(WITHIN * size, -pivot), (GUARD / WITHIN) * (WITHIN * size + pivot), 0.0)


def _fill(order, place, ahead):
    """Couplings of each pivot to later ones with what elimination fills in, and its number of products."""
    filled, work = {p: set(ahead[p]) for p in order}, 0
    for p in order:
        first = min(filled[p], key=place.get, default=None)
        if first is not None:
            filled[first] |= filled[p] - {first}  # the others follow from one to the next
        work += len(filled[p]) ** 2
    return filled, work


def solve(graph: Graph, matrix, sides, order, *, symmetric=True):
    """Solution nodes of ``matrix x = side``, a dict by i, for every side; parameters as those of `factorise`."""
    factors = factorise(graph, matrix, order, symmetric=symmetric)
    return [factors.solve(side) for side in sides]
