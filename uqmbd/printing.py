"""The one place through which text reaches a terminal: nothing that a model, a file or a name says can command it."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

COMMANDING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: Any) -> str:
    r"""Text in which what commands a terminal, reorders a line or cannot be encoded is written out: ``\x1b`` for an escape.

    Examples
    --------
    >>> printable("a\x1b[2Jb\n")
    'a\\x1b[2Jb\n'
    """
    return COMMANDING.sub(lambda match: match[0].encode("unicode_escape", "backslashreplace").decode("ascii"), str(text))


def near(path: Path) -> Path:
    """A path as it is shortest: from the working folder, where it lies in it."""
    with suppress(OSError, ValueError):
        return path.relative_to(Path.cwd())
    return path


def say(text: Any = "", *, err: bool = False) -> None:
    """Print a line, on the standard error stream if `err`; characters that the stream cannot hold are written out."""
    stream = sys.stderr if err else sys.stdout
    line = printable(text) + "\n"
    if stream is None:  # a program without a terminal
        return
    try:
        stream.write(line)
    except UnicodeEncodeError:
        coding = stream.encoding or "ascii"
        stream.write(line.encode(coding, "backslashreplace").decode(coding))
    stream.flush()


def console(*, err: bool = False, width: int | None = None) -> Console:
    """A rich console for tables and bars, for which text is text: no markup, and as `printable`; as wide as the terminal unless said."""
    import rich.console
    from rich.segment import Segment
    from rich.text import Text

    class Plain(rich.console.Console):
        """A console whose text commands nothing."""

        def render_str(self, text: str, **how: Any) -> Text:
            """See `rich.console.Console.render_str`."""
            return super().render_str(printable(text), **how)

        def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
            """See `rich.console.Console.render`: what came in as `Text` is cleaned here; what rich itself commands is kept."""
            return cleaned(super().render(renderable, options))

    def cleaned(segments: Iterable[Segment]) -> Iterator[Segment]:
        for segment in segments:
            yield segment if segment.control else Segment(COMMANDING.sub("", segment.text), segment.style)

    return Plain(stderr=err, width=width, markup=False, emoji=False)


def terminal_columns(header: Iterable[str], rows: Iterable[Iterable[str]], right: Iterable[bool], *, whole: bool = True) -> Table:
    """A table for `console`; `right`: which columns are aligned so; `whole`: text that has no room goes on in the next line."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name, number in zip(header, right, strict=True):
        table.add_column(name, justify="right" if number else "left", no_wrap=not whole, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


class TerminalLog(logging.Handler):
    """What takes long is said on the terminal before it begins."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print it."""
        say(record.getMessage(), err=True)
