"""Studies that were started from the page: processes of their own, which live on when the server ends, and are found by the next one.

Each is the command itself, ``uqmbd run`` or ``uqmbd resume``, so that it does what the command does, and what it says is kept in a file.
`HOME` in the folder of results has what is known of it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from uqmbd.printing import printable
from uqmbd.processes import OUTLIVING
from uqmbd.runs.files import replace, writing
from uqmbd.web.places import Refused, inside

HOME = ".view"  # hidden: no place of results
COMMAND = "uqmbd.cli"
TAIL = 4000  # bytes of what a command said
CLOCK = 2.0  # s, by which two readings of when a process began may differ


@dataclass(frozen=True)
class Job:
    """A process that was started for a place of results."""

    place: str  # below the folder of results
    pid: int
    began: float  # s since 1970: a number of a process is used again


class Jobs:
    """What was started in a folder of results, by this server or an earlier one."""

    def __init__(self, results: Path) -> None:
        self.results, self.home = results, results / HOME
        self.own: dict[str, subprocess.Popen[bytes]] = {}
        self.stopping: set[str] = set()
        self.lock = threading.Lock()

    def start(self, place: str, study: Path) -> None:
        """Run a study, whose results go to `place`; `Refused` if it is running."""
        self.spawn(place, "run", str(study), "--out", str(inside(self.results, place)))

    def resume(self, place: str) -> None:
        """Go on with what was interrupted."""
        self.spawn(place, "resume", str(inside(self.results, place)))

    def spawn(self, place: str, *words: str) -> None:
        """Start a command: in a session of its own, so that Ctrl-C in the server's terminal, or its end, is not for it."""
        import psutil

        with self.lock, writing(self.results):
            if self.process(place) is not None:
                raise Refused("this study is running", 409, remedy="look at it, or stop it first")
            self.results.mkdir(parents=True, exist_ok=True)
            if self.home.is_symlink():
                raise Refused(f"{self.home} is a link", 409, remedy="remove it")
            self.home.mkdir(mode=0o700, exist_ok=True)
            with open(self.file(place, "log"), "wb") as said:
                process: subprocess.Popen[bytes] = subprocess.Popen(
                    [sys.executable, "-P", "-m", COMMAND, *words], stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
                    start_new_session=True,
                )  # fmt: skip
            OUTLIVING.add(process.pid)
            self.own[place] = process
            self.stopping.discard(place)
            with suppress(psutil.NoSuchProcess):
                job = Job(place, process.pid, psutil.Process(process.pid).create_time())
                replace(self.file(place, "json"), json.dumps(asdict(job)).encode())

    def stop(self, place: str) -> None:
        """End a study as Ctrl-C does: what is done is stored; `Refused` if it does not run, or was started elsewhere."""
        process = self.process(place)
        if process is None:
            raise Refused("this study was not started from here", 409, remedy="end it where it was started, by Ctrl-C")
        self.stopping.add(place)
        process.send_signal(signal.SIGTERM)  # which is heeded where SIGINT is ignored, as in the background of a shell

    def process(self, place: str) -> Any:
        """The process of a place (`psutil.Process`), as long as it runs; else None."""
        import psutil

        if place in self.own:
            self.own[place].poll()
        job = self.known(place)
        with suppress(psutil.Error):
            if job is not None and self.is_of(process := psutil.Process(job.pid), job):
                return process
        self.stopping.discard(place)
        return None

    def is_of(self, process: Any, job: Job) -> bool:
        """Whether a process that has the number of a job is the one that was started."""
        import psutil

        command = process.cmdline()  # empty for a moment after the process has begun
        same = abs(process.create_time() - job.began) < CLOCK and (COMMAND in command or not command)
        return same and process.status() != psutil.STATUS_ZOMBIE

    def known(self, place: str) -> Job | None:
        """What was written of the last process of a place."""
        with suppress(OSError, ValueError, TypeError):
            job = Job(**json.loads(self.file(place, "json").read_text(encoding="utf-8")))
            if isinstance(job.pid, int) and job.pid > 0 and isinstance(job.began, float):
                return job
        return None

    def code(self, place: str) -> int | None:
        """How the last process of a place ended; None while it runs, and where this server did not start it."""
        return self.own[place].poll() if place in self.own else None

    def said(self, place: str) -> str:
        """The end of what the command of a place said."""
        with suppress(OSError), open(self.file(place, "log"), "rb") as stream:
            stream.seek(max(os.fstat(stream.fileno()).st_size - TAIL, 0))
            return printable(stream.read().decode("utf-8", "replace"))
        return ""

    def places(self) -> list[str]:
        """Places of which a process runs."""
        with suppress(OSError):
            jobs = [self.known(unquote(file.stem)) for file in self.home.glob("*.json")]
            return [job.place for job in jobs if job is not None and self.process(job.place) is not None]
        return []

    def file(self, place: str, kind: str) -> Path:
        """Where something of a place is kept."""
        return self.home / f"{quote(place, safe='')}.{kind}"
