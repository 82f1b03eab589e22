"""Symplectic perturbation of order 4 and 6: symmetric compositions of its step with itself, of the lengths ``c_j h``, some of them back.

Of five steps and order 4 after Suzuki (1990, Phys. Lett. A 146, 319-323), of nine and order 6 after Kahan and Li (1997, Math. Comput. 66,
1089-1099; s9odr6a); Hairer, Lubich and Wanner, Geometric Numerical Integration, 2006, V.3.  What is symmetric stays so.  For places to
1e-5 of the mechanism's size and less: coarser ones cost less with `symplectic_perturbation` (docs/theory/symplectic_perturbation.md).
"""

from dataclasses import replace
from functools import partial

import numpy as np

from flexmbd.equations.perturbation import perturbation_functions
from flexmbd.integrators.base import Slot
from flexmbd.integrators.bending import AHEAD, FIRST, LAST_SLOT, MOMENTUM, NEXT, SLOT, amplitudes, slot
from flexmbd.integrators.symplectic_perturbation import SYMPLECTIC_PERTURBATION, hand_on, single, start_of
from flexmbd.lanes import select
from flexmbd.lanes.rows import doubles, ld, st
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import ATTEMPT, END, ERROR, FACTORS, RATES, SCHEME, START, STRIDE, H, M, N, T

BEGUN = len(SLOT)  # first slot of what is kept of the start
CLOSE = ALIKE = 1e-10  # last changes of places, and of amplitudes, by their size: what is left of them adds up
FIFTH = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
NINTH = 0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981, 0.082213596293550800230


@inner
def keep_start(kept, m, X, at):
    """Keep what is known at the start of a composition's first step (`kept`), or put it back."""
    n, states, stride = at[N], at[M], at[STRIDE]
    for k in range(2):
        for i in range(n):
            exchange(kept, START + 1 + k * n + i, slot(BEGUN + k, at) + i, X)
    for i in range(states):
        exchange(kept, START + 1 + 2 * n + i, slot(BEGUN, at) + at[RATES] + i, X)
        exchange(kept, slot(FIRST, at) + at[RATES] + i, slot(BEGUN + 1, at) + at[RATES] + i, X)
    for k in range(AHEAD):
        for i in range(n):
            exchange(kept, slot(MOMENTUM, at) + k * stride + i, slot(BEGUN + 2, at) + k * stride + i, X)
    for i in range(m * m):
        exchange(kept, at[FACTORS] + i, at[FACTORS] + 2 * m * m + i, X)


@inner
def exchange(kept, a, b, X):
    """Copy row a to b, or back."""
    if kept:
        st(X, b, ld(X, a))
    else:
        st(X, a, ld(X, b))


@inner
def on_from_end(m, X, at):
    """The end of a step becomes the start of the next one of a composition."""
    for i in range(1 + 2 * at[N] + at[M]):
        st(X, START + i, ld(X, at[END] + i))
    for k in range(at[M]):
        st(X, slot(FIRST, at) + at[RATES] + k, ld(X, slot(LAST_SLOT, at) + at[RATES] + k))
    hand_on(ld(X, H) == ld(X, H), X, at)


def attempt(X, P, W, at):
    """The steps of the composition; its error is infinite where an iteration does not end, else 0."""
    scheme, t, h, m = doubles(at[SCHEME]), ld(X, T), ld(X, H), amplitudes(X, at)
    start_of(m, X, P, W, at)
    keep_start(True, m, X, at)
    lost = h < 0.0
    for j in range(int(scheme[0])):
        if j > 0:
            on_from_end(m, X, at)
        part = scheme[1 + j] * h
        st(X, H, part)
        lost = lost | single(part, m, CLOSE, ALIKE, X, P, W, at)
    keep_start(False, m, X, at)
    st(X, T, t)
    st(X, H, h)
    st(X, at[END], t + h)
    st(X, ERROR, select(lost, np.inf, 0.0))


def composed(order, shares):
    """The scheme of that order, whose step consists of steps of these shares of it."""
    name, plain = f"symplectic_perturbation_{order}", SYMPLECTIC_PERTURBATION
    kept = "places and states", "velocities, and rates of states", *(slot.name for slot in SLOT[MOMENTUM:NEXT])
    return replace(
        plain, name=name, order=order, slots=(*SLOT, *(Slot(f"begun {what}", "the same at the start of the first step") for what in kept)),
        functions=plain.functions | {ATTEMPT: attempt}, numbers=(len(shares), *shares),
        generated=partial(perturbation_functions, scheme=name, blocks=3),
    )  # fmt: skip


SYMPLECTIC_PERTURBATION_4 = composed(4, (FIFTH, FIFTH, 1.0 - 4.0 * FIFTH, FIFTH, FIFTH))
SYMPLECTIC_PERTURBATION_6 = composed(6, (*NINTH, 1.0 - 2.0 * sum(NINTH), *NINTH[::-1]))
