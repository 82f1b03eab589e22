"""Draw the mechanism of each study that has one, at the middle of its inputs, into docs/images/studies, beside figures of reports.

python docs/study_pictures.py [NAME ...]          draw all, or those named
"""

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from element_pictures import OWN, Page, draw_body, ground, place, zigzag  # noqa: E402

from uqmbd import Study, open_results  # noqa: E402

GREY, TARGET = "#7b8794", HERE / "images" / "studies"


def system_of(folder: Path):
    """The `System` of a study's model at the middle of its inputs; None of models that are no mechanism."""
    study = Study.from_file(folder / "study.toml")
    middle = {name: float(item.to_si().ppf(np.array([0.5]))[0]) for name, item in study.inputs.items()}
    try:
        made = study.model.load()(**middle)
    except TypeError:  # it takes the time: a loop of runs
        return None
    return made if hasattr(made, "bodies") and folder.name != "journal_bearing_stability" else None  # whose rotor moves by micrometres


def draw(system, title: str) -> str:
    """SVG of bodies, joints, springs, and joints with play."""
    page = Page()
    for body in system.bodies:
        if hasattr(body, "position"):
            draw_body(page, body, GREY)
    low, high = page.corners()
    extent = float(np.max(high - low)) or 1.0
    page.least = 0.2 * extent
    for element in system.elements:
        ends = [getattr(element, key) for key in ("a", "b") if hasattr(getattr(element, key, None), "body")]
        places = [np.asarray(place(point), float) for point in ends]
        for point, at in zip(ends, places, strict=True):
            if point.body is system.ground:
                ground(page, at, 0.05 * extent)
        kind = type(element).__name__
        if not places:
            continue
        if kind.startswith("Clearance"):
            page.circle(places[0], 0.03 * extent, OWN, 2.5, "#fde3d3")
        elif kind in ("Spring", "NonlinearSpring") and len(places) == 2:
            page.line(zigzag(*places, high=0.02 * extent), GREY, 1.5)
        elif kind in ("Distance", "Rod") and len(places) == 2:
            page.line(places, GREY, 3.0)
        elif kind not in ("JointFriction", "PointForce"):
            page.dot(places[0], GREY, 4.0, fill=False)
    return page.svg(title)


def figure_of(results: str, output: str) -> None:
    """Keep the figure that a report has of an output."""
    result = open_results(results)
    result.plot(output).savefig(TARGET / f"{result.facts.study}.png", dpi=80)
    (TARGET / f"{result.facts.study}.svg").unlink(missing_ok=True)


def mechanisms(names: list[str]) -> None:
    """Draw the mechanisms of all studies, or of those named, that have no figure of a report."""
    for study in sorted((HERE.parent / "studies").glob("*/study.toml")):
        name = study.parent.name
        if (names and name not in names) or (TARGET / f"{name}.png").is_file():
            continue
        if (system := system_of(study.parent)) is not None:
            (TARGET / f"{name}.svg").write_text(draw(system, name.replace("_", " ")), encoding="utf-8")


if __name__ == "__main__":
    TARGET.mkdir(parents=True, exist_ok=True)
    if sys.argv[1:2] == ["--result"]:
        figure_of(*sys.argv[2:])
    else:
        mechanisms(sys.argv[1:])
