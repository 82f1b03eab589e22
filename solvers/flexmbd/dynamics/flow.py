"""The flow of a mechanism with its variational equations: accelerations, steps of Dormand and Prince's method of order 8, closing of rows.

A state is a column of coordinates and velocities, n each; behind it stand the columns of its derivatives, and all are integrated together
(Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I, 2nd ed. 1993, I.14 and II.10).  Accelerations and multipliers of
index 1 and their derivatives have one matrix, which is factored once.
"""

import numpy as np

from flexmbd.dynamics.linear import clear, factorise, substitute
from flexmbd.dynamics.names import (
    BETWEEN, BOUND, BROAD, CHANGES, CLOSING, COLUMNS, CONVECTIVE, END, ENTRIES, FORCE_P, FORCE_Q, FORCE_V, FORCE_Z, FREE, FUNCTIONS,
    JACOBIAN, LOAD, MASS, MATRIX, MOTION, NC, OF_STATE, OUT, PLACE, RATES, RATES_AT, RATES_P, RATES_Q, REALS, ROW_P, ROW_Q, ROW_V, ROWS,
    ROWS_P, SEGMENTS, SIDES, SLOPES, SPAN, SPEEDS, STAGE, STATE, TOLERANCE, TURNING, TURNING_COUNT, TURNS, WEIGHTS, WIDE, A, L, M, N, Q,
    S, V, Z,
)  # fmt: skip
from flexmbd.integrators.dop853 import EMBEDDED, ERROR_5
from flexmbd.integrators.dop853 import ROWS as TABLEAU
from flexmbd.lanes import sqrt
from flexmbd.lanes.rows import doubles, evaluate, ld, st, words
from flexmbd.lanes.vector import inner

STAGES = 12
WEIGHTS_OF = np.array(TABLEAU[STAGES], float)
FINE = np.array(ERROR_5[:STAGES], float)
ROUGH = WEIGHTS_OF - np.array([EMBEDDED.get(k, 0.0) for k in range(STAGES)])
COEFFICIENTS = np.array([[*row, *[0.0] * (STAGES - len(row))] for row in TABLEAU[:STAGES]], float)
NODES = COEFFICIENTS.sum(axis=1)


@inner
def call(which, X, P, W, at):
    """Call a function of `Code` with the variables that are in X."""
    evaluate(at[FUNCTIONS + which], X, P, W, at, 0, at[OUT])


@inner
def put(t, state, X, at):
    """Put time, coordinates, velocities and approach speeds into X, those of the state at an address."""
    n, columns, y, z = at[N], at[COLUMNS], doubles(state), doubles(at[SPEEDS])
    st(X, 0, t)
    for i in range(n):
        st(X, at[Q] + i, y[i * columns])
        st(X, at[V] + i, y[(n + i) * columns])
    for j in range(at[NC]):
        st(X, at[Z] + j, z[j * columns])


@inner
def value(segment, k, X, at):
    """Number k of what is stored in a segment."""
    return ld(X, at[OUT] + words(at[SEGMENTS])[segment] + k)


@inner
def take(segment, of, first, columns, row, X, at):
    """Subtract a segment's derivatives times what is at an address, rows from `first` on without the first column, from sides at `row`."""
    segments, entries, d, b, wide, broad = words(at[SEGMENTS]), words(at[ENTRIES]), doubles(of), doubles(at[SIDES]), at[COLUMNS], at[BROAD]
    for e in range(segments[segment], segments[segment + 1]):
        x = ld(X, at[OUT] + e)
        if x != 0.0:
            i, j = (row + entries[2 * e]) * broad, (first + entries[2 * e + 1]) * wide
            for c in range(1, columns):
                b[i + c - 1] = b[i + c - 1] - x * d[j + c]


@inner
def saddle(X, at):
    """Mass matrix and rows of the last call of "motion"."""
    segments, entries, a, wide = words(at[SEGMENTS]), words(at[ENTRIES]), doubles(at[MATRIX]), at[WIDE]
    n, size = at[N], at[N] + at[M]
    for i in range(size):
        for j in range(size):
            a[i * wide + j] = 0.0
    for e in range(segments[MASS], segments[MASS + 1]):
        a[entries[2 * e] * wide + entries[2 * e + 1]] = ld(X, at[OUT] + e)
    for e in range(segments[JACOBIAN], segments[JACOBIAN + 1]):
        k, i, x = n + entries[2 * e], entries[2 * e + 1], ld(X, at[OUT] + e)
        a[k * wide + i] = x
        a[i * wide + k] = x


@inner
def field(t, state, columns, into, X, P, W, at):
    """Rates, into an address, of a state and of the first columns of its derivatives; False where accelerations are not unique."""
    n, m, wide, broad = at[N], at[M], at[COLUMNS], at[BROAD]
    y, out, b = doubles(state), doubles(into), doubles(at[SIDES])
    put(t, state, X, at)
    for i in range(n):
        st(X, at[A] + i, 0.0)
    call(MOTION, X, P, W, at)
    saddle(X, at)
    if not factorise(n + m, at):
        return False
    for i in range(n):
        b[i * broad] = -value(LOAD, i, X, at)
    for k in range(m):
        b[(n + k) * broad] = -value(CONVECTIVE, k, X, at)
    substitute(n + m, 1, at)
    for i in range(n):
        out[i * wide] = y[(n + i) * wide]
        out[(n + i) * wide] = b[i * broad]
    if columns == 1:
        return True
    for i in range(n):
        st(X, at[A] + i, b[i * broad])
    for k in range(m):
        st(X, at[L] + k, b[(n + k) * broad])
    call(SLOPES, X, P, W, at)
    clear(n + m, columns - 1, at)
    take(FORCE_Q, state, 0, columns, 0, X, at)
    take(FORCE_V, state, n, columns, 0, X, at)
    take(FORCE_Z, at[SPEEDS], 0, columns, 0, X, at)
    take(FORCE_P, at[CHANGES], 0, columns, 0, X, at)
    take(ROW_Q, state, 0, columns, n, X, at)
    take(ROW_V, state, n, columns, n, X, at)
    take(ROW_P, at[CHANGES], 0, columns, n, X, at)
    substitute(n + m, columns - 1, at)
    for i in range(n):
        for c in range(1, columns):
            out[i * wide + c] = y[(n + i) * wide + c]
            out[(n + i) * wide + c] = b[i * broad + c - 1]
    return True


@inner
def attempt(t, h, columns, X, P, W, at):
    """State and derivatives a step later, at `END`; rates at the start are the first of `RATES_AT`."""
    size, wide = 2 * at[N], at[COLUMNS]
    y, f, stage, end = doubles(at[STATE]), doubles(at[RATES_AT]), doubles(at[STAGE]), doubles(at[END])
    for j in range(1, STAGES):
        for i in range(size):
            for c in range(columns):
                total, k = 0.0, i * wide + c
                for s in range(j):
                    total = total + COEFFICIENTS[j, s] * f[s * size * wide + k]
                stage[k] = y[k] + h * total
        if not field(t + NODES[j] * h, at[STAGE], columns, at[RATES_AT] + 8 * j * size * wide, X, P, W, at):
            return False
    for i in range(size):
        for c in range(columns):
            total, k = 0.0, i * wide + c
            for s in range(STAGES):
                total = total + WEIGHTS_OF[s] * f[s * size * wide + k]
            end[k] = y[k] + h * total
    return True


@inner
def estimate(h, at):
    """Error of a step over the tolerance; derivatives may be off by a hundred times as much of the largest one of their column.

    Velocities are judged beside the larger of themselves and what crosses the mechanism from section to section.  Those by what is no
    coordinate and no velocity have no part in it: they may be zero at first, and what bends them bends the others too.
    """
    n, wide, y, end, f = at[N], at[COLUMNS], doubles(at[STATE]), doubles(at[END]), doubles(at[RATES_AT])
    weights, reals, worst = doubles(at[WEIGHTS]), doubles(at[REALS]), 0.0
    span = reals[SPAN]
    for c in range(1 + at[OF_STATE]):
        place, speed = 0.0, 0.0
        for i in range(n):
            place = max(place, abs(y[i * wide + c]) / weights[i])
            speed = max(speed, abs(y[(n + i) * wide + c]) / weights[i])
        place, speed = place + 0.01 * span * speed, speed + place / span
        fine, rough = 0.0, 0.0
        for i in range(2 * n):
            k, w = i * wide + c, weights[i if i < n else i - n]
            own = 100.0 * w * (place if i < n else speed)
            if c == 0:
                own = max(abs(y[k]), abs(end[k]), w if i < n else w / span)
            a, b = 0.0, 0.0
            for s in range(STAGES):
                a = a + FINE[s] * f[s * 2 * n * wide + k]
                b = b + ROUGH[s] * f[s * 2 * n * wide + k]
            if own > 0.0:
                fine = fine + (a / own) * (a / own)
                rough = rough + (b / own) * (b / own)
        if fine > 0.0:
            worst = max(worst, h * fine / sqrt((fine + 0.01 * rough) * (2.0 * n)) / reals[TOLERANCE])
        if c == 0 and not fine >= 0.0:
            return 1e10
    return worst


@inner
def close(t, state, columns, X, P, W, at):
    """Close rows and their rates by mass-orthogonal corrections, those of the derivatives too; False where there are none."""
    n, m, wide, broad, y, b = at[N], at[M], at[COLUMNS], at[BROAD], doubles(state), doubles(at[SIDES])
    for _ in range(4 if m > 0 else 0):
        put(t, state, X, at)
        call(MOTION, X, P, W, at)
        call(CLOSING, X, P, W, at)
        saddle(X, at)
        if not factorise(n + m, at):
            return False
        clear(n, 2, at)
        for k in range(m):
            b[(n + k) * broad] = -value(ROWS, k, X, at)
            b[(n + k) * broad + 1] = -value(RATES, k, X, at)
        substitute(n + m, 2, at)
        moved = 0.0
        for i in range(n):
            y[i * wide] = y[i * wide] + b[i * broad]
            y[(n + i) * wide] = y[(n + i) * wide] + b[i * broad + 1]
            moved = max(moved, abs(b[i * broad]))
        if moved < 1e-9:
            break
    if m > 0 and columns > 1:
        clear(n + m, columns - 1, at)
        take(JACOBIAN, state, 0, columns, n, X, at)
        take(ROWS_P, at[CHANGES], 0, columns, n, X, at)
        substitute(n + m, columns - 1, at)
        add(state, 0, columns, at)
        clear(n + m, columns - 1, at)
        take(JACOBIAN, state, n, columns, n, X, at)
        take(RATES_Q, state, 0, columns, n, X, at)
        take(RATES_P, at[CHANGES], 0, columns, n, X, at)
        substitute(n + m, columns - 1, at)
        add(state, n, columns, at)
    return True


@inner
def add(state, first, columns, at):
    """Add solutions to derivatives of coordinates, or of velocities."""
    y, b, wide, broad = doubles(state), doubles(at[SIDES]), at[COLUMNS], at[BROAD]
    for i in range(at[N]):
        for c in range(1, columns):
            y[(first + i) * wide + c] = y[(first + i) * wide + c] + b[i * broad + c - 1]


@inner
def turn(t, X, P, W, at):
    """Let angles that count turns follow the coordinates."""
    turning = words(at[TURNING])
    if at[TURNING_COUNT] > 0:
        put(t, at[STATE], X, at)
        call(CLOSING, X, P, W, at)
        for k in range(at[TURNING_COUNT]):
            st(X, at[S] + turning[k], value(TURNS, k, X, at))


@inner
def dependent(X, at):
    """Factors of the rows' derivatives by the dependent coordinates."""
    segments, entries, a, place, m = words(at[SEGMENTS]), words(at[ENTRIES]), doubles(at[MATRIX]), words(at[PLACE]), at[M]
    for i in range(m):
        for j in range(m):
            a[i * at[WIDE] + j] = 0.0
    for e in range(segments[JACOBIAN], segments[JACOBIAN + 1]):
        j = place[entries[2 * e + 1]]
        if j >= 0:
            a[entries[2 * e] * at[WIDE] + j] = ld(X, at[OUT] + e)
    return factorise(m, at)


@inner
def gather(t, X, P, W, at):
    """Assemble the state whose independent part is at `END`, from what is at `STATE` at the time zero; False where there is none.

    `BETWEEN` times on the way keep it on the branch of where it comes from.
    """
    n, wide, y, end, free, whole = at[N], at[COLUMNS], doubles(at[STATE]), doubles(at[END]), words(at[FREE]), at[BETWEEN]
    for step in range(whole):
        share = 1.0 / (whole - step)
        for k in range(n - at[M]):
            for row in range(2):
                i = (row * n + free[k]) * wide
                y[i] = end[i] if step + 1 == whole else y[i] + share * (end[i] - y[i])
        if not assemble(t * (step + 1) / whole, X, P, W, at):
            return False
    return True


@inner
def assemble(t, X, P, W, at):
    """Dependent coordinates and velocities, and their derivatives, from the independent ones; False where there are none."""
    n, m, wide, broad, y, b, bound = at[N], at[M], at[COLUMNS], at[BROAD], doubles(at[STATE]), doubles(at[SIDES]), words(at[BOUND])
    moved = 0.0
    for step in range(60 if m > 0 else 0):
        put(t, at[STATE], X, at)
        call(MOTION, X, P, W, at)
        call(CLOSING, X, P, W, at)
        if not dependent(X, at):
            return False
        for k in range(m):
            b[k * broad] = -value(ROWS, k, X, at)
            b[k * broad + 1] = -value(RATES, k, X, at)
        substitute(m, 2, at)
        moved, size = 0.0, 1.0
        for k in range(m):
            i = bound[k]
            y[i * wide] = y[i * wide] + b[k * broad]
            y[(n + i) * wide] = y[(n + i) * wide] + b[k * broad + 1]
            moved, size = max(moved, abs(b[k * broad])), max(size, abs(y[i * wide]))
        if not moved < 1e6:
            return False
        moved = moved / size
        if moved < 1e-14 and step > 1:
            break
    if not moved < 1e-11:
        return False
    for level in range(2 if m > 0 and wide > 1 else 0):
        first = level * n
        for k in range(m):
            for c in range(1, wide):
                y[(first + bound[k]) * wide + c] = 0.0
        clear(m, wide - 1, at)
        take(JACOBIAN, at[STATE], first, wide, 0, X, at)
        if level == 0:
            take(ROWS_P, at[CHANGES], 0, wide, 0, X, at)
        else:
            take(RATES_Q, at[STATE], 0, wide, 0, X, at)
            take(RATES_P, at[CHANGES], 0, wide, 0, X, at)
        substitute(m, wide - 1, at)
        for k in range(m):
            for c in range(1, wide):
                y[(first + bound[k]) * wide + c] = b[k * broad + c - 1]
    return True
