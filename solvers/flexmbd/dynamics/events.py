"""Onset, end and impacts of contacts within the flow: where they are, and what they do to a state and to its derivatives.

At an event the state passes a surface ``g(y, t) = 0`` and becomes ``R(y, t)``. A neighbour passes it ``dtau = -g_y dy / g'`` later, so that
its distance becomes ``R_y (dy + f- dtau) + R_t dtau - f+ dtau``: the saltation matrix (Leine and Nijmeijer, Dynamics and Bifurcations of
Non-Smooth Mechanical Systems, Springer 2004, section 7.2; Müller, Chaos Solitons Fractals 5 (1995) 1671-1681).
"""

from flexmbd.dynamics.flow import attempt, call, close, field, value
from flexmbd.dynamics.impact import impact, look
from flexmbd.dynamics.names import (
    AFTER, APART, BEFORE, CHANGES, COLUMNS, DONE, END, ENTRIES, EVENTS, GAP_P, GAP_Q, GAPS, GRAZES, LEAVES, LIMIT, MODE, NC, NU, OTHER, OUT,
    RATE_P, RATE_Q, RATE_T, RATE_V, RATES_AT, REALS, SECTION, SEGMENTS, SHIFTS, SINGULAR, SLOW, SLOWEST, SPEEDS, STATE, TOLD, N,
)  # fmt: skip
from flexmbd.lanes import sqrt
from flexmbd.lanes.rows import doubles, ld, st, words
from flexmbd.lanes.vector import inner


@inner
def sign_of(j, X, at):
    """1 of a contact whose event is its onset, -1 of one whose event is its end."""
    sign = 1.0
    if j < at[NC] and ld(X, at[MODE] + min(j, at[NC])) > 0.5:
        sign = -1.0
    return sign


@inner
def leaving(j, at):
    """Whether contact j is that of the section, and the motion began within it."""
    return j == at[SECTION] and doubles(at[TOLD])[LEAVES] > 0.5


@inner
def peak(h, d0, s0, d1, s1):
    """Where within a step a value may rise above zero and fall again, as a share of it, by the cubic through both ends; else negative.

    The cubic may be off in the middle, where less than zero is enough; near the ends it is not.
    """
    if s0 > 0.0 and s1 < 0.0:
        a, b, c = h * s0, 3.0 * (d1 - d0) - h * (2.0 * s0 + s1), h * (s0 + s1) - 2.0 * (d1 - d0)
        below, x = sqrt(max(b * b - 3.0 * a * c, 0.0)) - b, 0.5
        if below > 0.0:
            x = a / below
        margin = 0.02 * max(-d0, -d1) if 0.02 < x < 0.98 else 0.0
        if 1e-9 < x < 1.0 - 1e-9 and d0 + x * (a + x * (b + x * c)) > -margin:
            return x
    return -1.0


@inner
def crossing(h, X, at):
    """Contact whose event lies before the end of a step, else -1; where a contact may begin and end within it, a shorter step.

    A penetration that grows at the start and falls at the end may have been above zero (`peak`). What begins within the contact of its
    section, and leaves it, has no event before it has left.
    """
    before, after, shorter = doubles(at[BEFORE]), doubles(at[AFTER]), h
    for j in range(at[NC] + at[NU]):
        if j == at[APART]:
            continue
        sign = sign_of(j, X, at)
        d0, s0, d1, s1 = sign * before[2 * j], sign * before[2 * j + 1], sign * after[2 * j], sign * after[2 * j + 1]
        if d1 > 0.0 and leaving(j, at):
            if s1 > 0.0:
                shorter = min(shorter, 0.5 * h)
        elif d1 > 0.0:
            return j, h
        else:
            share = peak(h, d0, s0, d1, s1)
            if share > 0.0:
                shorter = min(shorter, share * h)
    return -1, shorter


@inner
def locate(j, t, h, X, P, W, at):
    """Length of the step that ends at an event of contact j, which lies before h; negative where a trial fails.

    Newton's iteration within the interval in which the event lies, each trial a step from the same start.
    """
    after, sign, low, high, x = doubles(at[AFTER]), sign_of(j, X, at), 0.0, h, h
    least = 4e-16 * (t + h)
    for _ in range(80):
        d, s = sign * after[2 * j], sign * after[2 * j + 1]
        if d > 0.0:
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
        look(t + x, at[END], at[AFTER], X, P, W, at)
    return x


@inner
def product(segment, row, of, first, c, X, at):
    """A row of a segment's derivatives times a column of what is at an address."""
    segments, entries, d, total = words(at[SEGMENTS]), words(at[ENTRIES]), doubles(of), 0.0
    for e in range(segments[segment], segments[segment + 1]):
        if entries[2 * e] == row:
            total = total + ld(X, at[OUT] + e) * d[(first + entries[2 * e + 1]) * at[COLUMNS] + c]
    return total


@inner
def happen(j, t, X, P, W, at):
    """What the event of contact j does at time t: what is wrong (0: nothing), and the approach speed, negative of an end."""
    n, wide, y, f, g = at[N], at[COLUMNS], doubles(at[STATE]), doubles(at[RATES_AT]), doubles(at[OTHER])
    z, shifts, wrong = doubles(at[SPEEDS]), doubles(at[SHIFTS]), DONE
    if not field(t, at[STATE], 1, at[RATES_AT], X, P, W, at):
        return SINGULAR, 0.0
    rate = value(GAPS, 2 * j + 1, X, at)
    call(EVENTS, X, P, W, at)
    shifts[0] = 0.0
    for c in range(1, wide):
        shift = -(product(GAP_Q, j, at[STATE], 0, c, X, at) + product(GAP_P, j, at[CHANGES], 0, c, X, at)) / rate
        shifts[c] = shift
        for i in range(2 * n):
            y[i * wide + c] = y[i * wide + c] + f[i * wide] * shift
    if j >= at[NC]:
        wrong = impact(j - at[NC], t, X, P, W, at)
    elif ld(X, at[MODE] + j) > 0.5:
        st(X, at[MODE] + j, 0.0)
    else:
        st(X, at[MODE] + j, 1.0)
        least = value(SLOWEST, j, X, at)
        z[j * wide] = max(rate, least)
        for c in range(1, wide):
            own = product(RATE_Q, j, at[STATE], 0, c, X, at) + product(RATE_V, j, at[STATE], n, c, X, at)
            own = own + product(RATE_P, j, at[CHANGES], 0, c, X, at) + product(RATE_T, j, at[SHIFTS], 0, c, X, at)
            z[j * wide + c] = own if rate > least else 0.0
    if wrong != DONE and wrong != LIMIT:
        return wrong, rate
    if not field(t, at[STATE], 1, at[OTHER], X, P, W, at):
        return SINGULAR, rate
    for c in range(1, wide):
        for i in range(2 * n):
            y[i * wide + c] = y[i * wide + c] - g[i * wide] * shifts[c]
    if j >= at[NC] and wide > 1 and rate <= doubles(at[REALS])[SLOW]:
        wrong = GRAZES
    return wrong, rate
