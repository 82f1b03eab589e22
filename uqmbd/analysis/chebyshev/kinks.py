"""What a long expansion says of kinks that so few runs may have missed."""

from __future__ import annotations

import numpy as np

from uqmbd.analysis.base.columnwise import by_blocks
from uqmbd.analysis.chebyshev.expansions import Expansion

LONG = 32  # degree from which runs may lie too far apart to see a kink
SLOW = 0.1  # ratio of two quarters; that of a kink is 0.3 to 0.6
SPREAD = 4  # runs for each degree that see it


def beyond(expansion: Expansion, runs: int) -> np.ndarray:
    """What the terms beyond the last of each input may add up to where so many runs may miss a kink, else 0: (d, columns).

    The coefficients of a kink fall as 1/k², and the error is largest at the kink alone. The largest of the last quarter and of the quarter
    before say how fast they fall, and the series goes on as fast, doubled. Where they fall slowly it goes on from that quarter, since
    aliasing takes away the very last ones of a kink midway between two nodes, where its error is largest; else from the last four.
    """
    c = expansion.c
    columns = c.shape[-1]

    def of(at: slice) -> np.ndarray:
        part = expansion.part(at)
        return np.array([_beyond(part.sizes(axis), runs) for axis in range(expansion.inputs)])

    return by_blocks(of, columns, c.size // columns)


def _beyond(sizes: np.ndarray, runs: int) -> np.ndarray:
    """Of one input, from the sums of absolute coefficients by degree (n+1, columns)."""
    n = len(sizes) - 1
    if n < LONG or runs >= SPREAD * n:
        return np.zeros(sizes.shape[1])
    part = n // 4
    last, before = sizes[-part:].max(axis=0), sizes[-2 * part : -part].max(axis=0)
    fall = np.divide(last, before, out=np.zeros_like(last), where=before > 0) ** (1 / part)
    fall = np.minimum(fall, 1 - 1 / n)
    return 2 * np.where(last > SLOW * before, last, sizes[-4:].max(axis=0)) * fall / (1 - fall)
