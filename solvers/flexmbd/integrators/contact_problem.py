"""The contact problem of a step, in lanes: projected Gauss-Seidel, each contact's own problem solved exactly.

In a step the velocities of all contacts, normal and sliding, are ``u = b + S p`` with the percussions p, the free velocities b and the
matrix S (`flexmbd.equations.delassus`), which lie in W.  A contact that is closed has (Moreau 1988; Jean 1999, CMAME 177, 235-257)::

    0 <= u_n + e min(u_n-, 0)   and   p_n >= 0,  one of them zero
    |p_t| <= mu p_n,            less only where u_t + e_t u_t- = 0, else against it

One contact's share of this, all other percussions held, is solved exactly (`flexmbd.nonsmooth.one_contact`).  Rolling and pivoting
percussions are projected onto their bounds.  A lane whose percussions do not
change any more stands still, so its bits do not depend on its neighbours.  Where contacts of one body brace each other sweeps creep by
equal changes; every `LEAPS` sweeps the way left is estimated from the ratio of two changes (Aitken), and gone as far as friction allows.

Four corners of a box share a load in many ways, and where they stretch a little against each other (their velocities are known to the
order of the step) friction would draw their shares along to its limits, sweep by sweep, though hardly anything moves by it.  From `IDLE`
sweeps on a lane is done where a sweep changes the percussions by what together moves nothing, and from `TIRED` on hardly anything.

Where no candidate is consistent (``S_nn <= mu |S_nt|``, Painlevé 1895) there is no solution: the run ends with a sentence.
"""

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.nonsmooth.one_contact import planar, spatial
from flexmbd.integrators.contact_rows import (
    CONE, MU, PIVOTING, ROLLING, bound_row, earlier_row, entry, free_row, gap_row, number_row, percussion_row, put_percussion, rate,
    SLIDE_COUNT, ROLL_COUNT, PIVOT_COUNT,
)  # fmt: skip
from flexmbd.stepping.names import CONES, ND, NU

SWEEPS, LEAPS, IDLE, TIRED = 2000, 10, 50, 200
# by the largest change that one percussion makes alone: of velocities, from which on sweeps only shift loads; and after many sweeps, where
# that change is small itself
NOTHING, LITTLE, SMALL = 1e-2, 0.5, 1e-3
NO_GAIN = 1e-6  # of a change of percussions: what it may lead out of a cone by rounding
EXACT, ROUGH = 1e-13, 1e-6  # change of a velocity in a sweep, by the largest one, that is none; that is too much in the end


@inner
def bounded(r, limit, p, u, W, at):
    """Percussion r alone, at most `limit` either way, that stops its rate."""
    s = entry(r, r, W, at)
    return maximum(minimum(p - u / s, limit), -limit)


@inner
def sweep(moving, closed_by, still, W, at):
    """All contacts in turn: the largest change of a velocity, and lanes in which a contact has no solution.

    Approach slower than `still` is rounding, which need not fit a contact that has one way to move.
    """
    cones, change, lost = words(at[CONES]), 0.0 * closed_by, closed_by < closed_by
    first = percussion_row(at)
    for j in range(at[NU]):
        c = CONE * j
        r, slides, rolls, pivots = cones[c], cones[c + SLIDE_COUNT], cones[c + ROLL_COUNT], cones[c + PIVOT_COUNT]
        low, mu = ld(W, bound_row(at) + j), ld(W, number_row(j, MU, at))
        closed = (ld(W, gap_row(j, at)) <= closed_by) | (low < 0.0)  # those that are locked hold whatever the gap
        pn, un, snn = ld(W, first + r), rate(r, W, at), entry(r, r, W, at)
        if slides == 0:
            new = select(closed, maximum(pn - un / snn, low), 0.0)
            change = maximum(put_percussion(r, moving, new, W, at), change)
        elif slides == 1:
            pt, ut, snt, stt = ld(W, first + r + 1), rate(r + 1, W, at), entry(r, r + 1, W, at), entry(r + 1, r + 1, W, at)
            bn, bt = un - snn * pn - snt * pt, ut - snt * pn - stt * pt
            side = select((low < 0.0) & (bn > 0.0), -1.0 + 0.0 * bn, 1.0)  # what holds both ways presses against either wall
            new, x, none = planar(maximum(low, 0.0), mu, snn, side * snt, stt, side * bn, bt)
            new, bn = side * new, side * bn
            lost = lost | (moving & closed & none & (bn < -still))
            change = maximum(put_percussion(r, moving, select(closed, new, 0.0), W, at), change)
            change = maximum(put_percussion(r + 1, moving, select(closed, x, 0.0), W, at), change)
        else:
            p1, p2, u1, u2 = ld(W, first + r + 1), ld(W, first + r + 2), rate(r + 1, W, at), rate(r + 2, W, at)
            s1, s2, t12 = entry(r, r + 1, W, at), entry(r, r + 2, W, at), entry(r + 1, r + 2, W, at)
            t11, t22 = entry(r + 1, r + 1, W, at), entry(r + 2, r + 2, W, at)
            bn = un - snn * pn - s1 * p1 - s2 * p2
            b1, b2 = u1 - s1 * pn - t11 * p1 - t12 * p2, u2 - s2 * pn - t12 * p1 - t22 * p2
            new, x, y, none = spatial(low, mu, snn, s1, s2, t11, t12, t22, bn, b1, b2)
            lost = lost | (moving & closed & none & (bn < -still))
            change = maximum(put_percussion(r, moving, select(closed, new, 0.0), W, at), change)
            change = maximum(put_percussion(r + 1, moving, select(closed, x, 0.0), W, at), change)
            change = maximum(put_percussion(r + 2, moving, select(closed, y, 0.0), W, at), change)
        if rolls + pivots > 0:
            change = maximum(turning(j, moving, closed, W, at), change)
    return change, lost


@inner
def turning(j, moving, closed, W, at):
    """Percussions against rolling and pivoting of contact j."""
    cones, c = words(at[CONES]), CONE * j
    r = cones[c] + 1 + cones[c + SLIDE_COUNT]
    normal, change = ld(W, percussion_row(at) + cones[c]), 0.0 * ld(W, percussion_row(at))
    limit = ld(W, number_row(j, ROLLING, at)) * normal
    if cones[c + ROLL_COUNT] == 1:
        new = bounded(r, limit, ld(W, percussion_row(at) + r), rate(r, W, at), W, at)
        change = put_percussion(r, moving, select(closed, new, 0.0), W, at)
    elif cones[c + ROLL_COUNT] == 2:
        step = 1.0 / (entry(r, r, W, at) + entry(r + 1, r + 1, W, at))
        x, y = (ld(W, percussion_row(at) + r) - step * rate(r, W, at), ld(W, percussion_row(at) + r + 1) - step * rate(r + 1, W, at))
        size = sqrt(x * x + y * y)
        scale = select(size > limit, limit / maximum(size, 1e-300), 1.0)
        change = put_percussion(r, moving, select(closed, scale * x, 0.0), W, at)
        change = maximum(put_percussion(r + 1, moving, select(closed, scale * y, 0.0), W, at), change)
    if cones[c + PIVOT_COUNT] > 0:
        r += cones[c + ROLL_COUNT]
        new = bounded(r, ld(W, number_row(j, PIVOTING, at)) * normal, ld(W, percussion_row(at) + r), rate(r, W, at), W, at)
        change = maximum(put_percussion(r, moving, select(closed, new, 0.0), W, at), change)
    return change


@inner
def size_of(r, slides, row, W, at):
    """Length of the sliding percussions of the contact whose first direction is r, in rows that begin at `row`."""
    size = 0.0 * ld(W, row)
    for k in range(r + 1, r + 1 + slides):
        size = size + ld(W, row + k) * ld(W, row + k)
    return sqrt(size)


@inner
def farthest(far, W, at):
    """How many of the last sweep's changes further percussions may go before one leaves its cone of friction, or holds no more."""
    cones, p, e = words(at[CONES]), percussion_row(at), earlier_row(at)
    for j in range(at[NU]):
        r, slides, mu = cones[CONE * j], cones[CONE * j + SLIDE_COUNT], ld(W, number_row(j, MU, at))
        pn, dn = ld(W, p + r), ld(W, p + r) - ld(W, e + r)
        size, along, turns = size_of(r, slides, p, W, at), 0.0 * far, 0.0 * far
        for k in range(r + 1, r + 1 + slides):
            change = ld(W, p + k) - ld(W, e + k)
            along, turns = along + ld(W, p + k) * change, turns + fabs(change)
        along = along / maximum(size, 1e-300)
        loses = (dn < 0.0) & (ld(W, bound_row(at) + j) >= 0.0)
        far = select(loses, minimum(far, pn / select(loses, -dn, 1.0)), far)
        for side in (1.0, -1.0):
            gain = mu * dn - side * along
            leaves = gain < -NO_GAIN * (mu * fabs(dn) + turns)
            far = select(leaves, minimum(far, (mu * pn - side * size) / select(leaves, -gain, 1.0)), far)
    return maximum(far, 0.0)


@inner
def leap(moving, ratio, W, at):
    """Go on along a sweep's change as far as sweeps that shrink by a ratio would lead, but not out of the cones of friction."""
    cones, first = words(at[CONES]), percussion_row(at)
    moving = moving & (ratio > 0.5) & (ratio < 1.001)
    for j in range(at[NU]):
        if cones[CONE * j + SLIDE_COUNT] > 0:
            moving = moving & (ld(W, bound_row(at) + j) >= 0.0)
    far = farthest(ratio / maximum(1.0 - ratio, 1e-4), W, at)
    for r in range(at[ND]):
        p = ld(W, first + r)
        st(W, first + r, select(moving, p + far * (p - ld(W, earlier_row(at) + r)), p))
    for j in range(at[NU]):
        r, slides = cones[CONE * j], cones[CONE * j + SLIDE_COUNT]
        pn, size = maximum(ld(W, first + r), minimum(ld(W, bound_row(at) + j), 0.0)), size_of(r, slides, first, W, at)
        limit = ld(W, number_row(j, MU, at)) * pn
        scale = select(moving & (size > limit), limit / maximum(size, 1e-300), 1.0)
        st(W, first + r, select(moving, pn, ld(W, first + r)))
        for k in range(r + 1, r + 1 + slides):
            st(W, first + k, scale * ld(W, first + k))


@inner
def moved(W, at):
    """Largest velocity that the last sweep's changes of all percussions together make."""
    first, most = percussion_row(at), 0.0 * ld(W, percussion_row(at))
    for r in range(at[ND]):
        total = 0.0 * most
        for k in range(at[ND]):
            total = total + entry(r, k, W, at) * (ld(W, first + k) - ld(W, earlier_row(at) + k))
        most = maximum(fabs(total), most)
    return most


@inner
def solve(live, closed_by, still, W, at):
    """Percussions of contacts with gaps of at most `closed_by`: lanes without a solution, those in which the sweeps did not suffice."""
    scale = 0.0 * closed_by
    for r in range(at[ND]):
        scale = maximum(fabs(ld(W, free_row(at) + r)), scale)
    moving, lost, change = live, closed_by < closed_by, scale
    for turn in range(SWEEPS):
        leaps = turn % LEAPS == LEAPS - 1
        if leaps:
            for r in range(at[ND]):
                st(W, earlier_row(at) + r, ld(W, percussion_row(at) + r))
        step, none = sweep(moving, closed_by, still, W, at)
        jams = none
        if at[NU] > 1 and turn < IDLE:  # what others give may yet let it yield
            jams = jams & lnot(jams)
        lost = lost | jams
        if leaps and turn >= IDLE - 1:
            together = moved(W, at)
            idle = together <= NOTHING * step
            if turn >= TIRED - 1:
                idle = idle | ((together <= LITTLE * step) & (step <= SMALL * scale))
            moving = moving & lnot(idle)
        if leaps:
            leap(moving & lnot(none) & (step > EXACT * scale), step / maximum(change, 1e-300), W, at)
        change = select(moving, step, change)
        moving = moving & ((step > EXACT * scale) | none) & lnot(jams)
        if at[NU] == 1 and words(at[CONES])[ROLL_COUNT] + words(at[CONES])[PIVOT_COUNT] == 0:  # one contact is solved exactly
            moving = moving & lnot(moving)
        if not any_lane(moving):
            break
    return lost, moving & (change > ROUGH * scale)
