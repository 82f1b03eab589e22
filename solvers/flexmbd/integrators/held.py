"""Forces of contacts whose modes are given or sought, at acceleration level, in lanes: for schemes that locate events.

A contact that is closed has ``a_n = 0``; one that sticks ``a_t = 0`` too, one that slides ``p_t = -mu d p_n`` against the direction d of
its sliding.  At an event modes follow from the accelerations (Pfeiffer and Glocker 1996, Multibody Dynamics with Unilateral Contacts)::

    0 <= a_n  and  p_n >= 0, one of them zero
    at rest along the surface: |p_t| <= mu_s p_n with a_t = 0, else p_t = -mu p_n a_t/|a_t|

Both are found by sweeps over the contacts like percussions (`contact_problem`); the rows of W are the same, with accelerations in place of
free velocities.
"""

from flexmbd.integrators.contact_problem import EXACT, SWEEPS, planar, put_percussion, spatial
from flexmbd.integrators.contact_rows import CONE, MU, MU_STATIC, entry, free_row, gap_row, number_row, percussion_row, rate
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select, sqrt
from flexmbd.lanes.rows import ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import CONES, LARGEST, ND, NU

FORCE = 1e-9  # by the largest one so far: forces are known to this


@inner
def sliding(mu, snn, snt, bn):
    """Normal force of a contact that slides where the normal acceleration is to vanish; `snt` is that of a unit force along the sliding."""
    return -bn / (snn - mu * snt)


@inner
def stuck(snn, s1, s2, t11, t12, t22, bn, b1, b2):
    """Forces with which nothing accelerates; where the surfaces' own matrix is singular the normal one alone."""
    a11, a12, a22 = t11 - s1 * s1 / snn, t12 - s1 * s2 / snn, t22 - s2 * s2 / snn
    c1, c2 = b1 - s1 * bn / snn, b2 - s2 * bn / snn
    determinant = a11 * a22 - a12 * a12
    regular = determinant > 1e-14 * t11 * t22
    safe = select(regular, determinant, 1.0)
    p1, p2 = (a12 * c2 - a22 * c1) / safe, (a12 * c1 - a11 * c2) / safe
    p1, p2 = select(regular, p1, 0.0), select(regular, p2, 0.0)
    return -(bn + s1 * p1 + s2 * p2) / snn, p1, p2


@inner
def held(moving, modes, directions, X, W, at):
    """One sweep with modes given: the largest change of an acceleration."""
    cones, change, first = words(at[CONES]), 0.0 * ld(W, free_row(at)), percussion_row(at)
    for j in range(at[NU]):
        r, slides = cones[CONE * j], cones[CONE * j + 1]
        mode, mu = ld(X, modes + cones[CONE * j + 4]), ld(W, number_row(j, MU, at))
        closed, sticks = mode > 0.5, mode > 1.5
        pn, an, snn = ld(W, first + r), rate(r, W, at), entry(r, r, W, at)
        if slides == 0:
            change = maximum(put_percussion(r, moving, select(closed, pn - an / snn, 0.0), W, at), change)
        else:
            d1, p1, a1 = ld(X, directions + 2 * j), ld(W, first + r + 1), rate(r + 1, W, at)
            s1, t11 = entry(r, r + 1, W, at), entry(r + 1, r + 1, W, at)
            d2, p2, a2, s2, t12, t22 = 0.0 * d1, 0.0 * d1, 0.0 * d1, 0.0 * d1, 0.0 * d1, 1.0 + 0.0 * d1
            if slides == 2:
                d2, p2, a2 = ld(X, directions + 2 * j + 1), ld(W, first + r + 2), rate(r + 2, W, at)
                s2, t12, t22 = entry(r, r + 2, W, at), entry(r + 1, r + 2, W, at), entry(r + 2, r + 2, W, at)
            bn = an - snn * pn - s1 * p1 - s2 * p2
            b1, b2 = a1 - s1 * pn - t11 * p1 - t12 * p2, a2 - s2 * pn - t12 * p1 - t22 * p2
            if slides == 1:
                b2 = 0.0 * b2
            slips = sliding(mu, snn, s1 * d1 + s2 * d2, bn)
            xn, x1, x2 = stuck(snn, s1, s2, t11, t12, t22, bn, b1, b2)
            xn, x1, x2 = select(sticks, xn, slips), select(sticks, x1, -mu * d1 * slips), select(sticks, x2, -mu * d2 * slips)
            change = maximum(put_percussion(r, moving, select(closed, xn, 0.0), W, at), change)
            change = maximum(put_percussion(r + 1, moving, select(closed, x1, 0.0), W, at), change)
            if slides == 2:
                change = maximum(put_percussion(r + 2, moving, select(closed, x2, 0.0), W, at), change)
    return change


@inner
def sought(moving, rests, directions, X, W, at):
    """One sweep that seeks modes of the contacts with gaps not above zero: the largest change, and lanes without a solution.

    In the rows `rests` stands 1 for contacts at rest along the surface, afterwards 2 where they stay so; others slide in their directions.
    Friction that is at its limit does not hold: else the event that led here would come again.
    """
    cones, change, first = words(at[CONES]), 0.0 * ld(W, free_row(at)), percussion_row(at)
    lost, zero = change < change, change
    for j in range(at[NU]):
        r, slides = cones[CONE * j], cones[CONE * j + 1]
        closed, mu, static = ld(W, gap_row(j, at)) <= 0.0, ld(W, number_row(j, MU, at)), ld(W, number_row(j, MU_STATIC, at))
        pn, an, snn = ld(W, first + r), rate(r, W, at), entry(r, r, W, at)
        if slides == 0:
            change = maximum(put_percussion(r, moving, select(closed, maximum(pn - an / snn, 0.0), 0.0), W, at), change)
        else:
            margin = 2.0 * FORCE * ld(X, at[LARGEST] + cones[CONE * j + 4] + 1)
            rest, d1, d2 = ld(X, rests + j) > 0.5, ld(X, directions + 2 * j), ld(X, directions + 2 * j + 1)
            p1, a1, s1, t11 = ld(W, first + r + 1), rate(r + 1, W, at), entry(r, r + 1, W, at), entry(r + 1, r + 1, W, at)
            if slides == 1:
                bn, b1 = an - snn * pn - s1 * p1, a1 - s1 * pn - t11 * p1
                yn, y1, none = planar(zero, static, snn, s1, t11, bn, b1)
                xn, x1, jams = planar(zero, mu, snn, s1, t11, bn, b1)
                holds = fabs(y1) < static * yn - margin
                xn, x1 = select(holds, yn, xn), select(holds, y1, x1)
                none = lnot(holds) & (jams | none)
                s, x2 = s1 * d1, zero
            else:
                p2, a2, s2 = ld(W, first + r + 2), rate(r + 2, W, at), entry(r, r + 2, W, at)
                t12, t22 = entry(r + 1, r + 2, W, at), entry(r + 2, r + 2, W, at)
                bn = an - snn * pn - s1 * p1 - s2 * p2
                b1, b2 = a1 - s1 * pn - t11 * p1 - t12 * p2, a2 - s2 * pn - t12 * p1 - t22 * p2
                yn, y1, y2, none = spatial(zero, static, snn, s1, s2, t11, t12, t22, bn, b1, b2)
                xn, x1, x2, jams = spatial(zero, mu, snn, s1, s2, t11, t12, t22, bn, b1, b2)
                holds = sqrt(y1 * y1 + y2 * y2) < static * yn - margin
                xn, x1, x2 = select(holds, yn, xn), select(holds, y1, x1), select(holds, y2, x2)
                none = lnot(holds) & (jams | none)
                s = s1 * d1 + s2 * d2
            st(X, rests + j, select(moving & rest, select(holds, 2.0 + zero, 1.0 + zero), ld(X, rests + j)))
            slips = maximum(sliding(mu, snn, s, bn), 0.0)
            lost = lost | (moving & closed & select_mask(rest, none, (snn - mu * s <= 0.0) & (bn < 0.0)))
            xn, x1 = select(rest, xn, slips), select(rest, x1, -mu * d1 * slips)
            change = maximum(put_percussion(r, moving, select(closed, xn, 0.0), W, at), change)
            change = maximum(put_percussion(r + 1, moving, select(closed, x1, 0.0), W, at), change)
            if slides == 2:
                x2 = select(rest, x2, -mu * d2 * slips)
                change = maximum(put_percussion(r + 2, moving, select(closed, x2, 0.0), W, at), change)
    return change, lost


@inner
def select_mask(condition, a, b):
    """Mask a where a condition holds, else mask b."""
    return (condition & a) | (lnot(condition) & b)


@inner
def largest(W, at):
    """Largest free acceleration."""
    scale = fabs(ld(W, free_row(at)))
    for r in range(1, at[ND]):
        scale = maximum(fabs(ld(W, free_row(at) + r)), scale)
    return scale


@inner
def hold(live, modes, directions, X, W, at):
    """Forces with modes given, in the rows of the percussions; lanes in which the sweeps did not suffice."""
    moving, scale = live, largest(W, at)
    for _ in range(SWEEPS):
        moving = moving & (held(moving, modes, directions, X, W, at) > EXACT * scale)
        if not any_lane(moving):
            break
    return moving


@inner
def seek(live, rests, directions, X, W, at):
    """Forces with modes sought; lanes without a solution, and those in which the sweeps did not suffice."""
    moving, scale, lost = live, largest(W, at), live & lnot(live)
    for _ in range(SWEEPS):
        change, none = sought(moving, rests, directions, X, W, at)
        lost = lost | none
        moving = moving & (change > EXACT * scale) & lnot(none)
        if not any_lane(moving):
            break
    return lost, moving
