"""What all pages share: templates and style of `assets`, colours for light and dark."""

import re
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from uqmbd.figures.colors import DARK, LIGHT, css
from uqmbd.runs.files import replace


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


def asset(name: str) -> str:
    """The text of a file of `assets`."""
    return (files("uqmbd.report") / "assets" / name).read_text(encoding="utf-8")


def replaced(page: Path, text: str) -> Path:
    """The page, written whole or not at all."""
    replace(page, text.encode())
    return page
