"""Elimination in dense blocks at run time, for matrices too large to be eliminated symbolically.

The pattern is analysed once: the pivot sequence is cut into runs that share their later couplings (supernodes), and the matrix is stored
as dense blocks, those above and those below the diagonal, with room for what elimination fills in.  Two kernels, copied into the
generated module, then work on any such table in lanes; they do not pivot.  In the graph a factorisation is one node, whose arguments are
the entries, and each solution another, whose results are the unknowns.
"""

# ruff: noqa: F821 - names in the kernels are bound in the generated module
import hashlib

import numpy as np

LARGEST = 16  # unknowns in a supernode


def block_factorise(A, pivots, columns, targets):
    """``L U`` in place; the diagonal is stored inverted.  Tables as those of `Plan`."""
    for k in range(len(pivots)):
        d, n, first, last, u = pivots[k, 0], pivots[k, 1], pivots[k, 3], pivots[k, 4], pivots[k, 5]
        for r in range(n):
            inverse = 1.0 / ld(A, d + r * n + r)
            st(A, d + r * n + r, inverse)
            for i in range(r + 1, n):
                f = ld(A, d + i * n + r) * inverse
                st(A, d + i * n + r, f)
                for j in range(r + 1, n):
                    st(A, d + i * n + j, ld(A, d + i * n + j) - f * ld(A, d + r * n + j))
        for c in range(first, last):
            low, up, m = columns[c, 0], columns[c, 1], columns[c, 2]
            for i in range(m):
                for j in range(n):
                    x = ld(A, low + i * n + j)
                    for r in range(j):
                        x = x - ld(A, low + i * n + r) * ld(A, d + r * n + j)
                    st(A, low + i * n + j, x * ld(A, d + j * n + j))
            for i in range(1, n):
                for j in range(m):
                    x = ld(A, up + i * m + j)
                    for r in range(i):
                        x = x - ld(A, d + i * n + r) * ld(A, up + r * m + j)
                    st(A, up + i * m + j, x)
        for a in range(first, last):
            low, m = columns[a, 0], columns[a, 2]
            for b in range(first, last):
                up, width, to = columns[b, 1], columns[b, 2], targets[u + (a - first) * (last - first) + b - first]
                for i in range(m):
                    for j in range(width):
                        x = ld(A, to + i * width + j)
                        for r in range(n):
                            x = x - ld(A, low + i * n + r) * ld(A, up + r * width + j)
                        st(A, to + i * width + j, x)


def block_substitute(A, pivots, columns, b):
    """Solution in place of the right-hand side, both in the order of the pivots."""
    for k in range(len(pivots)):
        d, n, at, first, last = pivots[k, 0], pivots[k, 1], pivots[k, 2], pivots[k, 3], pivots[k, 4]
        for i in range(1, n):
            x = ld(b, at + i)
            for r in range(i):
                x = x - ld(A, d + i * n + r) * ld(b, at + r)
            st(b, at + i, x)
        for c in range(first, last):
            low, m, to = columns[c, 0], columns[c, 2], columns[c, 3]
            for i in range(m):
                x = ld(b, to + i)
                for r in range(n):
                    x = x - ld(A, low + i * n + r) * ld(b, at + r)
                st(b, to + i, x)
    for k in range(len(pivots) - 1, -1, -1):
        d, n, at, first, last = pivots[k, 0], pivots[k, 1], pivots[k, 2], pivots[k, 3], pivots[k, 4]
        for c in range(first, last):
            up, m, to = columns[c, 1], columns[c, 2], columns[c, 3]
            for i in range(n):
                x = ld(b, at + i)
                for r in range(m):
                    x = x - ld(A, up + i * m + r) * ld(b, to + r)
                st(b, at + i, x)
        for i in range(n - 1, -1, -1):
            x = ld(b, at + i)
            for r in range(i + 1, n):
                x = x - ld(A, d + i * n + r) * ld(b, at + r)
            st(b, at + i, x * ld(A, d + i * n + i))


KERNELS = (block_factorise, block_substitute)


class Plan:
    """Where the entries of one pattern are stored, and what is done with them.

    Parameters
    ----------
    order : list of int
        Pivot sequence.
    ahead : dict int -> set of int
        By pivot, the later pivots that it is coupled to once the earlier ones are eliminated.

    Attributes
    ----------
    size : int
        Numbers stored.
    place : dict int -> int
        Number of each pivot in the sequence: its row of a right-hand side.
    pivots : ndarray (supernodes, 6)
        Diagonal block, its size, first row, range of `columns`, begin in `targets`.
    columns : ndarray (couplings, 4)
        Block below and block right of the diagonal block, size of the other supernode, its first row.
    targets : ndarray
        By pair of couplings of one supernode, the block that their product is taken from.
    work : int
        Products of a factorisation, zeros inside the blocks included.
    name : str
        Hash of the tables.
    """

    def __init__(self, order, ahead):
        self.place = {p: k for k, p in enumerate(order)}
        groups = _supernodes(order, ahead)
        self._group = {p: s for s, members in enumerate(groups) for p in members}
        self._first = [self.place[members[0]] for members in groups]
        self._sizes = [len(members) for members in groups]
        couplings = [{self._group[j] for p in members for j in ahead[p]} - {s} for s, members in enumerate(groups)]
        self._blocks, self.size = {}, 0
        pivots, columns, targets = [], [], []
        for s in range(len(groups)):
            later = sorted(couplings[s])
            for t in later:
                couplings[t] |= {r for r in later if r > t}  # a supernode is dense in those it is coupled to
            for a, b in [(s, s), *((t, s) for t in later), *((s, t) for t in later)]:
                self._blocks[a, b] = self.size
                self.size += self._sizes[a] * self._sizes[b]
        for s, size in enumerate(self._sizes):
            later = sorted(couplings[s])
            begin = len(columns)
            columns += [(self._blocks[t, s], self._blocks[s, t], self._sizes[t], self._first[t]) for t in later]
            pivots.append((self._blocks[s, s], size, self._first[s], begin, len(columns), len(targets)))
            targets += [self._blocks[a, b] for a in later for b in later]
        self.pivots, self.columns = _table(pivots, 6), _table(columns, 4)
        self.targets = np.array(targets or [0], np.int32)
        wide = [sum(self._sizes[t] for t in later) for later in couplings]
        self.work = sum(n**3 // 3 + n * n * m + n * m * m for n, m in zip(self._sizes, wide, strict=True))
        self.name = hashlib.sha256(b"".join(x.tobytes() for x in self.tables)).hexdigest()[:12]

    @property
    def tables(self):
        """Pivots, columns, targets."""
        return self.pivots, self.columns, self.targets

    def entries(self):
        """By place in the storage, row and column in the order of the pivots."""
        found = {}
        for (s, t), begin in self._blocks.items():
            for k in range(self._sizes[s] * self._sizes[t]):
                i, j = divmod(k, self._sizes[t])
                found[begin + k] = self._first[s] + i, self._first[t] + j
        return found

    def where(self, i, j):
        """Place of the entry (i, j) in the storage."""
        s, t = self._group[i], self._group[j]
        return self._blocks[s, t] + (self.place[i] - self._first[s]) * self._sizes[t] + self.place[j] - self._first[t]


def _supernodes(order, ahead):
    """Runs of pivots of which each is coupled to the next and to just what the next is coupled to."""
    groups = []
    for p in order:
        last = groups[-1][-1] if groups else None
        if last is not None and len(groups[-1]) < LARGEST and p in ahead[last] and ahead[last] - {p} == ahead[p]:
            groups[-1].append(p)
        else:
            groups.append([p])
    return groups


def _table(rows, width):
    return np.array(rows or np.zeros((0, width)), np.int32).reshape(-1, width)


class BlockFactors:
    """Factors of a matrix at run time, with the interface of `elimination.Factors`.

    Parameters
    ----------
    graph : Graph
    entry : dict (i, j) -> Node
        Both triangles.
    order : list of int
        Pivots.
    plan : Plan
    """

    def __init__(self, graph, entry, order, plan):
        self.graph, self.order, self.plan = graph, order, plan
        entries = [(self.plan.where(i, j), x) for (i, j), x in entry.items() if not x.zero]
        self.node = graph.factors(self.plan, entries)

    def solve(self, side):
        """Solution by i (a dict with all pivots) for a right-hand side by i."""
        parts = [(self.plan.place[i], x) for i, x in side.items() if not x.zero]
        results = self.graph.substitution(self.node, parts, len(self.order))
        return {p: results[k] for k, p in enumerate(self.order)}
