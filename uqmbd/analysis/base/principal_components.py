"""Principal components of many columns, so that what is done by column is done for a few."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.base.columnwise import sum_of_squares


def scores(values: np.ndarray, *, energy: float, most: int) -> tuple[np.ndarray, float]:
    """Scores (n, components) of the runs on the leading principal components of `values` (n, columns), and the share of variance left out.

    Scores are weighted with the singular values and descend in norm; the sum of squares of a component is the variance it explains, times
    n. One column is its own. Components are left out up to a share `energy` of the variance of all columns together, and beyond `most` of
    them.
    """
    centred = values - values.mean(axis=0)
    total = sum_of_squares(centred)
    if total <= 0:
        return np.zeros((len(values), 1)), 0.0
    if values.shape[1] == 1:
        return centred, 0.0
    # the smaller of both Gram matrices has the squares of the singular values
    small = len(values) > values.shape[1]
    squares, vectors = np.linalg.eigh(centred.T @ centred if small else centred @ centred.T)
    squares, vectors = np.maximum(squares[::-1], 0.0), vectors[:, ::-1]
    rest = 1 - np.cumsum(squares) / total
    count = min(int(np.argmax(rest <= energy)) + 1 if np.any(rest <= energy) else len(squares), most)
    kept = centred @ vectors[:, :count] if small else vectors[:, :count] * np.sqrt(squares[:count])
    return kept, max(float(rest[count - 1]), 0.0)
