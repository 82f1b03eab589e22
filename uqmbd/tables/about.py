"""What a result says of itself, as tables of text: inputs, method, runs, cost, versions, further facts."""

from __future__ import annotations

from collections.abc import Mapping

from uqmbd.method_facts import Cost
from uqmbd.result_data import ResultData
from uqmbd.tables.text import Table, said

ELSEWHERE = frozenset((
    "study title description inputs method seed settings simulator versions wall_time workers overhead note notes failures_note "
    "estimate estimate_std estimate_lower estimate_upper covariance covariance_of correlated fit fit_doubted rms_residual starts "
    "about sampling by_search spread readings interpolated limit report statement sequence regions step_error warnings cut"
).split())  # fmt: skip
COUNTS = ("runs", "failed_share")


def inputs_table(result: ResultData) -> Table:
    """The inputs in the notation they were written in."""
    rows = tuple((name, entry.kind, entry.text) for name, entry in result.facts.inputs.items())
    return Table("Inputs", ("input", "kind", "value"), rows, (False, False, False))


def method_table(result: ResultData) -> Table:
    """The method and its settings."""
    facts = result.facts
    return _facts("Method", {"method": facts.method} | ({} if facts.seed is None else {"seed": facts.seed}) | dict(facts.settings))


def counts_table(result: ResultData) -> Table:
    """How many runs there were, by what they were for and how they ended."""
    return _facts("Runs", {key: value for key, value in result.attrs.items() if key.startswith(COUNTS)})


def cost_table(result: ResultData) -> Table:
    """Wall time and rate."""
    wall, cost = result.facts.wall_time, result.facts_of(Cost)
    runs, facts = cost.runs_simulated_last, {key: x for key in ("workers", "overhead") if (x := getattr(cost, key)) is not None}
    if wall:
        facts = {"wall time of the last session": f"{wall:.3g} s", "runs simulated in it": runs, "runs per second": runs / wall} | facts
    return _facts("Cost", facts)


def versions_table(result: ResultData) -> Table:
    """Versions of what made the result."""
    return _facts("Versions", result.facts.versions)


def simulator_table(result: ResultData) -> Table:
    """Everything that decided the numbers: solver settings, laws, stiffness, masses."""
    return _facts("Model and solver, as used", result.facts.simulator)


def other_table(result: ResultData) -> Table:
    """Everything else that the result says of itself."""
    known = ELSEWHERE | set(result.facts.settings)
    return _facts("Further facts", {k: v for k, v in result.attrs.items() if k not in known and not k.startswith(COUNTS)})


def runs_done(result: ResultData) -> int:
    """Number of runs, from the counts or else from the runs themselves."""
    told = result.facts.runs
    return result.runs.sizes.get("run", 0) if told is None else told


def _facts(title: str, facts: Mapping) -> Table:
    rows = []
    for key, value in facts.items():
        words = key if "." in key else key.replace("_", " ")
        if (text := said(value)) not in ("", "{}"):
            rows.append((words, text))
    return Table(title, ("what", "value"), tuple(rows), (False, False))
