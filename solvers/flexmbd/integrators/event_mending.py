"""What closed contacts have drifted is taken away, as gaps and velocities; and which contacts take part in that, and in an event."""

from flexmbd.integrators.contact_rows import (
    CONE, OWN_STATE, SLIDE_COUNT, before_row, bound_row, entry, gap_row, percussion_row, response_row, wanted_row,
)  # fmt: skip
from flexmbd.integrators.contact_modes import still
from flexmbd.integrators.event_search import GAPS_AT_START, REST, mode_of, near, slot, two_of
from flexmbd.integrators.listed import inspect, jump, member, members, product
from flexmbd.lanes import any_lane, fabs, maximum, select
from flexmbd.lanes.rows import ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import FEW
from flexmbd.stepping.names import CONES, NU, MECHANISM_SIZE, START, H, N

AROUND = 1e-6  # by the mechanism's size
# sweeps of a projection of gaps, which need not agree where corners are redundant; of velocities at most, and what is none of the least one
GAPS, RATES, NONE = 8, 100, 0.1


@inner
def around(X):
    """Gap, m, up to which what a contact would do is wanted at the start of a step: nothing that happens there closes a wider one."""
    return maximum(AROUND * ld(X, MECHANISM_SIZE), 4.0 * near(X))


@inner
def want(wide, X, W, at):
    """Say which contacts are wanted: those that are closed, and those whose gap at the step's start is not wider."""
    if at[NU] > FEW:
        for j in range(at[NU]):
            closed = (mode_of(j, X, at) > 0.5) | (ld(X, two_of(GAPS_AT_START, j, at)) <= wide)
            st(W, wanted_row(j, at), select(closed, 1.0, 0.0 * wide))


@inner
def one_closed(X, at):
    """Whether a contact is closed in some lane."""
    found = ld(X, H) < 0.0 * ld(X, H)
    for j in range(at[NU]):
        found = found | (mode_of(j, X, at) > 0.5)
    return any_lane(found)


@inner
def mend(who, begun, X, P, W, at):
    """Take away what closed contacts have drifted, as gaps and velocities, also those that now open: too slow to strike, they would close.

    Where an event has `begun` modes, so is the velocity of what begins to slide from rest: it follows its force from there on.
    """
    n, cones, zero = at[N], words(at[CONES]), 0.0 * ld(X, H)
    states, gaps, p = START + 1 + 2 * n, bound_row(at), percussion_row(at)
    want(around(X), X, W, at)
    inspect(START, X, P, W, at)
    moving, slow = who, still(X, W, at)
    for turn in range(RATES):
        left = zero
        for a in range(members(W, at)):
            j = member(a, W, at)
            r, slides = cones[CONE * j], cones[CONE * j + SLIDE_COUNT]
            mode, end = ld(X, states + cones[CONE * j + OWN_STATE]), ld(W, gap_row(j, at))
            below, nears = end < -near(X), (end < near(X)) & (ld(W, before_row(at) + r) < 0.0)
            for b in range(members(W, at) if turn < GAPS else 0):
                k = member(b, W, at)
                end = end + entry(r, cones[CONE * k], W, at) * ld(W, gaps + k)
            if turn < GAPS:
                st(W, gaps + j, ld(W, gaps + j) - select(who & ((mode > 0.5) | below), end / entry(r, r, W, at), zero))
            for k in range(1 + slides):
                holds = moving & (mode > 1.5)
                if k == 0:
                    holds = moving & ((mode > 0.5) | nears)
                elif begun and slides == 2:
                    holds = holds | (moving & (mode > 0.5) & (ld(X, slot(REST, at) + j) > 0.5))
                u = select(holds, product(r + k, W, at) + ld(W, before_row(at) + r + k), zero)
                st(W, p + r + k, ld(W, p + r + k) - u / entry(r + k, r + k, W, at))
                left = maximum(fabs(u), left)
        moving = moving & (left > NONE * slow)
        if turn >= GAPS - 1 and not any_lane(moving):
            break
    for i in range(n):
        st(X, START + 1 + n + i, ld(X, START + 1 + n + i) + select(who, jump(i, W, at), zero))
        for a in range(members(W, at)):
            j = member(a, W, at)
            by, shift = ld(W, response_row(at) + n * cones[CONE * j] + i), ld(W, gaps + j)
            st(X, START + 1 + i, ld(X, START + 1 + i) + select(fabs(shift) > 0.0, by * shift, zero))


__all__ = ["around", "mend", "one_closed", "want"]
