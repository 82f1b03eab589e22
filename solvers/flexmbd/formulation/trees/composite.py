"""Composite bodies: the mass matrix of a tree, and its factors without fill along the table of parents (Featherstone 2008, ch. 6).

Velocities of a tree have one before them each (`Table.before`), as in MuJoCo's ``qM``; entries are those of a velocity with the ones on
its path inwards, and ``M = L' D L`` has no others.
"""

from itertools import islice

from flexmbd.formulation.trees.links import GROUND
from flexmbd.formulation.trees.spatial import (
    about_origin,
    add,
    along,
    congruent,
    dot,
    first_moment,
    inwards,
    minus,
    momentum_of,
    none,
    times,
)
from flexmbd.language.repeated import repeated


def composites(table):
    """Mass, first moment and moments of inertia about its origin of each link with all that hangs on it, in its frame."""
    found = [[link.mass, first_moment(link), about_origin(link)] for link in table.links]
    for i, link in table.inwards():
        if link.parent != GROUND:
            before = found[link.parent]
            found[link.parent] = repeated(_carried, (link.rotation, link.offset, found[i], before), link, found[i], before)
    return found


def _carried(link, whole, before):
    """What a link with all that hangs on it adds to that of its parent."""
    (mass, moment, inertia), p = whole, link.offset
    h = times(link.rotation, moment)
    k = add(h, [dot((mass,), (x,)) for x in p])
    turned = congruent(link.rotation, inertia)
    square = dot(add(h, k), p)
    for r in range(3):
        for c in range(r, 3):
            x = minus((p[r], k[r]), (h[c], p[c]), add((turned[r][c],), (square,))[0] if r == c else turned[r][c])
            turned[r][c] = turned[c][r] = x
    return [add((before[0],), (mass,))[0], add(before[1], k), [add(x, y) for x, y in zip(before[2], turned, strict=True)]]


def mass_matrix(table, links=None):
    """Entries of M by (i, j), of j = i and those on its path inwards, that are not zero; of the first so many `links` of the path alone."""
    found, whole = {}, composites(table)
    for i, link in table.inwards():
        first = table.first[i]
        for k, column in enumerate(link.motion):
            parts = *whole[i], column
            force = repeated(momentum_of, parts, *parts)
            for j, inner in enumerate(islice(table.path(i), links)):
                start, other = table.first[inner], table.links[inner]
                values = along(other, force)[: k + 1 if j == 0 else None]
                found |= {(first + k, start + m): x for m, x in enumerate(values) if not none(x)}
                if other.parent != GROUND:
                    force = inwards(other, force)
    return found


class Composite:
    """The mass matrix of a tree and its factors.

    Attributes
    ----------
    entries : dict (i, j) -> number
        Of M, j on the path of i inwards.
    """

    def __init__(self, table):
        self.table, self.entries = table, mass_matrix(table)
        rest, before = dict(self.entries), table.before
        self._lower, self._inverse = [{} for _ in range(table.n)], [None] * table.n
        for k in reversed(range(table.n)):
            table.mark()
            self._inverse[k] = inverse = 1.0 / rest[k, k]
            path = [i for i in self._path(before[k]) if (k, i) in rest]
            for place, i in enumerate(path):
                self._lower[k][i] = share = rest[k, i] * inverse
                for j in path[place:]:
                    rest[i, j] = minus((share,), (rest[k, j],), rest.get((i, j), 0.0))

    def _path(self, k):
        while k >= 0:
            yield k
            k = self.table.before[k]

    def solve(self, side):
        """``M^-1 side``"""
        found = list(side)
        for k in reversed(range(self.table.n)):
            self.table.mark()
            for i, x in self._lower[k].items():
                found[i] = minus((x,), (found[k],), found[i])
        found = [0.0 if none(x) else x * d for x, d in zip(found, self._inverse, strict=True)]
        for k in range(self.table.n):
            self.table.mark()
            found[k] = minus(self._lower[k].values(), [found[i] for i in self._lower[k]], found[k])
        return found
