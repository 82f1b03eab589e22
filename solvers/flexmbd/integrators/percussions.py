"""Restitution, positions and records of the contacts that cannot be penetrated, around the contact problem of a step."""

from flexmbd.integrators.contact_problem import SWEEPS, solve
from flexmbd.integrators.contact_rows import (
    CONE, MU, RESTITUTION, TANGENTIAL, before_row, bound_row, entry, free_row, gap_row, number_row, percussion_row, product,
)  # fmt: skip
from flexmbd.lanes import any_lane, fabs, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import OPEN, OTHERS, SLIDES, STICKS
from flexmbd.stepping.names import CONES, END, NU, SPAN, START, H, N

PULLS = 100  # sweeps in which shifts may draw together: where contacts have one place too few, they never agree
ROUNDING = 1e-14  # of the mechanism's size: a way in a step that is none


@inner
def restitute(j, W, at):
    """Contact j's share of restitution in its free velocities: Newton's, or of Poisson's the tangential one.

    An approach that forces make in two steps is no impact: else a body that comes to rest would hop from step to step for ever.
    """
    cones, c, first = words(at[CONES]), CONE * j, before_row(at)
    r = cones[c]
    before = ld(W, first + r)
    strikes = before < minimum(2.0 * (ld(W, free_row(at) + r) - before), 0.0)
    st(W, number_row(j, RESTITUTION, at), select(strikes, ld(W, number_row(j, RESTITUTION, at)), 0.0))
    st(W, number_row(j, TANGENTIAL, at), select(strikes, ld(W, number_row(j, TANGENTIAL, at)), 0.0))
    if cones[c + 5] == 0:
        st(W, free_row(at) + r, ld(W, free_row(at) + r) + ld(W, number_row(j, RESTITUTION, at)) * before)
    for k in range(r + 1, r + 1 + cones[c + 1]):
        st(W, free_row(at) + k, ld(W, free_row(at) + k) + ld(W, number_row(j, TANGENTIAL, at)) * ld(W, first + k))


@inner
def percuss(live, closed_by, X, W, at):
    """Percussions of a step; lanes without a solution, and those in which the sweeps did not suffice.

    Poisson's rule has two phases: compression without restitution, then percussions of at least (1 + e) times those.
    """
    cones, poisson, still = words(at[CONES]), False, ROUNDING * ld(X, SPAN) / ld(X, H)
    for j in range(at[NU]):
        restitute(j, W, at)
        poisson = poisson or cones[CONE * j + 5] > 0
    lost, rough = solve(live, closed_by, still, W, at)
    if poisson:
        for j in range(at[NU]):
            if cones[CONE * j + 5] > 0:
                least = (1.0 + ld(W, number_row(j, RESTITUTION, at))) * ld(W, percussion_row(at) + cones[CONE * j])
                st(W, bound_row(at) + j, least)
        more, rougher = solve(live, closed_by, still, W, at)
        lost, rough = lost | more, rough | rougher
    return lost, rough


@inner
def push_out(live, slack, h, W, at):
    """Shifts of contacts, in the rows of their bounds, after which those that stay closed are as deep as `slack` at the step's end.

    Those that others lift are drawn back: else a block on two corners hops from one to the other for ever.
    """
    cones, bounds = words(at[CONES]), bound_row(at)
    for j in range(at[NU]):
        st(W, bounds + j, 0.0 * slack)
    moving = live
    for turn in range(SWEEPS):
        change = 0.0 * slack
        for j in range(at[NU]):
            r = cones[CONE * j]
            gap = ld(W, gap_row(j, at))
            end = gap + 0.5 * h * (product(r, W, at) + free(j, 0, W, at)) + slack
            for k in range(at[NU]):
                end = end + entry(r, cones[CONE * k], W, at) * ld(W, bounds + k)
            old = ld(W, bounds + j)
            stays = (ld(W, percussion_row(at) + r) > 0.0) & (ld(W, number_row(j, RESTITUTION, at)) <= 0.0)
            new = old - end / entry(r, r, W, at)
            if turn >= PULLS:
                new = maximum(new, old)
            new = select(moving & stays, new, old)
            st(W, bounds + j, new)
            change = maximum(fabs(new - old) * entry(r, r, W, at), change)
        moving = moving & (change > 1e-3 * slack)
        if not any_lane(moving):
            break


@inner
def book_shifts(h, X, W, at):
    """What the forces do on the way of the shifts, to each contact's loss: else the balance of energy lacks it."""
    cones, now = words(at[CONES]), at[END] + 1 + 2 * at[N]
    for j in range(at[NU]):
        row = now + cones[CONE * j + 4] + 5
        pull = (free(j, 0, W, at) - ld(W, before_row(at) + cones[CONE * j])) / h
        st(X, row, ld(X, row) + ld(W, bound_row(at) + j) * pull)


@inner
def remember(h, X, W, at):
    """Force, mode, impulse, impacts and loss of all contacts as further states at the step's end."""
    cones, first = words(at[CONES]), percussion_row(at)
    was, now = START + 1 + 2 * at[N], at[END] + 1 + 2 * at[N]
    for j in range(at[NU]):
        c = CONE * j
        r, slides, count, s = cones[c], cones[c + 1], 1 + cones[c + 1] + cones[c + 2] + cones[c + 3], cones[c + 4]
        pn, size, loss = ld(W, first + r), 0.0 * h, 0.0 * h
        for k in range(count):
            p = ld(W, first + r + k)
            if 1 <= k <= slides:
                size = size + p * p
            st(X, now + s + (1 if k == 0 else OTHERS - 1 + k), p / h)
            loss = loss - 0.5 * p * (product(r + k, W, at) + free(j, k, W, at) + ld(W, before_row(at) + r + k))
        on = pn > 0.0
        limit = ld(W, number_row(j, MU, at)) * pn * (1.0 - 1e-9)
        sticks = on & (sqrt(size) < limit)
        st(X, now + s, select(on, select(sticks, STICKS, SLIDES + 0.0 * h), OPEN))
        before, open_before = ld(W, before_row(at) + r), ld(X, was + s) < 0.5
        hits = on & open_before & (before < 0.0)
        st(X, now + s + 2, ld(X, was + s + 2) + pn)
        st(X, now + s + 3, ld(X, was + s + 3) + select(hits, 1.0, 0.0 * h))
        st(X, now + s + 4, select(hits, -before, ld(X, was + s + 4)))
        st(X, now + s + 5, ld(X, was + s + 5) + loss)


@inner
def free(j, k, W, at):
    """Velocity of rate k of contact j without percussions: what lies in W less restitution's share."""
    cones, c = words(at[CONES]), CONE * j
    r, x = cones[c], ld(W, free_row(at) + cones[c] + k)
    before = ld(W, before_row(at) + r + k)
    if k == 0 and cones[c + 5] == 0:
        x = x - ld(W, number_row(j, RESTITUTION, at)) * before
    if 1 <= k <= cones[c + 1]:
        x = x - ld(W, number_row(j, TANGENTIAL, at)) * before
    return x
