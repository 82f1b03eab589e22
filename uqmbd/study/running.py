"""Run a study: find or make its store, have the missing runs done, make the result."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from uqmbd.errors import StudyError
from uqmbd.outcomes import OutputInfo
from uqmbd.processes import leave_if_worker_is_starting
from uqmbd.simulators.base import Simulator
from uqmbd.simulators.reads import watching
from uqmbd.study.extreme_runs import extreme_runs
from uqmbd.study.identity import identity_of, method_tag, precision_of, study_digest, version, versions
from uqmbd.study.nominal import fields_of
from uqmbd.study.reuse import check_overwrite, done_on, refusal, remember_files, short, write_done
from uqmbd.study.showing import written
from uqmbd.study.stopped import explaining
from uqmbd.study.storing import check_store, results_directory, rounding_cost
from uqmbd.study.study import naming_file

if TYPE_CHECKING:
    from uqmbd.campaign.campaign import Campaign, Tally, Watcher
    from uqmbd.campaign.opening import Claim
    from uqmbd.campaign.pool import EarlyPool
    from uqmbd.campaign.store import RunStore
    from uqmbd.result import Result
    from uqmbd.simulators.fingerprint import Reach
    from uqmbd.study.study import Study

RESOLVED = "# Resolved by uqmbd"


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
    damaged : list of str
        What was found damaged in the store, and mended.
    """

    result: Result
    directory: Path
    tally: Tally | None
    damaged: list[str] = field(default_factory=list)
    date: str = ""


def run_study(
    study: Study,
    *,
    workers: int | None = None,
    out: str | Path | None = None,
    scheduler: Any = None,
    overwrite: bool | str = False,
    progress: bool | None = None,
) -> Finished:
    """See `Study.run`."""
    from uqmbd.campaign.files import writing
    from uqmbd.campaign.opening import claimed, peek
    from uqmbd.campaign.progress import progress_bar

    leave_if_worker_is_starting()
    directory = results_directory(out, study.name)
    check_overwrite(overwrite)
    reach = study.model.reached()
    identity = identity_of(study, reach)
    digest = study_digest(study, identity)
    with naming_file(study), ExitStack() as stack:
        header = peek(directory)
        refused = None if header is None or overwrite is True else refusal(study, header, identity, reach, directory)
        if refused is not None and overwrite != "if_changed":
            raise refused
        discard = overwrite is True or refused is not None
        if header is not None and not discard and (date := done_on(directory, digest)):
            from uqmbd.result import open_results

            return Finished(open_results(directory), directory, None, date=date)
        if header is None:
            spare_study(directory)
        claim = stack.enter_context(claimed(directory))
        if claim.header is None:  # before anything that takes time, so that `resume` finds it whatever happens
            with writing(directory):
                write_study(study, directory)
        trial = Trial(study, None if claim.header is None or discard else stored_outputs(claim.header))
        pool = early_pool(study, workers, scheduler, stack)
        if claim.header is None or discard:
            trial.checked()
        pool.get()
        if discard:
            claim.clear()
        store, info = open_or_make(study, claim, identity, reach, trial)
        fields = fields_of(study, trial, info)  # before the runs, so that a mistake in a function shows at once
        with writing(directory):
            (directory / "done.json").unlink(missing_ok=True)
            write_study(study, directory)
        method = start(study, info)
        stack.enter_context(explaining(study, store, directory))
        with progress_bar(progress, study.name) as watcher:
            tally = campaign(study, method, store, info, trial, pool, watcher).run()
        pool.let_go()
        if not tally.status["ok"]:
            raise nothing_worked(store, study)
        result = method.result()
        describe(result, study, tally, store)
        result.extreme_runs = extreme_runs(result, trial, store)
        if fields is not None:
            result.fields = fields
        with writing(directory):
            trial.remember(directory)
            result.save(directory)
            keep_rows(directory, tally.rows, len(store.status))
            write_done(directory, digest)
        return Finished(with_runs(result, directory), directory, tally, store.damaged)


def early_pool(study: Study, workers: int | None, scheduler: Any, stack: ExitStack) -> EarlyPool:
    """A pool that is starting, and is stopped when `stack` closes."""
    from uqmbd.campaign.pool import EarlyPool, default_workers

    wanted = next((n for n in (workers, study.campaign.workers) if n is not None), default_workers())
    needed = ["uqmbd.campaign.worker", "numcodecs", *(["flexmbd"] if "flexmbd" in sys.modules else []), *study.method.worker_modules]
    pool = EarlyPool(wanted, scheduler, needed, study.campaign.wait)
    stack.callback(pool.close)
    return pool


@dataclass
class Trial:
    """The simulator of a study, made and checked on first use.

    Attributes
    ----------
    stored : dict of str to OutputInfo, optional
        What runs have to give where there is a store: it may hold more outputs than the study asks for, and in another order.
    """

    study: Study
    stored: dict[str, OutputInfo] | None = None

    @cached_property
    def samples(self) -> dict[str, np.ndarray]:
        """A few points well inside the inputs' ranges, the middle first; shape (4,) each."""
        spread = np.array([[0.5, 0.3, 0.7, 0.45], [0.5, 0.6, 0.35, 0.8]])
        inputs = self.study.inputs
        if inputs.sets:
            spread = 0.5 + 0.2 * (spread - 0.5)  # near the middle every set has its points
        return inputs.to_si().samples(np.stack([spread[i % 2] for i in range(len(inputs))], axis=1))

    @cached_property
    def simulator(self) -> Simulator:
        """Made from what the model returns for the middle of its inputs."""
        from uqmbd.simulators.detect import make_simulator

        study = self.study
        names = study.outputs if self.stored is None else list(self.stored)
        with watching() as reads:
            found = make_simulator(study.model, names, study.grid(), self.samples, study.solver, study.campaign.timeout)
        study.model.saw(reads.files)
        return found

    @cached_property
    def info(self) -> dict[str, OutputInfo]:
        """Units and kinds of the outputs; the model is checked and compiled."""
        return self.simulator.check(self.samples)

    def checked(self) -> Simulator:
        """The simulator, with its model checked and the compiled code on disk."""
        assert self.info
        return self.simulator

    def remember(self, directory: Path) -> None:
        """Keep what the model was seen to read; its files count as the model does."""
        from uqmbd.simulators.lanes import LanesSimulator

        remember_files(self.study, directory, solver=isinstance(vars(self).get("simulator"), LanesSimulator))


def open_or_make(
    study: Study, claim: Claim, identity: Mapping[str, str], reach: Reach, trial: Trial
) -> tuple[RunStore, dict[str, OutputInfo]]:
    """The store of a study and what its outputs are; a store that is there knows them without the model."""
    from uqmbd.campaign.layout import Layout, chunk_length, columns_of
    from uqmbd.campaign.opening import header_layout, store_in

    if claim.header is not None:
        layout, notes = header_layout(claim.header), claim.header["notes"]
        stored = stored_outputs(claim.header)
        info = study.in_units({name: stored[name] for name in study.outputs})
    else:
        info = study.in_units(trial.info)
        columns = columns_of(
            {name: item.to_si().unit for name, item in study.inputs.items()},
            {name: (entry.unit, entry.history) for name, entry in info.items()},
            0 if study.time is None else study.time.points,
            precision_of(study),
            study.campaign.store == "all",
        )
        least, most = study.method.planned_runs(study.inputs)
        layout = Layout(chunk_length(round(math.sqrt(least * most)), trial.simulator.width, study.campaign.batch), columns)
        notes = {
            "outputs": {name: [entry.unit, entry.history] for name, entry in trial.info.items()},
            "model": {name: short(digest) for name, digest in reach.parts.items()},
        }
        trial.remember(claim.directory)
    check_store(study, info)
    return store_in(claim, identity, layout, study.grid(), notes=notes, timeout=study.campaign.timeout), info


def stored_outputs(header: Mapping[str, Any]) -> dict[str, OutputInfo]:
    """What the runs of a store hold."""
    return {name: OutputInfo(*entry) for name, entry in header["notes"]["outputs"].items()}


def start(study: Study, info: Mapping[str, OutputInfo]) -> Any:
    """The method, ready to ask."""
    time = study.grid()
    return study.method.start(study.inputs, info, np.zeros(0) if time is None else time, study.campaign.seed)


def campaign(
    study: Study,
    method: Any,
    store: RunStore,
    info: Mapping[str, OutputInfo],
    trial: Trial,
    pool: EarlyPool,
    watcher: Watcher,
) -> Campaign:
    """The campaign of a study."""
    from uqmbd.campaign.campaign import Campaign

    points = 0 if study.time is None else study.time.points
    columns = {column.name: column for column in store.layout.columns}
    rounded = [column.dtype for column in columns.values() if column.points]
    return Campaign(
        method=method,
        store=store,
        prepare=trial.checked,
        get_pool=pool.get,
        shapes={name: (points,) if entry.history else () for name, entry in (trial.stored or info).items()},
        told=tuple(info),
        precision=rounded[0] if rounded else precision_of(study),
        keep_histories=all(name in columns for name in info),
        tag=method_tag(study),
        batch=study.campaign.batch,
        watcher=watcher,
    )


def keep_rows(directory: Path, rows: list[np.ndarray], total: int) -> None:
    """Keep which of the stored runs a result is made of, unless that is all of them: others are of wider ranges, say."""
    used = np.unique(np.concatenate(rows))
    if len(used) == total:
        (directory / "rows.npy").unlink(missing_ok=True)
    else:
        np.save(directory / "rows.npy", used)


def write_study(study: Study, directory: Path) -> None:
    """Keep the resolved study beside its results, for `resume`."""
    from uqmbd.campaign.files import replace_text
    from uqmbd.study.file import tables, write_toml

    head = f"{RESOLVED} {version('uqmbd')}; `uqmbd resume` reads it.\n"
    replace_text(directory / "study.toml", head + write_toml(study.document or tables(study)))


def spare_study(directory: Path) -> None:
    """`StudyError` when there is a ``study.toml`` that somebody has written by hand where results are to go."""
    file = directory / "study.toml"
    if file.is_file() and not file.read_text(encoding="utf-8", errors="replace").startswith(RESOLVED):
        raise StudyError("the results would replace this study file", file=file, remedy="choose another place with --out DIR")


def nothing_worked(store: RunStore, study: Study) -> StudyError:
    """The error for a study of which every run failed."""
    rows = np.flatnonzero(store.status > 0)
    message = store.read("message", rows[:1])[0] if len(rows) else ""
    inputs = ", ".join(f"{name}={store.read(f'input:{name}', rows[:1])[0]:g}" for name in store.input_names()) if len(rows) else ""
    return StudyError(
        f"every one of the {len(rows)} runs failed; the first, at {inputs}: {message}",
        key="study.model",
        value=study.model.label,
        remedy="run the model by hand at these inputs",
    )


def describe(result: Result, study: Study, tally: Tally, store: RunStore) -> None:
    """Say in the result, and in the store, what was asked and what it cost."""
    result.attrs = {
        "study": study.name,
        **study.words(),
        **result.attrs,
        "inputs": study.inputs.described(),
        "settings": study.method.model_dump(exclude_none=True),
        "seed": study.campaign.seed,
        "runs_simulated_last": tally.simulated,
        "wall_time": store.seconds - tally.fan_out + tally.wall if tally.simulated else store.seconds,
        "workers": tally.workers,
        "overhead": round(tally.overhead, 4),
        "model": study.model.label,
        "simulator": simulator_attributes(store, tally),
        "versions": versions(),
    }
    cost = rounding_cost(study, result)
    cost["note"] = "; ".join(filter(None, [result.attrs.get("note"), cost.pop("note", "")]))
    result.attrs |= {key: text for key, text in cost.items() if text}
    if shown := written(study.report, study.field_functions):
        result.attrs["report"] = shown
    store.describe({"study": study.name, "seed": study.campaign.seed, "versions": versions()})


def simulator_attributes(store: RunStore, tally: Tally) -> dict[str, Any]:
    """What the simulator said it used, in this session or an earlier one."""
    import zarr

    return dict(tally.attributes) or dict(zarr.open_group(store.root, mode="r").attrs.get("simulator", {}))


def with_runs(result: Result, directory: Path) -> Result:
    """The result with its runs, opened and not read."""
    from uqmbd.result import open_runs

    result.runs = open_runs(directory)
    return result
