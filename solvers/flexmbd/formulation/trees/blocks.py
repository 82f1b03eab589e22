"""Symmetric matrices of small blocks, by (i, j) with i <= j: their elimination, and the chains of a tree whose blocks go by odd and even.

Blocks are lists of rows; right-hand sides lists by i.
"""

from flexmbd.formulation.trees.links import GROUND
from flexmbd.formulation.trees.small import back, factors, forward, scaled
from flexmbd.formulation.trees.spatial import minus, transposed


def less(a, left, right):
    """``a - left right'``, right by rows, a left out where it is zero."""
    start = a or [[0.0] * len(right) for _ in left]
    return [[minus(row, other, x) for x, other in zip(own, right, strict=True)] for row, own in zip(left, start, strict=True)]


class Eliminated:
    """Factors of a matrix of blocks.

    Parameters
    ----------
    blocks : dict (i, j) -> list of list
        Upper triangle, i <= j.
    order : iterable of int
        In which blocks are eliminated.
    mark : callable
    """

    def __init__(self, blocks, order, mark):
        self._order, self._pivots, self._shares = [i for i in order if (i, i) in blocks], {}, {}
        rest, beside = dict(blocks), {}
        for i, j in blocks:
            if i != j:
                beside.setdefault(i, set()).add(j)
                beside.setdefault(j, set()).add(i)
        self._mark = mark
        for k in self._order:
            mark()
            self._pivots[k] = lower, inverse = factors(rest.pop((k, k)))
            others = sorted(beside.pop(k, ()))
            rows = {i: rest.pop((i, k)) if i < k else transposed(rest.pop((k, i))) for i in others}
            left = {i: [forward(lower, row) for row in own] for i, own in rows.items()}
            self._shares[k] = shares = {i: [scaled(inverse, row) for row in own] for i, own in left.items()}
            for place, i in enumerate(others):
                beside[i] = (beside[i] | {*others}) - {i, k}
                for j in others[place:]:
                    rest[i, j] = less(rest.get((i, j)), left[i], shares[j])

    def solve(self, sides):
        """Solution by i."""
        found = dict(sides)
        for k in self._order:
            self._mark()
            found[k] = own = forward(self._pivots[k][0], found[k])
            for i, share in self._shares[k].items():
                found[i] = [minus(row, own, x) for row, x in zip(share, found[i], strict=True)]
        for k in reversed(self._order):
            self._mark()
            lower, inverse = self._pivots[k]
            own = scaled(inverse, found[k])
            for i, share in self._shares[k].items():
                own = [minus(column, found[i], x) for column, x in zip(zip(*share, strict=True), own, strict=True)]
            found[k] = back(lower, own)
        return found


class Chains:
    """Joints of a tree in chains, and those beside them: the joints of the links that hang on nodes, links that carry several.

    Without these, joints of the same body are those of a link and its one child, so that each chain's part of A is a band of blocks.

    Attributes
    ----------
    beside : list of int
    chains : list of list of int
        From inside outwards.
    rounds : list of list of int
        Of odd-even elimination: in each every second joint of what is left of all chains. No two of a round are coupled when it begins.
    """

    def __init__(self, table):
        held = [i for i, link in enumerate(table.links) if len(link.motion) < 6]
        self.chains, own = [], {}
        self.beside = [i for i in held if table.links[i].parent != GROUND and len(table.children[table.links[i].parent]) > 1]
        apart = set(self.beside)
        for i in held:
            if i not in apart:
                own[i] = own.get(table.links[i].parent) or []
                self.chains += [] if own[i] else [own[i]]
                own[i].append(i)
        self.rounds, left = [], self.chains
        while left:
            self.rounds.append([i for chain in left for i in (chain[1::2] if len(chain) > 1 else chain)])
            left = [chain[::2] for chain in left if len(chain) > 1]

    @property
    def order(self):
        """Of elimination: the rounds, then what is beside the chains from outside inwards."""
        return [*(i for one in self.rounds for i in one), *reversed(self.beside)]
