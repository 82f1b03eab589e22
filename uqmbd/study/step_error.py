"""What a fixed step in time costs: a few runs of a study again with half the step, after its method has ended."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from uqmbd.analysis.base.columns import Columns
from uqmbd.analysis.base.streams import generator
from uqmbd.analysis.statistics.trust import SEARCHED, SHARE, assessed
from uqmbd.campaign.batches import Task
from uqmbd.campaign.few import run_few, task_at, task_of
from uqmbd.campaign.pool import EarlyPool
from uqmbd.campaign.store import RunStore
from uqmbd.errors import StudyError
from uqmbd.outcomes import DOUBT, OK, ORDER, STEP, OutputInfo
from uqmbd.result import Result
from uqmbd.runs.chunk import CONTROL
from uqmbd.study.data import StudyData
from uqmbd.study.extreme_runs import ended
from uqmbd.study.trial import Trial
from uqmbd.study.trust import distrust, share_anew, untrusted_leaves, warn
from uqmbd.tables.numbers import number, scale
from uqmbd.tables.outputs import pretty, widest

LOG = logging.getLogger("uqmbd")
LEAST, MOST = 8, 16  # runs that are made again
PART = 16  # of a study's runs one in so many
SHRINKS = 0.75  # to what part of itself a difference has to shrink when the step is halved once more; order 1: a half
NARROW = 0.01  # of the largest width: a narrower band says nothing of a step
STREAM = 300  # its random numbers
NAMED = 3  # outputs in a sentence


@dataclass(frozen=True)
class Again:
    """Some runs of a study, and what makes them with other steps."""

    trial: Trial
    pool: EarlyPool
    step: float  # that of the study, s
    columns: Columns
    task: Task  # the runs, with their controls and starts
    store: RunStore  # that has them

    def __call__(self, part: float) -> np.ndarray:
        """Outcomes with this part of the step, (runs, columns); NaN where a run fails; `StudyError` if it takes no other step."""
        simulator = self.trial.checked()
        if part != 1.0:
            with_step = getattr(simulator, "with_step", None)
            if with_step is None:
                raise StudyError("the simulator takes no other step")
            simulator = with_step(part * self.step)
        shapes = {name: self.columns.shape(name) for name in self.columns.outputs}
        done = run_few(self.pool.get(), simulator, shapes, self.task, self.store)
        values = self.columns.pack(done.outputs, len(done.status))
        values[np.asarray(done.status) != OK] = np.nan
        return values


def fixed_step(simulator: Mapping[str, Any]) -> float:
    """The fixed step that a simulator says it has, s; 0 where there is none."""
    return float(simulator.get(STEP) or 0.0)


def add_step_error(
    result: Result,
    study: StudyData,
    info: Mapping[str, OutputInfo],
    trial: Trial,
    store: RunStore,
    rows: np.ndarray,
    pool: EarlyPool,
    simulator: Mapping[str, Any],
) -> None:
    """Group `step_error` of a result, its share in `error` and `trusted`, and a note; nothing where no step is fixed.

    With a scheme of order p the difference to half the step is ``1 - 2**-p`` of the error. The largest over the runs counts. Which runs
    these are, and what they give, follows from the store alone, so a study that is gone on with after a kill finds the same. They are no
    runs of the method, and not stored. Where an output is not trusted for that, the step is halved once more: a difference that does
    not shrink says nothing of the error. The result, which is changed in place, is made of these `rows` of the store.
    """
    known = set(result.outputs)
    step, outputs = fixed_step(simulator), {name: info[name] for name in info if name in known and not info[name].in_runs_alone}
    own = CONTROL + "step" in store.extras  # the method sets it: it knows the error
    chosen = chosen_rows(result, study, trial, store, rows) if step and outputs and not own else rows[:0]
    if not len(chosen):
        return
    said, columns = f"step of {words('s', step)}", Columns(outputs, study.times())
    again = Again(trial, pool, step, columns, task_at(store, chosen), store)
    LOG.info("the error of the fixed step: %d runs again with half of it ...", len(chosen))
    try:
        half = again(0.5)
    except StudyError as error:
        return unknown(result, columns, f"{said}: its error is not known, since {error.message}")
    kept = all(name in store.columns for name in outputs)
    whole = columns.pack(store.read(list(outputs), chosen), len(chosen)) if kept else again(1.0)
    missing = np.isnan(whole) & np.isnan(half) & columns.may_miss  # with either step: no difference
    whole, half = (np.where(missing, 0.0, each) for each in (whole, half))
    good = np.all(np.isfinite(half - whole), axis=1)
    if not good.any():
        return unknown(result, columns, f"{said}: its error is not known, since all {len(chosen)} runs with half of it failed")
    error = largest(columns, float(simulator.get(ORDER) or 1.0), whole[good], half[good])
    held = within(result, study, columns, error, whole[good])
    forces = [name for name in outputs if DOUBT + name not in simulator]
    doubtful = [name for name in columns.named(~held) if name in forces]
    stuck = not_shrinking(columns, doubtful, whole[good], half[good], again(0.25)[good]) if doubtful else []
    take_in(result, columns, error, held, said)
    sizes = {name: float(error[columns.slices[name]].max()) for name in forces}
    result.attrs |= {"step_error": sizes, "step_error_runs": int(good.sum())}
    warn(result, note(columns, sizes, whole[good], stuck, said, good))


def chosen_rows(result: Result, study: StudyData, trial: Trial, store: RunStore, rows: np.ndarray) -> np.ndarray:
    """A few of the runs that were ok: those that reached bounds, that in the middle of the inputs if it is there, and random ones."""
    ok = rows[store.column("status", rows) == OK]
    count = min(len(ok), min(max(len(rows) // PART, LEAST), MOST))
    ends = [ended(result, str(name), bound, store) for name in result.worst.data_vars for bound in ("lower", "upper")]
    points = [*(end.run for end in ends if end is not None), {name: float(values[0]) for name, values in trial.samples.items()}]
    wanted = task_of(points, store.inputs)
    stored = store.find(wanted.samples, wanted.extras)
    first = [row for row in dict.fromkeys(stored.tolist()) if row in set(ok.tolist())][: 2 * count // 3]
    others = np.setdiff1d(ok, first)
    drawn = generator(study.campaign.seed, STREAM).choice(others, min(count - len(first), len(others)), replace=False)
    return np.array([*first, *np.sort(drawn)], int)


def largest(columns: Columns, order: float, whole: np.ndarray, half: np.ndarray) -> np.ndarray:
    """The largest error of the step over the runs, (columns,), by Richardson's extrapolation.

    Where the time of a jump depends on the step, a history is off by the jump, whatever the order: by no more than its own range.
    """
    difference = np.abs(half - whole).max(axis=0)
    error = difference / (1.0 - 0.5 ** max(order, 1.0))
    for name in columns.axes:
        at = columns.slices[name]
        both = np.concatenate([whole[:, at], half[:, at]])
        error[at] = np.maximum(difference[at], np.minimum(error[at], np.ptp(both)))
    return error


def within(result: Result, study: StudyData, columns: Columns, error: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Whether the error of the step is one that the method would trust, (columns,) bool.

    As with the method's own error it is held against the range of the output and the width of the band, or the standard deviation. Where
    all runs are nearly the same, as before a first impact, that width is no measure of a step, and a share of the largest one is taken. The
    range of the runs that were made again, `values` (runs, columns), stands for that of all where a method does not say it.
    """
    tolerances = {key: getattr(study.method, key, None) for key in ("trust_tolerance", "width_tolerance", "std_tolerance")}
    share = tolerances["width_tolerance"] or tolerances["std_tolerance"] or SHARE
    ends, searched = np.stack([values.min(axis=0), values.max(axis=0)]), np.zeros(columns.count, bool)
    spread = np.empty(columns.count)
    for name, at in columns.slices.items():
        if name in result.inner:
            known = widest(result.inner[name]).sel(bound=["lower", "upper"]).values.reshape(2, -1)
            ends[:, at] = np.where(np.isfinite(known), known, ends[:, at])
        if name in result.source:
            searched[at] = np.ravel(widest(result.source[name]).values) == SEARCHED
        own = np.ptp(ends[:, at], axis=0)
        if not result.bounds.data_vars and name in result.statistics and "std" in result.statistics["statistic"]:
            std = widest(result.statistics[name]).sel(statistic="std")
            own = np.ravel((std.max("bound") if "bound" in std.dims else std).values)
        spread[at] = np.maximum(own, NARROW * own.max())
    slices = columns.slices.values()
    held, of_search = (
        assessed(error, slices, ends, tolerance, share, spread)[1] for tolerance in (tolerances["trust_tolerance"] or SHARE, share)
    )
    return np.where(searched, of_search, held)


def not_shrinking(columns: Columns, names: list[str], whole: np.ndarray, half: np.ndarray, quarter: np.ndarray) -> list[str]:
    """Which of the outputs differ as much between half and a quarter of the step as between the step and its half, on the mean."""
    stuck = []
    for name in names:
        at = columns.slices[name]
        once, twice = np.abs(half - whole)[:, at], np.abs(quarter - half)[:, at]
        known = np.isfinite(twice).all(axis=1)
        if not known.any() or twice[known].mean() > SHRINKS * once[known].mean():
            stuck.append(name)
    return stuck


def take_in(result: Result, columns: Columns, error: np.ndarray, held: np.ndarray, said: str) -> None:
    """The group, and what follows for `error` and `trusted`."""
    own = result.step_error = columns.dataset(error)
    both = {name: (result.error[name] + own[name]).assign_attrs(own[name].attrs) for name in own if name in result.error}
    result.error = result.error.assign({**own.data_vars, **both})
    lost = {name: ~held[at] if name in columns.axes else ~held[at][0] for name, at in columns.slices.items()}
    distrust(result, columns.outputs, f"the error of the {said} exceeds the tolerance", lost)
    if not held.all():
        untrusted_leaves(result, columns.named(~held), None)
        share_anew(result)


def unknown(result: Result, columns: Columns, text: str) -> None:
    """Trust nothing, and say why."""
    distrust(result, columns.outputs, text)
    untrusted_leaves(result, columns.outputs, None)
    share_anew(result)
    warn(result, text)


def note(columns: Columns, sizes: Mapping[str, float], values: np.ndarray, stuck: list[str], said: str, good: np.ndarray) -> str:
    """The largest errors in words, those first that are large beside what the output is."""

    def beside(name: str) -> float:
        own = values[:, columns.slices[name]]
        return sizes[name] / (np.ptp(own) or np.abs(own).max() or 1.0)

    told = sorted((name for name in sizes if sizes[name] > 0 and name not in stuck), key=beside, reverse=True)[:NAMED]
    largest = ", ".join(f"{words(columns.outputs[name].unit, sizes[name])} of {name}" for name in told)
    failed = len(good) - int(good.sum())
    text = f"{said}: error of the step up to {largest or 'rounding'} in {int(good.sum())} runs with half of it"
    text += f" ({failed} more failed)" if failed else ""
    if not stuck:
        return text
    return (
        f"{text}; that of {', '.join(stuck)} is not known where it is not trusted: there runs differ as much when the step is halved again"
    )


def words(unit: str, value: float) -> str:
    """A number in its unit, with the prefix that fits."""
    within = scale(pretty(unit), [value])
    return within.said(number(float(within.of(value)), 3))
