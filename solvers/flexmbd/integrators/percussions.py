"""Restitution, positions and records of the contacts that cannot be penetrated, around the contact problem of a step."""

from flexmbd.integrators.contact_problem import SWEEPS, solve
from flexmbd.integrators.contact_rows import (
    CONE, MU, MU_STATIC, RESTITUTION, TANGENTIAL, before_row, bound_row, entry, free_row, gap_row, number_row, percussion_row, product,
    pull_row, response_row, SLIDE_COUNT, ROLL_COUNT, PIVOT_COUNT, OWN_STATE, RULE,
)  # fmt: skip
from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import (
    HOLDS, LOCKED, LOCKS, NEWTON, OPEN, OTHERS, POISSON, SLIDES, STICKS, FORCE, IMPULSE, STRUCK, STRUCK_SPEED, LOSS,
)  # fmt: skip
from flexmbd.stepping.names import (
    CONES, CONTROLLED, END, H_MAX, LAST, MIDDLE, ND, NU, RATES, REAL, RHS, ROUGH, SLOTS, MECHANISM_SIZE, START, STATUS, STRIDE, UNSOLVED, H,
    M, N,
)  # fmt: skip

PULLS = 100  # sweeps in which shifts may draw together: where contacts have one place too few, they never agree
HELD = 1e-6  # by what it would be without percussions: a sliding velocity that is none
SHORTEST = 5e-3  # of the step: two shorter ones are tried where sweeps do not suffice
ROUNDING = 1e-14  # of the mechanism's size: a way in a step that is none


@inner
def add_restitution(j, W, at):
    """Contact j's share of restitution in its free velocities: Newton's, or of Poisson's the tangential one.

    An approach that forces make in two steps is no impact: else a body that comes to rest would hop from step to step for ever.
    """
    cones, c, first = words(at[CONES]), CONE * j, before_row(at)
    r = cones[c]
    before = ld(W, first + r)
    strikes = before < minimum(2.0 * (ld(W, free_row(at) + r) - before), 0.0)
    st(W, number_row(j, RESTITUTION, at), select(strikes, ld(W, number_row(j, RESTITUTION, at)), 0.0))
    st(W, number_row(j, TANGENTIAL, at), select(strikes, ld(W, number_row(j, TANGENTIAL, at)), 0.0))
    if cones[c + RULE] == NEWTON:
        st(W, free_row(at) + r, ld(W, free_row(at) + r) + ld(W, number_row(j, RESTITUTION, at)) * before)
    for k in range(r + 1, r + 1 + cones[c + SLIDE_COUNT]):
        st(W, free_row(at) + k, ld(W, free_row(at) + k) + ld(W, number_row(j, TANGENTIAL, at)) * ld(W, first + k))


@inner
def percuss(live, closed_by, still, W, at):
    """Percussions of a step; lanes without a solution, and those in which the sweeps did not suffice; slower than `still` is rounding.

    Poisson's rule has two phases: compression without restitution, then percussions of at least (1 + e) times those.
    """
    cones, poisson = words(at[CONES]), False
    for j in range(at[NU]):
        add_restitution(j, W, at)
        poisson = poisson or cones[CONE * j + RULE] == POISSON
    lost, rough = solve(live, closed_by, still, W, at)
    if poisson:
        for j in range(at[NU]):
            if cones[CONE * j + RULE] == POISSON:
                least = (1.0 + ld(W, number_row(j, RESTITUTION, at))) * ld(W, percussion_row(at) + cones[CONE * j])
                st(W, bound_row(at) + j, least)
        more, rougher = solve(live, closed_by, still, W, at)
        lost, rough = lost | more, rough | rougher
    return lost, rough


@inner
def unsolved(live, lost, rough, X, at):
    """Lanes whose contact problem was not solved: a step of a tenth of the length is tried; where none is left to try, the run ends."""
    last = ld(X, H) < SHORTEST * doubles(at[REAL])[H_MAX]
    st(X, STATUS, select(live & lost, UNSOLVED, select(live & rough & last, ROUGH, ld(X, STATUS))))
    return live & (lost | rough)


@inner
def project_positions(live, exact, W, at):
    """Shifts of contacts, in the rows of their bounds, after which what the rows of the gaps say is zero; NaN there: not asked for.

    They act along the normals only, and stop changing where they move no gap by more than `exact`. Contacts that others lift are drawn
    back, those that are locked in all sweeps: else a block on two corners hops from one to the other for ever.
    """
    cones, bounds = words(at[CONES]), bound_row(at)
    for j in range(at[NU]):
        st(W, bounds + j, 0.0 * exact)
    moving = live
    for turn in range(SWEEPS):
        change = 0.0 * exact
        for j in range(at[NU]):
            r = cones[CONE * j]
            end = ld(W, gap_row(j, at))
            for k in range(at[NU]):
                end = end + entry(r, cones[CONE * k], W, at) * ld(W, bounds + k)
            old = ld(W, bounds + j)
            new = old - end / entry(r, r, W, at)
            if turn >= PULLS:
                both = ld(W, percussion_row(at) + r) < 0.0
                if cones[CONE * j + RULE] == HOLDS:
                    both = moving
                new = select(both, new, maximum(new, old))
            new = select(moving & (end <= end), new, old)
            st(W, bounds + j, new)
            change = maximum(fabs(new - old) * entry(r, r, W, at), change)
        moving = moving & (change > exact)
        if at[NU] == 1 or not any_lane(moving):
            break


@inner
def rounding(X):
    """Velocity that is none, m/s."""
    return ROUNDING * ld(X, MECHANISM_SIZE) / select(ld(X, H) > 0.0, ld(X, H), 1.0)


@inner
def book_shifts(X, W, at):
    """What the forces do on the way of the shifts, to each contact's loss: else the balance of energy lacks it."""
    cones, now = words(at[CONES]), at[END] + 1 + 2 * at[N]
    for j in range(at[NU]):
        row = now + cones[CONE * j + OWN_STATE] + LOSS
        st(X, row, ld(X, row) + ld(W, bound_row(at) + j) * ld(W, pull_row(at) + cones[CONE * j]))


@inner
def sticking(j, X, W, at):
    """Lanes in which contact j comes to rest along the surface; where contacts share friction some of those are at their limit."""
    c, cones = CONE * j, words(at[CONES])
    moves, free_way = 0.0 * ld(X, H), 0.0 * ld(X, H)
    for k in range(1, 1 + cones[c + SLIDE_COUNT]):
        x = free(j, k, W, at)
        moves, free_way = moves + fabs(product(cones[c] + k, W, at) + x), free_way + fabs(x)
    return moves <= HELD * free_way + rounding(X)


@inner
def hold_back(half, X, W, at):
    """Move the places at the step's end by half a step of the jumps along the surfaces of contacts that stick; the gaps follow."""
    cones, end, n, first = words(at[CONES]), at[END] + 1, at[N], percussion_row(at)
    for j in range(at[NU]):
        c, stays = CONE * j, sticking(j, X, W, at)
        for r in range(cones[c] + 1, cones[c] + 1 + cones[c + SLIDE_COUNT] + cones[c + ROLL_COUNT] + cones[c + PIVOT_COUNT]):
            by = select(stays, half * ld(W, first + r), 0.0)
            for i in range(n):
                st(X, end + i, ld(X, end + i) + ld(W, response_row(at) + n * r + i) * by)
            for k in range(at[NU]):
                st(W, gap_row(k, at), ld(W, gap_row(k, at)) + entry(cones[CONE * k], r, W, at) * by)


@inner
def book_way(places, half, X, W, at):
    """Losses of jumps that end a step, in place of jumps in its middle, and what the forces do on the way by which they move the places.

    That is `half` a step of them; or, where shifts of their own move the `places`, of those that make contacts stick.
    """
    cones, now = words(at[CONES]), at[END] + 1 + 2 * at[N]
    for j in range(at[NU]):
        c = CONE * j
        row, r = now + cones[c + OWN_STATE] + LOSS, cones[c]
        for k in range(1 + cones[c + SLIDE_COUNT] + cones[c + ROLL_COUNT] + cones[c + PIVOT_COUNT]):
            change = free(j, k, W, at) - ld(W, before_row(at) + r + k)
            way = half
            if places:
                way = select(sticking(j, X, W, at), half, 0.0) if k > 0 else 0.0 * half
            st(X, row, ld(X, row) + ld(W, percussion_row(at) + r + k) * (way * ld(W, pull_row(at) + r + k) - 0.5 * change))


@inner
def shift(X, W, at):
    """Move the places at the step's end by the shifts."""
    cones, end, n = words(at[CONES]), at[END] + 1, at[N]
    for j in range(at[NU]):
        by, row = ld(W, bound_row(at) + j), response_row(at) + n * cones[CONE * j]
        for i in range(n):
            st(X, end + i, ld(X, end + i) + ld(W, row + i) * by)


@inner
def jump(i, W, at):
    """Change of the velocity of coordinate i by all percussions."""
    first, p = response_row(at) + i, percussion_row(at)
    total = ld(W, first) * ld(W, p)
    for r in range(1, at[ND]):
        total = total + ld(W, first + at[N] * r) * ld(W, p + r)
    return total


@inner
def leave_out(states, X, at):
    """No forces of contacts among the further states of a point, whose first row is given."""
    cones = words(at[CONES])
    for j in range(at[NU]):
        c = CONE * j
        first = states + cones[c + OWN_STATE]
        st(X, first + FORCE, 0.0 * ld(X, H))
        for k in range(cones[c + SLIDE_COUNT] + cones[c + ROLL_COUNT] + cones[c + PIVOT_COUNT]):
            st(X, first + OTHERS + k, 0.0 * ld(X, H))


@inner
def further(every, X, P, W, at):
    """Further states, all or those uncontrolled, by their rates in the middle, with mean velocities and the forces of the contacts."""
    h, states, last, controlled = ld(X, H), 1 + 2 * at[N], at[SLOTS] + at[LAST] * at[STRIDE], words(at[CONTROLLED])
    mean(X, at)
    evaluate(at[RHS], X, P, W, at, at[MIDDLE], last)
    for k in range(at[M]):
        if every or controlled[k] == 0:
            row = at[END] + states + k
            st(X, row, ld(X, row) + h * ld(X, last + at[RATES] + k))


@inner
def mean(X, at):
    """Mean velocities and the states of the end at the point in the middle."""
    n, start, middle, end = at[N], START + 1, at[MIDDLE] + 1, at[END] + 1
    for i in range(n, 2 * n):
        st(X, middle + i, 0.5 * (ld(X, start + i) + ld(X, end + i)))
    for k in range(2 * n, 2 * n + at[M]):
        st(X, middle + k, ld(X, end + k))


@inner
def remember(h, X, W, at):
    """Force, mode, impulse, impacts and loss of all contacts as further states at the step's end; lanes in which something strikes."""
    cones, first, total, moved = words(at[CONES]), percussion_row(at), 0.0 * h, 0.0 * h
    struck, by = h < h, 1.0 / select(h > 0.0, h, 1.0)
    was, now = START + 1 + 2 * at[N], at[END] + 1 + 2 * at[N]
    for j in range(at[NU]):
        c = CONE * j
        r, slides, s = cones[c], cones[c + SLIDE_COUNT], cones[c + OWN_STATE]
        count = 1 + slides + cones[c + ROLL_COUNT] + cones[c + PIVOT_COUNT]
        pn, size, loss = ld(W, first + r), 0.0 * h, 0.0 * h
        for k in range(count):
            p = ld(W, first + r + k)
            if 1 <= k <= slides:
                size = size + p * p
            st(X, now + s + (FORCE if k == 0 else OTHERS - 1 + k), by * p)
            u = ld(W, before_row(at) + r + k)
            loss = loss - 0.5 * p * (product(r + k, W, at) + free(j, k, W, at) + u)
            moved = moved + fabs(p) * (fabs(u) + fabs(free(j, k, W, at)))
        total = total + loss
        pushes, on = pn, pn > 0.0
        if cones[c + RULE] == HOLDS:
            pushes, on = fabs(pn), h >= h
        limit = ld(W, number_row(j, MU, at)) * pushes * (1.0 - 1e-9)
        sticks = on & (sqrt(size) < limit)
        mode = select(on, select(sticks, STICKS, SLIDES + 0.0 * h), OPEN)
        if cones[c + RULE] == LOCKS:
            opens = -pn > ld(W, number_row(j, MU_STATIC, at)) * h
            mode = select((on | (ld(X, was + s) > STICKS)) & lnot(opens), LOCKED + 0.0 * h, OPEN)
        st(X, now + s, mode)
        before, open_before = ld(W, before_row(at) + r), ld(X, was + s) < 0.5
        hits = on & open_before & (before < 0.0)
        if cones[c + RULE] == HOLDS:
            hits = h < h
        struck = struck | hits
        st(X, now + s + IMPULSE, ld(X, was + s + IMPULSE) + pushes)
        st(X, now + s + STRUCK, ld(X, was + s + STRUCK) + select(hits, 1.0, 0.0 * h))
        st(X, now + s + STRUCK_SPEED, select(hits, -before, ld(X, was + s + STRUCK_SPEED)))
        st(X, now + s + LOSS, ld(X, was + s + LOSS) + loss)
    if at[NU] > 0:
        book_gain(struck, -total, moved, was, now, X, at)
    return struck


@inner
def book_gain(struck, gain, moved, was, now, X, at):
    """Energy of an impact that grows by more than rounding, to the further state before those of the first contact."""
    row = words(at[CONES])[OWN_STATE] - 1
    st(X, now + row, ld(X, was + row) + select(struck & (gain > 1e-9 * moved), gain, 0.0))


@inner
def free(j, k, W, at):
    """Velocity of rate k of contact j without percussions: what lies in W less restitution's share."""
    cones, c = words(at[CONES]), CONE * j
    r, x = cones[c], ld(W, free_row(at) + cones[c] + k)
    before = ld(W, before_row(at) + r + k)
    if k == 0 and cones[c + RULE] == NEWTON:
        x = x - ld(W, number_row(j, RESTITUTION, at)) * before
    if 1 <= k <= cones[c + SLIDE_COUNT]:
        x = x - ld(W, number_row(j, TANGENTIAL, at)) * before
    return x
