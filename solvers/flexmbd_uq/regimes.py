"""Outputs that are codes of regimes (film, mixed, dry): their shares over time and over the runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from uqmbd.figures import samples
from uqmbd.figures.marks import Figure, Panel, Stack

RUNS = 2000  # read at most
LABELS = ("film", "mixed", "dry")
COLORS = (0, 4, 1, 2, 3, 5, 6, 7)  # of the codes: numbers in the cycle of colours, dry is red
NOT_DRAWN = "The method chose where to run: shares are those of its runs, not probabilities."


@dataclass(frozen=True)
class Regimes:
    """Codes of one output.

    Attributes
    ----------
    codes : ndarray (run, time)
        0, 1, ...
    index : ndarray (run,)
        Numbers of these runs in the result.
    labels : tuple of str
        What the codes mean.
    """

    name: str
    time: np.ndarray
    codes: np.ndarray
    index: np.ndarray
    labels: tuple[str, ...]

    def over_time(self) -> np.ndarray:
        """Share of the runs in each regime at each time, (regime, time)."""
        return np.array([(self.codes == code).mean(axis=0) for code in range(len(self.labels))])

    def over_runs(self) -> np.ndarray:
        """Share of the time in each regime of each run, (regime, run): every point stands for the half steps on both its sides."""
        weight = np.gradient(self.time)
        weight[[0, -1]] *= 0.5
        return np.array([(self.codes == code) @ (weight / weight.sum()) for code in range(len(self.labels))])


def colors_of(codes: Iterable[int]) -> tuple[int, ...]:
    """Numbers in the cycle of colours."""
    return tuple(COLORS[code % len(COLORS)] for code in codes)


def regime_names(result, histories: Sequence[str]) -> list[str]:
    """Outputs that are codes of regimes: those that the study says, or every ``X.regime``; of which histories are stored."""
    wanted = result.attrs.get("report", {}).get("regimes")
    names = [name for name in histories if name.endswith(".regime")] if wanted is None else wanted
    return [name for name in names if name in result.runs and "time" in result.runs[name].dims]


def regimes_of(result, name: str) -> Regimes | None:
    """The codes of one output in the runs that were ok, at most `RUNS` of them; None without any."""
    index = samples.choose(samples.good(result), RUNS)
    if not len(index):
        return None
    codes = result.runs[name].isel(run=index).values
    labels = tuple(result.attrs.get("report", {}).get("regime_labels", LABELS))
    codes = np.where(np.isfinite(codes), codes, 0).round().astype(int)
    most = int(codes.max(initial=0))
    labels += tuple(f"code {code}" for code in range(len(labels), most + 1))
    return Regimes(name, result.runs["time"].values, codes, index, labels)


def regime_figures(result, histories: Sequence[str]) -> list[Figure]:
    """Of each output of regimes the share of the runs in each of them over time."""
    figures = []
    for name in regime_names(result, histories):
        found = regimes_of(result, name)
        if found is None:
            continue
        colors = colors_of(range(len(found.labels)))
        panel = Panel("time [s]", "share of the runs", (Stack(found.time, found.over_time(), found.labels, colors=colors),))
        caption = [f"{len(found.index)} of {int(samples.good(result).sum())} runs."]
        if not samples.are_a_sample(result):
            caption.append(NOT_DRAWN)
        figures.append(Figure(f"{name}.regimes", f"{name}: regimes over time", (panel,), tuple(caption)))
    return figures
