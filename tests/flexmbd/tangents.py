"""What the tests of elements' kernels share: derivatives by differences, and matrices put together from blocks."""

import numpy as np

PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of a cable's vectors c, a, b, on and above the diagonal
FULL_PAIRS = tuple((a, b) for a in range(3) for b in range(3))
MEASURES = [(green, order) for green in (1.0, 0.0) for order in (3.0, 2.0, 0.0)]


def jacobian(function, y, step=1e-3):
    """Central differences of order 6."""

    def at(j, k):
        z = np.array(y)
        z[j] += k * step
        return np.array(function(z))

    columns = [sum(c * (at(j, k) - at(j, -k)) for k, c in ((1, 45), (2, -9), (3, 1))) / (60 * step) for j in range(len(y))]
    return np.array(columns).T


def full(blocks, pairs, below=None):
    """Matrix of 3 x 3 blocks at pairs of vectors; those below the diagonal are the transposes of `below`, or of these."""
    size = 3 * (1 + max(max(pair) for pair in pairs))
    out, seen = np.zeros((size, size)), set(pairs)
    for (a, b), x, y in zip(pairs, np.reshape(blocks, (-1, 3, 3)), np.reshape(blocks if below is None else below, (-1, 3, 3)), strict=True):
        out[3 * a : 3 * a + 3, 3 * b : 3 * b + 3] = x
        if (b, a) not in seen:
            out[3 * b : 3 * b + 3, 3 * a : 3 * a + 3] = y.T
    return out


def close(a, b, tolerance=3e-11):
    assert np.abs(a - b).max() < tolerance * np.abs(b).max()
