"""Event-driven scheme: index sets of contact, sticking and sliding, between events as smooth as Dormand and Prince's pair.

Between events every contact has a mode; those that are closed act as constraints whose forces follow from the accelerations at each stage
(`held`).  An event ends a step: a gap that closes, a normal force that vanishes, sliding that comes to rest, friction that no longer holds.
It lies where the largest of all event functions crosses zero, found by trial steps from the same start (regula falsi and halves in turn).
At an event (Pfeiffer and Glocker 1996; Brogliato 2016, ch. 5):

1. where closed contacts approach, an impact: percussions with restitution and friction, all closed contacts at once (`percuss`);
2. modes and forces of all closed contacts from the accelerations (`seek`).

Approach speeds below `SLOW` of the largest velocity are taken without restitution: so a sequence of ever smaller impacts ends in contact.
Gaps and velocities of closed contacts that have drifted open are projected back.  More than `STORM` events within a millionth of the run
end it with a status of their own.
"""

from flexmbd.equations.delassus import reactions, rows_of_work
from flexmbd.integrators.contact_rows import (
    CONE, RESTITUTION, before_row, bound_row, entry, free_row, gap_row, number_row, percussion_row, product, response_row,
)  # fmt: skip
from flexmbd.integrators.dormand_prince import ERROR as WEIGHTS
from flexmbd.integrators.dormand_prince import MIDDLE, ROWS
from flexmbd.integrators.event_search import (
    ASIDE, COUNTED, DIRECTION, GAPS_AT_START, MARKED, MET, NEXT_GAPS, OWN, REST, SEARCH, SPEED, locate, near, slot,
)  # fmt: skip
from flexmbd.integrators.explicit import runge_kutta
from flexmbd.integrators.held import hold, seek
from flexmbd.integrators.percussions import book_gain, free, jump, leave_out, percuss
from flexmbd.lanes import any_lane, fabs, lnot, maximum, select, sqrt
from flexmbd.lanes.rows import doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import OPEN, OTHERS, SLIDES, STICKS
from flexmbd.stepping.names import (
    BEGIN, CONES, END, FINISH, LARGEST, LOCATE, ND, NU, REAL, RESUME, RHS, ROUGH, SETTLE, SLIN, SLOTS, START, STATUS, STORMS, SWITCH,
    UNILATERAL, UNSOLVED, WHO, H, M, N, T,
)  # fmt: skip

SLOW, STORM = 1e-6, 1000.0
MENDS = 8  # sweeps of a projection: what has drifted is small


@inner
def give(states, X, W, at):
    """Put the forces of all contacts among the further states of a point."""
    cones, first = words(at[CONES]), percussion_row(at)
    for j in range(at[NU]):
        r, s = cones[CONE * j], states + cones[CONE * j + 4]
        st(X, s + 1, ld(W, first + r))
        for k in range(cones[CONE * j + 1]):
            st(X, s + OTHERS + k, ld(W, first + r + 1 + k))


@inner
def directions_of(j, r, slides, X, W, at):
    """Direction of sliding at a point: that of the velocity, unless it is as good as none, then that of the start of the step."""
    d1, d2 = ld(X, slot(DIRECTION, at) + 2 * j), ld(X, slot(DIRECTION, at) + 2 * j + 1)
    if slides == 2:
        u1, u2 = ld(W, before_row(at) + r + 1), ld(W, before_row(at) + r + 2)
        size = sqrt(u1 * u1 + u2 * u2)
        turns = (size > 1e3 * SPEED * ld(X, SLIN)) & (u1 * d1 + u2 * d2 > 0.0)
        safe = select(turns, size, 1.0)
        d1, d2 = select(turns, u1 / safe, d1), select(turns, u2 / safe, d2)
    return d1, d2


def react(X, P, W, at):
    """Forces of closed contacts at a stage, in the point `END`, whose modes are those of the start."""
    if at[NU] == 0:
        return
    cones, states = words(at[CONES]), at[END] + 1 + 2 * at[N]
    leave_out(states, X, at)
    evaluate(at[UNILATERAL], X, P, W, at, at[END], 0)
    for j in range(at[NU]):
        r, slides, s = cones[CONE * j], cones[CONE * j + 1], START + 1 + 2 * at[N] + cones[CONE * j + 4]
        st(W, percussion_row(at) + r, ld(X, s + 1))
        for k in range(slides):
            st(W, percussion_row(at) + r + 1 + k, ld(X, s + OTHERS + k))
        if slides > 0:
            d1, d2 = directions_of(j, r, slides, X, W, at)
            st(X, slot(REST, at) + 2 * j, d1)
            st(X, slot(REST, at) + 2 * j + 1, d2)
    live = (ld(X, STATUS) < 0.5) & (ld(X, H) > 0.0)
    hold(live, START + 1 + 2 * at[N], slot(REST, at), X, W, at)
    give(states, X, W, at)


@inner
def mend(who, X, P, W, at):
    """Take away what closed contacts have drifted open, as gaps and as velocities."""
    n, cones, zero = at[N], words(at[CONES]), 0.0 * ld(X, H)
    states, gaps, p = START + 1 + 2 * n, bound_row(at), percussion_row(at)
    evaluate(at[UNILATERAL], X, P, W, at, START, 0)
    for _ in range(MENDS):
        for j in range(at[NU]):
            r, slides = cones[CONE * j], cones[CONE * j + 1]
            mode = ld(X, states + cones[CONE * j + 4])
            end = ld(W, gap_row(j, at))
            for k in range(at[NU]):
                end = end + entry(r, cones[CONE * k], W, at) * ld(W, gaps + k)
            st(W, gaps + j, ld(W, gaps + j) - select(who & (mode > 0.5), end / entry(r, r, W, at), zero))
            for k in range(1 + slides):
                holds = who & (mode > (0.5 if k == 0 else 1.5))
                u = product(r + k, W, at) + ld(W, before_row(at) + r + k)
                st(W, p + r + k, ld(W, p + r + k) - select(holds, u / entry(r + k, r + k, W, at), zero))
    for i in range(n):
        st(X, START + 1 + n + i, ld(X, START + 1 + n + i) + select(who, jump(i, W, at), zero))
        for j in range(at[NU]):
            by = ld(W, response_row(at) + n * cones[CONE * j] + i) * ld(W, gaps + j)
            st(X, START + 1 + i, ld(X, START + 1 + i) + by)


@inner
def strike(needs, fast, slow, X, W, at):
    """Impacts of all closed contacts that approach; lanes without a solution, and those in which the sweeps did not suffice."""
    cones, states, n, zero = words(at[CONES]), START + 1 + 2 * at[N], at[N], 0.0 * ld(X, H)
    for r in range(at[ND]):
        st(W, free_row(at) + r, ld(W, before_row(at) + r))
    for j in range(at[NU]):
        u = ld(W, before_row(at) + cones[CONE * j])
        st(W, number_row(j, RESTITUTION, at), select(u < -slow, ld(W, number_row(j, RESTITUTION, at)), zero))
    lost, rough = percuss(needs, zero, fast, W, at)
    for i in range(n):
        st(X, START + 1 + n + i, ld(X, START + 1 + n + i) + select(needs, jump(i, W, at), zero))
    total, moved = zero, zero
    for j in range(at[NU]):
        r, s = cones[CONE * j], states + cones[CONE * j + 4]
        loss, u = zero, ld(W, before_row(at) + r)
        for k in range(1 + cones[CONE * j + 1]):
            work = 0.5 * ld(W, percussion_row(at) + r + k) * ld(W, before_row(at) + r + k)
            after = product(r + k, W, at) + free(j, k, W, at)
            loss = loss - 0.5 * ld(W, percussion_row(at) + r + k) * after - work
            moved = moved + fabs(work)
        total = total + loss
        hits = needs & (u < -fast) & (ld(W, gap_row(j, at)) <= 0.0)
        st(X, s + 2, ld(X, s + 2) + select(needs, ld(W, percussion_row(at) + r), zero))
        st(X, s + 3, ld(X, s + 3) + select(hits, 1.0 + zero, zero))
        st(X, s + 4, select(hits, -u, ld(X, s + 4)))
        st(X, s + 5, ld(X, s + 5) + select(needs, loss, zero))
    book_gain(needs, -total, moved, states, states, X, at)
    return lost, rough


@inner
def arrange(who, X, P, W, at):
    """Impacts, then modes and forces of all contacts at the start of a step, in the lanes `who`."""
    n, cones, zero, aside, rest = at[N], words(at[CONES]), 0.0 * ld(X, H), slot(ASIDE, at), slot(REST, at)
    states, fast, close = START + 1 + 2 * n, 10.0 * SPEED * ld(X, SLIN), 2.0 * near(X)
    for k in range(at[M]):
        st(X, aside + k, ld(X, states + k))
    leave_out(states, X, at)
    evaluate(at[UNILATERAL], X, P, W, at, START, 0)
    needs = who & lnot(who)
    for j in range(at[NU]):
        was = ld(X, aside + cones[CONE * j + 4])
        closed = (was > 0.5) | (ld(W, gap_row(j, at)) <= close)
        st(X, rest + j, select(closed, 1.0, zero))
        st(W, gap_row(j, at), select(closed, -1.0, 1.0 + zero))
        needs = needs | (who & closed & (ld(W, before_row(at) + cones[CONE * j]) < -fast))
    lost, rough = who & lnot(who), who & lnot(who)
    if any_lane(needs):
        lost, rough = strike(needs, fast, SLOW * ld(X, SLIN), X, W, at)
        evaluate(at[UNILATERAL], X, P, W, at, START, 0)
    for j in range(at[NU]):
        r = cones[CONE * j]
        u, gap, row = ld(W, before_row(at) + r), ld(W, gap_row(j, at)), slot(GAPS_AT_START, at) + 2 * j
        st(X, row, select(who, maximum(gap, zero), ld(X, row)))
        st(X, row + 1, select(who, u, ld(X, row + 1)))
        st(W, gap_row(j, at), select((ld(X, rest + j) > 0.5) & (u <= fast), -1.0, 1.0 + zero))
        st(X, rest + j, 1.0 + zero)
        along(j, r, fast, X, W, at)
    for k in range(at[ND]):
        st(W, percussion_row(at) + k, zero)
    jams, rougher = seek(who, rest, slot(NEXT_GAPS, at), X, W, at)
    for k in range(at[M]):
        fixed = ld(X, aside + k)
        st(X, states + k, select(who, ld(X, states + k), fixed))
    for j in range(at[NU]):
        settle_mode(j, who, X, W, at)
    st(X, STATUS, select(who & (lost | jams), UNSOLVED, select(who & (rough | rougher), ROUGH, ld(X, STATUS))))


@inner
def along(j, r, fast, X, W, at):
    """Whether contact j is at rest along the surface, else the direction of its sliding."""
    slides, d = words(at[CONES])[CONE * j + 1], slot(NEXT_GAPS, at) + 2 * j
    zero = 0.0 * fast
    u1, u2 = zero, zero
    if slides > 0:
        u1 = ld(W, before_row(at) + r + 1)
    if slides > 1:
        u2 = ld(W, before_row(at) + r + 2)
    size = sqrt(u1 * u1 + u2 * u2)
    moves = size > fast
    safe = select(moves, size, 1.0)
    st(X, slot(REST, at) + j, select(moves, 0.0, 1.0 + zero))
    st(X, d, select(moves, u1 / safe, zero))
    st(X, d + 1, select(moves, u2 / safe, zero))


@inner
def settle_mode(j, who, X, W, at):
    """Mode, forces and direction of sliding of contact j from the forces found."""
    cones, zero = words(at[CONES]), 0.0 * ld(X, H)
    r, slides, k = cones[CONE * j], cones[CONE * j + 1], cones[CONE * j + 4]
    s, d, found = START + 1 + 2 * at[N] + k, slot(DIRECTION, at) + 2 * j, slot(NEXT_GAPS, at) + 2 * j
    pn, p1, p2 = ld(W, percussion_row(at) + r), zero, zero
    if slides > 0:
        p1 = ld(W, percussion_row(at) + r + 1)
    if slides > 1:
        p2 = ld(W, percussion_row(at) + r + 2)
    size, rests = sqrt(p1 * p1 + p2 * p2), ld(X, slot(REST, at) + j) > 0.5
    sticks = ld(X, slot(REST, at) + j) > 1.5
    turns = rests & (size > 0.0)
    safe = select(turns, size, 1.0)
    d1, d2 = select(turns, -p1 / safe, ld(X, found)), select(turns, -p2 / safe, ld(X, found + 1))
    mode = select(pn > 0.0, select(sticks, STICKS, SLIDES + zero), OPEN)
    st(X, s, select(who, mode, ld(X, s)))
    st(X, s + 1, select(who, pn, ld(X, s + 1)))
    st(X, at[LARGEST] + k + 1, maximum(ld(X, at[LARGEST] + k + 1), select(who, pn, zero)))
    if slides > 0:
        st(X, s + OTHERS, select(who, p1, ld(X, s + OTHERS)))
    if slides > 1:
        st(X, s + OTHERS + 1, select(who, p2, ld(X, s + OTHERS + 1)))
    st(X, d, select(who, d1, ld(X, d)))
    st(X, d + 1, select(who, d2, ld(X, d + 1)))


def switch(X, P, W, at):
    """After a step of the lanes in `WHO`: drift of closed contacts is mended, events that were met act; `WHO` says where there was one."""
    accepted, search = ld(X, WHO) > 0.5, slot(SEARCH, at)
    met = accepted & (ld(X, search + MET) > 0.5)
    cones, zero = words(at[CONES]), 0.0 * ld(X, H)
    drifted = accepted & lnot(accepted)
    for j in range(at[NU]):
        mode = ld(X, START + 1 + 2 * at[N] + cones[CONE * j + 4])
        here, next_one = slot(GAPS_AT_START, at) + 2 * j, slot(NEXT_GAPS, at) + 2 * j
        gap, rate = ld(X, next_one), ld(X, next_one + 1)
        st(X, here, select(accepted, gap, ld(X, here)))
        st(X, here + 1, select(accepted, rate, ld(X, here + 1)))
        for k in range(2):
            d = slot(DIRECTION, at) + 2 * j + k
            st(X, d, select(accepted & (mode > 0.5), ld(X, slot(REST, at) + 2 * j + k), ld(X, d)))
        drifted = drifted | (accepted & (mode > 0.5) & ((fabs(gap) > near(X)) | (fabs(rate) > SPEED * ld(X, SLIN))))
    if any_lane(met):
        arrange(met, X, P, W, at)
        count(met, X, at)
    if any_lane(drifted | met):
        mend(drifted | met, X, P, W, at)
    st(X, WHO, select(met, 1.0, zero))


@inner
def count(met, X, at):
    """Events so far; too many in too little time are a storm."""
    search, t = slot(SEARCH, at), ld(X, T)
    events = ld(X, search + COUNTED) + select(met, 1.0, 0.0 * t)
    full = met & (events >= STORM)
    storm = full & (t - ld(X, search + MARKED) < 1e-6 * doubles(at[REAL])[FINISH])
    st(X, STATUS, select(storm & (ld(X, STATUS) < 0.5), STORMS, ld(X, STATUS)))
    st(X, search + MARKED, select(full, t, ld(X, search + MARKED)))
    st(X, search + COUNTED, select(full, 0.0 * t, events))


def begin(X, P, W, at):
    """Modes of contacts, accelerations and rates at the start."""
    if at[NU] > 0:
        every = ld(X, STATUS) < 0.5
        arrange(every, X, P, W, at)
        mend(every, X, P, W, at)
    evaluate(at[RHS], X, P, W, at, START, at[SLOTS])


def resume(X, P, W, at):
    """Behind a known time, at which forces may have jumped, modes of contacts are sought anew."""
    come = ld(X, WHO) > 0.5
    if at[NU] > 0:
        arrange(come, X, P, W, at)
        mend(come, X, P, W, at)
    st(X, WHO, select(come, 1.0, 0.0))


def generated(problem):
    """The function that forces at acceleration level need of the equations."""
    return {UNILATERAL: [(("W", i), x) for i, x in enumerate(reactions(problem))]}, 0


EVENT_DRIVEN = runge_kutta(
    "event_driven", 5, ROWS, WEIGHTS, middle=tuple(MIDDLE), slots=OWN, functions={BEGIN: begin, SETTLE: react, LOCATE: locate, SWITCH: switch, RESUME: resume},
    generated=generated, work=rows_of_work, treats=("smooth", "unilateral"),
)  # fmt: skip
