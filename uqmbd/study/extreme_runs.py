"""The runs that a report shows beside the bounds: the nominal run, and those that reached the lowest and the highest bound."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.campaign.few import as_it_was, run_here, task_of
from uqmbd.errors import StudyError
from uqmbd.figures.extremes import Extreme, extreme_of
from uqmbd.method_facts import Cases, Evidence
from uqmbd.outcomes import OK
from uqmbd.runs.chunk import START

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.campaign.batches import Task
    from uqmbd.campaign.store import RunStore
    from uqmbd.result import Result
    from uqmbd.study.trial import Trial

CASES = ("nominal", "lower", "upper")


def extreme_runs(result: Result, trial: Trial, store: RunStore) -> xr.Dataset:
    """Group `extreme_runs` of a result; empty where it does not say which runs reached its bounds.

    Runs that are in the store are read from it, so most often only the nominal run, in the middle of the inputs, is made, and not again
    where an earlier result of the same model has it; and only after a search, which makes so many runs that one more costs nothing. What
    has to be made is made in this process, as the method had it made; the nominal run with the control of the run that reached the upper
    bound, from time zero. A run that fails is NaN, and one that is neither there nor made has no inputs.
    """
    import xarray as xr

    from uqmbd.tables.outputs import unit_said

    names = [str(name) for name in result.worst.data_vars if name in result.inner]
    if not names:
        return xr.Dataset()
    info = trial.stored or trial.info
    columns = Columns({name: info[name] for name in names}, np.zeros(0) if store.time is None else store.time)
    middle = {key: float(values[0]) for key, values in trial.samples.items()}
    ends = {name: {bound: end for bound in CASES[1:] if (end := ended(result, name, bound, store))} for name in names}
    cases = {name: {"nominal": middle | control_of(ends[name])} | {k: middle | end.run for k, end in ends[name].items()} for name in names}
    points = {key_of(point): point for runs in cases.values() for point in runs.values()}
    before = {} if trial.stored is None or store.extras else nominal_before(store.directory, middle, names)
    make = result.facts_of(Evidence).searched
    number = {point: k for k, point in enumerate(points)}
    outputs = outputs_at(task_of(list(points.values()), store.inputs), columns, trial, store, make=make, skip_first=bool(before))
    variables = {}
    for name in names:
        values = np.full((len(CASES), *outputs[name].shape[1:]), np.nan)
        for k, case in enumerate(CASES):
            if case in cases[name]:
                values[k] = outputs[name][number[key_of(cases[name][case])]]
        if name in before:
            values[0] = before[name]
        elif not make and np.isnan(values[0]).all():
            del cases[name]["nominal"]
        inputs = {case: {key: point[key] for key in middle} for case, point in cases[name].items()}
        times = {bound: end.time for bound, end in ends[name].items() if end.time is not None}
        controls = {bound: end.control for bound, end in ends[name].items() if end.control}
        attrs = {"unit": unit_said(result.inner, name), "inputs": inputs}
        attrs |= {key: said for key, said in (("reached", times), ("control", controls)) if said}
        variables[name] = (("case", *columns.dims(name)), values, attrs)
    return xr.Dataset(variables, {"case": np.array(CASES, object)} | columns.coords())


def ended(result: Result, name: str, bound: str, store: RunStore) -> Extreme | None:
    """Where a bound was reached, with the control and the start of the run that did."""
    end = extreme_of(result, name, bound)
    return None if end is None else as_it_was(end, name, store)


def control_of(ends: Mapping[str, Extreme]) -> dict[str, Any]:
    """Of the nominal run, beside those that reached the bounds."""
    end = ends.get("upper") or ends.get("lower")
    return {} if end is None else {key: value for key, value in end.extras.items() if key != START}


def key_of(run: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """A run, its inputs and what else makes it another one, in an order of their own."""
    return tuple(sorted(run.items()))


def outputs_at(task: Task, outputs: Columns, trial: Trial, store: RunStore, *, make: bool, skip_first: bool) -> dict[str, np.ndarray]:
    """These outputs of a few runs, (runs,) or (runs, points), as the store has them or would have them; NaN where a run fails.

    What the store has not is made if `make`, but for the first one with `skip_first`.
    """
    columns, names = store.columns, list(outputs.outputs)
    rows = store.find(task.samples, task.extras)
    stored = (rows >= 0) & all(name in columns for name in names)
    good = stored.copy()
    good[stored] = store.column("status", rows[stored]) == OK
    filled = {name: np.full((task.runs, *outputs.shape(name)), np.nan) for name in names}
    for name, values in store.read(names, rows[good]).items() if good.any() else ():
        filled[name][good] = values
    missing = np.flatnonzero(~stored)
    missing = missing[missing > 0] if skip_first else missing
    if not (make and len(missing)):
        return filled
    try:
        done = run_here(trial.checked(), task.part(missing.tolist()), store)
    except StudyError:  # the model does not work here and now: the bounds do not need it
        return filled
    ok = np.asarray(done.status) == OK
    for name in names:
        kind = columns[name].dtype if name in columns else np.float64  # rounded as stored ones are
        filled[name][missing[ok]] = done.outputs[name][ok].astype(kind)
    return filled


def nominal_before(directory: Path, middle: Mapping[str, float], names: list[str]) -> dict[str, np.ndarray]:
    """The nominal run as an earlier result has it; empty where that is another run, or not all of it."""
    from uqmbd.result import open_results

    try:
        known = open_results(directory).extreme_runs
    except StudyError:
        return {}
    if any(name not in known or Cases.of(known[name].attrs).inputs.get("nominal") != middle for name in names):
        return {}
    nominal = {name: known[name].sel(case="nominal").values for name in names}
    return nominal if all(np.isfinite(values).all() for values in nominal.values()) else {}
