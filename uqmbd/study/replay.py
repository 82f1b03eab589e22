"""The run that causes a bound, made again beside the run in the middle of the inputs: what `uqmbd replay` writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.campaign.few import as_it_was, run_here, store_of, task_of
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.figures.extremes import Extreme, extreme_of, furthest
from uqmbd.groups import RUNS
from uqmbd.outcomes import OK
from uqmbd.result import Result
from uqmbd.runs.chunk import START
from uqmbd.runs.files import safe_name
from uqmbd.simulators.base import controlled, moves
from uqmbd.study.naming import naming_file
from uqmbd.study.trial import Trial
from uqmbd.tables.numbers import scale
from uqmbd.tables.outputs import axis_unit, pretty, unit_of
from uqmbd.tables.scaling import input_unit

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.campaign.store import RunStore
    from uqmbd.study.data import StudyData

ENDS = ("upper", "lower")
AT_ONCE = 4096  # runs whose histories are looked at at a time
FOLLOWS = "a run that goes on from the end of another one is not shown moving"


@dataclass(frozen=True)
class Replay:
    """A run made again."""

    inputs: dict[str, float]  # of the run, SI
    reached: float  # the bound or the value that it reached, as the result has it; unit of the output
    again: float  # what it reached now
    file: Path  # its outputs over the axis of the one that is asked for, and those of the run in the middle of the inputs
    what: str = "upper bound"  # that was reached, or ``greatest run`` where the method names no run of its bounds
    page: Path | None = None  # where it moves, if that was asked for
    lines: tuple[str, ...] = ()  # all of this in words, the inputs in the units of the study
    control: Mapping[str, float] = field(default_factory=dict)  # what its method set of it besides


def worst_inputs(result: Result, name: str, bound: str, time: float | None, store: RunStore | None) -> tuple[Extreme, str]:
    """The run that reached a bound, or of a method that does not say so the least or the greatest of its runs, and which of both it is.

    Of a history it is that which reaches furthest unless `time` (s) is said. The store has its control and its start.
    """
    if bound not in ENDS:
        raise StudyError("a bound is upper or lower", key="bound", value=bound, remedy="say upper or lower")
    if name not in result.outputs:
        raise StudyError(f"the result has no output '{name}'", value=name, remedy=did_you_mean(name, result.outputs, noun="output"))
    from_runs = name not in result.worst
    array = result.runs.get(name) if from_runs else result.inner[name]
    if array is None:
        text = f"no run of this result has kept '{name}'"
        raise StudyError(text, value=name, remedy='name a number, or run the study with campaign.store = "all"')
    if time is not None and "time" not in array.dims:
        what = "a number" if (axis := result.axis_of(name)) is None else f"over {axis}"
        raise StudyError(f"{name} is {what} and has no time", key="time", value=time, remedy="leave --time out")
    extreme = extreme_of_runs(result.runs, name, bound, time) if from_runs else extreme_of(result, name, bound, time)
    if extreme is None or (extreme := as_it_was(extreme, name, store)) is None:
        raise StudyError(f"the result does not say which run reached the {bound} bound of {name}", remedy="take another time, or bound")
    return extreme, f"{'greatest' if bound == 'upper' else 'least'} run" if from_runs else f"{bound} bound"


def extreme_of_runs(runs: xr.Dataset, name: str, bound: str, time: float | None = None) -> Extreme | None:
    """The greatest (``upper``) or least run of an output among those that are ok; as `extreme_of`, None where there is none."""
    up, good, array = bound == "upper", np.flatnonzero(runs["status"].values == OK), runs[name]
    if not len(good):
        return None
    low, high, where = np.array(np.inf), np.array(-np.inf), np.array(0)
    for first in range(0, len(good), AT_ONCE):
        rows = good[first : first + AT_ONCE]
        values = array[rows].values
        ends = np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)
        beyond = ends[1] > high if up else ends[0] < low
        reach = np.where(np.isnan(values), -np.inf, values if up else -values)  # what is missing is no extreme
        where = np.where(beyond, rows[reach.argmax(axis=0)], where)
        low, high = np.fmin(low, ends[0]), np.fmax(high, ends[1])
    reached, at, when, further = high if up else low, None, None, False
    if axis := next(iter(RUNS.axes(array.dims)), None):
        places = array[axis].values
        at, further = furthest(low, high, up=up) if time is None else (int(np.abs(places - time).argmin()), False)
        when, reached, where = float(places[at]), reached[at], where[at]
    if not np.isfinite(reached):
        return None
    inputs = {key.removeprefix("input:"): float(runs[key][int(where)]) for key in map(str, runs.data_vars) if key.startswith("input:")}
    return Extreme(inputs, float(reached), at, when, further)


def replay(
    study: StudyData, result: Result, directory: Path, name: str, bound: str = "upper", time: float | None = None, *, show: bool = False
) -> Replay:
    """Run again what reached a bound, see `worst_inputs`, and the middle of the inputs: ``directory / worst_<output>_<bound>.csv``.

    `show`: write a page too on which it moves, with the run in the middle of the inputs as a ghost: ``worst_<output>_<bound>.html``.
    """
    import pandas as pd

    store = store_of(directory)
    extreme, what = worst_inputs(result, name, bound, time, store)
    trial = Trial(study)
    middle = {key: float(values[0]) for key, values in trial.samples.items()}
    control = {key: value for key, value in extreme.extras.items() if key != START}
    both = task_of([middle | extreme.run, middle | control], list(middle))
    with naming_file(study):
        done = run_here(trial.checked(), both, store)
    if done.status[0]:
        raise StudyError(f"the run failed this time: {done.message[0]}", remedy="if the model has changed, run the study again")
    columns = Columns(trial.info, study.at_times(trial.tried.time).times())
    over = columns.axes.get(name) or next(iter(columns.axes.values()), None)
    if over is not None:
        beside = {key: done.outputs[key] for key, axis in columns.axes.items() if axis.name == over.name}
        table = {f"{key} {who}": values[k] for key, values in beside.items() for k, who in enumerate(("worst", "middle"))}
        frame = pd.DataFrame(table, index=pd.Index(over.values, name=over.name))
    else:
        frame = pd.DataFrame({who: {key: values[k] for key, values in done.outputs.items()} for k, who in enumerate(("worst", "middle"))})
    file = directory / f"worst_{safe_name(name)}_{bound}.csv"
    frame.to_csv(file)
    page = moving_page(trial, extreme, both.samples, file.with_suffix(".html"), f"{name}: {what}") if show else None
    again = done.outputs[name][0] if extreme.at is None else done.outputs[name][0, extreme.at]
    inputs = {**middle, **extreme.inputs}
    within = scale(unit_of(result, name), [extreme.value])
    reached, now = (within.said(f"{within.of(value):.9g}") for value in (extreme.value, float(again)))
    over = result.inner[name] if name in result.inner else result.runs[name]
    when = "" if extreme.time is None else f" at {extreme.time:.6g}{axis_unit(over, str(result.axis_of(name)))}"
    units = {key: input_unit(result, key) for key in inputs}
    said = [f"  {key} = {units[key].said(value, 9)} {pretty(units[key].unit)}".rstrip() for key, value in inputs.items()]
    said += [f"  {key} = {value:.9g} (set by the method)" for key, value in extreme.control.items()]
    said += ["  from the end of another run"] if START in extreme.extras else []
    lines = (f"{name}: {what} {reached}{when}, now {now}, with", *said, *(f"wrote {one}" for one in (file, page) if one))
    return Replay(inputs, extreme.value, float(again), file, what, page, lines, extreme.control)


def moving_page(trial: Trial, extreme: Extreme, samples: Mapping[str, np.ndarray], path: Path, title: str) -> Path:
    """A page on which runs move, with the control of the one that is looked at; `StudyError` where they cannot be shown."""
    simulator, model = controlled(trial.checked(), extreme.control), trial.study.model
    if START in extreme.extras:
        raise StudyError(FOLLOWS, key=model.key, value=model.label, remedy="leave --show out")
    if not moves(simulator):
        raise StudyError("only mechanisms of flexmbd are seen moving", key=model.key, value=model.label, remedy="leave --show out")
    return simulator.page(samples, path, title)
