"""Bending of rods within a step of the symplectic perturbation: what is kept of it by slots, and its vibration in rows of W."""

from flexmbd.integrators.base import Slot
from flexmbd.integrators.precise import copy, factorise, room, solve, wave_functions
from flexmbd.lanes import select
from flexmbd.lanes.rows import get, ld, st
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import FACTORS, H, N, SLOTS, START, STRIDE

SLOT = (
    Slot("first", "rates at the start", True),
    Slot("which", "1 for each amplitude", True),
    Slot("momentum", "momenta of the large motion; of amplitudes those of the bending", True),
    Slot("load", "applied forces", True),
    Slot("slow", "velocities of the large motion alone; of amplitudes what they give the bending", True),
    Slot("pull", "accelerations of the large motion alone; of amplitudes their force on the bending", True),
    Slot("weight", "external forces on the bending", True),
    Slot("next momentum", "the same at the end"),
    Slot("next load", "the same at the end"),
    Slot("next slow", "the same at the end"),
    Slot("next pull", "the same at the end"),
    Slot("next weight", "the same at the end"),
    Slot("origin", "coordinates at the start"),
    Slot("known", "momenta of the first half of the step"),
    Slot("given", "momenta at a point"),
    Slot("last", "rates at the end"),
)
FIRST, WHICH, MOMENTUM, LOAD, SLOW, PULL, WEIGHT, NEXT, _, _, _, _, ORIGIN, KNOWN, GIVEN, LAST_SLOT = range(len(SLOT))
AHEAD = NEXT - MOMENTUM  # slots from those of the start to those of the end
# vectors of the bending in W, each of as many rows as amplitudes
(AMPLITUDE, IMPULSE, MEAN, CHANGE, BOW, STIFFNESS, LAG, SWING, SPEED, NEW, RATE) = range(11)
VECTORS = 11


@inner
def slot(k, at):
    """First row of a slot."""
    return at[SLOTS] + k * at[STRIDE]


@inner
def amplitudes(X, at):
    """How many coordinates are amplitudes."""
    count = 0
    for i in range(at[N]):
        if get(X, slot(WHICH, at) + i, 0) > 0.5:
            count += 1
    return count


@inner
def is_small(i, X, at):
    """Whether a coordinate is an amplitude."""
    return get(X, slot(WHICH, at) + i, 0) > 0.5


@inner
def results(m, at):
    """Rows of W: masses (m, m), places (n, m), stiffness (m,), as `LINEARISE` leaves them; vectors; matrices."""
    masses = 3 * at[N]
    places = masses + m * m
    stiffness = places + at[N] * m
    vectors = stiffness + m
    return masses, places, stiffness, vectors, vectors + VECTORS * m


@inner
def forced(h, m, X, W, at):
    """Vectors of the bending: amplitudes and impulses at the start, and of the force over the stiffness mean, change and bow in the step.

    The mean gives the momentum that the step has, change and bow what the force is at both ends: steps differ in its slope, not in itself.
    """
    _, _, stiffness, vectors, _ = results(m, at)
    copy(stiffness, vectors + STIFFNESS * m, m, W)
    j, inverse = 0, 1.0 / h
    for i in range(at[N]):
        if is_small(i, X, at):
            k = vectors + j
            over = 1.0 / ld(W, k + STIFFNESS * m)
            st(W, k + AMPLITUDE * m, ld(X, START + 1 + i))
            st(W, k + IMPULSE * m, ld(X, slot(MOMENTUM, at) + i))
            weight = 0.5 * (ld(X, slot(WEIGHT, at) + i) + ld(X, slot(WEIGHT + AHEAD, at) + i))
            mean = weight - (ld(X, slot(SLOW + AHEAD, at) + i) - ld(X, slot(SLOW, at) + i)) * inverse
            st(W, k + MEAN * m, mean * over)
            first, last = ld(X, slot(PULL, at) + i), ld(X, slot(PULL + AHEAD, at) + i)
            st(W, k + CHANGE * m, (last - first) * over)
            st(W, k + BOW * m, (3.0 * (first + last) - 6.0 * mean) * over)
            j += 1
    scale = 2.0 / (h * h)
    for i in range(m):
        x = 0.0 * h
        for k in range(m):
            a = at[FACTORS] + m * i + k
            x = x + 0.5 * (ld(X, a) + ld(X, a + m * m)) * ld(W, vectors + BOW * m + k)
        st(W, vectors + LAG * m + i, scale * x / ld(W, vectors + STIFFNESS * m + i))


@inner
def mean_masses(to, m, X, W, at):
    """Masses of the bending in the middle of the step."""
    for i in range(m * m):
        st(W, to + i, 0.5 * (ld(X, at[FACTORS] + i) + ld(X, at[FACTORS] + m * m + i)))


@inner
def prepare(who, h, m, X, W, at):
    """Factors of the masses in the middle, and functions of the vibration over a time h, for some lanes."""
    _, _, _, vectors, matrices = results(m, at)
    far = room(m)
    made = matrices + 3 * far
    mean_masses(made, m, X, W, at)
    factorise(made, m, W)
    wave_functions(h, made, vectors + STIFFNESS * m, made + far, m, W)
    for i in range(3 * far):
        st(W, matrices + i, select(who, ld(W, made + i), ld(W, matrices + i)))


@inner
def vibrate(part, h, m, X, W, at):
    """Amplitudes `NEW` and rates `RATE` after a part of the step, for which `prepare` was called.

    ``a = f(t) + C (a0 - f0) + t S (a0' - f0')``, where ``K f = F - R K^-1 F''`` with a force F that is quadratic in time.
    """
    _, _, _, vectors, matrices = results(m, at)
    even, odd, time = matrices + room(m), matrices + 2 * room(m), part * h
    swing, speed, inverse = vectors + SWING * m, vectors + SPEED * m, 1.0 / h
    copy(vectors + IMPULSE * m, speed, m, W)
    solve(matrices, speed, 1, m, W)
    for i in range(m):
        change, bow = ld(W, vectors + CHANGE * m + i), ld(W, vectors + BOW * m + i)
        begun = ld(W, vectors + MEAN * m + i) - ld(W, vectors + LAG * m + i) - 0.5 * change + bow * (1.0 / 6.0)
        st(W, swing + i, ld(W, vectors + AMPLITUDE * m + i) - begun)
        st(W, speed + i, ld(W, speed + i) - inverse * (change - bow))
        st(W, vectors + NEW * m + i, begun + part * (change + (part - 1.0) * bow) + ld(W, swing + i))
        st(W, vectors + RATE * m + i, inverse * (change + (2.0 * part - 1.0) * bow) + ld(W, speed + i))
    for i in range(m):
        a, rate = ld(W, vectors + NEW * m + i), ld(W, vectors + RATE * m + i)
        for k in range(m):
            c, s = ld(W, even + m * i + k), ld(W, odd + m * i + k)
            a = a + c * ld(W, swing + k) + time * (s * ld(W, speed + k))
            rate = rate + c * ld(W, speed + k)
        st(W, vectors + NEW * m + i, a)
        st(W, vectors + RATE * m + i, rate)
    copy(swing, speed, m, W)  # -t A S (a0 - f0): A = R^-1 K commutes with S
    for i in range(m):
        x = 0.0 * h
        for k in range(m):
            x = x + ld(W, odd + m * i + k) * ld(W, speed + k)
        st(W, swing + i, x)
    for i in range(m):
        st(W, swing + i, ld(W, swing + i) * ld(W, vectors + STIFFNESS * m + i))
    solve(matrices, swing, 1, m, W)
    for i in range(m):
        st(W, vectors + RATE * m + i, ld(W, vectors + RATE * m + i) - time * ld(W, swing + i))


@inner
def impulses(m, X, W, at):
    """Momenta of the bending at the end, by the masses in the middle, which the vibration had."""
    _, _, _, vectors, matrices = results(m, at)
    matrices = matrices + 3 * room(m)
    mean_masses(matrices, m, X, W, at)
    j = 0
    for i in range(at[N]):
        if is_small(i, X, at):
            x = 0.0 * ld(X, H)
            for k in range(m):
                x = x + ld(W, matrices + m * j + k) * ld(W, vectors + RATE * m + k)
            st(X, slot(NEXT, at) + i, x)
            j += 1


@inner
def rates_at_end(m, X, W, at):
    """Rates of the bending at the end from its momenta and masses there."""
    _, _, _, vectors, matrices = results(m, at)
    matrices = matrices + 3 * room(m)
    j = vectors + RATE * m
    for i in range(at[N]):
        if is_small(i, X, at):
            st(W, j, ld(X, slot(NEXT, at) + i))
            j += 1
    for i in range(m * m):
        st(W, matrices + i, ld(X, at[FACTORS] + m * m + i))
    factorise(matrices, m, W)
    solve(matrices, vectors + RATE * m, 1, m, W)


@inner
def put_rates(point, m, X, W, at):
    """Velocities at a point: rates of the bending, and those of the large motion, as `LINEARISE` left them, with what follows."""
    n = at[N]
    _, places, _, vectors, _ = results(m, at)
    j = vectors + RATE * m
    for i in range(n):
        if is_small(i, X, at):
            st(X, point + 1 + n + i, ld(W, j))
            j += 1
        else:
            x = ld(W, i)
            for k in range(m):
                x = x + ld(W, places + m * i + k) * ld(W, vectors + RATE * m + k)
            st(X, point + 1 + n + i, x)
