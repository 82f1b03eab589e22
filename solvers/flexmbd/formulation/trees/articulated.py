"""Articulated bodies: accelerations in O(n) (Featherstone 2008, ch. 7), for as many right-hand sides as there are."""

from flexmbd.formulation.trees.links import GROUND
from flexmbd.formulation.trees.small import back, factors, forward
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
from flexmbd.language.repeated import repeated


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
        self.inertias, self._left, self._lower, self._inverse, self._y = ([None] * count for _ in range(5))
        added = [None] * count
        for i, link in table.inwards():
            before = None if link.parent == GROUND else (added[link.parent] or ())
            self.inertias[i], self._lower[i], self._inverse[i], self._y[i], self._left[i], more = repeated(
                _absorbed, (link.numbers, added[i], before), link, added[i], before
            )
            if before is not None:
                added[link.parent] = more

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
            ground = link.parent == GROUND
            parts = self._lower[i], self._y[i], bias[i], table.of(i, forces), None if ground else bias[link.parent]
            parts += (self._left[i], turned[i]) if turned is not None and not ground else (None, None)
            driven[i], more = repeated(_driven, (link.rotation, link.offset, link.motion, *parts), link, *parts)
            if not ground:
                bias[link.parent] = more
        found, moved = [], []
        for i, link in table.outwards():
            before = base if link.parent == GROUND else moved[link.parent]
            parts = self._lower[i], self._inverse[i], self._y[i], driven[i], before, None if turned is None else turned[i]
            own, more = repeated(_followed, (link.rotation, link.offset, link.motion, *parts), link, *parts)
            found += own
            moved.append(more)
        return found, _Joints(self.inertias, moved, bias)

    def solve(self, side):
        """``M^-1 side``"""
        return self.accelerations(side)[0]


def _absorbed(link, added, before):
    """Of a link: inertia, its pivots' factors, y, what is left of it where the joint is free; and that with `before`, at its parent."""
    own = inertia_of(link)
    own = own if added is None else [add(x, y) for x, y in zip(own, added, strict=True)]
    columns = [times(own, s) for s in link.motion]
    lower, inverse = factors([along(link, u) for u in columns])
    z = transposed([forward(lower, row) for row in transposed(columns)]) if columns else []
    y = [[0.0 if none(x) else x * d for x in row] for row, d in zip(z, inverse, strict=True)]
    free, left = unit_places(link.motion) or (), [[0.0] * 6 for _ in range(6)]
    for r in (r for r in range(6) if r not in free):
        for c in (c for c in range(r, 6) if c not in free):
            left[r][c] = left[c][r] = minus([row[r] for row in z], [row[c] for row in y], own[r][c])
    if before is None:
        return own, lower, inverse, y, left, None
    more = inertia_inwards(link, left)
    return own, lower, inverse, y, left, [add(x, y) for x, y in zip(before, more, strict=True)] if before else more


def _driven(link, lower, y, bias, given, before, left, turned):
    """Forces on a link's motion, factored, and `before` with the force that its parent bears."""
    found = forward(lower, [minus(s, bias, f) for s, f in zip(link.motion, given, strict=True)])
    if before is None:
        return found, None
    push = combined(y, found, bias)
    if turned is not None:
        push = add(push, times(left, turned))
    return found, add(before, inwards(link, push))


def _followed(link, lower, inverse, y, driven, before, turned):
    """Accelerations of a link's velocities, and its own, by its parent's."""
    before = outwards(link, before)
    before = before if turned is None else add(before, turned)
    own = back(lower, [minus(z, before, dot((x,), (d,))) for x, d, z in zip(driven, inverse, y, strict=True)])
    return own, combined(link.motion, own, before)


class _Joints:
    """Forces in joints: ``I a + p`` of articulated inertias and their bias forces."""

    def __init__(self, inertias, moved, bias):
        self._parts = inertias, moved, bias

    def __getitem__(self, i):
        inertia, moved, bias = (part[i] for part in self._parts)
        return add(times(inertia, moved), bias)
