"""Normal densities of many residuals at once, whose covariance is diagonal but for a few directions."""

from __future__ import annotations

import numpy as np


def log_normal(
    residuals: np.ndarray, variance: np.ndarray, directions: np.ndarray | None = None, more: np.ndarray | None = None
) -> np.ndarray:
    """Logarithms of normal densities of mean 0 at `residuals`, less ``-m/2 log(2 pi)``; the covariance is ``diag(a) + U diag(v) Uᵀ``.

    Parameters
    ----------
    residuals : ndarray, shape (n, m)
    variance : ndarray, shape (n, m), or (n, 1) where all are the same
        `a`, not negative.
    directions : ndarray, shape (m, k), optional
        `U`, with orthonormal columns.
    more : ndarray, shape (n, k)
        `v`, not negative.

    Returns
    -------
    ndarray, shape (n,)
        Minus infinity where a variance is 0.

    References
    ----------
    Woodbury's identity and the matrix determinant lemma: Rasmussen, Williams, Gaussian Processes for Machine Learning (2006), A.9, A.10.

    Examples
    --------
    >>> import numpy as np
    >>> log_normal(np.array([[1.0, 0.0]]), np.array([[1.0]]), np.array([[1.0], [0.0]]), np.array([[1.0]])).round(6)  # variances 2 and 1
    array([-0.596574])
    """
    count = residuals.shape[1] if variance.shape[1] == 1 else 1
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = residuals / variance
        found = -0.5 * (np.einsum("ij,ij->i", residuals, scaled) + count * np.log(variance).sum(axis=1))
        if directions is not None and more is not None and directions.shape[1]:
            along = scaled @ directions
            if variance.shape[1] == 1:
                found += 0.5 * (along**2 * more / (1.0 + more / variance)).sum(axis=1) - 0.5 * np.log1p(more / variance).sum(axis=1)
            else:
                found += _along(along, np.einsum("mi,nm,mj->nij", directions, 1.0 / variance, directions, optimize=True), more)
    return np.where((variance > 0).all(axis=1), found, -np.inf)


def _along(along: np.ndarray, inner: np.ndarray, more: np.ndarray) -> np.ndarray:
    """What the directions add: ``Uᵀ a⁻¹ r`` (n, k), ``Uᵀ a⁻¹ U`` (n, k, k) and `v` (n, k)."""
    root = np.sqrt(more)
    matrix = np.eye(more.shape[1]) + root[:, :, None] * inner * root[:, None, :]
    bad = ~np.isfinite(matrix).all(axis=(1, 2))
    matrix[bad] = np.eye(more.shape[1])
    lower = np.linalg.cholesky(matrix)
    half = np.linalg.solve(lower, (root * along)[..., None])[..., 0]
    return 0.5 * (half**2).sum(axis=1) - np.log(np.diagonal(lower, axis1=1, axis2=2)).sum(axis=1)
