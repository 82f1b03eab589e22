"""The runs that a report shows beside the bounds: the nominal run, and those that reached the lowest and the highest bound."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.errors import StudyError
from uqmbd.method_facts import Cases, Evidence
from uqmbd.outcomes import OK

if TYPE_CHECKING:
    import xarray as xr

    from uqmbd.campaign.store import RunStore
    from uqmbd.result import Result
    from uqmbd.study.trial import Trial

CASES = ("nominal", "lower", "upper")


def extreme_runs(result: Result, trial: Trial, store: RunStore) -> xr.Dataset:
    """Group `extreme_runs` of a result; empty where it does not say which runs reached its bounds.

    Runs that are in the store are read from it, so most often only the nominal run, in the middle of the inputs, is made, and not again
    where an earlier result of the same model has it; and only after a search, which makes so many runs that one more costs nothing. What
    has to be made is one batch, in this process. A run that fails is NaN, and one that is neither there nor made has no inputs.

    Parameters
    ----------
    result : Result
        With `worst` and `inner`.
    trial : Trial
        Has the simulator, and the middle of the inputs.
    store : RunStore
        The runs of the study.
    """
    import xarray as xr

    from uqmbd.figures.extremes import extreme_of
    from uqmbd.tables.outputs import unit_said

    names = [str(name) for name in result.worst.data_vars if name in result.inner]
    if not names:
        return xr.Dataset()
    info = trial.stored or trial.info
    columns = Columns({name: info[name] for name in names}, np.zeros(0) if store.time is None else store.time)
    middle = {key: float(values[0]) for key, values in trial.samples.items()}
    ends = {name: {bound: extreme_of(result, name, bound) for bound in CASES[1:]} for name in names}
    cases = {name: {"nominal": middle} | {bound: middle | end.inputs for bound, end in ends[name].items() if end} for name in names}
    points = list(dict.fromkeys(key_of(inputs) for found in cases.values() for inputs in found.values()))
    before = {} if trial.stored is None else nominal_before(store.directory, middle, names)
    make = result.facts_of(Evidence).searched
    number = {point: k for k, point in enumerate(points)}
    outputs = outputs_at([dict(point) for point in points], columns, trial, store, make=make, skip_first=bool(before))
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
        times = {bound: end.time for bound, end in ends[name].items() if end and end.time is not None}
        attrs = {"unit": unit_said(result.inner, name), "inputs": cases[name]} | ({"reached": times} if times else {})
        variables[name] = (("case", *columns.dims(name)), values, attrs)
    return xr.Dataset(variables, {"case": np.array(CASES, object)} | columns.coords())


def key_of(inputs: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """The inputs of a run in an order of their own."""
    return tuple(sorted(inputs.items()))


def outputs_at(
    points: list[dict[str, float]], outputs: Columns, trial: Trial, store: RunStore, *, make: bool, skip_first: bool
) -> dict[str, np.ndarray]:
    """These outputs of a few runs, (runs,) or (runs, points), as the store has them or would have them; NaN where a run fails.

    What the store has not is made if `make`, but for the first one with `skip_first`.
    """
    samples = {key: np.array([point[key] for point in points]) for key in points[0]}
    columns, names = store.columns, list(outputs.outputs)
    rows = store.find(samples)
    stored = (rows >= 0) & all(name in columns for name in names)
    good = stored.copy()
    good[stored] = store.column("status", rows[stored]) == OK
    found = {name: np.full((len(points), *outputs.shape(name)), np.nan) for name in names}
    for name, values in store.read(names, rows[good]).items() if good.any() else ():
        found[name][good] = values
    missing = np.flatnonzero(~stored)
    missing = missing[missing > 0] if skip_first else missing
    if not (make and len(missing)):
        return found
    try:
        done = trial.checked().simulate({key: values[missing] for key, values in samples.items()})
    except StudyError:  # the model does not work here and now: the bounds do not need it
        return found
    ok = np.asarray(done.status) == OK
    for name in names:
        kind = columns[name].dtype if name in columns else np.float64  # rounded as stored ones are
        found[name][missing[ok]] = done.outputs[name][ok].astype(kind)
    return found


def nominal_before(directory: Path, middle: Mapping[str, float], names: list[str]) -> dict[str, np.ndarray]:
    """The nominal run as an earlier result has it; empty where that is another run, or not all of it."""
    from uqmbd.result import open_results

    try:
        known = open_results(directory).extreme_runs
    except StudyError:
        return {}
    if any(name not in known or Cases.of(known[name].attrs).inputs.get("nominal") != middle for name in names):
        return {}
    found = {name: known[name].sel(case="nominal").values for name in names}
    return found if all(np.isfinite(values).all() for values in found.values()) else {}
