"""The worked studies that come with uqmbd: written out, to run and to copy."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from uqmbd.runs.files import write, writing
from uqmbd.study.study import Study

DEMO = "slider_crank_clearance"


def source() -> Path:
    """Folder of the studies: beside the sources, or inside the package when that is installed."""
    project = Path(__file__).resolve().parents[2]
    return project / "studies" if (project / "pyproject.toml").is_file() else Path(str(files("uqmbd"))) / "studies"


def write_studies(place: Path, name: str = "") -> list[Path]:
    """Write the worked studies into a folder; files that are there stay as they are.

    Parameters
    ----------
    place : Path
        The folder; made if it is not there.
    name : str, optional
        One study instead of all.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    StudyError
        If one cannot be written.
    """
    root = source()
    found = sorted(file for file in (root / name).rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    fresh = [file for file in found if not (place / file.relative_to(root)).exists()]
    with writing(place):
        for file in fresh:
            write(place / file.relative_to(root), file.read_bytes())
    return [place / file.relative_to(root) for file in fresh]


def demo(place: Path, runs: int | None = None) -> Study:
    """The study of the demo, written into `place` where it is not there yet.

    Parameters
    ----------
    runs : int, optional
        At most so many runs, a quarter of them fresh ones at most; as many as the study says unless said.
    """
    write_studies(place, DEMO)
    study = Study.from_file(place / DEMO / "study.toml")
    if runs is None:
        return study
    settings = study.method.model_dump()
    return study.changed(method=type(study.method)(**settings | {"max_runs": runs, "fresh": min(settings["fresh"], runs // 4)}))
