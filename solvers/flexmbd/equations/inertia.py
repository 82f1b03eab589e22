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
from flexmbd.language.kinds import ENTRY
from flexmbd.language.product import Placed, assembled, inverted, multiplier
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

    def apart(self, problem, rows, gradients, found):
        """Those of `blocks` that are eliminated by M's inverse, found when numbers are packed: each with its coordinates that are in rows.

        None of its coordinates is in a group, in a row with a penalty, or among those `found` that rows determine.
        """
        if problem.direct:
            return []
        held = {i for group in self.groups for i in group.coordinates.ravel().tolist()} | {i for _, own in found for i in own}
        held |= {i for row in rows if row.penalty is not None for i in row.polynomial.indices}
        touched, largest = {i for i, _ in gradients}, self.graph.tuning.product
        apart = [(block, sorted(touched.intersection(block))) for block in self.blocks if held.isdisjoint(block)]
        return [(block, own) for block, own in apart if len(own) ** 2 <= largest]

    def numbers(self, first=0):
        """M less that of groups for Newton's matrix: entries that are not in `blocks`, and these as `Placed`, in rows from `first` on."""
        blocks, one, placed = self.blocks, self.graph.const(1.0), {}
        for block in blocks:
            unknowns = tuple(first + i for i in block)
            placed[Placed(multiplier(*self._table(block)), unknowns, unknowns)] = one
        inside = {i for block in blocks for i in block}
        return {key: x for key, x in self.entries.items() if key[0] not in inside}, placed

    def _table(self, block):
        """Node of M's part of a block, and the places of its entries if they are few: a body's own table, or what is made of numbers."""
        place = {i: k for k, i in enumerate(block)}
        own = {(place[i], place[j]): x for (i, j), x in self.entries.items() if i in place}
        size, tables = len(block), {x.args for x in own.values() if x.kind is ENTRY and x.args[0].value[1] == (len(block), len(block))}
        if 2 * len(own) == size * (size + 1) and len(tables) == 1 and all(x.args in tables and x.value == at for at, x in own.items()):
            return tables.pop()[0], None
        entries = own | {(j, i): x for (i, j), x in own.items()}
        return assembled(self.graph, entries, size), tuple(entries)

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
        matrix, blocks = self.matrix(), [set(block) for block in self.blocks]
        if inside := set().union(*blocks):
            matrix = {key: x for key, x in matrix.items() if not (isinstance(key, tuple) and key[0] in inside)}
        return blocks + cliques(matrix, len(self.q))

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
        matrix, found = self.matrix() | gradients, [] if multipliers else determined_blocks(problem)
        apart = self.eliminated(problem, rows, gradients, found)
        regularise(problem, matrix, sides, rows)
        return reduced(problem, matrix, rows, sides, apart, found)

    def solve_beside(self, others, problem, rows, gradients, sides):
        """Solutions as of `solve` where other coordinates have masses of their own, `others`; None where that is done by entries."""
        return None

    def eliminated(self, problem, rows, gradients, found=()):
        """Blocks that are `apart` as `Eliminated`."""
        return [
            Eliminated(self.graph, block, inverted(self.graph, self._table(block)[0]), own, gradients)
            for block, own in self.apart(problem, rows, gradients, found)
        ]


def reduced(problem, matrix, rows, sides, apart, found=()):
    """Solutions for every side where blocks of unknowns are eliminated by what they know of themselves (`Eliminated`)."""
    gone = {i for one in apart for i in one.block}
    rest = matrix if not gone else {key: x for key, x in matrix.items() if not (isinstance(key, tuple) and gone.intersection(key))}
    for at, x in (share for one in apart for share in one.shares()):
        rest[at] = rest.get(at, 0.0) - x
    left = sides if not gone else [{i: x for i, x in side.items() if i not in gone} for side in sides]
    free = [[one.free(side, less) for side, less in zip(sides, left, strict=True)] for one in apart]
    if found:
        totals = beside(problem, rest, left, found, gone)
    elif len(gone) == problem.n + len(rows):
        totals = [{} for _ in sides]
    else:
        totals = solutions(problem, rest, left, rows, gone, matrix)
    for one, own in zip(apart, free, strict=True):
        for total, x in zip(totals, own, strict=True):
            total.update(one.held(x, total))
    return totals


class Eliminated:
    """A block B of constant masses, and the rows that have some of its coordinates, eliminated from ``M x + G' l = f``, ``G x = c``::

        (... - G_B M_B^-1 G_B') l + ... = c - G_B M_B^-1 f_B,    x_B = M_B^-1 f_B - M_B^-1 G_B' l

    Parameters
    ----------
    graph : Graph
    block : list of int
    inverse : Node
        Table of M_B^-1.
    touched : list of int
        Coordinates of the block that are in rows.
    gradients : dict (i, n + k) -> Node
    """

    def __init__(self, graph, block, inverse, touched, gradients):
        self.block, self._graph, self._inverse = block, graph, inverse
        self._place, self._rows = {i: k for k, i in enumerate(block)}, {}
        for (i, k), x in gradients.items():
            if i in self._place:
                self._rows.setdefault(k, {})[i] = x
        self._touched = touched

    def shares(self):
        """Entries ``G_B M_B^-1 G_B'`` of rows."""
        graph, place = self._graph, self._place
        for m, other in self._rows.items():
            moved = {i: graph.dot((graph.entry(self._inverse, place[i], place[j]), x) for j, x in other.items()) for i in self._touched}
            for k in (k for k in self._rows if k >= m):
                yield (k, m), graph.dot((x, moved[i]) for i, x in self._rows[k].items())

    def free(self, side, left):
        """Accelerations of the block without the rows' forces; `left` is what is left of a right-hand side, less their part in the rows."""
        found = self._times({i: side[i] for i in self.block if i in side})
        for k, row in self._rows.items():
            left[k] = left.get(k, 0.0) - self._graph.dot((x, found[i]) for i, x in row.items())
        return found

    def held(self, free, total):
        """The same with the rows' forces, of which `total` has the multipliers."""
        forces = {i: self._graph.dot((row[i], total[k]) for k, row in self._rows.items() if i in row) for i in self._touched}
        return {i: x - y for (i, x), y in zip(free.items(), self._times(forces).values(), strict=True)}

    def _times(self, forces):
        """The inverse times forces on some of the block's coordinates, by coordinate."""
        zero = self._graph.const(0.0)
        forces = {i: x for i, x in forces.items() if not x.zero}
        if not forces:
            return dict.fromkeys(self.block, zero)
        size = len(self.block)
        entries = [(k, self._place[i]) for k in range(size) for i in forces] if len(forces) < size else None
        return dict(zip(self.block, self._graph.product(self._inverse, [forces.get(i, zero) for i in self.block], entries), strict=True))


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

    @property
    def touched(self):
        """Coordinates that have its masses, or are in groups."""
        return {i for key in self.entries for i in key}.union(*(group.touched for group in self.groups))

    def apply(self, vector):
        """Nodes of ``M x``: of blocks a product."""
        blocks = self.blocks
        inside = {i for block in blocks for i in block}
        total = symmetric_product(self.graph, {key: x for key, x in self.entries.items() if key[0] not in inside}, vector)
        for block in blocks:
            table, entries = self._table(block)
            for i, x in zip(block, self.graph.product(table, [vector[i] for i in block], entries), strict=True):
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
        self._own, self.added, self.groups = own, added, added.groups

    @property
    def constant(self):
        """Whether both are."""
        return self._own.constant and self.added.constant

    def add(self, entries, *, varying):
        """As `NaturalInertia.add`."""
        self.added.add(entries, varying=varying)

    def apply(self, vector):
        """Nodes of ``M x``."""
        return [x + y for x, y in zip(self._own.apply(vector), self.added.apply(vector), strict=True)]

    @property
    def entries(self):
        """Those of both."""
        found = dict(self._own.entries)
        for key, x in self.added.entries.items():
            found[key] = found[key] + x if key in found else x
        return found

    def diagonal(self, wanted=frozenset()):
        """Those of both."""
        found = self._own.diagonal(wanted)
        for i, m in self.added.diagonal(wanted).items():
            found[i] = found[i] + m if i in found else m
        return found

    def solve(self, problem, rows, gradients, sides, *, multipliers=True):
        """The operator's own way where nothing has been added, or to other coordinates alone; else by the entries of both."""
        if not self.added.entries and not self.groups:
            return self._own.solve(problem, rows, gradients, sides, multipliers=multipliers)
        found = self._own.solve_beside(self.added, problem, rows, gradients, sides)
        return super().solve(problem, rows, gradients, sides, multipliers=multipliers) if found is None else found


def symmetric_product(graph, matrix, vector):
    """Nodes of a symmetric matrix, its upper triangle by (i, j), times a vector."""
    total = [graph.const(0.0)] * len(vector)
    for (i, j), m in matrix.items():
        graph.mark()
        total[i] = total[i] + m * vector[j]
        if i != j:
            total[j] = total[j] + m * vector[i]
    return total
