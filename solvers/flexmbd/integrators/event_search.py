"""Search for the next event of contacts that cannot be penetrated: event functions, and the trial step that may end at one.

Event functions are above zero where a mode is over, by what an event is met within.  Forces and sliding velocities are met `BEHIND` where
they vanish: what follows from them there has a sign, so that the same event does not come again.
"""

from flexmbd.integrators.base import Slot
from flexmbd.integrators.contact_rows import (
    CONE, MU, MU_STATIC, OWN_STATE, SLIDE_COUNT, before_row, entry, gap_row, number_row, percussion_row,
)  # fmt: skip
from flexmbd.integrators.contact_modes import least_force, share, still, unheld
from flexmbd.integrators.listed import rate, takes_part
from flexmbd.lanes import any_lane, fabs, floor, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import doubles, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.registry import FORCE, OTHERS
from flexmbd.stepping.names import (
    CONES, CUT, END, ERROR, FIXED, H_MIN, NC, NU, OVER, REAL, LARGEST_DISTANCE, SLOTS, MECHANISM_SIZE, START, STATUS, STRIDE, H, N, T,
)  # fmt: skip
from flexmbd.stepping.events import crossing
from flexmbd.stepping.within import highest, meet, wiggles

AIMS = 6.0  # trials that aim at where a gap closes, at most
NEARLY = 0.02  # of a step: near enough to an event for the rate there to tell the way to it
GAP = 1e-12  # by the mechanism's size: within this, and `held.SPEED` and `held.FORCE`, an event is met
BEHIND = 2.0
BRISK = 1000.0  # by `held.still`: what slides more slowly in space than it did is at rest if friction holds it
FAR = -1e300
OWN = (
    Slot("search", "of the next event: step and value on either side, trials; events and time since they were counted", True),
    Slot("direction", "of sliding of each contact", True),
    Slot("gap", "gap and its rate of each contact at the start", True),
    Slot("next gap", "gap and its rate of each contact at the end"),
    Slot("rest", "1 for contacts at rest along the surface"),
    Slot("aside", "further states that are put aside"),
    Slot(
        "beyond",
        "of the search: the step before that went too far, its value; 1 where forces were shared anew; slowest motions",
        True,
    ),
)
SEARCH, DIRECTION, GAPS_AT_START, NEXT_GAPS, REST, ASIDE, BEYOND = range(7, 14)
LOW, D_LOW, HIGH, D_HIGH, TRIALS, COUNTED, MARKED, MET = range(8)
HIGHER, D_HIGHER, RENEWED, SLOWEST = range(4)
GAP_RATE = 1  # behind a gap


@inner
def slot(k, at):
    """First row of a slot."""
    return at[SLOTS] + k * at[STRIDE]


@inner
def mode_of(j, X, at):
    """Mode of contact j at the step's start."""
    return ld(X, START + 1 + 2 * at[N] + words(at[CONES])[CONE * j + OWN_STATE])


@inner
def speed(j, W, at):
    """Sliding speed of contact j in space."""
    u = before_row(at) + words(at[CONES])[CONE * j] + 1
    return sqrt(ld(W, u) * ld(W, u) + ld(W, u + 1) * ld(W, u + 1))


@inner
def two_of(k, j, at):
    """First of the two rows of contact j in a slot: of a gap and its rate, of the parts of a direction."""
    return slot(k, at) + 2 * j


@inner
def backward_row(j, at):
    """Row of the velocity against the direction of its sliding that contact j may have."""
    return slot(BEYOND, at) + SLOWEST + 1 + j


@inner
def brisk_row(j, at):
    """Row that is not zero where contact j slides fast enough to come to rest."""
    return backward_row(at[NU] + j, at)


@inner
def moved(j, slow, X, W, at):
    """Event function of places and velocities: of a gap that closes, of sliding that comes to rest."""
    cones, mode = words(at[CONES]), mode_of(j, X, at)
    r, slides = cones[CONE * j], cones[CONE * j + SLIDE_COUNT]
    gap, closes = ld(W, gap_row(j, at)) / near(X), ld(W, before_row(at) + r) < 0.0
    dips = (gap < -1.0) & (ld(X, two_of(GAPS_AT_START, j, at) + GAP_RATE) < 0.0)
    found = select(mode > 0.5, FAR, select(closes | dips, -gap, minimum(-gap, -2.0)))
    if slides > 0:
        along = ld(W, before_row(at) + r + 1) * ld(X, two_of(DIRECTION, j, at))
        if slides == 2:
            along = along + ld(W, before_row(at) + r + 2) * ld(X, two_of(DIRECTION, j, at) + 1)
        rubs = (mode > 0.5) & (mode < 1.5) & (ld(W, number_row(j, MU, at)) > 0.0)
        ends = (ld(X, backward_row(j, at)) - along) / slow - BEHIND
        if slides == 2:
            ends = maximum(ends, select(ld(X, brisk_row(j, at)) > 0.5, BRISK - speed(j, W, at) / slow, FAR))
        found = select(rubs, ends, found)
    return found


@inner
def pressed(j, force, X, W, at):
    """Event function of the forces at hand: of a normal force that vanishes, of friction that holds no more."""
    cones, mode = words(at[CONES]), mode_of(j, X, at)
    r, slides = cones[CONE * j], cones[CONE * j + SLIDE_COUNT]
    pn = ld(W, percussion_row(at) + r)
    bears = fabs(pn) > 0.0
    found = -pn
    if slides > 0:
        size = fabs(ld(W, percussion_row(at) + r + 1))
        if slides == 2:
            size = sqrt(size * size + ld(W, percussion_row(at) + r + 2) * ld(W, percussion_row(at) + r + 2))
        slips = size - ld(W, number_row(j, MU_STATIC, at)) * pn
        found = select((mode > 1.5) & (slips > found), slips, found)
    found = select(bears, found, fabs(rate(r, W, at)) / entry(r, r, W, at))
    return select(mode > 0.5, found / force - BEHIND, FAR)


@inner
def yielded(j, force, X, W, at):
    """The same of the accelerations that are left where no share of the load stays within all cones."""
    cones, mode = words(at[CONES]), mode_of(j, X, at)
    r, slides = cones[CONE * j], cones[CONE * j + SLIDE_COUNT]
    found = rate(r, W, at) / entry(r, r, W, at)
    if slides > 0:
        found = maximum(found, select(mode > 1.5, unheld(j, force, W, at), 0.0))
    return select(mode > 0.5, found / force - BEHIND, FAR)


@inner
def look(fits, X, W, at):
    """Largest event function at the step's end.

    Where the share of the load at hand leaves its cones another one is sought, and taken if there is one.
    """
    none, states = 0.0 * ld(X, H), START + 1 + 2 * at[N]
    force, slow, motion, forces = least_force(states, X, at), still(X, W, at), FAR + none, FAR + none
    st(X, slot(BEYOND, at) + SLOWEST, slow)
    for j in range(at[NU]):
        motion = maximum(moved(j, slow, X, W, at), motion)
        if takes_part(j, W, at):
            forces = maximum(pressed(j, force, X, W, at), forces)
    st(X, slot(BEYOND, at) + RENEWED, none)
    asks = fits & (ld(X, STATUS) < 0.5) & (ld(X, H) > 0.0) & (forces > -1.0)
    if at[NU] > 1 and any_lane(asks):
        lost = share(asks, states, slot(REST, at), X, W, at)
        found, slides = FAR + none, asks & lnot(asks)
        for j in range(at[NU]):
            mode = mode_of(j, X, at)
            if takes_part(j, W, at):
                found = maximum(yielded(j, force, X, W, at), found)
            slides = slides | ((mode > 0.5) & (mode < 1.5))
        holds = asks & lnot(lost) & (found < -1.0)
        forces = select(asks & lnot(lost), found, forces)
        hand(holds, at[END] + 1 + 2 * at[N], X, W, at)
        st(X, slot(BEYOND, at) + RENEWED, select(holds & slides, 1.0, 0.0))
    return maximum(motion, forces)


@inner
def hand(who, states, X, W, at):
    """Put the forces of all contacts among the further states of a point."""
    cones, first = words(at[CONES]), percussion_row(at)
    for j in range(at[NU]):
        r, s = cones[CONE * j], states + cones[CONE * j + OWN_STATE]
        st(X, s + FORCE, select(who, ld(W, first + r), ld(X, s + FORCE)))
        for k in range(cones[CONE * j + SLIDE_COUNT]):
            st(X, s + OTHERS + k, select(who, ld(W, first + r + 1 + k), ld(X, s + OTHERS + k)))


@inner
def near(X):
    """Gap within which a contact is closed, m."""
    return maximum(GAP * ld(X, MECHANISM_SIZE), 8e-15 * ld(X, LARGEST_DISTANCE))


@inner
def hidden(j, X, P, W, at):
    """Whether contact j, open at both ends of the step, closes and opens again inside, and the step to where it is closed."""
    h, here, there = ld(X, H), two_of(GAPS_AT_START, j, at), two_of(NEXT_GAPS, j, at)
    d0, s0, d1, s1 = -ld(X, here), -ld(X, here + GAP_RATE), -ld(X, there), -ld(X, there + GAP_RATE)
    opened = (mode_of(j, X, at) < 0.5) & (d1 < 0.0)
    closes, where = opened & (meet(h, d0, s0, d1, s1) | wiggles(h, d0, s0, d1, s1)), 0.0 * h
    if any_lane(closes):
        closes, _, _, _, where, _, _ = highest(closes, 2 * (at[NC] + j), 1.0, near(X), d0, s0, d1, s1, X, P, W, at)
    return closes, where * h


@inner
def closing(j, h, X, at):
    """Step to where the gap of contact j, open at the start, is closed; beyond it or short of it where that is near; -1 if there is none.

    By the cubic through the gap and its rate at both ends; near the end by the rate there.
    """
    here, there = two_of(GAPS_AT_START, j, at), two_of(NEXT_GAPS, j, at)
    d0, s0, d1, s1 = -ld(X, here), -ld(X, here + GAP_RATE), -ld(X, there), -ld(X, there + GAP_RATE)
    opened = mode_of(j, X, at) < 0.5
    near_by = opened & (s1 > 0.0) & (fabs(d1) < NEARLY * h * s1)
    where = select(near_by, h - d1 / select(near_by, s1, 1.0), -1.0)
    across = opened & (d1 > near(X)) & ((s0 > 0.0) | (s1 > 0.0)) & lnot(near_by)
    if any_lane(across):
        through, _ = crossing(h, minimum(d0, 0.0), s0, d1, s1)
        where = select(across, through * h, where)
    return where


def locate(X, P, W, at):
    """Whether an event lies before the step's end, or the end falls short of one that is sought; and the next trial step."""
    h, none = ld(X, H), 0.0 * ld(X, H)
    st(X, OVER, none)
    if at[NU] == 0:
        return
    cones, search, beyond_one = words(at[CONES]), slot(SEARCH, at), slot(BEYOND, at)
    dips, dip = h < none, h
    for j in range(at[NU]):
        g1, s1 = ld(W, gap_row(j, at)), ld(W, before_row(at) + cones[CONE * j])
        st(X, two_of(NEXT_GAPS, j, at), g1)
        st(X, two_of(NEXT_GAPS, j, at) + GAP_RATE, s1)
    limit = 1e300 if at[FIXED] > 0 else 1.0
    fits, seeking = ld(X, ERROR) <= limit, ld(X, search + HIGH) > 0.0
    worst = look(fits, X, W, at)
    for j in range(at[NU]):  # what W has is read before
        there, where = hidden(j, X, P, W, at)
        dip = select(there & (lnot(dips) | (where < dip)), where, dip)
        dips = dips | there
    beyond, short = fits & ((worst > 1.0) | dips), fits & seeking & (worst < -1.0) & lnot(dips)
    low, d_low = select(short, h, ld(X, search + LOW)), select(short, worst, ld(X, search + D_LOW))
    low, d_low = select(seeking, low, 0.0), select(seeking, d_low, 0.0)
    higher, d_higher = ld(X, beyond_one + HIGHER), ld(X, beyond_one + D_HIGHER)
    higher = select(seeking, select(beyond, ld(X, search + HIGH), higher), 0.0)
    d_higher = select(beyond, ld(X, search + D_HIGH), d_higher)
    high, d_high = select(beyond, h, ld(X, search + HIGH)), select(beyond, select(worst > 1.0, worst, 0.0), ld(X, search + D_HIGH))
    trials = select(seeking, ld(X, search + TRIALS), 0.0) + 1.0
    wide = high - low > maximum(4e-16 * (ld(X, T) + h), 1.01 * doubles(at[REAL])[H_MIN])
    over = (beyond | short) & wide
    known = (d_low < 0.0) & (d_high > 0.0)
    secant = low + (high - low) * (-d_low / select(known, d_high - d_low, 1.0))
    # where the value on the near side says nothing, the line through the two on the far side
    ahead = known & (higher > high) & (d_higher > d_high) & (d_low > -4.0)
    line = high - (higher - high) * (d_high / select(ahead, d_higher - d_high, 1.0))
    secant = select(ahead, line, secant)
    thirds = trials * (1.0 / 3.0)
    halves = lnot(known) | (thirds - floor(thirds) < 0.1) | (known & lnot(ahead) & (d_low > -4.0) & (d_high > 1e3))
    gap = none - 1.0
    for j in range(at[NU]):
        way = closing(j, h, X, at)
        gap = select((way > 0.0) & (lnot(gap > 0.0) | (way < gap)), way, gap)
    cut = select(halves, 0.5 * (low + high), minimum(maximum(secant, low + 1e-3 * (high - low)), high - 1e-3 * (high - low)))
    cut = select((gap > low) & (gap < high) & (trials < AIMS), gap, cut)
    cut = select(beyond & dips & lnot(worst > 1.0), dip, cut)
    met = fits & lnot(over) & ((worst >= -1.0) | (seeking & lnot(wide)))
    st(X, search + LOW, select(over, low, 0.0))
    st(X, search + D_LOW, select(over, d_low, 0.0))
    st(X, search + HIGH, select(over, high, 0.0))
    st(X, search + D_HIGH, select(over, d_high, 0.0))
    st(X, search + TRIALS, select(over, trials, 0.0))
    st(X, search + MET, select(met, 1.0, 0.0))
    st(X, beyond_one + HIGHER, select(over, higher, 0.0))
    st(X, beyond_one + D_HIGHER, select(over, d_higher, 0.0))
    st(X, OVER, select(over, 1.0, 0.0))
    st(X, CUT, cut)
