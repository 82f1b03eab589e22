"""Passages of a section: where a motion comes through it, and how much later a neighbour does.

On a section ``h(q, v, t) = 0`` a neighbour arrives ``dtau = -h_y D / h'`` later than its motion, and so is ``D + f dtau`` away.  A motion
that begins on the section passes it there too, if it begins a little before it: that passage is its own, and does not count.
"""

from flexmbd.dynamics.events import peak, product
from flexmbd.dynamics.flow import attempt, call, close, field, value
from flexmbd.dynamics.impact import look
from flexmbd.dynamics.names import (
    AFTER, ARRIVED, AWAY, BEFORE, BEYOND, BEYOND_P, BEYOND_Q, BEYOND_V, CHANGES, COLUMNS, CROSSED, DONE, END, HERE, HERE_RATE, LEAVES, NC,
    LEVEL, LEVELS, OTHER, OWN, PASSING, REALS, SECTION, SHIFTS, SIDE, SINGULAR, SPAN, START, STATE, TOLD, TOLERANCE, TOUCHES, WAY, WRONG,
    A, N,
)  # fmt: skip
from flexmbd.lanes import sqrt
from flexmbd.lanes.rows import doubles, st
from flexmbd.lanes.vector import inner

NEAR = 1e-3  # of the time from section to section, within which a passage is that of the start
TOUCH = 10.0  # roots of the tolerance: a slower passage depends on the errors of the motion


@inner
def beyond(t, state, X, P, W, at):
    """How far beyond the section a state is, the rate, and whether its accelerations are unique; its rates, at `OTHER`."""
    other, n = doubles(at[OTHER]), at[N]
    fine = field(t, state, 1, at[OTHER], X, P, W, at)
    for i in range(n):
        st(X, at[A] + i, other[(n + i) * at[COLUMNS]])
    call(PASSING, X, P, W, at)
    side = doubles(at[TOLD])[SIDE]
    return (value(BEYOND, 0, X, at) - doubles(at[REALS])[LEVEL]) * side, value(BEYOND, 1, X, at) * side, fine


@inner
def depart(t, X, P, W, at):
    """How far beyond a section that is crossed a motion begins, and whether it begins on it.

    A section that is passed both ways is next passed from the side that the motion begins on, or, where that is the section, comes to.
    """
    told, near, way = doubles(at[TOLD]), NEAR * doubles(at[REALS])[SPAN], doubles(at[REALS])[WAY]
    if at[SECTION] == CROSSED:
        told[SIDE] = way if way != 0.0 else 1.0
        d, s, _ = beyond(t, at[STATE], X, P, W, at)
        if way == 0.0 and (s if abs(d) <= near * abs(s) else d) > 0.0:
            told[SIDE], d, s = -1.0, -d, -s
        told[HERE], told[HERE_RATE], told[AWAY] = d, s, abs(d)
        told[OWN] = 1.0 if s > 0.0 and abs(d) <= near * s else 0.0


@inner
def leave(at):
    """Whether a motion begins within a contact of its section that it leaves, or, where that has a law, at its onset."""
    told, before, near, u = doubles(at[TOLD]), doubles(at[BEFORE]), NEAR * doubles(at[REALS])[SPAN], at[SECTION]
    if u >= 0:
        d, s = before[2 * u], before[2 * u + 1]
        if u >= at[NC]:
            told[LEAVES] = 1.0 if d > 0.0 and s < 0.0 else 0.0
        elif s > 0.0 and abs(d) <= near * s:
            told[OWN] = 1.0


@inner
def touched(t, X, P, W, at):
    """Length of the step, negative, from a start that is within the section's contact to the onset; the state there is at `END`."""
    before, after, u, x = doubles(at[BEFORE]), doubles(at[AFTER]), max(0, at[SECTION]), 0.0
    d, s = before[2 * u], before[2 * u + 1]
    for _ in range(20):
        change = -d / s
        x = x + change
        if not attempt(t, x, at[COLUMNS], X, P, W, at):
            return 1.0
        if not close(t + x, at[END], at[COLUMNS], X, P, W, at):
            return 1.0
        look(t + x, at[END], at[AFTER], X, P, W, at)
        d, s = after[2 * u], after[2 * u + 1]
        if not abs(change) > 1e-15 * doubles(at[REALS])[SPAN]:
            break
    return x


@inner
def own(t, at):
    """Whether a passage at t is that of the start; there is one."""
    told, reals = doubles(at[TOLD]), doubles(at[REALS])
    its = told[OWN] > 0.5 and t - reals[START] <= 2.0 * NEAR * reals[SPAN]
    told[OWN] = 0.0
    return its


@inner
def passage(t, h, X, P, W, at):
    """Length of the step that ends on the section, else negative; that of one which looks nearer; whether all went well.

    What is at `END` is left as it was, or the state on the section.
    """
    told, x, shorter = doubles(at[TOLD]), -1.0, h
    d0, s0 = told[HERE], told[HERE_RATE]
    d1, s1, fine = beyond(t + h, at[END], X, P, W, at)
    if d0 < 0.0 and d1 >= 0.0:
        if own(t + min(h, -d0 / s0 if s0 > 0.0 else h), at):
            x = -1.0
        else:
            x = arrival(t, h, d1, s1, X, P, W, at)
            if x < 0.0 or not attempt(t, x, at[COLUMNS], X, P, W, at):
                fine = False
            elif not close(t + x, at[END], at[COLUMNS], X, P, W, at):
                fine = False
    elif d0 < 0.0:
        share = peak(h, d0, s0, d1, s1)
        if share > 0.0:
            shorter = share * h
    elif d0 > 0.0 and d1 > 0.0:
        share = peak(h, -d0, -s0, -d1, -s1)
        if share > 0.0:
            shorter = share * h
    if x < 0.0 and not shorter < h:
        told[HERE], told[HERE_RATE], told[AWAY] = d1, s1, max(told[AWAY], abs(d1))
    return x, shorter, fine


@inner
def arrival(t, h, d, s, X, P, W, at):
    """Length of the step, at most h, that ends on the section; d, s: how far beyond it is at h, and the rate; negative: a trial fails."""
    low, high, x, least = 0.0, h, h, 4e-16 * (abs(t) + h)
    for _ in range(80):
        if d >= 0.0:
            high = x
        else:
            low = x
        new = 0.5 * (low + high)
        if s > 0.0 or s < 0.0:
            guess = x - d / s
            if low < guess < high:
                new = guess
        if abs(new - x) <= least or high - low <= least:
            break
        x = new
        if not attempt(t, x, 1, X, P, W, at):
            return -1.0
        if not close(t + x, at[END], 1, X, P, W, at):
            return -1.0
        d, s, fine = beyond(t + x, at[END], X, P, W, at)
        if not fine:
            return -1.0
    return x


@inner
def arrive(t, X, P, W, at):
    """How much later neighbours of the state, which is on the section, arrive; what is wrong. Rates are at `OTHER`."""
    told, shifts, reals, levels = doubles(at[TOLD]), doubles(at[SHIFTS]), doubles(at[REALS]), doubles(at[LEVELS])
    _, rate, fine = beyond(t, at[STATE], X, P, W, at)
    if not fine:
        return SINGULAR
    told[ARRIVED], shifts[0] = t, 0.0
    for c in range(1, at[COLUMNS]):
        away = product(BEYOND_Q, 0, at[STATE], 0, c, X, at) + product(BEYOND_V, 0, at[STATE], at[N], c, X, at)
        shifts[c] = -(away + product(BEYOND_P, 0, at[CHANGES], 0, c, X, at) - levels[c]) * told[SIDE] / rate
    if told[WRONG] == DONE and not abs(rate) * (t - reals[START]) > TOUCH * sqrt(reals[TOLERANCE]) * told[AWAY]:
        told[WRONG] = TOUCHES
    return DONE


@inner
def thrown(t, X, P, W, at):
    """Whether an event has thrown the motion over the section; else how far beyond it is from here on."""
    told = doubles(at[TOLD])
    d, s, _ = beyond(t, at[STATE], X, P, W, at)
    over = told[HERE] < 0.0 and d >= 0.0
    told[HERE], told[HERE_RATE] = d, s
    return over


@inner
def gone(at):
    """Whether a motion that begins within the contact of its section has left it."""
    told, after, u = doubles(at[TOLD]), doubles(at[AFTER]), max(0, at[SECTION])
    if told[LEAVES] > 0.5 and not after[2 * u] > 0.0:
        told[LEAVES] = 0.0
