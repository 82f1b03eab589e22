"""Running sums of signals within a window of time: between two times, or over the last whole turn of a shaft.

Steps are those of the motion, which knows nothing of windows: of a step that a window begins or ends in, the part inside counts, by the
parabola through the signal at the step's start, middle and end.  Turns are counted from where the angle stands at the start; while one goes
on its sums are kept apart, and take the place of those of the turn before when it is whole.  Both functions are called where windows are
asked for only, and compiled then.
"""

import numpy as np

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import doubles, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.recording import keep
from flexmbd.stepping.names import (
    FRACTION, INTEGRAL, LEAST, MIDWAY, MOST, NW, SQUARES, SUM_ROWS, WHO, WINDOW_ENDS, WINDOW_ROWS, WINDOW_SIGNALS, WINDOWS, Y0, Y1, YM, H,
    T,
)  # fmt: skip

BEGIN, ENDS, GOING, BEGAN, ANCHOR, TURNS = SUM_ROWS, SUM_ROWS + 1, SUM_ROWS + 2, 2 * SUM_ROWS + 2, 2 * SUM_ROWS + 3, 2 * SUM_ROWS + 4
TURN, WHOLE = 6.283185307179586, 1.0 - 1e-6  # rad; the share of a turn that is one: angles are integrated
AT_ONCE = 4  # turns that a step can end; what is beyond them the next one does


@inner
def clear(r, who, X):
    """Sums of nothing yet."""
    for i in range(SUM_ROWS):
        st(X, r + i, select(who, 0.0, ld(X, r + i)))
    st(X, r + MOST, select(who, -np.inf, ld(X, r + MOST)))
    st(X, r + LEAST, select(who, np.inf, ld(X, r + LEAST)))


@inner
def see(r, y, when, who, X):
    """A value at a time, for the extremes."""
    high, low = who & (y > ld(X, r + MOST)), who & (y < ld(X, r + LEAST))
    keep(r + MOST, high, y, when, X)
    keep(r + LEAST, low, y, when, X)


@inner
def add(r, y0, ym, y1, a, b, who, X, at):
    """Add the part of the step between two fractions of it to the sums from row r on."""
    t, h = ld(X, T), ld(X, H)
    c1, c2 = 4.0 * ym - 3.0 * y0 - y1, 2.0 * (y0 + y1) - 4.0 * ym
    ya, yb, mid = y0 + a * (c1 + a * c2), y0 + b * (c1 + b * c2), 0.5 * (a + b)
    yc = y0 + mid * (c1 + mid * c2)
    x = -0.5 * c1 / select(fabs(c2) > 1e-300, c2, 1e-300 + 0.0 * h)
    bent = (fabs(c2) > 1e-300) & (x > a) & (x < b)
    if at[MIDWAY] > 0:  # no parabola leads through a jump
        bent = bent & lnot(bent)
        ya, yb, yc = ym, ym, ym
    ya, yb = select(a > 0.0, ya, y0), select(b < 1.0, yb, y1)
    see(r, ya, t + a * h, who, X)
    see(r, y0 + 0.5 * c1 * x, t + x * h, who & bent, X)
    see(r, yb, t + b * h, who, X)
    if at[MIDWAY] > 0:
        ya, yb = ym, ym
    w = select(who, (b - a) * h * (1.0 / 6.0), 0.0 * h)
    st(X, r + INTEGRAL, ld(X, r + INTEGRAL) + w * (ya + 4.0 * yc + yb))
    st(X, r + SQUARES, ld(X, r + SQUARES) + w * (ya * ya + 4.0 * yc * yc + yb * yb))


@inner
def turned_at(side, target, a0, am, a1, at):
    """Fraction of the step at which an angle, turning to one side, comes to a value."""
    g0, c1, c2 = side * (a0 - target), side * (4.0 * am - 3.0 * a0 - a1), side * (2.0 * (a0 + a1) - 4.0 * am)
    if at[MIDWAY] > 0:
        c1, c2 = side * (a1 - a0), 0.0 * a0
    below = c1 + sqrt(maximum(c1 * c1 - 4.0 * c2 * g0, 0.0 * a0))
    return maximum(minimum(-2.0 * g0 / select(below > 1e-300, below, 1e-300 + 0.0 * a0), 1.0), 0.0)


@inner
def turning(r, angle, y0, ym, y1, who, X, at):
    """Add the step to the sums of the turn that goes on; those of a turn that it ends are kept as the last whole one."""
    t, h, a = ld(X, T), ld(X, H), 0.0 * ld(X, H)
    a0, am, a1, anchor = ld(X, at[Y0] + angle), ld(X, at[YM] + angle), ld(X, at[Y1] + angle), ld(X, r + ANCHOR)
    side = select(a1 > anchor, 1.0 + a, -1.0 + a)
    for _ in range(AT_ONCE):
        turns = ld(X, r + TURNS)
        ends = who & (fabs(a1 - anchor) >= (turns + WHOLE) * TURN)
        b = select(ends, maximum(turned_at(side, anchor + side * TURN * (turns + 1.0), a0, am, a1, at), a), 1.0 + 0.0 * a)
        add(r + GOING, y0, ym, y1, a, b, who & (b > a), X, at)
        if not any_lane(ends):
            break
        for i in range(SUM_ROWS):
            st(X, r + i, select(ends, ld(X, r + GOING + i), ld(X, r + i)))
        now = t + b * h
        st(X, r + BEGIN, select(ends, ld(X, r + BEGAN), ld(X, r + BEGIN)))
        st(X, r + ENDS, select(ends, now, ld(X, r + ENDS)))
        st(X, r + BEGAN, select(ends, now, ld(X, r + BEGAN)))
        st(X, r + TURNS, select(ends, turns + 1.0, turns))
        clear(r + GOING, ends, X)
        a = b


def windowed(X, P, W, at):
    """Add the step just accepted, in lanes whose `WHO` is 1, to the sums of all windows."""
    signals = words(at[WINDOW_SIGNALS])
    who, t, h = ld(X, WHO) > 0.5, ld(X, T), ld(X, H)
    for w in range(at[NW]):
        r, k, angle = at[WINDOWS] + WINDOW_ROWS * w, signals[2 * w], signals[2 * w + 1]
        y0, ym, y1 = ld(X, at[Y0] + k), ld(X, at[YM] + k), ld(X, at[Y1] + k)
        if angle >= 0:
            turning(r, angle, y0, ym, y1, who, X, at)
        else:
            a = maximum(minimum((ld(X, r + BEGIN) - t) / h, 1.0), 0.0)
            b = maximum(minimum((ld(X, r + ENDS) - t) / h, 1.0), 0.0)
            add(r, y0, ym, y1, a, b, who & (b > a), X, at)


def met(X, P, W, at):
    """Signals just after an event, at the time in `FRACTION` of lanes whose `WHO` is 1: extremes of windows that it lies in."""
    signals = words(at[WINDOW_SIGNALS])
    who, when = ld(X, WHO) > 0.5, ld(X, FRACTION)
    for w in range(at[NW]):
        r, y = at[WINDOWS] + WINDOW_ROWS * w, ld(X, at[Y1] + signals[2 * w])
        if signals[2 * w + 1] >= 0:
            see(r + GOING, y, when, who, X)
        else:
            see(r, y, when, who & (when >= ld(X, r + BEGIN)) & (when <= ld(X, r + ENDS)), X)


@inner
def opened(t, X, at):
    """Windows of motions that begin at time t, where signals are those of `Y0`."""
    signals, ends = words(at[WINDOW_SIGNALS]), doubles(at[WINDOW_ENDS])
    zero = 0.0 * ld(X, T)
    who = zero <= 0.0
    for w in range(at[NW]):
        r, angle = at[WINDOWS] + WINDOW_ROWS * w, signals[2 * w + 1]
        for i in range(WINDOW_ROWS):
            st(X, r + i, zero)
        clear(r, who, X)
        clear(r + GOING, who, X)
        st(X, r + BEGIN, t + ends[2 * w])
        st(X, r + ENDS, t + ends[2 * w + 1])
        if angle >= 0:
            st(X, r + ANCHOR, ld(X, at[Y0] + angle))
