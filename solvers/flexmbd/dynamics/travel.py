"""A state carried from one section to the next, with its derivatives: steps of controlled length that end at events of contacts."""

from flexmbd.dynamics.events import crossing, happen, leaving, locate, sign_of
from flexmbd.dynamics.flow import attempt, call, close, estimate, field, gather, turn, value
from flexmbd.dynamics.impact import keep, look
from flexmbd.dynamics.nearest import near, nearer
from flexmbd.dynamics.passing import arrive, depart, gone, leave, own, passage, thrown, touched
from flexmbd.dynamics.names import (
    AFTER, APART, APPROACH, ARRIVED, BEFORE, BEGUN, CHATTERS, COLUMNS, CROSSED, DONE, END, EVENTS, GRAZES, INSIDE, KEPT, LARGEST_STEP,
    LIMIT, LOST, MANY, MODE, MOST, NC, NOWHERE, NU, OPEN, OTHER, OWN, RATES_AT, REALS, REMEMBERED, REMEMBERS, SECTION, SINGULAR, SIZE,
    SLOW, SLOWEST, SMALL, SPAN, SPEEDS, START, STATE, STEPS, STRUCK, TIME, TOLD, UNTIL, WRONG, N,
)  # fmt: skip
from flexmbd.lanes import sqrt
from flexmbd.lanes.rows import doubles, st, words
from flexmbd.lanes.vector import inner


def travel(X, P, W, at):
    """Carry the state whose independent part is at `END`, with a guess at `STATE`, to its section, or to the time `UNTIL`; see `TOLD`."""
    told = doubles(at[TOLD])
    told[WRONG] = DONE
    wrong = begin(X, P, W, at)
    if wrong == DONE:
        wrong = carry(X, P, W, at)
    if wrong != DONE:
        told[WRONG] = wrong


def rates(X, P, W, at):
    """Rates of the state at `STATE`, at `OTHER`, at the time `UNTIL`."""
    field(doubles(at[REALS])[UNTIL], at[STATE], 1, at[OTHER], X, P, W, at)


@inner
def begin(X, P, W, at):
    """Assemble the state, and close contacts that penetrate."""
    before, reals, remembered, told = doubles(at[BEFORE]), doubles(at[REALS]), words(at[REMEMBERED]), doubles(at[TOLD])
    t = reals[START]
    told[TIME] = t
    if not gather(t, X, P, W, at):
        return OPEN
    turn(t, X, P, W, at)
    look(t, at[STATE], at[BEFORE], X, P, W, at)
    leave(at)
    for j in range(at[NC] + at[NU]):
        if before[2 * j] > 0.0 and j != at[APART]:
            if j >= at[NC]:
                if before[2 * j] > 1e-9 * reals[SIZE] and not leaving(j, at):
                    return INSIDE
            elif not (j == at[SECTION] and told[OWN] > 0.5):
                if remembered[j] > 0 and at[KEPT] == 0:
                    return REMEMBERS
                st(X, at[MODE] + j, 1.0)
                remember(j, X, P, W, at)
    if not field(t, at[STATE], at[COLUMNS], at[RATES_AT], X, P, W, at):
        return SINGULAR
    keep(at[BEFORE], X, at)
    begun, rate = doubles(at[BEGUN]), doubles(at[RATES_AT])
    for i in range(2 * at[N]):
        begun[i] = rate[i * at[COLUMNS]]
    depart(t, X, P, W, at)
    if at[APART] >= 0:
        nearer(t, at[STATE], before[2 * at[APART]], X, P, W, at)
    if at[SECTION] >= 0 and told[OWN] > 0.5 and before[2 * max(0, at[SECTION])] > 0.0:
        return touch(t, X, P, W, at)
    return DONE


@inner
def touch(t, X, P, W, at):
    """Close the contact of the section, which has touched just before the start."""
    told, u = doubles(at[TOLD]), max(0, at[SECTION])
    x = touched(t, X, P, W, at)
    if x > 0.0:
        return REMEMBERS
    accept(at)
    told[OWN], told[TIME] = 0.0, t + x
    wrong, _ = happen(u, t + x, X, P, W, at)
    if wrong == DONE and not field(t + x, at[STATE], at[COLUMNS], at[RATES_AT], X, P, W, at):
        wrong = SINGULAR
    keep(at[BEFORE], X, at)
    return wrong


@inner
def remember(j, X, P, W, at):
    """Let the approach speed of a contact that is closed at the start be the least one or more."""
    z, wide = doubles(at[SPEEDS]), at[COLUMNS]
    call(EVENTS, X, P, W, at)
    least = value(SLOWEST, j, X, at)
    if not z[j * wide] > least:
        z[j * wide] = least
        for c in range(1, wide):
            z[j * wide + c] = 0.0


@inner
def carry(X, P, W, at):
    """Steps to the section, or to the end."""
    reals, told = doubles(at[REALS]), doubles(at[TOLD])
    span, until, t = reals[SPAN], reals[UNTIL], told[TIME]
    h = min(1e-3 * span, reals[LARGEST_STEP])
    while t < until:
        if told[STEPS] >= at[MOST]:
            return MANY
        told[STEPS] = told[STEPS] + 1.0
        h = min(h, reals[LARGEST_STEP])
        last = t + 1.0000001 * h >= until
        if last:
            h = until - t
        elif h < 1e-15 * span:
            return too_small(at)
        error = estimate(h, at) if attempt(t, h, at[COLUMNS], X, P, W, at) else 1e10
        if not error <= 1.0:
            h = h * max(0.2, 0.9 / root(error))
            if h < 1e-15 * span:
                return too_small(at)
            continue
        grown = h * min(6.0, 0.9 / root(max(error, 1e-12)))
        if not close(t + h, at[END], at[COLUMNS], X, P, W, at):
            return SINGULAR
        j, shorter = ahead(t, h, X, P, W, at)
        if shorter < h:
            h = shorter
            continue
        if j >= 0:
            grown = 0.1 * h
            j, h = first_event(j, t, h, X, P, W, at)
            if j < 0:
                return SINGULAR
        if at[SECTION] == CROSSED:
            x, shorter, fine = passage(t, h, X, P, W, at)
            if not fine:
                return SINGULAR
            if x >= 0.0:
                return come(t, x, X, P, W, at)
            if shorter < h:
                h = shorter
                continue
        if not near(t, h, X, P, W, at):
            return SINGULAR
        accept(at)
        t = until if last and j < 0 else t + h
        turn(t, X, P, W, at)
        if j >= 0:
            wrong, there = meet(j, t, X, P, W, at)
            if wrong != DONE or there:
                return wrong
        if not field(t, at[STATE], at[COLUMNS], at[RATES_AT], X, P, W, at):
            return SINGULAR
        keep(at[BEFORE], X, at)
        h = grown
        gone(at)
        if told[WRONG] == DONE:
            told[TIME] = t
    return DONE if at[SECTION] == NOWHERE else LOST


@inner
def ahead(t, h, X, P, W, at):
    """Contact whose event lies within a step, else -1, and a shorter step where one may."""
    if at[NC] + at[NU] == 0:
        return -1, h
    look(t + h, at[END], at[AFTER], X, P, W, at)
    return crossing(h, X, at)


@inner
def meet(j, t, X, P, W, at):
    """The event of contact j: what is wrong, and whether the motion is on its section by it."""
    told, onset = doubles(at[TOLD]), sign_of(j, X, at) > 0.0
    wrong, there = strike(j, t, X, P, W, at), False
    if wrong == DONE and j == at[SECTION] and onset:
        if j < at[NC] and own(t, at):
            told[STRUCK] = told[STRUCK] - 1.0
        else:
            there = True
    elif wrong == DONE and at[SECTION] == CROSSED:
        there = thrown(t, X, P, W, at)
    if there:
        told[ARRIVED] = t
    return wrong, there


@inner
def come(t, x, X, P, W, at):
    """Let the state at `END`, which is on the section, be the state."""
    if not near(t, x, X, P, W, at):
        return SINGULAR
    accept(at)
    return arrive(t + x, X, P, W, at)


@inner
def too_small(at):
    """What is wrong where steps become too small: many impacts leave no time between them."""
    return CHATTERS if doubles(at[TOLD])[STRUCK] > 10.0 else SMALL


@inner
def root(x):
    """Root of order 8."""
    return sqrt(sqrt(sqrt(x)))


@inner
def accept(at):
    """The end of the step is the state."""
    y, end = doubles(at[STATE]), doubles(at[END])
    for k in range(2 * at[N] * at[COLUMNS]):
        y[k] = end[k]


@inner
def strike(j, t, X, P, W, at):
    """The event of contact j, what of it is told, and what is wrong; grazing is told only."""
    told, y = doubles(at[TOLD]), doubles(at[STATE])
    wrong, approach = happen(j, t, X, P, W, at)
    if told[WRONG] == DONE:
        told[TIME] = t
    if approach > 0.0:
        told[STRUCK] = told[STRUCK] + 1.0
        told[APPROACH] = min(told[APPROACH], approach)
    slow = j == at[SECTION] and j < at[NC] and 0.0 < approach <= doubles(at[REALS])[SLOW]
    if wrong == GRAZES or wrong == LIMIT or slow:
        told[WRONG] = LIMIT if wrong == LIMIT else GRAZES
        for i in range(2 * at[N]):
            for c in range(1, at[COLUMNS]):
                y[i * at[COLUMNS] + c] = 0.0
        return DONE
    if wrong == DONE and 10.0 * told[STRUCK] > at[MOST]:
        return CHATTERS
    return wrong


@inner
def first_event(j, t, h, X, P, W, at):
    """The first of the events before h, of which that of contact j is one, and the step that ends there; -1 where a trial fails."""
    contacts, after, near = at[NC] + at[NU], doubles(at[AFTER]), 1e-12 * doubles(at[REALS])[SIZE]
    for _ in range(2 * contacts):
        h = locate(j, t, h, X, P, W, at)
        if h < 0.0 or not attempt(t, h, at[COLUMNS], X, P, W, at):
            return -1, h
        if not close(t + h, at[END], at[COLUMNS], X, P, W, at):
            return -1, h
        look(t + h, at[END], at[AFTER], X, P, W, at)
        another = -1
        for k in range(contacts):
            if k != j and k != at[APART] and another < 0 and sign_of(k, X, at) * after[2 * k] > near:
                another = k
        if another < 0:
            break
        j = another
    return j, h
