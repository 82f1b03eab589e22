"""Random numbers: each use of one seed has a stream of its own."""

from __future__ import annotations

import numpy as np


def generator(seed: int, stream: int) -> np.random.Generator:
    """Independent random numbers for each use (`stream`) of one seed."""
    return np.random.default_rng(np.random.SeedSequence([seed, stream]))
