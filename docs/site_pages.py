"""Pages of the site that are made of what stands elsewhere: one a study, of its README and files; the lists of both packages' names."""

import inspect
import os
import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
STUDIES = ROOT / "studies"
IMAGES = HERE / "images"
NAMED = re.compile(r"`{0,2}docs/([\w/]+)\.md`{0,2}")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NOT_HERE = r"(?!uqmbd\.[A-Z]\w*$|flexmbd\.[A-Z]\w*$).*"  # what has no page of its own; what has one must be found

FLEXMBD = {  # of flexmbd; elements, laws and films are grouped as in elements.md
    "Run a model": (
        "System run compile Simulation State Trajectory PoincareSection SectionPoints Settings prepare Prepared compiled ModelError"
    ),
    "Analyse a model": (
        "static arc_length modes state_space StateSpace sensitivities Sensitivities inverse_dynamics reference Equations "
        "section_map SectionMap Passage "
        "output_units output_meanings argument_units"
    ),
    "Show a motion": "show Viewer Poses CentreLine Box Cylinder Sphere Balls Polyline Mesh Swept",
    "Points, materials, oils": "Point material lubricant Lubricant hertz_sphere_stiffness wear_cycles",
}
PARTS = (  # of flexmbd, that can be used by themselves
    "nonsmooth.ContactProblem nonsmooth.solve impacts.planar_impact impacts.spatial_impact impacts.multiple_impacts "
    "lubrication.reynolds.ReynoldsBearing lubrication.fields.film_fields lubrication.film_map.build_map wear.archard.archard "
    "linalg.direct.analyse properties.published"
)
UQMBD = {
    "Ask and read": "Study StudySpec TimeGrid CampaignSettings Result Results open_results open_each open_surrogate write_report "
    "indices_of_table TableIndices StudyError",
    "Models": "Curve Events Section vectorized",
    "Long-term motion": "Flow Stop PeriodMap ReturnMap ChangedMap",
    "What is known of an input": "Interval Random Fuzzy Focal Integers Choice Fixed Dependence ConvexSet",
    "Random variables by a call": "Uniform Normal Lognormal Gumbel Triangular Weibull Gamma Beta Exponential",
    "Bounds": "Chebyshev Search Vertex Taylor1 Taylor2 ConvexBounds FuzzyBounds Evidence",
    "Statistics, sensitivities, probabilities": "MonteCarlo Multilevel Multifidelity PCE Mixed Sensitivity Reliability",
    "Parameter studies": "Grid List Calibrate Posterior",
    "Nonlinear dynamics": "Basins Bifurcation",
    "Decisions": "Tolerances Design",
}


def version() -> str:
    """Of the project, as its package says it."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as of

    try:
        return of("uqmbd")
    except PackageNotFoundError:
        return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("version", "")


def groups(package: str) -> dict[str, list[str]]:
    """Public names of a package by their headings."""
    if package == "uqmbd":
        return {title: names.split() for title, names in UQMBD.items()}
    from elements import OTHERS, SECTIONS

    found = {title: names.split() for title, names in {**FLEXMBD, **SECTIONS, **OTHERS}.items()}
    return {title: [name for name in names if "_with_" not in name] for title, names in found.items()}


def api(package: str, words: str) -> str:
    """The list of a package's names, each with a page of its own."""
    parts = [package, "=" * len(package), "", words, "", f".. currentmodule:: {package}", ""]
    apart = {"Parts by themselves": PARTS.split()} if package == "flexmbd" else {}
    for title, names in {**groups(package), **apart}.items():
        parts += [title, "-" * len(title), "", ".. autosummary::", "   :toctree: made", "   :nosignatures:", ""]
        parts += [*(f"   {name}" for name in names), ""]
    return "\n".join(parts)


def page_of(target: Path) -> Path | None:
    """The page of the site that a file or folder outside of docs has; None if it has none."""
    for path, page in ((ROOT / "README.md", "index.md"), (STUDIES / "README.md", "studies/index.md"), (STUDIES, "studies/index.md")):
        if target == path:
            return HERE / page
    if target == HERE / "theory":
        return HERE / "theory" / "index.md"
    if target.is_relative_to(STUDIES):
        folder = STUDIES / target.relative_to(STUDIES).parts[0]
        return HERE / "studies" / f"{folder.name}.md" if folder.is_dir() else None
    return None


def linked(text: str, folder: Path, page: Path) -> str:
    """Markdown of a file in a folder, with its links as they have to be on a page of the site."""

    def one(found: re.Match) -> str:
        target, hash_, anchor = found[1].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return found[0]
        path = Path(os.path.normpath(folder / target))
        other = page_of(path) or path
        return f"]({os.path.relpath(other, page.parent)}{hash_}{anchor})"

    return LINK.sub(one, text)


def links_to_pages(app, name: str, content: list[str]) -> None:
    """Sphinx's event ``source-read``: links of Markdown pages that lead out of docs."""
    page = Path(app.env.doc2path(name))
    if page.suffix == ".md":
        content[0] = linked(content[0], page.parent, page)


def pages_named_in_docstrings(app, what: str, name: str, made: object, options: object, lines: list[str]) -> None:
    """Sphinx's event of docstrings: the pages that they name are links."""
    lines[:] = [NAMED.sub(r":doc:`/\1`", line) for line in lines]


def signature_of_settings(app, what: str, name: str, made: object, options: object, signature: str, result: str) -> tuple | None:
    """Sphinx's event of signatures: settings have their names and defaults; their types are in the list of attributes."""
    if what != "class" or not hasattr(made, "model_fields"):
        return None
    found = inspect.signature(made)
    bare = [one.replace(annotation=one.empty) for one in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=found.empty)), None


def picture_of(name: str) -> Path | None:
    """A study's picture: a figure of its report, or else its mechanism."""
    if name == "slider_crank_clearance":
        return IMAGES / "demo.png"
    return next((path for kind in ("png", "svg") if (path := IMAGES / "studies" / f"{name}.{kind}").is_file()), None)


def study_page(folder: Path, page: Path) -> str:
    """A study's README, its picture, and its files."""
    head, _, rest = (folder / "README.md").read_text(encoding="utf-8").partition("\n")
    picture = picture_of(folder.name)
    shown = f"\n![{head.lstrip('# ')}](../images/{picture.relative_to(HERE / 'images')})\n" if picture else ""
    parts = [head, shown, linked(rest, folder, page), "\n## Files\n"]
    for file in sorted(folder.glob("*.toml")) + sorted(folder.glob("*.py")):
        kind, where = ("toml", "python")[file.suffix == ".py"], os.path.relpath(file, page.parent)
        parts += [f"```{{dropdown}} {file.name}", f":::{{literalinclude}} {where}", f":language: {kind}", ":::", "```", ""]
    return "\n".join(parts)


def study_cards() -> str:
    """The gallery: a card a study, then which method to take when."""
    parts = [
        "# Studies",
        "",
        "Each is a folder to run and to copy: `uqmbd run studies/NAME/study.toml`. Pictures are of their reports or mechanisms.",
        "",
    ]
    parts += ["::::{grid} 1 2 2 3", ":gutter: 3", ""]
    for folder in folders():
        said = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))["study"]
        picture = picture_of(folder.name)
        parts += [f":::{{grid-item-card}} {said.get('title', folder.name)}", f":link: {folder.name}", ":link-type: doc"]
        parts += [f":img-top: ../images/{picture.relative_to(IMAGES)}"] if picture else []
        parts += ["", said.get("description", ""), ":::", ""]
    text = (STUDIES / "README.md").read_text(encoding="utf-8")
    page = HERE / "studies" / "index.md"
    parts += ["::::", "", linked(text[text.index("| study |") :], STUDIES, page), ""]
    names = "\n".join(folder.name for folder in folders())
    return "\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{names}\n```\n"])


def folders() -> list[Path]:
    """Folders of the studies, in the order of the table in studies/README.md."""
    named = re.findall(r"\[(\w+)\]\(\1\)", (STUDIES / "README.md").read_text(encoding="utf-8"))
    return [STUDIES / name for name in dict.fromkeys(named)]


def write(page: Path, text: str) -> None:
    """A made page, left alone where it is as it should be, so that it is not read again."""
    page.parent.mkdir(exist_ok=True)
    if not page.is_file() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def write_all() -> None:
    """All made pages; those of studies that are no more are removed."""
    sys.path[:0] = [str(HERE)]
    pages = {HERE / "studies" / f"{folder.name}.md": study_page(folder, HERE / "studies" / f"{folder.name}.md") for folder in folders()}
    pages[HERE / "studies" / "index.md"] = study_cards()
    solver = "The solver: mechanisms, their motion and their analysis, without uncertainty. ``import flexmbd as fm``."
    around = "Uncertainty around a model: inputs, methods, results. ``import uqmbd as uq``."
    pages |= {HERE / "api" / "flexmbd.rst": api("flexmbd", solver), HERE / "api" / "uqmbd.rst": api("uqmbd", around)}
    for page in (HERE / "studies").glob("*.md"):
        if page not in pages:
            page.unlink()
    for page, text in pages.items():
        write(page, text)
