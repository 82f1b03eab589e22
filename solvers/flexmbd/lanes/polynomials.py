"""Elementary functions in lanes: polynomials evaluated in all lanes at once, no table, no branch.

Range reduction and minimax coefficients of ``log``, ``sincos`` and ``atan2`` are those of fdlibm (Sun Microsystems 1993),
of ``tanh`` those of Cephes (Moshier 1989); ``exp`` is its Taylor series; ``power`` carries the logarithm in two doubles.
"""

import math

from numba import njit

from flexmbd.lanes.bits import (
    SHIFTER,
    bit_0,
    bit_1,
    exponent_from_low_bits,
    fma,
    mantissa,
    shifted_exponent,
    sign_bit,
    widen,
)
from flexmbd.lanes.vector import OPTIONS, fabs, floor, lnot, maximum, minimum, select

SINCOS_LIMIT = 1.0e9  # beyond it the three-part pi/2 no longer gives full accuracy: NaN instead of wrong digits

_LN2_HI, _LN2_LO, _LOG2E = 6.93147180369123816490e-01, 1.90821492927058770002e-10, 1.4426950408889634
_PIO2_A, _PIO2_B, _PIO2_C = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21
_ATAN_HALF, _ATAN_HALF_LO = 4.63647609000806093515e-01, 2.26987774529616870924e-17
_PI_LO = 1.2246467991473532e-16

_inner = njit(**OPTIONS)


@_inner
def _two_to(k):
    return exponent_from_low_bits(k + (SHIFTER + 1023.0))


@_inner
def _exp_of_sum(x, low):
    """exp(x + low) for |low| far below |x|."""
    x = select(x > 710.0, 710.0, select(x < -746.0, -746.0, x))
    k = (x * _LOG2E + SHIFTER) - SHIFTER
    r = fma(-k, widen(_LN2_LO, x), fma(-k, widen(_LN2_HI, x), x)) + low
    q = 1.0 / 6227020800.0
    q = q * r + 1.0 / 479001600.0
    q = q * r + 1.0 / 39916800.0
    q = q * r + 1.0 / 3628800.0
    q = q * r + 1.0 / 362880.0
    q = q * r + 1.0 / 40320.0
    q = q * r + 1.0 / 5040.0
    q = q * r + 1.0 / 720.0
    q = q * r + 1.0 / 120.0
    q = q * r + 1.0 / 24.0
    q = q * r + 1.0 / 6.0
    q = q * r + 0.5
    half = floor(0.5 * k)  # two factors: 2**k alone does not reach subnormal and largest results
    return (1.0 + (r + r * r * q)) * _two_to(half) * _two_to(k - half)


@_inner
def _log_series(z):
    """log((1 + s) / (1 - s)) = s (2 + R(z)), z = s**2."""
    t = 1.531383769920937332e-01 + z * 1.479819860511658591e-01
    t = 1.818357216161805012e-01 + z * t
    t = 2.222219843214978396e-01 + z * t
    t = 2.857142874366239149e-01 + z * t
    t = 3.999999999940941908e-01 + z * t
    return z * (6.666666666666735130e-01 + z * t)


@_inner
def _normal(x):
    """(x scaled out of the subnormal range, power of two to add back)."""
    tiny = x < 2.2250738585072014e-308
    return select(tiny, x * 18014398509481984.0, x), select(tiny, -54.0, 0.0)


@_inner
def vec_exp(x):
    """e**x in every lane."""
    return _exp_of_sum(x, 0.0)


@_inner
def vec_log(x):
    """Natural logarithm in every lane."""
    scaled, shift = _normal(select((x > 0.0) & (x < math.inf), x, 1.0))
    k = (shifted_exponent(scaled) - SHIFTER) + shift
    f = mantissa(scaled) - 1.0
    s = f / (2.0 + f)
    half = 0.5 * f * f
    value = k * _LN2_HI - ((half - (s * (half + _log_series(s * s)) + k * _LN2_LO)) - f)
    return select(x > 0.0, select(x < math.inf, value, x), select(x >= 0.0, -math.inf, math.nan))


@_inner
def vec_power(x, y):
    """x**y for x > 0, else 0, in every lane."""
    scaled, shift = _normal(select((x > 0.0) & (x < math.inf), x, 1.0))
    k = (shifted_exponent(scaled) - SHIFTER) + shift
    m = mantissa(scaled)
    f = m - 1.0
    d = m + 1.0
    s = f / d
    s_low = (fma(-s, d, f) - s * (m - (d - 1.0))) / d
    main = k * _LN2_HI
    first = main + 2.0 * s
    rest = (2.0 * s - (first - main)) + (2.0 * s_low + s * _log_series(s * s) + k * _LN2_LO)
    log_high = first + rest
    log_low = rest - (log_high - first)
    product = y * log_high
    low = fma(y, log_high, -product) + y * log_low
    value = _exp_of_sum(product, select(fabs(product) < 800.0, low, 0.0))
    infinite = select(y > 0.0, x, select(y < 0.0, 0.0, 1.0))
    return select(x > 0.0, select(x < math.inf, value, infinite), select(x <= 0.0, 0.0, x))


@_inner
def vec_sincos(x):
    """Sine and cosine in every lane (three-part reduction by pi/2)."""
    t = x * 0.6366197723675814 + SHIFTER
    k = t - SHIFTER
    a = fma(-k, widen(_PIO2_A, x), x)  # exact
    p = k * _PIO2_B
    p_low = fma(k, widen(_PIO2_B, x), -p)
    b = a - p
    v = b - a
    b_low = (a - (b - v)) - (p + v) - p_low - k * _PIO2_C
    r = b + b_low
    low = (b - r) + b_low
    z = r * r
    q = -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
    q = 2.75573137070700676789e-06 + z * q
    q = -1.98412698298579493134e-04 + z * q
    q = 8.33333333332248946124e-03 + z * q
    sine = r + ((z * r) * (z * q - 1.66666666666666324348e-01) + (low - 0.5 * z * low))
    c = 2.08757232129817482790e-09 - z * 1.13596475577881948265e-11
    c = -2.75573143513906633035e-07 + z * c
    c = 2.48015872894767294178e-05 + z * c
    c = -1.38888888888741095749e-03 + z * c
    c = 4.16666666666666019037e-02 + z * c
    half = 0.5 * z
    w = 1.0 - half
    cosine = w + (((1.0 - w) - half) + (z * z * c - r * low))
    odd, turned = bit_0(t), bit_1(t)
    sin_x, cos_x = select(odd, cosine, sine), select(odd, sine, cosine)
    valid = fabs(x) < SINCOS_LIMIT
    cos_turned = (odd & lnot(turned)) | (turned & lnot(odd))
    return (
        select(valid, select(turned, -sin_x, sin_x), math.nan),
        select(valid, select(cos_turned, -cos_x, cos_x), math.nan),
    )


@_inner
def vec_atan2(y, x):
    """Angle of (x, y) in every lane."""
    u, v = fabs(y), fabs(x)
    a, b = minimum(u, v), maximum(u, v)
    b = select(b > 0.0, b, 1.0)
    middle, upper = a >= 0.4375 * b, a >= 0.6875 * b
    numerator = select(upper, a - b, select(middle, 2.0 * a - b, a))
    denominator = select(upper, a + b, select(middle, 2.0 * b + a, b))
    start = select(upper, 0.25 * math.pi, select(middle, _ATAN_HALF, 0.0))
    start_low = select(upper, 0.25 * _PI_LO, select(middle, _ATAN_HALF_LO, 0.0))
    t = numerator / denominator
    z = t * t
    q = -3.65315727442169155270e-02 + z * 1.62858201153657823623e-02
    q = 4.97687799461593236017e-02 + z * q
    q = -5.83357013379057348645e-02 + z * q
    q = 6.66107313738753120669e-02 + z * q
    q = -7.69187620504482999495e-02 + z * q
    q = 9.09088713343650656196e-02 + z * q
    q = -1.11111104054623557880e-01 + z * q
    q = 1.42857142725034663711e-01 + z * q
    q = -1.99999999998764832476e-01 + z * q
    q = 3.33333333333329318027e-01 + z * q
    low = start_low - t * z * q
    angle = start + (low + t)
    steep = u > v
    angle = select(steep, 0.5 * math.pi - (angle - 0.5 * _PI_LO), angle)
    angle = select(sign_bit(x), math.pi - (angle - _PI_LO), angle)
    return select(sign_bit(y), -angle, angle)


@_inner
def vec_tanh(x):
    """Hyperbolic tangent in every lane."""
    u = fabs(x)
    z = minimum(u * u, 1.0)
    p = (-9.64399179425052238628e-1 * z - 9.92877231001918586564e1) * z - 1.61468768441708447952e3
    q = ((z + 1.12811678491632931402e2) * z + 2.23548839060100448583e3) * z + 4.84406305325125486048e3
    large = 1.0 - 2.0 / (_exp_of_sum(2.0 * u, 0.0) + 1.0)
    return select(u < 0.625, x + x * (z * (p / q)), select(x < 0.0, -large, large))
