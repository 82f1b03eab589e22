"""Studies to start from: the templates of `uqmbd new`, and the worked studies that come with uqmbd, to run and to copy."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.runs.files import write, writing
from uqmbd.spec.checks import check_name
from uqmbd.study.study import Study

DEMO = "slider_crank_clearance"
MECHANISMS = ("python", "slider_crank", "four_bar", "beam", "command")  # folders of `templates`
NAME = "NAME"  # stands for the study's name in them


def files_in(folder: Path) -> list[Path]:
    """All files below a folder, but for what Python has made of them."""
    return sorted(file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts)


def write_new(folder: Path, mechanism: str = "python") -> tuple[Path, list[str]]:
    """Write a study and its model into a new folder: the folder and the names of the files, ``study.toml`` first.

    The last part of the folder is the study's name; `mechanism` is one of `MECHANISMS`.

    Raises
    ------
    StudyError
        When a file is there already, or there is no such mechanism.
    """
    if mechanism not in MECHANISMS:
        remedy = did_you_mean(mechanism, MECHANISMS, noun="mechanism")
        raise StudyError(f"there is no mechanism '{mechanism}'", key="--mechanism", value=mechanism, remedy=remedy)
    name = check_name(folder.name)
    root = Path(str(files("uqmbd.study") / "templates" / mechanism))
    texts = {str(file.relative_to(root)): file.read_text(encoding="utf-8").replace(NAME, name) for file in files_in(root)}
    names = sorted(texts, key=lambda file: (file != "study.toml", file))
    for file in names:
        if (folder / file).exists():
            raise StudyError("is there already", file=folder / file, remedy="choose another name")
    with writing(folder):
        for file in names:
            write(folder / file, texts[file].encode())
    return folder, names


def source() -> Path:
    """Folder of the studies: beside the sources, or inside the package when that is installed."""
    project = Path(__file__).resolve().parents[2]
    return project / "studies" if (project / "pyproject.toml").is_file() else Path(str(files("uqmbd"))) / "studies"


def write_studies(folder: Path, name: str = "") -> list[Path]:
    """Write the worked studies, or the one of this name, into a folder; the files that are new: those that are there stay as they are."""
    root = source()
    missing = [file for file in files_in(root / name) if not (folder / file.relative_to(root)).exists()]
    with writing(folder):
        for file in missing:
            write(folder / file.relative_to(root), file.read_bytes())
    return [folder / file.relative_to(root) for file in missing]


def demo(folder: Path, runs: int | None = None) -> Study:
    """The study of the demo, written into `folder` where it is not there yet; of at most so many runs, a quarter of them fresh at most."""
    write_studies(folder, DEMO)
    study = Study.from_file(folder / DEMO / "study.toml")
    if runs is None:
        return study
    settings = study.method.model_dump()
    return study.changed(method=type(study.method)(**settings | {"max_runs": runs, "fresh": min(settings["fresh"], runs // 4)}))
