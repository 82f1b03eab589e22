"""The page: one file with everything in it, that asks no network."""

import json
from functools import cache
from pathlib import Path

ASSETS = Path(__file__).with_name("assets")
SCRIPTS = ("keys", "bodies", "shaders", "drawing", "camera", "picture", "naming", "player", "section", "main")
SORRY = (
    "This browser shows no WebGL 2, so the motion cannot be drawn; this is a picture of its start. "
    "A browser of 2021 or later does, if it may use the graphics card."
)


def written(data, *, title, described, says, still):
    """The text of the page of a scene.

    Parameters
    ----------
    data : dict
        What `Scene.data` gave; text in it may be anything, it does not become part of the page's language.
    title, described : str
        Heading, and what the picture shows in words.
    says : list of str
        Lines over the picture.
    still : str
        SVG.
    """
    from markupsafe import Markup

    parts = {"style": _text("page.css"), "library": _text("ogl.min.js"), "script": "\n".join(_text(f"{name}.js") for name in SCRIPTS)}
    safe = {key: Markup(text) for key, text in (parts | {"scene": as_json(data), "still": still}).items()}
    return _template().render(title=title, described=described, says=says, notes=data["notes"], sorry=SORRY, **safe)


def as_json(data):
    """Data as text that may stand in a ``<script>``."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=True).replace("<", "\\u003c")


@cache
def _text(name):
    return (ASSETS / name).read_text(encoding="utf-8")


@cache
def _template():
    from jinja2 import Environment

    return Environment(autoescape=True).from_string(_text("page.html.j2"))
