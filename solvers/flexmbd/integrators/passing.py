"""Bodies that pass each other within a step of a scheme with percussions: the step is cut so that they meet where they touch.

Such a scheme looks at gaps at one place of a step: in its middle, where straight ways from both ends meet, or at its end.  Against a plane,
or inside a bearing, a straight way that is closed somewhere is closed at one of its ends.  Where surfaces bulge it may not be: a disc flies
through another one, or is found so deep in it that the normal has turned.  A gap of that kind is convex along a straight way, so that it
lies above its tangents: only where these are below zero, or the pair has just closed, it is looked at (`suspect`, `passed`).
"""

import numpy as np

from flexmbd.integrators.contact_rows import BULGES, CONE, before_row, gap_row, product, OWN_STATE
from flexmbd.integrators.percussions import free
from flexmbd.lanes import any_lane, lnot, maximum, minimum, select
from flexmbd.lanes.rows import evaluate, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import CONES, CUT, END, INSIDE, NC, NU, OVER, PENETRATIONS, MECHANISM_SIZE, START, STATUS, H, M, N, T
from flexmbd.stepping.within import meet

SLACK, MARGIN = 1e-10, 1.1  # by the mechanism's size: gaps that count as closed; of a way
SAME, HALF_SAME = 0.9, 0.95  # share of a rate: the normal is what it was; half of the way to where the next step looks
TRIES, NEAR, SOON = 16, 0.98, 0.02  # looks at one contact; of a way, one that ends there; of a step, one that ends where it begins


@inner
def opened(j, X, at):
    """Lanes in which contact j is open at the start of the step."""
    return ld(X, START + 1 + 2 * at[N] + words(at[CONES])[CONE * j + OWN_STATE]) < 0.5


@inner
def suspect(middle, way, X, W, at):
    """Leave in `OVER` the lanes of which a contact has to be looked at; `way` (s) is from the place in W to the ends of the step.

    From the middle of a step, straight ways with the velocities before and after all percussions lead to its ends.  From its end one leads
    back, and percussions move the end itself.
    """
    cones, zero, slack = words(at[CONES]), 0.0 * way, SLACK * ld(X, MECHANISM_SIZE)
    found, sunk = way < zero, zero
    if not middle:  # what is pushed out of one body may be pushed into another one, and both may be
        for j in range(at[NU]):
            sunk = maximum(sunk, -2.0 * ld(W, gap_row(j, at)))
    for j in range(at[NU]):
        if cones[CONE * j + BULGES] > 0:
            r = cones[CONE * j]
            gap, before, after = ld(W, gap_row(j, at)), ld(W, before_row(at) + r), free(j, 0, W, at)
            struck = product(r, W, at)
            if middle:
                far = maximum(before, -(after + struck))
            else:
                far = maximum(maximum(before, after), -0.5 * struck)
            look = gap < maximum(MARGIN * way * far, zero) + sunk - slack
            leaves = (far > zero) & (gap < slack)
            found = found | ((look | leaves) & (opened(j, X, at) | (gap > slack)))
    st(X, OVER, select(found & (ld(X, STATUS) < 0.5) & (ld(X, H) > 0.0), 1.0, zero))


@inner
def depth(back, speeds, row, x, X, P, W, at):
    """Penetration in a row and its rate at a fraction of the step, on the straight way from its start, or `back` from its end.

    The velocities are those of the point `speeds`.
    """
    n, point, way = at[N], START, x * ld(X, H)
    if back:
        point, way = at[END], (x - 1.0) * ld(X, H)
    st(X, at[INSIDE], ld(X, T) + x * ld(X, H))
    for i in range(n):
        st(X, at[INSIDE] + 1 + i, ld(X, point + 1 + i) + way * ld(X, speeds + 1 + n + i))
        st(X, at[INSIDE] + 1 + n + i, ld(X, speeds + 1 + n + i))
    for i in range(2 * n, 2 * n + at[M]):
        st(X, at[INSIDE] + 1 + i, ld(X, point + 1 + i))
    evaluate(at[PENETRATIONS], X, P, W, at, at[INSIDE], 0)
    return ld(W, row), ld(W, row + 1)


@inner
def met(back, speeds, same, who, fresh, row, first, last, X, P, W, at):
    """Lanes of those in `who` that meet on a straight way between two fractions of the step, where they just have, and who began inside.

    A pair that is closed at the last place, its rate still that share of what it was where they touched, does not count: the scheme
    sees it by itself.  Nor does one that was in contact, not in `fresh`, and is so there.
    """
    h, level = ld(X, H), SLACK * ld(X, MECHANISM_SIZE)
    xl, xr = 0.0 * h + first, 0.0 * h + last
    dl, sl = depth(back, speeds, row, xl, X, P, W, at)
    dr, sr = depth(back, speeds, row, xr, X, P, W, at)
    nears = who & (sl > 0.0)
    inside = nears & fresh & (dl > level) & (sr <= 0.0)
    closes, s_last = dr > level, sr
    who = nears & (dl <= level) & ((fresh & closes & lnot(sr >= same * sl)) | (lnot(closes) & meet((xr - xl) * h, dl, sl, dr, sr)))
    for k in range(TRIES):
        span, closed = (xr - xl) * h, dr > level
        seeking = who & (xr - xl > 1e-9) & (closed | meet(span, dl, sl, dr, sr))
        if not any_lane(seeking):
            break
        falls = select(sr < 0.0, sl - sr, 1.0)
        way = select(closed, -1.01 * dl / select(sl > 0.0, sl, 1.0), (dr - dl - sr * span) / falls)  # by its tangents, as it is concave
        share = minimum(maximum(way / select(span > 0.0, span, 1.0), 1e-3), 0.98)
        if k % 3 == 2:  # a tangent never leads across the place itself
            share = select(closed, 0.5, share)
        x = xl + (xr - xl) * share
        d, s = depth(back, speeds, row, x, X, P, W, at)
        above = d > level
        right, left = seeking & (above | ((s <= 0.0) & (dr <= level))), seeking
        left = left & ((closed | (s > 0.0)) & (d <= level))
        xl, dl, sl = select(left, x, xl), select(left, d, dl), select(left, s, sl)
        xr, dr, sr = select(right, x, xr), select(right, d, dr), select(right, s, sr)
    turned = lnot(s_last >= same * sr)
    if not back:
        turned = turned & ((xr < NEAR * last) | lnot(s_last > 0.0))
    return who & (dr > level) & (lnot(closes) | turned), xr, inside


@inner
def passed(reach, speeds, X, P, W, at):
    """A `LOCATE`: in `OVER`, `CUT` a shorter step, of which that fraction at which gaps are looked at is where a contact has just closed.

    What is met behind the middle, after what other percussions there may be, is left for the first half of the step after a shorter one.
    The way there ends with the velocities of the point `speeds`.
    """
    cones, maybe, h, zero = words(at[CONES]), ld(X, OVER) > 0.5, ld(X, H), 0.0 * ld(X, H)
    st(X, OVER, zero)
    st(X, CUT, h)
    if not any_lane(maybe):
        return
    same = HALF_SAME
    if reach > 0.5:  # what was looked at itself was open: it was pushed inside
        same = np.inf
    for j in range(at[NU]):
        if cones[CONE * j + BULGES] > 0:
            fresh, row = opened(j, X, at), 2 * (at[NC] + j)
            here, x, inside = met(False, START, SAME, maybe, fresh, row, 0.0, reach, X, P, W, at)
            later, y, _ = met(True, speeds, same, maybe, fresh, row, 0.5, 1.0, X, P, W, at)
            cut = select(here, (1.0 / reach) * x, select(inside, SOON + zero, select(later, 0.5 * y, 1.0))) * h
            sooner = (here | inside | later) & (cut < ld(X, CUT))
            st(X, CUT, select(sooner, cut, ld(X, CUT)))
            st(X, OVER, select(sooner, 1.0, ld(X, OVER)))
