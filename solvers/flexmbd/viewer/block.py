"""Cases of a study as a part of a page, in place of a page of its own: what `page.written` is for one trajectory."""

from functools import cache

from flexmbd.viewer.page import SCRIPTS, _text, as_json
from flexmbd.viewer.still import svg

SCRIPTS_OF_CASES = (*SCRIPTS[:-1], "envelope", SCRIPTS[-1], "cases")
SORRY = "This browser shows no WebGL 2, so that the motion cannot be drawn."


def block_scripts():
    """The scripts of the part: the library, and one that defines ``flexmbdCases(document, text)``, `text` that of `block_scene`."""
    from markupsafe import Markup

    script = Markup("\n".join(_text(f"{name}.js") for name in SCRIPTS_OF_CASES))
    return _text("ogl.min.js"), _template("block.js.j2").render(script=script)


def block_style():
    """CSS of the part; colours are those of the page: ``--paper --ink --soft --back --line --link``."""
    return _text("block.css")


def block_html(data, stillsays):
    """The part of the page.

    Parameters
    ----------
    data : dict
        `Cases.data`, with ``cases``: of each run ``label``, and ``says``, a sentence on it; ``still``, of `Cases.still`;
        ``still_of``, which run that is, shown first; and ``of``, how many runs there are in all, if those of the batch are some of them.
        Texts may be anything.
    stillsays : str
        What the still picture shows.
    """
    from markupsafe import Markup

    count, of = data["envelope"]["runs"], data.get("of", 0)
    runs = f"{count:,} of {of:,} runs" if count < of else f"all {of or count:,} runs"
    says = [f"differences from the nominal run drawn {data['larger']:g} times larger"] if data["larger"] != 1.0 else []
    names = [x["name"] for x in (*data["runs"][0]["bearings"], *data["runs"][0]["guides"])]
    if names and data["play"] != 1.0:
        says.append(f"clearance of {', '.join(map(repr, names))} drawn {data['play']:g} times larger")
    described = f"Motion of {len(data['bodies']) - 1} bodies from {data['start']:g} s to {data['end']:g} s"
    words = {
        "described": described,
        "says": says,
        "notes": data["notes"],
        "cases": data["cases"],
        "runs": runs,
        "aspect": _aspect(data),
        "first": data.get("still_of", 0),
    }
    return _template("block.html.j2").render(
        **words,
        still=Markup(svg(data["still"], stillsays)),
        stillsays=" ".join([stillsays, *(f"{line[0].upper()}{line[1:]}." for line in says)]),
        sorry=SORRY,
    )


def _aspect(data):
    """Width of the picture by its height, by what is seen."""
    wide, tall, *_ = (high - low for low, high in zip(data["low"], data["high"], strict=True))
    return f"{min(max(1.16 * wide / max(1.3 * tall, 1e-12), 1.2), 2.4):.2f}" if data["planar"] else "1.6"


def block_scene(data):
    """The data that the script is given, as JSON that may stand in a page."""
    return as_json({key: value for key, value in data.items() if key not in ("still", "notes", "rows")})


@cache
def _template(name):
    from jinja2 import Environment

    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(_text(name))
