"""How long the command of a study takes: start, workers, the runs in the portions in which they are asked for, result, report."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import OutputInfo
from uqmbd.request import Request
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
    """Seconds of a command on a machine that does nothing else."""

    start: float  # before the runs
    runs: tuple[float, float]  # of the least and the most runs
    report: float  # after them: result and report

    @property
    def total(self) -> tuple[float, float]:
        """Of the whole command, with the least and the most runs."""
        return self.start + self.runs[0] + self.report, self.start + self.runs[1] + self.report


@dataclass(frozen=True)
class Pace:
    """What a few runs took."""

    width: int  # runs that the simulator does side by side
    least: float  # s of one call with so many
    per_run: float  # s, in a call with many

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
    """What a command takes, with the least and the most runs (`span`).

    `workers` are processes of a cluster; 0 where this one, or one that is kept, does the runs. `solver` is the time that the trial of a
    mechanism has taken (s), compilation included, which is not done again; None of other models. `slow`: see `loading` and `slowness`.
    """
    start = slow * (START + (WORKERS if workers else 0.0))
    if solver is not None:
        start += min(solver, slow * SOLVER)
    size, beside = first_portion(study, info), TOGETHER if workers > 1 else 1.0
    seconds = []
    for runs in span:
        whole, rest = divmod(runs, size)
        one, last = (beside * pace.portion(n, max(workers, 1)) + slow * PORTION[bool(workers)] for n in (size, rest))
        seconds.append(whole * one + (last if rest else 0.0))
    histories = sum(entry.axis is not None for entry in info.values())
    drawn = {True: histories, False: len(info) - histories}
    figures = min(1 + sum(FIGURES_OF[over] * min(number, MOST_DRAWN) for over, number in drawn.items()), MOST_FIGURES)
    return Forecast(start, (seconds[0], seconds[1]), slow * (HISTORY * histories + REPORT + FIGURE * figures))
