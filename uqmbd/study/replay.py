"""The run that causes a bound, made again beside the run in the middle of the inputs: what `uqmbd replay` writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.columns import Columns
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.figures.extremes import Extreme, extreme_of
from uqmbd.outcomes import axis_of
from uqmbd.result import Result
from uqmbd.runs.files import safe_name
from uqmbd.study.naming import naming_file
from uqmbd.study.trial import Trial

if TYPE_CHECKING:
    from uqmbd.study.study import Study

ENDS = ("upper", "lower")


@dataclass(frozen=True)
class Replay:
    """A run made again.

    Attributes
    ----------
    inputs : dict of str to float
        Of the run, SI.
    reached : float
        The bound that it reached, as the result has it; unit of the output.
    again : float
        What it reached now.
    file : Path
        Its outputs over the axis of the one that is asked for, and those of the run in the middle of the inputs.
    """

    inputs: dict[str, float]
    reached: float
    again: float
    file: Path


def worst_inputs(result: Result, name: str, bound: str, time: float | None) -> Extreme:
    """The run that reached a bound; of a history where it reaches furthest unless `time` (s) is said."""
    if not len(result.worst.data_vars):
        raise StudyError(
            f"a result of the method {result.facts.method} does not say which run reached a bound", remedy="take the method search"
        )
    if name not in result.worst:
        raise StudyError(f"the result has no output '{name}'", value=name, remedy=did_you_mean(name, result.worst, noun="output"))
    if bound not in ENDS:
        raise StudyError("a bound is upper or lower", key="bound", value=bound, remedy="say upper or lower")
    if time is not None and "time" not in result.inner[name].dims:
        what = "a number" if (axis := axis_of(result.inner[name].dims)) is None else f"over {axis}"
        raise StudyError(f"{name} is {what} and has no time", key="time", value=time, remedy="leave --time out")
    found = extreme_of(result, name, bound, time)
    if found is None:
        raise StudyError(f"the result does not say which run reached the {bound} bound of {name}", remedy="take another time, or bound")
    return found


def replay(study: Study, result: Result, directory: Path, name: str, bound: str = "upper", time: float | None = None) -> Replay:
    """Run again what reached a bound, and the middle of the inputs, and write both as a CSV file.

    Parameters
    ----------
    study : Study
        As it was run.
    result : Result
    directory : Path
        Where the file goes: ``worst_<output>_<bound>.csv``.
    name, bound, time
        See `worst_inputs`.
    """
    import pandas as pd

    found = worst_inputs(result, name, bound, time)
    trial = Trial(study)
    middle = {key: float(values[0]) for key, values in trial.samples.items()}
    with naming_file(study):
        done = trial.checked().simulate({key: np.array([found.inputs.get(key, middle[key]), middle[key]]) for key in middle})
    if done.status[0]:
        raise StudyError(f"the run failed this time: {done.message[0]}", remedy="if the model has changed, run the study again")
    columns = Columns(trial.info, np.zeros(0) if study.time is None else study.grid())
    over = columns.axes.get(name) or next(iter(columns.axes.values()), None)
    if over is not None:
        beside = {key: done.outputs[key] for key, axis in columns.axes.items() if axis.name == over.name}
        table = {f"{key} {who}": values[k] for key, values in beside.items() for k, who in enumerate(("worst", "middle"))}
        frame = pd.DataFrame(table, index=pd.Index(over.values, name=over.name))
    else:
        frame = pd.DataFrame({who: {key: values[k] for key, values in done.outputs.items()} for k, who in enumerate(("worst", "middle"))})
    file = directory / f"worst_{safe_name(name)}_{bound}.csv"
    frame.to_csv(file)
    again = done.outputs[name][0] if found.at is None else done.outputs[name][0, found.at]
    return Replay({**middle, **found.inputs}, found.value, float(again), file)
