"""What follows from the runs of each approach that keeps them: sensitivities by kind, with confidence limits."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis import distances, elementary, frequency
from uqmbd.analysis.pick_freeze import draws
from uqmbd.methods.sensitivity.designs import problem

if TYPE_CHECKING:
    from uqmbd.methods.sensitivity.settings import Sensitivity

DUMMIES, DUMMY_RESAMPLES = 8, 10  # inputs without influence that tell the noise of a distance
HISTORY_RESAMPLES = 32  # of histories, where each resample costs as much as the estimate itself


@dataclass
class Found:
    """Sensitivities.

    Attributes
    ----------
    kinds : dict of str to ndarray, shape (d, columns)
        Limits are the kinds ``..._lower`` and ``..._upper``.
    pairs : dict of str to ndarray, shape (couples, columns)
    facts : dict of str to float or ndarray, shape (columns,)
        Further attributes of the result, for all columns or for each.
    """

    kinds: dict[str, np.ndarray]
    pairs: dict[str, np.ndarray] = field(default_factory=dict)
    facts: dict[str, float | np.ndarray] = field(default_factory=dict)


def limits(kind: str, value: np.ndarray, std: np.ndarray, confidence: float, count: int) -> dict[str, np.ndarray]:
    """`value` under its kind, with limits by Student's t from a standard deviation over `count` resamples."""
    from scipy.stats import t

    half = float(t.ppf((1 + confidence) / 2, count - 1)) * std
    return {kind: value, f"{kind}_lower": value - half, f"{kind}_upper": value + half}


def morris(settings: Sensitivity, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Found:
    """Elementary effects with limits by resampled stars; Morris, Technometrics 33 (1991) 161."""
    d = points.shape[1]
    found = elementary.slopes(points.reshape(-1, d + 1, d), values.reshape(-1, d + 1, values.shape[1]))
    kinds = elementary.morris(found)
    weights = draws(len(found), settings.of("resamples"), rng)
    n = len(found)
    std = (np.tensordot(weights, np.abs(found), axes=(1, 0)) / n).std(axis=0, ddof=1) * np.sqrt(n / (n - 1))  # resamples vary less
    star = limits("mu_star", kinds["mu_star"], std, settings.of("confidence"), len(found))
    return Found({"mu": kinds["mu"], **star, "sigma": kinds["sigma"]})


def dgsm(settings: Sensitivity, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Found:
    """Upper bounds of total indices from derivatives; Sobol' and Kucherenko, Math. Comput. Simul. 79 (2009) 3009."""
    d = points.shape[1]
    stars = values.reshape(-1, d + 1, values.shape[1])
    squares = elementary.slopes(points.reshape(-1, d + 1, d), stars) ** 2
    base = stars[:, 0] - stars[:, 0].mean(axis=0)
    whole = elementary.variance(stars[:, 0])
    weights = draws(len(stars), settings.of("resamples"), rng) / len(stars)
    drawn = np.where(whole > 0, weights @ base**2 - (weights @ base) ** 2, 0.0)
    std = elementary.shares(np.tensordot(weights, squares, axes=(1, 0)) / np.pi**2, drawn[:, None]).std(axis=0, ddof=1)
    return Found(limits("dgsm", elementary.dgsm(squares, stars[:, 0]), std, settings.of("confidence"), len(stars)))


def fast(settings: Sensitivity, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Found:
    """First and total order by Fourier amplitudes; Saltelli, Tarantola, Chan, Technometrics 41 (1999) 39."""
    return Found(frequency.fast(values, points.shape[1], settings.of("harmonics")))


def by_halves(
    kind: str, estimate: Callable[[np.ndarray, np.ndarray], np.ndarray], settings: Sensitivity, points: np.ndarray, values: np.ndarray,
    rng: np.random.Generator, few: bool,
) -> Found:  # fmt: skip
    """An estimate with limits from halves of the runs, drawn without replacement: they scatter about it as it does about the truth."""
    count = min(settings.of("resamples"), HISTORY_RESAMPLES) if few else settings.of("resamples")
    total, square = 0.0, 0.0
    whole = estimate(points, values)
    for _ in range(count):
        rows = np.sort(rng.permutation(len(points))[: len(points) // 2])
        part = estimate(points[rows], values[rows]) - whole
        total, square = total + part, square + part**2
    std = np.sqrt(np.maximum(square / count - (total / count) ** 2, 0.0) * count / (count - 1))
    return Found(limits(kind, whole, std, settings.of("confidence"), count))


def lowered(found: Found, kind: str, noise: float | np.ndarray) -> Found:
    """A distance between distributions whose lower limit allows for noise, which can only add to a distance (triangle inequality).

    `noise`, of all columns or each, is what an input without influence would get: the dummy of Zadeh et al., Environ. Model. Softw. 91
    (2017) 210.
    """
    lower = np.maximum(found.kinds[f"{kind}_lower"] - noise, 0.0)
    return Found(found.kinds | {f"{kind}_lower": lower}, found.pairs, {f"{kind}_without_influence": noise})


def rbd_fast(settings: Sensitivity, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Found:
    """First order by random balance; Tarantola, Gatelli, Mara, Reliab. Eng. Syst. Saf. 91 (2006) 717."""
    return by_halves("first", lambda x, y: frequency.rbd_fast(x, y, settings.of("harmonics")), settings, points, values, rng, few)


def pawn(settings: Sensitivity, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Found:
    """Distances of conditional distribution functions; Pianosi and Wagener, Environ. Model. Softw. 67 (2015) 1."""
    slices = settings.of("slices")
    found = by_halves("pawn", lambda x, y: distances.pawn(x, y, slices), settings, points, values, rng, few)
    # the distance of two samples of one distribution is the same for all of them
    dummies, ranks = rng.random((len(points), DUMMIES)), np.arange(float(len(points)))[:, None]
    return lowered(found, "pawn", float(distances.pawn(dummies, ranks, slices).mean()))


def delta(settings: Sensitivity, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Found:
    """Borgonovo's measure, which needs no moments; Reliab. Eng. Syst. Saf. 92 (2007) 771.

    It has no confidence limits: smoothed densities, averaged over whole classes of an input, make a strong influence look weaker by more
    than resamples scatter (docs/theory/sensitivity.md), and limits from them held the exact value in 0 to 3 % of the cases.

    All columns take the same resamples, so that an output does not depend on what other outputs there are.
    """
    seed = int(rng.integers(2**31))
    value = np.array([distances.delta(points, column, settings.of("resamples"), np.random.default_rng(seed)) for column in values.T]).T
    dummies = rng.random((len(points), DUMMIES))
    noise = [distances.delta(dummies, column, DUMMY_RESAMPLES, np.random.default_rng(seed)).mean() for column in values.T]
    return Found({"delta": value}, facts={"delta_without_influence": np.array(noise)})


def hdmr(settings: Sensitivity, points: np.ndarray, values: np.ndarray, rng: np.random.Generator, few: bool) -> Found:
    """SALib's HDMR with extended bases (Li and Rabitz), column by column with the same resamples."""
    seed = int(rng.integers(1, 2**31))
    parts = [_hdmr(settings, points, column, seed) for column in values.T]
    kinds = {kind: np.array([part[kind] for part in parts]).T for kind in parts[0]}
    second, explained = kinds.pop("second"), kinds.pop("explained")
    return Found(kinds, {"second": second} if points.shape[1] > 1 else {}, {"explained_share": explained})


def _hdmr(settings: Sensitivity, points: np.ndarray, values: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    from SALib.analyze import enhanced_hdmr

    d, confidence = points.shape[1], settings.of("confidence")
    names = [kind + end for kind in ("first", "total") for end in ("", "_lower", "_upper")]
    if elementary.variance(values[:, None])[0] == 0:
        return dict.fromkeys(names, np.zeros(d)) | {"second": np.zeros(d * (d - 1) // 2), "explained": 1.0}
    before = np.random.get_state()  # noqa: NPY002 - SALib draws from numpy's global generator, which is not ours to move
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            settings_ = {"poly_order": settings.of("degree"), "bootstrap": settings.of("resamples"), "alpha": max(confidence, 0.5)}
            found = enhanced_hdmr.analyze(problem(d), points, values, max_order=2, seed=seed, **settings_)
    finally:
        np.random.set_state(before)  # noqa: NPY002
    first, total = np.asarray(found["S"], float), np.asarray(found["ST"], float)[:d]
    half = [np.asarray(found["S_conf"], float)[:d], np.asarray(found["ST_conf"], float)[:d]]
    out = {}
    for kind, value, width in (("first", first[:d], half[0]), ("total", total, half[1])):
        out |= {kind: value, f"{kind}_lower": value - width, f"{kind}_upper": value + width}
    return out | {"second": first[d : d + d * (d - 1) // 2], "explained": float(np.nansum(first))}


ESTIMATES = {"morris": morris, "fast": fast, "rbd_fast": rbd_fast, "delta": delta, "dgsm": dgsm, "pawn": pawn, "hdmr": hdmr}
