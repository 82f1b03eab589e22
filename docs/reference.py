"""Write docs/reference.md, every key of a study file with its default, from the settings classes and their docstrings.

python docs/reference.py          write it
"""

import inspect
import re
from collections.abc import Collection
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_args, get_origin

from pydantic_core import PydanticUndefined

import flexmbd
from uqmbd.inputs import INPUTS
from uqmbd.methods import METHODS
from uqmbd.simulators.sections import Section
from uqmbd.spec import StudySpec
from uqmbd.spec.models import KINDS

PAGE = Path(__file__).with_name("reference.md")
HEAD = """# Every key of a study file

Written by `python docs/reference.py` from the settings classes; do not edit. A study file is TOML. Keys without a default must be given.
Units of inputs are converted to SI when the file is read; all other numbers are SI.
"""
HIDDEN = {"unit", "written", "canonical", "table", "accepts", "treats", "worker_modules", "directory", "given"}


def documented(kind: type) -> dict[str, str]:
    """What the docstrings of a class and of those it comes from say of each attribute."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__):
        text = inspect.cleandoc(one.__dict__.get("__doc__") or "")
        _, _, attributes = text.partition("Attributes\n----------\n")
        attributes = re.split(r"\n\n\w+\n-{3,}\n", attributes)[0]
        for block in re.split(r"\n(?=\S)", attributes):
            head, _, body = block.partition("\n")
            for name in head.partition(" : ")[0].split(", "):
                found[name.strip()] = " ".join(line.strip() for line in body.splitlines()).strip()
    return found


def defaults(kind: type) -> dict[str, str]:
    """Keys of a settings class, each with its default as a study file says it; empty where it must be given."""
    if is_dataclass(kind):
        return {one.name: said(one.default) for one in fields(kind) if not is_dataclass(one.default)}  # those only Python can say
    found = {}
    for name, one in kind.model_fields.items():
        if name in HIDDEN:
            continue
        value = one.default if one.default_factory is None else one.default_factory()
        found[name] = "" if value is PydanticUndefined else said(value)
    return found


def said(value: object) -> str:
    """A default in TOML's words."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(list(value) if isinstance(value, tuple) else value)


def summary(kind: type) -> str:
    """The first paragraph of a class's docstring."""
    return " ".join(inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].split())


def plain(text: str) -> str:
    """A docstring's words as Markdown in a table."""
    return text.replace("``", "`").replace("|", "/")


def of_approach(text: str, approach: str) -> str:
    """What ``one, two: words; three: other words`` says of an approach; all where it names none."""
    for part in re.split(r"; (?=[a-z_, ]+: )", text):
        names, colon, words = part.partition(": ")
        if colon and approach in names.split(", "):
            return f"{words[:1].upper()}{words[1:].rstrip('.')}."
    return text


def section(title: str, kind: type, *, note: str = "", approach: str = "", but: Collection[str] = ()) -> str:
    """A heading and a table of one class, or of one approach without the keys that all take."""
    words = {name: of_approach(text, approach) for name, text in documented(kind).items()}
    keys = {name: f"`{value}`" if value else "" for name, value in defaults(kind).items() if name not in but}
    rows = [f"| `{name}` | {value} | {plain(words.get(name, ''))} |" for name, value in keys.items()]
    table = ["| key | default | meaning |", "|---|---|---|", *rows] if rows else ["No keys."]
    return "\n".join([f"## {title}", "", plain(note or summary(kind)), "", *table, ""])


def page() -> str:
    """The whole page."""
    own = {"study": of_models, "inputs": of_inputs, "outputs": of_outputs, "method": of_methods, "solver": of_solver}
    return "\n".join([HEAD, *(own[name]() if name in own else of_settings(name) for name in StudySpec.model_fields)]).rstrip() + "\n"


def of_settings(name: str) -> str:
    """A section of plain settings, whose class is that of the field of `StudySpec`."""
    kind = StudySpec.model_fields[name].annotation
    many = get_origin(kind) is dict
    kind = next(one for one in (*get_args(kind), kind) if isinstance(one, type) and hasattr(one, "model_fields"))
    return section(f"[{name}.NAME]" if many else f"[{name}]", kind)


def of_models() -> str:
    """The section ``[study]``: its words, then the model, of which there are kinds."""
    shared = KINDS["model"].__base__
    return "\n".join(
        [section("[study]", shared), *("#" + section(f"with `{key}`", kind, but=shared.model_fields) for key, kind in KINDS.items())]
    )


def of_inputs() -> str:
    """The kinds of input."""
    head = "## [inputs.NAME]\n\nOne of the keys below, and `unit` (any unit that pint reads; the model gets SI).\n"
    return head + "\n| key | meaning |\n|---|---|\n" + "\n".join(f"| `{kind.key}` | {plain(summary(kind))} |" for kind in INPUTS) + "\n"


def of_outputs() -> str:
    """The outputs, and the sections of mechanisms."""
    return "\n".join([of_settings("outputs"), "#" + section("[outputs.sections.NAME]", Section)])


def of_methods() -> str:
    """The methods."""
    parts = ["## [method]\n\n`type` is the name of one of the methods below; `studies/README.md` says when to take which.\n"]
    for kind in METHODS.values():
        accepts = ", ".join(sorted(kind.accepts))
        parts.append("#" + section(f'type = "{kind.name}"', kind, note=f"{summary(kind)} Inputs: {accepts}."))
        for name, one in getattr(kind, "approaches", {}).items():
            parts.append("##" + section(f'approach = "{name}"', one, approach=name, but=kind.model_fields))
    return "\n".join(parts)


def of_solver() -> str:
    """The settings of flexmbd, and its integrators."""
    parts = [section("[solver]", flexmbd.Settings, note="For models that return a `flexmbd.System`. How the motion is computed.")]
    schemes = [f"| `{name}` | {scheme_words(scheme)} |" for name, scheme in flexmbd.integrators.INTEGRATORS.items()]
    parts.append("### Integrators\n\n| `integrator` | order | adaptive |\n|---|---|---|\n" + "\n".join(schemes) + "\n")
    return "\n".join(parts)


def scheme_words(scheme: object) -> str:
    """Order, and whether the step adapts."""
    return f"{scheme.order} | {'yes' if scheme.adaptive else 'no'}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
