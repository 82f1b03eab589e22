"""What a result says of itself, as tables of text: inputs, method, runs, cost, versions, further facts, how it was made."""

from __future__ import annotations

from collections.abc import Mapping

from uqmbd.method_facts import Cost
from uqmbd.result_data import ResultData
from uqmbd.tables.text import Table, said

ELSEWHERE = frozenset((
    "study title description inputs method seed settings simulator versions wall_time workers overhead note notes failures_note "
    "estimate estimate_std estimate_lower estimate_upper covariance covariance_of correlated fit fit_doubted rms_residual starts "
    "design design_at_end minimised measure objective objective_limits runs_verifying runs_searching starts_tried starts_alike "
    "tolerance tolerance_least tolerance_largest nominal tolerance_cost total_cost limits_met least_violated feasible verified "
    "about sampling by_search spread readings interpolated limit report statement sequence regions step_error warnings cut "
    "estimated_by rhat effective_size acceptance leaning untold chains_converged surrogate_converged surrogate_error "
    "scatter scatter_of scatter_runs lacking log_evidence log_evidence_lower log_evidence_upper"
).split())  # fmt: skip
COUNTS = ("runs", "failed_share")


def about_tables(result: ResultData) -> list[Table]:
    """The inputs as they were written, the method and its settings, numbers of runs by purpose and end, wall time and rate."""
    facts, cost = result.facts, result.facts_of(Cost)
    inputs = tuple((name, entry.kind, entry.text) for name, entry in facts.inputs.items())
    method = {"method": facts.method} | ({} if facts.seed is None else {"seed": facts.seed}) | dict(facts.settings)
    counts = {key: value for key, value in result.attrs.items() if key.startswith(COUNTS)}
    costs = {key: x for key in ("workers", "overhead") if (x := getattr(cost, key)) is not None}
    if wall := facts.wall_time:
        runs = cost.runs_simulated_last
        costs = {"wall time of the last session": f"{wall:.3g} s", "runs simulated in it": runs, "runs per second": runs / wall} | costs
    tables = [_facts(title, each) for title, each in (("Method", method), ("Runs", counts), ("Cost", costs))]
    return [Table("Inputs", ("input", "kind", "value"), inputs, (False, False, False)), *tables]


def further_tables(result: ResultData) -> list[Table]:
    """Versions, everything else that the result says of itself, what decided the numbers (solver settings, masses), how it was made."""
    known = ELSEWHERE | set(result.facts.settings)
    others = {key: value for key, value in result.attrs.items() if key not in known and not key.startswith(COUNTS)}
    parts = {"Versions": result.facts.versions, "Further facts": others, "Model and solver, as used": result.facts.simulator}
    return [*(_facts(title, each) for title, each in parts.items()), provenance_table(result)]


def provenance_table(result: ResultData) -> Table:
    """Command, machine, times and state of the repository; ``manifest.json`` has the rest."""
    known = result.manifest
    machine, git, model = (known.get(key, {}) for key in ("machine", "git", "model"))
    copied = sum("copy" in file for file in model.get("files", ()))
    facts = {
        "command": known.get("command"),
        "started": known.get("started"),
        "ended": known.get("ended"),
        "host": machine.get("host"),
        "system": machine.get("system"),
        "processor": f"{machine['processor']}, {machine['cores']} cores" if "processor" in machine else None,
        "Python": known.get("python"),
        "packages": f"{len(known['packages'])}, with versions in manifest.json" if "packages" in known else None,
        "files of the model": f"{copied} in the folder model" if copied else None,
        "git commit": commit_in_words(git),
    }
    return Table("How it was made", ("what", "value"), tuple((key, str(text)) for key, text in facts.items() if text), (False, False))


def commit_in_words(git: Mapping) -> str | None:
    """The commit, and whether the files were as it has them."""
    if not git:
        return None
    if "clean" not in git:
        return git["commit"]
    return f"{git['commit']}, {'all committed' if git['clean'] else str(git['changed']) + ' files changed since'}"


def runs_done(result: ResultData) -> int:
    """Number of runs, from the counts or else from the runs themselves."""
    count = result.facts.runs
    return result.runs.sizes.get("run", 0) if count is None else count


def _facts(title: str, facts: Mapping) -> Table:
    rows = []
    for key, value in facts.items():
        words = key if "." in key else key.replace("_", " ")
        if (text := said(value)) not in ("", "{}"):
            rows.append((words, text))
    return Table(title, ("what", "value"), tuple(rows), (False, False))
