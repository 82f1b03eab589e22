"""A state carried from one section to the next, with its derivatives: steps of controlled length that end at events of contacts."""

from flexmbd.dynamics.events import crossing, happen, keep, locate, look, sign_of
from flexmbd.dynamics.flow import assemble, attempt, call, close, estimate, field, turn, value
from flexmbd.dynamics.names import (
    AFTER, APPROACH, BEFORE, CHATTERS, COLUMNS, DONE, END, EVENTS, GRAZES, INSIDE, KEPT, LARGEST_STEP, MANY, MODE, MOST, NC, NU, OPEN,
    OTHER, RATES_AT, REALS, REMEMBERED, REMEMBERS, SINGULAR, SIZE, SLOWEST, SMALL, SPAN, SPEEDS, STATE, STEPS, STRUCK, TIME, TOLD, WRONG, N,
)  # fmt: skip
from flexmbd.lanes import sqrt
from flexmbd.lanes.rows import doubles, st, words
from flexmbd.lanes.vector import inner


def travel(X, P, W, at):
    """Carry the state at `STATE`, a guess whose independent part counts, over the time `SPAN`; what happened is told at `TOLD`."""
    told = doubles(at[TOLD])
    told[WRONG] = DONE
    wrong = begin(X, P, W, at)
    if wrong == DONE:
        wrong = carry(X, P, W, at)
    if wrong != DONE:
        told[WRONG] = wrong


def rates(X, P, W, at):
    """Rates of the state at `STATE`, at `OTHER`, at the time `SPAN`."""
    field(doubles(at[REALS])[SPAN], at[STATE], 1, at[OTHER], X, P, W, at)


@inner
def begin(X, P, W, at):
    """Assemble the state, and close contacts that penetrate."""
    before, reals, remembered = doubles(at[BEFORE]), doubles(at[REALS]), words(at[REMEMBERED])
    if not assemble(0.0, X, P, W, at):
        return OPEN
    turn(0.0, X, P, W, at)
    look(0.0, at[STATE], at[BEFORE], X, P, W, at)
    for j in range(at[NC] + at[NU]):
        if before[2 * j] > 0.0:
            if j >= at[NC]:
                if before[2 * j] > 1e-9 * reals[SIZE]:
                    return INSIDE
            else:
                if remembered[j] > 0 and at[KEPT] == 0:
                    return REMEMBERS
                st(X, at[MODE] + j, 1.0)
                remember(j, X, P, W, at)
    if not field(0.0, at[STATE], at[COLUMNS], at[RATES_AT], X, P, W, at):
        return SINGULAR
    keep(at[BEFORE], X, at)
    return DONE


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
    """Steps to the end."""
    reals, told, contacts = doubles(at[REALS]), doubles(at[TOLD]), at[NC] + at[NU]
    span = reals[SPAN]
    t, h = 0.0, min(1e-3 * span, reals[LARGEST_STEP])
    while t < span:
        if told[STEPS] >= at[MOST]:
            return MANY
        told[STEPS] = told[STEPS] + 1.0
        h = min(h, reals[LARGEST_STEP])
        last = t + 1.0000001 * h >= span
        if last:
            h = span - t
        elif h < 1e-15 * span:
            return too_small(at)
        error = 1e10
        if attempt(t, h, at[COLUMNS], X, P, W, at):
            error = estimate(h, at)
        if not error <= 1.0:
            h = h * max(0.2, 0.9 / root(error))
            if h < 1e-15 * span:
                return too_small(at)
            continue
        grown = h * min(6.0, 0.9 / root(max(error, 1e-12)))
        if not close(t + h, at[END], at[COLUMNS], X, P, W, at):
            return SINGULAR
        j = -1
        if contacts > 0:
            look(t + h, at[END], at[AFTER], X, P, W, at)
            j, shorter = crossing(h, X, at)
            if j < 0 and shorter < h:
                h = shorter
                continue
        if j >= 0:
            grown = 0.1 * h
            j, h = first_event(j, t, h, X, P, W, at)
            if j < 0:
                return SINGULAR
        accept(at)
        t = span if last and j < 0 else t + h
        turn(t, X, P, W, at)
        if j >= 0:
            wrong = strike(j, t, X, P, W, at)
            if wrong != DONE:
                return wrong
        if not field(t, at[STATE], at[COLUMNS], at[RATES_AT], X, P, W, at):
            return SINGULAR
        keep(at[BEFORE], X, at)
        h = grown
        if told[WRONG] == DONE:
            told[TIME] = t
    return DONE


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
    if wrong == GRAZES:
        told[WRONG] = GRAZES
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
            if k != j and another < 0 and sign_of(k, X, at) * after[2 * k] > near:
                another = k
        if another < 0:
            break
        j = another
    return j, h
