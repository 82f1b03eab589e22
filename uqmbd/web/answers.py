"""What finished results answer, read once each: a list of many would take seconds, so it is read beside it, and shown when it is there."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from uqmbd.errors import StudyError

if TYPE_CHECKING:
    from uqmbd.figures.marks import Figure
    from uqmbd.report.judged import Judged
    from uqmbd.result import Result

KEPT = 500  # results whose answers are kept
DRAWING = threading.Lock()  # matplotlib is for one thread at a time
NARROW = 4.4  # inches of a picture for a telephone
OF_RESULT = ("result.zarr/zarr.json", "checksums.json", "done.json")  # that change when a result does


@dataclass(frozen=True)
class Answer:
    """What is shown of a result, as the first screen of its report has it."""

    title: str = ""
    question: str = ""
    short: tuple[str, ...] = ()  # the answer in two short sentences
    judged: Judged | None = None  # whether it is trusted, in one line
    sentences: tuple[str, ...] = ()  # the answer with all digits
    notes: tuple[str, ...] = ()
    trust: tuple[tuple[str, float, str], ...] = ()  # name, share and text, by output
    figures: tuple[Figure, ...] = ()  # of the key output first, then how the answer comes about
    wrong: str = ""  # why nothing can be read, with what to do; then all else is empty


def sentence_of(error: Exception) -> str:
    """A sentence for what was raised, with what to do."""
    if isinstance(error, StudyError):
        return str(error)
    return f"cannot be read ({type(error).__name__}: {' '.join(str(error).split())})"


def answer_of(result: Result) -> Answer:
    """What a result answers."""
    from uqmbd.report.summary import summary_of

    lead = summary_of(result, {})
    notes, figures = tuple(map(str, result.facts.notes)), tuple(drawn(result))
    return Answer(lead.title, lead.question, lead.answer, lead.judged, lead.sentences, notes, lead.trust, figures)


def drawn(result: Result) -> list[Figure]:
    """The figure of the key output, where there is one, and those that say how the answer comes about."""
    from uqmbd.figures import fitted, growing_figures
    from uqmbd.figures.key import key_figure, key_output

    key, figure = key_output(result), key_figure(result)
    if key is None:
        return []
    shown = [figure] if figure is not None and any(panel.marks for panel in figure.panels) else []
    growing = [one for one in growing_figures(result, key) if one.key not in {each.key for each in shown}]
    return [fitted(result, [key])(one) for one in (*shown, *growing)]


def picture(figure: Figure, *, dark: bool, narrow: bool) -> bytes:
    """A figure as PNG."""
    import io

    from uqmbd.figures.colors import DARK, LIGHT
    from uqmbd.figures.matplotlib_view import WIDTH, write

    stream = io.BytesIO()
    with DRAWING:
        write(figure, stream, DARK if dark else LIGHT, NARROW if narrow else WIDTH)
    return stream.getvalue()


def read(folder: Path) -> Answer:
    """The answer of a folder of results, or why there is none."""
    from uqmbd.result import open_results

    try:
        return answer_of(open_results(folder))
    except Exception as error:  # whatever lies in the folder, the list is shown
        return Answer(wrong=sentence_of(error))


class Answers:
    """Answers by folder, read by `of`, again when a result has changed."""

    def __init__(self, of: Callable[[Path], Answer] = read) -> None:
        self.of = of
        self.reading = ThreadPoolExecutor(1, thread_name_prefix="answers")
        self.known: dict[tuple[Path, tuple[int, ...]], Future[Answer]] = {}
        self.lock = threading.Lock()

    def ask(self, folder: Path) -> Answer | None:
        """The answer of a folder, or None as long as it is being read."""
        future = self._future(folder)
        return future.result() if future.done() else None

    def wait(self, folder: Path) -> Answer:
        """The answer, when it is there."""
        return self._future(folder).result()

    def _future(self, folder: Path) -> Future[Answer]:
        key = (folder, tuple(changed(folder / name) for name in OF_RESULT))
        with self.lock:
            if key not in self.known:
                while len(self.known) >= KEPT:
                    del self.known[next(iter(self.known))]
                self.known[key] = self.reading.submit(self.of, folder)
            return self.known[key]

    def close(self) -> None:
        """Read no more."""
        self.reading.shutdown(wait=False, cancel_futures=True)


def changed(file: Path) -> int:
    """When a file was last changed, ns; 0 if it is not there."""
    with suppress(OSError):
        return file.stat().st_mtime_ns
    return 0
