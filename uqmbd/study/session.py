"""A session: one study and one folder. What is asked is identified, what is there is decided on, runs are prepared, done, and finished."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from uqmbd.campaign.batches import Shard
from uqmbd.campaign.opening import differences, lock_store, read_header
from uqmbd.campaign.tally import CampaignStatistics
from uqmbd.errors import StudyError, did_you_mean
from uqmbd.interrupts import hearing
from uqmbd.outcomes import STATUS
from uqmbd.processes import give_memory_back, leave_if_worker_is_starting
from uqmbd.result import Result
from uqmbd.runs.files import writing
from uqmbd.runs.listing import unlist
from uqmbd.runs.of_results import open_runs
from uqmbd.runs.where import MANIFEST, MOTION, keep_used
from uqmbd.spec.labels import OF_ONE
from uqmbd.study.data import StudyData
from uqmbd.study.decision import Action, Decision, Identity, Stored, check_overwrite, decide
from uqmbd.study.identity import as_stored, identity_of, in_words_of_now, known_digests, precision_of, study_digest
from uqmbd.study.manifest import keep_manifest, now
from uqmbd.study.naming import naming_file
from uqmbd.study.nominal import fields_of
from uqmbd.study.reuse import DONE, changed_files, done_in, refuse_to_overwrite, result_of_before, write_done, write_study
from uqmbd.study.running import Prepared, early_pool, execute, execute_shard, trial_for
from uqmbd.study.sizes import check_sizes
from uqmbd.study.stopped import explaining
from uqmbd.study.storing import open_or_make, results_directory, stored_outputs, stored_times
from uqmbd.study.trial import Trial


@dataclass(frozen=True)
class Finished:
    """A finished study."""

    result: Result
    directory: Path
    tally: CampaignStatistics | None  # what was done; None when the result was there already
    damaged: list[str] = field(default_factory=list)  # what was found damaged in the store, and mended
    date: str = ""  # when a result that was there already was made
    discarded: bool = False  # runs that were there, of another model say
    trial: Trial | None = None  # has the simulator; None where its runs are done by a cluster that is elsewhere


@dataclass(frozen=True)
class Session:
    """One study in one folder."""

    study: StudyData  # with one method
    directory: Path
    shard: Shard | None = None  # only these runs are done, beside sessions that do the others; they make no result
    workers: int | None = None  # for these see `Study.run`
    scheduler: Any = None
    progress: bool | None = None

    def run(self, overwrite: bool | str = False, again: Sequence[str] = ()) -> Finished:
        """Have done what is missing, and the result made; stored runs that ended with a status in `again` are done again."""
        leave_if_worker_is_starting()
        began = now()
        check_overwrite(overwrite)
        with naming_file(self.study), ExitStack() as stack:
            identity = self.identify()
            stack.enter_context(hearing())
            stored = self.stored(identity)
            decision = decide(identity, stored, overwrite, again=again)
            study = self.asked_with(stored, decision)
            if decision.action is Action.REUSE and (there := result_of_before(study, self.directory)) is not None:
                trial = None if self.scheduler is not None else Trial(study, elsewhere=True)
                return Finished(there, self.directory, None, date=decision.date, trial=trial)
            prepared = self.prepare(study, identity, decision, stack)
            prepared.store.invalidate(codes_of(again))
            # before the runs, so that a mistake in a function shows at once
            fields = fields_of(prepared.study, prepared.trial, prepared.info)
            self.write_undone(study)
            stack.enter_context(explaining(study, prepared.store, self.directory))
            result, tally = execute(prepared, self.progress)
            give_memory_back()
            if fields is not None:
                result.fields = fields
            self.finish(identity, prepared, result, tally, began)
            result.runs = open_runs(self.directory)
            discarded = stored is not None and decision.action is Action.DISCARD
            trial = None if self.scheduler is not None else prepared.trial
            return Finished(result, self.directory, tally, prepared.store.damaged, discarded=discarded, trial=trial)

    def share(self) -> CampaignStatistics:
        """Have the runs of the shard done, as far as the method knows them without those of others."""
        leave_if_worker_is_starting()
        with naming_file(self.study), ExitStack() as stack:
            identity = self.identify()
            stack.enter_context(hearing())
            stored = self.stored(identity)
            decision = decide(identity, stored)
            study = self.asked_with(stored, decision)
            prepared = self.prepare(study, identity, decision, stack)
            self.write_undone(study)
            return execute_shard(prepared, self.shard, self.progress)

    def identify(self) -> Identity:
        """What is asked."""
        study = self.study
        check_sizes(study)
        reach = study.model.reached()
        runs = identity_of(study, reach)
        return Identity(
            runs,
            study_digest(study, runs),
            reach.parts,
            reach.unknown,
            outputs=tuple(study.outputs),
            histories=study.campaign.store == "all",
            precision=precision_of(study),
            timeout=study.campaign.timeout,
            formulas=dict(study.model.derived.formulas),
        )

    def stored(self, identity: Identity) -> Stored | None:
        """What is there; None where no runs are."""
        header = read_header(self.directory, self.study.campaign.runs)
        if header is None:
            return None
        words = in_words_of_now(header, self.study, identity.runs, identity.parts)
        changed = () if differences(words, identity.runs) else tuple(changed_files(self.study, self.directory))
        done = done_in(self.directory)
        if done is not None and done.result in known_digests(self.study, identity.runs, self.directory):
            done = replace(done, result=identity.result)
        return Stored(self.directory, words, changed, done)

    def asked_with(self, stored: Stored | None, decision: Decision) -> StudyData:
        """The study, whose inputs have the same last bits as those of the stored runs that are used."""
        if stored is None or decision.action in (Action.DISCARD, Action.REFUSE):
            return self.study
        return as_stored(self.study, stored.header, self.directory)

    def prepare(self, study: StudyData, identity: Identity, decision: Decision, stack: ExitStack) -> Prepared:
        """Hold the folder until `stack` closes, try the model where nothing is known of it, start processes, open the store.

        Raises
        ------
        StudyError
            If what is stored may not be used, or the model cannot be run.
        """
        if decision.action is Action.REFUSE and decision.reason is not None:
            raise decision.reason
        directory, discard = self.directory, decision.action is Action.DISCARD
        if read_header(directory, study.campaign.runs) is None:
            refuse_to_overwrite(directory)
        locked = stack.enter_context(lock_store(directory, study.campaign.runs, shared=self.shard is not None))
        if locked.header is None:  # before anything that takes time, so that `resume` finds it whatever happens
            with writing(directory):
                write_study(study, directory)
        pool = early_pool(study, self.workers, self.scheduler, stack)
        header = None if discard else locked.header
        if header is not None:
            study = study.at_times(stored_times(header))
        trial = trial_for(study, None if header is None else stored_outputs(header), pool)
        if header is None:
            trial.checked()
            study = study.at_times(trial.tried.time)
        pool.settle()
        if discard:
            locked.clear()
        return Prepared(study, *open_or_make(study, locked, identity, trial), trial, pool)

    def write_undone(self, study: StudyData) -> None:
        """Write the study into its directory, without the marks of a result that was there."""
        with writing(self.directory):
            unlist(self.directory, DONE, MANIFEST, MOTION)
            for name in (DONE, MANIFEST, MOTION):
                (self.directory / name).unlink(missing_ok=True)
            write_study(study, self.directory)

    def finish(self, identity: Identity, prepared: Prepared, result: Result, tally: CampaignStatistics, began: datetime) -> None:
        """Write a result, and then that it is there."""
        study, directory, store = prepared.study, self.directory, prepared.store
        with writing(directory):
            prepared.trial.remember(directory)
            unlist(directory, *OF_ONE)
            result.manifest = keep_manifest(study, directory, identity.runs, identity.result, began)
            result.save(directory)
            keep_used(directory, tally.used)
            write_done(study, directory, identity.result, tally.status["timeout"], store.chunk_of >= 0)


def run_study(
    study: StudyData, *, out: str | Path | None = None, overwrite: bool | str = False, again: Sequence[str] = (), **how: Any
) -> Finished:
    """Run a study of one method in ``results/<name>`` or `out`; for `how` see `Session`."""
    return Session(study, results_directory(out, study.name), **how).run(overwrite, again)


def codes_of(words: Sequence[str]) -> list[int]:
    """Codes of the statuses of failed runs by their names."""
    failed = STATUS[1:]
    for word in words:
        if word not in failed:
            raise StudyError(f"no failed run has the status '{word}'", key="--status", value=word, remedy=did_you_mean(word, failed))
    return [STATUS.index(word) for word in words]
