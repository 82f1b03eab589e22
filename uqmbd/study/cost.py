"""What a study will cost, from a few runs of its model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.campaign.pool import FEW, LONG, default_workers
from uqmbd.printing import printable
from uqmbd.study.data import StudyData
from uqmbd.study.forecast import Forecast, Pace, forecast, slowness
from uqmbd.study.identity import precision_of
from uqmbd.study.measuring import measure
from uqmbd.study.naming import naming_file
from uqmbd.study.nominal import fields_of
from uqmbd.study.running import start
from uqmbd.study.sizes import check_sizes
from uqmbd.study.storing import check_store
from uqmbd.study.trial import Trial

PATIENCE = 60.0  # seconds after which trial runs that are not done are left


@dataclass(frozen=True)
class Cost:
    """Estimate for a study."""

    name: str
    least: int  # runs
    most: int
    seconds_per_run: float  # on one processor
    workers: int  # runs done at once; 1 when they are done in this process (``workers = 0``)
    megabytes: float  # that the store may take at most, before compression
    tried: dict[str, int]  # trial runs by status
    outputs: dict[str, str]  # unit and kind by name
    message: str = ""  # of the first trial run that failed; empty if none did
    fallback: int = 0  # how many of the most are made only where the result is not trusted
    ahead: Forecast | None = None  # seconds of the whole command
    design: str = ""  # what the method says of the points at which its runs are

    def table(self, method: str = "") -> Any:
        """For the terminal; `method` is the label of one of several."""
        from rich.table import Table
        from rich.text import Text

        table = Table(title=f"{self.name}{f', {method}' if method else ''}: the study is valid", show_header=False)
        runs = f"{self.least:,}" if self.least == self.most else f"{self.least:,} to {self.most:,}"
        table.add_row("runs", runs)
        if self.design:
            table.add_row("points", self.design)
        if self.fallback:
            table.add_row("of these", f"up to {self.fallback:,} fallback runs, only where the result is not trusted (method.fallback_runs)")
        least = "more than " if self.tried.get("timeout") else ""
        table.add_row("a run", f"{least}{self.seconds_per_run:.2g} s on one processor")
        if self.ahead is not None:
            ahead = self.ahead
            by = "one process" if self.workers == 1 else f"{self.workers} workers"
            parts = f"start {ahead.start:.2g} s, runs {between(ahead.runs)}, result and report {ahead.report:.2g} s"
            table.add_row("time of the command", f"{least or 'about '}{between(ahead.total)} with {by}: {parts}")
        table.add_row("disk", "not known" if math.isnan(self.megabytes) else f"at most {size_said(self.megabytes)}")
        table.add_row("trial runs", ", ".join(f"{number:,} {status}" for status, number in self.tried.items()))
        if self.message:
            table.add_row("the first that failed", Text(printable(self.message)))
        for name, text in self.outputs.items():
            table.add_row(Text(printable(f"output {name}")), Text(printable(text)))
        return table


def size_said(megabytes: float) -> str:
    """``1.3 MB``, or ``24 kB`` of what is small."""
    return f"{megabytes:,.1f} MB" if megabytes >= 0.95 else f"{max(1e3 * megabytes, 1.0):.0f} kB"


def between(span: tuple[float, float]) -> str:
    """A span of seconds: ``2 to 5 s``, or ``2 s`` where both ends are said alike."""
    first, last = (f"{one:.2g}" if one < 100 else f"{one:.0f}" for one in span)
    return f"{first} s" if first == last else f"{first} to {last} s"


def estimate(study: StudyData, *, patience: float = PATIENCE) -> Cost:
    """Check the model and time a few runs; those that are not done after `patience` seconds are left, the first one, a trial, too."""
    trial = Trial(study)
    with naming_file(study):
        check_sizes(study)
        measured = measure(study, trial.samples, patience)
        info = None if measured.trial is None else study.in_units(trial.take(measured.trial))
        if info is not None:
            study = study.at_times(trial.tried.time)
            check_store(study, info)
            fields_of(study, trial, info)
            start(study, info)  # which says what a method cannot do with these outputs
    least, most = study.method.planned_runs(study.inputs.uncertain)
    workers = default_workers() if study.campaign.workers is None else study.campaign.workers
    pace = Pace(measured.width, measured.least_call, measured.seconds / measured.runs)
    if measured.built is None and least <= FEW and pace.per_run * least <= LONG:
        workers = 0  # one process that is kept
    slow = slowness() if measured.loading is None else measured.loading
    ahead = None if info is None else forecast(study, info, (least, most), pace, workers=workers, solver=measured.built, slow=slow)
    points = len(study.times())
    size = np.dtype(precision_of(study)).itemsize * (study.campaign.store == "all")
    stored = sum(size * entry.shape(points)[0] if entry.axis else 8 for entry in info.values()) if info is not None else math.nan
    per_store = stored + 8 * len(study.inputs) + 1  # and the status
    return Cost(
        study.name,
        least,
        most,
        measured.seconds / measured.runs,
        max(1, workers),
        most * per_store / 1e6,
        {status: number for status, number in measured.counts.items() if number},
        dict.fromkeys(study.outputs, "not known") if info is None else {n: f"{e.unit or '-'}, {e.kind}" for n, e in info.items()},
        measured.message,
        study.method.fallback_most(study.inputs.uncertain),
        ahead,
        study.method.design_in_words(study.inputs.uncertain),
    )
