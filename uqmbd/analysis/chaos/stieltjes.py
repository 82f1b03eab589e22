"""Recurrences of orthonormal polynomials of any variable, from its inverse distribution function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_NARROWEST = 2.0**-46  # panel in u; below, doubles near u = 1 resolve it no more
_INNER, _ENDS = 2.0**-30, 2.0**-20  # the narrowest where kinks and jumps may be, and how near the ends that is no longer so
_MOST_PANELS = 4096
_PROBE = 12  # points that show whether a panel is resolved
RESOLVED = 1e-11


def polynomials(x: np.ndarray, alpha: np.ndarray, beta: np.ndarray, degree: int) -> np.ndarray:
    """``ψ_0 ... ψ_degree`` at `x` (n,), real or complex, by the three-term recurrence: shape (n, degree + 1)."""
    if degree >= len(alpha):
        raise ValueError(f"the recurrence is known up to degree {len(alpha) - 1}, not {degree}")
    x = np.asarray(x)
    out, root = np.empty((degree + 1, len(x)), np.result_type(x, float)), np.sqrt(beta)
    out[0] = 1.0
    for k in range(degree):
        out[k + 1] = (x - alpha[k]) * out[k]
        if k:
            out[k + 1] -= root[k] * out[k - 1]
        out[k + 1] /= root[k + 1]
    return out.T


def discretisation(
    ppf: Callable[[np.ndarray], np.ndarray], points: int, parts: int = 2, resolved: float = RESOLVED
) -> tuple[np.ndarray, np.ndarray]:
    """Composite Gauss rule in u whose panels are halved until `ppf` is smooth on each, up to a share `resolved`: nodes and weights.

    Panels, `parts` at the start, shrink geometrically towards kinks, towards jumps, and towards the ends where the variable is unbounded.
    """
    x, _ = np.polynomial.legendre.leggauss(_PROBE)
    to_coefficients = np.linalg.inv(np.polynomial.legendre.legvander(x, _PROBE - 1))
    left, width = np.arange(parts) / parts, np.full(parts, 1 / parts)
    done: list[np.ndarray] = []
    count = 0
    while len(left):
        values = ppf((left[:, None] + width[:, None] * (x + 1) / 2).ravel()).reshape(-1, _PROBE)
        c = np.abs(values @ to_coefficients.T)
        noise = 2.0**-50 * c[:, 1] / width  # from rounding of u itself
        smooth = c[:, -2:].max(axis=1) <= np.maximum(resolved * c.max(axis=1), noise)
        inner = (left > _ENDS) & (left + width < 1 - _ENDS)
        kept = smooth | (width <= np.where(inner, _INNER, _NARROWEST)) | (count + 2 * len(left) > _MOST_PANELS)
        done.append(np.column_stack([left[kept], width[kept]]))
        count += int(kept.sum())
        half = width[~kept] / 2
        left, width = np.concatenate([left[~kept], left[~kept] + half]), np.concatenate([half, half])
    panels = np.concatenate(done)
    panels = panels[np.argsort(panels[:, 0])]
    x, w = np.polynomial.legendre.leggauss(points)
    u = panels[:, :1] + panels[:, 1:] * (x + 1) / 2
    return np.clip(u.ravel(), 2.0**-53, 1 - 2.0**-53), (panels[:, 1:] * w / 2).ravel()


def recurrence(x: np.ndarray, w: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients α, β (count,) of the discrete measure `w` at `x`, by Stieltjes' procedure; fewer when it has fewer points."""
    alpha, beta = np.zeros(count), np.ones(count)
    last, now = np.zeros_like(x), np.ones_like(x)
    for k in range(count):
        alpha[k] = w @ (x * now * now)
        if k + 1 == count:
            break
        new = (x - alpha[k]) * now - (np.sqrt(beta[k]) * last if k else 0.0)
        beta[k + 1] = w @ (new * new)
        if not np.isfinite(beta[k + 1]) or beta[k + 1] <= 1e-14:
            return alpha[: k + 1], beta[: k + 1]
        last, now = now, new / np.sqrt(beta[k + 1])
    return alpha, beta


def inverse(germ: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """u in (0, 1) with ``germ(u) = x``, by bisection, for increasing germs."""
    x = np.asarray(x, float)
    low, high = np.zeros_like(x), np.ones_like(x)
    for _ in range(60):
        middle = (low + high) / 2
        below = germ(np.clip(middle, 2.0**-53, 1 - 2.0**-53)) < x
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2
