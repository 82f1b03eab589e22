"""May stored runs and a finished result be used for what is asked: a pure function of both; reading is done before, acting after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from uqmbd.campaign.opening import ELSEWHERE, unlike
from uqmbd.errors import StudyError
from uqmbd.runs.reader import READABLE
from uqmbd.study.identity import digest_prefix

SHOWN = 3
IF_CHANGED = "if_changed"


@dataclass(frozen=True)
class Identity:
    """What a study asks, as far as stored runs and results are compared with it."""

    runs: Mapping[str, str]  # fingerprints of what a run follows from (model, inputs, times, solver, format), by names a user understands
    result: str  # fingerprint of all that the numbers of a result follow from
    parts: Mapping[str, str]  # hashes of what the model reaches, by its names
    unknown: str  # what it reaches that has no fingerprint, so that nobody can tell whether it is the same; empty for most
    outputs: tuple[str, ...]
    histories: bool  # are to be kept
    precision: str  # type in which they are
    timeout: float | None  # longest time a run may take [s]
    formulas: Mapping[str, str] = field(default_factory=dict)  # of derived outputs, by name


@dataclass(frozen=True)
class Done:
    """What a folder says of its finished result: fingerprint, date, and how many runs a time limit [s] stopped."""

    result: str
    date: str
    timed_out: int
    timeout: float | None


@dataclass(frozen=True)
class Stored:
    """What is in a folder of results."""

    directory: Path
    header: Mapping[str, Any]  # what its runs share, in words of this version: format, identity, outputs, columns
    changed: tuple[str, ...] = ()  # files that the model was seen to read and that are others now
    done: Done | None = None  # of a finished result, whose files are as they were listed


class Action(Enum):
    """What becomes of what is stored."""

    REUSE = "the result is that of this study"
    CONTINUE = "its runs are used, and what is missing is run"
    DISCARD = "it is discarded"
    REFUSE = "it is of another study, and nobody said that it may be discarded"


@dataclass(frozen=True)
class Decision:
    """What is done with what is stored; `reason`: why its runs cannot be used, `date`: of the result that is reused."""

    action: Action
    reason: StudyError | None = None
    date: str = ""


def check_overwrite(overwrite: Any) -> None:
    """`StudyError` unless it is True, False or ``"if_changed"``."""
    if overwrite not in (True, False, IF_CHANGED):
        raise StudyError("is True, False or 'if_changed'", key="overwrite", value=overwrite, remedy='write overwrite="if_changed"')


def decide(wanted: Identity, stored: Stored | None, overwrite: bool | str = False, *, again: Sequence[str] = ()) -> Decision:
    """Whether a result is reused, its runs gone on with, discarded, or left alone.

    `stored` is None where no runs are: there is nothing to lose. `overwrite`: what is stored may be discarded, always or where it cannot be
    used (``"if_changed"``). Runs that ended with a status in `again` are to be done again.
    """
    if overwrite is True:
        return Decision(Action.DISCARD)  # also of what cannot be read
    if stored is None:
        return Decision(Action.CONTINUE)
    if (reason := refusal(wanted, stored)) is not None:
        return Decision(Action.DISCARD if overwrite == IF_CHANGED else Action.REFUSE, reason)
    done, limit = stored.done, wanted.timeout
    if done is None or again or done.result != wanted.result:
        return Decision(Action.CONTINUE)
    if done.timed_out and done.timeout is not None and (limit is None or limit > done.timeout):
        return Decision(Action.CONTINUE)  # which would let runs end that were stopped
    return Decision(Action.REUSE, date=done.date)


def refusal(wanted: Identity, stored: Stored) -> StudyError | None:
    """Why stored runs cannot be used; None if they can."""
    directory, header = stored.directory, stored.header
    if wanted.unknown and header.get("format") in READABLE:
        text = f"holds results, and whether they are of this model cannot be told: {wanted.unknown}"
        return StudyError(text, file=directory, remedy=f"have the model reach no such thing, or {ELSEWHERE}")
    if (other := unlike(header, wanted.runs, directory, changed_parts(header, wanted))) is not None:
        return other
    if stored.changed:
        text = f"holds the results of another study (it differs in what the model reads: {join_some(stored.changed)})"
        return StudyError(text, file=directory, remedy=ELSEWHERE)
    return missing_outputs(wanted, stored)


def changed_parts(header: Mapping[str, Any], wanted: Identity) -> str:
    """What of the model is new, gone or not as it was."""
    parts, other = wanted.parts, header["notes"].get("model", {}) if header.get("format") in READABLE else {}
    return join_some(sorted(name for name in {**parts, **other} if other.get(name) != digest_prefix(parts.get(name, ""))))


def join_some(names: Sequence[str]) -> str:
    """The first of a few names."""
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def missing_outputs(wanted: Identity, stored: Stored) -> StudyError | None:
    """The error for outputs, or histories, that the stored runs do not have."""
    outputs, directory = stored.header["notes"]["outputs"], stored.directory
    kept = {name: dtype for name, dtype, *_ in stored.header["columns"]}
    missing = [name for name in wanted.outputs if name not in outputs]
    if missing:
        text, remedy = f"holds runs without the outputs {', '.join(missing)}", f"leave them out, {ELSEWHERE}"
        return StudyError(text, file=directory, key="outputs.include", value=missing, remedy=remedy)
    for name, text in (pair for pairs in stored.header["notes"].get("derived", {}).values() for pair in pairs):
        if (own := wanted.formulas.get(name, text)) != text:
            text, remedy = f"holds runs in which '{name}' was derived as {text}", f"give it another name, {ELSEWHERE}"
            return StudyError(text, file=directory, key=f"outputs.derived.{name}", value=own, remedy=remedy)
    histories = [name for name in wanted.outputs if outputs[name][1]]
    dropped = [name for name in histories if name not in kept]
    if dropped and wanted.histories:
        text = f"holds runs whose histories were not kept: {', '.join(dropped)}"
        return StudyError(text, file=directory, key="campaign.store", value="all", remedy=ELSEWHERE)
    if wanted.precision == "float64" and any(kept.get(name) == "float32" for name in histories):
        text, remedy = "holds runs whose histories were rounded to float32", f'write campaign.precision = "float32", or {ELSEWHERE}'
        return StudyError(text, file=directory, key="campaign.precision", value=wanted.precision, remedy=remedy)
    return None
