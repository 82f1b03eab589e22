"""What all pages share: templates and style of `assets`, colours for light and dark, text that is packed for the browser to unpack."""

import gzip
import re
from importlib.resources import files
from pathlib import Path

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from uqmbd.figures.colors import DARK, LIGHT, css
from uqmbd.runs.files import replace

# of base 85, none of which means something in a page
LETTERS = np.frombuffer(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%.()*+-;,=/?@^_`{|}~", np.uint8)


def rendered(template: str, **values) -> str:
    """A template of `assets`, filled."""
    loader = PackageLoader("uqmbd.report", "assets")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["parts"] = parts
    return environment.get_template(template).render(light=css(LIGHT), dark=css(DARK), style=asset("page.css"), **values)


def parts(name: str) -> list[str]:
    """Of a name, after which a line may break: ``rod. middle. curvature: abs_ max``."""
    return re.split(r"(?<=[.:_])(?=.)", name)


def sentence(note: str) -> str:
    """A note as a sentence of its own."""
    return f"{note[0].upper()}{note[1:].rstrip('.')}."


def asset(name: str, package: str = "uqmbd.report") -> str:
    """The text of a file of `assets`."""
    return (files(package) / "assets" / name).read_text(encoding="utf-8")


def replaced(page: Path, text: str) -> Path:
    """The page, written whole or not at all."""
    replace(page, text.encode())
    return page


def packed(text: str) -> str:
    """Text as a page holds it: gzip in base 85, which takes 6 % less room than base 64; the browser unpacks it when it is needed."""
    data = gzip.compress(text.encode(), 6, mtime=0)
    missing = -len(data) % 4  # bytes to whole groups; said first
    numbers = np.frombuffer(data + bytes(missing), ">u4").astype(np.int64)
    digits = numbers[:, None] // 85 ** np.arange(4, -1, -1) % 85
    return f"{missing}{LETTERS[digits].tobytes().decode()}"


def unpacked(text: str) -> str:
    """What `packed` was given."""
    digits = np.searchsorted(LETTERS, np.frombuffer(text[1:].encode(), np.uint8), sorter=np.argsort(LETTERS))
    numbers = np.argsort(LETTERS)[digits].reshape(-1, 5) @ 85 ** np.arange(4, -1, -1)
    data = numbers.astype(">u4").tobytes()
    return gzip.decompress(data[: len(data) - int(text[0])]).decode()
