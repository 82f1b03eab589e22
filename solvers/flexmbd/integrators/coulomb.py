"""Contacts with friction, in lanes: sweeps, then a semi-smooth Newton method that redundant contacts do not slow down.

The kinds of contacts, and a sweep over them, are those of `coulomb_sweep`.

Sweeps of Gauss and Seidel solve each contact exactly (`flexmbd.nonsmooth.one_contact`).  Where contacts of one body brace each other they
creep; then Newton's method takes over, on the functions of Alart and Curnier (1991, CMAME 92, 353-375)::

    p_n = max(p_n - r u_n, low),      p_t = what of p_t - r u_t lies within the disc of radius mu (p_n - r u_n)

Its matrix is singular where contacts are redundant.  `FIRM` is added to its diagonal, and goes on from the percussions at hand: of all
shares that fit, the one nearest to those.  Steps are halved until the functions shrink; where they do not, sweeps go on.
"""

from flexmbd.integrators.contact_rows import (
    FRICTION, HEADING, SLIDE_COUNT, CONE as WORDS, bound_row, entry, kept_row, kind_row, matrix_row, percussion_row, square_row, step_row,
    value_row,
)  # fmt: skip
from flexmbd.integrators.coulomb_sweep import largest, sweep
from flexmbd.integrators.dense import eliminate, substitute
from flexmbd.integrators.listed import rate
from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.rows import ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.stepping.names import CONES, ND, NU

# what a rate is off by, of the largest free one, that is nothing; that is little enough where it gets no less; that is too much in the end
EXACT, NEAR, ROUGH = 1e-13, 1e-11, 1e-6
FIRM = 1e-8
SWEEPS, MORE, MOST = 20, 20, 320  # first; where no step of Newton's gains, each time twice as many, at most
STEPS, HALVES = 60, 6


@inner
def copy(row, scale, at, target, W):
    """A row of the matrix, scaled, to a row of Newton's."""
    for c in range(at[ND]):
        st(W, target + c, scale * ld(W, row + c))


@inner
def alone(i, W, at):
    """Newton's equation of a percussion that is zero."""
    zero, target = 0.0 * ld(W, step_row(at) + i), square_row(at) + at[ND] * i
    for c in range(at[ND]):
        st(W, target + c, zero)
    st(W, target + i, 1.0 + zero)
    st(W, step_row(at) + i, zero)


@inner
def add(row, by, at, target, W):
    """Add a row of the matrix, times a number, to a row of Newton's."""
    for c in range(at[ND]):
        st(W, target + c, ld(W, target + c) + by * ld(W, row + c))


@inner
def rest(r, count, W, at, builds):
    """Equations of the directions of a contact that is open in all lanes."""
    for i in range(r, r + count):
        st(W, value_row(at) + i, 0.0 * ld(W, percussion_row(at)))
        if builds:
            alone(i, W, at)


@inner
def values(W, at, builds):
    """What the equations of all directions are off by, as rates; Newton's matrix too if it is asked for: the largest, and their squares."""
    cones, p, v, zero = words(at[CONES]), percussion_row(at), value_row(at), 0.0 * ld(W, percussion_row(at))
    worst, total, n = zero, zero, at[ND]
    for j in range(at[NU]):
        r, slides, k = cones[WORDS * j], cones[WORDS * j + SLIDE_COUNT], kind_row(j, at)
        kind, mu, low = ld(W, k), ld(W, k + FRICTION), ld(W, bound_row(at) + j)
        on, cone = kind > 0.5, (kind > 0.5) & (kind < 1.5)
        if not any_lane(on):
            rest(r, 1 + slides, W, at, builds)
            continue
        pn, un, snn = ld(W, p + r), rate(r, W, at), entry(r, r, W, at)
        zn = pn - un / snn
        presses = on & (zn > low)
        least = select(on, low, 0.0)
        x = (pn - select(on, maximum(zn, low), 0.0)) * snn
        st(W, v + r, x)
        worst, total = maximum(fabs(x), worst), total + x * x
        if builds:
            row, target = matrix_row(at) + n * r, square_row(at) + n * r
            copy(row, select(presses, 1.0 / snn, 0.0), at, target, W)
            st(W, target + r, ld(W, target + r) + select(presses, 0.0, 1.0 + zero))
        radius, t = mu * select(presses, zn, least), snn
        if slides > 0:
            slips = on & lnot(cone)
            p1, u1, d1, t = ld(W, p + r + 1), rate(r + 1, W, at), ld(W, k + HEADING), entry(r + 1, r + 1, W, at)
            p2, u2, d2 = zero, zero, zero
            if slides == 2:
                p2, u2, d2, t = ld(W, p + r + 2), rate(r + 2, W, at), ld(W, k + HEADING + 1), maximum(t, entry(r + 2, r + 2, W, at))
            z1, z2 = p1 - u1 / t, p2 - u2 / t
            size = sqrt(z1 * z1 + z2 * z2)
            holds = size <= radius
            safe = select(size > 0.0, size, 1.0)
            share, e1, e2 = select(holds, 1.0, radius / safe), z1 / safe, z2 / safe
            for i in range(slides):
                pt, z, e, d = p1, z1, e1, d1
                if i == 1:
                    pt, z, e, d = p2, z2, e2, d2
                x = select(cone, (pt - share * z) * t, select(slips, (pt + mu * d * pn) * t, pt * t))
                st(W, v + r + 1 + i, x)
                worst, total = maximum(fabs(x), worst), total + x * x
                if builds:
                    fixed, turns = cone & holds, cone & lnot(holds)
                    row, target = matrix_row(at) + n * (r + 1 + i), square_row(at) + n * (r + 1 + i)
                    part = select(turns, share * (1.0 - e * e), 0.0)
                    copy(row, select(fixed, 1.0, part) / t, at, target, W)
                    st(W, target + r + 1 + i, ld(W, target + r + 1 + i) + select(fixed, 0.0, 1.0 - part))
                    if slides == 2:
                        across = select(turns, -share * e1 * e2, 0.0)
                        add(matrix_row(at) + n * (r + 2 - i), across / t, at, target, W)
                        st(W, target + r + 2 - i, ld(W, target + r + 2 - i) - across)
                    grows = select(turns & presses, mu * e, 0.0)
                    add(matrix_row(at) + n * r, grows / snn, at, target, W)
                    st(W, target + r, ld(W, target + r) - grows + select(slips, mu * d, 0.0))
        if builds:
            st(W, step_row(at) + r, ld(W, v + r) / snn)
            for i in range(slides):
                st(W, step_row(at) + r + 1 + i, ld(W, v + r + 1 + i) / t)
    return worst, total


@inner
def factorise(W, at):
    """Factors of Newton's matrix; sliding percussions that follow from the normal ones are taken into their columns."""
    cones, n, first = words(at[CONES]), at[ND], square_row(at)
    for j in range(at[NU]):
        r, slides, k = cones[WORDS * j], cones[WORDS * j + SLIDE_COUNT], kind_row(j, at)
        follows, mu = ld(W, k) > 1.5, ld(W, k + FRICTION)
        for i in range(slides):
            if not any_lane(follows):
                break
            by = select(follows, mu * ld(W, k + HEADING + i), 0.0)
            for row in range(n):
                x, column = ld(W, first + n * row + r + 1 + i), first + n * row + r
                own = row == r + 1 + i
                if not own:
                    st(W, column, ld(W, column) - by * x)
                    st(W, first + n * row + r + 1 + i, select(follows, 0.0, x))
            st(W, first + n * (r + 1 + i) + r, select(follows, 0.0, ld(W, first + n * (r + 1 + i) + r)))
        if not any_lane(ld(W, k) > 0.5):  # times a step of zero: elimination passes such columns by
            for c in range(r, r + 1 + slides):
                for row in range(n):
                    st(W, first + n * row + c, 0.0 * ld(W, k))
                st(W, first + n * c + c, 1.0 + 0.0 * ld(W, k))
    for i in range(n):
        st(W, first + n * i + i, ld(W, first + n * i + i) + FIRM)
    eliminate(first, n, W)


@inner
def newton(W, at):
    """Newton's step from the values in its rows, with factors."""
    cones, x = words(at[CONES]), step_row(at)
    for j in range(at[NU]):
        r, slides, k = cones[WORDS * j], cones[WORDS * j + SLIDE_COUNT], kind_row(j, at)
        follows = ld(W, k) > 1.5
        for i in range(slides):
            st(W, x + r + 1 + i, select(follows, 0.0, ld(W, x + r + 1 + i)))
    substitute(square_row(at), at[ND], x, W)
    for j in range(at[NU]):
        r, slides, k = cones[WORDS * j], cones[WORDS * j + SLIDE_COUNT], kind_row(j, at)
        follows = ld(W, k) > 1.5
        for i in range(slides):
            by = -ld(W, k + FRICTION) * ld(W, k + HEADING + i) * ld(W, x + r)
            st(W, x + r + 1 + i, select(follows, by, ld(W, x + r + 1 + i)))


@inner
def project(who, W, at):
    """Draw percussions into their cones."""
    cones, p = words(at[CONES]), percussion_row(at)
    for j in range(at[NU]):
        r, slides, k = cones[WORDS * j], cones[WORDS * j + SLIDE_COUNT], kind_row(j, at)
        kind, mu = ld(W, k), ld(W, k + FRICTION)
        pn = select(kind > 0.5, maximum(ld(W, p + r), ld(W, bound_row(at) + j)), 0.0)
        st(W, p + r, select(who, pn, ld(W, p + r)))
        size = 0.0 * pn
        for i in range(slides):
            size = size + ld(W, p + r + 1 + i) * ld(W, p + r + 1 + i)
        size = sqrt(size)
        share = select(size > mu * pn, mu * pn / maximum(size, 1e-300), 1.0)
        for i in range(slides):
            old, row = ld(W, p + r + 1 + i), p + r + 1 + i
            new = select(kind > 1.5, -mu * ld(W, k + HEADING + i) * ld(W, p + r), share * old)
            st(W, row, select(who, new, old))


@inner
def advance(moving, W, at):
    """One step of Newton's method, halved until the values shrink: lanes in which they do."""
    p, kept, x = percussion_row(at), kept_row(at), step_row(at)
    _, before = values(W, at, True)
    factorise(W, at)
    newton(W, at)
    for r in range(at[ND]):
        st(W, kept + r, ld(W, p + r))
    gained, part = moving & lnot(moving), 1.0
    for _ in range(HALVES):
        seeks = moving & lnot(gained)
        for r in range(at[ND]):
            st(W, p + r, select(seeks, ld(W, kept + r) - part * ld(W, x + r), ld(W, p + r)))
        _, after = values(W, at, False)
        gained = gained | (seeks & (after < (1.0 - 0.1 * part) * (1.0 - 0.1 * part) * before))
        part = 0.5 * part
        if not any_lane(moving & lnot(gained)):
            break
    for r in range(at[ND]):
        st(W, p + r, select(gained | lnot(moving), ld(W, p + r), ld(W, kept + r)))
    return gained


@inner
def solve(live, still, W, at):
    """Percussions of contacts of the kinds `OFF`, `CONE`, `MOVES`: lanes without a solution, those in which too much is off in the end.

    Rates below `still` are rounding.
    """
    scale, moving, lost = largest(W, at), live, live & lnot(live)
    near, rough = maximum(NEAR * scale, 0.1 * still), maximum(ROUGH * scale, 10.0 * still)
    for _ in range(SWEEPS):
        change, none = sweep(moving, still, W, at)
        lost = (lost & lnot(moving)) | (moving & none)
        moving = moving & (change > EXACT * scale)
        if at[NU] == 1:  # one contact is solved exactly
            return lost, moving & lnot(moving)
        if not any_lane(moving):
            return lost, moving
    lost = lost & lnot(moving)
    many, worst = MORE + 0.0 * scale, scale
    for _ in range(STEPS):
        gained = advance(moving, W, at)
        off, _ = values(W, at, False)
        fails = moving & lnot(gained) & (off > near)
        moving = moving & (gained | fails)
        worst = select(moving, worst, minimum(off, worst))
        if any_lane(fails):
            project(fails, W, at)
            for turn in range(MOST):
                sweeps = fails & (many > turn)
                if not any_lane(sweeps):
                    break
                change, none = sweep(sweeps, still, W, at)
                lost, fails = (lost & lnot(sweeps)) | (sweeps & none), fails & (change > EXACT * scale)
            many = select(fails, minimum(2.0 * many, MOST + 0.0 * many), many)
        off, _ = values(W, at, False)
        worst = select(moving, off, worst)
        moving = moving & (off > EXACT * scale)
        if not any_lane(moving):
            break
    moving = moving & (worst > rough)
    if any_lane(moving):  # steps that gain, but too little
        project(moving, W, at)
        for _ in range(MOST):
            change, none = sweep(moving, still, W, at)
            lost = (lost & lnot(moving)) | (moving & none)
        off, _ = values(W, at, False)
        moving = moving & (off > rough)
    lost = lost & moving
    return lost, moving & lnot(lost)
