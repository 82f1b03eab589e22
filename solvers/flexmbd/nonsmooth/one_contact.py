"""One contact with friction, all other percussions held: open, sticking or sliding, exactly; on numbers and on lanes.

With its velocities ``u = S p + b`` a contact that is closed has ``0 <= u_n``, ``p_n >= low``, one of them at its bound, and Coulomb's
friction ``|p_t| <= mu p_n``, less only where ``u_t = 0``, else against it.  In the plane sliding has two candidates.  In space its
direction follows from one scalar equation: with ``p_t = -u_t/a`` the multiplier a > 0 is where ``|p_t(a)| = mu p_n(a)``; Newton's method
on ``mu p_n/|p_t| - 1``, nearly a straight line (the same as in trust regions, Moré and Sorensen 1983), within a bracket.
"""

from flexmbd.lanes import any_lane, fabs, lnot, maximum, minimum, select, sqrt
from flexmbd.lanes.vector import inner

TURNS = 60  # of the search for the direction of sliding


@inner
def planar(low, mu, snn, snt, stt, bn, bt):
    """Normal and tangential percussion of one contact in the plane, and where there is none."""
    # open: the normal percussion is its bound
    limit = mu * low
    pt_open = maximum(minimum(-(bt + snt * low) / stt, limit), -limit)
    opens = bn + snn * low + snt * pt_open >= 0.0
    determinant = snn * stt - snt * snt
    safe = select(determinant > 1e-14 * snn * stt, determinant, 1.0)
    pn_stick, pt_stick = (snt * bt - stt * bn) / safe, (snt * bn - snn * bt) / safe
    sticks = (determinant > 1e-14 * snn * stt) & (fabs(pt_stick) <= mu * pn_stick)
    # sliding in either direction
    up, down = snn + mu * snt, snn - mu * snt
    pn_up, pn_down = -bn / select(up > 0.0, up, 1.0), -bn / select(down > 0.0, down, 1.0)
    ut_up, ut_down = bt + (snt + mu * stt) * pn_up, bt + (snt - mu * stt) * pn_down
    slack = 1e-12 * (fabs(bt) + fabs(bn))
    fits_up, fits_down = (up > 0.0) & (pn_up >= 0.0) & (ut_up <= slack), (down > 0.0) & (pn_down >= 0.0) & (ut_down >= -slack)
    pn = select(sticks, pn_stick, select(fits_up, pn_up, pn_down))
    pt = select(sticks, pt_stick, select(fits_up, mu * pn_up, -mu * pn_down))
    none = lnot(opens | sticks | fits_up | fits_down)
    return select(opens | none, low, pn), select(opens | none, pt_open, pt), none


@inner
def direction(slides, low, mu, snn, s1, s2, a11, a12, a22, bn, c1, c2, size, side, mass):
    """Tangential and normal percussions of sliding."""
    lower, upper = 0.0 * bn, select(slides, maximum(size * (snn + mu * side) / maximum(mu * fabs(bn), 1e-300), mass), mass)
    # of a matrix that is the same in all directions
    a = maximum(size * snn / maximum(mu * fabs(bn), 1e-300) - 0.5 * (a11 + a22), 1e-3 * upper)
    x1, x2, xn, going = lower, lower, lower, slides
    for _ in range(TURNS):
        d11, d22 = a11 + a, a22 + a
        determinant = d11 * d22 - a12 * a12
        y1, y2 = (a12 * c2 - d22 * c1) / determinant, (a12 * c1 - d11 * c2) / determinant
        yn = -(bn + s1 * y1 + s2 * y2) / snn
        x1, x2, xn = select(going, y1, x1), select(going, y2, x2), select(going, yn, xn)
        length = maximum(sqrt(x1 * x1 + x2 * x2), 1e-300)
        excess = mu * maximum(xn, low) / length - 1.0
        beyond = excess < 0.0
        lower, upper = select(going & beyond, a, lower), select(going & lnot(beyond), a, upper)
        z1, z2 = (d22 * x1 - a12 * x2) / determinant, (d11 * x2 - a12 * x1) / determinant
        slope = mu * (select(xn > low, s1 * z1 + s2 * z2, 0.0) / snn + maximum(xn, low) * (x1 * z1 + x2 * z2) / (length * length)) / length
        ahead = a - excess / select(slope > 0.0, slope, 1.0)
        fits = (slope > 0.0) & (ahead > lower) & (ahead < upper)
        middle = select(upper < 2.0 * lower, 0.5 * (lower + upper), select(lower > 0.0, sqrt(lower * upper), 1e-3 * upper))
        new = select(fits, ahead, middle)
        going = going & (fabs(new - a) > 1e-15 * a) & (fabs(excess) > 1e-15) & (upper - lower > 4e-16 * upper)
        a = select(going, new, a)
        if not any_lane(going):
            break
    return x1, x2, xn


@inner
def spatial(low, mu, snn, s1, s2, t11, t12, t22, bn, b1, b2):
    """Normal and tangential percussions of one contact in space, and where there are none.

    The normal percussion is eliminated: ``p_n = -(b_n + s . p_t)/s_nn``, ``(A + a I) p_t = -c`` with a = 0 where it sticks.
    """
    a11, a12, a22 = t11 - s1 * s1 / snn, t12 - s1 * s2 / snn, t22 - s2 * s2 / snn
    c1, c2 = b1 - s1 * bn / snn, b2 - s2 * bn / snn
    determinant = a11 * a22 - a12 * a12
    regular = determinant > 1e-14 * t11 * t22
    safe = select(regular, determinant, 1.0)
    p1, p2 = (a12 * c2 - a22 * c1) / safe, (a12 * c1 - a11 * c2) / safe
    pn = -(bn + s1 * p1 + s2 * p2) / snn
    sticks = regular & (p1 * p1 + p2 * p2 <= (mu * pn) * (mu * pn)) & (pn >= low)
    size, side = sqrt(c1 * c1 + c2 * c2), sqrt(s1 * s1 + s2 * s2)
    opens = bn + snn * low - mu * low * side >= 0.0  # whatever friction does; a bound above zero is Poisson's alone
    slides = lnot(opens | sticks) & (mu > 0.0)
    x1, x2, xn = direction(slides, low, mu, snn, s1, s2, a11, a12, a22, bn, c1, c2, size, side, t11 + t22)
    none = slides & lnot(xn >= low)
    plain = mu <= 0.0
    x1, x2, xn = select(plain, 0.0, x1), select(plain, 0.0, x2), select(plain, maximum(-bn / snn, low), xn)
    pn, p1, p2 = select(sticks, pn, xn), select(sticks, p1, x1), select(sticks, p2, x2)
    return select(opens, low, pn), select(opens, 0.0, p1), select(opens, 0.0, p2), none
