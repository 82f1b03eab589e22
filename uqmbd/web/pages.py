"""The pages: templates of `assets`, filled; tables and colours are those of reports."""

from __future__ import annotations

from datetime import datetime
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from uqmbd.figures.alt import alternative
from uqmbd.figures.colors import DARK, LIGHT, css
from uqmbd.report.pages import asset, parts
from uqmbd.web.places import Refused, address


@cache
def environment() -> Environment:
    """Templates of these pages, and the macros of reports."""
    loader = ChoiceLoader([PackageLoader("uqmbd.web", "assets"), PackageLoader("uqmbd.report", "assets")])
    templates = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    templates.filters |= {"parts": parts, "when": when, "alternative": alternative}
    templates.globals |= {"address": address, "query": query}
    return templates


def when(moment: datetime | None) -> str:
    """A moment in words: of today the time alone."""
    if moment is None:
        return ""
    return f"{moment:%H:%M:%S}" if moment.date() == datetime.now().date() else f"{moment:%Y-%m-%d %H:%M}"


def query(**words: Any) -> str:
    """The end of an address."""
    return f"?{urlencode(words)}"


def page(template: str, *, part: bool = False, status: int = 200, **values: Any) -> HTMLResponse:
    """A page; `part`: what is within its frame, for who has the frame."""
    frame = "part.html.j2" if part else "frame.html.j2"
    return HTMLResponse(environment().get_template(template).render(frame=frame, **values), status_code=status)


def refusal(refused: Refused) -> HTMLResponse:
    """The page of a request that is not answered."""
    return page("said.html.j2", status=refused.status, title="Not done", text=refused.message, remedy=refused.remedy or "", bare=True)


own = cache(partial(asset, package="uqmbd.web"))  # the text of a file of `assets`


@cache
def style() -> str:
    """The style of reports, and what these pages have besides."""
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ color-scheme: dark; {css(DARK)} }} }}"
    return "\n".join([f":root {{ color-scheme: light; {css(LIGHT)} }}", dark, asset("page.css"), own("view.css")])
