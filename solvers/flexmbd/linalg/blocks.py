"""Elimination in dense blocks at run time, for matrices too large to be eliminated symbolically.

The pattern is analysed once: the pivot sequence is cut into runs that share their later couplings (supernodes), and the matrix is stored
as dense blocks, those above and those below the diagonal, with room for what elimination fills in.  `codegen.blocks` has what then works
on any such table in lanes, without pivoting.  In the graph a factorisation is one node, whose arguments are
the entries, and each solution another, whose results are the unknowns.
"""

import hashlib

import numpy as np

from flexmbd.tuning import USUAL


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
    grouped : list of (Group, dict (i, j) -> Node)
    placed : list of (Placed, Node)
    """

    def __init__(self, graph, entry, order, plan, grouped=(), placed=()):
        self.graph, self.order, self.plan = graph, order, plan
        entries = [(self.plan.where(i, j), x) for (i, j), x in entry.items() if not x.zero]
        self.node = self._factors(entries, grouped, placed)

    def _factors(self, entries, grouped, placed):
        """Node of the factors; what placed matrices are multiplied by comes behind the storage."""
        behind = [(self.plan.size + k, x) for k, (_, x) in enumerate(placed)]
        return self.graph.factors(self.plan, entries + behind, grouped, [one for one, _ in placed])

    def solve(self, side):
        """Solution by i (a dict with all pivots) for a right-hand side by i."""
        place = self.plan.place
        parts = [(place[i], x) for i, x in side.items() if isinstance(i, int) and not x.zero]
        grouped = [(group, x) for group, x in side.items() if not (isinstance(group, int) or all(a.zero for a in x))]
        return self._named(self.graph.substitution(self.node, parts, len(self.order), grouped))

    def _named(self, results):
        return {p: results[k] for k, p in enumerate(self.order)}
