"""Samples through the lanes: fill, run, store what came out, and refill."""

from flexmbd.lanes import any_lane
from flexmbd.lanes.rows import call, doubles, evaluate, get, ld, put, rows_at, st, width_of, words
from flexmbd.lanes.vector import inner, part
from flexmbd.registry import CONTACT_ROWS, IMPACTS, LEAST_SPEED, MODE, ONSET_SPEED
from flexmbd.stepping.assembly import assemble, prepare
from flexmbd.stepping.loop import advance
from flexmbd.stepping.names import (
    BALANCE, BOOKED, CONTACTS, COUNT, COUNTER_ROWS, COUNTERS, CURSOR, DUE, ENDED, FINISH, GRID, GRID_ROWS, HISTORIES, LARGEST_ENERGY,
    NEXT_CHECK, LAST_CHECK_TIME, MIDDLE, NC, NEAREST_SO_FAR, NP, NPO, NR, NY, OUTPUTS, OWNER, PACK_P, PACK_X, POINTS, QUEUE, QUEUED, REAL,
    REDUCED, REFINE, REJECTED, RELINEARISE, RUNNING, ANGULAR_SCALE, SHOWN, VELOCITY_SCALE, START, STARTED, STATUS, STEPS, SUM_ROWS, SUMS,
    TIMES, TURNS, WATCHED, WHEN_NEAREST, CHECK_INTERVAL, YM, H, M, N, T,
)  # fmt: skip
from flexmbd.stepping.samples import load, store
from flexmbd.stepping.watch import beside


@inner
def fill_grid(lane, first, X, at):
    """The state reached, at all grid times from number `first` on."""
    n, m, grid, rows = at[N], at[M], doubles(at[GRID]), at[GRID_ROWS]
    for i in range(first, at[POINTS]):
        to = (lane * at[POINTS] + i) * rows
        for k in range(rows):
            grid[to + k] = 0.0
        for k in range(2 * n + m):
            grid[to + k] = get(X, START + 1 + k, lane)
        to += 2 * n + m
        for j in range(at[NC]):
            c = at[CONTACTS] + CONTACT_ROWS * j
            grid[to + 3 * j] = get(X, c + MODE, lane)
            grid[to + 3 * j + 1], grid[to + 3 * j + 2] = get(X, c + ONSET_SPEED, lane), get(X, c + IMPACTS, lane)


@part
def counted(sample, lane, X, P, W, at):
    """Store a lane's counters (`COUNTER_ROWS`)."""
    counters, c = doubles(at[COUNTERS]), sample * COUNTER_ROWS
    for i in range(4):
        counters[c + i] = get(X, STEPS + i, lane)
    counters[c + 4], counters[c + 5] = get(X, T, lane), get(X, T, lane) - get(X, LAST_CHECK_TIME, lane)
    counters[c + 6] = get(X, STEPS, lane) + get(X, REJECTED, lane) - get(X, NEXT_CHECK, lane) + CHECK_INTERVAL
    evaluate(at[BALANCE], X, P, W, at, START, 0)
    lin, ang = get(X, VELOCITY_SCALE, lane), get(X, ANGULAR_SCALE, lane)
    counters[c + 7] = get(W, 0, lane) - get(X, BOOKED, lane)
    counters[c + 8] = 0.5 * (get(W, 1, lane) * lin * lin + get(W, 2, lane) * ang * ang) + get(W, 3, lane)
    counters[c + 8] += max(get(X, LARGEST_ENERGY, lane), get(W, 5, lane))
    counters[c + 9], counters[c + 10] = get(X, NEAREST_SO_FAR, lane), get(X, WHEN_NEAREST, lane)
    counters[c + 11] = abs(get(X, BOOKED, lane)) + get(W, 4, lane)


@inner
def finish(sample, lane, X, P, W, at):
    """Store a lane's results: outputs at the grid times, W times at once, then sums, counters and the last state."""
    n, m, nc, np, count = at[N], at[M], at[NC], at[NP] + at[NPO], words(at[CURSOR])[lane]
    wide, points, grid, times = width_of(X), at[POINTS], doubles(at[GRID]), doubles(at[TIMES])
    XP, PP, histories, which = rows_at(at[PACK_X], X), rows_at(at[PACK_P], X), doubles(at[HISTORIES]), words(at[SHOWN])
    for i in range(np):
        for k in range(wide):
            put(PP, i, k, get(P, i, lane))
    for k in range(wide):
        put(XP, BOOKED, k, get(X, BOOKED, lane))
        put(XP, ANGULAR_SCALE, k, get(X, ANGULAR_SCALE, lane))
    for j in range(nc):
        for k in range(wide):
            put(XP, at[CONTACTS] + CONTACT_ROWS * j + LEAST_SPEED, k, get(X, at[CONTACTS] + CONTACT_ROWS * j + LEAST_SPEED, lane))
    if get(X, STATUS, lane) == ENDED:  # what it was at its end, it stays
        fill_grid(lane, count, X, at)
        count = points
    for start in range(0, count, width_of(X)):
        for k in range(wide):
            row = min(start + k, count - 1)
            here = (lane * points + row) * at[GRID_ROWS]
            put(XP, START, k, times[row])
            for i in range(2 * n + m):
                put(XP, START + 1 + i, k, grid[here + i])
            here += 2 * n + m
            for j in range(nc):
                c = at[CONTACTS] + CONTACT_ROWS * j
                put(XP, c + MODE, k, grid[here + 3 * j])
                put(XP, c + ONSET_SPEED, k, grid[here + 3 * j + 1])
                put(XP, c + IMPACTS, k, grid[here + 3 * j + 2])
            if at[REFINE] > 0:
                for i in range(n):
                    put(W, n + i, k, grid[here + 3 * nc + i])
                put(XP, H, k, grid[here + 3 * nc + n])
        if at[REFINE] > 0:
            for i in range(2 * n + m + 1):
                st(XP, at[MIDDLE] + i, ld(XP, START + i))
            call(at[RELINEARISE], XP, PP, W, at)
            call(at[REFINE], XP, PP, W, at)
            for i in range(2 * n + m + 1):
                st(XP, START + i, ld(XP, at[MIDDLE] + i))
        evaluate(at[OUTPUTS], XP, PP, W, at, START, at[YM])
        if at[WATCHED] > 0:
            beside(XP, PP, W, at)
        for y in range(at[NY]):
            for k in range(min(wide, count - start)):
                histories[(y * at[COUNT] + sample) * points + start + k] = get(XP, at[YM] + which[y], k)
    reduced = doubles(at[REDUCED])
    for i in range(SUM_ROWS * at[NR]):
        reduced[sample * SUM_ROWS * at[NR] + i] = get(X, at[SUMS] + i, lane)
    counted(sample, lane, X, P, W, at)
    put(X, DUE, lane, 0.0)  # of this recording, not of the state
    store(sample, lane, X, at)


@inner
def fill(sample, lane, X, P, at):
    """Put a sample into a lane."""
    load(sample, lane, X, P, at)
    words(at[CURSOR])[lane] = 0
    if at[POINTS] > 0:
        put(X, DUE, lane, doubles(at[TIMES])[0])


def campaign(X, P, W, at):
    """Run every sample of the queue through the lanes, at most `TURNS` trial steps in a call: between calls Python hears Ctrl-C.

    `STARTED` is how many samples were started, and `RUNNING` how many are running; where a call ends decides nothing.
    """
    queue, owner, end = words(at[QUEUE]), words(at[OWNER]), doubles(at[REAL])[FINISH]
    started, running, queued = at[STARTED], at[RUNNING], at[QUEUED]
    if started == 0:
        for lane in range(width_of(X)):
            if started < queued:
                owner[lane] = queue[started]
                started += 1
                running += 1
            else:
                owner[lane] = -1
            fill(max(owner[lane], queue[0]), lane, X, P, at)
            if owner[lane] < 0:
                put(X, T, lane, end)
    turns = at[TURNS]
    while running > 0 and turns > 0:
        turns -= 1
        advance(X, P, W, at)
        if any_lane((ld(X, T) >= end) | (ld(X, STATUS) > 0.5)):
            for lane in range(width_of(X)):
                if owner[lane] >= 0 and (get(X, T, lane) >= end or get(X, STATUS, lane) > 0.5):
                    finish(owner[lane], lane, X, P, W, at)
                    running -= 1
                    owner[lane] = -1
                    if started < queued:
                        owner[lane] = queue[started]
                        started += 1
                        running += 1
                        fill(owner[lane], lane, X, P, at)
                    else:
                        put(X, T, lane, end)
                        put(X, STATUS, lane, 0.0)
    at[STARTED], at[RUNNING] = started, running


LOOP = (assemble, prepare, campaign)
