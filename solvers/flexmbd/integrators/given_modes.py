"""Forces of contacts whose modes are given, in lanes: linear equations of the contacts that are closed in some lane.

What is closed has ``a_n = 0``; what sticks ``a_t = 0`` too; what slides ``p_t = -mu d p_n`` with a direction d.  Where contacts of one
body brace each other the matrix is singular.  `FIRM` is added to its diagonal, and goes on from the forces at hand: of all shares that
fit, the one nearest to those.
"""

from flexmbd.integrators.contact_rows import CONE as WORDS, SLIDE_COUNT
from flexmbd.integrators.contact_rows import (
    FRICTION, HEADING, entry, free_row, kind_row, list_row, matrix_row, percussion_row, square_row, step_row,
)  # fmt: skip
from flexmbd.integrators.coulomb import EXACT, FIRM, ROUGH
from flexmbd.integrators.coulomb_sweep import SLIPS, STUCK, largest
from flexmbd.integrators.dense import eliminate, substitute
from flexmbd.lanes import any_lane, fabs, maximum, select
from flexmbd.lanes.rows import get, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import CONES, ND, NU

REFINED = 6


@inner
def closed_in_some(j, W, at):
    """Whether contact j is closed in some lane."""
    return any_lane(ld(W, kind_row(j, at)) > 0.5)


@inner
def gather(W, at):
    """List the directions of contacts that are closed in some lane; how many there are."""
    cones, count = words(at[CONES]), 0
    for j in range(at[NU]):
        if closed_in_some(j, W, at):
            for r in range(cones[WORDS * j], cones[WORDS * j] + 1 + cones[WORDS * j + SLIDE_COUNT]):
                st(W, list_row(at) + count, 1.0 * r)
                count += 1
    return count


@inner
def acceleration(r, count, W, at):
    """Of direction r, with the forces of the directions that are listed."""
    row, first, total = matrix_row(at) + at[ND] * r, percussion_row(at), ld(W, free_row(at) + r)
    for k in range(count):
        c = int(get(W, list_row(at) + k, 0))
        total = total + ld(W, row + c) * ld(W, first + c)
    return total


@inner
def slide(live, W, at):
    """Sliding forces follow the normal ones; those of open contacts are zero."""
    cones, p = words(at[CONES]), percussion_row(at)
    for j in range(at[NU]):
        r, k = cones[WORDS * j], kind_row(j, at)
        kind, mu, pn = ld(W, k), ld(W, k + FRICTION), ld(W, p + r)
        st(W, p + r, select(live & (kind < 0.5), 0.0, pn))
        for i in range(cones[WORDS * j + SLIDE_COUNT]):
            old = ld(W, p + r + 1 + i)
            new = select(kind < 0.5, 0.0, select(kind > STUCK + 0.5, -mu * ld(W, k + HEADING + i) * pn, old))
            st(W, p + r + 1 + i, select(live, new, old))


@inner
def off_by(count, W, at):
    """Accelerations that are not zero but should be, by how much their own direction yields, in the rows of the step: the largest."""
    cones, x, worst, k = words(at[CONES]), step_row(at), 0.0 * ld(W, percussion_row(at)), 0
    for j in range(at[NU]):
        if closed_in_some(j, W, at):
            r, kind = cones[WORDS * j], ld(W, kind_row(j, at))
            for i in range(1 + cones[WORDS * j + SLIDE_COUNT]):
                a = select(kind > 0.5, acceleration(r + i, count, W, at), 0.0)
                if i > 0:
                    a = select(kind < SLIPS - 0.5, a, 0.0)
                st(W, x + k, a / entry(r + i, r + i, W, at))
                worst = maximum(fabs(a), worst)
                k += 1
    return worst


@inner
def build(count, W, at):
    """Matrix of these equations by the normal forces and the sticking ones, each row by how much its direction yields."""
    cones, target = words(at[CONES]), square_row(at)
    for j in range(at[NU]):
        if closed_in_some(j, W, at):
            r, kind = cones[WORDS * j], ld(W, kind_row(j, at))
            for i in range(1 + cones[WORDS * j + SLIDE_COUNT]):
                fixed = kind > 0.5
                if i > 0:
                    fixed = fixed & (kind < SLIPS - 0.5)
                fill(r + i, target, select(fixed, 1.0 / entry(r + i, r + i, W, at), 0.0), W, at)
                own = target + (target - square_row(at)) // count
                st(W, own, ld(W, own) + select(fixed, FIRM, 1.0))
                target += count


@inner
def fill(r, target, scale, W, at):
    """A row of the matrix: what slides adds to the column of its normal force."""
    cones = words(at[CONES])
    for j in range(at[NU]):
        if closed_in_some(j, W, at):
            c, k = cones[WORDS * j], kind_row(j, at)
            kind, mu, normal = ld(W, k), ld(W, k + FRICTION), entry(r, c, W, at)
            for i in range(cones[WORDS * j + SLIDE_COUNT]):
                along = entry(r, c + 1 + i, W, at)
                normal = normal - select(kind > STUCK + 0.5, mu * ld(W, k + HEADING + i) * along, 0.0)
                sticks = (kind > 0.5) & (kind < SLIPS - 0.5)
                st(W, target + 1 + i, select(sticks, scale * along, 0.0))
            st(W, target, select(kind > 0.5, scale * normal, 0.0))
            target += 1 + cones[WORDS * j + SLIDE_COUNT]


@inner
def step(moving, W, at):
    """Take the step in its rows from the forces."""
    cones, p, x = words(at[CONES]), percussion_row(at), step_row(at)
    for j in range(at[NU]):
        if closed_in_some(j, W, at):
            r, slides, k = cones[WORDS * j], cones[WORDS * j + SLIDE_COUNT], kind_row(j, at)
            kind, mu = ld(W, k), ld(W, k + FRICTION)
            pn = ld(W, p + r) - select(moving, ld(W, x), 0.0)
            st(W, p + r, pn)
            for i in range(slides):
                old, row = ld(W, p + r + 1 + i), p + r + 1 + i
                new = select(kind > STUCK + 0.5, -mu * ld(W, k + HEADING + i) * pn, old - ld(W, x + 1 + i))
                st(W, row, select(moving, new, old))
            x += 1 + slides


@inner
def forces_in_modes(live, W, at):
    """Forces of contacts of the kinds `OFF`, `STUCK`, `SLIPS`, from those at hand: lanes in which too much is off in the end."""
    scale, moving = largest(W, at), live
    slide(live, W, at)
    count = gather(W, at)
    off = off_by(count, W, at)
    moving = moving & (off > EXACT * scale)
    if any_lane(moving):
        build(count, W, at)
        eliminate(square_row(at), count, W)
    for _ in range(REFINED):
        if not any_lane(moving):
            break
        substitute(square_row(at), count, step_row(at), W)
        step(moving, W, at)
        before = off
        off = off_by(count, W, at)
        moving = moving & (off > EXACT * scale) & (off < 0.5 * before)
    return live & (off > ROUGH * scale)


__all__ = ["forces_in_modes"]
