"""Initial conditions in lanes: positions by constrained Newton from a guess, then consistent velocities and accelerations.

Like those of `loop`, these functions are copied into the generated module.
"""

# ruff: noqa: F821 - names are bound in the generated module
from flexmbd.lanes import any_lane, fabs, maximum, select


def assemble(Q0, V0, P0, U, E0, q, v, P, w, iterations):
    """Mass-orthogonal Newton on positions, then projection of velocities, for all samples.

    `E0` receives the largest residual of positions (lengths, angles) and of velocities (lengths, angles).
    """
    count = Q0.shape[1]
    for start in range(0, count, W):
        for k in range(W):
            sample = min(start + k, count - 1)
            for i in range(N):
                q[i, k], v[i, k] = Q0[i, sample], V0[i, sample]
            for i in range(NP):
                P[i, k] = P0[i, sample]
        t = 0.0 * ld(q, 0)
        moving = t < 1.0
        for _ in range(iterations):
            assemble_project(t, q, v, P, U, w)
            turn, largest = 0.0 * t, 0.0 * t
            for i in range(N):
                x = fabs(ld(w, i))
                largest = maximum(x / (1.0 + fabs(ld(q, i))), largest)
                if TURNS[i]:
                    turn = maximum(x, turn)
            scale = select(turn > 0.4, 0.4 / maximum(turn, 0.4), 1.0)
            for i in range(N):
                st(q, i, ld(q, i) + select(moving, scale * ld(w, i), 0.0))
            moving = moving & (largest > 1e-14)
            if not any_lane(moving):
                break
        for _ in range(2):
            assemble_project(t, q, v, P, U, w)
            for i in range(N):
                st(v, i, ld(v, i) + ld(w, N + i))
        assemble_residual(t, q, v, P, U, w)
        for k in range(W):
            sample = min(start + k, count - 1)
            for i in range(N):
                Q0[i, sample], V0[i, sample] = q[i, k], v[i, k]
            for i in range(4):
                E0[i, sample] = w[i, k]


def prepare(Q0, V0, S0, C0, K0, D0, P0, L0, X0, U, h0, reach, sizes, q, v, s, C, P, K, D, L, Y0, g):
    """Accelerations, contact modes, error scales and signal values at the start, for all samples.

    The scales are what velocities are, and what accelerations make of them within the time `reach`; `sizes` are the mechanism's, its
    places' distance from the origin (m), and of all contacts the penetration within which events are located (m), and the least impact
    velocity (m/s).
    """
    count = Q0.shape[1]
    for start in range(0, count, W):
        for k in range(W):
            sample = min(start + k, count - 1)
            for i in range(N):
                q[i, k], v[i, k] = Q0[i, sample], V0[i, sample]
            for i in range(M):
                s[i, k] = S0[i, sample]
            for i in range(NP):
                P[i, k] = P0[i, sample]
            for i in range(NP, len(P0)):
                P[OUTPUTS - NP + i, k] = P0[i, sample]
            for i in range(len(C)):
                C[i, k] = 0.0
            L[SLIN, k], L[SIZE, k] = sizes[0, sample], sizes[1, sample]
            for j in range(NC):
                C[6 * NC + j, k], C[6 * j + 5, k] = sizes[2 + j, sample], sizes[2 + NC + j, sample]
        t, length, size = 0.0 * ld(q, 0), ld(L, SLIN), ld(L, SIZE)
        limits(P, U, C)
        begin(t, q, v, s, C, P, U, K, D, g)
        for j in range(NC):
            touching = ld(g, 2 * j) > 0.0
            st(C, 6 * j, select(touching, 1.0, t + (ARMED if KINK[j] else 0.0)))
            st(C, 6 * j + 1, select(touching, maximum(ld(g, 2 * j + 1), ld(C, 6 * j + 5)), t))
            st(C, 6 * j + 4, select(touching, 1.0, t))
        if NC > 0:
            begin(t, q, v, s, C, P, U, K, D, g)
        for j in range(NC):
            st(C, 6 * j + 2, ld(g, 2 * j))
            st(C, 6 * j + 3, ld(g, 2 * j + 1))
        lin, ang = t + 1e-9 * length, t + 1e-9
        for i in range(N):
            x = fabs(ld(v, i)) + reach * fabs(ld2(K, 0, i))
            if TURNS[i]:
                ang = maximum(ang, x)
            else:
                lin = maximum(lin, x)
        ang = maximum(ang, 1e-3 * lin / length)
        lin = maximum(lin, 1e-3 * ang * length)
        for i in range(LANE_ROWS):
            st(L, i, t)
        st(L, HN, t + h0)
        st(L, BEFORE, t + 1.0)
        st(L, SLIN, lin)
        st(L, SIZE, size)
        st(L, LOOK, t + WINDOW)
        st(L, SPAN, length)
        st(L, SANG, ang)
        NR = U[3][2]
        if NR > 0:
            signals(t, q, v, s, C, P, U, Y0)
        for k in range(W):
            sample = min(start + k, count - 1)
            for i in range(len(C)):
                C0[i, sample] = C[i, k]
            for j in range(CARRY):
                for i in range(K0.shape[1]):
                    K0[j, i, sample] = K[j, i, k]
            for i in range(M):
                D0[i, sample] = D[0, i, k]
            for i in range(LANE_ROWS):
                L0[i, sample] = L[i, k]
            for i in range(NR):
                X0[i, sample] = Y0[i, k]


ENTRIES = (assemble, prepare)
