"""Progress: a bar on a terminal, a line every ten seconds elsewhere; runs done, rate, time left, failures."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from uqmbd.campaign.campaign import Watcher

EVERY = 10.0  # seconds between lines where there is no terminal
OFTEN = 2.0  # if they are asked for, as in a notebook


class Counter(Watcher):
    """Counts what it is told; runs that were in the store already do not count for the rate."""

    def __init__(self) -> None:
        self.total = self.finished = self.reused = self.failed = 0
        self.alone = 0.0

    def asked(self, runs: int) -> None:
        self.total = runs
        self.show()

    def done(self, runs: int, failed: int, *, reused: bool = False) -> None:
        self.finished += runs
        self.failed += failed
        self.reused += runs if reused else 0
        self.show()

    def waiting(self, seconds: float) -> None:
        self.alone = seconds
        self.show()

    def show(self) -> None:
        """Say how it stands."""
        raise NotImplementedError


class Bar(Counter):
    """A rich progress bar."""

    def __init__(self, progress, task) -> None:
        super().__init__()
        self.progress = progress
        self.task = task

    def show(self) -> None:
        """Update the line."""
        notes = [f"{self.failed:,} failed"] if self.failed else []
        notes += [f"{self.reused:,} were there"] if self.reused else []
        notes += [f"no workers for {self.alone:.0f} s, waiting"] if self.alone else []
        self.progress.update(
            self.task,
            total=self.total - self.reused,
            completed=self.finished - self.reused,
            all_runs=f"{self.finished:,}/{self.total:,}",
            notes=", ".join(notes),
        )


class Lines(Counter):
    """A line to standard error every so many seconds, for logs of queues and scripts; quick studies write none."""

    def __init__(self, title: str, every: float = EVERY) -> None:
        super().__init__()
        self.title, self.every = title, every
        self.began = self.spoken = time.monotonic()
        self.told = False  # that there are no workers

    def show(self) -> None:
        """Print a line, if it is time for one."""
        now = time.monotonic()
        if now - self.spoken >= self.every or (self.alone and not self.told):
            self.spoken, self.told = now, bool(self.alone)
            rate = (self.finished - self.reused) / (now - self.began)
            left = f", about {(self.total - self.finished) / rate:,.0f} s left" if rate else ""
            notes = f", {self.failed:,} failed" if self.failed else ""
            notes += f", no workers for {self.alone:.0f} s, waiting" if self.alone else ""
            print(f"{self.title}: {self.finished:,}/{self.total:,} runs, {rate:,.3g} runs/s{left}{notes}", file=sys.stderr, flush=True)


@contextmanager
def progress_bar(wanted: bool | None, title: str) -> Iterator[Watcher]:
    """A bar on a terminal, lines elsewhere (in logs and notebooks), more of them when progress is `wanted`; silent if it is not."""
    if wanted is False:
        yield Watcher()
        return
    if not sys.stderr.isatty():
        yield Lines(title, OFTEN if wanted else EVERY)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """Runs per second."""

        def render(self, task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:,.0f} runs/s" if speed >= 10 else f"{speed:.2g} runs/s")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[all_runs]} runs"),
        Rate(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[notes]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=False) as progress:
        yield Bar(progress, progress.add_task(title, total=None, all_runs="0", notes=""))
