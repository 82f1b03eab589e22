"""The 0-1 test for chaos of a signal, which needs neither equations nor tangents.

Source: Gottwald, Melbourne, Proceedings of the Royal Society A 460 (2004) 603, and SIAM Journal on Applied Dynamical Systems 8 (2009) 129,
whose equations (2.1) to (3.5) these are.
"""

from __future__ import annotations

import numpy as np

LEAST = 200  # points of a signal, below which nothing is said
ANGLES = 100
CHAOTIC, REGULAR = 0.8, 0.2  # above and below which K tells; between them it does not
COARSE = 10.0  # range of a signal over its mean step, above which it is sampled too finely


def zero_one(signal: np.ndarray, *, angles: int = ANGLES, seed: int = 0) -> np.ndarray:
    """K of each signal: near 1 of chaos, near 0 of regular motion.

    Parameters
    ----------
    signal : ndarray, shape (n, points)
        Points of a section, or samples about a quarter of a period apart; NaN behind the last of each. One that is sampled much more finely
        looks regular whatever it is, see `too_fine`.
    angles : int
        Numbers c, between pi/5 and 4 pi/5, of which K is the median.
    seed : int
        Of these numbers.

    Returns
    -------
    ndarray, shape (n,)
        NaN of signals of fewer than 200 points, or with gaps. A signal that does not change has K = 0.

    Examples
    --------
    >>> import numpy as np
    >>> x = [0.3]
    >>> while len(x) < 1000:
    ...     x.append(4 * x[-1] * (1 - x[-1]))
    >>> turns = np.cos(2.0 * np.arange(1000))
    >>> chaotic(zero_one(np.array([x, turns]))).tolist()
    [1.0, 0.0]
    """
    c = np.random.default_rng(seed).uniform(np.pi / 5, 4 * np.pi / 5, angles)
    return np.array([_median(one, c) for one in np.atleast_2d(signal)])


def _median(signal: np.ndarray, c: np.ndarray) -> float:
    """K of one signal (points,)."""
    signal = whole(signal)
    if len(signal) < LEAST or not np.isfinite(signal).all():
        return np.nan
    centred = signal - signal.mean()
    size = np.abs(centred).max()
    if size <= 1e-12 * max(float(np.abs(signal).max()), 1e-300):
        return 0.0
    return float(np.median(correlations(signal / size, c)))


def whole(signal: np.ndarray) -> np.ndarray:
    """A signal without the NaN behind its last point."""
    there = np.flatnonzero(~np.isnan(signal))
    return signal[: there[-1] + 1] if there.size else signal[:0]


def correlations(signal: np.ndarray, c: np.ndarray) -> np.ndarray:
    """K_c of each c: the correlation of the damped mean square displacement D_c(n) with n, up to a tenth of the points."""
    count = len(signal)
    most = count // 10
    moved = np.asarray(np.cumsum(signal * np.exp(1j * np.outer(c, np.arange(1, count + 1))), axis=1))  # p_c + i q_c
    squares = np.abs(moved) ** 2
    first = moved[:, : count - most]
    length = 1 << (2 * count - 1).bit_length()
    mixed = np.real(np.fft.ifft(np.fft.fft(moved, length) * np.conj(np.fft.fft(first, length)))[:, 1 : most + 1])
    total = np.concatenate([np.zeros((len(c), 1)), np.cumsum(squares, axis=1)], axis=1)
    n = np.arange(1, most + 1)
    later = total[:, n + count - most] - total[:, n]
    displacement = (later + squares[:, : count - most].sum(axis=1)[:, None] - 2 * mixed) / (count - most)
    damped = displacement - signal.mean() ** 2 * (1 - np.cos(np.outer(c, n))) / (1 - np.cos(c))[:, None]
    damped = damped - damped.mean(axis=1, keepdims=True)
    steps = n - n.mean()
    spread = np.sqrt((damped**2).sum(axis=1) * (steps**2).sum())
    return np.where(spread > 0, damped @ steps / np.where(spread > 0, spread, 1.0), 0.0)


def chaos_k(values: np.ndarray) -> float:
    """K of the second half of the values (events,) of a run: the first is its transient; NaN of too few, or too fine, ones.

    Examples
    --------
    >>> x = [0.3]
    >>> while len(x) < 1000:
    ...     x.append(4 * x[-1] * (1 - x[-1]))
    >>> chaos_k(np.array(x)) > 0.95, np.isnan(chaos_k(np.array(x[:300])))
    (True, True)
    """
    second = values[len(values) // 2 :]
    return np.nan if too_fine(second)[0] else float(zero_one(second)[0])


def chaotic(k: np.ndarray) -> np.ndarray:
    """1 where K tells of chaos (above 0.8), 0 where it tells of none (below 0.2), NaN where it does not tell."""
    with np.errstate(invalid="ignore"):
        return np.where(k > CHAOTIC, 1.0, np.where(k < REGULAR, 0.0, np.nan))


def too_fine(signal: np.ndarray) -> np.ndarray:
    """Whether signals (n, points) are sampled so finely that K says regular of a chaotic one.

    That is when the range is more than ten times the mean step (Melosik, Marszalek, Bull. Polish Acad. Sci. 64 (2016) 521).
    """
    parts = [whole(one) for one in np.atleast_2d(signal)]
    return np.array([len(one) > 1 and bool(np.ptp(one) > COARSE * np.abs(np.diff(one)).mean() > 0) for one in parts])
