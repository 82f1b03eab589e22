"""The time loop in lanes: trial step, located events, commit, reductions and dense output (`recording`), refill.

The functions here are not called: their source is copied into the generated module of a topology, together with the
generated functions (`rhs`, `project`, `residual`, `signals`) and those of one integrator (`attempt`, `begin`, `commit`).
Every array has the lane as last axis.

| array | rows | meaning |
|---|---|---|
| q, v, s | N, N, M | coordinates, velocities, further states |
| C | 6 a contact | mode (0 free, `ARMED` free but may begin within a step, 1 contact), impact velocity, penetration, its rate, impacts, |
| | | least impact velocity; below them, a row a contact, the penetration within which its events are located |
| P, U | | packed parameters (NP rows), rows to work in, from row OUTPUTS on those of `signals`; what is the same for all lanes: |
| | | numbers, tables, and of the outputs U[3] (address, parameters, signals reduced, kept, whether some step at events, which are kept) |
| L | 15 | scalars of the lane, rows below |
| K | slots | accelerations: slot 0 at the step's start, slot LAST at its end, others belong to the integrator |
| D | slots | rates of the states s, likewise |
| R | 6 a signal | running sums of reduced signals |
| Y0, Ym, Y1 | signals | signals at start, middle and end of the step, the reduced ones first |
"""

# ruff: noqa: F821 - names are bound in the generated module
import numpy as np

from flexmbd import events, recording
from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.registry import ARMED

T, HN, HC, STEPS, REJECTED, EVENTS, STATUS, SLIN, SANG, FLOORED, BEFORE, SIZE, LOOK, MARK, SPAN = range(15)
LANE_ROWS = 15
COUNTERS = 7  # of a run: steps, rejected, events, status; its time; time and trial steps since it was last looked at
# Trial steps after which a run is looked at, and stopped if at their pace it needed more than so many times the steps that it may have.
WINDOW, HOPELESS = 10_000.0, 4.0
STUCK, LEFT = 3.0, 4.0  # status of runs stopped so, and of runs left because nobody wanted to wait any longer
# of P, below the parameters: what a kept matrix was made with (icm, cd), the rate of Newton's iteration with it, how to start the next
FROZEN_ROWS, SAFETY = 4, 0.9
NAMES = {
    "T": T, "HN": HN, "HC": HC, "STEPS": STEPS, "REJECTED": REJECTED, "EVENTS": EVENTS, "STATUS": STATUS, "SLIN": SLIN, "SANG": SANG,
    "FLOORED": FLOORED, "BEFORE": BEFORE, "SAFETY": SAFETY, "ARMED": ARMED, "SIZE": SIZE, "LOOK": LOOK, "MARK": MARK, "SPAN": SPAN,
    "WINDOW": WINDOW, "HOPELESS": HOPELESS, "STUCK": STUCK,
}  # fmt: skip


def relinearise(t, h, q, v, s, C, P, U):
    """Make what `refine` needs at a state other than that of the step's start: nothing."""


def refine(t, h, a, q, v, s, C, P, U, K, D, w, g):
    """What becomes of velocities v interpolated in a step of length h with accelerations a: nothing."""


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
    end, tolerance, fixed, h_max, h_min, max_steps, q, v, s, C, P, U, L, Z, K, D, w, R, Y0, Ym, Y1, qs, vs, ss, qm, vm, sm, g, times,
    cursor, G, X
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
        over, cut = locate(t, h, wait > 0.0, exact, C, L, g)
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
    lin, ang, size = ld(L, SLIN), ld(L, SANG), ld(L, SIZE)
    for i in range(N):
        place = select(accepted, ld(qs, i), ld(q, i))
        st(q, i, place)
        x = select(accepted, ld(vs, i), ld(v, i))
        st(v, i, x)
        if TURNS[i]:
            ang = maximum(ang, fabs(x))
        else:
            lin = maximum(lin, fabs(x))
            size = maximum(size, fabs(place))
    st(L, SIZE, size)
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
    trials = ld(L, STEPS) + ld(L, REJECTED)
    late = live & (trials > max_steps)
    st(L, STATUS, select(lost, 1.0, select(late, 2.0, ld(L, STATUS))))
    due = live & (trials >= ld(L, LOOK))
    if any_lane(due):
        look(end, due & lnot(lost | late), max_steps, trials, L)
    quiet = accepted
    if NC > 0:
        hit, onset, kink, when = switch(t, h, accepted, exact, C, L, g, s, D)
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
        if AUGMENTED or not fixed:
            drift(ld(L, T), quiet, DRIFT * tolerance, q, v, s, C, P, U, L, K, D, w, g)


def look(end, who, max_steps, trials, L):
    """Stop the lanes in `who` whose last steps have been so short that they will never get to the end."""
    t = ld(L, T)
    hopeless = who & ((end - t) * WINDOW > HOPELESS * max_steps * (t - ld(L, MARK)))
    st(L, STATUS, select(hopeless, STUCK, ld(L, STATUS)))
    on = who & lnot(hopeless)
    st(L, MARK, select(on, t, ld(L, MARK)))
    st(L, LOOK, select(on, trials + WINDOW, ld(L, LOOK)))


def finish(sample, lane, count, H, F, G, times, tp, qp, vp, sp, Cp, Pp, C, P, U, L, R, yp, counters, K, D, w, g):
    """Store a lane's results: outputs at the grid times, W times at once, then sums and counters."""
    for i in range(NP):
        for k in range(W):
            Pp[i, k] = P[i, lane]
    for i in range(OUTPUTS, OUTPUTS + U[3][1]):
        for k in range(W):
            Pp[i, k] = P[i, lane]
    for j in range(NC):
        for k in range(W):
            Cp[6 * j + 5, k] = C[6 * j + 5, lane]
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
    counters[sample, 4], counters[sample, 5] = L[T, lane], L[T, lane] - L[MARK, lane]
    counters[sample, 6] = L[STEPS, lane] + L[REJECTED, lane] - L[LOOK, lane] + WINDOW


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
    turns, progress, end, tolerance, fixed, h_max, h_min, max_steps, queue, owner, Q0, V0, S0, C0, K0, D0, P0, L0, X0, U, H, F, counters,
    times, G, cursor, q, v, s, C, P, L, Z, K, D, w, R, Y0, Ym, Y1, qs, vs, ss, qm, vm, sm, g, X, tp, qp, vp, sp, Cp, Pp, yp
):  # fmt: skip
    """Run every sample of the queue through the lanes, at most `turns` trial steps in a call: between calls Python hears Ctrl-C.

    `progress` is how many samples were started, and how many are running; where a call ends decides nothing.
    """
    started, running = progress[0], progress[1]
    if started == 0:
        for lane in range(W):
            if started < len(queue):
                owner[lane] = queue[started]
                started += 1
                running += 1
            else:
                owner[lane] = -1
            fill(max(owner[lane], queue[0]), lane, Q0, V0, S0, C0, K0, D0, P0, L0, X0, q, v, s, C, K, D, P, L, Z, R, Y0, cursor)
            if owner[lane] < 0:
                L[T, lane] = end
    while running > 0 and turns > 0:
        turns -= 1
        advance(
            end, tolerance, fixed, h_max, h_min, max_steps, q, v, s, C, P, U, L, Z, K, D, w, R, Y0, Ym, Y1, qs, vs, ss, qm, vm, sm, g,
            times, cursor, G, X
        )  # fmt: skip
        if any_lane((ld(L, T) >= end) | (ld(L, STATUS) > 0.5)):
            for lane in range(W):
                if owner[lane] >= 0 and (L[T, lane] >= end or L[STATUS, lane] > 0.5):
                    finish(
                        owner[lane], lane, cursor[lane], H, F, G, times, tp, qp, vp, sp, Cp, Pp, C, P, U, L, R, yp, counters, K, D, w, g
                    )  # fmt: skip
                    running -= 1
                    owner[lane] = -1
                    if started < len(queue):
                        owner[lane] = queue[started]
                        started += 1
                        running += 1
                        fill(owner[lane], lane, Q0, V0, S0, C0, K0, D0, P0, L0, X0, q, v, s, C, K, D, P, L, Z, R, Y0, cursor)
                    else:
                        L[T, lane] = end
                        L[STATUS, lane] = 0.0
    progress[0], progress[1] = started, running


FUNCTIONS = (*events.FUNCTIONS, *recording.FUNCTIONS, relinearise, refine, refresh, drift, look, advance, finish, fill)
__all__ = ["COUNTERS", "FUNCTIONS", "LANE_ROWS", "LEFT", "NAMES", "STUCK", "campaign"]
