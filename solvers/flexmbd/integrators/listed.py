"""Contacts that take part in a contact problem of `event_driven`, listed: of many contacts few are closed at a time.

Up to `FEW` contacts generated code makes the whole matrix, and all take part.  With more of them it makes what a contact's forces do (the
columns of its directions, and the responses) only where the contact is wanted in some lane; the matrix of those is made here.
"""

from flexmbd.integrators.contact_rows import (
    CONE, SLIDE_COUNT, column_row, count_row, free_row, listed_row, matrix_row, member_row, percussion_row, response_row, wanted_row,
)  # fmt: skip
from flexmbd.lanes import any_lane, select
from flexmbd.lanes.rows import evaluate, get, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import FEW
from flexmbd.stepping.names import CONES, ND, NU, UNILATERAL, H, N


@inner
def inspect(point, X, P, W, at):
    """Gaps, numbers and rates of all contacts at a point; what the forces of those do that are wanted, by their rows of `wanted_row`."""
    evaluate(at[UNILATERAL], X, P, W, at, point, 0)
    if at[NU] > FEW:
        gather(W, at)
        multiply(W, at)


@inner
def glance(point, X, P, W, at):
    """Gaps, numbers and rates of all contacts at a point."""
    if at[NU] > FEW:
        for j in range(at[NU]):
            st(W, wanted_row(j, at), 0.0 * ld(X, H))
    evaluate(at[UNILATERAL], X, P, W, at, point, 0)


@inner
def takes_part(j, W, at):
    """Whether contact j is wanted in some lane."""
    return at[NU] <= FEW or any_lane(ld(W, wanted_row(j, at)) > 0.5)


@inner
def gather(W, at):
    """List the contacts that are wanted in some lane, and their directions."""
    cones, contacts, found = words(at[CONES]), 0, 0
    for j in range(at[NU]):
        if any_lane(ld(W, wanted_row(j, at)) > 0.5):
            st(W, member_row(at) + contacts, 1.0 * j)
            contacts += 1
            for r in range(cones[CONE * j], cones[CONE * j] + 1 + cones[CONE * j + SLIDE_COUNT]):
                st(W, listed_row(at) + found, 1.0 * r)
                found += 1
    st(W, count_row(at), 1.0 * contacts)
    st(W, count_row(at) + 1, 1.0 * found)


@inner
def members(W, at):
    """How many contacts take part."""
    if at[NU] <= FEW:
        return at[NU]
    return int(get(W, count_row(at), 0))


@inner
def member(k, W, at):
    """Number of the k-th of them."""
    if at[NU] <= FEW:
        return k
    return int(get(W, member_row(at) + k, 0))


@inner
def multiply(W, at):
    """The matrix of the directions that are listed, which is symmetric; the unit matrix's where one of the two contacts is not wanted."""
    cones, n, nd, count = words(at[CONES]), at[N], at[ND], int(get(W, count_row(at), 0))
    for a in range(count):
        j = int(get(W, member_row(at) + a, 0))
        for b in range(a + 1):
            k = int(get(W, member_row(at) + b, 0))
            both = (ld(W, wanted_row(j, at)) > 0.5) & (ld(W, wanted_row(k, at)) > 0.5)
            for r in range(cones[CONE * j], cones[CONE * j] + 1 + cones[CONE * j + SLIDE_COUNT]):
                column = column_row(at) + n * r
                for c in range(cones[CONE * k], cones[CONE * k] + 1 + cones[CONE * k + SLIDE_COUNT]):
                    if c <= r:
                        response = response_row(at) + n * c
                        total = ld(W, column) * ld(W, response)
                        for i in range(1, n):
                            total = total + ld(W, column + i) * ld(W, response + i)
                        total = select(both, total, 1.0 if c == r else 0.0)
                        st(W, matrix_row(at) + nd * r + c, total)
                        st(W, matrix_row(at) + nd * c + r, total)


@inner
def product(r, W, at):
    """Velocity, or acceleration, that the percussions, or forces, of all contacts give direction r."""
    s, p = matrix_row(at) + at[ND] * r, percussion_row(at)
    total = 0.0 * ld(W, p)
    if at[NU] <= FEW:
        for k in range(at[ND]):
            total = total + ld(W, s + k) * ld(W, p + k)
        return total
    for a in range(int(get(W, count_row(at) + 1, 0))):
        k = int(get(W, listed_row(at) + a, 0))
        total = total + ld(W, s + k) * ld(W, p + k)
    return total


@inner
def rate(r, W, at):
    """Velocity of direction r with all percussions, restitution in it; or acceleration with all forces."""
    return product(r, W, at) + ld(W, free_row(at) + r)


@inner
def jump(i, W, at):
    """Change of the velocity of coordinate i by all percussions."""
    first, p, cones = response_row(at) + i, percussion_row(at), words(at[CONES])
    total = 0.0 * ld(W, p)
    if at[NU] <= FEW:
        for r in range(at[ND]):
            total = total + ld(W, first + at[N] * r) * ld(W, p + r)
        return total
    for a in range(int(get(W, count_row(at), 0))):
        j = int(get(W, member_row(at) + a, 0))
        wanted = ld(W, wanted_row(j, at)) > 0.5
        for r in range(cones[CONE * j], cones[CONE * j] + 1 + cones[CONE * j + SLIDE_COUNT]):
            total = total + select(wanted, ld(W, first + at[N] * r) * ld(W, p + r), 0.0)
    return total


__all__ = ["glance", "inspect", "jump", "member", "members", "product", "rate", "takes_part"]
