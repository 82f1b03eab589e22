"""Integrals over sphere and hemisphere that films between ball and socket are made of; theory: docs/theory/spherical_films.md."""

from flexmbd.lanes import kernel, log, select, sqrt


@kernel
def area_function(y, rest):
    """``T = atanh(z)/z`` of y = z^2 in [0, 1) and its first three derivatives by y; `rest` is 1 - y, given as it may be known better.

    From ``2 y T' + T = 1/(1 - y)``, differentiated: upwards from T, or for small y downwards from the series of T'''.
    """
    near = y < 0.1
    q = 1.0 / rest
    s = select(near, y, 0.0)
    c3 = 4080.0 / 35.0 + s * (4896.0 / 37.0)
    c3 = 1716.0 / 27.0 + s * (2184.0 / 29.0 + s * (2730.0 / 31.0 + s * (3360.0 / 33.0 + s * c3)))
    c3 = 504.0 / 19.0 + s * (720.0 / 21.0 + s * (990.0 / 23.0 + s * (1320.0 / 25.0 + s * c3)))
    c3 = 6.0 / 7.0 + s * (24.0 / 9.0 + s * (60.0 / 11.0 + s * (120.0 / 13.0 + s * (210.0 / 15.0 + s * (336.0 / 17.0 + s * c3)))))
    c2 = (2.0 * q * q * q - 2.0 * s * c3) / 5.0
    c1 = (q * q - 2.0 * s * c2) / 3.0
    x = select(near, 0.5, y)
    p = select(near, 2.0, q)
    z = sqrt(x)
    half = 0.5 / x
    t0 = log((1.0 + z) * sqrt(p)) / z
    t1 = half * (p - t0)
    t2 = half * (p * p - 3.0 * t1)
    t3 = half * (2.0 * p * p * p - 5.0 * t2)
    return select(near, q - 2.0 * s * c1, t0), select(near, c1, t1), select(near, c2, t2), select(near, c3, t3)


@kernel
def hemisphere_moments(a, b):
    """``C = int dn/H`` over the unit vectors n with n.m > 0, ``H = 1 - a n.m - b n.m'``, ``a^2 + b^2 < 1``, and its derivatives.

    Round m the integral is that of a line segment's potential, ``C = 4 pi W``, ``W = atanh(e/r)/e`` with e^2 = a^2 + b^2 and
    r = 1 - a + sqrt(1 - b^2).  Returns C, C_a, C_b, C_aa, C_ab, C_bb, C_aaa, C_aab, C_abb.
    """
    square = a * a + b * b
    root = sqrt(1.0 - b * b)
    r = root + 1.0 - a
    d = 0.5 / ((1.0 + root) * (root - a))  # 1/(r^2 - e^2)
    i = 1.0 / r
    ii = i * i
    t0, t1, t2, t3 = area_function(square * ii, ii / d)
    # derivatives of W by s = e^2 and r
    w1 = t1 * ii * i
    w2 = t2 * ii * ii * i
    w3 = t3 * ii * ii * ii * i
    dd = d * d
    rr = 2.0 * r * dd
    rrs = 4.0 * r * dd * d
    rss = -2.0 * dd * d
    rrr = 2.0 * dd - 8.0 * r * r * dd * d
    rb = -b / root
    rbb = -1.0 / (root * root * root)
    f = 12.566370614359172
    ca = 2.0 * a * w1 + d
    cb = 2.0 * b * w1 - rb * d
    caa = 2.0 * w1 + 4.0 * a * a * w2 + 4.0 * a * dd + rr
    cab = 4.0 * a * b * w2 + 2.0 * (b - a * rb) * dd - rb * rr
    cbb = 2.0 * w1 + 4.0 * b * b * w2 - 4.0 * b * rb * dd + rb * rb * rr - rbb * d
    caaa = 12.0 * a * w2 + 6.0 * dd + 8.0 * a * a * a * w3 - 12.0 * a * a * rss + 6.0 * a * rrs - rrr
    caab = 4.0 * b * w2 - 2.0 * rb * dd + 4.0 * a * a * (2.0 * b * w3 + rb * rss) - 4.0 * a * (2.0 * b * rss + rb * rrs)
    caab = caab + 2.0 * b * rrs + rb * rrr
    cabb = 4.0 * a * w2 + 2.0 * dd + 4.0 * b * b * (2.0 * a * w3 - rss) + 4.0 * b * rb * (2.0 * a * rss - rrs)
    cabb = cabb + rb * rb * (2.0 * a * rrs - rrr) - rbb * (2.0 * a * dd + rr)
    return f * t0 * i, f * ca, f * cb, f * caa, f * cab, f * cbb, f * caaa, f * caab, f * cabb


HELPERS = (area_function, hemisphere_moments)
