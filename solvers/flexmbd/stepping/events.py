"""Events of contacts: onset and end, where penetration passes zero.

An event of a force that jumps, and of a state that starts anew, lies at a step's end: the step is cut there (`cut_at`).  Where force and
states are continuous it is a kink (`KINK`): a scheme of order 2 keeps its order over a step that has a kink inside, and the step's error
estimate sees it.  So such a contact is armed: its force acts wherever it penetrates, and the event is located in hindsight (`switch`).
Only where the estimate exceeds the tolerance, or a contact begins and ends within the step, is the step cut at the kink too.

Each contact has a penetration within which its events are located (`running.scales`); it is never finer than what the places of the bodies
are known to.
"""

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select
from flexmbd.lanes.rows import evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import ARMED, CONTACT_ROWS, DEPTH, DEPTH_RATE, IMPACTS, LEAST_SPEED, MODE, ONSET_SPEED
from flexmbd.stepping.names import (
    ASSIGN, ASSIGNED, ASSIGNS, CONTACTS, ENDED, EVENTS, GAPS, KINK, LAST, NC, RATES, LARGEST_DISTANCE, TIME_MARGIN, SLOTS, START,
    STATE_CONTACT, STATUS, STOPS, STRIDE, TIMED, M, N, T,
)  # fmt: skip
from flexmbd.stepping.within import highest, meet, reaches, wiggles


@inner
def nearness(j, t, h, rate, X, at):
    """Penetration within which an event of contact j is located: its own, unless places or times are not known to that.

    Places are sums of some numbers that are rounded, so that they are known to some units in the last place (8). A step to an event just
    before the end is as much longer (`TIME_MARGIN`) as it takes to end there.
    """
    own = ld(X, at[CONTACTS] + CONTACT_ROWS * at[NC] + j)
    return maximum(maximum(own, 1.8e-15 * ld(X, LARGEST_DISTANCE)), fabs(rate) * (4e-16 * (t + h) + ld(X, TIME_MARGIN)))


@inner
def crossing(h, d0, s0, d1, s1):
    """Fraction of the step at which the cubic through both ends rises through zero (d0 < 0 < d1), and its slope there.

    Newton's iteration between places below and above zero; from the end where D falls at first, as just behind the end of a contact.
    """
    a = h * s0
    b = 3.0 * (d1 - d0) - h * (2.0 * s0 + s1)
    c = h * (s0 + s1) - 2.0 * (d1 - d0)
    span = d1 - d0
    low, high = 0.0 * d0, 1.0 + 0.0 * d0
    x = select(s0 > 0.0, -d0 / select(span > 1e-300, span, 1e-300), 1.0 - d1 / select(h * s1 > d1, h * s1, 2.0 * d1 + 1e-300))
    for _ in range(5):
        x = maximum(minimum(x, 0.999), 0.001)
        value, slope = d0 + x * (a + x * (b + x * c)), a + x * (2.0 * b + 3.0 * c * x)
        low, high = select(value < 0.0, x, low), select(value < 0.0, high, x)
        x = x - value / select(fabs(slope) > 1e-300, slope, 1e-300)
        x = select((x > low - 1e-6) & (x < high + 1e-6), x, 0.5 * (low + high))
    x = maximum(minimum(x, 0.999), 0.001)
    return x, (a + x * (2.0 * b + 3.0 * c * x)) / h


@inner
def cut_at(t, h, pending, exact, X, P, W, at):
    """Whether a contact begins or ends before the step's end, and the step that would end there.

    `D` is the penetration while free and its negative while in contact, so that an event is always D rising through zero.  Kinks, events
    of a force that is continuous, count in lanes in `exact`.  A step that was cut may fall short of its event; it is lengthened, unless
    another event lies at its end: this one's turn comes next, else two events at almost the same time would be located in turn for ever.
    Contacts that begin and end between both ends are found by `within`; what a clock does is no matter of where it lies.
    """
    never = h < 0.0
    over, short, met = never, never, never
    cut, longer = h, h
    gaps, kinks, timed = at[SLOTS] + at[LAST] * at[STRIDE] + at[GAPS], words(at[KINK]), words(at[TIMED])
    for j in range(at[NC]):
        if timed[j] > 0:
            continue
        c = at[CONTACTS] + CONTACT_ROWS * j
        sign = select(ld(X, c + MODE) < 0.5, 1.0, -1.0)
        d0, s0 = sign * ld(X, c + DEPTH), sign * ld(X, c + DEPTH_RATE)
        d1, s1 = sign * ld(X, gaps + 2 * j), sign * ld(X, gaps + 2 * j + 1)
        tolerance = nearness(j, t, h, s1, X, at)
        before = d0 <= tolerance
        crossed = before & (d1 > tolerance) & (d1 > d0)
        close = before & pending & (s1 > 0.0) & (fabs(d1) < 0.02 * h * s1)
        bump = before & reaches(h, d0, s0, d1, s1)
        if any_lane(bump):
            bump = bump & (meet(h, d0, s0, d1, s1) | wiggles(h, d0, s0, d1, s1)) & lnot(crossed)
        here = h - d1 / select(s1 > 1e-300, s1, 1e-300)
        under = close & (d1 < -tolerance)
        ends = fabs(d1) <= tolerance
        if kinks[j] > 0:  # a contact that is over within the step leaves no trace at its end: its onset is located in any case
            crossed, bump, under, ends = crossed & exact, bump & (exact | (sign > 0.0)), under & exact, ends & exact
        if any_lane(crossed & lnot(close)):
            through, _ = crossing(h, d0, s0, d1, s1)
            here = select(close, here, through * h)
        if any_lane(bump):
            bump, x0, e0, r0, x1, e1, r1 = highest(bump, 2 * j, sign, tolerance, d0, s0, d1, s1, X, P, W, at)
            through, _ = crossing((x1 - x0) * h, e0, r0, e1, r1)
            here = select(bump, (x0 + through * (x1 - x0)) * h, here)
        hit = crossed | bump
        cut = select(hit & (lnot(over) | (here < cut)), here, cut)
        over = over | hit
        longer = select(under & (lnot(short) | (here < longer)), here, longer)
        short = short | under
        met = met | (ends & pending & (s1 > 0.0))
    short = short & lnot(met) & lnot(over)
    return over | short, select(short, longer, cut)


@inner
def assign(j, who, X, W, at):
    """Give states what event j makes of them in the lanes `who`; the values are in W."""
    pairs, states = words(at[ASSIGNS]), START + 1 + 2 * at[N]
    for k in range(at[ASSIGNED]):
        if pairs[2 * k] == j:
            i = states + pairs[2 * k + 1]
            st(X, i, select(who, ld(W, k), ld(X, i)))


@inner
def rearm_events(hit, t, X, at):
    """Events that are over because of what they have done: their contacts may begin anew."""
    pairs = words(at[ASSIGNS])
    for k in range(at[ASSIGNED]):
        j = pairs[2 * k]
        c = at[CONTACTS] + CONTACT_ROWS * j
        over = hit & (ld(X, c + DEPTH) < -nearness(j, t, 0.0 * t, ld(X, c + DEPTH_RATE), X, at))
        st(X, c + MODE, select(over, 0.0, ld(X, c + MODE)))


@inner
def change(j, turned, speed, X, W, at):
    """Turn the mode of contact j in the lanes `turned`, whose rate of penetration is `speed`; those of them that begin."""
    c, of_state, states, rates = at[CONTACTS] + CONTACT_ROWS * j, words(at[STATE_CONTACT]), START + 1 + 2 * at[N], at[SLOTS] + at[RATES]
    mode = ld(X, c + MODE)
    free = mode < 0.5
    onset = turned & free
    st(X, c + MODE, select(turned, select(free, 1.0, 0.0 * mode), mode))
    st(X, c + ONSET_SPEED, select(onset, maximum(speed, ld(X, c + LEAST_SPEED)), ld(X, c + ONSET_SPEED)))
    st(X, c + IMPACTS, ld(X, c + IMPACTS) + select(onset, 1.0, 0.0 * mode))
    for k in range(at[M]):
        if of_state[k] == j:
            st(X, states + k, select(onset, 0.0, ld(X, states + k)))
            st(X, rates + k, select(onset, 0.0, ld(X, rates + k)))
    if at[ASSIGNED] > 0:
        assign(j, onset, X, W, at)
    return onset


@inner
def passed(who, X, P, W, at):
    """Turn contacts that lie beyond their event in lanes of `who`, where closing rows has moved them there; the lanes in which one does."""
    t, timed, stops, found = ld(X, T), words(at[TIMED]), words(at[STOPS]), who & lnot(who)
    if at[ASSIGNED] > 0:
        evaluate(at[ASSIGN], X, P, W, at, START, 0)
    for j in range(at[NC]):
        if timed[j] > 0:
            continue
        c = at[CONTACTS] + CONTACT_ROWS * j
        d, s = ld(X, c + DEPTH), ld(X, c + DEPTH_RATE)
        beyond = who & (select(ld(X, c + MODE) < 0.5, d, -d) > nearness(j, t, 0.0 * t, s, X, at))
        onset = change(j, beyond, s, X, W, at)
        if stops[j] > 0:
            st(X, STATUS, select(onset, ENDED, ld(X, STATUS)))
        found = found | beyond
    st(X, EVENTS, ld(X, EVENTS) + select(found, 1.0, 0.0 * t))
    return found


@inner
def switch(t, h, accepted, exact, X, P, W, at):
    """Commit penetrations and turn the mode of every contact whose event lies at the step's end, or whose kink lies in the step.

    Returns the lanes with an event at the end, those of them with an onset, those with a kink inside, the time of the first event, and the
    lanes that a condition ends.
    """
    none = h < 0.0
    hit_any, onset_any, kink_any, ended, when, stops = none, none, none, none, t + h, words(at[STOPS])
    gaps, kinks, timed = at[SLOTS] + at[LAST] * at[STRIDE] + at[GAPS], words(at[KINK]), words(at[TIMED])
    if at[ASSIGNED] > 0:
        evaluate(at[ASSIGN], X, P, W, at, START, 0)
    for j in range(at[NC]):
        if timed[j] > 0:
            continue
        c = at[CONTACTS] + CONTACT_ROWS * j
        free = ld(X, c + MODE) < 0.5
        sign = select(free, 1.0, -1.0)
        d1, s1 = ld(X, gaps + 2 * j), ld(X, gaps + 2 * j + 1)
        tolerance = nearness(j, t, h, s1, X, at)
        hit = accepted & (((fabs(d1) <= tolerance) & (sign * s1 > 0.0)) | (sign * d1 > tolerance))
        speed, turned = s1, hit
        if kinks[j] > 0:
            hit = hit & exact
            kink = accepted & lnot(exact) & (sign * d1 > 0.0)
            x, slope = crossing(h, sign * ld(X, c + DEPTH), sign * ld(X, c + DEPTH_RATE), sign * d1, sign * s1)
            speed, turned = select(kink, slope, s1), hit | kink
            when = minimum(when, select(kink, t + x * h, when))
            kink_any = kink_any | kink
        deepest = at[CONTACTS] + (CONTACT_ROWS + 1) * at[NC] + j
        st(X, deepest, select(accepted, maximum(ld(X, deepest), d1), ld(X, deepest)))
        st(X, c + DEPTH, select(accepted, d1, ld(X, c + DEPTH)))
        st(X, c + DEPTH_RATE, select(accepted, s1, ld(X, c + DEPTH_RATE)))
        onset = change(j, turned, speed, X, W, at)
        if stops[j] > 0:
            ended = ended | onset
        hit_any = hit_any | hit
        onset_any = onset_any | (hit & free)
    return hit_any, onset_any, kink_any, when, ended


@inner
def arm(free, X, at):
    """Let contacts of continuous force begin within the steps of lanes in `free`, and of no others."""
    kinks = words(at[KINK])
    for j in range(at[NC]):
        if kinks[j] > 0:
            c = at[CONTACTS] + CONTACT_ROWS * j
            mode = ld(X, c + MODE)
            st(X, c + MODE, select(mode > 0.5, mode, select(free, ARMED, 0.0 * mode)))
