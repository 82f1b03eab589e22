"""The mechanism moving, for the report: the nominal run, the runs that reached bounds, and the region that all runs cover."""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.campaign.few import store_of
from uqmbd.errors import StudyError
from uqmbd.figures.extremes import Extreme
from uqmbd.outcomes import OK, TIME
from uqmbd.result_store import of_numpy
from uqmbd.runs.chunk import CONTROL, START
from uqmbd.runs.files import replace
from uqmbd.runs.listing import list_files, unlist
from uqmbd.runs.where import MOTION
from uqmbd.simulators.apart import Ended, Late, apart
from uqmbd.simulators.base import controlled, moves
from uqmbd.simulators.limit import RunTimeout, time_limit
from uqmbd.simulators.model import describe
from uqmbd.simulators.moving import drawn
from uqmbd.study.extreme_runs import key_of
from uqmbd.study.replay import FOLLOWS, worst_inputs
from uqmbd.tables.outputs import output_names, picked

if TYPE_CHECKING:
    from uqmbd.campaign.store import RunStore
    from uqmbd.result import Result
    from uqmbd.simulators.base import Moved, Moving
    from uqmbd.study.session import Finished

SHOWN = 8  # runs that can be looked at, the nominal one among them
COVERED = 160  # runs of the region that all cover
SHARE, SECONDS = 0.1, 10.0  # of the time of the study, and at least, that making it may take
READ = 1 << 24  # numbers of an output, that are looked through for its greatest and least run
TIMES = 240  # of a history, at which it is said which run is nearest to its bounds
SAME = 1e-5  # of the range of an input: runs that differ by less are one
NEAR = 0.01  # of the band's width: how near a run is that has reached a bound


@dataclass
class Case:
    """A run that is looked at."""

    inputs: dict[str, float]  # SI
    nominal: bool = False  # it is the run in the middle of the inputs
    ends: list[tuple[str, str, Extreme]] = field(default_factory=list)  # output, ``lower`` or ``upper``, and where the run reached it
    control: dict[str, float] = field(default_factory=dict)  # what the method set of it besides

    @property
    def label(self) -> str:
        """In few words."""
        if self.nominal:
            return "nominal"
        name, bound, _ = self.ends[0]
        return f"{'highest' if bound == 'upper' else 'lowest'} {name}"


def keep_motion(finished: Finished) -> None:
    """Make the motion of a finished study, and keep it beside its result; what goes wrong is said, and changes nothing else.

    Nothing is made where there is one that this version draws, or the model has none.
    """
    result, directory = finished.result, finished.directory
    if finished.trial is None or (drawn(result.motion.get("scene", {})) and finished.tally is None):
        return
    try:
        simulator = finished.trial.checked()
        if not moves(simulator):
            return
        middle = {key: float(values[0]) for key, values in finished.trial.samples.items()}
        result.motion = motion_of(simulator, result, middle, store_of(directory))
    except Exception as error:  # the study is done, and stays so
        result.motion = {"why": error.message if isinstance(error, StudyError) else describe(error)}
    with suppress(OSError):  # a full disk, say; it is then in this report alone
        keep(directory, result.motion)


def keep(directory: Path, motion: dict[str, Any]) -> None:
    """Write it, with its checksum."""
    unlist(directory, MOTION)
    replace(directory / MOTION, json.dumps(motion, separators=(",", ":"), default=of_numpy).encode())
    list_files(directory, MOTION)


def motion_of(simulator: Moving, result: Result, middle: dict[str, float], store: RunStore | None) -> dict[str, Any]:
    """The motion of a study as ``motion.json`` has it: ``scene``, ``cases``, ``near``; or ``why`` there is none.

    Where the method sets controls of runs, all that are shown have that of the run that reached the first bound. The nominal run is in the
    `middle` of the inputs, SI.
    """
    if store is not None and START in store.extras:
        return {"why": FOLLOWS}
    limit = max(SECONDS, SHARE * (result.facts.wall_time or 0.0))
    cases = chosen(result, middle, store)
    control = cases[-1].control
    simulator = controlled(simulator, control)
    others = covered(result, affordable(result, 0.5 * limit), control)
    points = {key_of(case.inputs): case.inputs for case in cases}
    every = ({key: float(others[key][k]) for key in middle} for k in range(len(next(iter(others.values())))))
    points |= {key_of(point): point for point in every if key_of(point) not in points}
    samples = {key: np.array([point[key] for point in points.values()]) for key in middle}
    first = next((k for k, case in enumerate(cases) if case.ends), 0)
    at = cases[first].ends[0][2].time if cases[first].ends else None
    last = 0.0 if simulator.time is None else float(simulator.time[-1])
    still = first, last / 3.0 if at is None else at
    logging.getLogger("uqmbd").info("running %d runs again, to show the mechanism moving ...", len(points))
    try:
        done = apart(partial(within, limit, simulator, samples, [case.label for case in cases], still))
    except (Late, RunTimeout):
        return {"why": f"it takes longer than {limit:.3g} s, a tenth of the study's time or {SECONDS:g} s"}
    except Ended as ended:
        return {"why": f"the process that made it ended, {ended}"}
    kept = []
    for k, row in enumerate(done.scene["rows"]):
        ends = [end_of(name, bound, end, again(done, k, name, end)) for name, bound, end in cases[row].ends]
        said = {"control": control} if control else {}
        kept.append({"label": cases[row].label, "nominal": cases[row].nominal, "inputs": cases[row].inputs, "ends": ends, **said})
    return {"scene": done.scene | {"of": result.facts.runs_ok or len(points)}, "cases": kept, "near": nearest(result, done)}


def within(limit: float, simulator: Moving, *how: Any) -> Moved:
    """The motion, in a process that is ended when it takes longer than `limit` seconds."""
    with time_limit(limit):
        return simulator.motion(*how, patience=0.8 * limit)


def end_of(name: str, bound: str, end: Extreme, now: float | None) -> dict[str, Any]:
    """Which bound a run reached, for JSON, and what it has reached `again`, where that is known."""
    return {"output": name, "bound": bound, "value": end.value, "time": end.time, "again": now}


def again(done: Moved, number: int, name: str, end: Extreme) -> float | None:
    """What a run of the scene has reached again of a bound; None where the scene has not that output."""
    if name not in done.outputs:
        return None
    values = done.outputs[name][number]
    value = float(values if end.time is None else np.interp(end.time, done.time, values))
    return value if np.isfinite(value) else None


def chosen(result: Result, middle: dict[str, float], store: RunStore | None = None) -> list[Case]:
    """The nominal run, and those that reached the lowest and the highest bound of the key output, then of others; of one control."""
    from uqmbd.report.summary import key_output
    from uqmbd.tables.outputs import chosen as drawn

    cases = [Case(middle, nominal=True)]
    spread = {key: float(np.ptp(values)) for key, values in covered(result, result.runs.sizes.get("run", 0)).items() if len(values)}
    key, (histories, scalars) = key_output(result), (drawn(result, names) for names in output_names(result))
    for name in dict.fromkeys(([key] if key else []) + scalars + histories):
        if name not in result.worst and (name not in result.runs or result.runs[name].size > READ):
            continue
        for bound in ("upper", "lower"):
            with suppress(StudyError):
                end, _ = worst_inputs(result, name, bound, None, store)
                if name in result.inner and result.axis_of(name, "inner") is None:
                    end = dataclasses.replace(end, time=None)  # of events it is which of them
                inputs = middle | end.inputs
                if len(cases) == 1:
                    cases[0].control = end.control
                elif end.control != cases[0].control:
                    continue
                like = next((case for case in cases if alike(case.inputs, inputs, spread)), None)
                if like is None and len(cases) < SHOWN:
                    cases.append(like := Case(inputs, control=end.control))
                if like is not None:
                    like.ends.append((name, bound, end))
    return cases


def alike(one: dict[str, float], other: dict[str, float], spread: dict[str, float]) -> bool:
    """Whether two runs have the same inputs, but for what nobody sees."""
    return all(abs(one[key] - other[key]) <= SAME * spread.get(key, 0.0) for key in one)


def affordable(result: Result, seconds: float) -> int:
    """How many runs take so long in one process, by what those of the study took."""
    done, wall = result.attrs.get("runs_simulated_last", 0), result.facts.wall_time
    if not done or not wall:
        return COVERED
    each = wall * max(1, int(result.attrs.get("workers", 1) or 1)) / done
    return int(np.clip(seconds / each, 0, COVERED))


def covered(result: Result, most: int, control: Mapping[str, float] | None = None) -> dict[str, np.ndarray]:
    """Inputs of at most so many good runs, evenly among all, or those of one control, each (runs,)."""
    alike = [result.runs[CONTROL + name].values == value for name, value in (control or {}).items()]
    good = np.flatnonzero(np.all([result.runs["status"].values == OK, *alike], axis=0))
    rows = good[np.unique(np.linspace(0, len(good) - 1, min(most, len(good))).round().astype(int))] if len(good) and most else good[:0]
    names = [str(name) for name in result.runs.data_vars if str(name).startswith("input:")]
    return {name.removeprefix("input:"): result.runs[name].values[rows] for name in names}


def nearest(result: Result, done: Moved) -> dict[str, Any]:
    """Of each history and bound: at some times, which run of the scene is nearest to the bound, and whether it has reached it.

    By name ``times`` (s), and by ``lower`` and ``upper`` numbers of runs; of one that has not reached the bound -1 less its number.
    """
    near = {}
    for name, values in done.outputs.items():
        if values.ndim != 2 or name not in result.inner or result.axis_of(name, "inner") != TIME.name:
            continue
        times = result.inner[name]["time"].values
        at = np.unique(np.linspace(0, len(times) - 1, min(TIMES, len(times))).round().astype(int))
        bounds = {bound: picked(result.inner, name, bound=bound)[at] for bound in ("lower", "upper")}
        own = np.stack([np.interp(times[at], done.time, run) for run in values])
        width = NEAR * np.maximum(bounds["upper"] - bounds["lower"], 0.0)
        near[name] = {"times": [float(f"{x:.6g}") for x in times[at]]}
        for bound, values_at in bounds.items():
            off = np.where(np.isfinite(own), np.abs(own - values_at), np.inf)
            best = off.argmin(axis=0)
            reached = off[best, np.arange(len(at))] <= width + 1e-12 * np.abs(values_at)
            near[name][bound] = np.where(reached, best, -1 - best).tolist()
    return near
