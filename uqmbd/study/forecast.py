"""How long the command of a study takes: start, workers, the runs in the portions in which they are asked for, result, report."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import OutputInfo
from uqmbd.request import Request

if TYPE_CHECKING:
    from uqmbd.study.data import StudyData

# All in parts of the time in which this machine imports `PACKAGES`: 0.7 s on a quiet processor, 1.1 s beside others
START = 2.3  # interpreter, packages, the study, its folder, the result
WORKERS = 2.0  # Dask, and processes that import what they need
SOLVER = 4.0  # packages of the solver, the model built, its code loaded, here and in the workers
TOGETHER = 1.4  # times as long as alone a run takes beside those of other workers, with which it shares cores and memory
PORTION = {False: 0.005, True: 0.03}  # an ask and its answer, in this process and by others
HISTORY = 0.15  # of a result: bounds or statistics of a history
REPORT = 0.35  # the page
FIGURE = 0.025
REFERENCE = 0.022  # s of `task` where the packages take 1 s
PACKAGES = ("uqmbd.study.running_methods", "zarr", "uqmbd.report.page")  # what a command loads
MOST_FIGURES, MOST_DRAWN = 60, 24  # see `uqmbd.tables.outputs.DRAWN`
FIGURES_OF = {True: 3.0, False: 2.5}  # a history or curve, a number


@dataclass(frozen=True)
class Forecast:
    """Seconds of a command on a machine that does nothing else.

    Attributes
    ----------
    start, report : float
        Before the runs, and after them: result and report.
    runs : tuple of (float, float)
        Of the least and the most runs.
    """

    start: float
    runs: tuple[float, float]
    report: float

    @property
    def total(self) -> tuple[float, float]:
        """Of the whole command, with the least and the most runs."""
        return self.start + self.runs[0] + self.report, self.start + self.runs[1] + self.report


@dataclass(frozen=True)
class Pace:
    """What a few runs took.

    Attributes
    ----------
    width : int
        Runs that the simulator does side by side.
    least : float
        Of one call with so many, s.
    per_run : float
        In a call with many, s.
    """

    width: int
    least: float
    per_run: float

    def portion(self, runs: int, workers: int) -> float:
        """Seconds of so many runs, shared among workers; lanes that stay empty take as long as full ones."""
        groups = ceil(ceil(runs / workers) / self.width)
        return max(self.least, groups * self.width * self.per_run)


def loading() -> float:
    """Seconds in which this process, which has loaded little, imports what a command loads."""
    began = time.process_time()
    for name in PACKAGES:
        importlib.import_module(name)
    return time.process_time() - began


def slowness() -> float:
    """About the same where all is loaded already."""
    best = np.inf
    for _ in range(5):
        began = time.process_time()
        task()
        best = min(best, time.process_time() - began)
    return best / REFERENCE


def task() -> None:
    """What packages do while they are imported and figures while they are drawn: dictionaries and text."""
    known: dict[str, int] = {}
    for number in range(20_000):
        known[str(number)] = (number * 7) % 13
    json.loads(json.dumps(known))


def first_portion(study: StudyData, info: Mapping[str, OutputInfo]) -> int:
    """How many runs the method asks for first; 1 where it cannot say that without a run."""
    try:
        asked = study.method.start(study.inputs, study.method.treated(info), study.times(), study.campaign.seed).ask()
    except StudyError:
        return 1
    return 1 if asked is None else max(1, Request.of(asked).runs)


def forecast(
    study: StudyData, info: Mapping[str, OutputInfo], span: tuple[int, int], pace: Pace, *, workers: int, solver: float | None, slow: float
) -> Forecast:
    """What a command takes.

    Parameters
    ----------
    span : (int, int)
        Least and most runs.
    workers : int
        Processes of a cluster; 0 where this one, or one that is kept, does the runs.
    solver : float or None
        Seconds that the trial of a mechanism has taken, compilation included, which is not done again; None of other models.
    slow : float
        Seconds in which this machine imports what a command loads; see `loading` and `slowness`.
    """
    start = slow * (START + (WORKERS if workers else 0.0))
    if solver is not None:
        start += min(solver, slow * SOLVER)
    size, beside = first_portion(study, info), TOGETHER if workers > 1 else 1.0
    seconds = []
    for runs in span:
        whole, rest = divmod(runs, size)
        one = beside * pace.portion(size, max(workers, 1)) + slow * PORTION[bool(workers)]
        last = beside * pace.portion(rest, max(workers, 1)) + slow * PORTION[bool(workers)] if rest else 0.0
        seconds.append(whole * one + last)
    histories = sum(entry.axis is not None for entry in info.values())
    drawn = {over: min(sum((entry.axis is not None) == over for entry in info.values()), MOST_DRAWN) for over in FIGURES_OF}
    figures = min(1 + sum(FIGURES_OF[over] * number for over, number in drawn.items()), MOST_FIGURES)
    return Forecast(start, (seconds[0], seconds[1]), slow * (HISTORY * histories + REPORT + FIGURE * figures))
