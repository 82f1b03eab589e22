"""Where results and runs go; what `campaign.store` and `campaign.precision` mean for a method: what it needs, what rounding costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.campaign.batches import chunk_length
from uqmbd.campaign.opening import StoreLock, store_in
from uqmbd.campaign.store import RunStore
from uqmbd.errors import StudyError
from uqmbd.outcomes import TIME, OutputInfo
from uqmbd.runs.chunk import Column
from uqmbd.runs.files import writing
from uqmbd.runs.reader import own_axes
from uqmbd.runs.storage import is_address
from uqmbd.study.decision import Identity
from uqmbd.study.identity import UNITS, digest_prefix, in_words_of_now, precision_of
from uqmbd.study.sizes import require

if TYPE_CHECKING:
    from uqmbd.result import Result
    from uqmbd.study.data import StudyData
    from uqmbd.study.trial import Trial

HALF_A_STEP = 2.0**-24  # of float32, relative: the largest error of rounding
FELT = 1e-3  # share of the spread over the runs from which rounding is seen in standard deviations and quantiles


def results_directory(out: str | Path | None, name: str) -> Path:
    """Where the results of a study go, as an absolute path: a model may change the working folder."""
    if out is None:
        return Path("results").absolute() / name
    if not str(out).strip():
        raise StudyError("the place of the results is empty", key="--out", value=str(out), remedy=f"write --out results/{name}, say")
    if is_address(out):
        remedy = f'write [campaign] runs = "{out}" for the runs, which are most of it, and a folder for the rest'
        raise StudyError("results lie in a folder; only their runs can be kept elsewhere", key="--out", value=str(out), remedy=remedy)
    return Path(out).absolute()


def check_store(study: StudyData, info: Mapping[str, OutputInfo]) -> None:
    """Raise `StudyError` when the method needs all that the runs give, and histories are not to be kept or memory cannot hold it."""
    alone = [name for name, entry in info.items() if entry.in_runs_alone]
    if alone and study.campaign.store != "all":
        text = f"'{alone[0]}' is {info[alone[0]].noun}, which the runs alone have, and they would not keep it"
        raise StudyError(text, key="campaign.store", value=study.campaign.store, remedy='write store = "all", or reduce it to a number')
    histories = [name for name, entry in info.items() if entry.axis]
    if study.method.reduce_key() is not None:
        return
    runs, _ = study.method.planned_runs(study.inputs.uncertain)
    numbers = sum(math.prod(entry.shape(len(study.times()))) for entry in info.values())
    require(
        8 * runs * numbers,
        f"the method {study.method.name} holds what all runs give: {runs:,} runs of {numbers:,} numbers",
        "method",
        study.method.name,
        "take fewer runs, fewer points in time, or numbers of histories (their :max, say); "
        "montecarlo and the approach sobol of sensitivity hold no histories",
    )
    if study.campaign.store == "all" or not histories:
        return
    what = info[histories[0]].noun
    raise StudyError(
        f"the method {study.method.name} needs the histories of all runs, and '{histories[0]}' is {what} that would not be kept",
        key="campaign.store",
        value=study.campaign.store,
        remedy=f'remove campaign.store, or ask for numbers only ("{histories[0]}:max", say); '
        "montecarlo and the approach sobol of sensitivity do without",
    )


def open_or_make(study: StudyData, locked: StoreLock, identity: Identity, trial: Trial) -> tuple[RunStore, dict[str, OutputInfo]]:
    """The store of a study and what its outputs are; a store that is there knows them without the model."""
    columns, chunk_runs, notes, axes = (), 1, None, None
    if locked.header is not None:
        locked.header = in_words_of_now(locked.header, study, identity.runs, identity.parts)
        stored = stored_outputs(locked.header)
        info = study.in_units({name: stored[name] for name in study.outputs})
    else:
        info = study.in_units(trial.info)
        points = len(study.times())
        columns = columns_of(study, info)
        least, most = study.method.planned_runs(study.inputs.uncertain)
        size = 8 * sum(math.prod(entry.shape(points)) for entry in info.values())
        chunk_runs = chunk_length(round(math.sqrt(least * most)), trial.checked().width, study.campaign.batch, size)
        notes = {
            "outputs": {name: [entry.unit, entry.axis is not None] for name, entry in trial.info.items()},
            "model": {name: digest_prefix(digest) for name, digest in identity.parts.items()},
            UNITS: "SI",
        }
        if fields := {name: [axis.name for axis in entry.axes] for name, entry in trial.info.items() if entry.further}:
            notes["fields"] = fields
        if derived := {name: entry.formulas for name, entry in trial.info.items() if entry.formulas}:
            notes["derived"] = derived
        if may_miss := [name for name, entry in trial.info.items() if entry.may_miss]:
            notes["may_miss"] = may_miss
        axes = axes_of(trial.info)
        with writing(locked.directory):
            trial.remember(locked.directory)
    check_store(study, info)
    return store_in(locked, identity.runs, columns, chunk_runs, study.grid(), axes=axes, notes=notes, timeout=study.campaign.timeout), info


def columns_of(study: StudyData, info: Mapping[str, OutputInfo]) -> tuple[Column, ...]:
    """The columns of a study's runs; histories and curves are there if they are kept."""
    columns = [Column(f"input:{name}", "float64", 0, item.to_si().unit) for name, item in study.inputs.items()]
    for name, entry in info.items():
        if entry.axis is None:
            columns.append(Column(name, "float64", 0, entry.unit))
        elif study.campaign.store == "all":
            shape = entry.shape(len(study.times()))
            columns.append(Column(name, precision_of(study), -1 if shape == (0,) else math.prod(shape), entry.unit))
    return (*columns, Column("status", "int8"), Column("message", "str"))


def stored_outputs(header: Mapping[str, Any]) -> dict[str, OutputInfo]:
    """What the runs of a store hold."""
    axes, formulas, missing = own_axes(header), header["notes"].get("derived", {}), header["notes"].get("may_miss", ())
    found = {}
    for name, (unit, over) in header["notes"]["outputs"].items():
        derived = tuple((part, text) for part, text in formulas.get(name, ()))
        found[name] = OutputInfo(unit, axes.get(name, TIME) if over else None, formulas=derived, may_miss=name in missing)
    return found


def stored_times(header: Mapping[str, Any]) -> np.ndarray | None:
    """Times of the histories of a store, (points,) [s]; None if it has none."""
    return None if header["time"] is None else np.array(header["time"], float)


def axes_of(info: Mapping[str, OutputInfo]) -> dict[str, Any]:
    """Axes other than time by name, as the header of a store has them; see `own_axes`."""
    axes: dict[str, Any] = {}
    for name, entry in info.items():
        for over in entry.axes:
            if over.name != TIME.name:
                axis = axes.setdefault(over.name, {"unit": over.unit, "values": over.values.tolist(), "outputs": []})
                axis["outputs"].append(name)
    return axes


def rounding_cost(study: StudyData, result: Result) -> dict[str, Any]:
    """Attributes of a result that say what histories stored as float32 cost; none where nothing was rounded.

    The rounding of a number is at most 2^-24 of it. It is compared with the spread over the runs at the same time, from group `inner`.
    """
    if study.campaign.precision != "float32" or study.campaign.store != "all":
        return {}
    shares = {}
    for name, ends in result.inner.data_vars.items():
        if result.axis_of(str(name), "inner"):
            lower, upper = ends.sel(bound="lower").values, ends.sel(bound="upper").values
            size, spread = np.maximum(abs(lower), abs(upper)), upper - lower
            seen = spread > 0
            shares[str(name)] = float((HALF_A_STEP * size[seen] / spread[seen]).max()) if seen.any() else np.inf * bool(size.any())
    if not shares:
        return {"precision": "float32"}
    worst = max(shares, key=lambda name: shares[name])
    if shares[worst] == np.inf:
        text = f"all runs of '{worst}' are the same after rounding"
    else:
        text = f"rounding is up to {shares[worst]:.1g} of the spread over the runs (of '{worst}')"
    note = f'histories were stored as float32, and {text}: precision = "float64" keeps their digits'
    return {"precision": f"float32: {text}"} | ({"notes": [note]} if shares[worst] > FELT else {})
