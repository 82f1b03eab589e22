"""What lies beside runs: the files that the model was seen to read, the mark of a finished result, the study file."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.campaign.opening import lock_store
from uqmbd.errors import StudyError
from uqmbd.method_facts import ReportFacts
from uqmbd.runs.chunk import spans_of
from uqmbd.runs.files import replace, writing
from uqmbd.runs.keys import keyless
from uqmbd.runs.listing import list_files, require_listed, unlist
from uqmbd.runs.reader import ABOUT, HEADER, READS, document_in
from uqmbd.runs.storage import Folder
from uqmbd.runs.where import ELSEWHERE_FILE, MANIFEST, MODEL, STUDY, USED, storage_in
from uqmbd.sealing import sealed
from uqmbd.simulators.own import file_digest, tree_digest
from uqmbd.study.decision import Done
from uqmbd.study.identity import version
from uqmbd.study.manifest import shown_by

if TYPE_CHECKING:
    from uqmbd.result import Result
    from uqmbd.study.data import StudyData

HERE = "<model>"  # stands for the model's folder
SOLVER = "package flexmbd"
DONE = "done.json"
RESOLVED = "# Resolved by uqmbd"


# files that the model reads ---------------------------------------------------------------------------------------------------------------
def folder_of(study: StudyData) -> str:
    """Where the model is; a study may be moved with its model and data."""
    file = study.model.path or study.model.label.rpartition(":")[0]
    return str(Path(file).parent) if file.endswith(".py") and os.path.isabs(file) else ""


def remember_files(study: StudyData, directory: Path, *, solver: bool) -> None:
    """Keep what the model was seen to read beside its runs; `solver`: it goes to flexmbd, whose source then counts."""
    folder, known = folder_of(study), remembered(study, directory)
    files = {**known, **({SOLVER: tree_digest("flexmbd")} if solver else {})}
    for file, digest in study.model.reads.items():
        below = folder and file.startswith(folder + os.sep)
        files[f"{HERE}{file[len(folder) :]}" if below else file] = digest
    if files != known:
        storage_in(directory, study.campaign.runs).put(READS, sealed(files, indent=1))


def remembered(study: StudyData, directory: Path) -> dict[str, str]:
    """Hashes of the files that the model of the stored runs was seen to read."""
    files: dict[str, str] = {}
    for place in (Folder(directory), storage_in(directory, study.campaign.runs)):  # earlier versions wrote it beside the result
        files |= document_in(place, READS)
    return files


def changed_files(study: StudyData, directory: Path) -> list[str]:
    """Those of them that are not as they were."""
    folder = folder_of(study)

    def now(name: str) -> str:
        return tree_digest("flexmbd") if name == SOLVER else file_digest(name.replace(HERE, folder, 1) if name.startswith(HERE) else name)

    return [name.removeprefix(HERE + os.sep) for name, digest in remembered(study, directory).items() if now(name) != digest]


# finished results -------------------------------------------------------------------------------------------------------------------------
def done_in(directory: Path) -> Done | None:
    """What a folder says of its finished result; None where there is none, or what says so is not as it was written."""
    try:
        done = json.loads((directory / DONE).read_text(encoding="utf-8"))
        if not require_listed(directory, DONE, "") and done.get("listed"):
            return None
        if not (directory / "result.zarr").is_dir():
            return None
        limit = done["timeout"]
        return Done(str(done["study"]), done.get("date", "an earlier day"), int(done["timed_out"]), None if limit is None else float(limit))
    except (OSError, ValueError, AttributeError, KeyError, TypeError, StudyError):
        return None


def write_done(study: StudyData, directory: Path, digest: str, timed_out: int, stored: np.ndarray) -> None:
    """Say that the result of a study is there, whose files are listed with their checksums before, and how many runs its limit stopped."""
    date = datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    about = {"study": digest, "date": date, "timeout": study.campaign.timeout, "timed_out": timed_out, "listed": True}
    done = json.dumps(about).encode()
    list_result(study, directory, stored, {DONE: done})
    replace(directory / DONE, done)


def list_result(study: StudyData, directory: Path, stored: np.ndarray, ahead: Mapping[str, bytes] | None = None) -> None:
    """Enter the files of a result, those beside its runs, and which runs are stored, (rows,) bool, into the list of checksums."""
    there = storage_in(directory, study.campaign.runs).names()
    beside = [name for name in (HEADER, ABOUT, READS) if name in there]
    list_files(directory, STUDY, MANIFEST, MODEL, USED, ELSEWHERE_FILE, runs=beside, rows=spans_of(np.flatnonzero(stored)), ahead=ahead)


def result_of_before(study: StudyData, directory: Path) -> Result | None:
    """The result that is there, none of whose runs is read; it is given the words of the study where these are others now.

    None where it is not as it was written, which is said: it is made again.
    """
    from uqmbd.result import open_results

    try:
        result = open_results(directory, later=True)
    except StudyError as error:
        said = f"{error.file}: {error.message}" if error.file else error.message
        logging.getLogger("uqmbd").info("the result that is there is made again: %s", said)
        return None
    theirs, ours = result.facts_of(ReportFacts), ReportFacts(shown_by(study)[0])
    # the study names them, nobody else
    result.trust = all(theirs.functions(what) == ours.functions(what) for what in ("figures", "tables"))
    attrs = {key: value for key, value in result.attrs.items() if key not in ("title", "description")} | study.said()
    if json.dumps(result.attrs, sort_keys=True, default=list) != json.dumps(attrs, sort_keys=True, default=list):
        result.attrs = attrs
        with lock_store(directory, study.campaign.runs), writing(directory):
            result.save(directory)
            write_study(study, directory)
            unlist(directory, "report.html", "figures")
            (directory / "report.html").unlink(missing_ok=True)  # which says what it said before
    return result


# the study file beside results ------------------------------------------------------------------------------------------------------------
def write_study(study: StudyData, directory: Path) -> None:
    """Keep the resolved study beside its results, for `resume`."""
    from uqmbd.spec.toml import write_toml

    head = f"{RESOLVED} {version('uqmbd')}; `uqmbd resume` reads it.\n"
    unlist(directory, STUDY, ELSEWHERE_FILE)
    replace(directory / STUDY, (head + write_toml(keyless(study.asked.document()))).encode())
    list_files(directory, STUDY, ELSEWHERE_FILE)


def refuse_to_overwrite(directory: Path) -> None:
    """`StudyError` when there is a ``study.toml`` that somebody has written by hand where results are to go."""
    file = directory / "study.toml"
    if file.is_file() and not file.read_text(encoding="utf-8", errors="replace").startswith(RESOLVED):
        raise StudyError("the results would replace this study file", file=file, remedy="choose another place with --out DIR")
