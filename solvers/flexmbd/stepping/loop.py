"""The time loop in lanes: trial step, located events, commit, reductions and dense output (`recording`), refill.

Rows and entries are those of `names`. What depends on the model (`RHS`, `PROJECT`, `OUTPUTS` ...) and on the scheme (`ATTEMPT`, `COMMIT`,
`FORGET` ...) is called by its address in the table.
"""

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import call, doubles, evaluate, get, ld, st, width_of, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import CONTACT_ROWS, DEPTH, DEPTH_RATE, MODE
from flexmbd.stepping.events import arm, assign, locate, passed, settle, switch
from flexmbd.stepping.known import CLOSE, go_past
from flexmbd.stepping.names import (
    ANGULAR, ASSIGN, ASSIGNED, ATTEMPT, AUGMENTED, BALANCE, BEFORE, CLOCKS, CLOSES, COMMIT, CONTACTS, CUT, END, ENDED, ERROR, EVENTS,
    FINISH, FIXED, FLOORED, FORGET, GAPS, HC, HN, HOPELESS, H_MAX, H_MIN, JUMPS, KINKS, KNOWNS, LARGEST, LAST, LEDGERS, LOCATE,
    LOOK, MARK, MAX_STEPS, MIDDLE, MIDWAY, NC, NEXT, NR, NW, OUTPUTS, OVER, OWNER, PENETRATIONS, POINTS, PROJECT, RATES, REAL, REFINE,
    REJECTED, RESIDUAL, RESTART, RESUME, RHS, SAFETY, SANG, SIZE, SLACK, SLIN, SLOTS, SPAN, START, STATUS, STEPPED, STEPS, STRIDE, STUCK,
    SWITCH, TIMED, WATCHED, WHO, WINDOW, WINDOWED, WORK, Y1, YM, H, M, N, T,
)  # fmt: skip
from flexmbd.stepping.recording import middle, record, reduce_step, turn
from flexmbd.stepping.watch import attempted, keep, tear, to_close, very_near
from flexmbd.stepping.within import SOON, longest

BEYOND, AT_ONCE = 1.1, 0.3  # of the way to an event, and of a step


@inner
def refresh(who, X, P, W, at):
    """Evaluate accelerations, rates and penetrations anew at the step's start for the lanes in `who`."""
    n, first, last = at[N], at[SLOTS], at[SLOTS] + at[LAST] * at[STRIDE]
    evaluate(at[RHS], X, P, W, at, START, last)
    for i in range(n):
        st(X, first + i, select(who, ld(X, last + i), ld(X, first + i)))
    for k in range(at[RATES], at[RATES] + at[M]):
        st(X, first + k, select(who, ld(X, last + k), ld(X, first + k)))
    for j in range(at[NC]):
        c, g = at[CONTACTS] + CONTACT_ROWS * j, last + at[GAPS] + 2 * j
        st(X, c + DEPTH, select(who, ld(X, g), ld(X, c + DEPTH)))
        st(X, c + DEPTH_RATE, select(who, ld(X, g + 1), ld(X, c + DEPTH_RATE)))
    st(X, WHO, select(who, 1.0, 0.0))
    call(at[FORGET], X, P, W, at)


@inner
def drift(candidates, tolerance, X, P, W, at):
    """Project positions and velocities of lanes whose constraint residual has outgrown the tolerance; rare."""
    evaluate(at[RESIDUAL], X, P, W, at, START, 0)
    lin, ang, hn = tolerance * ld(X, SLIN), tolerance * ld(X, SANG), ld(X, HN)
    place = (ld(W, 0) > lin * hn) | (ld(W, 1) > ang * hn)
    tear(X, W, at)
    who = candidates & (place | (ld(W, 2) > lin) | (ld(W, 3) > ang))
    if any_lane(who):
        evaluate(at[PROJECT], X, P, W, at, START, 0)
        for i in range(2 * at[N]):
            st(X, START + 1 + i, ld(X, START + 1 + i) + select(who, ld(W, i), 0.0))
        refresh(who, X, P, W, at)
        if at[NC] > 0:
            turned = passed(who, X, P, W, at)
            if any_lane(turned):
                refresh(turned, X, P, W, at)
                if at[NR] > 0:
                    turn(turned, ld(X, T), X, P, W, at)


@inner
def cross(come, end, X, P, W, at):
    """Go past a known time in the lanes `come`: clocks tick, velocities follow drives, and the next step begins afresh behind it."""
    owner, timed = words(at[OWNER]), words(at[TIMED])
    st(X, WHO, select(come, 1.0, 0.0))
    for lane in range(width_of(X)):
        if get(X, WHO, lane) > 0.5:
            go_past(owner[lane], lane, X, at)
    if at[CLOSES] > 0 or at[RESTART] > 0:
        follow(come, X, P, W, at)
    if at[CLOCKS] > 0:
        ticked = come & lnot(come)
        evaluate(at[PENETRATIONS], X, P, W, at, START, 0)
        for j in range(at[NC]):
            if timed[j] > 0:
                st(X, at[CONTACTS] + CONTACT_ROWS * j + MODE, select(come & (ld(W, 2 * j) > 0.0), 1.0, 0.0))
        evaluate(at[ASSIGN], X, P, W, at, START, 0)
        for j in range(at[NC]):
            if timed[j] > 0:
                now = ld(X, at[CONTACTS] + CONTACT_ROWS * j + MODE) > 0.5
                assign(j, now, X, W, at)
                ticked = ticked | now
                st(X, at[CONTACTS] + CONTACT_ROWS * j + MODE, 0.0)
        st(X, EVENTS, ld(X, EVENTS) + select(ticked, 1.0, 0.0))
    if at[RESUME] > 0:
        call(at[RESUME], X, P, W, at)
    refresh(come, X, P, W, at)
    pace(come, X, at)
    st(X, BEFORE, select(come, 1.0, ld(X, BEFORE)))
    if at[NR] > 0:
        turn(come, ld(X, T), X, P, W, at)
    st(X, T, minimum(ld(X, T), end))


@inner
def follow(come, X, P, W, at):
    """Velocities that fit the drives as they are now in the lanes `come`; the energy that this takes or gives is the work of drives."""
    n, work = at[N], at[WORK]
    before = 0.0 * ld(X, H)
    if work >= 0:
        evaluate(at[BALANCE], X, P, W, at, START, 0)
        before = ld(W, 0)
    evaluate(at[PROJECT], X, P, W, at, START, 0)
    for i in range(n):
        st(X, START + 1 + n + i, ld(X, START + 1 + n + i) + select(come, ld(W, n + i), 0.0))
    if work >= 0:
        evaluate(at[BALANCE], X, P, W, at, START, 0)
        row = START + 1 + 2 * n + work
        st(X, row, ld(X, row) + select(come, ld(W, 0) - before, 0.0))


@inner
def pace(come, X, at):
    """Where all was at rest, steps fit the accelerations that the lanes `come` have now; and of implicit schemes the scales of errors."""
    n, angular, length = at[N], words(at[ANGULAR]), ld(X, SPAN)
    push, twist = 0.0 * length, 0.0 * length
    for i in range(n):
        a = fabs(ld(X, at[SLOTS] + i))
        if angular[i] > 0:
            twist = maximum(twist, a)
        else:
            push = maximum(push, a)
    rate = maximum(sqrt(push / length), sqrt(twist))
    if at[RESTART] > 0:
        st(X, SLIN, select(come, maximum(ld(X, SLIN), SOON * sqrt(push * length)), ld(X, SLIN)))
        st(X, SANG, select(come, maximum(ld(X, SANG), SOON * sqrt(twist)), ld(X, SANG)))
    if at[FIXED] == 0:
        st(X, HN, select(come, minimum(ld(X, HN), SOON / maximum(rate, 1e-300)), ld(X, HN)))


@inner
def nearing(h, X, at):
    """Step a little beyond which the next contact begins or ends at the rate of now, if that is within h but not at once; else h.

    Such a step meets the event, or comes near it; of one far beyond it all that is learnt is that it was too long.
    """
    first = h
    for j in range(at[NC]):
        c = at[CONTACTS] + CONTACT_ROWS * j
        sign = select(ld(X, c + MODE) < 0.5, 1.0, -1.0)
        rate, way = sign * ld(X, c + DEPTH_RATE), -BEYOND * sign * ld(X, c + DEPTH)
        nears = (rate > 0.0) & (way > AT_ONCE * h * rate) & (way < first * rate)
        first = select(nears, way / select(nears, rate, 1.0), first)
    return first


@inner
def advance(X, P, W, at):
    """One trial step of all lanes; lanes at the end, or lost, stand still."""
    real = doubles(at[REAL])
    end, h_max, h_min = real[FINISH], real[H_MAX], real[H_MIN]
    n, nr, nc, fixed, kinks = at[N], at[NR], at[NC], at[FIXED] > 0, at[KINKS] > 0
    if at[KNOWNS] > 0:
        come = (ld(X, T) < end) & (ld(X, T) >= ld(X, NEXT)) & (ld(X, STATUS) < 0.5)
        if any_lane(come):
            cross(come, end, X, P, W, at)
    t, nominal, wait = ld(X, T), ld(X, HN), ld(X, HC)
    live, stop = (t < end) & (ld(X, STATUS) < 0.5), end + 0.0 * t
    if at[KNOWNS] > 0:  # what is known of the end itself is of what comes after it
        stop = select(ld(X, NEXT) < end * (1.0 - CLOSE), ld(X, NEXT), end)
    h = select(wait > 0.0, wait, nominal)
    aimed = live & lnot(live)
    if nc > 0 and not fixed:
        ahead = nearing(h, X, at)
        aimed = lnot(wait > 0.0) & (ahead < h)
        h = select(aimed, ahead, h)
    # after a million steps t is some nanoseconds off, and a step of those all rounding; a step to an event just before the end ends there
    last = live & (h >= (stop - t) * (1.0 - select(wait > 0.0, 1e-9, 1e-3)))
    st(X, SLACK, select(last & (wait > 0.0), fabs(stop - t - h), 0.0 * h))
    h = select(last, stop - t, h)
    st(X, H, h)
    if at[WATCHED] > 0:
        attempted(X, P, W, at)
    else:
        call(at[ATTEMPT], X, P, W, at)
    error = ld(X, ERROR)
    finite = error < 1e300
    rough = finite & (error > 1.0)
    if fixed:
        error = select(finite, 0.0, error)
    small = h <= h_min
    good = live & finite & ((error <= 1.0) | small)
    bounded = select(finite, error + 1e-9, 1.0)
    before, factor = ld(X, BEFORE), 4.0 + 0.0 * h
    if not fixed:
        root = sqrt(sqrt(1.0 / bounded))
        smooth = sqrt(root) * sqrt(sqrt(sqrt(sqrt(before))))  # proportional-integral: error**(-1/8) before**(1/16)
        factor = maximum(minimum(SAFETY * select(good, smooth, root), 4.0), 0.2)
    factor = select(finite, factor, 0.1)
    next_h = maximum(minimum(h * factor, h_max), h_min)
    accepted, exact = good, rough
    next_wait = 0.0 * h
    if nc > 0 or at[LOCATE] > 0:
        exact = (wait > 0.0) | rough
        over, cut = live & lnot(live), h
        if nc > 0:
            over, cut = locate(t, h, wait > 0.0, exact, X, P, W, at)
        if at[LOCATE] > 0:
            call(at[LOCATE], X, P, W, at)
            own = ld(X, OVER) > 0.5
            cut = select(own & (lnot(over) | (ld(X, CUT) < cut)), ld(X, CUT), cut)
            over = over | own
        may = good
        if kinks:
            may = good | (live & rough)
        over = over & may & (h > h_min)
        accepted = good & lnot(over)
        next_h = select(over, nominal, next_h)
        next_wait = select(over, maximum(cut, h_min), next_wait)
    goes_on = accepted & ((wait > 0.0) | last | aimed) & (next_h < nominal)
    next_h = select(goes_on, nominal, next_h)
    st(X, BEFORE, select(accepted, maximum(bounded, 1e-4), before))
    t1 = select(last, stop, t + h)
    if nr > 0:
        if at[MIDWAY] > 0:
            call(at[MIDWAY], X, P, W, at)
        else:
            middle(t, h, X, W, at)
        if at[REFINE] > 0:
            call(at[REFINE], X, P, W, at)
        st(X, at[END], t1)
        evaluate(at[OUTPUTS], X, P, W, at, at[MIDDLE], at[YM])
        evaluate(at[OUTPUTS], X, P, W, at, at[END], at[Y1])
        if at[NW] > 0:
            st(X, WHO, select(accepted, 1.0, 0.0))
            call(at[WINDOWED], X, P, W, at)
        reduce_step(t, h, accepted, X, at)
    if at[POINTS] > 0:
        record(h, accepted, X, P, W, at)
    spin, speed = move(accepted, X, at)
    if at[WATCHED] > 0:
        keep(accepted, t1, X)
    st(X, WHO, select(accepted, 1.0, 0.0))
    call(at[COMMIT], X, P, W, at)
    st(X, T, select(accepted, t1, t))
    st(X, HC, next_wait)
    st(X, STEPS, ld(X, STEPS) + select(accepted, 1.0, 0.0 * h))
    st(X, REJECTED, ld(X, REJECTED) + select(live & lnot(accepted), 1.0, 0.0 * h))
    floored = ld(X, FLOORED) + select(live & small & lnot(error <= 1.0), 1.0, 0.0 * h)
    st(X, FLOORED, floored)
    lost = live & ((floored > 200.0) | (small & lnot(finite)))
    trials = ld(X, STEPS) + ld(X, REJECTED)
    late = live & (trials > real[MAX_STEPS])
    st(X, STATUS, select(lost, 1.0, select(late, 2.0, ld(X, STATUS))))
    due = live & (trials >= ld(X, LOOK))
    if any_lane(due):
        look(end, due & lnot(lost | late), real[MAX_STEPS], trials, X)
    quiet = accepted
    if nc > 0 or at[SWITCH] > 0:
        none = live & lnot(live)
        hit, onset, kink, when, ended = none, none, none, ld(X, T), none
        if nc > 0:
            hit, onset, kink, when, ended = switch(t, h, accepted, exact, X, P, W, at)
        if at[SWITCH] > 0:
            st(X, WHO, select(accepted, 1.0, 0.0))
            call(at[SWITCH], X, P, W, at)
            hit = hit | (ld(X, WHO) > 0.5)
        st(X, STATUS, select(ended, ENDED, ld(X, STATUS)))
        next_h = select(onset, maximum(0.1 * nominal, h_min), next_h)
        st(X, BEFORE, select(hit, 1.0, ld(X, BEFORE)))
        st(X, EVENTS, ld(X, EVENTS) + select(hit | kink, 1.0, 0.0 * h))
        quiet = accepted & lnot(hit)
        if kinks:
            arm(lnot(next_wait > 0.0), X, at)
        anew = at[JUMPS] > 0 or at[RESTART] > 0 or at[SWITCH] > 0
        if anew and any_lane(hit):
            if at[RESTART] > 0:  # velocities drift at index 3
                evaluate(at[PROJECT], X, P, W, at, START, 0)
                for i in range(n):
                    st(X, START + 1 + n + i, ld(X, START + 1 + n + i) + select(hit, ld(W, n + i), 0.0))
            refresh(hit, X, P, W, at)
            if at[ASSIGNED] > 0:
                settle(hit, ld(X, T), X, at)
        if nr > 0 and (anew or at[STEPPED] > 0):
            turned = hit
            if at[STEPPED] > 0:
                turned = hit | kink
            if any_lane(turned):
                turn(turned, select(kink, when, ld(X, T)), X, P, W, at)
    if not fixed:
        next_h = minimum(next_h, maximum(longest(spin, speed, t1, X), h_min))
    st(X, HN, select(live, next_h, nominal))
    usual = at[CLOSES] == 1 and (at[AUGMENTED] > 0 or not fixed)
    if usual or (at[CLOSES] > 0 and at[WATCHED] > 0):
        who, share = to_close(quiet, usual, X, at)
        drift(who, share, X, P, W, at)
        if at[WATCHED] > 0:
            twice = who & very_near(X)
            if any_lane(twice):  # velocities were closed at the places before
                drift(twice, share, X, P, W, at)


@inner
def move(accepted, X, at):
    """The step's end becomes the start of the next one; the largest velocities, places and states so far. Returns its fastest rates."""
    n, start, end, angular = at[N], START + 1, at[END] + 1, words(at[ANGULAR])
    size = ld(X, SIZE)
    lin, ang = 0.0 * size, 0.0 * size
    for i in range(n):
        place = select(accepted, ld(X, end + i), ld(X, start + i))
        st(X, start + i, place)
        x = select(accepted, ld(X, end + n + i), ld(X, start + n + i))
        st(X, start + n + i, x)
        if angular[i] > 0:
            ang = maximum(ang, fabs(x))
        else:
            lin = maximum(lin, fabs(x))
            size = maximum(size, fabs(place))
    st(X, SIZE, size)
    st(X, SLIN, maximum(ld(X, SLIN), lin))
    st(X, SANG, maximum(ld(X, SANG), ang))
    for k in range(at[M]):
        i = 2 * n + k
        x = select(accepted, ld(X, end + i), ld(X, start + i))
        st(X, start + i, x)
        if k < at[M] - at[LEDGERS]:
            st(X, at[LARGEST] + k, maximum(ld(X, at[LARGEST] + k), fabs(x)))
    return ang, lin


@inner
def look(end, who, max_steps, trials, X):
    """Stop the lanes in `who` whose last steps have been so short that they will never get to the end."""
    t = ld(X, T)
    hopeless = who & ((end - t) * WINDOW > HOPELESS * max_steps * (t - ld(X, MARK)))
    st(X, STATUS, select(hopeless, STUCK, ld(X, STATUS)))
    on = who & lnot(hopeless)
    st(X, MARK, select(on, t, ld(X, MARK)))
    st(X, LOOK, select(on, trials + WINDOW, ld(X, LOOK)))
