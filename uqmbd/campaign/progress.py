"""Progress: a bar on a terminal and in a notebook, a line every ten seconds elsewhere; runs done, rate, time left, failures."""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from uqmbd.campaign.tally import Watcher
from uqmbd.printing import console, say

EVERY = 10.0  # seconds between lines where there is no terminal
OFTEN = 2.0  # if they are asked for
SOON = 0.2  # seconds between pictures of a bar in a notebook


class Counter(Watcher):
    """Counts what it is told; runs that were in the store already do not count for the rate."""

    def __init__(self) -> None:
        self.total = self.finished = self.reused = self.failed = 0
        self.alone = 0.0
        self.growing = False  # a method that asks in steps: nobody knows how many runs there will be
        self.began = time.monotonic()

    def asked(self, runs: int) -> None:
        self.growing = 0 < self.total < runs
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

    def words(self) -> str:
        """Runs done, rate, time left, failures."""
        rate = (self.finished - self.reused) / max(time.monotonic() - self.began, 1e-9)
        left = f", about {(self.total - self.finished) / rate:,.0f} s left" if rate and not self.growing else ""
        notes = f", {self.failed:,} failed" if self.failed else ""
        notes += f", no workers for {self.alone:.0f} s, waiting" if self.alone else ""
        return f"{self.finished:,}/{self.total:,} runs{self.so_far}, {rate:,.3g} runs/s{left}{notes}"

    @property
    def so_far(self) -> str:
        """That more runs may be asked for."""
        return " so far" if self.growing else ""


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
            all_runs=f"{self.finished:,}/{self.total:,}{self.so_far}",
            notes=", ".join(notes),
        )


class Lines(Counter):
    """A line to standard error every so many seconds, for logs of queues and scripts; quick studies write none."""

    def __init__(self, title: str, every: float = EVERY) -> None:
        super().__init__()
        self.title, self.every = title, every
        self.spoken = self.began
        self.said_waiting = False  # that there are no workers

    def show(self) -> None:
        """Print a line, if it is time for one."""
        now = time.monotonic()
        if now - self.spoken >= self.every or (self.alone and not self.said_waiting):
            self.spoken, self.said_waiting = now, bool(self.alone)
            say(f"{self.title}: {self.words()}", err=True)


class NotebookBar(Counter):
    """A bar below the cell of a notebook, which is drawn again in its place; `display` is ``IPython.display``."""

    def __init__(self, title: str, display: Any) -> None:
        super().__init__()
        self.title, self.html = title, display.HTML
        self.drawn = self.began
        self.handle = display.display(self.html(self.text()), display_id=True)

    def text(self) -> str:
        """The bar as HTML."""
        share = f'value="{self.finished}" max="{self.total}"' if self.total else ""
        return f"<div><b>{html.escape(self.title)}</b> <progress {share}></progress> {html.escape(self.words())}</div>"

    def show(self) -> None:
        """Draw it again, if it is time to or all is done."""
        now = time.monotonic()
        if now - self.drawn >= SOON or self.finished == self.total:
            self.drawn = now
            self.end()

    def end(self) -> None:
        """Draw it as it stands."""
        self.handle.update(self.html(self.text()))


def notebook_display() -> Any:
    """``IPython.display`` in a notebook, else None; a terminal with IPython is a terminal."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if not hasattr(shell, "kernel"):
        return None
    return import_module("IPython.display")


@contextmanager
def progress_bar(wanted: bool | None, title: str) -> Iterator[Watcher]:
    """A bar on a terminal and in a notebook, lines elsewhere, more of them when progress is `wanted`; silent if it is not."""
    if wanted is False:
        yield Watcher()
        return
    if (display := notebook_display()) is not None:
        bar = NotebookBar(title, display)
        try:
            yield bar
        finally:
            bar.end()
        return
    if not sys.stderr.isatty():
        yield Lines(title, OFTEN if wanted else EVERY)
        return
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
        TextColumn("runs {task.fields[all_runs]}"),
        Rate(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[notes]}"),
    )
    with Progress(*columns, console=console(err=True), transient=False) as progress:
        yield Bar(progress, progress.add_task(title, total=None, all_runs="0", notes=""))
