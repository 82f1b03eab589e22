"""Looks at studies under way: their runs so far, as long as somebody has the page open, and never so often that it slows them down."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from uqmbd.errors import StudyError
from uqmbd.web.answers import Answer, answer_of, sentence_of

if TYPE_CHECKING:
    from uqmbd.tables.text import Table

REST = 10.0  # how much longer than a look is the time to the next one; after the first, which reads all that is there, as long
SOONEST = 0.8  # s between two looks
KEPT = 4  # studies whose runs are kept in mind
NOTHING = Answer()


@dataclass(frozen=True)
class Look:
    """What was seen of a study."""

    number: int  # of the look, from 1: a picture of another look is another one
    at: datetime
    sentence: str = ""  # how far it is
    runs: int = 0
    planned: int = 0  # runs that the method asks for at least
    messages: tuple[str, ...] = ()  # the first different ones of failed runs
    answer: Answer = NOTHING  # what the runs say so far, or why that cannot be said
    table: Table | None = None  # of the outputs


@dataclass
class Watched:
    """One study that is looked at."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    text: str = ""
    watch: Any = None
    last: Look | None = None
    next: float = 0.0  # of the monotonic clock: no look before


class Looks:
    """Looks by folder of results."""

    def __init__(self) -> None:
        self.seen: dict[Path, Watched] = {}
        self.lock = threading.Lock()

    def look(self, folder: Path) -> Look:
        """What is there now, or what was there a moment ago."""
        with self.lock:
            seen = self.seen.pop(folder, None) or Watched()
            self.seen[folder] = seen  # the last one that was asked for
            while len(self.seen) > KEPT:
                del self.seen[next(iter(self.seen))]
        with seen.lock:
            began = time.monotonic()
            if seen.last is None or began >= seen.next:
                number = 1 if seen.last is None else seen.last.number + 1
                anew = seen.watch is None
                seen.last = looked(folder, seen, number)
                ended = time.monotonic()
                seen.next = ended + max(SOONEST, (1.0 if anew else REST) * (ended - began))
            return seen.last

    def last(self, folder: Path) -> Look | None:
        """What was seen last."""
        seen = self.seen.get(folder)
        return None if seen is None else seen.last


def looked(folder: Path, seen: Watched, number: int) -> Look:
    """Look once."""
    now = datetime.now()
    try:
        return read(folder, seen, number, now)
    except Exception as error:  # a file that is being written, say: the next look may see more
        seen.watch = None
        return Look(number, now, answer=Answer(wrong=sentence_of(error)))


def read(folder: Path, seen: Watched, number: int, now: datetime) -> Look:
    """What the runs in a folder say."""
    from uqmbd.figures import chosen, output_names
    from uqmbd.runs.where import STUDY
    from uqmbd.study.looked_at import study_to_look_at
    from uqmbd.study.watching import Watch, so_far
    from uqmbd.tables.text import by_statistic

    try:
        text = (folder / STUDY).read_text(encoding="utf-8")
    except OSError:
        raise StudyError("holds no study yet", file=folder, remedy="look again in a moment") from None
    if seen.watch is None or seen.text != text:
        seen.text, seen.watch = text, Watch(study_to_look_at(folder))
    snapshot = so_far(seen.watch.study, folder, seen.watch)
    names = [name for some in output_names(snapshot.result) for name in chosen(snapshot.result, some)]
    answer = answer_of(snapshot.result)
    answer = replace(answer, notes=answer.notes[1:])  # the first says how far the study is
    table, planned = by_statistic(snapshot.result, names), max(snapshot.least, 1)
    return Look(number, now, snapshot.sentence(), snapshot.runs, planned, tuple(snapshot.messages), answer, table)
