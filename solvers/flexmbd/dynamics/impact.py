"""Impacts of contacts that cannot be penetrated: velocities behind them, and derivatives of these.

Newton's impact with Coulomb's friction (docs/theory/nonsmooth.md, N1 to N3): sliding sticks, as far as tangential restitution lets it, or
its percussion is the coefficient of friction times the normal one, in space against the direction that sliding has behind the impact.
"""

from flexmbd.dynamics.flow import call, put, saddle, take, value
from flexmbd.dynamics.linear import clear, factorise, substitute
from flexmbd.dynamics.names import (
    AFTER, BROAD, CHANGES, COLUMNS, DONE, ENTRIES, FIRST_IMPACT, GAPS, HOLDS, IMPACT_P, IMPACT_Q, IMPACT_T, IMPACT_V, IMPACTS, IMPULSE,
    JAMS, LIMIT, MATRIX, MOTION, NC, NORMAL, NU, OUT, PER_IMPACT, RESTITUTION, SEGMENTS, SHIFTS, SIDES, SINGULAR, STATE, TANGENT, WIDE,
    A, L, M, N,
)  # fmt: skip
from flexmbd.lanes import sqrt
from flexmbd.lanes.rows import doubles, ld, st, words
from flexmbd.lanes.vector import inner
from flexmbd.nonsmooth.one_contact import spatial

SHARE = 1e-8  # of friction at its limit, or of velocities, within which sliding and sticking are taken for the same


@inner
def look(t, state, into, X, P, W, at):
    """Penetrations and rates of all contacts, into an address."""
    put(t, state, X, at)
    call(MOTION, X, P, W, at)
    keep(into, X, at)


@inner
def keep(into, X, at):
    """Those of the last call of "motion"."""
    gaps = doubles(into)
    for k in range(2 * (at[NC] + at[NU])):
        gaps[k] = value(GAPS, k, X, at)


@inner
def friction(u, at):
    """In how many directions a contact with friction slides: 1 in the plane, 2 in space; 0 of others."""
    segments, k = words(at[SEGMENTS]), FIRST_IMPACT + PER_IMPACT * u + RESTITUTION
    return max(0, segments[k + 1] - segments[k] - 3)


@inner
def border(segment, row, X, at):
    """Rates' derivatives by velocity as rows of the matrix, and, with the other sign, as its columns."""
    a, entries, segments, size = doubles(at[MATRIX]), words(at[ENTRIES]), words(at[SEGMENTS]), at[WIDE]
    for k in range(segments[segment], segments[segment + 1]):
        j, i = row + entries[2 * k], entries[2 * k + 1]
        a[j * size + i] = ld(X, at[OUT] + k)
        a[i * size + j] = -ld(X, at[OUT] + k)


@inner
def bare(last, more, at):
    """Zeros in further rows and columns of the matrix."""
    a, size = doubles(at[MATRIX]), at[WIDE]
    for row in range(last, last + more):
        for i in range(last + more):
            a[row * size + i] = 0.0
            a[i * size + row] = 0.0


@inner
def percussions(u, way, X, at):
    """Changes of velocities, multipliers and percussions, into X, where friction sticks (0) or slides (1, -1); False: there are none."""
    n, m, broad, b, a, size = at[N], at[M], at[BROAD], doubles(at[SIDES]), doubles(at[MATRIX]), at[WIDE]
    k0, last, rubs = FIRST_IMPACT + PER_IMPACT * u, n + m, friction(u, at)
    saddle(X, at)
    bare(last, 1 + rubs, at)
    border(k0 + NORMAL, last, X, at)
    clear(last + 1, 1, at)
    b[last * broad] = (1.0 + value(k0 + RESTITUTION, 0, X, at)) * value(GAPS, 2 * (at[NC] + u) + 1, X, at)
    if rubs > 0:
        border(k0 + TANGENT, last + 1, X, at)
        b[(last + 1) * broad] = 0.0
        if way == 0.0:
            b[(last + 1) * broad] = -(1.0 + value(k0 + RESTITUTION, 1, X, at)) * value(k0 + RESTITUTION, 3, X, at)
        else:
            for i in range(last):
                a[(last + 1) * size + i] = 0.0
            a[(last + 1) * size + last + 1] = 1.0
            a[(last + 1) * size + last] = -way * value(k0 + RESTITUTION, 2, X, at)
    if not factorise(last + 1 + rubs, at):
        return False
    substitute(last + 1 + rubs, 1, at)
    for i in range(n):
        st(X, at[A] + i, b[i * broad])
    for k in range(m):
        st(X, at[L] + k, b[(n + k) * broad])
    for k in range(1 + rubs):
        st(X, at[IMPULSE] + k, b[(last + k) * broad])
    st(X, at[IMPULSE] + 2, way)
    return True


@inner
def sliding(u, way, X, at):
    """Sliding velocity, in one of its directions, behind the impact that is in X, and tangential restitution times that before it."""
    entries, segments, k0 = words(at[ENTRIES]), words(at[SEGMENTS]), FIRST_IMPACT + PER_IMPACT * u
    rate = value(k0 + RESTITUTION, 3 + way, X, at)
    total = (1.0 + value(k0 + RESTITUTION, 1, X, at)) * rate
    for k in range(segments[k0 + TANGENT], segments[k0 + TANGENT + 1]):
        if entries[2 * k] == way:
            total = total + ld(X, at[OUT] + k) * ld(X, at[A] + entries[2 * k + 1])
    return total, abs(rate) + abs(value(GAPS, 2 * (at[NC] + u) + 1, X, at))


@inner
def rubbed(u, X, at):
    """The percussions with friction, which sticks or slides: what is wrong; at the limit of both there is no derivative."""
    if not percussions(u, 0.0, X, at):
        return SINGULAR
    mu = value(FIRST_IMPACT + PER_IMPACT * u + RESTITUTION, 2, X, at)
    normal, tangential = mu * ld(X, at[IMPULSE]), ld(X, at[IMPULSE] + 1)
    if mu > 0.0 and abs(tangential) <= normal:
        return DONE if abs(tangential) < (1.0 - SHARE) * normal else LIMIT
    way = 1.0 if tangential > 0.0 else -1.0
    for _ in range(2):
        if not percussions(u, way, X, at):
            return SINGULAR
        rate, speed = sliding(u, 0, X, at)
        if ld(X, at[IMPULSE]) >= 0.0 and (rate * way <= SHARE * speed or mu == 0.0):
            return DONE if abs(rate) > SHARE * speed or mu == 0.0 else LIMIT
        way = -way
    return JAMS


@inner
def unit(segment, first, X, at):
    """Right-hand sides, from one on, that are unit percussions along rates."""
    b, entries, segments, broad = doubles(at[SIDES]), words(at[ENTRIES]), words(at[SEGMENTS]), at[BROAD]
    for k in range(segments[segment], segments[segment + 1]):
        b[entries[2 * k + 1] * broad + first + entries[2 * k]] = ld(X, at[OUT] + k)


@inner
def yields(segment, row, column, X, at):
    """Rate that a unit percussion makes; the velocities that those make are the right-hand sides."""
    b, entries, segments, total = doubles(at[SIDES]), words(at[ENTRIES]), words(at[SEGMENTS]), 0.0
    for k in range(segments[segment], segments[segment + 1]):
        if entries[2 * k] == row:
            total = total + ld(X, at[OUT] + k) * b[entries[2 * k + 1] * at[BROAD] + column]
    return total


@inner
def turned(u, X, at):
    """Changes of velocities, multipliers and percussions with friction in space, into X; what is wrong, as in the plane."""
    n, last, b, broad, k0 = at[N], at[N] + at[M], doubles(at[SIDES]), at[BROAD], FIRST_IMPACT + PER_IMPACT * u
    normal, tangent, mu = k0 + NORMAL, k0 + TANGENT, value(k0 + RESTITUTION, 2, X, at)
    saddle(X, at)
    if not factorise(last, at):
        return SINGULAR
    clear(last, 3, at)
    unit(normal, 0, X, at)
    unit(tangent, 1, X, at)
    substitute(last, 3, at)
    back = 1.0 + value(k0 + RESTITUTION, 1, X, at)
    p, p1, p2, none = spatial(
        0.0, mu, yields(normal, 0, 0, X, at), yields(tangent, 0, 0, X, at), yields(tangent, 1, 0, X, at),
        yields(tangent, 0, 1, X, at), yields(tangent, 0, 2, X, at), yields(tangent, 1, 2, X, at),
        -(1.0 + value(k0 + RESTITUTION, 0, X, at)) * value(GAPS, 2 * (at[NC] + u) + 1, X, at),
        back * value(k0 + RESTITUTION, 3, X, at), back * value(k0 + RESTITUTION, 4, X, at),
    )  # fmt: skip
    if none or not p > 0.0:
        return JAMS
    for i in range(last):
        k = i * broad
        st(X, at[A] + i if i < n else at[L] + i - n, p * b[k] + p1 * b[k + 1] + p2 * b[k + 2])
    (w1, speed1), (w2, speed2) = sliding(u, 0, X, at), sliding(u, 1, X, at)
    w, slides, wrong = sqrt(w1 * w1 + w2 * w2), 1.0, DONE
    if not w > SHARE * (speed1 + speed2):
        slides = 0.0 if mu > 0.0 else 1.0
        w = slides  # without friction there is no percussion, in whatever direction
        if mu > 0.0 and not sqrt(p1 * p1 + p2 * p2) < (1.0 - SHARE) * mu * p:
            wrong = LIMIT
    st(X, at[IMPULSE], p)
    st(X, at[IMPULSE] + 1, p1)
    st(X, at[IMPULSE] + 2, slides)
    st(X, at[IMPULSE] + 3, p2)
    st(X, at[IMPULSE] + 4, w)
    return wrong


@inner
def bend(u, X, at):
    """Factors of the matrix of an impact in space that is in X (`flexmbd.dynamics.code`); False where there are none."""
    a, size, last, k0 = doubles(at[MATRIX]), at[WIDE], at[N] + at[M], FIRST_IMPACT + PER_IMPACT * u
    end, first = last + 3, at[IMPULSE]
    p, w, mu = ld(X, first), ld(X, first + 4), value(k0 + RESTITUTION, 2, X, at)
    saddle(X, at)
    bare(last, 4, at)
    border(k0 + NORMAL, last, X, at)
    border(k0 + TANGENT, last + 1, X, at)
    if ld(X, first + 2) > 0.5:
        for way in range(2):
            row, (own, _) = (last + 1 + way) * size, sliding(u, way, X, at)
            for i in range(at[N]):
                a[end * size + i] = a[end * size + i] - 2.0 * own * a[row + i]
                a[row + i] = mu * p * a[row + i]
            a[row + last], a[row + last + 1 + way], a[row + end] = mu * own, w, ld(X, first + 1 + 2 * way)
        a[end * size + end] = 2.0 * w
    else:
        a[end * size + end] = 1.0
    return factorise(last + 4, at)


@inner
def impact(u, t, X, P, W, at):
    """Impact of contact u: velocities behind it, and their derivatives, those of the state at its own time of impact given."""
    n, wide, broad, y, b = at[N], at[COLUMNS], at[BROAD], doubles(at[STATE]), doubles(at[SIDES])
    last, k0, wrong = at[N] + at[M], FIRST_IMPACT + PER_IMPACT * u, DONE
    look(t, at[STATE], at[AFTER], X, P, W, at)
    call(IMPACTS + u, X, P, W, at)
    if not value(k0 + RESTITUTION, 0, X, at) > 0.0:
        return HOLDS
    if friction(u, at) == 2:
        wrong = turned(u, X, at)
    elif friction(u, at) == 1:
        wrong = rubbed(u, X, at)
    elif not percussions(u, 0.0, X, at):
        wrong = SINGULAR
    if wrong != DONE and wrong != LIMIT:
        return wrong
    if wide > 1 and wrong == DONE:
        rows = last + 1 + friction(u, at)
        if friction(u, at) == 2:
            rows = last + 4
            if not bend(u, X, at):
                return SINGULAR
        call(IMPACTS + u, X, P, W, at)
        clear(rows, wide - 1, at)
        take(k0 + IMPACT_Q, at[STATE], 0, wide, 0, X, at)
        take(k0 + IMPACT_V, at[STATE], n, wide, 0, X, at)
        take(k0 + IMPACT_P, at[CHANGES], 0, wide, 0, X, at)
        take(k0 + IMPACT_T, at[SHIFTS], 0, wide, 0, X, at)
        substitute(rows, wide - 1, at)
        for i in range(n):
            for c in range(1, wide):
                y[(n + i) * wide + c] = y[(n + i) * wide + c] + b[i * broad + c - 1]
    for i in range(n):
        y[(n + i) * wide] = y[(n + i) * wide] + ld(X, at[A] + i)
    return wrong
