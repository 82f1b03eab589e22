"""Points of a motion on sections: at equal times, where a signal passes a level, and at impacts.

Steps are those of the motion, which knows nothing of sections.  Where a signal passes the level between the step's start, middle and end,
the root is found on the state within the step as histories are read (`recording`), and all signals are taken there.  A jump of the signal
over the level is a passage too, with the values after it.  Impacts of bodies that cannot be penetrated are counted by a signal of theirs:
the values before are those at the end of the step before it, or of the motion just before the impact where steps end at impacts.  Both
functions are called where sections are asked for only, and compiled then.
"""

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select
from flexmbd.lanes.rows import call, doubles, evaluate, get, ld, put, st, width_of, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import CONTACT_ROWS, IMPACTS, MODE, ONSET_SPEED
from flexmbd.stepping.names import (
    ASIDE, ATTEMPT, BETWEEN, CONTACTS, DENSE, DOWN, END, ERROR, EXACTLY, FIXED, FRACTION, FURTHER, GRID_ROWS, IMPACT, MIDDLE, MIDWAY, NC,
    NSECTIONS, OF_PARTS, OUTPUTS, OWNER, PART, REFINE, REGULAR, SECTION_POINTS, SECTION_ROOM, SECTION_ROWS, SECTION_SIGNALS, SECTION_TABLE,
    SECTIONS, SLOTS, STAGE, START, STEP_SHARE, UP, WHO, Y1, YM, H, M, N, T,
)  # fmt: skip
from flexmbd.stepping.recording import contacts, hermite

SIGNAL, FOUND, FROM, EVERY, INDEX, LEVEL, MARK, WHEN = range(SECTION_ROWS)  # rows of a section
# columns of the table of sections: how points come; the signal; how many points there is room for; where the first one goes, and how many
# numbers each is; where the list of their signals begins, and how many they are
COLUMNS = 7
KIND, OF, MOST, FIRST, WIDE, LIST, COUNT = range(COLUMNS)
TURNS, CLOSE, NARROW = 60, 1e-13, 1e-14  # of the search for a root: most of it, by how much of the signal's change, of the step
BESIDE = 1e-9  # of the step: the state there is that of its end


def sectioned(X, P, W, at):
    """Points within the part `PART` of the step just accepted, in lanes whose `WHO` is 1; in the rows `YM` are signals in its middle."""
    table, who = words(at[SECTION_TABLE]), ld(X, WHO) > 0.5
    for s in range(at[NSECTIONS]):  # the search for points needs the rows `YM`
        st(X, at[SECTIONS] + SECTION_ROWS * s + MARK, ld(X, at[YM] + table[COLUMNS * s + OF]))
    fresh = True
    for s in range(at[NSECTIONS]):
        kind = table[COLUMNS * s + KIND]
        if kind == REGULAR:
            fresh = regular(s, who, fresh, X, P, W, at)
        elif kind == IMPACT:
            struck(s, who, ld(X, T) + ld(X, H), X, at)
        else:
            fresh = passed(s, kind, who, fresh, X, P, W, at)


def jumped(X, P, W, at):
    """Points where signals jump, at the time in `FRACTION` of lanes whose `WHO` is 1; in the rows `Y1` are signals behind it."""
    table, who, when = words(at[SECTION_TABLE]), ld(X, WHO) > 0.5, ld(X, FRACTION)
    for s in range(at[NSECTIONS]):
        kind, r = table[COLUMNS * s + KIND], at[SECTIONS] + SECTION_ROWS * s
        if kind == IMPACT:
            struck(s, who, when, X, at)
        elif kind != REGULAR:
            y = ld(X, at[Y1] + table[COLUMNS * s + OF])
            hit = who & passes(kind, ld(X, r + SIGNAL) - ld(X, r + LEVEL), y - ld(X, r + LEVEL)) & (when >= ld(X, r + FROM))
            if any_lane(hit):
                note(s, hit, when, at[Y1], X, at)
            st(X, r + SIGNAL, select(who, y, ld(X, r + SIGNAL)))


@inner
def passes(kind, y0, y1):
    """Lanes in which a signal above a level passes it in the direction of a kind; what begins on the level does not."""
    up, down = (y0 < 0.0) & (y1 >= 0.0), (y0 > 0.0) & (y1 <= 0.0)
    if kind == UP:
        down = down & lnot(down)
    if kind == DOWN:
        up = up & lnot(up)
    return up | down


@inner
def note(s, who, when, row, X, at):
    """Write a point of lanes in `who`, whose signals are in the rows from `row` on."""
    table, which, points, owner = words(at[SECTION_TABLE]), words(at[SECTION_SIGNALS]), doubles(at[SECTION_POINTS]), words(at[OWNER])
    r, most = at[SECTIONS] + SECTION_ROWS * s, table[COLUMNS * s + MOST]
    wide, own, count = table[COLUMNS * s + WIDE], table[COLUMNS * s + LIST], table[COLUMNS * s + COUNT]
    st(X, r + MARK, select(who, 1.0, 0.0))
    st(X, r + WHEN, when)
    for lane in range(width_of(X)):
        if get(X, r + MARK, lane) > 0.5 and get(X, r + FOUND, lane) < most:
            to = table[COLUMNS * s + FIRST] + int((owner[lane] * most + get(X, r + FOUND, lane)) * wide)
            points[to] = get(X, r + WHEN, lane)
            for k in range(count):
                points[to + 1 + k] = get(X, row + which[own + k], lane)
    st(X, r + FOUND, ld(X, r + FOUND) + select(who, 1.0, 0.0 * when))


@inner
def struck(s, who, when, X, at):
    """A point of lanes in `who` whose count of impacts has risen, and what is before the next one; in the rows `Y1` are signals of now."""
    table, which, points, owner = words(at[SECTION_TABLE]), words(at[SECTION_SIGNALS]), doubles(at[SECTION_POINTS]), words(at[OWNER])
    r, most, k = at[SECTIONS] + SECTION_ROWS * s, table[COLUMNS * s + MOST], table[COLUMNS * s + OF]
    wide, own, count = table[COLUMNS * s + WIDE], table[COLUMNS * s + LIST], table[COLUMNS * s + COUNT]
    now = ld(X, at[Y1] + k)
    hit = who & (now > ld(X, r + SIGNAL) + 0.5) & (when >= ld(X, r + FROM))
    if any_lane(hit):
        note(s, hit, when, at[Y1], X, at)
    st(X, r + SIGNAL, select(who, now, ld(X, r + SIGNAL)))
    st(X, r + MARK, select(who, 1.0, 0.0))
    for lane in range(width_of(X)):
        if get(X, r + MARK, lane) > 0.5 and get(X, r + FOUND, lane) < most:
            to = table[COLUMNS * s + FIRST] + int((owner[lane] * most + get(X, r + FOUND, lane)) * wide) + 1 + count
            for k in range(count):
                points[to + k] = get(X, at[Y1] + which[own + k], lane)


@inner
def regular(s, who, fresh, X, P, W, at):
    """Points at equal times within a part of the step; whether what the scheme's polynomials need is still to be made."""
    r, t, h = at[SECTIONS] + SECTION_ROWS * s, ld(X, T), ld(X, H)
    last = (t + (1.0 * at[PART] + 1.0) / (1.0 * at[OF_PARTS]) * h) * (1.0 + 1e-14)
    while True:
        due = ld(X, r + FROM) + ld(X, r + INDEX) * ld(X, r + EVERY)
        now = who & (due <= last)
        if not any_lane(now):
            break
        if fresh and at[FURTHER] > 0:
            call(at[FURTHER], X, P, W, at)
        fresh = False
        st(X, FRACTION, select(now, maximum(minimum((due - t) / h, 1.0), 0.0), -1.0))
        signals_within(h, X, P, W, at)
        note(s, now, due, at[YM], X, at)
        st(X, r + INDEX, ld(X, r + INDEX) + select(now, 1.0, 0.0 * t))
    return fresh


@inner
def passed(s, kind, who, fresh, X, P, W, at):
    """Points where a signal passes its level within a part of the step, in either half of it; `fresh` as of `regular`."""
    r, k = at[SECTIONS] + SECTION_ROWS * s, words(at[SECTION_TABLE])[COLUMNS * s + OF]
    a, b = (1.0 * at[PART]) / (1.0 * at[OF_PARTS]), (1.0 * at[PART] + 1.0) / (1.0 * at[OF_PARTS])
    level, middle = ld(X, r + LEVEL), ld(X, r + MARK)
    y0, ym, y1, zero = ld(X, r + SIGNAL) - level, middle - level, ld(X, at[Y1] + k) - level, 0.0 * level
    if at[MIDWAY] > 0:  # what is in the middle is for integrals
        fresh = between(s, kind, who, a + zero, y0, b + zero, y1, fresh, X, P, W, at)
    else:
        fresh = between(s, kind, who, a + zero, y0, 0.5 * (a + b) + zero, ym, fresh, X, P, W, at)
        fresh = between(s, kind, who, 0.5 * (a + b) + zero, ym, b + zero, y1, fresh, X, P, W, at)
    st(X, r + SIGNAL, select(who, ld(X, at[Y1] + k), ld(X, r + SIGNAL)))
    return fresh


@inner
def between(s, kind, who, a, ya, b, yb, fresh, X, P, W, at):
    """A point where a signal that is `ya` and `yb` above its level at two fractions of the step passes it; `fresh` as of `regular`."""
    r, t, h = at[SECTIONS] + SECTION_ROWS * s, ld(X, T), ld(X, H)
    hit = who & passes(kind, ya, yb) & (t + b * h >= ld(X, r + FROM))
    if any_lane(hit):
        if fresh and at[FURTHER] > 0:
            call(at[FURTHER], X, P, W, at)
        fresh = False
        when = t + root(s, hit, a, ya, b, yb, X, P, W, at) * h
        note(s, hit & (when >= ld(X, r + FROM)), when, at[YM], X, at)
    return fresh


@inner
def root(s, hit, a, ya, b, yb, X, P, W, at):
    """Fractions of the step at which a signal is at its level, in lanes of `hit`; leaves signals there in the rows `YM`.

    By secants between ends of different signs; an end that stays counts less from turn to turn, by the rule of Anderson and Björck (BIT
    13, 1973, 253-264).
    """
    h, level, k = ld(X, H), ld(X, at[SECTIONS] + SECTION_ROWS * s + LEVEL), words(at[SECTION_TABLE])[COLUMNS * s + OF]
    size, x = fabs(ya) + fabs(yb), b
    going = hit & (fabs(yb) > CLOSE * size)
    for _ in range(TURNS):
        span = yb - ya
        new = b - yb * (b - a) / select(fabs(span) > 0.0, span, 1.0)
        new = select((new > minimum(a, b)) & (new < maximum(a, b)), new, 0.5 * (a + b))
        x = select(going, new, x)
        st(X, FRACTION, select(hit, x, -1.0))
        signals_within(h, X, P, W, at)
        y = ld(X, at[YM] + k) - level
        turns = going & (((y > 0.0) & (yb < 0.0)) | ((y < 0.0) & (yb > 0.0)))
        less = 1.0 - y / select(fabs(yb) > 0.0, yb, 1.0)
        stays = going & lnot(turns)
        ya = select(turns, yb, select(stays, ya * select(less > 0.0, less, 0.5), ya))
        a = select(turns, b, a)
        b, yb = select(going, x, b), select(going, y, yb)
        going = going & (fabs(y) > CLOSE * size) & (fabs(b - a) > NARROW)
        if not any_lane(going):
            break
    return x


@inner
def signals_within(h, X, P, W, at):
    """Signals at the fractions of the step in `FRACTION`, of lanes where it is not negative, in the rows `YM`."""
    if at[BETWEEN] > 0 and (at[EXACTLY] == 0 or at[FIXED] > 0):
        call(at[BETWEEN], X, P, W, at)
    elif at[EXACTLY] > 0:
        shorter(h, X, P, W, at)
    else:
        one_by_one(h, X, P, W, at)
    x = ld(X, FRACTION)
    st(X, at[MIDDLE], select(x >= 0.0, ld(X, T) + x * h, ld(X, T)))
    exchange_contacts(True, X, at)
    evaluate(at[OUTPUTS], X, P, W, at, at[MIDDLE], at[YM])
    exchange_contacts(False, X, at)


@inner
def one_by_one(h, X, P, W, at):
    """States at the fractions of the step in the point `MIDDLE`, of schemes that have them lane by lane."""
    room, rows, size, n = doubles(at[SECTION_ROOM]), at[GRID_ROWS], 2 * at[N] + at[M], at[N]
    for lane in range(width_of(X)):
        if get(X, FRACTION, lane) >= 0.0:
            if at[DENSE] > 0:
                at[STAGE] = lane
                call(at[DENSE], X, P, W, at)
                for k in range(size):
                    room[lane * rows + k] = get(X, at[MIDDLE] + 1 + k, lane)
            else:
                hermite(lane, X, room, lane * rows, at)
    for lane in range(width_of(X)):
        if get(X, FRACTION, lane) >= 0.0:
            for k in range(size):
                put(X, at[MIDDLE] + 1 + k, lane, room[lane * rows + k])
            if at[REFINE] > 0:
                for k in range(n):
                    put(W, n + k, lane, room[lane * rows + size + 3 * at[NC] + k])
    if at[REFINE] > 0:
        x, share = ld(X, FRACTION), ld(X, STEP_SHARE)
        st(X, H, select((x > BESIDE) & (x < 1.0 - BESIDE), h, 0.0))
        call(at[REFINE], X, P, W, at)
        st(X, H, h)
        st(X, STEP_SHARE, share)


@inner
def shorter(h, X, P, W, at):
    """States at the fractions of the step in the point `MIDDLE`, by steps that end there, as of `recording.again`."""
    ends, size, slots = at[ASIDE], 2 * at[N] + at[M], at[ASIDE] + 1 + 2 * at[N] + at[M]
    stages, error, x = at[MIDDLE] - at[SLOTS], ld(X, ERROR), ld(X, FRACTION)
    for k in range(size + 1):
        st(X, ends + k, ld(X, at[END] + k))
    for k in range(stages):
        st(X, slots + k, ld(X, at[SLOTS] + k))
    st(X, H, select((x > BESIDE) & (x < 1.0 - BESIDE), x * h, h))
    call(at[ATTEMPT], X, P, W, at)
    for k in range(size):
        inside = select(x < 1.0 - BESIDE, ld(X, at[END] + 1 + k), ld(X, ends + 1 + k))
        st(X, at[MIDDLE] + 1 + k, select(x > BESIDE, inside, ld(X, START + 1 + k)))
    for k in range(size + 1):
        st(X, at[END] + k, ld(X, ends + k))
    for k in range(stages):
        st(X, at[SLOTS] + k, ld(X, slots + k))
    st(X, H, h)
    st(X, ERROR, error)


@inner
def exchange_contacts(find, X, at):
    """Modes, impact velocities and impacts of contacts as they are at the fractions of the step, or (not `find`) as they were before."""
    room, rows, first = doubles(at[SECTION_ROOM]), at[GRID_ROWS], 2 * at[N] + at[M]
    if at[NC] > 0:
        for lane in range(width_of(X)):
            if get(X, FRACTION, lane) >= 0.0:
                own = lane * rows + first
                if find:
                    contacts(lane, X, room, own, at)
                for j in range(at[NC]):
                    c = at[CONTACTS] + CONTACT_ROWS * j
                    mode, speed, count = get(X, c + MODE, lane), get(X, c + ONSET_SPEED, lane), get(X, c + IMPACTS, lane)
                    put(X, c + MODE, lane, room[own + 3 * j])
                    put(X, c + ONSET_SPEED, lane, room[own + 3 * j + 1])
                    put(X, c + IMPACTS, lane, room[own + 3 * j + 2])
                    room[own + 3 * j], room[own + 3 * j + 1], room[own + 3 * j + 2] = mode, speed, count
