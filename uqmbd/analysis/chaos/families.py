"""Orthonormal polynomials of one random input, as functions of u in (0, 1), its distribution function.

A family is a germ ``x = germ(u)`` and the recurrence of the polynomials that are orthonormal when u is uniform:
``√β_{k+1} ψ_{k+1} = (x - α_k) ψ_k - √β_k ψ_{k-1}`` with ``ψ_0 = 1`` (Gautschi, Orthogonal Polynomials, 2004). Since u is
independent of the other inputs also where a copula joins the inputs themselves, products of families are orthonormal in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.analysis.chaos import stieltjes

HIGHEST = 200  # terms of closed recurrences
_END = 2.0**-52  # u is kept so far away from 0 and 1, where germs may be infinite
_ALIKE = 1e-9  # relative: two distribution functions are the same
_PROBES = np.array([0.001, 0.02, 0.1, 0.3, 0.45, 0.5, 0.6, 0.8, 0.95, 0.999])
_ORTHONORMAL = 1e-4  # far below what any fit reaches
# share of ∫ψ² that may lie so near the ends of u, where no sample ever is; of Hermite polynomials it is 0.3 at degree 12
_OUTER, _TAIL = 1e-10, 0.35
_REACH = 12.5  # deviations from the mean that a sample may be away; beyond, polynomials of the variable expand nothing but polynomials
_COARSE = 1e-6  # to which a table is resolved
_FARTHEST, _STEPS = 8.2, 3281  # normal scores over which Hermite and Legendre polynomials are compared: doubles reach no further
_COMPARED = 12  # their highest degree for that


@dataclass(frozen=True, eq=False)
class Family:
    """Polynomials of one input."""

    name: str
    germ: Callable[[np.ndarray], np.ndarray]  # u (any shape) in (0, 1) to x; increasing
    probability: Callable[[np.ndarray], np.ndarray]  # x to u
    alpha: np.ndarray  # (count,): of the recurrence
    beta: np.ndarray  # (count,): of the recurrence; the first is 1
    finite: bool = False  # the variable has `count` values only, and polynomials of that degree and above are zero on all of them

    def at(self, u: np.ndarray, degree: int) -> np.ndarray:
        """``ψ_0 ... ψ_degree`` at the points `u` (n,) of the unit interval: shape (n, degree + 1)."""
        return self.polynomials(self.germ(np.clip(u, _END, 1 - _END)), degree)

    def polynomials(self, x: np.ndarray, degree: int) -> np.ndarray:
        """``ψ_0 ... ψ_degree`` at values `x` (n,) of the germ: shape (n, degree + 1)."""
        known = min(degree, len(self.alpha) - 1) if self.finite else degree
        psi = stieltjes.polynomials(x, self.alpha, self.beta, known)
        return psi if known == degree else np.pad(psi, np.array([[0, 0], [0, degree - known]]))

    def gauss(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Gauss nodes x and weights, (count,) each, exact for polynomials of degree ``2 count - 1`` (Golub and Welsch 1969)."""
        from scipy.linalg import eigh_tridiagonal

        x, vectors = eigh_tridiagonal(self.alpha[:count], np.sqrt(self.beta[1:count]))
        return x, vectors[0] ** 2

    def nodes(self, count: int) -> np.ndarray:
        """Gauss nodes as points u of the unit interval, (count,)."""
        return np.clip(self.probability(self.gauss(count)[0]), _END, 1 - _END)


def legendre(name: str = "legendre") -> Family:
    """Of a uniform variable on [-1, 1]; germ ``2u - 1``."""
    k = np.arange(HIGHEST)
    return Family(name, lambda u: 2 * u - 1, lambda x: (x + 1) / 2, np.zeros(HIGHEST), np.where(k, k**2 / (4.0 * k**2 - 1), 1.0))


def hermite(name: str = "hermite") -> Family:
    """Of a standard normal variable; germ ``Φ⁻¹(u)``."""
    from scipy.special import ndtr, ndtri

    return Family(name, ndtri, ndtr, np.zeros(HIGHEST), np.maximum(np.arange(HIGHEST), 1.0))


def laguerre(shape: float) -> Family:
    """Of a gamma variable with density ``x^(shape-1) e^-x / Γ(shape)``."""
    from scipy.special import gammainc, gammaincinv

    k = np.arange(HIGHEST)
    beta = np.where(k, k * (k + shape - 1.0), 1.0)
    return Family("laguerre", lambda u: gammaincinv(shape, u), lambda x: gammainc(shape, x), 2.0 * k + shape, beta)


def jacobi(a: float, b: float) -> Family:
    """Of a beta variable on [-1, 1], with density proportional to ``(1 + x)^(a-1) (1 - x)^(b-1)``."""
    from scipy.special import betainc, betaincinv

    p, q, k = b - 1.0, a - 1.0, np.arange(2.0, HIGHEST)
    alpha = [(q - p) / (p + q + 2), (q * q - p * p) / ((2 + p + q) * (4 + p + q))]
    beta = [1.0, 4 * (1 + p) * (1 + q) / ((2 + p + q) ** 2 * (3 + p + q))]
    s = 2 * k + p + q
    alpha = np.concatenate([alpha, (q * q - p * p) / (s * (s + 2))])
    beta = np.concatenate([beta, 4 * k * (k + p) * (k + q) * (k + p + q) / (s * s * (s + 1) * (s - 1))])
    return Family("jacobi", lambda u: 2 * betaincinv(a, b, u) - 1, lambda x: betainc(a, b, (x + 1) / 2), alpha, beta)


def numerical(ppf: Callable[[np.ndarray], np.ndarray], degree: int) -> Family | None:
    """Of the variable ``ppf(u)``, standardised, by Stieltjes' procedure; None where that cannot be trusted up to `degree`.

    It is not for long tails (a normal variable reaches 6.4 deviations, an exponential one 22), where a bounded function of the variable has
    no good polynomial, nor where a large part of ``∫ψ²`` lies so near u = 0 or 1 that no sample is ever there.
    Polynomials up to ``3/2 degree`` are there for Gauss rules, up to `degree` they are checked on another discretisation.
    """
    # a kink just inside the end of a panel is not seen; in panels cut otherwise it is not at the end. A table has more kinks than panels
    # can follow, all of them small
    tried = (_numerical(ppf, degree, *how) for how in ((2, stieltjes.RESOLVED), (3, stieltjes.RESOLVED), (5, _COARSE)))
    return next((candidate for candidate in tried if candidate is not None), None)


def _numerical(ppf: Callable[[np.ndarray], np.ndarray], degree: int, parts: int, resolved: float) -> Family | None:
    """By panels that start from so many `parts`."""
    u, w = stieltjes.discretisation(ppf, 32, parts, resolved)
    raw = ppf(u)
    if not np.all(np.isfinite(raw)):
        return None
    centre = w @ raw
    width = np.sqrt(w @ (raw - centre) ** 2)
    if not np.isfinite(width) or width <= 0:
        return None

    def germ(u: np.ndarray) -> np.ndarray:
        return (ppf(u) - centre) / width

    if np.abs(germ(np.array([_OUTER, 1 - _OUTER]))).max() > _REACH:
        return None
    wanted = (3 * degree) // 2 + 3
    alpha, beta = stieltjes.recurrence((raw - centre) / width, w, wanted)
    finite = len(alpha) < wanted
    if finite and len(np.unique(raw)) != len(alpha):
        return None
    degree = min(degree, len(alpha) - 1)
    other, weights = stieltjes.discretisation(ppf, 47, parts, resolved)
    psi = stieltjes.polynomials(germ(other), alpha, beta, degree)
    gram = psi.T @ (weights[:, None] * psi)
    outside = (other < _OUTER) | (other > 1 - _OUTER)
    tails = weights[outside] @ psi[outside] ** 2
    if not (np.abs(gram - np.eye(degree + 1)).max() < _ORTHONORMAL and tails.max() < _TAIL):
        return None
    return Family("numerical", germ, lambda x: stieltjes.inverse(germ, x), alpha, beta, finite)


def family(ppf: Callable[[np.ndarray], np.ndarray], hint: Mapping[str, Any] | None = None, *, degree: int) -> Family:
    """The family that suits the variable ``ppf(u)``, increasing, up to the highest `degree` that will be asked for.

    It is recognised by the values of `ppf`: an affine function of a known germ has the polynomials of that germ. In this order: uniform
    (Legendre), normal and lognormal (Hermite; the lognormal's own polynomials are no complete base, so the germ is its logarithm), gamma
    and beta with the shapes in `hint`, as in study files (``{"type": "gamma", "shape": 2.0}``), any other by its own recurrence. Where that
    fails, Hermite polynomials of ``Φ⁻¹(u)`` or Legendre polynomials of u, whichever expand the variable itself better; without moments
    Legendre.
    """
    x = ppf(_PROBES)
    for candidate in _closed(hint or {}):
        if _affine(candidate.germ(_PROBES), x):
            return candidate
    normal = hermite("hermite of the logarithm")
    if x[0] > 0 and _affine(normal.germ(_PROBES), np.log(x)):
        return normal
    own = numerical(ppf, degree)
    if own is not None:
        return own
    return _general(ppf, degree)


def _closed(hint: Mapping[str, Any]) -> list[Family]:
    """Families with closed recurrences that the variable may have."""
    kind, families = str(hint.get("type", "")).lower(), [legendre(), hermite()]
    if kind == "exponential":
        families.append(laguerre(1.0))
    elif kind == "gamma":
        families.append(laguerre(float(hint.get("shape", 1.0))))
    elif kind == "beta":
        families.append(jacobi(float(hint["alpha"]), float(hint["beta"])))
    return families


def _affine(germ: np.ndarray, x: np.ndarray) -> bool:
    """Whether `x` is an affine function of `germ`."""
    slope = (x[-1] - x[0]) / (germ[-1] - germ[0])
    return bool(np.all(np.abs(x[0] + slope * (germ - germ[0]) - x) <= _ALIKE * np.abs(x[-1] - x[0])))


def _general(ppf: Callable[[np.ndarray], np.ndarray], degree: int) -> Family:
    """Hermite or Legendre polynomials, whichever leave less of the variable's variance; Legendre where there is no fourth moment."""
    from scipy.special import ndtr

    normal, uniform = hermite("hermite of the normal score"), legendre("legendre of the probability")
    # this trapezoidal rule resolves the ends of u, where Hermite polynomials are singular, whatever the variable does
    z = np.linspace(-_FARTHEST, _FARTHEST, _STEPS)
    w = np.exp(-(z**2) / 2)
    w, u = w / w.sum(), np.clip(ndtr(z), _END, 1 - _END)
    x = ppf(u)
    if not np.all(np.isfinite(x)):
        return uniform
    x = x - w @ x
    x /= np.abs(x).max()
    fourth = w * x**4
    if fourth[(u < _OUTER) | (u > 1 - _OUTER)].sum() > _TAIL * fourth.sum():
        return uniform
    explained = [float(np.square(family.at(u, min(degree, _COMPARED)).T @ (w * x)).sum()) for family in (normal, uniform)]
    return normal if explained[0] >= explained[1] else uniform
