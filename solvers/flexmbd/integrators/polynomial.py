"""Dense output of a scheme as polynomials of the step's fraction by which its slots count: all lanes at once, each at its own fraction."""

import numpy as np

from flexmbd.lanes import select
from flexmbd.lanes.rows import doubles, ld, st
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import END, FRACTION, MIDDLE, RATES, SCHEME, SLOTS, START, STRIDE, H, M, N, T

ENDED = 1.0 - 1e-13  # fraction from which on the point is the step's end


@inner
def weigh(numbers, count, powers, h, x, W, at):
    """Into W, for each slot: what it counts in velocities and in places, times the step and its square."""
    scheme, s = doubles(at[SCHEME]), 2.0 * x - 1.0
    for k in range(count):
        v, q = numbers + k * powers, numbers + (count + k) * powers
        by_v, by_q = scheme[v] + 0.0 * s, scheme[q] + 0.0 * s
        for p in range(1, powers):
            by_v, by_q = by_v * s + scheme[v + p], by_q * s + scheme[q + p]
        st(W, 2 * k, h * by_v)
        st(W, 2 * k + 1, h * h * by_q)


@inner
def interpolate(numbers, slot, count, powers, X, W, at):
    """The state at `FRACTION` of the step into the point `MIDDLE`.

    Parameters
    ----------
    numbers : int
        Where the polynomials stand in the scheme's numbers (see `polynomials`).
    slot, count, powers : int
        The first slot that counts, how many do, and how many coefficients a polynomial has.
    """
    n, stride, rates, first = at[N], at[STRIDE], at[RATES], at[SLOTS] + slot * at[STRIDE]
    start, end, middle, h, x = START + 1, at[END] + 1, at[MIDDLE] + 1, ld(X, H), ld(X, FRACTION)
    whole = x > ENDED
    weigh(numbers, count, powers, h, x, W, at)
    st(X, at[MIDDLE], ld(X, T) + x * h)
    for i in range(n):
        dv, dq = ld(W, 0) * ld(X, first + i), ld(W, 1) * ld(X, first + i)
        for k in range(1, count):
            a = ld(X, first + k * stride + i)
            dv, dq = dv + ld(W, 2 * k) * a, dq + ld(W, 2 * k + 1) * a
        v = ld(X, start + n + i)
        st(X, middle + i, select(whole, ld(X, end + i), ld(X, start + i) + (x * h * v + dq)))
        st(X, middle + n + i, select(whole, ld(X, end + n + i), v + dv))
    for i in range(at[M]):
        ds = ld(W, 0) * ld(X, first + rates + i)
        for k in range(1, count):
            ds = ds + ld(W, 2 * k) * ld(X, first + k * stride + rates + i)
        j = 2 * n + i
        st(X, middle + j, select(whole, ld(X, end + j), ld(X, start + j) + ds))


def polynomials(rates, a):
    """Numbers that `interpolate` reads.

    Parameters
    ----------
    rates : ndarray (slots, powers)
        By which fraction of the step each slot's rates count, as polynomials of the fraction, highest power first.
    a : ndarray (slots, slots)
        The scheme's matrix: velocities of the slots from accelerations.  Places follow by ``rates`` from these velocities.

    Returns
    -------
    ndarray (2 slots powers,)
        Coefficients in powers of s = 2 x - 1, the highest first, for velocities and then for places: of these rounding is the least.
    """
    half = np.polynomial.Polynomial([0.5, 0.5])  # x of s
    powers = rates.shape[1]
    shifted = np.array([np.pad(p.coef, (0, powers - len(p.coef))) for p in (np.polynomial.Polynomial(row[::-1])(half) for row in rates)])
    return np.concatenate([shifted[:, ::-1].ravel(), (a.T @ shifted)[:, ::-1].ravel()])


def scratch(count):
    """Rows of W that it needs, as `Integrator.work`."""
    return lambda problem: 2 * count


__all__ = ["interpolate", "polynomials", "scratch"]
