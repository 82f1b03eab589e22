"""Kinds of contacts with friction, and a sweep of Gauss and Seidel that solves each of them exactly, in lanes.

Rates ``u = S p + b`` are velocities with percussions p, or accelerations with forces p.  Each contact has a kind:

- `CONE`: ``0 <= u_n``, ``p_n >= low``, one of them at its bound; ``|p_t| <= mu p_n``, less only where ``u_t = 0``, else against it;
- `MOVES`: the same along the normal, ``p_t = -mu d p_n`` against the direction d in which it slides;
- `STUCK`: ``u = 0``, whatever p; `SLIPS`: ``u_n = 0`` and ``p_t = -mu d p_n``, whatever p_n; `OFF`: p = 0.
"""

from flexmbd.integrators.contact_rows import CONE as WORDS
from flexmbd.integrators.contact_rows import (
    FRICTION, HEADING, SLIDE_COUNT, bound_row, entry, free_row, kind_row, percussion_row, put_percussion,
)  # fmt: skip
from flexmbd.integrators.listed import rate
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select
from flexmbd.lanes.rows import ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.nonsmooth.one_contact import planar, spatial
from flexmbd.stepping.names import CONES, ND, NU

OFF, CONE, MOVES, STUCK, SLIPS = 0.0, 1.0, 2.0, 3.0, 4.0


@inner
def largest(W, at):
    """Largest free rate."""
    scale = fabs(ld(W, free_row(at)))
    for r in range(1, at[ND]):
        scale = maximum(fabs(ld(W, free_row(at) + r)), scale)
    return scale


@inner
def choose(j, kind, mu, W, at):
    """Kind of contact j and its coefficient of friction."""
    st(W, kind_row(j, at), kind)
    st(W, kind_row(j, at) + FRICTION, mu)


@inner
def head(j, d1, d2, W, at):
    """Direction of sliding of contact j."""
    st(W, kind_row(j, at) + HEADING, d1)
    st(W, kind_row(j, at) + HEADING + 1, d2)


@inner
def sweep(moving, still, W, at):
    """All contacts in turn: the largest change of a rate, and lanes in which a contact has no solution.

    Approach slower than `still` is rounding, which need not fit a contact that has one way to move.
    """
    cones, change = words(at[CONES]), 0.0 * still
    first, lost = percussion_row(at), still < change - 1.0
    for j in range(at[NU]):
        r, slides, k = cones[WORDS * j], cones[WORDS * j + SLIDE_COUNT], kind_row(j, at)
        kind, mu, low = ld(W, k), ld(W, k + FRICTION), ld(W, bound_row(at) + j)
        closed, cone = kind > 0.5, kind < 1.5
        if not any_lane(closed):  # nothing that would be worth its rates
            for i in range(1 + slides):
                change = maximum(put_percussion(r + i, moving, 0.0 * still, W, at), change)
            continue
        pn, un, snn = ld(W, first + r), rate(r, W, at), entry(r, r, W, at)
        if slides == 0:
            change = maximum(put_percussion(r, moving, select(closed, maximum(pn - un / snn, low), 0.0), W, at), change)
            continue
        d1, p1, u1 = ld(W, k + HEADING), ld(W, first + r + 1), rate(r + 1, W, at)
        s1, t11 = entry(r, r + 1, W, at), entry(r + 1, r + 1, W, at)
        if slides == 1:
            bn, b1 = un - snn * pn - s1 * p1, u1 - s1 * pn - t11 * p1
            new, x1, none = planar(low, mu, snn, s1, t11, bn, b1)
            steep, x2, d2 = snn - mu * s1 * d1, 0.0 * d1, 0.0 * d1
        else:
            d2, p2, u2, s2 = ld(W, k + HEADING + 1), ld(W, first + r + 2), rate(r + 2, W, at), entry(r, r + 2, W, at)
            t12, t22 = entry(r + 1, r + 2, W, at), entry(r + 2, r + 2, W, at)
            bn = un - snn * pn - s1 * p1 - s2 * p2
            b1, b2 = u1 - s1 * pn - t11 * p1 - t12 * p2, u2 - s2 * pn - t12 * p1 - t22 * p2
            new, x1, x2, none = spatial(low, mu, snn, s1, s2, t11, t12, t22, bn, b1, b2)
            steep = snn - mu * (s1 * d1 + s2 * d2)
        jams = (steep <= 0.0) & (bn < -still)
        slips = select(steep > 0.0, maximum(-bn / select(steep > 0.0, steep, 1.0), 0.0), 0.0)
        lost = lost | (moving & closed & ((cone & none & (bn < -still)) | (lnot(cone) & jams)))
        new, x1, x2 = select(cone, new, slips), select(cone, x1, -mu * d1 * slips), select(cone, x2, -mu * d2 * slips)
        change = maximum(put_percussion(r, moving, select(closed, new, 0.0), W, at), change)
        change = maximum(put_percussion(r + 1, moving, select(closed, x1, 0.0), W, at), change)
        if slides == 2:
            change = maximum(put_percussion(r + 2, moving, select(closed, x2, 0.0), W, at), change)
    return change, lost
