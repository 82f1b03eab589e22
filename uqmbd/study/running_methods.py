"""Run the methods of a study: one, or several that share its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from uqmbd.campaign.locking import Lock
from uqmbd.campaign.opening import read_header
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.runs.files import remove, writing
from uqmbd.runs.of_results import open_runs
from uqmbd.runs.storage import is_address
from uqmbd.runs.where import RUNS
from uqmbd.spec.labels import OF_ONE
from uqmbd.study.data import StudyData
from uqmbd.study.reuse import refuse_to_overwrite, write_study
from uqmbd.study.session import Finished, run_study
from uqmbd.study.storing import results_directory

S = TypeVar("S", bound="StudyData")


def select_method(study: S, label: str) -> S:
    """The study with one of its methods only, whose runs are the study's; its results go below the study's."""
    if label not in study.methods:
        remedy = did_you_mean(label, list(study.methods), noun="method")
        raise StudyError(f"the study has no method '{label}'", key="--method", value=label, remedy=remedy)
    if len(study.methods) == 1:
        return study
    runs = study.campaign.runs or RUNS
    shared = runs if is_address(runs) or Path(runs).is_absolute() else str(Path("..") / runs)
    time, further = study.time, study.further_times()
    if time is not None and len(further):
        time = time.model_copy(update={"also": further.tolist()})  # so that the runs are those of all methods
    return study.changed(method={label: study.methods[label]}, campaign=study.campaign.model_copy(update={"runs": shared}), time=time)


def require_one(study: StudyData) -> None:
    """`StudyError` for a study of several methods, whose runs are shared: its shards would not know what the others have."""
    if len(study.methods) > 1:
        known = ", ".join(study.methods)
        remedy = f"add --method LABEL, one of {known}; the next one then uses the runs of those before"
        raise StudyError("the runs of several methods cannot be split into shards at once", key="--shard", remedy=remedy)


def folder_of_method(study: StudyData, directory: Path, label: str) -> Path:
    """Where the results of one method are, if those of the study are in `directory`."""
    return directory / label if len(study.methods) > 1 else directory


def run_methods(study: StudyData, *, out: str | Path | None = None, **how: Any) -> dict[str, Finished]:
    """Run all methods of a study, each by `uqmbd.study.session.run_study`: what is finished, by label."""
    directory = results_directory(out, study.name)
    study.loaded()  # once for all of them
    if len(study.methods) > 1:
        return run_each(study, directory, **how)
    return {label: run_study(study, out=directory, **how) for label in study.methods}


def run_each(study: StudyData, directory: Path, *, overwrite: bool | str = False, **how: Any) -> dict[str, Finished]:
    """Run every method, in their order, with the runs of all others at hand; the results of each are in ``directory / label``.

    Raises
    ------
    StudyError
        The first that a method has raised, after the others have been run, if there are runs at all.
    """
    refuse_to_overwrite(directory)
    with writing(directory):
        directory.mkdir(parents=True, exist_ok=True)
        lock = Lock(directory)
    finished: dict[str, Finished] = {}
    wrong: list[StudyError] = []
    try:
        with writing(directory):
            clear(directory)  # what a single method has left here
            write_study(study, directory)
        for label in study.methods:
            one, folder = select_method(study, label), directory / label
            try:
                finished[label] = run_study(one, out=folder, overwrite=overwrite, **how)
            except StudyError as error:
                if read_header(folder, one.campaign.runs) is None:
                    raise
                wrong.append(error)
                continue
            if finished[label].discarded:  # with the runs that all share
                for other in set(study.methods) - set(finished):
                    clear(directory / other)
            overwrite = False
    finally:
        lock.release()
    if wrong:
        raise wrong[0]
    for done in list(finished.values())[:-1]:  # later methods have put small files of runs together, which these results have opened
        done.result.runs = open_runs(done.directory)
    return finished


def clear(folder: Path) -> None:
    """Remove the result of a method, and nothing else."""
    with writing(folder):
        for name in OF_ONE:
            remove(folder / name)
