"""A study to start from."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from uqmbd.errors import StudyError, did_you_mean
from uqmbd.runs.files import write, writing
from uqmbd.spec.checks import check_name

MECHANISMS = ("python", "slider_crank", "four_bar", "beam", "command")  # folders of `templates`
NAME = "NAME"  # stands for the study's name in them


def write_new(folder: Path, mechanism: str = "python") -> tuple[Path, list[str]]:
    """Write a study and its model into a new folder: the folder and the names of the files, ``study.toml`` first.

    Parameters
    ----------
    folder : Path
        Its last part is the study's name.
    mechanism : str
        One of `MECHANISMS`.

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
    found = [file for file in root.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    texts = {str(file.relative_to(root)): file.read_text(encoding="utf-8").replace(NAME, name) for file in found}
    names = sorted(texts, key=lambda file: (file != "study.toml", file))
    for file in names:
        if (folder / file).exists():
            raise StudyError("is there already", file=folder / file, remedy="choose another name")
    with writing(folder):
        for file in names:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            write(folder / file, texts[file].encode())
    return folder, names
