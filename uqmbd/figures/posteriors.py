"""Densities of the inputs of a posterior before and after the measurements."""

from __future__ import annotations

import numpy as np

from uqmbd.figures.marks import Band, Curve, Figure, Panel
from uqmbd.result_data import ResultData
from uqmbd.tables.scaling import input_unit, with_unit

SHOWN = 201  # places of a density
VARIABLES = 8  # inputs that are shown
CAPTION = "Dotted: the density before the measurements (the prior), shown about the one after them."


def marginals(result: ResultData) -> list[Figure]:
    """Densities of each input after the measurements and before them; none of results of earlier versions, which have no prior."""
    if "prior" not in result.specs:
        return []
    figures, before = [], result["prior"]
    for name in [name for name in inputs_of(result) if f"input:{name}" in before][:VARIABLES]:
        unit = input_unit(result, name)
        places, after = smoothed(np.asarray(unit.of(result["posterior"][f"input:{name}"].values)))
        prior = density(np.asarray(unit.of(before[f"input:{name}"].values)), before["level"].values)
        near = (prior[0] >= places[0] - np.ptp(places)) & (prior[0] <= places[-1] + np.ptp(places))
        marks = (
            Band(places, np.zeros(SHOWN), after, "after the measurements", 0),
            Curve(places, after, "its density", 0),
            Curve(prior[0, near], prior[1, near], "before", "limit"),
        )
        panel = Panel(with_unit(name, unit), "density", marks)
        figures.append(Figure(f"{name}.marginal", f"{name} before and after the measurements", (panel,), (CAPTION,)))
    return figures


def density(quantiles: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Places and the mean density between neighbouring quantiles there, (2, n)."""
    width, share = np.diff(quantiles), np.diff(levels)
    some = width > 1e-12 * np.abs(quantiles).max()
    return np.stack([(quantiles[1:] + quantiles[:-1])[some] / 2, share[some] / width[some]])


def smoothed(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (SHOWN,) over the draws, and their density by normal kernels, Silverman (1986), (3.31)."""
    low, high = np.quantile(draws, [0.25, 0.75])
    spread = min(draws.std(), (high - low) / 1.349) or draws.std()
    width = 0.9 * spread * len(draws) ** -0.2 or max(abs(float(draws[0])), 1.0) * 1e-6
    places = np.linspace(draws.min(), draws.max(), SHOWN)
    kernels = np.exp(-0.5 * ((places[:, None] - draws) / width) ** 2)
    return places, kernels.mean(axis=1) / (width * np.sqrt(2 * np.pi))


def inputs_of(result: ResultData) -> list[str]:
    """Names of the inputs that have draws."""
    return [str(name).removeprefix("input:") for name in result["posterior"].data_vars if str(name).startswith("input:")]
