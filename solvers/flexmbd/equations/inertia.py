"""Inertia as an operator: what equations, schemes and analyses ask of a system's mass matrix M, however it is written.

`NaturalInertia` has the entries of a sparse M.  Another operator gives its product with a vector, a recursion over the bodies of a tree for
one, and all else follows by derivatives of the graph, or is given too where something better is known (`solve` above all).
"""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from flexmbd.equations.saddle import beside, cliques, determined_blocks, regularise, solutions
from flexmbd.language.product import assembled
from flexmbd.parameters import RUNTIME


class Inertia(ABC):
    """Mass matrix M (n, n) of coordinates q and time t, as nodes.

    Parameters
    ----------
    graph : Graph
    q : sequence of Node
        All coordinates.

    Attributes
    ----------
    constant : bool
        M depends neither on coordinates nor on time.
    groups : list of Group
        Elements of flexible bodies that are many and alike. Their masses are part of M, and are in no node or entry here but where it is
        said.
    """

    constant = False

    def __init__(self, graph, q):
        self.graph, self.q, self.groups = graph, tuple(q), []

    @property
    def blocks(self):
        """Lists of coordinates that M couples to each other by many entries, all of them numbers."""
        n, wanted = len(self.q), {key: x for key, x in self.entries.items() if key[0] != key[1]}
        if len(wanted) <= self.graph.tuning.product // 2:
            return []
        _, names = connected_components(csr_array((np.ones(len(wanted)), np.array([*wanted]).T), shape=(n, n)), directed=False)
        found = {}
        for key in self.entries:
            found.setdefault(names[key[0]], []).append(key)
        large = [keys for keys in found.values() if 2 * len(keys) > self.graph.tuning.product]
        return [sorted({i for key in keys for i in key}) for keys in large if all(self.entries[key].level < RUNTIME for key in keys)]

    def apart(self, problem, gradients):
        """Those of `blocks` of which no coordinate is in a row or in a group: their accelerations are M's inverse times their forces."""
        if problem.direct:
            return []
        held = {i for key in gradients for i in key} | {i for group in self.groups for i in group.coordinates.ravel().tolist()}
        return [block for block in self.blocks if held.isdisjoint(block)]

    def _assembled(self, block, *, inverse=False):
        """Node of M's part of a block, or of its inverse."""
        place = {i: k for k, i in enumerate(block)}
        own = ((ij, x) for key, x in self.entries.items() if key[0] in place for ij in {key, key[::-1]})
        return assembled(self.graph, {(place[i], place[j]): x for (i, j), x in own}, len(block), inverse=inverse)

    @abstractmethod
    def apply(self, vector):
        """Nodes (n,) of ``M x``, less that of groups, linear in the nodes of `vector`; implicit schemes take derivatives of them."""

    @cached_property
    def entries(self):
        """Upper triangle of M by (i, j), less that of groups."""
        g, a = self.graph, self.graph.space("a").first(len(self.q))
        found = {}
        for i, node in enumerate(self.apply(a)):
            g.mark()
            for j in sorted(j for j in g.space("a").of(node) if j >= i):
                x = g.derivative(node, a[j])
                if not x.zero:
                    found[i, j] = x
        return found

    def matrix(self):
        """What elimination takes: `entries`, and by group what each of its elements adds."""
        return dict(self.entries) | {group: group.mass for group in self.groups}

    def diagonal(self, wanted=frozenset()):
        """Nodes of the diagonal by coordinate, those of groups with it only of the coordinates that are `wanted`."""
        found = {i: m for (i, j), m in self.entries.items() if i == j}
        for group in self.groups:
            found |= {i: found.get(i, 0.0) + m for i, m in group.diagonal(wanted).items()}
        return found

    def couplings(self):
        """Sets of coordinates that M couples, for the order of elimination."""
        return cliques(self.matrix(), len(self.q))

    def massless(self):
        """Coordinates without mass."""
        grouped = {i for group in self.groups if group.mass for i in group.touched}
        return set(range(len(self.q))) - {i for i, j in self.entries if i == j} - grouped

    def slopes(self, vector):
        """Derivatives of ``M x`` by the coordinates, x held, by (i, k), less that of groups."""
        g, found = self.graph, {}
        for (i, j), m in {} if self.constant else self.entries.items():
            for k, slope in g.slopes(m, self.q):
                for a, b in {(i, j), (j, i)}:
                    found[a, k] = found.get((a, k), 0.0) + slope * vector[b]
        return found

    def kinetic(self, v):
        """Node of the kinetic energy ``v.M v/2``, J, with that of groups, whose own rates are their variables."""
        total = self.graph.const(0.0)
        for p, x in zip(self.apply(v), v, strict=True):
            if not p.zero:
                self.graph.mark()
                total = total + p * x
        for group in self.groups:
            own = group.variables("y")
            total = total + group.sum(self.graph.dot(zip(group.inertial(own), own, strict=True)))
        return 0.5 * total

    def solve(self, problem, rows, gradients, sides, *, multipliers=True):
        """Solutions of ``M x + G' l = f``, ``G x = c`` for several right-hand sides.

        Parameters
        ----------
        problem : Problem or Formulation
        rows : sequence of Row
        gradients : dict (i, n + k) -> Node
            Entries of G by coordinate and multiplier.
        sides : list of dict
            f by coordinate (left out: zero) and by group as a list of its element's; c by n + k.
        multipliers : bool
            Whether l is asked for.

        Returns
        -------
        list of dict
            x by coordinate (left out: zero), l by n + k.
        """
        matrix, apart = self.matrix() | gradients, self.apart(problem, gradients)
        regularise(problem, matrix, sides, rows)
        found, gone = [] if multipliers else determined_blocks(problem), {i for block in apart for i in block}
        rest = matrix if not gone else {key: x for key, x in matrix.items() if not (isinstance(key, tuple) and gone.intersection(key))}
        left = sides if not gone else [{i: x for i, x in side.items() if i not in gone} for side in sides]
        totals = beside(problem, rest, left, found, gone) if found else solutions(problem, rest, left, rows, gone)
        for side, total in zip(sides, totals, strict=True):
            for block in apart:
                forces = [side.get(i, 0.0) for i in block]
                total.update(zip(block, self.graph.product(self._assembled(block, inverse=True), forces), strict=True))
        return totals


class NaturalInertia(Inertia):
    """M by its entries, which bodies and elements add."""

    constant = True

    def __init__(self, graph, q):
        super().__init__(graph, q)
        self.entries = {}

    def add(self, entries, *, varying):
        """Add entries of the upper triangle, nodes by (i, j); `varying` if they depend on coordinates or time."""
        for key, x in entries.items():
            self.entries[key] = self.entries[key] + x if key in self.entries else x
        self.constant = self.constant and not varying

    def apply(self, vector):
        """Nodes of ``M x``: of blocks a product."""
        blocks = self.blocks
        inside = {i for block in blocks for i in block}
        total = symmetric_product(self.graph, {key: x for key, x in self.entries.items() if key[0] not in inside}, vector)
        for block in blocks:
            table = self._assembled(block)
            for i, x in zip(block, self.graph.product(table, [vector[i] for i in block], table.value[0]), strict=True):
                total[i] = x
        return total


class Together(Inertia):
    """An operator, and the masses that elements add to it.

    Parameters
    ----------
    own : Inertia
    added : NaturalInertia
    """

    def __init__(self, own, added):
        super().__init__(added.graph, added.q)
        self._own, self._added, self.groups = own, added, added.groups

    @property
    def constant(self):
        """Whether both are."""
        return self._own.constant and self._added.constant

    def add(self, entries, *, varying):
        """As `NaturalInertia.add`."""
        self._added.add(entries, varying=varying)

    def apply(self, vector):
        """Nodes of ``M x``."""
        return [x + y for x, y in zip(self._own.apply(vector), self._added.apply(vector), strict=True)]

    @property
    def entries(self):
        """Those of both."""
        found = dict(self._own.entries)
        for key, x in self._added.entries.items():
            found[key] = found[key] + x if key in found else x
        return found

    def solve(self, problem, rows, gradients, sides, *, multipliers=True):
        """The operator's own way where nothing has been added, else by the entries of both."""
        alone = not self._added.entries and not self.groups
        one = self._own if alone else super()
        return one.solve(problem, rows, gradients, sides, multipliers=multipliers)


def symmetric_product(graph, matrix, vector):
    """Nodes of a symmetric matrix, its upper triangle by (i, j), times a vector."""
    total = [graph.const(0.0)] * len(vector)
    for (i, j), m in matrix.items():
        graph.mark()
        total[i] = total[i] + m * vector[j]
        if i != j:
            total[j] = total[j] + m * vector[i]
    return total
