"""Integrals over half the circumference, which all half films are made of."""

from flexmbd.lanes import atan2, kernel, select, sqrt


@kernel
def half_moments(a, b):
    """``C_ij = int cos^i sin^j / H^(i+j+1)`` over -90 to 90 degrees, ``H = 1 - a cos - b sin``, with ``a^2 + b^2 < 1``.

    All are derivatives of ``C_00 = 2 A/s``, ``A = atan2(s, -a)``, ``s^2 = 1 - a^2 - b^2``: C_10 = dC_00/da, 2 C_20 = d2C_00/da2,
    6 C_30 = d3C_00/da3 and so on.  Returns C_00, C_10, C_01, C_20, C_11, C_02 and 3 C_30, 3 C_21, 3 C_12, which are the derivatives
    of C_20, C_11 (both by a and by b).
    """
    k = 1.0 - a * a - b * b
    s = sqrt(k)
    q = 1.0 / k
    p = 1.0 / (1.0 - b * b)
    angle = atan2(s, -a)
    a1 = angle / s
    a3 = a1 * q
    a5 = a3 * q
    a7 = a5 * q
    ab = a * b
    aa = a * a
    bb = b * b
    c10 = 2.0 * (q + a * a3)
    c01 = 2.0 * (ab * q * p + b * a3)
    c20 = 3.0 * a * q * q + a5 * (k + 3.0 * aa)
    c11 = b * q * (3.0 * q - p) + 3.0 * ab * a5
    c02 = a * q * p * (1.0 + bb * (3.0 * q + 2.0 * p)) + a5 * (k + 3.0 * bb)
    c30 = q * q * (4.0 + 15.0 * aa * q) + a7 * a * (9.0 * k + 15.0 * aa)
    c21 = ab * q * q * (15.0 * q - 2.0 * p) + a7 * b * (3.0 * k + 15.0 * aa)
    c12 = q * (3.0 * q - p + 2.0 * bb * (6.0 * q * q - p * p - p * q)) + 3.0 * aa * bb * p * q * q * q + a7 * a * (3.0 * k + 15.0 * bb)
    return 2.0 * a1, c10, c01, c20, c11, c02, c30, c21, c12


@kernel
def direction_or_x(u, w):
    """Unit vector along (u, w), or (1, 0) where that is zero."""
    squared = u * u + w * w
    some = squared > 1e-200
    size = sqrt(select(some, squared, 1.0))
    return select(some, u / size, 1.0), select(some, w / size, 0.0)


@kernel
def turned_back(xx, xy, yy, mx, my):
    """Symmetric matrix (xx, xy, yy) given along (mx, my) and its normal (-my, mx), in the frame in which m is given."""
    c = mx * mx
    s = my * my
    m = mx * my
    return c * xx - 2.0 * m * xy + s * yy, m * (xx - yy) + (c - s) * xy, s * xx + 2.0 * m * xy + c * yy


HELPERS = (half_moments, direction_or_x, turned_back)
