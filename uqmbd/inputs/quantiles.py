"""Standard quantiles in closed form, for the halves of distributions in which scipy's lose digits.

``..._low(shapes, p)`` is the value below which there is the probability p, ``..._high(shapes, q)`` the one above which there is q; both
up to ½.
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_STEPS = 60  # at most, of Newton's method


def alpha_high(a: float, q: np.ndarray) -> np.ndarray:
    """``1 / t`` with ``Φ(a) - Φ(a - t) = q Φ(a)``, t by Newton's method; the difference by quadrature of the density."""
    wanted = q * special.ndtr(a)
    t = a - special.ndtri(special.ndtr(a) - wanted)
    for _ in range(4):  # from a start that is right to 1e-16 of Φ(a)
        inner = a - 0.5 * t * (1 + _NODES[:, None])
        mass = 0.5 * t * (_WEIGHTS @ _density(inner))
        t = t - (mass - wanted) / _density(a - t)
    return 1.0 / t


def _density(z: np.ndarray) -> np.ndarray:
    return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)


def f_high(n: float, m: float, q: np.ndarray) -> np.ndarray:
    """The reciprocal has the same distribution with its degrees of freedom exchanged."""
    return 1.0 / stats.f.ppf(q, m, n)


def folded_cauchy_low(c: float, p: np.ndarray) -> np.ndarray:
    """``tan(π F) = 2 x / (1 + c² - x²)``."""
    t, b = np.tan(np.pi * p), 1 + c * c
    return t * b / (1 + np.sqrt(1 + t * t * b))


def folded_cauchy_high(c: float, q: np.ndarray) -> np.ndarray:
    """As below, beyond the pole."""
    t = np.tan(np.pi * q)
    return (1 + np.sqrt(1 + t * t * (1 + c * c))) / t


def folded_normal_low(c: float, p: np.ndarray) -> np.ndarray:
    """The root of a non-central chi-squared variable with one degree of freedom."""
    return np.sqrt(stats.ncx2.ppf(p, 1, c * c))


def folded_normal_high(c: float, q: np.ndarray) -> np.ndarray:
    """The root of a non-central chi-squared variable with one degree of freedom."""
    return np.sqrt(stats.ncx2.isf(q, 1, c * c))


def generalized_exponential_low(a: float, b: float, c: float, p: np.ndarray) -> np.ndarray:
    """``(a + b) x - b (1 - exp(-c x)) / c = -ln(1 - p)`` by Newton's method; the left side is convex, so it comes from the right."""
    wanted = -np.log1p(-p)
    x = wanted / a
    for _ in range(_STEPS):
        step = (a * x + b * (x + np.expm1(-c * x) / c) - wanted) / (a - b * np.expm1(-c * x))
        x = x - step
        if np.all(np.abs(step) <= 1e-15 * x):
            break
    return x


def half_logistic_low(c: float, p: np.ndarray) -> np.ndarray:
    """``(1 - ((1 - p) / (1 + p))^c) / c``."""
    return -np.expm1(c * (np.log1p(-p) - np.log1p(p))) / c


def logistic_high(c: float, q: np.ndarray) -> np.ndarray:
    """``-ln((1 - q)^(-1/c) - 1)``."""
    return -np.log(np.expm1(-np.log1p(-q) / c))


def mielke_high(k: float, s: float, q: np.ndarray) -> np.ndarray:
    """``((1 - q)^(-s/k) - 1)^(-1/s)``."""
    return np.expm1(-s / k * np.log1p(-q)) ** (-1 / s)


def power_lognormal_low(c: float, s: float, p: np.ndarray) -> np.ndarray:
    """``exp(s z)`` of the power normal variable z."""
    return np.exp(s * power_normal_low(c, p))


def power_normal_low(c: float, p: np.ndarray) -> np.ndarray:
    """``Φ⁻¹(1 - (1 - p)^(1/c))``."""
    return special.ndtri(-np.expm1(np.log1p(-p) / c))


def reciprocal_inverse_gaussian_low(mu: float, p: np.ndarray) -> np.ndarray:
    """The reciprocal is inverse Gaussian."""
    return 1.0 / stats.invgauss.isf(p, mu)


def reciprocal_inverse_gaussian_high(mu: float, q: np.ndarray) -> np.ndarray:
    """The reciprocal is inverse Gaussian."""
    return 1.0 / stats.invgauss.ppf(q, mu)


def tukey_lambda_low(shape: float, p: np.ndarray) -> np.ndarray:
    """``(p^λ - (1 - p)^λ) / λ``, and ``ln(p / (1 - p))`` for 0."""
    return special.boxcox(p, shape) - special.boxcox1p(-p, shape)


def tukey_lambda_high(shape: float, q: np.ndarray) -> np.ndarray:
    """By symmetry."""
    return -tukey_lambda_low(shape, q)
