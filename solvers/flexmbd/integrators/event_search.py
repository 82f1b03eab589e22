"""Search for the next event of contacts that cannot be penetrated: event functions, and the trial step that may end at one."""

from flexmbd.integrators.base import Slot
from flexmbd.integrators.contact_rows import CONE, MU, MU_STATIC, before_row, gap_row, number_row, percussion_row
from flexmbd.integrators.held import FORCE
from flexmbd.lanes import any_lane, fabs, floor, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import (
    CONES, CUT, ERROR, FIXED, LARGEST, NC, NU, OVER, SIZE, SLIN, SLOTS, SPAN, START, STRIDE, H, N, T,
)  # fmt: skip
from flexmbd.stepping.within import highest, meet, wiggles

GAP, SPEED = 1e-12, 1e-10  # by the mechanism's size, the largest velocity: within these an event is met, and within `FORCE`
OWN = (
    Slot("search", "of the next event: step and value on either side, trials; events and time since they were counted", True),
    Slot("direction", "of sliding of each contact", True),
    Slot("gap", "gap and its rate of each contact at the start", True),
    Slot("next gap", "gap and its rate of each contact at the end"),
    Slot("rest", "1 for contacts at rest along the surface"),
    Slot("aside", "further states that are put aside"),
)
SEARCH, DIRECTION, GAPS_AT_START, NEXT_GAPS, REST, ASIDE = range(7, 13)
LOW, D_LOW, HIGH, D_HIGH, TRIALS, COUNTED, MARKED, MET = range(8)


@inner
def slot(k, at):
    """First row of a slot."""
    return at[SLOTS] + k * at[STRIDE]


@inner
def value(j, X, W, at):
    """Event function of contact j at the step's end, by what an event is met within: above zero where its mode is over."""
    cones = words(at[CONES])
    r, slides, s = cones[CONE * j], cones[CONE * j + 1], cones[CONE * j + 4]
    mode = ld(X, START + 1 + 2 * at[N] + s)
    force = FORCE * maximum(ld(X, at[LARGEST] + s + 1), 1e-300)
    pn = ld(W, percussion_row(at) + r)
    found = select(mode > 0.5, -pn / force, -ld(W, gap_row(j, at)) / near(X))
    if slides > 0:
        d1, u1, p1 = ld(X, slot(DIRECTION, at) + 2 * j), ld(W, before_row(at) + r + 1), ld(W, percussion_row(at) + r + 1)
        along, size = u1 * d1, fabs(p1)
        if slides == 2:
            d2, u2, p2 = ld(X, slot(DIRECTION, at) + 2 * j + 1), ld(W, before_row(at) + r + 2), ld(W, percussion_row(at) + r + 2)
            along, size = along + u2 * d2, sqrt(p1 * p1 + p2 * p2)
        stops = -along / (SPEED * ld(X, SLIN))
        slips = (size - ld(W, number_row(j, MU_STATIC, at)) * pn) / force
        rubs = ld(W, number_row(j, MU, at)) > 0.0
        found = select((mode > 1.5) & (slips > found), slips, found)
        found = select((mode > 0.5) & (mode < 1.5) & rubs & (stops > found), stops, found)
    return found


@inner
def near(X):
    """Gap within which a contact is closed, m."""
    return maximum(GAP * ld(X, SPAN), 8e-15 * ld(X, SIZE))


@inner
def hidden(j, X, P, W, at):
    """Whether contact j, open at both ends of the step, closes and opens again inside, and the step to where it is closed."""
    h, here, there = ld(X, H), slot(GAPS_AT_START, at) + 2 * j, slot(NEXT_GAPS, at) + 2 * j
    d0, s0, d1, s1 = -ld(X, here), -ld(X, here + 1), -ld(X, there), -ld(X, there + 1)
    opened = (ld(X, START + 1 + 2 * at[N] + words(at[CONES])[CONE * j + 4]) < 0.5) & (d1 < 0.0)
    closes, where = opened & (meet(h, d0, s0, d1, s1) | wiggles(h, d0, s0, d1, s1)), 0.0 * h
    if any_lane(closes):
        closes, _, _, _, where, _, _ = highest(closes, 2 * (at[NC] + j), 1.0, near(X), d0, s0, d1, s1, X, P, W, at)
    return closes, where * h


def locate(X, P, W, at):
    """Whether an event lies before the step's end, or the end falls short of one that is sought; and the next trial step."""
    h, none = ld(X, H), 0.0 * ld(X, H)
    st(X, OVER, none)
    if at[NU] == 0:
        return
    cones, search = words(at[CONES]), slot(SEARCH, at)
    worst, dips, dip = -1e300 + none, h < none, h
    for j in range(at[NU]):
        x = value(j, X, W, at)
        worst = select((x > worst), x, worst)
        g1, s1 = ld(W, gap_row(j, at)), ld(W, before_row(at) + cones[CONE * j])
        st(X, slot(NEXT_GAPS, at) + 2 * j, g1)
        st(X, slot(NEXT_GAPS, at) + 2 * j + 1, s1)
    for j in range(at[NU]):
        there, where = hidden(j, X, P, W, at)
        dip = select(there & (lnot(dips) | (where < dip)), where, dip)
        dips = dips | there
    limit = 1e300 if at[FIXED] > 0 else 1.0
    fits, seeking = ld(X, ERROR) <= limit, ld(X, search + HIGH) > 0.0
    beyond, short = fits & ((worst > 1.0) | dips), fits & seeking & (worst < -1.0) & lnot(dips)
    low, d_low = select(short, h, ld(X, search + LOW)), select(short, worst, ld(X, search + D_LOW))
    low, d_low = select(seeking, low, 0.0), select(seeking, d_low, 0.0)
    high, d_high = select(beyond, h, ld(X, search + HIGH)), select(beyond, select(worst > 1.0, worst, 0.0), ld(X, search + D_HIGH))
    trials = select(seeking, ld(X, search + TRIALS), 0.0) + 1.0
    wide = high - low > 4e-16 * (ld(X, T) + h)
    over = (beyond | short) & wide
    known = (d_low < 0.0) & (d_high > 0.0)
    secant = low + (high - low) * (-d_low / select(known, d_high - d_low, 1.0))
    thirds = trials * (1.0 / 3.0)
    halves = lnot(known) | (thirds - floor(thirds) < 0.1)
    cut = select(halves, 0.5 * (low + high), minimum(maximum(secant, low + 1e-3 * (high - low)), high - 1e-3 * (high - low)))
    cut = select(beyond & dips & lnot(worst > 1.0), dip, cut)
    met = fits & lnot(over) & ((worst >= -1.0) | (seeking & lnot(wide)))
    st(X, search + LOW, select(over, low, 0.0))
    st(X, search + D_LOW, select(over, d_low, 0.0))
    st(X, search + HIGH, select(over, high, 0.0))
    st(X, search + D_HIGH, select(over, d_high, 0.0))
    st(X, search + TRIALS, select(over, trials, 0.0))
    st(X, search + MET, select(met, 1.0, 0.0))
    st(X, OVER, select(over, 1.0, 0.0))
    st(X, CUT, cut)
