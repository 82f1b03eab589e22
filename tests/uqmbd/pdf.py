"""What stands in a PDF as chromium prints it: its words, by page, and how many strokes and areas are drawn."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """All words, without the spaces between them, and the number of paths that are painted."""

    words: str
    paths: int
    pages: int


def read(data: bytes) -> Printed:
    """A file of Skia: objects that are not packed together, streams with zlib, fonts with tables of their characters."""
    objects = {int(number): body for number, body in re.findall(rb"(\d+) 0 obj\b(.*?)endobj", data, re.S)}
    streams = {number: stream for number, body in objects.items() if (stream := _stream(body)) is not None}
    fonts = {
        number: _characters(streams[int(at[1])]) for number, body in objects.items() if (at := re.search(rb"/ToUnicode (\d+) 0 R", body))
    }
    words, paths = [], 0
    for number, body in objects.items():
        if b"/Type /Page\n" in body or re.search(rb"/Type\s*/Page\b(?!s)", body):
            content = streams[int(re.search(rb"/Contents (\d+) 0 R", body)[1])]
        elif re.search(rb"/Subtype\s*/Form", body):
            content = streams[number]
        else:
            continue
        named = {name: fonts.get(int(at), {}) for name, at in re.findall(rb"/(F\d+) (\d+) 0 R", body)}
        words.append(_words(content, named))
        paths += len(re.findall(rb"(?m)^(?:[SsBb]|f\*?|b\*|B\*)$", content))
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", data))
    return Printed("".join(words), paths, pages)


def _stream(body: bytes) -> bytes | None:
    found = re.search(rb"stream\r?\n(.*?)\r?\nendstream", body, re.S)
    if found is None:
        return None
    return zlib.decompress(found[1]) if b"/FlateDecode" in body else found[1]


def _characters(table: bytes) -> dict[int, str]:
    """Characters by the number of their glyph."""
    found = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.S):
        found |= {int(a, 16): _text(b) for a, b in re.findall(rb"<(\w+)> <(\w+)>", block)}
    for block in re.findall(rb"beginbfrange(.*?)endbfrange", table, re.S):
        for first, last, start in re.findall(rb"<(\w+)> <(\w+)> <(\w+)>", block):
            found |= {int(first, 16) + k: chr(int(start, 16) + k) for k in range(int(last, 16) - int(first, 16) + 1)}
    return found


def _text(digits: bytes) -> str:
    return bytes.fromhex(digits.decode()).decode("utf-16-be")


def _words(content: bytes, fonts: dict[bytes, dict[int, str]]) -> str:
    said, known = [], {}
    for font, glyphs in re.findall(rb"/(F\d+) [-\d.]+ Tf|<([0-9A-Fa-f]+)>", content):
        if font:
            known = fonts.get(font, {})
        else:
            said += [known.get(int(glyphs[k : k + 4], 16), "") for k in range(0, len(glyphs), 4)]
    return "".join(said).replace(" ", "")
