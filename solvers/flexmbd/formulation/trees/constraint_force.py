"""The constraint-force algorithm for trees (Liu, Hu and Zhang 2016, Acta Mechanica Sinica (Chinese) 48, 201-212), equations by number.

A joint's force is ``F = T f + W F_S`` (5): T has the dual columns of its subspace H (``T' H = 1``; the paper's H is orthonormal, and its
own dual), f the generalized forces, W what does no work on it.  That links do not move across their joints, ``W' P' a = 0`` (24), gives

    A F_S = -W' P' I^-1 (P T f - p),    A = W' P' I^-1 P W                                                            (25) to (29)

with what velocities and forces from outside add (p, and the joints' biases).  A is made in blocks: (31) to (37) in frames of the links,
whose ``I^-1`` and W are numbers; the paper's P^ then turns as well as shifts.  Blocks of two joints of the same body are not zero, others
are.  Two orders of elimination: from outside inwards, without fill, or by chains and nodes: rounds of odd-even elimination of all chains
(39), (40), then the Schur complement on the joints outboard of nodes (41) to (44).  The paper takes every block row in every round, until
none of a chain is coupled; here a round takes every second, and these follow backwards: as many rounds, but O(n) operations in all.
"""

from flexmbd.formulation.trees.blocks import Chains, Eliminated
from flexmbd.formulation.trees.links import GROUND
from flexmbd.formulation.trees.small import back, factors, forward, scaled
from flexmbd.formulation.trees.spatial import (
    ZERO,
    add,
    combined,
    complement,
    compliance,
    dot,
    inwards,
    minus,
    outwards,
    subtract,
    unit_places,
)


class ConstraintForces:
    """A of a tree, and its factors.

    Parameters
    ----------
    table : Table
    chains : bool
        By chains and nodes; else from outside inwards.

    Attributes
    ----------
    constraints : list of list of list (6)
        W of each joint by columns, (5).
    blocks : dict (i, j) -> list of list
        Upper triangle of A by joints.
    """

    def __init__(self, table, *, chains=False):
        self.table, self.constraints = table, [complement(link) for _, link in table.outwards()]
        self._dual = [dual(link.motion) for _, link in table.outwards()]
        self._accelerated = [compliance(link) for _, link in table.outwards()]
        self.blocks = self._assembled()
        order = Chains(table).order if chains else reversed(range(len(table)))
        self._factors = Eliminated(self.blocks, order, table.mark)

    def _assembled(self):
        """Blocks of A: (33) and (37) on the diagonal, (34) and (35) of a link and its parent, (36) of two on the same."""
        found, table = {}, self.table
        moved = [[inwards(link, w) for w in self.constraints[i]] for i, link in table.outwards()]
        for i, _ in table.outwards():
            own = self.constraints[i]
            outboard = [m for m in table.children[i] if moved[m]]
            held = [self._accelerated[i](w) for w in own]
            if own:
                found[i, i] = added(found.get((i, i)), [[dot(w, x) for x in held] for w in own])
            for place, m in enumerate(outboard):
                away = [self._accelerated[i](w) for w in moved[m]]
                if own:
                    found[i, m] = [[minus(w, x) for x in away] for w in own]
                for k in outboard[: place + 1]:
                    found[k, m] = added(found.get((k, m)), [[dot(w, x) for x in away] for w in moved[k]])
        return found

    def accelerations(self, forces, *, turned=None, pulled=None, base=ZERO):
        """As `Articulated.accelerations`: accelerations by (28), and the joints' forces, which come first here."""
        table = self.table
        start = [combined(self._dual[i], table.of(i, forces)) for i, _ in table.outwards()]
        open_by = self._against(start, pulled, turned, base)
        sides = {i: [minus(w, open_by[i]) for w in self.constraints[i]] for i, _ in table.outwards() if self.constraints[i]}
        held = self._factors.solve(sides)
        joint = [combined(self.constraints[i], held.get(i, ()), start[i]) for i, _ in table.outwards()]
        moving = self._against(joint, pulled, turned, base)
        return [dot(column, moving[i]) for i, dual in enumerate(self._dual) for column in dual], joint

    def _against(self, joint, pulled, turned, base):
        """Accelerations of links against their parents, less the joints' biases, by the joints' forces: ``P' I^-1 (P F - p)``, (16)."""
        table = self.table
        total = [joint[i] if pulled is None else subtract(joint[i], pulled[i]) for i, _ in table.outwards()]
        for i, link in table.outwards():
            if link.parent != GROUND:
                total[link.parent] = subtract(total[link.parent], inwards(link, joint[i]))
        found, moved = [], []
        for i, link in table.outwards():
            moved.append(self._accelerated[i](total[i]))
            own = subtract(moved[i], outwards(link, base if link.parent == GROUND else moved[link.parent]))
            found.append(own if turned is None else subtract(own, turned[i]))
        return found

    def solve(self, side):
        """``M^-1 side``"""
        return self.accelerations(side)[0]


def added(a, b):
    """Sum of blocks, of which the first may be missing."""
    return b if a is None else [add(x, y) for x, y in zip(a, b, strict=True)]


def dual(columns):
    """Columns of ``T = S (S' S)^-1``: S itself where its columns are unit vectors."""
    if unit_places(columns) is not None:
        return columns
    lower, inverse = factors([[dot(a, b) for b in columns] for a in columns])
    count = range(len(columns))
    units = [[1.0 if j == k else 0.0 for j in count] for k in count]
    return [combined(columns, back(lower, scaled(inverse, forward(lower, unit)))) for unit in units]
