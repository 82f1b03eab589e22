"""Elimination in dense blocks at run time, for matrices too large to be eliminated symbolically.

The pattern is analysed once: the pivot sequence is cut into runs that share their later couplings (supernodes), and the matrix is stored
as dense blocks, those above and those below the diagonal, with room for what elimination fills in.  Two kernels, copied into the
generated module, then work on any such table in lanes; they do not pivot.  In the graph a factorisation is one node, whose arguments are
the entries, and each solution another, whose results are the unknowns.
"""

# ruff: noqa: F821 - names in the kernels are bound in the generated module
import hashlib
import re

import numpy as np

from flexmbd.tuning import USUAL


def block_update(A, to, left, right, n, rows, width):
    """``C -= L' R`` for blocks L (n, rows) and R (n, width), four columns at once."""
    j = 0
    while j + 4 <= width:
        for i in range(rows):
            at = to + i * width + j
            x0, x1, x2, x3 = ld(A, at), ld(A, at + 1), ld(A, at + 2), ld(A, at + 3)
            for r in range(n):
                f, k = ld(A, left + r * rows + i), right + r * width + j
                x0 = x0 - f * ld(A, k)
                x1 = x1 - f * ld(A, k + 1)
                x2 = x2 - f * ld(A, k + 2)
                x3 = x3 - f * ld(A, k + 3)
            st(A, at, x0)
            st(A, at + 1, x1)
            st(A, at + 2, x2)
            st(A, at + 3, x3)
        j += 4
    for k in range(j, width):
        for i in range(rows):
            x = ld(A, to + i * width + k)
            for r in range(n):
                x = x - ld(A, left + r * rows + i) * ld(A, right + r * width + k)
            st(A, to + i * width + k, x)


def block_factorise(A, pivots, columns, targets):
    """``L U`` in place; the diagonal is stored inverted, blocks of L transposed.  Tables as those of `Plan`."""
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
            for i in range(n):
                inverse = ld(A, d + i * n + i)
                for j in range(m):
                    x, y = ld(A, low + i * m + j), ld(A, up + i * m + j)
                    for r in range(i):
                        x = x - ld(A, d + r * n + i) * ld(A, low + r * m + j)
                        y = y - ld(A, d + i * n + r) * ld(A, up + r * m + j)
                    st(A, low + i * m + j, x * inverse)
                    st(A, up + i * m + j, y)
        for a in range(first, last):
            low, m = columns[a, 0], columns[a, 2]
            here = u + (a - first) * (last - first) - first
            for b in range(first, a):
                block_update(A, targets[here + b], columns[b, 1], low, n, columns[b, 2], m)
            for b in range(a, last):
                block_update(A, targets[here + b], low, columns[b, 1], n, m, columns[b, 2])


def block_forward(A, pivots, columns, b):
    """First half of the solution, in place of the right-hand side, both in the order of the pivots."""
    for k in range(len(pivots)):
        d, n, at, first, last = pivots[k, 0], pivots[k, 1], pivots[k, 2], pivots[k, 3], pivots[k, 4]
        for i in range(1, n):
            x = ld(b, at + i)
            for r in range(i):
                x = x - ld(A, d + i * n + r) * ld(b, at + r)
            st(b, at + i, x)
        for c in range(first, last):
            low, m, to = columns[c, 0], columns[c, 2], columns[c, 3]
            i = 0
            while i + 4 <= m:
                x0, x1, x2, x3 = ld(b, to + i), ld(b, to + i + 1), ld(b, to + i + 2), ld(b, to + i + 3)
                for r in range(n):
                    f, p = ld(b, at + r), low + r * m + i
                    x0 = x0 - ld(A, p) * f
                    x1 = x1 - ld(A, p + 1) * f
                    x2 = x2 - ld(A, p + 2) * f
                    x3 = x3 - ld(A, p + 3) * f
                st(b, to + i, x0)
                st(b, to + i + 1, x1)
                st(b, to + i + 2, x2)
                st(b, to + i + 3, x3)
                i += 4
            for j in range(i, m):
                x = ld(b, to + j)
                for r in range(n):
                    x = x - ld(A, low + r * m + j) * ld(b, at + r)
                st(b, to + j, x)


def block_backward(A, pivots, columns, b):
    """Second half of the solution."""
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


def clear(A):
    """Set to zero."""
    for i in range(len(A)):
        st(A, i, 0.0)


def keep(new, old, who):
    """Put new values in place of the old ones in some lanes."""
    for i in range(len(old)):
        st(old, i, select(who, ld(new, i), ld(old, i)))


def scatter(A, shares, tables, at, width):
    """Add values at the places in a table."""
    for i in range(width):
        to = tables[at + i]
        st(A, to, ld(A, to) + ld(shares, i))


KERNELS = (block_update, block_factorise, block_forward, block_backward, clear, keep, scatter)
SIZED = (block_factorise, block_forward, block_backward)


def sized(source, size):
    """Source of a kernel for supernodes that are all of one size, as are those they are coupled to."""
    return re.sub(r"pivots\[k, 1\]|columns\[[abc], 2\]", str(size), re.sub(r"def (\w+)", rf"def \1_{size}", source, count=1))


class Plan:
    """Where the entries of one pattern are stored, and what is done with them.

    Parameters
    ----------
    order : list of int
        Pivot sequence.
    ahead : dict int -> set of int
        By pivot, the later pivots that it is coupled to once the earlier ones are eliminated.
    tuning : Tuning, optional

    Attributes
    ----------
    size : int
        Numbers stored.
    place : dict int -> int
        Number of each pivot in the sequence: its row of a right-hand side.
    pivots : ndarray (supernodes, 6)
        Diagonal block, its size, first row, range of `columns`, begin in `targets`.
    columns : ndarray (couplings, 4)
        Block below (stored transposed) and block right of the diagonal block, size of the other supernode, its first row.
    targets : ndarray
        By pair of couplings of one supernode, the block that their product is taken from.
    work : int
        Products of a factorisation, zeros inside the blocks included.
    name : str
        Hash of the tables.
    """

    def __init__(self, order, ahead, tuning=USUAL):
        self._tuning = tuning
        self.place = {p: k for k, p in enumerate(order)}
        groups = _supernodes(order, ahead, tuning.supernode)
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

    def runs(self):
        """Ranges of `pivots` that one kernel does: (start, stop, size of all supernodes in it and coupled to them, or None)."""
        out = []
        for k, (size, first, last) in enumerate(self.pivots[:, [1, 3, 4]].tolist()):
            even = size if np.all(self.columns[first:last, 2] == size) else None
            if out and out[-1][2] == even:
                out[-1][1] = k + 1
            else:
                out.append([k, k + 1, even])
        merged = []
        for start, stop, size in out:
            size = size if stop - start >= self._tuning.sized_run else None
            if merged and merged[-1][2] == size:
                merged[-1] = (merged[-1][0], stop, size)
            else:
                merged.append((start, stop, size))
        return merged

    def rows_of(self, unknowns):
        """Rows of a right-hand side, by an array of unknowns."""
        place = np.zeros(max(self.place) + 1, np.int64)
        place[list(self.place)] = list(self.place.values())
        return place[unknowns]

    def places(self, rows, columns):
        """Places of entries in the storage, by arrays of rows and columns."""
        unknowns = max(self.place) + 1
        group, place = np.zeros(unknowns, np.int64), np.zeros(unknowns, np.int64)
        group[list(self._group)], place[list(self.place)] = list(self._group.values()), list(self.place.values())
        first, sizes, count = np.array(self._first), np.array(self._sizes), len(self._sizes)
        keys = np.array([s * count + t for s, t in self._blocks])
        begins, order = np.array(list(self._blocks.values())), np.argsort(keys)
        s, t = group[rows], group[columns]
        block = begins[order][np.searchsorted(keys[order], s * count + t)]
        i, j = place[rows] - first[s], place[columns] - first[t]
        return block + np.where(s > t, j * sizes[s] + i, i * sizes[t] + j)

    def entries(self):
        """By place in the storage, row and column in the order of the pivots."""
        found = {}
        for (s, t), begin in self._blocks.items():
            for k in range(self._sizes[s] * self._sizes[t]):
                i, j = divmod(k, self._sizes[t]) if s <= t else divmod(k, self._sizes[s])[::-1]
                found[begin + k] = self._first[s] + i, self._first[t] + j
        return found

    def where(self, i, j):
        """Place of the entry (i, j) in the storage."""
        s, t = self._group[i], self._group[j]
        row, column = self.place[i] - self._first[s], self.place[j] - self._first[t]
        return self._blocks[s, t] + (column * self._sizes[s] + row if s > t else row * self._sizes[t] + column)


def _supernodes(order, ahead, largest):
    """Runs of pivots of which each is coupled to the next and to just what the next is coupled to."""
    groups = []
    for p in order:
        last = groups[-1][-1] if groups else None
        if last is not None and len(groups[-1]) < largest and p in ahead[last] and ahead[last] - {p} == ahead[p]:
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
    pooled : list of (Pool, dict (i, j) -> Node)
    """

    def __init__(self, graph, entry, order, plan, pooled=()):
        self.graph, self.order, self.plan = graph, order, plan
        entries = [(self.plan.where(i, j), x) for (i, j), x in entry.items() if not x.zero]
        self.node = graph.factors(self.plan, entries, pooled)

    def solve(self, side):
        """Solution by i (a dict with all pivots) for a right-hand side by i."""
        place = self.plan.place
        parts = [(place[i], x) for i, x in side.items() if isinstance(i, int) and not x.zero]
        pooled = [(pool, x) for pool, x in side.items() if not isinstance(pool, int)]
        results = self.graph.substitution(self.node, parts, len(self.order), pooled)
        return {p: results[k] for k, p in enumerate(self.order)}
