"""Steps of the Levenberg-Marquardt method with bounds, for loops whose runs come in batches.

Marquardt, J. SIAM 11 (1963) 431; bounds by an active set: a parameter at a bound that the gradient pushes outward does not move.
"""

from __future__ import annotations

import numpy as np

FLAT = 1e-7  # singular values below this share of the greatest say nothing about the parameters: a Jacobian of differences has such errors


def held(z: np.ndarray, gradient: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Which parameters are at a bound and pushed outward, (d,) bool; `gradient` is that of the cost."""
    return ((z <= lower) & (gradient > 0)) | ((z >= upper) & (gradient < 0))


def step(jacobian: np.ndarray, residual: np.ndarray, damping: float, free: np.ndarray) -> np.ndarray:
    """``argmin |J δ + r|² + damping |D δ|²`` over the `free` parameters (d,), D the lengths of the columns of J: (d,), 0 where not free.

    J (m, d) is `jacobian`, r (m,) `residual`.
    """
    out = np.zeros(jacobian.shape[1])
    if not free.any():
        return out
    j = jacobian[:, free]
    lengths = np.linalg.norm(j, axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    scaled = np.concatenate([j / lengths, np.sqrt(damping) * np.eye(j.shape[1])])
    right = np.concatenate([-residual, np.zeros(j.shape[1])])
    out[free] = np.linalg.lstsq(scaled, right, rcond=FLAT)[0] / lengths
    return out


def covariance(jacobian: np.ndarray, free: np.ndarray, variance: float) -> tuple[np.ndarray, np.ndarray]:
    """``variance (JᵀJ)⁻¹`` of the free parameters, NaN for the others, and which free ones the data do not tell: (d, d) and (d,) bool.

    Variances of parameters that the data do not tell are infinite, their covariances NaN.
    """
    d = jacobian.shape[1]
    out, loose = np.full((d, d), np.nan), np.zeros(d, bool)
    at = np.flatnonzero(free)
    if not at.size:
        return out, loose
    lengths = np.linalg.norm(jacobian[:, at], axis=0)
    lengths = np.where(lengths > 0, lengths, 1.0)
    _, s, vt = np.linalg.svd(jacobian[:, at] / lengths, full_matrices=True)
    s = np.concatenate([s, np.zeros(len(at) - len(s))])
    flat = s <= FLAT * s[0]
    inverse = np.divide(1.0, s, out=np.zeros_like(s), where=~flat)
    known = (vt.T * inverse**2) @ vt / np.outer(lengths, lengths) * variance
    loose[at] = np.abs(vt[flat]).max(axis=0, initial=0.0) > 1e-3
    out[np.ix_(at, at)] = known
    out[loose] = out[:, loose] = np.nan
    out[loose, loose] = np.inf
    return out, loose
