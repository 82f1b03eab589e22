"""The time loop in lanes: trial step, located events, commit, reductions, dense output, refill.

The functions here are not called: their source is copied into the generated module of a topology, together with the
generated functions (`rhs`, `project`, `residual`, `signals`) and those of one integrator (`attempt`, `begin`, `commit`).
Every array has the lane as last axis.

| array | rows | meaning |
|---|---|---|
| q, v, s | N, N, M | coordinates, velocities, further states |
| C | 6 a contact | mode (0 free, `ARMED` free but may begin within a step, 1 contact), impact velocity, penetration, its rate, impacts, |
| | | least impact velocity |
| P, U | | packed parameters (NP rows), rows to work in, from row OUTPUTS on those of `signals`; what is the same for all lanes: |
| | | numbers, tables, and of the outputs U[3] (address, parameters, signals reduced, kept, whether some step at events, which are kept) |
| L | 11 | scalars of the lane, rows below |
| K | slots | accelerations: slot 0 at the step's start, slot LAST at its end, others belong to the integrator |
| D | slots | rates of the states s, likewise |
| R | 6 a signal | running sums of reduced signals |
| Y0, Ym, Y1 | signals | signals at start, middle and end of the step, the reduced ones first |
"""

# ruff: noqa: F821 - names are bound in the generated module
import numpy as np

from flexmbd import events
from flexmbd.expressions import ARMED
from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt

T, HN, HC, STEPS, REJECTED, EVENTS, STATUS, SLIN, SANG, FLOORED, BEFORE = range(11)
LANE_ROWS = 11
# of P, below the parameters: what a kept matrix was made with (icm, cd), the rate of Newton's iteration with it, how to start the next
FROZEN_ROWS = 4
SAFETY = 0.9
NAMES = {
    "T": T, "HN": HN, "HC": HC, "STEPS": STEPS, "REJECTED": REJECTED, "EVENTS": EVENTS, "STATUS": STATUS, "SLIN": SLIN, "SANG": SANG,
    "FLOORED": FLOORED, "BEFORE": BEFORE, "SAFETY": SAFETY, "ARMED": ARMED,
}  # fmt: skip


def reduce_step(t, h, accepted, R, Y0, Ym, Y1):
    """Add one step to the running sums: parabola through start, middle and end for extremes, Simpson's rule for integrals."""
    for k in range(len(R) // 6):
        y0, ym, y1 = ld(Y0, k), ld(Ym, k), ld(Y1, k)
        c1 = 4.0 * ym - 3.0 * y0 - y1
        c2 = 2.0 * (y0 + y1) - 4.0 * ym
        x = -0.5 * c1 / select(fabs(c2) > 1e-300, c2, 1e-300)
        inside = (x > 0.0) & (x < 1.0) & (fabs(c2) > 1e-300)
        vertex = y0 + 0.5 * c1 * x
        ends = y1 > y0
        x_max = select(inside & (c2 < 0.0), x, select(ends, 1.0, 0.0 * h))
        high = select(inside & (c2 < 0.0), vertex, maximum(y0, y1))
        x_min = select(inside & (c2 > 0.0), x, select(ends, 0.0, 1.0 + 0.0 * h))
        low = select(inside & (c2 > 0.0), vertex, minimum(y0, y1))
        up = accepted & (high > ld(R, 6 * k))
        down = accepted & (low < ld(R, 6 * k + 2))
        st(R, 6 * k, select(up, high, ld(R, 6 * k)))
        st(R, 6 * k + 1, select(up, t + x_max * h, ld(R, 6 * k + 1)))
        st(R, 6 * k + 2, select(down, low, ld(R, 6 * k + 2)))
        st(R, 6 * k + 3, select(down, t + x_min * h, ld(R, 6 * k + 3)))
        w = select(accepted, h * (1.0 / 6.0), 0.0)
        st(R, 6 * k + 4, ld(R, 6 * k + 4) + w * (y0 + 4.0 * ym + y1))
        st(R, 6 * k + 5, ld(R, 6 * k + 5) + w * (y0 * y0 + 4.0 * ym * ym + y1 * y1))


def middle(h, q, v, s, K, D, qs, vs, ss, qm, vm, sm):
    """State in the middle of the step by Hermite interpolation of both ends."""
    for i in range(N):
        q0, q1, v0, v1, a0, a1 = ld(q, i), ld(qs, i), ld(v, i), ld(vs, i), ld2(K, 0, i), ld2(K, LAST, i)
        st(qm, i, 0.5 * (q0 + q1) + h * (0.15625 * (v0 - v1) + h * (0.015625 * (a0 + a1))))
        st(vm, i, 0.5 * (v0 + v1) + 0.125 * h * (a0 - a1))
    for k in range(M):
        st(sm, k, 0.5 * (ld(s, k) + ld(ss, k)) + 0.125 * h * (ld2(D, 0, k) - ld2(D, LAST, k)))


def relinearise(t, h, q, v, s, C, P, U):
    """Make what `refine` needs at a state other than that of the step's start: nothing."""


def refine(t, h, a, q, v, s, C, P, U, K, D, w, g):
    """What becomes of velocities v interpolated in a step of length h with accelerations a: nothing."""


def record(t, h, nominal, accepted, times, cursor, G, q, v, s, C, g, K, D, qs, vs, ss, lane_flags, lane_t, lane_h, lane_n):
    """Write the states at grid times inside the step just accepted, lane by lane: quintic Hermite for q, its slope for v."""
    st(lane_flags, 0, select(accepted, 1.0 + 0.0 * h, 0.0))
    st(lane_t, 0, t)
    st(lane_h, 0, h)
    st(lane_n, 0, nominal)
    for lane in range(W):
        if lane_flags[0, lane] > 0.5:
            i = cursor[lane]
            t0, dt = lane_t[0, lane], lane_h[0, lane]
            end = (t0 + dt) * (1.0 + 1e-14)
            while i < len(times) and times[i] <= end:
                x = min((times[i] - t0) / dt, 1.0)
                y = 1.0 - x
                short = dt < 1e-2 * lane_n[0, lane]
                for k in range(N):
                    q0, q1, v0, v1 = q[k, lane], qs[k, lane], v[k, lane], vs[k, lane]
                    a0, a1 = K[0, k, lane] * dt, K[LAST, k, lane] * dt
                    d0, d1, dq = v0 * dt, v1 * dt, q1 - q0
                    a0d, a1d = a0 * dt, a1 * dt
                    c3 = 10.0 * dq - 6.0 * d0 - 4.0 * d1 - 1.5 * a0d + 0.5 * a1d
                    c4 = -15.0 * dq + 8.0 * d0 + 7.0 * d1 + 1.5 * a0d - a1d
                    c5 = 6.0 * dq - 3.0 * (d0 + d1) - 0.5 * (a0d - a1d)
                    G[lane, i, k] = q0 + x * (d0 + x * (0.5 * a0d + x * (c3 + x * (c4 + x * c5))))
                    if short:
                        G[lane, i, N + k] = y * y * (1.0 + 2.0 * x) * v0 + x * x * (3.0 - 2.0 * x) * v1 + x * y * (y * a0 - x * a1)
                    else:
                        G[lane, i, N + k] = (d0 + x * (a0d + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / dt
                for k in range(M):
                    s0, s1, r0, r1 = s[k, lane], ss[k, lane], D[0, k, lane] * dt, D[LAST, k, lane] * dt
                    G[lane, i, 2 * N + k] = y * y * (1.0 + 2.0 * x) * s0 + x * x * (3.0 - 2.0 * x) * s1 + x * y * (y * r0 - x * r1)
                for j in range(NC):
                    mode, speed, count = C[6 * j, lane], C[6 * j + 1, lane], C[6 * j + 4, lane]
                    sign = 1.0 if mode < 0.5 else -1.0
                    if KINK[j] and sign * g[2 * j, lane] > 0.0:  # the contact begins or ends within the step
                        d0, d1, e0, e1 = C[6 * j + 2, lane], g[2 * j, lane], C[6 * j + 3, lane], g[2 * j + 1, lane]
                        fraction, slope = crossing(dt, sign * d0, sign * e0, sign * d1, sign * e1)
                        if x > fraction:
                            if mode < 0.5:
                                speed, count = max(slope, C[6 * j + 5, lane]), count + 1.0
                            mode = 1.0 if mode < 0.5 else 0.0
                    G[lane, i, 2 * N + M + 3 * j] = mode
                    G[lane, i, 2 * N + M + 3 * j + 1] = speed
                    G[lane, i, 2 * N + M + 3 * j + 2] = count
                if REFINED:
                    G[lane, i, 2 * N + M + 3 * NC + N] = dt if 1e-9 < x < 1.0 - 1e-9 else 0.0
                    for k in range(N):
                        mean = (vs[k, lane] - v[k, lane]) / dt
                        ends = y * (1.0 - 3.0 * x) * K[0, k, lane] + x * (3.0 * x - 2.0) * K[LAST, k, lane]
                        G[lane, i, 2 * N + M + 3 * NC + k] = 6.0 * x * y * mean + ends
                i += 1
            cursor[lane] = i


def refresh(t, who, q, v, s, C, P, U, K, D, g):
    """Evaluate accelerations, rates and penetrations anew at the step's start for the lanes in `who`."""
    rhs(t, q, v, s, C, P, U, K, np.int64(LAST), D, g)  # not a literal: one compiled variant serves all slots
    for i in range(N):
        st2(K, 0, i, select(who, ld2(K, LAST, i), ld2(K, 0, i)))
    for k in range(M):
        st2(D, 0, k, select(who, ld2(D, LAST, k), ld2(D, 0, k)))
    for j in range(NC):
        st(C, 6 * j + 2, select(who, ld(g, 2 * j), ld(C, 6 * j + 2)))
        st(C, 6 * j + 3, select(who, ld(g, 2 * j + 1), ld(C, 6 * j + 3)))
    forget(who, K)


def drift(t, candidates, tolerance, q, v, s, C, P, U, L, K, D, w, g):
    """Project positions and velocities of lanes whose constraint residual has outgrown the tolerance; rare."""
    residual(t, q, v, P, U, w)
    lin, ang, hn = tolerance * ld(L, SLIN), tolerance * ld(L, SANG), ld(L, HN)
    place = (ld(w, 0) > lin * hn) | (ld(w, 1) > ang * hn)
    who = candidates & (place | (ld(w, 2) > lin) | (ld(w, 3) > ang))
    if any_lane(who):
        project(t, q, v, P, U, w)
        for i in range(N):
            st(q, i, ld(q, i) + select(who, ld(w, i), 0.0))
            st(v, i, ld(v, i) + select(who, ld(w, N + i), 0.0))
        refresh(t, who, q, v, s, C, P, U, K, D, g)


def advance(
    end, tolerance, fixed, h_max, h_min, gap_tolerance, max_steps, q, v, s, C, P, U, L, Z, K, D, w, R, Y0, Ym, Y1, qs, vs, ss, qm, vm, sm,
    g, times, cursor, G, X
):  # fmt: skip
    """One trial step of all lanes; lanes at the end, or lost, stand still."""
    t, nominal, wait = ld(L, T), ld(L, HN), ld(L, HC)
    NR, STEPPED = U[3][2], U[3][4] > 0
    live = (t < end) & (ld(L, STATUS) < 0.5)
    h = select(wait > 0.0, wait, nominal)
    # after a million steps t is some nanoseconds off, and a step of those all rounding; a step to an event just before the end ends there
    last = live & (h >= (end - t) * (1.0 - select(wait > 0.0, 1e-6, 1e-3)))
    h = select(last, end - t, h)
    error = attempt(t, h, tolerance, q, v, s, C, P, U, L, Z, K, D, w, qs, vs, ss, g)
    finite = error < 1e300
    rough = finite & (error > 1.0)
    if fixed:
        error = select(finite, 0.0, error)
    small = h <= h_min
    good = live & finite & ((error <= 1.0) | small)
    bounded = select(finite, error + 1e-9, 1.0)
    root = sqrt(sqrt(1.0 / bounded))
    before = ld(L, BEFORE)
    smooth = sqrt(root) * sqrt(sqrt(sqrt(sqrt(before))))  # proportional-integral: error**(-1/8) before**(1/16)
    factor = SAFETY * select(good, smooth, root)
    factor = select(finite, maximum(minimum(factor, 4.0), 0.2), 0.1)
    next_h = maximum(minimum(h * factor, h_max), h_min)
    accepted = good
    next_wait = 0.0 * h
    if NC > 0:
        exact = (wait > 0.0) | rough
        over, cut = locate(t, h, wait > 0.0, exact, gap_tolerance, C, g)
        over = over & (good | (live & rough) if KINKS else good) & (h > h_min)
        accepted = good & lnot(over)
        next_h = select(over, nominal, next_h)
        next_wait = select(over, maximum(cut, h_min), next_wait)
    keep = accepted & ((wait > 0.0) | last) & (next_h < nominal)
    next_h = select(keep, nominal, next_h)
    st(L, BEFORE, select(accepted, maximum(bounded, 1e-4), before))
    t1 = select(last, end + 0.0 * h, t + h)
    if NR > 0:
        middle(h, q, v, s, K, D, qs, vs, ss, qm, vm, sm)
        if REFINED:
            for i in range(N):
                st(w, N + i, 1.5 * (ld(vs, i) - ld(v, i)) / h - 0.25 * (ld2(K, 0, i) + ld2(K, LAST, i)))
            refine(t + 0.5 * h, h, w[N:], qm, vm, sm, C, P, U, K, D, w, g[2 * NC :])
        signals(t + 0.5 * h, qm, vm, sm, C, P, U, Ym)
        signals(t1, qs, vs, ss, C, P, U, Y1)
        reduce_step(t, h, accepted, R, Y0, Ym, Y1)
        for k in range(NR):
            st(Y0, k, select(accepted, ld(Y1, k), ld(Y0, k)))
    if len(times) > 0:
        record(t, h, nominal, accepted, times, cursor, G, q, v, s, C, g, K, D, qs, vs, ss, X[0], X[1], X[2], X[3])
    lin, ang = ld(L, SLIN), ld(L, SANG)
    for i in range(N):
        st(q, i, select(accepted, ld(qs, i), ld(q, i)))
        x = select(accepted, ld(vs, i), ld(v, i))
        st(v, i, x)
        if TURNS[i]:
            ang = maximum(ang, fabs(x))
        else:
            lin = maximum(lin, fabs(x))
    st(L, SLIN, lin)
    st(L, SANG, ang)
    for k in range(M):
        x = select(accepted, ld(ss, k), ld(s, k))
        st(s, k, x)
        st(Z, k, maximum(ld(Z, k), fabs(x)))
    commit(accepted, K, D)
    st(L, T, select(accepted, t1, t))
    st(L, HC, next_wait)
    st(L, STEPS, ld(L, STEPS) + select(accepted, 1.0, 0.0 * h))
    st(L, REJECTED, ld(L, REJECTED) + select(live & lnot(accepted), 1.0, 0.0 * h))
    floored = ld(L, FLOORED) + select(live & small & lnot(error <= 1.0), 1.0, 0.0 * h)
    st(L, FLOORED, floored)
    lost = live & ((floored > 200.0) | (small & lnot(finite)))
    late = live & (ld(L, STEPS) + ld(L, REJECTED) > max_steps)
    st(L, STATUS, select(lost, 1.0, select(late, 2.0, ld(L, STATUS))))
    quiet = accepted
    if NC > 0:
        hit, onset, kink, when = switch(t, h, accepted, exact, gap_tolerance, C, g, s, D)
        next_h = select(onset, maximum(0.1 * nominal, h_min), next_h)
        st(L, BEFORE, select(hit, 1.0, ld(L, BEFORE)))
        st(L, EVENTS, ld(L, EVENTS) + select(hit | kink, 1.0, 0.0 * h))
        quiet = accepted & lnot(hit)
        if KINKS:
            arm(lnot(next_wait > 0.0), C)
        if JUMPS or RESTART:
            if any_lane(hit):
                if RESTART:  # velocities drift at index 3
                    project(ld(L, T), q, v, P, U, w)
                    for i in range(N):
                        st(v, i, ld(v, i) + select(hit, ld(w, N + i), 0.0))
                refresh(ld(L, T), hit, q, v, s, C, P, U, K, D, g)
        if NR > 0 and (JUMPS or RESTART or STEPPED):
            turned = (hit | kink) if STEPPED else hit
            if any_lane(turned):
                when = select(kink, when, ld(L, T))
                signals(ld(L, T), q, v, s, C, P, U, Y1)
                for k in range(NR):
                    y = select(turned, ld(Y1, k), ld(Y0, k))
                    st(Y0, k, y)
                    high, low = y > ld(R, 6 * k), y < ld(R, 6 * k + 2)
                    st(R, 6 * k, select(high, y, ld(R, 6 * k)))
                    st(R, 6 * k + 1, select(high, when, ld(R, 6 * k + 1)))
                    st(R, 6 * k + 2, select(low, y, ld(R, 6 * k + 2)))
                    st(R, 6 * k + 3, select(low, when, ld(R, 6 * k + 3)))
    st(L, HN, select(live, next_h, nominal))
    if PROJECT:
        if not fixed:
            drift(ld(L, T), quiet, DRIFT * tolerance, q, v, s, C, P, U, L, K, D, w, g)


def finish(sample, lane, count, H, F, G, times, tp, qp, vp, sp, Cp, Pp, P, U, L, R, yp, counters, K, D, w, g):
    """Store a lane's results: outputs at the grid times, W times at once, then sums and counters."""
    for i in range(NP):
        for k in range(W):
            Pp[i, k] = P[i, lane]
    for i in range(OUTPUTS, OUTPUTS + U[3][1]):
        for k in range(W):
            Pp[i, k] = P[i, lane]
    for start in range(0, count, W):
        for k in range(W):
            row = min(start + k, count - 1)
            tp[0, k] = times[row]
            for i in range(N):
                qp[i, k], vp[i, k] = G[lane, row, i], G[lane, row, N + i]
            for i in range(M):
                sp[i, k] = G[lane, row, 2 * N + i]
            for j in range(NC):
                Cp[6 * j, k] = G[lane, row, 2 * N + M + 3 * j]
                Cp[6 * j + 1, k] = G[lane, row, 2 * N + M + 3 * j + 1]
                Cp[6 * j + 4, k] = G[lane, row, 2 * N + M + 3 * j + 2]
            if REFINED:
                for i in range(N + 1):
                    w[N + i, k] = G[lane, row, 2 * N + M + 3 * NC + i]
        if REFINED:
            h = ld(w, 2 * N)
            relinearise(ld(tp, 0), h, qp, vp, sp, Cp, Pp, U)
            refine(ld(tp, 0), h, w[N:], qp, vp, sp, Cp, Pp, U, K, D, w, g[2 * NC :])
        signals(ld(tp, 0), qp, vp, sp, Cp, Pp, U, yp)
        for y in range(U[3][3]):
            for k in range(min(W, count - start)):
                H[y, sample, start + k] = yp[U[3][5 + y], k]
    for i in range(len(R)):
        F[sample, i] = R[i, lane]
    for i in range(4):
        counters[sample, i] = L[STEPS + i, lane]
    counters[sample, 4] = L[T, lane]


def fill(sample, lane, Q0, V0, S0, C0, K0, D0, P0, L0, X0, q, v, s, C, K, D, P, L, Z, R, Y0, cursor):
    """Put a sample into a lane."""
    for i in range(N):
        q[i, lane], v[i, lane] = Q0[i, sample], V0[i, sample]
    for i in range(M):
        s[i, lane], D[0, i, lane], Z[i, lane] = S0[i, sample], D0[i, sample], abs(S0[i, sample])
    for i in range(len(C)):
        C[i, lane] = C0[i, sample]
    for k in range(CARRY):
        for i in range(K0.shape[1]):
            K[k, i, lane] = K0[k, i, sample]
    for i in range(NP):
        P[i, lane] = P0[i, sample]
    for i in range(NP, len(P0)):
        P[OUTPUTS - NP + i, lane] = P0[i, sample]
    P[NP, lane] = P[NP + 3, lane] = 0.0
    for i in range(len(L)):
        L[i, lane] = L0[i, sample]
    for k in range(len(R) // 6):
        Y0[k, lane] = X0[k, sample]
        R[6 * k, lane] = R[6 * k + 2, lane] = X0[k, sample]
        R[6 * k + 1, lane] = R[6 * k + 3, lane] = R[6 * k + 4, lane] = R[6 * k + 5, lane] = 0.0
    cursor[lane] = 0


def campaign(
    end, tolerance, fixed, h_max, h_min, gap_tolerance, max_steps, queue, owner, Q0, V0, S0, C0, K0, D0, P0, L0, X0, U, H, F, counters,
    times, G, cursor, q, v, s, C, P, L, Z, K, D, w, R, Y0, Ym, Y1, qs, vs, ss, qm, vm, sm, g, X, tp, qp, vp, sp, Cp, Pp, yp
):  # fmt: skip
    """Run every sample of the queue through the lanes."""
    unstarted, running = 0, 0
    for lane in range(W):
        if unstarted < len(queue):
            owner[lane] = queue[unstarted]
            unstarted += 1
            running += 1
        else:
            owner[lane] = -1
        fill(max(owner[lane], queue[0]), lane, Q0, V0, S0, C0, K0, D0, P0, L0, X0, q, v, s, C, K, D, P, L, Z, R, Y0, cursor)
        if owner[lane] < 0:
            L[T, lane] = end
    while running > 0:
        advance(
            end, tolerance, fixed, h_max, h_min, gap_tolerance, max_steps, q, v, s, C, P, U, L, Z, K, D, w, R, Y0, Ym, Y1, qs, vs, ss, qm,
            vm, sm, g, times, cursor, G, X
        )  # fmt: skip
        if any_lane((ld(L, T) >= end) | (ld(L, STATUS) > 0.5)):
            for lane in range(W):
                if owner[lane] >= 0 and (L[T, lane] >= end or L[STATUS, lane] > 0.5):
                    finish(
                        owner[lane], lane, cursor[lane], H, F, G, times, tp, qp, vp, sp, Cp, Pp, P, U, L, R, yp, counters, K, D, w, g
                    )  # fmt: skip
                    running -= 1
                    owner[lane] = -1
                    if unstarted < len(queue):
                        owner[lane] = queue[unstarted]
                        unstarted += 1
                        running += 1
                        fill(owner[lane], lane, Q0, V0, S0, C0, K0, D0, P0, L0, X0, q, v, s, C, K, D, P, L, Z, R, Y0, cursor)
                    else:
                        L[T, lane] = end
                        L[STATUS, lane] = 0.0


FUNCTIONS = (*events.FUNCTIONS, reduce_step, middle, relinearise, refine, record, refresh, drift, advance, finish, fill)
__all__ = ["FUNCTIONS", "LANE_ROWS", "NAMES", "campaign"]
