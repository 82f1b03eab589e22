"""What is kept of a step: running sums of reduced signals, and the states at grid times inside it.

Like those of `loop`, where the arrays are described, these functions are copied into the generated module.
"""

# ruff: noqa: F821 - names are bound in the generated module
from flexmbd.lanes import fabs, maximum, minimum, select


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


FUNCTIONS = (reduce_step, middle, record)
