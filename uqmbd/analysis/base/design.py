"""Points in the unit cube."""

from __future__ import annotations

import numpy as np

_SOBOL_BITS = 30  # scipy's resolution of Sobol' points


def random(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Independent points; the first of many are those of few."""
    return rng.random((n, d))


def lhs(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Latin hypercube. Its rows come in random order, so that any part of them is a fair sample."""
    from scipy.stats import qmc

    return qmc.LatinHypercube(d, rng=rng).random(n)


def sobol(n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Scrambled Sobol' points (Owen); the first of many are those of few."""
    from scipy.stats import qmc

    points = qmc.Sobol(d, scramble=True, bits=_SOBOL_BITS, rng=rng).random_base2(max(n - 1, 0).bit_length())[:n]
    return points + 2.0 ** -(_SOBOL_BITS + 1)  # middle of the cell: a distribution may have no value at 0


def sobol_sequence(n: int, d: int) -> np.ndarray:
    """The first points of Sobol's sequence as it is, (n, d), a power of two of them; the very first is the origin."""
    from scipy.stats import qmc

    return qmc.Sobol(d, scramble=False).random(n)


DESIGNS = {"random": random, "lhs": lhs, "sobol": sobol}


def unit_points(design: str, n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """`n` points of the open unit cube, (n, d)."""
    return np.clip(DESIGNS[design](n, d, rng), 2.0**-53, 1 - 2.0**-53)
