"""What the best point of a calibration says: estimates with their limits, how they hang together, and whether the model fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.analysis.search.levenberg import covariance

CONFIDENCE = 0.95
DOUBT = 0.99  # a sum of squares outside the central share of its distribution is doubted
CORRELATED = 0.95  # from here on two estimates are told only together
TELLING = 0.2  # of a standard deviation: errors of interpolation above that are said
FINEST = 1e-6  # of an input's range: no limits are nearer, since steps of a start and tolerances of solvers end there
NEGLIGIBLE = 1e-5  # of an input's range: errors of interpolation below that are not


@dataclass(frozen=True)
class Best:
    """The best point, and what is known there."""

    names: list[str]
    x: np.ndarray  # this and the next three (inputs,), SI: the estimate
    scale: np.ndarray  # length of a unit of the coordinate
    least: np.ndarray  # ends of the inputs
    most: np.ndarray
    jacobian: np.ndarray  # (readings, inputs): of the weighted residuals, by the coordinate
    residual: np.ndarray  # (readings,): weighted, as is the next
    interpolation: np.ndarray  # (readings,): what interpolating between the study's times may have added
    free: np.ndarray  # bool (inputs,): not held at an end
    known: bool  # whether the readings have standard deviations, by which the residuals are weighted

    @property
    def freedom(self) -> int:
        """Readings less estimated inputs."""
        return len(self.residual) - int(self.free.sum())


def estimates(best: Best, proposal: int | None) -> tuple[dict[str, Any], list[str]]:
    """Attributes, and notes; `proposal` is the number of times with which no reading would lie between them."""
    names, freedom = best.names, best.freedom
    squares = float(best.residual @ best.residual)
    variance = 1.0 if best.known else (squares / freedom if freedom else np.nan)
    matrix, loose = covariance(best.jacobian, best.free, variance)
    systematic = _systematic(best)
    deviation = np.sqrt(np.diag(matrix + systematic))
    loose |= deviation > 1  # beyond the whole interval
    own = np.sqrt(np.diag(systematic))
    share = np.where(own > NEGLIGIBLE, own / np.where(deviation > 0, deviation, np.inf), 0.0)
    pairs = correlated(names, matrix)
    matrix = (matrix + systematic) * np.outer(best.scale, best.scale)
    std = np.sqrt(np.diag(matrix))
    half = np.maximum(std * _quantile(np.inf if best.known else freedom), FINEST * best.scale)
    limited = np.isfinite(half)
    notes = []
    if not (best.known or freedom):
        notes.append(f"{len(best.residual)} readings of as many inputs tell no standard deviations: give their deviations")
    if not best.free.all():
        notes.append(f"{', '.join(names[i] for i in np.flatnonzero(~best.free))} ended at a bound and has no variance")
    if loose.any():
        notes.append(f"the data do not tell {', '.join(names[i] for i in np.flatnonzero(loose))} apart")
    notes += [
        f"the data tell {a} and {b} only together (correlation {rho:.3g}): an error of one is made up for by the other"
        for a, b, rho in pairs
        if not loose[[names.index(a), names.index(b)]].any()
    ]
    if (share > TELLING).any():
        which = " and ".join(f"{names[i]} ({100 * min(share[i], 1.0):.0f} %)" for i in np.flatnonzero(share > TELLING))
        remedy = f"write time.points = {proposal}, which has all readings at its times" if proposal else "raise time.points"
        remedy += "; a function that takes `time` is asked for those of the readings"
        notes.append(
            f"readings lie between the study's times, where histories are interpolated: so much of the standard deviation of {which} "
            f"is the error of that; {remedy}"
        )
    judged = judged_fit(squares, freedom) if best.known else {}
    notes += [judged["fit"]] if judged.get("fit_doubted") else []
    return {
        "estimate": dict(zip(names, best.x.tolist(), strict=True)),
        "estimate_std": {name: s for name, s in zip(names, std.tolist(), strict=True) if np.isfinite(s)},
        "estimate_lower": {names[i]: float(max(best.x[i] - half[i], best.least[i])) for i in np.flatnonzero(limited)},
        "estimate_upper": {names[i]: float(min(best.x[i] + half[i], best.most[i])) for i in np.flatnonzero(limited)},
        "covariance": [[number if np.isfinite(number) else None for number in row] for row in matrix.tolist()],
        "covariance_of": names,
        "correlated": [[a, b, rho] for a, b, rho in pairs],
        "sum_of_squares": squares,
        **judged,
        "at_bound": [names[i] for i in np.flatnonzero(~best.free)],
    }, notes


def _systematic(best: Best) -> np.ndarray:
    """Covariance (inputs, inputs) that errors of interpolation bring into the coordinate, 0 where they do not count.

    They shift the estimate by ``-(JᵀJ)⁻¹ Jᵀ e`` when their signs are right, and scatter it by as much as their squares when they are not.
    """
    inverse = np.nan_to_num(covariance(best.jacobian, best.free, 1.0)[0], nan=0.0, posinf=0.0)
    effect = inverse @ best.jacobian.T * best.interpolation
    shift = effect.sum(axis=1)
    return np.outer(shift, shift) + effect @ effect.T


def _quantile(freedom: float) -> float:
    """Half width of 95 % limits in standard deviations: Student's, or the normal one of known deviations."""
    from scipy import stats

    return float(stats.t.ppf((1 + CONFIDENCE) / 2, freedom)) if freedom > 0 else np.nan


def correlated(names: list[str], matrix: np.ndarray) -> list[tuple[str, str, float]]:
    """Pairs of inputs whose estimates hang together, strongest first."""
    std = np.sqrt(np.diag(matrix))
    with np.errstate(invalid="ignore", divide="ignore"):
        rho = matrix / np.outer(std, std)
    pairs = [(names[i], names[j], float(rho[i, j])) for i in range(len(names)) for j in range(i + 1, len(names))]
    return sorted((pair for pair in pairs if abs(pair[2]) > CORRELATED), key=lambda pair: -abs(pair[2]))


def judged_fit(chi2: float, freedom: int) -> dict[str, Any]:
    """Whether the residuals are as large as the deviations of the readings say; nothing without degrees of freedom."""
    from scipy import stats

    if freedom < 1:
        return {}
    beyond = float(stats.chi2.sf(chi2, freedom))
    size = f"chi² is {chi2:.4g} with {freedom} degrees of freedom"
    factor = np.sqrt(chi2 / freedom)
    if beyond < (1 - DOUBT) / 2:
        words = (
            f"the residuals are {factor:.3g} times as large as the deviations of the readings explain ({size}): the model does not fit, "
            "or the readings are less accurate than was said; then the limits of the estimates are too narrow"
        )
    elif beyond > (1 + DOUBT) / 2:
        words = (
            f"the residuals are only {factor:.3g} times as large as the deviations of the readings say ({size}): "
            "the readings are more accurate than was said, or smoothed"
        )
    else:
        words = f"the residuals are as large as the deviations of the readings say ({size})"
    doubted = not (1 - DOUBT) / 2 <= beyond <= (1 + DOUBT) / 2
    return {"chi2_probability": beyond, "fit": words, "fit_doubted": doubted}
