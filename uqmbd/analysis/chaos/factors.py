"""Factors of matrices, as LAPACK makes them."""

from __future__ import annotations

import numpy as np

_ILL = 1e10  # condition of the normal matrix beyond which QR takes over


def cholesky(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The Cholesky factor of a normal matrix and its inverse, lower triangles; None where it is ill-conditioned."""
    from scipy.linalg import get_lapack_funcs

    potrf, pocon, trtri = get_lapack_funcs(("potrf", "pocon", "trtri"), dtype=float)
    factor, fails = potrf(gram, lower=1)
    if fails or pocon(factor, np.abs(gram).sum(axis=0).max(), uplo="L")[0] <= 1 / _ILL:
        return None
    return factor, trtri(factor, lower=1)[0]


def orthogonal(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Q and R of a matrix (n, k), (n, m) and (m, k) with m the lesser of both."""
    from scipy.linalg import qr

    q, r = qr(matrix, mode="economic")  # pyright: ignore[reportAssignmentType]  how many it gives depends on its arguments
    return np.asarray(q), np.asarray(r)
