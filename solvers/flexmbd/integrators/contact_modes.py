"""Forces of contacts whose modes are given or sought, at acceleration level, in lanes: for schemes that locate events.

A contact that is closed has ``a_n = 0``; one that sticks ``a_t = 0`` too, one that slides ``p_t = -mu d p_n`` against the direction d of
its sliding.  At an event modes follow from the accelerations (Pfeiffer and Glocker 1996, Multibody Dynamics with Unilateral Contacts)::

    0 <= a_n  and  p_n >= 0, one of them zero
    at rest along the surface: |p_t| <= mu_s p_n with a_t = 0, else p_t = -mu p_n a_t/|a_t|

The contacts of one body share its load in more ways than one.  So a mode is over not where the share at hand leaves its cone of friction,
but where no share stays within all of them: where with the forces of `coulomb.solve` something accelerates.

Where a point in space begins to slide, the direction of its velocity follows that of the load within a time ``|u|/(mu p_n s)``, s how fast
it yields: shorter than any step.  There friction acts against ``u + tau (a_t - s p_t)``, the velocity and what the load makes of it in the
part tau of the step's length that exceeds that time.
"""

from flexmbd.integrators.contact_rows import CONE as WORDS
from flexmbd.integrators.contact_rows import (
    FRICTION, HEADING, MU, MU_STATIC, OWN_STATE, SLIDE_COUNT, before_row, bound_row, entry, kind_row, number_row, percussion_row,
)  # fmt: skip
from flexmbd.integrators.coulomb import EXACT, solve
from flexmbd.integrators.coulomb_sweep import CONE, MOVES, OFF, SLIPS, STUCK, choose, head, largest
from flexmbd.integrators.given_modes import forces_in_modes
from flexmbd.integrators.listed import rate, takes_part
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select, sqrt
from flexmbd.lanes.rows import doubles, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import FORCE, OTHERS
from flexmbd.stepping.names import CONES, LARGEST, NU, REAL, VELOCITY_SCALE, MECHANISM_SIZE, TOLERANCE, H

FAINT = 1e-9  # forces are known to this, by the largest of all contacts,
FADED = 1e-4  # or by this part of the largest one so far
MOVED = 0.05  # acceleration that is one, by that which such a force makes
# velocity that is none, by the run's tolerance and the largest one so far, or that which forces give within the mechanism's size
SPEED, FINEST, COARSEST = 0.1, 1e-10, 1e-8
TURNS, TURNED = 12, 1e-11  # of directions of sliding that depend on the forces


@inner
def least_force(forces, X, at):
    """Force that is none: `forces` is the first of the further states of a point."""
    cones, now, ever = words(at[CONES]), 0.0 * ld(X, H), 0.0 * ld(X, H)
    for j in range(at[NU]):
        k = cones[WORDS * j + OWN_STATE] + FORCE
        now, ever = maximum(ld(X, forces + k), now), maximum(ld(X, at[LARGEST] + k), ever)
    return FAINT * maximum(maximum(now, FADED * ever), 1e-290)


@inner
def still(X, W, at):
    """Velocity that is none, at a point whose accelerations are in W.

    What slides more slowly turns with the forces faster than any step, so that where it comes to rest depends on rounding.
    """
    part = min(max(SPEED * doubles(at[REAL])[TOLERANCE], FINEST), COARSEST)
    return part * maximum(ld(X, VELOCITY_SCALE), sqrt(ld(X, MECHANISM_SIZE) * largest(W, at)))


@inner
def unheld(j, force, W, at):
    """Force that contact j lacks to be at rest along its surface, by its acceleration; `force` is one that is none.

    Within its cone friction holds (what moves there is what the solution is off by): where it does not, it is at its bound.
    """
    r, slides, k = words(at[CONES])[WORDS * j], words(at[CONES])[WORDS * j + SLIDE_COUNT], kind_row(j, at)
    a, p, t = fabs(rate(r + 1, W, at)), fabs(ld(W, percussion_row(at) + r + 1)), entry(r + 1, r + 1, W, at)
    if slides == 2:
        b, q = rate(r + 2, W, at), ld(W, percussion_row(at) + r + 2)
        a, p, t = sqrt(a * a + b * b), sqrt(p * p + q * q), maximum(t, entry(r + 2, r + 2, W, at))
    holds = (fabs(ld(W, k) - CONE) < 0.5) & (p < ld(W, k + FRICTION) * ld(W, percussion_row(at) + r) - force)
    return select(holds, 0.0, a / t)


@inner
def load(states, X, W, at):
    """Put the forces among the further states of a point into the rows of the percussions."""
    cones, first = words(at[CONES]), percussion_row(at)
    for j in range(at[NU]):
        r, s = cones[WORDS * j], states + cones[WORDS * j + OWN_STATE]
        st(W, first + r, ld(X, s + FORCE))
        for k in range(cones[WORDS * j + SLIDE_COUNT]):
            st(W, first + r + 1 + k, ld(X, s + OTHERS + k))


@inner
def firm(j, r, W, at):
    """How fast a contact's own friction, and that of all others, changes its sliding velocity."""
    cones, total = words(at[CONES]), 0.0 * ld(W, r)
    for k in range(at[NU]):
        c = cones[WORDS * k]
        if cones[WORDS * k + SLIDE_COUNT] == 2 and takes_part(k, W, at):
            one = fabs(entry(r + 1, c + 1, W, at)) + fabs(entry(r + 1, c + 2, W, at))
            two = fabs(entry(r + 2, c + 1, W, at)) + fabs(entry(r + 2, c + 2, W, at))
            size = ld(W, number_row(k, MU, at)) * maximum(ld(W, percussion_row(at) + c), 0.0)
            on = (ld(W, kind_row(k, at)) > 0.5) & (fabs(ld(W, kind_row(k, at)) - STUCK) > 0.5)
            total = total + select(on, size * maximum(one, two), 0.0)
    return total


@inner
def heading(j, r, d1, d2, slow, X, W, at):
    """Direction of sliding of a contact in space; d is that at the step's start.

    What moves no faster than a few times `slow` has just begun to: across d its velocity is rounding.
    """
    u1, u2 = ld(W, before_row(at) + r + 1), ld(W, before_row(at) + r + 2)
    size, along = sqrt(u1 * u1 + u2 * u2), u1 * d1 + u2 * d2
    moves = size > 3.0 * slow
    safe, back = select(moves, size, 1.0), moves & (along <= 0.0)
    e1, e2 = select(moves & lnot(back), u1 / safe, d1), select(moves & lnot(back), u2 / safe, d2)
    onward = maximum(along, 0.0)
    u1, u2 = select(moves, u1, onward * d1), select(moves, u2, onward * d2)
    strength = firm(j, r, W, at)
    presses = (strength > 0.0) & lnot(back)
    tau = select(presses, maximum(ld(X, H) - size / select(presses, strength, 1.0), 0.0), 0.0)
    if any_lane(tau > 0.0):
        own = maximum(ld(W, number_row(j, MU, at)) * ld(W, percussion_row(at) + r), 1e-300)
        p1, p2 = ld(W, percussion_row(at) + r + 1), ld(W, percussion_row(at) + r + 2)
        b1, b2 = rate(r + 1, W, at) - strength / own * p1, rate(r + 2, W, at) - strength / own * p2
        length = sqrt(b1 * b1 + b2 * b2)
        ahead = tau * maximum(b1 * e1 + b2 * e2, 0.0) / maximum(length, 1e-300)
        w1, w2 = u1 + ahead * b1, u2 + ahead * b2
        whole = sqrt(w1 * w1 + w2 * w2)
        counts = (ahead > 0.0) & (whole > 0.0)
        safe = select(counts, whole, 1.0)
        e1, e2 = select(counts, w1 / safe, e1), select(counts, w2 / safe, e2)
    return e1, e2


@inner
def turn(directions, X, W, at):
    """Directions of sliding of contacts in space: the largest change of one."""
    cones, change, slow = words(at[CONES]), 0.0 * ld(X, H), still(X, W, at)
    for j in range(at[NU]):
        if cones[WORDS * j + SLIDE_COUNT] == 2 and takes_part(j, W, at):
            k = kind_row(j, at)
            slips = ld(W, k) > 3.5
            d1, d2 = heading(j, cones[WORDS * j], ld(X, directions + 2 * j), ld(X, directions + 2 * j + 1), slow, X, W, at)
            change = maximum(select(slips, fabs(d1 - ld(W, k + HEADING)) + fabs(d2 - ld(W, k + HEADING + 1)), 0.0), change)
            head(j, d1, d2, W, at)
    return change


@inner
def keep(live, modes, directions, X, W, at):
    """Forces with modes given, in the rows of the percussions, from those there; directions are those at the start of the step.

    Contacts that touch without pressing stay so.
    """
    cones = words(at[CONES])
    for j in range(at[NU]):
        mode, pn = ld(X, modes + cones[WORDS * j + OWN_STATE]), ld(W, percussion_row(at) + cones[WORDS * j])
        kind = select((mode > 0.5) & (fabs(pn) > 0.0), select(mode > 1.5, STUCK, SLIPS + 0.0 * mode), OFF)
        choose(j, kind, ld(W, number_row(j, MU, at)), W, at)
        head(j, ld(X, directions + 2 * j), ld(X, directions + 2 * j + 1), W, at)
    turn(directions, X, W, at)
    forces_in_modes(live, W, at)
    moving = live
    for _ in range(TURNS):
        moving = moving & (turn(directions, X, W, at) > TURNED)
        if not any_lane(moving):
            break
        forces_in_modes(moving, W, at)


@inner
def share(who, modes, headings, X, W, at):
    """Forces of the contacts that are closed, with friction as it may be: lanes in which they were not found."""
    cones = words(at[CONES])
    for j in range(at[NU]):
        mode = ld(X, modes + cones[WORDS * j + OWN_STATE])
        sticks, pn = mode > 1.5, ld(W, percussion_row(at) + cones[WORDS * j])
        kind = select(mode > 0.5, select(sticks, CONE, MOVES + 0.0 * mode), OFF)
        choose(j, kind, select(sticks, ld(W, number_row(j, MU_STATIC, at)), ld(W, number_row(j, MU, at))), W, at)
        head(j, ld(X, headings + 2 * j), ld(X, headings + 2 * j + 1), W, at)
        st(W, bound_row(at) + j, 0.0 * pn)
    lost, rough = solve(who, 1e3 * EXACT * largest(W, at), W, at)
    return lost | rough


@inner
def seek(live, force, X, W, at):
    """Forces with modes sought, of the kinds `CONE` at rest along the surface, `MOVES`, `OFF`: where there are none, where none were found.

    A contact whose static friction does not hold has the kinetic one.
    """
    cones, rounding = words(at[CONES]), 1e3 * EXACT * largest(W, at)
    lost, rough, moving = live & lnot(live), live & lnot(live), live
    for _ in range(at[NU] + 1):
        none, more = solve(moving, rounding, W, at)
        lost, rough, again = lost | none, (rough & lnot(moving)) | more, live & lnot(live)
        for j in range(at[NU]):
            slides, k = cones[WORDS * j + SLIDE_COUNT], kind_row(j, at)
            if slides > 0 and takes_part(j, W, at):
                mu, kinetic = ld(W, k + FRICTION), ld(W, number_row(j, MU, at))
                falls = moving & (fabs(ld(W, k) - CONE) < 0.5) & (unheld(j, force, W, at) > MOVED * force) & (mu > kinetic)
                st(W, k + FRICTION, select(falls, kinetic, mu))
                again = again | falls
        moving = moving & again & lnot(none | more)
        if not any_lane(moving):
            break
    return lost, rough


__all__ = ["FAINT", "MOVED", "keep", "least_force", "load", "seek", "share", "still", "unheld"]
