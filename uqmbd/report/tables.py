"""The tables of a result: made once, shown on the page and in the terminal."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table as RichTable

from uqmbd.figures.outputs import output_names, unit_of, widest
from uqmbd.figures.trust import percent, trust_of

ELSEWHERE = frozenset("study inputs method seed settings simulator versions wall_time workers overhead note".split())
DETAILS = ("inner lower", "inner upper", "until [s]")  # on the page only
COUNTS = ("runs", "failed_share")
USUAL = ("mean", "std", "q05", "q95")
OWN_SHOWN = 6  # statistics that only some methods have
QUIET = re.compile(r"min|max|q\d.*|.*_lower|.*_upper")  # statistics that have no column of their own


@dataclass(frozen=True)
class Table:
    """Rows of text under a header; ``numeric`` says which columns are aligned to the right."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    note: str = ""


def terminal_table(result) -> RichTable:
    """The outputs of a result as a compact table for `rich.print`."""
    table = outputs_table(result)
    title = str(result.attrs.get("study", "")) or None
    shown = RichTable(title=title, caption=table.note or None, header_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    kept = [column for column, name in enumerate(table.header) if column > 1 and name not in DETAILS]
    shown.add_column("output", no_wrap=True)
    for column in kept:
        shown.add_column(table.header[column], justify="right", no_wrap=True)
    for name, unit, *rest in table.rows:
        shown.add_row(f"{name} {unit}".rstrip(), *(rest[column - 2] for column in kept))
    return shown


def outputs_table(result) -> Table:
    """Every output with its bounds, statistics and trust; of a history the extremes over time."""
    histories, scalars = output_names(result)
    columns = [("output", False), ("unit", False)]
    if result.bounds.data_vars:
        columns += [("lower", True), ("upper", True), ("inner lower", True), ("inner upper", True)]
    if "alpha" in result.bounds.dims:
        columns += [("core lower", True), ("core upper", True)]
    if result.error.data_vars:
        columns += [("error", True)]
    if result.statistics.data_vars and not result.bounds.data_vars:
        usual = (("mean", "mean"), ("std", "std"), ("q05", "5 %"), ("q95", "95 %"))
        known = [str(word) for word in result.statistics["statistic"].values]
        columns += [(column, True) for key, column in usual if key in known] + [(word.replace("_", " "), True) for word in _own(known)]
    if result.trusted.data_vars:
        columns += [("trusted", True), ("until [s]", True)]
    rows = []
    for name in scalars + histories:
        cells = _cells(result, name)
        rows.append(tuple(cells.get(column, "") for column, _ in columns))
    note = "Of a history: the widest over time of bounds and quantiles, and the largest error and standard deviation."
    note = note if histories else ""
    return Table("Outputs", tuple(c for c, _ in columns), tuple(rows), tuple(n for _, n in columns), note)


def inputs_table(result) -> Table:
    """The inputs in the notation they were written in."""
    rows = tuple((name, entry["kind"], entry["text"]) for name, entry in result.attrs.get("inputs", {}).items())
    return Table("Inputs", ("input", "kind", "value"), rows, (False, False, False))


def method_table(result) -> Table:
    """The method and its settings."""
    named = {key: result.attrs[key] for key in ("method", "seed") if key in result.attrs}
    return _facts("Method", named | result.attrs.get("settings", {}))


def counts_table(result) -> Table:
    """How many runs there were, by what they were for and how they ended."""
    return _facts("Runs", {key: value for key, value in result.attrs.items() if key.startswith(COUNTS)})


def cost_table(result) -> Table:
    """Wall time and rate."""
    wall, runs = result.attrs.get("wall_time", 0.0), result.attrs.get("runs_simulated_last", 0)
    facts = {key: result.attrs[key] for key in ("workers", "overhead") if key in result.attrs}
    if wall:
        facts = {"wall time of the last session": f"{wall:.3g} s", "runs simulated in it": runs, "runs per second": runs / wall} | facts
    return _facts("Cost", facts)


def versions_table(result) -> Table:
    """Versions of what made the result."""
    return _facts("Versions", dict(result.attrs.get("versions", {})))


def simulator_table(result) -> Table:
    """Everything that decided the numbers: solver settings, laws, stiffness, masses."""
    return _facts("Model and solver, as used", result.attrs.get("simulator", {}))


def other_table(result) -> Table:
    """Everything else that the result says of itself."""
    known = ELSEWHERE | set(result.attrs.get("settings", ()))
    return _facts("Further facts", {k: v for k, v in result.attrs.items() if k not in known and not k.startswith(COUNTS)})


def trust_table(result) -> Table:
    """Trust in each history, with the sentence that explains it."""
    rows = []
    for name in output_names(result)[0]:
        trust = trust_of(result, name)
        if trust is None:
            continue
        rows.append((name, _share(trust), _horizon(trust), trust.sentence()))
    return Table("Trust", ("output", "trusted", "trust horizon [s]", "in words"), tuple(rows), (False, True, True, False))


def runs_done(result) -> int:
    """Number of runs, from the counts or else from the runs themselves."""
    return int(result.attrs.get("runs", result.runs.sizes.get("run", 0)))


def number(value) -> str:
    """A number with five significant digits; other things as they are."""
    value = np.asarray(value)[()]
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    return f"{value:.5g}" if isinstance(value, (float, np.floating)) else str(value)


def _cells(result, name: str) -> dict[str, str]:
    """The row of one output, by column."""
    cells = {"output": name, "unit": unit_of(result, name)}
    for group, prefix in (("bounds", ""), ("inner", "inner ")):
        if name in getattr(result, group):
            both = getattr(result, group)[name]
            cells |= _both(widest(both), prefix)
            if group == "bounds" and "alpha" in both.dims:
                cells |= _both(both.isel(alpha=int(np.argmax(both["alpha"].values))), "core ")
    if name in result.error:
        cells["error"] = f"{_greatest(result.error[name].values):.2g}"
    if name in result.statistics:
        cells |= _statistics(result.statistics[name])
    trust = trust_of(result, name)
    if trust:
        cells["trusted"], cells["until [s]"] = _share(trust), _horizon(trust)
    return cells


def _both(bounds, prefix: str) -> dict[str, str]:
    """Lower and upper bound, of a history the widest."""
    lower, upper = _least(bounds.sel(bound="lower").values), _greatest(bounds.sel(bound="upper").values)
    return {f"{prefix}lower": number(lower), f"{prefix}upper": number(upper)}


def _own(known: list[str]) -> list[str]:
    """Statistics beyond the usual ones, such as a probability of failure."""
    return [word for word in known if word not in USUAL and not QUIET.fullmatch(word)][:OWN_SHOWN]


def _statistics(table) -> dict[str, str]:
    """Of a history the extremes over time, where these say something; of imprecise statistics both bounds."""
    known = [str(word) for word in table["statistic"].values]
    history = "time" in table.dims
    extremes = {"std": ("std", _greatest), "5 %": ("q05", _least), "95 %": ("q95", _greatest)}
    if not history:
        extremes |= {word.replace("_", " "): (word, _least) for word in ("mean", *_own(known))}
    cells = {}
    for column, (key, extreme) in extremes.items():
        if key not in known:
            continue
        found = table.sel(statistic=key)
        if "bound" not in table.dims:
            cells[column] = number(extreme(found.values))
            continue
        lower, upper = (found.sel(bound=bound).values for bound in ("lower", "upper"))
        cells[column] = f"{number(_least(lower) if extreme is _least else _greatest(lower))} … {number(extreme(upper))}"
    return cells


def _least(values: np.ndarray) -> float:
    return float(np.nanmin(values)) if np.isfinite(values).any() else float("nan")


def _greatest(values: np.ndarray) -> float:
    return float(np.nanmax(values)) if np.isfinite(values).any() else float("nan")


def _share(trust) -> str:
    return percent(trust.share) if trust.history else ("yes" if trust.share else "no")


def _horizon(trust) -> str:
    if not trust.history:
        return ""
    return "end" if np.isinf(trust.horizon) else number(trust.horizon)


def _facts(title: str, facts: Mapping) -> Table:
    rows = []
    for key, value in facts.items():
        words = key if "." in key else key.replace("_", " ")
        rows.append((words, ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else number(value)))
    return Table(title, ("what", "value"), tuple(rows), (False, False))
