"""The time loop in lanes: a step is tried, judged, looked through for events, kept or not; then the next length, and what events do.

Rows and entries are those of `names`. What depends on the model (`RHS`, `PROJECT`, `OUTPUTS` ...) and on the scheme (`ATTEMPT`, `COMMIT`,
`FORGET` ...) is called by its address in the table.
"""

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import call, doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner, part
from flexmbd.registry import CONTACT_ROWS, DEPTH, DEPTH_RATE, MODE
from flexmbd.stepping.events import arm, cut_at, rearm_events, switch
from flexmbd.stepping.known import CLOSE
from flexmbd.stepping.measuring import measure
from flexmbd.stepping.names import (
    ANGULAR, ASSIGNED, ATTEMPT, BEFORE, COMMIT, CONTACTS, CUT, END, ENDED, ERROR, EVENTS, EXPONENT, FINISH, FIXED, FLOORED,
    STEP_TO_EVENT, NOMINAL_STEP, HOPELESS, H_MAX, H_MIN, JUMPS, KINKS, KNOWNS, LARGEST, LEDGERS, LOCATE, NEXT_CHECK,
    LAST_CHECK_TIME, MAX_STEPS, MEASURES, MIDDLE, MIDWAY, NC, NEXT, NR, NSECTIONS, NW, OF_PARTS, OUTPUTS, OVER, PART, PARTS, POINTS,
    PROJECT, PROPOSE, REAL, REFINE, REJECTED, RESTART, SAFETY, SECTIONED, ANGULAR_SCALE, LARGEST_DISTANCE, TIME_MARGIN,
    VELOCITY_SCALE, START, STATUS, STEPPED, STEPS, STUCK, SWITCH, WATCHED, WHO, CHECK_INTERVAL, WINDOWED, Y1, YM, H, M, N, T,
)  # fmt: skip
from flexmbd.stepping.parts import reduce_parts
from flexmbd.stepping.recording import middle, record, reduce_step, turn
from flexmbd.stepping.restart import close, cross, refresh
from flexmbd.stepping.watch import attempted, keep_nearest
from flexmbd.stepping.within import longest

INFINITE = float("inf")
BEYOND, AT_ONCE = 1.1, 0.3  # of the way to an event, and of a step


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
    end, h_min = real[FINISH], real[H_MIN]
    if at[KNOWNS] > 0:
        come = (ld(X, T) < end) & (ld(X, T) >= ld(X, NEXT)) & (ld(X, STATUS) < 0.5)
        if any_lane(come):
            cross(come, end, X, P, W, at)
    if at[PROPOSE] > 0:
        call(at[PROPOSE], X, P, W, at)
    t, nominal, wait = ld(X, T), ld(X, NOMINAL_STEP), ld(X, STEP_TO_EVENT)
    live, last, aimed, stop = trial(t, nominal, wait, end, X, P, W, at)
    h = ld(X, H)
    good, rough, short, failed, bounded = judge(live, h, X, at)
    next_h = control(h, good, bounded, X, at)
    accepted, exact, next_h, next_wait = locate(t, h, wait, nominal, live, good, rough, next_h, X, P, W, at)
    goes_on = accepted & ((wait > 0.0) | last | aimed) & (next_h < nominal)
    next_h = select(goes_on, nominal, next_h)
    st(X, BEFORE, select(accepted, maximum(bounded, 1e-4), ld(X, BEFORE)))
    t1 = select(last, stop, t + h)
    spin, speed = keep(t, h, t1, accepted, X, P, W, at)
    st(X, STEP_TO_EVENT, next_wait)
    count(live, accepted, short, failed, end, X, at)
    quiet = accepted
    if at[NC] > 0 or at[SWITCH] > 0:
        quiet, next_h = after(t, h, nominal, live, accepted, exact, next_h, next_wait, X, P, W, at)
    if at[FIXED] == 0 and at[PROPOSE] == 0:
        next_h = minimum(next_h, maximum(longest(spin, speed, t1, X), h_min))
    st(X, NOMINAL_STEP, select(live, next_h, nominal))
    close(quiet, X, P, W, at)
    if at[MEASURES] > 0:
        measure(accepted, X, P, W, at)


@part
def trial(t, nominal, wait, end, X, P, W, at):
    """Try a step: the nominal one, that to an event (`wait`), or less, to a known time or the end.

    Returns
    -------
    live, last, aimed : mask
        Lanes that move; whose step ends where it has to stop; whose step was chosen to meet the next contact.
    stop : lane value
        Where it has to stop, s.
    """
    live, stop = (t < end) & (ld(X, STATUS) < 0.5), end + 0.0 * t
    if at[KNOWNS] > 0:  # what is known of the end itself is of what comes after it
        stop = select(ld(X, NEXT) < end * (1.0 - CLOSE), ld(X, NEXT), end)
    h = select(wait > 0.0, wait, nominal)
    aimed = live & lnot(live)
    if at[NC] > 0 and at[FIXED] == 0:
        ahead = nearing(h, X, at)
        aimed = lnot(wait > 0.0) & (ahead < h)
        h = select(aimed, ahead, h)
    # after a million steps t is some nanoseconds off, and a step of those all rounding; a step to an event just before the end ends there
    last = live & (h >= (stop - t) * (1.0 - select(wait > 0.0, 1e-9, 1e-3)))
    st(X, TIME_MARGIN, select(last & (wait > 0.0), fabs(stop - t - h), 0.0 * h))
    st(X, H, select(last, stop - t, h))
    if at[WATCHED] > 0:
        attempted(X, P, W, at)
    else:
        call(at[ATTEMPT], X, P, W, at)
    return live, last, aimed, stop


@part
def judge(live, h, X, at):
    """What a trial step is worth.

    Returns
    -------
    good, rough : mask
        Lanes whose error is small enough, or whose step cannot be shorter; whose error is finite and too large.
    short, failed : mask
        Lanes whose step is as short as it may be, and too long all the same; and those of them that have no finite error.
    bounded : lane value
        The error over the tolerance, for `control`: above zero, infinite where it is not finite.
    """
    error = ld(X, ERROR)
    finite = error < 1e300
    rough = finite & (error > 1.0)
    if at[FIXED] > 0:
        error = select(finite, 0.0, error)
    small = h <= doubles(at[REAL])[H_MIN]
    good = live & finite & ((error <= 1.0) | small)
    return good, rough, live & small & lnot(error <= 1.0), small & lnot(finite), select(finite, error + 1e-9, INFINITE)


@inner
def rooted(x, exponent):
    """``x**exponent`` for a multiple of 2**-10 below one: by square roots, which are the same bits in any number of lanes."""
    product = 1.0 + 0.0 * x
    for _ in range(10):
        x, exponent = sqrt(x), 2.0 * exponent
        if exponent >= 1.0:
            product, exponent = product * x, exponent - 1.0
    return product


@part
def control(h, good, error, X, at):
    """Length of the next step by the error of this one, which goes like h**k, and by that of the step before.

    The proportional-integral control of Gustafsson (1991): error**(-0.6/k) before**(0.2/k); after a rejection error**(-1/k).
    """
    real, finite = doubles(at[REAL]), error < 1e300
    error, factor = select(finite, error, 1.0), 4.0 + 0.0 * h
    if at[FIXED] == 0 and at[PROPOSE] == 0:
        cube = error * error * error
        ratio = select(good, ld(X, BEFORE), 1.0) / select(good, cube, cube * error * error)
        factor = maximum(minimum(SAFETY * rooted(ratio, real[EXPONENT]), 4.0), 0.2)
    factor = select(finite, factor, 0.1)
    return maximum(minimum(h * factor, real[H_MAX]), real[H_MIN])


@part
def locate(t, h, wait, nominal, live, good, rough, next_h, X, P, W, at):
    """Look for events before the step's end: where there is one the step is not kept, and the next one ends there.

    Returns
    -------
    accepted, exact : mask
        Lanes whose step is kept; in which kinks count.
    next_h, next_wait : lane value
        The next step, and that to an event; 0: there is none.
    """
    accepted, exact, next_wait = good, rough, 0.0 * h
    if at[NC] > 0 or at[LOCATE] > 0:
        h_min = doubles(at[REAL])[H_MIN]
        exact = (wait > 0.0) | rough
        over, cut = live & lnot(live), h
        if at[NC] > 0:
            over, cut = cut_at(t, h, wait > 0.0, exact, X, P, W, at)
        if at[LOCATE] > 0:
            call(at[LOCATE], X, P, W, at)
            own = ld(X, OVER) > 0.5
            cut = select(own & (lnot(over) | (ld(X, CUT) < cut)), ld(X, CUT), cut)
            over = over | own
        may = good
        if at[KINKS] > 0:
            may = good | (live & rough)
        over = over & may & (h > h_min)
        accepted = good & lnot(over)
        next_h = select(over, nominal, next_h)
        next_wait = select(over, maximum(cut, h_min), next_wait)
    return accepted, exact, next_h, next_wait


@part
def keep(t, h, t1, accepted, X, P, W, at):
    """Record the step of the lanes `accepted`, and begin the next one at its end; returns its fastest rates (`move`)."""
    if at[NR] > 0 and at[PARTS] > 1:
        reduce_parts(t, h, t1, accepted, X, P, W, at)
    elif at[NR] > 0:
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
    if at[NSECTIONS] > 0 and (at[NR] == 0 or at[PARTS] == 1):
        at[PART], at[OF_PARTS] = 0, 1
        st(X, WHO, select(accepted, 1.0, 0.0))
        call(at[SECTIONED], X, P, W, at)
    if at[POINTS] > 0:
        record(h, accepted, X, P, W, at)
    spin, speed = move(accepted, X, at)
    if at[WATCHED] > 0:
        keep_nearest(accepted, t1, X)
    st(X, WHO, select(accepted, 1.0, 0.0))
    call(at[COMMIT], X, P, W, at)
    st(X, T, select(accepted, t1, t))
    return spin, speed


@part
def count(live, accepted, short, failed, end, X, at):
    """Count steps, and end lanes that are lost: steps too short, or too many."""
    max_steps, zero = doubles(at[REAL])[MAX_STEPS], 0.0 * ld(X, H)
    st(X, STEPS, ld(X, STEPS) + select(accepted, 1.0, zero))
    st(X, REJECTED, ld(X, REJECTED) + select(live & lnot(accepted), 1.0, zero))
    floored = ld(X, FLOORED) + select(short, 1.0, zero)
    st(X, FLOORED, floored)
    lost = live & ((floored > 200.0) | failed) & (ld(X, STATUS) < 0.5)  # a scheme may have said why
    trials = ld(X, STEPS) + ld(X, REJECTED)
    late = live & (trials > max_steps)
    st(X, STATUS, select(lost, 1.0, select(late, 2.0, ld(X, STATUS))))
    due = live & (trials >= ld(X, NEXT_CHECK))
    if any_lane(due):
        look(end, due & lnot(lost | late), max_steps, trials, X)


@part
def after(t, h, nominal, live, accepted, exact, next_h, next_wait, X, P, W, at):
    """What events at the step's end do: modes turn, states jump, and the next step begins afresh.

    Returns
    -------
    quiet : mask
        Lanes whose step is kept, without an event.
    next_h : lane value
    """
    none = live & lnot(live)
    hit, onset, kink, when, ended = none, none, none, ld(X, T), none
    if at[NC] > 0:
        hit, onset, kink, when, ended = switch(t, h, accepted, exact, X, P, W, at)
    if at[SWITCH] > 0:
        st(X, WHO, select(accepted, 1.0, 0.0))
        call(at[SWITCH], X, P, W, at)
        hit = hit | (ld(X, WHO) > 0.5)
    st(X, STATUS, select(ended, ENDED, ld(X, STATUS)))
    next_h = select(onset, maximum(0.1 * nominal, doubles(at[REAL])[H_MIN]), next_h)
    st(X, BEFORE, select(hit, 1.0, ld(X, BEFORE)))
    st(X, EVENTS, ld(X, EVENTS) + select(hit | kink, 1.0, 0.0 * h))
    if at[KINKS] > 0:
        arm(lnot(next_wait > 0.0), X, at)
    anew = at[JUMPS] > 0 or at[RESTART] > 0 or at[SWITCH] > 0
    if anew and any_lane(hit):
        if at[RESTART] > 0:  # velocities drift at index 3
            evaluate(at[PROJECT], X, P, W, at, START, 0)
            for i in range(at[N]):
                v = START + 1 + at[N] + i
                st(X, v, ld(X, v) + select(hit, ld(W, at[N] + i), 0.0))
        refresh(hit, X, P, W, at)
        if at[ASSIGNED] > 0:
            rearm_events(hit, ld(X, T), X, at)
    if at[NR] > 0 and (anew or at[STEPPED] > 0):
        turned = hit
        if at[STEPPED] > 0:
            turned = hit | kink
        if any_lane(turned):
            turn(turned, select(kink, when, ld(X, T)), X, P, W, at)
    return accepted & lnot(hit), next_h


@inner
def move(accepted, X, at):
    """The step's end becomes the start of the next one; the largest velocities, places and states so far. Returns its fastest rates."""
    n, start, end, angular = at[N], START + 1, at[END] + 1, words(at[ANGULAR])
    size = ld(X, LARGEST_DISTANCE)
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
    st(X, LARGEST_DISTANCE, size)
    st(X, VELOCITY_SCALE, maximum(ld(X, VELOCITY_SCALE), lin))
    st(X, ANGULAR_SCALE, maximum(ld(X, ANGULAR_SCALE), ang))
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
    hopeless = who & ((end - t) * CHECK_INTERVAL > HOPELESS * max_steps * (t - ld(X, LAST_CHECK_TIME)))
    st(X, STATUS, select(hopeless, STUCK, ld(X, STATUS)))
    on = who & lnot(hopeless)
    st(X, LAST_CHECK_TIME, select(on, t, ld(X, LAST_CHECK_TIME)))
    st(X, NEXT_CHECK, select(on, trials + CHECK_INTERVAL, ld(X, NEXT_CHECK)))
