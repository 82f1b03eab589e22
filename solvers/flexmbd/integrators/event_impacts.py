"""Impacts of closed contacts at an event, all at once, with what they take and what drives give."""

from flexmbd.integrators.contact_rows import (
    CONE, MU, OWN_STATE, RESTITUTION, RULE, SLIDE_COUNT, before_row, bound_row, free_row, gap_row, kind_row, number_row, percussion_row,
)  # fmt: skip
from flexmbd.integrators.coulomb import solve
from flexmbd.integrators.coulomb_sweep import CONE as CONTACT
from flexmbd.integrators.coulomb_sweep import OFF, choose
from flexmbd.integrators.event_search import hand
from flexmbd.integrators.listed import jump, product, takes_part
from flexmbd.integrators.percussions import book_gain, free, leave_out, add_restitution
from flexmbd.lanes import any_lane, fabs, minimum, select
from flexmbd.lanes.rows import evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import IMPULSE, LOSS, POISSON, STRUCK, STRUCK_SPEED
from flexmbd.stepping.names import (
    CONES, LAST, ND, NU, RATES, RHS, SLOTS, START, STRIDE, WORK, H, N,
)  # fmt: skip


@inner
def impact(needs, time, still, W, at):
    """Percussions of all closed contacts at once: lanes without a solution, and those in which they were not found.

    They are sought from those that the forces in their rows make in the `time`.

    Poisson's rule has two phases: compression without restitution, then percussions of at least (1 + e) times those.
    """
    cones, poisson = words(at[CONES]), False
    for j in range(at[NU]):
        add_restitution(j, W, at)
        choose(j, select(ld(W, gap_row(j, at)) <= 0.0, CONTACT, OFF + 0.0 * still), ld(W, number_row(j, MU, at)), W, at)
        st(W, bound_row(at) + j, 0.0 * still)
        poisson = poisson or cones[CONE * j + RULE] == POISSON
    for r in range(at[ND]):
        p = ld(W, percussion_row(at) + r)
        st(W, percussion_row(at) + r, select(time > 0.0, time * p, 0.0))
    lost, rough = solve(needs, still, W, at)
    if poisson:
        for j in range(at[NU]):
            if cones[CONE * j + RULE] == POISSON:
                least = (1.0 + ld(W, number_row(j, RESTITUTION, at))) * ld(W, percussion_row(at) + cones[CONE * j])
                st(W, bound_row(at) + j, select(ld(W, kind_row(j, at)) > 0.5, least, 0.0))
        more, rougher = solve(needs, still, W, at)
        lost, rough = lost | more, rough | rougher
    return lost, rough


@inner
def until_rest(fast, W, at):
    """Time, s, in which the forces in the rows of the percussions stop the first contact that slides; zero where they stop none."""
    cones, never = words(at[CONES]), 1e300
    time = never + 0.0 * fast
    for j in range(at[NU]):
        if takes_part(j, W, at):
            r, size, slows = cones[CONE * j], 0.0 * fast, 0.0 * fast
            for k in range(r + 1, r + 1 + cones[CONE * j + SLIDE_COUNT]):
                u = ld(W, before_row(at) + k)
                size, slows = size + u * u, slows - u * product(k, W, at)
            stops = (ld(W, percussion_row(at) + r) > 0.0) & (size > fast * fast) & (slows > 0.0)
            time = select(stops, minimum(size / select(stops, slows, 1.0), time), time)
    return select(time < never, time, 0.0)


@inner
def strike(needs, fast, slow, push, X, W, at):
    """Impacts of all closed contacts that approach; lanes without a solution, and those in which percussions were not found.

    Velocities without percussions have `push` times the accelerations in them, beside which those that are rounding count for nothing.
    Then the forces at hand grow without end, until they stop what slides: percussions are sought from there.
    """
    cones, states, n, zero = words(at[CONES]), START + 1 + 2 * at[N], at[N], 0.0 * ld(X, H)
    time = zero
    if any_lane(push > 0.0):
        time = select(push > 0.0, until_rest(fast, W, at), zero)
    for j in range(at[NU]):
        u, e = ld(W, before_row(at) + cones[CONE * j]), ld(W, number_row(j, RESTITUTION, at))
        st(W, number_row(j, RESTITUTION, at), select(u < -slow, e, zero))
    for r in range(at[ND]):
        u = ld(W, before_row(at) + r)
        st(W, free_row(at) + r, select((push > 0.0) & (fabs(u) < fast), 0.0, u) + push * ld(W, free_row(at) + r))
    lost, rough = impact(needs, time, fast, W, at)
    for i in range(n):
        st(X, START + 1 + n + i, ld(X, START + 1 + n + i) + select(needs, jump(i, W, at), zero))
    total, moved = zero, zero
    for j in range(at[NU]):
        r, s = cones[CONE * j], states + cones[CONE * j + OWN_STATE]
        loss, u = zero, ld(W, before_row(at) + r)
        for k in range(1 + cones[CONE * j + SLIDE_COUNT] if takes_part(j, W, at) else 0):
            work = 0.5 * ld(W, percussion_row(at) + r + k) * ld(W, before_row(at) + r + k)
            after = product(r + k, W, at) + free(j, k, W, at)
            loss = loss - 0.5 * ld(W, percussion_row(at) + r + k) * after - work
            moved = moved + fabs(work)
        total = total + loss
        hits = needs & (u < -fast) & (ld(W, gap_row(j, at)) <= 0.0)
        st(X, s + IMPULSE, ld(X, s + IMPULSE) + select(needs, ld(W, percussion_row(at) + r), zero))
        st(X, s + STRUCK, ld(X, s + STRUCK) + select(hits, 1.0 + zero, zero))
        st(X, s + STRUCK_SPEED, select(hits, -u, ld(X, s + STRUCK_SPEED)))
        st(X, s + LOSS, ld(X, s + LOSS) + select(needs, loss, zero))
    book_gain(needs, -total, moved, states, states, X, at)
    return lost, rough


@inner
def drive(needs, X, P, W, at):
    """The work of drives in an impact: what their power is more with the percussions in W as forces, to the state that has it, if any."""
    row, states, rates = at[WORK], START + 1 + 2 * at[N], at[SLOTS] + at[LAST] * at[STRIDE]
    if row < 0:
        return
    evaluate(at[RHS], X, P, W, at, START, rates)
    without, work = ld(X, rates + at[RATES] + row), states + row
    hand(needs, states, X, W, at)
    evaluate(at[RHS], X, P, W, at, START, rates)
    st(X, work, ld(X, work) + select(needs, ld(X, rates + at[RATES] + row) - without, 0.0))
    leave_out(states, X, at)
