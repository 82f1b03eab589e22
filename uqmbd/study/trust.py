"""What takes the trust from a result, whatever its method: motions that have no end, outputs that are not what they are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from uqmbd.campaign.store import RunStore
from uqmbd.methods.distrust import distrust, share_anew, untrusted_leaves, warn
from uqmbd.outcomes import DIVERGED, DOUBT, OK, WARNING
from uqmbd.result import Result
from uqmbd.simulators.events import COUNT
from uqmbd.study.data import StudyData
from uqmbd.study.stopped import inputs_said
from uqmbd.tables.outputs import listed


def take_trust(result: Result, study: StudyData, store: RunStore, rows: np.ndarray, simulator: Mapping[str, Any]) -> None:
    """Trust nothing of a box in which runs diverged, nor outputs of which the simulator says not to; notes say which and why.

    A run that diverged is a motion that the solver could not follow to its end: its book of energy is open, or it came to a singular
    position. Other runs near it may be as wrong without a sign of it, and what the motion goes on to do is in no bound.

    The result is made of these `rows` of the store. The simulator says doubts of itself (`uqmbd.outcomes.DOUBT`), and warnings, which are
    passed on.
    """
    for key in sorted(simulator):
        if key.startswith(WARNING):
            name, _, what = key.removeprefix(WARNING).rpartition(".")
            counted = never_met(store, rows, name) if what == "never" and name in study.spec.outputs.sections else ""
            warn(result, counted or str(simulator[key]))
    doubted: dict[str, list[str]] = {}
    for name in result.outputs:
        if why := simulator.get(DOUBT + name):
            doubted.setdefault(str(why), []).append(name)
    for why, names in doubted.items():
        warn(result, f"{listed(names)}: not trusted, since {why}")
        distrust(result, names, why)
        untrusted_leaves(result, names, None)
    lost = diverged(store, rows)
    if len(lost):
        first = f"the first at {inputs_said(study, store, int(lost[0]))}: {store.column('message', lost[:1])[0]}"
        count, runs = result.attrs.get("runs_diverged", len(lost)), result.attrs.get("runs", len(rows))  # some may be asked for twice
        counted = f"{count} of {runs} runs diverged"
        warn(result, f"{counted}, {first.rstrip('.')}; no result over inputs among which such runs lie is trusted")
        distrust(result, result.outputs, counted)
        samples = {name: store.column(f"input:{name}", lost) for name in store.inputs}
        untrusted_leaves(result, result.outputs, samples)
    if doubted or len(lost):
        share_anew(result)


def never_met(store: RunStore, rows: np.ndarray, section: str) -> str:
    """How many of the runs in these rows never meet a section, in words; empty where nothing is stored that tells it."""
    columns = [name for name in store.columns if name.startswith(f"{section}.")]
    if not (known := sorted(columns, key=lambda name: (not name.endswith(f":{COUNT}"), ":" in name))) or len(rows) == 0:
        return ""
    rows = np.unique(rows)
    values = store.column(known[0], rows)
    if values.ndim == 1 and not known[0].endswith(f":{COUNT}"):
        return ""
    ok = store.column("status", rows) == OK
    none = values == 0.0 if values.ndim == 1 else ~np.isfinite(values).any(axis=1)
    never = int(np.count_nonzero(none & ok))
    return f"section '{section}': {never} of {int(ok.sum())} runs never meet it, and have no points there" if never else ""


def diverged(store: RunStore, rows: np.ndarray) -> np.ndarray:
    """Which of the rows are runs that diverged; the heads of the chunks say whether there are any."""
    if not any(chunk.head["counts"][DIVERGED] for chunk in store.chunks):
        return rows[:0]
    return rows[store.column("status", rows) == DIVERGED]
