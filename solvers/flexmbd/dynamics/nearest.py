"""How near a motion comes to a contact that is left out: the largest penetration on the way, and its derivatives.

Where a penetration is largest its rate is zero, so that a neighbour's largest one differs by ``d_q D + d_p`` at the same time. Where an
impact of another contact ends its rise there is no derivative.
"""

import math

from flexmbd.dynamics.events import product
from flexmbd.dynamics.flow import attempt, call, close
from flexmbd.dynamics.impact import look
from flexmbd.dynamics.names import (
    AFTER, APART, BEFORE, CHANGES, COLUMNS, END, EVENTS, GAP_P, GAP_Q, NEAREST, NEAREST_AT, RISING, TOLD,
)  # fmt: skip
from flexmbd.lanes.rows import doubles
from flexmbd.lanes.vector import inner

NONE = math.nan


@inner
def nearer(t, state, depth, X, P, W, at):
    """Let the penetration of a state, at an address, be the largest one so far."""
    nearest, told, u = doubles(at[NEAREST]), doubles(at[TOLD]), max(0, at[APART])
    look(t, state, at[AFTER], X, P, W, at)
    call(EVENTS, X, P, W, at)
    nearest[0], told[NEAREST_AT] = depth, t
    for c in range(1, at[COLUMNS]):
        nearest[c] = product(GAP_Q, u, state, 0, c, X, at) + product(GAP_P, u, at[CHANGES], 0, c, X, at)


@inner
def near(t, h, X, P, W, at):
    """Follow the penetration of the contact that is left out over a step; what is at `END` is left as it was. False: a trial fails."""
    if at[APART] < 0:
        return True
    nearest, told, before, after, u = doubles(at[NEAREST]), doubles(at[TOLD]), doubles(at[BEFORE]), doubles(at[AFTER]), max(0, at[APART])
    if told[RISING] > 0.0 and not before[2 * u + 1] > 0.0 and before[2 * u] > nearest[0]:
        nearest[0], told[NEAREST_AT] = before[2 * u], t
        for c in range(1, at[COLUMNS]):
            nearest[c] = NONE
    look(t + h, at[END], at[AFTER], X, P, W, at)
    s = after[2 * u + 1]
    told[RISING] = s
    if not (before[2 * u + 1] > 0.0 and s <= 0.0):
        return True
    x = top(t, h, s, X, P, W, at)
    if x < 0.0 or not attempt(t, x, at[COLUMNS], X, P, W, at):
        return False
    if not close(t + x, at[END], at[COLUMNS], X, P, W, at):
        return False
    look(t + x, at[END], at[AFTER], X, P, W, at)
    depth = after[2 * u]
    if depth > nearest[0]:
        nearer(t + x, at[END], depth, X, P, W, at)
    if not attempt(t, h, at[COLUMNS], X, P, W, at):
        return False
    return close(t + h, at[END], at[COLUMNS], X, P, W, at)


@inner
def top(t, h, s, X, P, W, at):
    """Length of the step, at most h, after which the penetration rises no more; s: its rate at h. Negative: a trial fails.

    Regula falsi by the Illinois rule (Dowell and Jarratt, BIT 11 (1971) 168-174): rates have no derivative here.
    """
    before, after, u = doubles(at[BEFORE]), doubles(at[AFTER]), max(0, at[APART])
    low, high, up, down, side, x = 0.0, h, before[2 * u + 1], s, 0.0, h
    for _ in range(80):
        new = low + (high - low) * up / (up - down)
        if abs(new - x) <= 1e-15 * (abs(t) + h):
            break
        x = new
        if not attempt(t, x, 1, X, P, W, at):
            return -1.0
        if not close(t + x, at[END], 1, X, P, W, at):
            return -1.0
        look(t + x, at[END], at[AFTER], X, P, W, at)
        rate = after[2 * u + 1]
        if rate > 0.0:
            down = 0.5 * down if side > 0.0 else down
            low, up, side = x, rate, 1.0
        else:
            up = 0.5 * up if side < 0.0 else up
            high, down, side = x, rate, -1.0
    return x
