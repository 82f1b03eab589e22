"""Event-driven scheme: index sets of contact, sticking and sliding, between events as smooth as Dormand and Prince's pair.

Between events every contact has a mode; those that are closed act as constraints whose forces follow from the accelerations at each stage
(`contact_modes`).  An event ends a step: a gap that closes, a normal force that vanishes, sliding that comes to rest, friction that does
not hold.  It lies where the largest of all event functions crosses zero, found by trial steps from the same start: to where the cubic
through a gap and its rates closes first; where something else is met before, by regula falsi and halves in turn.
At an event (Pfeiffer and Glocker 1996; Brogliato 2016, ch. 5):

1. where closed contacts approach, an impact: percussions with restitution and friction, all closed contacts at once (`strike`);
2. modes and forces of all closed contacts from the accelerations (`seek`).

Approach speeds below `SLOW` of the largest velocity, and those of bounces that are as low as gaps are known, are taken without restitution;
so slowly no contact opens that presses: so sequences of ever smaller impacts, of a ball or of corners in turn, end in contact.
Gaps and velocities of closed contacts that have drifted open are projected back.  More than `STORM` events within a millionth of the run
end it with a status of their own.
"""

from flexmbd.equations.delassus import counts, reactions, rows_of_work
from flexmbd.integrators.contact_rows import (
    CONE, HEADING, MU, MU_STATIC, OWN_STATE, SLIDE_COUNT, before_row, bound_row, entry, gap_row, kind_row, number_row, percussion_row,
    rows_of_coulomb, rows_of_lists, wanted_row,
)  # fmt: skip
from flexmbd.integrators.coulomb_sweep import CONE as CONTACT
from flexmbd.integrators.coulomb_sweep import MOVES, OFF, choose, head, largest
from flexmbd.integrators.dormand_prince import ERROR as WEIGHTS
from flexmbd.integrators.dormand_prince import MIDDLE, ROWS
from flexmbd.integrators.event_impacts import drive, strike
from flexmbd.integrators.event_mending import around, mend, one_closed, want
from flexmbd.integrators.event_search import (
    ASIDE, BEHIND, BEYOND, BRISK, COUNTED, DIRECTION, GAPS_AT_START, GAP_RATE, MARKED, MET, NEXT_GAPS, OWN, RENEWED, REST, SEARCH, SLOWEST,
    backward_row, brisk_row, hand, locate, mode_of, near, slot, speed, two_of,
)  # fmt: skip
from flexmbd.integrators.explicit import runge_kutta
from flexmbd.integrators.contact_modes import FADED, FAINT, MOVED, keep, least_force, load, seek, still, unheld
from flexmbd.integrators.listed import glance, inspect, rate, takes_part
from flexmbd.integrators.percussions import leave_out
from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import FEW, FORCE, OPEN, OTHERS, SLIDES, STICKS
from flexmbd.stepping.names import (
    BEGIN, CONES, END, FINISH, LARGEST, LAST, LOCATE, NU, REACH, REAL, RESUME, RHS, ROUGH, ANGULAR_SCALE, PREPARE_STAGE, VELOCITY_SCALE,
    SLOTS, MECHANISM_SIZE, STAGE, START, STATUS, STORMS, SWITCH, UNILATERAL, UNSOLVED, WHO, H, M, N, T,
)  # fmt: skip

SLOW, STORM = 1e-6, 1000.0
PASSES = 3  # of an event, at most


def react(X, P, W, at):
    """Forces of closed contacts at a stage, in the point `END`, whose modes are those of the start."""
    if at[NU] == 0:
        return
    cones, states, start = words(at[CONES]), at[END] + 1 + 2 * at[N], START + 1 + 2 * at[N]
    leave_out(states, X, at)
    want(0.0 * ld(X, H) - 1.0, X, W, at)
    if at[NU] > FEW and at[STAGE] < at[LAST] and not one_closed(X, at):  # nothing but the step's end is looked at
        return
    inspect(at[END], X, P, W, at)
    load(start, X, W, at)
    keep((ld(X, STATUS) < 0.5) & (ld(X, H) > 0.0), start, slot(DIRECTION, at), X, W, at)
    for j in range(at[NU]):
        if cones[CONE * j + SLIDE_COUNT] > 0:
            st(X, two_of(REST, j, at), ld(W, kind_row(j, at) + HEADING))
            st(X, two_of(REST, j, at) + 1, ld(W, kind_row(j, at) + HEADING + 1))
    hand(ld(X, STATUS) < 0.5, states, X, W, at)


@inner
def arrange(who, X, P, W, at):
    """Impacts, then modes and forces of all contacts at the start of a step, in the lanes `who`.

    Where contacts that slide brace each other no forces need fit their accelerations (Painlevé 1895).  Percussions do, which stop them:
    those of a time so short that forces alone would hardly move anything.  What they leave opening is open, however slow.
    """
    cones, zero, aside, rest = words(at[CONES]), 0.0 * ld(X, H), slot(ASIDE, at), slot(REST, at)
    states, close = START + 1 + 2 * at[N], 2.0 * near(X)
    for k in range(at[M]):
        st(X, aside + k, ld(X, states + k))
    leave_out(states, X, at)
    want(around(X), X, W, at)
    inspect(START, X, P, W, at)
    fast, needs = 10.0 * still(X, W, at), who & lnot(who)
    low = maximum(fast, sqrt(near(X) * largest(W, at)))  # a bounce half as high as what a gap is known to is none
    slow = maximum(SLOW * ld(X, VELOCITY_SCALE), low)
    for j in range(at[NU]):
        was = ld(X, aside + cones[CONE * j + OWN_STATE])
        gap, row = ld(W, gap_row(j, at)), two_of(GAPS_AT_START, j, at)
        closed = (was > 0.5) | (gap <= close)
        if at[NU] > FEW:
            closed = closed & (ld(W, wanted_row(j, at)) > 0.5)
        st(X, row, select(who, maximum(gap, zero), ld(X, row)))
        st(X, rest + j, select(closed, 1.0, zero))
        st(W, gap_row(j, at), select(closed, -1.0, 1.0 + zero))
        needs = needs | (who & closed & (ld(W, before_row(at) + cones[CONE * j]) < -fast))
    lost, rough = who & lnot(who), who & lnot(who)
    if any_lane(needs):
        lost, rough = strike(needs, fast, slow, zero, X, W, at)
        drive(needs, X, P, W, at)
        inspect(START, X, P, W, at)
    jams, rougher = find(who, lnot(needs), low, fast, X, W, at)
    stopped = who & lnot(who)
    for _ in range(PASSES if at[NU] > 1 else 0):
        braced = who & (jams | rougher) & lnot(lost | rough)
        if not any_lane(braced):
            break
        for j in range(at[NU]):
            st(W, gap_row(j, at), select(ld(X, rest + j) > 0.5, -1.0, 1.0 + zero))
        more, worse = strike(braced, fast, slow, fast / maximum(largest(W, at), 1e-290), X, W, at)
        drive(braced, X, P, W, at)
        inspect(START, X, P, W, at)
        lost, rough, stopped = lost | more, rough | worse, stopped | braced
        jams, rougher = find(who, lnot(needs | stopped), select(stopped, fast, low), fast, X, W, at)
    for k in range(at[M]):
        fixed = ld(X, aside + k)
        st(X, states + k, select(who, ld(X, states + k), fixed))
    force, presses = strongest(X, W, at), zero
    for j in range(at[NU]):
        presses = maximum(ld(W, percussion_row(at) + cones[CONE * j]), presses)
    for j in range(at[NU]):
        settle_mode(j, who, force, presses > 0.0, X, W, at)
    st(X, STATUS, select(who & (lost | jams), UNSOLVED, select(who & (rough | rougher), ROUGH, ld(X, STATUS))))


@inner
def find(who, calm, low, fast, X, W, at):
    """Kinds of all contacts from their velocities, then their forces: lanes in which there are none, and in which none were found."""
    cones, aside, rest = words(at[CONES]), slot(ASIDE, at), slot(REST, at)
    load(aside, X, W, at)
    for j in range(at[NU]):
        r = cones[CONE * j]
        u, row = ld(W, before_row(at) + r), two_of(GAPS_AT_START, j, at)
        st(X, row + GAP_RATE, select(who, u, ld(X, row + GAP_RATE)))
        classify(j, (ld(X, rest + j) > 0.5) & (u <= low), calm, fast, X, W, at)
    scale(who, X, W, at)
    return seek(who, least_force(aside, X, at), X, W, at)


@inner
def act(who, X, P, W, at):
    """What an event does; again where that stops velocities with which another contact slides."""
    for _ in range(PASSES):
        arrange(who, X, P, W, at)
        mend(who, True, X, P, W, at)
        who = turned(who, X, P, W, at)
        if not any_lane(who):
            break


@inner
def note(j, who, slow, X, W, at):
    """Whether contact j slides so fast that it may come to rest."""
    if words(at[CONES])[CONE * j + SLIDE_COUNT] == 2:
        row = brisk_row(j, at)
        fast = speed(j, W, at) > (BRISK + BEHIND) * slow
        st(X, row, select(who, select(fast, 1.0, 0.0 * slow), ld(X, row)))


@inner
def turned(who, X, P, W, at):
    """Of the lanes `who` those in which a contact approaches, or moves against the direction of its sliding.

    What is at rest may have a velocity that is none against it: sliding ends where there is more of it.
    """
    cones, none = words(at[CONES]), ld(X, H) < 0.0 * ld(X, H)
    glance(START, X, P, W, at)
    fast = 10.0 * still(X, W, at)
    for j in range(at[NU]):
        r, slides, d, row = cones[CONE * j], cones[CONE * j + SLIDE_COUNT], two_of(DIRECTION, j, at), backward_row(j, at)
        mode = mode_of(j, X, at)
        none = none | ((mode > 0.5) & (ld(W, before_row(at) + r) < -fast))
        note(j, who, 0.1 * fast, X, W, at)
        if slides > 0:
            along = ld(W, before_row(at) + r + 1) * ld(X, d)
            if slides == 2:
                along = along + ld(W, before_row(at) + r + 2) * ld(X, d + 1)
            none = none | ((mode > 0.5) & (mode < 1.5) & (ld(W, number_row(j, MU, at)) > 0.0) & (along < -1.1 * fast))
            st(X, row, select(who, maximum(minimum(along, 0.0), -1.1 * fast), ld(X, row)))
    return who & none


@inner
def scale(who, X, W, at):
    """Velocities by which errors are judged: not less than forces make within a first step, so that what was at rest can begin to move."""
    speed = doubles(at[REAL])[REACH] * sqrt(largest(W, at) * ld(X, MECHANISM_SIZE))
    lin = maximum(ld(X, VELOCITY_SCALE), select(who, speed, 0.0))
    st(X, VELOCITY_SCALE, lin)
    st(X, ANGULAR_SCALE, maximum(ld(X, ANGULAR_SCALE), select(who, 1e-3 * lin / ld(X, MECHANISM_SIZE), 0.0)))


@inner
def strongest(X, W, at):
    """Force that is none, by those found."""
    cones, now, ever = words(at[CONES]), 0.0 * ld(X, H), 0.0 * ld(X, H)
    for j in range(at[NU]):
        now = maximum(ld(W, percussion_row(at) + cones[CONE * j]), now)
        ever = maximum(ld(X, at[LARGEST] + cones[CONE * j + OWN_STATE] + FORCE), ever)
    return FAINT * maximum(maximum(now, FADED * ever), 1e-290)


@inner
def classify(j, closed, calm, fast, X, W, at):
    """Kind of contact j for `seek`: whether it is at rest along the surface, else the direction of its sliding.

    What has just begun to slide has kinetic friction, unless an impact came between.
    """
    cones, zero = words(at[CONES]), 0.0 * fast
    r, slides, mode = cones[CONE * j], cones[CONE * j + SLIDE_COUNT], ld(X, slot(ASIDE, at) + cones[CONE * j + OWN_STATE])
    u1, u2, a1, a2 = zero, zero, zero, zero
    if slides > 0:
        u1, a1 = ld(W, before_row(at) + r + 1), rate(r + 1, W, at)
    if slides > 1:
        u2, a2 = ld(W, before_row(at) + r + 2), rate(r + 2, W, at)
    size, d = sqrt(u1 * u1 + u2 * u2), two_of(DIRECTION, j, at)
    moves = size > fast
    if slides == 2:
        moves = size > 0.1 * BRISK * fast
    safe = select(moves, size, 1.0)
    onward = (u1 * ld(X, d) + u2 * ld(X, d + 1) > -0.05 * fast) & (a1 * ld(X, d) + a2 * ld(X, d + 1) > 0.0)
    fresh = calm & (mode > 0.5) & (mode < 1.5) & onward
    mu, static = ld(W, number_row(j, MU, at)), ld(W, number_row(j, MU_STATIC, at))
    choose(j, select(closed, select(moves, MOVES, CONTACT + zero), OFF), select(moves | fresh, mu, static), W, at)
    head(j, select(moves, u1 / safe, zero), select(moves, u2 / safe, zero), W, at)
    st(W, bound_row(at) + j, zero)
    for k in range(1 + slides):
        row = percussion_row(at) + r + k
        st(W, row, select(closed, ld(W, row), zero))


@inner
def settle_mode(j, who, force, pressed, X, W, at):
    """Mode, forces and direction of sliding of contact j from the forces found."""
    cones, zero, row = words(at[CONES]), 0.0 * ld(X, H), kind_row(j, at)
    r, slides, k = cones[CONE * j], cones[CONE * j + SLIDE_COUNT], cones[CONE * j + OWN_STATE]
    s, d = START + 1 + 2 * at[N] + k, two_of(DIRECTION, j, at)
    kind, pn, d1, d2, p1, p2, slips = ld(W, row), ld(W, percussion_row(at) + r), zero, zero, zero, zero, zero < 1.0
    rests = zero > 1.0
    if slides > 0 and takes_part(j, W, at):
        d1, p1 = ld(W, row + HEADING), ld(W, percussion_row(at) + r + 1)
        slips = unheld(j, force, W, at) > MOVED * force
        a1, a2 = rate(r + 1, W, at), zero
        if slides > 1:
            d2, p2, a2 = ld(W, row + HEADING + 1), ld(W, percussion_row(at) + r + 2), rate(r + 2, W, at)
        rests = fabs(kind - CONTACT) < 0.5
        p, a = sqrt(p1 * p1 + p2 * p2), sqrt(a1 * a1 + a2 * a2)
        against = p > 0.0
        size = select(against, p, select(a > 0.0, a, 1.0))
        x1, x2 = select(against, -p1, a1) / size, select(against, -p2, a2) / size
        d1, d2, slips = select(rests, x1, d1), select(rests, x2, d2), lnot(rests) | slips
    touches = kind > 0.5
    if takes_part(j, W, at):
        touches = touches & ((pn > 0.0) | (pressed & (rate(r, W, at) <= MOVED * force * entry(r, r, W, at))))
    mode = select(touches, select(slips, SLIDES, STICKS + zero), OPEN)
    st(X, slot(REST, at) + j, select(rests, 1.0, zero))
    st(X, s, select(who, mode, ld(X, s)))
    st(X, s + FORCE, select(who, pn, ld(X, s + FORCE)))
    st(X, at[LARGEST] + k + FORCE, maximum(ld(X, at[LARGEST] + k + FORCE), select(who, pn, zero)))
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
        mode = ld(X, START + 1 + 2 * at[N] + cones[CONE * j + OWN_STATE])
        here, next_one = two_of(GAPS_AT_START, j, at), two_of(NEXT_GAPS, j, at)
        gap, rate = ld(X, next_one), ld(X, next_one + GAP_RATE)
        st(X, here, select(accepted, gap, ld(X, here)))
        st(X, here + GAP_RATE, select(accepted, rate, ld(X, here + GAP_RATE)))
        for k in range(2):
            d = two_of(DIRECTION, j, at) + k
            st(X, d, select(accepted & (mode > 0.5), ld(X, two_of(REST, j, at) + k), ld(X, d)))
        note(j, accepted, ld(X, slot(BEYOND, at) + SLOWEST), X, W, at)
        drifted = drifted | (accepted & (mode > 0.5) & ((fabs(gap) > near(X)) | (fabs(rate) > ld(X, slot(BEYOND, at) + SLOWEST))))
    if any_lane(met):
        act(met, X, P, W, at)
        count(met, X, at)
    drifted = drifted & lnot(met)
    if any_lane(drifted):
        mend(drifted, False, X, P, W, at)
    st(X, WHO, select(met | (accepted & (ld(X, slot(BEYOND, at) + RENEWED) > 0.5)), 1.0, zero))


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
        for j in range(at[NU]):
            st(X, two_of(GAPS_AT_START, j, at), 0.0 * ld(X, H))
        act(every, X, P, W, at)
    evaluate(at[RHS], X, P, W, at, START, at[SLOTS])


def resume(X, P, W, at):
    """Behind a known time, at which forces may have jumped, modes of contacts are sought anew."""
    come = ld(X, WHO) > 0.5
    if at[NU] > 0:
        act(come, X, P, W, at)
    st(X, WHO, select(come, 1.0, 0.0))


def generated(problem):
    """The function that forces at acceleration level need of the equations."""
    wanted = rows_of_work(problem) + rows_of_coulomb(*counts(problem))
    contacts, found = counts(problem)
    return {UNILATERAL: reactions(problem, wanted, wanted + rows_of_lists(contacts, found, 0))}, 0


def work(problem):
    """Rows of W."""
    contacts, found = counts(problem)
    lists = rows_of_lists(contacts, found, problem.n) if contacts > FEW else 0
    return rows_of_work(problem) + rows_of_coulomb(contacts, found) + lists


EVENT_DRIVEN = runge_kutta(
    "event_driven", 5, ROWS, WEIGHTS, middle=tuple(MIDDLE), slots=OWN,
    functions={BEGIN: begin, PREPARE_STAGE: react, LOCATE: locate, SWITCH: switch, RESUME: resume},
    generated=generated, work=work, treats=("smooth", "unilateral"),
)  # fmt: skip
