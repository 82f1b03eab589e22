"""Run a study: find or make its store, have the missing runs done, make the result."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from gc import collect
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.doors import blaming, is_ours
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.facts import failures_in
from uqmbd.interrupts import hearing
from uqmbd.outcomes import STATUS, OutputInfo
from uqmbd.processes import give_memory_back, leave_if_worker_is_starting
from uqmbd.runs.listing import unlist
from uqmbd.runs.where import MANIFEST, MOTION, keep_used
from uqmbd.spec.labels import OF_ONE
from uqmbd.spec.showing import written
from uqmbd.study.asked import OutsideRun
from uqmbd.study.extreme_runs import extreme_runs
from uqmbd.study.identity import earlier_tags, identity_of, known_digests, method_tag, precision_of, study_digest, versions
from uqmbd.study.manifest import keep_manifest, now
from uqmbd.study.naming import naming_file
from uqmbd.study.nominal import fields_of
from uqmbd.study.reuse import check_overwrite, done_on, refusal, result_of_before, spare_study, write_done, write_study
from uqmbd.study.sign import cut_at_limits
from uqmbd.study.sizes import check_sizes
from uqmbd.study.step_error import add_step_error, fixed_step
from uqmbd.study.stopped import explaining
from uqmbd.study.storing import open_or_make, results_directory, rounding_cost, stored_outputs
from uqmbd.study.trial import Trial
from uqmbd.study.trust import take_trust

if TYPE_CHECKING:
    from uqmbd.campaign.campaign import Campaign, Tally, Watcher
    from uqmbd.campaign.pool import EarlyPool
    from uqmbd.campaign.store import RunStore
    from uqmbd.result import Result
    from uqmbd.study.study import Study

HANDED = "; a function of a script is handed over with the globals that its code names, not with those it finds by eval() or globals()"


@dataclass(frozen=True)
class Finished:
    """A finished study.

    Attributes
    ----------
    directory : Path
        Where everything is.
    tally : Tally or None
        What was done; None when the result was there already.
    date : str
        When a result that was there already was made.
    discarded : bool
        Runs that were there, of another model say, have been discarded.
    trial : Trial or None
        Has the simulator; None where its runs are done by a cluster that is elsewhere.
    damaged : list of str
        What was found damaged in the store, and mended.
    """

    result: Result
    directory: Path
    tally: Tally | None
    damaged: list[str] = field(default_factory=list)
    date: str = ""
    discarded: bool = False
    trial: Trial | None = None


def run_study(
    study: Study,
    *,
    workers: int | None = None,
    out: str | Path | None = None,
    scheduler: Any = None,
    overwrite: bool | str = False,
    progress: bool | None = None,
    again: Sequence[str] = (),
) -> Finished:
    """See `Study.run`; stored runs that ended with a status in `again` are done again."""
    from uqmbd.campaign.opening import claimed, peek
    from uqmbd.runs.files import writing

    leave_if_worker_is_starting()
    began = now()
    study.settle(None)
    directory = results_directory(out, study.name)
    check_overwrite(overwrite)
    with naming_file(study):
        check_sizes(study)
    reach = study.model.reached()
    identity = identity_of(study, reach)
    digest = study_digest(study, identity)
    with naming_file(study), ExitStack() as stack:
        stack.enter_context(hearing())
        header = peek(directory, study.campaign.runs)
        refused = None if header is None or overwrite is True else refusal(study, header, identity, reach, directory)
        if refused is not None and overwrite != "if_changed":
            raise refused
        discard = overwrite is True or refused is not None
        if (
            header is not None
            and not discard
            and not again
            and (date := done_on(directory, known_digests(study, identity, directory), study.campaign.timeout))
        ):
            there = result_of_before(study, directory)
            if there is not None:
                return Finished(there, directory, None, date=date, trial=None if scheduler is not None else Trial(study, elsewhere=True))
        if header is None:
            spare_study(directory)
        claim = stack.enter_context(claimed(directory, study.campaign.runs))
        if claim.header is None:  # before anything that takes time, so that `resume` finds it whatever happens
            with writing(directory):
                write_study(study, directory)
        pool = early_pool(study, workers, scheduler, stack)
        trial = trial_for(study, None if claim.header is None or discard else stored_outputs(claim.header), pool)
        if claim.header is None or discard:
            trial.checked()
        pool.settle()
        if discard:
            claim.clear()
        store, info = open_or_make(study, claim, identity, reach, trial)
        store.redo(codes_of(again))
        fields = fields_of(study, trial, info)  # before the runs, so that a mistake in a function shows at once
        write_undone(study, directory)
        stack.enter_context(explaining(study, store, directory))
        result, tally = told(study, store, info, trial, pool, progress)
        give_memory_back()
        if fields is not None:
            result.fields = fields
        with writing(directory):
            trial.remember(directory)
            unlist(directory, *OF_ONE)
            result.manifest = keep_manifest(study, directory, identity, digest, began)
            result.save(directory)
            keep_used(directory, tally.used)
            write_done(study, directory, digest, tally.status["timeout"], store.piece_of >= 0)
        found = with_runs(result, directory), directory, tally, store.damaged
        return Finished(*found, discarded=discard and header is not None, trial=None if scheduler is not None else trial)


def write_undone(study: Study, directory: Path) -> None:
    """Write the study into its directory, without the marks of a result that was there."""
    from uqmbd.runs.files import writing

    with writing(directory):
        unlist(directory, "done.json", MANIFEST, MOTION)
        for name in ("done.json", MANIFEST, MOTION):
            (directory / name).unlink(missing_ok=True)
        write_study(study, directory)


def codes_of(words: Sequence[str]) -> list[int]:
    """Codes of the statuses of failed runs by their names."""
    failed = STATUS[1:]
    for word in words:
        if word not in failed:
            raise StudyError(f"no failed run has the status '{word}'", key="--status", value=word, remedy=did_you_mean(word, failed))
    return [STATUS.index(word) for word in words]


def told(
    study: Study, store: RunStore, info: Mapping[str, OutputInfo], trial: Trial, pool: EarlyPool, progress: bool | None
) -> tuple[Result, Tally]:
    """Have the runs done that are missing, and the result made of all of them.

    Where a file turns out to be damaged as it is read, the damaged ones are dropped and the method is told all from the start: what is
    stored is not done again, so that is what a resumed study would do.
    """
    from uqmbd.campaign.campaign import Tally
    from uqmbd.campaign.progress import progress_bar
    from uqmbd.runs.reader import Damaged

    simulated = 0
    while True:
        method, tally = start(study, info), Tally(simulated=simulated)
        give_memory_back()
        try:
            with progress_bar(progress, study.name) as watcher:
                campaign(study, method, store, info, trial, pool, watcher, tally).run()
            if not tally.status["ok"]:
                raise nothing_worked(store, study)
            simulator = simulator_attributes(store, tally, trial)
            if not fixed_step(simulator):
                pool.let_go()
            give_memory_back()
            result, used = method.result(), np.flatnonzero(tally.used)
            del method  # and all outcomes that it keeps, which a result and its report do without
            collect()
            describe(result, study, tally, store, simulator)
            take_trust(result, study, store, used, simulator)
            add_step_error(result, study, info, trial, store, used, pool, simulator)
            cut_at_limits(result, simulator)
            result.extreme_runs = extreme_runs(result, trial, store)
            return result, tally
        except Damaged:
            simulated = tally.simulated
            if not store.drop_damaged():
                raise


def early_pool(study: Study, workers: int | None, scheduler: Any, stack: ExitStack) -> EarlyPool:
    """A pool that is starting, and is stopped when `stack` closes."""
    from uqmbd.campaign.pool import EarlyPool, default_workers

    wanted = next((n for n in (workers, study.campaign.workers) if n is not None), default_workers())
    if not isinstance(wanted, Integral) or isinstance(wanted, bool) or wanted < 0:
        remedy = "write workers=2, say; 0 runs everything in this process"
        raise StudyError("the number of processes is a whole number from 0", key="workers", value=wanted, remedy=remedy)
    solver = ["flexmbd.running.simulate"] if "flexmbd" in sys.modules else []
    needed = ["uqmbd.campaign.worker", "numcodecs", *solver, *study.method.worker_modules]
    runs = None if solver else study.method.planned_runs(study.inputs.uncertain)[0]
    pool = EarlyPool(wanted, scheduler, needed, study.campaign.wait, runs=runs)
    stack.callback(pool.close)
    return pool


def trial_for(study: Study, stored: dict[str, OutputInfo] | None, pool: EarlyPool) -> Trial:
    """The trial of a study, from which the pool knows how long its runs take."""
    trial = Trial(study, stored, pool.elsewhere)
    pool.foretold = lambda: trial.seconds * study.method.planned_runs(study.inputs.uncertain)[0]
    return trial


def start(study: Study, info: Mapping[str, OutputInfo]) -> Any:
    """The method, ready to ask."""
    time = study.grid()
    with blaming(type(study.method), "method", "method"):
        run = study.method.start(study.inputs, info, np.zeros(0) if time is None else time, study.campaign.seed)
    return run if is_ours(type(study.method)) else OutsideRun(run, study)


def campaign(
    study: Study,
    method: Any,
    store: RunStore,
    info: Mapping[str, OutputInfo],
    trial: Trial,
    pool: EarlyPool,
    watcher: Watcher,
    tally: Tally,
) -> Campaign:
    """The campaign of a study."""
    from uqmbd.campaign.campaign import Campaign

    points = 0 if study.time is None else len(study.grid())
    rounded = [column.dtype for column in store.columns.values() if column.points]
    return Campaign(
        method=method,
        store=store,
        prepare=trial.checked,
        get_pool=pool.get,
        shapes={name: entry.shape(points) for name, entry in (trial.stored or info).items()},
        told=tuple(info),
        precision=rounded[0] if rounded else precision_of(study),
        keep_histories=all(name in store.columns for name in info),
        tag=method_tag(study, named=hasattr(method, "arranged")),
        earlier_tags=frozenset(earlier_tags(study)),
        batch=study.campaign.batch,
        watcher=watcher,
        tally=tally,
    )


def nothing_worked(store: RunStore, study: Study) -> StudyError:
    """The error for a study of which every run failed."""
    rows = store.rows
    found = store.read(["message", *(f"input:{name}" for name in store.inputs)], rows[:1])
    message = found["message"][0] if len(rows) else ""
    inputs = ", ".join(f"{name}={found[f'input:{name}'][0]:g}" for name in store.inputs if len(rows))
    return StudyError(
        f"every one of the {len(rows)} runs failed; the first, at {inputs}: {message}",
        key=study.model.key,
        value=study.model.label,
        remedy=f"run the model by hand at these inputs{HANDED if 'KeyError' in message or 'NameError' in message else ''}",
    )


def describe(result: Result, study: Study, tally: Tally, store: RunStore, simulator: Mapping[str, Any]) -> None:
    """Say in the result, and in the store, what was asked and what it cost."""
    result.attrs = {
        **study.said(),
        **result.attrs,
        "inputs": study.inputs.described(),
        "settings": study.method.model_dump(exclude_none=True),
        "seed": study.campaign.seed,
        "runs_simulated_last": tally.simulated,
        "wall_time": tally.wall,  # of this session, as the command says it: runs of other methods are in the store as well
        "workers": tally.workers,
        "overhead": round(tally.overhead, 4),
        "model": study.model.label,
        "simulator": dict(simulator),
        "versions": versions(),
    }
    cost = rounding_cost(study, result)
    notes = [*result.attrs.get("notes", ()), *cost.get("notes", ()), *study.inputs.remarks()]
    result.attrs |= cost | {"notes": notes, "failures_note": failures_in(notes)}
    if shown := written(study.report):
        result.attrs["report"] = shown
    store.describe({"study": study.name, "seed": study.campaign.seed, "versions": versions()})


def simulator_attributes(store: RunStore, tally: Tally, trial: Trial) -> dict[str, Any]:
    """What the simulator said it used, in this session or an earlier one; where what that one wrote is lost, it is asked again."""
    about = store.about()
    if not about and not tally.simulated:
        middle = {name: values[:1] for name, values in trial.samples.items()}
        store.describe({"simulator": dict(trial.checked().simulate(middle).attributes)})
        about = store.about()
    return dict(tally.attributes) or dict(about.get("simulator", {}))


def with_runs(result: Result, directory: Path) -> Result:
    """The result with its runs, opened and not read."""
    from uqmbd.runs.of_results import open_runs

    result.runs = open_runs(directory)
    return result
