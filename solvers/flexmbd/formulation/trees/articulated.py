"""Articulated bodies: accelerations in O(n) (Featherstone 2008, ch. 7), for as many right-hand sides as there are."""

from flexmbd.formulation.trees.links import GROUND
from flexmbd.formulation.trees.small import Factored
from flexmbd.formulation.trees.spatial import (
    ZERO,
    add,
    along,
    combined,
    dot,
    inertia_inwards,
    inertia_of,
    inwards,
    minus,
    none,
    outwards,
    times,
    transposed,
    unit_places,
)  # fmt: skip


class Articulated:
    """Articulated inertias of a tree, which are the factors of its mass matrix.

    With ``U = I S`` and ``D = S' U = L d L'`` of each link from outside inwards, what its parent feels is ``I - U D^-1 U'``.  Kept are
    ``Z = L^-1 U'`` and ``Y = d^-1 Z``, so that ``U D^-1 U' = Z' Y``.

    Parameters
    ----------
    table : Table
    """

    def __init__(self, table):
        self.table, count = table, len(table)
        self.inertias = [None] * count
        self._left, self._pivots, self._z, self._y = [None] * count, [None] * count, [None] * count, [None] * count
        added = [None] * count
        for i, link in table.inwards():
            own = inertia_of(link)
            self.inertias[i] = own = own if added[i] is None else [add(x, y) for x, y in zip(own, added[i], strict=True)]
            self._left[i] = self._eliminated(i, own)
            if link.parent != GROUND:
                more, before = inertia_inwards(link, self._left[i]), added[link.parent]
                added[link.parent] = more if before is None else [add(x, y) for x, y in zip(before, more, strict=True)]

    def _eliminated(self, i, own):
        """What the parent feels of a link's inertia; along axes that are free to move, nothing."""
        link = self.table.links[i]
        columns = [times(own, s) for s in link.motion]
        self._pivots[i] = pivots = Factored([along(link, u) for u in columns])
        self._z[i] = transposed([pivots.forward(row) for row in transposed(columns)]) if columns else []
        self._y[i] = [[0.0 if none(x) else x * d for x in z] for z, d in zip(self._z[i], pivots.inverse, strict=True)]
        z, y, free = self._z[i], self._y[i], unit_places(link.motion) or ()
        left = [[0.0] * 6 for _ in range(6)]
        for r in (r for r in range(6) if r not in free):
            for c in (c for c in range(r, 6) if c not in free):
                left[r][c] = left[c][r] = minus([row[r] for row in z], [row[c] for row in y], own[r][c])
        return left

    def accelerations(self, forces, *, turned=None, pulled=None, base=ZERO):
        """Accelerations by generalized forces.

        Parameters
        ----------
        forces : sequence (n,)
        turned, pulled : list, optional
            `recursions.biases` and `recursions.loads`; without both it is ``M^-1 forces``.
        base : sequence (6)
            Acceleration of ground: minus gravity.

        Returns
        -------
        a : list (n,)
            Accelerations of the velocities.
        joint : list of list (6)
            Force that each link is moved with through its joint, in its frame; made when it is asked for.
        """
        table, count = self.table, len(self.table)
        bias, driven = [list(ZERO) if pulled is None else list(p) for p in pulled or [None] * count], [None] * count
        for i, link in table.inwards():
            given = table.of(i, forces)
            driven[i] = self._pivots[i].forward([minus(s, bias[i], f) for s, f in zip(link.motion, given, strict=True)])
            if link.parent != GROUND:
                push = combined(self._y[i], driven[i], bias[i])
                if turned is not None:
                    push = add(push, times(self._left[i], turned[i]))
                bias[link.parent] = add(bias[link.parent], inwards(link, push))
        found, moved = [], []
        for i, link in table.outwards():
            before = outwards(link, base if link.parent == GROUND else moved[link.parent])
            before = before if turned is None else add(before, turned[i])
            rest = [minus(y, before, dot((x,), (d,))) for x, d, y in zip(driven[i], self._pivots[i].inverse, self._y[i], strict=True)]
            own = self._pivots[i].back(rest)
            found += own
            moved.append(combined(link.motion, own, before))
        return found, _Joints(self.inertias, moved, bias)

    def solve(self, side):
        """``M^-1 side``"""
        return self.accelerations(side)[0]


class _Joints:
    """Forces in joints: ``I a + p`` of articulated inertias and their bias forces."""

    def __init__(self, inertias, moved, bias):
        self._parts = inertias, moved, bias

    def __getitem__(self, i):
        inertia, moved, bias = (part[i] for part in self._parts)
        return add(times(inertia, moved), bias)
