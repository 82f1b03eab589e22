"""The tables of a result as text, for the page; the terminal shows a part of that of the outputs (`uqmbd.report.terminal`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from uqmbd.analysis.statistics.trust import gap_between
from uqmbd.facts import CUT
from uqmbd.report.extremes import finer_extremes
from uqmbd.tables.inputs import input_unit, with_unit
from uqmbd.tables.numbers import Scale, apart, number
from uqmbd.tables.outputs import chosen, listed, output_names, picked, shown_quantiles, words_over
from uqmbd.tables.scaling import MEASURED, ends_of, greatest, has_unit, own, scale_of, statistics
from uqmbd.tables.trust import percent, trust_of

ELSEWHERE = frozenset((
    "study title description inputs method seed settings simulator versions wall_time workers overhead note notes failures_note "
    "estimate estimate_std estimate_lower estimate_upper covariance covariance_of correlated fit fit_doubted rms_residual starts "
    "readings interpolated limit report statement sequence regions step_error warnings cut"
).split())  # fmt: skip
COUNTS = ("runs", "failed_share")
EXTREMES = [("least run", True), ("greatest run", True)]


@dataclass(frozen=True)
class Table:
    """Rows of text under a header; ``numeric`` says which columns are aligned to the right."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    note: str = ""


def outputs_table(result, names: Sequence[str] | None = None, scales: Mapping[str, Scale] | None = None) -> Table:
    """Every output, or these, with bounds, statistics and trust; of a history the extremes over time.

    In the units of `scales`, where these are given by output.
    """
    histories, scalars = ([name for name in some if names is None or name in names] for some in output_names(result))
    columns = [("output", False), ("unit", False)]
    if result.bounds.data_vars:
        columns += [("lower", True), ("upper", True), ("inner lower", True), ("inner upper", True)]
    if "alpha" in result.bounds.dims:
        columns += [("core lower", True), ("core upper", True)]
    if result.error.data_vars:
        columns += [("error", True), ("step error", True)]
    if result.bounds.data_vars and result.inner.data_vars:
        columns += [("gap", True)]
    if result.statistics.data_vars and not result.bounds.data_vars:
        usual = (("mean", "mean"), ("std", "std"), *shown_quantiles(result).items())
        known = known_statistics(result)
        columns += [(column, True) for key, column in usual if key in known] + [(word.replace("_", " "), True) for word in own(known)]
    if result.trusted.data_vars:
        columns += [("trusted", True), ("until [s]", True)]
    elif result.inner.data_vars and not result.bounds.data_vars:
        columns += EXTREMES
    shown = shown_quantiles(result)
    every = [_cells(result, name, shown, (scales or {}).get(name) or scale_of(result, name, shown)) for name in scalars + histories]
    if "rms_residual" in result.attrs:  # of a calibration; the extremes of its runs say what was tried
        columns = [*(column for column in columns if column not in EXTREMES), ("rms residual", True)]
    if any(cells.get(word.replace("_", " ")) for cells in every for word in own(known_statistics(result))):
        columns = [column for column in columns if column not in EXTREMES]  # what the study is about is there
    columns = [column for column in columns if column[0] == "output" or any(cells.get(column[0]) for cells in every)]
    rows = [tuple(cells.get(column, "") for column, _ in columns) for cells in every]
    rows = [row for row in rows if any(row[1 + (("unit", False) in columns) :])] or rows  # of others the method says nothing
    said = any(cells.get(column) for cells in every[len(scalars) :] for column, right in columns if right and column != "rms residual")
    who, when = words_over(result, histories)
    note = f"Of a {who}: the widest over {when} of bounds and quantiles, and the largest error and standard deviation." if said else ""
    if "gap" in dict(columns):
        note = f"{note} Gap: by how much bounds are wider than what runs reached; of a {who} the median over {when}.".strip()
    if finer := finer_extremes(result):
        note = f"{note} {finer}".strip()
    if cut := [row[0] for row in rows if row[0] in result.attrs.get(CUT, ())]:
        note = f"{note} Bounds and limits of {listed(cut)} end at what they cannot pass.".strip()
    if "alpha" in result.statistics.dims:
        note = f"{note} Statistics are those of the lowest membership.".strip()
    return Table("Outputs", tuple(c for c, _ in columns), tuple(rows), tuple(n for _, n in columns), note)


def known_statistics(result) -> list[str]:
    """Names of the statistics that a result has."""
    return [str(word) for word in result.statistics["statistic"].values] if "statistic" in result.statistics.coords else []


def by_statistic(result, names: Sequence[str] | None = None, scales: Mapping[str, Scale] | None = None) -> Table:
    """The outputs, all or these, with a row for each statistic where these have two bounds; error and trust of an output beside its first.

    Of methods that bound the outputs themselves, and of others, it is `outputs_table`.
    """
    table = outputs_table(result, names, scales)
    if "bound" not in result.statistics.dims or result.bounds.data_vars:
        return table
    beside = [column for column, name in enumerate(table.header) if name in ("error", "step error", "trusted", "until [s]")]
    units = "unit" in table.header
    rows, shown = [], shown_quantiles(result)
    for row in table.rows:
        found = statistics(result, row[0], shown) if row[0] in result.statistics else {}
        within = (scales or {}).get(row[0]) or scale_of(result, row[0])
        who, known = row[: 1 + units], tuple(row[column] for column in beside)
        for word, ends in found.items() or [("", ())]:
            rows.append((*who, word, *(apart(*_in(within, word, ends)) if ends else ("", "")), *known))
            who, known = ("",) * len(who), ("",) * len(known)
    header = (*table.header[: 1 + units], "statistic", "at least", "at most", *(table.header[column] for column in beside))
    numeric = (*(False,) * (2 + units), *(True,) * (len(header) - 2 - units))
    return Table(table.title, header, tuple(rows), numeric, table.note)


def inputs_table(result) -> Table:
    """The inputs in the notation they were written in."""
    rows = tuple((name, entry.kind, entry.text) for name, entry in result.facts.inputs.items())
    return Table("Inputs", ("input", "kind", "value"), rows, (False, False, False))


def method_table(result) -> Table:
    """The method and its settings."""
    named = {key: result.attrs[key] for key in ("method", "seed") if key in result.attrs}
    return _facts("Method", named | dict(result.facts.settings))


def counts_table(result) -> Table:
    """How many runs there were, by what they were for and how they ended."""
    return _facts("Runs", {key: value for key, value in result.attrs.items() if key.startswith(COUNTS)})


def cost_table(result) -> Table:
    """Wall time and rate."""
    wall, runs = result.facts.wall_time, result.attrs.get("runs_simulated_last", 0)
    facts = {key: result.attrs[key] for key in ("workers", "overhead") if key in result.attrs}
    if wall:
        facts = {"wall time of the last session": f"{wall:.3g} s", "runs simulated in it": runs, "runs per second": runs / wall} | facts
    return _facts("Cost", facts)


def versions_table(result) -> Table:
    """Versions of what made the result."""
    return _facts("Versions", result.facts.versions)


def simulator_table(result) -> Table:
    """Everything that decided the numbers: solver settings, laws, stiffness, masses."""
    return _facts("Model and solver, as used", result.facts.simulator)


def other_table(result) -> Table:
    """Everything else that the result says of itself."""
    known = ELSEWHERE | set(result.facts.settings)
    return _facts("Further facts", {k: v for k, v in result.attrs.items() if k not in known and not k.startswith(COUNTS)})


def trust_table(result) -> Table:
    """Trust in each history, with the sentence that explains it."""
    rows = []
    for name in output_names(result)[0]:
        if (trust := trust_of(result, name)) is not None:
            rows.append((name, _share(trust), _horizon(trust), trust.sentence()))
    return Table("Trust", ("output", "trusted", "trust horizon [s]", "in words"), tuple(rows), (False, True, True, False))


def worst_table(result) -> Table:
    """Of scalars: the inputs, as they were written, at which runs reached each bound."""
    every = [name for name in output_names(result)[1] if name in result.worst]
    names = chosen(result, every)
    inputs = [str(name) for name in result.worst["input"].values] if names else []
    units = [input_unit(result, name) for name in inputs]
    rows = []
    for name in names:
        within = scale_of(result, name)
        ends = apart(*within.of(np.array(ends_of(result.inner, name))))
        for end, value in zip(("lower", "upper"), ends, strict=True):
            places = picked(result.worst, name, bound=end)
            rows.append((name, f"{value} {within.unit}".rstrip(), *(f"{unit.of(x):.5g}" for unit, x in zip(units, places, strict=True))))
    header = ("output", "reached", *(with_unit(name, unit) for name, unit in zip(inputs, units, strict=True)))
    note = only(names, every)
    return Table("Where the bounds were reached", header, tuple(rows), (False, True, *(True,) * len(inputs)), note)


def only(names: list[str], every: list[str]) -> str:
    """A sentence where not all outputs are shown."""
    if len(names) == len(every):
        return ""
    return f"{len(names)} of {len(every):,} outputs, the key output of `[report]` and the first; the folder tables has all."


def runs_done(result) -> int:
    """Number of runs, from the counts or else from the runs themselves."""
    told = result.facts.runs
    return result.runs.sizes.get("run", 0) if told is None else told


def _cells(result, name: str, shown: Mapping[str, str], within: Scale) -> dict[str, str]:
    """The row of one output in a unit, by column; `shown` are the quantiles with their words."""
    cells = {"output": name, "unit": within.unit}
    for group, prefix in (("bounds", ""), ("inner", "inner ")):
        if name in getattr(result, group):
            cells |= _both(ends_of(getattr(result, group), name), prefix, within)
            if group == "bounds" and "alpha" in result.bounds.variables[name].dims:
                both = result.bounds[name]
                core = both.isel(alpha=int(np.argmax(both["alpha"].values))).to_dataset(name=name)
                cells |= _both(ends_of(core, name), "core ", within)
        if group == "inner" and name in result.inner:
            cells["least run"], cells["greatest run"] = cells["inner lower"], cells["inner upper"]
    for group, column in (("error", "error"), ("step_error", "step error")):
        if name in getattr(result, group):
            cells[column] = f"{within.of(greatest(getattr(result, group).variables[name].values)) + 0.0:.2g}"  # no -0
    if name in result.statistics:
        found = statistics(result, name, shown)
        found = {key: ends for key, ends in found.items() if key not in MEASURED or np.isfinite(ends).all()}  # not all outputs are measured
        cells |= {key: " … ".join(apart(*_in(within, key, ends))) for key, ends in found.items()}
        values = {key: within.of(ends[0]) for key, ends in found.items() if has_unit(key) and key != "std" and len(ends) == 1}
        cells |= dict(zip(values, apart(*values.values()), strict=True))
    if gap := _gap(result, name):
        cells["gap"] = gap
    if name in result.attrs.get("rms_residual", {}):
        cells["rms residual"] = f"{within.of(result.attrs['rms_residual'][name]):.3g}"
    trust = trust_of(result, name)
    if trust:
        cells["trusted"], cells["until [s]"] = _share(trust), _horizon(trust)
    return cells


def _gap(result, name: str) -> str:
    """Median over the times of what the bounds have more than runs reached; of fuzzy numbers at the lowest membership."""
    if name not in result.bounds or name not in result.inner:
        return ""
    ends = (picked(group, name, bound=end) for group in (result.bounds, result.inner) for end in ("lower", "upper"))
    gap = np.atleast_1d(gap_between(*ends))
    found = gap[np.isfinite(gap)]
    return percent(float(np.median(found))) if found.size else ""


def _in(within: Scale, column: str, ends: tuple[float, ...]) -> tuple[float, ...]:
    """Statistics in the unit of their output; probabilities and indices have none."""
    return tuple(within.of(end) for end in ends) if has_unit(column) else ends


def _both(ends: tuple[float, float], prefix: str, within: Scale) -> dict[str, str]:
    lower, upper = apart(*map(within.of, ends))
    return {f"{prefix}lower": lower, f"{prefix}upper": upper}


def _share(trust) -> str:
    return percent(trust.share) if trust.axis else ("yes" if trust.share else "no")


def _horizon(trust) -> str:
    return "" if np.isnan(trust.horizon) else "end" if np.isinf(trust.horizon) else number(trust.horizon)


def _facts(title: str, facts: Mapping) -> Table:
    rows = []
    for key, value in facts.items():
        words = key if "." in key else key.replace("_", " ")
        if (text := _said(value)) not in ("", "{}"):
            rows.append((words, text))
    return Table(title, ("what", "value"), tuple(rows), (False, False))


def _said(value) -> str:
    """Lists and mappings in words: ``stiffness 0.33, mass 0.31``; a list that says one thing over again says it once."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {text}" for key, each in value.items() if (text := _said(each)))
    if isinstance(value, (list, tuple)):
        texts = [f"[{_said(each)}]" if isinstance(each, (list, tuple)) else _said(each) for each in value]
        return f"{texts[0]} ({len(texts)} times)" if len(texts) > 3 and len(set(texts)) == 1 else ", ".join(texts)
    return number(value)
