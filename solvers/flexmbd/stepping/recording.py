"""What is kept of a step: running sums of reduced signals, and the states at grid times inside it."""

import numpy as np

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select
from flexmbd.lanes.rows import call, doubles, evaluate, get, ld, put, st, width_of, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import CONTACT_ROWS, DEPTH, DEPTH_RATE, IMPACTS, LEAST_SPEED, MODE, ONSET_SPEED
from flexmbd.stepping.events import crossing
from flexmbd.stepping.names import (
    ASIDE, ATTEMPT, BETWEEN, BOW, CONTACTS, CURSOR, DENSE, DUE, END, ERROR, EXACTLY, FIXED, FRACTION, FURTHER, GAPS, GRID, GRID_ROWS,
    JUMPED, NOMINAL_STEP, KINK, LAST, MET, MIDDLE, MIDWAY, NC, NR, NSECTIONS, NW, OUTPUTS, POINTS, RATES, REFINE, RESTART, SCHEME, SLOTS,
    STAGE, START, STRIDE, SUM_ROWS, SUMS, TIMES, WHO, Y0, Y1, YM, H, M, N, T, MOST, LEAST, INTEGRAL, SQUARES,
)  # fmt: skip


@inner
def keep(row, who, value, when, X):
    """A new extreme and its time."""
    st(X, row, select(who, value, ld(X, row)))
    st(X, row + 1, select(who, when, ld(X, row + 1)))


@inner
def reduce_step(t, h, accepted, X, at):
    """Add one step to the running sums: parabola through start, middle and end for extremes, Simpson's rule for integrals."""
    for k in range(at[NR]):
        r = at[SUMS] + SUM_ROWS * k
        y0, ym, y1 = ld(X, at[Y0] + k), ld(X, at[YM] + k), ld(X, at[Y1] + k)
        c1 = 4.0 * ym - 3.0 * y0 - y1
        c2 = 2.0 * (y0 + y1) - 4.0 * ym
        x = -0.5 * c1 / select(fabs(c2) > 1e-300, c2, 1e-300)
        inside = (x > 0.0) & (x < 1.0) & (fabs(c2) > 1e-300)
        if at[MIDWAY] > 0:  # no parabola leads through a jump
            inside = inside & lnot(inside)
        vertex = y0 + 0.5 * c1 * x
        ends = y1 > y0
        x_max = select(inside & (c2 < 0.0), x, select(ends, 1.0, 0.0 * h))
        high = select(inside & (c2 < 0.0), vertex, maximum(y0, y1))
        x_min = select(inside & (c2 > 0.0), x, select(ends, 0.0, 1.0 + 0.0 * h))
        low = select(inside & (c2 > 0.0), vertex, minimum(y0, y1))
        up = accepted & (high > ld(X, r + MOST))
        down = accepted & (low < ld(X, r + LEAST))
        keep(r + MOST, up, high, t + x_max * h, X)
        keep(r + LEAST, down, low, t + x_min * h, X)
        w = select(accepted, h * (1.0 / 6.0), 0.0)
        if at[MIDWAY] > 0:
            y0, y1 = ym, ym
        st(X, r + INTEGRAL, ld(X, r + INTEGRAL) + w * (y0 + 4.0 * ym + y1))
        st(X, r + SQUARES, ld(X, r + SQUARES) + w * (y0 * y0 + 4.0 * ym * ym + y1 * y1))
        st(X, at[Y0] + k, select(accepted, ld(X, at[Y1] + k), ld(X, at[Y0] + k)))


@inner
def turn(turned, when, X, P, W, at):
    """Signals just after an event, and what that makes of their extremes."""
    evaluate(at[OUTPUTS], X, P, W, at, START, at[Y1])
    if at[NW] > 0:
        st(X, WHO, select(turned, 1.0, 0.0))
        st(X, FRACTION, when)
        call(at[MET], X, P, W, at)
    if at[NSECTIONS] > 0:
        st(X, WHO, select(turned, 1.0, 0.0))
        st(X, FRACTION, when)
        call(at[JUMPED], X, P, W, at)
    for k in range(at[NR]):
        r = at[SUMS] + SUM_ROWS * k
        y = select(turned, ld(X, at[Y1] + k), ld(X, at[Y0] + k))
        st(X, at[Y0] + k, y)
        high, low = y > ld(X, r + MOST), y < ld(X, r + LEAST)
        keep(r + MOST, high, y, when, X)
        keep(r + LEAST, low, y, when, X)


@inner
def middle(t, h, X, W, at):
    """State in the middle of the step by Hermite interpolation of both ends; in W the accelerations of the interpolation.

    Velocities are those of the quintic, which is exact there to one order more than elsewhere; of implicit schemes, whose places and
    velocities fit to second order, and in slivers of a step, those of the cubic.
    """
    n, first, last = at[N], at[SLOTS], at[SLOTS] + at[LAST] * at[STRIDE]
    q0, q1, qm = START + 1, at[END] + 1, at[MIDDLE] + 1
    short, by = h < 1e-2 * ld(X, NOMINAL_STEP), 1.0 / h
    st(X, at[MIDDLE], t + 0.5 * h)
    for i in range(n):
        x0, x1, v0, v1 = ld(X, q0 + i), ld(X, q1 + i), ld(X, q0 + n + i), ld(X, q1 + n + i)
        a0, a1 = ld(X, first + i), ld(X, last + i)
        st(X, qm + i, 0.5 * (x0 + x1) + h * (0.15625 * (v0 - v1) + h * (0.015625 * (a0 + a1))))
        v = 0.5 * (v0 + v1) + 0.125 * h * (a0 - a1)
        if at[RESTART] == 0 and at[REFINE] == 0:
            quintic = 1.875 * by * (x1 - x0) - 0.4375 * (v0 + v1) + 0.03125 * h * (a1 - a0)
            v = select(short, v, quintic)
        st(X, qm + n + i, v)
        if at[REFINE] > 0:
            st(W, n + i, 1.5 * by * (v1 - v0) - 0.25 * (a0 + a1))
    for k in range(at[M]):
        i = 2 * n + k
        d0, d1 = ld(X, first + at[RATES] + k), ld(X, last + at[RATES] + k)
        s = 0.5 * (ld(X, q0 + i) + ld(X, q1 + i)) + 0.125 * h * (d0 - d1)
        if at[BOW] > 0:
            weights, rate = doubles(at[SCHEME]), 0.0 * h
            for j in range(at[LAST] + 1):
                rate = rate + weights[at[BOW] + j] * ld(X, first + j * at[STRIDE] + at[RATES] + k)
            s = ld(X, q0 + i) + h * rate
        st(X, qm + i, s)


@inner
def record(h, accepted, X, P, W, at):
    """Write the states at grid times inside the step just accepted, lane by lane; in the row `DUE` stands each lane's next one."""
    accepted = accepted & (ld(X, DUE) <= (ld(X, T) + h) * (1.0 + 1e-14))
    if not any_lane(accepted):
        return
    st(X, WHO, select(accepted, 1.0, 0.0))
    if at[BETWEEN] > 0 and (at[EXACTLY] == 0 or at[FIXED] > 0):
        through(X, P, W, at)
        return
    if at[EXACTLY] > 0:
        again(h, X, P, W, at)
        return
    times, cursor, grid, points = doubles(at[TIMES]), words(at[CURSOR]), doubles(at[GRID]), at[POINTS]
    for lane in range(width_of(X)):
        if get(X, WHO, lane) > 0.5:
            i = cursor[lane]
            t0, dt = get(X, T, lane), get(X, H, lane)
            end = (t0 + dt) * (1.0 + 1e-14)
            while i < points and times[i] <= end:
                put(X, FRACTION, lane, min((times[i] - t0) / dt, 1.0))
                cursor[lane] = i
                to, size = (lane * points + i) * at[GRID_ROWS], 2 * at[N] + at[M]
                if at[DENSE] > 0:  # of the lane that `STAGE` names, into the point in the middle
                    at[STAGE] = lane
                    call(at[DENSE], X, P, W, at)
                    for k in range(size):
                        grid[to + k] = get(X, at[MIDDLE] + 1 + k, lane)
                else:
                    hermite(lane, X, grid, to, at)
                contacts(lane, X, grid, to + size, at)
                i += 1
            cursor[lane] = i
            put(X, DUE, lane, times[i] if i < points else np.inf)


@inner
def through(X, P, W, at):
    """Record the lanes in `WHO` by the scheme's own polynomials, of all lanes at once."""
    times, cursor, grid, points, size = doubles(at[TIMES]), words(at[CURSOR]), doubles(at[GRID]), at[POINTS], 2 * at[N] + at[M]
    if at[FURTHER] > 0:
        call(at[FURTHER], X, P, W, at)
    more = True
    while more:
        more = False
        for lane in range(width_of(X)):
            i, t0, dt = cursor[lane], get(X, T, lane), get(X, H, lane)
            put(X, FRACTION, lane, -1.0)
            if get(X, WHO, lane) > 0.5 and i < points and times[i] <= (t0 + dt) * (1.0 + 1e-14):
                put(X, FRACTION, lane, min((times[i] - t0) / dt, 1.0))
                more = True
        if more:
            call(at[BETWEEN], X, P, W, at)
        for lane in range(width_of(X)):
            if get(X, FRACTION, lane) >= 0.0:
                i = cursor[lane]
                to = (lane * points + i) * at[GRID_ROWS]
                for k in range(size):
                    grid[to + k] = get(X, at[MIDDLE] + 1 + k, lane)
                contacts(lane, X, grid, to + size, at)
                cursor[lane] = i + 1
                put(X, DUE, lane, times[i + 1] if i + 1 < points else np.inf)


@inner
def again(h, X, P, W, at):
    """Record the lanes in `WHO` by steps that end at the grid times: of energy books an interpolation knows less than a step.

    What the scheme has found of the whole step is put aside meanwhile.
    """
    times, cursor, grid, points = doubles(at[TIMES]), words(at[CURSOR]), doubles(at[GRID]), at[POINTS]
    ends, size, slots = at[ASIDE], 2 * at[N] + at[M], at[ASIDE] + 1 + 2 * at[N] + at[M]
    stages, error = at[MIDDLE] - at[SLOTS], ld(X, ERROR)
    for k in range(size + 1):
        st(X, ends + k, ld(X, at[END] + k))
    for k in range(stages):
        st(X, slots + k, ld(X, at[SLOTS] + k))
    more = True
    while more:
        more, inside = False, False
        for lane in range(width_of(X)):
            i, t0, dt = cursor[lane], get(X, T, lane), get(X, ends, lane) - get(X, T, lane)
            put(X, FRACTION, lane, -1.0)
            if get(X, WHO, lane) > 0.5 and i < points and times[i] <= (t0 + dt) * (1.0 + 1e-14):
                x = min(max((times[i] - t0) / dt, 0.0), 1.0)
                put(X, FRACTION, lane, x)
                more = True
                if 1e-9 < x < 1.0 - 1e-9:
                    put(X, H, lane, x * dt)
                    inside = True
        if inside:
            call(at[ATTEMPT], X, P, W, at)
        for lane in range(width_of(X)):
            x = get(X, FRACTION, lane)
            if x >= 0.0:
                i = cursor[lane]
                to, source = (lane * points + i) * at[GRID_ROWS], at[END] + 1
                if x <= 1e-9:
                    source = START + 1
                elif x >= 1.0 - 1e-9:
                    source = ends + 1
                for k in range(size):
                    grid[to + k] = get(X, source + k, lane)
                for k in range(at[GRID_ROWS] - size):
                    grid[to + size + k] = 0.0
                contacts(lane, X, grid, to + size, at)
                cursor[lane] = i + 1
                put(X, DUE, lane, times[i + 1] if i + 1 < points else np.inf)
        st(X, H, h)
    for k in range(size + 1):
        st(X, at[END] + k, ld(X, ends + k))
    for k in range(stages):
        st(X, at[SLOTS] + k, ld(X, slots + k))
    st(X, ERROR, error)


@inner
def hermite(lane, X, grid, to, at):
    """State of a lane at a fraction of the step: quintic for q, its slope for v, cubic for further states, and what stages say of these."""
    n, first, last = at[N], at[SLOTS], at[SLOTS] + at[LAST] * at[STRIDE]
    q0, q1 = START + 1, at[END] + 1
    x, dt = get(X, FRACTION, lane), get(X, H, lane)
    y, short = 1.0 - x, dt < 1e-2 * get(X, NOMINAL_STEP, lane) or at[RESTART] > 0  # see `middle`
    for k in range(n):
        p0, p1, v0, v1 = get(X, q0 + k, lane), get(X, q1 + k, lane), get(X, q0 + n + k, lane), get(X, q1 + n + k, lane)
        a0, a1 = get(X, first + k, lane) * dt, get(X, last + k, lane) * dt
        d0, d1, dq = v0 * dt, v1 * dt, p1 - p0
        a0d, a1d = a0 * dt, a1 * dt
        c3 = 10.0 * dq - 6.0 * d0 - 4.0 * d1 - 1.5 * a0d + 0.5 * a1d
        c4 = -15.0 * dq + 8.0 * d0 + 7.0 * d1 + 1.5 * a0d - a1d
        c5 = 6.0 * dq - 3.0 * (d0 + d1) - 0.5 * (a0d - a1d)
        grid[to + k] = p0 + x * (d0 + x * (0.5 * a0d + x * (c3 + x * (c4 + x * c5))))
        if short:
            grid[to + n + k] = y * y * (1.0 + 2.0 * x) * v0 + x * x * (3.0 - 2.0 * x) * v1 + x * y * (y * a0 - x * a1)
        else:
            grid[to + n + k] = (d0 + x * (a0d + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / dt
        if at[REFINE] > 0:
            ends = y * (1.0 - 3.0 * x) * get(X, first + k, lane) + x * (3.0 * x - 2.0) * get(X, last + k, lane)
            grid[to + 2 * n + at[M] + 3 * at[NC] + k] = 6.0 * x * y * ((v1 - v0) / dt) + ends
    if at[REFINE] > 0:
        grid[to + 3 * n + at[M] + 3 * at[NC]] = dt if 1e-9 < x < 1.0 - 1e-9 else 0.0
    for k in range(at[M]):
        i = 2 * n + k
        s0, s1 = get(X, q0 + i, lane), get(X, q1 + i, lane)
        r0, r1 = get(X, first + at[RATES] + k, lane) * dt, get(X, last + at[RATES] + k, lane) * dt
        s = y * y * (1.0 + 2.0 * x) * s0 + x * x * (3.0 - 2.0 * x) * s1 + x * y * (y * r0 - x * r1)
        if at[BOW] > 0:
            weights, by = doubles(at[SCHEME]), 0.0
            for j in range(at[LAST] + 1):
                by += weights[at[BOW] + j] * get(X, first + j * at[STRIDE] + at[RATES] + k, lane)
            s += 16.0 * x * x * y * y * (s0 + dt * by - (0.5 * (s0 + s1) + 0.125 * (r0 - r1)))
        grid[to + i] = s


@inner
def contacts(lane, X, grid, to, at):
    """Mode, impact velocity and number of impacts of a lane's contacts at a fraction of the step."""
    kinks, gaps = words(at[KINK]), at[SLOTS] + at[LAST] * at[STRIDE] + at[GAPS]
    x, dt = get(X, FRACTION, lane), get(X, H, lane)
    for j in range(at[NC]):
        c = at[CONTACTS] + CONTACT_ROWS * j
        mode, speed, count = get(X, c + MODE, lane), get(X, c + ONSET_SPEED, lane), get(X, c + IMPACTS, lane)
        sign = 1.0 if mode < 0.5 else -1.0
        d1 = get(X, gaps + 2 * j, lane)
        if kinks[j] > 0 and sign * d1 > 0.0:  # the contact begins or ends within the step
            d0, e0, e1 = get(X, c + DEPTH, lane), get(X, c + DEPTH_RATE, lane), get(X, gaps + 2 * j + 1, lane)
            fraction, slope = crossing(dt, sign * d0, sign * e0, sign * d1, sign * e1)
            if x > fraction:
                if mode < 0.5:
                    speed, count = max(slope, get(X, c + LEAST_SPEED, lane)), count + 1.0
                mode = 1.0 if mode < 0.5 else 0.0
        grid[to + 3 * j], grid[to + 3 * j + 1], grid[to + 3 * j + 2] = mode, speed, count
