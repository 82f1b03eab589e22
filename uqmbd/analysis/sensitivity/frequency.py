"""Shares of the variance by Fourier analysis, for many columns at once: extended FAST and random balance designs.

Saltelli, Tarantola, Chan, Technometrics 41 (1999) 39; Tarantola, Gatelli, Mara, Reliab. Eng. Syst. Saf. 91 (2006) 717; Plischke, ibid. 95
(2010) 354; bias correction: Tissot, Prieur, ibid. 107 (2012) 205.
"""

from __future__ import annotations

import math

import numpy as np

from uqmbd.analysis.sensitivity.elementary import shares, variance


def fast(values: np.ndarray, d: int, harmonics: int) -> dict[str, np.ndarray]:
    """``first`` and ``total`` (d, columns) from one curve for each input, `values` (d * samples, columns)."""
    curves = values.reshape(d, -1, values.shape[1])
    n = curves.shape[1]
    high = (n - 1) // (2 * harmonics)
    spectrum = np.abs(np.fft.fft(curves, axis=1)[:, 1 : math.ceil(n / 2)] / n) ** 2
    whole = spectrum.sum(axis=1)
    whole = np.where(np.stack([variance(curve) for curve in curves]) > 0, whole, 0.0)
    own = spectrum[:, np.arange(1, harmonics + 1) * high - 1].sum(axis=1)
    others = spectrum[:, : high // 2].sum(axis=1)
    return {"first": shares(own, whole), "total": np.where(whole > 0, 1 - shares(others, whole), 0.0)}


def rbd_fast(points: np.ndarray, values: np.ndarray, harmonics: int) -> np.ndarray:
    """First-order indices (d, columns) from any independent points (n, d) with `values` (n, columns)."""
    n, d = points.shape
    varies = variance(values) > 0
    bias = 2 * harmonics / n
    first = np.zeros((d, values.shape[1]))
    for i in range(d):
        order = np.argsort(points[:, i], kind="stable")
        there_and_back = np.concatenate([order[::2], order[1::2][::-1]])
        arranged = values[there_and_back]
        power = np.abs(np.fft.rfft(arranged - arranged.mean(axis=0), axis=0)[1:]) ** 2
        power[: n // 2 if n % 2 else n // 2 - 1] *= 2  # both signs of a frequency, but the last of an even number has one
        share = shares(power[:harmonics].sum(axis=0), np.where(varies, power.sum(axis=0), 0.0))
        first[i] = np.where(varies, share - bias / (1 - bias) * (1 - share), 0.0)
    return first
