"""Start worker processes: once more where one ends as it starts, and then with what was seen of it in the error."""

from __future__ import annotations

import logging
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from uqmbd.errors import StudyError

LOG = logging.getLogger("uqmbd")
ENDED = re.compile(r"exited with status (?P<code>\d+)|killed by signal (?P<signal>\d+)|killed by (?P<unknown>unknown) signal")
NANNY = "distributed.nanny"  # which says how a worker has ended


class Ends(logging.Handler):
    """How workers ended, as Dask logs it."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Take in what is about an end."""
        match = ENDED.search(record.getMessage())
        if match is not None:
            self.seen.append(in_words(**match.groupdict()))


def in_words(code: str | None, signal: str | None, unknown: str | None) -> str:
    """How a process ended: ``ended with code 1``, ``was killed (SIGKILL)``."""
    if code is not None:
        return f"ended with code {code}"
    return f"was killed ({name_of(int(signal))})" if signal is not None else "was killed"


def name_of(number: int) -> str:
    """A signal's name."""
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


@contextmanager
def listening() -> Iterator[Ends]:
    """Hear in the block how workers end."""
    ends, log = Ends(), logging.getLogger(NANNY)
    level, log.level = log.level, logging.INFO
    passed_on, log.propagate = log.propagate, False
    here: list[logging.Handler] = [ends]
    others, log.handlers = log.handlers, here
    try:
        yield ends
    finally:
        log.level, log.propagate, log.handlers = level, passed_on, others


def started(make: Callable[[], Any]) -> Any:
    """What `make` makes, a cluster with its workers; it is tried twice.

    Raises
    ------
    StudyError
        When workers end as they start for the second time, or at once where a script has no guard: each worker runs it again.
    """
    with listening() as ends:
        for last in (False, True):
            before = len(ends.seen)
            try:
                return make()
            except (RuntimeError, OSError) as error:  # TimeoutError is an OSError
                seen = ", ".join(dict.fromkeys(ends.seen[before:])) or " ".join(str(error).split())
                if last or unguarded():
                    raise cannot_start(seen) from None  # what Dask and its event loop raised says nothing more
                LOG.warning(f"a worker process {seen} as it started; trying once more ...")


def cannot_start(seen: str) -> StudyError:
    """The error for workers that do not start."""
    if unguarded():
        remedy = 'in a script, put the call of run under `if __name__ == "__main__":`; or use workers=0, which needs no processes'
    else:
        remedy = "see whether memory or processes are short, take fewer (--workers 1), or use --workers 0, which needs no processes"
    return StudyError(f"the worker processes cannot start: one {seen}", key="campaign.workers", remedy=remedy)


def unguarded() -> bool:
    """True where this process runs a script that has no ``if __name__ == "__main__":``, which workers would run again."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    if not file:
        return False
    try:
        return "__main__" not in Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
