"""Samples into lanes and out of them."""

from flexmbd.lanes.rows import doubles, get, put
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import FACTORS, KEPT_ROWS, NP, NPO, OUT_ROWS, PARAMETERS, STATE_ROWS, STATES, SUMS


@inner
def load(sample, lane, X, P, at):
    """Put a sample's state and parameters into a lane."""
    states, parameters = doubles(at[STATES]), doubles(at[PARAMETERS])
    rows, out, kept, count = at[STATE_ROWS], at[OUT_ROWS], at[KEPT_ROWS], at[NP] + at[NPO]
    own = sample * (rows + out + kept)
    for i in range(rows):
        put(X, i, lane, states[own + i])
    for i in range(out):
        put(X, at[SUMS] + i, lane, states[own + rows + i])
    for i in range(kept):
        put(X, at[FACTORS] + i, lane, states[own + rows + out + i])
    for i in range(count):
        put(P, i, lane, parameters[sample * count + i])


@inner
def store(sample, lane, X, at):
    """Take a sample's state from a lane."""
    states, rows, out, kept = doubles(at[STATES]), at[STATE_ROWS], at[OUT_ROWS], at[KEPT_ROWS]
    own = sample * (rows + out + kept)
    for i in range(rows):
        states[own + i] = get(X, i, lane)
    for i in range(out):
        states[own + rows + i] = get(X, at[SUMS] + i, lane)
    for i in range(kept):
        states[own + rows + out + i] = get(X, at[FACTORS] + i, lane)
