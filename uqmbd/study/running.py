"""Have the runs of a study done by a campaign, and the result made of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from gc import collect
from numbers import Integral
from typing import Any

import numpy as np

from uqmbd.campaign.batches import Shard
from uqmbd.campaign.campaign import Campaign
from uqmbd.campaign.pool import EarlyPool, default_workers
from uqmbd.campaign.progress import progress_bar
from uqmbd.campaign.store import RunStore
from uqmbd.campaign.tally import CampaignStatistics, Watcher
from uqmbd.errors import StudyError
from uqmbd.facts import failures_in
from uqmbd.outcomes import OutputInfo
from uqmbd.plugins import blaming, is_ours
from uqmbd.processes import give_memory_back
from uqmbd.result import Result
from uqmbd.runs.reader import Damaged
from uqmbd.study.asked import OutsideRun
from uqmbd.study.data import StudyData
from uqmbd.study.extreme_runs import extreme_runs
from uqmbd.study.identity import earlier_tags, method_tag, precision_of, versions
from uqmbd.study.manifest import metadata_of, shown_by
from uqmbd.study.sign import cut_at_limits
from uqmbd.study.step_error import add_step_error, fixed_step
from uqmbd.study.stopped import first_messages
from uqmbd.study.storing import rounding_cost
from uqmbd.study.trial import Trial
from uqmbd.study.trust import take_trust

HANDED = "; a function of a script is handed over with the globals that its code names, not with those it finds by eval() or globals()"


@dataclass(frozen=True)
class Prepared:
    """What the runs of a study need: a store that is held, what its outputs are, the trial's simulator, a pool of processes."""

    study: StudyData
    store: RunStore
    info: dict[str, OutputInfo]
    trial: Trial
    pool: EarlyPool


def execute(prepared: Prepared, progress: bool | None) -> tuple[Result, CampaignStatistics]:
    """Have the runs done that are missing, and the result made of all of them.

    Where a file turns out to be damaged as it is read, the damaged ones are dropped and the method is told all from the start: what is
    stored is not done again, so that is what a resumed study would do.
    """
    study, store, trial, pool = prepared.study, prepared.store, prepared.trial, prepared.pool
    simulated = 0
    while True:
        method, tally = start(study, prepared.info), CampaignStatistics(simulated=simulated)
        give_memory_back()
        try:
            with progress_bar(progress, study.name) as watcher:
                campaign(prepared, method, watcher, tally).run()
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
            add_step_error(result, study, study.method.treated(prepared.info), trial, store, used, pool, simulator)
            cut_at_limits(result, simulator)
            result.extreme_runs = extreme_runs(result, trial, store)
            return result, tally
        except Damaged:
            simulated = tally.simulated
            if not store.drop_damaged():
                raise


def execute_shard(prepared: Prepared, shard: Shard | None, progress: bool | None) -> CampaignStatistics:
    """Have the runs of a shard done, until the method would have to hear of the others."""
    with progress_bar(progress, f"{prepared.study.name} {shard}") as watcher:
        return campaign(prepared, start(prepared.study, prepared.info), watcher, CampaignStatistics(), shard).run()


def early_pool(study: StudyData, workers: int | None, scheduler: Any, stack: ExitStack) -> EarlyPool:
    """A pool that is starting, and is stopped when `stack` closes."""
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


def trial_for(study: StudyData, stored: dict[str, OutputInfo] | None, pool: EarlyPool) -> Trial:
    """The trial of a study, from which the pool knows how long its runs take."""
    trial = Trial(study, stored, pool.elsewhere)
    pool.foretold = lambda: trial.seconds * study.method.planned_runs(study.inputs.uncertain)[0]
    return trial


def start(study: StudyData, info: Mapping[str, OutputInfo]) -> Any:
    """The method, ready to ask."""
    with blaming(type(study.method), "method", "method"):
        run = study.method.start(study.inputs, study.method.treated(info), study.times(), study.campaign.seed)
    return run if is_ours(type(study.method)) else OutsideRun(run, study)


def campaign(prepared: Prepared, method: Any, watcher: Watcher, tally: CampaignStatistics, shard: Shard | None = None) -> Campaign:
    """The campaign of a study."""
    study, store, info, trial = prepared.study, prepared.store, prepared.info, prepared.trial
    points = len(study.times())
    rounded = [column.dtype for column in store.columns.values() if column.points]
    held = trial.stored or info
    return Campaign(
        method=method,
        store=store,
        prepare=trial.checked,
        get_pool=prepared.pool.get,
        shapes={name: entry.shape(points) for name, entry in held.items()},
        may_miss=frozenset(name for name, entry in held.items() if entry.may_miss),
        outputs=tuple(study.method.treated(info)),
        precision=rounded[0] if rounded else precision_of(study),
        keep_histories=all(name in store.columns for name in info),
        tag=method_tag(study, named=method.names_outputs),
        earlier_tags=frozenset(earlier_tags(study, named=method.names_outputs)),
        batch=study.campaign.batch,
        watcher=watcher,
        tally=tally,
        shard=shard,
    )


def nothing_worked(store: RunStore, study: StudyData) -> StudyError:
    """The error for a study of which every run failed."""
    first = next(iter(first_messages(study, store)), "")
    return StudyError(
        f"every one of the {len(store.rows)} runs failed; the first, {first}",
        key=study.model.key,
        value=study.model.label,
        remedy=f"run the model by hand at these inputs{HANDED if 'KeyError' in first or 'NameError' in first else ''}",
    )


def describe(result: Result, study: StudyData, tally: CampaignStatistics, store: RunStore, simulator: Mapping[str, Any]) -> None:
    """Say in the result, and in the store, what was asked and what it cost."""
    result.attrs = {
        **study.said(),
        **result.attrs,
        **metadata_of(study),
        "runs_simulated_last": tally.simulated,
        "wall_time": tally.wall,  # of this session, as the command says it: runs of other methods are in the store as well
        "workers": tally.workers,
        "overhead": round(tally.overhead, 4),
        **tally.costs,
        "simulator": dict(simulator),
    }
    cost = rounding_cost(study, result)
    report, lost = shown_by(study)
    notes = [*result.attrs.get("notes", ()), *cost.get("notes", ()), *study.inputs.remarks(), *lost]
    result.attrs |= cost | {"notes": notes, "failures_note": failures_in(notes)}
    if report:
        result.attrs["report"] = report
    store.describe({"study": study.name, "seed": study.campaign.seed, "versions": versions()})


def simulator_attributes(store: RunStore, tally: CampaignStatistics, trial: Trial) -> dict[str, Any]:
    """What the simulator said it used, in this session or an earlier one; where what that one wrote is lost, it is asked again."""
    about = store.about()
    if not about and not tally.simulated:
        middle = {name: values[:1] for name, values in trial.samples.items()}
        store.describe({"simulator": dict(trial.checked().simulate(middle).attributes)})
        about = store.about()
    return dict(tally.attributes) or dict(about.get("simulator", {}))
